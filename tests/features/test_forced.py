"""The only possible ply, played by the server: with plans, queues, clocks, undo, export and import."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from pbm.server.operator import Administration
from tests.conversation import House, address_of
from tests.features.test_export import exported
from tests.features.test_play import intents, moves, one, said

BEFORE = ["e4", "e5", "c2", "b4", "e6", "f6", "a4"]
"""Reversi of six rows: White, bob, is to move; after d6 Black, alice, cannot place a piece."""


@pytest.fixture
def squeezed(house: House) -> House:
    house.players("alice", "bob")
    house.game("reversi -size=6 alice bob", BEFORE)
    return house


def test_a_forced_pass_is_played_at_once_and_both_are_told(squeezed: House) -> None:
    mails = {got.address: one([got]) for got in squeezed.answer("bob", "d6", 101)}
    assert moves(squeezed) == [*BEFORE, "d6", "pass*"]
    assert (
        "bob played d6. You had to pass: there was no other move. It is bob's turn (White), at ply 10."
        in mails[address_of("alice")]
    )
    assert "You played d6. alice had to pass: there was no other move. It is your turn" in mails[address_of("bob")]
    assert "8 d6 9 pass (Auto)" in mails[address_of("bob")]


def test_what_is_queued_waits_for_a_turn_with_a_choice(squeezed: House) -> None:
    said(squeezed, "alice", "reversi queue 101 {} c1")
    squeezed.answer("bob", "d6", 101)
    assert moves(squeezed)[7:] == ["d6", "pass*"]
    assert intents(squeezed) == ["queue 1 c1"]
    assert "Your queued move c1 was dropped: A stone on c1 would turn none" in one(
        [got for got in squeezed.answer("bob", "b2", 101) if got.address == address_of("alice")]
    )


def test_a_plan_may_name_the_pass_of_either_side(squeezed: House) -> None:
    said(squeezed, "alice", "reversi plan 101 {} if d6: pass, then if b2: d5")
    squeezed.answer("bob", "d6\nif pass: b2", 101)
    assert moves(squeezed)[7:] == ["d6", "pass*", "b2*", "d5*"]
    assert "You passed, as planned. bob played b2, as planned. You played d5, as planned." in one(
        squeezed.mailboxes[address_of("alice")][-1:]
    )


def test_a_plan_that_does_not_know_of_the_pass_is_dropped_and_its_owner_told(squeezed: House) -> None:
    (got,) = said(squeezed, "alice", "reversi plan 101 {} if d6: c1")
    assert "Black cannot turn a stone anywhere and has to pass." in one([got])
    said(squeezed, "alice", "reversi plan 101 {} if any: c1")
    told = {got.address: one([got]) for got in squeezed.answer("bob", "d6", 101)}
    assert 'In "if any: c1": Black cannot turn a stone anywhere and has to pass.' in told[address_of("alice")]
    assert "plan" not in told[address_of("bob")]
    assert moves(squeezed)[7:] == ["d6", "pass*"]
    assert intents(squeezed) == []


def test_a_resignation_that_waits_comes_before_a_pass(squeezed: House) -> None:
    said(squeezed, "alice", "reversi resign 101 {}")
    squeezed.answer("bob", "d6", 101)
    assert moves(squeezed)[7:] == ["d6"]
    assert "alice resigned. You (White) won" in one(squeezed.mailboxes[address_of("bob")][-1:])


def test_a_ply_is_taken_back_with_the_pass_it_forced(squeezed: House) -> None:
    squeezed.answer("bob", "d6", 101)
    asked = squeezed.answer("bob", "undo", 101)
    assert "bob asks to take back plies 8 and 9, from d6 on." in one(asked[:1])
    assert "You ask to take back plies 8 and 9, from d6 on." in one(asked[1:])
    agreed = squeezed.answer("alice", "accept", 101)
    assert (
        "Plies 8 and 9, from d6 on, are taken back: alice agreed. "
        "It is your turn: you are White, and ply 8 is next." in one(agreed[1:])
    )
    assert moves(squeezed) == BEFORE


def test_the_clock_of_who_goes_on_runs_and_the_other_has_lost_nothing(squeezed: House) -> None:
    squeezed.wait(timedelta(days=1))
    squeezed.answer("bob", "d6", 101)
    with squeezed.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert match.clock is not None
    assert match.clock.seat == 2
    assert match.clock.left[0] == match.control.at_start
    assert match.record[-1].time_left == match.control.at_start


def test_a_pass_that_nobody_is_forced_to_is_refused(squeezed: House) -> None:
    assert "White may not pass, for there are stones to turn." in one(squeezed.answer("bob", "pass", 101))
    assert moves(squeezed) == BEFORE


def test_a_board_with_a_forced_pass_is_exported_and_taken_in(squeezed: House, new_house: Callable[..., House]) -> None:
    squeezed.answer("bob", "d6", 101)
    there = new_house()
    Administration(there.service).import_player(exported(squeezed, "alice"), trusted=True)
    assert moves(there) == [*BEFORE, "d6", "pass*"]
