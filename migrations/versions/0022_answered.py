"""A mail that came in is found by its Message-ID, so that answers to players' own mails are known."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("id_mark", sa.String(32), nullable=False, server_default=""))
    op.create_index("ix_inbox_id_mark", "inbox", ["id_mark"])


def downgrade() -> None:
    op.drop_index("ix_inbox_id_mark", "inbox")
    with op.batch_alter_table("inbox") as table:
        table.drop_column("id_mark")
