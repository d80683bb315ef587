"""The board a puzzle was found on: its players are not given the puzzle."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("puzzles", sa.Column("board", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("puzzles", "board")
