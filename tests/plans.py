"""How the database carries out a server's statements: none may read or sort a whole table that grows.

SQLite tells this by EXPLAIN QUERY PLAN, whatever the tables hold. PostgreSQL reads small tables whole because that is
cheaper, so it is asked in a database where each table has thousands of rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Boolean, Column, Connection, LargeBinary, String, Text, event

from pbm.domain.calendars import micros
from pbm.server import Service
from pbm.server.agenda import Runner
from pbm.store import Store
from pbm.store.statements import Instant
from pbm.store.tables import metadata
from tests.conversation import START
from tests.databases import Databases, Server

SMALL = {"meta"}
TABLES = metadata.tables.keys() - SMALL | {"first_player", "second_player", "followed"}
"""Tables that grow, also by their aliases in statements."""
LONG = {"matches", "plies", "inbox", "outbox", "outbox_texts", "attempts", "tickets"}
LONG |= {"rating_changes", "ratings", "tournaments"}
"""Tables not to be sorted; of the others, the few rows of one player, board or event may be."""
FOR_ALL = (
    ("FROM players WHERE players.removed_at IS NULL ORDER BY players.userid_key", "a broadcast is for all players"),
    ("SELECT bans.subject FROM bans LIMIT", "the first row tells whether there is any"),
    ("FROM acts ORDER BY acts.id DESC LIMIT", "the last rows are read, by the key"),
    ("FROM bans ORDER BY bans.since", "an account is erased once, by a job, with the bans that name it"),
    ("lower(inbox.mail_from)", "an account is erased once, by a job, with all that it has written"),
    ("lower(acts.words)", "an account is erased once, by a job, with what was done about it"),
    ("lower(outbox.address)", "an account is erased once, by a job, with all that it was sent"),
)
"""The statements that do have to read a whole table, and why they do so too seldom to do harm."""
ROWS, FEW = 3000, 20
"""Rows of a large table; rows that may be sorted."""


class Plans:
    """Judges each statement once."""

    def __init__(self, databases: Databases) -> None:
        self._large = _large(databases) if isinstance(databases, Server) else None
        self.judged: set[str] = set()
        self.faults: list[str] = []

    def close(self) -> None:
        if self._large:
            self._large.close()

    @contextmanager
    def judging(self, store: Store) -> Iterator[None]:
        """Judge the statements that the database gets meanwhile."""
        asked: dict[str, Any] = {}

        def hear(_conn: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
            if statement.startswith(("SELECT", "UPDATE", "DELETE", "WITH")) and statement not in self.judged:
                asked.setdefault(statement, parameters[0] if many else parameters)

        event.listen(store._engine, "before_cursor_execute", hear)
        try:
            yield
        finally:
            event.remove(store._engine, "before_cursor_execute", hear)
        self.judged |= asked.keys()
        if asked:
            judge = _on_server if self._large else _in_file
            with (self._large or store)._engine.connect() as connection:
                for statement, parameters in asked.items():
                    self.faults += [
                        f"{fault} in {statement}"
                        for fault in judge(connection, statement, parameters)
                        if not any(words in " ".join(statement.split()) for words, _ in FOR_ALL)
                    ]


@contextmanager
def judged(plans: Plans) -> Iterator[None]:
    """Judge the statements of servers meanwhile, but not those of tests."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ((Service, "handle"), (Service, "beat"), (Service, "tidy"), (Runner, "run")):
            patch.setattr(kind, name, _judging(plans, getattr(kind, name)))
        yield


def _judging(plans: Plans, method: Any) -> Any:
    def wrapped(self: Any, *args: Any, **words: Any) -> Any:
        with plans.judging(self.store if isinstance(self, Service) else self._store):
            return method(self, *args, **words)

    return wrapped


def _in_file(connection: Connection, statement: str, parameters: Any) -> Iterator[str]:
    steps = [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
    tables = [found.group(2) for step in steps if (found := re.match(r"(SCAN|SEARCH) (\w+)", step))]
    yield from (step for step in steps if step.startswith("SCAN") and step.split()[1] in TABLES)
    if "USE TEMP B-TREE FOR ORDER BY" in steps and tables[0] in LONG and not _is_keyed(steps):
        yield f"sorting of {tables[0]}"


def _is_keyed(steps: list[str]) -> bool:
    """Whether only a few rows are sorted, which were asked for by their keys."""
    first = next(step for step in steps if step.startswith("SEARCH"))
    return "USING INTEGER PRIMARY KEY (rowid=?)" in first


def _large(databases: Server) -> Store:
    """A database without small tables."""
    store = Store(databases.empty())
    store.prepare(START)
    with store._engine.begin() as connection:
        for table in metadata.sorted_tables:
            if table.name not in SMALL:
                names = ", ".join(f'"{column.name}"' for column in table.c)
                values = ", ".join(_value(column) for column in table.c)
                rows = f"SELECT {values} FROM generate_series(1, {ROWS}) AS n"  # noqa: S608  our own names
                connection.exec_driver_sql(f"INSERT INTO {table.name} ({names}) {rows}")
        connection.exec_driver_sql("ANALYZE")
    return store


def _value(column: Column[Any]) -> str:
    """The value of a column in row n: few games, kinds and states, and most instants in the future."""
    name, type_ = column.name, column.type
    if isinstance(type_, Instant):
        return f"{micros(START)} + (n - 30) * 86400000000"
    if isinstance(type_, Boolean):
        return "mod(n, 2) = 0"
    if isinstance(type_, LargeBinary):
        return "'x'::bytea"
    if name == "settings" or name == "payload":
        return "'{}'"
    if isinstance(type_, Text | String):
        few = name in ("game", "kind", "state", "purpose", "ending") and not column.unique
        return "'x' || mod(n, 20)" if few and not column.primary_key else "'x' || n"
    return "CASE WHEN mod(n, 3) > 0 THEN n END" if column.nullable and not column.foreign_keys else "n"


def _on_server(connection: Connection, statement: str, parameters: Any) -> Iterator[str]:
    plan = connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()
    yield from _faults(plan[0]["Plan"])


def _faults(node: dict[str, Any]) -> Iterator[str]:
    kind, table, below = node["Node Type"], node.get("Relation Name"), node.get("Plans", [])
    if kind == "Seq Scan" and table in TABLES:
        yield f"scan of {table}"
    if kind == "Sort" and (first := _first(node).get("Relation Name")) in LONG and node["Plan Rows"] > FEW:
        yield f"sorting of {first}"
    for each in below:
        yield from _faults(each)


def _first(node: dict[str, Any]) -> dict[str, Any]:
    """The part of a plan that finds the rows to which all others are joined."""
    while "Relation Name" not in node and (below := node.get("Plans")):
        node = below[0]
    return node
