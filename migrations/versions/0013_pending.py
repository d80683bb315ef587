"""An index of mails to be sent, by board and address: a board's mails go to each reader in order."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_WHERE = sa.text("state = 'queued'")


def upgrade() -> None:
    columns = ["board", "address", "id"]
    op.create_index("ix_outbox_pending", "outbox", columns, sqlite_where=_WHERE, postgresql_where=_WHERE)


def downgrade() -> None:
    op.drop_index("ix_outbox_pending", "outbox")
