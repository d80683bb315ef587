"""The state of the server for its operator.

All of it is read from the database, so every process shows the same.
"""

from __future__ import annotations

from datetime import datetime

from pbm.core.limits import GUESSES
from pbm.core.robot_players import robots
from pbm.domain.calendars import Stop, StopKind
from pbm.store import Store
from pbm.store.house import DELIVERED, THINKS
from pbm.store.overview import Deadlines, Footprint, Queue, Suspensions, Waiting
from pbm.store.pulse import HEARTBEAT, SILENCE
from pbm.store.tickets import Attempts
from pbm.values import frozen

SHOWN = 10
"""The most suspended addresses, deadlines and the like that are named."""


@frozen
class Status:
    """The state at one instant."""

    at: datetime
    room: Footprint
    """The room that the database takes."""
    stuck_since: datetime | None
    """Since when no mail has gone out; None if some does."""
    silent_since: datetime | None
    """Since when no server has given a sign of life; None if one does, or none ever did."""
    halts: tuple[Stop, ...]
    """The halts of the operator."""
    queues: dict[str, Queue]
    moves_ignored: int
    """Mails laid aside as a machine's in which a player's move stands."""
    troubles: tuple[tuple[str, int], ...]
    """Why mails were postponed, and how many."""
    players: int
    boards: int
    broadcasts: int
    suspended: Suspensions
    locked: tuple[Attempts, ...]
    """The counts that are locked after too many wrong guesses."""
    deadlines: Deadlines
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
        heard_at, thought_at = tx.absences.noted(HEARTBEAT), tx.absences.noted(THINKS)
        return Status(
            at=now,
            room=tx.overview.room(),
            stuck_since=tx.outbox.failing_since(tx.absences.noted(DELIVERED)),
            silent_since=heard_at if heard_at is not None and now - heard_at > SILENCE else None,
            halts=tuple(each.stop for kind in (StopKind.HALT, StopKind.MAINTENANCE) for each in tx.absences.open(kind)),
            queues={"inbox": view.inbox(now), "outbox": view.outbox(now)},
            moves_ignored=view.moves_ignored(),
            troubles=tuple(view.troubles(SHOWN)),
            players=view.players(),
            boards=view.boards(),
            broadcasts=view.broadcasts(),
            suspended=view.suspended(SHOWN),
            locked=tuple(tx.guesses.locked(now, GUESSES)),
            deadlines=view.deadlines(now, SHOWN),
            thoughts=view.to_move([robot.id for robot in robots(tx)]),
            is_thought=thought_at is not None and now - thought_at <= SILENCE,
            agenda=tx.agenda.counts(now),
        )
