"""The OpenPGP keys of people who write to us (Autocrypt), by address."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ADDRESS = sa.String(320).with_variant(sa.String(320, collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "peer_keys",
        sa.Column("address_key", ADDRESS, nullable=False),
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("wanted", sa.Boolean(), nullable=False),
        sa.Column("proven", sa.Boolean(), nullable=False),
        sa.Column("chats", sa.Boolean(), nullable=False),
        sa.Column("brought_by", sa.Text(), nullable=False),
        sa.Column("dated_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("address_key"),
    )
    op.create_index("ix_peer_keys_seen_at", "peer_keys", ["seen_at"])


def downgrade() -> None:
    op.drop_table("peer_keys")
