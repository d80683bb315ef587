"""The handling of mails, of what falls due, and of operators' acts: the floor that opens transactions which write.

Its names are imported when first used: a command that only shows something needs a few queries, not the whole server.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbm.server.admission import Arriving
    from pbm.server.service import Service, Settings
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module {__name__} has no attribute {name}")
        return getattr(import_module(f"{__name__}.service"), name)


__all__ = ["Arriving", "Service", "Settings"]
