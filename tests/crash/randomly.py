"""Runs with random kills and faults."""

from __future__ import annotations

import random
from pathlib import Path

from tests.crash.harness import Nursery, Outcome, run
from tests.crash.points import POINTS

_PASSES = (1, 1, 1, 2, 2, 3, 4, 6, 9, 12)
FAULTS = ("hang", "drop", "deaf", "4xx", "5xx", "refuse", "die")


def random_run(nursery: Nursery, template: Path, folder: Path, chance: random.Random) -> Outcome:
    """A run with one to four kills, at any points and up to their twelfth pass, and with up to five smarthost faults.

    Few passes are likelier: mails are handled and sent together, so many points are passed only a few times.
    """
    kills = [(chance.choice(sorted(POINTS)), chance.choice(_PASSES)) for _ in range(chance.randint(1, 4))]
    faults = [chance.choice(FAULTS) for _ in range(chance.randint(0, 5))]
    return run(nursery, template, folder, seed=chance.randrange(2**32), kills=kills, faults=faults)
