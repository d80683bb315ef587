"""One transaction: how it begins, what may write in it, how statements reach the driver, and all queries.

Most of what SQLAlchemy does with a statement has the same outcome each time. For statements marked `often` it is done
once; after that the driver gets the text and values that SQLAlchemy would give it. Errors are SQLAlchemy's. If anything
listens to the engine's events, SQLAlchemy executes every statement itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, NoReturn, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect, IteratorResult
from sqlalchemy.engine.result import SimpleResultMetaData
from sqlalchemy.sql.compiler import SQLCompiler

from pbm.store.annex import Broadcasts, Follows, Intents, Remarks
from pbm.store.archive import Archive
from pbm.store.backup import Contents
from pbm.store.belongings import Belongings
from pbm.store.erasure import Erasure
from pbm.store.house import Absences, Agenda, Identity, Peers, Secrets
from pbm.store.leaps import Leaps
from pbm.store.lists import Lists
from pbm.store.neighbours import CHANNEL, OWED, TAKEN_IN, Writes, translated
from pbm.store.overview import Overview
from pbm.store.players import Bans, Blocks, Players
from pbm.store.puzzles import Puzzles
from pbm.store.queues import Inbox, Outbox
from pbm.store.ratings import Paces, Ratings
from pbm.store.refusals import Acts, Bounces, Choices
from pbm.store.statements import OFTEN, often
from pbm.store.tickets import Guesses, Invitations, Seeks, Tickets
from pbm.store.tournaments import Tournaments

HOUSE = "house"
"""The name locked by every transaction that changes more than it has locked by other names."""

_numbers = sa.func.unnest(sa.bindparam("numbers", type_=ARRAY(sa.BigInteger))).table_valued("number").render_derived()
LOCK = often(sa.select(sa.cast(sa.func.pg_advisory_xact_lock(_numbers.c.number), sa.Text).label("locked")))
"""For PostgreSQL only."""

Q = TypeVar("Q")
T = TypeVar("T")


def _queries(kind: Callable[[sa.Connection], Q]) -> cached_property[Q]:
    """Queries that are created when first used: a mail needs few of them."""
    return cached_property(lambda tx: kind(tx._connection))  # noqa: SLF001  of the class it is made for


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

    def __init__(self, connection: Guarded, now: datetime) -> None:
        self._connection = connection
        self.now = now
        """The instant at which everything in it happens."""

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """An exception that leaves the block undoes what the block wrote, and nothing else. Raises: DatabaseTrouble."""
        with translated(), self._connection.begin_nested():
            yield

    @contextmanager
    def unharmed(self) -> Iterator[None]:
        """For reading: the transaction can be used on after an exception. Raises: DatabaseTrouble."""
        if self._connection.dialect.name == "sqlite":
            with translated():
                yield
            return
        # PostgreSQL answers nothing more after a statement that failed, unless it is undone.
        with self.savepoint():
            yield

    def lock(self, names: Iterable[str]) -> None:
        """Wait until nobody else has locked any of the names; then they are ours until the transaction ends.

        The names of one call are locked in a fixed order, so that two calls cannot deadlock. On SQLite a writer has
        locked everything anyway.
        """
        if self._connection.dialect.name == "sqlite":
            return
        numbers = sorted({_number(name) for name in names})
        if numbers:
            self._connection.execute(LOCK, {"numbers": numbers})

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
        """Raises: Writes."""
        if isinstance(statement, sa.UpdateBase) and not self.get_execution_options().get("pbm_writes", False):
            raise Writes(f"a transaction that only reads does not write to {statement.table}")
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
