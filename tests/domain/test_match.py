"""A match: its record replayed, the swap as one of its plies, results told by seats."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import GAMES
from games.rules import GameError, IllegalMove, OptionError, Side
from pbm.domain.errors import NotAllowed
from pbm.domain.match import Ending, Match, Player, Ply, Record, State, other, replay

cross = GAMES["cross"]
SIZE = "-size=3"


def played(*notations: str) -> State:
    return replay(cross, [SIZE], "", notations)


@st.composite
def records(draw: st.DrawFn) -> tuple[str, ...]:
    """A sound record of Cross of any length up to the end, with or without a swap."""
    state, record = State.start(cross, [SIZE]), list[str]()
    for _ in range(draw(st.integers(0, 19))):
        legal = [cross.notate(state.position, move) for move in cross.moves(state.position)]
        choices = [*legal, *(["swap"] if state.may_swap else [])]
        if not choices:
            break
        state, notation = state.play(draw(st.sampled_from(choices)))
        record.append(notation)
    return tuple(record)


@settings(max_examples=60, deadline=None)
@given(records())
def test_a_record_replayed_gives_the_state_that_wrote_it(record: tuple[str, ...]) -> None:
    state = State.start(cross, [SIZE])
    for text in record:
        state, notation = state.play(text.lower())
        assert notation == text
    again = replay(cross, [SIZE], "", record)
    assert again.plies == state.plies == len(record)
    assert (again.position, again.last, again.before) == (state.position, state.last, state.before)
    assert (again.swapped, again.to_move, again.result) == (state.swapped, state.to_move, state.result)


@settings(max_examples=60, deadline=None)
@given(records())
def test_the_board_is_that_of_the_stones_whatever_was_swapped(record: tuple[str, ...]) -> None:
    """A swap leaves the position as it is and exchanges only the seats' sides."""
    state = played(*record)
    stones = [text for text in record if text != "swap"]
    assert state.position == played(*stones).position
    assert state.swapped == ("swap" in record)
    for seat in (1, 2):
        assert state.seat(state.side(seat)) == seat
        assert state.side_name(seat) == ("O" if (seat == 1) != state.swapped else "X")


@settings(max_examples=60, deadline=None)
@given(records())
def test_seats_take_turns(record: tuple[str, ...]) -> None:
    """Each ply, even a swap, passes the turn to the other seat."""
    state = State.start(cross, [SIZE])
    for ply, text in enumerate(record):
        assert state.to_move == 1 + ply % 2
        state, _ = state.play(text)


def test_a_swap_exchanges_the_sides_of_the_seats() -> None:
    state = played("C3", "swap")
    assert (state.side(1), state.side(2)) == (Side.SECOND, Side.FIRST)
    assert state.to_move == 1
    assert not state.may_swap


@pytest.mark.parametrize("spelling", ["swap", "SWAP", " Swap "])
def test_a_swap_is_read_in_any_case(spelling: str) -> None:
    assert played("C3").play(spelling)[1] == "swap"


def test_a_swap_comes_second_or_not_at_all() -> None:
    for record, reason in (
        ((), "nothing to swap yet"),
        (("C3", "swap"), "second ply"),
        (("C3", "B2"), "second ply"),
        (("C3", "B2", "A1"), "second ply"),
    ):
        with pytest.raises(NotAllowed, match=reason):
            played(*record).play("swap")


def test_a_game_without_swap_says_so() -> None:
    unswappable = next(game for game in GAMES.values() if not game.info.swap)
    with pytest.raises(NotAllowed, match="has no swap"):
        State.start(unswappable, []).play("swap")


def test_a_result_is_told_for_seats() -> None:
    """O connects C1 to C5, two opposite sides, and so loses; after a swap, O is seat 2."""
    losing = ["C3", "A1", "C2", "A3", "C1", "E5", "C4", "E3", "C5"]
    result = played(*losing).result
    assert result is not None
    assert (result.ending, result.winner) == (Ending.RULES, 2)
    swapped = played("C3", "swap", *losing[1:]).result
    assert swapped is not None
    assert swapped.winner == 1
    assert played(*losing[:-1]).result is None


def test_nobody_plays_after_the_end() -> None:
    over = played("C3", "A1", "C2", "A3", "C1", "E5", "C4", "E3", "C5")
    with pytest.raises(IllegalMove, match="over"):
        over.play("B2")


@pytest.mark.parametrize("record", [("C3", "C3"), ("Z9",), ("swap",), ("C3", "swap", "swap"), ("",)])
def test_a_record_that_is_not_sound_is_not_replayed(record: tuple[str, ...]) -> None:
    with pytest.raises((GameError, NotAllowed)):
        played(*record)


def test_options_that_do_not_fit_are_not_replayed() -> None:
    with pytest.raises(OptionError):
        replay(cross, ["-size=11"], "", ())


def test_a_match_knows_its_seats() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    alice, bob = Player(7, "alice"), Player(9, "bob")
    match = Match(101, "cross", 1, (SIZE,), "", (alice, bob), 0, Record(), now)
    assert (match.seat_of(7), match.seat_of(9), match.seat_of(8)) == (1, 2, None)
    assert [match.player(seat) for seat in (1, 2)] == [alice, bob]
    assert (other(1), other(2)) == (2, 1)
    assert match.moved_at == now
    later = datetime(2026, 1, 2, tzinfo=UTC)
    assert Match(101, "cross", 1, (), "", (alice, bob), 1, Record.of([Ply("C3", 1, later)]), now).moved_at == later
