"""Ratings drawn as bars: a mark for each rating, with a bar of two deviations to either side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from PIL import ImageDraw

from pbm.draw import brush
from pbm.draw.brush import COLOURS, FAINT, INK, LINE, PAPER, Picture

ROW, LETTERS = 24, 15
"""Pixels: the height of a player's row, and of letters."""
NAMES, SCALE, MARGIN = 200, 230, 25
"""Pixels: the width of the names, of the scale, and of what is left free beside it."""
STEP, MOST_STEPS = 250, 4
"""Points between two lines of the scale, or a multiple of them where there would be more steps than this."""
SURE, UNSURE = COLOURS["blue"], COLOURS["red"]
WIDTH = NAMES + SCALE + 2 * MARGIN


@dataclass(frozen=True, slots=True)
class Bar:
    """A player's rating, and how far it may be off to either side, in points. sure: enough is known of it."""

    name: str
    rating: float
    reach: float
    sure: bool


@lru_cache(maxsize=8)
def ratings(bars: tuple[Bar, ...]) -> Picture:
    """A row for each in their order; there is at least one."""
    low, high = bounds(bars)

    def x(points: float) -> int:
        return NAMES + round(SCALE * (points - low) / (high - low))

    height = ROW * (len(bars) + 2)

    def paint(pen: brush.Pen, finer: int) -> None:
        for points in marks_between(low, high):
            pen.line((x(points) * finer, ROW * finer, x(points) * finer, (height - ROW // 2) * finer), FAINT, finer)
        for row, bar in enumerate(bars, 1):
            _row(pen, bar, lambda points: x(points) * finer, (ROW * row + ROW // 2) * finer, finer)

    image = brush.smooth(WIDTH, height, PAPER, paint)
    pen = ImageDraw.Draw(image)
    for points in marks_between(low, high):
        brush.write(pen, str(points), LETTERS - 2, x(points), ROW // 2, LINE)
    for row, bar in enumerate(bars, 1):
        name = f"{bar.name} {bar.rating:.0f}"
        pen.text((NAMES - 10, ROW * row + ROW // 2), name, INK, brush.font(LETTERS), anchor="rm")
    return brush.finished(brush.flat(image))


def bounds(bars: Sequence[Bar]) -> tuple[int, int]:
    """Multiples of STEP below and above all bars."""
    low = min(bar.rating - bar.reach for bar in bars) // STEP
    high = -(-max(bar.rating + bar.reach for bar in bars) // STEP)
    return int(low) * STEP, max(int(high), int(low) + 1) * STEP


def marks_between(low: int, high: int) -> range:
    """Where the scale has lines, so few that their numbers stand apart."""
    return range(low, high + 1, STEP * -(-(high - low) // (STEP * MOST_STEPS)))


def _row(pen: brush.Pen, bar: Bar, x: Callable[[float], int], y: int, finer: int) -> None:
    """The bar with its ends and its mark at the height y."""
    colour, reach = SURE if bar.sure else UNSURE, 5 * finer
    ends = [x(bar.rating - bar.reach), x(bar.rating + bar.reach)]
    pen.line((ends[0], y, ends[1], y), colour, 3 * finer)
    for end in ends:
        pen.line((end, y - reach, end, y + reach), colour, 2 * finer)
    middle = x(bar.rating)
    box = (middle - reach, y - reach, middle + reach, y + reach)
    pen.ellipse(box, colour if bar.sure else PAPER, colour, 2 * finer)
