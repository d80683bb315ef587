"""What commands of the operator find and change in the database alone.

Nobody is told of it, so nothing of the server is needed, whose import takes long.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from games.rules import GameError
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.errors import NotAllowed, NotFound, Rejected, existing
from pbm.domain.mail import Arrival, Queued, Received
from pbm.domain.match import Player, replay
from pbm.store import Store, Transaction
from pbm.store.tickets import Broadcast
from pbm.store.tournaments import Tournament
from pbm.values import frozen

if TYPE_CHECKING:  # it brings all games
    from pbm.core.board import OpenBoard


def player_named(tx: Transaction, userid: str) -> Player:
    """The player of a userid, in any case. Raises: NotFound."""
    return existing(tx.players.find(userid), f'There is no player "{userid}".')


def board_numbered(tx: Transaction, number: int) -> OpenBoard:
    """Raises: NotFound, Unreadable."""
    from pbm.core.board import OpenBoard, States

    return OpenBoard.load(tx, States(), number)


def tournament_named(tx: Transaction, name: str) -> Tournament:
    """Raises: NotFound."""
    return existing(tx.tournaments.find(name), f'There is no tournament "{name[:40]}".', "tournaments")


def waiting_broadcast(tx: Transaction, number: int) -> Broadcast:
    """A broadcast that waits for the operator's decision. Raises: NotFound."""
    broadcast = tx.broadcasts.get(number)
    if broadcast is None or broadcast.sent_at is not None:
        raise NotFound(f"There is no broadcast {number} that waits.")
    return broadcast


def received(tx: Transaction, number: int) -> Received:
    """A mail of the inbox. Raises: NotFound."""
    return existing(tx.inbox.get(number), f"There is no email {number} in the inbox.")


def queued(tx: Transaction, number: int) -> Queued:
    """A mail of the outbox. Raises: NotFound."""
    return existing(tx.outbox.get(number), f"There is no email {number} in the outbox.")


def resume(tx: Transaction, userid: str) -> int:
    """Send mail to all of a player's addresses again; returns how many were suspended."""
    from pbm.core.clocks import note_reach

    player = player_named(tx, userid)
    suspended = tx.bounces.resume(player.id)
    note_reach(tx, player, 0)
    return suspended


def mark_bot(tx: Transaction, userid: str, *, bot: bool) -> None:
    """Mark a player as a program or not; games of a program are not rated, and earlier ratings stay."""
    player = player_named(tx, userid)
    tx.players.set_bot(player.id, bot=bot)
    tx.players.choose(player.id, bot="on" if bot else "off")


_ALREADY = {StopKind.HALT: "All clocks stand still already.", StopKind.MAINTENANCE: "Maintenance is on already."}
_NOT = {StopKind.HALT: "All clocks run.", StopKind.MAINTENANCE: "Maintenance is not on."}


def halt(store: Store, kind: StopKind) -> None:
    """Stop all clocks from now on. kind: with MAINTENANCE, mail is not handled either. Raises: NotAllowed."""
    with store.write() as tx:
        if tx.absences.open(kind):
            raise NotAllowed(_ALREADY[kind])
        tx.absences.add(None, Stop(kind, tx.now))


def end_halt(store: Store, kind: StopKind) -> datetime:
    """End a halt; returns when it began. Raises: NotAllowed."""
    with store.write() as tx:
        halts = tx.absences.open(kind)
        if not halts:
            raise NotAllowed(_NOT[kind])
        for each in halts:
            tx.absences.end(each, tx.now)
    return halts[0].stop.starts_at


NOT_ANSWERED = ("ignore", "bounce", "complaint", "reject", "limit", "move")
"""The kinds of mails that get no answer; "limit" is for those that were one too many."""
MOST_AT_ONCE = 10_000
"""Parked mails that are taken up again at once when all are asked for."""


def parked(tx: Transaction) -> list[int]:
    """The mails that wait for the operator."""
    return [mail.id for mail in tx.inbox.latest(Arrival.PARKED, MOST_AT_ONCE)]


def handle_again(tx: Transaction, numbers: Iterable[int]) -> None:
    """Have parked or ignored mails handled again. Raises: NotFound; NotAllowed for handled ones."""
    for number in numbers:
        state = received(tx, number).state
        if state is Arrival.HANDLED:
            raise NotAllowed(f"Mail {number} was handled already; to handle it again would play it twice.")
        if state is Arrival.FORGOTTEN:
            raise NotAllowed(f"Of mail {number} nothing is left: it was done with long ago.")
        tx.inbox.handle_again(number)


def send_again(tx: Transaction, numbers: Iterable[int]) -> None:
    """Have mails sent at once, even if they were sent before; each keeps its Message-ID. Raises: NotFound."""
    for number in numbers:
        tx.outbox.send_again(queued(tx, number).id, tx.now)


@frozen
class Replayed:
    """The result of replaying one stored board. problem: empty for a sound one."""

    board: int
    game: str
    plies: int
    problem: str = ""


def verify(tx: Transaction, board: int) -> Replayed:
    """Replay a stored board, and compare it with its row in the database. Raises: NotFound."""
    from games import GAMES
    from pbm.core.board import difference

    match = existing(tx.matches.load(board), f"There is no board {board}.")
    game = GAMES.get(match.game)
    if game is None:
        return Replayed(board, match.game, len(match.record), "the game is not installed")
    try:
        state = replay(game, match.options, match.body, match.record.notations)
    except (GameError, Rejected) as error:
        return Replayed(board, match.game, len(match.record), f"the record cannot be replayed: {error}")
    return Replayed(board, match.game, state.plies, difference(tx, match, state))
