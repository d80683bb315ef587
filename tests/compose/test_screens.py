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

pytestmark = pytest.mark.browser

WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
HIGH = """() => [...document.querySelectorAll('table[style*="max-width"] :is(a, b)')]
    .filter(each => each.textContent.length < 4 && each.getBoundingClientRect().height > 46)
    .map(each => each.textContent)"""

LINES = "() => [...document.querySelectorAll('p a')].map(each => each.getBoundingClientRect().top)"


@pytest.fixture(params=[328, 360, 390])
def phone(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": request.param, "height": 800})
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", GAMES)
def test_no_board_is_wider_than_a_phone(name: str, phone: Any, tmp_path: Path) -> None:
    for words in sizes(name):
        path = tmp_path / "board.html"
        path.write_text(html_of(played(name, words)))
        phone.goto(path.as_uri())
        assert phone.evaluate(WIDE) <= 0, words
        assert phone.evaluate(HIGH) == [], "a place is no higher for being narrow"


def test_a_finger_hits_one_link_of_those_below_each_other(phone: Any, tmp_path: Path) -> None:
    path = tmp_path / "mail.html"
    path.write_text(board_mail(tmp_path))
    phone.goto(path.as_uri())
    tops = phone.evaluate(LINES)
    assert len(tops) > 1
    assert all(below - above >= 24 for above, below in pairwise(tops))
