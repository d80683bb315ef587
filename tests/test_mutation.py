"""What tests do not notice is found, and only in lines that have changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation import own_tests, run, try_out
from tests.patience import PATIENCE_SECONDS

LOOSE = """
from pbm.count import next_after


def test_it_grows() -> None:
    assert next_after(7) > 7
"""
BEFORE = """
def twice(number: int) -> int:
    return number * 2
"""
CHANGE = """

def next_after(number: int) -> int:
    return number + 1
"""


def test_the_own_tests_a_file_are_its_own_or_those_of_its_folder() -> None:
    assert "tests/domain/test_clock.py" in own_tests("pbm/domain/clock.py")
    assert own_tests("pbm/store/of_tomorrow.py") == ["tests/store"]


@pytest.mark.servers
def test_a_wrong_line_that_no_test_notices_is_told_and_an_old_line_is_not(tmp_path: Path) -> None:
    for name, content in (("pbm/__init__.py", ""), ("pbm/count.py", BEFORE), ("tests/test_count.py", LOOSE)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    run(tmp_path, "git", "init", "--quiet")
    commit = ("-c", "user.name=ann", "-c", "user.email=ann@example.org", "commit", "--quiet", "--all", "--message=it")
    run(tmp_path, "git", "add", ".")
    run(tmp_path, "git", *commit)
    since = run(tmp_path, "git", "rev-parse", "HEAD").strip()
    (tmp_path / "pbm/count.py").write_text(BEFORE + CHANGE)
    run(tmp_path, "git", *commit)
    told = try_out(tmp_path, "pbm/count.py", ["tests/test_count.py"], since, PATIENCE_SECONDS)
    assert "+    return number + 2" in told, "a larger step also grows"
    assert "number - 1" not in told, "that was noticed"
    assert "twice" not in told.replace(BEFORE, "")
    assert "number * " not in "".join(line for line in told.splitlines() if line.startswith("+"))
