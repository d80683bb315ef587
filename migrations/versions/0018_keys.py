"""The key of an agenda item may be an address."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _set_length(80, 320)


def downgrade() -> None:
    op.execute("DELETE FROM agenda WHERE length(key) > 80")
    _set_length(320, 80)


def _set_length(old: int, new: int) -> None:
    with op.batch_alter_table("agenda") as table:
        table.alter_column("key", type_=sa.String(new), existing_type=sa.String(old), existing_nullable=False)
