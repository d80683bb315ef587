"""A whole game as one SVG: every mark stands there once, with the plies at which it comes and goes.

The document around it has an element with the id p0, p1, ... for each position, one after the other in one parent, and
all of it stands in an element of the class replay. The one that is `:target` of the address tells which position is
seen; without any it is the last one. No script is needed, only a browser that knows `:has()`.

    a mark that comes with ply 5 and goes with ply 9   ->   <g class="a5"><g class="x9">...</g></g>
    the position before ply 5 is asked for             ->   .replay:has(:target~#p5) .a5{display:none}
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TypeGuard

from games.scene import GridBoard, HexBoard, PlaneBoard
from pbm.draw import svg_cells, svg_plane
from pbm.draw.marks import Mark, Markings, escaped

Board = HexBoard | GridBoard | PlaneBoard
Life = tuple[int, int | None, Mark]
"""The index of the board with which a mark comes, of the one with which it goes, None for never."""


def replay(boards: Sequence[Board], described: str, first: int = 0) -> str:
    """The boards of a game one after the other, at least one. described: for those who do not see it.

    first: the number of the first board's anchor.
    """
    drawings = _drawings(boards)
    lives = sorted(_lives([drawing.marks for drawing in drawings]), key=_order)
    left, top, width, height = drawings[-1].box
    known = {name: text for drawing in drawings for name, text in drawing.pieces.items()}
    pieces = "".join(f'<g id="{name}">{text}</g>' for name, text in sorted(known.items()))
    rules = "".join(_rules(lives, first))
    return (
        f'<svg class="board" viewBox="{left} {top} {width} {height}" role="img" aria-label="{escaped(described)}">'
        f"<style>{svg_cells.STYLE}{svg_plane.STYLE}{rules}</style><defs>{pieces}</defs>"
        f"{''.join(_groups(lives, first))}</svg>"
    )


def _drawings(boards: Sequence[Board]) -> list[Markings]:
    if _are_planes(boards):
        return svg_plane.drawings(boards)
    return [svg_cells.drawing(board) for board in boards if not isinstance(board, PlaneBoard)]


def _are_planes(boards: Sequence[Board]) -> TypeGuard[Sequence[PlaneBoard]]:
    return all(isinstance(board, PlaneBoard) for board in boards)


def _lives(frames: Sequence[Sequence[Mark]]) -> Iterator[Life]:
    """When each mark of the positions is there; one that comes again has several lives."""
    since: dict[Mark, int] = {}
    for number, marks in enumerate(frames):
        present = dict.fromkeys(marks)
        for mark in [mark for mark in since if mark not in present]:
            yield since.pop(mark), number, mark
        for mark in present:
            since.setdefault(mark, number)
    yield from ((begun, None, mark) for mark, begun in since.items())


def _order(life: Life) -> tuple[int, int, int]:
    start, end, mark = life
    return mark.depth, start, end or 0


def _rules(lives: Sequence[Life], first: int) -> Iterator[str]:
    yield ".replay [class^=x]{display:none}"
    for number in sorted({start for start, _, _ in lives if start}):
        yield f".replay:has(:target~#p{first + number}) .a{first + number}{{display:none}}"
    for number in sorted({end for _, end, _ in lives if end}):
        yield f".replay:has(:target~#p{first + number}) .x{first + number}{{display:inline}}"


def _groups(lives: Sequence[Life], first: int) -> Iterator[str]:
    for (_, start), coming in groupby(lives, key=lambda life: (life[2].depth, life[0])):
        yield f'<g class="a{first + start}">' if start else "<g>"
        for end, going in groupby(coming, key=lambda life: life[1]):
            drawn = "".join(mark.text for _, _, mark in going)
            yield f'<g class="x{first + end}">{drawn}</g>' if end else drawn
        yield "</g>"
