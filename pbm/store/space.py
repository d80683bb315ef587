"""The room that a database takes, and how the file of an SQLite one gives back what it no longer uses.

A file does that only if it was made so (auto_vacuum=INCREMENTAL), or rewritten once.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import text

from pbm.store.statements import Queries

_INCREMENTAL = 2
_SPARE = 2**20
"""Unused octets that always stay, for what comes next."""
_SPARE_SHARE = 10
"""Unused octets stay as well up to one in so many."""
PAGES_AT_ONCE = 250  # 1 MB, which takes some 10 ms
"""Pages given back in one step."""
_SIZE = text("SELECT pg_database_size(current_database())")


class Footprint(NamedTuple):
    """The room that a database takes."""

    octets: int
    unused: int | None = None
    """Octets of them that hold nothing; None if that is not known, as on PostgreSQL."""
    shrinks: bool = True
    """Whether it gives back by itself what it no longer uses."""

    @property
    def unused_share(self) -> float:
        """From 0 to 1; 0 if it is not known."""
        return (self.unused or 0) / max(1, self.octets)

    @property
    def is_wasted(self) -> bool:
        """Whether so much is unused that some should be given back."""
        return (self.unused or 0) > max(_SPARE, self.octets // _SPARE_SHARE)


class Space(Queries):
    """The room that the database takes."""

    def room(self) -> Footprint:
        if self._connection.dialect.name != "sqlite":
            return Footprint(self._connection.execute(_SIZE).scalar_one())
        names = ("page_size", "page_count", "freelist_count", "auto_vacuum")
        size, pages, unused, mode = (self._connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names)
        return Footprint(size * pages, size * unused, mode == _INCREMENTAL)
