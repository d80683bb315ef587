"""The site in a real browser: headless Chromium, as wide as a phone and as a desktop. Scripts are not allowed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pbm.archive.press import publish
from tests.conversation import House

pytestmark = pytest.mark.browser

SIZES = {"small phone": (320, 568), "phone": (390, 844), "desk": (1200, 900)}
SHOWN = """() => [...document.querySelectorAll('svg.board use, svg.board circle:is(.l, .y)')]
    .filter(each => each.getClientRects().length).map(each => each.outerHTML)"""
BROKEN = """() => [...document.querySelectorAll('time, .word, small, .moves a, tbody th a')].filter(each => {
    const range = document.createRange();
    range.selectNodeContents(each);
    return new Set([...range.getClientRects()].map(line => Math.round(line.bottom))).size > 1;
}).map(each => each.textContent)"""
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def site(cup: House, tmp_path: Path) -> Path:
    publish(cup.service.store, tmp_path / "site", "Games by mail", "example.org")
    return tmp_path / "site"


@pytest.fixture(params=SIZES)
def page(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """Any message in its console fails the test. Scripts of pages are off, but the test's own questions still work."""
    width, height = SIZES[request.param]
    context = chromium.new_context(viewport={"width": width, "height": height}, java_script_enabled=False)
    page, messages = context.new_page(), []
    page.on("console", lambda message: messages.append(message.text))
    page.on("requestfailed", lambda failed: messages.append(failed.url))
    yield page
    context.close()
    assert messages == []


def goes_to(page: Any, anchor: str) -> None:
    """Wait until a click has led to the anchor."""
    page.wait_for_url(lambda url: url.endswith(anchor), timeout=300_000)


def tabs_to(page: Any, anchor: str, key: str = "Tab") -> None:
    """Move the keyboard's focus to a link, wherever the browser started to count."""
    for _ in range(200):
        page.keyboard.press(key)
        if page.evaluate("() => document.activeElement.hash") == anchor:
            return
    pytest.fail(f"{key} never reaches {anchor}")


def test_no_page_is_wider_than_the_window(site: Path, page: Any) -> None:
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate(WIDE) <= 0, path.name


def test_no_date_option_or_move_is_broken_in_two(site: Path, page: Any) -> None:
    for path in sorted(site.rglob("*.html")):
        page.goto(path.as_uri())
        assert page.evaluate(BROKEN) == [], path.name


def test_the_first_column_of_numbers_is_seen_beside_the_names(site: Path, page: Any) -> None:
    for name in ("game/cross.html", "tournament/1.html"):
        page.goto((site / name).as_uri())
        heads = page.locator("table").first.locator("thead th")
        for column in range(3):
            box = heads.nth(column).bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= page.viewport_size["width"]


def test_a_game_is_replayed_by_clicks(site: Path, page: Any) -> None:
    page.goto((site / "board/102.html").as_uri())
    whole = page.evaluate(SHOWN)
    assert len(whole) == 3, "two stones, and a ring around the last"
    page.click("text=Start")
    goes_to(page, "#p0")
    assert page.evaluate(SHOWN) == []
    seen = []
    for step in (1, 2):
        box = page.viewport_size
        page.mouse.click(box["width"] * 0.75, box["height"] - 20)  # "Next", at the bottom
        goes_to(page, f"#p{step}")
        assert page.locator("svg.board").bounding_box()["y"] < box["height"] / 2, "the board is in sight"
        seen.append(len(page.evaluate(SHOWN)))
    assert seen == [2, 3]
    assert page.evaluate(SHOWN) == whole
    page.mouse.click(box["width"] * 0.25, box["height"] - 20)
    goes_to(page, "#p1")


def test_a_game_is_replayed_by_keys(site: Path, page: Any) -> None:
    page.goto(f"{(site / 'board/102.html').as_uri()}#p0")
    for step in (1, 2):
        tabs_to(page, f"#p{step}")
        page.keyboard.press("Enter")
        goes_to(page, f"#p{step}")
    assert len(page.evaluate(SHOWN)) == 3
    tabs_to(page, "#p1", "Shift+Tab")
    page.keyboard.press("Enter")
    goes_to(page, "#p1")
    assert len(page.evaluate(SHOWN)) == 2
