"""What mails say, and to whom, as features put it together."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from pydantic import Base64Bytes

from games import GAMES
from pbm.domain.events import CommentMade, Event
from pbm.domain.mail import Remark
from pbm.domain.match import Intent, Match, Player, Seat, State, UnderWay, replay
from pbm.domain.settings import Settings
from pbm.domain.tokens import AddressToken, PlayerToken
from pbm.draw.plots import Bar
from pbm.values import frozen

KEEPSAKE = "keepsake.txt"
"""The page that comes with the whole game as files."""


@frozen
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


@frozen
class Whence:
    """The foreign address that a player's mail came from."""

    address: str
    by_password: bool
    """A password proved that the player sent it."""


class File(NamedTuple):
    """An attached file."""

    name: str
    kind: str
    data: Base64Bytes
    """Stored as text."""


@frozen
class Chart:
    """A drawing of ratings that HTML shows below a line of text."""

    line: str
    bars: tuple[Bar, ...]
    described: str
    """The drawing in words."""


class Drawn(NamedTuple):
    """The position that is drawn in place of the present one."""

    plies: int
    """How many plies of the record lead to it."""
    line: tuple[str, ...] = ()
    """The plies played after them, in canonical notation."""
    zoom: tuple[str, str] | None = None
    """The point around which it is drawn, and the factor, as written."""


@frozen
class Shown:
    """What a board's mail tells one reader besides how the board stands and what happened there.

    problem, advice: why their command was refused, and how to write it. nearby: legal moves like it, or in a hint.
    """

    _: KW_ONLY
    page: str = "board.txt"
    """The template; some are about the board without drawing it."""
    drawn: Drawn | None = None
    """Drawn in place of the present position, which `shown` then names."""
    shown: str = ""
    whole_record: bool = False
    before: bool = False
    """The position before the last ply is drawn, too."""
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
    read_as: str = ""
    """The command that the reader's plain words were taken for."""
    unread: bool = False
    """The reader wrote something besides, and their opponent is a program, which reads no messages."""
    sent_from: Whence | None = None
    """None if the reader's mail came from one of their addresses."""
    words: dict[str, Any] = field(default_factory=dict)
    """More variables for the page; plain data."""


@frozen
class Notice(Shown):
    """One board for one reader."""

    match: Match
    state: State
    reader: Reader
    events: tuple[Event, ...] = ()
    """What happened since their last mail."""
    comments: tuple[CommentMade, ...] = ()
    kibitz: tuple[Remark, ...] = ()
    """What followers said during the match."""


@frozen
class Posed:
    """A puzzle: its number, and the moves that lead to the position in which exactly one move wins."""

    number: int
    game: str
    options: tuple[str, ...]
    moves: tuple[str, ...]

    @property
    def state(self) -> State:
        return replay(GAMES[self.game], self.options, "", self.moves, judged=False)


@frozen
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


@frozen
class Answer:
    """One command of a mail and its answer."""

    line: str
    """As written, without secrets."""
    outcome: Outcome
    text: str
    subject: str = ""
    """The subject of the answering mail."""
    suggestion: str = ""
    chart: Chart | None = None
    is_greeting: bool = False
    """It already tells a newcomer how to join."""
