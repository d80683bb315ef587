"""`pbm player export`, `pbm player import` and the mark of bots."""

from __future__ import annotations

import errno
import gzip
import json
import os
import sqlite3
import stat
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from pbm.server import Service
from pbm.store import Store
from tests.cli.conftest import Pbm
from tests.terminal import terminal


def test_a_player_goes_out_and_comes_back(game: Pbm, tmp_path: Path) -> None:
    game("board", "move", "101", "alice", "D4")
    file, again = tmp_path / "alice.json", tmp_path / "again.json"
    assert "alice is written to" in game("player", "export", "alice", str(file)).stdout
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    fresh = ("--database", f"sqlite:///{tmp_path / 'fresh.db'}")
    game("db", "create", *fresh)
    assert game("player", "import", "--trust", str(file), *fresh).stdout == "alice is here, with 1 game.\n"
    game("player", "export", "alice", str(again), *fresh)
    assert json.loads(again.read_bytes()) | {"signature": ""} == json.loads(file.read_bytes()) | {"signature": ""}
    assert "bob@" not in file.read_text()
    assert game("player", "export", "alice", "-").stdout_bytes == file.read_bytes()


@pytest.mark.servers
def test_who_publishes_at_a_terminal_sees_how_far_it_is(game: Pbm, tmp_path: Path) -> None:
    game("board", "challenge", "create", "cross", "alice", "bob", "-size=3")
    for number, move in (("101", "D4"), ("102", "a1")):
        game("board", "move", number, "alice", move)
        game("board", "move", number, "bob", "swap")
        game("board", "end", number, "--result", "draw")
    assert "Publishing" not in game("board", "publish", str(tmp_path / "unseen")).output
    with terminal("board", "publish", str(tmp_path / "site")) as opened:
        assert "Publishing  [" in opened.shows("files, ")


@pytest.mark.servers
def test_who_imports_at_a_terminal_sees_how_far_it_is(game: Pbm, tmp_path: Path) -> None:
    game("board", "challenge", "create", "cross", "alice", "bob", "-size=3")
    game("player", "export", "alice", str(tmp_path / "alice.json"))
    fresh = ("--database", f"sqlite:///{tmp_path / 'fresh.db'}")
    game("db", "create", *fresh)
    with terminal("player", "import", "--trust", str(tmp_path / "alice.json"), *fresh) as opened:
        assert "Importing  [" in opened.shows("alice is here, with 2 games.")


def test_the_archive_of_a_mail_is_taken_in_as_well(game: Pbm, tmp_path: Path) -> None:
    file, packed = tmp_path / "alice.json", tmp_path / "alice.zip"
    game("player", "export", "alice", str(file))
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(file, "pbm-alice.json")
        archive.writestr("cross-101.txt", "a record")
    fresh = ("--database", f"sqlite:///{tmp_path / 'fresh.db'}")
    game("db", "create", *fresh)
    said = game("player", "import", str(packed), *fresh).stdout
    assert "has not signed the file: no ratings were taken" in said


def test_what_cannot_be_taken_in_is_said_in_a_sentence(game: Pbm, tmp_path: Path) -> None:
    file = tmp_path / "file"
    assert "No such file" in game("player", "import", str(file), code=1).stderr
    file.write_text("{}")
    assert "no export" in game("player", "import", str(file), code=1).stderr
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("x.txt", "")
    assert "holds no export" in game("player", "import", str(file), code=1).stderr
    for damage in (lambda octets: octets.replace(b"userid", b"usorid"), _locked):
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr("x.json", '{"userid": "alice"}')
        file.write_bytes(damage(file.read_bytes()))
        said = game("player", "import", str(file), code=1).stderr
        assert f"{file} cannot be unpacked: " in said
        assert "Export the player again" in said
    assert "say --force" in game("player", "export", "alice", str(file), code=1).stderr
    game("player", "export", "alice", str(file), "--force")
    assert "already" in game("player", "import", str(file), code=1).stderr
    assert "nobody" in game("player", "export", "nobody", str(file), "--force", code=1).stderr
    nowhere = str(tmp_path / "no" / "where")
    assert game("player", "export", "alice", nowhere, code=1).stderr == f"{nowhere}: No such file or directory.\n"


def test_a_disk_that_is_full_leaves_the_file_that_was_there(
    game: Pbm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    file = folder / "alice.json"
    file.write_text("an older one")

    def is_full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", is_full)
    assert (
        game("player", "export", "alice", str(file), "--force", code=1).stderr == f"{file}: No space left on device.\n"
    )
    assert file.read_text() == "an older one"
    assert list(folder.iterdir()) == [file]


def test_of_several_files_the_bad_one_is_named_and_none_is_taken_in(game: Pbm, tmp_path: Path) -> None:
    good, bad = tmp_path / "good", tmp_path / "bad"
    game("player", "export", "alice", str(good))
    bad.write_text("{}")
    assert f"{bad} is no export of a player." in game("player", "import", str(good), str(bad), code=1).stderr
    record = "pbm record 1\nGame: cross 1\nOptions: -size=4\nFirst: ann\nSecond: ben\nStarted: 2026-01-01T00:00+00:00\n"
    good.write_text(f"{record}Ended: 2026-01-02T00:00+00:00\nResult: resigned 1\n\n1 D4\n")
    bad.write_text(good.read_text().replace("D4", "Z99"))
    assert game("player", "import", str(good), str(bad), code=1).stderr.startswith(
        f"{bad}: Its move 1, Z99, cannot be played here"
    )
    assert game("player", "import", str(good)).stdout == f"The game of {good} is board 102 here.\n"


def _locked(archive: bytes) -> bytes:
    """The archive, marked as packed with a password."""
    local, central = archive.index(b"PK\3\4") + 6, archive.index(b"PK\1\2") + 8
    return b"".join(bytes([octet | (at in (local, central))]) for at, octet in enumerate(archive))


def test_the_operator_says_who_is_a_bot(game: Pbm) -> None:
    assert "bob is a bot" in game("player", "bot", "bob", "on").stdout
    assert json.loads(game("player", "export", "bob", "-").stdout)["bot"] is True
    assert "no bot" in game("player", "bot", "bob", "off").stdout
    game("player", "bot", "nobody", "on", code=1)
    game("player", "bot", "bob", "perhaps", code=2)


def test_a_copy_says_which_of_the_two_databases_is_at_fault(game: Pbm, tmp_path: Path) -> None:
    ours, theirs, foreign = (f"sqlite:///{tmp_path / name}" for name in ("pbm.db", "to.db", "foreign.db"))
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as connection:
        connection.execute("CREATE TABLE places (url TEXT)")
    for pair in ((foreign, theirs), (ours, foreign)):
        assert game("db", "copy", *pair, code=1).stderr.startswith(
            f"{foreign}: The database holds tables of some other"
        )
    assert not (tmp_path / "to.db").exists()
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'outbox'").fetchone()
    content = bytearray((tmp_path / "pbm.db").read_bytes())
    content[(page - 1) * size : page * size] = b"\xee" * size
    (tmp_path / "pbm.db").write_bytes(content)
    said = game("db", "copy", ours, theirs, code=1).stderr
    assert said.startswith("FROM cannot be read: database disk image is malformed. Nothing was copied.")
    assert game("status", code=1).stderr.endswith(
        "database disk image is malformed. Stop the server, and put the newest copy back: pbm db restore FILE\n"
    )


def test_a_copy_of_a_live_database_says_what_stays_behind(game: Pbm, tmp_path: Path) -> None:
    live = f"sqlite:///{tmp_path / 'pbm.db'}"
    assert "stays behind" not in game("db", "copy", live, f"sqlite:///{tmp_path / 'one.db'}").stderr
    service = Service(Store(live))
    service.beat()
    service.close()
    assert "A server runs over FROM" in game("db", "copy", live, f"sqlite:///{tmp_path / 'two.db'}").stderr
    assert "pbm db copy" in game("db", "log", "--database", f"sqlite:///{tmp_path / 'two.db'}").stdout


def test_a_name_that_ends_in_gz_is_packed_and_taken_in_again(game: Pbm, tmp_path: Path) -> None:
    packed, plain = tmp_path / "alice.json.gz", tmp_path / "alice.json"
    for file in (packed, plain):
        game("player", "export", "alice", str(file))
    assert json.loads(gzip.decompress(packed.read_bytes()))["userid"] == json.loads(plain.read_bytes())["userid"]
    game("player", "remove", "alice", "--yes")
    assert "alice is here" in game("player", "import", str(packed)).stdout
    packed.write_bytes(packed.read_bytes()[:40])
    assert "cannot be unpacked" in game("player", "import", str(packed), code=1).stderr
    assert "pack it after" in game("db", "backup", str(tmp_path / "copy.db.gz"), code=2).stderr
