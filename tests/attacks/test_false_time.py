"""A clock that was ahead for days, as after a start with a wrong one: once it is right, nothing is stuck."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from random import Random

import pytest

from pbm.core.limits import Act, Memory, Pool, Whose, excess, spend
from pbm.domain.calendars import StopKind
from pbm.domain.configuration import Limits
from pbm.domain.match import Match
from pbm.server import Settings
from pbm.server.rows import end_halt, halt
from pbm.store.house import BACKED_UP, LISTENS
from pbm.store.pulse import HEARTBEAT
from tests.conversation import ROBOT, START, House

day, hour, minute = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
AHEAD = 400 * day
NewHouse = Callable[..., House]
VOUCHED = "mx.example.org; dkim=pass header.d=example.net"


@pytest.fixture
def club(new_house: NewHouse) -> House:
    house = new_house(settings=Settings(ROBOT, Limits(answers_per_hour=5)))
    house.players("alice", "bob", "carol")
    house.service.beat()
    return house


@contextmanager
def ahead(house: House, by: timedelta = AHEAD) -> Iterator[None]:
    """Within it the clock is ahead, and whatever is done is done too early."""
    house.now += by
    house.service.beat()
    yield
    house.service.beat()
    house.now -= by
    house.service.beat()


def test_answers_of_the_future_do_not_count_for_ever(club: House) -> None:
    with ahead(club):
        for _ in range(4):
            club.send("alice", "help cross")
    for _ in range(12):
        club.now += 2 * hour
        (got,) = club.send("alice", "help cross")
        assert got["Subject"] != "pbm: no answers for a while"


def test_computing_of_the_future_does_not_count_for_ever() -> None:
    book, limits, whose = Memory(), Limits(computing_seconds_per_hour=10), Whose(author="alice")
    for now in (START + AHEAD, START):
        spend(book, limits, now, Act.COMPUTING, whose, parts=80)
    assert excess(book, limits, START, Act.COMPUTING, whose) is None


def test_wrong_passwords_of_the_future_lock_nobody(club: House) -> None:
    whose, limits = Whose(Pool.UNPROVEN, account="alice"), club.service.tools.limits
    with ahead(club), club.service.store.write() as tx:
        for _ in range(5):
            spend(tx.guesses, limits, tx.now, Act.LOGIN, whose)
        assert excess(tx.guesses, limits, tx.now, Act.LOGIN, whose) is not None
    with club.service.store.read() as tx:
        assert excess(tx.guesses, limits, tx.now, Act.LOGIN, whose) is None


def test_what_was_noted_ahead_of_its_time_passes_for_nothing_later(club: House) -> None:
    """Otherwise nobody would be told for a year that backups have stopped or that a server is down."""
    with ahead(club), club.service.store.write() as tx:
        tx.absences.note(BACKED_UP, club.now)
        tx.absences.note(LISTENS, club.now)
    with club.service.store.read() as tx:
        assert tx.absences.noted(BACKED_UP) == tx.absences.noted(LISTENS) == club.now


@pytest.mark.parametrize("made_ahead", [False, True])
def test_no_answer_is_told_when_the_offer_runs_out(club: House, *, made_ahead: bool) -> None:
    club.send("bob", "set challenges ask", Authentication_Results=VOUCHED)
    if not made_ahead:
        club.send("alice", "cross challenge alice bob", Authentication_Results=VOUCHED)
    with ahead(club, 2 * day):
        club.now += hour
        if made_ahead:
            club.send("alice", "cross challenge alice bob", Authentication_Results=VOUCHED)
        club.now += hour
    assert not [got for got in club.wait(6 * day) if got["Subject"] == "pbm: no answer"]
    assert len([got for got in club.wait(40 * day) if got["Subject"] == "pbm: no answer"]) == 1


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


def match_of(house: House) -> Match:
    (match, *_) = matches_of(house)
    return match


def matches_of(house: House) -> list[Match]:
    with house.service.store.read() as tx:
        return list(filter(None, map(tx.matches.load, tx.matches.boards())))


@pytest.mark.parametrize(
    ("words", "limits"),
    [
        ("message carol", Limits(messages_per_day=1)),
        ("broadcast", Limits(messages_per_day=1)),
        ("cross challenge bob carol", Limits(challenges_per_day=1)),
        ("reset password carol", Limits(questions_per_day=1)),
    ],
)
def test_what_was_done_while_it_was_ahead_counts_for_a_day(words: str, limits: Limits, new_house: NewHouse) -> None:
    house = new_house(settings=Settings(ROBOT, limits))
    house.players("bob", "carol")
    house.game("cross -size=4 carol bob", ["D4"])
    house.now += 2 * day
    house.service.beat()

    def done() -> list[str]:
        return [got["Subject"] for got in house.send("bob", words, "Hello", Authentication_Results=VOUCHED)]

    with ahead(house):
        as_usual = done()
        assert done() != as_usual, "one too many"
    house.now += 2 * day
    assert len(done()) == len(as_usual)


def test_a_pause_lasts_no_longer(club: House) -> None:
    club.game("cross -size=4 --clock=5d alice bob", ["D4"])
    with ahead(club):
        club.answer("bob", "pause", 101)
        club.answer("alice", "accept", 101)
    club.wait(59 * day)
    clock = match_of(club).clock
    assert clock is not None
    assert clock.paused
    club.wait(2 * day)
    clock = match_of(club).clock
    assert clock is not None
    assert not clock.paused


def test_an_offer_of_a_draw_waits_no_longer(club: House) -> None:
    club.game("cross -size=4 --clock=200d alice bob", ["D4", "C3"])
    with ahead(club):
        club.answer("alice", "draw", 101)
    club.wait(22 * day)
    assert match_of(club).result is not None


def test_whoever_is_to_choose_has_their_days_and_no_more(club: House) -> None:
    club.game("cross -size=4 --clock=1d alice bob", ["D4", "C3"])
    with ahead(club):
        begun = club.now
        while (clock := match_of(club).clock) is not None and clock.overrun_at is None:
            club.now += 4 * minute
            club.service.beat()
            club.service.agenda.run()
        club.now, lasted = begun, club.now - begun
    club.now += lasted
    club.service.beat()
    club.wait(6 * day)
    assert match_of(club).result is None
    club.wait(2 * day)
    result = match_of(club).result
    assert result is not None
    assert result.winner == 2


def test_a_player_who_wants_to_be_erased_is(club: House) -> None:
    with ahead(club):
        club.send("bob", "erase me bob bobpass")
    club.wait(6 * day)
    with club.service.store.read() as tx:
        assert tx.players.find("bob") is not None
    club.wait(2 * day)
    with club.service.store.read() as tx:
        assert tx.players.find("bob") is None


@pytest.mark.parametrize("made", ["before", "ahead"])
def test_a_tournament_goes_on(made: str, club: House) -> None:
    def create() -> None:
        club.send("alice", "tournament create cup round-robin cross alice alicepass -players=3 -size=3 --clock=5d")

    if made == "before":
        create()
    with ahead(club):
        if made == "ahead":
            create()
        for userid in ("alice", "bob", "carol"):
            club.send(userid, f"tournament join cup {userid} {userid}pass")
        club.wait(hour)
    club.wait(60 * day)
    (got,) = club.send("alice", "tournament show cup")
    assert "cup, round robin of Cross: over since" in got.body


def test_a_clock_that_is_behind_for_a_while_changes_no_date(club: House) -> None:
    """As on a machine without a battery, until it has asked for the time; and nobody's time is up then."""
    board = club.game("cross -size=4 --clock=5d alice bob", ["D4", "C3"])
    with club.service.store.read() as tx:
        before = tx.matches.load(board), tx.outbox.latest(None, 1)[0].created_at
    right = club.now
    club.now = right - 5000 * day
    for _ in range(30):
        club.service.beat()
        club.service.agenda.run()
        club.now += minute
    club.now = right + hour
    club.service.beat()
    club.service.agenda.run()
    with club.service.store.read() as tx:
        after = tx.matches.load(board), tx.outbox.latest(None, 1)[0].created_at
    assert after[1] == before[1]
    assert before[0] is not None
    assert after[0] is not None
    assert after[0].record == before[0].record
    assert [got["Subject"] for got in club.wait(hour) if got.address == "alice@example.net"] == []
    club.wait(3 * day)
    assert match_of(club).result is None
    clock = match_of(club).clock
    assert clock is not None
    assert clock.overrun_at is None


def test_a_round_of_a_tournament_is_not_over_because_the_server_was_away(club: House) -> None:
    """Nor because its clock was ahead for longer than a round lasts: nobody could play in that time."""
    club.send("alice", "tournament create cup round-robin cross alice alicepass -players=3 -size=3 --clock=60d")
    for userid in ("alice", "bob", "carol"):
        club.send(userid, f"tournament join cup {userid} {userid}pass")
    club.wait(hour)
    club.service.beat()
    club.now += 40 * day
    club.service.beat()
    club.wait(29 * day)
    assert match_of(club).result is None
    club.wait(day)
    result = match_of(club).result
    assert result is not None
    assert "has used more time: 30 days, and" in result.reason, "the days of the outage are not counted"


@pytest.mark.parametrize("clock", ["5d", "10d+1d"])
def test_a_board_that_was_looked_at_meanwhile_is_no_later_due(clock: str, club: House) -> None:
    """The time that the clock leapt over was given to its player, and must be taken back."""
    club.game(f"cross -size=4 --clock={clock} alice bob", ["D4", "C3"])
    with ahead(club):
        assert club.service.agenda.run()
    got = club.wait(12 * day)
    assert any("a reminder" in each.body for each in got)
    assert any("time is up" in each.body for each in got)


def live(house: House, time: timedelta) -> None:
    """Let time pass on a server that is up all the time."""
    house.wait(time)
    house.service.live([HEARTBEAT])
    if not house.service.beat():
        house.service.tidy()


def is_late(match: Match) -> bool:
    return match.result is not None or (match.clock is not None and match.clock.overrun_at is not None)


@pytest.mark.parametrize("clock", ["8d", "8d+1d"])
def test_outages_are_remembered_though_the_clock_was_ahead_for_years(clock: str, club: House) -> None:
    """They are old enough to be forgotten by the clock alone, not by the time that has passed."""
    club.game(f"cross -size=4 --clock={clock} alice bob", ["D4", "C3"])
    club.now += 30 * day
    club.service.beat()
    with ahead(club, 4000 * day):
        live(club, hour)
    live(club, 7 * day)
    assert not is_late(match_of(club))
    live(club, 3 * day)
    assert is_late(match_of(club))


def test_a_vacation_is_remembered_though_the_clock_was_ahead_for_years(club: House) -> None:
    club.game("cross -size=4 --clock=8d alice bob", ["D4", "C3"])
    club.send("alice", "vacation 3w", Authentication_Results=VOUCHED)
    with ahead(club, 4000 * day):
        live(club, hour)
    live(club, 28 * day)
    assert not is_late(match_of(club))
    live(club, 2 * day)
    assert is_late(match_of(club))


@pytest.mark.parametrize("kind", [StopKind.HALT, StopKind.MAINTENANCE])
@pytest.mark.parametrize("wrong", ["before", "after"])
def test_a_halt_lasts_until_it_is_lifted_though_the_clock_is_put_back(kind: StopKind, wrong: str, club: House) -> None:
    """Whether the clock was wrong when the operator stopped all clocks, or has been wrong since."""
    club.game("cross -size=4 --clock=1d alice bob", ["D4", "C3"])
    if wrong == "before":
        with ahead(club):
            halt(club.service.store, kind)
    else:
        halt(club.service.store, kind)
        club.now -= AHEAD
        club.service.beat()
    live(club, 26 * hour)
    with club.service.store.read() as tx:
        assert tx.absences.open(kind)
    assert not is_late(match_of(club))
    end_halt(club.service.store, kind)
    live(club, 25 * hour)
    assert is_late(match_of(club))


WRONG_BY = (hour, 12 * hour, 3 * day, 40 * day, 400 * day, 4000 * day)


@pytest.mark.parametrize("seed", range(3))
def test_whatever_the_clock_shows_players_have_their_days(seed: int, club: House) -> None:
    """It leaps every few hours, ahead or back, to a right or a wrong time, and at times the server is down."""
    dice, off_by, passed, trail = Random(seed), timedelta(), timedelta(), []
    for game in ("cross -size=4 --clock=8d alice bob", "cross -size=4 --clock=8d+1d bob carol"):
        club.game(game, ["D4", "C3"])
    while passed < 7 * day:
        lived, down = dice.choice((16 * minute, hour, 11 * hour)), dice.choice((0, 0, 10)) * minute
        live(club, lived)
        is_off_by = dice.choice((timedelta(), *WRONG_BY, *(-each for each in WRONG_BY)))
        club.now += down + is_off_by - off_by
        club.service.beat()
        club.service.agenda.run()
        passed, off_by = passed + lived + down, is_off_by
        trail.append((str(lived), str(down), str(off_by)))
        assert not any(map(is_late, matches_of(club))), trail
    club.now -= off_by
    club.service.beat()
    live(club, 10 * day)
    assert all(map(is_late, matches_of(club))), trail
