"""Puzzles: what is proved about them, whom their tokens speak for, and what happens if none can be made."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest

from games import GAMES, AnyGame
from games.crossgeo import graph
from games.crossgeo_solver import Solver
from games.steps import Steps
from pbm.bots.choose import FEWEST_MOVES, is_only_win, skill_of
from pbm.bots.levels import BOARDS, Question, Thought, options_of
from pbm.bots.mind import NoThought, think
from pbm.bots.skill import value_of
from pbm.domain.mail import RemarkKind
from pbm.domain.match import replay
from pbm.store.puzzles import Puzzle
from tests.bots.every_line import Tail
from tests.conversation import House

MADE = Thought("9", 1.0, exact=True, line=("9", "1", "2"), before=("12",))
"""A puzzle on the CrossGeo board with seed 5, which is the first to be made."""


@pytest.fixture
def given(house: House) -> House:
    """alice has got a puzzle."""
    house.player("alice")
    house.thoughts = lambda _: [MADE]
    house.send("alice", "puzzle crossgeo alice alicepass")
    assert "Puzzle 1" in house.think()[0].body
    return house


def test_exactly_one_pick_wins_says_the_solver_alone():
    for seed in (3, 4, 5):
        (found,) = think(_question(seed))
        state = replay(GAMES["crossgeo"], options_of("crossgeo", seed), "", found.before)
        board = graph(state.options)
        picks = Solver(board, Steps(10**6)).winning_picks(state.position.standing, state.game.to_move(state.position))
        assert [state.game.notate(state.position, pick) for pick in picks] == [found.move]


def _question(seed: int) -> Question:
    return Question("crossgeo", options_of("crossgeo", seed), "", (), 5, seed, 0, puzzle=True)


@pytest.mark.parametrize("words", [("hex", "-size=3"), ("y", "-size=3")])
def test_other_games_prove_it_as_playing_all_lines_out_does(words: tuple[str, ...]) -> None:
    """Tail plays out all lines; a robot's skill and search must agree with it on each position of some games."""
    game, dice, seen = GAMES[words[0]], Random(2), 0
    for _ in range(12):
        pos = game.start(game.options(words[1:]))
        while game.outcome(pos) is None:
            moves = list(game.moves(pos))
            if len(moves) < 7:
                values = {move: _value(game, game.play(pos, move)) for move in moves}
                wins = [move for move in moves if values[move] == game.to_move(pos).sign]
                if len(wins) == 1 and len(moves) >= FEWEST_MOVES:
                    seen += 1
                said = [move for move in wins if is_only_win(skill_of(words[0]), pos, move, dice)]
                assert said == (wins if len(wins) == 1 and len(moves) >= FEWEST_MOVES else [])
            pos = game.play(pos, dice.choice(moves))
    assert seen


def _value(game: AnyGame, pos: Any) -> float:
    outcome = game.outcome(pos)
    if outcome is not None:
        return value_of(outcome)
    solution = Tail(game, 10**6).solution(pos)
    assert solution is not None
    return solution.value


def test_all_boards_are_of_games_that_are_there():
    for name in BOARDS:
        game = GAMES[name]
        game.start(game.options(options_of(name, 1)))


def test_a_forwarded_puzzle_answers_itself_and_nothing_else(given: House) -> None:
    mail = given.mailboxes["alice@example.net"][-1]
    assert given.send("mallory", "Re: puzzle", "set alice off", to=mail["Reply-To"])[0].address == "alice@example.net"
    given.send("mallory", "cross challenge alice mallory", to=mail["Reply-To"])
    given.send("mallory", "erase-me", to=mail["Reply-To"])
    with given.service.store.read() as tx:
        assert tx.players.find("alice")
        assert tx.puzzles.streak(1).answered == 0


def test_commands_in_answer_to_a_puzzle_are_carried_out_as_from_any_mail(given: House) -> None:
    assert "Robots are programs" in given.answer("alice", "robots")[0].body
    assert "A robot makes a puzzle" in given.answer("alice", "puzzle four", mail=2)[0].body
    asked = given.answer("alice", "set subject classic", mail=2)
    assert [mail["Subject"] for mail in asked] == ["pbm: was that you?"]


def test_an_answer_to_a_puzzle_may_be_about_another_one(given: House) -> None:
    given.answer("alice", "8")
    given.thoughts = think
    given.answer("alice", "puzzle crossgeo")
    other = given.think()[0]["Subject"]
    assert other == "pbm: puzzle 2 of CrossGeo"
    (first,) = given.answer("alice", "puzzle 1")
    assert first["Subject"] == "pbm: puzzle 1 of CrossGeo"
    assert given.answer("alice", "puzzle 2")[0]["Subject"] == other
    assert "not been given a puzzle 3" in given.answer("alice", "puzzle 3")[0].body
    assert "The solution" in given.answer("alice", "puzzle 2 solution", mail=-3)[0].body


def test_an_answer_to_a_puzzle_chooses_whether_one_comes_each_day(given: House) -> None:
    (got,) = given.answer("alice", "Set puzzle daily.")
    assert got.body.startswith('A puzzle comes each day. "set puzzle off" ends that.')
    assert ["You get a puzzle every day" in mail.body for mail in given.wait(timedelta(days=1))] == [True]
    given.answer("alice", "set puzzle off")
    assert given.wait(timedelta(days=2)) == []


def test_no_answer_to_a_puzzle_brings_a_password_back(given: House) -> None:
    (got,) = given.answer("alice", "puzzle chess alice alicepass")
    assert '"puzzle chess alice *****" is not' in " ".join(got.body.split())


def test_the_first_answer_counts(given: House) -> None:
    assert "Not solved: 8" in given.answer("alice", "8")[0].body
    again = given.answer("alice", "9", mail=2)
    assert "answered puzzle 1 before" in again[0].body
    assert "answered puzzle 1 before" in given.answer("alice", "what a nice board", mail=2)[0].body
    with given.service.store.read() as tx:
        assert tx.puzzles.streak(1).solved == 0


def test_whoever_has_solved_none_yet_is_told_just_that(given: House) -> None:
    assert "You have not solved a puzzle yet." in given.answer("alice", "8")[0].body


def test_a_puzzle_that_was_answered_asks_for_no_answer(given: House) -> None:
    given.answer("alice", "8")
    body = " ".join(given.answer("alice", "puzzle 1", mail=2)[0].body.split())
    assert (
        'You have answered this puzzle before. 9 wins, and nothing else does. For another one, answer "puzzle".' in body
    )
    assert "Answer this email with the move" not in body


@pytest.mark.parametrize("words", ["Another one, please!", "next puzzle", "send me a new one", "more"])
def test_another_puzzle_is_asked_for_in_words(given: House, words: str) -> None:
    given.answer("alice", "8")
    assert "A robot makes a puzzle." in given.answer("alice", words, mail=2)[0].body


def test_no_more_puzzles_come_to_whoever_says_so(given: House) -> None:
    given.answer("alice", "set puzzle daily")
    assert "No more puzzles come by themselves." in given.answer("alice", "No more puzzles, please.", mail=2)[0].body
    assert given.wait(timedelta(days=2)) == []


@pytest.mark.parametrize(
    "words",
    [
        "9.",
        "I think it is 9!",
        "my move: 9",
        "Hi,\n\nI'll play 9.\n\nBest wishes\nAlice",
        "play 9",
        "remove 9",
        "take 9",
    ],
)
def test_an_answer_in_a_sentence_is_read_as_on_a_board(given: House, words: str) -> None:
    assert "Solved: 9" in given.answer("alice", words)[0].body


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("8 or 9?", "Your email may mean 8 or 9."),
        ("I think 12 wins.", "Edge 12 (T-N) is gone"),
        ("Hi,\n\nnice puzzle!", "Your email names no move."),
        ("8 does not win, does it?", "is not an edge"),
        ("I play 8. No, 9!", "Your email may mean 8 or 9. Answer with the one that you mean."),
    ],
)
def test_an_answer_that_may_mean_two_moves_does_not_count(given: House, words: str, said: str) -> None:
    body = " ".join(given.answer("alice", words)[0].body.split())
    assert "Puzzle 1: nothing was changed." in body
    assert said in body.replace('"', "")
    assert "Solved: 9" in given.answer("alice", "9")[0].body


@pytest.mark.parametrize(
    "words",
    ["I give up.", "solution?", "Solution, please!", "What is the solution?", "show me the answer"],
)
def test_a_puzzle_is_given_up_in_a_sentence(given: House, words: str) -> None:
    assert given.answer("alice", words)[0].body.startswith("The solution: 9 wins, and nothing else does.")


@pytest.mark.parametrize("words", ["hint", "a hint, please", "Can you give me a hint?"])
def test_whoever_asks_for_a_hint_to_a_puzzle_may_still_solve_it(given: House, words: str) -> None:
    body = given.answer("alice", words)[0].body
    assert body.startswith("Puzzle 1: nothing was changed. There are no hints for puzzles;")
    assert "Solved: 9" in given.answer("alice", "9")[0].body


def test_a_streak_is_kept_and_broken(house: House) -> None:
    house.player("alice")
    bodies = []
    for answer in ("9", "9", "solution", "9"):
        house.thoughts = lambda _: [MADE]
        house.send("alice", "puzzle crossgeo alice alicepass")
        house.think()
        bodies.append(house.answer("alice", answer)[0].body)
    assert "solved 2 of 2 puzzles; your streak is 2, your longest 2." in bodies[1]
    assert "solved 2 of 3 puzzles; your streak is 0, your longest 2." in bodies[2]
    assert "solved 3 of 4 puzzles; your streak is 1, your longest 2." in bodies[3]


def test_a_robot_that_fails_to_make_one_says_so_at_last(house: House) -> None:
    house.player("alice")

    def failing(_):
        raise NoThought("it broke")

    house.thoughts = lambda _: []
    house.send("alice", "puzzle crossgeo alice alicepass")
    assert "could be made" in house.think()[0].body
    house.thoughts = failing
    house.send("alice", "puzzle crossgeo alice alicepass")
    assert house.think() == [], "it is tried again later"


def test_boards_come_before_puzzles(house: House) -> None:
    house.players("alice", "bob")
    order = []

    def noted(question):
        order.append(question.puzzle)
        return [MADE] if question.puzzle else think(question)

    house.thoughts = noted
    house.send("alice", "puzzle crossgeo alice alicepass")
    house.game("cross -size=4 bob robot1", ["C3"])
    house.think()
    assert order == [False, True]


HEX = ["a2", "c3", "d4", "c4", "b1", "c2", "c1", "a4", "b4", "d2", "b3", "b2", "a3"]
"""A game in which only one move wins after ten plies."""


def posed(house: House) -> str:
    """The answer to carol's wish for a puzzle after alice and bob have played the game and a robot has searched it."""
    house.players("alice", "bob", "carol")
    house.game("hex -size=4 alice bob", HEX)
    house.think()
    house.send("carol", "puzzle hex carol carolpass")
    house.think()
    return house.mailboxes["carol@example.net"][-1].body


def test_players_are_not_given_a_puzzle_of_their_own_game(house: House) -> None:
    posed(house)
    for userid in ("alice", "bob"):
        assert "A robot makes a puzzle" in house.send(userid, f"puzzle hex {userid} {userid}pass")[0].body
    with house.service.store.read() as tx:
        found = [tx.players.find(name) for name in ("alice", "bob", "carol")]
        ids = [each.id for each in found if each is not None]
        assert [tx.puzzles.posed_by_game(each) for each in ids] == [{}, {}, {"hex": 1}]


def kept(house: House) -> list[Puzzle]:
    with house.service.store.read() as tx:
        return tx.puzzles.fresh(0, ["hex"], 9)


def test_a_game_that_has_ended_becomes_a_puzzle_that_names_nobody(house: House) -> None:
    body = posed(house)
    assert "Puzzle 1, Hex" in body
    assert "alice" not in body
    assert "bob" not in body
    (found,) = kept(house)
    assert found.moves == tuple(HEX[:10])
    assert "Solved" in house.answer("carol", found.line[0])[0].body


@pytest.mark.parametrize("plies", [8, 9, 10, 11])
def test_what_is_on_a_running_board_is_no_puzzle(house: House, plies: int) -> None:
    """Neither a position before the puzzle's nor one after it, in whatever order the moves came."""
    house.players("dora", "emil")
    house.game("hex -size=4 dora emil", [HEX[2], HEX[1], HEX[0], *HEX[3:plies]])
    house.thoughts = lambda question: think(question) if question.moves else []
    assert "Puzzle" not in posed(house)
    assert len(kept(house)) == 1


def test_a_game_that_goes_on_again_is_not_looked_into(house: House) -> None:
    seen = []

    def noted(question):
        seen.append(question)
        return []

    house.thoughts = noted
    house.players("alice", "bob")
    board = house.game("hex -size=4 alice bob", HEX)
    with house.service.store.write() as tx:
        tx.matches.reopen(board, 1)
    house.service.tools.states.forget()
    house.think()
    assert [question for question in seen if question.puzzle] == []
    assert kept(house) == []


def test_no_more_than_so_many_a_day(given: House) -> None:
    given.answer("alice", "9")
    bodies = [" ".join(given.send("alice", "puzzle alice alicepass")[0].body.split()) for _ in range(20)]
    assert "puzzles for one player are limited to 20 a day. Try again after 2026-" in bodies[-1]
    assert not any("limited to" in body for body in bodies[:-1])


def test_what_they_made_of_puzzles_goes_with_an_account(given: House) -> None:
    given.answer("alice", "9")
    with given.service.store.write() as tx:
        traces = tx.erasure.traces(1)
        assert traces is not None
        tx.erasure.forget(traces)
        assert tx.puzzles.streak(1).answered == 0


@pytest.mark.parametrize(
    "lines",
    [
        "{} A1\npuzzle 1 9",
        "{} A1\npuzzle 1 9\n\nGood luck!",
        "puzzle 1 9\n{} A1",
        "{} A1\nGood luck!\n\npuzzle 1 I think it is 9.",
    ],
)
def test_a_digest_is_answered_with_moves_and_its_puzzle_in_one_mail(given: House, lines: str) -> None:
    given.player("bob")
    given.send("alice", "set alice alicepass puzzle daily")
    given.send("alice", "set alice alicepass digest 13:00")
    board = given.game("cross -size=4 alice bob")
    (digest,) = given.wait(timedelta(days=1))
    assert "Puzzle 1" in digest.body
    mails = given.answer("alice", lines.format(board))
    assert any("Solved: 9" in mail.body for mail in mails)
    with given.service.store.read() as tx:
        match = tx.matches.load(board)
        remarks = [remark.text for remark in tx.remarks.of(RemarkKind.COMMENT, board)]
    assert match is not None
    assert [ply.notation for ply in match.record] == ["A1"]
    assert remarks == (["Good luck!"] if "Good" in lines else [])


def test_a_line_among_others_that_is_no_answer_is_not_told_as_done(given: House) -> None:
    given.player("bob")
    given.send("alice", "set alice alicepass puzzle daily")
    given.send("alice", "set alice alicepass digest 13:00")
    board = given.game("cross -size=4 alice bob")
    given.wait(timedelta(days=1))
    told = next(mail for mail in given.answer("alice", f"{board} A1\npuzzle 1 zz9") if "commands" in mail["Subject"])
    assert told["Subject"] == "pbm: 1 of 2 commands done"
    assert "zz9" in told.body.partition("puzzle 1 zz9")[2], "why"
