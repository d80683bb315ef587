"""One transaction: how it begins, what may write in it, how statements reach the driver, and all queries.

Most of what SQLAlchemy does with a statement has the same outcome each time. For statements marked `often` it is done
once; after that the driver gets the text and values that SQLAlchemy would give it. Errors are SQLAlchemy's. If anything
listens to the engine's events, SQLAlchemy executes every statement itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain
from types import TracebackType
from typing import Any, ClassVar, NoReturn, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect, IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler

from pbm.domain.match import Match
from pbm.store.annex import Broadcasts, Follows, Intents, Remarks
from pbm.store.archive import Archive
from pbm.store.backup import Contents
from pbm.store.belongings import Belongings
from pbm.store.erasure import Erasure
from pbm.store.house import Absences, Agenda, Identity, Peers, Secrets
from pbm.store.leaps import Leaps
from pbm.store.lists import Lists
from pbm.store.matches import ADD_PLY, COUNT_PLY, Plied, batched
from pbm.store.neighbours import CHANNEL, OWED, TAKEN_IN, Writes, translated
from pbm.store.overview import Overview
from pbm.store.players import Ban, Bans, Blocks, Players
from pbm.store.puzzles import Puzzles
from pbm.store.queues import Inbox, Outbox
from pbm.store.ratings import Paces, Ratings
from pbm.store.refusals import Acts, Bounces, Choices
from pbm.store.statements import OFTEN, often
from pbm.store.tables import (
    absences,
    addresses,
    bans,
    follows,
    game_choices,
    inbox,
    intents,
    matches,
    meta,
    outbox,
    outbox_texts,
    owed_boards,
    player_follows,
    players,
)
from pbm.store.tickets import Guesses, Invitations, Seeks, Tickets
from pbm.store.tournaments import Tournaments

HOUSE = "house"
"""The name locked by every transaction that changes more than it has locked by other names."""

_numbers = sa.func.unnest(sa.bindparam("numbers", type_=ARRAY(sa.BigInteger))).table_valued("number").render_derived()
LOCK = often(sa.select(sa.cast(sa.func.pg_advisory_xact_lock(_numbers.c.number), sa.Text).label("locked")))
"""For PostgreSQL only."""

_BOARDS_OF_A_BITE = 32
_MOST_UNWRITTEN = 500
"""Statements that write, in one rehearsal; the limit ends even a loop that waits for its own writes."""
_QUEUES = frozenset({inbox, outbox, outbox_texts, owed_boards})
_HOUSE, _OF_THE_HOUSE = frozenset({absences, bans, meta}), 10**12
_FORESEEN = frozenset({matches, absences, intents, follows, player_follows, game_choices, players, addresses})

_AGE = often(sa.select(meta.c.value).where(meta.c.key == "age"))
_GROWN = sa.cast(meta.c.value, sa.BigInteger) + sa.bindparam("grown", type_=sa.BigInteger)
_GROW_OLDER = often(sa.update(meta).where(meta.c.key == "age").values(value=sa.cast(_GROWN, sa.Text)))

Q = TypeVar("Q")
T = TypeVar("T")

Memory = dict[str, tuple[Any, Any]]
"""By name, a mark and what was found; it holds as long as the mark is the same."""


def _queries(kind: Callable[[sa.Connection], Q]) -> cached_property[Q]:
    """Queries that are created when first used: a mail needs few of them."""
    return cached_property(lambda tx: kind(tx._connection))  # noqa: SLF001  of the class it is made for


@dataclass(slots=True)
class Rehearsal:
    """What a rehearsed block has opened and would have written."""

    opened: list[Any] = field(default_factory=list)
    """The boards it has opened."""
    plies: list[Plied] = field(default_factory=list)
    more: bool = False
    """Whether it would have written anything else or, on PostgreSQL, has read what was not foreseen."""
    _left: int = _MOST_UNWRITTEN

    def stand_in(self) -> int | None:
        """The id of a row that only seems to be written; None after too many."""
        self.more, self._left = True, self._left - 1
        return -1 - self._left if self._left >= 0 else None


class Savepoints:
    """The savepoints of a transaction, each within the one before; see `Transaction.savepoint`."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._wanted = self._set = 0
        """How many are wanted, and how many of these are set."""

    def set(self) -> None:
        for number in range(self._set, self._wanted):
            self._say(f"SAVEPOINT savepoint_{number}")
        self._set = self._wanted

    def __enter__(self) -> None:
        self._wanted += 1

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._wanted -= 1
        is_set = self._set > self._wanted
        if error is None and not is_set:
            return
        with translated():
            if is_set:
                self._set = self._wanted
                ending = "RELEASE" if error is None else "ROLLBACK TO"
                self._say(f"{ending} SAVEPOINT savepoint_{self._wanted}")
            if error is not None:
                raise error


class Transaction:
    """All queries, by subject. Valid until the block that gave it ends."""

    players = _queries(Players)
    matches = _queries(Lists)
    absences = _queries(Absences)
    bans = _queries(Bans)
    agenda = _queries(Agenda)
    archive = _queries(Archive)
    choices = _queries(Choices)
    belongings = _queries(Belongings)
    erasure = _queries(Erasure)
    blocks = _queries(Blocks)
    bounces = _queries(Bounces)
    broadcasts = _queries(Broadcasts)
    seeks = _queries(Seeks)
    invitations = _queries(Invitations)
    ratings = _queries(Ratings)
    paces = _queries(Paces)
    puzzles = _queries(Puzzles)
    remarks = _queries(Remarks)
    intents = _queries(Intents)
    follows = _queries(Follows)
    inbox = _queries(Inbox)
    outbox = _queries(Outbox)
    tickets = _queries(Tickets)
    contents = _queries(Contents)
    tournaments = _queries(Tournaments)
    guesses = _queries(Guesses)
    leaps = _queries(Leaps)
    overview = _queries(Overview)
    identity = _queries(Identity)
    secrets = _queries(Secrets)
    peers = _queries(Peers)
    acts = _queries(Acts)

    def __init__(self, connection: Guarded, now: datetime, memory: Memory) -> None:
        self._memory = memory
        self._connection = connection
        self._savepoints = Savepoints(connection.say)
        connection.execution_options(pbm_before_change=self._before_change, pbm_before_reading=self._savepoints.set)
        self.now = now
        """The instant at which everything in it happens."""
        self.let_pass: Callable[[], None] = lambda: None
        """Called between the bites of a long read; as long as nothing is written, others may go first."""
        self.opened: list[Any] | None = None
        """The boards that a rehearsal has opened; None outside of one."""
        self._grown_older = self._changes_house = False
        self.disturbed = False
        """Whether it has changed more than queues and the boards on which plies were played; see `age`."""

    def close(self) -> None:
        """End a transaction that only reads before its block ends."""
        self._connection.close()

    def foresee(self, boards: Collection[int], known: Callable[[int], Match | None]) -> None:
        """Read at once what moves on the boards will need one by one. known: gives a board as it once was.

        A write to any of these tables makes all of it be read anew; but a ply changes only its own board.
        """
        if not boards:
            return
        people = self.matches.foresee(boards, known)
        self.intents.foresee(boards)
        self.follows.foresee(boards)
        self.players.foresee(people)

    def _before_change(self, statement: sa.UpdateBase) -> None:
        self._savepoints.set()
        if statement.table in _QUEUES:
            return
        self._grown_older = True
        self._changes_house = self._changes_house or statement.table in _HOUSE
        if statement is ADD_PLY or statement is COUNT_PLY:
            return
        self.disturbed = True
        if statement.table in _FORESEEN:
            self._ask_anew()

    @cached_property
    def age(self) -> int:
        """How many transactions have changed anything but the queues.

        One that changes something of the house adds _OF_THE_HOUSE. On PostgreSQL only these count, because otherwise
        all writers would wait for each other.

        While it stays the same, a query finds what it found in an earlier transaction; on PostgreSQL only a query about
        the house does; see `seen`.
        """
        return int(self._connection.execute(_AGE).scalar_one_or_none() or 0)

    def seen(self, board: int | None, sender: str) -> object:
        """On PostgreSQL, all that was foreseen of a board and a sender; without a board, an object equal to no other.

        A move on that board alone has the same effects in all transactions where this and the age are the same. On
        SQLite the age alone tells that, and this is None.
        """
        if self._connection.dialect.name == "sqlite":
            return None
        if board is None:
            return object()
        row = self.matches.seen(board)
        people = self.players.seen((row.seat1_id, row.seat2_id) if row is not None else (), sender)
        return row, self.intents.seen(board), self.follows.seen(board), people

    def lasting(self, name: str, find: Callable[[], T]) -> T:
        """What `find` returns, or returned before if the house is unchanged since; it must depend on nothing else."""
        if self._changes_house:
            return find()
        mark = self.age // _OF_THE_HOUSE
        known = self._memory.get(name)
        if known is None or known[0] != mark:
            known = self._memory[name] = (mark, find())
        found: T = known[1]
        return found

    @property
    def bans_nobody(self) -> bool:
        """Whether there are no bans at all; remembered while the house does not change."""
        return self.lasting("no bans", self.bans.are_none)

    def banned(self, subjects: Collection[str]) -> dict[str, Ban]:
        """The bans on any of the subjects that hold now."""
        return {} if self.bans_nobody else {ban.subject: ban for ban in self.bans.of(subjects, self.now)}

    def grow_older(self) -> None:
        """Add this transaction to the age if it has changed anything that counts; it must not change anything after."""
        is_alone = self._connection.dialect.name == "sqlite"
        if not (self._grown_older if is_alone else self._changes_house):
            return
        grown = is_alone + _OF_THE_HOUSE * self._changes_house
        self.lock(["age"])
        if not self._connection.execute(_GROW_OLDER, {"grown": grown}).rowcount:
            self._connection.execute(sa.insert(meta).values(key="age", value=str(grown)))
        self.age += grown

    def in_bites(self, boards: Sequence[int]) -> Iterator[Sequence[int]]:
        """The boards, one bite at a time; after each bite, others may go first."""
        for some in batched(boards, _BOARDS_OF_A_BITE):
            yield some
            self.let_pass()

    def _ask_anew(self) -> None:
        for queries in (self.matches, self.intents, self.follows, self.players):
            queries.forget()

    def savepoint(self) -> Savepoints:
        """An exception that leaves the block undoes what the block wrote, and nothing else. Raises: DatabaseTrouble.

        It is set before the first statement that writes; on PostgreSQL before any, because a failed read must be undone
        there, too. On SQLite a statement given as text is not seen to write, so none may be used within one.
        """
        return self._savepoints

    def rehearse(self, deed: Callable[[], T]) -> tuple[T | None, Rehearsal]:
        """Run the deed without writing: its statements only seem to write, and too many of them end it.

        Returns what the deed returns, or None if it raises anything: that is raised again when it is done in earnest.
        """
        done, rehearsal = None, Rehearsal()
        self.opened = rehearsal.opened
        self._connection.execution_options(pbm_unwritten=rehearsal)
        try:
            with suppress(Exception), self._savepoints:
                done = deed()
        finally:
            self._connection.execution_options(pbm_unwritten=None)
            self.opened = None
        return done, rehearsal

    def lock(self, names: Iterable[str]) -> None:
        """Wait until nobody else has locked any of the names; then they are ours until the transaction ends.

        The names of one call are locked in a fixed order, so that two calls cannot deadlock. On SQLite a writer has
        locked everything anyway.
        """
        if self._connection.dialect.name == "sqlite" or self.opened is not None:
            return
        numbers = sorted({_number(name) for name in names})
        if numbers:
            self._connection.execute(LOCK, {"numbers": numbers})
            self._ask_anew()  # another transaction may have changed what was read before

    @property
    def grew(self) -> str:
        """The queue it has added to, as a word for bells; empty for none."""
        return OWED if self.outbox.grew else TAKEN_IN if self.inbox.grew else ""

    def tell_others(self) -> None:
        """On PostgreSQL, ring the bells of other processes at the commit, if it has added to a queue."""
        if self._connection.dialect.name != "sqlite" and self.grew:
            self._connection.say(f"NOTIFY {CHANNEL}, '{self.grew}'")

    def skip_boards(self, least: int) -> None:
        """Skip as many board numbers as were given so far, but at least `least`."""
        if self._connection.dialect.name == "sqlite":
            skipped = "UPDATE sqlite_sequence SET seq = seq + max(:least, seq) WHERE name = 'matches'"
        else:
            skipped = (
                "SELECT setval('matches_board_seq', last_value + greatest(:least, last_value)) FROM matches_board_seq"
            )
        self._connection.execute(sa.text(skipped), {"least": least})


def _number(name: str) -> int:
    """The signed 64-bit number that stands for a name, because PostgreSQL's advisory locks have numbers."""
    return int.from_bytes(hashlib.blake2b(f"pbm {name}".encode(), digest_size=8).digest(), signed=True)


_WRITTEN = sa.select(sa.literal(1))
"""Replaces a statement in a rehearsal: it seems to change one row on PostgreSQL; SQLite does not count, and says -1."""


class Told:
    """A statement as the driver gets it, for values of certain names."""

    def __init__(self, statement: sa.Executable, names: Sequence[str], dialect: Dialect) -> None:
        compiled = statement.compile(dialect=dialect, column_keys=names)  # type: ignore[attr-defined]
        assert isinstance(compiled, SQLCompiler)  # noqa: S101
        assert not compiled.post_compile_params, "its text differs with its values"  # noqa: S101
        self.words = compiled.string
        binds = [compiled.binds[name] for name in compiled.positiontup or ()]
        ways = [bind.type.dialect_impl(dialect).bind_processor(dialect) for bind in binds]
        self._ways = [(place, way) for place, way in enumerate(ways) if way is not None]
        self._fixed = {bind.key: bind.effective_value for bind in binds if bind.key not in names}
        self._keys = [bind.key for bind in binds]
        writes = isinstance(statement, sa.UpdateBase)
        columns = statement.returning_column_descriptions if writes else statement.column_descriptions  # type: ignore[attr-defined]
        readers = [column["type"].dialect_impl(dialect).result_processor(dialect, None) for column in columns]
        self.columns = SimpleResultMetaData([column["name"] for column in columns], _processors=readers)
        self.returns = bool(columns)

    def values(self, given: Mapping[str, Any]) -> Sequence[Any]:
        """The values in the order of the text."""
        values = {**self._fixed, **given} if self._fixed else given
        found = [*map(values.__getitem__, self._keys)]
        for place, way in self._ways:
            found[place] = way(found[place])
        return found


class Guarded(sa.Connection):
    """A connection that begins as its options say and looks at each statement; events would make each a fifth slower.

    Statements marked `often` bypass SQLAlchemy, which would take many times as long.
    """

    _told: ClassVar[dict[tuple[sa.Executable, tuple[str, ...]], Told]] = {}
    """By statement, and the names of its values."""

    def __enter__(self) -> Guarded:
        return self

    def close(self) -> None:
        """Close it, and drop the hooks, so that they do not keep their transaction alive."""
        super().close()
        self._execution_options = self.engine.get_execution_options()

    def begin(self) -> sa.RootTransaction:
        begun, options = super().begin(), self.get_execution_options()
        self._begin_as(writes=options.get("pbm_writes", False), is_durable=options.get("pbm_durable", True))
        return begun

    def _begin_as(self, *, writes: bool, is_durable: bool) -> None:
        wanted = "FULL" if is_durable else "NORMAL"
        if writes and self.info.get("synchronous", "FULL") != wanted:
            self.say(f"PRAGMA synchronous={wanted}")
            self.info["synchronous"] = wanted
        self.say("BEGIN IMMEDIATE" if writes else "BEGIN")

    def execute(self, statement: sa.Executable, parameters: Any = None, *, execution_options: Any = None) -> Any:
        """In a rehearsal, replace a statement that writes by one that reads; new ids are below 0. Raises: Writes."""
        if isinstance(statement, sa.UpdateBase):
            options = self.get_execution_options()
            rehearsal = options.get("pbm_unwritten")
            if rehearsal is None and options.get("pbm_writes", False):
                options["pbm_before_change"](statement)
            else:
                number = rehearsal.stand_in() if rehearsal is not None else None
                if number is None:
                    raise Writes(f"a transaction that only reads does not write to {statement.table}")
                returns = statement.returning_column_descriptions
                return super().execute(sa.select(sa.literal(number)) if returns else _WRITTEN)
        if statement not in OFTEN or self._is_heard:
            return super().execute(statement, parameters, execution_options=execution_options)
        given = parameters or {}
        names = (*(given[0] if isinstance(given, list) else given),)
        told = self._told.get((statement, names))
        if told is None:
            told = self._told[statement, names] = self._learn(statement, names)
        return self._execute_directly(told, given)

    def _learn(self, statement: sa.Executable, names: Sequence[str]) -> Told:
        return Told(statement, names, self.dialect)

    def _execute_directly(self, told: Told, given: Any) -> Any:
        """given: values by name, or a list of these, to be executed one after the other."""
        many = isinstance(given, list)
        if not told.returns:
            return self._tell(told.words, [*map(told.values, given)] if many else told.values(given), many=many)
        asked = [self._tell(told.words, told.values(each), returns=True) for each in (given if many else [given])]
        return IteratorResult(told.columns, chain.from_iterable(asked))

    def say(self, words: str) -> None:
        """Execute text that returns nothing."""
        if self._is_heard:
            self.exec_driver_sql(words)
        else:
            self._tell(words, ())

    @property
    def _is_heard(self) -> bool:
        """Whether anything listens to events, so that SQLAlchemy must execute each statement."""
        return self._has_events or self.engine._has_events  # noqa: SLF001

    def _tell(self, words: str, values: Sequence[Any], *, many: bool = False, returns: bool = False) -> Any:
        """The driver's cursor after execution; or all its rows, because the disk may fail at any of them."""
        cursor = self.connection.cursor()
        try:
            (cursor.executemany if many else cursor.execute)(words, values)
            if returns:
                return cursor.fetchall()
        except self.dialect.loaded_dbapi.Error as error:
            self._fail(error, words)
        return cursor

    def _fail(self, error: Exception, words: str) -> NoReturn:
        """Raise the error as SQLAlchemy does, which also checks whether the connection is lost."""
        self._handle_dbapi_exception(error, words, None, None, None)
