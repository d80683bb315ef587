"""The site as a folder: what is in it, what is not, and what a run changes."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
from sqlalchemy import update

from pbm.archive import press
from pbm.archive.press import Published, publish
from pbm.archive.site import FolderTaken
from pbm.store.tables import plies
from tests.archive.links import broken_links
from tests.conversation import House

TITLE = "Games by mail"


class Killed(BaseException):
    """Takes the place of a killed process."""


def run(house: House, site: Path) -> Published:
    return publish(house.service.store, site, TITLE, "example.org")


def files(site: Path) -> dict[str, bytes]:
    """All files that a reader may fetch."""
    found = {path.relative_to(site): path for path in site.rglob("*") if path.is_file()}
    return {name.as_posix(): path.read_bytes() for name, path in found.items() if not name.parts[0].startswith(".")}


def test_finished_games_and_their_players_are_published(played: House, tmp_path: Path) -> None:
    done = run(played, tmp_path / "site")
    found = files(tmp_path / "site")
    assert {name for name in found if name.startswith("board/")} == {f"board/{n}.html" for n in (101, 102, 103)}
    assert {"index.html", "style.css", "players.html", "player/carol.html", "game/hex.html"} <= set(found)
    assert done == Published(len(found), len(found), 0, ())
    page = found["board/101.html"].decode()
    assert ">2 C3</a>" in page
    assert "bob won" in page
    assert b"@example" not in b"".join(found.values()), "no address of anybody"


def test_a_rating_is_plotted_once_there_are_two_of_them(played: House, tmp_path: Path) -> None:
    played.answer("alice", "resign!", played.game("hex alice bob", ["F6", "F7"]))
    run(played, tmp_path / "site")
    page = files(tmp_path / "site")["player/alice.html"].decode()
    careers = dict(re.findall(r"<h2>(\w+)</h2>(.*)</li>", page))
    assert {game: "<svg" in shown for game, shown in careers.items()} == {
        "Cross": False,
        "CrossGeo": False,
        "Hex": True,
    }


def test_a_second_run_writes_nothing_and_two_runs_agree(played: House, tmp_path: Path) -> None:
    run(played, tmp_path / "site")
    run(played, tmp_path / "other")
    assert files(tmp_path / "site") == files(tmp_path / "other")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*.*")}
    assert run(played, tmp_path / "site").written == 0
    assert times.items() >= {(path, path.stat().st_mtime_ns) for path in (tmp_path / "site").rglob("*.html")}


def test_a_run_writes_only_what_has_changed(played: House, tmp_path: Path) -> None:
    run(played, tmp_path / "site")
    before = files(tmp_path / "site")
    played.answer("Carol", "resign!", 104)
    run(played, tmp_path / "site")
    after = files(tmp_path / "site")
    assert {name for name in before if before[name] == after[name]} >= {"board/101.html", "player/alice.html"}
    assert "board/104.html" in after


@pytest.mark.parametrize("way", ["archive", "erase"])
def test_who_is_not_public_is_named_nowhere(played: House, tmp_path: Path, way: str) -> None:
    site = tmp_path / "site"
    run(played, site)
    if way == "archive":
        played.send("Carol", "set Carol Carolpass archive off")
    else:
        played.send("Carol", "erase me Carol Carolpass")
        played.wait(timedelta(days=8))
    done = run(played, site)
    found = files(site)
    assert done.removed
    assert not any(b"carol" in content.lower() or b"erased" in content for content in found.values())
    assert "board/103.html" not in found
    assert "player/alice.html" in found


def test_a_folder_of_somebody_else_is_left_alone(played: House, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(FolderTaken, match="not of this site"):
        run(played, tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".txt"] == ["mine.txt"]


def test_a_killed_run_leaves_whole_pages_and_good_links(
    played: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever step of replacing the old pages is the last; the next run does the rest."""
    site, whole = tmp_path / "site", tmp_path / "whole"
    run(played, site)
    old = files(site)
    played.send("Carol", "set Carol Carolpass archive off")
    board = played.game("hex -size=3 alice bob", ["C1", "B2"])
    played.answer("alice", "resign!", board)
    run(played, whole)
    new, replace, steps, left = files(whole), Path.replace, 0, 0

    def replace_until(source: Path, target: Path) -> Path:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return replace(source, target)

    monkeypatch.setattr(Path, "replace", replace_until)
    while files(site) != new:
        steps += 1
        left = steps
        with suppress(Killed):
            run(played, site)
        found = files(site)
        assert all(found[name] in (old.get(name), new.get(name)) for name in found)
        assert not broken_links(site)
    assert steps > 3, "each run goes one step further than the one before"


def test_a_run_killed_while_it_makes_pages_leaves_the_old_site(
    played: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = tmp_path / "site"
    run(played, site)
    before = files(site)
    played.send("Carol", "set Carol Carolpass archive off")
    with monkeypatch.context() as patched:
        patched.setattr("pbm.archive.site.Site.commit", Mock(side_effect=Killed))
        with pytest.raises(Killed):
            run(played, site)
    assert files(site) == before
    assert run(played, site).written


def test_a_record_that_cannot_be_replayed_is_left_out(played: House, tmp_path: Path) -> None:
    with played.service.store.write() as tx:
        tx._connection.execute(update(plies).where(plies.c.board == 101, plies.c.ply == 2).values(notation="Z99"))
    assert run(played, tmp_path / "site").skipped == (101,)
    assert b"board/101.html" not in b"".join(files(tmp_path / "site").values())
    assert not broken_links(tmp_path / "site")


def test_no_userid_passes_for_another_page_or_kind_of_file(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(press, "LATEST", 1)
    house.players("bob", "bob.html", "bob.atom")
    for other in ("bob.html", "bob.atom") * 2:
        house.answer("bob", "resign!", house.game(f"hex bob {other}", ["F6", "F7"]))
    run(house, tmp_path / "site")
    found = files(tmp_path / "site")
    assert {"player/bob.html", "player/bob/1.html", "player/bob~html.html", "player/bob~html/1.html"} <= found.keys()
    assert not [name for name in found if name.count(".") != 1]
    assert not broken_links(tmp_path / "site")
