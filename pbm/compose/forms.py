"""A page in the forms its reader has chosen: text, HTML with a picture and links, and a part for programs.

In multipart/alternative a mail program shows the last form it knows. So the part for programs stands before HTML, as
forms that few programs know do, and nobody sees it as an attachment. The pictures stand beside all forms, as Gmail puts
them: a chat program, which shows text, has them then, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from markupsafe import Markup

from pbm.compose.html import Inlays, blocks, to_ascii
from pbm.compose.html_board import HtmlBoard
from pbm.compose.pages import Pages
from pbm.compose.views import View
from pbm.compose.wire import Part, Parts
from pbm.draw import WORDS
from pbm.draw.brush import Picture

TEXT, BOTH = "text", "both"
BOARD_KIND = "application/vnd.pbm.board+json"
MAX_BOARD = 85_000
"""Characters of a board, of the 102 kB after which Gmail cuts a mail off."""
BESIDES = 2800
"""Characters of that room which each further board takes for other things."""

Link = Callable[[str], str]
"""From what a player may answer to the URL that opens such an answer; empty for none."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing that HTML shows below a line of a text. picture: the drawing. described: the same in words.

    name: of its file.
    """

    line: str
    picture: Picture
    described: str
    name: str = "ratings.png"


@dataclass(slots=True)
class Sheet:
    """What is put on one page for one reader. domain: of the pictures' ids. drawn: whether a board is on it.

    pictured: boards have pictures in HTML. boards: how many share the room there is.
    """

    pages: Pages
    form: str
    domain: str
    pictured: bool = True
    boards: int = 1
    drawn: bool = False
    _inlays: Inlays = field(default_factory=Inlays)
    _pictures: list[Part] = field(default_factory=list)
    _closing: list[Markup] = field(default_factory=list)

    def link(self, text: str, url: str) -> str:
        """Words for the page that open the URL where they can."""
        return text if self.form == TEXT else self._inlays.link(text, url)

    def prepare(self, view: View, style: str) -> None:
        """Work out what `board` shows, but for the links."""
        view.text(style)
        if self.form == TEXT:
            return
        if style == WORDS or not view.tables or sum(len(table.html({})) for table in view.tables) > self._room:
            view.drawn(style)
        _ = view.moves, view.beginnings, self.pictured and view.picture is not None and view.description

    @property
    def _room(self) -> int:
        return (MAX_BOARD - BESIDES * (self.boards - 1)) // self.boards

    def board(self, view: View, style: str, link: Link | None = None) -> str:
        """The drawing for the page, its last line ended. link: for a reader who may play a move now."""
        if self.form == TEXT:
            return view.text(style) + "\n"
        self.drawn = True
        moves = {word: url for word in view.moves if (url := link(word))} if link else {}
        starts = {cell: url for cell, text in view.beginnings.items() if (url := link(text))} if link else {}
        board = HtmlBoard(view, style, moves, self._room, starts)
        picture = self._picture(view, board)
        if picture and board.cells and board.parts == 1:
            self._closing.append(picture)
            picture = Markup("")
        html = self.pages.render(
            "drawing.html",
            picture=picture,
            **{
                name: getattr(board, name)
                for name in ("cells", "drawn", "columns", "linked", "begun", "crowded", "before", "notes", "lists")
            },
        )
        return self._inlays.add(view.text(style), Markup(html)) + "\n"  # noqa: S704  rendered with everything escaped

    def illustrated(self, text: str, figure: Figure | None) -> str:
        """The text with the figure below its line; in plain text the line has to do."""
        if self.form == TEXT or figure is None:
            return text
        picture = self._enclosed(figure.picture, figure.name, figure.described)
        html = self.pages.render("figure.html", figure=figure, picture=picture)
        return text.replace(figure.line, self._inlays.add(figure.line, Markup(html)), 1)  # noqa: S704  escaped

    def _picture(self, view: View, board: HtmlBoard) -> Markup:
        """The picture, taken along, if there is one and a use for it: among several boards, cells do without."""
        if not self.pictured or view.picture is None or (self.boards > 1 and board.cells and board.parts == 1):
            return Markup("")
        described = "The board, which is told in words below." if board.style == WORDS else view.description
        return self._enclosed(view.picture, "board.png", described)

    def _enclosed(self, picture: Picture, name: str, described: str) -> Markup:
        """What shows a picture that the mail takes along."""
        cid = f"{hashlib.sha256(picture.data).hexdigest()[:20]}@{self.domain}"
        headers = {"Content-ID": f"<{cid}>", "Content-Disposition": f'inline; filename="{name}"'}
        self._pictures.append(Part(picture.kind, picture.data, headers))
        return Markup(self.pages.render("picture.html", picture=picture, cid=cid, described=described))  # noqa: S704

    def body(self, page: str, subject: str, board: str = "") -> str | Part | Parts:
        """The page, rendered with what this sheet gave it. board: the same for programs; empty for none.

        A filter holds it against a mail if there are several forms and none of them is text.
        """
        if self.form == TEXT:
            return page
        html = self.pages.render("mail.html", blocks=blocks(page, self._inlays), subject=subject, closing=self._closing)
        plain = (Part("text/plain", self._inlays.text(page)),) if self.form == BOTH or board else ()
        machine = (Part(BOARD_KIND, board),) if board else ()
        forms = (*plain, *machine, Part("text/html", to_ascii(html)))
        root = Parts("alternative", forms) if len(forms) > 1 else forms[0]
        return Parts("related", (root, *self._pictures)) if self._pictures else root
