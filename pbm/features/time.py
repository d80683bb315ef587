"""What stops clocks and lets them go on, and what happens to a board when its time has come.

An instant that was worked out for a board may be overtaken: by an outage, after which everybody has more time. So
whatever falls due is looked at anew, and put off if its time has not come after all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import structlog

from pbm.compose import Answer
from pbm.core.board import Table
from pbm.core.bus import PlayerHeard, ReachChanged, ReminderDue, Renewable, publish, subscribes
from pbm.core.notify import Limits, Tools, tell_players
from pbm.core.offers import ask, grants
from pbm.core.registry import handles, keeps
from pbm.core.replies import done
from pbm.core.request import Handling
from pbm.domain.calendars import Calendar, Stop, StopKind
from pbm.domain.clock import MOST, Clock
from pbm.domain.commands import Command
from pbm.domain.due import LOOK_AGAIN, reminder_at, with_clock
from pbm.domain.durations import DAY, HOUR, in_words, read_duration
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import ClocksPaused, ClocksResumed, TimeClaimed, TimeGiven, TimeoutUndone, TimeUp
from pbm.domain.match import Ending, IntentKind, Match, OfferKind, Player, Result, Seat, other
from pbm.domain.settings import Settings
from pbm.domain.vacations import Span, check_allowance, days_taken, read_vacation
from pbm.domain.verbs import ACCOUNT, PLAYING, Locks, Verb
from pbm.store import Transaction
from pbm.store.absences import Absence

log = structlog.get_logger()

_INSTANT = timedelta(microseconds=1)
_YEAR = timedelta(days=365)
_ON_TIME = "on time"
_NO_SHOW = "did not make his first move in time"
"""How the reason of a result begins, or ends, when time was up."""


def attend(tx: Transaction, tools: Tools, board: int, now: datetime) -> None:
    """Do what a board needs the server for: remind, call the time, end a pause that was long enough, or the game."""
    table = Table.load(tx, tools.states, board, now)
    clock = table.match.clock
    if clock is None:
        tx.matches.put_off(board, None)
        return
    if clock.paused:
        let_run(table, None)
    elif clock.overrun_at is not None:
        _end_at_last(table, clock.overrun_at, tools.limits)
    elif clock.expired(now, table.match.calendars):
        call_time(table, tools.limits)
    else:
        _remind(table, clock)
    if table.events:
        tx.outbox.add(tell_players(tx, tools, table), now)


def _end_at_last(table: Table, called_at: datetime, limits: Limits) -> None:
    """The opponent had as long to choose as is promised, outages not counted, and has not."""
    outages = tuple(stop for stop in table.match.stops[0] if stop.kind is StopKind.OUTAGE)
    over_at = Calendar(stops=outages).deadline(called_at, limits.claim_days * DAY)
    if over_at is not None and over_at <= table.now:
        end_on_time(table, waited=True)
    else:
        table.tx.matches.put_off(table.match.board, over_at or table.now + LOOK_AGAIN)


def _remind(table: Table, clock: Clock) -> None:
    fresh, now = clock.refreshed(table.match.calendars), table.now
    due_at = reminder_at(table.match, fresh, (clock.due_at or now) - _INSTANT)
    if due_at is not None and due_at <= now:
        publish(ReminderDue(table.match.player(clock.seat), table.match.board), table.tx, now)
    table.set_clock(fresh)


def call_time(table: Table, limits: Limits) -> None:
    """The time of the player to move is up; before his own first move, the game is void.

    In an event both is a loss at once, so that nobody's choice holds up a round. Who has sent a move that still waits
    was in time, though his nights or vacations have changed since: it is played first.
    """
    match, clock, now = table.match, table.match.clock, table.now
    assert clock is not None  # noqa: S101  who calls has seen it
    if any(intent.kind is IntentKind.HOLD for intent in table.intents(clock.seat)):
        table.tx.agenda.put(IntentKind.HOLD, f"{match.board}:{clock.seat}", min(now, clock.due_at or now) - _INSTANT)
        return
    late = match.player(clock.seat)
    if match.event:
        table.end(
            Result(Ending.FORFEIT, other(clock.seat), _ON_TIME), TimeClaimed(match.board, clock.seat, waited=True)
        )
        return
    if all(ply.seat != clock.seat for ply in match.record):
        result = Result(Ending.VOID, None, f"{late.userid} {_NO_SHOW}")
        table.end(result, TimeUp(match.board, clock.seat, no_show=True))
        return
    over = clock.charged(now, match.calendars)
    due_at = now + timedelta(days=limits.claim_days)
    table.set_clock(replace(over, deadline_at=clock.deadline(match.calendars), overrun_at=now, due_at=due_at))
    table.events.append(TimeUp(match.board, clock.seat))


def end_on_time(table: Table, *, draw: bool = False, waited: bool = False) -> None:
    """End a game whose time is up. draw: as its opponent wishes; waited: he has not said what he wishes."""
    match, clock = table.match, table.match.clock
    assert clock is not None  # noqa: S101  who calls has seen it
    late, seat = clock.seat, other(clock.seat)
    reason = f"{_ON_TIME}, as {match.player(seat).userid} chose" if draw else _ON_TIME
    result = Result(Ending.FORFEIT, None if draw else seat, reason)
    table.end(result, TimeClaimed(match.board, late, draw, waited))


def undo_timeout(table: Table) -> None:
    """Take back that somebody's time was up; the turn begins anew, with what was left at the last move.

    Raises: NotAllowed unless the time was called and nothing else has ended the game.
    """
    match, now = table.match, table.now
    if not _timed_out(match):
        raise NotAllowed(f"Nobody's time was up on board {match.board}, or something else has ended the game.")
    had = [next((ply.time_left for ply in reversed(match.record) if ply.seat == seat), None) for seat in (1, 2)]
    calendars = match.calendars
    clock = Clock.anew(match.control, table.state.to_move, (had[0], had[1]), now, calendars)
    undone = TimeoutUndone(match.board)
    if match.result is None:
        table.set_clock(clock)
        table.events.append(undone)
    else:
        table.reopen(clock, undone)


def _timed_out(match: Match) -> bool:
    if match.result is None:
        return match.clock is not None and match.clock.overrun_at is not None
    lost = match.result.ending is Ending.FORFEIT and match.result.reason.startswith(_ON_TIME)
    return lost or (match.result.ending is Ending.VOID and match.result.reason.endswith(_NO_SHOW))


@grants(OfferKind.PAUSE)
def grant_pause(handling: Handling, table: Table, seat: Seat) -> None:
    """The seat agrees to what its opponent asked: the clocks stand still, for so long at most."""
    clock, now = table.match.clock, table.now
    assert clock is not None  # noqa: S101  nothing else is asked for
    table.set_offer(None)
    paused = clock.with_pause(True, now, table.match.calendars)
    table.set_clock(replace(paused, due_at=now + timedelta(days=handling.tools.limits.pause_days)))
    table.events.append(ClocksPaused(table.match.board, seat))


def let_run(table: Table, seat: Seat | None) -> None:
    """The clocks go on from where they stopped. seat: who wished it; None for the server."""
    clock = table.match.clock
    assert clock is not None  # noqa: S101  who calls has seen it
    table.set_clock(clock.with_pause(False, table.now, table.match.calendars))
    table.events.append(ClocksResumed(table.match.board, seat))


@contextmanager
def calendar_changing(
    tx: Transaction, player_id: int, now: datetime, tables: Iterable[Renewable] = ()
) -> Iterator[None]:
    """Around a change of when a player's clocks run: until now they run by what was, then by what is.

    tables: boards that are in hand already.
    """
    boards = tx.matches.ticking(player_id)
    for board in boards:
        match = tx.matches.load(board)
        if match is not None and match.clock is not None:
            tx.matches.set_clock(board, match.clock.charged(now, match.calendars))
    tx.matches.forget()
    yield
    for board in boards:
        match = tx.matches.load(board)
        if match is not None and match.clock is not None:
            clock = with_clock(match, match.clock.refreshed(match.calendars), now).clock
            assert clock is not None  # noqa: S101  it was there
            tx.matches.set_clock(board, clock)
    tx.matches.forget()
    for table in tables:
        table.renew()


@subscribes(PlayerHeard)
def heard_from(event: PlayerHeard, tx: Transaction, now: datetime) -> None:
    """A player who writes from an address of theirs is reached by mail again, should that have been in doubt."""
    if tx.bounces.alive(event.player.id, event.address):
        note_reach(tx, event.player, 0, now, event.boards)


@subscribes(ReachChanged)
def reach_again(event: ReachChanged, tx: Transaction, now: datetime) -> None:
    note_reach(tx, event.player, 0, now)


def note_reach(tx: Transaction, player: Player, days: int, now: datetime, tables: Iterable[Renewable] = ()) -> None:
    """A player's clocks stand still while no mail gets to him, so many days within a year; call it when that changes.

    Who lets mail come back again and again has no more time by it.
    """
    known = [each.stop for each in tx.absences.of(player.id, StopKind.UNREACHABLE, now - _YEAR)]
    left = timedelta(days=days) - sum(((stop.ends_at or now) - stop.starts_at for stop in known), timedelta())
    open_ = [each for each in tx.absences.of(player.id, StopKind.UNREACHABLE, now) if each.stop.holds(now)]
    unreachable = tx.players.unreachable(player.id)
    if unreachable == bool(open_):
        return
    with calendar_changing(tx, player.id, now, tables):
        for absence in open_:
            tx.absences.end(absence, now)
        if unreachable and left > timedelta():
            tx.absences.add(player.id, Stop(StopKind.UNREACHABLE, now, now + left))


LARGEST_GIFT = 60 * DAY
CHANGES, CHANGES_WITHIN = 4, timedelta(days=14)
"""How often a player may move his nights and weekends, lest it is always night where he is."""
_CHANGED = "rests_changed"


@handles(
    Verb(
        "claim",
        "BOARD USERID PASSWORD [RESULT]",
        "win a game on time, once your opponent's is up; claim draw takes a draw instead",
        PLAYING,
        Locks.HOUSE,
        rank=120,
        per_game=True,
        alters=True,
        wordy=True,
    )
)
def claim(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    wish = command.args.get("RESULT", "win").casefold()
    if wish not in ("win", "draw"):
        raise BadArguments(f'"{command.args["RESULT"]}" cannot be claimed: write claim, or claim draw.')
    clock = _clock(table)
    if clock.overrun_at is None and clock.expired(table.now, table.match.calendars):
        call_time(table, handling.tools.limits)
        if table.match.result is not None:
            return None
        clock = _clock(table)
    late = table.match.player(clock.seat)
    if clock.overrun_at is None:
        left = in_words(clock.remaining(clock.seat, table.now, table.match.calendars))
        raise NotAllowed(f"Nobody's time is up: {late.userid} is to move and has {left} left.")
    if table.match.player(seat) == late and table.match.player(other(seat)) != late:
        raise NotAllowed("It is your own time that is up. You may still move until your opponent claims the game.")
    end_on_time(table, draw=wish == "draw")
    return None


@handles(
    Verb(
        "give",
        "BOARD USERID PASSWORD TIME",
        "give your opponent more time, such as 3d, whenever you like",
        PLAYING,
        Locks.HOUSE,
        rank=130,
        per_game=True,
        alters=True,
        wordy=True,
    )
)
def give(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    amount, opponent, clock = read_duration(command.args["TIME"]), other(seat), _clock(table)
    if not HOUR <= amount <= LARGEST_GIFT:
        text = f'"{command.args["TIME"]}" does not do: give {in_words(HOUR)} to {in_words(LARGEST_GIFT)} at once.'
        raise BadArguments(text)
    has = clock.remaining(opponent, table.now, table.match.calendars)
    if has + amount > MOST:
        raise NotAllowed(f"{table.match.player(opponent).userid} has {in_words(has)}; nobody has more than a year.")
    table.set_clock(clock.given(opponent, amount, table.now, table.match.calendars))
    table.events.append(TimeGiven(table.match.board, seat, amount))
    return None


@handles(
    Verb(
        "pause",
        "BOARD USERID PASSWORD",
        "ask your opponent to let both clocks stand still until one of you resumes",
        PLAYING,
        Locks.HOUSE,
        rank=140,
        per_game=True,
        alters=True,
        wordy=True,
    )
)
def pause(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    clock = _clock(table)
    if clock.paused:
        raise NotAllowed('The game is paused already. "resume" lets the clocks go on.', "resume")
    if clock.overrun_at is not None:
        raise NotAllowed(f"The time of {table.match.player(clock.seat).userid} is up, so there is nothing to pause.")
    ask(table, seat, OfferKind.PAUSE)
    return None


@handles(
    Verb(
        "resume",
        "BOARD USERID PASSWORD",
        "end a pause",
        PLAYING,
        Locks.HOUSE,
        rank=150,
        per_game=True,
        alters=True,
        wordy=True,
    )
)
def resume(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    if not _clock(table).paused:
        raise NotAllowed(f"Board {table.match.board} is not paused.", "pause")
    let_run(table, seat)
    return None


def _clock(table: Table) -> Clock:
    """Raises: MatchOver; NotAllowed where there is none."""
    table.check_running()
    clock = table.match.clock
    if clock is None or not clock.control.timed:
        raise NotAllowed(f"Board {table.match.board} has no clock: everybody takes the time he takes.")
    return clock


@handles(
    Verb(
        "vacation",
        "USERID PASSWORD [FROM] [TO...]",
        "let your clocks stand still for a time; alone it shows your vacations and what you have left of the year",
        ACCOUNT,
        Locks.HOUSE,
        rank=120,
        bare=True,
        wordy=True,
    )
)
def vacation(handling: Handling, command: Command) -> Answer | None:
    player = handling.who(command)
    words = " ".join(command.args[name] for name in ("FROM", "TO") if name in command.args)
    settings = Settings.chosen(handling.tx.players.settings(player.id))
    own = _vacations(handling, player)
    told = ""
    if words.casefold() in ("end", "cancel", "off"):
        told = _end(handling, player, own)
    elif words:
        span = read_vacation(words, settings.zone, handling.now)
        _check_apart(span, own, settings)
        check_allowance(span, map(_span, own), settings.zone, handling.tools.limits.vacation_days_per_year)
        with calendar_changing(handling.tx, player.id, handling.now, handling.tables):
            handling.tx.absences.add(player.id, Stop(StopKind.VACATION, *span))
        told = "Your vacation is noted: your clocks stand still meanwhile, and the mails of your boards tell it."
    return done(command, _overview(handling, player, settings, told), "pbm: your vacations")


def _vacations(handling: Handling, player: Player) -> list[Absence]:
    """Those that count for this year's allowance or a later one's."""
    year = datetime(handling.now.year - 1, 12, 30, tzinfo=UTC)
    return handling.tx.absences.of(player.id, StopKind.VACATION, year)


def _span(absence: Absence) -> Span:
    assert absence.stop.ends_at is not None  # noqa: S101  every vacation ends
    return absence.stop.starts_at, absence.stop.ends_at


def _end(handling: Handling, player: Player, own: list[Absence]) -> str:
    """End the vacation the player is on, or else drop his next one. Raises: NotFound."""
    mine = next((each for each in own if _span(each)[1] > handling.now), None)
    if mine is None:
        raise NotFound("You are not on vacation, and have planned none.", "vacation FROM TO")
    with calendar_changing(handling.tx, player.id, handling.now, handling.tables):
        handling.tx.absences.end(mine, handling.now)
    if mine.stop.starts_at >= handling.now:
        return "Your next vacation is dropped."
    return "Your vacation is over, and your clocks run. What is left of it you have again."


def _check_apart(span: Span, own: list[Absence], settings: Settings) -> None:
    """Raises: NotAllowed."""
    for start, end in map(_span, own):
        if span[0] < end and start < span[1]:
            since, until = (at.astimezone(settings.zone).strftime("%a %-d %b %Y %H:%M") for at in (start, end))
            raise NotAllowed(f"You have a vacation from {since} until {until} already.", "vacation end")


def _overview(handling: Handling, player: Player, settings: Settings, told: str) -> str:
    own = [_span(each) for each in _vacations(handling, player)]
    taken, days = days_taken(own, settings.zone), handling.tools.limits.vacation_days_per_year
    this_year = handling.now.astimezone(settings.zone).year
    return handling.tools.composer.pages.render(
        "vacation.txt",
        told=told,
        vacations=[span for span in own if span[1] > handling.now],
        left={year: max(0, days * DAY - taken[year]) for year in (this_year, this_year + 1)},
        days=days,
        now=handling.now,
        zone=settings.zone,
    ).rstrip("\n")


@keeps("sleep", "weekend", "timezone")
def change_rests(handling: Handling, player: Player, settings: Settings, stored: Mapping[str, object]) -> None:
    """Save settings by which a player's nights or weekends change; not too often. Raises: NotAllowed."""
    known = stored.get(_CHANGED)
    changes = [
        word for word in str(known or "").split() if datetime.fromisoformat(word) > handling.now - CHANGES_WITHIN
    ]
    if not settings.rests.never:
        if len(changes) >= CHANGES:
            raise NotAllowed(
                f"You have changed your nights and weekends {CHANGES} times within {CHANGES_WITHIN.days} days; "
                "wait a little, or turn them off."
            )
        changes.append(handling.now.isoformat())
    kept = {**{name: str(value) for name, value in stored.items()}, _CHANGED: " ".join(changes)}
    with calendar_changing(handling.tx, player.id, handling.now, handling.tables):
        handling.tx.players.save_settings(player.id, kept)
