"""Many runs: python -m tests.crash --runs 2000 --seed 1"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

import click

from tests.crash.harness import Nursery, make_template
from tests.crash.randomly import random_run


@click.command()
@click.option("--runs", default=1000, show_default=True)
@click.option("--seed", default=1, show_default=True, help="Of the first run; each further one has the next.")
def main(runs: int, seed: int) -> None:
    """Kill servers at random and check what is left; the exit code tells whether all was well."""
    nursery, kills, bad = Nursery(), 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        template = make_template(Path(scratch))
        with click.progressbar(range(seed, seed + runs), label="runs", file=sys.stderr) as seeds:
            for number in seeds:
                with tempfile.TemporaryDirectory(dir=scratch) as folder:
                    outcome = random_run(nursery, template, Path(folder), random.Random(number))
                kills += outcome.kills
                bad += bool(outcome.problems)
                for problem in outcome.problems:
                    click.echo(f"seed {number}: {problem}")
    nursery.close()
    click.echo(f"{runs} runs, {kills} processes killed, {bad} runs in which something did not hold")
    sys.exit(1 if bad else 0)


main()
