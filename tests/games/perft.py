"""Counts sequences of moves, for games and for their literal second implementations."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest

COUNTS = Path(__file__).parent / "golden"

quick_and_whole = pytest.mark.parametrize(
    "whole", [False, pytest.param(True, marks=pytest.mark.oracle)], ids=["quick", "whole"]
)
"""Golden counts are compared twice: as far as is quick, and completely if there is time."""


class Case(NamedTuple):
    """The golden counts of one start; see golden/README.md. wins: None if nothing is claimed."""

    options: list[str]
    body: str
    plies: list[int]
    wins: list[int] | None


def golden_cases(name: str, *, whole: bool) -> list[Case]:
    """The golden counts of a game: of all plies, or only of those that are counted quickly."""
    cases = []
    for case in json.loads((COUNTS / f"{name}.json").read_text())["cases"]:
        plies, most = case["plies"], None if whole else case.get("quick")
        cases.append(Case(case["options"], case.get("body", ""), plies[:most], None if most else case["wins"]))
    return cases


P = TypeVar("P", bound=Hashable)

DRAW = 0
"""The value of `winner` for a drawn game; 1 and 2 are the sides, None is a game that goes on."""


def perft(
    start: P, successors: Callable[[P], Iterable[P]], winner: Callable[[P], int | None], depth: int
) -> tuple[list[int], list[int]]:
    """The numbers of sequences of 1, 2, .. depth plies, and of those that end the game, as [first, second, draw].

    successors: the positions after each legal move; none if the game is over. A position that is reached in several
    ways is visited once, with the number of ways.
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
