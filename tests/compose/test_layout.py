"""Lists of a page in HTML: a phone shows them well, with every word of the text."""

from __future__ import annotations

import re

import lxml.html
import pytest

import pbm.features.everything  # noqa: F401  their verbs are in help pages
from games import GAMES
from pbm.compose.html import NARROW, Inlays, blocks
from pbm.compose.pages import Pages, _helpful

ITEMS = """\
  - A robot moves within a minute or so. Where many play, you take turns: your
    second board waits for the first boards of others.
  - Games against robots are not rated."""
GLOSSARY = """\
  joe           to join, under any name you like, so that a game can begin
  help tutorial to read how it all works; "help" lists the rest
  cross challenge me bob
  play          to join, and play Cross at once, against a program, with a few
                words more"""
LONG_TERMS = """\
  cross challenge me bob --clock=3d    three days for each move
  --nagtime=DAYS                       how soon you are reminded"""
HANGING = """\
  add USERID PASSWORD [ADDRESS...]
      get your mail at one more address, or at this one; it counts once it
      has answered
  set
      see what you can choose"""
HEADED = """\
  You may play:
    G-H      an edge, by the two points between which it was drawn before
    suicide  no move here, as a stone that takes nothing needs a liberty of its own"""
NUMBERED = """\
  1. No segment, and no edge of the polygon, holds both its ends; for then
     the new segment would lie on it.
  2. A vertex must be unused: no segment touches it. Only the vertex where
     the first segment started may be reached once more."""
MOVES = """\
    robot2 (White)                           ben (Black)
  1 d1-d8/b6                               2 a7-d7/b9"""
STANDINGS = """\
Rank Rating Won Lost Active/Max Name
   1   1662   1    0      2/6   Wolfeschlegelsteinhausen
   2  1337P   0    1      0     bob"""
SEEKS = """\
Seek  Player                    Rating Timeouts Games
   1  Wolfeschlegelsteinhausen   1500P      0/0     2
      rated, three cells a side
   2  bob                        1500P      0/0     1"""
GAMES_UNDER_WAY = """\
Board  Players                  Plies  Status
  101  alice - Bartholomew          2  alice to move until 22 Jan"""
DRAWING = """\
                 E  D      G      1.A
       K      P   `. `2  4   B-'H   .`
 R     6  L---7-9--M  3. C/ I-'5   `8     .
10     J    11-.+    `F  V._         N    .-- --12
 Q--14----W      O`-S       13`-U"""


BROKEN_OFF = re.compile(r".{55}[a-z,]<br>\n[a-z]+")


def shown(block: str) -> lxml.html.HtmlElement:
    return lxml.html.fromstring(f"<div>{''.join(blocks(block, Inlays()))}</div>")


IN_COLUMNS = [MOVES, STANDINGS, SEEKS, GAMES_UNDER_WAY]


@pytest.mark.parametrize("block", [ITEMS, GLOSSARY, HANGING, HEADED, NUMBERED, *IN_COLUMNS])
def test_no_word_is_lost(block: str) -> None:
    assert " ".join(shown(block).itertext()).split() == block.split()


def test_each_item_is_a_paragraph() -> None:
    assert [" ".join(each.text_content().split())[:25] for each in shown(ITEMS).findall("p")] == [
        "- A robot moves within a ",
        "- Games against robots ar",
    ]


def test_each_number_begins_a_paragraph_and_stands_out() -> None:
    numbered = shown(NUMBERED).findall("p")
    assert [each.text_content().split()[0] for each in numbered] == ["1.", "2."]
    assert all("text-indent:-10px" in each.get("style", "") for each in numbered)


def test_a_heading_stands_above_its_table() -> None:
    assert [each.tag for each in shown(HEADED)] == ["p", "table"]


def test_a_short_term_is_not_divided_at_its_hyphen() -> None:
    edge, other = shown(HEADED).xpath(".//td[1]")
    assert (edge.get("style"), other.get("style")) == ("white-space:nowrap", None)


def test_each_option_explained_begins_a_line() -> None:
    told = "  -version: colours of the edges, g or rb or rgb; g if you leave it out.\n  -board: the graph."
    (paragraph,) = shown(told).findall("p")
    assert len(paragraph.findall("br")) == 1


@pytest.mark.parametrize("subject", sorted({*GAMES, *(page[5:-4] for page in _helpful())}))
def test_help_fits_a_phone(subject: str) -> None:
    """Columns and drawings of letters fit in a line; no line breaks within a sentence."""
    page = Pages().help(subject) or ""
    columns = [max(map(len, pre.text_content().split("\n"))) for pre in shown(page).iter("pre")]
    assert max(columns, default=0) <= NARROW
    assert BROKEN_OFF.findall("\n".join(blocks(page, Inlays()))) == []


def test_words_and_their_meanings_are_columns_of_a_table() -> None:
    rows = [[cell.text_content() for cell in row.iter("td")] for row in shown(GLOSSARY).iter("tr")]
    assert rows == [
        ["joe", "to join, under any name you like, so that a game can begin"],
        ["help tutorial", 'to read how it all works; "help" lists the rest'],
        ["cross challenge me bob"],
        ["play", "to join, and play Cross at once, against a program, with a few words more"],
    ]


def test_the_meaning_of_a_long_term_is_below_it() -> None:
    told = shown(LONG_TERMS)
    assert [each.text_content() for each in told] == [
        "cross challenge me bob --clock=3d",
        "three days for each move",
        "--nagtime=DAYS",
        "how soon you are reminded",
    ]
    assert {each.tag for each in told} == {"p"}


@pytest.mark.parametrize(
    ("block", "options"),
    [
        (LONG_TERMS, ["--clock", "--nagtime"]),
        ("cross: [-size=N] [-first=SIDE], as a well-known game", ["[-size", "[-first"]),
        ('  - A seek - or a challenge - may\n    say "--clock=3d"' + " at last" * 8, ["--clock"]),
        ("  cross seek\n      says that you want to play, --rated or --unrated", ["--rated", "--unrated"]),
    ],
)
def test_no_line_break_follows_the_hyphens_of_an_option(block: str, options: list[str]) -> None:
    kept = [each.text for each in shown(block).iter("span") if each.get("style") == "white-space:nowrap"]
    assert kept == options


def test_what_is_told_of_a_line_flows_below_it() -> None:
    assert [len(paragraph.findall("br")) for paragraph in shown(HANGING).findall("p")] == [1, 1]


@pytest.mark.parametrize(
    ("block", "second"),
    [
        (MOVES, ["1 d1-d8/b6", "2 a7-d7/b9"]),
        (STANDINGS, ["1", "1662", "1", "0", "2/6", "Wolfeschlegelsteinhausen"]),
        (SEEKS, ["1", "Wolfeschlegelsteinhausen", "1500P", "0/0", "2"]),
        (GAMES_UNDER_WAY, ["101", "alice - Bartholomew", "2", "alice to move until 22 Jan"]),
    ],
)
def test_columns_wider_than_a_phone_are_those_of_a_table(block: str, second: list[str]) -> None:
    rows = shown(block).findall(".//tr")
    assert [cell.text_content() for cell in rows[1]] == second
    assert {sum(int(cell.get("colspan", 1)) for cell in row) for row in rows} == {len(second)}


def test_a_drawing_is_no_table() -> None:
    assert [each.text_content().strip("\n") for each in shown(DRAWING).iter("pre")] == [DRAWING]
    assert shown(DRAWING).xpath("count(.//td)") == 1


def test_columns_of_a_phones_width_stay_letters() -> None:
    assert shown(STANDINGS.replace("Wolfeschlegelsteinhausen", "Wolf")).find(".//pre") is not None


def test_names_are_escaped() -> None:
    assert "&lt;b&gt;" in "".join(blocks(GLOSSARY.replace("joe", "<b>"), Inlays()))
