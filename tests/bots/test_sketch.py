"""The polygon game in rounded numbers, compared with the rules."""

from random import Random

import pytest

from games.polygon import Polygon, Position
from games.steps import OutOfSteps, Steps
from pbm.bots.choose import skill_of, truth
from pbm.bots.polygon import ProofSearch, Sketch, Sketches

RULES = Polygon()


@pytest.mark.parametrize("colours", ["different", "same", "any", "split"])
@pytest.mark.parametrize("sides", [5, 6, 9, 24])
def test_a_sketch_has_the_moves_of_the_rules(sides, colours):
    dice, game = Random(f"{sides} {colours}"), Sketches(RULES)
    pos = RULES.start(RULES.options([f"-sides={sides}", f"-colours={colours}", f"-seed={sides}"]))
    sketch: Position | Sketch = pos
    for _ in range(40):
        moves = list(RULES.moves(pos))
        assert list(game.moves(sketch)) == moves
        assert game.to_move(sketch) is RULES.to_move(pos)
        over, ended = game.outcome(sketch), RULES.outcome(pos)
        assert (over and over.winner) == (ended and ended.winner)
        if not moves:
            break
        move = dice.choice(moves)
        pos, sketch = RULES.play(pos, move), game.play(sketch, move)


def test_a_sketch_begins_anywhere():
    dice, game = Random(1), Sketches(RULES)
    pos = RULES.start(RULES.options(["-sides=8"]))
    for _ in range(12):
        move = dice.choice(list(RULES.moves(pos)))
        sketch, pos = game.play(pos, move), RULES.play(pos, move)
        assert list(sketch.moves) == list(RULES.moves(pos))


def test_a_heavy_crossing_is_no_target(monkeypatch):
    monkeypatch.setattr("games.polygon_geometry.MAX_WEIGHT", 12)
    monkeypatch.setattr("pbm.bots.polygon.MAX_WEIGHT", 12)
    dice, game = Random(3), Sketches(RULES)
    pos = RULES.start(RULES.options(["-sides=9", "-colours=any"]))
    sketch: Position | Sketch = pos
    too_fine = 0
    for _ in range(20):
        moves = list(RULES.moves(pos))
        assert list(game.moves(sketch)) == moves
        if not moves:
            break
        too_fine += isinstance(sketch, Sketch) and len(sketch.open) > len(moves)
        move = dice.choice(moves)
        pos, sketch = RULES.play(pos, move), game.play(sketch, move)
    assert too_fine


def test_a_search_in_rounded_numbers_is_no_proof_for_a_puzzle(monkeypatch):
    """It would find the same as the proof here, but is not asked."""
    skill, dice = skill_of("polygon"), Random(1)
    pos = RULES.start(RULES.options(["-sides=4"]))
    assert truth(skill, pos, RULES.to_move(pos), dice) is not None
    monkeypatch.setattr(skill, "solve", lambda pos, steps: None)
    assert truth(skill, pos, RULES.to_move(pos), dice) is None
    monkeypatch.setattr(skill, "sure", True)
    assert truth(skill, pos, RULES.to_move(pos), dice) is not None


def test_what_the_rules_do_not_confirm_is_not_proved():
    """As if rounded numbers took two points for one: the loser has a move that the sketches do not know."""
    pos = RULES.start(RULES.options(["-sides=6"]))
    proof = ProofSearch(Sketches(RULES), Steps(100_000))
    assert proof.solution(pos, [move for move in RULES.moves(pos) if not move.start])
    assert proof.holds(RULES, pos, Steps(10_000))
    with pytest.raises(OutOfSteps):
        proof.holds(RULES, pos, Steps(5))
    claim = proof._root
    while claim.kids and claim.to_win == 0:
        claim = claim.kids[claim.next()]
    claim.moves = claim.moves[1:]
    assert not proof.holds(RULES, pos, Steps(10_000))
