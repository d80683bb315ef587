"""The world of a simulated club: several servers over one database, the post, and time, all in one thread.

Nothing sleeps and nothing is random but by the seed: every step of every server is picked by it, and so is what fails.
A server that is killed is left where it stands, its transaction is rolled back, and a new one begins with what was
committed. Mails may be lost on the way in, but then their senders' servers try again; they may come twice and late.
"""

from __future__ import annotations

import heapq
import math
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

import structlog

from pbm.bots.levels import Question, Thought
from pbm.bots.mind import think
from pbm.domain.configuration import DeliverySettings
from pbm.edges.claims import Attempt, Claims
from pbm.edges.deliver import WayOut
from pbm.server import Service, Settings, batch
from pbm.server.undone_mails import Bouncing
from pbm.store import Conflict, DatabaseTrouble, Store, Transaction, backup, engine
from pbm.store.neighbours import Outdated
from pbm.store.pulse import HEARTBEAT
from pbm.store.tables import REVISION
from tests.conversation import ROBOT, START
from tests.databases import secret_fixed
from tests.years.arithmetic import NEVER, instant
from tests.years.doom import Doom, Killed
from tests.years.post import TAKEN, Post
from tests.years.story import Story, Told

_LEISURE = 0.1
"""How likely robots look for puzzles where they might."""
_ROBOTS_LOOK = timedelta(minutes=30)
"""How long after something has happened robots look whether they must move."""
_AGAIN = timedelta(minutes=1)
"""When servers look again at what is overdue and was left, such as a claim of somebody dead."""


_FAULTS = {"parked", "thought_failed", "board_fault", "agenda_fault", "mail_not_made", "task_fault"}
"""Lines of the log that tell of faults of ours, and not of the world's."""


class Kind(IntEnum):
    """What a server does in a step."""

    HANDLE, DELIVER, ATTEND, THINK = range(4)


_NEXT_DUE = {
    Kind.ATTEND: """SELECT min(due_at) FROM (
        SELECT min(due_at) AS due_at FROM agenda WHERE kind <> 'think' UNION ALL
        SELECT min(due_at) FROM matches WHERE due_at IS NOT NULL)""",
    Kind.DELIVER: "SELECT min(due_at) FROM outbox WHERE state = 'queued'",
}


def guess(question: Question) -> Sequence[Thought]:
    """What robots think when they have hardly any time: their moves are legal, and they find no puzzles."""
    return [] if question.puzzle else think(replace(question, share=0.05))


@dataclass(frozen=True)
class Faults:
    """How likely each fault is, at each occasion."""

    kill: float = 0.004
    """That a server is killed in a step."""
    full: float = 0.004
    """That the database fails in a step."""
    lost: float = 0.02
    """That the connection breaks before a mail is safe, or just after."""
    twice: float = 0.02
    delayed: float = 0.05
    not_now: float = 0.02
    """That the smarthost answers 4xx."""
    refused: float = 0.004
    """That the smarthost answers 554 to the text."""
    maybe: float = 0.008
    """That the smarthost takes a mail, or not, and says nothing."""
    full_mailbox: float = 0.005
    """That a mail comes back days later, because a mailbox was full."""
    outage: float = 0.03
    """That the way out begins to be down, within three hours."""
    hang: float = 0.002
    """That a server stands still, for up to an hour, at each step."""
    power: float = 0.0005
    """That the power fails soon after a step."""


SOME = Faults()
NONE = Faults(*(0.0 for _ in fields(Faults)))


def without(spared: str) -> Faults:
    """The usual faults but these, by their names with commas between them; "all" for none."""
    names = spared.split(",") if spared else []
    return NONE if names == ["all"] else replace(SOME, **dict.fromkeys(names, 0.0))


def _know(revision: str) -> None:
    """Let the program in this process be the version that knows this revision of the schema."""
    vars(engine)["REVISION"] = revision


@cache
def _empty() -> bytes:
    """A database of ours, with a known secret, in which nobody has done anything yet."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        secret_fixed(f"sqlite:///{file}").close()
        return file.read_bytes()


@dataclass
class Worker:
    """One process of the server."""

    service: Service
    claims: Claims
    way: WayOut
    finished: list[Attempt] = field(default_factory=list)
    given_back: list[int] = field(default_factory=list)
    turns: int = 0
    stands_until: datetime = START
    """Until when it hangs."""


class _Noting(Store):
    """The store of one version of the program, which knows one revision of the schema.

    It tells when a commit, and with it all earlier ones, is safe from a power failure.
    """

    knows = REVISION
    when_safe: Callable[[], None] = staticmethod(lambda: None)

    @contextmanager
    def write(self, *, alone: bool = True, durable: bool = True, at: datetime | None = None) -> Iterator[Transaction]:
        _know(self.knows)
        with super().write(alone=alone, durable=durable, at=at) as tx:
            yield tx
        if durable:
            self.when_safe()


Reader = Callable[[Told], None]


class World:
    """One club, from a seed. `readers`: who reads the mail to an address."""

    def __init__(self, folder: Path, seed: int, faults: Faults, workers: int = 2) -> None:
        self.dice = random.Random(seed)
        random.seed(seed)  # the program spreads its retries by it
        self.now = START
        self.skew = timedelta()
        """How far the clock of the machine is ahead."""
        self.faults = faults
        self.story = Story()
        self.readers: dict[str, Reader] = {}
        self.doom = Doom()
        self.kills = self.troubles = 0
        self._power_lasts = 0
        """For how many more steps; 0 if it does not fail soon."""
        self._safe = b"", b""
        """The file and its log as they were at the last commit that a power failure cannot undo, if one comes soon."""
        self._keys, self._order = count(1), count()
        self._revision = REVISION
        """Of the version of the program that is installed."""
        self.post = Post(self)
        self._events: list[tuple[datetime, int, Callable[[], None]]] = []
        self.down_until = START
        self.closed: set[str] = set()
        """Addresses whose mail servers know them no more."""
        self.path = folder / "club.db"
        self.path.write_bytes(_empty())
        self.workers = [self._born() for _ in range(workers)]
        self._tables = sqlite3.connect(self.path)
        self._tidy_at, self._beat_at, self._think_at = START + timedelta(days=1), START, START
        self._awake = set(Kind)
        self._not_before = dict.fromkeys(Kind, START)

    def read_log(self, _logger: Any, _method: str, event: MutableMapping[str, Any]) -> NoReturn:
        """Note faults of ours that the log tells of."""
        if event["event"] in _FAULTS:
            self.story.seen.append(f"the log tells of a fault of ours: {event}")
        raise structlog.DropEvent

    def close(self) -> None:
        self._tables.close()
        for worker in self.workers:
            worker.service.close()

    # time

    def later(self, at: datetime, what: Callable[[], None]) -> None:
        """Let something happen at an instant."""
        heapq.heappush(self._events, (at, next(self._order), what))

    def wake(self, *kinds: Kind) -> None:
        """Let the servers look for something to do, of these kinds if any are given."""
        self._awake |= {*kinds} or {*Kind}

    def clock(self) -> datetime:
        """What the servers take for the time."""
        return self.now + self.skew

    def leap(self, by: timedelta) -> None:
        """Put the clock of the machine ahead or back, which every server notices when it next gives a sign of life."""
        self.skew += by
        self.story.ahead = max(self.story.ahead, self.skew)
        for place, worker in enumerate(self.workers):
            try:
                worker.service.beat()
            except Outdated:
                self.bury(place, "it is of an older version")
        self.wake()

    def run(self, until: datetime) -> None:
        """Let time pass. What the clock of the machine says has no influence."""
        kept = batch._SECONDS_AT_ONCE, batch._SECONDS_OF_A_READING
        batch._SECONDS_AT_ONCE = batch._SECONDS_OF_A_READING = math.inf
        try:
            with self.doom.watching():
                while self.now < until:
                    self._work()
                    self._pass_time(until)
        finally:
            batch._SECONDS_AT_ONCE, batch._SECONDS_OF_A_READING = kept
            _know(REVISION)

    def _pass_time(self, until: datetime) -> None:
        """Go on to the next instant at which something happens or is due, which wakes the servers."""
        wakes = {kind: max(at, self._not_before[kind]) for kind, at in self._due().items()}
        wakes[Kind.THINK] = self._think_at
        while self.now < until and not self._awake:
            events = [self._events[0][0]] if self._events else []
            self.now = max(self.now, min([until, self._beat_at, *wakes.values(), *events]))
            self._awake |= {kind for kind, at in wakes.items() if at <= self.now}
            if self.now >= self._beat_at:
                self.beat()
            while self._events and self._events[0][0] <= self.now:
                heapq.heappop(self._events)[2]()

    def _due(self) -> dict[Kind, datetime]:
        """When something is next due. Asked without the program's store, which took a seventh of all time."""
        found = {}
        for kind, query in _NEXT_DUE.items():
            (due_at,) = self._tables.execute(query).fetchone()
            if due_at is not None:
                found[kind] = instant(due_at) - self.skew
        return found

    def beat(self) -> None:
        """The servers gave signs of life all the while, of which the last counts; and what is done once a day."""
        service, self._beat_at = self.workers[0].service, self.now + timedelta(hours=3)
        with service.store.write() as tx:
            tx.absences.note(HEARTBEAT, self.clock())
        service.beat()
        if self.now >= self._tidy_at:
            service.tidy()
            self._tidy_at = self.now + timedelta(days=1)
        if self.dice.random() < self.faults.outage:
            self.down_until = self.now + timedelta(minutes=self.dice.choice((2, 20, 90)))
            self.story.note(self.now, f"the way out is down until {self.down_until:%H:%M}")
        self.wake(Kind.DELIVER)

    # the servers

    def _born(self) -> Worker:
        store = _Noting(f"sqlite:///{self.path}", clock=self.clock)
        store.when_safe = self._note_safe
        store.knows = self._revision
        _know(store.knows)
        service = Service(store, Settings(ROBOT), clock=self.clock, make_key=self._make_key, ask=guess)
        given_up = Bouncing(service.tools).given_up
        claims = Claims(store, DeliverySettings(), lambda tx, mail, why, whose: given_up(tx, mail, why.reason, whose))
        return Worker(service, claims, WayOut(lambda _reason: None))

    def _make_key(self) -> str:
        return f"key{next(self._keys):06}"

    def _work(self) -> None:
        """The servers do what there is to be done now, in an order that the seed picks."""
        while self._awake:
            kind = self.dice.choice(sorted(self._awake))
            place = self.somebody()
            is_done, is_more = self._step(place, kind)
            self._not_before[kind] = self.now if is_done else self.now + _AGAIN
            if is_done:
                self.now += timedelta(seconds=1)
                if kind is not Kind.DELIVER:
                    self._awake |= {kind for kind, at in self._due().items() if at <= self.now}
                    self._think_at = min(self._think_at, self.now + _ROBOTS_LOOK)
            if not is_more:
                self._awake.discard(kind)

    def somebody(self) -> int:
        """A server that does not hang, or the first if all do."""
        able = [number for number, worker in enumerate(self.workers) if worker.stands_until <= self.now]
        return self.dice.choice(able or [0])

    # the machine

    def _note_safe(self) -> None:
        if self._power_lasts:
            self._safe = self._on_disk()

    def _on_disk(self) -> tuple[bytes, bytes]:
        return self.path.read_bytes(), self._log.read_bytes()

    @property
    def _log(self) -> Path:
        return self.path.with_name(f"{self.path.name}-wal")

    def _draw_power(self) -> None:
        """Let the power fail at times, which may undo what was committed after the last durable commit."""
        if self._power_lasts:
            self._power_lasts -= 1
            if not self._power_lasts:
                self._fail_power()
        elif self.dice.random() < self.faults.power:
            self._power_lasts = self.dice.randint(1, 12)
            self._safe = self._on_disk()

    def _fail_power(self) -> None:
        file, log = self._on_disk()
        # What has been moved from the log into the file since then was made safe before.
        is_undone = file == self._safe[0]
        self.story.note(
            self.now, f"the power fails; {len(log) - len(self._safe[1]) if is_undone else 0} octets are lost"
        )

        def undo() -> None:
            if is_undone:
                self.path.write_bytes(file)
                self._log.write_bytes(self._safe[1])

        self._begin_all_again(undo)

    def copied(self) -> Path:
        """A copy of the database, as it is now, as a backup or a standby has it."""
        copy = self.path.with_name("copy.db")
        backup.remove(copy)
        backup.copy(self.path, copy)
        return copy

    def promote(self, copy: Path) -> None:
        """Go on with a copy, for the machine is lost; all that has happened since then was never known to it."""

        def replace_file() -> None:
            backup.remove(self.path)
            backup.seal(copy)
            backup.rename(copy, self.path)
            self._upgrade_tables()  # the copy may be of an older version

        self._begin_all_again(replace_file)

    def _begin_all_again(self, between: Callable[[], None]) -> None:
        """All servers die, something happens to their files, and new ones begin."""
        self.kills += len(self.workers)
        self.close()
        between()
        self.workers = [self._born() for _ in self.workers]
        self._tables = sqlite3.connect(self.path)
        self.wake()

    def upgrade(self) -> None:
        """A newer version upgrades the database; servers of the older one, but the first, go on until they notice."""
        self._revision = f"{int(self._revision) + 1:04}"
        self._upgrade_tables()
        self._note_safe()
        self.bury(0, f"it is upgraded to {self._revision}")

    def _upgrade_tables(self) -> None:
        with closing(sqlite3.connect(self.path)) as tables, tables:
            tables.execute("UPDATE alembic_version SET version_num = ?", (self._revision,))

    def wake_for_mail(self) -> None:
        self.wake(Kind.HANDLE)

    def _step(self, place: int, kind: Kind) -> tuple[bool, bool]:
        """A step of a server; returns whether anything was done, and whether there may be more of the kind."""
        passes = self.dice.choice((1, 1, 1, 2, 3))
        self._draw_power()
        if self.dice.random() < self.faults.hang:
            self.workers[place].stands_until = self.now + timedelta(minutes=self.dice.choice((1, 10, 60)))
            self.story.note(self.now, f"server {place} hangs")
            self.later(self.workers[place].stands_until, self.wake)
        if self.dice.random() < self.faults.kill:
            self.doom.kill(self.dice.choice([*self.doom.points, TAKEN]), passes)
        elif self.dice.random() < self.faults.full:
            self.doom.break_disk(self.dice.choice(self.doom.writes), passes)
        try:
            return (self._handle, self._deliver, self._attend, self._think)[kind](self.workers[place])
        except Killed as killed:
            self.bury(place, str(killed))
            return True, True
        except Outdated:
            self.bury(place, "it is of an older version")
            return True, True
        except DatabaseTrouble as trouble:
            if not isinstance(trouble, Conflict):
                self.troubles += 1
                self.story.note(self.now, f"server {place}: {trouble}")
            self.later(self.now + _AGAIN, self.wake)
            return False, False
        finally:
            self.doom.disarm()

    def bury(self, place: int, where: str) -> None:
        self.kills += 1
        self.story.note(self.now, f"server {place} is killed: {where}")
        self.workers[place].service.close()
        self.workers[place] = self._born()
        self.later(self.now + _AGAIN, self.wake)

    def _handle(self, worker: Worker) -> tuple[bool, bool]:
        is_done = worker.service.handle(self.dice.choice((2, 5, 50))) > 0
        return is_done, is_done and not worker.service.batches.is_idle

    def _attend(self, worker: Worker) -> tuple[bool, bool]:
        most = self.dice.choice((1, 10))
        done = worker.service.agenda.run(most)
        return done > 0, done == most

    def _think(self, worker: Worker) -> tuple[bool, bool]:
        movers, *_, leisure = worker.service.thinkers  # those between help the first where thoughts take long
        self._think_at = datetime.max.replace(tzinfo=UTC)
        is_done = movers.run(1) > 0 or (self.dice.random() < _LEISURE and leisure.run(1) > 0)
        return is_done, is_done

    def _deliver(self, worker: Worker) -> tuple[bool, bool]:
        recovered = worker.turns != worker.way.turns and not worker.way.is_down
        worker.turns = worker.way.turns
        was_busy = bool(worker.finished)
        # A server that has nothing to mark waits until a mail is due.
        is_due = was_busy or worker.given_back or recovered or self._due().get(Kind.DELIVER, NEVER) <= self.now
        if not is_due:
            return False, self._is_marking()
        claimed, _ = worker.claims.exchange(
            worker.finished, [], self.dice.choice((1, 3, 20)), worker.given_back,
            is_down=worker.way.is_down, recovered=recovered,
        )  # fmt: skip
        worker.finished, worker.given_back = [], []
        stopped: set[tuple[int, str]] = set()
        for queued in claimed:
            if queued.lane in stopped:
                worker.given_back.append(queued.id)
                continue
            attempt = Attempt(queued, self.post.send(queued))
            worker.way.note(attempt)
            worker.finished.append(attempt)
            if attempt.failure is not None:
                stopped.add(queued.lane)
        return was_busy or bool(claimed), self._is_marking()

    def _is_marking(self) -> bool:
        """Whether a server has still to mark what it has sent."""
        return any(each.finished and each.stands_until <= self.now for each in self.workers)
