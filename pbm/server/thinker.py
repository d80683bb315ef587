"""What thinks for robots: one task after the other, none within a transaction; see pbm/core/robots.py."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic

import structlog

from games.rules import GameError
from pbm.bots import Mind, NoThought, Stopped
from pbm.core.notify import Desk, Tools, rehearse
from pbm.core.robots import TAKEN, Ask, Source, Task, charge, spent
from pbm.domain.errors import Rejected
from pbm.store import DatabaseTrouble, Store
from pbm.store.house import Item

log = structlog.get_logger()

AGAIN = timedelta(minutes=10)
"""After which a task is tried again that failed."""

FORGIVEN = timedelta(days=1)
"""After which nothing is known any more of a task that failed; nor where the clock was ahead by as much."""


LONGEST_THOUGHT = 120.0
"""Seconds that count, at most."""


HELD = timedelta(seconds=20)
"""How long a task is left to whoever has taken it, unless they say that they are still at it."""


LATE = 20.0
"""Seconds by the clock after which others do not wait for a thought any longer; few take so many."""


class Shift:
    """What thinkers of one process know of one another, where they settle the same tasks.

    They take turns, so that all goes in its order, but nobody waits for one who is late: a reserve settles all else
    meanwhile, except for tasks of the game that is thought about, which may be what takes so long.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._working: dict[object, tuple[str, float]] = {}
        self.failed: dict[str, datetime] = {}
        """When tasks failed, by key."""

    @contextmanager
    def turn(self, thinker: object, *, is_reserve: bool) -> Iterator[frozenset[str] | None]:
        """The turn of a thinker, if it is theirs: the games to be left alone meanwhile; None where it is not."""
        with self._lock:
            now = monotonic()
            others = [found for each, found in self._working.items() if each is not thinker]
            is_theirs = all(now - since >= LATE for _, since in others) and (bool(others) or not is_reserve)
            if is_theirs:
                self._working[thinker] = "", now
        try:
            yield frozenset(game for game, _ in others) if is_theirs else None
        finally:
            with self._lock:
                self._working.pop(thinker, None)

    def begins(self, thinker: object, game: str) -> None:
        """A thinker whose turn it is has found something to do."""
        with self._lock:
            self._working[thinker] = game, monotonic()


class Thinker:
    """Settles tasks one after the other; those that failed before wait for all others.

    Any number of processes may run some over the same database: what one has taken, the others leave alone. No lock is
    held meanwhile, and when a process is killed others soon take what it had.

    shift: of those who settle the same tasks. seconds: by the clock, after which a thought is given up. ask: has a
    question answered; None for a process of its own. is_reserve: it settles nothing unless another one is late.
    """

    def __init__(
        self,
        store: Store,
        tools: Tools,
        sources: Sequence[Iterable[Source]],
        shift: Shift,
        seconds: float,
        ask: Ask | None = None,
        *,
        is_reserve: bool = False,
    ) -> None:
        self._store, self._tools, self._sources = store, tools, sources
        self._shift, self._is_reserve = shift, is_reserve
        self._mind = Mind(seconds, meanwhile=self._hold)
        self._ask = ask or self._mind
        self._taken = ""

    def stop(self) -> None:
        """Give up what is being thought, by whatever thread: it will be thought again."""
        self._mind.stop()

    def run(self, limit: int = 1) -> int:
        """Settle tasks, the most urgent first; returns how many there were. Raises: DatabaseTrouble."""
        for done in range(limit):
            with self._shift.turn(self, is_reserve=self._is_reserve) as left_alone:
                task = self._next(left_alone) if left_alone is not None else None
                if task is None:
                    return done
                if self._take(task):
                    self._shift.begins(self, task.game)
                    self._settle(task)
        return limit

    def _next(self, left_alone: Collection[str]) -> Task | None:
        """left_alone: games of which no task is to be taken."""
        now = self._store.clock()
        failed = self._shift.failed = {key: at for key, at in self._shift.failed.items() if abs(now - at) < FORGIVEN}
        with self._store.read() as tx:
            at, again = Desk(tx, self._tools), list[Task]()
            pause, taken = spent(at), {item.key for item in tx.agenda.of(TAKEN) if _holds(item, now)}
            for task in (task for sources in self._sources for source in sources for task in source(at)):
                if task.whom in pause or task.key in taken or task.game in left_alone:
                    continue
                failed_at = failed.get(task.key)
                if failed_at is None:
                    return task
                if now - failed_at >= AGAIN:
                    again.append(task)
            return min(again, key=lambda task: failed[task.key], default=None)

    def _take(self, task: Task) -> bool:
        """Whether it is ours: nobody else has taken it meanwhile."""
        with self._store.write(durable=False) as tx:
            taken = tx.agenda.get(TAKEN, task.key)
            if taken is not None and _holds(taken, tx.now):
                return False
            tx.agenda.put(TAKEN, task.key, tx.now + HELD)
        self._taken = task.key
        return True

    def _hold(self) -> None:
        """Say that we are still at it. Where that fails somebody else may think the same: for nothing, but no harm."""
        with suppress(DatabaseTrouble), self._store.write(durable=False) as tx:
            tx.agenda.put(TAKEN, self._taken, tx.now + HELD)

    def _settle(self, task: Task) -> None:
        began_at = self._store.clock()
        try:
            found = task.work(self._ask)
            with self._store.read() as tx:
                rehearse(Desk(tx, self._tools), lambda at: task.then(at, found))
            with self._giving_back(task, began_at) as at:
                task.then(at, found)
        except Stopped:
            with self._store.write() as tx:
                tx.agenda.drop(TAKEN, task.key)
        except DatabaseTrouble:
            self._tools.states.forget()
            raise
        except Exception as error:
            self._tools.states.forget()
            self._shift.failed[task.key] = self._store.clock()
            known = isinstance(error, NoThought | GameError | Rejected)
            log.error("thought_failed", task=task.key, reason=str(error), exc_info=None if known else error)
            with self._giving_back(task, began_at) as at:
                task.failed(at, str(error))

    @contextmanager
    def _giving_back(self, task: Task, began_at: datetime) -> Iterator[Desk]:
        """A transaction after which the task is not ours any more; the thought is counted."""
        with self._store.write() as tx:
            at = Desk(tx, self._tools)
            tx.agenda.drop(TAKEN, task.key)
            charge(at, task.whom, self._since(began_at))
            yield at

    def _since(self, began_at: datetime) -> float:
        """Seconds; no more than any thought takes, for clocks leap."""
        return min((self._store.clock() - began_at).total_seconds(), LONGEST_THOUGHT)


def _holds(taken: Item, now: datetime) -> bool:
    """Whether a task is left to whoever has taken it: not for hours because a clock was set back, or runs ahead."""
    return now < taken.due_at < now + 2 * HELD
