"""A mail from somebody who is not at the board, such as in answer to a player's own mail, which went to them in copy.

They have the token of the player's seat without knowing it, because "answer to all" put its address there. Nothing is
done; the player is asked whether a move that stands there, as an opinion, is to be played. They themselves hear
nothing, unless it is a move that only the opponent can make.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from pbm.core.credentials import is_clear
from pbm.core.limits import Act
from pbm.core.notify import reader_of
from pbm.core.reply import refuse
from pbm.core.request import Request, Sender
from pbm.domain.errors import NeedsIdentity, NotAllowed, Rejected
from pbm.domain.likeness import mailbox
from pbm.domain.match import Player
from pbm.domain.tokens import SeatToken
from pbm.reading.commands import Command
from pbm.reading.verbs import Standing
from pbm.server.order import HELD_DAYS, Order, tried
from pbm.store.tickets import Ticket

_UNKNOWN = (
    "Nothing was done, because you wrote from an address that no player of this board has confirmed. Write from the "
    "one where you get our emails, or put your userid and password into the command."
)


def ask_owner(request: Request, order: Order, owner: Player) -> Request:
    """Ask the owner of the seat whether what stands in the mail is to be done, if it could be done now."""
    board, reader = request.sender.board, reader_of(request, owner)
    match = request.tx.matches.summary(board) if board is not None else None
    seat = request.tools.composer.signer.open(request.message.token or "")
    if match is None or not isinstance(seat, SeatToken) or not reader.addresses or not _moves(order.commands):
        return request
    # A password in the mail is nobody else's to read.
    if request.secrets:
        return request
    if not _could_be_done(request, order, owner, seat):
        # It may be the other player's, from an address of theirs that we do not know.
        their = replace(seat, seat=3 - seat.seat, revision=match.revision)
        if _could_be_done(request, order, match.players[their.seat - 1], their):
            refuse(request, order.reading.lines[0], NotAllowed(_UNKNOWN))
        return request
    address = reader.addresses[0]
    # The answer comes from anybody, as often as they like, so it draws from what strangers may cause.
    if not request.may_ask(Act.HELD, address):
        return request
    lines = list(order.reading.lines)
    # Words below the move were meant for the owner, so they are not kept for the opponent.
    token = request.outgoing.issue(
        "held", mailbox(address), days=HELD_DAYS, player=owner, lines=lines, comment="", board=board,
        as_of=request.now.isoformat(), token=request.message.token,
    )  # fmt: skip
    writer = request.message.sender or "somebody"
    request.outgoing.write(
        address, f"pbm: {writer} answered your email", "bystander.txt",
        player=owner, reply_to=token, answers=False, lines=lines, writer=writer, board=board,
    )  # fmt: skip
    return request


def board_asked_about(ticket: Ticket, text: str) -> str:
    """The token of the owner's seat, if a text answers such a question with neither yes nor no; "" otherwise."""
    if is_clear(besides(ticket, text)):
        return ""
    seat: str = ticket.payload.get("token", "")
    return seat


def besides(ticket: Ticket, text: str) -> str:
    """What an answer to a question about commands says besides them: "yes" for "Yes, F6"."""
    # "F6?" asks back.
    if "?" not in text:
        for line in ticket.payload.get("lines", ()):
            text = re.sub(rf"(?<!\w){re.escape(line)}(?!\w)", "", text, flags=re.IGNORECASE)
    return text.strip(" ,.!\n")


def _moves(commands: Sequence[Command | Rejected]) -> bool:
    """Whether all that stands there changes the board; words, lists and help are of no use to the owner."""
    if not commands:
        return False
    return all(isinstance(each, Command) and each.verb.alters and not each.verb.has_text for each in commands)


def _could_be_done(request: Request, order: Order, player: Player, token: SeatToken) -> bool:
    """Whether the mail's commands would be carried out if a player had sent them; nothing is changed."""
    standing = Standing(request.sender.standing.game, token.board, known=True, proven=True)
    trial = request.again(Sender(standing, token, seated=player))
    with suppress(NeedsIdentity):
        tried(trial, order)
        return trial.refusal is None
    return False
