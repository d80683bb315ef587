"""How the server is doing, and the mails that came in and go out, as an operator sees them and has them tried again.

All is read from the database, so that every process tells the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from pbm.core.robots import robots
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.mail import Arrival, Delivery, Queued, Received
from pbm.mailin import Action
from pbm.server.service import SILENCE, Service
from pbm.store import Store
from pbm.store.house import DELIVERED, HEARTBEAT
from pbm.store.overview import Deadline, Flow, Waiting
from pbm.store.tickets import Attempts

SHOWN = 10
"""Of suspended addresses, deadlines and the like, no more are named."""


@dataclass(frozen=True, slots=True)
class Status:
    """As at one instant. new, parked: mails in the inbox. queued, postponed, failed: mails in the outbox; what is
    postponed is queued, too.
    """

    at: datetime
    stuck_since: datetime | None
    """Since when no mail goes out; None while some does."""
    silent_since: datetime | None
    """Since when no server gives a sign of life; None while one does, and where none ever did."""
    halts: tuple[Stop, ...]
    """What the operator has stopped."""
    new: Waiting
    parked: Waiting
    received: Flow
    queued: Waiting
    postponed: Waiting
    failed: Waiting
    written: Flow
    troubles: tuple[tuple[str, int], ...]
    """Why mails were postponed, and how many."""
    players: int
    boards: int
    broadcasts: int
    suspended: int
    """Addresses that get no mail; named are the latest, with their players and since when."""
    suspended_latest: tuple[tuple[str, str, datetime], ...]
    locked: tuple[Attempts, ...]
    """What is not looked at for too many wrong guesses."""
    overdue: int
    """Boards on which something should have happened."""
    deadlines: tuple[Deadline, ...]
    thoughts: Waiting
    agenda: dict[str, tuple[int, int]]
    """By kind, how many things there are to do, and how many of them are due."""


def status_of(store: Store, now: datetime) -> Status:
    """Raises: DatabaseTrouble."""
    with store.read() as tx:
        view = tx.overview
        suspended, latest = view.suspended(SHOWN)
        overdue, deadlines = view.deadlines(now, SHOWN)
        heard_at = tx.absences.noted(HEARTBEAT)
        return Status(
            at=now,
            stuck_since=tx.outbox.failing_since(tx.absences.noted(DELIVERED)),
            silent_since=heard_at if heard_at is not None and now - heard_at > SILENCE else None,
            halts=tuple(each.stop for kind in (StopKind.HALT, StopKind.MAINTENANCE) for each in tx.absences.open(kind)),
            new=view.mails(Arrival.NEW),
            parked=view.mails(Arrival.PARKED),
            received=view.received(now),
            queued=view.mails(Delivery.QUEUED),
            postponed=view.postponed(),
            failed=view.mails(Delivery.FAILED),
            written=view.written(now),
            troubles=tuple(view.troubles(SHOWN)),
            players=view.players(),
            boards=view.boards(),
            broadcasts=view.broadcasts(),
            suspended=suspended,
            suspended_latest=tuple(latest),
            locked=tuple(tx.guesses.locked(now)),
            overdue=overdue,
            deadlines=tuple(deadlines),
            thoughts=view.to_move([robot.id for robot in robots(tx)]),
            agenda=tx.agenda.counts(now),
        )


MOST_AT_ONCE = 10_000
"""Mails that one call renews when it is told to renew all."""
_NEVER_ANSWERED = (Action.IGNORE, Action.BOUNCE, Action.COMPLAINT, Action.REJECT)

M = TypeVar("M", Received, Queued)


class Queues:
    """Raises: NotFound, NotAllowed with a sentence, and DatabaseTrouble; then nothing was changed."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def received(self, state: Arrival | None, limit: int) -> list[Received]:
        """The newest mails first."""
        with self._service.store.read() as tx:
            return tx.inbox.latest(state, limit)

    def verdicts(self) -> dict[str, int]:
        """How many mails were not answered, by what they were; limit: those that were one too many."""
        with self._service.store.read() as tx:
            return tx.inbox.verdicts([*map(str, _NEVER_ANSWERED), "limit"])

    def received_mail(self, number: int) -> Received:
        with self._service.store.read() as tx:
            return _found(tx.inbox.get(number), "inbox", number)

    def handle_again(self, numbers: Iterable[int]) -> None:
        """Let parked or ignored mails be handled. Handled mails stay so: they would play twice."""
        with self._service.store.write() as tx:
            for number in numbers:
                mail = _found(tx.inbox.get(number), "inbox", number)
                if mail.state is Arrival.HANDLED:
                    raise NotAllowed(f"Mail {number} was handled already; to handle it again would play it twice.")
                if mail.state is Arrival.FORGOTTEN:
                    raise NotAllowed(f"Of mail {number} nothing is left: it was done with long ago.")
                tx.inbox.renew(number)

    def parked(self) -> list[int]:
        """The mails that wait for the operator."""
        return [mail.id for mail in self.received(Arrival.PARKED, MOST_AT_ONCE)]

    def queued(self, state: Delivery | None, limit: int) -> list[Queued]:
        """The newest mails first."""
        with self._service.store.read() as tx:
            return tx.outbox.latest(state, limit)

    def queued_mail(self, number: int) -> Queued:
        with self._service.store.read() as tx:
            return _found(tx.outbox.get(number), "outbox", number)

    def send_again(self, numbers: Iterable[int]) -> None:
        """Let mails be sent at once, those that were sent too; a mail keeps its Message-ID."""
        with self._service.store.write() as tx:
            for number in numbers:
                tx.outbox.renew(_found(tx.outbox.get(number), "outbox", number).id, tx.now)

    def send_all_again(self) -> int:
        """Let all that was given up, or waits to be tried again, be sent; returns how many mails that are."""
        with self._service.store.write() as tx:
            return tx.outbox.renew_all(tx.now)


def _found(mail: M | None, queue: str, number: int) -> M:
    if mail is None:
        raise NotFound(f"There is no email {number} in the {queue}.")
    return mail
