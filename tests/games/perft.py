"""Counting move sequences, for games and for their literal second implementations alike."""

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
"""Golden counts are held twice: as far as is quick, and wholly where there is time."""


class Case(NamedTuple):
    """Golden counts of one start; see golden/README.md. wins: None where nothing is claimed."""

    options: list[str]
    body: str
    plies: list[int]
    wins: list[int] | None


def golden_cases(name: str, *, whole: bool) -> list[Case]:
    """What is counted of a game: all plies, or those that are counted quickly."""
    cases = []
    for case in json.loads((COUNTS / f"{name}.json").read_text())["cases"]:
        plies, most = case["plies"], None if whole else case.get("quick")
        cases.append(Case(case["options"], case.get("body", ""), plies[:most], None if most else case["wins"]))
    return cases


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
