"""A board for HTML: cells to touch or a drawing, then notes, lists and moves, within the given room."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import chain, groupby

from markupsafe import escape as escaped

from games.scene import Listing, PlaneBoard
from pbm.compose.cells import LINK, SHORT_LINK, WIDTH, Face, Table
from pbm.compose.html import aligned, equal, within_bounds
from pbm.compose.views import View
from pbm.compose.wire import Links, octets
from pbm.draw import WORDS
from pbm.draw.colours import WOOD

TOUCHED = 36
"""The height of a move in a list, in pixels."""
MAX_LISTED, MAX_TARGETS = 160, 60
"""The most moves listed besides those that the board links; and the same if cells of the board begin moves."""
LEAST_OF_A_MOVE = len(Face(ground=WOOD).full(TOUCHED))
"""The fewest octets of a move in a list."""
ELSEWHERE = "<p>[This list is in the text of this email.]</p>"
ROWS = "font-size:15px"
_CELL = re.compile(r"[a-z]+[0-9]+")


class HtmlBoard:
    """The board as it is shown in HTML."""

    cells = drawn = ""
    begun = False
    """Some link only begins a move."""
    crowded = False
    """There was no room to link all playable places."""
    room = 0
    """The characters that are left of the given room."""

    def __init__(self, view: View, style: str, answers: Links | None) -> None:
        """answers: the links to moves; None if the reader may not play."""
        self.view, self.style = view, style
        self.lists: list[str] = []
        self.links: Mapping[str, str] = {}
        """The ends of URLs that open moves, by the words a player types."""
        self.starts: Mapping[str, str] = {}
        """The same for links that begin a move, or play the only move of a cell, by cell."""
        self._openings = "", ""
        if answers is not None:
            begun, self._openings = view.beginnings, answers.openings
            self.links, ends = answers.ends(view.moves), answers.ends(begun.values())
            self.starts = {cell: ends[text] for cell, text in begun.items() if text in ends}
            self.begun = bool(self.starts) and not {*view.moves} >= {*begun.values()}
        self.tables: Sequence[Table] = view.tables if style != WORDS else ()
        """The board as cells, for which there may be no room."""
        self._opened = {**self.starts, **self.links}
        """The links of cells."""
        shown = chain.from_iterable([table.words for table in self.tables])
        self._words = [*filter(self._opened.__contains__, shown)]
        """The words of cells that may be links."""
        self.linked: dict[str, str] = {}
        """The moves that are links, with the ends of their URLs."""
        self._forms: dict[bool, str] = {}

    def fits(self, room: int) -> bool:
        """Whether there is room for the cells with all their links."""
        return not self.tables or bool(self._whole(room))

    def complete(self, room: int, *, pictured: bool) -> None:
        """Adds everything there is room for. pictured: a picture shows the board, so it is not drawn in letters."""
        self.room = room
        if self.tables:
            self._put_cells()
        if not self.cells:
            self._put_drawing(pictured)
        # In the order of their worth: what comes later has the room that is left.
        for listing in self.view.scene.lists:
            if any(cell.count(" ") > 1 for row in listing.rows for cell in row):
                self._put_sentences(listing)
            else:
                self._put_chips(listing)
        self._put_others()

    def html(self, picture: str, how_to_play: str) -> str:
        """The whole board with the text above and below it. how_to_play: for a board with links."""
        scene = self.view.scene
        before: Sequence[str] = ()
        after: Sequence[str] = (*scene.notes, *scene.legend)
        if self.style == WORDS:
            first, after = self.view.spoken
            before = (*first, *scene.notes)
        above = [*map(_paragraph, before), "" if self.cells else picture]
        below = [self.drawn, how_to_play, picture if self.cells else "", *map(_paragraph, after), *self.lists]
        return "\n".join([*filter(None, above), self.cells, *filter(None, below), ""])

    def _put_drawing(self, pictured: bool) -> None:
        lines = self.view.drawn(self.style)
        drawn = equal(lines)
        # Whoever sees no pictures has the board in the text, and links are worth more than a second drawing.
        if pictured and len(drawn) > self.room // 2:
            return
        self.drawn = aligned(drawn, max(map(len, lines), default=0)) if drawn else ""
        self.room -= len(drawn)

    def _whole(self, room: int) -> str:
        """The cells with all their links, in the long form or else in the short one; empty without room for either."""
        for brief in (False, True):
            if brief not in self._forms:
                self._forms[brief] = self._in_tables(self._opened, brief=brief, dotted=not self.links)
            if octets(self._forms[brief]) <= room:
                return self._forms[brief]
        return ""

    def _in_tables(self, links: Mapping[str, str], *, brief: bool, dotted: bool = True) -> str:
        """The board as tables. links: those that are shown. dotted: as for a table."""
        opening = self._openings[brief]
        return "\n".join(table.html(links, opening, dotted=dotted, brief=brief) for table in self.tables)

    def _put_cells(self) -> None:
        """Adds the board as tables if there is room; in the long form if it has room for all links."""
        chosen: Mapping[str, str] = self._opened
        self.cells = self._whole(self.room)
        if not self.cells:
            left = self.room - octets(self._in_tables({}, brief=True))
            if left < 0:
                return
            chosen = within_bounds(self._words, self._opened, left, SHORT_LINK + len(self._openings[True]))
            self.crowded = not chosen.keys() >= {*self._words}
            self.cells = self._in_tables(chosen, brief=True, dotted=self.crowded)
        self.room -= len(self.cells)
        self.linked |= {word: chosen[word] for word in self._words if word in chosen}

    def _put_others(self) -> None:
        """Adds the moves that are not linked yet, grouped by cell; if they are too many, the cells they begin with."""
        hidden, opened = {*self._words} if self.cells else (), {*self.linked.values()}
        others = [word for word, end in self.links.items() if word not in hidden and end not in opened]
        # More than a phone's screen or two of moves is not read; the cells they begin with are fewer.
        if 0 < len(others) <= (MAX_TARGETS if self.starts else MAX_LISTED):
            heading = "Or:" if self.linked else "Moves:"
            by_start = groupby(others, _first_cell)
            self._put_chips(Listing(heading, tuple(tuple(words) for _, words in by_start)), apart=bool(self.starts))
        elif self.starts and not self.linked:
            self.links = self.starts
            self._put_chips(Listing("Move from:", (tuple(self.starts),)))

    def _put_chips(self, listing: Listing, *, apart: bool = False) -> None:
        """Adds a list of short columns, each a link if it is a move. apart: each row of the list begins a line."""
        words = [[*filter(None, row)] for row in listing.rows]
        # Not even begun: with thousands of moves that would take long.
        if sum(map(len, words)) * LEAST_OF_A_MOVE > self.room:
            self._add(listing.heading, ELSEWHERE, {})
            return
        width = max(44, 9 * max(len(cell) for row in words for cell in row) + 12)
        across = max(1, WIDTH // (width + 1))
        groups = words if apart else [list(chain.from_iterable(words))]
        lines = [group[at : at + across] for group in groups for at in range(0, len(group), across)]
        faces = [[Face(escape(cell), "", WOOD, self._word(cell)) for cell in line] for line in lines]
        rows = [dict(enumerate(row)) for row in faces]
        table, opening = Table((width,) * across, (TOUCHED,) * len(rows), rows), self._openings[0]
        chosen = within_bounds(table.words, self.links, self.room - len(table.html({})), LINK + len(opening))
        self._add(listing.heading, table.html(chosen, opening), chosen)

    def _put_sentences(self, listing: Listing) -> None:
        """Adds a list with a row each: what to touch, and its explanation."""
        rows = [(row[0], self._word(row[0]), " ".join(row[1:])) for row in _joined(listing.rows)]
        bare = sum(len(escape(first + meaning)) + len(_row(Face(ground=WOOD), "", "")) for first, _, meaning in rows)
        opening = self._openings[0]
        chosen = within_bounds((word for _, word, _ in rows), self.links, self.room - bare, LINK + len(opening))
        html = [f'<table role="presentation" cellpadding="0" cellspacing="1" border="0" style="{ROWS}">']
        for first, word, meaning in rows:
            url = opening + chosen[word] if word in chosen else ""
            html.append(_row(Face(escape(first), "", WOOD, word), url, meaning))
        self._add(listing.heading, "\n".join([*html, "</table>"]), chosen)

    def _add(self, heading: str, html: str, chosen: Mapping[str, str]) -> None:
        # Gmail shows only the first 102 kB of a mail, and a board's mail must be well below.
        if len(html) > self.room:
            html, chosen = ELSEWHERE, {}
        self.room -= len(html)
        self.linked |= chosen
        self.lists.append(f'<p style="margin:10px 5px 2px">{escaped(heading)}</p>\n{html}')

    def _word(self, cell: str) -> str:
        """The move that a column of a list names; empty for none."""
        first, *_, last = [*cell.split(), "", ""][:2]
        named = self._names
        return next((named.get(word, word) for word in (cell, last, first) if named.get(word, word) in self.links), "")

    @cached_property
    def _names(self) -> dict[str, str]:
        """The words that a player types, by the labels on a drawing."""
        board = self.view.scene.board
        if not isinstance(board, PlaneBoard):
            return {}
        points = {point.label: point.name for point in board.points if point.label and point.name}
        return points | {segment.label: segment.name for segment in board.segments if segment.name}


def _paragraph(sentence: str) -> str:
    return f'<p style="margin:8px 5px">{escaped(sentence)}</p>'


def _first_cell(move: str) -> str:
    """The first cell of a move: "c4" of "c4-d4" and of "c4xd3"."""
    cell = _CELL.match(move)
    return cell[0] if cell else move


def _joined(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The rows, with each that begins with an empty column appended to the one before."""
    joined: list[tuple[str, ...]] = []
    for row in rows:
        if joined and not row[0]:
            joined[-1] = (*joined[-1], *row)
        else:
            joined.append(row)
    return [tuple(cell for cell in row if cell) for row in joined]


def _row(face: Face, url: str, meaning: str) -> str:
    cell = face.full(TOUCHED, url.replace("&", "&amp;"))
    return (
        f'<tr align="center"><td width="44" height="{TOUCHED}"{cell[3:]}'
        f'<td align="left" style="padding:0 6px">{escape(meaning)}</td></tr>'
    )
