"""Puzzles, and how each player answered them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_KEY = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "puzzles",
        sa.Column("id", _KEY, nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_puzzles_game", "puzzles", ["game"])
    op.create_table(
        "puzzle_tries",
        sa.Column("player_id", _KEY, nullable=False),
        sa.Column("puzzle_id", _KEY, nullable=False),
        sa.Column("posed_at", sa.BigInteger(), nullable=False),
        sa.Column("answered_at", sa.BigInteger(), nullable=True),
        sa.Column("solved", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"]),
        sa.ForeignKeyConstraint(["puzzle_id"], ["puzzles.id"]),
        sa.PrimaryKeyConstraint("player_id", "puzzle_id"),
    )
    op.create_index("ix_puzzle_tries_puzzle_id", "puzzle_tries", ["puzzle_id"])


def downgrade() -> None:
    op.drop_table("puzzle_tries")
    op.drop_table("puzzles")
