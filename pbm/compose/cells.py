"""Boards of cells as tables of HTML: every cell as large as a thumb, and a link where a player may play.

Sizes are in pixels and made for a phone 390 wide. A board too wide for it comes in parts, one below the other.
Everything is told by characters and by colours that hold in light and dark; nothing needs a picture, a style sheet or
a script. Where there is little room, the same table is told in fewer octets: rows have the ground of most of their
places, stones are discs as large as their places, and links have neither a colour nor a text of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from itertools import chain, pairwise
from typing import NamedTuple

from markupsafe import Markup

from games.scene import (
    ROWS,
    Cell,
    Form,
    GridBoard,
    HexBoard,
    Join,
    Known,
    Label,
    Look,
    Noted,
    Place,
    Row,
    of_row,
    places,
)
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

    word: str
    """As of the face."""
    bare: str
    """Without a link."""
    around: tuple[str, str]
    """With one, before its URL and behind it."""
    undotted: str
    """Without a link and a dot."""


@lru_cache(REMEMBERED)
def _piece_of(face: Face, span: int, height: int) -> _Piece:
    bare = face.html(span)
    return _Piece(face.word, bare, face.around_link(span, height), bare.replace(DOT, "") if face.mark == DOT else bare)


@lru_cache(REMEMBERED)
def _brief_piece_of(face: Face, span: int, around: str) -> _Piece:
    bare = face.brief(span, around)
    linked = face.around_brief_link(span, around)
    return _Piece(face.word, bare, linked, bare.replace(".", "") if face.mark == DOT else bare)


class _Pieces:
    """A row of a table without links, in pieces."""

    def __init__(self, opening: str) -> None:
        self.bare = [opening]
        self.linked: list[tuple[int, str, _Piece]] = []  # may become links: at which place of all, what they play

    def add(self, piece: _Piece) -> None:
        if piece.word:
            self.linked.append((len(self.bare), piece.word, piece))
        self.bare.append(piece.bare)

    @cached_property
    def octets(self) -> int:
        """Of it, each line ended by two."""
        return octets("".join(self.bare))


class Strip:
    """A row of a table."""

    def __init__(self, faces: Mapping[int, Face], height: int, columns: int, span: int = 1) -> None:
        """faces: by their first columns. columns: of the table. span: columns of a face."""
        self.height, at = height, 0
        self.faces: list[tuple[int, int, Face]] = []  # behind the columns left out before it, and those it takes
        for (column, face), (following, _) in pairwise([*sorted(faces.items()), (columns, Face())]):
            across = span if column + span <= following else following - column
            self.faces.append((column - at, across, face))
            at = column + across

    @cached_property
    def full(self) -> _Pieces:
        pieces = _Pieces(f'<tr align="center"><td height="{self.height}" width="1"></td>')
        for number, (skipped, across, face) in enumerate(self.faces):
            if skipped:
                pieces.bare.append(f'<td colspan="{skipped}"></td>')
            pieces.add(_piece_of(face, across, self.height))
            if number % IN_A_LINE == IN_A_LINE - 1:
                pieces.bare.append("\n")
        pieces.bare.append("</tr>\n")
        return pieces

    @cached_property
    def brief(self) -> _Pieces:
        """In the short form."""
        grounds = Counter(face.ground for _, _, face in self.faces if face.ground)
        around = max(grounds, key=grounds.__getitem__, default="")
        ground, ink = (f" bgcolor={around}", f";color:{INK}") if around else ("", "")
        pieces = _Pieces(f"<tr align=center{ground} style=line-height:{self.height}px{ink}>")
        for skipped, across, face in self.faces:
            if skipped:
                pieces.bare.append(f"<td colspan={skipped}>")
            pieces.add(_brief_piece_of(face, across, around))
        pieces.bare.append("</tr>\n")
        return pieces


BESIDE = "display:inline-table;vertical-align:bottom;"
"""Of a part of a board: beside others where there is room, below them on a phone; all reach down to the last row."""


@dataclass
class Table:
    """Rows from the top."""

    widths: tuple[int, ...]
    strips: list[Strip]
    words: list[str]
    """What its faces play."""
    beside: str = ""
    """The style of a part that has others beside it where there is room."""

    def html(self, links: Mapping[str, str], *, dotted: bool = True, brief: bool = False) -> str:
        """dotted: free cells that are no links have dots, too. brief: in the short form."""
        told = [_opening(self.widths, self.beside, brief=brief)]
        for row in self._pieces(brief=brief):
            first = len(told)
            told += row.bare
            for at, word, piece in row.linked:
                if url := links.get(word):
                    told[first + at] = url.replace("&", "&amp;").join(piece.around)
                elif not dotted:
                    told[first + at] = piece.undotted
        return "".join([*told, "</table>"])

    def bare_length(self, *, brief: bool) -> int:
        """Octets of it without links, each line ended by two."""
        frame = _opening(self.widths, self.beside, brief=brief) + "</table>"
        return octets(frame) + sum([each.octets for each in self._pieces(brief=brief)])

    def _pieces(self, *, brief: bool) -> list[_Pieces]:
        return [strip.brief if brief else strip.full for strip in self.strips]


@lru_cache(128)
def _opening(widths: tuple[int, ...], beside: str, *, brief: bool) -> str:
    """With a row that holds the widths of columns; in the long form a column in front holds the heights of rows."""
    end, first, style = ("", "", ";color-scheme:light") if brief else ("</td>", '<td width="1"></td>', "")
    columns = "".join(f'<td width="{width}">{end}' for width in widths)
    return (
        '<table role="presentation" cellpadding="0" cellspacing="1" border="0" '
        f'width="{sum(widths)}" style="{beside}margin:8px 0;font-size:16px{style}">\n'
        f"<tr>{first}{columns}</tr>\n"
    )


def tables(board: HexBoard | GridBoard) -> list[Table]:
    """The board, in as few parts as there must be for cells of the least size."""
    made = list(_made(board))
    if len(made) > 1:
        for table in made:
            table.beside = BESIDE
    return made


def _made(board: HexBoard | GridBoard) -> Iterator[Table]:
    if isinstance(board, HexBoard):
        for part in _parts(board.in_rows, 2, (WIDTH - MARGIN * 2) // SMALLEST * 2):
            yield _hexagons(board, part)
        return
    rows = [_cut(row, 0, len(board.columns)) for row in board.in_rows if 0 <= row[0].row < len(board.rows)]
    is_drawn = board.boxes or any(join.name for join in board.joins)
    if is_drawn and not any(cell.piece for cell in board.cells):
        most = (WIDTH - MARGIN * 2 + SMALLEST) // (SMALLEST + EDGE)
        for part in _parts(rows, 1, most, shared=1):
            yield _edges(board, part)
        return
    for part in _parts(rows, 1, (WIDTH - MARGIN * 2) // SMALLEST):
        yield _squares(board, part)


def html(parts: Sequence[Table], links: Mapping[str, str], *, dotted: bool = True, brief: bool = False) -> Markup:
    told = (part.html(links, dotted=dotted, brief=brief) for part in parts)
    return Markup("\n".join(told))  # noqa: S704  marks and words are of games


def _parts(rows: Sequence[Row], wide: int, most: int, shared: int = 0) -> list[Sequence[Row]]:
    """The cells, side by side in parts that are about as wide as each other.

    wide: columns of a cell. most: columns that find room. shared: columns that two parts both show.
    """
    left, right = min([row[0].column for row in rows]), max([row[-1].column for row in rows]) + wide
    count = -((left + shared - right) // (most - shared))
    if count <= 1:
        return [rows]
    cuts = [left + (-(-at * (right - left - shared) // count)) for at in range(count)]
    ends = [*(cut + shared for cut in cuts[1:]), right]
    return [[part for row in rows if (part := _cut(row, *ends))] for ends in zip(cuts, ends, strict=True)]


@lru_cache(ROWS)
def _cut(row: Row, left: int, right: int) -> Row:
    return Row(cell for cell in row if left <= cell.column < right)


def _side(room: int, cells: int) -> int:
    return max(SMALLEST, min(LARGEST, room // cells))


def _hexagons(board: HexBoard, rows: Sequence[Row]) -> Table:
    """Each cell as a square of two columns of half a cell's width; labels where their lines leave the board."""
    part = board.places if rows is board.in_rows else tuple(map(places, rows))
    frame = _hex_frame(board.labels, board.colours, part, board.places)
    cells = {row[0].row: row for row in rows}
    strips = [
        _hex_strip(cells.get(at, _NO_CELLS), edge, height, frame.left, len(frame.widths), board.colours)
        for at, height, edge in frame.rows
    ]
    return Table(frame.widths, strips, _names(rows))


_NO_CELLS = Row()


def _names(rows: Iterable[Row]) -> list[str]:
    return [cell.name for row in rows for cell in row if cell.name]


@lru_cache(ROWS)
def _hex_strip(
    row: Row, edge: Known[tuple[int, Face]], height: int, left: int, columns: int, colours: Colours
) -> Strip:
    """edge: labels, by their columns. left: of the table."""
    cells = {cell.column - left: _face(cell, colours) for cell in row}
    return Strip({**dict(edge), **cells}, height, columns, span=2)


class _HexFrame(NamedTuple):
    """A table of hexagons without its cells."""

    widths: tuple[int, ...]
    left: int
    """Of the board's columns that which is its first."""
    rows: list[tuple[int, int, Known[tuple[int, Face]]]]
    """Of the board: their numbers, heights, and labels by their columns."""


@lru_cache(128)
def _hex_frame(
    labels: tuple[Label, ...], colours: Colours, part: tuple[Known[Place], ...], whole: tuple[Known[Place], ...]
) -> _HexFrame:
    """part: the places of the cells that are shown, by rows. whole: likewise, of all cells."""
    shown = set(chain.from_iterable(part))
    rows, columns = zip(*shown, strict=True)
    top, bottom = min(rows) - 1, max(rows) + 1
    left, right = min(columns) - 1, max(columns) + 3
    unit = _side(WIDTH * 2, right - left) // 2
    edges: dict[int, dict[int, Face]] = {row: {} for row in range(top, bottom + 1)}
    for label in (*labels, *_inner_labels(labels, part, whole)):
        if label.place in shown:
            row, column = label.place[0] + label.down, max(label.place[1] + label.right, left)
            edges[row][column - left] = _edge_label(label, colours)
    heights = [MARGIN, *[2 * unit] * (bottom - top - 1), MARGIN]
    lines = [(row, height, Known(edge.items())) for (row, edge), height in zip(edges.items(), heights, strict=True)]
    return _HexFrame((unit,) * (right - left), left, lines)


def _inner_labels(
    labels: Sequence[Label], part: Sequence[Known[Place]], whole: Sequence[Known[Place]]
) -> Iterator[Label]:
    """The names of rows along the cut of a board that is shown in parts."""
    if part == whole:
        return
    names = {label.place[0]: label.text for label in labels if label.down == 0}
    lettered = {label.place for label in labels if label.down == 0}
    inward = 2 if min(row[0][1] for row in part) == min(row[0][1] for row in whole) else -2
    for row in part:
        if row[0][0] in names and lettered.isdisjoint(row):
            yield Label(names[row[0][0]], row[-1] if inward > 0 else row[0], 0, inward)


def _squares(board: GridBoard, rows: Sequence[Row]) -> Table:
    """Each cell a square; where lines of the board pass a place, these."""
    columns = _columns(rows)
    side = _side(WIDTH - 2 * MARGIN, len(columns))
    cells, passing = {row[0].row: row for row in rows}, _passing(board.joins)
    owners = {(mark.row, mark.column): mark.owner for mark in board.crossings}
    strips = [
        _square_strip(
            cells.get(at, _NO_CELLS), name, side, columns, board.colours, of_row(at, passing), of_row(at, owners)
        )
        for at, name in enumerate(board.rows)
    ]
    letters = _letters(board.columns, columns)
    widths = (MARGIN, *[side] * len(columns), MARGIN)
    return Table(widths, [letters, *strips, letters], _names(rows))


def _columns(rows: Iterable[Row]) -> range:
    return range(min([row[0].column for row in rows]), max([row[-1].column for row in rows]) + 1)


@lru_cache(128)
def _letters(names: Sequence[str], columns: range) -> Strip:
    return Strip({at: Face(names[column]) for at, column in enumerate(columns, 1)}, MARGIN, len(columns) + 2)


@lru_cache(ROWS)
def _square_strip(
    row: Row, name: str, side: int, columns: range, colours: Colours, passing: Noted, owned: Noted
) -> Strip:
    """passing, owned: marks of lines that pass places, and owners of places, by their columns."""
    lines, owners, left = dict(passing), dict(owned), columns[0] - 1
    faces = {0: Face(name), len(columns) + 1: Face(name)}
    faces |= {column - left: Face(mark) for column, mark in passing if column in columns}
    for cell in row:
        owner = owners.get(cell.column)
        face = _face(cell, colours, _owned(owner, colours) if owner else lines.get(cell.column, ""))
        faces[cell.column - left] = face._replace(short=face.short or _short_owned(owner, colours))
    return Strip(faces, side, len(columns) + 2)


def _edges(board: GridBoard, rows: Sequence[Row]) -> Table:
    """Points, the lines between neighbours as places of their own, and what is in the boxes."""
    columns = _columns(rows)
    boxes, left = len(columns) - 1, 2 * columns[0] - 1
    side = _side(WIDTH - 2 * MARGIN - EDGE * (boxes + 1), max(1, boxes))
    widths, heights = ([*[EDGE, side] * (count - 1), EDGE] for count in (len(columns), len(board.rows)))
    faces: list[dict[int, Face]] = [{} for _ in heights]
    for row, words in enumerate(board.rows):
        faces[2 * row] = {column: Face(words) for column in (0, len(widths) + 1)}
    for cell in chain.from_iterable(rows):
        faces[2 * cell.row][2 * cell.column - left] = Face(
            f'<b style="color:{INK}">&#9679;</b>', PAPER, short=f" bgcolor={PAPER}>&#9679;"
        )
    joins = [join for join in board.joins if join.start[1] in columns and join.end[1] in columns]
    for join in joins:
        (row, column), (to_row, to_column) = join.start, join.end
        drawn = LAST if join.last else INK if join.look is Look.DRAWN else WOOD
        faces[row + to_row][column + to_column - left] = Face("", drawn, join.name)
    owners, colours = {(box.row, box.column): box.owner for box in board.boxes}, board.colours
    for row in range(len(board.rows) - 1):
        for column in columns[:-1]:
            owner = owners.get((row, column))
            face = Face(_owned(owner, colours), PAPER, short=_short_owned(owner, colours))
            faces[2 * row + 1][2 * column + 1 - left] = face
    across = len(widths) + 2
    letters = Strip({2 * column - left: Face(board.columns[column]) for column in columns}, MARGIN, across)
    strips = [Strip(line, height, across) for line, height in zip(faces, heights, strict=True)]
    names = [join.name for join in joins if join.name]
    return Table((MARGIN, *widths, MARGIN), [letters, *strips, letters], names)


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
