"""What a robot knows about a game beyond its rules. A game without its own skill is played with the plain one.

A skill lists the moves to consider, plays a position out at random, judges it, or solves it. Values are those of the
first side, from -1 for a certain loss to 1 for a certain win. All randomness comes from the caller's dice, so the same
dice give the same answers on every machine.

Exact values are found by alpha-beta with a table. If a position is drawn or lost with best play, all moves that keep
that value are equal against an opponent who makes no mistakes. Of these, the one is played after which most replies are
mistakes, looking as many moves ahead as the steps allow.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from random import Random
from typing import Any, Generic, TypeVar

from games import AnyGame
from games.boards import Cells, bits
from games.rules import Outcome, Side, any_move
from games.steps import OutOfSteps, Steps
from pbm.values import frozen

WIDEST = 1000  # with more, trying these proves nothing about all moves
"""The most moves of a position that are tried."""

Credit = Mapping[Any, tuple[float, float]]
"""For each move how often it was played, and the sum of the values of those games."""


@frozen
class Rollout:
    """The result of playing a position out."""

    value: float
    credit: tuple[Credit, Credit] = field(default=({}, {}))
    """The credit of the moves of the first and of the second side."""

    @classmethod
    def of(cls, value: float, mover: Side, own: Iterable[Any], others: Iterable[Any]) -> Rollout:
        """A game that credits all its moves equally. own: the moves of `mover`."""
        mine, theirs = (dict.fromkeys(moves, (1.0, value)) for moves in (own, others))
        return cls(value, (mine, theirs) if mover is Side.FIRST else (theirs, mine))


@frozen
class Solution:
    """The exact value of a position, and a line of best play from it."""

    value: float
    line: tuple[Any, ...]
    proved: bool = True
    """False: the line is the best guess of an unfinished proof, and the value is 0."""


def value_of(outcome: Outcome) -> float:
    """The value of an outcome for the first side."""
    return 0.0 if outcome.winner is None else float(outcome.winner.sign)


class Skill:
    """The plain skill: every legal move, playouts by the rules, nothing solved. Other skills derive from it.

    full: positions a robot of the highest level visits. shares: the fractions of it for levels 1 to 5. explore: the
    weight of rarely visited moves in a search. rave: how many visits of a move its results in other playouts are worth;
    0 turns that off. ordered: moves() returns the best first; otherwise the order is random. complete: moves() omits
    nothing that could save a lost position. plies: the length after which a playout is judged. least: positions
    the lowest level visits; each further level visits at least three times as many. slips: how often levels 1 to 4 move
    without thought, found by measurement: the lowest should win half of its games against a player who takes the best
    move at a glance, and each other level between two thirds and nine tenths against the one below.
    """

    full = 1000
    shares: tuple[float, ...] = (1 / 200, 1 / 50, 1 / 14, 1 / 4, 1)
    explore = 0.7
    rave = 0.0
    ordered = False
    complete = True
    plies = 300
    least = 2
    slips = (0.8, 0.44, 0.2, 0.04)

    sure = True
    """What a search proves in `played` is true by the rules."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.played: Any = game
        """The game as played in a search, from a position of the rules on, with the moves of the rules."""

    def moves(self, pos: Any, dice: Random) -> Sequence[Any]:
        """The moves to consider; not empty while the game goes on."""
        return list(islice(self.played.moves(pos), WIDEST))

    careless = moves
    """The moves for playing without thought."""

    def obvious(self, pos: Any) -> Solution | None:
        """The exact solution of a position that is not over, if it is obvious; called for every visited position."""
        return None

    def evaluate(self, pos: Any) -> float | None:
        """The static value of a position, whichever side is to move; None if the skill has no evaluation."""
        return None

    def rollout(self, pos: Any, dice: Random) -> Rollout:
        """The judgement of a position that is not over: by evaluation, otherwise by a random game."""
        if (glance := self.evaluate(pos)) is not None:
            return Rollout(glance)
        game = self.played
        for _ in range(self.plies):
            pos = game.play(pos, any_move(game, pos, dice, WIDEST))
            if (outcome := game.outcome(pos)) is not None:
                return Rollout(value_of(outcome))
        return Rollout(0.0)

    def solve(self, pos: Any, steps: Steps) -> Solution | None:
        """The exact solution of a position; if the steps do not suffice, the likely best line, or None."""
        return None


def completing(lines: Iterable[Cells], stones: Cells) -> Cells:
    """The cells that each complete a line with these stones. lines: any sets of cells."""
    last = 0
    for line in lines:
        left = line & ~stones
        if not left & left - 1:
            last |= left
    return last


At = TypeVar("At")
"""What a game needs to know about a position."""


class Exact(ABC, Generic[At]):
    """Exact values of positions with alternating sides: 1, 0 or -1, for the side to move.

    steps: positions it may visit.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._bounds: dict[Hashable, tuple[int, int]] = {}
        self._hoped: dict[Hashable, float] = {}
        self.refuted = Counter[Any]()
        """How often a move alone settled its position."""

    def key(self, at: Any) -> Hashable:
        """A key that is equal for equivalent positions; unless redefined, what both sides have, the mover's first."""
        own, others, *_ = at
        return own, others

    @abstractmethod
    def look(self, at: At) -> int | Sequence[tuple[Any, At]]:
        """The value of a position that is over or practically over; otherwise the moves to consider, each with the
        position after it, the most likely to decide soon first.
        """

    def rest(self, _at: At) -> Sequence[Any]:
        """Best play to the end from a position that is practically over."""
        return ()

    def _looked(self, at: At) -> int | Sequence[tuple[Any, At]]:
        """As `look`, at the cost of a step. Raises: OutOfSteps."""
        self._steps.take()
        return self.look(at)

    def value(self, at: At, low: int = -1, high: int = 1) -> int:
        """The value if it is between the bounds; otherwise only a bound of it. Raises: OutOfSteps."""
        key = self.key(at)
        least, most = self._bounds.get(key, (-1, 1))
        # What is known of the position narrows the question.
        low, high = max(low, least), min(high, most)
        if low >= high:
            return least if least >= high else most
        kids = self._looked(at)
        if isinstance(kids, int):
            self._bounds[key] = kids, kids
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
        # A value at or beyond a bound is itself only a bound.
        self._bounds[key] = (best, most) if best >= high else (least, best) if best <= low else (best, best)
        return best

    def solution(self, at: At, mover: Side) -> Solution | None:
        """The exact solution of a position; None if the steps do not suffice."""
        again = self._steps.of(1)  # for choosing among moves of the same value
        try:
            value = self.value(at)
        except OutOfSteps:
            return None
        line = self._line(at)
        self._steps = again
        # A win needs no trap.
        if value < 1 and (trap := self._trap(at, value, len(line))) is not None:
            line = [trap[0], *self._line(trap[1])]
        return Solution(float(mover.sign * value), tuple(line)) if line else None

    def _line(self, at: At) -> list[Any]:
        """Best play to the end, or as far as the steps allow."""
        line: list[Any] = []
        with suppress(OutOfSteps):
            while not isinstance(kids := self.look(at), int):
                value = self.value(at)
                move, at = next((move, kid) for move, kid in kids if -self.value(kid) == value)
                line.append(move)
            line += self.rest(at)
        return line

    def _trap(self, at: At, value: int, plies: int) -> tuple[Any, At] | None:
        """The move that keeps the value and after which a random opponent errs most, and the position after it; None if
        the steps do not suffice. plies: to the end.
        """
        hopes: list[float] = []
        kept: list[tuple[Any, At]] = []
        with suppress(OutOfSteps):
            kept = self._keeping(at, value)
            for ahead in range(1, plies // 2 + 1):
                hopes = [self._reply(kid, value, ahead) for _, kid in kept]
        return kept[hopes.index(max(hopes))] if hopes else None

    def _keeping(self, at: At, value: int) -> list[tuple[Any, At]]:
        """The moves that keep a value, each with the position after it."""
        kids = self._looked(at)
        return [] if isinstance(kids, int) else [(move, kid) for move, kid in kids if -self.value(kid) == value]

    def _reply(self, at: At, value: int, ahead: int) -> float:
        """The expected value for the side that just moved, if the reply is random. value: for that side."""
        replies = self._looked(at)
        if isinstance(replies, int):
            return value
        return sum(self._hope(kid, ahead - 1) for _, kid in replies) / len(replies)

    def _hope(self, at: At, ahead: int) -> float:
        """The value of a position against an opponent who replies at random."""
        value = self.value(at)
        if value == 1 or not ahead:
            return value
        key = self.key(at), ahead
        if key not in self._hoped:
            replies = (self._reply(kid, value, ahead) for _, kid in self._keeping(at, value))
            self._hoped[key] = max(replies, default=value)
        return self._hoped[key]


Ends = Callable[[Cells, Side], tuple[Cells, Cells]]
"""Takes a side's stones and the side; returns the cells where its next stone wins at once, and where it loses."""


class Stones(Exact[tuple[Cells, Cells, Side]]):
    """Games in which stones stay where placed, and completing something wins. full: all cells.

    A position is the stones of the side to move, those of the other side, and the side to move.
    """

    def __init__(self, full: Cells, ends: Ends, steps: Steps) -> None:
        super().__init__(steps)
        self._full, self._ends = full, ends

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
        # Two threats cannot both be stopped.
        if not moves or threats & threats - 1:
            return -1
        order = sorted(bits(moves), key=lambda move: -self.refuted[move])
        return [(move, (others, own | 1 << move, side.other)) for move in order]

    def rest(self, at: tuple[Cells, Cells, Side]) -> Sequence[int]:
        """A win in one, or forced moves until one side wins or loses."""
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
