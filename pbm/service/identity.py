"""Who sent a mail, as far as the mail itself shows: reply token, then an address a trusted mail server vouches for.

Userid and password come with a command and are looked at there. Everything else about a mail can be forged.
"""

from __future__ import annotations

from datetime import datetime

from pbm.domain.commands import Standing, board_of_subject
from pbm.domain.match import Player
from pbm.domain.tokens import PlayerToken, SeatToken, Signer
from pbm.mailin import Message, strip_subject
from pbm.service.handling import Sender
from pbm.service.telling import day_of
from pbm.store import Transaction


def identify(tx: Transaction, signer: Signer, message: Message, now: datetime) -> Sender:
    token = signer.open(message.token) if message.token else None
    seat = token if isinstance(token, SeatToken) else None
    claimed = _only(tx.players.of_address(message.sender)) if message.sender else None
    proven = _of_token(tx, token, now) or (claimed if message.authenticated else None)
    board = seat.board if seat else _board_answered(tx, message)
    match = tx.matches.summary(board) if board is not None else None
    if match is None:
        return Sender(Standing(known=bool(proven or claimed), proven=bool(proven)), None, None, proven, claimed)
    if seat is not None and seat.epoch != match.epochs[seat.seat - 1]:
        seat = None
    if seat is not None:
        proven = match.players[seat.seat - 1]
    standing = Standing(match.game, match.board, known=bool(proven or claimed), proven=bool(proven))
    return Sender(standing, seat, match.board, proven, claimed)


def _only(players: list[Player]) -> Player | None:
    """An address that several players share names none of them."""
    return players[0] if len(players) == 1 else None


def _of_token(tx: Transaction, token: object, now: datetime) -> Player | None:
    """The player of a token that is still good."""
    if not isinstance(token, PlayerToken) or token.last_day < day_of(now):
        return None
    player = tx.players.get(token.player_id)
    return player if player is not None and tx.players.epoch(player.id) == token.epoch else None


def _board_answered(tx: Transaction, message: Message) -> int | None:
    """The board of the mail that is answered, where plus tags got lost: by its id, or by the subject."""
    for reference in filter(None, (message.in_reply_to, *reversed(message.references))):
        board = tx.outbox.board_of(reference.strip("<>").partition("@")[0])
        if board is not None:
            return board
    return board_of_subject(strip_subject(message.subject))
