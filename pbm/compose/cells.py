"""Boards of cells as tables of HTML: every cell as large as a thumb, and a link where a player may play.

Sizes are in pixels and made for a phone 390 wide. A board too wide for it comes in parts, one below the other.
Everything is told by characters and by colours that hold in light and dark; nothing needs a picture, a style sheet or
a script.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from markupsafe import Markup

from games.scene import Cell, Form, GridBoard, HexBoard, Join, Label, Look, Place
from pbm.draw.brush import CLOSED, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, fill_of, ring_of, text_on

WIDTH = 384
"""What a phone shows side by side."""
SMALLEST, LARGEST = 32, 44
"""The least and the greatest side of a cell."""
MARGIN = 16
"""The width of the rows' labels."""
EDGE = 20
"""The width of the lines between boxes, and of the points between these."""
LINK = 76
"""Characters of a link beside its URL."""

_FULL = "font-size:12px"
_LETTERS = f"{_FULL};opacity:0.7"
DOT = "&#183;"
"""What a free cell shows where one may play."""


class Face(NamedTuple):
    """What a place of a table shows. ground: its colour; empty for none. mark: HTML. word: what a player types."""

    mark: str = ""
    ground: str = ""
    word: str = ""

    def html(self, span: int, height: int, url: str) -> str:
        """The table's cell. url: what it opens, made by mailto; empty for a cell that is no link."""
        opening = f'<td colspan="{span}"' if span > 1 else "<td"
        letters = _FULL if self.mark.startswith("<b") else _LETTERS
        ground = f' bgcolor="{self.ground}"' if self.ground else f' style="{letters}"' if self.mark else ""
        if not url:
            ground += f' style="color:{INK}"' if self.ground and self.mark and "color" not in self.mark else ""
            return f"{opening}{ground}>{self.mark}</td>"
        # A line break inside a tag shows nowhere, and keeps the lines of the mail short enough.
        style = f"display:block;line-height:{height}px;text-decoration:none;color:{INK}"
        link = f'<a\nhref="{url.replace("&", "&amp;")}" style="{style}">{self.mark or "&#160;"}</a>'
        return f"{opening}{ground}>{link}</td>"


BESIDE = "display:inline-table;vertical-align:bottom;"
"""Of a part of a board: beside others where there is room, below them on a phone; all reach down to the last row."""


@dataclass
class Table:
    """Faces by their row and first column. widths, heights: of columns and rows. span: columns of a face.

    beside: the style of a part that has others beside it where there is room.
    """

    widths: list[int]
    heights: list[int]
    span: int = 1
    beside: str = ""
    faces: dict[Place, Face] = field(default_factory=dict)

    def words(self) -> Iterator[str]:
        return (face.word for face in self.faces.values() if face.word)

    def html(self, links: Mapping[str, str], *, dotted: bool = True) -> str:
        """dotted: free cells that are no links have dots, too."""
        pieces, linked = list(self._bare[0]), self._bare[1]
        for at, face, span, height in linked:
            if url := links.get(face.word):
                pieces[at] = face.html(span, height, url)
            elif face.mark == DOT and not dotted:
                pieces[at] = pieces[at].replace(DOT, "")
        return "".join(pieces)

    @cached_property
    def _bare(self) -> tuple[list[str], list[tuple[int, Face, int, int]]]:
        """The table without links, in pieces, and the pieces that may become links: span and height of their faces."""
        columns = "".join(f'<td width="{width}"></td>' for width in self.widths)
        opening = (
            '<table role="presentation" cellpadding="0" cellspacing="1" border="0" '
            f'width="{sum(self.widths)}" style="{self.beside}margin:8px 0;font-size:16px">\n'
            f'<tr><td width="1"></td>{columns}</tr>\n'
        )
        pieces = [opening]
        linked = []
        by_row = {row: list(places) for row, places in groupby(sorted(self.faces), itemgetter(0))}
        for row, height in enumerate(self.heights):
            pieces.append(f'<tr align="center"><td height="{height}" width="1"></td>')
            at, places = 0, by_row.get(row, [])
            for place, (_, following) in pairwise([*places, (row, len(self.widths))]):
                face, column = self.faces[place], place[1]
                span = self.span if column + self.span <= following else following - column
                if column > at:
                    pieces.append(f'<td colspan="{column - at}"></td>')
                if face.word:
                    linked.append((len(pieces), face, span, height))
                pieces.append(face.html(span, height, ""))
                at = column + span
            pieces.append("</tr>\n")
        return [*pieces, "</table>"], linked


def tables(board: HexBoard | GridBoard) -> list[Table]:
    """The board, in as few parts as there must be for cells of the least size."""
    made = list(_made(board))
    if len(made) > 1:
        for table in made:
            table.beside = BESIDE
    return made


def _made(board: HexBoard | GridBoard) -> Iterator[Table]:
    if isinstance(board, HexBoard):
        for part in _parts(board.cells, 2, (WIDTH - MARGIN * 2) // SMALLEST * 2):
            yield _hexagons(board, part)
        return
    cells = [cell for cell in board.cells if not cell.faint]
    if board.boxes or any(join.name for join in board.joins):
        most = (WIDTH - MARGIN * 2 + SMALLEST) // (SMALLEST + EDGE)
        for part in _parts(cells, 1, most, shared=1):
            yield _edges(board, part)
        return
    for part in _parts(cells, 1, (WIDTH - MARGIN * 2) // SMALLEST):
        yield _squares(board, part)


def html(parts: Sequence[Table], links: Mapping[str, str], *, dotted: bool = True) -> Markup:
    return Markup("\n".join(part.html(links, dotted=dotted) for part in parts))  # noqa: S704  marks and words are of games


def _parts(cells: Sequence[Cell], wide: int, most: int, shared: int = 0) -> list[list[Cell]]:
    """The cells, side by side in parts that are about as wide as each other.

    wide: columns of a cell. most: columns that find room. shared: columns that two parts both show.
    """
    columns = [cell.column for cell in cells]
    left, right = min(columns), max(columns) + wide
    count = max(1, -((left + shared - right) // (most - shared)))
    cuts = [left + (-(-at * (right - left - shared) // count)) for at in range(count)]
    ends = [*(cut + shared for cut in cuts[1:]), right]
    return [[cell for cell in cells if cut <= cell.column < end] for cut, end in zip(cuts, ends, strict=True)]


def _side(room: int, cells: int) -> int:
    return max(SMALLEST, min(LARGEST, room // cells))


def _hexagons(board: HexBoard, cells: Sequence[Cell]) -> Table:
    """Each cell as a square of two columns of half a cell's width; labels where their lines leave the board."""
    places, colours = {cell.place for cell in cells}, dict(board.colours)
    top, bottom = min(row for row, _ in places) - 1, max(row for row, _ in places) + 1
    left, right = min(column for _, column in places) - 1, max(column for _, column in places) + 3
    unit = _side(WIDTH * 2, right - left) // 2
    table = Table([unit] * (right - left), [MARGIN, *[2 * unit] * (bottom - top - 1), MARGIN], span=2)
    for label in (*board.labels, *_inner_labels(board, places)):
        if label.place in places:
            row, column = label.place[0] + label.down, max(label.place[1] + label.right, left)
            table.faces[row - top, column - left] = Face(_edge_label(label, colours))
    for cell in cells:
        table.faces[cell.row - top, cell.column - left] = _face(cell, colours)
    return table


def _inner_labels(board: HexBoard, places: Collection[Place]) -> Iterator[Label]:
    """The names of rows along the cut of a board that is shown in parts."""
    if len(places) == len(board.cells):
        return
    names = {label.place[0]: label.text for label in board.labels if label.down == 0}
    lettered = {label.place for label in board.labels if label.down == 0}
    rows = {row for row, _ in places} & names.keys()
    inward = 2 if min(places, key=itemgetter(1)) == min((cell.place for cell in board.cells), key=itemgetter(1)) else -2
    for row in rows:
        columns = [column for line, column in places if line == row]
        if lettered.isdisjoint((row, column) for column in columns):
            yield Label(names[row], (row, max(columns) if inward > 0 else min(columns)), 0, inward)


def _squares(board: GridBoard, cells: Sequence[Cell]) -> Table:
    """Each cell a square; where lines of the board pass a place, these."""
    columns = range(min(cell.column for cell in cells), max(cell.column for cell in cells) + 1)
    rows = range(len(board.rows))
    side = _side(WIDTH - 2 * MARGIN, len(columns))
    table = Table([MARGIN, *[side] * len(columns), MARGIN], [MARGIN, *[side] * len(rows), MARGIN])
    for column in columns:
        table.faces |= {(row, column - columns[0] + 1): Face(board.columns[column]) for row in (0, len(rows) + 1)}
    for row in rows:
        table.faces |= {(row + 1, column): Face(board.rows[row]) for column in (0, len(columns) + 1)}
    owners, colours = {(mark.row, mark.column): mark.owner for mark in board.crossings}, dict(board.colours)
    passing = _passing(board.joins)
    for (row, column), mark in passing.items():
        if column in columns:
            table.faces[row + 1, column - columns[0] + 1] = Face(mark)
    for cell in cells:
        owner = owners.get(cell.place)
        mark = _owned(owner, colours) if owner else passing.get(cell.place, "")
        table.faces[cell.row + 1, cell.column - columns[0] + 1] = _face(cell, colours, mark)
    return table


def _edges(board: GridBoard, cells: Sequence[Cell]) -> Table:
    """Points, the lines between neighbours as places of their own, and what is in the boxes."""
    columns = range(min(cell.column for cell in cells), max(cell.column for cell in cells) + 1)
    boxes = len(columns) - 1
    side = _side(WIDTH - 2 * MARGIN - EDGE * (boxes + 1), max(1, boxes))
    widths, heights = ([*[EDGE, side] * (count - 1), EDGE] for count in (len(columns), len(board.rows)))
    table = Table([MARGIN, *widths, MARGIN], [MARGIN, *heights, MARGIN])
    for column in columns:
        at = 2 * (column - columns[0]) + 1
        table.faces |= {(row, at): Face(board.columns[column]) for row in (0, len(heights) + 1)}
    for row, words in enumerate(board.rows):
        table.faces |= {(2 * row + 1, column): Face(words) for column in (0, len(widths) + 1)}
    for cell in cells:
        table.faces[2 * cell.row + 1, 2 * (cell.column - columns[0]) + 1] = Face(
            f'<b style="color:{INK}">&#9679;</b>', PAPER
        )
    for join in board.joins:
        (row, column), (to_row, to_column) = join.start, join.end
        if column in columns and to_column in columns:
            place = row + to_row + 1, column + to_column - 2 * columns[0] + 1
            drawn = LAST if join.last else INK if join.look is Look.DRAWN else WOOD
            table.faces[place] = Face("", drawn, join.name)
    owners = {(box.row, box.column): box.owner for box in board.boxes}
    for row in range(len(board.rows) - 1):
        for column in columns[:-1]:
            owner = owners.get((row, column))
            mark = _owned(owner, dict(board.colours)) if owner else ""
            table.faces[2 * row + 2, 2 * (column - columns[0]) + 2] = Face(mark, PAPER)
    return table


def _passing(joins: Sequence[Join]) -> dict[Place, str]:
    """The places between the ends of joins, and the line through each."""
    marks: dict[Place, str] = {}
    for join in joins:
        if join.look is Look.OPEN:
            continue
        (row, column), (to_row, to_column) = join.start, join.end
        across = row == to_row
        inner = (
            [(row, at) for at in range(min(column, to_column) + 1, max(column, to_column))]
            if across
            else [(at, column) for at in range(min(row, to_row) + 1, max(row, to_row))]
        )
        for place in inner:
            marks[place] = "&#9532;" if place in marks else "&#9472;&#9472;" if across else "&#9474;"
    return marks


def _face(cell: Cell, colours: Mapping[str, str], mark: str = "") -> Face:
    """mark: what a free cell shows."""
    ground = CLOSED if cell.closed else SHADED if cell.shaded else WOOD
    if cell.piece:
        return Face(_piece(cell, colours), ground, cell.name)
    if cell.last:
        return Face(f'<b style="color:{LAST}">&#10005;</b>', ground, cell.name)
    return Face(mark or ("" if cell.closed else DOT), ground, cell.name)


def _piece(cell: Cell, colours: Mapping[str, str]) -> str:
    """A disc with the piece's letter; a square one where it is no stone, and a ring in the colour of what is marked."""
    fill = fill_of(cell.piece, colours)
    ring = ring_of(fill) if cell.last else WINNING if cell.winning else LINE
    round_by = "" if cell.form in (Form.ARROW, Form.WALL) else "border-radius:15px;"
    thick = 3 if cell.last or cell.winning else 1
    return (
        f'<b style="display:block;width:{28 - 2 * thick}px;margin:auto;line-height:{28 - 2 * thick}px;{round_by}'
        f'border:{thick}px solid {ring};background:{fill};color:{text_on(fill)}">{escape(cell.piece)}</b>'
    )


def _edge_label(label: Label, colours: Mapping[str, str]) -> str:
    """In the colour of the side to whom the edge belongs, on a ground that holds in light and dark."""
    if not label.owner:
        return escape(label.text)
    fill = fill_of(label.owner, colours)
    return f'<b style="background:{fill};color:{text_on(fill)}">&#160;{escape(label.text)}&#160;</b>'


def _owned(owner: str, colours: Mapping[str, str]) -> str:
    fill = fill_of(owner, colours)
    return (
        f'<b style="display:block;width:18px;margin:auto;line-height:18px;font-size:12px;border:1px solid {FAINT};'
        f'background:{fill};color:{text_on(fill)}">{escape(owner)}</b>'
    )
