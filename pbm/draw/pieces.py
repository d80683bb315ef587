"""The colours in which boards are shown, in pictures and in HTML; they hold on light and on dark pages."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Marks = Mapping[str, str]
"""Characters that stand for those of the plain drawing; those it does not have stay."""
PLAIN: Marks = MappingProxyType({})

INK = "#222222"
LINE = "#777777"
FAINT = "#c8c8c8"
PAPER = "#ffffff"
WOOD, SHADED, CLOSED = "#f0e2c0", "#d9bf8c", "#bdb9b0"
"""Grounds of places: of most, of those darker than their neighbours, of those where nobody may play now."""
LAST = "#d62f1f"
WINNING = "#1f9a4b"

COLOURS = {
    "black": INK, "white": PAPER, "red": "#c62828", "blue": "#1f4fbf", "yellow": "#ffd92e", "purple": "#6a2fa3",
    "green": "#2e8b57", "grey": FAINT,
}  # fmt: skip
_USUAL = {"B": "black", "X": "black", "W": "white", "O": "white", "Y": "yellow", "P": "purple", "R": "red"}
_DARK = {COLOURS[name] for name in ("black", "red", "blue", "purple", "green")}


def fill_of(letter: str, colours: Mapping[str, str]) -> str:
    """The colour of a piece, by its letter, which is written on it besides. colours: names of others than usual."""
    return COLOURS.get(colours.get(letter, _USUAL.get(letter, "grey")), FAINT)


def text_on(fill: str) -> str:
    """The colour in which letters can be read on it."""
    return PAPER if fill in _DARK else INK
