"""Text with NUL in it, which SQLite keeps and PostgreSQL refuses: it is written as the replacement character."""

from __future__ import annotations

from typing import Any

from psycopg.types.string import StrDumperUnknown


class _NulFree(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", "\N{REPLACEMENT CHARACTER}"))


def without_nuls(connection: Any) -> None:
    """connection: of psycopg."""
    connection.adapters.register_dumper(str, _NulFree)
