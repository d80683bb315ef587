"""Boards of cells as marks: one for each ground and each line of the board, one for each piece."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from games.scene import Cell, Form, GridBoard, Ground, HexBoard, Join, Look, Place
from pbm.draw.brush import (
    CLOSED,
    COLOURS,
    FAINT,
    INK,
    LAST,
    LINE,
    PAPER,
    SHADED,
    WINNING,
    WOOD,
    fill_of,
    ring_of,
    text_on,
)
from pbm.draw.marks import Depth, Mark, Markings, escaped, label

UNIT = 20
"""Between neighbours of a grid, and of a row of hexagons."""
HALF = UNIT // 2
RADIUS = 8
ROW = 18
"""Between rows of hexagons: three times the third that is a slanting side's height."""
STYLE = (
    f".board{{text-anchor:middle;font:12px sans-serif;color:{INK}}}"
    f".c{{fill:{CLOSED};stroke:{LINE}}}.l{{fill:none;stroke:{LAST};stroke-width:2.5}}"
    f".y{{fill:none;stroke:{ring_of(COLOURS['red'])};stroke-width:2.5}}"
    f".w{{fill:none;stroke:{WINNING};stroke-width:2.5}}.j{{stroke:{INK};stroke-width:3}}.f{{stroke:{LINE}}}"
)

At = Callable[[int, int], Place]
"""Where the middle of a cell is, x and y, by its row and column."""


def drawing(board: GridBoard | HexBoard) -> Markings:
    pieces = dict(_pieces(board))
    if isinstance(board, HexBoard):
        marks = (*_hexagons(board), *_stones(board, _hexagon))
        spots = [_hexagon(*cell.place) for cell in board.cells]
        spots += [_hexagon(each.place[0] + each.down, each.place[1] + each.right) for each in board.labels]
    else:
        marks = (*_squares(board), *_joined(board), *_stones(board, _square))
        spots = [_square(*place) for place in _beside(board)]
    xs, ys = zip(*spots, strict=True)
    left, top = min(xs) - UNIT * 2 // 3, min(ys) - UNIT * 2 // 3
    return Markings((left, top, max(xs) - left + UNIT * 2 // 3, max(ys) - top + UNIT * 2 // 3), marks, pieces)


def _square(row: int, column: int) -> Place:
    return UNIT * column, UNIT * row


def _hexagon(row: int, column: int) -> Place:
    return HALF * column, ROW * row


def _path(shapes: Iterable[str], **attributes: str) -> str:
    told = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<path{told} d="{"".join(shapes)}"/>'


def _shape(place: Place, *, six: bool) -> str:
    """The outline of a cell."""
    if six:
        x, y = _hexagon(*place)
        side = ROW // 3
        return f"M{x} {y - 2 * side}l{HALF} {side}v{2 * side}l-{HALF} {side}l-{HALF}-{side}v-{2 * side}z"
    x, y = _square(*place)
    return f"M{x - HALF} {y - HALF}h{UNIT}v{UNIT}h-{UNIT}z"


def _grounds(cells: Iterable[Cell], fill: Callable[[Cell], str], edge: str | None, *, six: bool) -> Iterator[Mark]:
    """The cells of each colour together. edge: the colour of their outlines; None for that of their ground."""
    for colour, alike in groupby(sorted(cells, key=fill), key=fill):
        shapes = (_shape(cell.place, six=six) for cell in alike)
        yield Mark(Depth.GROUND, _path(shapes, fill=colour, stroke=edge or colour))


def _hexagons(board: HexBoard) -> Iterator[Mark]:
    yield from _grounds(board.cells, lambda cell: SHADED if cell.shaded else WOOD, LINE, six=True)
    colours = dict(board.colours)
    for each in board.labels:
        x, y = _hexagon(each.place[0] + each.down, each.place[1] + each.right)
        owned = fill_of(each.owner, colours) if each.owner else INK
        yield Mark(Depth.WORDS, label(x, y, each.text, fill=owned if text_on(owned) == PAPER else INK))


def _beside(board: GridBoard) -> list[Place]:
    """The places of all cells, and of the labels around them."""
    rows, columns = zip(*(cell.place for cell in board.cells), strict=True)
    ends = (min(rows) - 1, min(columns) - 1), (max(rows) + 1, max(columns) + 1)
    return [cell.place for cell in board.cells] + list(ends)


def _squares(board: GridBoard) -> Iterator[Mark]:
    usual = PAPER if board.ground is Ground.POINTS else WOOD
    edge = LINE if board.ground is Ground.SQUARES else None
    yield from _grounds(board.cells, lambda cell: SHADED if cell.shaded else usual, edge, six=False)
    if board.ground is Ground.LINES:
        for faint, alike in groupby(sorted(board.cells, key=lambda cell: cell.faint), key=lambda cell: cell.faint):
            crosses = (_cross(*_square(*cell.place)) for cell in alike)
            yield Mark(Depth.GROUND, _path(crosses, fill="none", stroke=FAINT if faint else LINE))
    if board.ground is not Ground.SQUARES:
        dots = [cell for cell in board.cells if board.ground is Ground.POINTS or cell.shaded]
        for cell in dots:
            x, y = _square(*cell.place)
            yield Mark(Depth.LINES, f'<circle cx="{x}" cy="{y}" r="1.5"/>')
    yield from _edges(board)


def _cross(x: int, y: int) -> str:
    return f"M{x - HALF} {y}h{UNIT}M{x} {y - HALF}v{UNIT}"


def _edges(board: GridBoard) -> Iterator[Mark]:
    """The labels along all four sides."""
    (top, left), (bottom, right) = _beside(board)[-2:]
    places = [(place, text) for at, text in enumerate(board.columns) for place in ((top, at), (bottom, at))]
    places += [(place, text) for at, text in enumerate(board.rows) for place in ((at, left), (at, right))]
    for place, text in places:
        yield Mark(Depth.WORDS, label(*_square(*place), text))


def _joined(board: GridBoard) -> Iterator[Mark]:
    colours = dict(board.colours)
    for join in board.joins:
        if join.look is not Look.OPEN:
            yield Mark(Depth.LINES, _line(join, "f" if join.look is Look.GROUND else "j"))
            if join.last:
                yield Mark(Depth.LAST, _line(join, "l"))
    for box in board.boxes:
        x, y = _square(box.row, box.column)
        yield Mark(Depth.LINES, _disc(x + HALF, y + HALF, RADIUS * 3 // 4, fill_of(box.owner, colours), box.owner))
    for mark in board.crossings:
        x, y = _square(mark.row, mark.column)
        yield Mark(Depth.PIECES, _disc(x, y, RADIUS * 2 // 3, fill_of(mark.owner, colours), mark.owner))


def _line(join: Join, kind: str) -> str:
    (x, y), (to_x, to_y) = _square(*join.start), _square(*join.end)
    return f'<path class="{kind}" d="M{x} {y}L{to_x} {to_y}"/>'


def _disc(x: int, y: int, radius: int, fill: str, letter: str) -> str:
    circle = f'<circle cx="{x}" cy="{y}" r="{radius}" fill="{fill}" stroke="{INK}"/>'
    size = f' style="font-size:{radius + 2}px;fill:{text_on(fill)}"'
    return f'{circle}<text x="{x}" y="{y}" dy=".35em"{size}>{escaped(letter)}</text>'


def _stones(board: GridBoard | HexBoard, at: At) -> Iterator[Mark]:
    """The pieces, what marks them, and the way of the last move."""
    colours = dict(board.colours)
    for cell in board.cells:
        x, y = at(*cell.place)
        if cell.closed and not cell.piece and isinstance(board, GridBoard):
            yield Mark(Depth.LINES, _path((_shape(cell.place, six=False),), **{"class": "c"}))
        if cell.piece:
            yield Mark(Depth.PIECES, f'<use href="#{_name(cell)}" x="{x}" y="{y}"/>')
        if cell.last or cell.winning:
            on_red = cell.piece and ring_of(fill_of(cell.piece, colours)) != LAST
            kind = "w" if not cell.last else "y" if on_red else "l"
            yield Mark(Depth.LAST, f'<circle class="{kind}" cx="{x}" cy="{y}" r="{RADIUS}"/>')
    if len(board.path) > 1:
        way = "L".join(f"{x} {y}" for x, y in (at(*place) for place in board.path))
        yield Mark(Depth.LINES, f'<path class="l" d="M{way}"/>')


def _name(cell: Cell) -> str:
    """The id of a piece's drawing; letters are told by their numbers, since an id must not hold just anything."""
    letters = "-".join(str(ord(letter)) for letter in cell.piece)
    return f"s{letters}{cell.form.value[0]}{'f' if cell.faint else ''}"


def _pieces(board: GridBoard | HexBoard) -> Iterator[tuple[str, str]]:
    colours = dict(board.colours)
    for cell in board.cells:
        if cell.piece:
            yield _name(cell), _piece(cell, fill_of(cell.piece, colours))


def _piece(cell: Cell, fill: str) -> str:
    if cell.faint:
        return f'<circle r="5" fill="{FAINT if fill == PAPER else fill}" stroke="{INK}" stroke-width=".5"/>'
    ink = text_on(fill)
    words = f'<text dy=".35em" style="font-size:9px;fill:{ink}">{escaped(cell.piece)}</text>'
    if cell.form in (Form.ARROW, Form.WALL):
        return f'<path d="M-8-8h16v16h-16z" fill="{fill}" stroke="{INK}"/>{words}'
    inner = f'<circle r="6" fill="none" stroke="{ink}"/>' if cell.form is Form.QUEEN else ""
    return f'<circle r="{RADIUS}" fill="{fill}" stroke="{INK}"/>{inner}{words}'
