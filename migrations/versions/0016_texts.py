"""The texts of outgoing mails get their own table, so that marking a mail does not rewrite its text."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "outbox_texts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["id"], ["outbox.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.execute("INSERT INTO outbox_texts (id, raw) SELECT id, raw FROM outbox ORDER BY id")
    op.drop_column("outbox", "raw")


def downgrade() -> None:
    op.add_column("outbox", sa.Column("raw", sa.LargeBinary(), nullable=False, server_default=""))
    op.execute("UPDATE outbox SET raw = (SELECT raw FROM outbox_texts WHERE outbox_texts.id = outbox.id)")
    op.drop_table("outbox_texts")
