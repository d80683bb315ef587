"""Operators' acts on boards and clocks; players are told."""

from __future__ import annotations

from datetime import datetime

from pbm.core import decisions
from pbm.core.board import OpenBoard, set_clocks
from pbm.core.clocks import is_timed_out, let_run, undo_timeout
from pbm.core.notify import Desk
from pbm.domain.clock import Clock
from pbm.domain.errors import NotAllowed
from pbm.domain.events import ClocksPaused, Event, MatchCorrected, MatchDecided, TimeGiven
from pbm.domain.match import Ending, Match, Result, State
from pbm.server.club import Hand, acts, note_silence
from pbm.server.rows import player_named


class Arbiter(Hand):
    """Boards and clocks."""

    def board(self, number: int) -> Match:
        with self._club.store.read() as tx:
            return self._at(tx).open(number).match

    @acts
    def move(self, at: Desk, number: int, userid: str, move: str) -> tuple[Match, State]:
        """Play a move for a player."""
        board = at.open(number)
        decisions.play_ply(board, board.seat_of(player_named(at.tx, userid)), move)
        return self._told(at, board), board.state

    @acts
    def end(self, at: Desk, number: int, result: Result) -> Match:
        """End a running match with a result of the operator's choice."""
        board = at.open(number)
        board.check_running()
        board.end(result, MatchDecided(number))
        return self._told(at, board)

    @acts
    def void(self, at: Desk, number: int) -> Match:
        """Make a game void, under way or over, and take back what it did to ratings."""
        board = at.open(number)
        if board.match.result is not None:
            _reopen(board, len(board.match.record))
        void = Result(Ending.VOID, None, "by decision of the operator")
        # The players are told of the decision, not of the step in between.
        board.events = [event for event in board.events if not isinstance(event, MatchCorrected)]
        board.end(void, MatchDecided(number))
        return self._told(at, board)

    @acts
    def reopen(self, at: Desk, number: int, plies: int | None = None) -> Match:
        """Let a game go on that was over or whose time was up, or take plies back. plies: how many stay; None: all."""
        board = at.open(number)
        # The position is not over by the rules, so only the clock has to be set right.
        if plies is None and is_timed_out(board.match):
            undo_timeout(board)
            return self._told(at, board)
        kept = len(board.match.record) if plies is None else plies
        over = board.at(kept).result is not None
        if over:
            raise NotAllowed(f"By the rules board {number} is over after ply {kept}: take back more plies.")
        if plies is None and board.match.result is None:
            raise NotAllowed(f"Board {number} goes on already.")
        if plies is not None and plies == len(board.match.record):
            raise NotAllowed(f"Ply {plies} is the last one of board {number}: there is nothing to take back.")
        _reopen(board, kept)
        return self._told(at, board)

    @acts
    def stop(self, at: Desk, number: int) -> Match:
        """Stop both clocks of a board until `go`; either player may resume, too."""
        board, clock = _ticking(at, number)
        if clock.paused:
            raise NotAllowed(f"The clocks of board {number} stand still already.")
        paused = clock.with_pause(True, board.now, board.match.calendars)
        board.set_clock(paused._replace(overrun_at=None, due_at=None))
        board.events.append(ClocksPaused(number))
        return self._told(at, board)

    @acts
    def go(self, at: Desk, number: int) -> Match:
        """Let the clocks of a board run again."""
        board, clock = _ticking(at, number)
        if not clock.paused:
            raise NotAllowed(f"The clocks of board {number} run already.")
        let_run(board, None)
        return self._told(at, board)

    @acts
    def extend(self, at: Desk, number: int, amount: int) -> Match:
        """Give both players of a board more time. amount: in microseconds."""
        board, clock = _ticking(at, number)
        board.set_clock(_extended(board.match, clock, amount, board.now))
        board.events.append(TimeGiven(number, None, amount))
        return self._told(at, board)

    def extend_all(self, amount: int) -> int:
        """Give all players more time on all boards with clocks, without mails; returns the number of boards."""
        with self._club.store.write() as tx:
            note_silence(tx)
            numbers = tx.matches.timed()
            set_clocks(tx, numbers, lambda match, clock: _extended(match, clock, amount, tx.now))
            self._club.tools.states.forget()
        return len(numbers)


def _ticking(at: Desk, number: int) -> tuple[OpenBoard, Clock]:
    """Raises: MatchOver, NotAllowed."""
    board = at.open(number)
    board.check_running()
    clock = board.match.timed_clock
    if clock is None:
        raise NotAllowed(f"Board {number} has no clock.")
    return board, clock


def _reopen(board: OpenBoard, kept: int) -> None:
    """Let the board go on after `kept` plies, with the time that each player had then."""
    plies, reopened = len(board.match.record), board.match.result is not None
    event: Event = MatchCorrected(board.match.board, None, kept + 1 if kept < plies else 0, reopened)
    if reopened:
        board.reopen(event)
    if kept < plies:
        board.events = [each for each in board.events if each is not event]
        board.rewind(kept, event)
        board.set_clock(board.clock_anew())


def _extended(match: Match, clock: Clock, amount: int, now: datetime) -> Clock:
    """The clock with more time for both players."""
    for seat in (1, 2):
        clock = clock.given(seat, amount, now, match.calendars)
    return clock
