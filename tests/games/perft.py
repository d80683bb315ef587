"""Counting move sequences, for games and for their literal second implementations alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

P = TypeVar("P", bound=Hashable)

DRAW = 0
"""What `winner` gives for a drawn game; 1 and 2 are the sides, None is a game that goes on."""


def perft(
    start: P, successors: Callable[[P], Iterable[P]], winner: Callable[[P], int | None], depth: int
) -> tuple[list[int], list[int]]:
    """The numbers of sequences of 1, 2, .. depth plies, and of those that end the game, as [first, second, draws].

    successors: the positions after each legal move, none when the game is over. Positions reached in several ways are
    looked at once, with the number of ways.
    """
    plies, wins = [], [0, 0, 0]
    layer = Counter({start: 1})
    for _ in range(depth):
        after: Counter[P] = Counter()
        for pos, ways in layer.items():
            for successor in successors(pos):
                after[successor] += ways
        plies.append(after.total())
        for pos, ways in after.items():
            if (won := winner(pos)) is not None:
                wins[won - 1] += ways  # a draw, 0, counts in the last place
        layer = after
    return plies, wins
