"""What pages show: a board with its drawing, picture, moves and clocks, each computed once for all readers; also lines
of text, and times.

Times are wall-clock times in the reader's own zone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from games import GAMES
from games.rules import Stepwise, notations
from games.scene import PlaneBoard, Scene
from pbm import draw
from pbm.compose import cells, machine, spoken
from pbm.compose.cells import Table
from pbm.compose.html import NARROWEST, WIDTH
from pbm.compose.machine import MAX_MOVES
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.clock import Calendars, Clock
from pbm.domain.match import SWAP, Match, Player, Seat, State
from pbm.domain.spans import brief, in_words, rounded
from pbm.draw import words
from pbm.draw.colours import Picture


def plain(state: State) -> str:
    """The board in ASCII, as shown by default."""
    return draw.text(state.scene)


def wrapped(text: str, indent: int = 0) -> str:
    """The text with every line wrapped at blanks and indented; empty lines are kept."""
    margin = " " * indent
    return "\n".join([_filled(line, margin) for line in text.splitlines()])


def _filled(line: str, margin: str) -> str:
    # Most lines are short enough, and textwrap is slow.
    if line.isprintable() and len(margin) + len(line) <= WIDTH and not line.endswith(" "):
        return margin + line if line else ""
    return textwrap.fill(line, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)


MAX_QUOTED_LINES = 30
"""How many lines of the original mail an answer quotes."""


def quotable(original: str) -> list[str]:
    """The lines to quote, limited in number and length."""
    lines = original.strip("\n").splitlines()
    shown = [line[:200] for line in lines[:MAX_QUOTED_LINES]]
    return [*shown, f"[{len(lines) - len(shown)} more lines]"] if len(lines) > len(shown) else shown


def moment(at: datetime, zone: ZoneInfo) -> str:
    """A local time, such as "Tue 24 Nov 08:00"."""
    local = at.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b %H:%M}"


def until(at: datetime, zone: ZoneInfo) -> str:
    """A local time with the zone, such as "Tue 24 Nov 08:00 CET"."""
    return f"{moment(at, zone)} {at.astimezone(zone):%Z}"


def day(at: datetime, zone: ZoneInfo) -> str:
    """A local day, such as "24 November"."""
    local = at.astimezone(zone)
    return f"{local.day} {local:%B}"


def lasting(time: timedelta) -> str:
    """A length such as "2 days 5 hours" or "5 hours 10 minutes", rounded, and never negative."""
    return in_words(rounded(time // timedelta(microseconds=1)))


_STOPPED = {
    StopKind.UNREACHABLE: "Mail to {who} comes back, so {their} clock stands still until {until} at most.",
    StopKind.OUTAGE: "Our mail does not go out at present, so no clock runs.",
    StopKind.HALT: "The operator has stopped all clocks.",
    StopKind.MAINTENANCE: "The server is being looked after, so no clock runs.",
}
_RESTING = {"sleep": "It is night where {who} {is_}", "weekend": "It is {who_s} weekend"}


def _left(clock: Clock, seat: Seat, calendars: Calendars, zone: ZoneInfo, now: datetime) -> str:
    remaining, bank = clock.remaining(seat, now, calendars), clock.charged(now, calendars).left[seat - 1]
    left = brief(remaining)
    if remaining < bank:  # the limit for each move comes first
        left = f"{left} for this move, {brief(bank)} in all"
    if clock.paused or seat != clock.seat:
        return left
    if clock.overrun_at is not None:
        return "time is up"
    deadline = clock.deadline(calendars)
    return f"{left}\n{'':8}until {until(deadline, zone)}" if deadline else left


def _stopped(stop: Stop, words: dict[str, Any], zone: ZoneInfo) -> str:
    ends = until(stop.ends_at, zone) if stop.ends_at else ""
    sentence = _STOPPED.get(stop.kind, "{Who} {is_} on vacation until {until}; {their} clock stands still.")
    return sentence.format_map({**words, "until": ends})


def _words(match: Match, seat: Seat, reader: Seat | None) -> dict[str, Any]:
    """The words for a player in a sentence to the reader."""
    userid = match.player(seat).userid
    if seat == reader:
        return {"who": "you", "Who": "You", "who_s": "your", "is_": "are", "their": "your"}
    return {"who": userid, "Who": userid, "who_s": f"{userid}'s", "is_": "is", "their": "their"}


def clock_lines(match: Match, zone: ZoneInfo, now: datetime) -> list[str]:
    """The time each player has left, and below it until when; empty without a clock. zone: the reader's."""
    clock = match.timed_clock
    if clock is None:
        return []
    names = [player.userid for player in match.players]
    width = max(map(len, names))
    return [
        f"{heading:7}{name:{width}}  {_left(clock, seat, match.calendars, zone, now)}"
        for seat, (heading, name) in enumerate(zip(("Clock", ""), names, strict=True), 1)
    ]


def standstills(match: Match, reader: Seat | None, zone: ZoneInfo, now: datetime) -> Iterator[str]:
    """Sentences on why clocks are stopped, or will be as soon as that player is to move."""
    clock = match.timed_clock
    if clock is None:
        return
    if clock.paused:
        yield _paused(clock.due_at, zone)
        return
    for seat, calendar in enumerate(match.calendars, 1):
        if seat == clock.seat and clock.overrun_at is not None:
            continue  # their time is up, whatever stops the clock
        stop = calendar.stopped_by(now)
        # What stops all clocks is said once.
        if stop is not None and (not stop.kind.is_ours or seat == 1):
            yield _stopped(stop, _words(match, seat, reader), zone)
        elif seat == clock.seat and not clock.control.strict:
            resting = calendar.rests.resting(now)
            if resting:
                words = _words(match, seat, reader)
                yield f"{_RESTING[resting]}, so {{their}} clock stands still.".format_map(words)


def _paused(due_at: datetime | None, zone: ZoneInfo) -> str:
    most = f" until {until(due_at, zone)} at most" if due_at else ""
    return f'The game is paused{most}; "resume" lets the clocks go on.'


SHOWN = timedelta(minutes=15)  # programs would not show an event without length
"""The length of a calendar event, which ends at the deadline."""


class Expiry(NamedTuple):
    """When the time of the player to move on a board is over, as things stand, or its tournament decides it."""

    match: Match
    at: datetime
    is_decided: bool
    """The tournament comes first."""

    @property
    def late(self) -> Player | None:
        """The player whose time is over then; None if the tournament decides the board."""
        clock = self.match.clock
        return None if self.is_decided or clock is None else self.match.player(clock.seat)


def calendar_of(deadlines: Sequence[Expiry], player: Player, domain: str, now: datetime) -> str:
    """The calendar file, with lines folded and ended by CRLF."""
    from icalendar import Calendar, Event  # few mails need it, and its import takes as long as that of all pages

    calendar = Calendar()
    calendar.add("prodid", "-//pbm//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", "PUBLISH")
    for deadline in deadlines:
        match, late, ends_at = deadline.match, deadline.late, deadline.at.replace(microsecond=0)
        over = "the tournament decides it"
        if late is not None:
            over = "your time is over" if late == player else f"{late.userid}'s time is over"
        event = Event()
        event.add("uid", f"board-{match.board}-{player.userid.lower()}@{domain}")
        # RFC 5545, sections 3.8.4.7 and 3.8.7.4: a later file moves the entry of a board, as its UID stays and its
        # SEQUENCE, the seconds since the game began, grows.
        event.add("sequence", max(0, int((now - match.started_at).total_seconds())))
        event.add("dtstamp", now.replace(microsecond=0))
        event.add("dtstart", ends_at - SHOWN)
        event.add("dtend", ends_at)
        event.add("summary", f"{GAMES[match.game].info.title} Board {match.board}: {over}")
        event.add("description", f"Ply {len(match.record) + 1} of {'-'.join(each.userid for each in match.players)}.")
        # RFC 5545, section 3.8.2.7: a deadline makes nobody busy.
        event.add("transp", "TRANSPARENT")
        calendar.add_component(event)
    content: bytes = calendar.to_ical()
    return content.decode()


MAX_ALT = 4000
"""The most characters of a picture's description."""
MAP = "The whole board once more, smaller."
KEPT = 32  # the mails of a board are made one after another
"""How many views are cached."""


@dataclass
class View:
    """A state to be shown, possibly with a scene other than its own.

    lists: whether moves are listed; useless to all but the player to move.
    """

    state: State
    other: Scene | None = None
    lists: bool = True
    _texts: dict[str, str] = field(default_factory=dict)

    @cached_property
    def scene(self) -> Scene:
        shown = self.other or self.state.scene
        return shown if self.lists or not shown.lists else replace(shown, lists=())

    @cached_property
    def sides(self) -> tuple[str, str]:
        """The names of the sides."""
        return self.state.game.sides(self.state.options)

    def text(self, style: str) -> str:
        if style not in self._texts:
            first, last = self.spoken if style == draw.WORDS else ((), ())
            self._texts[style] = "\n".join(draw.lines(self.scene, style, first, last, self.sides))
        return self._texts[style]

    def drawn(self, style: str) -> list[str]:
        """Only the board, no wider than a phone's line."""
        return draw.board(self.scene.board, style, NARROWEST, self.sides)

    @cached_property
    def spoken(self) -> tuple[Sequence[str], Sequence[str]]:
        """The sentences before and after the board in words; empty if another scene is shown."""
        if self.other is not None:
            return (), ()
        last = spoken.last(self.state, self.state.scene) if self.lists else ()
        return spoken.first(self.state, self.state.scene), last

    def pictures(self) -> Iterator[tuple[Picture, str]]:
        """The picture, if there is one, and then a smaller one, which is drawn on demand.

        Each has a description; the small one of a board of cells refers to the table that shows them.
        """
        from pbm.draw.picture import picture, smaller  # slow to import, and few who look at boards need pictures

        whole = picture(self.scene.board)
        if whole is not None:
            yield whole, self.description
            small = smaller(self.scene.board)
            if small is not None:
                yield small, MAP if self.tables else self.description

    @cached_property
    def tables(self) -> list[Table]:
        """The board as HTML tables; none for a board without cells."""
        board = self.scene.board
        return [] if isinstance(board, PlaneBoard) else cells.tables(board)

    @cached_property
    def description(self) -> str:
        """The board in words, for readers who do not see the picture."""
        text = " ".join(words.sentences(self.scene.board, self.sides))
        return text if len(text) <= MAX_ALT else text[:MAX_ALT].rpartition(". ")[0] + ". The rest is left out."

    @cached_property
    def moves(self) -> list[str]:
        """The legal moves, at most MAX_MOVES of them, and then a swap if it is allowed."""
        swap = [SWAP] if self.state.may_swap else []
        return notations(self.state.game, self.state.position, MAX_MOVES) + swap

    @property
    def beginnings(self) -> Mapping[str, str]:
        """The beginnings of moves by first cell, if the game has moves of several cells; otherwise empty."""
        game = self.state.game
        return game.beginnings(self.state.position) if isinstance(game, Stepwise) else {}

    @property
    def examples(self) -> list[str]:
        """Two legal moves, neither of them a swap."""
        legal = (self.moves[:-1] if self.state.may_swap else self.moves)[:200]
        chosen = {len(legal) // 2, len(legal) // 3} if legal else set()
        return [legal[index] for index in sorted(chosen)]

    def machine(self, match: Match) -> str:
        """The shared part for programs; empty if another scene is shown."""
        return machine.board(match, self.state, self.scene, self.moves) if self.other is None else ""


@lru_cache(KEPT)  # both players are shown the same state
def view_of(state: State, other: Scene | None, *, lists: bool = True) -> View:
    """other: replaces its scene."""
    return View(state, other, lists)
