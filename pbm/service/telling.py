"""Telling the players of a board what happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pbm.compose import Composer, Notice, Reader
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail
from pbm.domain.match import Match, Player, Seat
from pbm.domain.settings import Settings
from pbm.domain.tokens import PlayerToken
from pbm.mailin import Message
from pbm.service.passwords import Passwords
from pbm.service.tables import States, Table
from pbm.store import Transaction

_EPOCH_DAY = datetime(1970, 1, 1).toordinal()  # noqa: DTZ001  a day, not an instant


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one person may ask for. Days are of 24 hours."""

    stranger_replies_per_day: int = 5
    confirmation_days: int = 7
    held_asks_per_day: int = 3
    answer_token_days: int = 14
    active_games: int = 100


@dataclass(frozen=True, slots=True)
class Tools:
    """What every handling shares."""

    composer: Composer
    states: States
    passwords: Passwords
    limits: Limits


def day_of(instant: datetime) -> int:
    """Days since 1970."""
    return instant.toordinal() - _EPOCH_DAY


def reader_of(tx: Transaction, tools: Tools, player: Player, now: datetime, seat: Seat | None = None) -> Reader:
    """A player as the reader of a mail: all his confirmed addresses, his settings, and a token of his."""
    last_day = day_of(now + timedelta(days=tools.limits.answer_token_days))
    return Reader(
        tuple(tx.players.confirmed(player.id)[player.id]),
        player,
        seat,
        Settings.chosen(tx.players.settings(player.id)),
        PlayerToken(player.id, tx.players.epoch(player.id), last_day),
    )


def tell_players(
    tx: Transaction,
    tools: Tools,
    table: Table,
    comments: Sequence[CommentMade] = (),
    author: Player | None = None,
    answers: Message | None = None,
) -> list[Mail]:
    """The board as it now stands, for each of its players, with the events of the table.

    author: the player whose mail it was; his board answers that mail and does not repeat his comment to him.
    """
    tools.states.keep(table.match, table.state)
    match = table.match
    mails: list[Mail] = []
    for seat in _seats(match):
        player = match.player(seat)
        own = author is not None and author.id == player.id
        notice = Notice(
            match,
            table.state,
            reader_of(tx, tools, player, table.now, perspective(table, seat)),
            tuple(table.events),
            comments=() if own else tuple(comments),
            whole_record=not match.record,
        )
        mails += tools.composer.notice(notice, table.now, answers if own else None)
    return mails


def _seats(match: Match) -> tuple[Seat, ...]:
    """One seat for each person: somebody may play against himself."""
    return (1,) if match.player(1).id == match.player(2).id else (1, 2)


def perspective(table: Table, seat: Seat) -> Seat:
    """Who plays against himself sees the board from the seat that is to move."""
    return seat if len(_seats(table.match)) > 1 else table.state.to_move
