"""Commands killed at every step: what was there is still there, and the next run ends well or says what to do."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path

import pytest

from pbm.server import Service, Settings
from pbm.store import Store
from pbm.store.tables import metadata
from tests.archive.links import broken_links
from tests.crash.harness import PATIENCE, ROBOT, STARTED, Nursery, is_alive
from tests.crash.points import KILLED

pytestmark = pytest.mark.crash


class Shell:
    """Runs `pbm` in processes that can be killed, on a database that can be laid anew."""

    def __init__(self, nursery: Nursery, template: Path, folder: Path) -> None:
        self._nursery, self._out = nursery, folder / "out.txt"
        self._configuration = folder / "pbm.toml"
        self.folder = folder / "place"
        self.database = self.folder / "pbm.db"
        self.template = template
        self.lay()
        self._configuration.write_text(f'database = "sqlite:///{self.database}"\n[server]\ndomain = "example.org"\n')

    def lay(self) -> None:
        """Lay a copy of the template, as the only file of the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        shutil.copyfile(self.template, self.database)

    def __call__(self, *words: object, step: int = 0, given: Path = Path(os.devnull)) -> str:
        """What the command said. step: at which it is killed, or 0. given: its standard input."""
        self._out.write_text("")
        arguments = ["--config", str(self._configuration), *map(str, words)]
        process, end = (
            self._nursery.fork(arguments, self._out, step=step, input=str(given)),
            time.monotonic() + PATIENCE,
        )
        while is_alive(process) and time.monotonic() < end:
            time.sleep(0.002)
        return self._out.read_text()

    def later(self, *words: object) -> str:
        """The same, in a later second than the run before, in which it would give files the same names."""
        while "exists" in (said := self(*words)) or "is there already" in said:
            time.sleep(0.1)
        return said

    def kills(
        self,
        *words: object,
        stride: int = 1,
        given: Path = Path(os.devnull),
        beside: Callable[[], object] = lambda: None,
    ) -> Iterator[int]:
        """Runs of the command on the template, killed at each step or at every so many, until one is not killed.

        beside: is called before each run, when the database was laid.
        """
        for step in count(1, stride):
            self.lay()
            beside()
            if KILLED not in self(*words, step=step, given=given):
                assert step > 5 * stride
                return
            yield step


@pytest.fixture
def pbm(nursery: Nursery, template: Path, tmp_path: Path) -> Shell:
    return Shell(nursery, template, tmp_path)


def rows(file: Path) -> dict[str, list[tuple[object, ...]]]:
    """The contents of a database, but for the log of what operators did and what a start notes."""
    with closing(sqlite3.connect(file)) as connection:
        tables = [table.name for table in metadata.sorted_tables if table.name not in ("acts", "meta", "noted")]
        return {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}  # noqa: S608


def files(site: Path) -> dict[str, bytes]:
    """All files that a reader may fetch."""
    found = {path.relative_to(site): path for path in site.rglob("*") if path.is_file()}
    return {name.as_posix(): path.read_bytes() for name, path in found.items() if not name.parts[0].startswith(".")}


@pytest.mark.parametrize("field", ["Message-ID: <1@x.org>", "Date: Thu, 1 Jan 2026 12:00:00 +0000"])
def test_an_email_that_is_delivered_again_because_pbm_receive_died_is_handled_once(
    field: str, pbm: Shell, tmp_path: Path
) -> None:
    mail, words = tmp_path / "mail", ("receive", "--sender", "alice@x.org", "pbm@example.org")
    command = "cross challenge alice carol -size=3 alice alicepass"
    mail.write_text(f"From: alice@x.org\nTo: pbm@example.org\nSubject: {command}\n{field}\n\n")
    before = len(rows(pbm.database)["matches"])
    for step in pbm.kills(*words, given=mail):
        assert pbm(*words, given=mail) == ""
        service = Service(Store(f"sqlite:///{pbm.database}"), Settings(ROBOT))
        while service.handle():
            pass
        service.close()
        found = rows(pbm.database)
        assert len(found["matches"]) == before + 1, step
        assert len(found["outbox"]) == 2, step


def test_a_backup_killed_halfway_leaves_no_half_copy_and_the_next_one_clears_up(pbm: Shell) -> None:
    held, copies = rows(pbm.database), pbm.folder.with_name("copies")
    for _ in pbm.kills("db", "backup", copies, stride=17, beside=copies.mkdir):
        found = [path for path in copies.iterdir() if path.suffix == ".db"]
        assert all(rows(path) == held for path in found)
        assert f" sound, {STARTED} boards replayed." in pbm.later("db", "backup", copies)
        assert {path.suffix for path in copies.iterdir()} == {".db"}
        shutil.rmtree(copies)


def test_a_restore_killed_halfway_leaves_the_database_as_it_was_or_as_the_copy(pbm: Shell, tmp_path: Path) -> None:
    """The server that used the database was killed, too, so part of it is in its journal."""
    copy, there = tmp_path / "copy.db", tmp_path / "there.db"
    pbm("db", "backup", copy)
    shutil.copyfile(pbm.database, there)
    with closing(sqlite3.connect(there)) as connection:
        connection.execute("UPDATE players SET created_at = created_at + 1")
        connection.commit()
        was = rows(there)

        def leave() -> None:
            for end in ("", "-wal"):
                shutil.copyfile(f"{there}{end}", f"{pbm.database}{end}")

        for step in pbm.kills("db", "restore", copy, "--yes", stride=17, beside=leave):
            kept = [rows(path) for path in pbm.folder.glob("pbm.db.20*Z")]
            assert was in [rows(pbm.database), *kept], step
            assert f"is now as {copy} was, sound, {STARTED} boards replayed." in pbm.later(
                "db", "restore", copy, "--yes"
            )
            assert was in [rows(path) for path in pbm.folder.glob("pbm.db.20*Z")], step
            assert not list(pbm.folder.glob("*unfinished*"))


def test_a_copy_into_another_database_killed_halfway_is_begun_anew_or_was_whole(pbm: Shell) -> None:
    held, theirs = rows(pbm.database), pbm.folder / "other.db"
    words = ("db", "copy", f"sqlite:///{pbm.database}", f"sqlite:///{theirs}")
    for step in pbm.kills(*words, stride=29):
        said = pbm(*words)
        copied = f" rows copied, all alike; {STARTED} boards replayed, none differ."
        assert copied in said or "TO is not empty." in said, step
        assert rows(theirs) == rows(pbm.database) == held


def test_an_export_killed_halfway_leaves_the_file_that_was_there(pbm: Shell) -> None:
    file, data = pbm.folder / "alice.json", b"{}"
    for _ in pbm.kills("player", "export", "alice", file, "--force", stride=5, beside=lambda: file.write_bytes(data)):
        found = file.read_bytes()
        assert found == data or json.loads(found)["userid"] == "alice"
        assert pbm("player", "export", "alice", file, "--force").endswith(f"alice is written to {file}.\n")


def test_a_site_killed_while_it_is_written_has_whole_pages_and_good_links(pbm: Shell, tmp_path: Path) -> None:
    """The next run gives all pages the title it is told, whatever the killed one was told."""
    site, one, two = tmp_path / "site", tmp_path / "one", tmp_path / "two"
    for winner, board in (("alice", 101), ("bob", 102)):
        pbm("board", "move", board, "alice", "D4")
        pbm("board", "move", board, "bob", "C3")
        pbm("board", "end", board, "--result", winner)
    pbm.template = tmp_path / "ended.db"
    pbm("db", "backup", pbm.template)
    pbm("board", "publish", one, "--title", "One")
    pbm("board", "publish", two, "--title", "Two")
    old, new = files(one), files(two)
    assert "board/101.html" in old

    def leave() -> None:
        shutil.rmtree(site, ignore_errors=True)
        shutil.copytree(one, site)

    for step in pbm.kills("board", "publish", site, "--title", "Two", stride=3, beside=leave):
        found = files(site)
        assert all(found[name] in (old.get(name), new.get(name)) for name in found), step
        assert not broken_links(site), step
        title, wanted = ("One", old) if step % 2 else ("Two", new)
        pbm("board", "publish", site, "--title", title)
        assert files(site) == wanted, step
