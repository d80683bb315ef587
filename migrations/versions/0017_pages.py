"""Boards that are never due are in no index of due boards, and on SQLite a board's plies are stored together."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_WHERE = sa.text("due_at IS NOT NULL")
_COLUMNS = "board, ply, notation, seat, played_at, auto, time_left"


def upgrade() -> None:
    op.drop_index("ix_matches_due_at", "matches")
    op.create_index("ix_matches_due", "matches", ["due_at"], sqlite_where=_WHERE, postgresql_where=_WHERE)
    _write_anew(with_rowid=False)


def downgrade() -> None:
    _write_anew(with_rowid=True)
    op.drop_index("ix_matches_due", "matches")
    op.create_index("ix_matches_due_at", "matches", ["due_at"])


def _write_anew(*, with_rowid: bool) -> None:
    """On SQLite, copy the plies into a new table, because the old one cannot be changed."""
    if op.get_bind().dialect.name != "sqlite":
        return
    op.rename_table("plies", "old_plies")
    op.create_table(
        "plies",
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("notation", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("played_at", sa.BigInteger(), nullable=False),
        sa.Column("auto", sa.Boolean(), nullable=False),
        sa.Column("time_left", sa.BigInteger()),
        sa.ForeignKeyConstraint(["board"], ["matches.board"]),
        sa.PrimaryKeyConstraint("board", "ply"),
        sqlite_with_rowid=with_rowid,
    )
    op.execute(f"INSERT INTO plies ({_COLUMNS}) SELECT {_COLUMNS} FROM old_plies ORDER BY board, ply")  # noqa: S608
    op.drop_table("old_plies")
