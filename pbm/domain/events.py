"""Events of a board, in the past tense. Mails are made from events and from the board as it then stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pbm.domain.match import IntentKind, OfferKind, Seat


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a board."""

    aftermath: ClassVar[bool] = False
    """Told after the state of the board, not before it."""
    board: int
    seat: Seat | None = None
    """Whose doing it was; None for the server or its operator."""


@dataclass(frozen=True, slots=True)
class MatchStarted(Event):
    """challenger: the userid of who started it; empty for the operator. origin: a sentence on what led to it."""

    challenger: str = ""
    origin: str = ""


@dataclass(frozen=True, slots=True)
class MovePlayed(Event):
    """notation: canonical. auto: the server played it, for it was queued, or planned, or forced: the only move."""

    notation: str = ""
    auto: bool = False
    planned: bool = False
    forced: bool = False


@dataclass(frozen=True, slots=True)
class SidesSwapped(Event):
    """The seat took over the other side."""


@dataclass(frozen=True, slots=True)
class Resigned(Event):
    """The seat gave the game up."""

    declined: bool = False
    """In the first round, before the game counts for anything."""


@dataclass(frozen=True, slots=True)
class Proposed(Event):
    """The seat asks for the opponent's consent. notation, ply: for an undo, what would be taken back."""

    kind: OfferKind = OfferKind.DRAW
    notation: str = ""
    ply: int = 0


@dataclass(frozen=True, slots=True)
class OfferAccepted(Event):
    """The seat agreed to a draw."""

    silently: bool = False
    """By leaving the offer unanswered."""


@dataclass(frozen=True, slots=True)
class PlyTakenBack(Event):
    """The seat agreed that the last ply is taken back, with what followed by force or from a robot."""

    notation: str = ""
    """Of the first ply that is taken back."""
    plies: int = 1
    """How many are."""


@dataclass(frozen=True, slots=True)
class OfferRejected(Event):
    """The seat does not agree."""

    kind: OfferKind = OfferKind.DRAW


@dataclass(frozen=True, slots=True)
class OfferCancelled(Event):
    """The seat's question is off: it took its words back, or the game went on."""

    kind: OfferKind = OfferKind.DRAW


@dataclass(frozen=True, slots=True)
class TimeUp(Event):
    """The time of the seat has run out."""


@dataclass(frozen=True, slots=True)
class TimeClaimed(Event):
    """The game ends because the time of the seat's opponent has run out."""

    draw: bool = False
    """So was it wished."""
    waited: bool = False
    """Nobody did."""


@dataclass(frozen=True, slots=True)
class TimeoutUndone(Event):
    """The operator takes back that the time was up: the game goes on."""


@dataclass(frozen=True, slots=True)
class TimeGiven(Event):
    """The seat gave its opponent more time, or the operator both."""

    amount: int = 0
    """In microseconds."""


@dataclass(frozen=True, slots=True)
class ClocksPaused(Event):
    """The seat agreed that both clocks stand still for a time, or the operator wished it."""


@dataclass(frozen=True, slots=True)
class ClocksResumed(Event):
    """The clocks run again; of the seat's doing, or because the longest pause is over."""


@dataclass(frozen=True, slots=True)
class IntentDropped(Event):
    """The seat's decision for later will not be carried out; told to nobody else."""

    kind: IntentKind = IntentKind.QUEUE
    text: str = ""
    reason: str = ""
    """A sentence."""


@dataclass(frozen=True, slots=True)
class MatchDecided(Event):
    """The operator ended the match."""


@dataclass(frozen=True, slots=True)
class MatchCorrected(Event):
    """The operator took plies back."""

    first: int = 0
    """The number of the first of them, 0 for none."""
    reopened: bool = False
    """And the end."""


@dataclass(frozen=True, slots=True)
class RoundEnded(Event):
    """The round of an event is over, and so the match is decided."""


@dataclass(frozen=True, slots=True)
class PlayerLeft(Event):
    """A player has ended their account, or left a tournament."""

    userid: str = ""
    """Theirs."""
    place: str = "the server"
    """What they have left."""


@dataclass(frozen=True, slots=True)
class RatingChanged(Event):
    """The seat's rating moved. before, after: as players see them."""

    aftermath: ClassVar[bool] = True
    before: int = 0
    after: int = 0
    provisional: bool = False
    """Not much is known of them yet."""


@dataclass(frozen=True, slots=True)
class NotRated(Event):
    """The match counts, but no rating moved."""

    aftermath: ClassVar[bool] = True
    reason: str = ""
    """Empty where that was agreed."""


@dataclass(frozen=True, slots=True)
class CommentMade(Event):
    """userid: who wrote. text: what they wrote to the players of the board."""

    userid: str = ""
    text: str = ""
