"""Winners at CrossGeo: the values of components, compared with playing out every line."""

from __future__ import annotations

from functools import cache

import pytest

from games.boards import bits
from games.crossgeo import PICKS, CrossGeo, Options, graph
from games.crossgeo_solver import Forms, Solver, is_fair
from games.rules import OptionError, Side
from games.steps import OutOfSteps, Steps

ENOUGH = 10**6


def literal_wins(board, standing, side):
    """Whether the side to move wins, by trying everything."""

    @cache
    def wins(standing, side):
        own = standing & board.of_colours(PICKS[side])
        return any(not wins(standing & ~(1 << e | board.crossings[e]), side.other) for e in bits(own))

    return wins(standing, side)


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("seed", range(8))
def test_every_small_board_is_solved_as_by_trying_everything(version, seed):
    for options in (Options("random", version, 13, seed), Options("complete", version, 6, seed)):
        board = graph(options)
        solver = Solver(board, Steps(ENOUGH))
        standing = (1 << len(board.edges)) - 1
        for side in Side:
            assert solver.wins(standing, side) is literal_wins(board, standing, side)
            for edge in bits(standing & board.of_colours(PICKS[side])):
                left = standing & ~(1 << edge | board.crossings[edge])
                assert solver.wins(left, side.other) is literal_wins(board, left, side.other)


@pytest.mark.parametrize(
    ("name", "version", "red_begins", "blue_begins"),
    [
        ("1", "g", True, True),
        ("2", "g", True, True),
        ("3", "g", True, True),
        ("1", "rb", False, True),
        ("2", "rb", False, True),
        ("3", "rb", False, True),
        ("1", "rgb", True, False),
        ("2", "rgb", False, True),
        ("3", "rgb", True, False),
    ],
)
def test_the_built_in_boards(name, version, red_begins, blue_begins):
    """On each board with colours one of them wins, whoever begins."""
    board = graph(Options(name, version))
    solver = Solver(board, Steps(ENOUGH))
    standing = (1 << len(board.edges)) - 1
    assert solver.wins(standing, Side.FIRST) is red_begins
    assert solver.wins(standing, Side.SECOND) is blue_begins


def test_values_that_are_known_by_name():
    forms = Forms(Steps(ENOUGH))
    zero, star = forms.nimber(0), forms.nimber(1)
    one, minus = forms.of([zero], []), forms.of([], [zero])
    assert forms.sum(one, minus) == zero
    assert forms.sum(star, star) == zero
    assert forms.sum(forms.nimber(1), forms.nimber(2)) == forms.nimber(3)
    assert forms.of([minus], [one]) == zero, "{-1|1} is 0 by its simplicity"
    half = forms.of([zero], [one])
    assert forms.sum(half, half) == one
    up = forms.of([zero], [star])
    assert not forms.at_most(up, zero)
    assert not forms.at_most(up, star)
    assert not forms.at_most(star, up)
    assert forms.at_most(up, half)


def test_a_solver_stops_at_its_bound():
    board = graph(Options("3", "rgb"))
    with pytest.raises(OutOfSteps):
        Solver(board, Steps(50)).wins((1 << len(board.edges)) - 1, Side.FIRST)


def test_a_board_on_which_all_cross_is_a_single_pick():
    lines = "\n".join(f"{x},0 {9 - x},9" for x in range(0, 9, 2))
    game = CrossGeo()
    pos = game.start(game.options([], body=lines))
    assert Solver(graph(pos.options), Steps(ENOUGH)).wins(pos.standing, Side.FIRST)


@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
@pytest.mark.parametrize("number", [10, 16])
def test_a_fair_board_is_won_by_whoever_begins_and_by_few_picks(version, number):
    pos = CrossGeo().start(CrossGeo().options(["-board=fair", f"-edges={number}", f"-version={version}"]))
    board = graph(pos.options)
    assert len(board.edges) == number
    assert literal_wins(board, pos.standing, Side.FIRST)
    assert literal_wins(board, pos.standing, Side.SECOND)
    own = board.of_colours(PICKS[Side.FIRST])
    left = [pos.standing & ~(1 << edge | board.crossings[edge]) for edge in bits(own)]
    assert 1 <= sum(not literal_wins(board, rest, Side.SECOND) for rest in left) <= 3


def test_a_random_board_asked_for_is_fair_and_old_records_keep_theirs():
    game = CrossGeo()
    plain, fair = ["-board=random", "-edges=12", "-version=rb"], ["-board=fair", "-edges=12", "-version=rb"]
    assert game.options(game.preset(plain)) == game.options(fair)
    assert game.options(plain) == game.options([*plain, "-fair=no"]) != game.options(fair)
    for kept in ([*plain, "-fair=no"], fair, ["-board=random", "-edges=61"], ["-board=2"]):
        assert game.preset(kept) == kept
    with pytest.raises(OptionError, match="goes with -board=random"):
        game.options(["-board=2", "-fair"])


def test_where_no_board_is_fair_there_is_one_all_the_same():
    pos = CrossGeo().start(CrossGeo().options(["-board=fair", "-edges=1", "-version=rb"]))
    assert pos.standing == 1


def test_no_challenge_gets_a_board_as_a_fair_one_that_is_not():
    game = CrossGeo()
    with pytest.raises(OptionError, match="no fair board of 1 edge with -seed=1"):
        game.preset(["-board=fair", "-edges=1", "-version=rb"])
    with pytest.raises(OptionError, match="no fair board of 10 edges with -seed=2"):
        game.preset(["-fair", "-edges=10", "-version=rgb", "-seed=2"])
    plain = ["-board=random", "-edges=10", "-version=rgb", "-seed=2"]
    assert game.preset(plain) == plain, "and it is not rated"


def test_fair_alone_is_a_fair_board():
    game = CrossGeo()
    words = ["-fair", "-edges=20", "-version=rgb"]
    assert game.options(game.preset(words)) == game.options(["-board=fair", "-edges=20", "-version=rgb"])
    with pytest.raises(OptionError, match="goes with -board=random"):
        game.options(["-fair=no"])


@pytest.mark.parametrize(
    ("words", "lopsided"),
    [
        ([], False),
        (["-version=rb"], True),
        (["-version=rgb", "-board=random"], True),
        (["-version=rgb", "-board=fair"], False),
        (["-board=random"], False),
    ],
)
def test_boards_that_a_colour_wins_are_known(words, lopsided):
    assert CrossGeo().lopsided(CrossGeo().options(words)) is lopsided


@pytest.mark.parametrize(
    "words", [["-board=random"], ["-fair", "-version=rb"], ["-board=fair", "-edges=10", "-version=rgb"]]
)
def test_two_challenges_that_name_no_seed_get_two_boards_which_their_records_name(words):
    game = CrossGeo()
    one, two = ([*game.preset(words, seed=seed)] for seed in (7, 700))
    assert graph(game.options(one)) != graph(game.options(two))
    assert all(game.preset(each, seed=9) == each for each in (one, two)), "the records' words mean the same for ever"
    assert all(is_fair(graph(game.options(each))) for each in (one, two))


@pytest.mark.parametrize(
    ("words", "added"),
    [
        (["-board=random", "-seed=5", "-fair=no"], []),
        (["-board=2"], []),
        (["-board=complete"], ["-seed=7"]),
        (["-board=random", "-edges=100"], ["-seed=7"]),
        (["-board=random", "-edges=9", "-fair=no"], ["-seed=7"]),
        (["-board=random", "-edges=1", "-version=rb"], ["-seed=7"]),
    ],
)
def test_a_seed_is_added_where_the_words_leave_the_board_to_chance(words, added):
    assert CrossGeo().preset(words, seed=7) == [*words, *added]


def test_where_no_seed_gives_a_fair_board_the_challenge_is_refused_as_before():
    with pytest.raises(OptionError, match="no fair board of 1 edge"):
        CrossGeo().preset(["-board=fair", "-edges=1", "-version=rb"], seed=7)
