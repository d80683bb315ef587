"""The database. Sessions, rows and SQL never leave this package; callers get the values of pbm.domain."""

from pbm.store.engine import Store
from pbm.store.transaction import HOUSE, Transaction
from pbm.store.trouble import Conflict, DatabaseTrouble, SchemaTrouble

__all__ = ["HOUSE", "Conflict", "DatabaseTrouble", "SchemaTrouble", "Store", "Transaction"]
