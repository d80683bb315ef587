"""Matches, their records, what is decided there for later and what is written about them: how boards are stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Row, bindparam, exists, func, insert, or_, select, update

from pbm.domain.calendars import Calendar, Stop
from pbm.domain.clock import UNLIMITED, Clock, TimeControl, read_control
from pbm.domain.mail import Remark, RemarkKind
from pbm.domain.match import Ending, Intent, IntentKind, Match, Offer, OfferKind, Player, Ply, Record, Result, Seat
from pbm.domain.settings import Settings
from pbm.store.house import Absences
from pbm.store.statements import Queries, among, made
from pbm.store.tables import absences, intents, matches, players, plies, remarks

SEATS = (matches.c.seat1_id, matches.c.seat2_id)


def seated(player_id: int) -> ColumnElement[bool]:
    """Whether a board is one of the player's."""
    return (matches.c.seat1_id == player_id) | (matches.c.seat2_id == player_id)


STOPPED: dict[str, Any] = dict.fromkeys(
    ("left1", "left2", "turn_left", "ticking_since", "deadline_at", "overrun_at", "due_at", "gift")
) | {"paused": False}
"""The columns of a board that has no clock, or none any more."""

_LEFT = frozenset({"left1", "left2", "turn_left", "gift"})
"""The time each side has left, which stays known after the end of a game."""


def columns_of(clock: Clock | None) -> Mapping[str, Any]:
    """The columns of a clock, except its control, which never changes, and its seat, which the board has."""
    if clock is None:
        return STOPPED
    return {
        "left1": clock.left[0],
        "left2": clock.left[1],
        "turn_left": clock.turn_left,
        "ticking_since": clock.since,
        "deadline_at": clock.deadline_at,
        "overrun_at": clock.overrun_at,
        "due_at": clock.due_at,
        "paused": clock.paused,
        "gift": clock.gift or None,
    }


def clock_of(row: Row[Any]) -> Clock | None:
    """The clock in a row of matches; None if the board has none."""
    if row.ticking_since is None or row.seat_to_move is None:
        return None
    control, left, gift = read_control(row.control), (row.left1, row.left2), row.gift or 0
    return made(Clock, row, control=control, seat=row.seat_to_move, left=left, since=row.ticking_since, gift=gift)


def settings_of(stored: str) -> Settings:
    """The settings stored in a player's row."""
    return Settings.chosen(json.loads(stored))


def between(one: int, other: int) -> ColumnElement[bool]:
    """Whether a board is one of these two players, whoever began."""
    first, second = SEATS
    return ((first == one) & (second == other)) | ((first == other) & (second == one))


_first = players.alias("first_player")
_second = players.alias("second_player")
_STOPPED_SINCE = (
    exists()
    .where(absences.c.player_id.in_(SEATS) | absences.c.player_id.is_(None))
    .where(matches.c.ticking_since.is_not(None))
    .where(absences.c.ends_at.is_(None) | (absences.c.ends_at > matches.c.ticking_since))
    .correlate(matches)
)
"""Whether anything stops a board's clock at some time after it was last touched."""
WITH_NAMES = (
    select(matches, _first.c.userid.label("userid1"), _second.c.userid.label("userid2"))
    .join(_first, _first.c.id == matches.c.seat1_id)
    .join(_second, _second.c.id == matches.c.seat2_id)
)
WITH_PLAYERS = WITH_NAMES.add_columns(
    _first.c.epoch.label("epoch1"),
    _second.c.epoch.label("epoch2"),
    _first.c.settings.label("settings1"),
    _second.c.settings.label("settings2"),
    _STOPPED_SINCE.label("interrupted"),
)


_HEADERS = WITH_PLAYERS.where(among(matches.c.board, "boards")).order_by(matches.c.board)
_LOCKED = _HEADERS.with_for_update(of=matches, key_share=True)
_PLY = plies.c.notation, plies.c.seat, plies.c.played_at, plies.c.auto, plies.c.time_left
_RECORDS = select(plies.c.board, *_PLY).where(among(plies.c.board, "boards")).order_by(plies.c.board, plies.c.ply)
_CHANGE = update(matches).where(matches.c.board == bindparam("of_board"))
_ADD_PLY = insert(plies)
_NEXT_DUE = select(func.min(matches.c.due_at)).where(matches.c.due_at.is_not(None))
AT_ONCE = 500
"""How many boards one statement asks for."""
T = TypeVar("T")
Remembered = Callable[[int], Match | None]
"""A board's match as it once was in the database; None if nobody remembers it."""


class Summary(NamedTuple):
    """A board without its record."""

    board: int
    game: str
    options: tuple[str, ...]
    players: tuple[Player, Player]
    plies: int
    revision: int
    seat_to_move: Seat | None
    """None once it has ended."""
    started_at: datetime
    moved_at: datetime
    result: Result | None
    ended_at: datetime | None
    epochs: tuple[int, int]
    """Of the players, see Players.epoch."""
    deadline_at: datetime | None

    @property
    def to_move(self) -> Player | None:
        """None once it has ended."""
        return None if self.seat_to_move is None else self.players[self.seat_to_move - 1]


class Matches(Queries):
    """Options and record are the truth; `plies` and `seat_to_move` of a row follow from them and serve lists."""

    def _headers(self, boards: Collection[int]) -> Sequence[Row[Any]]:
        """The rows of the boards; in a transaction that writes they stay locked until it ends."""
        query = _LOCKED if self._writes() else _HEADERS
        return self._connection.execute(query, {"boards": list(boards)}).all()

    def _change(self, board: int, **values: Any) -> None:
        self._update(matches, matches.c.board == board, **values)

    def add(
        self,
        game: str,
        version: int,
        options: tuple[str, ...],
        body: str,
        seats: tuple[Player, Player],
        seat_to_move: Seat,
        now: datetime,
        *,
        rated: bool = True,
        rematch_of: int | None = None,
        tournament: str = "",
        control: TimeControl = UNLIMITED,
    ) -> Match:
        """rematch_of: the board it follows."""
        # Without a deadline yet, because only a loaded match knows its players' calendars.
        clock = None if control == UNLIMITED else Clock.start(control, seat_to_move, now, (Calendar(), Calendar()))
        board = self._add(
            matches, game=game, version=version, options=" ".join(options), body=body, seat1_id=seats[0].id,
            seat2_id=seats[1].id, revision=0, plies=0, seat_to_move=seat_to_move, started_at=now, moved_at=now,
            rated=rated, rematch_of=rematch_of, tournament=tournament, control=str(control),
            **columns_of(clock),
        )  # fmt: skip
        match = self.load(board)
        assert match is not None  # noqa: S101  it was added
        return match

    def load(self, board: int, remembered: Match | None = None) -> Match | None:
        """A match; None if there is none. In a transaction that writes it stays locked until that ends.

        remembered: as it once was in the database; its record is not read again if it is still the same.
        """
        return next(iter(self.load_all([board], lambda _: remembered)), None)

    def load_all(self, boards: Sequence[int], remembered: Remembered = lambda _: None) -> list[Match]:
        """The matches that exist, in the order of the boards, by a few statements however many they are.

        remembered: as for `load`, of each board.
        """
        loaded: dict[int, Match] = {}
        for part in batched(boards):
            rows = self._headers(part)
            records = self._records(rows, remembered)
            # Nothing stops most clocks, and they need no further question.
            stopped = [row for row in rows if row.interrupted]
            people = {seat for row in stopped for seat in (row.seat1_id, row.seat2_id)}
            since = min((row.ticking_since for row in stopped), default=None)
            stops = Absences(self._connection).stops(people, since) if since is not None else {}
            for row in rows:
                own = stops if row.interrupted else {}
                loaded[row.board] = _match(row, records.get(row.board, Record()), own)
        return [loaded[board] for board in boards if board in loaded]

    def _records(self, rows: Sequence[Row[Any]], remembered: Remembered) -> dict[int, Record]:
        """The records of boards that have one; those of boards that are still as they were known are not read again."""
        records: dict[int, Record] = {}
        for row in rows:
            before = remembered(row.board)
            if before is not None and (before.revision, before.moved_at) == (row.revision, row.moved_at):
                records[row.board] = before.record
        unread = [row.board for row in rows if row.board not in records]
        if unread:
            groups = groupby(self._connection.execute(_RECORDS, {"boards": unread}), itemgetter(0))
            records |= {board: Record.of(Ply(*columns) for _, *columns in own) for board, own in groups}
        return records

    def add_ply(self, match: Match, ply: Ply, seat_to_move: Seat, clock: Clock | None) -> None:
        """Append to the record of a match as loaded. seat_to_move, clock: after the ply."""
        number = len(match.record) + 1
        after = {"plies": number, "revision": match.revision + 1, "seat_to_move": seat_to_move, **columns_of(clock)}
        self._connection.execute(_ADD_PLY, {"board": match.board, "ply": number, **ply._asdict()})
        self._connection.execute(_CHANGE, {"of_board": match.board, "moved_at": ply.played_at, **after})

    def drop_ply(self, match: Match, seat_to_move: Seat) -> None:
        """Take the last ply back. match, seat_to_move: as they are after that."""
        number = len(match.record)
        self._drop(plies, board=match.board, ply=number + 1)
        after = {"plies": number, "revision": match.revision, "seat_to_move": seat_to_move, "moved_at": match.moved_at}
        self._change(match.board, **after, **columns_of(match.clock))

    def set_clocks(self, clocks: Mapping[int, Clock]) -> None:
        """clocks: by board."""
        if clocks:
            values = [{"of_board": board, **columns_of(clock)} for board, clock in clocks.items()]
            self._connection.execute(_CHANGE, values)

    def ticking(self, player_id: int) -> list[int]:
        """The boards on which the player's clock runs."""
        running = matches.c.ended_at.is_(None), matches.c.ticking_since.is_not(None)
        theirs = or_(*((seat == player_id) & (matches.c.seat_to_move == own) for own, seat in enumerate(SEATS, 1)))
        return sorted(self._column(select(matches.c.board).where(theirs, *running)))

    def timed(self) -> list[int]:
        """The boards under way that have clocks, running or stopped."""
        query = select(matches.c.board).where(matches.c.ended_at.is_(None), matches.c.ticking_since.is_not(None))
        return self._column(query.order_by(matches.c.board))

    def next_due_at(self) -> datetime | None:
        """When a board next needs the server; None if none ever does."""
        return self._only(_NEXT_DUE)

    def claim_due(self, now: datetime) -> int | None:
        """The board that has needed the server longest; nobody else gets it until the transaction ends.

        None if there is none.
        """
        query = select(matches.c.board).where(matches.c.due_at <= now).order_by(matches.c.due_at, matches.c.board)
        return self._only(query.limit(1).with_for_update(skip_locked=True))

    def put_off(self, board: int, due_at: datetime | None) -> None:
        self._change(board, due_at=due_at)

    def set_offer(self, board: int, offer: Offer | None) -> None:
        kind, seat, since = (offer.kind.value, offer.seat, offer.since) if offer else (None, None, None)
        self._change(board, offer=kind, offered_by=seat, offered_at=since)

    def end(self, board: int, result: Result, now: datetime, clock: Clock | None) -> None:
        """clock: as it stood at the end."""
        scores = None if result.scores is None else f"{result.scores[0]} {result.scores[1]}"
        left = {name: value for name, value in columns_of(clock).items() if name in _LEFT}
        self._change(
            board, seat_to_move=None, ended_at=now, ending=result.ending.value, winner=result.winner,
            reason=result.reason, scores=scores, revision=matches.c.revision + 1, **STOPPED | left,
        )  # fmt: skip

    def clock_at_end(self, match: Match, seat: Seat, now: datetime) -> Clock | None:
        """A clock with the times left when the match ended, running from now; None if they are not known."""
        (row,) = self._headers([match.board])
        if row.left1 is None:
            return None
        return Clock(match.control, seat, (row.left1, row.left2), now, row.turn_left, gift=row.gift or 0)

    def reopen(self, board: int, seat_to_move: Seat) -> None:
        """Take the board's result away, so that the match goes on."""
        nothing = dict.fromkeys(("ended_at", "ending", "winner", "reason", "scores"))
        # Mails that tell of the end no longer fit the board.
        self._change(board, **nothing, seat_to_move=seat_to_move, revision=matches.c.revision + 1)

    def summary(self, board: int) -> Summary | None:
        return self._first(_HEADERS, summary_of, {"boards": [board]})

    def plies_stored(self, board: int) -> tuple[int, Seat | None]:
        """The record according to the board's row: how many plies, and who is to move."""
        query = select(matches.c.plies, matches.c.seat_to_move).where(matches.c.board == board)
        row = self._connection.execute(query).one()
        return row.plies, row.seat_to_move


def batched(items: Sequence[T], size: int = AT_ONCE) -> Iterator[Sequence[T]]:
    """The items in their order, `size` at a time."""
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _match(row: Row[Any], record: Record, stops: Mapping[int, tuple[Stop, ...]]) -> Match:
    return made(
        Match,
        row,
        options=tuple(row.options.split()),
        players=players_of(row),
        record=record,
        result=result_of(row),
        offer=Offer(OfferKind(row.offer), row.offered_by, row.offered_at) if row.offer else None,
        control=read_control(row.control),
        clock=clock_of(row),
        settings=(settings_of(row.settings1), settings_of(row.settings2)),
        stops=(stops.get(row.seat1_id, ()), stops.get(row.seat2_id, ())),
    )


def players_of(row: Row[Any]) -> tuple[Player, Player]:
    return Player(row.seat1_id, row.userid1), Player(row.seat2_id, row.userid2)


def result_of(row: Row[Any]) -> Result | None:
    """None while the match goes on."""
    if row.ended_at is None:
        return None
    scores = None
    if row.scores:
        first, second = row.scores.split()
        scores = (int(first), int(second))
    return Result(Ending(row.ending), row.winner, row.reason, scores)


def summary_of(row: Row[Any]) -> Summary:
    return made(
        Summary,
        row,
        options=tuple(row.options.split()),
        players=players_of(row),
        result=result_of(row),
        epochs=(row.epoch1, row.epoch2),
    )


_OF_BOARD = select(intents).where(intents.c.board == bindparam("of_board")).order_by(intents.c.kind)


class Intents(Queries):
    """At most one of each kind for each seat of a board; private to that seat."""

    def of(self, board: int) -> list[Intent]:
        """Those of both seats."""
        return self._all(_OF_BOARD, _intent, {"of_board": board})

    def keep(self, board: int, intent: Intent, now: datetime) -> None:
        """Store the intent in place of the seat's last one of its kind."""
        key = {"board": board, "seat": intent.seat, "kind": intent.kind.value}
        values = {"text": intent.text, "created_at": now, "comment": intent.comment or None, "due_at": intent.until}
        self._put(intents, key, values)

    def drop(self, board: int, intent: Intent) -> None:
        """Delete the seat's intent of this kind."""
        self._drop(intents, board=board, seat=intent.seat, kind=intent.kind.value)


def _intent(row: Row[Any]) -> Intent:
    return Intent(row.seat, IntentKind(row.kind), row.text, row.comment or "", row.created_at, row.due_at)


_remarks = select(remarks, players.c.userid).join(players, players.c.id == remarks.c.player_id)


class Remarks(Queries):
    """What people wrote about boards. A board's row says whether it has notes, so that a move need not ask."""

    def add(self, kind: RemarkKind, remark: Remark) -> None:
        what = {"board": remark.board, "ply": remark.ply, "kind": kind.value, "text": remark.text}
        self._insert(remarks, **what, player_id=remark.author.id, created_at=remark.written_at)
        if kind is RemarkKind.NOTE:
            self._update(matches, matches.c.board == remark.board, matches.c.annotated.is_(False), annotated=True)

    def of(self, kind: RemarkKind, board: int, player_id: int | None = None) -> list[Remark]:
        """The remarks on a board, oldest first. player_id: only this player's."""
        query = _remarks.where(remarks.c.board == board, remarks.c.kind == kind.value)
        if player_id is not None:
            query = query.where(remarks.c.player_id == player_id)
        return self._all(query.order_by(remarks.c.id), _remark)

    def by(self, player_id: int, boards: Sequence[int]) -> list[tuple[RemarkKind, Remark]]:
        """A player's remarks on the boards, oldest first."""
        query = _remarks.where(remarks.c.board.in_(boards), remarks.c.player_id == player_id).order_by(remarks.c.id)
        return self._all(query, lambda row: (RemarkKind(row.kind), _remark(row)))

    def drop(self, kind: RemarkKind, board: int, player_id: int) -> int:
        """Delete a player's remarks on a board; returns how many there were."""
        return self._drop(remarks, board=board, player_id=player_id, kind=kind.value)


def _remark(row: Row[Any]) -> Remark:
    return Remark(row.board, Player(row.player_id, row.userid), row.ply, row.text, row.created_at)
