"""The exact end of a game, found by playing out every line; skills that look at less must find the same."""

from __future__ import annotations

from typing import Any

from games import AnyGame
from games.rules import Side
from games.steps import OutOfSteps
from pbm.bots.skill import Solution, value_of


class Tail:
    """Values and best moves of positions, each worked out once. steps: how many positions may be visited."""

    def __init__(self, game: AnyGame, steps: int) -> None:
        self._game = game
        self._steps = steps
        self._known: dict[Any, tuple[float, Any]] = {}

    def solution(self, pos: Any) -> Solution | None:
        """The truth about a position that is not over; None if the steps do not suffice."""
        try:
            value = self._value(pos)
        except (OutOfSteps, RecursionError):
            return None
        line: list[Any] = []
        while pos in self._known:
            move = self._known[pos][1]
            line.append(move)
            pos = self._game.play(pos, move)
        return Solution(value, tuple(line))

    def _value(self, pos: Any) -> float:
        """The value of a position for the first side. Raises: OutOfSteps."""
        if pos in self._known:
            return self._known[pos][0]
        self._steps -= 1
        if self._steps < 0:
            raise OutOfSteps
        if (outcome := self._game.outcome(pos)) is not None:
            return value_of(outcome)
        sign = 1.0 if self._game.to_move(pos) is Side.FIRST else -1.0
        best, chosen = -2.0, None
        for move in self._game.moves(pos):
            worth = sign * self._value(self._game.play(pos, move))
            if worth > best:
                best, chosen = worth, move
            if best >= 1.0:
                break
        self._known[pos] = sign * best, chosen
        return sign * best
