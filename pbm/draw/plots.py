"""Ratings as bars of two deviations, in a picture and in SVG, and as a line from game to game in SVG.

SVG takes its colours from the page around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from pbm.draw.colours import COLOURS, FAINT, INK, LINE, PAPER, Picture
from pbm.values import frozen

if TYPE_CHECKING:
    from pbm.draw import brush

ROW, LETTERS = 24, 15
"""In pixels: the height of a player's row, and of letters."""
NAMES, SCALE, MARGIN = 200, 230, 25
"""In pixels: the width of the names, of the scale, and of the space beside it."""
STEP, MOST_STEPS = 250, 4
"""Points between two lines of the scale, or a multiple of it if there would be more steps than this."""
SURE, UNSURE = COLOURS["blue"], COLOURS["red"]
WIDTH = NAMES + SCALE + 2 * MARGIN


@frozen
class Bar:
    """A player's rating, and how far it may be off in either direction, in points."""

    name: str
    rating: float
    reach: float
    sure: bool
    """The rating is not provisional."""


@lru_cache(maxsize=8)
def ratings(bars: tuple[Bar, ...]) -> Picture:
    """A picture with a row for each bar, in order. bars: at least one."""
    from PIL import ImageDraw

    from pbm.draw import brush

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
        # A long name in smaller letters, so that none is cut off.
        fitting = next(size for size in range(LETTERS, 0, -1) if brush.font(size).getlength(name) < NAMES - 20)
        pen.text((NAMES - 10, ROW * row + ROW // 2), name, INK, brush.font(fitting), anchor="rm")
    return brush.finished(brush.flat(image, brush.FEW))


def bounds(bars: Sequence[Bar]) -> tuple[int, int]:
    """The multiples of STEP below and above all bars."""
    low = min(bar.rating - bar.reach for bar in bars) // STEP
    high = -(-max(bar.rating + bar.reach for bar in bars) // STEP)
    return int(low) * STEP, max(int(high), int(low) + 1) * STEP


def marks_between(low: int, high: int) -> range:
    """Where the scale has lines, few enough for their numbers not to touch."""
    return range(low, high + 1, STEP * -(-(high - low) // (STEP * MOST_STEPS)))


def _row(pen: brush.Pen, bar: Bar, x: Callable[[float], int], y: int, finer: int) -> None:
    """Draws the bar with its ends and its mark at height y."""
    colour, reach = SURE if bar.sure else UNSURE, 5 * finer
    ends = [x(bar.rating - bar.reach), x(bar.rating + bar.reach)]
    pen.line((ends[0], y, ends[1], y), colour, 3 * finer)
    for end in ends:
        pen.line((end, y - reach, end, y + reach), colour, 2 * finer)
    middle = x(bar.rating)
    box = (middle - reach, y - reach, middle + reach, y + reach)
    pen.ellipse(box, colour if bar.sure else PAPER, colour, 2 * finer)


_LETTERS = 13
"""The height of letters, as in the style sheet of the pages."""
_ROW = 26
_WIDTH, _HEIGHT = 360, 140  # narrow enough for a phone not to shrink the letters
_NAMES, _EDGE = 150, 18
"""The width of the names, and of the space at the edges."""


def standings(bars: Sequence[Bar], described: str) -> str:
    """SVG with a row for each bar, in order. bars: at least one. described: in words."""
    low, high = bounds(bars)

    def x(points: float) -> float:
        return round(_NAMES + _EDGE + (_WIDTH - _NAMES - 2 * _EDGE) * (points - low) / (high - low), 1)

    bottom = _ROW * (len(bars) + 1)
    drawn = [
        f'<path class="scale" d="M{x(points):g} {_ROW}V{bottom}"/>'
        f'<text x="{x(points):g}" y="16" text-anchor="middle">{points}</text>'
        for points in marks_between(low, high)
    ]
    drawn += [_bar(bar, x, _ROW * row + _ROW // 2) for row, bar in enumerate(bars, 1)]
    return _svg(bottom + _EDGE, described, drawn)


def _bar(bar: Bar, x: Callable[[float], float], y: int) -> str:
    from pbm.draw import brush

    kind = "sure" if bar.sure else "unsure"
    label = f"{bar.name} {bar.rating:.0f}"
    is_long = brush.font(_LETTERS).getlength(label) > _NAMES
    squeezed = f' textLength="{_NAMES}" lengthAdjust="spacingAndGlyphs"' if is_long else ""
    name = f'<text x="{_NAMES}" y="{y + 5}" text-anchor="end"{squeezed}>{escape(label)}</text>'
    mark = f'<circle class="{kind}" cx="{x(bar.rating):g}" cy="{y}" r="5"/>'
    left, right = x(bar.rating - bar.reach), x(bar.rating + bar.reach)
    return f'{name}<path class="{kind}" d="M{left:g} {y}H{right:g}"/>{mark}'


def history(ratings: Sequence[float], described: str) -> str:
    """SVG of a line of ratings. ratings: after each rated game, the oldest first; at least one. described: in words."""
    low, high = int(min(ratings) // 50) * 50, int(-(-max(ratings) // 50)) * 50
    high = max(high, low + 50)
    step, rise = (_WIDTH - 50 - _EDGE) / max(1, len(ratings) - 1), _HEIGHT - 2 * _EDGE
    points = [
        f"{50 + number * step:.0f} {_HEIGHT - _EDGE - rise * (rating - low) / (high - low):.0f}"
        for number, rating in enumerate(ratings)
    ]
    lines = [
        f'<path class="scale" d="M44 {y}H{_WIDTH}"/><text x="40" y="{y + 5}" text-anchor="end">{number}</text>'
        for y, number in ((_EDGE, high), (_HEIGHT - _EDGE, low))
    ]
    x, y = points[-1].split()
    last = f'<circle class="sure" cx="{x}" cy="{y}" r="4"/>'
    return _svg(_HEIGHT, described, [*lines, f'<path class="sure" d="M{"L".join(points)}"/>', last])


def _svg(height: int, described: str, drawn: Sequence[str]) -> str:
    box = f'viewBox="0 0 {_WIDTH} {height}"'
    return f'<svg class="plot" {box} role="img" aria-label="{escape(described)}">{"".join(drawn)}</svg>'
