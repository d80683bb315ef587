"""Invitations to people without an account: one, ever. A yes to it opens the account and starts the game."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from games import GAMES
from pbm.compose.notices import Answer, Outcome
from pbm.compose.views import wrapped
from pbm.core.credentials import first_line, open_account
from pbm.core.limits import Act
from pbm.core.notify import Desk, letters_for, reader_of
from pbm.core.registry import HANDLERS, REFUSALS, Occasion, redeems, when_due
from pbm.core.reply import done
from pbm.core.request import Request
from pbm.core.robots import ANY, LEVEL_OF
from pbm.core.start import check_willing, read_terms, start_match
from pbm.domain.addresses import check_address
from pbm.domain.errors import BadArguments, NotAllowed, Rejected
from pbm.domain.events import MatchStarted
from pbm.domain.mail import Mail
from pbm.domain.match import Player
from pbm.mailin.headers import token_answered
from pbm.reading.command_lines import read
from pbm.reading.commands import Command, clean, parse
from pbm.reading.consent import Answer as Consented
from pbm.reading.consent import consent, introduced, is_bare
from pbm.reading.games_named import topic
from pbm.reading.sentences import unclosed
from pbm.reading.verbs import FIRST_BOARD, Standing
from pbm.store.tickets import INVITE, Ticket

MAX_ASKED = 4
"""How often one question may be repeated, to tell more or to ask what was meant: a program may be answering."""
_MOMENT = timedelta(minutes=1)
MAX_NOTE = 500
"""Characters of a comment that may be sent with an invitation."""

_A_YES_AND_A_NAME = 4
"""Words of an answer that says little more than yes or no."""

_LINK = re.compile(r"://|www\.|@|\w\.[a-z]{2}", re.IGNORECASE)
"""Also text that mail programs turn into links: "shop.example"."""


def invite(request: Request, command: Command, seats: tuple[Player | str, Player | str], body: str) -> Answer:
    """Invite a stranger. seats: the inviter and, as an address, the stranger. Raises: BadArguments, NotAllowed."""
    inviter = request.author.who(command)
    # Nobody is invited in somebody else's name.
    if inviter not in seats:
        usage = f"{command.game} challenge me ADDRESS"
        raise BadArguments("Somebody who has no account can only be invited to play with you.", usage)
    seat = 1 if isinstance(seats[0], str) else 2
    address = str(seats[seat - 1])
    _check_address(request, address)
    game, house = GAMES[command.game or ""], request.tools.house
    read_terms(game, command.options, body, house.default_clock)
    check_willing(request, game, (inviter,), inviter, (inviter,))
    is_refused = request.tx.invitations.is_refused(address)
    # Nothing is drawn for a mail that is not sent; the answer is the same, so nobody learns who has declined.
    if not is_refused:
        request.draw(Act.INVITE, address)
    if is_refused or not request.tx.invitations.add(address, inviter.id, request.now):
        raise NotAllowed(
            f'"{address}" was invited before, and nobody is invited twice. Your friend may write anything to '
            f"{request.tools.composer.robot.address}, and the answer tells how to join."
        )
    comment = request.discreetly(request.words.spend())
    payload = {
        "game": game.info.name,
        "words": list(command.options),
        "body": body,
        "seat": seat,
        "comment": comment,
    }
    _send_invitation(request, address, inviter, payload)
    await_answer(request, INVITE, address.casefold(), house.invitation_days, player=inviter.id)
    days = house.invitation_days
    text = (
        f"{address} is invited to a game of {game.info.title}. It starts as soon as the "
        f'invitation is answered; it is good for {days} days and is not repeated. "withdraw {address}" takes it back.'
    )
    if comment and not _note(comment):
        text += f" Your note was left out, for it has a link or more than {MAX_NOTE} characters."
    return done(command, text)


def _check_address(request: Request, address: str) -> None:
    """Raises: BadArguments."""
    check_address(address)
    robot = request.tools.composer.robot
    local, _, domain = address.casefold().partition("@")
    ours = (robot.local_part.casefold(), robot.bounce_part.casefold())
    # A mail to ourselves would be answered.
    if domain == robot.domain.casefold() and re.split(r"[+-]", local)[0] in ours:
        raise BadArguments(f'"{address}" is an address of this server.')
    if domain == robot.domain.casefold() and not robot.one_mailbox and local in (ANY, *LEVEL_OF):
        raise BadArguments(f"Robots have no address. Write {local} alone.", "robots")


def _note(comment: str) -> str:
    """The part of a comment that may go to a stranger: all of it, or nothing if it could be advertising."""
    note = comment.strip()
    return "" if len(note) > MAX_NOTE or _LINK.search(note) else note


def _send_invitation(
    request: Request, address: str, inviter: Player, payload: dict[str, Any], problem: str = "", told: str = ""
) -> None:
    """Mail the invitation. problem: why the stranger's answer was not understood. told: what it asked to know.

    Once they have agreed, only their name is asked for.
    """
    days = request.tools.house.invitation_days
    token = request.outgoing.issue(INVITE, address, days=days, player=inviter, **payload)
    game = GAMES[payload["game"]]
    if payload.get("agreed"):
        request.outgoing.write(
            address, "pbm: what shall we call you?", "called.txt", reply_to=token,
            inviter=inviter.userid, game=game.info, problem=problem,
        )  # fmt: skip
        return
    terms = read_terms(game, payload["words"], payload["body"], request.tools.house.default_clock)
    request.outgoing.write(
        address,
        f"pbm: {inviter.userid} invites you to a game of {game.info.title}",
        "invitation.txt",
        reply_to=token,
        answers=bool(problem or told),
        inviter=inviter.userid,
        game=game.info,
        terms=terms.told,
        side=terms.state.side_name(payload["seat"]),
        first=payload["seat"] == 1,
        note="" if problem or told else _note(payload["comment"]),
        problem=problem,
        told=told,
        days=days,
    )


@redeems(INVITE, lasting=True)
def answer_invitation(request: Request, ticket: Ticket) -> None:
    """The stranger accepts, with a userid of their choice, or declines for good; else they are asked again."""
    inviter = request.tx.players.get(ticket.player_id)
    others, game = [inviter.userid] if inviter is not None else [], ticket.payload["game"]
    reply = consent(request.message.text, others, game=game)
    if reply.answer in (Consented.NO, Consented.NEVER):
        # Nobody may invite them again, whoever asks.
        close(request, INVITE, ticket.subject)
        request.tx.invitations.refuse(ticket.subject, request.now)
        if inviter is not None:
            title, note = GAMES[game].info.title, words_besides(request, game)
            tell_no_game(request, inviter, "pbm: invitation declined", invited=ticket.subject, title=title, note=note)
        return
    command, has_agreed = _helped(request), ticket.payload.get("agreed", False)
    # Once they have agreed, only a name is asked for, so a bare word is one.
    name = reply.name or (introduced(request.message.text) if has_agreed else "")
    if command is not None or not (reply.answer is Consented.YES or name):
        _ask_again(request, ticket, inviter, command)
        return
    owners, claimed = request.tx.players.of_address(ticket.subject), request.sender.claimed
    # They play here already, so another account is made only if they name it.
    if inviter is not None and claimed not in (None, inviter, *owners) and not name:
        request.outgoing.answers.append(_as_player(ticket, inviter))
        return
    _accept(request, ticket._replace(payload=ticket.payload | {"agreed": True}), inviter, name, owners)


def _accept(request: Request, ticket: Ticket, inviter: Player | None, name: str, owners: Sequence[Player]) -> None:
    """Start the game, with an account that is opened for it, or ask for a name. owners: who has the address by now."""
    if not (owners or name):
        _repeat(request, ticket, inviter)
        return
    try:
        player = owners[0] if owners else open_account(request.tx, ticket.subject, name)
    except Rejected as error:
        _repeat(request, ticket, inviter, problem=str(error))
        return
    close(request, INVITE, ticket.subject)
    request.author.player, request.words.comment = player, words_besides(request, ticket.payload["game"])
    problem = _start(request, ticket, inviter, player)
    request.outgoing.write(
        ticket.subject,
        f"pbm: welcome, {player.userid}",
        "invited.txt",
        player=player,
        reply_to=request.tools.composer.answered_by(reader_of(request, player)),
        problem=problem,
        made=not owners,
    )


def _as_player(ticket: Ticket, inviter: Player) -> Answer:
    """The answer to a player who accepts an invitation that went to an address which is not theirs."""
    seats = ("me", inviter.userid) if ticket.payload["seat"] == 1 else (inviter.userid, "me")
    line = " ".join([ticket.payload["game"], "challenge", *ticket.payload["words"], *seats])
    excuse = f"{ticket.subject} was invited, and you have an account with another address, so no second one was made. "
    other = (
        'To have a second one all the same, answer the invitation with its name: "yes, name: joe". To play as you are:'
    )
    return Answer("yes", Outcome.FAILED, excuse + other, "pbm: which account?", suggestion=line)


def words_besides(request: Request, game: str, board: int | None = None) -> str:
    """The words of an answer that are for the other player; none if it is little more than a yes or no and a name.

    Commands below it are neither carried out nor passed on, and its writer is told.
    """
    text = request.message.text
    reading = read("", text, Standing(game, board or FIRST_BOARD, known=True, proven=True), request.tx.players.knows)
    first, *commands = reading.lines or ("",)
    if commands:
        left = f'"{commands[0]}" stands below your answer, and was neither done nor passed on.'
        problem = f"{left} Send commands in an email of their own."
        request.outgoing.answers.append(Answer("your words", Outcome.NOT_TRIED, wrapped(problem), "pbm: not done"))
    words = f"{first}\n{reading.comment}" if commands else text
    words = unclosed(words)
    count = len(words.split())
    return "" if count <= 1 or (count <= _A_YES_AND_A_NAME and is_bare(words)) else words.strip()


def close(at: Desk, purpose: str, subject: str) -> None:
    """Let nobody answer any more. subject: the key of an offer, or the address that was invited."""
    at.tx.tickets.revoke(purpose, subject, at.now)
    at.tx.agenda.drop(purpose, subject.casefold())


def await_answer(at: Desk, purpose: str, subject: str, days: int, **asked: Any) -> None:
    """Keep what is asked on the agenda until a moment before its last ticket runs out.

    asked: `player` is the id of the player who asks, None if they have not shown who they are; `waits` are the ids of
    the players who have not agreed yet.
    """
    at.tx.agenda.put(purpose, subject, at.now + timedelta(days=days) - _MOMENT, **asked)


def is_still_open(occasion: Occasion) -> bool:
    """Whether a question that is due can still be answered; if so, it stays on the agenda until that is over."""
    tx, item = occasion.tx, occasion.item
    ends_at = tx.tickets.open_until(item.kind, item.key, item.due_at)
    # It was asked once more, or the clock was put right.
    is_open = ends_at > occasion.now + _MOMENT
    if is_open:
        tx.agenda.put(item.kind, item.key, ends_at - _MOMENT, **item.payload)
    return is_open


@when_due(INVITE)
def tell_uninvited(occasion: Occasion) -> None:
    """Tell the player who has invited a stranger that nobody has answered."""
    inviter = occasion.tx.players.get(occasion.item.payload["player"])
    if inviter is not None and not is_still_open(occasion):
        words = dict.fromkeys(("plural", "again", "left", "agreed"), False) | {"invited": occasion.item.key}
        occasion.owe(letters_for(occasion, reader_of(occasion, inviter), "pbm: no answer", "unanswered.txt", **words))


def tell_no_game(
    request: Request,
    player: Player,
    subject: str,
    *,
    invited: str,
    title: str,
    note: str = "",
    problem: str = "",
    is_back: bool = False,
) -> None:
    """Tell a player that somebody does not want a game. invited: userid or address. note: what they wrote besides.

    problem: why it cannot start although they want it. is_back: whether they have taken it back.
    """
    writer = request.author.player
    is_heard = writer is None or not request.tx.blocks.is_blocked(writer.id, by=player.id)
    heard = request.discreetly(note) if is_heard else ""
    words = {"invited": invited, "title": title, "note": heard, "problem": problem, "is_back": is_back}
    request.outgoing.letters += letters_for(request, reader_of(request, player), subject, "declined.txt", **words)


def note_undelivered(at: Desk, mail: Mail) -> bool:
    """Tell the inviter that a mail of ours came back; whether it was an invitation that nobody has answered.

    It stays open: it may have reached another mailbox as well, or be sent once more when a mail server is mended.
    """
    token = token_answered(mail, at.tools.composer.robot)
    ticket = at.tx.tickets.find(token, at.now) if token else None
    inviter = at.tx.players.get(ticket.player_id) if ticket and ticket.purpose == INVITE else None
    if inviter is None:
        return False
    words = {"invited": mail.address}
    at.owe(letters_for(at, reader_of(at, inviter), "pbm: invitation undelivered", "undelivered.txt", **words))
    return True


def _helped(request: Request) -> Command | None:
    """The help command in the first line of the answer, if there is one."""
    try:
        command = parse(clean(first_line(request.message.text)), Standing())
    except Rejected:
        return None
    return command if command.verb.name == "help" else None


def _ask_again(request: Request, ticket: Ticket, inviter: Player | None, command: Command | None) -> None:
    """Repeat the invitation, with an answer to the stranger's question, or a note that they said neither yes nor no."""
    if inviter is None:
        return
    text = request.message.text
    if command is None and topic(text) == "help GAME":
        command = parse(f"help {ticket.payload['game']}", Standing())
    if command is None:
        problem = f'"{first_line(text)[:60]}" is no plain yes or no, and nobody else has read it.'
        about = (
            f"{inviter.userid} plays here, and gave your address to ask you for a game. It costs nothing, and brings "
            "no advertising; nothing happens unless you agree."
        )
        if consent(text).answer is Consented.ASKS:
            _repeat(request, ticket, inviter, told=wrapped(about))
        else:
            _repeat(request, ticket, inviter, problem=problem)
        return
    try:
        answer = HANDLERS["help"](request, command)
    except Rejected as error:
        _repeat(request, ticket, inviter, problem=str(error))
        return
    _repeat(request, ticket, inviter, told=answer.text if answer is not None else "")


def _repeat(request: Request, ticket: Ticket, inviter: Player | None, *, problem: str = "", told: str = "") -> None:
    """Send the invitation once more, up to MAX_ASKED times. problem, told: as for `_send_invitation`."""
    since = request.now - timedelta(days=request.tools.house.invitation_days)
    asked = request.tx.tickets.issued_since(INVITE, ticket.subject, since)
    # A program may be answering.
    if inviter is not None and asked <= MAX_ASKED:
        _send_invitation(request, ticket.subject, inviter, ticket.payload, problem, told)


def _start(request: Request, ticket: Ticket, inviter: Player | None, player: Player) -> str:
    """Start the game; returns why it could not start, or empty."""
    if inviter is None:
        return "the player who invited you has left the server."
    words = ticket.payload
    game = GAMES[words["game"]]
    seats = (player, inviter) if words["seat"] == 1 else (inviter, player)
    try:
        check_willing(request, game, seats, inviter, seats)
        board = start_match(request, game, words["words"], words["body"], seats)
    except REFUSALS as error:
        return str(error)
    origin = f"{player.userid} has accepted {inviter.userid}'s invitation."
    request.boards.adopt(board, MatchStarted(board.match.board, origin=origin))
    return ""
