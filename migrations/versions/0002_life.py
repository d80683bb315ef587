"""What correspondence play and several workers need: clocks, plans, events, claims on the queues.

Defaults of booleans are texts: for SQL expressions, Alembic would recreate the table on SQLite, without AUTOINCREMENT.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "agenda",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("key", sa.String(length=80), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("payload", sa.Text(), server_default="{}", nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("kind", "key"),
    )
    with op.batch_alter_table("agenda", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_agenda_due_at"), ["due_at"], unique=False)

    op.create_table(
        "attempts",
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("subject", sa.String(length=320), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("locked_until", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "subject"),
    )
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempts_last_at"), ["last_at"], unique=False)

    op.create_table(
        "absences",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("ends_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    with op.batch_alter_table("absences", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_absences_player_id"), ["player_id"], unique=False)

    op.create_table(
        "paces",
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("finished", sa.Integer(), nullable=False),
        sa.Column("timeouts", sa.Integer(), nullable=False),
        sa.Column("moves", sa.Integer(), nullable=False),
        sa.Column("microseconds", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player_id", "game"),
    )
    op.create_table(
        "player_follows",
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("followed_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["followed_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("player_id", "followed_id"),
    )
    with op.batch_alter_table("player_follows", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_player_follows_followed_id"), ["followed_id"], unique=False)

    op.create_table(
        "tournaments",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("name_key", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("game", sa.String(length=40), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("terms", sa.Text(), nullable=False),
        sa.Column("creator_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["creator_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name_key"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("tournaments", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tournaments_creator_id"), ["creator_id"], unique=False)
        batch_op.create_index(batch_op.f("ix_tournaments_state"), ["state"], unique=False)

    op.create_table(
        "bouts",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("season", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("division", sa.Integer(), nullable=False),
        sa.Column("first_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("second_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("challenger_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("board", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("points1", sa.Integer(), nullable=True),
        sa.Column("points2", sa.Integer(), nullable=True),
        sa.Column("starts_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["board"],
            ["matches.board"],
        ),
        sa.ForeignKeyConstraint(
            ["challenger_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["first_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["second_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("board"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("bouts", schema=None) as batch_op:
        batch_op.create_index("ix_bouts_round", ["tournament_id", "season", "round"], unique=False)

    op.create_table(
        "remarks",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("board", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["board"],
            ["matches.board"],
        ),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    with op.batch_alter_table("remarks", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_remarks_board"), ["board"], unique=False)
        batch_op.create_index(batch_op.f("ix_remarks_player_id"), ["player_id"], unique=False)

    op.create_table(
        "tournament_follows",
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
        ),
        sa.PrimaryKeyConstraint("player_id", "tournament_id"),
    )
    with op.batch_alter_table("tournament_follows", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tournament_follows_tournament_id"), ["tournament_id"], unique=False)

    op.create_table(
        "tournament_players",
        sa.Column("tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("player_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("seed", sa.Integer(), nullable=False),
        sa.Column("division", sa.Integer(), nullable=True),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.Column("left_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id"],
            ["players.id"],
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
        ),
        sa.PrimaryKeyConstraint("tournament_id", "player_id"),
    )
    with op.batch_alter_table("tournament_players", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tournament_players_player_id"), ["player_id"], unique=False)

    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("peer", sa.String(length=64), server_default="", nullable=False))
        batch_op.add_column(sa.Column("lane", sa.String(length=80), server_default="", nullable=False))

    with op.batch_alter_table("intents", schema=None) as batch_op:
        batch_op.add_column(sa.Column("comment", sa.Text(), nullable=True))
        batch_op.add_column(sa.Column("due_at", sa.BigInteger(), nullable=True))

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.add_column(sa.Column("control", sa.String(length=80), server_default="", nullable=False))
        batch_op.add_column(sa.Column("left1", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("left2", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("turn_left", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("ticking_since", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("deadline_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("overrun_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("due_at", sa.BigInteger(), nullable=True))
        batch_op.add_column(sa.Column("paused", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("annotated", sa.Boolean(), server_default="0", nullable=False))
        batch_op.add_column(sa.Column("event", sa.String(length=80), server_default="", nullable=False))
        batch_op.create_index(batch_op.f("ix_matches_due_at"), ["due_at"], unique=False)

    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.add_column(sa.Column("bot", sa.Boolean(), server_default="0", nullable=False))

    with op.batch_alter_table("plies", schema=None) as batch_op:
        batch_op.add_column(sa.Column("time_left", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("plies", schema=None) as batch_op:
        batch_op.drop_column("time_left")

    with op.batch_alter_table("players", schema=None) as batch_op:
        batch_op.drop_column("bot")

    with op.batch_alter_table("matches", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_matches_due_at"))
        batch_op.drop_column("event")
        batch_op.drop_column("annotated")
        batch_op.drop_column("paused")
        batch_op.drop_column("due_at")
        batch_op.drop_column("overrun_at")
        batch_op.drop_column("deadline_at")
        batch_op.drop_column("ticking_since")
        batch_op.drop_column("turn_left")
        batch_op.drop_column("left2")
        batch_op.drop_column("left1")
        batch_op.drop_column("control")

    with op.batch_alter_table("intents", schema=None) as batch_op:
        batch_op.drop_column("due_at")
        batch_op.drop_column("comment")

    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_column("lane")
        batch_op.drop_column("peer")

    with op.batch_alter_table("tournament_players", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tournament_players_player_id"))

    op.drop_table("tournament_players")
    with op.batch_alter_table("tournament_follows", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tournament_follows_tournament_id"))

    op.drop_table("tournament_follows")
    with op.batch_alter_table("remarks", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_remarks_player_id"))
        batch_op.drop_index(batch_op.f("ix_remarks_board"))

    op.drop_table("remarks")
    with op.batch_alter_table("bouts", schema=None) as batch_op:
        batch_op.drop_index("ix_bouts_round")

    op.drop_table("bouts")
    with op.batch_alter_table("tournaments", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_tournaments_state"))
        batch_op.drop_index(batch_op.f("ix_tournaments_creator_id"))

    op.drop_table("tournaments")
    with op.batch_alter_table("player_follows", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_player_follows_followed_id"))

    op.drop_table("player_follows")
    op.drop_table("paces")
    with op.batch_alter_table("absences", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_absences_player_id"))

    op.drop_table("absences")
    with op.batch_alter_table("attempts", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attempts_last_at"))

    op.drop_table("attempts")
    with op.batch_alter_table("agenda", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_agenda_due_at"))

    op.drop_table("agenda")
