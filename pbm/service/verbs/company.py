"""Verbs of company: what there is to play, and what players write to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from games import GAMES
from pbm.compose import Answer
from pbm.domain.commands import Command, Standing, clean, parse
from pbm.domain.errors import BadArguments, NotAllowed, NotFound, Rejected
from pbm.domain.match import Player
from pbm.domain.redaction import redact
from pbm.domain.verbs import MULTIPLE
from pbm.service.broadcasting import spread, written_by
from pbm.service.handling import Handling
from pbm.service.names import first_line
from pbm.service.starting import unheard
from pbm.service.telling import readers_of
from pbm.service.verbs.registry import HANDLERS, done, handles, redeems
from pbm.store.broadcasts import Broadcast
from pbm.store.tickets import Ticket

MAX_HEARERS = 10
"""Players that one message goes to."""
MESSAGE = "message"
"""The purpose of tickets whose answer is passed on to the author of a message."""
ANSWER_DAYS = 30


@handles("list")
def list_(handling: Handling, command: Command) -> Answer | None:
    words = command.args.get("GAME", "").casefold().split()
    unknown = next((word for word in words if word not in GAMES), None)
    if unknown is not None:
        raise NotFound(f'There is no game "{unknown}" here. The games are {", ".join(GAMES)}.', "list")
    if words:
        answers = (HANDLERS["games"](handling, replace(command, game=word, args={})) for word in dict.fromkeys(words))
        return done(command, "\n\n".join(answer.text for answer in answers if answer), "pbm: list of games")
    text = handling.tools.composer.pages.render("list.txt", tallies=handling.tx.matches.tallies())
    return done(command, text.rstrip("\n"), "pbm: list of games")


@handles("message")
def message(handling: Handling, command: Command) -> Answer | None:
    author, text = handling.who(command), text_below(handling)
    words = dict.fromkeys(word.strip(",;") for word in command.args["TO-USERID"].split())
    if len(words) > MAX_HEARERS:
        raise BadArguments(f"A message goes to at most {MAX_HEARERS} players.")
    hearers = {player.id: player for player in (_hearer(handling, author, word) for word in words if word)}
    _pass_on(handling, author, list(hearers.values()), text)
    return done(command, f"Your message is on its way to {' and '.join(each.userid for each in hearers.values())}.")


def text_below(handling: Handling) -> str:
    """What is written below the command, and now belongs to it. Raises: BadArguments."""
    text = redact(handling.comment, handling.secrets).strip()
    handling.comment = ""
    return _checked(handling, text, "write it below the command")


def _checked(handling: Handling, text: str, where: str) -> str:
    """Raises: BadArguments."""
    most = handling.tools.limits.message_characters
    if not text:
        raise BadArguments(f"There is no text to send: {where}.")
    if len(text) > most:
        raise BadArguments(f"Your text has {len(text)} characters; at most {most} are passed on.")
    return text


def _hearer(handling: Handling, author: Player, userid: str) -> Player:
    """Raises: NotFound, NotAllowed."""
    player = handling.tx.players.find(userid)
    if player is None:
        raise NotFound(f'There is no player "{userid}" here.')
    _check_not_blocked(handling, author, player)
    return player


def _check_not_blocked(handling: Handling, author: Player, hearer: Player) -> None:
    """Raises: NotAllowed."""
    if handling.tx.blocks.is_blocked(author.id, by=hearer.id):
        raise NotAllowed(f"{hearer.userid} takes no messages from you.")
    if handling.tx.blocks.is_blocked(hearer.id, by=author.id):
        raise NotAllowed(f"You have blocked {hearer.userid}.", f"unblock {hearer.userid}")


def _pass_on(handling: Handling, author: Player, hearers: Sequence[Player], text: str) -> None:
    """Mail the text to each of the hearers; answering it writes back. Raises: NotAllowed."""
    readers = readers_of(handling.tx, handling.tools, hearers, handling.now)
    for hearer in hearers:
        if not readers[hearer.id].addresses:
            raise NotAllowed(f"{unheard(handling.tx, hearer)}, so nothing can be sent there.")
    most, since = handling.tools.limits.messages_per_day, handling.now - timedelta(days=1)
    if handling.tx.tickets.issued_since(MESSAGE, author.userid, since) + len(hearers) > most:
        raise NotAllowed(f"A player may send {most} messages a day, and you have. Try again tomorrow.")
    composer = handling.tools.composer
    for reader in readers.values():
        for address in reader.addresses:
            assert reader.player is not None  # noqa: S101  readers_of makes them of players
            token = handling.issue(MESSAGE, author.userid, days=ANSWER_DAYS, player=reader.player, to=author.id)
            letter = composer.letter(
                address,
                "pbm: a message for you",
                "message.txt",
                handling.now,
                player=reader.player,
                reply_to=token,
                headers=written_by(author, handling.tools),
                userid=author.userid,
                text=text,
            )
            handling.letters.append(letter)


@redeems(MESSAGE, lasting=True)
def answer_message(handling: Handling, ticket: Ticket) -> None:
    """Who got a message has answered it: his words go back to its author."""
    player, author = handling.tx.players.get(ticket.player_id or 0), handling.tx.players.get(ticket.payload["to"])
    if player is None:
        return
    handling.identified = player
    text = handling.message.text.strip()
    try:
        _check_no_command(text)
        if author is None:
            raise NotFound("Who wrote to you has left the server.")
        _check_not_blocked(handling, player, author)
        _pass_on(handling, player, [author], _checked(handling, text, "write it above the message you answer"))
    except Rejected as error:
        handling.refuse("your answer", error)


def _check_no_command(text: str) -> None:
    """A password sent to the wrong address must not reach another player. Raises: NotAllowed."""
    try:
        meant = bool(parse(clean(first_line(text)), Standing()).secrets)
    except Rejected:
        meant = False
    if meant:
        raise NotAllowed("This is the address for an answer to a player; send commands in a mail of their own.")


@handles("broadcast")
def broadcast(handling: Handling, command: Command) -> Answer | None:
    author, moderation = handling.who(command), handling.tools.limits.broadcast_moderation
    if moderation == "closed":
        raise NotAllowed("There are no broadcasts on this server.")
    text = text_below(handling)
    if handling.tx.broadcasts.written_since(author.id, handling.now - timedelta(days=1)):
        raise NotAllowed("You may write to all players once a day, and you have. Try again tomorrow.")
    written = handling.tx.broadcasts.add(author, text, handling.now, sent=moderation == "off")
    if moderation == "on":
        _tell_operator(handling, written)
        return done(command, "The operator reads what is written to all players before it goes out.")
    mails, hearers = spread(handling.tx, handling.tools, written, handling.now)
    handling.letters += mails
    return done(command, f"Your words are on their way to {hearers} player{'' if hearers == 1 else 's'}.")


def _tell_operator(handling: Handling, written: Broadcast) -> None:
    if handling.tools.operator:
        handling.write(
            handling.tools.operator,
            f"pbm: broadcast {written.id} waits for you",
            "broadcast-operator.txt",
            answers=False,
            userid=written.author.userid,
            text=written.text,
            number=written.id,
        )


@handles(MULTIPLE)
def multiple(handling: Handling, command: Command) -> Answer | None:  # noqa: ARG001  every handler has them
    """The parser puts the commands below it in its place, so it comes here only if there are none."""
    raise BadArguments("There is no command: write each on a line of its own below this one.")
