"""Exact values by alpha-beta with a table, and what to play where they leave a choice.

Where a position is drawn or lost with best play, any move that keeps it so is as good against somebody who does not
err. Of these the one is played after which most replies are mistakes, as many moves ahead as the steps last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeVar

from games.boards import Cells, bits
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Solution

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
