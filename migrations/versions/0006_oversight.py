"""The log of the operator's commands, and the operator's bans."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    op.create_table(
        "acts",
        sa.Column("id", big, primary_key=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.String(80), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "bans",
        sa.Column("subject", sa.String(320), primary_key=True),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("bans")
    op.drop_table("acts")
