"""The tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ColumnElement,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    literal_column,
    select,
)

from pbm.resources import folder
from pbm.store.statements import Instant

REVISION = max(path.name[:4] for path in (folder("migrations") / "versions").glob("[0-9]*.py"))
"""The newest migration, which makes these tables."""
FIRST_BOARD = 101

BigKey = BigInteger().with_variant(Integer, "sqlite")
# SQLite numbers keys by itself only in a column that is exactly INTEGER.

Word = String(40).with_variant(String(40, collation="C"), "postgresql")
# Sorted by code point everywhere, as SQLite does.
LongWord = String(320).with_variant(String(320, collation="C"), "postgresql")

metadata = MetaData()

PLANNED, OWNS, INNER = "planned", "owns", "inner"
"""Keys of `Column.info`; see `_planned` and `_player`. INNER columns are exported to nobody: what stands there follows
from the rest, or is the server's alone.
"""


def _table(name: str, *columns: Column[Any] | UniqueConstraint, **words: Any) -> Table:
    return Table(name, metadata, *columns, **words)


def _numbered(name: str, *columns: Column[Any]) -> Table:
    """A table that numbers its rows and never gives a number twice."""
    return _table(name, Column("id", BigKey, primary_key=True), *columns, sqlite_autoincrement=True)


def _partial(name: str, *columns: Column[Any], where: ColumnElement[bool]) -> None:
    """An index of the rows that meet the condition."""
    # On PostgreSQL it is the same, by its migration: to name it here would import that dialect, for 25 ms.
    Index(name, *columns, sqlite_where=where)


def _planned(*since: str) -> dict[str, Any]:
    """Info of a column that may rightly hold a future instant.

    since: the columns that say when it was written, the first that is not NULL; none if nothing says so.
    """
    return {PLANNED: since}


def _player(name: str = "player_id", *, owns: bool = True, **words: Any) -> Column[int]:
    """A column that names a player. owns: the row is theirs, and goes when they do; other rows stay."""
    return Column(name, ForeignKey("players.id"), info={OWNS: owns}, **words)


def _folded(context: Any) -> str:
    """The address of a new row, in the form that tells whether two are the same."""
    return str(context.get_current_parameters()["address"]).casefold()


meta = _table("meta", Column("key", String(40), primary_key=True), Column("value", Text, nullable=False))

players = _table(
    "players",
    Column("id", BigKey, primary_key=True),
    Column("userid", String(40), nullable=False),
    Column("userid_key", Word, nullable=False, unique=True),
    Column("password_hash", String(200), nullable=False),
    Column("epoch", Integer, nullable=False, server_default="0"),
    Column("settings", Text, nullable=False, server_default="{}"),
    Column("created_at", Instant, nullable=False),
    Column("removed_at", Instant),
    Column("bot", Boolean, nullable=False, server_default="0"),
    Column("look", String(40), nullable=False, server_default="", index=True),
)

former_names = _table(
    "former_names",
    Column("name_key", Word, primary_key=True),
    _player(nullable=False, index=True),
    Column("look", String(40), nullable=False, index=True),
)

addresses = _table(
    "addresses",
    Column("id", BigKey, primary_key=True),
    _player(nullable=False),
    Column("address", String(320), nullable=False),
    Column("address_key", String(320), nullable=False, default=_folded, index=True, info={INNER: True}),
    Column("created_at", Instant, nullable=False),
    Column("confirmed_at", Instant),
    Column("bounces", Integer, nullable=False, server_default="0", info={INNER: True}),
    Column("soft_bounces", Integer, nullable=False, server_default="0", info={INNER: True}),
    Column("last_bounced_at", Instant, info={INNER: True}),
    Column("suspended_at", Instant, info={INNER: True}),
    UniqueConstraint("player_id", "address_key"),
)

matches = _table(
    "matches",
    Column("board", BigKey, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("version", Integer, nullable=False),
    Column("options", Text, nullable=False),
    Column("body", Text, nullable=False),
    _player("seat1_id", owns=False, nullable=False),
    _player("seat2_id", owns=False, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("plies", Integer, nullable=False),
    Column("seat_to_move", Integer),
    Column("started_at", Instant, nullable=False),
    Column("moved_at", Instant, nullable=False),
    Column("ended_at", Instant),
    Column("ending", String(20)),
    Column("winner", Integer),
    Column("reason", Text),
    Column("scores", String(40)),
    Column("rated", Boolean, nullable=False),
    Column("offer", String(12)),
    Column("offered_by", Integer),
    Column("rematch_of", ForeignKey("matches.board"), unique=True),
    Column("control", String(80), nullable=False, server_default=""),
    Column("left1", BigInteger),
    Column("left2", BigInteger),
    Column("turn_left", BigInteger),
    Column("ticking_since", Instant),
    Column("deadline_at", Instant, info=_planned("overrun_at", "ticking_since")),
    Column("overrun_at", Instant),
    Column("due_at", Instant, info=_planned("overrun_at", "ticking_since")),
    Column("paused", Boolean, nullable=False, server_default="0"),
    Column("annotated", Boolean, nullable=False, server_default="0", info={INNER: True}),
    Column("tournament", String(80), nullable=False, server_default=""),
    Column("gift", BigInteger),
    Column("offered_at", Instant),
    sqlite_autoincrement=True,
)
Index("ix_matches_game", matches.c.game, matches.c.board)
Index("ix_matches_seat1", matches.c.seat1_id, matches.c.board)
Index("ix_matches_seat2", matches.c.seat2_id, matches.c.board)
Index("ix_matches_ended1", matches.c.seat1_id, matches.c.ended_at, matches.c.board, matches.c.game)
Index("ix_matches_ended2", matches.c.seat2_id, matches.c.ended_at, matches.c.board, matches.c.game, matches.c.seat1_id)
Index("ix_matches_pair", matches.c.seat1_id, matches.c.seat2_id, matches.c.game)
Index("ix_matches_ended", matches.c.game, matches.c.ended_at, matches.c.board)
Index("ix_matches_ended_at", matches.c.ended_at, matches.c.board)
_partial("ix_matches_running", matches.c.game, matches.c.board, where=matches.c.ended_at.is_(None))
_partial("ix_matches_held", matches.c.game, matches.c.board, where=matches.c.tournament != literal_column("''"))
_partial("ix_matches_over", matches.c.game, matches.c.board, where=matches.c.ended_at.is_not(None))
_partial("ix_matches_due", matches.c.due_at, where=matches.c.due_at.is_not(None))
"""SQLite rewrites the index of a written column, even if its value stays; rows never due are not in it."""

plies = _table(
    "plies",
    Column("board", ForeignKey("matches.board"), primary_key=True),
    Column("ply", Integer, primary_key=True, info={INNER: True}),
    Column("notation", Text, nullable=False),
    Column("seat", Integer, nullable=False),
    Column("played_at", Instant, nullable=False),
    Column("auto", Boolean, nullable=False),
    Column("time_left", BigInteger),
    sqlite_with_rowid=False,
)
# The plies of a board lie together, so that its record is read from a page or two.

inbox = _numbered(
    "inbox",
    Column("received_at", Instant, nullable=False),
    Column("mail_from", Text),
    Column("recipients", Text, nullable=False),
    Column("raw", LargeBinary, nullable=False),
    Column("state", String(12), nullable=False),
    Column("reason", Text, nullable=False, server_default=""),
    Column("identity", String(64), unique=True),
    Column("source", Text, unique=True),
    Column("handled_at", Instant),
    Column("peer", String(64), nullable=False, server_default=""),
    Column("lane", String(80), nullable=False, server_default=""),
    Column("begun", Integer, nullable=False, server_default="0"),
    Column("id_mark", String(32), nullable=False, server_default=""),
)
Index("ix_inbox_id_mark", inbox.c.id_mark)
Index("ix_inbox_state", inbox.c.state, inbox.c.id)

outbox = _numbered(
    "outbox",
    Column("key", String(40), nullable=False, unique=True),
    Column("created_at", Instant, nullable=False),
    Column("inbox_id", ForeignKey("inbox.id"), index=True),
    Column("board", BigInteger, index=True),
    _player(owns=False, index=True),
    Column("reply", Boolean, nullable=False),
    Column("address", String(320), nullable=False),
    Column("subject", Text, nullable=False),
    Column("envelope_from", String(320), nullable=False),
    Column("state", String(12), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Instant, nullable=False, info=_planned()),
    Column("done_at", Instant),
    Column("bounced_at", Instant),
    Column("trouble", Text, nullable=False, server_default=""),
    Column("maybe_taken", Boolean, nullable=False, server_default=false()),
    Column("token", String(60), nullable=False, server_default=""),
)
Index("ix_outbox_due", outbox.c.state, outbox.c.due_at, outbox.c.id)
Index("ix_outbox_address", outbox.c.address, outbox.c.created_at)
_QUEUED: ColumnElement[bool] = literal_column("state = 'queued'")
_partial("ix_outbox_pending", outbox.c.board, outbox.c.address, outbox.c.id, where=_QUEUED)

owed_boards = _table(
    "owed_boards", Column("id", BigKey, primary_key=True), Column("value", LargeBinary, nullable=False)
)
"""What the mails to several readers of a board have in common; it is deleted with the last of them."""

outbox_texts = _table(
    "outbox_texts",
    Column("id", ForeignKey("outbox.id", ondelete="CASCADE"), primary_key=True),
    Column("raw", LargeBinary, nullable=False),
    Column("version", Integer, nullable=False, server_default="0"),
    Column("board_id", ForeignKey("owed_boards.id"), index=True),
)
"""What each mail says, packed; of version 0 are mails as bytes, as they were stored formerly. It is deleted with its
mail. It is apart because claiming and marking a mail rewrites the mail's row."""

tickets = _table(
    "tickets",
    Column("id", BigKey, primary_key=True),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("purpose", String(20), nullable=False),
    Column("subject", String(320), nullable=False),
    _player(index=True),
    Column("payload", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("expires_at", Instant, nullable=False, index=True, info=_planned("created_at")),
)
Index("ix_tickets_subject", tickets.c.purpose, tickets.c.subject, tickets.c.created_at)
Index("ix_tickets_about", tickets.c.subject)

intents = _table(
    "intents",
    Column("board", ForeignKey("matches.board"), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(12), primary_key=True),
    Column("text", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("comment", Text),
    Column("due_at", Instant, info=_planned("created_at")),
)

game_choices = _table(
    "game_choices",
    _player(primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("accepts", Boolean, nullable=False),
    Column("most_active", Integer),
    Column("notify_ends", Boolean, nullable=False),
    Column("follows", Boolean, nullable=False),
)
Index("ix_game_choices_game", game_choices.c.game, game_choices.c.follows, game_choices.c.notify_ends)

follows = _table(
    "follows",
    _player(primary_key=True),
    Column("board", ForeignKey("matches.board"), primary_key=True, index=True),
    Column("ends_only", Boolean, nullable=False),
)

seeks = _numbered(
    "seeks",
    _player(nullable=False, index=True),
    Column("game", String(40), nullable=False, index=True),
    Column("options", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("wanted", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
)

blocks = _table("blocks", _player(primary_key=True), _player("blocked_id", primary_key=True, index=True))

broadcasts = _numbered(
    "broadcasts",
    _player(nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("sent_at", Instant),
)
Index("ix_broadcasts_player", broadcasts.c.player_id, broadcasts.c.created_at)

ratings = _table(
    "ratings",
    _player(primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("rating", Double, nullable=False),
    Column("deviation", Double, nullable=False),
    Column("volatility", Double, nullable=False),
    Column("won", Integer, nullable=False),
    Column("lost", Integer, nullable=False),
    Column("drawn", Integer, nullable=False),
    Column("rated_at", Instant, nullable=False),
)
Index("ix_ratings_game", ratings.c.game, ratings.c.rating)

rating_changes = _table(
    "rating_changes",
    Column("board", ForeignKey("matches.board"), primary_key=True),
    _player(owns=False, primary_key=True, index=True),
    Column("rating_before", Double, nullable=False),
    Column("deviation_before", Double, nullable=False),
    Column("volatility_before", Double, nullable=False),
    Column("rating_after", Double, nullable=False),
    Column("deviation_after", Double, nullable=False),
    Column("volatility_after", Double, nullable=False),
)

invitations = _table(
    "invitations",
    Column("address_hash", String(64), primary_key=True),
    _player(nullable=False),
    Column("created_at", Instant, nullable=False),
)
Index("ix_invitations_player", invitations.c.player_id, invitations.c.created_at)

refusals = _table(
    "refusals", Column("address_hash", String(64), primary_key=True), Column("created_at", Instant, nullable=False)
)

absences = _table(
    "absences",
    Column("id", BigKey, primary_key=True),
    _player(index=True),
    Column("kind", String(12), nullable=False),
    Column("starts_at", Instant, nullable=False, info=_planned()),
    Column("ends_at", Instant, index=True, info=_planned()),
)

agenda = _table(
    "agenda",
    Column("kind", String(20), primary_key=True),
    Column("key", String(320), primary_key=True),
    Column("due_at", Instant, nullable=False, index=True, info=_planned()),
    Column("payload", Text, nullable=False, server_default="{}"),
    Column("attempts", Integer, nullable=False, server_default="0"),
)

remarks = _numbered(
    "remarks",
    Column("board", ForeignKey("matches.board"), nullable=False, index=True),
    _player(nullable=False, index=True),
    Column("kind", String(12), nullable=False),
    Column("ply", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
)

paces = _table(
    "paces",
    _player(primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("finished", Integer, nullable=False),
    Column("timeouts", Integer, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("microseconds", BigInteger, nullable=False),
)

player_follows = _table(
    "player_follows", _player(primary_key=True), _player("followed_id", primary_key=True, index=True)
)

attempts = _table(
    "attempts",
    Column("kind", String(20), primary_key=True),
    Column("subject", LongWord, primary_key=True, index=True),
    Column("failures", Integer, nullable=False),
    Column("last_at", Instant, nullable=False, index=True),
    Column("locked_until", Instant, info=_planned()),
)

tournaments = _numbered(
    "tournaments",
    Column("name", String(40), nullable=False),
    Column("name_key", String(40), nullable=False, unique=True, info={INNER: True}),
    Column("kind", String(20), nullable=False),
    Column("game", String(40), nullable=False),
    Column("options", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("terms", Text, nullable=False),
    _player("creator_id", owns=False, index=True),
    Column("state", String(12), nullable=False),
    Column("season", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("due_at", Instant, info=_planned("created_at")),
    Column("ended_at", Instant),
)

Index("ix_tournaments_state", tournaments.c.state, tournaments.c.id)
Index("ix_tournaments_game", tournaments.c.game, tournaments.c.state, tournaments.c.id)

tournament_players = _table(
    "tournament_players",
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    _player(owns=False, primary_key=True, index=True),
    Column("seed", Integer, nullable=False),
    Column("division", Integer),
    Column("joined_at", Instant, nullable=False),
    Column("left_at", Instant),
)

bouts = _numbered(
    "bouts",
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False),
    Column("season", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("division", Integer, nullable=False),
    _player("first_id", owns=False, nullable=False),
    _player("second_id", owns=False),
    _player("challenger_id", owns=False),
    Column("board", ForeignKey("matches.board"), unique=True),
    Column("points1", Integer),
    Column("points2", Integer),
    Column("starts_at", Instant, nullable=False),
    Column("due_at", Instant, info=_planned()),
)
Index("ix_bouts_round", bouts.c.tournament_id, bouts.c.season, bouts.c.round)
_partial("ix_bouts_open", bouts.c.tournament_id, bouts.c.id, where=bouts.c.points1.is_(None))

tournament_follows = _table(
    "tournament_follows",
    _player(primary_key=True),
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True, index=True),
)

acts = _numbered(
    "acts",
    Column("at", Instant, nullable=False),
    Column("who", String(80), nullable=False),
    Column("words", Text, nullable=False),
)

bans = _table(
    "bans",
    Column("subject", String(320), primary_key=True),
    Column("since", Instant, nullable=False),
    Column("until", Instant, info=_planned()),
    Column("reason", Text, nullable=False),
)

puzzles = _numbered(
    "puzzles",
    Column("game", String(40), nullable=False, index=True),
    Column("options", Text, nullable=False),
    Column("moves", Text, nullable=False),
    Column("line", Text, nullable=False),
    Column("created_at", Instant, nullable=False),
    Column("board", BigInteger),
)

puzzle_tries = _table(
    "puzzle_tries",
    _player(primary_key=True),
    Column("puzzle_id", ForeignKey("puzzles.id"), primary_key=True, index=True),
    Column("posed_at", Instant, nullable=False),
    Column("answered_at", Instant),
    Column("solved", Boolean),
)

peer_keys = _table(
    "peer_keys",
    Column("address_key", LongWord, primary_key=True),
    Column("key", LargeBinary, nullable=False),
    Column("wanted", Boolean, nullable=False),
    Column("proven", Boolean, nullable=False),
    Column("chats", Boolean, nullable=False),
    Column("brought_by", Text, nullable=False),
    Column("seen_at", Instant, nullable=False, index=True),
)

PLAYERS = select(players.c.id, players.c.userid)
"""In the form that `Queries._players` reads."""
