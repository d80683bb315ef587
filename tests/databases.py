"""Databases for tests: SQLite files or, if PBM_TEST_DATABASE names a server, PostgreSQL databases there.

The URL belongs to a user who may create databases, such as postgresql://postgres@localhost/postgres. Databases
are left there: the server is thrown away (tests.postgresql.cluster), and to drop one takes longer than most tests.
"""

from __future__ import annotations

import itertools
import os
import shutil
import uuid
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import text, update
from sqlalchemy.engine import make_url

from pbm.store import Store
from pbm.store.house import DELIVERED
from pbm.store.pulse import HEARTBEAT
from pbm.store.tables import FIRST_BOARD, meta
from tests.contents import Contents
from tests.conversation import SECRET, START

VARIABLE = "PBM_TEST_DATABASE"


def secret_fixed(url: str) -> Store:
    """A new database with a known secret, so that its tokens are the same in every run."""
    store = Store(url)
    store.prepare(START)
    with store.write() as tx:
        tx._connection.execute(update(meta).where(meta.c.key == "secret").values(value=SECRET))
    return store


class Files:
    """SQLite: each ready database is a copy of an empty one, in the place of a released one if there is any."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count(1)
        self._free: list[str] = []
        self.template = folder / "empty.db"
        secret_fixed(f"sqlite:///{self.template}").close()

    def empty(self) -> str:
        return f"sqlite:///{self._folder / f'{next(self._numbers)}.db'}"

    def ready(self) -> str:
        url = self._free.pop() if self._free else self.empty()
        shutil.copyfile(self.template, url.removeprefix("sqlite:///"))
        return url

    def release(self, url: str) -> None:
        """url: of a ready database that nobody has open."""
        for rest in ("", "-wal", "-shm"):
            Path(url.removeprefix("sqlite:///") + rest).unlink(missing_ok=True)
        self._free.append(url)

    def close(self) -> None:
        return


class Server:
    """PostgreSQL: a ready database has its rows deleted and is used again, because creating one takes far longer."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._admin = psycopg.connect(url.replace("+psycopg", ""), autocommit=True)
        self._name = f"pbm_test_{uuid.uuid4().hex[:12]}"
        self._numbers = itertools.count(1)
        self._ready: list[str] = []
        self._cleaners: dict[str, Store] = {}
        self._template = ""
        """The name of a ready database of which others are copies; empty until one is wanted."""
        self._begun: list[list[Any]] = []
        """The rows of `meta` in a ready database, its secret among them."""

    def empty(self) -> str:
        """A new database, which, like most, does not sort words by bytes; before version 15 it sorts as its server."""
        english = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'" if self._admin.info.server_version >= 150_000 else ""
        return self._made_from(f"template0 ENCODING UTF8 {english}")

    def _made_from(self, template: str) -> str:
        name = f"{self._name}_{next(self._numbers)}"
        self._admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self._url.set(database=name).render_as_string(hide_password=False)

    def ready(self) -> str:
        if self._ready:
            return self._ready.pop()
        if not self._template:
            url = self.empty()
            store = secret_fixed(url)
            self._template = str(make_url(url).database)
            with store.read() as tx:
                self._begun = [
                    [row for row in rows if row[0] not in (HEARTBEAT, DELIVERED)] for rows in tx.contents.rows(meta)
                ]
            store.close()
        return self._made_from(self._template)

    def release(self, url: str) -> None:
        """url: of a ready database with an unchanged schema."""
        if url not in self._cleaners:
            self._cleaners[url] = Store(url)
        with self._cleaners[url].write() as tx:
            tx.contents.clear()
            for rows in self._begun:
                tx.contents.add(meta, rows)
            for name, counter, _, _ in list(tx.contents.counters()):
                first = FIRST_BOARD if name == "matches" else 1
                tx._connection.execute(text(f"ALTER SEQUENCE {counter} RESTART WITH {first}"))
        self._ready.append(url)

    def close(self) -> None:
        for store in self._cleaners.values():
            store.close()
        self._admin.close()


Databases = Files | Server


class Reused:
    """Databases for one test after the other; those of SQLite stay open, with all that was prepared."""

    def __init__(self, databases: Databases) -> None:
        self._databases = databases
        self._free: list[str] = []
        self._contents: dict[str, Contents] = {}
        self._stores: dict[str, Store] = {}
        """The first store at each URL: later ones there use its engine, which keeps the SQL it has compiled."""

    def ready(self) -> tuple[str, Contents | None]:
        """The URL of a ready database, and its contents if it is a file."""
        if self._free:
            url = self._free.pop()
        else:
            url = self._databases.ready()
            if isinstance(self._databases, Files):
                self._contents[url] = Contents(Path(url.removeprefix("sqlite:///")))
        return url, self._contents.get(url)

    def store(self, url: str) -> Store:
        store = Store(url)
        first = self._stores.setdefault(url, store)
        store._engine, store._file = first._engine, first._file
        return store

    def release(self, url: str) -> None:
        """url: of a ready database in which nobody does anything any more."""
        contents = self._contents.get(url)
        if contents is not None and contents.is_emptied():
            self._free.append(url)
            return
        self._let_go(url)
        self._databases.release(url)

    def _let_go(self, url: str) -> None:
        if url in self._stores:
            self._stores[url].close()
        if url in self._contents:
            self._contents.pop(url).close()

    def close(self) -> None:
        for url in self._free:
            self._let_go(url)


def databases(folder: Path) -> Databases:
    """folder: where databases that are files are made."""
    url = os.environ.get(VARIABLE)
    return Server(url) if url else Files(folder)
