"""What --json prints, as types, from which its JSON Schema follows; imported only when somebody asks for that."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from pbm.domain.calendars import StopKind
from pbm.domain.mail import Arrival, Delivery
from pbm.domain.match import Ending
from pbm.domain.tournaments.terms import Kind
from pbm.edges.records import Finding
from pbm.server.rows import Replayed
from pbm.store.tournaments import Stage


class BanPrinted(TypedDict):
    who: str
    since: datetime
    until: datetime | None
    reason: str


class BroadcastPrinted(TypedDict):
    number: int
    author: str
    written_at: str
    text: str


class Named(TypedDict):
    board: int
    game: str
    options: str
    player1: str
    player2: str


class Started(Named):
    started_at: datetime


class Challenge(Started):
    rules_version: int
    over: bool
    body: str


class EndedPrinted(TypedDict):
    result: Ending | None
    winner: str | None


class Listed(Named, EndedPrinted):
    plies: int
    to_move: str | None
    moved_at: datetime


class DrawnPrinted(Started, EndedPrinted):
    ply: int
    to_move: str | None
    moved_at: datetime
    record: list[str]
    reason: str | None
    drawing: str


class Verified(TypedDict):
    verified: int
    problems: list[Replayed]


class ActPrinted(TypedDict):
    at: datetime
    who: str
    command: str


class Soundness(TypedDict):
    sound: bool
    problems: list[str]


class IdentityPrinted(TypedDict):
    address: str
    former: list[str]


class Secret(TypedDict):
    counts_until: datetime


class PlayerPrinted(TypedDict):
    userid: str
    addresses: list[str]
    unconfirmed_addresses: list[str]
    suspended_addresses: list[str]
    unreachable: bool


class PlayerShown(PlayerPrinted):
    bounces: int
    delays: int
    active_boards: list[int]
    ended_boards: list[int]


class IncomingPrinted(TypedDict):
    id: int
    received_at: datetime
    state: Arrival
    mail_from: str
    recipients: list[str]
    octets: int
    reason: str


class IncomingShown(IncomingPrinted):
    outbox: list[int]
    mail: str


class UnansweredPrinted(TypedDict):
    kind: str
    mails: int


class OutgoingPrinted(TypedDict):
    id: int
    created_at: datetime
    state: Delivery
    due_at: datetime | None
    attempts: int
    board: int | None
    address: str
    subject: str
    trouble: str


class OutgoingShown(OutgoingPrinted):
    inbox: int | None
    mail: str


class TournamentPrinted(TypedDict):
    name: str
    kind: Kind
    game: str
    creator: str | None
    state: Stage
    season: int
    round: int
    players: int
    due_at: datetime | None


@with_config(ConfigDict(extra="allow"))
class StandingPrinted(TypedDict):
    """Further names are those of tie-breaks."""

    division: int | None
    rank: int
    userid: str
    points: str
    won: int
    drawn: int
    lost: int


class Pairing(TypedDict):
    round: int
    division: int
    board: int | None
    first: str
    second: str | None
    result: str | None


class TournamentShown(TournamentPrinted):
    options: str
    userids: list[str]
    standings: list[StandingPrinted]
    pairings: list[Pairing]


class Setting(TypedDict):
    value: bool | int | float | str | None
    origin: str
    variable: str
    meaning: str


class RoomPrinted(TypedDict):
    octets: int
    unused: int | None
    shrinks: bool


class Halt(TypedDict):
    kind: StopKind
    since: datetime


class WaitingPrinted(TypedDict):
    mails: int
    oldest_seconds: float | None


class Seconds(TypedDict):
    median: float | None
    most: float | None


class FlowPrinted(TypedDict):
    ever: int
    within: dict[str, int]


class InboxPrinted(FlowPrinted):
    new: WaitingPrinted
    parked: WaitingPrinted
    moves_ignored: int
    handling_seconds: Seconds


class Trouble(TypedDict):
    mails: int
    trouble: str


class OutboxPrinted(FlowPrinted):
    queued: WaitingPrinted
    postponed: WaitingPrinted
    failed: WaitingPrinted
    delivery_seconds: Seconds
    troubles: list[Trouble]


class Robots(TypedDict):
    boards: int
    oldest_seconds: float | None
    thinking: bool


class Suspended(TypedDict):
    address: str
    userid: str
    since: datetime


class Locked(TypedDict):
    kind: str
    subject: str
    failures: int
    until: datetime | None


class DeadlinePrinted(TypedDict):
    board: int
    game: str
    due_at: datetime


class AgendaPrinted(TypedDict):
    items: int
    due: int


class StatusPrinted(TypedDict):
    at: datetime
    database: RoomPrinted
    no_mail_goes_out_since: datetime | None
    no_server_works_since: datetime | None
    halts: list[Halt]
    inbox: InboxPrinted
    outbox: OutboxPrinted
    robots: Robots
    players: int
    boards: int
    broadcasts_waiting: int
    suspended_addresses: int
    suspended_latest: list[Suspended]
    locked: list[Locked]
    boards_overdue: int
    deadlines: list[DeadlinePrinted]
    agenda: dict[str, AgendaPrinted]


PRINTED: dict[str, Any] = {
    "board challenge create": Started,
    "board challenge list": list[Started],
    "board challenge show": Challenge,
    "board list": list[Listed],
    "board move": DrawnPrinted,
    "board show": DrawnPrinted,
    "board verify": Verified,
    "config show": dict[str, Setting],
    "db check": Soundness,
    "db log": list[ActPrinted],
    "doctor": list[Finding],
    "identity show": IdentityPrinted,
    "inbox count": list[UnansweredPrinted],
    "inbox list": list[IncomingPrinted],
    "inbox show": IncomingShown,
    "keys secret list": list[Secret],
    "outbox list": list[OutgoingPrinted],
    "outbox show": OutgoingShown,
    "player ban list": list[BanPrinted],
    "player broadcast list": list[BroadcastPrinted],
    "player list": list[PlayerPrinted],
    "player show": PlayerShown,
    "status": StatusPrinted,
    "tournament create": TournamentPrinted,
    "tournament list": list[TournamentPrinted],
    "tournament show": TournamentShown,
}
"""By command."""


def schema_of(command: str) -> dict[str, Any]:
    """The JSON Schema of what a command prints with --json."""
    return TypeAdapter(PRINTED[command]).json_schema(mode="serialization")
