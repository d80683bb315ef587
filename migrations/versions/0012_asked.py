"""When a player asked their opponent for something: a bare yes to what was written later is no answer to that."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("matches", sa.Column("offered_at", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("matches", "offered_at")
