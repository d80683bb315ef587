"""A clock that was ahead for days, as of a machine started with a wrong one: once it is right nothing is stuck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from pbm.domain.configuration import Limits
from pbm.server import Settings
from pbm.server.guard import Costs
from pbm.server.guesses import LOGIN, Gate, went_wrong
from pbm.store.house import BACKED_UP, LISTENS
from pbm.store.tickets import Key
from tests.conversation import ROBOT, START, House

day, hour = timedelta(days=1), timedelta(hours=1)
AHEAD = 400 * day
NewHouse = Callable[..., House]
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def club(new_house: NewHouse) -> House:
    house = new_house(settings=Settings(ROBOT, Limits(answers_per_hour=5)))
    for userid in ("alice", "bob"):
        house.player(userid)
    house.service.beat()
    return house


@contextmanager
def ahead(house: House) -> Iterator[None]:
    """What is done within is done long before its time."""
    house.now += AHEAD
    house.service.beat()
    yield
    house.service.beat()
    house.now -= AHEAD
    house.service.beat()


@pytest.mark.parametrize("restarted", [False, True])
def test_answers_of_the_future_do_not_count_for_ever(club: House, *, restarted: bool) -> None:
    with ahead(club):
        for _ in range(4):
            club.send("alice", "help cross")
    if restarted:
        club.service.handler.throttle.forget()
    for _ in range(12):
        club.now += 2 * hour
        (got,) = club.send("alice", "help cross")
        assert got["Subject"] != "pbm: no answers for a while"


def test_computing_of_the_future_does_not_count_for_ever() -> None:
    costs = Costs(lambda: 10.0)
    costs.charge(["alice"], 8, START + AHEAD)
    costs.charge(["alice"], 8, START)
    assert costs.used_up_until(["alice"], START) is None


def test_wrong_passwords_of_the_future_lock_nobody(club: House) -> None:
    keys, limits = [Key(LOGIN, "alice")], club.service.settings.limits
    with ahead(club), club.service.store.write() as tx:
        for _ in range(5):
            went_wrong(tx, limits, keys)
        assert Gate(tx, limits).closed_until(keys) is not None
    with club.service.store.read() as tx:
        assert Gate(tx, limits).closed_until(keys) is None


def test_what_was_noted_ahead_of_its_time_passes_for_nothing_later(club: House) -> None:
    """Else nobody would be told for a year that no copy is made any more, or that a server is down."""
    with ahead(club), club.service.store.write() as tx:
        tx.absences.note(BACKED_UP, club.now)
        tx.absences.note(LISTENS, club.now)
    with club.service.store.read() as tx:
        assert tx.absences.noted(BACKED_UP) == tx.absences.noted(LISTENS) == club.now


def test_a_daily_mail_goes_on(club: House) -> None:
    club.game("cross -size=4 --clock=5d alice bob", ["D4"])
    club.send("bob", "set digest 08:00", Authentication_Results=VOUCHED)
    with ahead(club):
        club.wait(day)
    got = club.wait(3 * day)
    assert [each["Subject"] for each in got if each.address == "bob@example.net"] == [
        f"pbm: 1 board waiting for you, {number} January" for number in (2, 3, 4, 5)
    ]


def test_a_move_that_waits_is_played(club: House) -> None:
    club.game("cross -size=4 alice bob", ["D4"])
    club.send("bob", "set hold 10m", Authentication_Results=VOUCHED)
    with ahead(club):
        club.answer("bob", "C3", 101)
    club.wait(hour)
    with club.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert [ply.notation for ply in match.record] == ["D4", "C3"]
