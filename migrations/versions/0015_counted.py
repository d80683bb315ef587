"""Indexes that alone suffice to count boards under way by player and game."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_LONGER = {
    "ix_matches_ended1": ["seat1_id", "ended_at", "board", "game"],
    "ix_matches_ended2": ["seat2_id", "ended_at", "board", "game", "seat1_id"],
}


def upgrade() -> None:
    for name, columns in _LONGER.items():
        op.drop_index(name, "matches")
        op.create_index(name, "matches", columns)


def downgrade() -> None:
    for name, columns in _LONGER.items():
        op.drop_index(name, "matches")
        op.create_index(name, "matches", columns[:3])
