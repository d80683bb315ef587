"""The sender of a mail, as far as the mail itself shows it, and whether the operator has banned them.

`PROOFS` says what a mail may act on, by what it shows; docs/security.md prints it. A token is in the address the mail
came to or, if that has lost it, in the mail that is answered. Everything else about a mail can be forged.

A banned player is told so, once a day at most, and may still write to postmaster. Mail from a banned address or domain
is ignored, and nobody is told. A program's mail counts only for an account that is marked as a bot, and is not answered
for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from pbm.core.notify import day_of
from pbm.core.request import Flaw, Request, Sender
from pbm.domain.addresses import is_player
from pbm.domain.calendars import instant_at
from pbm.domain.mail import Sent
from pbm.domain.match import Player
from pbm.domain.tokens import AddressToken, ChatToken, DigestToken, PlayerToken, SeatToken, Signer, Token
from pbm.mailin import Cover, Judgement, Mark, Message, Robot, strip_subject
from pbm.mailin.headers import mark_of, token_answered
from pbm.reading.commands import Command, board_of_subject
from pbm.reading.verbs import Standing
from pbm.server.prepared import Prepared
from pbm.store import Transaction
from pbm.store.house import MOST_BRINGERS, Peer
from pbm.store.matches import Summary
from pbm.store.players import Ban, unnamed


def kept_out(tx: Transaction, mail: Prepared) -> Ban | None:
    """The ban that a mail falls under, of its player or else of its address; None if there is none."""
    sender = mail.sender
    players = {player.userid.casefold() for player in (sender.proven, sender.seated, sender.claimed) if player}
    subjects = (*(players | mail.verified), *_of_address(mail.letter.sender.casefold()), unnamed(mail.letter.sender))
    found = tx.bans.of(subjects, tx.now)
    ban = next((found[subject] for subject in subjects if subject in found), None)
    return None if ban is None or (mail.is_for_operator and is_player(ban.subject)) else ban


def _of_address(address: str) -> tuple[str, ...]:
    """ "a+b@x.example.org" -> itself, "a@x.example.org", "@x.example.org", "@example.org", "@org"."""
    local, at, domain = address.rpartition("@")
    labels = domain.split(".") if at else []
    untagged = f"{local.partition('+')[0]}{at}{domain}"
    return (address, untagged, *(f"@{'.'.join(labels[start:])}" for start in range(len(labels))))


_PLAYERS = SeatToken, PlayerToken, DigestToken
"""Tokens that stand for somebody who has an account."""
DAYS_OF_PROOF = 14


class Reach(Enum):
    """What a mail may act on."""

    PLAYER = "everything of the player"
    BOARD = "the token's own board, whatever From says, and nothing else"
    NEWCOMER = "what somebody without an account may ask for, such as to join"
    NOTHING = 'nothing; the player is asked "was that you?"'


class Clue(Enum):
    """What a mail shows of its sender, in words for the operator."""

    VOUCHED = "our own mail server passes the address in From (`server.authserv_id`)"
    MAILED = f"the token of a player's email, mailed to exactly the address in From within {DAYS_OF_PROOF} days"
    PASSWORD = "userid and password in the command"  # noqa: S105  no password
    ANSWERED = 'a yes to "was that you?", which went to the player'
    SEAT = "the token of a board email, from an address of its player or in answer to an email of ours"
    ADDRESS = "the token of an email to somebody without an account, mailed to exactly the address in From"
    CLAIMED = "a player's address in From, and nothing else"


class Worth(NamedTuple):
    """What one clue is good for."""

    reach: Reach
    failed: Reach
    """The same for a mail that our own mail server says is not from the address in From."""


PROOFS = {
    Clue.VOUCHED: Worth(Reach.PLAYER, Reach.NOTHING),
    Clue.MAILED: Worth(Reach.PLAYER, Reach.NOTHING),
    # What follows says nothing about From, so a verdict about From changes nothing.
    Clue.PASSWORD: Worth(Reach.PLAYER, Reach.PLAYER),
    Clue.ANSWERED: Worth(Reach.PLAYER, Reach.PLAYER),
    # Board mails are forwarded, and shown to others: From is then as easily forged as read.
    Clue.SEAT: Worth(Reach.BOARD, Reach.BOARD),
    Clue.ADDRESS: Worth(Reach.NEWCOMER, Reach.NOTHING),
    Clue.CLAIMED: Worth(Reach.NOTHING, Reach.NOTHING),
}
"""Who may act on what. The password and the answer are proved where they are used, `Author` and `order.release`."""


def reach_of(clue: Clue, judgement: Judgement) -> Reach:
    """What a mail may act on by one clue. judgement: what our own mail server says of its From."""
    worth = PROOFS[clue]
    return worth.failed if judgement is Judgement.FAILED else worth.reach


def identify(tx: Transaction, signer: Signer, message: Message) -> Sender:
    """The sender as the mail shows them.

    A forwarded mail takes its token along: anybody who answers it plays that board, but is nobody otherwise. Whoever
    answers a player's own mail, because it went to them in copy, or no mail at all, plays nothing from an address that
    is not the player's: they speak for themselves.
    """
    token = signer.open(message.token) if message.token else None
    seat = token if isinstance(token, SeatToken) else None
    # The token of a seat names the board, so the mail that is answered is not looked up.
    answered = None if seat else _answered(tx, message)
    sender = _shown(tx, message, token, answered)
    if seat is not None:
        board: int | None = seat.board
    # If the plus tag was lost, the id of the mail that is answered names the board; without it, the subject.
    else:
        board = answered.board if answered is not None else board_of_subject(strip_subject(message.subject))
    match = tx.matches.summary(board) if board is not None else None
    if match is None:
        return _at_no_board(tx, message, token, sender)
    sender = sender._replace(standing=replace(sender.standing, game=match.game, board=match.board))
    if seat is None or seat.epoch != match.epochs[seat.seat - 1]:
        return sender
    return _in_seat(tx, message, match, seat, sender)


def _shown(tx: Transaction, message: Message, token: Token | None, answered: Sent | None) -> Sender:
    """The sender by what is shown whatever board is answered. answered: the mail of ours that is."""
    at_home = tuple(tx.players.of_address(message.sender)) if message.sender else ()
    claimed, owner, judgement = _claimed(at_home, answered), _of_token(tx, token), message.judgement
    proven = None
    if claimed is not None and judgement is Judgement.PASSED and reach_of(Clue.VOUCHED, judgement) is Reach.PLAYER:
        proven = claimed
    if owner in at_home and _went_there(tx, message) and reach_of(Clue.MAILED, judgement) is Reach.PLAYER:
        proven = owner
    known = bool(proven or claimed)
    flaw = Flaw.VOID if isinstance(token, _PLAYERS) and owner is None and not known else None
    standing = Standing(known=known, proven=bool(proven))
    return Sender(standing, None, proven, claimed, _as_of(token, answered), at_home=at_home, flaw=flaw)


def _as_of(token: Token | None, answered: Sent | None) -> datetime | None:
    """When the mail that is answered was written, by its token or else by its id."""
    if isinstance(token, DigestToken):
        return instant_at(token.as_of)
    return None if answered is None or isinstance(token, PlayerToken) else answered.created_at


def _went_there(tx: Transaction, message: Message) -> bool:
    """Whether the mail's token was mailed to the address in From, not long ago."""
    since = tx.now - timedelta(days=DAYS_OF_PROOF)
    return message.token is not None and tx.outbox.brought(message.token, message.sender, since)


def _at_no_board(tx: Transaction, message: Message, token: Token | None, sender: Sender) -> Sender:
    """The sender of a mail that answers no board. sender: without what is only shown there."""
    claimed, proven = sender.claimed, sender.proven
    is_newcomer = reach_of(Clue.ADDRESS, message.judgement) is Reach.NEWCOMER
    newcomer = _of_newcomer(token, message, tx.now) if is_newcomer else None
    # The token was mailed before the address had an account, so any `revoke` of the player came later.
    if newcomer and claimed is not None and not tx.players.epoch(claimed.id):
        proven = proven or claimed
    # Tokens of tickets are not sealed, and a key that is no longer trusted opens none of its tokens.
    is_lost = message.token is not None and token is None and tx.tickets.find(message.token, tx.now) is None
    return sender._replace(
        standing=Standing(known=bool(proven or claimed), proven=bool(proven)),
        proven=proven,
        newcomer=None if sender.at_home else newcomer,
        flaw=Flaw.LOST if is_lost else sender.flaw,
    )


def _in_seat(tx: Transaction, message: Message, match: Summary, seat: SeatToken, sender: Sender) -> Sender:
    """The sender of a mail with the good token of a seat. sender: without what the token shows."""
    at_home, seated, other = sender.at_home, match.players[seat.seat - 1], match.players[2 - seat.seat]
    # "Answer to all" of a mail that the player sent to both of us, or forwarded, brings the player's token along. It
    # proves nothing: anybody who has it can write the other player's address into From.
    if seated not in at_home and other in at_home:
        answered = _answered(tx, message)
        as_of = _persons_mail_at(tx, message) or (answered.created_at if answered else None)
        proven = other if message.authenticated else None
        standing = replace(sender.standing, known=True, proven=proven is not None)
        return Sender(standing, proven=proven, claimed=other, as_of=as_of, at_home=(other,))
    # Somebody in copy answers the player, not us; a mailbox of the player's that passes mails on answers ours.
    if seated not in at_home and not answers_us(tx, message):
        standing = replace(sender.standing, known=True, proven=sender.proven is not None)
        return Sender(standing, None, sender.proven, sender.claimed, at_home=at_home, bystander_of=seated)
    own = seated if seated in at_home and message.judgement is not Judgement.FAILED else None
    standing = replace(sender.standing, known=True, proven=True)
    return sender._replace(standing=standing, seat=seat, seated=seated, own=own, flaw=None)


def _persons_mail_at(tx: Transaction, message: Message) -> datetime | None:
    """When we got the mail of a person that is answered; None if none is, as far as we know.

    A mail of ours is nobody else's, even if somebody sent us a mail with the same id.
    """
    answered = _nearest(message)
    return None if answered is None or answers_us(tx, message) else tx.inbox.came_at(mark_of(answered))


def answers_us(tx: Transaction, message: Message) -> bool:
    """Whether the mail that is answered is one of ours."""
    answered = _nearest(message)
    return answered is not None and tx.outbox.recall(_key(answered)) is not None


def with_token(tx: Transaction, signer: Signer, message: Message, robot: Robot) -> Message:
    """The message with the token of a seat for that of a chat, which is proof by itself and lacks only the state of the
    board; otherwise with its own token, or with one that it has lost.
    """
    # Delta Chat makes an encrypted list read-only, so an encrypted board is a group, and its id holds the token.
    chat = signer.open(message.token or message.group)
    if isinstance(chat, ChatToken):
        return replace(message, token=signer.seal(_as_answered(tx, signer, message, robot, chat)))
    return _with_lost_token(tx, signer, message, robot) if message.token is None else message


def _with_lost_token(tx: Transaction, signer: Signer, message: Message, robot: Robot) -> Message:
    """The message with the token of the mail it answers, if its own address has lost that on the way.

    Nobody can guess the id of a mail of ours, which went to one reader. Others may learn it from an answer that went to
    them, too: so it counts only in mail that comes from the address it went to, or from another one of its player, and
    is no player's token unless that address is vouched for; nor does it resign a game unasked.
    """
    answered = _nearest(message)
    if answered is None or not (message.authenticated or message.direct):
        return message
    told = tx.outbox.find(_key(answered))
    if told is None:
        return message
    owners = [player.id for player in tx.players.of_address(message.sender)]
    # Whoever got an answer of the player in copy has its References, too.
    if message.sender.casefold() != told.mail.address.casefold() and told.mail.player_id not in owners:
        return message
    lost = token_answered(told.mail, robot)
    # MAIL FROM can be forged: enough for a board, which the token's holder may play anyhow, not for an account.
    if not message.authenticated and lost and isinstance(signer.open(lost), PlayerToken | DigestToken):
        return message
    return replace(message, token=lost, told_at=told.created_at)


def remember_key(tx: Transaction, mail: Prepared) -> None:
    """Store the OpenPGP key that a mail brings for its address, or that the address wants no more encrypted mail.

    A mail that may be forged does not change what a proven one has brought.
    """
    message, address = mail.letter, mail.letter.sender
    known = tx.peers.find(address) if address else None
    # Nearly all mails: a key needs an address in From, and nothing is known of most addresses.
    if message.key is None and known is None:
        return
    proven = _proves_address(tx, mail)
    # Whoever has a forwarded board mail can answer it with a key of their own, and would get all later answers.
    if known is not None and known.proven and not proven:
        return
    found = _peer_after(message, known, proven=proven)
    if found != known:
        tx.peers.put(address, found, tx.now)


def _peer_after(message: Message, known: Peer | None, *, proven: bool) -> Peer:
    """The key to be kept for an address after a mail that brings one, or whose key is known."""
    key, is_encrypted = message.key, message.cover is not Cover.NONE
    if key is None:
        assert known is not None  # noqa: S101  one of both is there
        # A player who goes back to writing unencrypted, without a key, gets unencrypted answers.
        return known._replace(wanted=is_encrypted)
    # The key that came last counts, by order of arrival: chat apps draw the outer Date at random.
    earlier = known.brought_by if known is not None and (known.key, known.proven) == (key.key, proven) else ()
    brought_by = (*earlier, message.message_id or "")[-MOST_BRINGERS:]
    return Peer(key.key, is_encrypted or key.mutual, proven, key.chats, brought_by)


def _proves_address(tx: Transaction, mail: Prepared) -> bool:
    """Whether the mail shows as much of the address in its From as it takes to act on more than a board."""
    message, sender = mail.letter, mail.sender
    if message.authenticated or sender.newcomer:
        return True
    owners = {player.userid.casefold() for player in sender.at_home}
    proven = {sender.proven.userid.casefold()} if sender.proven else set()
    if owners & (proven | mail.verified):
        return True
    # What is left is an answer to a question of ours. The token of a board proves no address, as it is passed on.
    if message.judgement is Judgement.FAILED or message.token is None:
        return False
    return tx.tickets.find(message.token, tx.now) is not None and _went_there(tx, message)


def _as_answered(tx: Transaction, signer: Signer, message: Message, robot: Robot, chat: ChatToken) -> SeatToken:
    """The seat's token of the last mail of ours in the chat; that of the present board, if the chat has none of ours.

    If all of ours are deleted, they were early ones, and the token is of the first state.
    """
    references = filter(None, (message.in_reply_to, *reversed(message.references)))
    ours = [reference for reference in references if reference.endswith(f"@{robot.domain}>")]
    for found in filter(None, (tx.outbox.find(_key(reference)) for reference in ours)):
        token = signer.open(token_answered(found.mail, robot) or "")
        if isinstance(token, SeatToken) and (token.board, token.seat) == (chat.board, chat.seat):
            return replace(token, epoch=chat.epoch)
    match = tx.matches.summary(chat.board)
    return SeatToken(chat.board, chat.seat, 0 if ours or match is None else match.revision, chat.epoch)


def _nearest(message: Message) -> str | None:
    """The id of the mail that is answered; some programs name it only as the last of References."""
    return message.in_reply_to or next(reversed(message.references), None)


def _key(message_id: str) -> str:
    """The part of a Message-ID of ours before the @."""
    return message_id.strip("<>").partition("@")[0]


def _of_newcomer(token: object, message: Message, now: datetime) -> AddressToken | None:
    """The token, if it was mailed to the address in From; None otherwise."""
    if not isinstance(token, AddressToken) or token.last_day < day_of(now):
        return None
    is_theirs = token.address == AddressToken.of(message.sender, token.last_day).address
    return token if is_theirs else None


def _claimed(at_home: Sequence[Player], answered: Sent | None) -> Player | None:
    """The player of the address in From; if several share it, the one whose mail is answered, or None."""
    # A family may share one mailbox.
    if len(at_home) > 1:
        at_home = [player for player in at_home if answered is not None and player.id == answered.player_id]
    return at_home[0] if at_home else None


def _of_token(tx: Transaction, token: object) -> Player | None:
    """The player of a token that is still good; None otherwise."""
    if not isinstance(token, PlayerToken | DigestToken) or token.last_day < day_of(tx.now):
        return None
    player = tx.players.get(token.player_id)
    return player if player is not None and tx.players.epoch(player.id) == token.epoch else None


def _answered(tx: Transaction, message: Message) -> Sent | None:
    """The mail of ours that is answered, by its id; it shows what the mail is about."""
    references = filter(None, (message.in_reply_to, *reversed(message.references)))
    found = (tx.outbox.recall(_key(reference)) for reference in references)
    return next(filter(None, found), None)


_MOST_TO_A_PROGRAM = 12
"""Mails about its board that a program may get at one ply; after them, only commands that move or end it are done."""
_GOES_ON = {"move", "pass", "swap", "resign", "accept"}


def goes_round(tx: Transaction, mail: Prepared) -> str:
    """Why a program's mail is ignored: it answers again and again without a ply; empty if it is not ignored."""
    board, seated = mail.sender.board, mail.sender.seated
    if mail.letter.mark is Mark.NONE or board is None or seated is None:
        return ""
    # Whatever plays or ends the board also ends the round.
    if any(isinstance(each, Command) and each.verb.name in _GOES_ON for each in mail.commands):
        return ""
    match = tx.matches.summary(board)
    told = match is not None and tx.outbox.written_since(seated.id, board, match.moved_at) >= _MOST_TO_A_PROGRAM
    return f"{_MOST_TO_A_PROGRAM} emails at this ply" if told else ""


def told_since_the_ply(request: Request, mail: Prepared) -> str:
    """Why a program gets no answer: it has had one since the last ply of the board that it writes about, or within a
    day, and may answer every mail; or empty.
    """
    tx, player = request.tx, request.sender.seated or request.author.player or request.sender.proven
    if request.message.mark is Mark.NONE:
        return ""
    boards = [int(name.removeprefix("board ")) for name in mail.boards]
    match = tx.matches.summary(boards[-1]) if boards else None
    since = match.moved_at if match is not None else tx.now - timedelta(days=1)
    addresses = (request.message.sender, *(tx.players.confirmed(player.id) if player is not None else ()))
    return "A program gets one answer at each ply." if tx.outbox.replied_since(addresses, since) else ""
