"""Boards of cells as tables of HTML: every cell as large as a thumb, and a link where a player may play.

Sizes are in pixels and made for a phone 390 wide. A board too wide for it comes in parts, one below the other.
Everything is told by characters and by colours that hold in light and dark; nothing needs a picture, a style sheet or
a script. Where there is little room, the same table is told in fewer octets: rows have the ground of most of their
places, stones are discs as large as their places, and links have neither a colour nor a text of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from html import escape
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from markupsafe import Markup

from games.scene import Cell, Form, GridBoard, HexBoard, Join, Label, Look, Place
from pbm.compose.wire import octets
from pbm.draw.brush import CLOSED, FAINT, INK, LAST, LINE, PAPER, SHADED, WINNING, WOOD, fill_of, ring_of, text_on

WIDTH = 384
"""The columns that a phone shows side by side."""
SMALLEST, LARGEST = 32, 44
"""The least and the greatest side of a cell."""
MARGIN = 16
"""The width of the rows' labels."""
EDGE = 20
"""The width of the lines between boxes, and of the points between these."""
LINK, SHORT_LINK = 76, 27
"""Characters of a link beside its URL, and in the short form."""

_FULL = "font-size:12px"
_LETTERS = f"{_FULL};opacity:0.7"
DOT = "&#183;"
"""The mark of a free cell where one may play."""
IN_A_LINE = 8
"""Places of a table in a line of its source, which no mail may let grow too long."""


Colours = tuple[tuple[str, str], ...]
"""As of a board."""
REMEMBERED = 4096
"""Places of tables that are not made anew: most of a board is as it was at the ply before, or on another board."""


class Face(NamedTuple):
    """A place of a table."""

    mark: str = ""
    """HTML."""
    ground: str = ""
    """Its colour; empty for none."""
    word: str = ""
    """What a player types."""
    short: str = ""
    """The rest of its td in the short form, behind the ground, which it may paint over; empty where that follows from
    the others.
    """

    def html(self, span: int) -> str:
        """The table's cell."""
        style = f' style="color:{INK}"' if self.ground and self.mark and "color" not in self.mark else ""
        return f"{self._opening(span)}{style}>{self.mark}</td>"

    def around_link(self, span: int, height: int) -> tuple[str, str]:
        """The same with a link, before its URL and behind it."""
        # A line break inside a tag shows nowhere, and keeps the lines of the mail short enough.
        style = f"display:block;line-height:{height}px;text-decoration:none;color:{INK}"
        return f'{self._opening(span)}><a\nhref="', f'" style="{style}">{self.mark or "&#160;"}</a></td>'

    def _opening(self, span: int) -> str:
        opening = f'<td colspan="{span}"' if span > 1 else "<td"
        if self.ground:
            return f'{opening} bgcolor="{self.ground}"'
        letters = _FULL if self.mark.startswith("<b") else _LETTERS
        return f'{opening} style="{letters}"' if self.mark else opening

    def brief(self, span: int, around: str) -> str:
        """The cell in the short form, on a row of the colour around; td needs no end."""
        if self.short:
            return f"{_brief_opening(span)}{self.short}"
        return f"{_brief_opening(span)}{self._ground(around)}>{'.' if self.mark == DOT else self.mark}"

    def around_brief_link(self, span: int, around: str) -> tuple[str, str]:
        mark = "." if self.mark in ("", DOT) else self.mark
        return f'{_brief_opening(span)}{self._ground(around)}><a href="', f'"><div>{mark}</div></a>'

    def _ground(self, around: str) -> str:
        return f" bgcolor={self.ground}" if self.ground and self.ground != around else ""


def _brief_opening(span: int) -> str:
    return f"\n<td colspan={span}" if span > 1 else "\n<td"


class _Piece(NamedTuple):
    """A face in its table."""

    bare: str
    """Without a link."""
    around: tuple[str, str]
    """With one, before its URL and behind it."""
    undotted: str
    """Without a link and a dot."""


@lru_cache(REMEMBERED)
def _piece_of(face: Face, span: int, height: int) -> _Piece:
    bare = face.html(span)
    return _Piece(bare, face.around_link(span, height), bare.replace(DOT, "") if face.mark == DOT else bare)


@lru_cache(REMEMBERED)
def _brief_piece_of(face: Face, span: int, around: str) -> _Piece:
    bare = face.brief(span, around)
    linked = face.around_brief_link(span, around)
    return _Piece(bare, linked, bare.replace(".", "") if face.mark == DOT else bare)


class _Pieces(NamedTuple):
    """A table without links, in pieces."""

    bare: list[str]
    linked: list[tuple[int, str, _Piece]]
    """Those that may become links: at which place of all, and what they play."""
    octets: int
    """Of it, each line ended by two."""


def _pieces(bare: list[str], linked: list[tuple[int, str, _Piece]]) -> _Pieces:
    return _Pieces(bare, linked, octets("".join(bare)))


BESIDE = "display:inline-table;vertical-align:bottom;"
"""Of a part of a board: beside others where there is room, below them on a phone; all reach down to the last row."""


@dataclass
class Table:
    """Faces by their row and first column. widths, heights: of columns and rows."""

    widths: list[int]
    heights: list[int]
    span: int = 1
    """Columns of a face."""
    beside: str = ""
    """The style of a part that has others beside it where there is room."""
    faces: dict[Place, Face] = field(default_factory=dict)

    def words(self) -> Iterator[str]:
        return (face.word for face in self.faces.values() if face.word)

    def html(self, links: Mapping[str, str], *, dotted: bool = True, brief: bool = False) -> str:
        """dotted: free cells that are no links have dots, too. brief: in the short form."""
        table = self._brief if brief else self._full
        pieces = list(table.bare)
        for at, word, piece in table.linked:
            if url := links.get(word):
                pieces[at] = url.replace("&", "&amp;").join(piece.around)
            elif not dotted:
                pieces[at] = piece.undotted
        return "".join(pieces)

    def bare_length(self, *, brief: bool) -> int:
        """Octets of it without links, each line ended by two."""
        return (self._brief if brief else self._full).octets

    @cached_property
    def _full(self) -> _Pieces:
        frame = _frame(tuple(self.widths), tuple(self.heights), self.span, self.beside, tuple(self.faces))
        pieces, linked = list(frame.pieces), list[tuple[int, str, _Piece]]()
        for face, (at, span, height) in zip(self.faces.values(), frame.slots, strict=True):
            piece = _piece_of(face, span, height)
            pieces[at] = piece.bare
            if face.word:
                linked.append((at, face.word, piece))
        return _pieces(pieces, linked)

    @cached_property
    def _brief(self) -> _Pieces:
        """In the short form."""
        pieces = [_opening(self.widths, "", self.beside, ";color-scheme:light").replace("</td>", "")]
        linked: list[tuple[int, str, _Piece]] = []
        for height, places in _rows(self.heights, len(self.widths), self.span, self.faces):
            row = [(skipped, span, self.faces[place]) for skipped, span, place in places]
            grounds = Counter(face.ground for _, _, face in row if face.ground)
            around = max(grounds, key=grounds.__getitem__, default="")
            ground, ink = (f" bgcolor={around}", f";color:{INK}") if around else ("", "")
            pieces.append(f"<tr align=center{ground} style=line-height:{height}px{ink}>")
            for skipped, span, face in row:
                if skipped:
                    pieces.append(f"<td colspan={skipped}>")
                piece = _brief_piece_of(face, span, around)
                if face.word:
                    linked.append((len(pieces), face.word, piece))
                pieces.append(piece.bare)
            pieces.append("</tr>\n")
        return _pieces([*pieces, "</table>"], linked)


class _Frame(NamedTuple):
    """A table without its faces."""

    pieces: list[str]
    """Of its HTML, with empty ones for the faces."""
    slots: list[tuple[int, int, int]]
    """For each face the number of its piece, the columns that it takes, and its height."""


@lru_cache(128)
def _frame(
    widths: tuple[int, ...], heights: tuple[int, ...], span: int, beside: str, places: tuple[Place, ...]
) -> _Frame:
    """Of tables whose faces have these places, in this order."""
    pieces, slots = [_opening(widths, '<td width="1"></td>', beside)], dict[Place, tuple[int, int, int]]()
    for height, row in _rows(heights, len(widths), span, places):
        pieces.append(f'<tr align="center"><td height="{height}" width="1"></td>')
        for number, (skipped, across, place) in enumerate(row):
            if skipped:
                pieces.append(f'<td colspan="{skipped}"></td>')
            slots[place] = len(pieces), across, height
            pieces.append("")
            if number % IN_A_LINE == IN_A_LINE - 1:
                pieces.append("\n")
        pieces.append("</tr>\n")
    return _Frame([*pieces, "</table>"], [slots[place] for place in places])


def _opening(widths: Sequence[int], first: str, beside: str, style: str = "") -> str:
    """first: the column in front, which holds the heights of rows."""
    columns = "".join(f'<td width="{width}"></td>' for width in widths)
    return (
        '<table role="presentation" cellpadding="0" cellspacing="1" border="0" '
        f'width="{sum(widths)}" style="{beside}margin:8px 0;font-size:16px{style}">\n'
        f"<tr>{first}{columns}</tr>\n"
    )


def _rows(
    heights: Sequence[int], columns: int, span: int, places: Iterable[Place]
) -> Iterator[tuple[int, list[tuple[int, int, Place]]]]:
    """Each row: its height, and its places, with the columns left out before each and those that it takes."""
    by_row = {row: list(told) for row, told in groupby(sorted(places), itemgetter(0))}
    for row, height in enumerate(heights):
        at, told = 0, []
        for place, (_, following) in pairwise([*by_row.get(row, []), (row, columns)]):
            column = place[1]
            across = span if column + span <= following else following - column
            told.append((column - at, across, place))
            at = column + across
        yield height, told


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
    is_drawn = board.boxes or any(join.name for join in board.joins)
    if is_drawn and not any(cell.piece for cell in cells):
        most = (WIDTH - MARGIN * 2 + SMALLEST) // (SMALLEST + EDGE)
        for part in _parts(cells, 1, most, shared=1):
            yield _edges(board, part)
        return
    for part in _parts(cells, 1, (WIDTH - MARGIN * 2) // SMALLEST):
        yield _squares(board, part)


def html(parts: Sequence[Table], links: Mapping[str, str], *, dotted: bool = True, brief: bool = False) -> Markup:
    told = (part.html(links, dotted=dotted, brief=brief) for part in parts)
    return Markup("\n".join(told))  # noqa: S704  marks and words are of games


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
    places, colours = {cell.place for cell in cells}, board.colours
    rows, columns = zip(*places, strict=True)
    top, bottom = min(rows) - 1, max(rows) + 1
    left, right = min(columns) - 1, max(columns) + 3
    unit = _side(WIDTH * 2, right - left) // 2
    table = Table([unit] * (right - left), [MARGIN, *[2 * unit] * (bottom - top - 1), MARGIN], span=2)
    for label in (*board.labels, *_inner_labels(board, places)):
        if label.place in places:
            row, column = label.place[0] + label.down, max(label.place[1] + label.right, left)
            table.faces[row - top, column - left] = _edge_label(label, colours)
    for cell in cells:
        table.faces[cell.row - top, cell.column - left] = _face(cell, colours)
    return table


def _inner_labels(board: HexBoard, places: Collection[Place]) -> Iterator[Label]:
    """The names of rows along the cut of a board that is shown in parts."""
    if len(places) == len(board.cells):
        return
    names = {label.place[0]: label.text for label in board.labels if label.down == 0}
    lettered = {label.place for label in board.labels if label.down == 0}
    inward = 2 if min(places, key=itemgetter(1)) == min((cell.place for cell in board.cells), key=itemgetter(1)) else -2
    for row, line in groupby(sorted(places), itemgetter(0)):
        columns = [column for _, column in line]
        if row in names and lettered.isdisjoint((row, column) for column in columns):
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
    owners, colours = {(mark.row, mark.column): mark.owner for mark in board.crossings}, board.colours
    passing = _passing(board.joins)
    for (row, column), mark in passing.items():
        if column in columns:
            table.faces[row + 1, column - columns[0] + 1] = Face(mark)
    for cell in cells:
        owner = owners.get(cell.place)
        face = _face(cell, colours, _owned(owner, colours) if owner else passing.get(cell.place, ""))
        table.faces[cell.row + 1, cell.column - columns[0] + 1] = face._replace(
            short=face.short or _short_owned(owner, colours)
        )
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
            f'<b style="color:{INK}">&#9679;</b>', PAPER, short=f" bgcolor={PAPER}>&#9679;"
        )
    for join in board.joins:
        (row, column), (to_row, to_column) = join.start, join.end
        if column in columns and to_column in columns:
            place = row + to_row + 1, column + to_column - 2 * columns[0] + 1
            drawn = LAST if join.last else INK if join.look is Look.DRAWN else WOOD
            table.faces[place] = Face("", drawn, join.name)
    owners, colours = {(box.row, box.column): box.owner for box in board.boxes}, board.colours
    for row in range(len(board.rows) - 1):
        for column in columns[:-1]:
            owner = owners.get((row, column))
            face = Face(_owned(owner, colours), PAPER, short=_short_owned(owner, colours))
            table.faces[2 * row + 2, 2 * (column - columns[0]) + 2] = face
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


@lru_cache(REMEMBERED)
def _face(cell: Cell, colours: Colours, mark: str = "") -> Face:
    """mark: what a free cell shows."""
    ground = CLOSED if cell.closed else SHADED if cell.shaded else WOOD
    if cell.piece:
        return Face(_piece(cell, colours), ground, cell.name, _short_piece(cell, colours))
    if cell.last:
        return Face(f'<b style="color:{LAST}">&#10005;</b>', ground, cell.name)
    return Face(mark or ("" if cell.closed else DOT), ground, cell.name)


def _piece(cell: Cell, colours: Colours) -> str:
    """A disc with the piece's letter; a square one where it is no stone, and a ring in the colour of what is marked."""
    fill = fill_of(cell.piece, dict(colours))
    ring = ring_of(fill) if cell.last else WINNING if cell.winning else LINE
    round_by = "" if cell.form in (Form.ARROW, Form.WALL) else "border-radius:15px;"
    thick = 3 if cell.last or cell.winning else 1
    return (
        f'<b style="display:block;width:{28 - 2 * thick}px;margin:auto;line-height:{28 - 2 * thick}px;{round_by}'
        f'border:{thick}px solid {ring};background:{fill};color:{text_on(fill)}">{escape(cell.piece)}</b>'
    )


def _short_piece(cell: Cell, colours: Colours) -> str:
    """The piece for the short form, without a link; empty for one that is marked, which is shown as it is."""
    if cell.last or cell.winning:
        return ""
    fill = fill_of(cell.piece, dict(colours))
    letter = escape(cell.piece)
    if cell.form in (Form.ARROW, Form.WALL):
        return f" bgcolor={fill} style=color:{text_on(fill)}>{letter}"
    ground = f" bgcolor={SHADED}" if cell.shaded else ""
    return f"{ground}><b style=display:block;border-radius:50%;background:{fill};color:{text_on(fill)}>{letter}</b>"


@lru_cache(REMEMBERED)
def _edge_label(label: Label, colours: Colours) -> Face:
    """In the colour of the side to whom the edge belongs, on a ground that holds in light and dark."""
    text = escape(label.text)
    if not label.owner:
        return Face(text)
    fill = fill_of(label.owner, dict(colours))
    mark = f'<b style="background:{fill};color:{text_on(fill)}">&#160;{text}&#160;</b>'
    return Face(mark, short=f" bgcolor={fill} style=color:{text_on(fill)}>{text}")


def _owned(owner: str | None, colours: Colours) -> str:
    if not owner:
        return ""
    fill = fill_of(owner, dict(colours))
    return (
        f'<b style="display:block;width:18px;margin:auto;line-height:18px;font-size:12px;border:1px solid {FAINT};'
        f'background:{fill};color:{text_on(fill)}">{escape(owner)}</b>'
    )


def _short_owned(owner: str | None, colours: Colours) -> str:
    fill = fill_of(owner, dict(colours)) if owner else ""
    return f" bgcolor={fill} style=color:{text_on(fill)}>{escape(owner)}" if owner else ""
