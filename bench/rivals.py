"""The players in the contests of bench.robots: robots of all levels, and those they are measured against."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

from games import GAMES, AnyGame, luddit
from pbm.bots import strong
from pbm.bots.choose import Decision, choose, skill_of
from pbm.bots.levels import LEVELS, Budget
from pbm.bots.skill import Skill
from pbm.bots.strong import SpielBoard

SPIEL = "OpenSpiel's MCTS"

LISTED = 1000
"""At most this many moves of a position are looked at."""

STEPS_A_SECOND = 100_000
"""What solving may look at in a second, where the time is given."""
PATIENCE = 600.0
"""Seconds by the clock for a move of somebody else's program, which is stopped by its processor time."""


@dataclass(frozen=True)
class Board:
    """A game and its options, such as "cross -size=5"."""

    told: str

    @cached_property
    def rules(self) -> AnyGame:
        return GAMES[self.told.split()[0]]

    @cached_property
    def options(self) -> Any:
        return self.rules.options(self.told.split()[1:])


@dataclass(frozen=True)
class Player:
    """Makes the moves of one side.

    kind: "level", "random", "greedy", "skill" (the game's, whatever the level) or "OpenSpiel's MCTS". seconds: at most,
    of processor time for a move; a level without it has its usual time. level: of a robot; share: of what it may look
    at. slip: instead of the level's, unless None.
    """

    kind: str
    level: int = 0
    seconds: float = 0.0
    share: float = 1.0
    slip: float | None = None

    @property
    def name(self) -> str:
        return f"level {self.level}" if self.kind == "level" else self.kind

    @property
    def proves(self) -> bool:
        """Whether it makes no thoughtless move, so that a win that it has proved is won."""
        return self.kind == "skill" or self.level == max(LEVELS)

    def choice(self, board: Board, pos: Any, played: Sequence[str], dice: Random) -> Decision:
        """Its move. played: the notations of the plies that led to the position."""
        game = board.rules
        if self.kind in ("level", "skill"):
            skill = skill_of(game.info.name)
            return choose(game, pos, budget=self.budget(skill), seed=dice.getrandbits(32), skill=skill)
        if self.kind == SPIEL:
            theirs = spiel_board(game, board.options)
            assert theirs is not None, f"OpenSpiel is not installed, or has no {board.told}"
            state = strong.reached(theirs, played)
            # where a draw by its rules is none by ours, it has nothing to say, and plays at random
            if not state.is_terminal():
                return strong.decision(game, pos, theirs, state, self.seconds, PATIENCE, dice.getrandbits(31))
        move = greedy(game, pos, dice) if self.kind == "greedy" else dice.choice(list(islice(game.moves(pos), LISTED)))
        return Decision(move, 0.0, (move,), exact=False)

    def budget(self, skill: Skill) -> Budget:
        most = round(STEPS_A_SECOND * self.seconds)
        if self.kind != "level":
            return Budget(10**9, self.seconds, steps=most)
        usual = LEVELS[self.level].budget(skill)
        visits, steps = max(2, round(usual.visits * self.share)), round(usual.steps * self.share)
        slip = usual.slip if self.slip is None else self.slip
        if self.seconds:
            return Budget(visits, self.seconds, min(steps, most), slip)
        return Budget(visits, usual.seconds, steps, slip)


def spiel_board(game: AnyGame, options: Any) -> SpielBoard | None:
    """None if OpenSpiel does not have the board."""
    measured = _MEASURED.get(game.info.name)
    return strong.board_of(game, options) if measured is None else measured(options)


def _breakthrough(options: Any) -> SpielBoard:
    size = options.number("size")

    def cell(text: str) -> str:
        return f"{text[0]}{size + 1 - int(text[1:])}"  # rows are counted from the other end there

    return SpielBoard(f"breakthrough(rows={size},columns={size})", lambda text: f"{cell(text[:2])}-{cell(text[2:4])}")


def _dots(options: Any) -> SpielBoard:
    rows, columns = options.number("rows"), options.number("columns")

    def line(text: str) -> str:
        """The ends of P1(h,0,2), which runs along the top."""
        way, row, column = text[3:-1].split(",")
        ends = ((0, 0), (0, 1)) if way == "h" else ((1, 0), (0, 0))
        return "-".join(f"{chr(97 + int(column) + right)}{rows + 1 - int(row) - down}" for down, right in ends)

    return SpielBoard(f"dots_and_boxes(num_rows={rows},num_cols={columns})", line)


def _gomoku(_options: Any) -> SpielBoard:
    def cell(text: str) -> str:
        row, column = text.split(",")
        return f"{chr(97 + int(column))}{int(row) + 1}"

    return SpielBoard("gomoku", cell)


def _amazons(options: Any) -> SpielBoard:
    size = options.number("size")

    def cell(text: str) -> str:
        row, column = map(int, re.findall("[0-9]+", text))  # rows are counted from the other end there
        return f"{chr(96 + column)}{size + 1 - row}"

    return SpielBoard(f"amazons(board_size={size})", cell, "[-/]")


_POINTS = re.findall("..", "a7d7g7b6d6f6c5d5e5a4b4c4e4f4g4c3d3e3b2d2f2a1d1g1")
"""The points of Morris in the order of their numbers there."""


def _morris(_options: Any) -> SpielBoard:
    def way(text: str) -> str:
        """The points of "Point 3" and "Move 3 -> 4"."""
        return "-".join(_POINTS[int(number)] for number in re.findall("[0-9]+", text))

    return SpielBoard("nine_mens_morris", way, "x")


_MEASURED: dict[str, Callable[[Any], SpielBoard]] = {
    "amazons": _amazons,
    "breakthrough": _breakthrough,
    "dots": _dots,
    "gomoku": _gomoku,
    "loa": lambda _: SpielBoard("lines_of_action", lambda text: text.replace("x", "-")),
    "morris": _morris,
    "reversi": lambda _: SpielBoard("othello", str),
}
"""Boards that OpenSpiel has and robots do not think with, because they play better by themselves."""


def more_stones(pos: luddit.Position) -> float:
    """By how much of the limit of stones the first side has more on the board, from -1 to 1."""
    return (pos.field.first.bit_count() - pos.field.second.bit_count()) / pos.options.limit


GLANCES: dict[str, Callable[[Any], float]] = {"luddit": more_stones}
"""What beginners see in games whose robots judge by plans that no beginner has."""


def greedy(game: AnyGame, pos: Any, dice: Random) -> Any:
    """A beginner's move: a win in one, else what looks best at a glance, but nothing that loses at once."""
    side = game.to_move(pos)
    glance = GLANCES.get(game.info.name) or skill_of(game.info.name).evaluate

    def worth(move: Any) -> tuple[float, float]:
        after = game.play(pos, move)
        if (outcome := game.outcome(after)) is not None:
            return (9.0 if outcome.winner is side else -9.0 if outcome.winner else 0.0), dice.random()
        return side.sign * (glance(after) or 0.0), dice.random()

    return max(islice(game.moves(pos), LISTED), key=worth)
