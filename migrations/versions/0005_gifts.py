"""Time given to a player for their next move, while it is not their turn."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("matches", sa.Column("gift", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("matches", "gift")
