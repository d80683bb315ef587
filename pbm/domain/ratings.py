"""Glicko-2 as Mark Glickman published it ("Example of the Glicko-2 system", 2013). Pure; floats will do here.

Every rated match is a rating period of its own for its two players, so a rating moves when a match ends and never else.

No library: of those at PyPI, glicko2 2.1 has no types and no release since 2024, and glicko2-py is one 0.1.0 with
players, periods and storage of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt

TAU = 0.5
"""How fast a volatility may change; the author advises 0.3 to 1.2."""
PROVISIONAL_ABOVE = 110.0
"""A rating whose deviation is above this is provisional: about a dozen matches bring it below."""
SCALE = 173.7178
"""Points of a rating in one unit of the algorithm."""

_CENTRE = 1500.0
_PRECISION = 1e-6


@dataclass(frozen=True, slots=True)
class Rating:
    """What is believed of a player's strength in one game; who has not played any has the defaults.

    He is about as strong as rating says, give or take two deviations. volatility: how erratic his results are.
    """

    rating: float = _CENTRE
    deviation: float = 350.0
    volatility: float = 0.06

    @property
    def provisional(self) -> bool:
        return self.deviation > PROVISIONAL_ABOVE

    @property
    def shown(self) -> int:
        """The rating as players see it."""
        return round(self.rating)


def expected(own: Rating, opponent: Rating) -> float:
    """The score, from 0 to 1, that the ratings let expect."""
    return 1 / (1 + exp(-weight(opponent) * (own.rating - opponent.rating) / SCALE))


def rate(own: Rating, results: Sequence[tuple[Rating, float]]) -> Rating:
    """The rating after a period. results: each opponent as he was before it, and one's score: 1, 0.5 or 0."""
    phi = own.deviation / SCALE
    odds = [(weight(opponent), expected(own, opponent)) for opponent, _ in results]
    variance = 1 / sum(g**2 * chance * (1 - chance) for g, chance in odds)
    surprise = sum(g * (score - chance) for (g, chance), (_, score) in zip(odds, results, strict=True))
    volatility = _volatility(own.volatility, phi, variance, variance * surprise)
    phi = 1 / sqrt(1 / (phi**2 + volatility**2) + 1 / variance)
    return Rating(own.rating + SCALE * phi**2 * surprise, SCALE * phi, volatility)


def weight(opponent: Rating) -> float:
    """g(phi), from 0 to 1: how much a result against the opponent tells; less, the less is known of him."""
    return 1 / sqrt(1 + 3 * (opponent.deviation / SCALE) ** 2 / pi**2)


def _volatility(sigma: float, phi: float, variance: float, delta: float) -> float:
    """Step 5 of the paper: the root of f by the Illinois variant of regula falsi."""

    def f(x: float) -> float:
        spread = phi**2 + variance + exp(x)
        return exp(x) * (delta**2 - spread) / (2 * spread**2) - (x - log(sigma**2)) / TAU**2

    low = log(sigma**2)
    if delta**2 > phi**2 + variance:
        high = log(delta**2 - phi**2 - variance)
    else:
        high = low - TAU
        while f(high) < 0:
            high -= TAU
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            f_low /= 2
        high, f_high = middle, f_middle
    return exp(low / 2)
