"""The terms of a tournament: its kind, and the options given at its creation besides those of the game.

A board has time until the round is over; then it is decided in favour of the player who has used less time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from games.rules import counted
from pbm.domain.calendars import Calendar
from pbm.domain.errors import BadArguments
from pbm.domain.match import Match, Seat
from pbm.domain.tournaments.bouts import ROBIN, SWISS, TieBreak
from pbm.values import frozen

MOST_PLAYERS = 200
START_WITHIN = timedelta(days=365)
OPEN_DAYS = 14
"""How long a tournament without a date waits for players."""


class Kind(StrEnum):
    """Kinds of tournament, in one of the spellings that players use."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"
    KNOCKOUT = "knockout"
    LADDER = "ladder"
    LEAGUE = "league"

    @classmethod
    def read(cls, word: str) -> Kind:
        """Raises: BadArguments."""
        folded = word.casefold().replace("_", "-")
        kinds = {"roundrobin": cls.ROUND_ROBIN, "robin": cls.ROUND_ROBIN, **{kind.value: kind for kind in cls}}
        if folded not in kinds:
            raise BadArguments(
                f'"{word}" is no kind of tournament: take {", ".join(cls)}.'.replace(", league", " or league")
            )
        return kinds[folded]

    @property
    def label(self) -> str:
        return "Swiss" if self is Kind.SWISS else self.value.replace("-", " ")

    @property
    def lasting(self) -> bool:
        """Whether it goes on until somebody ends it, while players come and go."""
        return self in (Kind.LADDER, Kind.LEAGUE)

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """In order of precedence."""
        if self in (Kind.LADDER, Kind.KNOCKOUT):
            return ()
        return SWISS if self is Kind.SWISS else ROBIN


@frozen
class Terms:
    """The terms that a tournament is played by."""

    kind: Kind
    starts_at: datetime
    """The latest time when it begins."""
    fewest: int = 2
    """The fewest players it needs."""
    most: int = MOST_PLAYERS
    rounds: int = 0
    """Swiss only; 0 if the number of players decides."""
    double: bool = False
    days_per_round: int = 30
    """After these an unfinished board is decided."""
    division: int = 6
    """League only: players in a division."""
    moving: int = 1
    """League only: how many move up and down."""
    pause: int = 7
    """League only: days between seasons."""
    rungs: int = 3
    """Ladder only: how many rungs above their own a player may challenge."""
    idle: int = 60
    """Ladder only: days without a game after which a player drops."""

    @property
    def time_per_round(self) -> timedelta:
        return timedelta(days=self.days_per_round)

    def to_json(self) -> str:
        return json.dumps(asdict(self) | {"starts_at": self.starts_at.isoformat()})

    @classmethod
    def from_json(cls, text: str) -> Terms:
        values = json.loads(text)
        starts_at = datetime.fromisoformat(values.pop("starts_at"))
        return cls(kind=Kind(values.pop("kind")), starts_at=starts_at, **values)


@frozen
class _Option:
    """kinds: the tournaments that take it. range: as refusals show it."""

    read: Callable[[str, datetime], Mapping[str, Any] | None]
    range: str
    kinds: frozenset[Kind] = frozenset(Kind)


def _number(name: str, low: int, high: int, *kinds: Kind) -> _Option:
    def read(value: str, _now: datetime) -> Mapping[str, Any] | None:
        # int() reads the digits of every script, and raises for one of more than 4,300.
        sound = value.isascii() and value.isdecimal() and len(value) < 6 and low <= int(value) <= high
        return {name: int(value)} if sound else None

    return _Option(read, f"{low} to {high}", frozenset(kinds or Kind))


def _players(value: str, _now: datetime) -> Mapping[str, Any] | None:
    match = re.fullmatch(r"(\d{1,4})(?:(?:\.\.|-)(\d{1,4}))?", value, re.ASCII)
    if match is None:
        return None
    fewest, most = int(match[1]), int(match[2] or match[1])
    return {"fewest": fewest, "most": most} if 2 <= fewest <= most <= MOST_PLAYERS else None


def _start(value: str, now: datetime) -> Mapping[str, Any] | None:
    try:
        starts_at = datetime.strptime(value, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
    return {"starts_at": starts_at} if now < starts_at <= now + START_WITHIN else None


OPTIONS: Mapping[str, _Option] = {
    "players": _Option(_players, f"two numbers from 2 to {MOST_PLAYERS}, as in -players=4..16"),
    "start": _Option(_start, "a day within a year, as in -start=2027-01-31; it begins as the day does, UTC"),
    "days-per-round": _number("days_per_round", 1, 365),
    "rounds": _number("rounds", 1, 30, Kind.SWISS),
    "double": _Option(
        lambda value, _: None if value else {"double": True}, "no value: write -double", frozenset({Kind.ROUND_ROBIN})
    ),
    "division": _number("division", 3, 20, Kind.LEAGUE),
    "promote": _number("moving", 0, 9, Kind.LEAGUE),
    "pause": _number("pause", 1, 365, Kind.LEAGUE),
    "rungs": _number("rungs", 1, 50, Kind.LADDER),
    "idle": _number("idle", 7, 365, Kind.LADDER),
}


def read_terms(kind: Kind, words: Sequence[str], now: datetime) -> tuple[Terms, list[str]]:
    """The terms, and the words meant for the game. Raises: BadArguments, naming the word and the range."""
    terms = Terms(kind, now + timedelta(days=OPEN_DAYS))
    others = []
    for word in words:
        name, _, value = word.lstrip("-").casefold().partition("=")
        option = OPTIONS.get(name)
        if option is None:
            others.append(word)
            continue
        if kind not in option.kinds:
            raise BadArguments(f'"{word}": a {kind.label} tournament has no such option.')
        values = option.read(value, now)
        if values is None:
            raise BadArguments(f'"{word}" cannot be: -{name} takes {option.range}.')
        terms = replace(terms, **values)
    return terms, others


EVEN = timedelta(days=1)
"""Up to this difference both count as equally quick."""


def time_used(match: Match, to_move: Seat, now: datetime, calendar: Calendar) -> tuple[timedelta, timedelta]:
    """How long each seat has had the move. calendar: the time that counts, the same for both."""
    used = {1: timedelta(), 2: timedelta()}
    since = match.started_at
    for seat, until in (*((ply.seat, ply.played_at) for ply in match.record), (to_move, now)):
        used[seat] += timedelta(microseconds=calendar.worked(since, until))
        since = until
    return used[1], used[2]


def quicker(used: tuple[timedelta, timedelta]) -> Seat | None:
    """The seat that has used less time; None if both have used about as much."""
    if abs(used[0] - used[1]) <= EVEN:
        return None
    return 1 if used[0] < used[1] else 2


def why_decided(match: Match, used: tuple[timedelta, timedelta]) -> str:
    """The clause after "won" or "drawn"."""
    seat = quicker(used)
    if seat is None:
        return "because both have used about as much time"
    slow = 3 - seat
    shown = [counted(span // EVEN, "day") for span in used]
    return (
        f"because {match.player(slow).userid} has used more time: "
        f"{shown[slow - 1]}, and {match.player(seat).userid} {shown[seat - 1]}"
    )
