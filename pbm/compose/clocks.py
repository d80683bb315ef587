"""Times as the readers of a mail are told them: instants on the clock of their own wall, and the clocks of a board."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import Calendar, Event

from games import GAMES
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import Clock
from pbm.domain.match import Match, Player, Seat
from pbm.domain.spans import DAY, HOUR, brief, in_words


def moment(at: datetime, zone: ZoneInfo) -> str:
    """Such as "Tue 24 Nov 08:00"."""
    local = at.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


@lru_cache(maxsize=500)
def until(at: datetime, zone: ZoneInfo) -> str:
    """With the name of the zone, such as "Tue 24 Nov 08:00 CET"."""
    return f"{moment(at, zone)} {at.astimezone(zone):%Z}"


def day(at: datetime, zone: ZoneInfo) -> str:
    """Such as "24 November"."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B}"


def lasting(time: timedelta) -> str:
    """Such as "2 days 5 hours" or "5 hours 10 minutes"; never more than it is, and never less than nothing."""
    length = max(0, time // timedelta(microseconds=1))
    return in_words(length // HOUR * HOUR if length >= DAY else length)


_STOPPED = {
    StopKind.UNREACHABLE: "Mail to {who} comes back, so {their} clock stands still until {until} at most.",
    StopKind.OUTAGE: "Our mail does not go out at present, so no clock runs.",
    StopKind.HALT: "The operator has stopped all clocks.",
    StopKind.MAINTENANCE: "The server is being looked after, so no clock runs.",
}
_RESTING = {"sleep": "It is night where {who} {is_}", "weekend": "It is {who_s} weekend"}


def clock_lines(match: Match, zone: ZoneInfo, now: datetime) -> list[str]:
    """What each player has left, and until when that is; nothing where there is no clock. zone: of the reader."""
    clock = match.clock
    if clock is None or not clock.control.timed:
        return []
    width = max(len(player.userid) for player in match.players)
    return [
        f"{head:<6} {match.player(seat).userid:<{width}}  {_standing(match, clock, seat, zone, now)}"
        for seat, head in ((1, "Clock"), (2, ""))
    ]


def _standing(match: Match, clock: Clock, seat: Seat, zone: ZoneInfo, now: datetime) -> str:
    left = brief(clock.remaining(seat, now, match.calendars))
    if clock.paused or seat != clock.seat:
        return left
    if clock.overrun_at is not None:
        return "time is up"
    deadline = clock.deadline(match.calendars)
    return f"{left}, until {until(deadline, zone)}" if deadline else left


def standstills(match: Match, reader: Seat | None, zone: ZoneInfo, now: datetime) -> Iterator[str]:
    """What stops a clock, or does for either player as soon as they are to move; a sentence for each."""
    clock = match.clock
    if clock is None or not clock.control.timed:
        return
    if clock.paused:
        most = f" until {until(clock.due_at, zone)} at most" if clock.due_at else ""
        yield f'The game is paused{most}; "resume" lets the clocks go on.'
        return
    for seat in (1, 2):
        calendar = match.calendars[seat - 1]
        stop = calendar.stopped_by(now)
        words = _words(match, seat, reader)
        late = seat == clock.seat and clock.overrun_at is not None
        if stop is not None and not late and (not stop.kind.is_ours or seat == 1):
            yield _stopped(stop, words, zone)
        elif seat == clock.seat and not late and not clock.control.strict:
            resting = calendar.rests.resting(now)
            if resting:
                yield f"{_RESTING[resting]}, so {{their}} clock stands still.".format_map(words)


def _stopped(stop: Stop, words: dict[str, Any], zone: ZoneInfo) -> str:
    ends = until(stop.ends_at, zone) if stop.ends_at else ""
    sentence = _STOPPED.get(stop.kind, "{Who} {is_} on vacation until {until}; {their} clock stands still.")
    return sentence.format_map({**words, "until": ends})


def _words(match: Match, seat: Seat, reader: Seat | None) -> dict[str, Any]:
    """How a sentence speaks of a player to the reader."""
    userid = match.player(seat).userid
    if seat == reader:
        return {"who": "you", "Who": "You", "who_s": "your", "is_": "are", "their": "your"}
    return {"who": userid, "Who": userid, "who_s": f"{userid}'s", "is_": "is", "their": "their"}


SHOWN = timedelta(minutes=15)
"""How long an event is, so that programs show it: it ends when the time does."""


def calendar_of(matches: Sequence[Match], player: Player, domain: str, now: datetime) -> str:
    """The file, its lines folded and ended by CRLF. matches: each with a deadline, of the player or their opponent.

    A calendar that imports a later file shows the entry of a board moved and not doubled: its UID stays and its
    SEQUENCE, the seconds since the game began, grows.
    """
    calendar = Calendar()
    calendar.add("prodid", "-//pbm//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    for match in matches:
        calendar.add_component(_event(match, player, domain, now))
    content: bytes = calendar.to_ical()
    return content.decode()


def _event(match: Match, player: Player, domain: str, now: datetime) -> Event:
    clock = match.clock
    assert clock is not None  # noqa: S101  there is a deadline
    assert clock.deadline_at is not None  # noqa: S101  there is a deadline
    mine = match.player(clock.seat) == player
    whose = "your" if mine else f"{match.player(clock.seat).userid}'s"
    title = f"{GAMES[match.game].info.title} Board {match.board}"
    event = Event()
    event.add("uid", f"board-{match.board}-{player.userid.lower()}@{domain}")
    event.add("sequence", max(0, int((now - match.started_at).total_seconds())))
    event.add("dtstamp", now.replace(microsecond=0))
    event.add("dtstart", clock.deadline_at.replace(microsecond=0) - SHOWN)
    event.add("dtend", clock.deadline_at.replace(microsecond=0))
    event.add("summary", f"{title}: {whose} time is over")
    event.add("description", f"Ply {len(match.record) + 1} of {'-'.join(each.userid for each in match.players)}.")
    event.add("transp", "TRANSPARENT")
    return event
