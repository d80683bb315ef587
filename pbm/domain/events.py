"""What can happen on a board. Mails are composed from events and from the board as it stands after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, ClassVar

from pbm.domain.match import IntentKind, OfferKind, Seat
from pbm.values import frozen


@frozen
class Event:
    """Something that happened to a board."""

    aftermath: ClassVar[bool] = False
    """Mails tell it after the state of the board, not before it."""
    board: int
    seat: Seat | None = None
    """The seat that acted; None for the server or its operator."""


@frozen
class MatchStarted(Event):
    """challenger: the userid of the player who started it; empty for the operator. origin: a sentence on its cause."""

    challenger: str = ""
    origin: str = ""


@frozen
class MovePlayed(Event):
    """notation: canonical. auto: the server played it because it was queued, planned, or the only move."""

    notation: str = ""
    auto: bool = False
    planned: bool = False
    forced: bool = False


@frozen
class SidesSwapped(Event):
    """The seat took over the other side."""


@frozen
class Resigned(Event):
    declined: bool = False
    """Within the first round, before the game counts."""


@frozen
class Proposed(Event):
    """The seat asks for the opponent's consent. notation, ply: for an undo, the ply to be taken back."""

    kind: OfferKind = OfferKind.DRAW
    notation: str = ""
    ply: int = 0


@frozen
class OfferAccepted(Event):
    """The seat agreed to a draw."""

    silently: bool = False
    """By leaving the offer unanswered."""


@frozen
class PlyTakenBack(Event):
    """The seat agreed to take back the last ply of the other seat, and what followed it."""

    notation: str = ""
    """The first ply taken back."""
    plies: int = 1
    """How many plies were taken back."""


@frozen
class OfferRejected(Event):
    """The seat did not agree."""

    kind: OfferKind = OfferKind.DRAW


@frozen
class OfferCancelled(Event):
    """The seat's offer is void: the seat withdrew it, or the game went on."""

    kind: OfferKind = OfferKind.DRAW


@frozen
class TimeUp(Event):
    """The time of the seat has run out."""


@frozen
class TimeClaimed(Event):
    """The game ended because the seat's opponent ran out of time."""

    draw: bool = False
    """A draw was claimed, not a win."""
    waited: bool = False
    """Nobody decided within the time allowed."""


@frozen
class TimeoutUndone(Event):
    """The operator revoked a timeout, and the game goes on."""


@frozen
class TimeGiven(Event):
    """The seat gave its opponent more time, or the operator both."""

    amount: int = 0
    """In microseconds."""


@frozen
class ClocksPaused(Event):
    """The seat agreed to stop both clocks for a time, or the operator stopped them."""


@frozen
class ClocksResumed(Event):
    """The clocks run again, because the seat resumed them or the longest allowed pause is over."""


@frozen
class IntentDropped(Event):
    """The seat's decision for later will not be carried out; only this seat is told."""

    kind: IntentKind = IntentKind.QUEUE
    text: str = ""
    reason: str = ""
    """A sentence."""


@frozen
class MatchDecided(Event):
    """The operator ended the match."""


@frozen
class MatchCorrected(Event):
    """The operator took plies back."""

    first: int = 0
    """The number of the first ply taken back; 0 for none."""
    reopened: bool = False
    """The end of the match was revoked, too."""


@frozen
class RoundEnded(Event):
    """The tournament's time for the match is over, which decided it."""


@frozen
class PlayerLeft(Event):
    """A player closed their account, or left a tournament."""

    userid: str = ""
    """The userid of the player who left."""
    place: str = "the server"
    """What they left."""


@frozen
class RatingChanged(Event):
    """The seat's rating moved. before, after: as players see them."""

    aftermath: ClassVar[bool] = True
    before: int = 0
    after: int = 0
    provisional: bool = False
    """The rating is still uncertain."""


@frozen
class NotRated(Event):
    """The match counts, but no rating changed."""

    aftermath: ClassVar[bool] = True
    reason: str = ""
    """Empty if an unrated game was agreed."""


@frozen
class CommentMade(Event):
    """userid: the author. text: what they wrote to the players of the board."""

    userid: str = ""
    text: str = ""


_KINDS = {name: kind for name, kind in globals().items() if isinstance(kind, type) and issubclass(kind, Event)}


def to_json(events: Iterable[Event]) -> list[dict[str, Any]]:
    """The events as values for JSON, which `from_json` reads back."""
    return [
        {"event": type(event).__name__} | {field.name: getattr(event, field.name) for field in fields(event)}
        for event in events
    ]


def from_json(stored: Iterable[Mapping[str, Any]]) -> list[Any]:
    values = (dict(event) for event in stored)
    return [_KINDS[event.pop("event")](**event) for event in values]
