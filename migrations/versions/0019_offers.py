"""What is known of an offer is kept on the agenda, not in its tickets; offers under way have to be made again."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _drop_offers()


def downgrade() -> None:
    _drop_offers()


def _drop_offers() -> None:
    op.execute("DELETE FROM agenda WHERE kind = 'offer'")
    op.execute("DELETE FROM tickets WHERE purpose = 'offer'")
