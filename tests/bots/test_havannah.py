"""What Havannah's robot sees, compared with the rules and with playing out every line."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from games import GAMES
from games.boards import BothSides, bits, hexagon, union
from games.havannah import Havannah
from games.rules import Side
from pbm.bots.choose import choose
from pbm.bots.levels import Budget
from pbm.bots.skill import value_of
from pbm.bots.threats import HavannahSkill, chains_of
from tests.bots.every_line import Tail

GAME = Havannah()
SKILL = HavannahSkill(GAMES["havannah"])


def after(size, moves):
    pos = GAME.start(GAME.options([f"-size={size}"]))
    for move in moves.split():
        pos = GAME.play(pos, GAME.parse(pos, move))
    return pos


def quiet_position(size, seed, plies):
    """Stones placed at random, but none that wins at once; None if there is no such place."""
    dice, pos = Random(seed), GAME.start(GAME.options([f"-size={size}"]))
    while plies and GAME.outcome(pos) is None:
        here, mine, theirs = SKILL.here(pos)
        free = here.full & ~pos.taken
        moves = list(bits(theirs[0] & free or free & ~mine[0]))
        if not moves:
            return None
        pos, plies = GAME.play(pos, dice.choice(moves)), plies - 1
    return pos if GAME.outcome(pos) is None else None


def test_prospects_are_what_the_rules_say_of_each_stone():
    """On boards of several sizes, for stones that have won nothing; each kind of end comes up."""
    seen = Counter[str]()
    for seed in range(150):
        dice = Random(seed)
        board, size = hexagon(3 + seed % 4), 3 + seed % 4
        chains, stones, order = chains_of(board), 0, list(board.indices)
        dice.shuffle(order)
        found = chains.prospects(0)
        for cell in order[: round(len(order) * dice.uniform(0.3, 0.9))]:
            if not found[0] >> cell & 1:
                stones |= 1 << cell
                found = chains.opened(1 << cell, stones, found)
        assert found[0] == chains.prospects(stones)[0]
        pos = replace(GAME.start(GAME.options([f"-size={size}"])), to_move=Side.SECOND)
        for cell in bits(board.full & ~stones):
            ending = GAME.ending(replace(pos, stones=BothSides(stones | 1 << cell), last=cell), cell)
            assert bool(found[0] >> cell & 1) is (ending is not None)
            seen[ending.outcome.reason if ending else "nothing"] += 1
    assert min(seen.values()) > 20
    assert len(seen) == 4


@pytest.mark.parametrize("missing", ["c3", "d4", "e5", "e4"])
def test_the_last_neighbour_of_a_stone_closes_a_ring(missing):
    """Two neighbours of this cell do not connect separate parts of the chain, so that is no sign of the ring."""
    board = hexagon(4)
    middle = board.names.read("d4", str)
    around = board.around(1 << middle)
    last = board.names.read(missing, str)
    if last == middle:
        stones = around & ~union([next(bits(around))])
        assert chains_of(board).prospects(stones)[0] == around & ~stones
    else:
        stones = (around | 1 << middle) & ~(1 << last)
        assert chains_of(board).prospects(stones)[0] == 1 << last


def test_wins_that_are_obvious_are_true_and_are_played_to_their_end():
    """Compared with playing out every line of a small board."""
    lengths = Counter[int]()
    for seed in range(40):
        pos = quiet_position(3, seed, 9)
        if pos is None or (seen := SKILL.obvious(pos)) is None:
            continue
        truth = Tail(GAME, 10**6).solution(pos)
        assert truth is not None
        assert seen.value == truth.value
        for move in seen.line:
            assert GAME.outcome(pos) is None
            pos = GAME.play(pos, move)
        outcome = GAME.outcome(pos)
        assert outcome is not None
        assert value_of(outcome) == seen.value
        lengths[len(seen.line)] += 1
    assert {2, 3, 5} <= set(lengths)


def test_moves_that_are_left_out_lose():
    """Playing out every line of a small board shows that moves that do not stop an attack need no look."""
    left_out = 0
    for seed in range(60):
        pos = quiet_position(3, seed, 9)
        if pos is None or SKILL.obvious(pos) is not None:
            continue
        named, tail = SKILL.moves(pos, Random(1)), Tail(GAME, 10**6)
        lost = -1.0 if pos.to_move is Side.FIRST else 1.0
        for move in GAME.moves(pos):
            if move not in named:
                truth = tail.solution(GAME.play(pos, move))
                assert truth is not None
                assert truth.value == lost
                left_out += 1
    assert left_out > 30


def test_the_end_is_proved_as_by_playing_out_every_line():
    values = Counter[float]()
    for seed in range(40):
        if (pos := quiet_position(3, seed, 10)) is None:
            continue
        choice, truth = choose(GAME, pos, budget=Budget(3000, 60.0), skill=SKILL), Tail(GAME, 10**6).solution(pos)
        assert truth is not None
        assert choice.exact
        assert choice.value == (truth.value if pos.to_move is Side.FIRST else -truth.value)
        values[choice.value] += 1
    assert set(values) == {-1, 1}


@pytest.mark.parametrize(
    ("moves", "stops", "played"),
    [
        ("D1 D6 D2 G7 C2", "A1 B1 B2", "E6"),
        ("D1 D6 F6 E4 G4 F3 G7", "D2 E2 E3 F4 F5", "G5"),
        ("B5 B1 E6 E3 F5 D1 G4 D3 A1 E2", "A2 B2 C1 C2 C3", "B3"),
    ],
)
def test_two_wins_at_once_are_seen_before_they_are_there(moves, stops, played):
    """Otherwise the robot looks elsewhere, and the other side wins by threats."""
    pos = after(4, moves)
    named = {GAME.notate(pos, move) for move in SKILL.moves(pos, Random(1))}
    assert named == set(stops.split())
    lost = SKILL.obvious(GAME.play(pos, GAME.parse(pos, played)))
    assert lost is not None
    assert lost.value == (-1 if pos.to_move is Side.FIRST else 1)
    assert GAME.notate(pos, choose(GAME, pos, budget=Budget(30, 60.0), skill=SKILL).move) in stops.split()


def test_a_win_by_several_threats_is_proved_with_few_positions():
    pos = after(4, "B5 B1 G4 D3 E6 F6 C2 C3 E5 B2 F7")
    choice = choose(GAME, pos, budget=Budget(10, 60.0), skill=SKILL)
    assert choice.exact
    assert choice.value == 1
    assert len(choice.line) > 10
    for move in choice.line:
        pos = GAME.play(pos, move)
    outcome = GAME.outcome(pos)
    assert outcome is not None
    assert outcome.winner is Side.SECOND


def test_a_bridge_that_the_other_side_intrudes_on_is_kept():
    board = hexagon(4)
    chains = chains_of(board)

    def cells(*names):
        return union(board.names.read(name, str) for name in names)

    free = board.full & ~cells("c3", "d5", "c4")
    assert chains.kept(cells("c4"), cells("c3", "d4"), free) == 0
    assert chains.kept(cells("c4"), cells("c3", "d5"), free) == cells("d4")
    assert chains.kept(cells("c1"), cells("c2"), board.full & ~cells("c1", "c2")) == cells("b1"), "to the side"
