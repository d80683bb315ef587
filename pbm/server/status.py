"""The state of the server for its operator, and the inbox and outbox, whose mails can be tried again.

All of it is read from the database, so every process shows the same.
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
from pbm.server.service import Service
from pbm.store import Store
from pbm.store.house import DELIVERED, THINKS
from pbm.store.overview import Deadline, Flow, Waiting
from pbm.store.pulse import HEARTBEAT, SILENCE
from pbm.store.tickets import Attempts

SHOWN = 10
"""The most suspended addresses, deadlines and the like that are named."""


@dataclass(frozen=True, slots=True)
class Status:
    """The state at one instant. new, parked: mails in the inbox. queued, postponed, failed: mails in the outbox;
    postponed mails are queued, too.
    """

    at: datetime
    stuck_since: datetime | None
    """Since when no mail has gone out; None if some does."""
    silent_since: datetime | None
    """Since when no server has given a sign of life; None if one does, or none ever did."""
    halts: tuple[Stop, ...]
    """The halts of the operator."""
    new: Waiting
    parked: Waiting
    received: Flow
    moves_ignored: int
    """Mails laid aside as a machine's in which a player's move stands."""
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
    """The number of addresses that get no mail."""
    suspended_latest: tuple[tuple[str, str, datetime], ...]
    """The latest of them, each with its player and since when."""
    locked: tuple[Attempts, ...]
    """The counts that are locked after too many wrong guesses."""
    overdue: int
    """Boards on which something should have happened by now."""
    deadlines: tuple[Deadline, ...]
    thoughts: Waiting
    """Boards that wait for a robot."""
    is_thought: bool
    """Whether a process lets robots think."""
    agenda: dict[str, tuple[int, int]]
    """The number of agenda items, and of due ones, by kind."""


def status_of(store: Store, now: datetime) -> Status:
    """The state now. Raises: DatabaseTrouble."""
    with store.read() as tx:
        view = tx.overview
        suspended, latest = view.suspended(SHOWN)
        overdue, deadlines = view.deadlines(now, SHOWN)
        heard_at, thought_at = tx.absences.noted(HEARTBEAT), tx.absences.noted(THINKS)
        return Status(
            at=now,
            stuck_since=tx.outbox.failing_since(tx.absences.noted(DELIVERED)),
            silent_since=heard_at if heard_at is not None and now - heard_at > SILENCE else None,
            halts=tuple(each.stop for kind in (StopKind.HALT, StopKind.MAINTENANCE) for each in tx.absences.open(kind)),
            new=view.mails(Arrival.NEW),
            parked=view.mails(Arrival.PARKED),
            received=view.received(now),
            moves_ignored=view.moves_ignored(),
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
            is_thought=thought_at is not None and now - thought_at <= SILENCE,
            agenda=tx.agenda.counts(now),
        )


MOST_AT_ONCE = 10_000
"""Parked mails that are taken up again at once when all are asked for."""
_NEVER_ANSWERED = (Action.IGNORE, Action.BOUNCE, Action.COMPLAINT, Action.REJECT)

M = TypeVar("M", Received, Queued)


class Queues:
    """The inbox and the outbox. All methods raise NotFound, NotAllowed or DatabaseTrouble, and then change nothing."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def received(self, state: Arrival | None, limit: int) -> list[Received]:
        """The newest mails first."""
        with self._service.store.read() as tx:
            return tx.inbox.latest(state, limit)

    def verdicts(self) -> dict[str, int]:
        """How many mails were not answered, by their kind; "limit" counts those that were too many."""
        with self._service.store.read() as tx:
            return tx.inbox.verdicts([*map(str, _NEVER_ANSWERED), "limit", "move"])

    def received_mail(self, number: int) -> tuple[Received, list[int]]:
        """The mail, and the numbers of those in the outbox that it has caused."""
        with self._service.store.read() as tx:
            return _found(tx.inbox.get(number), "inbox", number), tx.outbox.due_to(number)

    def handle_again(self, numbers: Iterable[int]) -> None:
        """Have parked or ignored mails handled again. Handled mails are refused: they would play twice."""
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
        """Have mails sent at once, even if they were sent before; each keeps its Message-ID."""
        with self._service.store.write() as tx:
            for number in numbers:
                tx.outbox.renew(_found(tx.outbox.get(number), "outbox", number).id, tx.now)

    def send_all_again(self) -> int:
        """Have all mails sent that were given up or postponed; returns how many."""
        with self._service.store.write() as tx:
            return tx.outbox.renew_all(tx.now)


def _found(mail: M | None, queue: str, number: int) -> M:
    if mail is None:
        raise NotFound(f"There is no email {number} in the {queue}.")
    return mail
