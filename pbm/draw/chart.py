"""Ratings drawn as bars: a mark for each rating, with a bar of two deviations to either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import drawsvg

from pbm.draw.pieces import INK, LINE, PAPER, label, sheet

ROW, LETTERS = 22, 13
"""Pixels: the height of a player's row, and of letters."""
NAMES, SCALE, MARGIN = 225, 325, 25
"""Pixels: the width of the names, of the scale, and of what is left free beside it."""
STEP = 250
"""Points between two lines of the scale."""
SURE, UNSURE = "#2b6cb0", "#b7791f"
GRID = "#dddddd"
FONT = "DejaVu Sans, sans-serif"


WIDTH = NAMES + SCALE + 2 * MARGIN


@dataclass(frozen=True, slots=True)
class Bar:
    """A player's rating, and how far it may be off to either side, in points. sure: enough is known of it."""

    name: str
    rating: float
    reach: float
    sure: bool


@lru_cache(maxsize=8)
def ratings(bars: tuple[Bar, ...]) -> str:
    """An SVG document, a row for each in their order; there is at least one."""
    low, high = _bounds(bars)

    def x(points: float) -> int:
        return NAMES + round(SCALE * (points - low) / (high - low))

    height = ROW * (len(bars) + 2)
    drawing = sheet(WIDTH, height)
    for points in range(low, high + 1, STEP):
        drawing.append(drawsvg.Line(x(points), ROW, x(points), height - ROW // 2, stroke=GRID, stroke_width=1))
        drawing.append(label(str(points), LETTERS - 1, x(points), ROW // 2, LINE))
    for row, bar in enumerate(bars, 1):
        drawing.extend(_row(bar, x, ROW * row + ROW // 2))
    return str(drawing.as_svg())


def _bounds(bars: Sequence[Bar]) -> tuple[int, int]:
    """Multiples of STEP below and above all bars."""
    low = min(bar.rating - bar.reach for bar in bars) // STEP
    high = -(-max(bar.rating + bar.reach for bar in bars) // STEP)
    return int(low) * STEP, max(int(high), int(low) + 1) * STEP


def _row(bar: Bar, x: Callable[[float], int], y: int) -> list[drawsvg.DrawingElement]:
    """A name with its rating, and the bar with its ends and its mark at the height y."""
    colour = SURE if bar.sure else UNSURE
    ends = [x(bar.rating - bar.reach), x(bar.rating + bar.reach)]
    name = drawsvg.Text(
        f"{bar.name} {bar.rating:.0f}", LETTERS, NAMES - 10, y + 5, fill=INK, font_family=FONT, text_anchor="end"
    )
    line = drawsvg.Line(ends[0], y, ends[1], y, stroke=colour, stroke_width=3)
    stops = [drawsvg.Line(end, y - 5, end, y + 5, stroke=colour, stroke_width=2) for end in ends]
    mark = drawsvg.Circle(x(bar.rating), y, 5, fill=colour if bar.sure else PAPER, stroke=colour, stroke_width=2)
    return [name, line, *stops, mark]
