"""The database. Sessions, rows and SQL never leave this package; callers get the values of pbm.domain.

Its names are imported when first used: `pulse` answers a health check without any of them.
"""

from typing import TYPE_CHECKING

from pbm.lazily import lazily

if TYPE_CHECKING:
    from pbm.store.engine import Store
    from pbm.store.neighbours import Conflict, DatabaseTrouble, SchemaTrouble, translated
    from pbm.store.transaction import HOUSE, Transaction
else:
    __getattr__ = lazily(
        __name__,
        engine="Store",
        neighbours="Conflict DatabaseTrouble SchemaTrouble translated",
        transaction="HOUSE Transaction",
    )

__all__ = ["HOUSE", "Conflict", "DatabaseTrouble", "SchemaTrouble", "Store", "Transaction", "translated"]
