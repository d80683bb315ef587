"""The levels of robots, what they are asked and answer: known without what one thinks with, which is slow to import."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import TYPE_CHECKING

from pbm.values import frozen

if TYPE_CHECKING:
    from pbm.bots.skill import Skill

PATIENCE = 40.0  # players have its answer within a minute
"""The wall-clock seconds after which a robot stops thinking."""


@frozen
class Budget:
    """The limits for a choice, in visits and in seconds; the first one reached ends it.

    Only limits in visits make a choice repeatable.
    """

    visits: int
    seconds: float
    """Processor time."""
    steps: int = 0
    """For solving the position before the search."""
    slip: float = 0.0  # beginners have somebody to beat
    """The probability of a move without any thought."""
    patience: float = inf
    """Wall-clock seconds, for busy machines."""

    def part(self, share: float) -> Budget:
        """A fraction of the budget. share: from 0 to 1."""
        return replace(
            self,
            visits=max(2, round(self.visits * share)),
            seconds=self.seconds * share,
            steps=round(self.steps * share),
            patience=self.patience * share,
        )


@frozen
class Level:
    """How well a robot plays."""

    number: int
    steps: int
    """As in Budget, like seconds."""
    seconds: float

    def budget(self, skill: Skill) -> Budget:
        share = skill.shares[self.number - 1]
        visits = max(round(skill.full * share), min(skill.full, skill.least * 3 ** (self.number - 1)))
        slip = skill.slips[self.number - 1] if self.number <= len(skill.slips) else 0.0
        return Budget(visits, self.seconds, self.steps, slip, PATIENCE)


LEVELS = {
    level.number: level
    for level in (
        Level(1, 0, 2.0),
        Level(2, 30, 3.0),
        Level(3, 300, 5.0),
        Level(4, 5_000, 8.0),
        Level(5, 500_000, 12.0),
    )
}

BOARDS: dict[str, tuple[str, ...]] = {
    "crossgeo": ("-board=random", "-edges=14"),
    "loops": ("-size=5",),
    "y": ("-size=5",),
    "four": (),
    "hex": ("-size=5",),
    "cross": ("-size=3",),
}
"""The games for puzzles, the fastest first, with options for which much can be proved."""


@frozen
class Question:
    """A question about a game. options, body: as in the challenge."""

    game: str
    options: tuple[str, ...]
    body: str
    moves: tuple[str, ...]
    """Canonical notations."""
    level: int
    seed: int
    seen_from: int
    """The first position asked about, by the number of moves before it; the last is the one after all moves."""
    swappable: bool = False
    """The opponent may swap after the first move of the game, so it should be fair."""
    share: float = 1.0
    """The fraction of the level's budget for a position."""
    patience: float = PATIENCE
    """The most wall-clock seconds for a position."""
    puzzle: bool = False
    """A puzzle is wanted, from the moves if there are any, otherwise from a new game on such a board."""


@frozen
class Thought:
    """What a robot thinks of a position."""

    move: str
    value: float
    """For the player to move."""
    exact: bool
    line: tuple[str, ...]
    """Canonical notations, beginning with the move."""
    left: int | None = None
    """The moves to the end of the game if the line leads there; None if it does not, or was cut."""
    before: tuple[str, ...] = ()
    """For a puzzle, the moves that lead to it."""


def options_of(game: str, seed: int) -> tuple[str, ...]:
    """The options of a puzzle's game. A random board, on which no people play, is drawn from the seed."""
    options = BOARDS[game]
    return (*options, f"-seed={seed}") if "-board=random" in options else options
