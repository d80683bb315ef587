"""What an operator sees of the mails that came in and go out, and how he has them tried again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pbm.domain.errors import NotAllowed, NotFound
from pbm.domain.mail import Arrival, Delivery, Queued, Received
from pbm.mailin import Action
from pbm.server.service import Service

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
        """Let parked or ignored mails be handled. What was handled stays so: it would play twice."""
        with self._service.store.write() as tx:
            for number in numbers:
                mail = _found(tx.inbox.get(number), "inbox", number)
                if mail.state is Arrival.HANDLED:
                    raise NotAllowed(f"Mail {number} was handled already; to handle it again would play it twice.")
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
        now = self._service.clock()
        with self._service.store.write() as tx:
            for number in numbers:
                tx.outbox.renew(_found(tx.outbox.get(number), "outbox", number).id, now)

    def unsent(self) -> list[int]:
        """The mails that were given up or wait to be tried again, in the order they were written."""
        waiting = [mail for mail in self.queued(Delivery.QUEUED, MOST_AT_ONCE) if mail.attempts]
        return sorted(mail.id for mail in (*waiting, *self.queued(Delivery.FAILED, MOST_AT_ONCE)))


def _found(mail: M | None, queue: str, number: int) -> M:
    if mail is None:
        raise NotFound(f"There is no mail {number} in the {queue}.")
    return mail
