"""The handling of mails, of what falls due, and of operators' acts: the floor that opens transactions which write."""

from pbm.server.service import Arriving, Service, Settings

__all__ = ["Arriving", "Service", "Settings"]
