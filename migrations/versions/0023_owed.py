"""The outbox holds what is owed, and no longer finished mails; those that it holds still go out as they are."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "owed_boards",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.add_column("outbox", sa.Column("token", sa.String(60), nullable=False, server_default=""))
    op.add_column("outbox_texts", sa.Column("version", sa.Integer(), nullable=False, server_default="0"))
    # Alembic would copy the whole table on SQLite, with all mails of a month, to add a column with a reference.
    number = "INTEGER" if op.get_bind().dialect.name == "sqlite" else "BIGINT"
    op.execute(f"ALTER TABLE outbox_texts ADD COLUMN board_id {number} REFERENCES owed_boards (id)")
    op.create_index("ix_outbox_texts_board_id", "outbox_texts", ["board_id"])


def downgrade() -> None:
    """What is owed cannot be read by earlier versions, so it is deleted."""
    op.execute("DELETE FROM outbox WHERE id IN (SELECT id FROM outbox_texts WHERE version > 0)")
    with op.batch_alter_table("outbox_texts") as table:
        table.drop_index("ix_outbox_texts_board_id")
        table.drop_column("board_id")
        table.drop_column("version")
    with op.batch_alter_table("outbox") as table:
        table.drop_column("token")
    op.drop_table("owed_boards")
