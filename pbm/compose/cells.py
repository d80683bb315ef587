"""Boards of cells as HTML tables, with cells that a thumb can hit, and links wherever the player may play.

Sizes are in pixels, for a phone 390 wide; cells become narrower on smaller ones, as columns have shares of the width,
whatever stands in them. A board that is too wide is shown in parts, one below the other.
Only characters and colours are used, which work in light and dark; no picture, style sheet or script is needed. If
there is little room, the same table has a short form: a row has the ground of most of its places, stones are discs as
large as their places, and links have no colour or text of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from html import escape
from itertools import pairwise, product
from typing import NamedTuple

from games.scene import Cell, Form, GridBoard, HexBoard, Join, Label, Look, Place, rows
from pbm.draw.colours import FAINT, INK, LAST, LINE, PAPER, SHADED, WOOD, edge_of, fill_of, ground_of, text_on
from pbm.values import frozen

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

_ROOM = WIDTH - 2 * MARGIN
"""The width left for cells."""


def tables(board: HexBoard | GridBoard) -> list[Table]:
    """The board, in as few parts as the smallest size of cells allows."""
    columns = {cell.column for cell in board.cells}
    is_drawn = isinstance(board, GridBoard) and (board.boxes or any(join.name for join in board.joins))
    if isinstance(board, HexBoard):
        part, parts = partial(_hexagons, board), _parts(columns, 2, _ROOM // SMALLEST * 2)
    # Lines that can be played need places of their own to be touched; with pieces, the points are what is touched.
    elif is_drawn and not any(cell.piece for cell in board.cells):
        part, parts = partial(_edges, board), _parts(columns, 1, (_ROOM + SMALLEST) // (SMALLEST + EDGE), shared=1)
    # Without the copies beyond the edges: cells must be large enough for a thumb.
    else:
        inside = columns.intersection(range(len(board.columns)))
        part, parts = partial(_squares, board), _parts(inside, 1, _ROOM // SMALLEST)
    return [part(shown, BESIDE if parts[1:] else ALONE) for shown in parts]


OUTSIDE = " bgcolor=#fff"  # the board's shape can be seen by it
"""The ground of labels and empty places in the short form."""
DOT = "&#183;"
"""The mark of a free cell."""


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

    def full(self, height: int, url: str = "", span: int = 1) -> str:
        """The long form. height: of the row. url: what a tap opens; empty for no link. span: the columns it takes."""
        mark, ground = self.mark, self.ground
        opening = f'<td colspan="{span}"' if span > 1 else "<td"
        if ground:
            opening += f' bgcolor="{ground}"'
        elif mark:
            opening += f' style="font-size:12px{"" if mark.startswith("<b") else ";opacity:0.7"}"'
        if url:
            filled = f"padding:{(height - self.tall) // 2}px 0" if self.tall else f"line-height:{height}px"
            style = f"display:block;{filled};text-decoration:none;color:{INK}"
            # A line break inside a tag is invisible, and keeps the lines of the mail short enough.
            return f'{opening}><a\nhref="{url}" style="{style}">{mark or "&#160;"}</a></td>'
        ink = f' style="color:{INK}"' if ground and mark and "color" not in mark else ""
        return f"{opening}{ink}>{mark}</td>"

    def brief(self, around: str, url: str, span: int) -> str:
        """The short form, in which td needs no end. around: the colour of the row. url, span: as for `full`."""
        opening = f"\n<td colspan={span}" if span > 1 else "\n<td"
        ground = f" bgcolor={self.ground}" if self.ground else OUTSIDE
        if self.ground == around:
            ground = ""
        mark = "." if self.mark == DOT else self.mark
        if url:
            return f'{opening}{ground}><a href="{url}"><div>{mark or "."}</div></a>'
        return opening + (self.short or f"{ground}>{mark}")


Spot = tuple[Face, str, int, int]
"""A place in its row: its face, what a tap opens, how many columns it takes, and how many are empty before it."""


def _full_row(height: int, spots: Sequence[Spot]) -> str:
    """A row in the long form."""
    html = [f'<tr align="center"><td height="{height}" width="1"></td>']
    for at, (face, url, span, gap) in enumerate(spots):
        if at and at % IN_A_LINE == 0:
            html.append("\n")
        if gap:
            html.append(f'<td colspan="{gap}"></td>')
        html.append(face.full(height, url, span))
    return "".join([*html, "</tr>\n"])


def _brief_row(height: int, spots: Sequence[Spot]) -> str:
    """A row in the short form, on the ground of most of its places."""
    grounds = Counter(face.ground for face, *_ in spots if face.ground)
    around = max(grounds, key=grounds.__getitem__, default="")
    outside, ground, ink = (OUTSIDE, f" bgcolor={around}", f";color:{INK}") if around else ("", "", "")
    # A row without marks and links has no line of text, so it would have no height.
    tall = "" if any(face.mark for face, *_ in spots) else f"height:{height}px;"
    html = [f"<tr align=center{ground} style={tall}line-height:{height}px{ink}>"]
    for face, url, span, gap in spots:
        if gap:
            html.append(f"<td colspan={gap}{outside}>")
        html.append(face.brief(around, url, span))
    return "".join([*html, "</tr>\n"])


@frozen
class Table:
    """Rows from the top."""

    widths: Sequence[int]
    heights: Sequence[int]
    rows: Sequence[Mapping[int, Face]]
    """The faces of each row, by their first column."""
    span: int = 1
    """How many columns a face takes."""
    style: str = ""
    """Of a board, or of a part of one."""

    @property
    def words(self) -> list[str]:
        """What a player types to play its faces."""
        return [row[column].word for row in self.rows for column in sorted(row) if row[column].word]

    def html(self, links: Mapping[str, str], opening: str = "", *, dotted: bool = True, brief: bool = False) -> str:
        """links: the ends of URLs, by word. opening: the beginning of all URLs. dotted: free cells without a link also
        have dots. brief: in the short form.
        """
        opening = opening.replace("&", "&amp;")
        row_of, pieces = _brief_row if brief else _full_row, [self._opening(brief=brief)]
        for height, row in zip(self.heights, self.rows, strict=True):
            spots, end = list[Spot](), 0
            for column, following in pairwise([*sorted(row), len(self.widths)]):
                face, span = row[column], min(self.span, following - column)
                link = links.get(face.word)
                if not (dotted or link) and face.mark == DOT:
                    face = face._replace(mark="")
                spots.append((face, f"{opening}{link}" if link else "", span, column - end))
                end = column + span
            pieces.append(row_of(height, spots))
        return "".join([*pieces, "</table>"])

    def _opening(self, *, brief: bool) -> str:
        """The beginning, with a row for the column widths; in the long form a first column has the heights."""
        end, first, looks = ("", "", ";color-scheme:light") if brief else ("</td>", '<td width="1"></td>', "")
        whole = sum(self.widths)
        columns = "".join(f'<td width="{100 * width / whole:.3g}%">{end}' for width in self.widths)
        return (
            # WebKit makes no table narrower than its width in pixels. Outlook, which knows no greatest width, takes no
            # style that is important, only the attribute.
            f'<table role="presentation" cellpadding="0" cellspacing="1" border="0" width="{whole}"\nstyle="'
            f'{self.style}width:100% !important;max-width:{whole}px;margin:8px 0;font-size:16px{looks}">\n'
            f"<tr>{first}{columns}</tr>\n"
        )


def _parts(columns: Collection[int], wide: int, most: int, shared: int = 0) -> list[range]:
    """The columns divided into parts of about equal width.

    wide: columns of a cell. most: columns for which there is room. shared: columns that neighbouring parts both show.
    """
    left, right = min(columns), max(columns) + wide
    count = max(1, -((left + shared - right) // (most - shared)))
    cuts = [left + (-(-at * (right - left - shared) // count)) for at in range(count)]
    ends = [*(cut + shared for cut in cuts[1:]), right]
    parts = [{*columns}.intersection(range(*ends)) for ends in zip(cuts, ends, strict=True)]
    return [range(min(part), max(part) + 1) for part in parts]


def _side(room: int, cells: int) -> int:
    return max(SMALLEST, min(LARGEST, room // cells))


def _squares(board: GridBoard, shown: range, style: str) -> Table:
    """Square cells, with letters above and below, and row names on both sides. shown: the columns of the part."""
    lines, owners = _passing(board.joins), {(mark.row, mark.column): mark.owner for mark in board.crossings}
    side, across, before, colours = _side(_ROOM, len(shown)), len(shown) + 1, shown.start - 1, dict(board.colours)
    names = [{0: Face(name), across: Face(name)} for name in board.rows]
    letters = {at: Face(board.columns[column]) for at, column in enumerate(shown, 1)}
    rows = [{**letters}, *names, {**letters}]
    for (row, column), mark in lines.items():
        if column in shown:
            rows[row + 1][column - before] = Face(mark)
    for cell in board.cells:
        if cell.column in shown and 0 <= cell.row < len(board.rows):
            line, owner = lines.get(cell.place, ""), owners.get(cell.place, "")
            rows[cell.row + 1][cell.column - before] = _face(cell, colours, line, owner)
    heights = (MARGIN, *[side] * len(board.rows), MARGIN)
    return Table((MARGIN, *[side] * len(shown), MARGIN), heights, rows, style=style)


def _hexagons(board: HexBoard, shown: range, style: str) -> Table:
    """Cells of two columns of half their width, and labels where their lines leave the board.

    shown: the columns of the part.
    """
    cells, labels = [cell for cell in board.cells if cell.column in shown], list(board.labels)
    colours = dict(board.colours)
    # A part has the ends of some rows only.
    if len(cells) < len(board.cells):
        is_left = shown.start == min(cell.column for cell in board.cells)
        labels += _inner_labels(board.labels, cells, is_left=is_left)
    top, bottom, before = cells[0].row - 1, cells[-1].row + 1, shown.start - 1
    rows: list[dict[int, Face]] = [{} for _ in range(top, bottom + 1)]
    places = {cell.place for cell in cells}
    for label in labels:
        if label.place in places:
            column = max(0, label.place[1] + label.right - before)
            rows[label.place[0] + label.down - top][column] = _edge_label(label, colours)
    for cell in cells:
        rows[cell.row - top][cell.column - before] = _face(cell, colours)
    across = len(shown) + 3
    unit = _side(WIDTH * 2, across) // 2
    heights = (MARGIN, *[2 * unit] * (len(rows) - 2), MARGIN)
    return Table((unit,) * across, heights, rows, span=2, style=style)


def _inner_labels(labels: Sequence[Label], part: Sequence[Cell], *, is_left: bool) -> list[Label]:
    """The row names along the cut of a board shown in parts."""
    ends = {label.place: label.text for label in labels if label.down == 0}
    names = {row: text for (row, _), text in ends.items()}
    inward, names_inside = 2 if is_left else -2, []
    for number, row in rows(part).items():
        end = row[-1 if is_left else 0]
        if number in names and ends.keys().isdisjoint(cell.place for cell in row):
            names_inside.append(Label(names[number], end.place, 0, inward))
    return names_inside


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


def _edges(board: GridBoard, columns: range, style: str) -> Table:
    """Points, the lines between neighbours as separate places, and the content of the boxes."""
    colours, boxes, left = dict(board.colours), len(columns) - 1, 2 * columns.start - 1
    side = _side(_ROOM - EDGE * (boxes + 1), max(1, boxes))
    widths, heights = ((MARGIN, *[EDGE, side] * len(names[1:]), EDGE, MARGIN) for names in (columns, board.rows))
    letters = {2 * at - left: Face(board.columns[at]) for at in columns}
    between = dict.fromkeys(range(2, 2 * boxes + 1, 2), Face(ground=PAPER))
    rows = [letters]
    for name in board.rows:
        rows += {0: Face(name), len(widths) - 1: Face(name)}, {**between}
    # Below the last points there are no boxes.
    rows[-1] = letters
    point = Face(f'<b style="color:{INK}">&#9679;</b>', f" bgcolor={PAPER}>&#9679;", PAPER)
    for cell in board.cells:
        if cell.column in columns:
            rows[2 * cell.row + 1][2 * cell.column - left] = point
    for join in board.joins:
        (row, column), (to_row, to_column) = join.start, join.end
        if column in columns and to_column in columns:
            rows[row + to_row + 1][column + to_column - left] = Face(ground=_ground_of(join), word=join.name)
    for box in board.boxes:
        if box.column in columns[:-1]:  # the last column of points has its boxes in the next part
            rows[2 * box.row + 2][2 * box.column + 1 - left] = Face(*_owned(box.owner, colours), PAPER)
    return Table(widths, heights, rows, style=style)


def _ground_of(join: Join) -> str:
    """The colour of a line between two points."""
    if join.last:
        return LAST
    return LINE if join.look is Look.DRAWN else WOOD


def _face(cell: Cell, colours: Mapping[str, str], passing: str = "", owner: str = "") -> Face:
    """passing: the line through a free cell. owner: the side that owns a free cell."""
    ground = ground_of(cell)
    if cell.piece:
        return Face(*_piece(cell, fill_of(cell.piece, colours)), ground, cell.name, PIECE)
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


def _owned(owner: str, colours: Mapping[str, str]) -> tuple[str, str]:
    inside = OWNED - 2
    size = f"display:block;max-width:{inside}px;margin:auto;line-height:{inside}px;font-size:12px;"
    return _on(fill_of(owner, colours), escape(owner), f"{size}border:1px solid {FAINT};")


def _edge_label(label: Label, colours: Mapping[str, str]) -> Face:
    """A label on the colour of the side that owns the edge, which works in light and dark."""
    text, beside = escape(label.text), "" if label.text[1:] else "&#160;"
    return Face(*_on(fill_of(label.owner, colours), text, beside=beside)) if label.owner else Face(text)


def _on(fill: str, text: str, style: str = "", beside: str = "") -> tuple[str, str]:
    """Text on a colour: the mark and the short form."""
    ink = text_on(fill)
    mark = f'<b style="{style}background:{fill};color:{ink}">{beside}{text}{beside}</b>'
    return mark, f" bgcolor={fill} style=color:{ink}>{text}"
