"""Runs with random kills, faults and leaps of the clock."""

from __future__ import annotations

import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

from tests.crash.harness import Clients, Nursery, Outcome, Site, run
from tests.crash.points import POINTS

_PASSES = (1, 1, 1, 2, 2, 3, 4, 6, 9, 12)
FAULTS = ("hang", "drop", "deaf", "4xx", "5xx", "refuse", "die")
_LEAPS = (0, 0, 0, -3600, -600, 3600, 86_400)
"""By how many seconds the clock may be wrong when a server starts; none but short or long times, which show at once."""


def random_run(nursery: Nursery, template: Path, folder: Path, chance: random.Random) -> Outcome:
    """A run with one to four kills at any points and up to their twelfth pass, up to two at any instant, and up to five
    smarthost faults.

    Few passes are likelier: mails are handled and sent together, so many points are passed only a few times. The clock
    may leap with each kill, and is right from when all mails are handed in.
    """
    kills = [(chance.choice(sorted(POINTS)), chance.choice(_PASSES)) for _ in range(chance.randint(1, 4))]
    faults = [chance.choice(FAULTS) for _ in range(chance.randint(0, 5))]
    instants = [chance.uniform(0.05, 1.5) for _ in range(chance.randint(0, 2))]
    leaps = [chance.choice(_LEAPS) for _ in kills]

    def leap(site: Site) -> None:
        site.set_clock(leaps.pop() if leaps else 0)

    def meanwhile(site: Site, clients: Clients) -> None:
        while not site.process:  # 0 until the first server is started, and to kill 0 is to kill our own group
            time.sleep(0.01)
        for seconds in instants:
            time.sleep(seconds)
            with suppress(ProcessLookupError):
                os.kill(site.process, signal.SIGKILL)
        while not clients.is_done:
            time.sleep(0.01)
        leaps.clear()
        site.set_clock(0)

    return run(
        nursery, template, folder,
        seed=chance.randrange(2**32), kills=kills, faults=faults, meanwhile=meanwhile, at_start=leap,
    )  # fmt: skip
