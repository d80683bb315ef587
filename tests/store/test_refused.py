"""What the database refuses, and what it says then."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy.exc import IntegrityError

from pbm.domain.clock import Clock, read_control
from pbm.domain.mail import Mail
from pbm.domain.match import Intent, IntentKind, Match, Ply
from pbm.domain.ratings import Rating
from pbm.store import Store, Transaction
from pbm.store.neighbours import Full
from pbm.store.queues import NewMail
from pbm.store.ratings import Change
from tests.databases import Databases

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=1)


@pytest.fixture
def new_store(databases: Databases) -> Iterator[Callable[..., Store]]:
    opened = list[Store]()

    def make(url: str | None = None) -> Store:
        opened.append(Store(url or databases.ready(), lambda: NOW))
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
    mail = NewMail("a@x.org", ["pbm@x.org"], b"\0\xff", peer="peer")
    tx.inbox.add([mail._replace(lane=each) for each in (lane, "", lane)], NOW)
    ids = tx.outbox.add([Mail(key, "alice@x.org", "b@x", "s", b"\0\xff", match.board, 1) for key in "ab"], NOW)
    assert ids == [1, 2]
    return match


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


def test_a_full_disk_is_told_of(file: Store) -> None:
    mails = [Mail("key", "a@x.org", "bounce@x", "s", bytes(100_000))]

    def fill() -> None:
        with file.write() as tx:
            tx._connection.exec_driver_sql("PRAGMA max_page_count = 1")
            tx.outbox.add(mails, NOW)

    with pytest.raises(Full):
        fill()
