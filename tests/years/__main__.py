"""python -m tests.years --seed 7 --years 1"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from tests.years.club import Case, lived, shrunk
from tests.years.world import without


@click.command()
@click.option("--seed", default=1, show_default=True)
@click.option("--runs", default=1, show_default=True, help="Clubs, each with the next seed.")
@click.option("--years", default=0.1, show_default=True)
@click.option("--people", default=12, show_default=True)
@click.option("--enemies", default=2, show_default=True)
@click.option("--without", "spared", default="", help="Faults that never happen, such as kill,full; all for any.")
@click.option("--trace", type=click.Path(path_type=Path), help="A file for what happened, one line each.")
def main(seed: int, runs: int, years: float, people: int, enemies: int, spared: str, trace: Path | None) -> None:
    """Let clubs live for years, in simulated time, and tell which promises were broken; exit code 1 if any were."""
    bad = 0
    for number in range(seed, seed + runs):
        case = Case(number, years * 365, people, enemies, without(spared))
        began = time.process_time()
        outcome = lived(case)
        click.echo(f"seed {number}: {outcome.summary}; {time.process_time() - began:.1f} s of processor time")
        if trace is not None:
            trace.write_text("\n".join(outcome.story.lines) + "\n")
        bad += bool(outcome.problems)
        for problem in outcome.problems:
            click.echo(f"  {problem}")
        if outcome.problems:
            small = shrunk(case, lambda each: bool(lived(each).problems))
            click.echo("\n".join(lived(small).report))
            click.echo(f"  again: {small}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
