"""The world around a server fails: a disk is full, a database is read-only or locked, a clock jumps.

The disk is a small tmpfs, which only root can mount; CI runs these tests as root.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.crash.harness import PATIENCE, Clients, Nursery, Outcome, Site, is_quiet, run

SMALL, LARGE = "size=4m", "size=64m"
"""Sizes of a disk. SQLite's log alone may take 4 MB before it is written back."""
KILLS = 12


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a large disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", LARGE, "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)


@pytest.mark.real
def test_a_full_disk_loses_nothing(nursery: Nursery, template: Path, disk: Path) -> None:
    def make_room(_site: Site, clients: Clients) -> None:
        until(lambda: clients.refusals[451] >= 5)
        subprocess.run(["mount", "-o", f"remount,{LARGE}", disk], check=True)

    subprocess.run(["mount", "-o", f"remount,{SMALL}", disk], check=True)
    outcome = run(nursery, template, disk, fillers=20, meanwhile=make_room)
    assert outcome.problems == ()
    assert outcome.refusals == {451}


@pytest.mark.real
def test_a_database_that_is_read_only_for_a_while_loses_nothing(
    nursery: Nursery, template: Path, disk: Path, tmp_path: Path
) -> None:
    """A server started meanwhile tells its clients to come back, and ends; the first one started later goes on."""

    def forbid(site: Site) -> None:
        if site.starts == 1:
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)

    def allow(site: Site, clients: Clients) -> None:
        until(lambda: site.starts > 4 or clients.refusals[451] > 3)
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)

    kills = [("a mail is safe, its sender does not know", 3)]
    out = tmp_path / "out.txt"
    outcome = run(nursery, template, disk, kills=kills, out=out, meanwhile=allow, at_start=forbid)
    assert outcome.problems == (), out.read_text()
    assert outcome.refusals <= {421, 451}
    assert "readonly" in out.read_text().replace("-", "")


@pytest.mark.crash
def test_a_database_that_others_lock_loses_nothing(nursery: Nursery, template: Path, tmp_path: Path) -> None:
    def lock(site: Site, clients: Clients) -> None:
        for _ in range(5):
            with contextlib.closing(sqlite3.connect(site.database, PATIENCE, isolation_level=None)) as connection:
                connection.execute("BEGIN EXCLUSIVE")
                time.sleep(0.3)
                connection.execute("ROLLBACK")
            time.sleep(0.05)
        until(lambda: clients.is_done and is_quiet(site))

    assert run(nursery, template, tmp_path, meanwhile=lock).problems == ()


@pytest.mark.crash
def test_kills_from_outside_park_nothing_and_no_acknowledged_move_is_lost(
    nursery: Nursery, template: Path, tmp_path: Path
) -> None:
    outcome = killed_from_outside(nursery, template, tmp_path, KILLS)
    assert outcome.problems == (), (tmp_path / "out.txt").read_text()
    assert outcome.kills > KILLS // 2


def killed_from_outside(nursery: Nursery, template: Path, folder: Path, kills: int, seed: int = 1) -> Outcome:
    """A run in which each server is killed once a few more mails were taken in or handled, or as soon as it starts."""
    chance = random.Random(seed)

    def progress(site: Site) -> int:
        return site.count("SELECT count(*) + count(handled_at) FROM inbox")

    def kill(site: Site, clients: Clients) -> None:
        until(lambda: site.process > 0)
        for _ in range(kills):
            before, wanted = site.process, progress(site) + chance.randrange(3)
            while progress(site) < wanted and not clients.is_done:
                time.sleep(0.001)
            with contextlib.suppress(ProcessLookupError):
                os.kill(before, signal.SIGKILL)
            until(lambda killed=before: site.process != killed or clients.is_done)  # type: ignore[misc]

    return run(nursery, template, folder, seed=seed, meanwhile=kill)


@pytest.mark.crash
@pytest.mark.parametrize("offsets", [(3600, 86_400), (-5, 5, -10), (86_400, -3600, 0)])
def test_a_clock_that_jumps_loses_nothing(
    offsets: tuple[int, ...], nursery: Nursery, template: Path, tmp_path: Path
) -> None:
    """Mail that was owed while the clock was ahead is sent at once or when the clock is right again."""

    def jump(site: Site, clients: Clients) -> None:
        for offset in offsets:
            time.sleep(0.2)
            site.set_clock(offset)
        until(lambda: clients.is_done)
        site.set_clock(max(offsets))

    (tmp_path / "clock.txt").write_text("0")
    assert run(nursery, template, tmp_path, meanwhile=jump).problems == ()
