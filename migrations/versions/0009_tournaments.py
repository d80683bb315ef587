"""A tournament has that name in the database, too; an event is something that happened."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

KINDS = {"event": "tournament", "event news": "tournament news"}
AGENDA = sa.table("agenda", sa.column("kind", sa.String))


def upgrade() -> None:
    op.execute("ALTER TABLE matches RENAME COLUMN event TO tournament")
    for old, new in KINDS.items():
        op.execute(AGENDA.update().where(AGENDA.c.kind == old).values(kind=new))


def downgrade() -> None:
    op.execute("ALTER TABLE matches RENAME COLUMN tournament TO event")
    for old, new in KINDS.items():
        op.execute(AGENDA.update().where(AGENDA.c.kind == new).values(kind=old))
