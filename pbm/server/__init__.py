"""The handling of mails, of what falls due, and of operators' acts: the floor that opens transactions which write.

Its names are imported when first used: a command that only shows something needs a few queries, not the whole server.
"""

from typing import TYPE_CHECKING

from pbm.lazily import lazily

if TYPE_CHECKING:
    from pbm.server.admission import Arriving
    from pbm.server.club import Settings
    from pbm.server.service import Service
else:
    __getattr__ = lazily(__name__, admission="Arriving", club="Settings", service="Service")

__all__ = ["Arriving", "Service", "Settings"]
