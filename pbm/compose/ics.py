"""The ends of a player's time as a calendar file (RFC 5545): an event for each board, which a later file moves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from icalendar import Calendar, Event

from games import GAMES
from pbm.domain.match import Match, Player

SHOWN = timedelta(minutes=15)
"""How long an event is, so that programs show it: it ends when the time does."""


def calendar_of(matches: Sequence[Match], player: Player, domain: str, now: datetime) -> str:
    """The file, its lines folded and ended by CRLF. matches: each with a deadline, of the player or his opponent.

    Whoever imports a later file sees the event of a board moved and not doubled: its UID stays and its SEQUENCE, the
    seconds since the game began, grows.
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
