"""Moves that are held: checked at once, told to nobody, played once, and until then free to be taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest

from pbm.server.arbiter import Arbiter
from tests.conversation import Got, House
from tests.features.test_play import intents, moves, one, said

MINUTE = timedelta(minutes=1)


@pytest.fixture
def slow(table: House) -> House:
    """bob is to move, and bob's moves wait for ten minutes."""
    table.answer("bob", "set hold 10m", 101, vouched=True)
    table.collect()
    return table


def addresses(mails: list[Got]) -> list[str]:
    return [got.address for got in mails]


def test_a_move_waits_and_is_played_once(slow: House) -> None:
    (got,) = slow.answer("bob", "D5\nHello!", 101)
    assert "D5 waits until Thu 1 Jan 12:1" in got.body
    assert moves(slow) == ["D4"]
    assert slow.wait(9 * MINUTE) == []
    mails = slow.wait(2 * MINUTE)
    assert moves(slow) == ["D4", "D5"]
    assert addresses(mails) == ["alice@example.net", "bob@example.net"]
    assert ["Hello!" in got.body for got in mails] == [True, False]
    assert slow.wait(60 * MINUTE) == []
    assert intents(slow) == []


def test_after_a_downtime_it_is_played_once(slow: House) -> None:
    slow.answer("bob", "D5", 101)
    assert len(slow.sleep(timedelta(days=3))) == 2
    assert slow.sleep(timedelta(days=3)) == []
    assert moves(slow) == ["D4", "D5"]


def test_a_move_that_was_cancelled_is_not_played(slow: House) -> None:
    slow.answer("bob", "D5\nHello!", 101)
    assert "D5 is taken back; nobody has heard of it." in one(slow.answer("bob", "cancel", 101))
    assert slow.wait(60 * MINUTE) == []
    assert moves(slow) == ["D4"]
    assert "nothing of yours waits there" in one(slow.answer("bob", "cancel", 101))


def test_it_is_too_late_to_cancel_what_was_played(slow: House) -> None:
    slow.answer("bob", "D5", 101)
    slow.wait(11 * MINUTE)
    before = slow.dump()
    told = one(said(slow, "bob", "cross cancel 101 {}"))
    assert "D5 was played on Thu 1 Jan 12:1" in told
    assert "it is too late" in told
    assert slow.dump() == before


def test_another_move_takes_its_place_and_its_time_runs_anew(slow: House) -> None:
    slow.answer("bob", "D5\nfirst", 101)
    slow.wait(5 * MINUTE)
    assert "It takes the place of D5." in one(slow.answer("bob", "D6\nsecond", 101))
    assert slow.wait(8 * MINUTE) == []
    mails = slow.wait(3 * MINUTE)
    assert moves(slow) == ["D4", "D6"]
    assert "second" in mails[0].body
    assert "first" not in mails[0].body


def test_what_is_not_legal_is_refused_at_once(slow: House) -> None:
    before = slow.dump()
    for text in ("D4", "zebra", "D5#7", "D5\nif D4: C3", "pass"):
        (got,) = slow.answer("bob", text, 101)
        assert got.refuses
    assert slow.dump() == before


@pytest.mark.parametrize(("text", "record"), [("swap", ["D4", "swap"]), ("resign!", ["D4"])])
def test_swap_and_resign_wait_as_well(text: str, record: list[str], slow: House) -> None:
    (got,) = slow.answer("bob", text, 101)
    assert "waits until" in got.body
    assert moves(slow) == ["D4"]
    assert len(slow.wait(11 * MINUTE)) == 2
    assert moves(slow) == record
    with slow.service.store.read() as tx:
        match = tx.matches.load(101)
        assert match is not None
        assert (match.result is not None) == (text == "resign!")


def test_a_plan_waits_with_its_move(slow: House) -> None:
    slow.answer("bob", "D5\nif C4: C5, then if any: C6", 101)
    assert intents(slow) == ["hold 2 D5#2\nif C4: C5, then if any: C6"]
    slow.wait(11 * MINUTE)
    assert intents(slow) == ["plan 2 if C4: C5, then if any: C6#3"]
    slow.answer("alice", "C4", 101)
    assert moves(slow) == ["D4", "D5", "C4", "C5*"]


def test_a_move_that_waited_meets_a_plan_of_the_opponent(slow: House) -> None:
    said(slow, "alice", "cross plan 101 {} if D5: C4")
    assert len(slow.answer("bob", "D5", 101)) == 1
    slow.wait(11 * MINUTE)
    assert moves(slow) == ["D4", "D5", "C4*"]


def test_what_is_confirmed_or_queued_does_not_wait(slow: House) -> None:
    slow.answer("bob", "submit D5", 101)
    slow.answer("bob", "confirm", 101)
    assert moves(slow) == ["D4", "D5"]
    slow.answer("bob", "queue C5", 101)
    slow.answer("alice", "C4", 101)
    assert moves(slow) == ["D4", "D5", "C4", "C5*"]


def test_a_confirmed_move_drops_the_one_that_waits(slow: House) -> None:
    slow.answer("bob", "D5", 101)
    slow.answer("bob", "submit D6", 101)
    mails = slow.answer("bob", "confirm", 101)
    (got,) = [got for got in mails if "bob" in got.address]
    assert "Your move D5, which waited, was dropped: D6 was played." in " ".join(got.body.split())
    assert slow.wait(60 * MINUTE) == []
    assert moves(slow) == ["D4", "D6"]


def test_an_undo_drops_what_waits_with_a_word(slow: House) -> None:
    slow.answer("alice", "undo", 101)
    slow.answer("bob", "D5", 101)
    mails = slow.answer("bob", "accept", 101)
    (got,) = [got for got in mails if "bob" in got.address]
    assert "Your move D5, which waited, was dropped: A ply was taken back." in " ".join(got.body.split())
    assert slow.wait(60 * MINUTE) == []
    assert moves(slow) == []


def test_the_end_of_the_game_drops_what_waits_with_a_word(slow: House) -> None:
    slow.answer("alice", "propose", 101)
    slow.answer("bob", "D5", 101)
    mails = slow.answer("bob", "accept", 101)
    assert ["which waited, was" in " ".join(got.body.split()) for got in mails] == [False, True]
    assert slow.wait(60 * MINUTE) == []


def test_the_operator_plays_at_once(slow: House) -> None:
    slow.answer("bob", "D5", 101)
    Arbiter(slow.service).move(101, "bob", "D6")
    (got,) = [got for got in slow.collect() if "bob" in got.address]
    assert "Your move D5, which waited, was dropped: D6 was played." in " ".join(got.body.split())
    assert slow.wait(60 * MINUTE) == []


def test_nobody_hears_of_what_waits(slow: House) -> None:
    slow.player("carol", form="both")
    said(slow, "carol", "cross subscribe 101 {}")
    slow.answer("bob", "D5\nHello!", 101)
    told = said(slow, "carol", "cross show 101") + said(slow, "alice", "cross showas {} 101")
    assert all("D5" not in got.body.replace("D5\n", "") and "waits" not in got.body for got in told)
    assert all("Hello!" not in got.body for got in told)


def test_the_clock_runs_until_the_move_was_sent(slow: House) -> None:
    board = slow.game("cross -size=4 --clock=2h bob alice")
    slow.wait(60 * MINUTE)
    slow.answer("bob", "D4", board)
    slow.wait(11 * MINUTE)
    with slow.service.store.read() as tx:
        match = tx.matches.load(board)
        assert match is not None
        (ply,) = match.record
        assert ply.time_left is not None
        assert 58 <= ply.time_left / 60_000_000 <= 60
        assert match.clock is not None
        assert match.clock.deadline_at is not None
        assert match.clock.deadline_at - ply.played_at == timedelta(hours=2)


def test_a_move_does_not_wait_until_its_players_time_is_up(slow: House) -> None:
    slow.answer("bob", "set hold 3h", 101, vouched=True)
    board = slow.game("cross -size=4 --clock=2h bob alice")
    slow.wait(60 * MINUTE)
    slow.answer("bob", "D4", board)
    slow.sleep(timedelta(hours=5))
    assert moves(slow, board) == ["D4"]
    with slow.service.store.read() as tx:
        match = tx.matches.load(board)
        assert match is not None
        assert match.result is None


def test_a_move_that_waits_is_played_before_time_is_called(slow: House) -> None:
    slow.answer("bob", "set hold 24h", 101, vouched=True)
    slow.wait(timedelta(days=20, hours=23))
    slow.answer("bob", "vacation 3d", 101, vouched=True)
    slow.answer("bob", "D5", 101)
    slow.answer("bob", "vacation end", 101, vouched=True)
    assert "D5" not in moves(slow)
    mails = slow.wait(timedelta(hours=2))
    assert moves(slow)[-1] == "D5"
    assert all("time is up" not in got.body and "void" not in got.body for got in mails)


def test_an_offer_does_not_overtake_a_move_that_waits(slow: House) -> None:
    slow.answer("bob", "D5", 101)
    before = slow.dump()
    assert "D5 still waits to be played" in one(slow.answer("bob", "propose", 101))
    assert slow.dump() == before


@pytest.mark.parametrize("value", ["0", "off", "OFF", "none"])
def test_it_can_be_switched_off(value: str, slow: House) -> None:
    assert "hold is now off" in one(slow.answer("bob", f"set hold {value}", 101, vouched=True))
    slow.answer("bob", "D5", 101)
    assert moves(slow) == ["D4", "D5"]


@pytest.mark.parametrize("value", ["25h", "30s", "10", "soon", "2d"])
def test_times_out_of_range_are_refused(value: str, slow: House) -> None:
    before = slow.dump()
    (got,) = said(slow, "bob", f"set {{}} hold {value}")
    assert got.refuses
    assert slow.dump() == before
