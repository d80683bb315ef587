"""What a database can meet, told apart by who must act."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DatabaseError, DisconnectionError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout


class DatabaseTrouble(Exception):
    """The database did not do it: a full disk, a lock, a lost connection. Nothing was changed; a later try may work."""


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
        raise DatabaseTrouble(str(error.orig)) from error
    except InterfaceError as error:
        raise DatabaseTrouble(str(error.orig)) from error
    except (DisconnectionError, PoolTimeout) as error:
        raise DatabaseTrouble(str(error)) from error
