"""Servers killed anywhere, a smarthost that fails: mail with 250 is handled once, mail owed is sent, boards are right.

One kill at each point, in real processes; tests/years kills at random.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.harness import Nursery, run
from tests.crash.points import POINTS, find

pytestmark = pytest.mark.crash

FAULTS = ("hang", "drop", "deaf", "4xx", "5xx", "refuse", "die")


@pytest.mark.parametrize("point", sorted(POINTS))
def test_a_kill_at_a_point_loses_nothing(point: str, nursery: Nursery, template: Path, tmp_path: Path) -> None:
    """Two kills, unless all work is done in so few batches that the second server does not pass the point."""
    outcome = run(nursery, template, tmp_path, kills=[(point, 1), (point, 2)])
    assert outcome.problems == ()
    assert outcome.kills >= 1, (tmp_path / "out.txt").read_text()


@pytest.mark.parametrize("fault", FAULTS)
def test_a_smarthost_that_fails_loses_nothing(fault: str, nursery: Nursery, template: Path, tmp_path: Path) -> None:
    outcome = run(nursery, template, tmp_path, faults=[fault] * 3)
    assert outcome.problems == ()


@pytest.mark.parametrize("point", sorted(POINTS))
def test_a_point_is_in_the_program(point: str) -> None:
    assert callable(find(POINTS[point][0])[2])
