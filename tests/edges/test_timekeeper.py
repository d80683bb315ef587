"""A wall clock that leaps ends no game and gives away nobody's time; it is believed only if it stays as it is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from pbm.domain.calendars import StopKind
from pbm.domain.configuration import DeliverySettings
from pbm.domain.match import Match
from pbm.edges import server as server_module
from pbm.edges.server import Server
from pbm.edges.transports import Maildir
from pbm.edges.watch import BELIEVED_AFTER, SLACK, Timekeeper
from pbm.server import service as service_module
from pbm.server.arbiter import Arbiter
from pbm.store.house import LogLine
from tests.conversation import START, House
from tests.patience import wait_until

day, hour, minute, second = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)


@dataclass
class Machine:
    """A machine's two clocks. moving: held while they move together, so that threads see both moves or neither."""

    wall: datetime = START
    seconds: float = 1000.0
    moving: threading.Lock = field(default_factory=threading.Lock)

    def passes(self, time: timedelta) -> None:
        with self.moving:
            self.wall += time
            self.seconds += time.total_seconds()

    def timekeeper(self) -> Timekeeper:
        return Timekeeper(lambda: self.wall, lambda: self.seconds)

    def clock(self) -> Callable[[], datetime]:
        """A timekeeper that threads may use."""
        now = self.timekeeper()

        def read() -> datetime:
            with self.moving:
                return now()

        return read


@pytest.fixture
def machine() -> Machine:
    return Machine()


def test_time_that_passes_is_told_as_the_wall_clock_has_it(machine: Machine) -> None:
    now = machine.timekeeper()
    for _ in range(100):
        machine.passes(hour)
        machine.wall += second
        assert now() == machine.wall
    assert not now.doubts


def test_a_suspended_machine_has_not_leapt(machine: Machine) -> None:
    now = machine.timekeeper()
    machine.passes(9 * day)
    assert now() == machine.wall


@pytest.mark.parametrize("leap", [40 * day, -40 * day, SLACK + second])
def test_a_leap_that_is_put_right_never_was(machine: Machine, leap: timedelta) -> None:
    now = machine.timekeeper()
    machine.wall += leap
    for _ in range(8):
        machine.passes(second)
        assert now() == machine.wall - leap
        assert now.doubts
    machine.wall -= leap
    assert now() == machine.wall
    assert not now.doubts


@pytest.mark.parametrize("leap", [40 * day, -40 * day])
def test_a_leap_that_lasts_is_believed(machine: Machine, leap: timedelta) -> None:
    now = machine.timekeeper()
    machine.wall += leap
    assert now() == machine.wall - leap
    machine.passes(BELIEVED_AFTER)
    assert now() == machine.wall
    machine.passes(second)
    assert now() == machine.wall


def test_a_clock_that_leaps_on_and_on_is_not_believed(machine: Machine) -> None:
    now = machine.timekeeper()
    for number in range(1, 50):
        machine.wall += hour
        machine.passes(minute)
        assert now() == machine.wall - number * hour


@pytest.fixture
def club(new_house: Callable[..., House], monkeypatch: pytest.MonkeyPatch) -> House:
    """alice and bob at board 101 with three days a move; the server looks for due work without a pause."""
    monkeypatch.setattr(server_module, "_AGENDA_SECONDS", 0.0)
    monkeypatch.setattr(server_module, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(service_module, "DOUBTED", timedelta())
    house = new_house()
    house.players("alice", "bob")
    house.game("cross -size=4 --clock=3d alice bob", ["D4", "C3"])
    return house


def match_of(house: House) -> Match:
    with house.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    return match


def serving(house: House, folder: Path, work: Callable[[], None]) -> None:
    async def run() -> None:
        server = Server(house.service, None, Maildir(folder), DeliverySettings(poll_seconds=0.05))
        await server.start()
        try:
            await asyncio.to_thread(work)
        finally:
            await server.stop()

    asyncio.run(run())


def done(of: object, name: str, times: int) -> None:
    """Wait until the server has done something this many times more."""
    real, number = getattr(of, name), 0

    def do(*words: object) -> object:
        nonlocal number
        found = real(*words)
        number += 1
        return found

    setattr(of, name, do)
    wait_until(lambda: number >= times)
    setattr(of, name, real)


def looked_for(house: House, times: int = 20) -> None:
    """Wait until the server has looked this many times for due work."""
    done(house.service.agenda, "run", times)


def test_a_wall_clock_forty_days_ahead_for_eight_seconds_ends_no_game(
    club: House, machine: Machine, tmp_path: Path
) -> None:
    machine.wall = club.now
    club.service.store.clock = machine.clock()
    before = match_of(club)

    def work() -> None:
        looked_for(club)
        for _ in range(8):
            machine.wall += 40 * day
            machine.passes(second)
            looked_for(club, 5)
            machine.wall -= 40 * day
        looked_for(club)

    serving(club, tmp_path, work)
    assert match_of(club).clock == before.clock
    assert list(tmp_path.glob("*/new/*Your time*")) == []


def test_a_server_that_starts_with_a_clock_that_is_ahead_forgets_and_does_nothing_by_itself(
    club: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Not before it is clear that the server really was away for so long."""
    monkeypatch.setattr(service_module, "DOUBTED", 15 * minute)
    club.service.beat()
    with club.service.store.write() as tx:
        tx.tickets.issue("ticket", "reset", "alice", club.now, club.now + day, None, {})
        tx.agenda.put("erase", 1, club.now + 7 * day)

    def is_there(at: datetime) -> bool:
        with club.service.store.read() as tx:
            erased = tx.players.find("alice") is None
            assert (tx.tickets.find("ticket", at) is None) is erased
            return not erased

    right = club.now
    club.now += 400 * day
    serving(club, tmp_path, lambda: done(club.service, "handle", 20))
    assert is_there(right)
    club.service.beat()
    club.now += 16 * minute
    serving(club, tmp_path, lambda: looked_for(club, 2))
    assert not is_there(right)


@pytest.mark.parametrize("it_can_tell", [False, True])
def test_who_slept_with_their_machine_loses_no_game(
    club: House, machine: Machine, tmp_path: Path, *, it_can_tell: bool
) -> None:
    """Whether the machine can tell how long it slept, or its clock only seems to have leapt."""
    began = machine.wall = club.now
    club.service.store.clock = machine.clock()
    deadline = match_of(club).clock.deadline(match_of(club).calendars)  # type: ignore[union-attr]

    def work() -> None:
        looked_for(club)
        if it_can_tell:
            machine.passes(9 * day)
        else:
            machine.wall += 9 * day
        looked_for(club)
        machine.passes(BELIEVED_AFTER)
        looked_for(club)

    serving(club, tmp_path, work)
    match = match_of(club)
    assert match.result is None
    assert match.clock is not None
    assert match.clock.overrun_at is None
    assert deadline is not None
    late = match.clock.deadline(match.calendars)
    assert late is not None
    assert deadline + 9 * day <= late <= deadline + 9 * day + 2 * BELIEVED_AFTER
    with club.service.store.read() as tx:
        outage, *_ = tx.absences.of(None, StopKind.OUTAGE, began)
    assert outage.stop.starts_at == began


def test_a_clock_that_was_ahead_for_long_and_is_put_right_stops_nobodys_clock_for_long(
    club: House, tmp_path: Path
) -> None:
    """As when the server was started with a wrong clock, which it had to believe."""
    club.service.beat()
    club.now += 40 * day
    club.service.beat()
    club.answer("alice", "E4", 101)
    club.now -= 40 * day
    club.service.beat()
    match = match_of(club)
    assert match.clock is not None
    assert match.clock.deadline(match.calendars) == club.now + 3 * day
    with club.service.store.read() as tx:
        assert all(each.stop.ends_at <= club.now for each in tx.absences.of(None, StopKind.OUTAGE, START))  # type: ignore[operator]
        assert tx.outbox.next_at() is None or tx.outbox.next_at() <= club.now  # type: ignore[operator]


def test_a_command_while_the_clock_is_ahead_begins_no_turn_in_the_future(club: House) -> None:
    club.service.beat()
    right = club.now
    club.now += 40 * day
    club.service.store.signature = LogLine(club.now, "root", "board move 101 alice E4")
    Arbiter(club.service).move(101, "alice", "E4")
    club.now = right + 3 * minute
    for _ in range(2):
        club.service.beat()
        match = match_of(club)
        assert match.clock is not None
        assert match.clock.deadline(match.calendars) == right + 3 * minute + 3 * day
        club.now += minute
    with club.service.store.read() as tx:
        assert tx.acts.newest_at() == right + 3 * minute


def test_the_time_to_choose_is_not_over_while_the_server_was_away(club: House) -> None:
    club.service.beat()
    club.wait(3 * day)
    club.service.beat()
    club.now += 40 * day
    club.service.beat()
    club.sleep(hour)
    assert match_of(club).result is None
    club.sleep(8 * day)
    assert match_of(club).result is not None


def test_what_is_due_when_the_server_is_back_tells_of_no_outage_that_is_over(club: House, tmp_path: Path) -> None:
    """However little time passes between two things that the server does."""
    club.service.beat()
    club.send("alice", "hex seek alice alicepass -size=4 --robot")
    club.now += 25 * hour
    ticks = count()
    club.service.store.clock = lambda: club.now + timedelta(microseconds=next(ticks))
    serving(club, tmp_path, lambda: looked_for(club, 2))
    (mail,) = (mail for mail in club.collect() if "seek 1 of alice" in " ".join(mail.body.split()))
    assert "no clock runs" not in mail.body
