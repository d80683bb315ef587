"""Bells of SQLite: pipes beside the database, which disappear with their listeners."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.store import neighbours
from pbm.store.neighbours import OWED, TAKEN_IN, PipeBell, ring
from tests.patience import wait_until


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 3600.0)
    return tmp_path / "pbm.db"


@pytest.fixture
def rings() -> list[float]:
    return []


@pytest.fixture
def heard(database: Path, rings: list[float]) -> Iterator[PipeBell]:
    bell = PipeBell(database, lambda _: rings.append(time.monotonic()))
    bell.start()
    wait_until(lambda: len(rings) == 1)
    yield bell
    bell.stop()


def pipes(database: Path) -> list[str]:
    return [path.name for path in database.with_name("pbm.db-bells").iterdir()]


def test_it_rings_each_time_but_not_for_its_own_process(database: Path, heard: PipeBell, rings: list[float]) -> None:
    for count in (2, 3, 4):
        ring(database, (), TAKEN_IN)
        wait_until(lambda count=count: len(rings) == count)  # type: ignore[misc]
    ring(database, {heard.name}, TAKEN_IN)
    time.sleep(0.05)
    assert len(rings) == 4


def test_it_tells_whether_mails_are_to_be_sent(database: Path) -> None:
    told: list[bool] = []
    bell = PipeBell(database, told.append)
    bell.start()
    wait_until(lambda: told == [False])
    for count, word in enumerate((OWED, TAKEN_IN, OWED), 2):
        ring(database, (), word)
        wait_until(lambda count=count: len(told) == count)  # type: ignore[misc]
    bell.stop()
    assert told[:4] == [False, True, False, True]


def test_many_rings_are_one_and_keep_nobody_waiting(database: Path, heard: PipeBell, rings: list[float]) -> None:
    for _ in range(10_000):
        ring(database, (), TAKEN_IN)
    wait_until(lambda: len(rings) > 1)


def test_nothing_is_left_of_a_bell_that_was_stopped(database: Path, rings: list[float]) -> None:
    bell = PipeBell(database, lambda _: rings.append(0.0))
    bell.start()
    wait_until(lambda: len(rings) == 1)
    assert pipes(database) == [bell.name]
    bell.stop()
    assert pipes(database) == []
    ring(database, (), TAKEN_IN)


def test_the_pipe_of_a_process_that_was_killed_is_cleared_away(database: Path) -> None:
    code = (
        "import sys, time, pathlib; from pbm.store.neighbours import PipeBell;"
        "bell = PipeBell(pathlib.Path(sys.argv[1]), lambda _: print('up', flush=True)); bell.start(); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(database)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.kill()
    assert len(pipes(database)) == 1
    ring(database, (), TAKEN_IN)
    assert pipes(database) == []


def test_nothing_but_pipes_is_written_to(database: Path, heard: PipeBell, tmp_path: Path) -> None:
    folder, aside = database.with_name("pbm.db-bells"), tmp_path / "aside"
    for path in (folder / "file", aside):
        path.write_text("text")
    (folder / "link").symlink_to(aside)
    ring(database, (), TAKEN_IN)
    assert [path.read_text() for path in (folder / "file", aside)] == ["text", "text"]


def test_where_no_pipe_can_be_made_it_rings_unasked(
    database: Path, rings: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    database.with_name("pbm.db-bells").write_text("not a folder")
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 0.01)
    unheard = PipeBell(database, lambda _: rings.append(0.0))
    unheard.start()
    wait_until(lambda: len(rings) > 2)
    ring(database, (), TAKEN_IN)
    unheard.stop()
