"""What happened to a board, in the past tense. Mails are made from events and from the board as it then stands."""

from __future__ import annotations

from dataclasses import dataclass

from pbm.domain.match import Seat


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a board. seat: whose doing it was; None for the server or its operator."""

    board: int
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class MatchStarted(Event):
    """challenger: the userid of who started it; empty for the operator."""

    challenger: str = ""


@dataclass(frozen=True, slots=True)
class MovePlayed(Event):
    """notation: canonical."""

    notation: str = ""


@dataclass(frozen=True, slots=True)
class SidesSwapped(Event):
    """The seat took over the other side."""


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    """The seat gave the game up."""


@dataclass(frozen=True, slots=True)
class MatchDecided(Event):
    """The operator ended the match."""


@dataclass(frozen=True, slots=True)
class CommentMade(Event):
    """userid: who wrote. text: what he wrote to the players of the board."""

    userid: str = ""
    text: str = ""
