"""One match: its record and what follows from it. Pure; the record is the truth, and positions are replayed from it.

A seat is a player's place, 1 or 2, for the whole match; a side is the colour a seat has now. A swap exchanges the
sides of the seats and does not change the position; in the record it is the ply `swap`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from games.rules import (
    AnyGame,
    BadNotation,
    Forcing,
    GameError,
    IllegalMove,
    Lopsided,
    MoveError,
    Outcome,
    Side,
    Trusting,
    quoted,
)
from pbm.domain.calendars import Calendar, Stop
from pbm.domain.clock import UNLIMITED, Clock, TimeControl
from pbm.domain.errors import NotAllowed, Rejected
from pbm.domain.settings import Settings
from pbm.domain.spans import next_reminder
from pbm.values import frozen

if TYPE_CHECKING:  # who only lists matches needs no boards
    from games.scene import Scene

SWAP = "swap"
_ALPHABETS = {"CYRILLIC": "Cyrillic", "GREEK": "Greek", "CHEROKEE": "Cherokee", "LISU": "Lisu", "COPTIC": "Coptic"}
"""Alphabets with letters that look Latin."""
Seat = int
"""1 or 2."""


def other(seat: Seat) -> Seat:
    return 3 - seat


class Ending(StrEnum):
    """Why a match is over."""

    RULES = "rules"
    RESIGNED = "resigned"
    AGREED = "agreed"
    FORFEIT = "forfeit"
    DECIDED = "decided"
    VOID = "void"


class Result(NamedTuple):
    """winner: None for a draw or a void match, which does not count. reason: a clause to follow "won" or "drawn"."""

    ending: Ending
    winner: Seat | None
    reason: str = ""
    scores: tuple[int, int] | None = None


class Player(NamedTuple):
    """A registered person as others may see them; addresses stay in the store."""

    id: int
    userid: str


class Ply(NamedTuple):
    """One player's turn as it was recorded."""

    notation: str
    seat: Seat
    """The seat that played it."""
    played_at: datetime
    auto: bool = False
    """The server played it, because it was queued, planned, or the only move."""
    time_left: int | None = None
    """The time left on the seat's clock, in microseconds, before the increment; None without a clock."""


@frozen
class Record(Sequence[Ply]):
    """Plies, oldest first; a slice is also a Record."""

    plies: tuple[Ply, ...] = ()

    @classmethod
    def of(cls, plies: Iterable[Ply]) -> Record:
        return cls(tuple(plies))

    def appended(self, ply: Ply) -> Record:
        """The record with one more ply."""
        return Record((*self.plies, ply))

    @property
    def notations(self) -> tuple[str, ...]:
        """The notations of all plies."""
        return tuple(ply.notation for ply in self.plies)

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seat of each ply."""
        return tuple(ply.seat for ply in self.plies)

    def __len__(self) -> int:
        return len(self.plies)

    @overload
    def __getitem__(self, index: int) -> Ply: ...

    @overload
    def __getitem__(self, index: slice) -> Record: ...

    def __getitem__(self, index: int | slice) -> Ply | Record:
        return Record(self.plies[index]) if isinstance(index, slice) else self.plies[index]

    def __iter__(self) -> Iterator[Ply]:
        return iter(self.plies)


class OfferKind(StrEnum):
    """What a player may ask the opponent to agree to."""

    DRAW = "draw"
    UNDO = "undo"
    PAUSE = "pause"


@frozen
class Offer:
    """A proposal that waits for the opponent's answer."""

    kind: OfferKind
    seat: Seat
    """The seat that made it."""
    since: datetime | None = field(default=None, compare=False)
    """When it was made."""


class IntentKind(StrEnum):
    """The decisions that a player may make ahead of time."""

    QUEUE = "queue"
    PLAN = "plan"
    SUBMIT = "submit"
    HOLD = "hold"
    RESIGN = "resign"


ASKED = "?"
"""The comment of a submitted move that the player has only spoken of: "Did you mean E4?"."""
WORDS_KEPT = "chat"
"""The text of a question whether words are to be sent to the other player; they are its comment."""


class Intent(NamedTuple):
    """A seat's decision for later, which nobody else may see."""

    seat: Seat
    kind: IntentKind
    text: str = ""
    """A move or a plan, possibly with its guard; a move may have its plan on the lines below; or empty."""
    comment: str = ""
    """The comment to send with the move."""
    since: datetime | None = None
    """When it was decided."""
    until: datetime | None = None
    """When it is carried out by itself."""

    @property
    def is_question(self) -> bool:
        """Whether it only waits for a yes: to resign, to send words, or to play a move that was only spoken of."""
        return self.kind is IntentKind.SUBMIT and (self.text in ("resign", WORDS_KEPT) or self.comment == ASKED)


class Match(NamedTuple):
    """One board as it is stored.

    options, body: as in the challenge.
    """

    board: int
    game: str
    version: int
    options: tuple[str, ...]
    body: str
    players: tuple[Player, Player]
    revision: int
    """Raised at every change of the position, so that a token or a guard for an earlier state is recognized."""
    record: Record
    started_at: datetime
    result: Result | None = None
    ended_at: datetime | None = None
    rated: bool = True
    offer: Offer | None = None
    tournament: str = ""
    """Its name as players read it; empty for a match outside tournaments."""
    annotated: bool = False
    """Somebody has notes on it."""
    control: TimeControl = UNLIMITED
    clock: Clock | None = None
    """None without a clock, and once the match has ended."""
    settings: tuple[Settings, Settings] = (Settings(), Settings())
    """What each player has chosen."""
    stops: tuple[tuple[Stop, ...], tuple[Stop, ...]] = ((), ())
    """What stops each player's clock, now or later."""

    def seat_of(self, player_id: int) -> Seat | None:
        """The player's seat, the first if they play against themselves; None if they do not play here."""
        return next((seat for seat in (1, 2) if self.players[seat - 1].id == player_id), None)

    def player(self, seat: Seat) -> Player:
        return self.players[seat - 1]

    @property
    def timed_clock(self) -> Clock | None:
        """The clock, unless no time is limited."""
        return self.clock if self.clock is not None and self.clock.control.timed else None

    @property
    def calendars(self) -> tuple[Calendar, Calendar]:
        """When the clock of each player runs."""
        (first, second), (stops, others) = self.settings, self.stops
        return Calendar(first.rests, stops), Calendar(second.rests, others)

    @property
    def opening(self) -> bool:
        """Whether somebody has not played yet, so that the game does not count."""
        return len(set(self.record.seats)) < len(self.players)

    def last_chosen(self, seat: Seat) -> int:
        """The number of the last ply that a seat chose, so not of a forced one; 0 if there is none."""
        from games import GAMES  # who only lists matches needs no rules

        # Whoever plays against themselves has chosen the plies of both seats.
        seats = (1, 2) if self.players[0] == self.players[1] else (seat,)
        for number in range(len(self.record), 0, -1):
            ply, earlier = self.record[number - 1], self.record.notations[: number - 1]
            if ply.seat not in seats:
                continue
            # A queued or planned ply was chosen; only one without an alternative was not.
            if not ply.auto:
                return number
            if replay(GAMES[self.game], self.options, self.body, earlier, judged=False).forced is None:
                return number
        return 0

    @property
    def moved_at(self) -> datetime:
        return self.record[-1].played_at if self.record else self.started_at


class UnderWay(NamedTuple):
    """One of a player's boards that has not ended, without its record."""

    board: int
    game: str
    seat_to_move: Seat
    rival: str
    """The userid of their opponent."""
    moved_at: datetime
    waits: bool
    """It waits for the player to move, to answer, or to claim the game."""


@dataclass(frozen=True, eq=False)
class State:
    """A replayed match. position, last: the game's own values for the position and the last move."""

    game: AnyGame
    options: Any
    position: Any
    last: Any = None
    plies: int = 0
    """How many have been played."""
    swapped: bool = False
    before: Any = None
    """The position before the last ply; None at the start."""

    @classmethod
    def start(cls, game: AnyGame, words: Iterable[str], body: str = "") -> State:
        """Raises: OptionError."""
        options = game.options(tuple(words), body=body)
        return cls(game, options, game.start(options))

    @cached_property
    def to_move(self) -> Seat:
        """Meaningless once outcome is not None."""
        return self.seat(self.game.to_move(self.position))

    @property
    def scene(self) -> Scene:
        # Not kept with a state, of which thousands are remembered: all cells of the board take far more room than it.
        return self.game.scene(self.position, self.last)

    @cached_property
    def outcome(self) -> Outcome | None:
        return self.game.outcome(self.position)

    @cached_property
    def forced(self) -> str | None:
        """The only legal ply, if the game says that nobody should wait for it; otherwise None."""
        if not isinstance(self.game, Forcing) or self.outcome is not None:
            return None
        move = self.game.forced(self.position)
        return None if move is None else self.game.notate(self.position, move)

    @property
    def may_swap(self) -> bool:
        return self.game.info.swap and self.plies == 1

    @property
    def lopsided(self) -> bool:
        """Whether one colour wins most boards with these options, so that the game is not rated."""
        return isinstance(self.game, Lopsided) and self.game.lopsided(self.options)

    def seat(self, side: Side) -> Seat:
        return 3 - int(side) if self.swapped else int(side)

    def side(self, seat: Seat) -> Side:
        return Side(3 - seat if self.swapped else seat)

    def side_name(self, seat: Seat) -> str:
        return self.game.sides(self.options)[2 - seat if self.swapped else seat - 1]

    @property
    def result(self) -> Result | None:
        """The result by the rules of the game, in terms of seats; None while the game goes on."""
        outcome = self.outcome
        if outcome is None:
            return None
        scores = outcome.scores
        if scores is not None and self.swapped:
            scores = (scores[1], scores[0])
        winner = None if outcome.winner is None else self.seat(outcome.winner)
        return Result(Ending.RULES, winner, outcome.reason, scores)

    def play(self, text: str) -> tuple[State, str]:
        """The state after one ply, and its canonical notation. Raises: MoveError, NotAllowed for an untimely swap."""
        if text.strip().casefold() == SWAP:
            if not self.may_swap:
                if not self.game.info.swap:
                    raise NotAllowed(f"{self.game.info.title} has no swap.")
                if self.plies == 0:
                    raise NotAllowed("There is nothing to swap yet: place the first stone.")
                raise NotAllowed("A swap is only possible as the second ply of the game, right after the first move.")
            return replace(self, plies=self.plies + 1, swapped=not self.swapped, before=self.position), SWAP
        if self.outcome is not None:
            raise IllegalMove("The game is over.")
        move = self._read(text)
        return self.after(move), self.game.notate(self.position, move)

    def after(self, move: Any) -> State:
        """The state after a move, which is not judged."""
        position = self.game.play(self.position, move)
        return State(self.game, self.options, position, move, self.plies + 1, self.swapped, before=self.position)

    def reads(self, text: str) -> bool:
        """Whether a text is written like a move of the game, legal or not."""
        try:
            self._read(text)
        except MoveError as error:
            return not isinstance(error, BadNotation)
        return True

    def named(self, text: str) -> str | None:
        """The canonical notation of the legal move that a text names; None if it names none."""
        try:
            return self.game.notate(self.position, self._read(text))
        except GameError:
            return None

    @cached_property
    def some_ply(self) -> str:
        """Any legal ply, in canonical notation."""
        return self.game.notate(self.position, next(iter(self.game.moves(self.position))))

    def _read(self, text: str) -> Any:
        """The move that a text names. Raises: MoveError; BadNotation points out letters that only look Latin."""
        try:
            return self.game.parse(self.position, text)
        except BadNotation as error:
            raise BadNotation(f"{error}{_lookalike(text)}", error.candidates) from None

    def turn(self, words: Iterable[str]) -> list[str]:
        """The plies at the start of the words, in canonical notation, as long as the same seat is to move.

        Raises: MoveError if a word after the first is written like a ply, but is not legal.
        """
        state, plies = self, list[str]()
        for word in words:
            if plies and (state.outcome is not None or state.to_move != self.to_move):
                break
            try:
                state, notation = state.play(word)
            except (BadNotation, NotAllowed):
                break
            except MoveError:
                # The first word may be the beginning of a sentence; after a ply the next one is meant as a ply.
                if not plies:
                    break
                raise
            plies.append(notation)
        return plies


def _lookalike(text: str) -> str:
    """A sentence on the first letter that only looks Latin; empty if there is none."""
    for char in text:
        # A Cyrillic keyboard has С, А and Е, which look as Latin letters and are none; nobody can see why they fail.
        alphabet = _ALPHABETS.get(unicodedata.name(char, "").split(" ")[0])
        if alphabet:
            return f' Your "{char}" is a {alphabet} letter, not a Latin one.'
    return ""


def replay(game: AnyGame, options: Iterable[str], body: str, notations: Iterable[str], *, judged: bool = True) -> State:
    """The state after a record of notations.

    judged: whether each ply is checked by the rules; stored plies need no check, because they were checked when played.
    Raises: OptionError, MoveError, NotAllowed if the record is not sound.
    """
    state, read = State.start(game, options, body), game.read if isinstance(game, Trusting) and not judged else None
    for number, notation in enumerate(notations, 1):
        try:
            if read is not None and notation != SWAP:
                state = state.after(read(state.position, notation))
            else:
                state, _ = state.play(notation)
        # These say what is wrong, or are no fault of the record.
        except (GameError, Rejected, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  a record that was altered may break an unjudged reading anyhow
            reason = f"{type(error).__name__}: {error}"
            raise BadNotation(f"Ply {number}, {quoted(notation)}, is no ply here ({reason}).") from None
    return state


LOOK_AGAIN = timedelta(minutes=15)
"""How often to check whether a clock that will never expire, as during an outage, runs again."""


def due(match: Match, clock: Clock, now: datetime, moved_at: datetime) -> Clock:
    """The clock, due at its next reminder or deadline; a clock that is paused or has run out stays due as before.

    moved_at: when the last ply was played, which may not be in the match yet.
    """
    # Nothing comes by itself: the pause needs its end, an overrun the decision of the other player.
    if clock.paused or clock.overrun_at is not None:
        return clock
    stopped = clock.control.timed and clock.deadline_at is None
    reminder = reminder_at(match, clock, now, moved_at)
    instants = [at for at in (clock.deadline_at, reminder, now + LOOK_AGAIN if stopped else None) if at]
    return clock._replace(due_at=min(instants, default=None))


def reminder_at(match: Match, clock: Clock, now: datetime, moved_at: datetime | None = None) -> datetime | None:
    """When the player to move is reminded next, after now; None for never. clock, moved_at: as for `due`."""
    ladder = match.settings[clock.seat - 1].remind
    return next_reminder(ladder, moved_at or match.moved_at, clock.deadline_at, clock.control.nag, now)
