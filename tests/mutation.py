"""Whether tests notice if a changed line is wrong: `python -m tests.mutation --since HEAD~1` prints what they let pass.

Cosmic Ray makes one small change after the other to the lines of pbm/ and games/ that differ from an earlier commit, in
a clone, and runs the tests of that file (tests/for.py) over each. A change that no test notices is printed; whether it
matters is for a person to say.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.patience import PATIENCE_SECONDS

tests_for = importlib.import_module("tests.for").tests_for  # "for" is a keyword

ROOT = Path(__file__).parent.parent
TOO_WIDE = ("tests/test_conversations.py", "tests/games/test_contract.py")
"""Tests that take so long that only few changes would be tried."""
CONFIGURATION = """
[cosmic-ray]
module-path = ["{changed}"]
timeout = {timeout}
test-command = "{python} -m pytest -x -q -p no:cacheprovider {tests}"
distributor.name = "local"
filters.git-filter.branch = "{since}"
"""


def own_tests(changed: str) -> list[str]:
    """The tests of a file, narrow enough to be run over and over: those of its folder if none is its own."""
    own = [test for test in tests_for(changed) if test not in TOO_WIDE]
    beside = Path("tests", *Path(changed).parent.parts[1:])
    return own or [str(beside)]


def try_out(clone: Path, changed: str, tests: list[str], since: str, seconds: float) -> str:
    """What tests let pass of the changes to a file, as Cosmic Ray reports it; at most so many seconds are taken."""
    session, configuration = clone / "session.sqlite", clone / "mutation.toml"
    session.unlink(missing_ok=True)
    words = {"changed": changed, "since": since, "python": sys.executable, "tests": " ".join(tests)}
    configuration.write_text(CONFIGURATION.format(**words, timeout=PATIENCE_SECONDS))
    run(clone, "cosmic-ray", "init", configuration, session)
    run(clone, "cr-filter-git", "--config", configuration, session)
    try:
        run(clone, "cosmic-ray", "exec", configuration, session, timeout=seconds)
    except subprocess.TimeoutExpired:
        run(clone, "git", "checkout", "--quiet", changed)  # it was ended while a change was in place
    return run(clone, "cr-report", "--surviving-only", "--show-diff", session)


def run(folder: Path, program: str, *words: str | Path, timeout: float | None = None) -> str:
    """What a program prints. Raises: CalledProcessError, TimeoutExpired."""
    beside = Path(sys.executable).with_name(program)
    done = subprocess.run(
        [beside if beside.exists() else program, *words],
        cwd=folder, check=True, stdout=subprocess.PIPE, text=True, timeout=timeout,
    )  # fmt: skip
    return done.stdout


def main() -> None:
    reader = argparse.ArgumentParser(description="Which wrong lines no test notices.")
    reader.add_argument("--since", default="HEAD~1", help="the commit from which on lines count as changed")
    reader.add_argument("--seconds", type=float, default=600, help="at most so many, shared by the files")
    given = reader.parse_args()
    since = run(ROOT, "git", "rev-parse", given.since).strip()
    changed = run(ROOT, "git", "diff", "--name-only", "--diff-filter=d", since, "HEAD", "--", "pbm/*.py", "games/*.py")
    files = changed.split()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        run(ROOT, "git", "clone", "--quiet", "--no-hardlinks", ROOT, clone)
        for each in files:
            print(
                f"== {each}",
                try_out(clone, each, own_tests(each), since, given.seconds / len(files)),
                sep="\n",
                flush=True,
            )


if __name__ == "__main__":
    main()
