"""Does the thinking of robots: one task after the other, none within a transaction; see pbm/core/robots.py."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from threading import Lock
from time import monotonic

import structlog

from games import GAMES, OURS
from games.rules import GameError
from pbm.bots.mind import Mind, NoThought, Stopped, loaded, outdated
from pbm.core.notify import Desk, Tools, tell_operator
from pbm.core.robots import OUTDATED, OUTDATED_EVERY, TAKEN, Ask, Source, Task, charge, spent
from pbm.domain.errors import Rejected, Unreadable
from pbm.store import DatabaseTrouble, Store
from pbm.store.house import Item

log = structlog.get_logger()

AGAIN = timedelta(minutes=10)
"""How long until a failed task is tried again, and its game is no longer doubtful."""

FORGIVEN = timedelta(days=1)
"""How long until a failure is forgotten; also a failure in the future, noted while the clock was ahead."""


LONGEST_THOUGHT = 120.0
"""Seconds of one thought that are charged, at most."""


HELD = timedelta(seconds=20)
"""How long a task is left to the process that has taken it, unless that says that it is still at it."""


LATE = 10.0
"""Seconds by the clock after which others no longer wait for a thought. Three such waits, as when three packages hang,
and a thought take less than a minute.
"""


_NEVER = datetime.min.replace(tzinfo=UTC)


class Shift:
    """What the thinkers of one process that settle the same tasks know of each other.

    They take turns, so that tasks are settled in order, but none waits for a late one: then a reserve settles other
    tasks, except those of the games being thought about, which may be what takes so long. The last free thinker takes
    no game of another package, so our own games go on even if those hang.
    A failed task is doubtful, and so are tasks of a game that was thought about for long in vain. No thinker begins a
    doubtful task while another is late, and a thinker that begins one counts as late at once.
    """

    def __init__(self, thinkers: int = 1) -> None:
        """thinkers: the number of thinkers that share it."""
        self._thinkers = thinkers
        self._lock = Lock()
        self._working: dict[object, tuple[str, float]] = {}
        self._failed: dict[str, datetime] = {}
        """When tasks failed, by key, and when games failed that were thought about for long, by name."""

    @contextmanager
    def turn(self, thinker: object, *, is_reserve: bool) -> Iterator[frozenset[str] | None]:
        """The turn of a thinker: gives the games it must leave alone, or None if it is not its turn."""
        with self._lock:
            now = monotonic()
            others = list(self._working.values())
            is_theirs = all(now - since >= LATE for _, since in others) and (bool(others) or not is_reserve)
            if is_theirs:
                self._working[thinker] = "", now
        left_alone = frozenset(game for game, _ in others)
        # Programs of other packages may hang for their whole time; this thinker stays free for our own games.
        if others and len(others) == self._thinkers - 1:
            left_alone |= GAMES.keys() - OURS
        try:
            yield left_alone if is_theirs else None
        finally:
            with self._lock:
                self._working.pop(thinker, None)

    def begins(self, thinker: object, task: Task, now: datetime) -> None:
        """Note that a thinker, in its turn, begins a task."""
        with self._lock:
            self._working[thinker] = task.game, monotonic() - (LATE if self.doubts(task, now) else 0.0)

    def fails(self, task: Task, now: datetime, seconds: float) -> None:
        """Note that a task has failed. seconds: how long it took."""
        with self._lock:
            self._failed = {key: at for key, at in self._failed.items() if abs(now - at) < FORGIVEN}
            self._failed[task.key] = now
            # A quick failure says nothing of the game's other boards.
            if task.game and seconds >= LATE:
                self._failed[task.game] = now

    def succeeds(self, task: Task) -> None:
        """Note that a task has succeeded: its game is no longer doubtful."""
        with self._lock:
            self._failed.pop(task.game, None)

    def doubts(self, task: Task, now: datetime) -> bool:
        """Whether the task is doubtful: it may make others wait for nothing."""
        return self.failed_at(task, now) != _NEVER or abs(now - self._failed.get(task.game, _NEVER)) < AGAIN

    def failed_at(self, task: Task, now: datetime) -> datetime:
        """When the task failed; the earliest date if it has not, or if that is forgotten."""
        at = self._failed.get(task.key, _NEVER)
        return at if abs(now - at) < FORGIVEN else _NEVER


class Thinker:
    """Settles tasks one after the other; doubtful ones wait for all others.

    Any number of processes may run thinkers on the same database: what one has taken, the others leave alone. No lock
    is held meanwhile, and if a process is killed, others soon take its task.

    shift: shared with the thinkers that settle the same tasks. seconds: by the clock, after which a thought is given
    up. ask: gets a question answered; None for a process of its own. is_reserve: it works only while others are late.
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
        loaded()
        self._ask = ask or self._mind
        self._taken = ""

    def stop(self) -> None:
        """Stop the present thought, from any thread; the task will be taken again."""
        self._mind.stop()

    def run(self, limit: int = 1) -> int:
        """Settle tasks, the most urgent first; returns how many there were. Raises: DatabaseTrouble."""
        for done in range(limit):
            with self._shift.turn(self, is_reserve=self._is_reserve) as left_alone:
                task = self._next(left_alone) if left_alone is not None else None
                if task is None:
                    return done
                if self._take(task):
                    self._shift.begins(self, task, self._store.clock())
                    self._settle(task)
        return limit

    def _next(self, left_alone: Collection[str]) -> Task | None:
        """The next task. left_alone: games not to be taken; if there are any, no doubtful task is taken either."""
        shift, now = self._shift, self._store.clock()
        with self._store.read() as tx:
            at, doubtful = Desk(tx, self._tools), list[Task]()
            pause, taken = spent(at), {item.key for item in tx.agenda.of(TAKEN) if _holds(item, now)}
            for task in chain.from_iterable(_of(source, at) for source in chain(*self._sources)):
                # Their hour of thinking is used up, others think about it, or its game may be what takes so long.
                if task.whom in pause or task.key in taken or task.game in left_alone:
                    continue
                if not shift.doubts(task, now):
                    return task
                # A task that has failed may take its whole time again, so it waits until nobody is late.
                if not left_alone and now - shift.failed_at(task, now) >= AGAIN:
                    doubtful.append(task)
            return min(doubtful, key=lambda task: shift.failed_at(task, now), default=None)

    def _take(self, task: Task) -> bool:
        """Take a task; False if another process has taken it meanwhile."""
        with self._store.write(durable=False) as tx:
            taken = tx.agenda.get(TAKEN, task.key)
            # Between the reading and this transaction another process may have been quicker.
            if taken is not None and _holds(taken, tx.now):
                return False
            tx.agenda.put(TAKEN, task.key, tx.now + HELD)
        self._taken = task.key
        return True

    def _hold(self) -> None:
        """Say that we are still at it. If that fails, another process may think the same, which does no harm."""
        with suppress(DatabaseTrouble), self._store.write(durable=False) as tx:
            tx.agenda.put(TAKEN, self._taken, tx.now + HELD)

    def _settle(self, task: Task) -> None:
        began_at = self._store.clock()
        try:
            found = task.work(self._ask)
            with self._giving_back(task) as at:
                charge(at, task.whom, self._since(began_at))
                task.then(at, found)
            self._shift.succeeds(task)
        # The server stops: the task is no failure, and is taken again.
        except Stopped:
            with self._store.write() as tx:
                tx.agenda.drop(TAKEN, task.key)
        except DatabaseTrouble:
            self._tools.states.forget()
            raise
        except Exception as error:
            self._tools.states.forget()
            self._shift.fails(task, self._store.clock(), self._since(began_at))
            # The program on disk is another version than this process: what fails here may work after a restart.
            if outdated():
                self._wait_for_restart(task, str(error))
                return
            known = isinstance(error, NoThought | GameError | Rejected)
            log.error("thought_failed", task=task.key, reason=str(error), exc_info=None if known else error)
            with self._giving_back(task) as at:
                task.failed(at, str(error))

    def _wait_for_restart(self, task: Task, reason: str) -> None:
        """Leave a task that failed because a new version was installed, and tell the operator; nothing is given up."""
        log.error("restart_needed", task=task.key, reason=reason)
        with self._giving_back(task) as at:
            if at.tx.agenda.get(OUTDATED, "") is None:
                at.tx.agenda.put(OUTDATED, "", at.now + OUTDATED_EVERY)
                tell_operator(at, "pbm: restart the server", "outdated-operator.txt", reason=reason)

    @contextmanager
    def _giving_back(self, task: Task) -> Iterator[Desk]:
        """The context of a transaction that gives the task back."""
        with self._store.write() as tx:
            tx.agenda.drop(TAKEN, task.key)
            yield Desk(tx, self._tools)

    def _since(self, began_at: datetime) -> float:
        """Seconds since then, but no more than any thought takes, because clocks leap."""
        return min((self._store.clock() - began_at).total_seconds(), LONGEST_THOUGHT)


def _of(source: Source, at: Desk) -> Iterator[Task]:
    """The tasks of a source, up to a board that cannot be read: that holds up no other source."""
    with suppress(Unreadable):
        yield from source(at)


def _holds(taken: Item, now: datetime) -> bool:
    """Whether a task is still taken; not for hours, if a clock was set back or runs ahead."""
    return now < taken.due_at < now + 2 * HELD
