"""Boards in a browser as wide as the narrowest phones; a board that fits there fits everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bench.screenshots import board_mail, played, sizes
from bench.screenshots import page as html_of
from games import GAMES
from pbm.compose.html import NARROWEST, Inlays, aligned, blocks, document
from pbm.compose.pages import Pages
from tests.compose.test_layout import IN_COLUMNS

pytestmark = pytest.mark.browser

WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
FLAT = """() => [...document.querySelectorAll('table[style*="nowrap"] td:has(> a)')]
    .filter(each => each.offsetHeight > each.firstChild.offsetHeight + 2).map(each => each.textContent)"""
HIGH = """() => [...document.querySelectorAll('table[style*="max-width"] :is(a, b)')]
    .filter(each => each.textContent.length < 4 && each.getBoundingClientRect().height > 46)
    .map(each => each.textContent)"""

WIDTHS = """() => [...document.querySelectorAll('table[style*="nowrap"] a')]
    .map(each => each.parentNode.getBoundingClientRect())
    .map(each => each.width)"""

LARGE = """chosen => {
    const all = [...document.querySelectorAll(chosen)]
    const sizes = all.map(each => getComputedStyle(each).fontSize)
    all.forEach((each, at) => { each.style.fontSize = `${2 * parseFloat(sizes[at])}px` })
}"""
"""Makes the letters of the chosen elements twice as large, as a phone's setting does."""

BOARD, LISTED = 'table[style*="nowrap"]', 'table[style*="max-width"]:not([style*="nowrap"])'
HIDDEN = f"""() => [...document.querySelectorAll('{LISTED} :is(td, a)')]
    .filter(each => each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"""

LINES = "() => [...document.querySelectorAll('p a')].map(each => each.getBoundingClientRect().top)"


@pytest.fixture(params=[320, 360, 390])
def phone(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": request.param, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", GAMES)
def test_no_board_is_wider_than_a_phone(name: str, phone: Any, tmp_path: Path) -> None:
    for words in sizes(name):
        path = tmp_path / "board.html"
        html = html_of(played(name, words))
        path.write_text(html)
        phone.goto(path.as_uri())
        assert phone.evaluate(WIDE) <= 1, words
        assert phone.evaluate(HIGH) == [], "a place is no higher for being narrow"
        assert phone.evaluate(FLAT) == [], "a link is as high as its cell, also with a piece on it"
        if (widths := phone.evaluate(WIDTHS)) and html.count("nowrap") == 1 and name != "dots":
            assert min(widths) >= 24, "pieces take no room from free cells"
            assert max(widths) - min(widths) < 2, words
        phone.evaluate(LARGE, f"{BOARD} *")
        assert phone.evaluate(WIDE) <= 20, "a row's number reaches over the edge, but no more"
        phone.evaluate(LARGE, f"{LISTED} *")
        assert phone.evaluate(HIDDEN) == [], "listed moves do not lie on each other"


def test_long_words_and_lists_of_terms_fit_a_phone(phone: Any, tmp_path: Path) -> None:
    pages = Pages()
    told = map(pages.help, ("challenge", "clock", "options", "start", "tournament", "tournament-create"))
    for page in [*filter(None, told), f"bob writes:\n\n  https://example.org/{'a' * 120}"]:
        path = tmp_path / "mail.html"
        path.write_text(document("a mail", blocks(page, Inlays())))
        phone.goto(path.as_uri())
        assert phone.evaluate(WIDE) <= 0
        phone.evaluate(LARGE, "body, body *")
        assert phone.evaluate(WIDE) <= 0


@pytest.mark.parametrize("block", IN_COLUMNS)
def test_tables_with_the_longest_names_fit_a_phone(block: str, phone: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.html"
    path.write_text(document("a mail", blocks(block, Inlays())))
    phone.goto(path.as_uri())
    assert phone.evaluate(WIDE) <= 0


def test_lines_of_equal_letters_are_whole_on_a_phone(phone: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.html"
    path.write_text(
        document("a mail", (aligned(("x " * columns)[:columns], columns) for columns in range(1, NARROWEST + 1)))
    )
    phone.goto(path.as_uri())
    heights = phone.evaluate("() => [...document.querySelectorAll('pre')].map(each => each.offsetHeight)")
    assert max(heights) < 2 * min(heights)


def test_a_finger_hits_one_link_of_those_below_each_other(phone: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.html"
    path.write_text(board_mail(tmp_path))
    phone.goto(path.as_uri())
    tops = phone.evaluate(LINES)
    assert len(tops) > 1
    assert all(below - above >= 24 for above, below in pairwise(tops))
