"""The handling of a mail. The only place that opens a state-changing transaction."""

from pbm.server.service import Arriving, Service, Settings

__all__ = ["Arriving", "Service", "Settings"]
