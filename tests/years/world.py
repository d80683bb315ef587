"""The world of a simulated club: several servers over one database, the post, and time, all in one thread.

Nothing sleeps and nothing is random but by the seed: every step of every server is picked by it, and so is what fails.
A server that is killed is left where it stands, its transaction is rolled back, and a new one begins with what was
committed. Mails may be lost on the way in, but then their senders' servers try again; they may come twice and late.
"""

from __future__ import annotations

import functools
import heapq
import inspect
import math
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email import message_from_bytes
from itertools import count, pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import exc

from pbm.bots import think
from pbm.compose.tell import mail_bytes
from pbm.domain.configuration import DeliverySettings
from pbm.domain.mail import Queued
from pbm.edges.claims import Attempt, Claims
from pbm.edges.deliver import WayOut
from pbm.edges.transports import MailRefused, MaybeTaken, RecipientRefused, TemporaryFailure, Unreachable
from pbm.server import Arriving, Service, Settings, batch
from pbm.server.regrets import Bouncing
from pbm.store import Conflict, DatabaseTrouble, Store
from pbm.store.pulse import HEARTBEAT
from tests.conversation import ROBOT, START
from tests.crash.points import POINTS, find
from tests.databases import secret_fixed
from tests.years.story import Said, Story, Told

TAKEN = "the smarthost took a mail, it is not marked"
_LEISURE = 0.01
"""How likely robots look for puzzles where they might."""
_ASIDE = ("pbm.edges.",)
"""Points in code that the simulated post stands in for."""
_KEPT = "pbm.edges.claims"


class Killed(BaseException):
    """The server is killed here. No handler of the program may catch it."""


def full_disk() -> Exception:
    """What the database driver raises where the disk is full."""
    error = sqlite3.OperationalError("database or disk is full")
    error.sqlite_errorname = "SQLITE_FULL"
    return exc.OperationalError("", {}, error)


class Doom:
    """Lets the server that works fail at a named point, or never. Points are as in tests/crash."""

    def __init__(self) -> None:
        self._point, self._left = "", 0
        self._failure: Callable[[], BaseException] = full_disk
        self.points = [name for name, (place, _) in POINTS.items() if _is_simulated(place)]
        self.writes = [name for name in self.points if POINTS[name][0].startswith("pbm.store.")]
        """Points within a transaction, where the database itself may fail."""

    def kill(self, point: str, passes: int) -> None:
        """Let the server be killed when it passes the point so often."""
        self._point, self._left, self._failure = point, passes, lambda: Killed(point)

    def break_disk(self, point: str, passes: int) -> None:
        """Let the database fail there."""
        self._point, self._left, self._failure = point, passes, full_disk

    def disarm(self) -> None:
        self._point = ""

    def passing(self, point: str) -> None:
        if point != self._point:
            return
        self._left -= 1
        if self._left == 0:
            self._point = ""
            raise self._failure()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch all points meanwhile."""
        kept = []
        for name in self.points:
            place, when = POINTS[name]
            owner, attribute, function = find(place)
            kept.append((owner, attribute, function))
            setattr(owner, attribute, self._watched(name, function, is_after=when == "after"))
        try:
            yield
        finally:
            for owner, attribute, function in reversed(kept):
                setattr(owner, attribute, function)

    def _watched(self, name: str, function: Callable[..., Any], *, is_after: bool) -> Callable[..., Any]:
        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if not is_after:
                self.passing(name)
            result = function(*args, **kwargs)
            if is_after:
                self.passing(name)
            return result

        return watched


def _is_simulated(place: str) -> bool:
    if place.startswith(_ASIDE) and not place.startswith(_KEPT):
        return False
    return not inspect.iscoroutinefunction(find(place)[2])


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
    outage: float = 0.01
    """That the way out begins to be down, at each wake."""


SOME, NONE = Faults(), Faults(0, 0, 0, 0, 0, 0, 0, 0, 0)


@dataclass
class Worker:
    """One process of the server."""

    service: Service
    claims: Claims
    way: WayOut
    finished: list[Attempt] = field(default_factory=list)
    given_back: list[int] = field(default_factory=list)
    turns: int = 0


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
        self._number, self._keys, self._order = count(1), count(1), count()
        self._events: list[tuple[datetime, int, Callable[[], None]]] = []
        self._down_until = START
        self.closed: set[str] = set()
        """Addresses whose mail servers know them no more."""
        self.path = folder / "club.db"
        secret_fixed(f"sqlite:///{self.path}").close()
        self.workers = [self._born() for _ in range(workers)]
        self._tidy_at, self._beaten_at = START + timedelta(days=1), START

    def close(self) -> None:
        for worker in self.workers:
            worker.service.close()

    # time

    def later(self, at: datetime, what: Callable[[], None]) -> None:
        """Let something happen at an instant."""
        heapq.heappush(self._events, (at, next(self._order), what))

    def clock(self) -> datetime:
        """What the servers take for the time."""
        return self.now + self.skew

    def leap(self, by: timedelta) -> None:
        """Put the clock of the machine ahead or back, which every server notices when it next gives a sign of life."""
        self.skew += by
        self.story.ahead = max(self.story.ahead, self.skew)
        for worker in self.workers:
            worker.service.beat()

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

    def _pass_time(self, until: datetime) -> None:
        with self.workers[0].service.store.read() as tx:
            planned = tx.agenda.next_at(), tx.matches.next_due_at(), tx.outbox.next_at()
        due = [at - self.skew for at in planned if at]
        # What is overdue and was left, such as a claim of somebody dead, is looked at again in a minute.
        wakes = [max(at, self.now + timedelta(minutes=1)) if at <= self.now else at for at in due]
        if self._events:
            wakes.append(self._events[0][0])
        self.now = max(self.now, min([until, *wakes]))
        if self.now - self._beaten_at > timedelta(hours=1):
            self._beat()
        while self._events and self._events[0][0] <= self.now:
            heapq.heappop(self._events)[2]()

    def _beat(self) -> None:
        """The servers gave signs of life all the while, of which the last counts; and what is done once a day."""
        service, self._beaten_at = self.workers[0].service, self.now
        with service.store.write() as tx:
            tx.absences.note(HEARTBEAT, self.clock())
        service.beat()
        if self.now >= self._tidy_at:
            service.tidy()
            self._tidy_at = self.now + timedelta(days=1)
        if self.dice.random() < self.faults.outage:
            self._down_until = self.now + timedelta(minutes=self.dice.choice((2, 20, 90)))
            self.story.note(self.now, f"the way out is down until {self._down_until:%H:%M}")

    # the servers

    def _born(self) -> Worker:
        store = Store(f"sqlite:///{self.path}", clock=self.clock)
        service = Service(store, Settings(ROBOT), clock=self.clock, make_key=self._make_key, ask=think)
        claims = Claims(store, DeliverySettings(), Bouncing(service.tools).given_up)
        return Worker(service, claims, WayOut(lambda _reason: None))

    def _make_key(self) -> str:
        return f"key{next(self._keys):06}"

    def _work(self) -> None:
        """The servers do what there is to be done now, in an order that the seed picks."""
        kinds = (self._handle, self._deliver, self._do_what_is_due, self._think)
        thinking = len(kinds) - 1
        tired = {thinking}  # robots think after something has happened; looking whether they must costs most
        while len(tired) < len(kinds):
            number = self.dice.choice([number for number in range(len(kinds)) if number not in tired])
            place = self.dice.randrange(len(self.workers))
            if self._step(place, kinds[number]):
                tired.clear()
                self.now += timedelta(seconds=1)
            else:
                tired.add(number)

    def _step(self, place: int, kind: Callable[[Worker], bool]) -> bool:
        passes = self.dice.choice((1, 1, 1, 2, 3))
        if self.dice.random() < self.faults.kill:
            self.doom.kill(self.dice.choice([*self.doom.points, TAKEN]), passes)
        elif self.dice.random() < self.faults.full:
            self.doom.break_disk(self.dice.choice(self.doom.writes), passes)
        try:
            return kind(self.workers[place])
        except Killed as killed:
            self._bury(place, str(killed))
            return True
        except DatabaseTrouble as trouble:
            if not isinstance(trouble, Conflict):
                self.troubles += 1
                self.story.note(self.now, f"server {place}: {trouble}")
            self.later(self.now + timedelta(minutes=1), lambda: None)
            return False
        finally:
            self.doom.disarm()

    def _bury(self, place: int, where: str) -> None:
        self.kills += 1
        self.story.note(self.now, f"server {place} is killed: {where}")
        self.workers[place].service.close()
        self.workers[place] = self._born()
        self.later(self.now + timedelta(minutes=1), lambda: None)

    def _handle(self, worker: Worker) -> bool:
        return worker.service.handle(self.dice.choice((1, 2, 5, 50))) > 0

    def _do_what_is_due(self, worker: Worker) -> bool:
        return worker.service.agenda.run(self.dice.choice((1, 10))) > 0

    def _think(self, worker: Worker) -> bool:
        movers, *_, leisure = worker.service.thinkers  # those between help the first where thoughts take long
        if movers.run(1):
            return True
        # Puzzles take seconds to find, which a club of many years cannot wait for each time.
        return self.dice.random() < _LEISURE and leisure.run(1) > 0

    def _deliver(self, worker: Worker) -> bool:
        recovered = worker.turns != worker.way.turns and not worker.way.is_down
        worker.turns = worker.way.turns
        was_busy = bool(worker.finished)
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
            attempt = Attempt(queued, self._send(queued))
            worker.way.note(attempt)
            worker.finished.append(attempt)
            if attempt.failure is not None:
                stopped.add(queued.lane)
        return was_busy or bool(claimed)

    # the post

    def _send(self, queued: Queued) -> RecipientRefused | TemporaryFailure | None:
        """What the smarthost says to a mail; None if it takes it."""
        made, faults = mail_bytes(queued.mail), self.faults
        if self.now < self._down_until:
            return Unreachable("nobody answers")
        if queued.mail.address in self.closed:
            self.story.refused.add(queued.mail.address)
            return RecipientRefused("550 5.1.1 no such user")
        fate = self.dice.random()
        for chance, failure in (
            (faults.not_now, TemporaryFailure("451 not now")),
            (faults.refused, MailRefused("554 not this text")),
            (faults.maybe, MaybeTaken("no answer to the text")),
        ):
            if fate < chance:
                if isinstance(failure, MaybeTaken) and self.dice.random() < 0.5:
                    self._take(queued, made)
                return failure
            fate -= chance
        self._take(queued, made)
        self.doom.passing(TAKEN)
        return None

    def _take(self, queued: Queued, made: bytes) -> None:
        self.story.note(self.now, f"taken {queued.mail.key} for {queued.mail.address}: {queued.mail.subject}")
        travels = timedelta(seconds=self.dice.choice((1, 2, 30)))
        if self.dice.random() < self.faults.delayed:
            travels += timedelta(hours=self.dice.choice((1, 5, 30)))
        self.later(self.now + travels, lambda: self._arrive_at(queued.mail.address, made))

    def _arrive_at(self, address: str, made: bytes) -> None:
        told = _told(address, made, self.now)
        self.story.told.append(told)
        if reader := self.readers.get(address):
            reader(told)

    def post(
        self, author: str, sender: str, to: str, line: str, below: str = "", *, verdict: str = "",
        answered: Told | None = None,
    ) -> Said:  # fmt: skip
        """Somebody writes a mail to the server. verdict: what the mail server in front says of From.

        line: its first line, or its subject if it answers nothing.
        """
        domain = sender.rpartition("@")[2]
        board = answered.board if answered is not None else None
        said = Said(author, sender, f"m{next(self._number)}@{domain}", self.now, line, board)
        head = {"From": sender, "To": to, "Message-ID": f"<{said.key}>", "Date": f"{self.now:%a, %d %b %Y %T} +0000"}
        text = f"{line}\r\n{below}\r\n"
        if answered is None:
            head["Subject"], text = line, f"{below}\r\n"
        else:
            quoted = "".join(f"> {each}\r\n" for each in answered.text.splitlines())
            head |= {"Subject": f"Re: {answered.subject}", "In-Reply-To": f"<{answered.key}>"}
            text += f"\r\nOn Thursday, {ROBOT.address} wrote:\r\n{quoted}"
        if verdict:
            head["Authentication-Results"] = f"{ROBOT.authserv_id}; {verdict}"
        words = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        raw = f"{words}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}".encode()
        self.story.said.append(said)
        self.later(self.now + timedelta(seconds=5), lambda: self._hand_in(said, Arriving(sender, (to,), raw)))
        return said

    def _hand_in(self, said: Said, mail: Arriving) -> None:
        """A mail server hands a mail in, and comes again until it hears 250."""
        place, fate = self.dice.randrange(len(self.workers)), self.dice.random()
        again = timedelta(minutes=self.dice.choice((1, 15, 240)))
        if fate < self.faults.lost / 2:
            self.later(self.now + again, lambda: self._hand_in(said, mail))
            return
        try:
            if self.dice.random() < self.faults.kill:
                self.doom.kill(self.dice.choice(self.doom.points[:3]), 1)
            elif self.dice.random() < self.faults.full:
                self.doom.break_disk(self.doom.points[1], 1)
            (put_off,) = self.workers[place].service.accept([mail])
        except (Killed, DatabaseTrouble) as failure:
            if isinstance(failure, Killed):
                self._bury(place, str(failure))
            self.later(self.now + again, lambda: self._hand_in(said, mail))
            return
        finally:
            self.doom.disarm()
        if put_off:
            self.later(self.now + again, lambda: self._hand_in(said, mail))
            return
        self.story.note(self.now, f"came {said.key}: {said.line}")
        if fate < self.faults.lost:  # it is safe, but the connection broke before its server could know
            self.later(self.now + again, lambda: self._hand_in(said, mail))
            return
        said.safe_at = said.safe_at or self.now
        if self.dice.random() < self.faults.twice:
            self.later(self.now + again, lambda: self._hand_in(said, mail))


def _told(address: str, made: bytes, now: datetime) -> Told:
    parsed = message_from_bytes(made)
    text = next((part for part in parsed.walk() if part.get_content_type() == "text/plain"), None)
    payload = text.get_payload(decode=True) if text is not None else b""
    assert isinstance(payload, bytes)
    words = str(parsed["Subject"]).split()
    board = next((int(number) for word, number in pairwise(words) if word == "Board"), None)
    return Told(
        address, str(parsed["Message-ID"])[1:-1], str(parsed["Subject"]), payload.decode().replace("\r\n", "\n"),
        str(parsed["Reply-To"] or ROBOT.address), board, now,
    )  # fmt: skip
