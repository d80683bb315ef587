"""A file of SQLite gives back to the disk what it no longer uses, and an older one does once it was rewritten."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update

from pbm.store import Store
from pbm.store.overview import Footprint
from pbm.store.queues import NewMail
from pbm.store.tables import inbox
from tests.databases import Databases

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
MAILS = 12


def room(store: Store) -> Footprint:
    with store.read() as tx:
        return tx.overview.room()


def fill_and_empty(store: Store) -> None:
    """Store mails of 1 MB and smaller ones after each, and empty the large ones."""
    with store.write() as tx:
        for number in range(MAILS):
            for octets in (2**20, 2000):
                raw = str(number).encode() * (octets // len(str(number)))
                tx.inbox.add([NewMail("a@example.net", ("pbm@example.org",), raw)], NOW)
    with store.write() as tx:
        tx._connection.execute(update(inbox).where(inbox.c.id % 2 == 1).values(raw=b""))


def kept(store: Store) -> list[tuple[int, bytes]]:
    with store.read() as tx:
        return [(mail.id, mail.raw) for mail in tx.inbox.latest(None, 100)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "pbm.db"


def test_a_file_shrinks_in_short_steps_and_keeps_what_it_holds(file: Path) -> None:
    store = Store(f"sqlite:///{file}")
    store.prepare(NOW)
    fill_and_empty(store)
    before, mails = room(store), kept(store)
    assert before.shrinks
    assert before.unused_share > 0.9
    steps = 0
    while store.shrink():
        steps += 1
        assert room(store).octets >= before.octets - steps * 2**20, "a step is short"
    after = room(store)
    assert steps >= MAILS - 2
    assert after.octets < before.octets / 4
    assert not after.is_wasted
    assert not store.shrink()
    assert kept(store) == mails
    assert file.stat().st_size == after.octets
    assert store.check() == []
    store.close()


def test_an_older_file_is_rewritten_once_and_shrinks_from_then_on(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA auto_vacuum=NONE")
        connection.execute("CREATE TABLE meta_ (x)")  # decides it
        connection.execute("DROP TABLE meta_")
    store = Store(f"sqlite:///{file}")
    store.prepare(NOW)
    fill_and_empty(store)
    before, mails = room(store), kept(store)
    assert not before.shrinks
    assert not store.shrink()
    assert room(store) == before
    store.rewrite()
    assert room(store).shrinks
    assert room(store).octets < before.octets / 4
    fill_and_empty(store)
    assert store.shrink()
    assert kept(store)[-len(mails) :] == mails
    assert store.check() == []
    store.close()


def test_of_a_database_on_a_server_the_size_is_known(databases: Databases) -> None:
    url = databases.ready()
    store = Store(url)
    assert room(store).octets > 2**15
    assert not store.shrink()
    store.close()
    databases.release(url)
