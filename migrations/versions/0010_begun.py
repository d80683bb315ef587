"""How often a server ended while it handled a mail."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("begun", sa.Integer(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("inbox", "begun")
