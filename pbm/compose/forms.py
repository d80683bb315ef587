"""A page in the forms its reader has chosen: text, HTML with a picture and links, and a part for programs.

In multipart/alternative a mail program shows the last form it knows. So the part for programs stands before HTML, as
forms that few programs know do, and nobody sees it as an attachment.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from pbm.compose.html import MAX_LINKS, Inlays, blocks, linked, to_ascii, within_bounds
from pbm.compose.pages import Pages
from pbm.compose.views import View
from pbm.compose.wire import Part, Parts
from pbm.draw import WORDS
from pbm.draw.png import rendered

TEXT, BOTH = "text", "both"
BOARD_KIND = "application/vnd.pbm.board+json"
BESIDES = 2800
"""Characters of the room for links that each further board takes for other things."""
MAX_LISTED = 60
"""Moves that are listed beside those which the drawing itself links."""

Link = Callable[[str], str]
"""From what a player may answer to the URL that opens such an answer; empty for none."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing that HTML shows below a line of a text. svg: the drawing. described: the same in words."""

    line: str
    svg: str
    described: str


@dataclass(slots=True)
class Sheet:
    """What is put on one page for one reader. domain: of the pictures' ids. drawn: whether a board is on it.

    pictured: boards have pictures in HTML. These take several times as long as all the rest of a mail. boards: how many
    share the room there is for links.
    """

    pages: Pages
    form: str
    domain: str
    pictured: bool = True
    boards: int = 1
    drawn: bool = False
    _inlays: Inlays = field(default_factory=Inlays)
    _pictures: list[Part] = field(default_factory=list)

    def link(self, text: str, url: str) -> str:
        """Words for the page that open the URL where they can."""
        return text if self.form == TEXT else self._inlays.link(text, url)

    def board(self, view: View, style: str, link: Link | None = None) -> str:
        """The drawing for the page, its last line ended. link: for a reader who may play a move now."""
        if self.form == TEXT:
            return view.text(style) + "\n"
        self.drawn = True
        links = {word: url for word in view.moves if (url := link(word))} if link else {}
        lines = view.lines(style)
        room = (MAX_LINKS - BESIDES * (self.boards - 1)) // self.boards
        shown = within_bounds((run.word for line in lines for run in line), links, room)
        others = {word: url for word, url in links.items() if word not in shown}
        listed = within_bounds(others, others, room) if len(others) <= MAX_LISTED or not shown else {}
        html = self.pages.render(
            "drawing.html",
            drawn=linked(lines, shown),
            links=shown,
            listed=listed,
            picture=view.picture if self.pictured else None,
            cid=self._picture(view) if self.pictured else "",
            described=lambda: "The board, which is told in words below." if style == WORDS else view.description,
        )
        return self._inlays.add(view.text(style), Markup(html)) + "\n"  # noqa: S704  rendered with everything escaped

    def illustrated(self, text: str, figure: Figure | None) -> str:
        """The text with the figure below its line; in plain text the line has to do."""
        if self.form == TEXT or figure is None:
            return text
        picture = rendered(figure.svg)
        cid = self._enclose(picture.data, "ratings.png")
        html = self.pages.render("figure.html", figure=figure, picture=picture, cid=cid)
        return text.replace(figure.line, self._inlays.add(figure.line, Markup(html)), 1)  # noqa: S704  escaped

    def _picture(self, view: View) -> str:
        """Take the picture along, if there is one; returns its id."""
        return self._enclose(view.picture.data, "board.png") if view.picture else ""

    def _enclose(self, data: bytes, name: str) -> str:
        """Take a picture along; returns its id."""
        cid = f"{hashlib.sha256(data).hexdigest()[:20]}@{self.domain}"
        headers = {"Content-ID": f"<{cid}>", "Content-Disposition": f'inline; filename="{name}"'}
        self._pictures.append(Part("image/png", data, headers))
        return cid

    def body(self, page: str, subject: str, board: str = "") -> str | Part | Parts:
        """The page, rendered with what this sheet gave it. board: the same for programs; empty for none."""
        if self.form == TEXT:
            return page
        html = self.pages.render("mail.html", blocks=blocks(page, self._inlays), subject=subject)
        root = Part("text/html", to_ascii(html))
        shown = Parts("related", (root, *self._pictures)) if self._pictures else root
        plain = (Part("text/plain", self._inlays.text(page)),) if self.form == BOTH else ()
        machine = (Part(BOARD_KIND, board),) if board else ()
        parts = (*plain, *machine, shown)
        return Parts("alternative", parts) if len(parts) > 1 else shown
