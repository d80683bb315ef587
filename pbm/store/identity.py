"""Who the server is: its mail address, by which players know it. It belongs to the database, not to a process."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from pbm.store.tables import meta

_DOMAIN, _LOCAL_PART = "domain", "local_part"


class Identity:
    """The two halves of the address; a database that no server has used yet has none."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self) -> tuple[str, str] | None:
        """The part before the @ and the domain."""
        rows = self._connection.execute(select(meta.c.key, meta.c.value).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        found = {row.key: row.value for row in rows}
        return (found[_LOCAL_PART], found[_DOMAIN]) if len(found) == 2 else None

    def set(self, local_part: str, domain: str) -> None:
        """In place of the one before."""
        self._connection.execute(delete(meta).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        rows = [{"key": _LOCAL_PART, "value": local_part}, {"key": _DOMAIN, "value": domain}]
        self._connection.execute(insert(meta), rows)
