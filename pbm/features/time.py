"""The clocks of boards: pausing, giving time, claiming; and what is done when a board falls due.

The stored instant at which a board falls due may be too early, because everybody gets more time after an outage. So
each due board is looked at again, and put off if its time has not come.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from pbm.core.board import OpenBoard
from pbm.core.bus import ReminderDue, publish
from pbm.core.clocks import call_time, end_on_time, let_run
from pbm.core.decisions import ask, grants
from pbm.core.notify import Desk, tell_players
from pbm.core.registry import handles
from pbm.core.request import Request
from pbm.domain.calendars import Calendar
from pbm.domain.clock import MOST, Clock
from pbm.domain.configuration import HouseRules
from pbm.domain.errors import BadArguments, NotAllowed, Unreadable
from pbm.domain.events import ClocksPaused, TimeGiven
from pbm.domain.match import LOOK_AGAIN, OfferKind, Seat, other, reminder_at
from pbm.domain.spans import DAY, HOUR, in_words, read_duration, rounded
from pbm.reading.commands import Command
from pbm.reading.verbs import PLAYING, Alteration, Entry, Verb
from pbm.store import Transaction

_INSTANT = timedelta(microseconds=1)
_KEPT = timedelta(days=1)


def attend(at: Desk, number: int) -> None:
    """Do what a board is due for: remind, declare that time is up, end a pause that lasted long enough, or the game."""
    tx, tools = at.tx, at.tools
    try:
        board = at.open(number)
    except Unreadable:
        _spare(tx, number)
        return
    clock = board.match.clock
    if clock is None:
        tx.matches.put_off(number, None)
        return
    # It falls due only when the longest pause is over.
    if clock.paused:
        let_run(board, None)
    elif clock.overrun_at is not None:
        _end_at_last(board, clock, clock.overrun_at, tools.house)
    elif clock.expired(tx.now, board.match.calendars):
        call_time(board, clock, tools.house)
    else:
        fresh = clock.refreshed(board.match.calendars)
        due_at = reminder_at(board.match, fresh, (clock.due_at or tx.now) - _INSTANT)
        # Time may have been given, or have stood still, since the reminder was planned.
        if due_at is not None and due_at <= tx.now:
            publish(ReminderDue(board.match.player(clock.seat), number), tx)
        board.set_clock(fresh)
    if board.events:
        at.owe(tell_players(at, board))


def _spare(tx: Transaction, number: int) -> None:
    """Leave the player to move at least a day, because nobody can play on a board that cannot be read."""
    match = tx.matches.load(number)
    assert match is not None  # noqa: S101  it is there, and cannot be read
    clock, now, calendars = match.clock, tx.now, match.calendars
    deadline = clock.deadline(calendars) if clock and not clock.paused and clock.overrun_at is None else None
    if clock is not None and deadline is not None and deadline < now + _KEPT:
        clock = clock.given(clock.seat, (now + _KEPT - deadline) // _INSTANT, now, calendars)
        tx.matches.set_clocks({match.board: clock})
    tx.matches.put_off(match.board, now + LOOK_AGAIN)


def _end_at_last(board: OpenBoard, clock: Clock, called_at: datetime, house: HouseRules) -> None:
    """End a game whose time is up, if its opponent has not chosen within the promised time, not counting outages."""
    outages = tuple(stop for stop in board.match.stops[0] if stop.kind.is_ours)
    over_at = Calendar(stops=outages).deadline(called_at, house.claim_days * DAY)
    if over_at is not None and over_at <= board.now:
        end_on_time(board, clock, waited=True)
    else:
        board.tx.matches.put_off(board.match.board, over_at or board.now + LOOK_AGAIN)


@grants(OfferKind.PAUSE)
def grant_pause(request: Request, board: OpenBoard, seat: Seat) -> None:
    """Stop the clocks, for `pause_days` at most; the seat has agreed to it."""
    clock, now = board.match.clock, board.now
    assert clock is not None  # noqa: S101  nothing else is asked for
    board.set_offer(None)
    paused = clock.with_pause(True, now, board.match.calendars)
    board.set_clock(paused._replace(due_at=now + timedelta(days=request.tools.house.pause_days)))
    board.events.append(ClocksPaused(board.match.board, seat))


LARGEST_GIFT = 60 * DAY


@handles(
    Verb("GAME claim BOARD USERID PASSWORD [RESULT]", PLAYING, alters=Alteration(), wordy=True),
    Entry(120, "win a game on time, once your opponent's is up; claim draw takes a draw instead"),
)
def claim(request: Request, command: Command) -> None:
    board, seat = request.author.seated(command)
    wish = command.args.get("RESULT", "win").casefold()
    if wish not in ("win", "draw"):
        raise BadArguments(f'"{command.args["RESULT"]}" cannot be claimed: write claim, or claim draw.')
    clock = _clock(board)
    # The agenda looks each second at the earliest, and a claim may come between.
    if clock.overrun_at is None and clock.expired(board.now, board.match.calendars):
        call_time(board, clock, request.tools.house)
        if board.match.result is not None:
            return
        clock = _clock(board)
    late = board.match.player(clock.seat)
    if clock.overrun_at is None:
        left = in_words(rounded(clock.remaining(clock.seat, board.now, board.match.calendars)))
        raise NotAllowed(f"Nobody's time is up: {late.userid} is to move and has {left} left.")
    # Somebody who plays both sides may claim from either.
    if board.match.player(seat) == late and board.match.player(other(seat)) != late:
        raise NotAllowed("It is your own time that is up. You may still move until your opponent claims the game.")
    end_on_time(board, clock, draw=wish == "draw")


@handles(
    Verb("GAME give BOARD USERID PASSWORD TIME", PLAYING, alters=Alteration(asks=True), wordy=True),
    Entry(130, "give your opponent more time, such as 3d, whenever you like"),
)
def give(request: Request, command: Command) -> None:
    board, seat = request.author.seated(command)
    amount, opponent, clock = read_duration(command.args["TIME"]), other(seat), _clock(board)
    if not HOUR <= amount <= LARGEST_GIFT:
        text = f'"{command.args["TIME"]}" is not allowed: give {in_words(HOUR)} to {in_words(LARGEST_GIFT)} at once.'
        raise BadArguments(text)
    has = clock.remaining(opponent, board.now, board.match.calendars)
    if has + amount > MOST:
        raise NotAllowed(
            f"{board.match.player(opponent).userid} has {in_words(rounded(has))}; nobody has more than a year."
        )
    board.set_clock(clock.given(opponent, amount, board.now, board.match.calendars))
    board.events.append(TimeGiven(board.match.board, seat, amount))


@handles(
    Verb("GAME pause BOARD USERID PASSWORD", PLAYING, alters=Alteration(asks=True), wordy=True),
    Entry(140, "ask your opponent to let both clocks stand still until one of you resumes"),
)
def pause(request: Request, command: Command) -> None:
    board, seat = request.author.seated(command)
    clock = _clock(board)
    if clock.paused:
        raise NotAllowed('The game is paused already. "resume" lets the clocks go on.', "resume")
    # A pause would only delay what the opponent may claim already.
    if clock.overrun_at is not None:
        raise NotAllowed(f"The time of {board.match.player(clock.seat).userid} is up, so there is nothing to pause.")
    ask(board, seat, OfferKind.PAUSE)


@handles(Verb("GAME resume BOARD USERID PASSWORD", PLAYING, alters=Alteration(), wordy=True), Entry(150, "end a pause"))
def resume(request: Request, command: Command) -> None:
    board, seat = request.author.seated(command)
    if not _clock(board).paused:
        raise NotAllowed(f"Board {board.match.board} is not paused.")
    let_run(board, seat)


def _clock(board: OpenBoard) -> Clock:
    """The running clock of a board. Raises: MatchOver; NotAllowed if the board has none."""
    board.check_running()
    clock = board.match.timed_clock
    if clock is None:
        raise NotAllowed(f"Board {board.match.board} has no clock: all players take the time they want.")
    return clock
