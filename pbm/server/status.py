"""How the server is doing, read from its database, so that every process tells the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pbm.store import Store
from pbm.store.attempts import Attempts
from pbm.store.overview import Deadline, Flow, Waiting

SHOWN = 10
"""Of suspended addresses, deadlines and the like, no more are named."""


@dataclass(frozen=True, slots=True)
class Status:
    """As at one instant. new, parked: mails in the inbox. queued, postponed, failed: mails in the outbox; what is
    postponed is queued, too.

    troubles: why mails were postponed, and how many. suspended: addresses that get no mail; named are the latest, with
    their players and since when. locked: what is not looked at for too many wrong guesses. overdue: boards on which
    something should have happened. agenda: by kind, how many things there are to do, and how many of them are due.
    """

    at: datetime
    new: Waiting
    parked: Waiting
    received: Flow
    queued: Waiting
    postponed: Waiting
    failed: Waiting
    written: Flow
    troubles: tuple[tuple[str, int], ...]
    players: int
    boards: int
    broadcasts: int
    suspended: int
    suspended_latest: tuple[tuple[str, str, datetime], ...]
    locked: tuple[Attempts, ...]
    overdue: int
    deadlines: tuple[Deadline, ...]
    agenda: dict[str, tuple[int, int]]


def status_of(store: Store, now: datetime) -> Status:
    """Raises: DatabaseTrouble."""
    with store.read() as tx:
        view = tx.overview
        suspended, latest = view.suspended(SHOWN)
        overdue, deadlines = view.deadlines(now, SHOWN)
        return Status(
            at=now,
            new=view.new(),
            parked=view.parked(),
            received=view.received(now),
            queued=view.queued(),
            postponed=view.postponed(),
            failed=view.failed(),
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
            agenda=tx.agenda.counts(now),
        )
