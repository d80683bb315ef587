"""The arithmetic of a simulated club, which knows nothing of the program's: times, and ratings by Glicko-2."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_USUAL = timedelta(days=21)  # how long a move may take where nothing else was agreed
_SCALE, _TAU = 173.7178, 0.5  # of Glicko-2
NEVER = datetime.max.replace(tzinfo=UTC)


def instant(microseconds: int | None) -> datetime:
    """The instant of a time in the tables; NEVER for none."""
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=microseconds) if microseconds else NEVER


def time_for_a_move(control: str) -> timedelta:
    """The least time that a move may take under a clock; the usual one for none."""
    term = re.search(r"(\d+)([mhdw])", control)
    return timedelta(seconds=int(term[1]) * _SECONDS[term[2]]) if term else _USUAL


class Rating(NamedTuple):
    value: float = 1500.0
    deviation: float = 350.0
    volatility: float = 0.06
    at: datetime = NEVER  # when it was reached


def _aged(own: Rating, at: datetime) -> Rating:
    """A rating after a time without games, of which each whole week counts."""
    weeks = max(0, (at - own.at) // timedelta(weeks=1))
    deviation = math.hypot(own.deviation, math.sqrt(weeks) * _SCALE * own.volatility)
    return own._replace(deviation=min(350.0, deviation))


def rated(own: Rating, other: Rating, score: float, at: datetime) -> Rating:
    """A rating after a game, as in Glickman's "Example of the Glicko-2 system"."""
    own, other = _aged(own, at), _aged(other, at)
    mu, phi, sigma = (own.value - 1500) / _SCALE, own.deviation / _SCALE, own.volatility
    g = 1 / math.sqrt(1 + 3 * (other.deviation / _SCALE / math.pi) ** 2)
    chance = 1 / (1 + math.exp(-g * (mu - (other.value - 1500) / _SCALE)))
    v = 1 / (g * g * chance * (1 - chance))
    delta = v * g * (score - chance)

    def slope(x: float) -> float:
        spread = phi * phi + v + math.exp(x)
        return math.exp(x) * (delta * delta - spread) / (2 * spread**2) - (x - math.log(sigma**2)) / _TAU**2

    low, high = -40.0, 10.0  # it falls, so its root is found by halving
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    sigma = math.exp(low / 2)
    phi = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + 1 / v)
    value = own.value + _SCALE * phi * phi * g * (score - chance)
    if other.deviation > 110:  # nobody becomes strong by beating the unknown
        value = min(value, max(own.value, 1700.0))
    return Rating(value, _SCALE * phi, sigma, at)
