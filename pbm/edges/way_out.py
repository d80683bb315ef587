"""Whether the way out works at all, judged by what becomes of the mails that go there.

A refusal counts only once another mail was taken after it: a mail server that refuses everything has something against
us, not against each of our recipients. The way is down from the first mail that it cannot be reached for, or when it
has refused mails to several addresses, for good or for now, and taken none. The first mail it takes shows it up again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog

from pbm.domain.mail import Queued
from pbm.edges.transports import PermanentFailure, TemporaryFailure, Unreachable

log = structlog.get_logger()

_SUSPICIOUS = 3
"""Addresses refused in a row that are too many to be a chance."""
_ALONE = 6
"""How often one address is tried that alone is refused, while no other mail goes out that could tell."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What became of one try. failure: None when the transport took the mail."""

    queued: Queued
    failure: PermanentFailure | TemporaryFailure | None = None


class WayOut:
    """One process's view of it."""

    def __init__(self, told_down: Callable[[str], None]) -> None:
        """told_down: called with the reason when mails are refused one and all."""
        self._told_down = told_down
        self._doubted: dict[int, Attempt] = {}
        self._put_off: set[str] = set()
        self.is_down = False

    def note(self, attempt: Attempt) -> list[Attempt]:
        """What is to be made of an attempt, and of earlier ones that it decides."""
        failure = attempt.failure
        if failure is None:
            return self._taken(attempt)
        if isinstance(failure, PermanentFailure):
            return [self._refused(attempt, failure)]
        self._put_off.add(attempt.queued.mail.address)
        if isinstance(failure, Unreachable) or len(self._put_off) >= _SUSPICIOUS:
            self._down(failure.reason)
        return [attempt]

    def _taken(self, attempt: Attempt) -> list[Attempt]:
        refusals, self._doubted = list(self._doubted.values()), {}
        self._put_off.clear()
        if not self.is_down:
            return [*refusals, attempt]
        log.warning("way_out_up")
        self.is_down = False
        return [attempt]  # what was refused meanwhile is tried again

    def _refused(self, attempt: Attempt, failure: PermanentFailure) -> Attempt:
        """Tried again later, unless the address is the only one and has been tried often."""
        self._doubted[attempt.queued.id] = attempt
        addresses = {each.queued.mail.address for each in self._doubted.values()}
        if len(addresses) == 1 and attempt.queued.attempts + 1 >= _ALONE:
            return self._doubted.pop(attempt.queued.id)
        if len(addresses) >= _SUSPICIOUS and not self.is_down:
            self._down(failure.reason)
            self._told_down(failure.reason)
        return replace(attempt, failure=TemporaryFailure(failure.reason, failure.code))

    def _down(self, reason: str) -> None:
        if not self.is_down:
            log.error("way_out_down", reason=reason)
        self.is_down = True
