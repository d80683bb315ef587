"""What a robot knows of one game beyond its rules. A game without a skill of its own is played with the plain one.

A skill names the moves worth a look, plays a position out at random, judges it, or solves it. Values are those of the
first side, from -1 for a sure loss to 1 for a sure win. Chance comes from the dice a caller hands in and from nowhere
else, so the same dice give the same answers on every machine.

Exact values come by alpha-beta with a table. Where a position is drawn or lost with best play, any move that keeps it
so is as good against somebody who does not err. Of these the one is played after which most replies are mistakes, as
many moves ahead as the steps last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from random import Random
from typing import Any, Generic, TypeVar

from games import AnyGame
from games.boards import Cells, bits
from games.rules import Outcome, Side, any_move
from games.steps import OutOfSteps, Steps

WIDEST = 1000
"""So many moves of a position are looked at; where there are more, nothing is proved by having tried all."""

Credit = Mapping[Any, tuple[float, float]]
"""How often a move was played, and the sum of the values of the games in which it was."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """How a position was played out."""

    value: float
    credit: tuple[Credit, Credit] = field(default=({}, {}))
    """What the moves of the first and of the second side had to do with it."""

    @classmethod
    def of(cls, value: float, mover: Side, own: Iterable[Any], others: Iterable[Any]) -> Rollout:
        """A game whose moves all have to do with it alike. own: those of the side that was to move."""
        mine, theirs = (dict.fromkeys(moves, (1.0, value)) for moves in (own, others))
        return cls(value, (mine, theirs) if mover is Side.FIRST else (theirs, mine))


@dataclass(frozen=True, slots=True)
class Solution:
    """The exact value of a position, and a line of best play from it."""

    value: float
    line: tuple[Any, ...]
    proved: bool = True
    """Otherwise the line is what a proof that was not finished speaks for, and the value is that of a draw."""


def value_of(outcome: Outcome) -> float:
    """What an end is worth to the first side."""
    return 0.0 if outcome.winner is None else 1.0 if outcome.winner is Side.FIRST else -1.0


class Skill:
    """The plain skill: every legal move, playouts by the rules, nothing solved. Others are made from it.

    full: positions looked at by a robot of the highest level. shares: of these, by each level from 1 to 5. explore: how
    much a search distrusts what it has seen less of. rave: how many visits of a move its share in other moves' playouts
    outweighs; 0 leaves that out. ordered: moves() tells the best first; else chance decides which is tried first.
    complete: moves() leaves out nothing that could save a lost position. plies: after so many a playout is judged.
    games_a_rollout: how many random games a rollout stands for. least: positions looked at by the lowest level; each
    further one looks at three times as many at least. slips: how often the levels from 1 to 4 move without a thought,
    found by measuring: the lowest is to win half of its games against whoever takes what looks best at a glance, each
    other one two of three to nine of ten against the one below.
    """

    full = 1000
    shares: tuple[float, ...] = (1 / 200, 1 / 50, 1 / 14, 1 / 4, 1)
    explore = 0.7
    rave = 0.0
    ordered = False
    complete = True
    plies = 300
    games_a_rollout = 1
    least = 2
    slips = (0.8, 0.44, 0.2, 0.04)

    sure = True
    """What the game as it is played in a search proves is true by the rules."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.played: Any = game
        """The game as it is played in a search, from a position of the rules on; its moves are theirs."""

    def moves(self, pos: Any, dice: Random) -> Sequence[Any]:
        """The moves worth a look, not empty while the game goes on."""
        return list(islice(self.game.moves(pos), WIDEST))

    careless = moves
    """What somebody may play who does not think."""

    def foreseen(self, pos: Any) -> Solution | None:
        """The truth about a position that is not over, where it can be seen at once; asked of each that is visited."""
        return None

    def evaluate(self, pos: Any) -> float | None:
        """What a position is worth, whoever is to move, at a glance; None when a glance does not tell."""
        return None

    def rollout(self, pos: Any, dice: Random) -> Rollout:
        """A judgement of a position that is not over: at a glance, or else by a random game."""
        glance = self.evaluate(pos)
        return self.random_game(pos, dice) if glance is None else Rollout(glance)

    def random_game(self, pos: Any, dice: Random) -> Rollout:
        """A game to its end or for as many plies as there may be."""
        game = self.played
        for _ in range(self.plies):
            pos = game.play(pos, any_move(game, pos, dice, WIDEST))
            if (outcome := game.outcome(pos)) is not None:
                return Rollout(value_of(outcome))
        return Rollout(self.evaluate(pos) or 0.0)

    def solve(self, pos: Any, steps: Steps) -> Solution | None:
        """The truth about a position; where it would take more steps than these what is likely best, or None."""
        return None


def completing(lines: Iterable[Cells], stones: Cells) -> Cells:
    """The cells of which one more completes a line of stones, or whatever else is a set of cells."""
    found = 0
    for line in lines:
        left = line & ~stones
        if not left & left - 1:
            found |= left
    return found


At = TypeVar("At")
"""What a game needs to know of a position."""


class Exact(ABC, Generic[At]):
    """Values of positions in which the sides take turns: 1, 0 or -1, to the side to move.

    steps: positions that may be looked at.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._known: dict[Hashable, tuple[int, int]] = {}
        self._hoped: dict[Hashable, float] = {}
        self.refuted = Counter[Any]()
        """How often a move was all that had to be looked at."""

    @abstractmethod
    def key(self, at: At) -> Hashable:
        """The same for positions that are alike."""

    @abstractmethod
    def look(self, at: At) -> int | Sequence[tuple[Any, At]]:
        """The value of a position that is over or as good as over; else the moves that are worth a look, with what
        they lead to, what is likely to decide soonest first.
        """

    def rest(self, _at: At) -> Sequence[Any]:
        """Best play from a position that is as good as over to its end."""
        return ()

    def _seen(self, at: At) -> int | Sequence[tuple[Any, At]]:
        """As look does, for a step. Raises: OutOfSteps."""
        self._steps.take()
        return self.look(at)

    def value(self, at: At, low: int = -1, high: int = 1) -> int:
        """Between the bounds; beyond them only a bound itself. Raises: OutOfSteps."""
        key = self.key(at)
        least, most = self._known.get(key, (-1, 1))
        low, high = max(low, least), min(high, most)
        if low >= high:
            return least if least >= high else most
        kids = self._seen(at)
        if isinstance(kids, int):
            self._known[key] = kids, kids
            return kids
        best, floor = -1, low
        for move, kid in kids:
            if (worth := -self.value(kid, -high, -floor)) > best:
                best = worth
                if best >= high:
                    self.refuted[move] += 1
                    break
                if best > floor:
                    floor = best
        self._known[key] = (best, most) if best >= high else (least, best) if best <= low else (best, best)
        return best

    def solution(self, at: At, mover: Side) -> Solution | None:
        """The truth about a position; None when the steps do not suffice.

        As many steps again may be spent on the choice among moves of the same value.
        """
        again = self._steps.of(1)
        try:
            value = self.value(at)
        except OutOfSteps:
            return None
        line = self._line(at)
        self._steps = again
        if value < 1 and (trap := self._trap(at, value, len(line))) is not None:
            line = [trap[0], *self._line(trap[1])]
        return Solution(float(value if mover is Side.FIRST else -value), tuple(line)) if line else None

    def _line(self, at: At) -> list[Any]:
        """Best play to the end, or as far as the steps last."""
        line: list[Any] = []
        with suppress(OutOfSteps):
            while not isinstance(kids := self.look(at), int):
                value = self.value(at)
                move, at = next((move, kid) for move, kid in kids if -self.value(kid) == value)
                line.append(move)
            line += self.rest(at)
        return line

    def _trap(self, at: At, value: int, plies: int) -> tuple[Any, At] | None:
        """Of the moves that keep the value the one after which chance errs most, and what it leads to; None if the
        steps do not tell. plies: to the end.
        """
        hopes: list[float] = []
        kept: list[tuple[Any, At]] = []
        with suppress(OutOfSteps):
            kept = self._keeping(at, value)
            for ahead in range(1, plies // 2 + 1):
                hopes = [self._reply(kid, value, ahead) for _, kid in kept]
        return kept[hopes.index(max(hopes))] if hopes else None

    def _keeping(self, at: At, value: int) -> list[tuple[Any, At]]:
        """The moves that keep a value, with what they lead to."""
        kids = self._seen(at)
        return [] if isinstance(kids, int) else [each for each in kids if -self.value(each[1]) == value]

    def _reply(self, at: At, value: int, ahead: int) -> float:
        """What the other side may expect if the reply is taken at random. value: to the other side."""
        replies = self._seen(at)
        if isinstance(replies, int):
            return value
        return sum(self._hope(kid, ahead - 1) for _, kid in replies) / len(replies)

    def _hope(self, at: At, ahead: int) -> float:
        """What a position is worth against such an opponent."""
        value = self.value(at)
        if value == 1 or not ahead:
            return value
        key = self.key(at), ahead
        if key not in self._hoped:
            replies = (self._reply(kid, value, ahead) for _, kid in self._keeping(at, value))
            self._hoped[key] = max(replies, default=value)
        return self._hoped[key]


Ends = Callable[[Cells, Side], tuple[Cells, Cells]]
"""Where a stone of a side wins at once, and where it loses; of the side's stones, and the side."""


class Stones(Exact[tuple[Cells, Cells, Side]]):
    """Games in which stones stay where they are put, and whoever completes something wins. full: the cells there are.

    A position is the stones of the side to move, those of the other one, and the side.
    """

    def __init__(self, full: Cells, ends: Ends, steps: Steps) -> None:
        super().__init__(steps)
        self._full, self._ends = full, ends

    def key(self, at: tuple[Cells, Cells, Side]) -> Hashable:
        return at[:2]

    def look(self, at: tuple[Cells, Cells, Side]) -> int | Sequence[tuple[int, tuple[Cells, Cells, Side]]]:
        own, others, side = at
        free = self._full & ~own & ~others
        if not free:
            return 0
        wins, losses = self._ends(own, side)
        threats, _ = self._ends(others, side.other)
        if wins & free:
            return 1
        threats &= free
        moves = (threats or free) & ~losses
        if not moves or threats & threats - 1:
            return -1
        order = sorted(bits(moves), key=lambda move: -self.refuted[move])
        return [(move, (others, own | 1 << move, side.other)) for move in order]

    def rest(self, at: tuple[Cells, Cells, Side]) -> Sequence[int]:
        """A win in one, or a threat stopped before it."""
        (own, others, side), line = at, list[int]()
        while free := self._full & ~own & ~others:
            wins, losses = (cells & free for cells in self._ends(own, side))
            threats = self._ends(others, side.other)[0] & free
            best = wins or threats & ~losses or free & ~losses or free
            move = best & -best
            line.append(move.bit_length() - 1)
            if move & (wins | losses):
                break
            own, others, side = others, own | move, side.other
        return line
