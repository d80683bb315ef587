"""Bells of SQLite, which look whether others have changed the file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbm.domain.mail import Mail
from pbm.store import Store, neighbours
from tests.patience import wait_until

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'pbm.db'}"


def test_it_rings_when_another_adds_to_a_queue_and_leaves_no_file_behind(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 3600.0)
    listener, other = Store(url), Store(url)
    other.prepare(NOW)
    rings: list[bool] = []
    bell = listener.bell(lambda: rings.append(True))
    bell.start()
    wait_until(lambda: bool(rings))  # the first ring stands for all that came before
    for number in range(3):
        rings.clear()
        with other.write() as tx:
            tx.outbox.add([Mail(f"key{number}", "a@x.org", "bounce@x", "s", b"raw")], NOW)
        wait_until(lambda: bool(rings))
    bell.stop()
    listener.close()
    other.close()
    assert {path.name for path in tmp_path.iterdir()} <= {"pbm.db", "pbm.db-turn"}


def test_it_rings_unasked_even_where_nothing_happens(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 0.01)
    store, rings = Store(url), list[bool]()
    store.prepare(NOW)
    bell = store.bell(lambda: rings.append(True))
    bell.start()
    wait_until(lambda: len(rings) > 2)
    bell.stop()
    store.close()


def test_it_outlives_trouble(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the file is away it cannot connect."""
    monkeypatch.setattr(neighbours, "UNASKED_SECONDS", 0.01)
    store, rings = Store(url), list[bool]()
    store.prepare(NOW)
    file, aside = tmp_path / "pbm.db", tmp_path / "aside"
    file.rename(aside)
    bell = store.bell(lambda: rings.append(True))
    bell.start()
    aside.rename(file)
    wait_until(lambda: len(rings) > 2)
    bell.stop()
    store.close()
