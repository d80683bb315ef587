"""Boards in the hand of the service: a stored match together with its replayed state."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from datetime import datetime

from games import GAMES
from pbm.domain.errors import MatchOver, NotFound, NotYourTurn, Stale
from pbm.domain.events import Event, MovePlayed, SidesSwapped
from pbm.domain.match import SWAP, Match, Ply, Result, Seat, State, replay
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

    @classmethod
    def load(cls, tx: Transaction, states: States, board: int, now: datetime) -> Table:
        """Raises: NotFound."""
        match = tx.matches.load(board)
        if match is None:
            raise NotFound(f"There is no board {board}.")
        return cls(tx, match, states.of(match), match.revision, now)

    def play(self, seat: Seat, text: str, guard: int | None = None) -> str:
        """Play one ply and store it; returns its notation.

        guard: the number the ply must have. Raises: MatchOver, NotYourTurn, Stale, MoveError, NotAllowed.
        """
        self.check_running()
        number = len(self.match.record) + 1
        if guard not in (None, number):
            raise Stale(f"{text} was meant as ply {guard}, but ply {number} is next.")
        if seat != self.state.to_move:
            raise NotYourTurn(f"It is not your turn: {self.match.player(self.state.to_move).userid} is to move.")
        state, notation = self.state.play(text)
        ply = Ply(notation, seat, self.now)
        self.tx.matches.add_ply(self.match, ply, state.to_move)
        self.state = state
        self.match = replace(self.match, record=(*self.match.record, ply), revision=self.match.revision + 1)
        board = self.match.board
        self.events.append(SidesSwapped(board, seat) if notation == SWAP else MovePlayed(board, seat, notation))
        if state.result is not None:
            self.end(state.result)
        return notation

    def check_running(self) -> None:
        """Raises: MatchOver."""
        if self.match.result is not None:
            raise MatchOver(f"Board {self.match.board} has ended.")

    def end(self, result: Result, event: Event | None = None) -> None:
        self.tx.matches.end(self.match.board, result, self.now)
        self.match = replace(self.match, result=result, ended_at=self.now, revision=self.match.revision + 1)
        if event is not None:
            self.events.append(event)

    def at(self, ply: int) -> State:
        """The state after a ply; negative plies count back from the end. Raises: NotFound."""
        plies = len(self.match.record)
        number = plies + ply if ply < 0 else ply
        if not 0 <= number <= plies:
            raise NotFound(f"Board {self.match.board} has the plies 0 to {plies}; there is no ply {ply}.")
        notations = [played.notation for played in self.match.record[:number]]
        return replay(self.state.game, self.match.options, self.match.body, notations)
