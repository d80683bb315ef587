"""Who the server is: its mail address, by which players know it. It belongs to the database, not to a process."""

from __future__ import annotations

from sqlalchemy import Connection, delete, insert, select

from pbm.store.tables import meta

_DOMAIN, _LOCAL_PART, _FORMER = "domain", "local_part", "former_addresses"


class Identity:
    """The two halves of the address; a database that no server has used yet has none."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self) -> tuple[str, str] | None:
        """The part before the @ and the domain."""
        rows = self._connection.execute(select(meta.c.key, meta.c.value).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        found = {row.key: row.value for row in rows}
        return (found[_LOCAL_PART], found[_DOMAIN]) if len(found) == 2 else None

    def former(self) -> tuple[str, ...]:
        """Addresses it had before, the oldest first."""
        found = self._connection.execute(select(meta.c.value).where(meta.c.key == _FORMER)).scalar_one_or_none()
        return tuple((found or "").split())

    def set(self, local_part: str, domain: str) -> None:
        """In place of the one before, which is kept as a former one."""
        address, before, former = f"{local_part}@{domain}", self.get(), self.former()
        if before is not None:
            former = (*former, "@".join(before))
            self._connection.execute(delete(meta).where(meta.c.key == _FORMER))
            kept = " ".join(dict.fromkeys(each for each in former if each.lower() != address.lower()))
            self._connection.execute(insert(meta).values(key=_FORMER, value=kept))
        self._connection.execute(delete(meta).where(meta.c.key.in_((_DOMAIN, _LOCAL_PART))))
        rows = [{"key": _LOCAL_PART, "value": local_part}, {"key": _DOMAIN, "value": domain}]
        self._connection.execute(insert(meta), rows)
