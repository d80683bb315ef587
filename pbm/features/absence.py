"""Times when a player's clocks stand still: vacations, nights and weekends, and while no mail reaches them.

When these times change, each clock is first charged by the old ones, and then goes on by the new ones.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from games.rules import joined
from pbm.compose.notices import Answer
from pbm.core.bus import PlayerHeard, ReachChanged, subscribes
from pbm.core.clocks import calendar_changing, note_reach
from pbm.core.registry import handles, keeps
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.domain.calendars import Span, Stop, StopKind, check_allowance, days_taken
from pbm.domain.errors import BadArguments, NotAllowed, existing
from pbm.domain.match import Player
from pbm.domain.settings import Settings
from pbm.domain.spans import DAY
from pbm.reading.commands import Command
from pbm.reading.dates import lone_day, read_vacation
from pbm.reading.verbs import ACCOUNT, Entry, Verb
from pbm.store import Transaction
from pbm.store.house import Absence

_OVER = re.compile(r"(?:(?:is|was|has) )?(?:end|ended|cancel|cancelled|off|over)(?=[\s.!]*$|[,;.!] )", re.IGNORECASE)
"""Words after "vacation" that end it: "end", "is over, I'm back"."""


@subscribes(PlayerHeard)
def heard_from(event: PlayerHeard, tx: Transaction) -> None:
    """Note that mail reaches a player again, who has written from this address."""
    tx.bounces.alive(event.player.id, event.address)
    note_reach(tx, event.player, 0, event.reloads)


@subscribes(ReachChanged)
def reach_again(event: ReachChanged, tx: Transaction) -> None:
    note_reach(tx, event.player, 0)


@handles(
    Verb("vacation USERID PASSWORD [FROM] [TO...]", ACCOUNT, aliases=("away", "holiday"), bare=True, wordy=True),
    Entry(
        120, "let your clocks stand still for a time; alone it shows your vacations and what you have left of the year"
    ),
)
def vacation(request: Request, command: Command) -> Answer:
    player = request.author.who(command)
    words = " ".join(command.args[name] for name in ("FROM", "TO") if name in command.args)
    settings = Settings.chosen(request.tx.players.settings(player.id))
    own = _vacations(request, player)
    told = ""
    if _OVER.match(words):
        told = _end(request, player, own)
    elif words:
        day = lone_day(words, settings.zone, request.now)
        try:
            span = read_vacation(words, settings.zone, request.now)
            _check_apart(span, own, settings)
            check_allowance(span, map(_span, own), settings.zone, request.tools.house.vacation_days_per_year)
        except BadArguments as error:
            # A day by itself is the last one, which not everybody expects.
            if not day:
                raise
            raise BadArguments(
                f"{error} A day by itself is the last one. For that day alone:", f"vacation {day} 1d"
            ) from error
        with calendar_changing(request.tx, player.id, (board.reload for board in request.boards.in_hand)):
            request.tx.absences.add(player.id, Stop(StopKind.VACATION, *span))
        told = (
            f"Your vacation is noted, {_in_days(span, settings, request.now)}: your clocks stand still meanwhile, and "
            'the emails of your boards say so. "vacation end" takes it back.'
        )
        tournaments = joined(sorted(each.name for each in request.tx.tournaments.of_player(player.id)))
        # Rounds end on a day for everybody.
        if tournaments:
            told += f" Tournaments do not wait: games in {tournaments} are decided on the day that their emails name."
        if day:
            told += (
                f' "{day}" by itself is the last day: for that day alone, take it back, and send "vacation {day} 1d".'
            )
    return done(command, _overview(request, player, settings, told), "pbm: your vacations")


def _vacations(request: Request, player: Player) -> list[Absence]:
    """The vacations that count for the allowance of this year or a later one."""
    year = datetime(request.now.year - 1, 12, 30, tzinfo=UTC)
    return request.tx.absences.of(player.id, StopKind.VACATION, year)


def _span(absence: Absence) -> Span:
    assert absence.stop.ends_at is not None  # noqa: S101  every vacation ends
    return absence.stop.starts_at, absence.stop.ends_at


def _in_days(span: Span, settings: Settings, now: datetime) -> str:
    """The first and the last day of a span, with their years, in words."""
    first, last = (
        at.astimezone(settings.zone).strftime("%a %-d %b %Y") for at in (span[0], span[1] - timedelta.resolution)
    )
    return f"from {'now' if span[0] <= now else first} to {last}"


def _end(request: Request, player: Player, own: list[Absence]) -> str:
    """End the vacation the player is on, or else drop their next one. Raises: NotFound."""
    first = next((each for each in own if _span(each)[1] > request.now), None)
    mine = existing(first, "You are not on vacation, and have planned none.")
    with calendar_changing(request.tx, player.id, (board.reload for board in request.boards.in_hand)):
        request.tx.absences.end(mine, request.now)
    if mine.stop.starts_at >= request.now:
        return "Your next vacation is dropped."
    return "Your vacation is over, and your clocks run. The days left of it are yours again."


def _check_apart(span: Span, own: list[Absence], settings: Settings) -> None:
    """Raises: NotAllowed if the span overlaps a vacation."""
    for start, end in map(_span, own):
        if span[0] < end and start < span[1]:
            since, until = (at.astimezone(settings.zone).strftime("%a %-d %b %Y %H:%M") for at in (start, end))
            raise NotAllowed(f"You have a vacation from {since} until {until} already.", "vacation end")


def _overview(request: Request, player: Player, settings: Settings, told: str) -> str:
    own = [_span(each) for each in _vacations(request, player)]
    taken, days = days_taken(own, settings.zone), request.tools.house.vacation_days_per_year
    this_year = request.now.astimezone(settings.zone).year
    return request.outgoing.page(
        "vacation.txt",
        told=told,
        vacations=[span for span in own if span[1] > request.now],
        left={year: max(0, days * DAY - taken[year]) for year in (this_year, this_year + 1)},
        days=days,
        now=request.now,
        zone=settings.zone,
    )


CHANGES, CHANGES_WITHIN = 4, timedelta(days=14)
"""How often a player may change their nights and weekends within this time, so that it is not always night there."""
_CHANGED = "rests_changed"


@keeps("sleep", "weekend", "timezone")
def change_rests(request: Request, player: Player, settings: Settings, stored: Mapping[str, str]) -> None:
    """Save settings that may change a player's nights or weekends. Raises: NotAllowed if they change too often."""
    # No clock is moved by it, so none has to be charged before.
    if settings.rests == Settings.chosen(request.tx.players.settings(player.id)).rests:
        request.tx.players.save_settings(player.id, stored)
        return
    changes = [
        word for word in stored.get(_CHANGED, "").split() if datetime.fromisoformat(word) > request.now - CHANGES_WITHIN
    ]
    # To turn them off gives nobody more time.
    if not settings.rests.never:
        if len(changes) >= CHANGES:
            raise NotAllowed(
                f"You have changed your nights and weekends {CHANGES} times within {CHANGES_WITHIN.days} days; "
                "wait a little, or turn them off."
            )
        changes.append(request.now.isoformat())
    kept = {**stored, _CHANGED: " ".join(changes)}
    with calendar_changing(request.tx, player.id, (board.reload for board in request.boards.in_hand)):
        request.tx.players.save_settings(player.id, kept)
