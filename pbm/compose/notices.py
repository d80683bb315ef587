"""What mails tell and whom, as values."""

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
    """Who a mail is for."""

    addresses: tuple[str, ...]
    player: Player | None = None
    """None for a stranger."""
    seat: Seat | None = None
    """On the board in question; None for a spectator."""
    settings: Settings = field(default_factory=Settings)
    token: PlayerToken | None = None
    """For a player, what makes an answer to a mail without a board count as theirs."""
    newcomer: AddressToken | None = None
    """For a stranger, what makes an answer prove the address."""


@dataclass(frozen=True, slots=True)
class Whence:
    """Where a player's mail came from that is no address of theirs."""

    address: str
    by_password: bool
    """It showed that they sent it."""


@dataclass(slots=True)
class Notice:
    """One board for one reader. Nobody changes one; a frozen one of so many fields takes four times as long to make.

    problem, advice, nearby: why their command was refused, how to write it, and moves that would work.
    """

    match: Match
    state: State = field(compare=False)
    """Follows from the match, as what was before does."""
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
    """Their opponent reads messages, as no program does; told in that mail alone."""
    problem: str = ""
    advice: str = ""
    nearby: tuple[str, ...] = ()
    original: str = ""
    """Their mail, secrets taken out."""
    intents: tuple[Intent, ...] = ()
    """What they have decided for later."""
    plan: tuple[str, ...] = ()
    """The lines of their plan, if they asked to see it all; otherwise as much of it as fits is told."""
    offered: tuple[str, ...] = ()
    """Lines to answer that play what is shown, and plan the rest of it."""
    leave: str = ""
    """What to answer to follow the board no more; empty for a player."""
    notes: tuple[Remark, ...] = ()
    """What they have written about it for themselves."""
    before: State | None = field(default=None, compare=False)
    """Of an ended match, the state before its last ply."""
    kibitz: tuple[Remark, ...] = ()
    """What those who followed said meanwhile."""
    page: str = "board.txt"
    """The template; some tell of the board without drawing it."""
    read_as: str = ""
    """The command that the reader's words were taken for, where they were none."""
    sent_from: Whence | None = None
    """None where the reader's mail came from an address of theirs."""
    words: Mapping[str, object] = field(default_factory=dict)
    """More of what the page tells."""
    figure: Figure | None = None
    """For HTML."""
    attached: tuple[Part, ...] = ()
    """What goes along with the mail."""


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
    """Where something waits for them, the most urgent first."""
    others: tuple[UnderWay, ...] = ()
    """Where nothing does."""
    daily: bool = False
    """It is their digest."""
    puzzles: tuple[Posed, ...] = ()
    """What more stands in that."""
    page: str = "digest.txt"
    lost_since: datetime | None = None
    """Since when all that happened is lost, where the server was set back."""


class Outcome(StrEnum):
    """The end of a command."""

    DONE = "done"
    FAILED = "failed"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Answer:
    """One command of a mail and its answer."""

    line: str
    """As written, secrets taken out."""
    outcome: Outcome
    text: str
    subject: str = ""
    """For the answering mail."""
    suggestion: str = ""
    figure: Figure | None = None
    is_greeting: bool = False
    """It tells a newcomer how to join by itself."""
