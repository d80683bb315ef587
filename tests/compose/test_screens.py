"""Boards in a browser as wide as the narrowest phones; a board that fits there fits everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.screenshots import page as html_of
from bench.screenshots import played, sizes
from games import GAMES

pytestmark = pytest.mark.browser

WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
HIGH = """() => [...document.querySelectorAll('table[style*="max-width"] :is(a, b)')]
    .filter(each => each.textContent.length < 4 && each.getBoundingClientRect().height > 46)
    .map(each => each.textContent)"""


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
