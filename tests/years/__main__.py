"""python -m tests.years --seed 7 --years 1"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import click
import structlog

from tests.years.club import Outcome, live


def simulated(seed: int, days: float, people: int, enemies: int) -> Outcome:
    memory = Path("/dev/shm")  # noqa: S108  a disk would be waited for at each commit, which no clock here notices
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        return live(Path(folder), seed, days, people, enemies)


@click.command()
@click.option("--seed", default=1, show_default=True)
@click.option("--runs", default=1, show_default=True, help="Clubs, each with the next seed.")
@click.option("--years", default=0.1, show_default=True)
@click.option("--people", default=12, show_default=True)
@click.option("--enemies", default=2, show_default=True)
@click.option("--trace", type=click.Path(path_type=Path), help="A file for what happened, one line each.")
def main(seed: int, runs: int, years: float, people: int, enemies: int, trace: Path | None) -> None:
    """Let clubs live for years, in simulated time, and tell which promises were broken; exit code 1 if any were."""
    structlog.configure(
        processors=[structlog.processors.KeyValueRenderer()], logger_factory=structlog.ReturnLoggerFactory()
    )
    bad = 0
    for number in range(seed, seed + runs):
        began = time.process_time()
        outcome = simulated(number, years * 365, people, enemies)
        click.echo(f"seed {number}: {outcome.summary}; {time.process_time() - began:.1f} s of processor time")
        if trace is not None:
            trace.write_text("\n".join(outcome.story.lines) + "\n")
        bad += bool(outcome.problems)
        for problem in outcome.problems:
            click.echo(f"  {problem}")
        if outcome.problems:
            _shrink(number, years, people, enemies)
    sys.exit(1 if bad else 0)


def _shrink(seed: int, years: float, people: int, enemies: int) -> None:
    """Find a shorter life, with fewer people, in which a promise is broken, too, and say how to see it again."""
    for smaller in ((years / 2, people, enemies), (years, max(2, people // 2), enemies), (years, people, 0)):
        if smaller != (years, people, enemies) and simulated(seed, smaller[0] * 365, *smaller[1:]).problems:
            return _shrink(seed, *smaller)
    click.echo(f"  again: python -m tests.years --seed {seed} --years {years:g} --people {people} --enemies {enemies}")
    return None


main()
