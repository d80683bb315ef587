"""What is owed: all that one mail needs, as plain data, which the database keeps until the mail is made and sent.

The transaction that something happens in writes it down; `tell.py` makes the mail of it, whenever it is sent. What the
mails of several readers have in common is kept once, as a `Board`. All of it is JSON that a person can read, in which
nothing stands that has its default value.

A stored value may be older than the code that reads it. New fields must therefore have defaults; any other change of a
form, of the values in it or of what they mean raises VERSION, and `decoded` must still read the former one for as long
as `mail.keep_days` may ask for.
"""

from __future__ import annotations

from dataclasses import field
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from pbm.compose.notices import Chart, File, Posed, Shown
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail, Remark
from pbm.domain.match import Match, Player, Seat, UnderWay
from pbm.domain.settings import Settings
from pbm.mailin import Robot
from pbm.values import frozen

VERSION = 1
"""The version of the forms below."""


@frozen
class Head:
    """From whom, to whom and when."""

    at: datetime
    robot: Robot
    """Our addresses as they were then: those of a mail never change."""
    headers: dict[str, str]
    """Those that its thread and its page ask for, in their order."""
    player: Player | None = None
    """None for a stranger."""
    settings: Settings = field(default_factory=Settings)


@frozen
class BoardThen:
    """A board as it stood, and what was said and done there: the same for all who are told of it."""

    match: Match
    """Its record is empty, and its settings hold only what stops the clocks."""
    notations: tuple[str, ...] = ()
    seats: str = ""
    """The seat of each ply, a digit each."""
    autos: tuple[int, ...] = ()
    """The plies that the server played, counted from 0."""
    moved_at: datetime | None = None
    """When the last ply was played; of the others no mail tells it."""
    events: tuple[dict[str, Any], ...] = ()
    comments: tuple[CommentMade, ...] = ()
    kibitz: tuple[Remark, ...] = ()


@frozen
class ForReader:
    """What one reader is told of a board. events, comments, kibitz: places in those of the board."""

    seat: Seat | None = None
    answered_at: str = ""
    """Our address with the token that their answer brings back; empty for a stranger."""
    events: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    kibitz: tuple[int, ...] = ()
    shown: Shown = field(default_factory=Shown)


@frozen
class BoardMail:
    """A mail about one board, which is shared with others."""

    kind: Literal["board"]
    head: Head
    told: ForReader
    posted_at: str = ""
    """The address for the board's chat."""


@frozen
class BoardsMail:
    """A mail about several boards, such as a digest."""

    kind: Literal["boards"]
    head: Head
    page: str
    boards: tuple[tuple[BoardThen, ForReader], ...]
    others: tuple[UnderWay, ...] = ()
    daily: bool = False
    puzzles: tuple[Posed, ...] = ()
    lost_since: datetime | None = None
    answered_at: str = ""


@frozen
class DrawnBoard:
    """A position by itself."""

    kind: Literal["drawing"]
    game: str
    options: tuple[str, ...] = ()
    body: str = ""
    moves: tuple[str, ...] = ()
    answered_at: str = ""
    """The address for answers that its links open; empty for no links."""
    subject: str = ""
    """Of those answers."""
    lists: bool = True
    """The lists of moves beside it are shown."""


@frozen
class Link:
    """Words that are a link in HTML."""

    kind: Literal["link"]
    text: str
    url: str


@frozen
class Illustration:
    """A line with a drawing below it in HTML."""

    kind: Literal["illustration"]
    chart: Chart


Piece = Annotated[DrawnBoard | Link | Illustration, Field(discriminator="kind")]


@frozen
class PageMail:
    """A mail of words, with drawings between them."""

    kind: Literal["page"]
    head: Head
    texts: tuple[str, ...]
    """One more than there are pieces, which stand between them."""
    pieces: tuple[Piece, ...] = ()
    forms: tuple[File, ...] = ()
    """Other forms of the whole mail, besides text."""
    attached: tuple[File, ...] = ()


Owed = BoardMail | BoardsMail | PageMail
_Kinds = Annotated[Owed, Field(discriminator="kind")]


@cache
def _form(kind: Any) -> TypeAdapter[Any]:
    """How values of a type are written and read; made when first needed, and no other with it: that takes a while."""
    return TypeAdapter(kind)


def encoded(value: Owed | BoardThen) -> bytes:
    kind: type = type(value)
    return _form(kind).dump_json(value, exclude_defaults=True)


def decoded(mail: Mail) -> Owed:
    """What the mail says. Raises: ValueError if it is not readable here."""
    if mail.version != VERSION:
        raise ValueError(f"it was written in form {mail.version}, and this is a program for form {VERSION}")
    owed: Owed = _form(_Kinds).validate_json(mail.owed)
    return owed


def decoded_board(shared: bytes) -> BoardThen:
    """Raises: ValueError."""
    board: BoardThen = _form(BoardThen).validate_json(shared)
    return board
