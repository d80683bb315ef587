"""A player's words to others, passed on by mail. No mail shows an address of its author."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from games.rules import counted
from pbm.compose.notices import Answer, Outcome
from pbm.core.board import OpenBoard
from pbm.core.bus import AccountsMerged, subscribes
from pbm.core.credentials import first_line
from pbm.core.limits import Act
from pbm.core.notify import Desk, Tools, Writer, letters_for, notice_of, pass_on, readers_of
from pbm.core.registry import Occasion, by_player, handles, redeems, when_due
from pbm.core.reply import done
from pbm.core.request import Request, no_player
from pbm.core.robots import UNHEARD, is_robot, robot_called
from pbm.core.start import unheard
from pbm.domain.errors import BadArguments, MatchOver, NotAllowed, NotFound, existing
from pbm.domain.events import CommentMade
from pbm.domain.mail import Mail, RemarkKind
from pbm.domain.match import WORDS_KEPT, IntentKind, Player
from pbm.reading.commands import Command, clean, command_or_refusal
from pbm.reading.verbs import COMPANY, MULTIPLE, Entry, Standing, Verb
from pbm.store import Transaction
from pbm.store.tickets import MESSAGE, Broadcast, Ticket

NO_MORE = "set broadcasts off"
"""The command by which a player gets no more broadcasts."""
AT_ONCE = 50
"""Players who are written to in one transaction, so that others need not wait long."""
SPREAD = "broadcast"
"""The kind of agenda items for broadcasts that are being sent."""


def written_by(author: Player, tools: Tools) -> dict[str, str]:
    """The From of a mail that passes a player's words on: their userid, with our address."""
    return {"From": f'"{author.userid} via pbm" <{tools.composer.robot.address}>'}


def spread(at: Desk, broadcast: Broadcast, after: int = 0) -> tuple[list[Mail], int | None]:
    """The mails of a broadcast to the next players by id, and how many get it; None if more players follow.

    Players who want no broadcasts or have blocked its author get none. The rest is put on the agenda.
    """
    tx = at.tx
    deaf = {broadcast.author.id, *tx.blocks.blockers(broadcast.author.id)}
    players, last = tx.players.after(after, AT_ONCE)
    # A broadcast to a thousand players would hold up all moves for a minute.
    if last is not None:
        tx.agenda.put(SPREAD, broadcast.id, tx.now, after=last)
    readers = readers_of(at, [player for player in players if player.id not in deaf]).values()
    hearers = [reader for reader in readers if reader.settings.broadcasts == "on" and reader.addresses]
    words = {"headers": written_by(broadcast.author, at.tools), "userid": broadcast.author.userid}
    mails: list[Mail] = []
    for reader in hearers:
        mails += letters_for(
            at, reader, "pbm: to all players", "broadcast.txt", leave=NO_MORE, text=broadcast.text, **words
        )
    return mails, None if last is not None else len(hearers)


@when_due(SPREAD, within=timedelta(hours=1))
def spread_when_due(occasion: Occasion) -> None:
    item = occasion.item
    broadcast = occasion.tx.broadcasts.get(int(item.key))
    if broadcast is not None:
        occasion.owe(spread(occasion, broadcast, item.payload["after"])[0])


MAX_HEARERS = 10
"""Players that one message goes to."""
ANSWER_DAYS = 30


@handles(
    Verb("message USERID PASSWORD TO-USERID...", COMPANY, has_text=True),
    Entry(10, "write to other players; the text goes below the command"),
)
def message(request: Request, command: Command) -> Answer:
    sender, named = request.sender.proven, command.args.get("USERID", "")
    # The text stands next to the command, and was taken for a password.
    if sender is not None and named.casefold() != sender.userid.casefold() and request.tx.players.find(named):
        raise BadArguments("Write the text below the command, on lines of its own.", f"message {named}")
    author, text = request.author.who(command), text_below(request)
    words = dict.fromkeys(word.strip(",;") for word in command.args["TO-USERID"].split())
    if len(words) > MAX_HEARERS:
        raise BadArguments(f"A message goes to at most {MAX_HEARERS} players.")
    hearers = {player.id: player for player in (_hearer(request, author, word) for word in words if word)}
    _pass_on(request, author, list(hearers.values()), text)
    return done(command, f"Your message is on its way to {' and '.join(each.userid for each in hearers.values())}.")


def text_below(request: Request) -> str:
    """The text below the command, which is no longer passed on as a comment. Raises: BadArguments."""
    text = request.unsecret(request.words.spend())
    return _checked(request, text, "write it below the command")


def _checked(request: Request, text: str, where: str) -> str:
    """The text itself. Raises: BadArguments if it is empty or too long."""
    most = request.tools.house.message_characters
    if not text:
        raise BadArguments(f"There is no text to send: {where}.")
    if len(text) > most:
        raise BadArguments(f"Your text has {len(text)} characters; at most {most} are passed on.")
    return text


def _hearer(request: Request, author: Player, userid: str) -> Player:
    """Raises: NotFound, NotAllowed."""
    player = request.tx.players.find(userid)
    # Robots that nobody has played have no row yet.
    if player is None and (robot := robot_called(request.tx, userid)):
        raise NotAllowed(_deaf(robot))
    if player is None:
        raise no_player(request.tx, userid)
    _check_not_blocked(request, author, player)
    return player


def _check_not_blocked(request: Request, author: Player, hearer: Player) -> None:
    """Raises: NotAllowed."""
    if request.tx.blocks.is_blocked(author.id, by=hearer.id):
        raise NotAllowed(f"{hearer.userid} takes no messages from you.")
    if request.tx.blocks.is_blocked(hearer.id, by=author.id):
        raise NotAllowed(f"You have blocked {hearer.userid}.", f"unblock {hearer.userid}")


def _deaf(robot: str) -> str:
    """Why nothing can be sent to a robot."""
    return f"{robot} is a program, which reads no messages, so nothing can be sent there."


def _pass_on(request: Request, author: Player, hearers: Sequence[Player], text: str) -> None:
    """Mail the text to each of the hearers, whose answers come back to the author. Raises: NotAllowed."""
    readers = readers_of(request, hearers)
    for hearer in hearers:
        # A message that reaches nobody must not seem to be on its way.
        if not readers[hearer.id].addresses:
            problem = unheard(request.tx, hearer)
            raise NotAllowed(f"{problem}, so nothing can be sent there." if problem else _deaf(hearer.userid))
    # Drawn before anything is written: a message goes to all of them, or to nobody.
    for _ in hearers:
        request.draw(Act.MESSAGE)
    headers = written_by(author, request.tools)
    for hearer in hearers:
        for address in readers[hearer.id].addresses:
            token = request.outgoing.issue(
                MESSAGE, author.userid, days=ANSWER_DAYS, player=hearer, to=author.id, text=text
            )
            request.outgoing.write(
                address, "pbm: a message for you", "message.txt", player=hearer, reply_to=token, answers=False,
                headers=headers, userid=author.userid, text=text,
            )  # fmt: skip


@redeems(MESSAGE, lasting=True)
@by_player
def answer_message(request: Request, ticket: Ticket, player: Player) -> None:
    """Pass a player's answer to a message back to its author."""
    _check_no_command(request.message.text)
    author = existing(request.tx.players.get(ticket.payload["to"]), "The player who wrote to you has left the server.")
    text = _checked(request, request.unsecret(request.message.text), "write it above the message you answer")
    _check_not_blocked(request, player, author)
    _pass_on(request, player, [author], text)
    # Somebody else may have the message, and its reader learns who answered it.
    if request.author.sent_from is not None:
        told = f"Your answer is on its way to {author.userid}."
        request.outgoing.answers.append(Answer("your answer", Outcome.DONE, told, "pbm: your answer to a message"))


@subscribes(AccountsMerged)
def write_to_the_other(merged: AccountsMerged, tx: Transaction) -> None:
    """Have answers to the messages of a player go to the player whose account theirs has become."""
    for ticket in tx.tickets.all_of(MESSAGE):
        if ticket.payload["to"] == merged.gone.id:
            payload = {**ticket.payload, "to": merged.kept.id}
            tx.tickets.restate(ticket._replace(subject=merged.kept.userid, payload=payload))


def _check_no_command(text: str) -> None:
    """Raises: NotAllowed for a command with a password, which must not reach another player."""
    meant = command_or_refusal(clean(first_line(text)), Standing())
    if isinstance(meant, Command) and meant.secrets:
        raise NotAllowed("This is the address for an answer to a player; send commands in a separate email.")


@handles(
    Verb("broadcast USERID PASSWORD", COMPANY, has_text=True),
    Entry(20, "write to all players; the text goes below the command"),
)
def broadcast(request: Request, command: Command) -> Answer:
    author, moderation = request.author.who(command), request.tools.house.broadcast_moderation
    if moderation == "closed":
        raise NotAllowed("There are no broadcasts on this server.")
    text = text_below(request)
    request.draw(Act.BROADCAST)
    written = request.tx.broadcasts.add(author, text, request.now, sent=moderation == "off")
    # The operator answers for what all players get.
    if moderation == "on":
        if request.tools.operator:
            request.outgoing.write(
                request.tools.operator, f"pbm: broadcast {written.id} waits for you", "broadcast-operator.txt",
                answers=False, userid=author.userid, text=text, number=written.id,
            )  # fmt: skip
        return done(command, "The operator reads what is written to all players before it goes out.")
    mails, hearers = spread(request, written)
    request.outgoing.letters += mails
    to = "all players" if hearers is None else counted(hearers, "player")
    return done(command, f"Your words are on their way to {to}.")


@handles(
    Verb(MULTIPLE, COMPANY, has_text=True),
    Entry(30, "several commands in one email, below this one, each on a line of its own"),
)
def multiple(request: Request, command: Command) -> None:  # noqa: ARG001  every handler has them
    """Called only if there are no commands below it: the parser puts those in its place."""
    raise BadArguments("There is no command: write each on a line of its own below this one.")


@handles(
    Verb("GAME chat BOARD USERID PASSWORD", COMPANY, has_text=True),
    Entry(40, "write to the players of a board and to all who follow it; the text goes below the command"),
)
def chat(request: Request, command: Command) -> None:
    """Send the text below the command to everybody who gets the mails of the board."""
    board = request.boards.named(command)
    author = request.author.who(command, board.match.board)
    is_unheard = any(is_robot(request.tx, player) for player in board.match.players if player != author)
    read_as = request.words.read_as.get(board.match.board) or (UNHEARD if is_unheard else "")
    _say(request, board, author, RemarkKind.COMMENT, read_as)


def _say(request: Request, board: OpenBoard, author: Player, kind: RemarkKind, read_as: str = "") -> None:
    """Store the text below the command, and pass it on; what is kibitzed is sealed. Raises: BadArguments."""
    text = text_below(request)
    board.remark(kind, author, text)
    comment = CommentMade(board.match.board, userid=author.userid, text=text)
    writer = Writer(author, request.message, read_as, sent_from=request.author.sent_from)
    is_sealed = kind is RemarkKind.KIBITZ
    request.outgoing.letters += pass_on(request, board, comment, writer, sealed=is_sealed)


@handles(
    Verb("GAME kibitz BOARD USERID PASSWORD", COMPANY, has_text=True),
    Entry(
        50, "write to all who follow a board but its players, who read it when the game has ended; the text goes below"
    ),
)
def kibitz(request: Request, command: Command) -> None:
    """Send the text to the followers of the board; its players get it with the last mail of the game."""
    board, author = request.boards.named(command), request.author.who(command)
    number = board.match.board
    if board.match.seat_of(author.id) is not None:
        raise NotAllowed(f'You play on board {number}: onlookers write "kibitz"; you may write "chat".', "chat")
    if board.match.result is not None:
        raise MatchOver(f'Board {number} has ended: "chat" is read by its players, too.')
    following = [each.player for each in request.tx.follows.of(board.match) if not each.ends_only]
    # Otherwise they would not read what other onlookers answer.
    if author not in following:
        raise NotAllowed(
            f"You do not follow board {number}, so you would not read what is answered.", f"follow {number}"
        )
    request.draw(Act.KIBITZ)
    _say(request, board, author, RemarkKind.KIBITZ)


@handles(
    Verb("GAME note BOARD USERID PASSWORD [NOTHING|none]", COMPANY, has_text=True, wordy=True, aliases=("notes",)),
    Entry(60, "keep what you write below for yourself, under the emails of a board; alone it shows your notes"),
)
def note(request: Request, command: Command) -> None:
    """Add the text below the command to the player's notes; without a text, show them."""
    board = request.boards.named(command)
    owner = request.author.who(command, board.match.board)
    text = request.unsecret(request.words.spend())
    own = board.match.seat_of(owner.id)
    kept = board.intents.find(own, IntentKind.SUBMIT) if own is not None else None
    if kept is not None and kept.text == WORDS_KEPT and not text:
        # "note" answers the question whether the words that were kept back are to be sent
        board.intents.drop(kept)
        text = kept.comment
    if "NOTHING" in command.args:
        if not request.tx.remarks.drop(RemarkKind.NOTE, board.match.board, owner.id):
            raise NotFound(f"You have no notes on board {board.match.board}.")
        shown = "your notes are gone."
    elif text:
        most, length = request.tools.house.message_characters, sum(len(each.text) for each in board.notes(owner))
        if length + len(text) > most:
            problem = f"there are {length}, and these would be {len(text)} more."
            raise BadArguments(f"Your notes on a board may have {most} characters; {problem}", "note none")
        board.remark(RemarkKind.NOTE, owner, text)
        shown = 'noted. Only you see your notes, below the emails of the board; "note none" drops them all.'
    elif board.notes(owner):
        shown = "your notes are below."
    else:
        raise NotFound(f"You have no notes on board {board.match.board}: write one below the command.")
    reader = replace(request.author.reader(), seat=board.perspective(owner))
    request.outgoing.notices.append(notice_of(board, reader, shown=shown))
