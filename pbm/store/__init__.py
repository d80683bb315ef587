"""The database. Sessions, rows and SQL never leave this package; callers get the values of pbm.domain."""

from pbm.store.engine import Store
from pbm.store.matches import Plied
from pbm.store.neighbours import Conflict, DatabaseTrouble, SchemaTrouble
from pbm.store.transaction import HOUSE, Rehearsal, Transaction

__all__ = ["HOUSE", "Conflict", "DatabaseTrouble", "Plied", "Rehearsal", "SchemaTrouble", "Store", "Transaction"]
