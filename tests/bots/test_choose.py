"""Each game of the registry has a robot: its moves are legal and repeatable, and its limits hold."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice, pairwise
from random import Random
from time import process_time, sleep

import pytest

from games import GAMES
from games.steps import OutOfSteps, Steps
from pbm.bots.choose import choose, skill_of
from pbm.bots.levels import LEVELS, Budget
from pbm.bots.skill import Rollout, Skill

SMALL = Budget(visits=12, seconds=5.0, steps=200)


def after_some_plies(game, plies, seed=3):
    """A position of a random game after these plies, or before its end."""
    rng, pos = Random(seed), game.start(game.options([]))
    for _ in range(plies):
        after = game.play(pos, rng.choice(list(islice(game.moves(pos), 200))))
        if game.outcome(after) is not None:
            break
        pos = after
    return pos


every_game = pytest.mark.parametrize("name", sorted(GAMES))


@every_game
@pytest.mark.parametrize("plies", [0, 7])
def test_a_choice_is_a_legal_move_with_a_legal_line_behind_it(name, plies):
    game = GAMES[name]
    pos = after_some_plies(game, plies)
    choice = choose(game, pos, budget=SMALL, seed=1)
    assert -1 <= choice.value <= 1
    assert choice.line[0] == choice.move
    for move in choice.line:
        pos = game.play(pos, game.parse(pos, game.notate(pos, move)))


@every_game
def test_the_same_seed_chooses_the_same_move(name):
    game = GAMES[name]
    pos = after_some_plies(game, 4)
    assert choose(game, pos, budget=SMALL, seed=5) == choose(game, pos, budget=SMALL, seed=5)


@every_game
def test_a_game_without_a_skill_is_played_by_its_rules_alone(name):
    game = GAMES[name]
    skill = Skill(game)
    skill.plies = 3
    pos = after_some_plies(game, 2)
    assert choose(game, pos, budget=Budget(3, 5.0), seed=1, skill=skill).move in list(islice(game.moves(pos), 1000))


def test_a_choice_in_a_game_that_is_over_is_refused():
    game = GAMES["crossgeo"]
    pos = game.start(game.options([], body="0,0 1,1"))
    over = game.play(pos, 0)
    with pytest.raises(ValueError, match="over"):
        choose(game, over, Budget(1, 5.0))


def test_no_time_still_makes_a_move():
    game = GAMES["cross"]
    pos = game.start(game.options([]))
    assert choose(game, pos, budget=Budget(10**6, seconds=0.0)).move in list(game.moves(pos))


def test_a_higher_level_looks_at_more():
    budgets = [LEVELS[level].budget(skill_of("cross")) for level in sorted(LEVELS)]
    assert len(budgets) == 5
    for lower, higher in pairwise(budgets):
        assert lower.visits < higher.visits
        assert lower.steps < higher.steps


@every_game
def test_a_lower_level_moves_without_a_thought_more_often(name):
    slips = [LEVELS[level].budget(skill_of(name)).slip for level in sorted(LEVELS)]
    assert slips == sorted(slips, reverse=True)
    assert len(set(slips)) == 5
    assert slips[-1] == 0


def wins_in_one(game, pos):
    side = game.to_move(pos)
    ends = ((move, game.outcome(game.play(pos, move))) for move in game.moves(pos))
    return [move for move, end in ends if end is not None and end.winner is side]


def test_cross_takes_a_win_in_one():
    game, rng, pos = GAMES["cross"], Random(1), None
    while pos is None or not wins_in_one(game, pos):
        pos = game.start(game.options(["-size=4"]))
        for _ in range(25):
            if game.outcome(pos) is None and not wins_in_one(game, pos):
                pos = game.play(pos, rng.choice(list(game.moves(pos))))
        pos = None if game.outcome(pos) is not None else pos
    choice = choose(game, pos, budget=Budget(5, 5.0))
    assert choice.exact
    assert choice.value == 1
    assert choice.move in wins_in_one(game, pos)


def test_solving_and_searching_share_the_time():
    """If solving has used up the time, the search still looks at the position once and names a move."""
    game, looks = GAMES["cross"], []
    pos = game.start(game.options([]))

    class Slow(Skill):
        def solve(self, pos, steps):
            end = process_time() + 0.05
            while process_time() < end:
                pass

        def rollout(self, pos, dice):
            looks.append(pos)
            return Rollout(0.5)

    choice = choose(game, pos, budget=Budget(10**6, 0.04, steps=1), skill=Slow(game))
    assert choice.move in list(game.moves(pos))
    assert (len(looks), choice.value) == (1, 0.5)


def test_a_busy_machine_gives_an_answer_in_time():
    """A search that gets little processor time ends by the clock."""
    game, looks = GAMES["cross"], []
    pos = game.start(game.options([]))

    class Waiting(Skill):
        def rollout(self, pos, dice):
            sleep(0.02)
            looks.append(pos)
            return Rollout(0.0)

    choose(game, pos, budget=Budget(200, 60.0, patience=0.1), skill=Waiting(game))
    assert 0 < len(looks) <= 6
    assert all(level.budget(skill_of("go")).patience < 60 for level in LEVELS.values())


def test_solving_leaves_time_for_a_search_on_a_busy_machine():
    class Solving(Skill):
        def solve(self, pos, steps):
            with suppress(OutOfSteps):
                while True:
                    steps.take()

    game = GAMES["hex"]
    pos = game.start(game.options([]))
    choice = choose(game, pos, budget=Budget(1, 60.0, steps=10**12, patience=0.2), skill=Solving(game))
    assert not choice.exact
    assert choice.move in list(game.moves(pos))


SOLVED = sorted(name for name in GAMES if type(skill_of(name)).solve is not Skill.solve)


@pytest.mark.parametrize("name", SOLVED)
def test_solving_ends_when_it_is_told_enough(name):
    game, skill = GAMES[name], skill_of(name)
    options, rng = game.options({"polygon": ["-sides=6"], "yavalath": ["-size=4"]}.get(name, [])), Random(2)
    for _ in range(50):
        pos = game.start(options)
        while game.outcome(pos) is None:
            if skill.solve(pos, Steps(2000)):
                assert skill.solve(pos, Steps(2000, lambda: True)) is None
                return
            pos = game.play(pos, rng.choice(list(islice(game.moves(pos), 200))))
    pytest.fail("No position was met that could be solved.")


@pytest.mark.parametrize("seed", range(4))
def test_proofs_agree_with_playing_out_every_line(seed):
    """Cross of size 2 is small enough to be searched completely."""
    game = GAMES["cross"]
    pos = game.start(game.options(["-size=2"]))
    pos = game.play(pos, Random(seed).choice(list(game.moves(pos))))

    def value(at):
        if (outcome := game.outcome(at)) is not None:
            return 0 if outcome.winner is None else 1 if outcome.winner is game.to_move(at) else -1
        return max(-value(game.play(at, move)) for move in game.moves(at))

    for skill in (Skill(game), skill_of("cross")):
        choice = choose(game, pos, budget=Budget(5000, 20.0), seed=seed, skill=skill)
        assert choice.exact
        assert choice.value == value(pos)
        assert -value(game.play(pos, choice.move)) == value(pos)
