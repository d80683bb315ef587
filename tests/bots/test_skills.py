"""What robots know about single games, compared with the rules."""

from __future__ import annotations

import importlib
from dataclasses import replace
from functools import cache
from itertools import islice
from random import Random

import pytest

from games import GAMES
from games.boards import BothSides, bits, hexagon, lattice, squares, union
from games.go import Go
from games.loa import Loa
from games.loops import Loops
from games.luddit import Position
from games.luddit_pieces import Move, torus
from games.placing import PASS
from games.rules import Side
from games.steps import OutOfSteps, Steps
from games.yavalath import Yavalath
from pbm.bots.choose import choose, skill_of, truth
from pbm.bots.connections import ConnectionSkill, HexSkill, bridges, fills
from pbm.bots.dots import Strings, grid, opened
from pbm.bots.glance import AmazonsSkill
from pbm.bots.levels import Budget
from pbm.bots.lines import Columns, runs
from pbm.bots.loops import shuffled_rest, yellow_margin
from pbm.bots.luddit import bound, haul, plan, returns
from pbm.bots.polygon import ProofSearch
from pbm.bots.skill import Skill, Solution, value_of
from pbm.bots.sums import Sums
from tests.bots.every_line import Tail


def random_position(game, words, seed, plies):
    rng, pos = Random(seed), game.start(game.options(words))
    for _ in range(plies):
        after = game.play(pos, rng.choice(list(game.moves(pos))))
        if game.outcome(after) is not None:
            return pos
        pos = after
    return pos


@pytest.mark.parametrize("name", ["cross", "hex", "y"])
@pytest.mark.parametrize("seed", range(12))
def test_prospects_are_what_the_rules_say_of_each_stone(name, seed):
    game, skill = GAMES[name], skill_of(name)
    assert isinstance(skill, ConnectionSkill)
    pos = random_position(game, ["-size=4"], seed, 5 + seed)
    mover = game.to_move(pos)
    wins, losses = skill.prospects(skill.board(pos), pos.stones[mover - 1], mover)
    for move in game.moves(pos):
        outcome = game.outcome(game.play(pos, move))
        assert bool(wins >> move & 1) is (outcome is not None and outcome.winner is mover)
        assert bool(losses >> move & 1) is (outcome is not None and outcome.winner is mover.other)


@pytest.mark.parametrize("name", ["hex", "y"])
def test_a_board_dealt_out_is_won_by_one_side(name):
    """The best first stone must be worth something, and no value may leave its bounds."""
    game, skill = GAMES[name], skill_of(name)
    pos = game.start(game.options(["-size=5"]))
    values = [skill.rollout(game.play(pos, move), Random(1)).value for move in game.moves(pos)]
    assert all(-1 <= value <= 1 for value in values)
    assert max(values) > 0.15


def test_fills_flood_each_board_by_itself():
    board, many = hexagon(4), fills(hexagon(4))
    mine, theirs = many.dealt(1 << board.indices[0], 1 << board.indices[-1], board.full & ~1, Random(2))
    field = (1 << many._field) - 1
    reached = many.flood(many.of(board.sides[0]), mine)
    for copy in range(64):
        own, other, flooded = (cells >> copy * many._field & field for cells in (mine, theirs, reached))
        assert own | other | 1 << board.indices[-1] == board.full
        expected = board.chain(own & board.sides[0], own)
        assert flooded == expected


@pytest.mark.parametrize("seed", range(20))
def test_loops_deals_legal_ends_and_counts_their_points(seed):
    game = GAMES["loops"]
    pos = random_position(game, ["-size=7"], seed, seed % 14)
    squares = shuffled_rest(pos, Random(seed))
    while squares:
        assert squares[-1] in list(game.moves(pos))
        pos = game.play(pos, squares.pop())
    yellow, purple = Loops().points(pos)
    assert yellow_margin(list(pos.rows[0]), list(pos.filled)) == yellow - purple


def end(game, pos, line):
    """The value at the end of a line of best play: puzzles are made of such lines, and robots resign near it."""
    for move in line:
        pos = game.play(pos, move)
    outcome = game.outcome(pos)
    assert outcome is not None
    return value_of(outcome)


def test_loops_and_polygon_see_the_end_exactly():
    for name, words, plies in (("loops", ["-size=4"], 3), ("polygon", ["-sides=4"], 2)):
        game = GAMES[name]
        pos = random_position(game, words, 1, plies)
        choice = choose(game, pos, budget=Budget(10, 5.0, steps=10**6))
        assert choice.exact
        assert choice.value == game.to_move(pos).sign * end(game, pos, choice.line)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("name", "words", "plies", "more"),
    [
        ("loops", ["-size=4", "-first=yellow"], 2, 4),
        ("loops", ["-size=4", "-first=purple"], 3, 3),
        ("reversi", ["-size=6"], 25, 2),
        ("four", ["-columns=4", "-rows=4", "-line=3"], 5, 1),
        ("four", ["-columns=4", "-rows=4", "-line=4"], 5, 1),
        ("clobber", ["-columns=4", "-rows=4"], 5, 1),
        *(("polygon", ["-sides=6", f"-seed={number}"], 2, 1) for number in range(2)),
    ],
)
def test_a_position_is_solved_as_by_playing_out_every_line(name, words, plies, more, seed):
    """Positions that are turned, mirrored or made of the same parts are worth the same; no table may mix up others."""
    game = GAMES[name]
    pos = random_position(game, words, seed, plies + seed % more)
    solution, truth = skill_of(name).solve(pos, Steps(10**6)), Tail(game, 10**6).solution(pos)
    assert solution is not None
    assert truth is not None
    assert solution.value == truth.value == end(game, pos, solution.line)


@pytest.mark.parametrize("seed", range(4))
def test_lines_of_action_foresees_each_win_in_one_move_and_no_other(seed):
    """So no stoppable threat of one move is overlooked, even in a short search: every reply to a move is known."""
    game, skill, dice, found = Loa(), skill_of("loa"), Random(seed), set()
    start = game.start(game.options([]))
    for _ in range(200):
        cells = dice.sample(game.board(start.options).indices, 9)
        pieces = BothSides(union(cells[: 3 + seed]), union(cells[3 + seed :]))
        pos = replace(start, pieces=pieces, mover=dice.choice([*Side]))
        if game.outcome(pos) is not None:
            continue
        wins = [move for move in game.moves(pos) if winner_at(game, game.play(pos, move)) == pos.mover]
        found.add(bool(wins))
        seen = skill.obvious(pos)
        assert (seen is not None) == bool(wins)
        assert seen is None or (seen.line[0] in wins and seen.value == (1 if pos.mover is Side.FIRST else -1))
    assert found == {True, False}


def winner_at(game, pos):
    outcome = game.outcome(pos)
    return outcome and outcome.winner


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("name", "size", "plies"), [("cross", 2, 1), ("hex", 3, 1), ("y", 4, 2)])
def test_the_last_cells_are_solved_as_by_playing_out_every_line(name, size, plies, seed):
    """Positions with a win or a loss at once are left to the search."""
    game, skill = GAMES[name], skill_of(name)
    pos = random_position(game, [f"-size={size}"], seed, plies + seed % 2)
    solution, truth = skill.solve(pos, Steps(10**6)), Tail(game, 10**6).solution(pos)
    assert truth is not None
    assert solution is None or solution.value == truth.value == end(game, pos, solution.line)


def undecided(game, words, seed, plies):
    """A position after this many plies, none of which ended the game."""
    rng, pos = Random(seed), game.start(game.options(words))
    for _ in range(plies):
        going = [move for move in game.moves(pos) if game.outcome(game.play(pos, move)) is None]
        pos = game.play(pos, rng.choice(going))
    return pos


@pytest.mark.parametrize("seed", [15, 106, 169, *range(6)])
def test_wins_by_threats_and_the_last_cells_of_yavalath_are_what_playing_out_every_line_says(seed):
    game, skill = GAMES["yavalath"], skill_of("yavalath")
    assert isinstance(game, Yavalath)
    pos = undecided(game, ["-size=4"], seed, 27)
    here, truth, solution = (
        runs(game.board(pos.options)),
        Tail(game, 10**6).solution(pos),
        skill.solve(pos, Steps(10**6)),
    )
    assert truth is not None
    assert solution is None or solution.value == truth.value == end(game, pos, solution.line)
    attack = here.attack(pos.own, pos.others, [100])
    assert attack or seed < 6
    if attack:
        after = game.play(pos, attack[0].bit_length() - 1)
        assert (Tail(game, 10**6).solution(after) or truth).value == pos.to_move.sign


@pytest.mark.parametrize(
    ("name", "words", "seed", "plies", "worth"),
    [
        ("loops", ["-size=5"], 1, 6, 0),
        ("loops", ["-size=5"], 7, 6, 0),
        ("four", ["-columns=5", "-rows=4"], 24, 8, 0),
        ("four", ["-columns=5", "-rows=4"], 19, 8, -1),
    ],
)
def test_where_there_is_no_win_most_replies_are_made_mistakes(name, words, seed, plies, worth):
    game, skill = GAMES[name], skill_of(name)
    pos = random_position(game, words, seed, plies)

    def value(at):
        if (outcome := game.outcome(at)) is not None:
            return value_of(outcome)
        solution = skill.solve(at, Steps(10**6))
        assert solution is not None
        return solution.value

    def mistakes(move):
        replies = [value(game.play(game.play(pos, move), reply)) for reply in game.moves(game.play(pos, move))]
        return sum(reply > worth for reply in replies) / len(replies)

    assert game.to_move(pos) is Side.FIRST
    assert value(pos) == worth
    shares = {move: mistakes(move) for move in game.moves(pos) if value(game.play(pos, move)) == worth}
    assert len(set(shares.values())) > 1
    assert shares[choose(game, pos, budget=Budget(2, 5.0, steps=10**6)).move] == max(shares.values())


@pytest.mark.parametrize("seed", range(6))
def test_the_open_squares_of_four_in_a_row_are_those_that_complete_a_line(seed):
    board, dice = squares(7, 6), Random(seed)
    stones = union(dice.sample(board.indices, 12))
    lines = [union((cell, *ray[:3])) for cell in board.indices for ray in board.rays[cell] if len(ray) >= 3]
    lacking = [line & ~stones for line in lines if (line & ~stones).bit_count() == 1]
    assert Columns(board, 4).open(stones) & ~stones == union(next(bits(square)) for square in lacking)


@pytest.mark.parametrize("seed", [20, 45, 85, 120])
def test_random_games_of_four_in_a_row_show_who_must_give_way_in_the_end(seed):
    game, skill = GAMES["four"], skill_of("four")
    pos = random_position(game, ["-columns=5"], seed, 20)
    solution = skill.solve(pos, Steps(10**6))
    assert solution is not None
    assert len(solution.line) > 7
    assert {skill.rollout(pos, Random(number)).value for number in range(20)} == {solution.value}


def test_a_polygon_of_seven_sides_is_not_solved_in_a_few_steps():
    assert skill_of("polygon").solve(GAMES["polygon"].start(GAMES["polygon"].options(["-sides=7"])), Steps(600)) is None


@pytest.mark.parametrize("sides", [4, 5, 6, 7])
def test_polygon_is_solved_from_the_start_up_to_seven_sides(sides):
    game = GAMES["polygon"]
    solution = skill_of("polygon").solve(game.start(game.options([f"-sides={sides}"])), Steps(40_000))
    assert solution is not None
    assert solution.value == 1


def test_an_unfinished_proof_tells_a_move_and_no_truth():
    game, skill = GAMES["polygon"], skill_of("polygon")
    pos = random_position(game, ["-sides=9"], 1, 2)
    leaning = skill.solve(pos, Steps(20_000))
    assert leaning is not None
    assert (leaning.proved, leaning.value) == (False, 0)
    decision = choose(game, pos, Budget(1, seconds=60.0, steps=20_000))
    assert (decision.move, decision.exact) == (leaning.line[0], False)
    assert decision.move in list(game.moves(pos))
    assert truth(skill, pos, Side.FIRST, Random(1)) is None


def test_polygon_is_not_called_lost_because_one_corner_is(monkeypatch):
    monkeypatch.setattr(ProofSearch, "solution", lambda proof, pos, moves: Solution(-1.0, tuple(moves[:1])))
    monkeypatch.setattr(ProofSearch, "holds", lambda proof, rules, pos, most: True)
    game = GAMES["polygon"]
    start = game.start(game.options([]))
    assert skill_of("polygon").solve(start, Steps(1000)) is None
    assert skill_of("polygon").solve(game.play(start, next(game.moves(start))), Steps(1000)) is not None


@pytest.mark.parametrize("seed", range(6))
def test_random_games_of_clobber_end_exactly(seed):
    """At most ten stones are left in play, so nothing depends on chance, whoever is to move."""
    game, skill = GAMES["clobber"], skill_of("clobber")
    pos = random_position(game, ["-columns=4", "-rows=4"], seed, 6 + seed % 2)
    truth = Tail(game, 10**6).solution(pos)
    assert truth is not None
    assert {skill.rollout(pos, Random(dice)).value for dice in range(3)} == {truth.value}


def stones_of_clobber(board, *rows):
    """The stones of both sides, from rows with "w", "b" and ".", the top one first."""
    places = {(row, column): mark for row, marks in enumerate(rows) for column, mark in enumerate(marks)}
    return tuple(
        union(row * board.stride + column for (row, column), owner in places.items() if owner == side) for side in "wb"
    )


def winners_of_clobber(*rows, steps=1000):
    """Whether White wins when White begins, and whether Black wins when Black begins."""
    board = squares(7, 3, chequered=True)
    return [Sums(board, Steps(steps)).wins(stones_of_clobber(board, *rows), side) for side in Side]


def test_parts_of_clobber_that_come_to_nothing_do_not_matter():
    """Two pairs cancel each other, whatever else is there and wherever they lie; a lone stone counts for nothing."""
    assert winners_of_clobber("wb.....") == [True, True]
    assert winners_of_clobber("wb..b..", "....w..") == [False, False]
    assert winners_of_clobber("wb..b..", "....w..", "ww.....") == [False, False]
    assert winners_of_clobber("wb..b..", "....w..", "wbb....") == winners_of_clobber("wbb....")


def test_opposite_parts_of_clobber_come_to_nothing():
    assert winners_of_clobber("wbb....", ".....b.", ".....w.") != [False, False]
    assert winners_of_clobber("wbb..b.", ".....w.", ".....w.") == [False, False]


def test_clobber_gives_up_when_its_steps_are_over():
    with pytest.raises(OutOfSteps):
        winners_of_clobber("wbwbwbw", "bwbwbwb", "wbwbwbw", steps=10)


def test_four_in_a_row_solves_the_second_half_of_its_usual_board():
    pos = random_position(GAMES["four"], [], 11, 20)
    assert skill_of("four").solve(pos, Steps(500_000)) is not None


def best_margin(board):
    """The final margin of the side to move, by drawing every line at every turn."""

    @cache
    def value(drawn):
        worth = []
        for line in bits(board.full & ~drawn):
            after = drawn | 1 << line
            closed = sum(not board.boxes[box] & ~after for box in board.beside[line])
            worth.append(closed + value(after) if closed else -value(after))
        return max(worth, default=0)

    return value


@pytest.mark.parametrize("size", [(2, 2), (3, 2), (3, 3)])
def test_dots_solves_the_end_as_by_drawing_every_line(size):
    board = grid(lattice(size[0] + 1, size[1] + 1))
    value = best_margin(board)
    for seed in range(20):
        dice = Random(seed)
        left = dice.sample(range(board.full.bit_count()), dice.randint(3, 10))
        drawn = board.full & ~union(left)
        assert Strings(board, Steps(10**6)).value(drawn) == value(drawn)


def test_chains_and_loops_are_counted_as_they_are_played():
    """Two chains of three: the second player takes one box of the first, declines two, and gets the second chain."""
    assert [opened(parts) for parts in ((1,), (2,), (3,), (3, 3), (-4,), (1, 3))] == [-1, -2, -3, -2, -4, 2]


def test_go_fills_no_eye_takes_what_is_in_danger_and_passes_when_that_wins():
    game, skill = Go(), skill_of("go")
    names = game.board(game.options(["-size=9"])).names

    def after(*moves):
        pos = game.start(game.options(["-size=9"]))
        for move in moves:
            pos = game.play(pos, game.parse(pos, move))
        return pos

    pos = after("A2", "D5", "B1", "E5", "B2", "F5")
    assert names.read("A1", lambda: "") not in skill.moves(pos, Random(1))
    pos = after("D4", "C3", "D6", "G7", "C5", "D5")
    assert skill.moves(pos, Random(1))[0] == names.read("E5", lambda: ""), "one stone left to take"
    assert skill.moves(game.play(after("E5", "C3", "G7"), PASS), Random(1)) != [PASS], "Black is behind by komi"
    assert skill.moves(game.play(after("E5"), PASS), Random(1)) == [PASS], "Black has everything"


def test_random_games_of_go_see_who_has_more():
    game, skill = GAMES["go"], skill_of("go")
    ahead = game.start(game.options(["-size=9", "-handicap=9", "-komi=0.5"]))
    behind = replace(ahead, stones=BothSides(*ahead.stones[::-1]))
    assert sum(skill.rollout(ahead, Random(seed)).value for seed in range(6)) > 3
    assert sum(skill.rollout(behind, Random(seed)).value for seed in range(6)) < -3


def test_a_bridge_holds_in_every_board_that_is_dealt_out():
    game = GAMES["hex"]
    board = HexSkill(game).board(game.start(game.options(["-size=5"])))
    stones = union(board.names.read(cell, lambda: "") for cell in ("c2", "b4"))
    pairs = bridges(board, stones, board.full & ~stones, ())
    assert len(pairs) == 1
    many = fills(board)
    mine, theirs = many.dealt(stones, 0, board.full & ~stones, Random(1))
    assert all(any(theirs >> a & theirs >> b & 1 << copy * many._field for copy in range(64)) for a, b in pairs)
    mine, theirs = many.kept(mine, theirs, pairs)
    (one, other) = pairs[0]
    assert not any(theirs >> one & theirs >> other & 1 << copy * many._field for copy in range(64))
    assert mine & theirs == 0
    assert one not in many.credit(theirs & ~many.of(1 << one), [one, other], 0, 0), "nothing is said of what never was"


def test_luddit_does_not_repeat_positions():
    game = GAMES["luddit"]
    pos = game.start(game.options([]))
    for ply in range(10):
        if game.outcome(pos) is not None:
            break
        pos = game.play(pos, choose(game, pos, budget=Budget(10, 5.0), seed=ply).move)
        assert pos.key not in pos.earlier


def test_luddits_robot_gets_somewhere():
    """It leaves a random player without a move, in a game that random play never ends."""
    game, dice = GAMES["luddit"], Random(3)
    pos = game.start(game.options(["-stones=10"]))
    while (outcome := game.outcome(pos)) is None and len(pos.earlier) < 100:
        if game.to_move(pos) is Side.FIRST:
            move = choose(game, pos, budget=Budget(8, 5.0), seed=3).move
        else:
            move = dice.choice(list(islice(game.moves(pos), 1000)))
        pos = game.play(pos, move)
    assert outcome is not None
    assert outcome.winner is Side.FIRST


def test_luddits_plans_leave_the_other_side_without_a_move():
    game = GAMES["luddit"]
    for size, limit in ((9, 18), (10, 18), (19, 18), (12, 32)):
        options = game.options([f"-size={size}", f"-stones={limit}"])
        found = plan(options, 0, 0)
        assert found is not None
        assert found.worth == 0
        field = BothSides(union(list(bits(found.cells))[:limit]), 0)
        outcome = game.outcome(Position(options, field, Side.SECOND))
        assert outcome is not None
        assert outcome.winner is Side.FIRST
    assert plan(game.options(["-size=5"]), 0, 0) is None


def luddit_position(black, white, mover):
    game, cells = GAMES["luddit"], torus(9).names
    field = BothSides(*(union(cells.read(name, str) for name in names.split()) for names in (black, white)))
    return Position(game.options([]), field, mover)


def test_luddits_robot_takes_a_stone_and_puts_its_own_in_the_place_that_it_left():
    """White, locked in by Black's rings, had to move H7 to B5: Black takes B5 and fills H7."""
    game = GAMES["luddit"]
    rings = "B1 D1 E1 G1 H1 A4 B4 E4 G4 H4 A7 B7 D7 E7 G7"
    pos = luddit_position(rings, "A1 D4 B5", Side.FIRST)
    after = game.play(pos, choose(game, pos, budget=Budget(20, 5.0), seed=1).move)
    assert after.field == luddit_position(f"{rings} H7", "A1 D4", Side.SECOND).field
    assert not bound(9, after.field.all)


def test_luddits_robot_takes_a_loop_with_one_move():
    game = GAMES["luddit"]
    pos = luddit_position("A4 B4 D4 H9 H5 F7", "A1 A2 B1 B2 C3", Side.FIRST)
    caught = haul(9, pos.field.first, pos.field.second)
    assert caught.bit_count() >= 3
    after = game.play(pos, choose(game, pos, budget=Budget(10, 5.0), seed=1).move)
    assert after.field.second.bit_count() <= 2
    game.parse(pos, game.notate(pos, (Move(tuple(bits(caught))),)))


def test_luddits_robot_that_stands_better_lets_nobody_bring_a_position_back_for_a_third_time():
    game, skill = GAMES["luddit"], skill_of("luddit")
    pos = luddit_position("B1 D1 E1 G1 H1 A4 B4 E4 G4 H4 A7", "J5 A1", Side.FIRST)
    for text in ("D4; xD4", "J5>J6; J6>J5"):
        pos = game.play(pos, game.parse(pos, text))
    assert pos.times == 2
    for turn in skill.moves(pos, Random(1)):
        after = game.play(pos, turn)
        assert all(game.play(after, back).key != pos.key for back in returns(after))


def test_luddits_robot_sees_what_repeats_a_position():
    game = GAMES["luddit"]
    pos = game.start(game.options([]))
    for text in ("C3; G7", "C4; F2", "xG7"):
        pos = game.play(pos, game.parse(pos, text))
    assert not list(returns(pos))
    pos = game.play(pos, game.parse(pos, "xF2"))
    assert not list(returns(pos))
    pos = game.play(pos, game.parse(pos, "G7"))
    assert [game.notate(pos, turn) for turn in returns(pos)] == ["F2"]


def test_a_skill_of_another_package_joins_by_its_name(monkeypatch):
    module = importlib.import_module("pbm.bots.choose")

    class Entry:
        @staticmethod
        def load():
            return type("Own", (Skill,), {})

    monkeypatch.setattr(module, "entry_points", lambda group, name: [Entry] if name == "cross" else [])
    module.skill_of.cache_clear()
    assert type(skill_of("cross")).__name__ == "Own"
    module.skill_of.cache_clear()


@pytest.mark.parametrize("words", [["gomoku", "-size=9"], ["yavalath", "-size=4"], ["havannah", "-size=3"]])
def test_a_win_in_one_is_made_and_one_of_the_opponents_stopped(words):
    """If there is neither, no move is named that loses at once."""
    game, skill, dice = GAMES[words[0]], skill_of(words[0]), Random(4)
    for seed in range(12):
        pos = random_position(game, words[1:], seed, 60)
        after = {move: game.play(pos, move) for move in game.moves(pos)}
        ends = {move: outcome for move, each in after.items() if (outcome := game.outcome(each))}
        named, mover = set(skill.moves(pos, dice)), game.to_move(pos)
        wins = {move for move, outcome in ends.items() if outcome.winner is mover}
        if wins:
            assert named <= wins
            continue
        turned = replace(pos, to_move=mover.other)
        threats = {
            move
            for move in game.moves(turned)
            if (outcome := game.outcome(game.play(turned, move))) and outcome.winner is mover.other
        }
        assert named == threats if threats else not named & set(ends) or named == set(after)


@pytest.mark.parametrize(
    "words",
    [
        ["amazons", "-size=6"],
        ["breakthrough", "-size=5"],
        ["clobber", "-columns=6", "-rows=6"],
        ["cross", "-size=4"],
        ["dots", "-columns=3", "-rows=3"],
        ["four"],
        ["gomoku", "-size=9"],
        ["havannah", "-size=3"],
        ["loa"],
        ["morris"],
        ["reversi", "-size=6"],
        ["yavalath", "-size=4"],
    ],
    ids=lambda words: words[0],
)
def test_a_skill_sees_who_stands_better(words):
    """A few visits a move win against random moves, from either side: a smoke test of signs."""
    game, points = GAMES[words[0]], 0.0
    for number in (0, 1):
        dice, pos = Random(number), game.start(game.options(words[1:]))
        robot = Side(1 + number)
        for _ in range(150):
            if game.outcome(pos) is not None:
                break
            if game.to_move(pos) is robot:
                move = choose(game, pos, budget=Budget(25, 5.0), seed=number).move
            else:
                move = dice.choice(list(game.moves(pos)))
            pos = game.play(pos, move)
        outcome = game.outcome(pos)
        points += 0.5 if outcome is None or outcome.winner is None else outcome.winner is robot
    assert points >= 1.5


def test_go_leaves_the_edge_alone_where_no_stone_is_near():
    game, skill = GAMES["go"], skill_of("go")
    pos = game.start(game.options(["-size=9"]))
    opened = {game.notate(pos, move) for move in skill.moves(pos, Random(1))}
    assert opened == {f"{column}{row}" for column in "cdefg" for row in range(3, 8)}
    corner = game.play(pos, game.parse(pos, "a1"))
    assert "b2" in {game.notate(corner, move) for move in skill.moves(corner, Random(1))}


def test_amazons_looks_at_the_best_of_a_sample():
    """In order, and better than random moves."""
    game, skill = GAMES["amazons"], skill_of("amazons")
    assert isinstance(skill, AmazonsSkill)
    pos = game.start(game.options(["-size=6"]))
    kept = [skill.balance(game.play(pos, move)) for move in skill.moves(pos, Random(1))]
    others = [skill.balance(game.play(pos, move)) for move in Random(2).sample(list(game.moves(pos)), 100)]
    assert len(kept) == skill.kept
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] > sum(others) / len(others)


def test_luddit_finds_other_places_for_stones_that_could_be_taken_up_on_a_full_board():
    game = GAMES["luddit"]
    pos = game.start(game.options(["-size=9", "-stones=4", "-limit=4"]))
    for text in ("A1; C1", "E5; xE5", "B3; D3", "A1>A2"):
        pos = game.play(pos, game.parse(pos, text))
    assert not pos.judge.can_place
    turns = skill_of("luddit").moves(pos, Random(1))
    assert any(turn[0].lift and turn[0].put for turn in turns)


def test_a_glance_at_go_sees_who_holds_more():
    game, skill = GAMES["go"], skill_of("go")
    pos = game.start(game.options(["-size=9", "-handicap=9", "-komi=0.5"]))
    ahead, behind = skill.evaluate(pos), skill.evaluate(replace(pos, stones=BothSides(*pos.stones[::-1])))
    assert ahead is not None
    assert behind is not None
    assert behind < 0 < ahead


def test_a_win_in_three_plies_of_four_in_a_row_is_proved():
    game = GAMES["four"]
    pos = game.start(game.options([]))
    for text in "daed":
        pos = game.play(pos, game.parse(pos, text))
    choice = choose(game, pos, budget=Budget(2000, 60.0))
    assert (choice.value, choice.exact) == (1.0, True)
