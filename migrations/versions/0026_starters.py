"""Boards no longer say by whom they were started: buckets count that, and nothing has read it since."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_matches_started", "matches")
    op.drop_column("matches", "started_by")


def downgrade() -> None:
    op.add_column("matches", sa.Column("started_by", sa.String(320), nullable=False, server_default=""))
    op.create_index("ix_matches_started", "matches", ["started_by", "started_at"])
