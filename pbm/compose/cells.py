"""Boards of cells as HTML tables, with cells that a thumb can hit, and links wherever the player may play.

Sizes are in pixels, for a phone 390 wide; cells become narrower on smaller ones, as columns have shares of the width,
whatever stands in them. A board that is too wide is shown in parts, one below the other.
Only characters and colours are used, which work in light and dark; no picture, style sheet or script is needed. If
there is little room, the same table has a short form: a row has the ground of most of its places, stones are discs as
large as their places, and links have no colour or text of their own.

Rows are cached in both forms, because most of a board is as at the ply before, or as on another board. What is cached
by the thousand holds texts and numbers in tuples, which the garbage collector need not visit again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from html import escape
from itertools import chain, compress, count, pairwise, product, repeat
from operator import attrgetter
from typing import NamedTuple

from games import scene
from games.scene import Cell, Colours, Form, GridBoard, HexBoard, Join, Label, Look, Noted, Place, Plain, Row, by_row
from pbm.compose.wire import octets
from pbm.draw.colours import FAINT, INK, LAST, LINE, PAPER, SHADED, WOOD, edge_of, fill_of, ground_of, text_on

WIDTH = 384
"""The width of a board on a phone."""
SMALLEST, LARGEST = 32, 44
"""The bounds for the side of a cell."""
MARGIN = 16
"""The width of the row labels."""
PIECE, OWNED = 28, 20
"""The heights of a piece and of the mark of an owned place, with their borders."""
EDGE = 20
"""The width of the lines between boxes, and of the points between these."""
LINK, SHORT_LINK = 76, 27
"""Characters of a link besides its URL, in the long and the short form."""
ALONE = "white-space:nowrap;table-layout:fixed;"
# Many mail programs would break a number in two that is wider than its cell.
"""The style of a board: its columns have their shares. In a list of moves, large letters need wider columns."""
BESIDE = f"display:inline-table;vertical-align:bottom;{ALONE}"
"""The style of a part of a board: next to others if there is room, below them on a phone; aligned at the last row."""
IN_A_LINE = 8  # a line of a mail has at most 998 octets (RFC 5322)
"""Places of a table per line of its source."""
LEAST_OF_A_WORD = len(f'<td bgcolor="{WOOD}"></td>')
"""The fewest octets of a playable place in the long form, besides its mark."""
REMEMBERED = 4096
"""How many places are cached."""

_ROOM = WIDTH - 2 * MARGIN
"""The width left for cells."""
Spot = tuple[int, int, bool, bool]
"""A cell without its content, as in a Plain."""


def tables(board: HexBoard | GridBoard) -> list[Table]:
    """The board, in as few parts as the smallest size of cells allows."""
    if isinstance(board, HexBoard):
        rows = {row[0].row: row for row in board.in_rows}
        return _of_cells(_hex_frames(board.labels, board.colours, board.plain), rows, {}, {})
    is_drawn = board.boxes or any(join.name for join in board.joins)
    # Lines that can be played need places of their own to be touched; with pieces, the points are what is touched.
    if is_drawn and not any(cell.piece for cell in board.cells):
        return _of_edges(board)
    # Without the copies beyond the edges: cells must be large enough for a thumb.
    rows = {row[0].row: row for row in board.in_rows if 0 <= row[0].row < len(board.rows)}
    owners = {(mark.row, mark.column): mark.owner for mark in board.crossings}
    frames = _square_frames(board.columns, board.rows, board.colours, board.plain)
    return _of_cells(frames, rows, by_row(_passing(board.joins)), by_row(owners))


class Table(NamedTuple):
    """Rows from the top."""

    widths: tuple[int, ...]
    strips: list[Strip]
    style: str = ""
    """Of a board, or of a part of one."""

    @property
    def words(self) -> list[str]:
        """What a player types to play its faces."""
        return [*chain.from_iterable(map(attrgetter("words"), self.strips))]

    def html(self, links: Mapping[str, str], opening: str = "", *, dotted: bool = True, brief: bool = False) -> str:
        """links: the ends of URLs, by word. opening: the beginning of all URLs. dotted: free cells without a link also
        have dots. brief: in the short form.
        """
        ends = [tuple(map(links.get, strip.words)) for strip in self.strips]
        rows = map(_linked, self.strips, ends, repeat(dotted), repeat(brief))
        told = "".join([_opening(self.widths, self.style, brief=brief), *rows, "</table>"])
        return told.replace(_URL, opening.replace("&", "&amp;"))

    @property
    def least(self) -> int:
        """A lower bound for its octets in the long form, without links."""
        return sum(map(_LEAST, self.strips))

    def bare_length(self, *, brief: bool) -> int:
        """Its octets without links, with lines ended by CRLF."""
        rows: list[int] = [*map(_OCTETS[brief], self.strips)]
        return octets(_opening(self.widths, self.style, brief=brief) + "</table>") + sum(rows)


_LEAST, _OCTETS = attrgetter("least"), (attrgetter("full.octets"), attrgetter("brief.octets"))


_URL = "\0"
"""Stands for the beginning of a URL."""


@lru_cache(REMEMBERED)
def _linked(strip: Strip, links: tuple[str | None, ...], dotted: bool, brief: bool) -> str:
    """A row with its links. links: one for each of its words."""
    _, bare, pieces = strip.brief if brief else strip.full
    told = [*bare]
    for at, link in zip(strip.linked, links, strict=True):
        if link:
            told[2 * at + 1] = f"{_URL}{link}".join(pieces[at].around)
        elif not dotted:
            told[2 * at + 1] = pieces[at].dotless
    return "".join(told)


@lru_cache(128)
def _opening(widths: tuple[int, ...], style: str, *, brief: bool) -> str:
    """The beginning of a table, with a row for the column widths; in the long form a first column has the heights."""
    end, first, looks = ("", "", ";color-scheme:light") if brief else ("</td>", '<td width="1"></td>', "")
    whole = sum(widths)
    columns = "".join(f'<td width="{100 * width / whole:.3g}%">{end}' for width in widths)
    return (
        # WebKit makes no table narrower than its width in pixels. Outlook, which knows no greatest width, takes no
        # style that is important, only the attribute.
        f'<table role="presentation" cellpadding="0" cellspacing="1" border="0" width="{whole}"\nstyle="{style}'
        f'width:100% !important;max-width:{whole}px;margin:8px 0;font-size:16px{looks}">\n'
        f"<tr>{first}{columns}</tr>\n"
    )


def _parts(rows: Iterable[Sequence[Spot]], wide: int, most: int, shared: int = 0) -> list[range]:
    """The columns divided into parts of about equal width.

    wide: columns of a cell. most: columns for which there is room. shared: columns that neighbouring parts both show.
    """
    columns = {cell[1] for cell in chain.from_iterable(rows)}
    left, right = min(columns), max(columns) + wide
    count = max(1, -((left + shared - right) // (most - shared)))
    cuts = [left + (-(-at * (right - left - shared) // count)) for at in range(count)]
    ends = [*(cut + shared for cut in cuts[1:]), right]
    parts = [columns.intersection(range(*ends)) for ends in zip(cuts, ends, strict=True)]
    return [range(min(part), max(part) + 1) for part in parts]


def _side(room: int, cells: int) -> int:
    return max(SMALLEST, min(LARGEST, room // cells))


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    """A table without its cells."""

    widths: tuple[int, ...]
    heights: Sequence[int]
    labels: Sequence[dict[int, Face]]
    """For each row, by column of the table."""
    rows: range
    """The rows of the board, and one above and one below it."""
    shown: range
    """The columns of the board that are shown; the table's first column is the one before."""
    span: int
    """How many columns a cell takes."""
    colours: Colours
    style: str
    """Of the table."""


def _of_cells(
    frames: Sequence[_Frame], rows: Mapping[int, Row], passing: Mapping[int, Noted], owners: Mapping[int, Noted]
) -> list[Table]:
    """The frames filled with cells. rows, passing, owners: as for `_strip`, by row number."""
    made = []
    for frame in frames:
        shown = [map(each.get, frame.rows, repeat(())) for each in (rows, passing, owners)]
        made.append(Table(frame.widths, [*map(_strip, repeat(frame), count(), *shown)], frame.style))
    return made


@lru_cache(128)
def _square_frames(
    columns: Sequence[str], rows: Sequence[str], colours: Colours, plain: Sequence[Plain]
) -> list[_Frame]:
    """Frames with square cells, letters above and below, and row names on both sides."""
    all_columns, all_rows, frames = range(len(columns)), range(len(rows)), []
    inside = [[cell for cell in row if cell[1] in all_columns] for row in plain if row[0][0] in all_rows]
    parts = _parts(inside, 1, _ROOM // SMALLEST)
    for shown in parts:
        side, across = _side(_ROOM, len(shown)), len(shown) + 1
        letters = {at: Face(columns[column]) for at, column in enumerate(shown, 1)}
        labels = [letters, *({0: Face(name), across: Face(name)} for name in rows), letters]
        widths, heights = ((MARGIN, *[side] * len(each), MARGIN) for each in (shown, rows))
        around, style = range(-1, len(rows) + 1), BESIDE if parts[1:] else ALONE
        frames.append(_Frame(widths, heights, labels, around, shown, 1, colours, style))
    return frames


@lru_cache(128)
def _hex_frames(labels: Sequence[Label], colours: Colours, plain: Sequence[Plain]) -> list[_Frame]:
    """Frames in which a cell has two columns of half its width, and labels are where their lines leave the board."""
    parts, frames = _parts(plain, 2, _ROOM // SMALLEST * 2), []
    for shown in parts:
        cut = [cells for row in plain if (cells := [cell for cell in row if cell[1] in shown])]
        # A part has the ends of some rows only.
        inner = _inner_labels(labels, cut, is_left=shown is parts[0]) if parts[1:] else ()
        places, rows = {cell[:2] for cell in chain.from_iterable(cut)}, range(cut[0][0][0] - 1, cut[-1][0][0] + 2)
        edges: dict[int, dict[int, Face]] = {row: {} for row in rows}
        for label in (*labels, *inner):
            if label.place in places:
                column = max(0, label.place[1] + label.right - shown.start + 1)
                edges[label.place[0] + label.down][column] = _edge_label(label, colours)
        across = len(shown) + 3
        unit = _side(WIDTH * 2, across) // 2
        heights, style = (MARGIN, *[2 * unit] * len(rows[1:-1]), MARGIN), BESIDE if parts[1:] else ALONE
        frames.append(_Frame((unit,) * across, heights, [*edges.values()], rows, shown, 2, colours, style))
    return frames


def _inner_labels(labels: Sequence[Label], part: Sequence[Sequence[Spot]], *, is_left: bool) -> list[Label]:
    """The row names along the cut of a board shown in parts."""
    ends = {label.place: label.text for label in labels if label.down == 0}
    names = {row: text for (row, _), text in ends.items()}
    cut, inward = (-1, 2) if is_left else (0, -2)
    unnamed = [row for row in part if row[0][0] in names and ends.keys().isdisjoint(cell[:2] for cell in row)]
    return [Label(names[row[0][0]], row[cut][:2], 0, inward) for row in unnamed]


def _passing(joins: Sequence[Join]) -> dict[Place, str]:
    """The places between the ends of joins, and the line through each."""
    marks: dict[Place, str] = {}
    for join in joins:
        if join.look is not Look.OPEN:
            (row, column), (to_row, to_column) = sorted((join.start, join.end))
            mark = "&#9472;&#9472;" if row == to_row else "&#9474;"
            for place in [*product(range(row, to_row + 1), range(column, to_column + 1))][1:-1]:
                marks[place] = "&#9532;" if place in marks else mark
    return marks


def _of_edges(board: GridBoard) -> list[Table]:
    """Tables with points, the lines between neighbours as separate places, and the content of the boxes."""
    parts = _parts(board.plain, 1, (_ROOM + SMALLEST) // (SMALLEST + EDGE), shared=1)
    return [_edges(board, part, BESIDE if parts[1:] else ALONE) for part in parts]


def _edges(board: GridBoard, columns: range, style: str) -> Table:
    colours, boxes, left = board.colours, len(columns) - 1, 2 * columns.start - 1
    side = _side(_ROOM - EDGE * (boxes + 1), max(1, boxes))
    widths, heights = ((MARGIN, *[EDGE, side] * len(each[1:]), EDGE, MARGIN) for each in (columns, board.rows))
    # By row of the table, where -1 and the last hold the letters, and by column.
    faces: dict[Place, Face] = {}
    for at in columns:
        faces[-1, 2 * at - left] = faces[len(heights) - 2, 2 * at - left] = Face(board.columns[at])
    for at, name in enumerate(board.rows):
        faces[2 * at, 0] = faces[2 * at, len(widths) - 1] = Face(name)
    point = Face(f'<b style="color:{INK}">&#9679;</b>', f" bgcolor={PAPER}>&#9679;", PAPER)
    faces |= {(2 * cell.row, 2 * cell.column - left): point for cell in board.cells if cell.column in columns}
    for join in board.joins:
        (row, column), (to_row, to_column) = join.start, join.end
        if column in columns and to_column in columns:
            faces[row + to_row, column + to_column - left] = Face(ground=_ground_of(join), word=join.name)
    between = product(range(1, 2 * len(board.rows) - 2, 2), range(2, 2 * boxes + 1, 2))
    faces |= dict.fromkeys(between, Face(ground=PAPER))
    for box in board.boxes:
        if box.column in columns[:-1]:  # the last column of points has its boxes in the next part
            faces[2 * box.row + 1, 2 * box.column + 1 - left] = Face(*_owned(box.owner, colours), PAPER)
    lines = by_row(faces)
    strips = [Strip(dict(lines[at]), height, len(widths)) for at, height in enumerate(heights, -1)]
    return Table(widths, strips, style)


def _ground_of(join: Join) -> str:
    """The colour of a line between two points."""
    if join.last:
        return LAST
    return LINE if join.look is Look.DRAWN else WOOD


_COLUMN = attrgetter("column")


@lru_cache(scene.ROWS)
def _strip(frame: _Frame, at: int, row: Row, passing: Noted, owned: Noted) -> Strip:
    """at: the row of the table. row: the board's row, of which the frame may show only a part. passing, owned: marks of
    lines through places, and owners of places, with their columns.
    """
    shown = [*compress(row, map(frame.shown.__contains__, map(_COLUMN, row)))]
    before, across, columns = frame.shown.start - 1, len(frame.widths), [*map(_COLUMN, shown)]
    lines, owners = (map(dict(marks).get, columns, repeat("")) for marks in (passing, owned))
    faces = {place: Face(mark) for column, mark in passing if 0 < (place := column - before) < across - 1}
    placed = zip(map((-before).__add__, columns), map(_face, shown, repeat(frame.colours), lines, owners), strict=True)
    return Strip({**frame.labels[at], **faces, **dict(placed)}, frame.heights[at], across, frame.span)


class Strip:
    """A row of a table."""

    def __init__(self, faces: Mapping[int, Face], height: int, columns: int, span: int = 1) -> None:
        """faces: by their first column. columns: of the table. span: columns of a face."""
        taken = sorted(faces)
        self.height, self.faces = height, [*map(faces.__getitem__, taken)]
        self._gaps, self._spans = _layout(tuple(taken), columns, span)
        words = [*map(attrgetter("word"), self.faces)]
        self.words, self.linked = tuple(filter(None, words)), tuple(compress(count(), words))
        """The words of the faces that may be played, and the indices of these faces."""
        self.least = LEAST_OF_A_WORD * len(self.words) + sum(map(len, map(attrgetter("mark"), self.faces)))
        """A lower bound for the octets of the long form."""

    @cached_property
    def full(self) -> Line:
        """The row in the long form."""
        opening = f'<tr align="center"><td height="{self.height}" width="1"></td>'
        seams = _seams(self._gaps, '<td colspan="%d"></td>', "\n")
        return _line(opening, seams, [*map(piece, repeat(self.height), self.faces, self._spans)])

    @cached_property
    def brief(self) -> Line:
        """The row in the short form."""
        grounds = [*filter(None, map(attrgetter("ground"), self.faces))]
        around = max(dict.fromkeys(grounds), key=grounds.count, default="")
        ground, ink = (f" bgcolor={around}", f";color:{INK}") if around else ("", "")
        # a row without marks and links has no line of text, so it would have no height
        tall = "" if any(map(attrgetter("mark"), self.faces)) else f"height:{self.height}px;"
        opening = f"<tr align=center{ground} style={tall}line-height:{self.height}px{ink}>"
        seams = _seams(self._gaps, f"<td colspan=%d{OUTSIDE if around else ''}>", "")
        return _line(opening, seams, [*map(_brief_piece, repeat(around), self.faces, self._spans)])


def _line(opening: str, seams: Sequence[str], pieces: Sequence[Piece]) -> Line:
    """seams: the HTML before each piece, and after the last."""
    bare = [""] * (len(seams) + len(pieces))
    bare[::2], bare[1::2] = seams, map(attrgetter("bare"), pieces)
    bare[0] = opening + seams[0]
    return Line(octets("".join(bare)), tuple(bare), pieces)


@lru_cache(1024)
def _layout(taken: tuple[int, ...], columns: int, span: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """How many columns are empty before each face, and how many each takes. taken: the first column of each."""
    spans = tuple([min(span, following - column) for column, following in pairwise([*taken, columns])])
    ends = [0, *(column + across for column, across in zip(taken, spans, strict=True))]
    return tuple([column - end for column, end in zip(taken, ends, strict=False)]), spans


@lru_cache(1024)
def _seams(gaps: Sequence[int], gap: str, ending: str) -> list[str]:
    """The HTML before each face of a row, and after the last. gap: for empty columns. ending: ends a line of the
    source.
    """
    told = [*(gap % skipped if skipped else "" for skipped in gaps), "</tr>\n"]
    return [ending + each if at and at % IN_A_LINE == 0 else each for at, each in enumerate(told)]


class Piece(NamedTuple):
    """A place of a row as HTML."""

    bare: str
    """The HTML without a link."""
    around: tuple[str, str]
    """The HTML before and after the URL of a link."""
    dotless: str
    """The HTML without a link or a dot."""


class Line(NamedTuple):
    """A row without links."""

    octets: int
    bare: tuple[str, ...]
    """Seams and pieces in turn, beginning and ending with a seam."""
    pieces: Sequence[Piece]


class Face(NamedTuple):
    """A place of a table."""

    mark: str = ""
    """HTML."""
    short: str = ""
    """The rest of its td in the short form, after the ground, which it may replace; empty if it follows from the other
    fields.
    """
    ground: str = ""
    """Its colour; empty for none."""
    word: str = ""
    """What a player types to play it."""
    tall: int = 0
    """The height of a mark that is a block, in pixels."""


OUTSIDE = " bgcolor=#fff"  # the board's shape can be seen by it
"""The ground of labels and empty places in the short form."""
DOT = "&#183;"
"""The mark of a free cell."""


@lru_cache(REMEMBERED)
def piece(height: int, face: Face, span: int = 1) -> Piece:
    """The place in the long form."""
    mark, opening, ink = face.mark, f'<td colspan="{span}"' if span > 1 else "<td", ""
    if face.ground:
        opening += f' bgcolor="{face.ground}"'
        ink = f' style="color:{INK}"' if mark and "color" not in mark else ""
    elif mark:
        opening += ' style="font-size:12px"' if mark.startswith("<b") else ' style="font-size:12px;opacity:0.7"'
    # A line break inside a tag is invisible, and keeps the lines of the mail short enough.
    filled = f"padding:{(height - face.tall) // 2}px 0" if face.tall else f"line-height:{height}px"
    style = f"display:block;{filled};text-decoration:none;color:{INK}"
    around = f'{opening}><a\nhref="', f'" style="{style}">{mark or "&#160;"}</a></td>'
    opening += f"{ink}>"
    bare = f"{opening}{mark}</td>"
    return Piece(bare, around, f"{opening}</td>" if mark == DOT else bare)


@lru_cache(REMEMBERED)
def _brief_piece(around: str, face: Face, span: int) -> Piece:
    """The place in the short form. around: the colour of its row. td needs no end."""
    opening = f"\n<td colspan={span}" if span > 1 else "\n<td"
    own = f" bgcolor={face.ground}" if face.ground else OUTSIDE
    ground = "" if face.ground == around else own
    mark = "." if face.mark == DOT else face.mark
    link = f'{opening}{ground}><a href="', f'"><div>{mark or "."}</div></a>'
    bare = opening + (face.short or f"{ground}>{mark}")
    return Piece(bare, link, f"{opening}{ground}>" if face.mark == DOT else bare)


@lru_cache(REMEMBERED)
def _face(cell: Cell, colours: Colours, passing: str, owner: str) -> Face:
    """passing: the line through a free cell. owner: the side that owns a free cell."""
    ground = ground_of(cell)
    if cell.piece:
        return Face(*_piece(cell, fill_of(cell.piece, dict(colours))), ground, cell.name, PIECE)
    if cell.last:
        return Face(f'<b style="color:{LAST}">&#10005;</b>', "", ground, cell.name)
    if owner:
        return Face(*_owned(owner, colours), ground, cell.name, OWNED)
    return Face(passing or ("" if cell.closed else DOT), "", ground, cell.name)


def _piece(cell: Cell, fill: str) -> tuple[str, str]:
    """The mark and the short form of a piece: a disc, or a square if it is not a stone, with a ring if it is marked."""
    is_marked, is_square = cell.last or cell.winning, cell.form in (Form.ARROW, Form.WALL)
    thick, ring = 3 if is_marked else 1, edge_of(cell, fill, LINE)
    corners = "" if is_square else "border-radius:15px;"
    inside = PIECE - 2 * thick
    size = f"display:block;max-width:{inside}px;margin:auto;line-height:{inside}px;{corners}"
    mark, short = _on(fill, escape(cell.piece), f"{size}border:{thick}px solid {ring};")
    if is_marked or is_square:
        return mark, "" if is_marked else short
    ink = "" if text_on(fill) == INK else f";color:{_brief_colour(text_on(fill))}"  # rows already have the colour INK
    disc = f"<b style=display:block;border-radius:50%;background:{_brief_colour(fill)}{ink}>{escape(cell.piece)}</b>"
    return mark, f"{f' bgcolor={SHADED}' if cell.shaded else ''}>{disc}"


def _brief_colour(colour: str) -> str:
    """A colour in its shortest form for styles: #fff for #ffffff."""
    return f"#{colour[1::2]}" if colour[1::2] == colour[2::2] else colour


def _owned(owner: str, colours: Colours) -> tuple[str, str]:
    inside = OWNED - 2
    size = f"display:block;max-width:{inside}px;margin:auto;line-height:{inside}px;font-size:12px;"
    return _on(fill_of(owner, dict(colours)), escape(owner), f"{size}border:1px solid {FAINT};")


def _edge_label(label: Label, colours: Colours) -> Face:
    """A label on the colour of the side that owns the edge, which works in light and dark."""
    text, beside = escape(label.text), "" if label.text[1:] else "&#160;"
    return Face(*_on(fill_of(label.owner, dict(colours)), text, beside=beside)) if label.owner else Face(text)


def _on(fill: str, text: str, style: str = "", beside: str = "") -> tuple[str, str]:
    """Text on a colour: the mark and the short form."""
    ink = text_on(fill)
    mark = f'<b style="{style}background:{fill};color:{ink}">{beside}{text}{beside}</b>'
    return mark, f" bgcolor={fill} style=color:{ink}>{text}"
