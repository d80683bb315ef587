"""Keys of encrypted mail are newer by order of arrival, not by the Date of the mail that brought them."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("peer_keys") as table:
        table.drop_column("dated_at")


def downgrade() -> None:
    with op.batch_alter_table("peer_keys") as table:
        table.add_column(sa.Column("dated_at", sa.BigInteger(), nullable=False, server_default="0"))
