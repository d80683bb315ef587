"""Indexes, so that no query reads or sorts a whole table, however many boards, mails and players there are."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_REPLACED = {
    "ix_matches_seat1_id": ("matches", ["seat1_id"]),
    "ix_matches_seat2_id": ("matches", ["seat2_id"]),
    "ix_tournaments_state": ("tournaments", ["state"]),
}
_NEW = {
    "ix_matches_seat1": ("matches", ["seat1_id", "board"]),
    "ix_matches_seat2": ("matches", ["seat2_id", "board"]),
    "ix_matches_ended1": ("matches", ["seat1_id", "ended_at", "board"]),
    "ix_matches_ended2": ("matches", ["seat2_id", "ended_at", "board"]),
    "ix_matches_pair": ("matches", ["seat1_id", "seat2_id", "game"]),
    "ix_matches_ended": ("matches", ["game", "ended_at", "board"]),
    "ix_matches_ended_at": ("matches", ["ended_at", "board"]),
    "ix_outbox_player_id": ("outbox", ["player_id"]),
    "ix_tickets_about": ("tickets", ["subject"]),
    "ix_tickets_expires_at": ("tickets", ["expires_at"]),
    "ix_blocks_blocked_id": ("blocks", ["blocked_id"]),
    "ix_broadcasts_player": ("broadcasts", ["player_id", "created_at"]),
    "ix_absences_ends_at": ("absences", ["ends_at"]),
    "ix_attempts_subject": ("attempts", ["subject"]),
    "ix_tournaments_state": ("tournaments", ["state", "id"]),
    "ix_tournaments_game": ("tournaments", ["game", "state", "id"]),
}
_OF_SOME = {
    "ix_matches_running": ("matches", ["game", "board"], "ended_at IS NULL"),
    "ix_matches_held": ("matches", ["game", "board"], "event != ''"),
    "ix_matches_over": ("matches", ["game", "board"], "ended_at IS NOT NULL"),
    "ix_bouts_open": ("bouts", ["tournament_id", "id"], "points1 IS NULL"),
}


def upgrade() -> None:
    for name, (table, _) in _REPLACED.items():
        op.drop_index(name, table)
    for name, (table, columns) in _NEW.items():
        op.create_index(name, table, columns)
    if op.get_bind().dialect.name == "postgresql":  # sorted by code point, as on SQLite
        op.execute('ALTER TABLE attempts ALTER COLUMN subject TYPE VARCHAR(320) COLLATE "C"')
    for name, (table, columns, where) in _OF_SOME.items():
        op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))


def downgrade() -> None:
    for name, (table, *_) in (_NEW | _OF_SOME).items():
        op.drop_index(name, table)
    for name, (table, columns) in _REPLACED.items():
        op.create_index(name, table, columns)
