"""The arithmetic of a simulated club, which knows nothing of the program's: clocks, and ratings by Glicko-2."""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from tests.years.story import Story

_SECONDS = {"m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_TERM = re.compile(r"(\d+)([mhdw])")
_USUAL = timedelta(days=21)
"""How long a move may take where nothing else was agreed."""


@dataclass(frozen=True)
class Ply:
    number: int
    notation: str
    userid: str
    played_at: datetime
    is_automatic: bool
    left: timedelta | None
    """What their player had left of their time when they played it."""


@dataclass(frozen=True)
class Board:
    number: int
    game: str
    players: tuple[str, str]
    options: str
    control: str
    started_at: datetime
    ended_at: datetime | None
    ending: str | None
    winner: int | None
    is_rated: bool
    ids: tuple[int, int]
    plies: tuple[Ply, ...]


def instant(microseconds: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(microseconds=microseconds)


def long(microseconds: int) -> timedelta:
    return timedelta(microseconds=microseconds)


def time_for_a_move(control: str) -> timedelta:
    """The least time that a move may take under a clock; the usual one for none."""
    terms = _TERM.findall(control)
    return timedelta(seconds=int(terms[0][0]) * _SECONDS[terms[0][1]]) if terms else _USUAL


class Clocks:
    """Exact arithmetic of clocks, from when mails came and were handled, and when all clocks stood still."""

    def __init__(self, story: Story, tables: sqlite3.Connection) -> None:
        self._story = story
        self._handled_at = {
            instant(came): instant(handled)
            for came, handled in tables.execute("SELECT received_at, handled_at FROM inbox WHERE handled_at > 0")
        }
        rows = tables.execute("SELECT player_id, starts_at, ends_at FROM absences WHERE kind <> 'heartbeat'")
        self._stops = [(who, instant(begins), instant(ends) if ends else None) for who, begins, ends in rows if begins]

    def differ(self, board: Board) -> Iterator[str]:
        """What each player had left at each ply follows from the times of mails."""
        allowed, begun = time_for_a_move(board.control), board.started_at
        if self._is_uncertain(board):
            return
        gifts = {name: timedelta() for name in board.players}
        for ply in board.plies:
            # A mail counts from when it came, but what is given before it is handled is given for that move, too.
            handled_at = max(ply.played_at, self._handled_at.get(ply.played_at, ply.played_at))
            self._give(gifts, begun, handled_at)
            most = allowed + gifts[ply.userid] - (ply.played_at - begun)
            had = most + self._stood_still(board, begun, ply.played_at)
            if ply.left is not None and not max(most, timedelta()) <= ply.left <= max(had, timedelta()):
                yield f"board {board.number}, ply {ply.number}: {ply.userid} had {had} left, and not {ply.left}"
            gifts[ply.userid] = timedelta()
            begun = handled_at

    def _give(self, gifts: dict[str, timedelta], begun: datetime, until: datetime) -> None:
        for at, gift in self._story.gifts:
            if begun < at <= until:
                for name in gifts:
                    gifts[name] += gift

    def _stood_still(self, board: Board, begun: datetime, until: datetime) -> timedelta:
        stops = [
            (max(begins, begun), min(ends or until, until))
            for who, begins, ends in self._stops if who is None or who in board.ids
        ]  # fmt: skip
        return sum((max(timedelta(), ends - begins) for begins, ends in stops), timedelta())

    def _is_uncertain(self, board: Board) -> bool:
        """Whether the clock leapt while they played, or the board was set back."""
        ends = board.ended_at or datetime.max.replace(tzinfo=UTC)
        leaps = any(begins <= ends and board.started_at <= until for begins, until in self._story.leaps)
        return leaps or bool(self._story.restored)


Rating = tuple[float, float, float]
"""A rating, its deviation and its volatility."""
NEW: Rating = (1500.0, 350.0, 0.06)
_SCALE, _TAU = 173.7178, 0.5


def aged(own: Rating, idle: timedelta) -> Rating:
    """A rating after a time without games, of which each whole week counts."""
    weeks = idle // timedelta(weeks=1)
    return own[0], min(350.0, math.hypot(own[1], math.sqrt(max(0, weeks)) * _SCALE * own[2])), own[2]


def rated(own: Rating, other: Rating, score: float) -> Rating:
    """A rating after a game, as in Glickman's "Example of the Glicko-2 system"."""
    mu, phi, sigma = (own[0] - 1500) / _SCALE, own[1] / _SCALE, own[2]
    g = 1 / math.sqrt(1 + 3 * (other[1] / _SCALE / math.pi) ** 2)
    chance = 1 / (1 + math.exp(-g * (mu - (other[0] - 1500) / _SCALE)))
    v = 1 / (g * g * chance * (1 - chance))
    delta = v * g * (score - chance)

    def f(x: float) -> float:
        spread = phi * phi + v + math.exp(x)
        return math.exp(x) * (delta * delta - spread) / (2 * spread**2) - (x - math.log(sigma**2)) / _TAU**2

    low, high = -40.0, 10.0  # f falls, so its root is found by halving
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    sigma = math.exp(low / 2)
    phi = 1 / math.sqrt(1 / (phi * phi + sigma * sigma) + 1 / v)
    rating = own[0] + _SCALE * phi * phi * g * (score - chance)
    if other[1] > 110:  # nobody becomes strong by beating the unknown
        rating = min(rating, max(own[0], 1700.0))
    return rating, _SCALE * phi, sigma
