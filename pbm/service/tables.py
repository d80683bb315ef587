"""Boards in the hand of the service: a stored match together with its replayed state."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime

from games import GAMES
from games.rules import GameError
from pbm.domain.commands import split_guard
from pbm.domain.errors import MatchOver, NotFound, NotYourTurn, Rejected, Stale
from pbm.domain.events import Event, IntentDropped, MovePlayed, OfferCancelled, PlyTakenBack, Resigned, SidesSwapped
from pbm.domain.match import (
    SWAP,
    Ending,
    Intent,
    IntentKind,
    Match,
    Offer,
    Ply,
    Result,
    Seat,
    State,
    other,
    replay,
)
from pbm.service.rating import rate_match
from pbm.store import Transaction

CACHED_STATES = 2000


class States:
    """The latest state of boards, so that a move need not replay the whole record. Only a cache: the record decides."""

    def __init__(self, size: int = CACHED_STATES) -> None:
        self._size = size
        self._states: OrderedDict[int, tuple[tuple[str, ...], State]] = OrderedDict()

    def of(self, match: Match) -> State:
        record = tuple(ply.notation for ply in match.record)
        known = self._states.get(match.board)
        if known is not None and known[0] == record and known[1].game is GAMES[match.game]:
            self._states.move_to_end(match.board)
            return known[1]
        state = replay(GAMES[match.game], match.options, match.body, record)
        self.keep(match, state)
        return state

    def keep(self, match: Match, state: State) -> None:
        self._states[match.board] = (tuple(ply.notation for ply in match.record), state)
        self._states.move_to_end(match.board)
        while len(self._states) > self._size:
            self._states.popitem(last=False)


@dataclass(slots=True)
class Table:
    """One board while a mail is handled. revision: as the board was when the mail came to it."""

    tx: Transaction
    match: Match
    state: State
    revision: int
    now: datetime
    events: list[Event] = field(default_factory=list)
    _intents: list[Intent] | None = None

    @classmethod
    def load(cls, tx: Transaction, states: States, board: int, now: datetime) -> Table:
        """Raises: NotFound."""
        match = tx.matches.load(board)
        if match is None:
            raise NotFound(f"There is no board {board}.")
        return cls(tx, match, states.of(match), match.revision, now)

    @property
    def next_ply(self) -> int:
        return len(self.match.record) + 1

    def check_running(self, guard: int | None = None, what: str = "Your command") -> None:
        """guard: the number the next ply must have. what: was meant for it. Raises: MatchOver, Stale."""
        if self.match.result is not None:
            raise MatchOver(f"Board {self.match.board} has ended.")
        if guard not in (None, self.next_ply):
            raise Stale(f"{what} was meant as ply {guard}, but ply {self.next_ply} is next.")

    def try_play(self, seat: Seat, text: str, guard: int | None = None) -> tuple[State, str]:
        """The state a ply would lead to, and its notation; nothing is changed.

        guard: the number the ply must have. Raises: MatchOver, NotYourTurn, Stale, MoveError, NotAllowed.
        """
        self.check_running(guard, text)
        if seat != self.state.to_move:
            raise NotYourTurn(f"It is not your turn: {self.match.player(self.state.to_move).userid} is to move.")
        return self.state.play(text)

    def play(self, seat: Seat, text: str, guard: int | None = None) -> str:
        """Play one ply, and what the players have decided to do then; returns its notation. Raises: as try_play."""
        state, notation = self.try_play(seat, text, guard)
        self._record(state, notation, auto=False)
        while self._carry_out_intent():
            pass
        return notation

    def _record(self, state: State, notation: str, *, auto: bool) -> None:
        """Store the ply that led to the state; offers and what its player had decided for later are off with it."""
        seat, board = self.state.to_move, self.match.board
        ply = Ply(notation, seat, self.now, auto)
        self.tx.matches.add_ply(self.match, ply, state.to_move)
        self.state = state
        self.match = replace(self.match, record=(*self.match.record, ply), revision=self.match.revision + 1)
        swapped = notation == SWAP
        self.events.append(SidesSwapped(board, seat) if swapped else MovePlayed(board, seat, notation, auto))
        self.cancel_offer()
        for intent in self.intents(seat):
            self.drop(intent)
        if state.result is not None:
            self.end(state.result)

    def _carry_out_intent(self) -> bool:
        """Do what the player to move has decided to do when his turn comes; False if that is nothing."""
        if self.match.result is not None:
            return False
        mine = {intent.kind: intent for intent in self.intents(self.state.to_move)}
        if IntentKind.RESIGN in mine:
            self.resign(self.state.to_move)
        elif IntentKind.QUEUE in mine:
            self._play_queued(mine[IntentKind.QUEUE])
        return not mine.keys().isdisjoint({IntentKind.RESIGN, IntentKind.QUEUE})

    def _play_queued(self, intent: Intent) -> None:
        """Play a queued move if it is legal now; either way it is not queued any more."""
        self.drop(intent)
        try:
            state, notation = self.try_play(intent.seat, *split_guard(intent.text))
        except (Rejected, GameError) as error:
            self.events.append(IntentDropped(self.match.board, intent.seat, intent.kind, intent.text, str(error)))
        else:
            self._record(state, notation, auto=True)

    def take_back(self, consenting: Seat) -> None:
        """Take the last ply back, and drop what was decided on the strength of it."""
        last = self.match.record[-1]
        self.state = self.at(-1)
        self.tx.matches.drop_ply(self.match, self.state.to_move)
        self.match = replace(self.match, record=self.match.record[:-1], revision=self.match.revision + 1)
        self.set_offer(None)
        board = self.match.board
        self.events.append(PlyTakenBack(board, consenting, last.notation, last.seat))
        for intent in [*self.intents(1), *self.intents(2)]:
            self.drop(intent)
            reason = "A ply was taken back."
            self.events.append(IntentDropped(board, intent.seat, intent.kind, intent.text, reason))

    def resign(self, seat: Seat) -> None:
        """Give the game up; in the first round, before both have played, it then counts for nobody."""
        declined = len(self.match.record) < len(self.match.players)
        if declined:
            result = Result(Ending.VOID, None, f"{self.match.player(seat).userid} has declined to play")
        else:
            result = Result(Ending.RESIGNED, other(seat), "by resignation")
        self.end(result, Resigned(self.match.board, seat, declined))

    def set_offer(self, offer: Offer | None) -> None:
        self.tx.matches.set_offer(self.match.board, offer)
        self.match = replace(self.match, offer=offer)

    def cancel_offer(self) -> None:
        """What waits for an answer is off; the players are told."""
        offer = self.match.offer
        if offer is not None:
            self.set_offer(None)
            self.events.append(OfferCancelled(self.match.board, offer.seat, offer.kind))

    def end(self, result: Result, event: Event | None = None) -> None:
        self.tx.matches.end(self.match.board, result, self.now)
        self.match = replace(self.match, result=result, ended_at=self.now, revision=self.match.revision + 1)
        for intent in [*self.intents(1), *self.intents(2)]:
            self.drop(intent)
        if event is not None:
            self.events.append(event)
        self.events += rate_match(self.tx, self.match)

    def intents(self, seat: Seat | None) -> list[Intent]:
        """What the seat has decided for later; nothing for a spectator."""
        if self._intents is None:
            self._intents = self.tx.intents.of(self.match.board)
        return [intent for intent in self._intents if intent.seat == seat]

    def keep(self, intent: Intent) -> None:
        """In place of one of the same kind."""
        self.tx.intents.keep(self.match.board, intent, self.now)
        self._intents = None

    def drop(self, intent: Intent) -> None:
        self.tx.intents.drop(self.match.board, intent)
        self._intents = None

    def at(self, ply: int) -> State:
        """The state after a ply; negative plies count back from the end. Raises: NotFound."""
        plies = len(self.match.record)
        number = plies + ply if ply < 0 else ply
        if not 0 <= number <= plies:
            raise NotFound(f"Board {self.match.board} has the plies 0 to {plies}; there is no ply {ply}.")
        notations = [played.notation for played in self.match.record[:number]]
        return replay(self.state.game, self.match.options, self.match.body, notations)
