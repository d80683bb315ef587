"""What robots think for a player draws from a bucket; nothing is left on the agenda that counts it."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DELETE FROM agenda WHERE kind = 'thought'")


def downgrade() -> None:
    """An earlier version begins to count anew."""
