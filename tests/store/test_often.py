"""Statements that are asked often give the same results and errors as by way of SQLAlchemy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import UpdateBase, event, select
from sqlalchemy.exc import IntegrityError

from pbm.domain.clock import Clock, read_control
from pbm.domain.mail import Arrival, Mail, Settlement
from pbm.domain.match import Intent, IntentKind, Match, Ply
from pbm.domain.ratings import Rating
from pbm.store import Store, Transaction
from pbm.store.neighbours import DatabaseTrouble, Full
from pbm.store.ratings import Change
from pbm.store.statements import OFTEN
from pbm.store.tables import inbox, matches, outbox, outbox_texts, plies
from pbm.store.transaction import LOCK
from tests.databases import Databases

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
GIVEN = {
    "boards": [101, 102], "players": [1, 2], "mails": [1, 2], "ids": [1], "known": [2], "identities": ["x"],
    "keys": ["alice@x.org"], "people": ["alice@x.org"], "beyond": 2, "most": 9, "now": LATER, "before": LATER,
    "player": 1, "of_game": "cross", "ours": [3], "numbers": [-1, 2**63 - 1],
}  # fmt: skip
"""Values for the parameters of all these statements."""
WRITTEN = (matches, plies, inbox, outbox, outbox_texts)


@pytest.fixture
def new_store(databases: Databases) -> Iterator[Callable[..., Store]]:
    opened = list[Store]()

    def make(url: str | None = None) -> Store:
        opened.append(Store(url or databases.empty(), lambda: NOW))
        opened[-1].prepare(NOW)
        return opened[-1]

    yield make
    for each in opened:
        each.close()


@pytest.fixture
def store(new_store: Callable[..., Store]) -> Store:
    return new_store()


@pytest.fixture
def file(new_store: Callable[..., Store], tmp_path: Path) -> Store:
    """A store for what only SQLite can be made to do."""
    return new_store(f"sqlite:///{tmp_path}/pbm.db")


def played(tx: Transaction) -> Match:
    """Rows in each table: two boards, one of them with a clock and a ply, and mails in and out."""
    seats = tx.players.add("alice", "x", NOW), tx.players.add("bob", "x", NOW)
    for player in seats:
        tx.players.add_address(player.id, f"{player.userid}@x.org", NOW, confirmed=True)
    for control, sides in (("10d", seats[::-1]), ("", seats)):
        match = tx.matches.add("cross", 1, (), "", sides, 1, NOW, control=read_control(control))
    tx.matches.add_ply(match, Ply("A1", 1, NOW, time_left=7), 2, Clock(match.control, 2, (5, 6), NOW))
    tx.intents.keep(match.board, Intent(1, IntentKind.QUEUE, "B2"), NOW)
    tx.ratings.add_changes(match.board, {1: Change(Rating(), Rating())})
    tx.seeks.add(seats[0], "cross", (), "", 2, NOW)
    tx.follows.follow(2, match.board, ends_only=True)
    tx.blocks.block(2, 1)
    tx.absences.note("all is well", NOW)
    lane = f"board {match.board}"
    tx.inbox.add([("a@x.org", ["pbm@x.org"], b"\0\xff", None, "peer", each, "") for each in (lane, "", lane)], NOW)
    ids = tx.outbox.add([Mail(key, "alice@x.org", "b@x", "s", b"\0\xff", match.board, 1) for key in "ab"], NOW)
    assert ids == [1, 2]
    return match


def test_what_is_asked_directly_is_what_sqlalchemy_finds(store: Store) -> None:
    with store.write() as tx:
        played(tx)
    found, heard = list[list[object]](), list[object]()
    for is_heard in (False, True):
        with store.write() as tx:  # some of them lock rows
            if is_heard:
                event.listen(tx._connection, "before_cursor_execute", lambda *words: heard.append(words))
            found.append([])
            for statement in OFTEN if store.locks_rows else OFTEN - {LOCK}:
                if not isinstance(statement, UpdateBase):
                    names = statement.compile(tx._connection.engine).params.keys() & GIVEN.keys()  # type: ignore[attr-defined]
                    rows = tx._connection.execute(statement, {name: GIVEN[name] for name in names})
                    found[-1].append([(dict(row._mapping), [*map(type, row)]) for row in rows])
    assert found[0] == found[1]
    assert len(heard) == len(found[0]) > 10
    assert all(found[0])


def test_what_is_written_directly_is_what_sqlalchemy_writes(new_store: Callable[..., Store]) -> None:
    dumps = list[list[object]]()
    for is_heard in (False, True):
        store = new_store()
        with store.write() as tx:
            if is_heard:
                event.listen(tx._connection, "before_cursor_execute", lambda *_: None)
            match = played(tx)
            tx.matches.add_plies([({**ply, "ply": 2}, board) for ply, board in plied(tx, match)])
            tx.outbox.keep([1], LATER)
            tx.outbox.sent([2], NOW)
            tx.inbox.settle([Settlement(1, Arrival.HANDLED, "", "x", b"kept")], NOW)
        with store.read() as tx:
            dumps.append([tx._connection.execute(select(table)).all() for table in WRITTEN])
    assert dumps[0] == dumps[1]


def plied(tx: Transaction, match: Match) -> list[tuple[dict[str, object], dict[str, object]]]:
    return tx.rehearse(lambda: tx.matches.add_ply(match, Ply("B2", 2, NOW), 1, None))[1].plies


def test_an_address_with_a_nul_is_nobodys(store: Store) -> None:
    """SQLite cuts a word of a list at a NUL; PostgreSQL accepts none."""
    with store.write() as tx:
        played(tx)
        assert [player.userid for player in tx.players.of_address("alice@x.org")] == ["alice"]
        assert tx.players.of_address("alice@x.org\0.example") == []


def test_an_error_is_sqlalchemys_and_tells_no_value(store: Store) -> None:
    with store.write() as tx:
        match = played(tx)
        with pytest.raises(IntegrityError) as error, tx.savepoint():
            tx.matches.add_ply(match, Ply("secret", 1, NOW), 2, None)
        assert "secret" not in str(error.value)


def test_of_many_values_the_wrong_ones_undo_all(store: Store) -> None:
    with store.write() as tx:
        match = played(tx)
        ((ply, board),) = plied(tx, match)
        wrong, right = ([({**ply, "ply": each}, board) for each in numbers] for numbers in ((2, 1, 3), (2, 3)))
        with pytest.raises(IntegrityError), tx.savepoint():
            tx.matches.add_plies(wrong)

    def change_their_mind() -> None:
        with store.write() as tx:
            tx.matches.add_plies(right)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        change_their_mind()
    with store.write() as tx:  # nothing of the failure is left behind
        tx.matches.add_plies(right)
        found = tx.matches.load(match.board)
        assert found is not None
        assert [each.notation for each in found.record] == ["A1", "B2", "B2"]


def test_trouble_beyond_the_first_row_is_told_of(file: Store) -> None:
    """SQLite's driver reads each row only when it is asked for."""
    with file.write() as tx:
        match = played(tx)
        (first,) = plied(tx, match)
        tx.matches.add_plies([({**first[0], "ply": number}, first[1]) for number in range(2, 500)])

    def read(steps: int) -> None:
        with file.read() as tx:
            driver = tx._connection.connection.driver_connection
            driver.set_progress_handler(lambda: 1, steps)  # type: ignore[union-attr]
            try:
                tx.matches._records([match.board])
            finally:
                driver.set_progress_handler(None, 0)  # type: ignore[union-attr]

    for steps in (1, 1000):
        with pytest.raises(DatabaseTrouble):
            read(steps)


def test_a_full_disk_is_told_of(file: Store) -> None:
    mails = [Mail("key", "a@x.org", "bounce@x", "s", bytes(100_000))]

    def fill() -> None:
        with file.write() as tx:
            tx._connection.exec_driver_sql("PRAGMA max_page_count = 1")
            tx.outbox.add(mails, NOW)

    with pytest.raises(Full):
        fill()
