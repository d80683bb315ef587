"""Ratings as SVG, in the colours of the page around: bars of two deviations, and lines from game to game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbm.draw.chart import Bar, bounds, marks_between
from pbm.draw.marks import escaped

ROW = 26
WIDTH, HEIGHT = 360, 140
"""As narrow as a phone, so that letters are not shrunk there."""
NAMES, EDGE = 150, 12


def standings(bars: Sequence[Bar], described: str) -> str:
    """A row for each in their order; there is at least one."""
    low, high = bounds(bars)

    def x(points: float) -> float:
        return round(NAMES + EDGE + (WIDTH - NAMES - 2 * EDGE) * (points - low) / (high - low), 1)

    bottom = ROW * (len(bars) + 1)
    drawn = [_scale(x(points), points, bottom) for points in marks_between(low, high)]
    for row, bar in enumerate(bars, 1):
        drawn.append(
            _bar(bar, x(bar.rating - bar.reach), x(bar.rating), x(bar.rating + bar.reach), ROW * row + ROW // 2)
        )
    return _svg(bottom + EDGE, described, drawn)


def _scale(x: float, points: int, bottom: int) -> str:
    words = f'<text x="{x:g}" y="16" text-anchor="middle">{points}</text>'
    return f'<path class="scale" d="M{x:g} {ROW}V{bottom}"/>{words}'


def _bar(bar: Bar, left: float, middle: float, right: float, y: int) -> str:
    kind = "sure" if bar.sure else "unsure"
    name = f'<text x="{NAMES}" y="{y + 5}" text-anchor="end">{escaped(bar.name[:14])} {bar.rating:.0f}</text>'
    mark = f'<circle class="{kind}" cx="{middle:g}" cy="{y}" r="5"/>'
    return f'{name}<path class="{kind}" d="M{left:g} {y}H{right:g}"/>{mark}'


def history(ratings: Sequence[float], described: str) -> str:
    """A rating after each rated game, the oldest at the left; there is at least one."""
    low, high = int(min(ratings) // 50) * 50, int(-(-max(ratings) // 50)) * 50
    high = max(high, low + 50)

    def spots() -> Iterator[str]:
        step = (WIDTH - 5 * EDGE - 30) / max(1, len(ratings) - 1)
        for number, rating in enumerate(ratings):
            yield f"{50 + number * step:.0f} {HEIGHT - EDGE - (HEIGHT - 2 * EDGE) * (rating - low) / (high - low):.0f}"

    found = list(spots())
    lines = [
        f'<path class="scale" d="M44 {y}H{WIDTH}"/><text x="40" y="{y + 5}" text-anchor="end">{points}</text>'
        for y, points in ((EDGE, high), (HEIGHT - EDGE, low))
    ]
    x, y = found[-1].split()
    last = f'<circle class="sure" cx="{x}" cy="{y}" r="4"/>'
    return _svg(HEIGHT, described, [*lines, f'<path class="sure" d="M{"L".join(found)}"/>', last])


def _svg(height: int, described: str, drawn: Sequence[str]) -> str:
    box = f'viewBox="0 0 {WIDTH} {height}"'
    return f'<svg class="plot" {box} role="img" aria-label="{escaped(described)}">{"".join(drawn)}</svg>'
