"""The handling of mails, of what falls due, and of operators' acts: the floor that opens transactions which write.

Its names are imported when first used: a command that only shows something needs a few queries, not the whole server.
"""

from typing import TYPE_CHECKING

from pbm.lazily import lazily

if TYPE_CHECKING:
    from pbm.server.admission import Arriving
    from pbm.server.service import Service, Settings
else:
    __getattr__ = lazily(__name__, service="Arriving Service Settings")

__all__ = ["Arriving", "Service", "Settings"]
