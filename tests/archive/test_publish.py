"""The site as a folder: what is in it, what is not, and what a run touches."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from pbm.archive import FolderTaken, Published, publish
from tests.conversation import House

TITLE = "Games by mail"


def run(house: House, site: Path) -> Published:
    return publish(house.service.store, site, TITLE)


def files(site: Path) -> dict[str, bytes]:
    """What a reader may fetch."""
    found = (path for path in site.rglob("*") if path.is_file())
    return {path.relative_to(site).as_posix(): path.read_bytes() for path in found if not path.name.startswith(".")}


@pytest.fixture
def played(house: House) -> House:
    """alice has resigned two games against bob and one against Carol, who has one under way; one was declined."""
    for userid in ("alice", "bob", "Carol"):
        house.player(userid)
    for words, moves in (("cross -size=4 alice bob", ["D4", "C3"]), ("hex alice bob", ["F6", "F7"])):
        board = house.game(words, moves)
        house.answer("alice", "resign!", board)
    board = house.game("crossgeo -board=1 alice Carol", ["1", "2"])
    house.answer("alice", "resign!", board)
    house.game("cross -size=3 Carol bob", ["C3", "B2"])
    board = house.game("hex alice Carol", ["F6"])
    house.answer("Carol", "resign!", board)
    return house


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
