"""What the server does. The only place that opens a state-changing transaction."""

from pbm.service.service import Arriving, Service, Settings

__all__ = ["Arriving", "Service", "Settings"]
