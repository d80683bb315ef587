"""The database. Sessions, rows and SQL never leave this package; callers get the values of pbm.domain."""

from pbm.store.engine import Store
from pbm.store.transaction import Transaction
from pbm.store.trouble import DatabaseTrouble, SchemaTrouble

__all__ = ["DatabaseTrouble", "SchemaTrouble", "Store", "Transaction"]
