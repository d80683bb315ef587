"""What a database can meet, told apart by who must act."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

_CONFLICTS = frozenset({"40001", "40P01"})
"""Of PostgreSQL: a serialization failure, a deadlock."""


class DatabaseTrouble(Exception):
    """The database did not do it: a full disk, a lock, a lost connection. Nothing was changed; a later try may work."""


class Conflict(DatabaseTrouble):
    """Another process was at the same thing. A try in a moment will do."""


class ReadOnly(DatabaseTrouble):
    """A file that can be read and not written, or its disk.

    SQLite remembers that for as long as the process has the file open anywhere: only a new one writes again.
    """


class Lost(DatabaseTrouble):
    """The file was deleted or replaced while it was open: what is written to it now is gone with it."""


class Writes(Exception):
    """A statement writes in a transaction that only reads."""


class SchemaTrouble(Exception):
    """The database is not one this program can use. The text says what to do."""


@contextmanager
def translated() -> Iterator[None]:
    """Trouble of the database as DatabaseTrouble; a statement that is wrong stays the bug it is."""
    try:
        yield
    except DatabaseError as error:
        if not isinstance(error, OperationalError) and type(error) is not DatabaseError:
            raise
        raise _kind(error)(str(error.orig)) from error
    except InterfaceError as error:
        raise DatabaseTrouble(str(error.orig)) from error
    except (DisconnectionError, PoolTimeout) as error:
        raise DatabaseTrouble(str(error)) from error


def _kind(error: DatabaseError) -> type[DatabaseTrouble]:
    if getattr(error.orig, "sqlstate", None) in _CONFLICTS:
        return Conflict
    return ReadOnly if getattr(error.orig, "sqlite_errorname", "").startswith("SQLITE_READONLY") else DatabaseTrouble
