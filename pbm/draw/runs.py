"""Drawn lines whose characters tell which word they stand for, so that a mail can make them links."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple


class Run(NamedTuple):
    """Characters side by side. word: what a player types to mean them; empty where they mean nothing."""

    text: str
    word: str = ""


Line = list[Run]
run = lru_cache(maxsize=10_000)(Run)
"""A run of a board's place: boards have a few thousand different ones, drawn over and over."""


def plain(lines: Sequence[Line]) -> list[str]:
    """The characters alone, without trailing blanks."""
    return ["".join(run.text for run in line).rstrip() for line in lines]
