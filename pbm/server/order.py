"""Carries out the commands of a mail in their order, or holds them until their sender has proved who they are.

Then it composes all mails that they cause.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from games.rules import GameError, OptionError
from pbm.compose.notices import Answer, Outcome
from pbm.core.board import OpenBoard
from pbm.core.credentials import declines
from pbm.core.limits import Act, By, drawn
from pbm.core.notify import Writer, tell_players
from pbm.core.registry import HANDLERS, REFUSALS, redeems
from pbm.core.reply import refuse, return_words, says_something
from pbm.core.request import Flaw, Request, Sender
from pbm.core.robots import LEVEL_OF, is_robot
from pbm.domain.errors import BadArguments, Doubt, NeedsIdentity, NotAllowed, Rejected, UnknownCommand, Unsure
from pbm.domain.likeness import mailbox
from pbm.domain.mail import Mail, RemarkKind
from pbm.domain.match import Player
from pbm.features.newcomer import KNOWN, LONGEST_WISH, NoGreeting, Wish, ask_name, explain, greet, kept, named_wish
from pbm.mailin import Action, Message
from pbm.reading.command_lines import MAX_COMMANDS, Reading, by_line, has_text, read
from pbm.reading.commands import Command, begins, board_first, clean, command_or_refusal
from pbm.reading.consent import Answer as Agreed
from pbm.reading.consent import consent
from pbm.reading.games_named import rules_wanted
from pbm.reading.sentences import sentences
from pbm.reading.verbs import (
    ACCOUNT,
    Locks,
    Standing,
    leading,
)
from pbm.server.greeting import answer_mail, is_newcomers
from pbm.server.logins import Held
from pbm.server.said_in_letter import restated
from pbm.server.said_on_board import check_sure, kept_back
from pbm.store import Transaction
from pbm.store.belongings import NO_PASSWORD
from pbm.store.tickets import Ticket
from pbm.values import frozen

HELD_DAYS = 2
_NO_COMMAND = ("Your email contains no command.", "help")
_NO_WORDS = (
    "Your email contains no words of yours. Write them at the top of it; attached files and pictures are not read."
)
_FORWARD = "A forwarded email does nothing. To play, answer a board email."
_BESIDES = Answer(
    "your words",
    Outcome.DONE,
    'Your "yes" counts. What you wrote besides was neither done nor passed on.',
    "pbm: your words",
)
_NAMELESS = "?"
"""The userid of somebody without an account, while it is tried out what they wish for."""
_WELCOME = 'You are welcome! Your email asks for nothing. "help" shows what there is.'


_Waiting = list[tuple["Order", NeedsIdentity]]
"""Commands that need more proof of their writer than others of the mail, and why."""


@frozen
class Order:
    """What a mail asks for: its reading, and each command of it as it was read, or the error why it could not be."""

    reading: Reading
    commands: tuple[Command | Rejected, ...]
    is_plain: bool = True
    """Whether plain words may mean something, and not only commands."""

    def carry_out(self, request: Request) -> Request:
        """Carry the commands out in order; the first that is refused ends its part of the mail.

        Raises: NeedsIdentity.
        """
        excuse = self._excuse(request)
        if excuse is not None:
            refuse(request, self.reading.lines[0] if self.reading.torn else "", excuse)
            return request
        request.several, waiting, parts = len(self.commands) > 1, _Waiting(), self._parts()
        for number, part in enumerate(parts, 1):
            request.begin(part.reading)
            part.carry_part_out(request, waiting, parts[number:])
            # It was asked about all that is left.
            if isinstance(request.refusal, Doubt):
                return request
        if self.reading.truncated:
            limit = f"One email may hold {MAX_COMMANDS} commands."
            request.outgoing.answers.append(Answer("the other lines", Outcome.NOT_TRIED, limit))
        self._ask_for(request, waiting)
        return request

    def _parts(self) -> list[Order]:
        """What is carried out by itself, like small mails: each line that names its board, or the whole."""
        commands, readings = iter(self.commands), self.reading.parts
        return [replace(self, reading=each, commands=(*islice(commands, len(each.lines)),)) for each in readings]

    def _excuse(self, request: Request) -> Rejected | None:
        """Why nothing of the mail is done, with a line that would do something; None if there are commands."""
        # What stands in a forwarded mail is somebody else's.
        if request.message.action is Action.HELP:
            return UnknownCommand(_FORWARD)
        if not self.commands:
            return UnknownCommand(_NO_WORDS) if request.sender.board else UnknownCommand(*_NO_COMMAND)
        if not self.reading.torn:
            return None
        said = (self.reading.lines[0], self.reading.torn)
        asked = f'The subject of your email says "{said[0]}", and its text "{said[1]}", so nothing is done.'
        # A password is never repeated, and no answer could hold one.
        safe = tuple(each for each in said if not any(secret in each for secret in request.secrets))
        return Unsure(f"{asked} Answer with the one that you mean.", candidates=safe)

    def carry_part_out(
        self, request: Request, waiting: _Waiting, following: Sequence[Order], written: str = ""
    ) -> None:
        """Carry out a part of the mail, up to the first command that is refused.

        waiting: takes what needs more proof of its writer. following: the parts behind it. written: the line of which
        this is the meaning, if it is in plain words. Raises: NeedsIdentity.
        """
        for at, (line, command) in enumerate(zip(self.reading.lines, self.commands, strict=True)):
            try:
                if isinstance(command, Command):
                    check_sure(request, command, self.reading.doubtful(command))
                answer = run(request, command)
            except NeedsIdentity as error:
                # The token of a seat is good for its board, so a move there waits for nothing else in the mail.
                if request.sender.seat is None or not request.several:
                    raise
                waiting.append((self._lines(at, at + 1), error))
            except Doubt as doubt:
                ask_whether(request, _joined([self._lines(at), *following]), doubt)
                return
            except REFUSALS as error:
                self._refused(request, at, error, waiting, following)
                return
            else:
                # A single command without an answer needs none: its mails say everything.
                if answer is not None or request.several:
                    request.outgoing.answers.append(answer or Answer(written or line, Outcome.DONE, ""))

    def _lines(self, start: int, end: int | None = None) -> Order:
        """The same for some of its lines; end: None for all from the start."""
        chosen = slice(start, end)
        reading = replace(self.reading, lines=self.reading.lines[chosen])
        return replace(self, reading=reading, commands=self.commands[chosen])

    def _ask_for(self, request: Request, waiting: _Waiting) -> None:
        """Hold the commands that need more proof than the others, which are done."""
        if not waiting:
            return
        # Nothing else was done, so all of the mail is held in one piece.
        if len(waiting) == len(self.commands):
            raise waiting[0][1]
        order = _joined([each for each, _ in waiting])
        # Words below a message are its text; below anything else they are for the opponent, who gets them now.
        if not self.reading.by_board:
            has_text = any(isinstance(each, Command) and each.verb.has_text for each in order.commands)
            order = replace(order, reading=Reading(order.reading.lines, request.words.spend() if has_text else ""))
        hold(request, order, waiting[0][1])

    def _refused(
        self,
        request: Request,
        at: int,
        error: Rejected | GameError,
        waiting: _Waiting,
        following: Sequence[Order],
    ) -> None:
        """Refuse a command and do not try the rest of its part, unless the part means something in plain words."""
        line, command, meant = self.reading.lines[at], self.commands[at], None
        try:
            # Who has no account cannot know the commands, so any words may be meant as a wish to play.
            if at == 0 and self._greets(request):
                request.words.spend()
                return
            if at == 0 and self.is_plain and not self._is_forbidden(request, command, error):
                meant = restated(request, self.reading, command)
        except REFUSALS as unsure:
            error = unsure
        if meant is not None:
            self._again(request, meant, waiting, following)
            return
        # The words were for others, such as onlookers, or a player whose userid is misspelt: not for the opponent.
        if has_text(line):
            request.words.spend()
        error = _lack_of_password(request, line) or error
        refuse(request, line, error, _named(command))
        request.outgoing.answers += [Answer(rest, Outcome.NOT_TRIED, "") for rest in self.reading.lines[at + 1 :]]

    def _is_forbidden(self, request: Request, command: Command | Rejected, error: Rejected | GameError) -> bool:
        """Whether the command was understood and may not be done, so that its words mean nothing else."""
        is_letter = request.sender.board is None and isinstance(error, NotAllowed | OptionError)
        return is_letter and isinstance(command, Command) and not self.reading.opens_with(command)

    def _greets(self, request: Request) -> bool:
        """Whether plain words of somebody without an account were done, or mean nothing and are one mail too many."""
        text = self.reading.text
        is_plain = bool(text) and (isinstance(self.commands[0], UnknownCommand) or is_newcomers(text))
        # A command with an error may be words: "play chess with me".
        may_be = is_plain or isinstance(self.commands[0], BadArguments)
        if not may_be or not _is_newcomer(request):
            return False
        if request.sender.newcomer and is_plain:
            return request.attempt(lambda: _greeted(request, text))
        said = text or self.reading.lines[0]
        name, words = named_wish(text)
        # What keeps it from being done is told to whoever answers the greeting.
        with suppress(*REFUSALS):
            wish = _wished(request, words or said)
            if wish is not None:
                ask_name(request, wish, name)
                return True
        page = rules_wanted(said)
        if page:
            explain(request, page)
        return bool(page)

    def _again(self, request: Request, meant: Reading, waiting: _Waiting, following: Sequence[Order]) -> None:
        """Carry out what plain words mean. Raises: NeedsIdentity."""
        if meant.lines == ("thanks",):
            request.words.spend()
            request.outgoing.answers.append(Answer("", Outcome.DONE, _WELCOME, "pbm: you are welcome"))
            return
        request.restate(meant)
        # A letter in plain words is one command, however many its lines seemed to be.
        request.several = request.several and self.reading.board is not None
        commands = parse_all(request.tx, meant.lines, request.sender.standing)
        written = self.reading.lines[0]
        Order(meant, commands, is_plain=False).carry_part_out(request, waiting, following, written)


def _joined(orders: Sequence[Order]) -> Order:
    """One order for parts of a mail."""
    commands = tuple(command for order in orders for command in order.commands)
    return Order(Reading.joined([order.reading for order in orders]), commands)


def order_of(tx: Transaction, reading: Reading, standing: Standing) -> Order:
    """The order of a reading."""
    return Order(reading, parse_all(tx, reading.lines, standing))


def _greeted(request: Request, text: str) -> bool:
    """Whether a newcomer's words were done, with what they wished for, or mean nothing and are one mail too many."""
    try:
        wish = greet(request, text, lambda words: _wished(request, words))
    except NoGreeting:
        # Somebody's autoresponder may answer each greeting.
        if drawn(request.tx, request.tools.limits, Act.PUZZLING, request.whose(request.message.sender)):
            return True
        wish = kept(request)
        if wish is not None:
            ask_name(request, wish, is_unread=True)
        return wish is not None
    if wish is not None:
        order_of(request.tx, Reading(wish.lines, wish.comment), KNOWN).carry_out(request)
    return True


def _wished(request: Request, words: str) -> Wish | None:
    """What words of somebody without an account ask for. Raises: as _wish_of."""
    return _wish_of(request, read("", words, KNOWN, request.tx.players.knows))


def _wish_of(request: Request, reading: Reading) -> Wish | None:
    """What a reading asks for, as it would be done if its writer were a player; None if that changes nothing.

    Raises: REFUSALS if it is understood, and cannot be done.
    """
    trial = _tried_as_newcomer(request, reading)
    proposed = trial.refusal.suggestion if isinstance(trial.refusal, Rejected) else ""
    # Who is meant is known then, and the writer sees the line before it is done.
    if " challenge me " in proposed:
        trial = _tried_as_newcomer(request, Reading((proposed,), reading.comment))
    if isinstance(trial.refusal, UnknownCommand | BadArguments):
        return None
    if trial.refusal is not None:
        raise trial.refusal
    done = Reading.joined(trial.readings)
    lines, comment = done.lines, done.comment
    commands = [each for each in parse_all(request.tx, lines, KNOWN) if isinstance(each, Command)]
    acts = any(each.verb.group != ACCOUNT and each.verb.locks is not Locks.NOTHING for each in commands)
    return Wish(lines, comment[:LONGEST_WISH]) if acts else None


def _tried_as_newcomer(request: Request, reading: Reading) -> Request:
    """The outcome of a mail's commands if its writer had an account; the database stays as it is."""
    trial = request
    with suppress(_TriedOut), request.tx.savepoint():
        player = request.tx.players.add(_NAMELESS, NO_PASSWORD, request.now)
        request.tx.players.add_address(player.id, request.message.sender, request.now, confirmed=True)
        trial = request.again(Sender(KNOWN, proven=player, claimed=player))
        order_of(request.tx, reading, KNOWN).carry_out(trial)
        raise _TriedOut
    return trial


def run(request: Request, command: Command | Rejected) -> Answer | None:
    """Carry one command out, by the handler of its verb. Raises: Rejected, GameError."""
    if isinstance(command, Rejected):
        raise command
    return request.attempt(lambda: HANDLERS[command.verb.name](request, command))


def _named(command: Command | Rejected) -> int | None:
    """The number of the board that a command names; None if it names none."""
    word = command.args.get("BOARD", "") if isinstance(command, Command) else ""
    return int(word) if word.isdecimal() else None


def _lack_of_password(request: Request, line: str) -> NotAllowed | None:
    """The error for a command that needs a password if its player has none; None otherwise."""
    player, (verb, _) = request.sender.shown, leading(line.split())
    if player is None or verb is None or not verb.guarded:
        return None
    # Whoever has joined by an answer to a mail never had a password to give.
    if request.tx.players.password_hash(player.id) != NO_PASSWORD:
        return None
    excuse = f'"{verb.name}" needs a password, and you have none yet. First set one by an answer to this email.'
    return NotAllowed(excuse, "password NEW-PASSWORD")


def parse_all(tx: Transaction, lines: Sequence[str], standing: Standing) -> tuple[Command | Rejected, ...]:
    return tuple(command_or_refusal(line, standing, tx.players.knows) for line in lines)


def held(commands: Sequence[Command | Rejected], fresh: Sequence[str]) -> Held:
    """The passwords of a mail, before any of them is checked. fresh: new ones besides those of commands."""
    understood = [command for command in commands if isinstance(command, Command)]
    logins = (command.credentials for command in understood if command.credentials)
    new = [command.args["NEW-PASSWORD"] for command in understood if "NEW-PASSWORD" in command.args]
    return Held(tuple((userid.casefold(), password) for userid, password in logins), (*new, *fresh))


def hold(request: Request, order: Order, error: NeedsIdentity) -> None:
    """Hold the commands, and ask the player whose address is in From to confirm them by an answer; or refuse them.

    A command that would be refused even if the player confirmed it is refused at once.
    """
    if _is_newcomer(request) and _asks_name(request, order.reading, error):
        return
    player, problem = request.sender.claimed, request.excess(Act.HELD, request.message.sender)
    if problem is not None:
        problem.suggestion = error.suggestion
        # An answer that says so would be one more mail because of that network.
        if problem.by is By.NETWORK:
            request.withheld = problem
        else:
            _refuse_all(request, order, problem)
        return
    # Nobody here has the address, so there is nobody to ask.
    if player is None:
        _refuse_all(request, order, error)
        return
    # Tried first, because a player who answers yes must not hear then that it never could be done.
    trial = tried(request.again(request.sender._replace(proven=player)), order)
    doubt = trial.refusal if isinstance(trial.refusal, Doubt) else None
    if trial.refusal is not None and doubt is None:
        _refuse_all(request, order, trial.refusal)
        return
    # A password would be kept for two days with the question, and quoted in it.
    if request.secrets:
        _refuse_all(request, order, error)
        return
    reading, shown = Reading.joined(trial.readings), ""
    command, *others = parse_all(request.tx, reading.lines, request.sender.standing)
    if not others:
        shown = _with_password(command, error, player.userid, request.sender.board)
    days, subject = str(request.tools.house.answer_token_days), "pbm: was that you?"
    _keep_back(request, player, reading, subject, "held.txt", doubt=doubt, shown=shown, days=days)


def _refuse_all(request: Request, order: Order, error: Rejected | GameError) -> None:
    """Refuse the first command; of the others it is said that they were not tried, if others of the mail were done."""
    line, *rest = order.reading.lines
    refuse(request, line, error)
    request.outgoing.answers += [Answer(each, Outcome.NOT_TRIED, "") for each in rest if request.several]


def ask_whether(request: Request, order: Order, doubt: Doubt) -> None:
    """Ask the writer whether commands are to be carried out as they stand, and who they are unless they have proved it;
    or refuse the commands.
    """
    request.refusal = doubt
    command, reading, player = order.commands[0], order.reading, request.sender.proven
    # They have shown who they are, so a yes by token is enough, and no password is stored or quoted.
    if isinstance(command, Command) and command.credentials:
        player, login = request.author.who(command), " ".join(command.credentials)
        reading = reading.changed(lambda line: line.replace(f" {login}", ""), request.unsecret)
    is_secret = any(secret in line for secret in request.secrets for line in reading.lines)
    if player is None and request.sender.claimed is not None:
        hold(request, order, NeedsIdentity(str(doubt)))
    elif player is None or is_secret or request.excess(Act.HELD, request.message.sender):
        refuse(request, order.reading.lines[0], doubt)
    else:
        _keep_back(request, player, reading, "pbm: do you mean this?", "doubt.txt", doubt=doubt)


def _keep_back(
    request: Request, player: Player, reading: Reading, subject: str, page: str, *, doubt: Doubt | None, **words: str
) -> None:
    """Keep commands, and what is attached, until the player has answered a question.

    doubt: why they may not be all that is meant; a yes says that they are.
    """
    message, sender = request.message, request.sender
    request.draw(Act.HELD, message.sender)
    token = request.outgoing.issue(
        "held", mailbox(message.sender), days=HELD_DAYS, player=player, lines=list(reading.lines),
        comment=reading.comment, remarks=[part.comment for part in reading.by_board], board=sender.board,
        as_of=sender.as_of.isoformat() if sender.as_of else None,
        file=request.attached_record, note=request.attached_text, is_sure=doubt is not None,
    )  # fmt: skip
    told = {"lines": reading.lines, "doubt": str(doubt or ""), **words}
    request.outgoing.letters.append(
        request.letter(message.sender, subject, page, player, to=message, reply_to=token, **told)
    )


def _is_newcomer(request: Request) -> bool:
    """Whether the writer may join: not if they answer an email that is void, because they must hear of that."""
    return request.author.reader().newcomer is not None and request.sender.flaw is not Flaw.VOID


def _asks_name(request: Request, reading: Reading, error: NeedsIdentity) -> bool:
    """Whether somebody without an account is asked for a name, after which their commands are done; or is refused."""
    if request.secrets:
        return False
    try:
        wish = _wish_of(request, reading)
    except REFUSALS as refusal:
        refuse(request, reading.lines[0], refusal)
        return True
    if wish is not None:
        ask_name(request, wish, login=error.suggestion if "PASSWORD" in error.suggestion else "")
    return wish is not None


def _with_password(command: Command | Rejected, error: NeedsIdentity, userid: str, board: int | None) -> str:
    """How the command is written with a password; empty if that is not known. board: the one that is answered."""
    if isinstance(command, Command) and not command.plan and (signed := command.signed(userid, board)):
        return signed
    usage = error.suggestion if "PASSWORD" in error.suggestion else ""
    return usage.replace("USERID PASSWORD", f"{userid} PASSWORD")


class _TriedOut(Exception):
    """Undoes what a trial has done."""


def tried(trial: Request, order: Order) -> Request:
    """The request after the commands; the database stays as it is. Raises: NeedsIdentity."""
    with suppress(_TriedOut), trial.tx.savepoint():
        order.carry_out(trial)
        raise _TriedOut
    return trial


@redeems("held", consented=True)
def release(request: Request, ticket: Ticket) -> None:
    """Carry out held commands after the player has answered, unless they say no."""
    player = request.tx.players.get(ticket.player_id)
    if player is None:
        return
    if declines(request.message.text):
        text = "Nothing was done, and nothing will be."
        request.outgoing.answers.append(Answer("no", Outcome.DONE, text, "pbm: nothing was done"))
        return
    lines, board = tuple(ticket.payload["lines"]), ticket.payload["board"]
    match = request.tx.matches.load(board) if board is not None else None
    standing = Standing(match.game if match else None, match.board if match else None, known=True, proven=True)
    as_of = datetime.fromisoformat(ticket.payload["as_of"]) if ticket.payload.get("as_of") else None
    known = request.sender.at_home
    request.author.sender = Sender(standing, proven=player, claimed=player, as_of=as_of, at_home=known)
    request.boards.answered, request.is_sure = standing.board, ticket.payload.get("is_sure", False)
    # The answer quotes our question; the board that was attached to the commands is in the ticket.
    attached = {name: ticket.payload.get(name, "") for name in ("file", "note")}
    request.incoming = request.incoming._replace(message=replace(request.message, quote="", **attached))
    request.author.prove(player)
    below = zip(lines, ticket.payload.get("remarks", ()), strict=False)
    reading = Reading(lines, ticket.payload["comment"], by_board=by_line(below, standing))
    order_of(request.tx, reading, standing).carry_out(request)
    if _is_more_than_yes(request.message.text):
        request.outgoing.answers.append(_BESIDES)


def _is_more_than_yes(text: str) -> bool:
    """Whether an answer that agrees also says something to somebody, or holds a command.

    >>> [_is_more_than_yes(text) for text in ("Yes, it was me. Thanks!\\nBob", "Yes. The cat is back.", "yes\\n101 D4")]
    [False, True, True]
    """
    said = [each.text for each in sentences(text) if consent(each.text, to_play=False).answer is not Agreed.YES]
    player = Standing(known=True)
    return says_something("\n".join(said)) or any(
        begins(line) or board_first(line, player) is not None for line in map(clean, said)
    )


def ask_again(request: Request, ticket: Ticket) -> None:
    """Ask for a yes or no again, after an answer that is neither; once a day, so that robots cannot talk for ever.

    Whoever holds a question can have it answered from any address: where it did not go, this is an answer like others.
    """
    address, subject = request.message.sender, "pbm: yes or no?"
    if address and not request.tx.outbox.wrote_to(address, subject, request.now - timedelta(days=1)):
        request.outgoing.write(address, subject, "unclear.txt", reply_to=request.message.token or "")
        went_there = ticket.subject == mailbox(address) or ticket.player_id in {
            each.id for each in request.sender.at_home
        }
        request.outgoing.letters[-1] = request.outgoing.letters[-1]._replace(reply=not went_there)


def mails_of(request: Request) -> list[Mail]:
    """All mails that the request causes, composed after all its commands; replies to the sender come last."""
    mails = list(request.outgoing.letters)
    changed = [board for board in request.boards.in_hand if board.events]
    concerned = _concerned(request, changed)
    # One id in References of several boards' mails joins these boards in Thunderbird, Apple Mail and mutt for good.
    answered = request.message if len(concerned) == 1 else replace(request.message, message_id=None)
    for board in changed:
        mails += _tell_of_changes(request, board, answered)
    # What reached nobody comes back, or its writer believes that it was read.
    if request.words.unheard:
        return_words(request)
    replies: list[Mail] = []
    for notice in request.outgoing.notices:
        read_as = request.words.read_as.get(notice.match.board, "")
        told = replace(notice, read_as=read_as, sent_from=request.author.sent_from)
        replies += request.tools.composer.notice(told, request.now, answered)
    # A list that repeats what the boards' mails say would be one more mail.
    if request.outgoing.answers and not _is_told(request, concerned, [*mails, *replies]):
        replies += answer_mail(request)
    return mails + [mail._replace(reply=True) for mail in replies]


def _concerned(request: Request, changed: Sequence[OpenBoard]) -> set[int]:
    """The boards that the mails are about. changed: those on which something has happened."""
    numbers = [board.match.board for board in changed]
    numbers += [notice.match.board for notice in request.outgoing.notices]
    numbers += [mail.board for mail in request.outgoing.letters if mail.board is not None]
    return {*numbers}


def _tell_of_changes(request: Request, board: OpenBoard, answered: Message) -> list[Mail]:
    """The mails about what has happened on a board. answered: the mail as these may name it."""
    comments = () if kept_back(request, board) else request.comments(board.match.board)
    player, read_as = request.author.player, request.words.read_as.get(board.match.board, "")
    if player is not None:
        for comment in comments:
            board.remark(RemarkKind.COMMENT, player, comment.text)
    # Levels of robots, who read nothing, are their userids, so only such a name costs a look into the database.
    others = [each for each in board.match.players if each != player and each.userid in LEVEL_OF]
    robots = [each for each in others if is_robot(request.tx, each)]
    is_unread = bool(robots) and any(says_something(each.text) for each in comments)
    sent_from = request.author.sent_from
    writer = Writer(player, answered, read_as, is_unread, sent_from) if player is not None else None
    return tell_players(request, board, (*request.passed_on, *comments), writer)


def _is_told(request: Request, concerned: Set[int], mails: Sequence[Mail]) -> bool:
    """Whether all was done, and the sender gets a mail of each board concerned, so that a list adds nothing."""
    done = all(each.outcome is Outcome.DONE and not each.text for each in request.outgoing.answers)
    address = request.message.sender.casefold()
    told = {mail.board for mail in mails if mail.address.casefold() == address}
    return done and bool(concerned) and concerned <= told
