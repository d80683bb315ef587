"""The templates, compiled once, what they may call, and a page in the forms that its reader has chosen.

The forms are text, HTML with a picture and links, and a part for programs. In multipart/alternative a mail program
shows the last form it knows, so the part for programs comes before HTML, and nobody sees it as an attachment. The
pictures are outside the alternatives, as in mails from Gmail, so chat programs, which show the text, have them, too.
"""

from __future__ import annotations

import hashlib
import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, select_autoescape
from markupsafe import Markup, escape

from games import GAMES, OURS, AnyGame
from games.rules import KINDS, joined
from pbm.compose.html import Inlays, blocks, document
from pbm.compose.html_board import HtmlBoard
from pbm.compose.views import View, moment, plain, until, wrapped
from pbm.compose.wire import Links, Part, Parts
from pbm.domain.configuration import HouseRules
from pbm.domain.events import Event
from pbm.domain.match import State
from pbm.domain.settings import CHOICES
from pbm.domain.spans import in_words
from pbm.draw import WORDS
from pbm.draw.colours import Picture
from pbm.mailin.message import SENTINEL
from pbm.resources import folder
from pbm.values import frozen

_FOLDED = re.compile(r"(.{1,100}|\S+)(?: +|$)")
"""Splits text into lines of at most 100 characters; a longer word stays whole."""


@cache  # compiling all pages takes half a second
def _environment() -> Environment:
    # Games from other packages have their pages in `templates` next to the module.
    beside = {Path(inspect.getfile(type(GAMES[name]))).with_name("templates") for name in GAMES.keys() - OURS}
    environment = Environment(
        loader=FileSystemLoader([folder("templates"), *sorted(beside)]),
        autoescape=select_autoescape(("html",), default=False, default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {"wrapped": wrapped, "lines": _lines, "joined": joined}
    environment.filters |= {"moment": moment, "until": until, "duration": in_words}
    environment.globals |= {
        "games": GAMES,
        "kinds": KINDS,
        "choices": CHOICES,
        "unsaid": _unsaid,
    }
    return environment


def _unsaid(event: Event) -> NoReturn:
    """Raises: LookupError, because an event without a sentence would leave an empty line."""
    raise LookupError(f"sentences.txt has nothing to say of {type(event).__name__}")


@cache
def _how_to_play(cells: bool, begun: bool, crowded: bool) -> str:
    return _environment().get_template("touch.html").render(cells=cells, begun=begun, crowded=crowded)


@cache
def _helpful() -> frozenset[str]:
    """The names of all help pages."""
    return frozenset(name for name in _environment().list_templates() if name.startswith("help/"))


def _verbs() -> dict[str, Any]:
    """What help pages tell of verbs."""
    from pbm.reading.verbs import ENTRIES, GROUPS, VERBS  # mails need none of them, and they take a while to import

    return {"verbs": VERBS, "entries": ENTRIES, "groups": GROUPS}


class Pages:
    """Renders every text that people read. HTML pages escape all their variables."""

    def render(self, name: str, **words: object) -> str:
        """A page. Its variables are also available as `on`, for sentences that several pages share."""
        return _environment().get_template(name).render(words, on=SimpleNamespace(**words))

    def mail(self, name: str, **words: object) -> str:
        """The whole text of a mail, from a page of templates/mails/; answers are written above its last line."""
        text = self.render(f"mails/{name}", **words).rstrip("\n")
        return f"{text}\n\n{SENTINEL}\n"

    def broken(self) -> dict[str, str]:
        """Templates that cannot be used, and why."""
        reasons = {}
        for name in _environment().list_templates():
            try:
                _environment().get_template(name)
            except (TemplateError, OSError) as error:
                reasons[name] = str(error)
        return reasons

    def help(self, subject: str, house: HouseRules | None = None) -> str | None:
        """The help page of a command, a game or another subject; None if there is none.

        house: whose rules it tells; the usual ones if None.
        """
        game, page, verbs = GAMES.get(subject), f"help/{subject}.txt", _verbs()
        if page not in _helpful():
            page = ""
        if game:  # one without a page is described by its own data
            return self.render("game.txt", page=page, info=game.info, board=partial(_drawn, game))
        name = subject.replace("-", " ")
        usage = [self.render("verb.txt", verb=verb, **verbs) for verb in verbs["verbs"] if verb.name == name]
        return "\n".join([*usage, self.render(page, house=house or HouseRules(), **verbs)]) if page else None

    def subjects(self) -> list[str]:
        """The subjects of help pages, except games and commands."""
        pages = {name.removeprefix("help/").removesuffix(".txt") for name in _helpful()}
        return sorted(pages - {"index", *GAMES, *("-".join(verb.name.split()) for verb in _verbs()["verbs"])})


def _drawn(game: AnyGame, options: str, moves: Sequence[str] = ()) -> str:
    """The board after some moves, for a game's help page. options: as one text."""
    state = State.start(game, options.split())
    for move in moves:
        state, _ = state.play(move)
    return plain(state)


def _lines(rows: Iterable[tuple[object, ...]], form: str) -> str:
    """The rows of a table. form: a format with a place for each value."""
    return "\n".join([(form % row).rstrip() for row in rows])


TEXT, BOTH = "text", "both"
BOARD_KIND = "application/vnd.pbm.board+json"
MAX_MAIL = 60_000
"""The most octets of a mail with boards, apart from people's long words."""
APART, NAMED, BESIDES = 5800, 35, 2400
"""Octets for headers and for sentences in two forms; how often they name our domain at most; and octets for the
sentences of each further board."""
BESIDES_PICTURE = 6000
"""Octets that a picture leaves for the rest of its board in HTML."""
TOLD = "The board, which is told in words below."
ENCLOSED = 450
"""Octets of a picture besides its data and its description."""


@frozen
class Figure:
    """A drawing that HTML shows below a line of text."""

    line: str
    picture: Picture
    described: str
    """The picture in words."""
    name: str = "ratings.png"
    """The name of its file."""


class Sheet:
    """One page for one reader."""

    def __init__(self, form: str, domain: str, *, pictured: bool = True, boards: int = 1) -> None:
        """domain: for the pictures' ids. pictured: whether boards have pictures. boards: how many share the room."""
        self.form, self.domain, self.pictured, self.boards = form, domain, pictured, boards
        self.drawn = False
        """Whether a board is on it."""
        self.linked: Collection[str] = ()
        """The moves that are links on its last board."""
        self.room = MAX_MAIL - APART - NAMED * len(domain) - BESIDES * (boards - 1)
        """Octets left for boards."""
        self._left = boards
        """How many boards are still to come."""
        self._inlays = Inlays()
        self._pictures: list[Part] = []
        self._closing: list[str] = []

    def link(self, text: str, url: str) -> str:
        """Text for the page, which is a link in HTML."""
        return text if self.form == TEXT else self._inlays.link(text, url)

    def board(
        self, view: View, style: str, links: Links | None = None, besides: Callable[[], int] = int,
        further: int | None = None,
    ) -> str:  # fmt: skip
        """The drawing for the page, ending with a line break. links: for a reader who may move now.

        besides: returns the octets that the board takes elsewhere in the mail. further: octets to leave for the boards
        still to come; None for equal shares.
        """
        text = view.text(style)
        if self.form == TEXT:
            return text + "\n"
        self.drawn = True
        share = self.room // max(1, self._left) if further is None else self.room - further
        shown, picture = self._shown(view, style, links, share - len(text) - besides())
        self.room -= share - shown.room
        self._left -= 1
        # Below everything else: the cells show the same board, and can be touched.
        if picture and shown.cells and len(shown.tables) == 1:
            self._closing.append(picture)
            picture = ""
        self.linked = shown.linked
        how_to_play = _how_to_play(bool(shown.cells), shown.begun, shown.crowded) if shown.linked else ""
        return self._inlays.add(text, shown.html(picture, how_to_play)) + "\n"

    def drawings(self, views: Sequence[View], style: str) -> list[str]:
        """The drawings of boards without links. As many as possible have pictures: the simplest come first, as in
        equal shares there would be room for fewer.
        """
        sizes = [2 * len(view.text(style)) for view in views]
        further, drawn = sum(sizes), [""] * len(views)
        for at in sorted(range(len(views)), key=sizes.__getitem__):
            further -= sizes[at]
            drawn[at] = self.board(views[at], style, further=None if views[at].tables else further)
        return drawn

    def ruled(self, text: str) -> str:
        """The text, in HTML below a rule."""
        return text if self.form == TEXT else self._inlays.add(text, "\n".join(["<hr>", *blocks(text, self._inlays)]))

    def only_text(self, text: str) -> str:
        """A line of the plain text, for which there is nothing in HTML."""
        return text if self.form == TEXT else self._inlays.add(text, "")

    def illustrated(self, text: str, figure: Figure | None) -> str:
        """The text with the figure below its line; in plain text there is only the line."""
        if self.form == TEXT or figure is None:
            return text
        picture = Markup(self._enclosed(figure.picture, figure.described, figure.name))  # noqa: S704  escaped
        html = _environment().get_template("figure.html").render(figure=figure, picture=picture)
        return text.replace(figure.line, self._inlays.add(figure.line, html), 1)

    def _shown(self, view: View, style: str, links: Links | None, room: int) -> tuple[HtmlBoard, str]:
        """The board within the room, and its picture, if it has a useful one with room for it."""
        board, taken, chosen = HtmlBoard(view, style, links), 0, None
        # Among several boards, those with cells have no picture.
        if self.boards == 1 or len(view.tables) != 1:
            most = max(room * 3 // 4, room - BESIDES_PICTURE)
            # The largest that takes no room from cells or links.
            for taken, chosen in self._fitting(board, most):  # noqa: B007  as of the last one
                if board.fits(room - taken):
                    break
        board.complete(room - taken, pictured=chosen is not None)
        # A board without cells is best seen in its picture, whatever room that takes.
        if chosen is None and not board.cells:
            cost, chosen = next(self._fitting(board, board.room), (0, None))
            board.room -= cost
        return board, self._enclosed(*chosen) if chosen else ""

    def _fitting(self, board: HtmlBoard, room: int) -> Iterator[tuple[int, tuple[Picture, str]]]:
        """Pictures that fit, the largest first, with the octets they take, and their descriptions."""
        for drawing, described in board.view.pictures() if self.pictured else ():
            shown_as = TOLD if board.style == WORDS else described
            # As base64 in lines of 76 letters.
            taken = len(drawing.data) * 37 // 27 + len(shown_as) + ENCLOSED
            if taken <= room:
                yield taken, (drawing, shown_as)

    def _enclosed(self, picture: Picture, described: str, name: str = "board.png") -> str:
        """The HTML for a picture, which is added to the mail."""
        folded = "\n".join(_FOLDED.findall(described))  # into lines short enough for a mail
        cid = f"{hashlib.sha256(picture.data).hexdigest()[:20]}@{self.domain}"
        headers = {"Content-ID": f"<{cid}>", "Content-Disposition": f'inline; filename="{name}"'}
        self._pictures.append(Part(picture.kind, picture.data, headers))
        return (
            f'<p style="margin:12px 0"><img src="cid:{escape(cid)}" width="{picture.width}" height="{picture.height}"\n'
            'style="display:block;max-width:100%;height:auto;background:#ffffff"\n'
            f'alt="{escape(folded)}"></p>\n'
        )

    def body(self, page: str, subject: str, board: str = "") -> Part | Parts:
        """The body of the mail. page: rendered with what this sheet gave it. board: the part for programs, or ""."""
        if self.form == TEXT:
            return Part("text/plain", page)
        html = document(subject, [*blocks(page, self._inlays), *self._closing])
        # Filters distrust a mail with several forms if none of them is text.
        plain = (Part("text/plain", self._inlays.text(page)),) if self.form == BOTH or board else ()
        machine = (Part(BOARD_KIND, board),) if board else ()
        # As ASCII it is sent as it is; most of a page in another script would double in size.
        if not html.isascii() and 2 * len(numbered := to_ascii(html)) < 3 * len(html.encode()):
            html = numbered
        forms = (*plain, *machine, Part("text/html", html))
        root = Parts("alternative", forms) if len(forms) > 1 else forms[0]
        return Parts("related", (root, *self._pictures)) if self._pictures else root


def to_ascii(html: str) -> str:
    """HTML that needs no encoding, with character references for all but ASCII."""
    return html.encode("ascii", "xmlcharrefreplace").decode("ascii")
