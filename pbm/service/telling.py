"""Telling the players of a board what happened to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbm.compose import Composer, Notice, Reader
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail
from pbm.domain.match import Match, Player, Seat
from pbm.mailin import Message
from pbm.service.passwords import Passwords
from pbm.service.tables import States, Table
from pbm.store import Transaction


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one person may ask for."""

    stranger_replies_per_day: int = 5
    confirmation_days: int = 7


@dataclass(frozen=True, slots=True)
class Tools:
    """What every handling shares."""

    composer: Composer
    states: States
    passwords: Passwords
    limits: Limits


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
    addresses = tx.players.confirmed(*(player.id for player in match.players))
    mails: list[Mail] = []
    for seat in _seats(match):
        player = match.player(seat)
        own = author is not None and author.id == player.id
        reader = Reader(tuple(addresses[player.id]), player, perspective(table, seat))
        notice = Notice(
            match,
            table.state,
            reader,
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
