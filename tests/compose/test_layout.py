"""Lists of a page in HTML: a phone shows them well, with every word of the text."""

from __future__ import annotations

import lxml.html
import pytest

from pbm.compose.html import Inlays, blocks

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
      has answered"""
MOVES = """\
    robot2 (White)                           ben (Black)
  1 d1-d8/b6                               2 a7-d7/b9"""


def shown(block: str) -> lxml.html.HtmlElement:
    return lxml.html.fromstring(f"<div>{''.join(blocks(block, Inlays()))}</div>")


@pytest.mark.parametrize("block", [ITEMS, GLOSSARY, HANGING, MOVES])
def test_no_word_is_lost(block: str) -> None:
    assert " ".join(shown(block).itertext()).split() == block.split()


def test_each_item_is_a_paragraph() -> None:
    assert [" ".join(each.text_content().split())[:25] for each in shown(ITEMS).findall("p")] == [
        "- A robot moves within a ",
        "- Games against robots ar",
    ]


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
    (paragraph,) = shown(HANGING).findall("p")
    assert len(paragraph.findall("br")) == 1


def test_moves_stay_in_columns_of_letters() -> None:
    assert shown(MOVES).find(".//pre") is not None


def test_names_are_escaped() -> None:
    assert "&lt;b&gt;" in "".join(blocks(GLOSSARY.replace("joe", "<b>"), Inlays()))
