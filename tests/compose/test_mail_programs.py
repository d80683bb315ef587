"""What our HTML needs of mail programs, compared with what they can do by the tests of https://www.caniemail.com.

The table is taken from its data (github.com/hteumeuleu/caniemail, copyright 2019 HTeuMeuLeu, MIT License): the newest
test of each program in 2026. For what a program cannot do, we must say why the mail reads well without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta

import lxml.html
import pytest

from games import GAMES
from pbm.domain.match import State
from tests.conversation import Got, House
from tests.features.test_puzzle import MADE
from tests.test_conversations import SHOWN

PROGRAMS = (
    "Gmail", "Gmail on iOS", "Gmail on Android", "Outlook for Windows", "Outlook for Mac", "Outlook.com",
    "Outlook on iOS", "Outlook on Android", "Apple Mail", "Apple Mail on iOS",
)  # fmt: skip
CAN = {
    "margin": "aaaaaaaayy",
    "background": "yyyayyyyyy",
    "border": "yyyayyyyyy",
    "border-radius": "yyynyyyyyy",
    "color-scheme": "nnnnnnnnyy",
    "display": "yaaayyyyyy",
    "font-family": "yaayyyaayy",
    "font-size": "yyyayyyyyy",
    "height": "yyyayyyyyy",
    "line-height": "yyyayyyyyy",
    "max-width": "yyynyyyuyy",
    "opacity": "yyynyyyyyy",
    "overflow-wrap": "nnnnnnnnnn",
    "padding": "yyyayyyyyy",
    "table-layout": "yyynyyyyyy",
    "text-decoration": "yaaayyyyyy",
    "white-space": "yaanyyyyyy",
    "width": "yyyayyyyyy",
    "<body>": "aaaynannyy",
    "<div>": "yyyyyyyyyy",
    "<p>": "yyyyyyyyyy",
    "<pre>": "yyyyyyyyyy",
    "<table>": "yyyyyyyyyy",
    "<b>": "yyyyyyyyyy",
    "mailto:": "yyyyyyyyyy",
    "image/png": "yyyyyyyyyy",
}
"""For each program, in order: y can, n cannot, a in part, u unknown. <b> is called <strong> in the data."""

UNLISTED = {"color", "<html>", "<head>", "<title>", "<meta>", "<tr>", "<td>", "<a>", "<img>", "<br>", "<hr>"}
"""Elements and properties of HTML 3.2 or never seen by readers; the data has no tests of them."""

BEARABLE = {
    "margin": "None is negative or on a word, and what auto would centre stands in a cell that is centred.",
    "background": "Plain colours, which is all that Outlook takes.",
    "border": "Of a few pixels, and never on a paragraph.",
    "border-radius": "Outlook draws stones with corners.",
    "color-scheme": "It asks for light paper below a drawing, whose own colours hold in the dark, too.",
    "display": "Outlook shows a stone as a letter on its colour.",
    "font-family": "A board is in <pre>, which has a font of one width anyway.",
    "font-size": "In pixels, which all understand.",
    "height": "auto, beside the attribute that counts in Outlook.",
    "line-height": "In Outlook lines are a little higher.",
    "max-width": "Boards and pictures have their width as an attribute, and none is wider than a desktop's window.",
    "opacity": "In Outlook names of lines and hints are as dark as other words.",
    "overflow-wrap": "It is for others, on phones with Android. Most of these break long words anyway.",
    "padding": "In Outlook, which knows it in cells of tables, the link of a piece is no higher than the piece.",
    "table-layout": "In Outlook a column with wide letters is wider than the others.",
    "text-decoration": "A letter to be touched may be underlined.",
    "white-space": "As <pre>, where it stands, does without; an option may break after its hyphens; in Outlook a board "
    "is wide enough for its numbers.",
    "width": "Of a board; Outlook takes no important style in an element (!important), and the attribute counts.",
    "<body>": "Where it becomes another element, the font is the program's own.",
}


def mails(house: House) -> Iterator[Got]:
    for userid in ("alice", "bob"):
        house.player(userid, "both")
    for name in SHOWN:
        start = State.start(GAMES[name], ())
        first = next(iter(start.game.moves(start.position)), None)
        board = house.game(f"{name} alice bob", [start.game.notate(start.position, first)] if first is not None else [])
        for userid in ("alice", "bob"):
            yield house.answer(userid, "show", board)[-1]
    yield from house.send("alice", "test-display alice alicepass")
    yield from house.send("alice", "standings alice alicepass")
    for asked in ("list", "help tutorial", "help cross", "history cross bob", "calendar", "settings"):
        yield from house.send("alice", f"{asked} alice alicepass")
    for said in ("Z99", "preview F1", "chat\nWell played!", "propose draw", "resign"):
        yield from house.answer("alice", said, 101)
    house.thoughts = lambda _: [MADE] * 4
    house.send("alice", "puzzle crossgeo alice alicepass")
    ended = house.game("cross -size=3 alice bob", ("C3", "swap", "A1", "B2"))
    yield from house.send("alice", f"cross resign {ended} alice alicepass")
    yield from house.send("bob", f"review {ended} bob bobpass")
    got = house.think()
    assert len(got) == 4, "a puzzle, a film for each, a review"
    yield from got
    house.send("bob", "set digest 08:00 bob bobpass")
    yield from house.wait(timedelta(days=1))


def styles(element: lxml.html.HtmlElement) -> dict[str, str]:
    pairs = (part.partition(":") for part in element.get("style", "").split(";") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def test_every_mail_program_can_show_what_we_write_or_does_well_without(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in GAMES.keys() - set(SHOWN):
        monkeypatch.delitem(GAMES, name)
    pages = [got.part("text/html") for got in mails(house) if "text/html" in got.forms]
    assert len(pages) > len(SHOWN)
    trees = [lxml.html.document_fromstring(page) for page in pages]
    elements = [each for tree in trees for each in tree.iter() if isinstance(each.tag, str)]
    check_names(elements)
    for element in elements:
        check_use(element)


def check_names(elements: Sequence[lxml.html.HtmlElement]) -> None:
    used = {f"<{element.tag}>" for element in elements} | {name for each in elements for name in styles(each)}
    used |= {"mailto:", "image/png"}
    assert used - UNLISTED - CAN.keys() == set(), "nobody has looked whether mail programs can show that"
    assert all(len(answers) == len(PROGRAMS) for answers in CAN.values())
    lacking = {name for name in used & CAN.keys() if set(CAN[name]) != {"y"}}
    assert lacking - BEARABLE.keys() == set()
    assert BEARABLE.keys() - used == set(), "reasons that nothing needs"


ALLOWED = {
    "margin": (r"(?:(?:auto|\d+(?:px)?) ?)+", {"span"}),
    "background": (r"#[0-9a-f]{3,6}", set()),
    "border": (r"[1-8]px .*", {"p", "div"}),
    "padding": (r".*", {"p", "div", "b", "span", "img"}),
    "display": (r"block", set()),
    "font-size": (r"\d+px", set()),
    "width": (r"100% !important", {"body", "span", "div", "p", "img"}),
    "text-decoration": (r"none", set()),
}
"""Partial support, from footnotes of the data: the values that work, and the elements where none does."""


def check_use(element: lxml.html.HtmlElement) -> None:
    told = f"{element.tag} {element.get('style')}"
    for name, value in styles(element).items():
        values, elsewhere = ALLOWED.get(name, (r".*", set()))
        assert re.fullmatch(values, value), f"{name} in {told}"
        assert element.tag not in elsewhere, f"{name} in {told}"
    if element.tag == "img":
        assert all(element.get(name) for name in ("width", "height", "alt")), told
