"""Verbs about time: what a player does when his opponent's is up, gifts, pauses, vacations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from pbm.compose import Answer
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import MOST, Clock
from pbm.domain.commands import Command
from pbm.domain.durations import DAY, HOUR, in_words, read_duration
from pbm.domain.errors import BadArguments, NotAllowed, NotFound
from pbm.domain.events import TimeGiven
from pbm.domain.match import OfferKind, Player, other
from pbm.domain.settings import Settings
from pbm.domain.vacations import Span, check_allowance, days_taken, read_vacation
from pbm.service import timing
from pbm.service.handling import Handling
from pbm.service.tables import Table
from pbm.service.verbs.offers import ask
from pbm.service.verbs.registry import done, handles
from pbm.store.absences import Absence

LARGEST_GIFT = 60 * DAY
CHANGES, CHANGES_WITHIN = 4, timedelta(days=14)
"""How often a player may move his nights and weekends, lest it is always night where he is."""
_CHANGED = "rests_changed"


@handles("claim")
def claim(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    wish = command.args.get("RESULT", "win").casefold()
    if wish not in ("win", "draw"):
        raise BadArguments(f'"{command.args["RESULT"]}" cannot be claimed: write claim, or claim draw.')
    clock = _clock(table)
    if clock.overrun_at is None and clock.expired(table.now, table.match.calendars):
        timing.call_time(table, handling.tools.limits)
        if table.match.result is not None:
            return None
        clock = _clock(table)
    late = table.match.player(clock.seat)
    if clock.overrun_at is None:
        left = in_words(clock.remaining(clock.seat, table.now, table.match.calendars))
        raise NotAllowed(f"Nobody's time is up: {late.userid} is to move and has {left} left.")
    if table.match.player(seat) == late and table.match.player(other(seat)) != late:
        raise NotAllowed("It is your own time that is up. You may still move until your opponent claims the game.")
    timing.claim(table, draw=wish == "draw")
    return None


@handles("give")
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


@handles("pause")
def pause(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    clock = _clock(table)
    if clock.paused:
        raise NotAllowed('The game is paused already. "resume" lets the clocks go on.', "resume")
    if clock.overrun_at is not None:
        raise NotAllowed(f"The time of {table.match.player(clock.seat).userid} is up, so there is nothing to pause.")
    ask(table, seat, OfferKind.PAUSE)
    return None


@handles("resume")
def resume(handling: Handling, command: Command) -> Answer | None:
    table, seat = handling.seated(command)
    if not _clock(table).paused:
        raise NotAllowed(f"Board {table.match.board} is not paused.", "pause")
    timing.resume(table, seat)
    return None


def _clock(table: Table) -> Clock:
    """Raises: MatchOver; NotAllowed where there is none."""
    table.check_running()
    clock = table.match.clock
    if clock is None or not clock.control.timed:
        raise NotAllowed(f"Board {table.match.board} has no clock: everybody takes the time he takes.")
    return clock


@handles("vacation")
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
        with timing.calendar_changing(handling.tx, player.id, handling.now, handling.tables):
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
    with timing.calendar_changing(handling.tx, player.id, handling.now, handling.tables):
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
    with timing.calendar_changing(handling.tx, player.id, handling.now, handling.tables):
        handling.tx.players.save_settings(player.id, kept)
