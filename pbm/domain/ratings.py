"""Glicko-2 as Mark Glickman published it ("Example of the Glicko-2 system", 2013), and what keeps it fair. Pure.

Every rated match is a rating period of its own for its two players, so a rating changes only when a match ends; each
week without a match is a period without games, in which only the deviation grows. The arithmetic is decimal, which
rounds roots, exponentials and logarithms correctly, so every machine computes the same ratings.

Ratings cannot be farmed from unknown players: results against them raise nobody far above the initial rating, and only
a few matches between the same two players count within a given time.

No library is used: on PyPI, glicko2 2.1 has no types and no release since 2024, and glicko2-py 0.1.0 has players,
periods and storage of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from datetime import timedelta
from decimal import Context, Decimal, localcontext
from itertools import pairwise
from operator import add, sub
from typing import NamedTuple

from pbm.domain.match import Ending, Match, Seat
from pbm.values import frozen

TAU = 0.5  # the author recommends 0.3 to 1.2
"""How fast a volatility may change."""
PROVISIONAL_ABOVE = 110.0  # about a dozen matches bring it below
"""A rating with a deviation above this is provisional."""
SCALE = 173.7178
"""Rating points in one unit of the algorithm."""
PERIOD = timedelta(weeks=1)  # after somewhat over a year an established rating is provisional again
"""Length of a period without a match."""
CEILING = 1700.0
"""Results against a provisional rating raise nobody above this."""
WINDOW = timedelta(days=90)
MOST_OF_A_PAIR = 3
"""The most rated matches between the same two players, in one game, within that time."""

_CENTRE = 1500.0
_UNKNOWN = 350.0
_PRECISION = Decimal("1e-12")
_PI = Decimal("3.141592653589793238462643383279502884")
_SCALE = Decimal(str(SCALE))
_EXACTLY = Context(prec=34)


class Rating(NamedTuple):
    """The estimate of a player's strength in one game; a player without rated matches has the defaults.

    The true strength is most likely within two deviations of the rating.
    """

    rating: float = _CENTRE
    deviation: float = _UNKNOWN
    volatility: float = 0.06
    """How erratic the player's results are."""

    @property
    def provisional(self) -> bool:
        return self.deviation > PROVISIONAL_ABOVE

    @property
    def shown(self) -> int:
        """The rating as players see it."""
        return round(self.rating)


def aged(rating: Rating, idle: timedelta) -> Rating:
    """The rating after this long without a match: the deviation grows with every whole week, up to the initial one."""
    weeks = max(0, idle // PERIOD)
    if not weeks:
        return rating
    with localcontext(_EXACTLY):
        grown = (Decimal(rating.deviation) ** 2 + weeks * (_SCALE * Decimal(rating.volatility)) ** 2).sqrt()
    return Rating(rating.rating, max(rating.deviation, min(_UNKNOWN, float(grown))), rating.volatility)


def after_match(own: Rating, opponent: Rating, score: float) -> Rating:
    """The rating after a match. own, opponent: as they were when it ended. score: 1, 0.5 or 0."""
    after = rate(own, [(opponent, score)])
    # Nobody can be raised by accounts made for the purpose, which are provisional.
    return after._replace(rating=min(after.rating, max(own.rating, CEILING))) if opponent.provisional else after


def expected(own: Rating, opponent: Rating) -> Decimal:
    """The score that the ratings predict, from 0 to 1."""
    with localcontext(_EXACTLY):
        apart = (Decimal(own.rating) - Decimal(opponent.rating)) / _SCALE
        return 1 / (1 + (-weight(opponent) * apart).exp())


def weight(opponent: Rating) -> Decimal:
    """g(phi), from 0 to 1: how much a result against this opponent says; lower if their rating is less certain."""
    with localcontext(_EXACTLY):
        return 1 / (1 + 3 * (Decimal(opponent.deviation) / _SCALE) ** 2 / _PI**2).sqrt()


def rate(own: Rating, results: Sequence[tuple[Rating, float]]) -> Rating:
    """The rating after a period. results: each opponent's rating before it, and one's own score: 1, 0.5 or 0."""
    with localcontext(_EXACTLY):
        phi = Decimal(own.deviation) / _SCALE
        odds = [(weight(opponent), expected(own, opponent)) for opponent, _ in results]
        variance = 1 / sum((g**2 * chance * (1 - chance) for g, chance in odds), Decimal())
        scores = [Decimal(score) for _, score in results]
        surprise = sum((g * (score - chance) for (g, chance), score in zip(odds, scores, strict=True)), Decimal())
        volatility = _volatility(Decimal(own.volatility), phi, variance, variance * surprise)
        phi = 1 / (1 / (phi**2 + volatility**2) + 1 / variance).sqrt()
        rating = Decimal(own.rating) + _SCALE * phi**2 * surprise
        return Rating(float(rating), float(_SCALE * phi), float(volatility))


def _volatility(sigma: Decimal, phi: Decimal, variance: Decimal, delta: Decimal) -> Decimal:
    """Step 5 of the paper: the root of f by the Illinois variant of regula falsi."""
    tau, start = Decimal(str(TAU)), (sigma**2).ln()

    def f(x: Decimal) -> Decimal:
        spread = phi**2 + variance + x.exp()
        return x.exp() * (delta**2 - spread) / (2 * spread**2) - (x - start) / tau**2

    low = start
    if delta**2 > phi**2 + variance:
        high = (delta**2 - phi**2 - variance).ln()
    else:
        high = low - tau
        while f(high) < 0:
            high -= tau
    f_low, f_high = f(low), f(high)
    while abs(high - low) > _PRECISION:
        middle = low + (low - high) * f_low / (f_high - f_low)
        f_middle = f(middle)
        if f_middle * f_high <= 0:
            low, f_low = high, f_high
        else:
            # The Illinois step: without it one end would stay where it is, and the search would crawl.
            f_low /= 2
        high, f_high = middle, f_middle
    return (low / 2).exp()


@frozen
class Pace:
    """A player's statistics over ended games."""

    finished: int = 0
    timeouts: int = 0
    """Games they lost by forfeit."""
    moves: int = 0
    """Plies they played themselves."""
    time: timedelta = timedelta(0)
    """The total time for these plies, each from the ply before, including nights and absences."""

    def __add__(self, more: Pace) -> Pace:
        return Pace(*map(add, astuple(self), astuple(more)))

    def __sub__(self, less: Pace) -> Pace:
        return Pace(*map(sub, astuple(self), astuple(less)))

    @property
    def shown(self) -> str:
        """The mean time per move in its largest unit; empty without moves."""
        if not self.moves:
            return ""
        minutes = self.time / self.moves / timedelta(minutes=1)
        if minutes >= 24 * 60:
            return f"{minutes / (24 * 60):.1f} days"
        if minutes >= 60:
            return f"{minutes / 60:.0f} h"
        return f"{minutes:.0f} min" if minutes >= 1 else "under 1 min"


def pace_of(match: Match, seat: Seat) -> Pace:
    """A seat's pace in one match; all zero if the match goes on, was void, or was played against oneself."""
    first, second = match.players
    if match.result is None or match.result.ending is Ending.VOID or first.id == second.id:
        return Pace()
    instants = [match.started_at, *(ply.played_at for ply in match.record)]
    own = [
        later - earlier
        for ply, (earlier, later) in zip(match.record, pairwise(instants), strict=True)
        # What the server played took them no time.
        if ply.seat == seat and not ply.auto
    ]
    lost_by_forfeit = match.result.ending is Ending.FORFEIT and match.result.winner == 3 - seat
    return Pace(1, int(lost_by_forfeit), len(own), sum(own, timedelta(0)))
