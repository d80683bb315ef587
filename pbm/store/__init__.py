"""The database. Sessions, rows and SQL never leave this package; callers get the values of pbm.domain.

Its names are imported when first used: `pulse` answers a health check without any of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbm.store.engine import Store
    from pbm.store.neighbours import Conflict, DatabaseTrouble, SchemaTrouble, translated
    from pbm.store.transaction import HOUSE, Transaction
else:
    _HOMES = {
        "Store": "engine",
        "Conflict": "neighbours",
        "DatabaseTrouble": "neighbours",
        "SchemaTrouble": "neighbours",
        "translated": "neighbours",
        "HOUSE": "transaction",
        "Transaction": "transaction",
    }

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__} has no attribute {name}")
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


__all__ = ["HOUSE", "Conflict", "DatabaseTrouble", "SchemaTrouble", "Store", "Transaction", "translated"]
