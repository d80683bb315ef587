"""What drawings of vectors consist of: marks in layers, each an element of SVG."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from html import escape
from typing import NamedTuple


class Depth(IntEnum):
    """From the lowest to the highest."""

    GROUND = 0
    LINES = 1
    PIECES = 2
    WORDS = 3
    LAST = 4


class Mark(NamedTuple):
    """Marks of one text are the same mark."""

    depth: Depth
    text: str


@dataclass(frozen=True, slots=True)
class Markings:
    """One position. box: left, top, width and height of what is seen. pieces: what `<use>` draws, by id."""

    box: tuple[int, int, int, int]
    marks: tuple[Mark, ...]
    pieces: Mapping[str, str] = field(default_factory=dict)


def escaped(text: str) -> str:
    return escape(text, quote=True)


def label(x: float, y: float, text: str, kind: str = "", fill: str = "") -> str:
    """Words centred on a point. kind: a class. fill: a colour other than the usual one."""
    attributes = f' class="{kind}"' * bool(kind) + f' style="fill:{fill}"' * bool(fill)
    return f'<text x="{x:g}" y="{y:g}" dy=".35em"{attributes}>{escaped(text)}</text>'
