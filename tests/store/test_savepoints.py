"""Nested savepoints with random writes and exceptions: the database undoes what a list would undo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from itertools import count
from random import Random

from sqlalchemy import insert, select

from pbm.store import Store, Transaction
from pbm.store.tables import meta
from tests.databases import Databases

DEEPEST = 5


def act(chance: Random, tx: Transaction, written: list[str], names: Iterator[int], depth: int = 0) -> None:
    """Write, read, or act in a savepoint. written: the keys that remain in the end."""
    for _ in range(chance.randrange(5)):
        deed = chance.random()
        if deed < 0.4:
            written.append(f"written-{next(names)}")
            tx._connection.execute(insert(meta).values(key=written[-1], value=""))
        elif deed < 0.5:
            tx._connection.execute(select(meta)).all()
        elif depth < DEEPEST:
            before = len(written)
            try:
                with tx.savepoint():
                    act(chance, tx, written, names, depth + 1)
            except ZeroDivisionError:
                del written[before:]
        if depth and chance.random() < 0.2:
            raise ZeroDivisionError


def test_savepoints_undo_what_was_written_in_them_and_nothing_else(databases: Databases) -> None:
    url = databases.ready()
    store, names, written, chance = Store(url), count(), list[str](), Random(1)
    for _ in range(400):
        before = len(written)
        with suppress(ZeroDivisionError), store.write(durable=False) as tx:
            act(chance, tx, written, names)
            if chance.random() < 0.2:
                del written[before:]
                raise ZeroDivisionError
    with store.read() as tx:
        found = tx._connection.execute(select(meta.c.key).where(meta.c.key.startswith("written"))).scalars()
        assert sorted(found) == sorted(written)
    store.close()
    databases.release(url)
