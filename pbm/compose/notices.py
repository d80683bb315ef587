"""What mails say, and to whom, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from games.scene import Scene
from pbm.compose.pages import Figure
from pbm.compose.wire import Part
from pbm.domain.events import CommentMade, Event
from pbm.domain.mail import Remark
from pbm.domain.match import Intent, Match, Player, Seat, State, UnderWay
from pbm.domain.settings import Settings
from pbm.domain.tokens import AddressToken, PlayerToken


@dataclass(frozen=True, slots=True)
class Reader:
    """The recipient of a mail."""

    addresses: tuple[str, ...]
    player: Player | None = None
    """None for a stranger."""
    seat: Seat | None = None
    """Their seat on the board in question; None for a spectator."""
    settings: Settings = field(default_factory=Settings)
    token: PlayerToken | None = None
    """Identifies a player in answers to mails without a board."""
    newcomer: AddressToken | None = None
    """Proves a stranger's address in answers."""


@dataclass(frozen=True, slots=True)
class Whence:
    """The foreign address that a player's mail came from."""

    address: str
    by_password: bool
    """A password proved that the player sent it."""


@dataclass(slots=True)
class Notice:
    """One board for one reader. Never changed, but not frozen, because creating it would take four times as long.

    problem, advice: why their command was refused, and how to write it. nearby: legal moves like it, or in a hint.
    """

    match: Match
    state: State = field(compare=False)
    """Not compared, because it follows from the match, as `before` does."""
    reader: Reader
    events: tuple[Event, ...] = ()
    """What happened since their last mail."""
    comments: tuple[CommentMade, ...] = ()
    scene: Scene | None = None
    """Drawn in place of the present position, which `shown` then names."""
    shown: str = ""
    whole_record: bool = False
    is_first: bool = False
    """The reader plays the game for the first time, and this is its first mail."""
    is_heard: bool = True
    """The opponent is a person, who reads messages; only used in that first mail."""
    problem: str = ""
    advice: str = ""
    nearby: tuple[str, ...] = ()
    original: str = ""
    """The reader's mail, without secrets."""
    intents: tuple[Intent, ...] = ()
    """What they have decided for later."""
    plan: tuple[str, ...] = ()
    """The lines of their plan, if they asked to see it all; otherwise as much of it is shown as fits."""
    offered: tuple[str, ...] = ()
    """The lines of an answer that plays what is shown, and plans the rest."""
    leave: str = ""
    """The command to stop following the board; empty for a player."""
    notes: tuple[Remark, ...] = ()
    """Their private notes on the board."""
    before: State | None = field(default=None, compare=False)
    """For a match that has ended, the state before its last ply."""
    kibitz: tuple[Remark, ...] = ()
    """What followers said during the match."""
    page: str = "board.txt"
    """The template; some are about the board without drawing it."""
    read_as: str = ""
    """The command that the reader's plain words were taken for."""
    unread: bool = False
    """The reader wrote something besides, and their opponent is a program, which reads no messages."""
    sent_from: Whence | None = None
    """None if the reader's mail came from one of their addresses."""
    words: Mapping[str, object] = field(default_factory=dict)
    """More variables for the page."""
    figure: Figure | None = None
    """A drawing for HTML."""
    attached: tuple[Part, ...] = ()
    """Attached files."""


@dataclass(frozen=True, slots=True)
class Posed:
    """A puzzle: its number, and the state in which exactly one move wins."""

    number: int
    state: State


@dataclass(frozen=True, slots=True)
class Gathering:
    """Several boards in one mail to one player."""

    reader: Reader
    boards: tuple[Notice, ...]
    """The boards that wait for the player, the most urgent first."""
    others: tuple[UnderWay, ...] = ()
    """The boards that do not."""
    daily: bool = False
    """It is the daily digest."""
    puzzles: tuple[Posed, ...] = ()
    """The puzzles in the digest."""
    page: str = "digest.txt"
    lost_since: datetime | None = None
    """If the server was set back: everything since then is lost."""


class Outcome(StrEnum):
    """What became of a command."""

    DONE = "done"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Answer:
    """One command of a mail and its answer."""

    line: str
    """As written, without secrets."""
    outcome: Outcome
    text: str
    subject: str = ""
    """The subject of the answering mail."""
    suggestion: str = ""
    figure: Figure | None = None
    is_greeting: bool = False
    """It already tells a newcomer how to join."""
