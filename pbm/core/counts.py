"""The counts and measurements of this process since it was started, for whoever watches it from outside.

Counted is what was done, also where it is undone by a rollback and done again. Any number of threads may count.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from time import time

BUCKETS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""Seconds, up to which a histogram counts."""


@dataclass
class Histogram:
    """below: how many there were up to each of the buckets, and beyond the one before; the last: beyond all."""

    below: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    seconds: float = 0.0

    def add(self, seconds: float) -> None:
        self.below[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """As Prometheus wants them: up to how many seconds, and how many were no longer."""
        sums = [sum(self.below[: place + 1]) for place in range(len(self.below))]
        return list(zip((*map(str, BUCKETS), "+Inf"), map(float, sums), strict=True))


class Counts:
    """By name, and by what tells apart what is counted under it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._numbers: dict[str, Counter[str]] = defaultdict(Counter)
        self._histograms: dict[str, Histogram] = defaultdict(Histogram)
        self._seen: dict[str, float] = {}

    def add(self, name: str, kind: str = "", number: int = 1) -> None:
        with self._lock:
            self._numbers[name][kind] += number

    def measure(self, name: str, seconds: float) -> None:
        with self._lock:
            self._histograms[name].add(max(0.0, seconds))

    def note(self, name: str) -> None:
        """It has happened just now."""
        self._seen[name] = time()

    def numbers(self, name: str) -> dict[str, int]:
        """By kind."""
        with self._lock:
            return dict(self._numbers[name])

    def histogram(self, name: str) -> Histogram:
        with self._lock:
            known = self._histograms[name]
            return Histogram(list(known.below), known.seconds)

    def since(self, name: str) -> float | None:
        """For how many seconds it has not happened; None for never."""
        return time() - self._seen[name] if name in self._seen else None


COUNTS = Counts()
"""Those of this process."""

ACCEPTED, REFUSED, SETTLED, LIMITED = "accepted", "refused", "settled", "limited"
SENT, POSTPONED, GIVEN_UP, BOUNCED = "sent", "postponed", "given_up", "bounced"
WAITED, TRAVELLED, LOOKED = "waited", "travelled", "looked"
