"""One side to move twice in a row, in Dots and Boxes: clocks, queue, plans, undo, reminders, ratings."""

from __future__ import annotations

from datetime import timedelta

import pytest

from games import GAMES
from pbm.domain.match import replay
from pbm.domain.spans import DAY
from tests.conversation import House, address_of
from tests.features.test_play import intents, moves, one, said

BEFORE = ["a1-b1", "a1-a2", "a2-b2"]
"""Two by two boxes: bob is to move, closes a box with b1-b2, and moves again."""
CLOSING = "b1-b2"
MINUTE = DAY // 1440


@pytest.fixture
def dots(house: House) -> House:
    house.players("alice", "bob")
    house.game("dots -columns=2 -rows=2 --clock=10d+1d alice bob", BEFORE)
    return house


def clock_of(house: House):
    with house.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.clock is not None
    return match.clock, match.record


def test_the_clock_runs_on_for_who_moves_again_and_each_ply_earns_its_time(dots: House) -> None:
    before, _ = clock_of(dots)
    dots.wait(timedelta(days=2) - timedelta(minutes=1))
    dots.answer("bob", CLOSING, 101)
    clock, record = clock_of(dots)
    assert clock.seat == 2
    assert clock.left == (before.left[0], before.left[1] - 2 * DAY + DAY)
    assert [ply.seat for ply in record] == [1, 2, 1, 2]
    dots.answer("bob", "c2-c3", 101)
    later, record = clock_of(dots)
    assert later.seat == 1
    assert record[-1].time_left == clock.left[1] - MINUTE
    assert later.left == (before.left[0], clock.left[1] - MINUTE + DAY)


def test_who_must_move_again_gets_the_board_and_the_other_hears_of_it(dots: House) -> None:
    told = {got.address: one([got]) for got in dots.answer("bob", CLOSING, 101)}
    assert "It is your turn: you are Blue, and ply 5 is next." in told[address_of("bob")]
    assert "bob played b1-b2. It is bob's turn (Blue), at ply 5." in told[address_of("alice")]
    assert "It is not your turn: bob is to move." in one(dots.answer("alice", "c2-c3", 101))


def test_what_is_queued_waits_until_the_other_side_has_done(dots: House) -> None:
    said(dots, "alice", "dots queue 101 {} c1-c2")
    dots.answer("bob", CLOSING, 101)
    assert intents(dots) == ["queue 1 c1-c2"]
    dots.answer("bob", "c2-c3", 101)
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3", "c1-c2*"]


def test_a_plan_names_the_last_move_before_ones_own(dots: House) -> None:
    refusal = one(said(dots, "alice", "dots plan 101 {} if b1-b2: c1-c2"))
    assert "bob moves again after b1-b2: name that move, too, as in" in refusal
    dots.answer("bob", CLOSING, 101)
    said(dots, "alice", "dots plan 101 {} if c2-c3: b1-c1; if any: a2-a3")
    dots.answer("bob", "c2-c3", 101)
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3", "b1-c1*"]


def test_a_plan_goes_past_a_closed_box(dots: House) -> None:
    said(dots, "alice", "dots plan 101 {} if b1-b2, c3-c2: b1-c1, then if c1-c2: b2-c2, a2-a3")
    dots.answer("bob", CLOSING, 101)
    assert moves(dots) == [*BEFORE, CLOSING]
    dots.answer("bob", "c2-c3", 101)
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3", "b1-c1*"]
    dots.answer("bob", "c1-c2", 101)
    assert moves(dots)[-3:] == ["c1-c2", "b2-c2*", "a2-a3*"]


@pytest.mark.parametrize(
    "text",
    [
        "b1-b2, c2-c3\nif b1-c1: c1-c1",
        "b1-b2\nc2-c3\nif b1-c1: c1-c1",
        "b1-b2, c2-c3\nif b1-c1: c1-c2, b3-c3",
        "b1-b2, c2-c3\nif zz: c1-c2",
        "b1-b2 c2-c3\nif zz:",
        "b1-b2\nc2-c3\n\nif b1-c1, zz: c1-c2",
        "b1-b2\nc2-c3\nif b1-c1: zz",
    ],
)
def test_of_two_plies_with_a_plan_that_fails_nothing_is_told_as_played(dots: House, text: str) -> None:
    mails = dots.answer("bob", text, 101)
    assert moves(dots) == BEFORE
    assert [(got.address, got.refuses) for got in mails] == [("bob@example.net", True)]
    assert CLOSING not in moves(dots)
    dots.answer("bob", CLOSING, 101)
    assert moves(dots) == [*BEFORE, CLOSING]


def test_a_plan_answers_with_two_plies_of_one_turn(dots: House) -> None:
    said(dots, "alice", "dots plan 101 {} if c2-c3: b1-b2 a2-a3, then if any: c1-c2")
    dots.answer("bob", "c2-c3", 101)
    assert moves(dots) == [*BEFORE, "c2-c3", "b1-b2*", "a2-a3*"]
    dots.answer("bob", "b1-c1", 101)
    assert moves(dots)[-1] == "c1-c2*"


def test_a_plan_with_a_ply_of_the_other_side_in_a_turn_is_refused(dots: House) -> None:
    assert '"a2-a3" is one ply too many: the turn is over with c1-c2.' in one(
        said(dots, "alice", "dots plan 101 {} if c2-c3: c1-c2, a2-a3")
    )


def test_a_plan_for_another_turn_is_dropped_and_told(dots: House) -> None:
    said(dots, "alice", "dots plan 101 {} if c2-c3: c1-c2")
    dots.answer("bob", CLOSING, 101)
    (got,) = [got for got in dots.answer("bob", "c2-c3", 101) if got.address == address_of("alice")]
    assert "Your plan was dropped: bob played b1-b2, c2-c3, and it has no answer to that." in one([got])


def test_a_plan_below_a_move_after_which_one_moves_again_is_refused(dots: House) -> None:
    assert "You move again then" in one(dots.answer("bob", f"{CLOSING}\nif c1-c2: c2-c3", 101))
    assert moves(dots) == BEFORE
    planned = one(said(dots, "alice", "dots plan 101 {} if c2-c3: b1-b2, then if c1-c2: a2-a3"))
    assert "you move again after b1-b2, so no plan can come after it." in planned


def test_each_ply_is_taken_back_by_itself(dots: House) -> None:
    dots.answer("bob", CLOSING, 101)
    dots.answer("bob", "c2-c3", 101)
    for left in ([*BEFORE, CLOSING], BEFORE):
        dots.answer("bob", "undo", 101)
        dots.answer("alice", "accept", 101)
        assert moves(dots) == left
        assert clock_of(dots)[0].seat == 2


def test_a_gift_stays_with_its_seat_while_the_giver_moves_twice(house: House) -> None:
    house.players("alice", "bob")
    house.game("dots -columns=2 -rows=2 --clock=10d+0d,move=2d alice bob", BEFORE)
    dots = house
    dots.answer("bob", "give 3d", 101)
    dots.answer("bob", CLOSING, 101)
    assert clock_of(dots)[0].turn_left == 2 * DAY
    got = {got.address: one([got]) for got in dots.answer("bob", "c2-c3", 101)}
    assert clock_of(dots)[0].turn_left == 5 * DAY
    assert "Clock alice 5d for this move, 13d in all" in got[address_of("alice")]


def test_on_ones_own_turn_undo_takes_back_ones_last_ply_and_what_followed(dots: House) -> None:
    asked = one(dots.answer("bob", "undo", 101)[:1])
    assert "bob asks to take back plies 2 and 3, from a1-a2 on." in asked
    assert "Plies 2 and 3, from a1-a2 on, are taken back: you agreed." in one(dots.answer("alice", "accept", 101)[:1])
    assert moves(dots) == BEFORE[:1]


def test_who_is_to_move_again_is_reminded_and_loses_on_time(dots: House) -> None:
    dots.answer("bob", CLOSING, 101)
    reminded = dots.wait(timedelta(days=30))
    assert {got.address for got in reminded if "time is up" in one([got]).casefold()} >= {address_of("bob")}


def test_lines_with_the_boards_number_play_one_after_the_other(dots: House) -> None:
    said(dots, "bob", "multiple", f"dots move 101 bob bobpass {CLOSING}\ndots move 101 bob bobpass c2-c3")
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3"]


@pytest.mark.parametrize(
    "text",
    [
        "b1-b2\nc2-c3",
        "b1-b2\n\nC3 C2\n",
        "b1-b2, c2-c3",
        "B1-B2 C2-C3",
        "b1b2; c2 c3",
        "b1-b2 and then c2-c3",
        "b1-b2 then c2-c3",
    ],
)
@pytest.mark.parametrize("rest", ["", "\nA box for me!"])
def test_all_moves_of_a_turn_may_be_written_at_once(dots: House, text: str, rest: str) -> None:
    told = {got.address: one([got]) for got in dots.answer("bob", f"{text}{rest}", 101)}
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3"]
    assert "bob played b1-b2. bob played c2-c3." in told[address_of("alice")]
    assert ("bob writes: A box for me!" in told[address_of("alice")]) == bool(rest)
    assert told[address_of("alice")].count("c2-c3") == 2, "as an event and in the record, not as words"


def test_moves_of_a_turn_may_stand_below_the_number_of_their_board(dots: House) -> None:
    told = {got.address: one([got]) for got in dots.answer("bob", f"101 {CLOSING}\nc2-c3\nWell!", 101)}
    assert moves(dots) == [*BEFORE, CLOSING, "c2-c3"]
    assert "bob writes: Well!" in told[address_of("alice")]


def test_a_turn_is_played_wholly_or_not_at_all(dots: House) -> None:
    refusal = one(dots.answer("bob", f"{CLOSING}\n{CLOSING}", 101))
    assert "Not played: The line b1-b2 is drawn already." in refusal
    assert moves(dots) == BEFORE


def test_a_move_below_the_last_one_of_a_turn_is_asked_about(dots: House) -> None:
    told = one(dots.answer("bob", "c2-c3\nb1-b2", 101))
    assert "Your email may mean c2-c3 or b1-b2, so nothing is done." in told
    assert moves(dots) == BEFORE


def test_of_moves_that_wait_there_is_one(dots: House) -> None:
    said(dots, "bob", "set bob bobpass hold 1h")
    assert "Send b1-b2 by itself." in one(dots.answer("bob", f"{CLOSING}\nc2-c3", 101))
    assert moves(dots) == BEFORE


def test_the_game_counts_once_both_have_moved_however_often_one_has(house: House) -> None:
    house.players("alice", "bob")
    house.game("dots -columns=2 -rows=2 alice bob", ["a1-b1"])
    said(house, "bob", "dots resign 101 {}")
    assert "The game is void" in one(house.mailboxes[address_of("alice")][-1:])


def test_a_game_to_its_end_is_rated_and_told_with_its_scores(dots: House) -> None:
    rest = ["b1-b2", "b1-c1", "c1-c2", "b2-c2", "a2-a3", "a3-b3", "b2-b3", "b3-c3", "c2-c3"]
    for line in rest:
        with dots.service.store.read() as tx:
            match = tx.matches.load(101)
        assert match is not None
        state = replay(GAMES["dots"], match.options, "", [ply.notation for ply in match.record])
        mails = dots.answer(match.player(state.to_move).userid, line, 101)
    assert "on boxes" in one(mails[:1])
    assert "rating went" in one(mails[:1])
