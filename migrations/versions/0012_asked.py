"""When a player made an offer to their opponent: a bare yes to a later mail does not accept it."""

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
