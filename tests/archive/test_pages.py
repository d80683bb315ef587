"""The pages are valid, linked, light enough, and readable in light and dark."""

from __future__ import annotations

import io
import random
import re
from datetime import datetime, timedelta
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import html5lib
import lxml.html
import pytest
from lxml import etree
from PIL import Image

from games import GAMES
from games.scene import PlaneBoard
from pbm.archive import press
from pbm.archive.press import publish
from pbm.archive.site import opened
from pbm.domain.match import Ending, Player, Ply, Result, State
from pbm.draw import plots
from pbm.draw.plots import Bar
from pbm.resources import folder
from tests.archive.links import broken_links
from tests.conversation import START, House
from tests.games.variants import EACH, largest

ATOM = "{http://www.w3.org/2005/Atom}"
MOST_OCTETS = 100_000


def published(house: House, site: Path) -> Path:
    publish(house.service.store, site, "Games & more", "example.org")
    return site


def test_pages_are_valid_and_no_link_is_broken(cup: House, tmp_path: Path) -> None:
    site = published(cup, tmp_path / "site")
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 12
    for page in pages:
        html5lib.HTMLParser(strict=True).parse(page.read_text(encoding="utf-8"))
        tree = lxml.html.parse(page)
        assert len(tree.findall(".//h1")) == len(tree.findall(".//main")) == 1, page
        ids = [each.get("id") for each in tree.iter() if isinstance(each.tag, str) and each.get("id")]
        assert len(ids) == len(set(ids)), page
        assert not tree.findall(".//script"), page
    assert broken_links(site) == []


def test_feeds_hold_what_atom_asks_for(cup: House, tmp_path: Path) -> None:
    site = published(cup, tmp_path / "site")
    found = {path.relative_to(site).as_posix() for path in site.rglob("*.atom")}
    assert {"game/cross.atom", "player/carol.atom", "tournament/1.atom"} <= found
    keys = set()
    for name in found:
        feed = etree.parse(site / name).getroot()
        assert feed.tag == f"{ATOM}feed"
        entries = feed.findall(f"{ATOM}entry")
        assert entries
        for part in (feed, *entries):
            for needed in ("id", "title", "updated"):
                assert len(part.findall(f"{ATOM}{needed}")) == 1
            assert datetime.fromisoformat(part.findtext(f"{ATOM}updated")).tzinfo
            assert part.findtext(f"{ATOM}id").startswith("tag:example.org,2026:")
        assert feed.findtext(f"{ATOM}updated") == entries[0].findtext(f"{ATOM}updated")
        assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == len(entries)
        keys.add(feed.findtext(f"{ATOM}id"))
        assert feed.findtext(f"{ATOM}author/{ATOM}name") == "Games & more"
    assert len(keys) == len(found)


def test_a_crosstable_shows_who_beat_whom(cup: House, tmp_path: Path) -> None:
    cup.send("Carol", "set Carol Carolpass archive off")
    site = published(cup, tmp_path / "site")
    table = lxml.html.parse(site / "tournament/1.html").find(".//table")
    rows = [[cell.text_content().strip() for cell in row] for row in table.findall(".//tr")]
    assert rows[0][:3] == ["Rank", "Player", "Points"]
    names = {row[1] for row in rows[1:]}
    assert "(not shown)" in names
    assert "Carol" not in names
    assert sorted(cell for row in rows[1:] for cell in row[3:] if cell) == ["0", "1"]


def test_standings_and_plots_tell_ratings(played: House, tmp_path: Path) -> None:
    site = published(played, tmp_path / "site")
    page = lxml.html.parse(site / "game/hex.html")
    rows = [[cell.text_content() for cell in row] for row in page.findall(".//tbody/tr")]
    assert [row[1] for row in rows] == ["bob", "alice"]
    assert int(rows[0][2]) > 1500 > int(rows[1][2])
    assert [each.get("aria-label") for each in page.findall(".//svg")] == [
        "Ratings of Hex, the best first, each with two deviations to either side"
    ]
    assert "0 won" not in (site / "player/alice.html").read_text()
    assert "1 lost; rating" in (site / "player/alice.html").read_text()


@pytest.mark.parametrize("reach", [10, 200, 500, 900, 2000])
def test_the_numbers_of_a_scale_stand_apart(reach: int) -> None:
    drawn = plots.standings([Bar("alice", 1500, reach, sure=True), Bar("bob", 1380, 90, sure=False)], "ratings")
    places = [float(x) for x in re.findall(r'<text x="([0-9.]+)" y="16"', drawn)]
    assert 2 <= len(places) <= 5
    assert min(right - left for left, right in pairwise(places)) >= 36


def test_a_picture_of_ratings_has_room_for_its_scale_and_the_longest_names() -> None:
    bars = (Bar("m" * 20, 1700, 180, sure=True), Bar("bob", 1500, 200, sure=False))
    picture = Image.open(io.BytesIO(plots.ratings(bars).data)).convert("L")
    margins = picture.crop((0, 0, 5, picture.height)), picture.crop((picture.width - 5, 0, *picture.size))
    assert all(each.getextrema() == (255, 255) for each in margins), "nothing is cut off"
    row = picture.crop((0, picture.height - 20, picture.width, picture.height - 19)).tobytes()
    assert max(x for x, shade in enumerate(row) if shade < 255) == 430, "the last line of the scale"


MOST_PLIES = {True: 25, False: 60}
"""Plies on a board in the plane, which take long to draw, and on other boards."""


@pytest.mark.parametrize("game", EACH)
def test_pages_of_the_longest_games_are_light(house: House, tmp_path: Path, game: str) -> None:
    """On the largest board; if a game needs several pages, each leads to the others."""
    house.players("alice", "bob")
    words = largest(GAMES[game])
    state = State.start(GAMES[game], words)
    in_plane = isinstance(state.game.scene(state.position, None).board, PlaneBoard)
    plies = long_game(house, game, words, MOST_PLIES[in_plane])
    site = published(house, tmp_path / "site")
    pages = sorted((site / "board").iterdir())
    assert max(path.stat().st_size for path in site.rglob("*.*")) < MOST_OCTETS
    assert broken_links(site) == []
    steps = {each.get("id") for page in pages for each in lxml.html.parse(page).findall(".//nav[@class='moves']/a")}
    assert steps == {f"p{ply}" for ply in range(plies + 1)}


def test_many_players_and_tournaments_take_several_pages(
    cup: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(press, "NAMES", 2)
    site = published(cup, tmp_path / "site")
    named = [
        {each.text_content() for each in lxml.html.parse(site / page).findall(".//main/ul/li/a")}
        for page in ("players.html", "players/2.html")
    ]
    assert named == [{"alice", "bob"}, {"Carol"}]
    assert broken_links(site) == []
    monkeypatch.setattr(press, "NAMES", 300)
    published(cup, site)
    assert not (site / "players").exists()


def test_a_page_of_names_is_light(tmp_path: Path) -> None:
    players = [(Player(key, f"a-very-long-userid{key:03}"[-20:]), range(10_000)) for key in range(press.NAMES * 40)]
    with opened(tmp_path / "site") as site:
        printer = press.Press(Any, site, Any, "Games & more", "example.org")  # type: ignore[arg-type]
        printer._print_names("players", players)
        site.commit()
    pages = [path.stat().st_size for path in (tmp_path / "site").rglob("*.html")]
    assert len(pages) == 40
    assert max(pages) < MOST_OCTETS


@pytest.mark.parametrize("count", [1, 2, 7, 40, 10_000])
def test_every_page_can_be_reached_from_every_other(count: int) -> None:
    for number in {0, 1, count // 2, count}:
        linked = press.nearby(number, count)
        assert {1, count} <= set(linked) <= set(range(1, count + 1))
        assert len(linked) <= 2 * press.NEAR + 3
        assert number + 1 in linked or number == count


def long_game(house, name, words, most):
    """A random game that ends in a draw by agreement; returns the number of its plies."""
    game, rng = GAMES[name], random.Random(5)
    state, now = State.start(game, words), START
    with house.service.store.write() as tx:
        seats: Any = (tx.players.find("alice"), tx.players.find("bob"))
        match = tx.matches.add(name, 1, tuple(words), "", seats, 1, now)
        while state.outcome is None and state.plies < most:
            move = rng.choice(list(islice(game.moves(state.position), 400)))
            seat, now = state.to_move, now + timedelta(minutes=1)
            state, notation = state.play(game.notate(state.position, move))
            loaded: Any = tx.matches.load(match.board)
            tx.matches.add_ply(loaded, Ply(notation, seat, now), 1, None)
        tx.matches.end(match.board, Result(Ending.AGREED, None, "by agreement"), now, None)
    return state.plies


PAIRS = [
    ("ink", "page", 7),
    ("soft", "page", 4.5),
    ("link", "page", 4.5),
    ("on-here", "here", 7),
    ("link", "bar", 4.5),
]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("front", "back", "least"), PAIRS, ids=[f"{front} on {back}" for front, back, _ in PAIRS])
def test_colours_can_be_told_apart(scheme: str, front: str, back: str, least: float) -> None:
    """By the contrast that WCAG 2.2 computes and demands."""
    light, dark = re.findall(r":root \{(.*?)\}", (folder("templates") / "site/style.css").read_text())
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", light if scheme == "light" else dark))
    brighter, darker = sorted((luminance(colours[front]), luminance(colours[back])), reverse=True)
    assert (brighter + 0.05) / (darker + 0.05) >= least


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(share * part for share, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
