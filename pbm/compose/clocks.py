"""The clocks of a board as its mails show them: a line for each player, and sentences on what stops a clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from pbm.compose.times import until
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import Clock
from pbm.domain.durations import brief
from pbm.domain.match import Match, Seat

_STOPPED = {
    StopKind.UNREACHABLE: "Mail to {who} comes back, so {his} clock stands still until {until} at most.",
    StopKind.OUTAGE: "Our mail does not go out at present, so no clock runs.",
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
    """What stops a clock, or does for either player as soon as he is to move; a sentence for each."""
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
        if stop is not None and not late and (stop.kind is not StopKind.OUTAGE or seat == 1):
            yield _stopped(stop, words, zone)
        elif seat == clock.seat and not late and not clock.control.strict:
            resting = calendar.rests.resting(now)
            if resting:
                yield f"{_RESTING[resting]}, so {{his}} clock stands still.".format_map(words)


def _stopped(stop: Stop, words: dict[str, Any], zone: ZoneInfo) -> str:
    ends = until(stop.ends_at, zone) if stop.ends_at else ""
    sentence = _STOPPED.get(stop.kind, "{Who} {is_} on vacation until {until}; {his} clock stands still.")
    return sentence.format_map({**words, "until": ends})


def _words(match: Match, seat: Seat, reader: Seat | None) -> dict[str, Any]:
    """How a sentence speaks of a player to the reader."""
    userid = match.player(seat).userid
    if seat == reader:
        return {"who": "you", "Who": "You", "who_s": "your", "is_": "are", "his": "your"}
    return {"who": userid, "Who": userid, "who_s": f"{userid}'s", "is_": "is", "his": "his"}
