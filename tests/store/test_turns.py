"""Writers take turns, in one process or several, and none waits for ever."""

from __future__ import annotations

import threading
from pathlib import Path
from time import monotonic

import pytest

from pbm.store import neighbours
from pbm.store.neighbours import Turns
from tests.patience import PATIENCE_SECONDS


def others_turn(turns: Turns, began: threading.Event, end: threading.Event) -> threading.Thread:
    """Another writer, from now on until `end` is set."""

    def write() -> None:
        with turns:
            began.set()
            end.wait(PATIENCE_SECONDS)

    thread = threading.Thread(target=write)
    thread.start()
    assert began.wait(PATIENCE_SECONDS)
    return thread


def test_whoever_comes_second_waits(tmp_path: Path) -> None:
    began, end, entered = threading.Event(), threading.Event(), threading.Event()
    thread = others_turn(Turns(tmp_path / "pbm.db"), began, end)

    def second() -> None:
        with Turns(tmp_path / "pbm.db"):  # as in another process
            entered.set()

    waiting = threading.Thread(target=second)
    waiting.start()
    assert not entered.wait(0.05)
    end.set()
    assert entered.wait(PATIENCE_SECONDS)
    thread.join()
    waiting.join()


def test_nobody_waits_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "BUSY_SECONDS", 0.05)
    began, end = threading.Event(), threading.Event()
    thread = others_turn(Turns(tmp_path / "pbm.db"), began, end)
    at = monotonic()
    with Turns(tmp_path / "pbm.db"):
        assert monotonic() >= at + 0.05
    end.set()
    thread.join()


def test_a_folder_that_takes_no_file_is_no_hindrance(tmp_path: Path) -> None:
    with Turns(tmp_path / "nowhere" / "pbm.db"), Turns(None):
        assert not list(tmp_path.iterdir())
