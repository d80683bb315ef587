"""One mail, from its bytes to its answers.

    bytes -> Message -> Sender, Commands (`Handler.read`, before any transaction that writes)
          -> the commands carried out, their mails composed (`Handler.handle`, within one transaction)
          -> Settled: the end of the mail, and the mails that are owed because of it (`Handler.settle` writes them down)

`batch` decides which mails come next, and how many are handled in one transaction.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import replace
from time import thread_time

import structlog
from structlog.contextvars import bound_contextvars

from pbm.core.counts import LIMITED, WAITED
from pbm.core.credentials import chosen_password, is_clear
from pbm.core.limits import Act, Memory, TooMuch, excess, spend
from pbm.core.notify import Desk, Tools
from pbm.core.registry import CONSENTED, LASTING, REDEEMERS
from pbm.core.request import Credentials, Incoming, Request, Sender, note_heard
from pbm.domain.calendars import StopKind
from pbm.domain.errors import NeedsIdentity, Rejected
from pbm.domain.likeness import mailbox
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.match import Player
from pbm.features.account import RESET
from pbm.mailin import Cover, Discard, Envelope, Judgement, Message, Unlock, heading
from pbm.mailin.authentication import network_of
from pbm.mailin.headers import is_answer_or_forward
from pbm.mailin.mime import cut
from pbm.mailin.written import read as read_mail
from pbm.mailin.written import rewritten
from pbm.reading.command_lines import Reading, read
from pbm.reading.commands import Command, begins, clean, command_or_refusal, is_ours
from pbm.reading.passwords_in_words import Passwords
from pbm.reading.verbs import redact
from pbm.server.bystanders import ask_owner, besides, board_asked_about
from pbm.server.guard import Cause, Throttle
from pbm.server.logins import Gate, Held, Logins, Origin, admitted, note_home, settle
from pbm.server.order import Order, ask_again, held, hold, mails_of, parse_all
from pbm.server.prepared import Checked, Prepared, Settled
from pbm.server.senders import (
    answers_us,
    goes_round,
    identify,
    kept_out,
    remember_key,
    told_since_the_ply,
    with_token,
)
from pbm.server.treatment import is_lost_move, plays, treatment_of
from pbm.server.undone_mails import UndoneMails
from pbm.store import DatabaseTrouble, Transaction
from pbm.store.tickets import Ticket

log = structlog.get_logger()


class Handler:
    """The handling of one mail. It opens no transaction, and commits none."""

    def __init__(self, tools: Tools, unlock: Unlock | None) -> None:
        """unlock: how encrypted mails are opened; None if they cannot be."""
        self.tools = tools
        self.throttle = Throttle(tools)
        self._not_done = UndoneMails(tools, self.throttle)
        self._signer, self._robot = tools.composer.signer, tools.composer.robot
        self._unlock = unlock
        self._computing = Memory()
        self.is_at_rest = False
        """Whether the operator wants mail to be accepted but not handled, as of the last `heed`."""

    def heed(self, tx: Transaction) -> bool:
        """Read what the operator may have changed: the secrets, and whether mail is to be handled at all.

        Returns whether it is not. A revoked secret may pass for another minute, until the next sign of life.
        """
        self._signer.use(*tx.secrets.keys(tx.now))
        self.is_at_rest = bool(tx.absences.open(StopKind.MAINTENANCE))
        return self.is_at_rest

    def message_of(self, row: Received) -> Message | Discard:
        return read_mail(row.raw, Envelope(row.mail_from, row.recipients), self._robot, self._unlock)

    def read(self, tx: Transaction, rows: Sequence[Received]) -> list[Prepared]:
        """The mails with their senders and commands; a mail that could not be read holds the error, and is parked."""
        gate = Gate(tx, self.tools.limits)
        return [self._read(gate, row) for row in rows]

    def _read(self, gate: Gate, row: Received) -> Prepared:
        try:
            with gate.tx.savepoint():
                return self._prepared(gate, row, self.message_of(row))
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            return Prepared(row, error)

    def _prepared(self, gate: Gate, row: Received, message: Message | Discard) -> Prepared:
        """The mail, as it is obeyed; a marked one is read as if it were not, and then laid aside unless it may play."""
        if isinstance(message, Message):
            return self._as_written(gate, row, message)
        if message.letter is None:
            return Prepared(row, message)
        mail, states = self._as_written(gate, row, message.letter), self.tools.states
        treatment = treatment_of(gate.tx, mail, states)
        if treatment.obey:
            return mail._replace(is_plain=treatment.plain, is_answered=treatment.answer)
        return Prepared(row, replace(message, may_be_move=is_lost_move(gate.tx, mail, states)))

    def _as_written(self, gate: Gate, row: Received, message: Message) -> Prepared:
        tx = gate.tx
        message = with_token(tx, self._signer, message, self._robot)
        sender = identify(tx, self._signer, message)
        ticket = _ticket(tx, message, sender)
        seat = board_asked_about(ticket, message.text) if ticket is not None else ""
        if seat:
            mail, states = self._as_written(gate, row, replace(message, token=seat)), self.tools.states
            # Words to us are for nobody else.
            return mail._replace(is_plain=plays(tx, mail, states))
        title = heading(message.subject, message.text, is_answer=message.token is not None)
        reading = _reading(tx, message, title, sender)
        commands = parse_all(tx, reading.lines, sender.standing)
        # The answer to a reset is the new password and no command, so it would be stored and quoted in clear.
        is_reset = ticket is not None and ticket.purpose == RESET
        fresh = [chosen_password(message.text)] if is_reset else []
        origin = self._origin(row, message, sender)
        player = sender.own or sender.claimed
        # Only somebody in the same network who forges their address shares this budget, which a verdict tells apart.
        if player is not None and message.judgement is Judgement.NONE and origin.is_usual(tx, player.userid):
            sender = sender._replace(usual=player)
        passwords = held(commands, fresh)
        return Prepared(
            row, message, sender, reading, commands, origin=origin,
            logins=admitted(gate, passwords, origin) if passwords != Held() else Logins(),
            is_guess=message.token is not None and ticket is None and self._signer.open(message.token) is None,
            secrets=frozenset(_passwords(tx, title, message.text, reading, commands, sender)) | {*fresh},
        )  # fmt: skip

    def _origin(self, row: Received, message: Message, sender: Sender) -> Origin:
        # Behind a mail server of our own, every mail is handed over by that.
        peer = message.peer if self._robot.authserv_id else row.peer
        return Origin(message.sender, message.authenticated, sender.claimed, network_of(peer), network_of(peer, 24))

    def check(self, mails: Sequence[Prepared]) -> list[Prepared]:
        """The mails with their passwords checked together. This takes long: call it outside of transactions."""
        # One password in many mails is checked once: argon2 takes as long as hundreds of moves.
        wanted = {key: hashed for mail in mails for key, hashed in mail.logins.hashes.items()}
        right = self.tools.passwords.verify([(key[1], hashed) for key, hashed in wanted.items()]) if wanted else []
        verified = {key: hashed for (key, hashed), is_right in zip(wanted.items(), right, strict=True) if is_right}
        return [mail._replace(checked=self._checked(mail, verified)) for mail in mails]

    def _checked(self, mail: Prepared, verified: Mapping[Credentials, str]) -> Checked:
        fresh = mail.logins.fresh
        hashes = self.tools.passwords.hash_all(fresh) if fresh else ()
        own = {login: verified[login] for login in mail.logins.hashes if login in verified}
        return Checked(own, dict(zip(fresh, hashes, strict=True)))

    def settle(self, tx: Transaction, mail: Prepared, known: set[str]) -> Settled:
        """Handle a mail. known: the identities with which mails were settled; its own is added.

        Raises: anything that goes wrong; the transaction must then be rolled back.
        """
        identity = mail.identity
        with bound_contextvars(mail=mail.row.id):
            if isinstance(mail.message, Exception):
                return self.park(tx, mail, mail.message)
            # A mail server that lost the connection before it read our 250 sends again (RFC 1047).
            if identity in known:
                settled = Settled(Arrival.IGNORED, "ignore: the same email was handled before")
                return settled._replace(kept=_kept(mail, settled))
            if identity is not None:
                known.add(identity)
            self.count_logins(tx, mail)
            settled = self.handle(tx, mail)
            return settled._replace(identity=identity, kept=_kept(mail, settled))

    def give_up(self, tx: Transaction, mail: Prepared, error: Exception) -> Settled:
        """Park a mail that cannot be handled, because the fault is ours. Its wrong passwords count all the same."""
        with bound_contextvars(mail=mail.row.id):
            self.count_logins(tx, mail)
            return self.park(tx, mail, error)

    def handle(self, tx: Transaction, mail: Prepared) -> Settled:
        """Do what the mail asks. Raises: anything that goes wrong; what was written must then be undone."""
        WAITED.observe(max(0.0, (tx.now - mail.row.received_at).total_seconds()))
        settled = self._undone(tx, mail)
        if settled is not None:
            return settled
        begun = thread_time()
        settled = self._obey(Desk(tx, self.tools), mail)
        # The processor time is charged to its sender.
        tenths = int((thread_time() - begun) * 10)
        if tenths:
            for payer in mail.payers:
                spend(self._computing, self.tools.limits, tx.now, Act.COMPUTING, payer, tenths)
        return settled

    def _undone(self, tx: Transaction, mail: Prepared) -> Settled | None:
        """The end of a mail of which nothing is carried out; None for all others."""
        # Tokens cannot be guessed, but whoever tries costs as much as one who writes.
        if mail.is_guess and (settled := self._not_done.excess_of_guesses(tx, mail)):
            return settled
        if isinstance(mail.message, Discard):
            return self._not_done.lay_aside(tx, mail.message)
        if ban := kept_out(tx, mail):
            return Settled(Arrival.IGNORED, f"ban: {ban.subject} is kept out", self._not_done.of_suspension(tx, ban))
        if mail.is_for_operator:
            return self._not_done.for_operator(tx, mail)
        if problem := self._spent(tx, mail):
            return self._not_done.leave_undone(tx, mail, problem)
        if self._unlock is not None:
            remember_key(tx, mail)
        if mail.letter.cover is Cover.LOCKED:
            told = self._not_done.of_locked(tx, mail, reads=self._unlock is not None)
            return Settled(Arrival.IGNORED, "locked: it is encrypted, and cannot be read", told)
        if reason := goes_round(tx, mail):
            LIMITED.inc()
            return Settled(Arrival.IGNORED, f"limit: nothing was done, after {reason}")
        return None

    def _spent(self, tx: Transaction, mail: Prepared) -> TooMuch | None:
        """Why a mail that only asks for an answer gets none, so that nothing is done; None if it may get one."""
        sender, message = mail.sender, mail.letter
        if sender.proven or sender.seated or sender.newcomer or mail.verified:
            # They will be answered, or what they ask changes something and is done all the same.
            if sender.shown not in sender.at_home or mail.verified or not mail.only_reads:
                return None
            return self.throttle.spent(tx, message.sender, mail.cause(sender.shown))
        # What has somebody asked something draws from buckets of its own: a flood of other mails must not stop it.
        if mail.asks_for_action or (message.token and tx.tickets.find(message.token, tx.now) is not None):
            return None
        return self.throttle.spent(tx, message.sender, mail.cause(None))

    def count_logins(self, tx: Transaction, mail: Prepared) -> None:
        """Count the mail's wrong passwords, whatever becomes of the mail."""
        if mail.holds_passwords:
            settle(tx, self.tools.limits, mail.logins, mail.checked.verified, mail.origin)

    def _obey(self, at: Desk, mail: Prepared) -> Settled:
        """Do what the mail asks, and compose its mails."""
        request = self._carry_out(at, mail)
        caused, author = mails_of(request), request.author.player or request.sender.proven
        # A machine's mail: the move is played, and the other player hears of it; but two machines would talk for ever.
        if not mail.is_answered:
            writers = {each.id for each in (author, mail.sender.seated) if each is not None}
            caused = [each for each in caused if not each.reply and each.player_id not in writers]
        if author is not None and mail.sender.newcomer:
            note_home(at.tx, author.userid, mail.origin)
        return self._bounded(request, mail, caused, author)

    def _bounded(self, request: Request, mail: Prepared, caused: Sequence[Mail], author: Player | None) -> Settled:
        """The end of the mail without the answers that are too many, and why any were left out. author: of the mail."""
        mails, seated, told = list[Mail](), mail.sender.seated, told_since_the_ply(request, mail)
        reason = f"limit: a question was left out. {request.withheld}" if request.withheld else ""
        for each in caused:
            # A mail with the token of one player's seat may act for somebody else, too, by their password.
            reader = seated if seated is not None and each.player_id == seated.id else author
            cause = mail.cause(reader)._replace(is_refused=request.refusal is not None)
            problem = self._why_not(request.tx, each, cause, request.asked, told)
            if problem is None:
                mails.append(each)
                continue
            LIMITED.inc()
            log.warning("not_answered", address=each.address, board=each.board, reason=str(problem))
            reason = f"limit: not answered. {problem}"
            if isinstance(problem, TooMuch):
                # Who proves nothing has at most asked for a question, which is sent or left out.
                is_undone = author is None and seated is None and not request.asked
                mails += self._not_done.of_silence(request.tx, each.address, problem, ignored=is_undone)
        return Settled(Arrival.HANDLED, reason, tuple(mails), about=_about(request, mail))

    def _carry_out(self, at: Desk, mail: Prepared) -> Request:
        """Do what the mail asks; if only proof of its sender is missing, ask the claimed player for it."""
        checked, locked, received_at = mail.checked, mail.logins.locked, mail.row.received_at
        incoming = Incoming(
            mail.letter, checked.verified, checked.fresh, locked, received_at, mail.origin.network, mail.secrets
        )
        tx, blank = at.tx, Request(at.tx, at.tools, incoming, mail.sender)
        # Computing is charged once it is done, so whoever has used theirs up is put off before. Few mails are charged.
        for payer in mail.payers if self._computing.levels else ():
            problem = excess(self._computing, self.tools.limits, tx.now, Act.COMPUTING, payer)
            if problem is not None:
                return blank.put_off(problem)
        if mail.sender.bystander_of is not None and not mail.is_own:
            return ask_owner(blank, Order(mail.reading, mail.commands), mail.sender.bystander_of)
        _note_sender(tx, mail)
        redeemed = self._redeem(blank, mail)
        if redeemed is not None:
            return redeemed
        order = Order(mail.reading, mail.commands, is_plain=mail.is_plain)
        if mail.sender.proven is not None:
            return order.carry_out(blank)
        try:
            # A command that wants more proof undoes itself, and the moves beside it are kept.
            if mail.sender.seat is not None:
                return order.carry_out(blank.again())
            with tx.savepoint():
                return order.carry_out(blank.again())
        except NeedsIdentity as error:
            hold(blank, order, error)
            return blank

    def _redeem(self, request: Request, mail: Prepared) -> Request | None:
        """Redeem the ticket whose token the mail answers; None if it answers none, or is read as any other mail."""
        ticket = _ticket(request.tx, request.message, request.sender)
        if ticket is None:
            return None
        # Neither yes nor no: a question that holds commands is redeemed once, so it must not be by mistake.
        if ticket.purpose in CONSENTED and not _is_clear(request, ticket):
            # Players answer whatever mail is the latest, to play or ask for something else.
            if request.sender.claimed is not None and isinstance(next(iter(mail.commands), None), Command):
                return None
            ask_again(request, ticket)
            return request
        if ticket.purpose not in LASTING:
            request.tx.tickets.use_up(ticket)
        if REDEEMERS[ticket.purpose](request, ticket) is False:
            return None
        player, address = request.author.player, request.message.sender
        if player and ticket.subject == mailbox(address) and request.message.judgement is not Judgement.FAILED:
            note_home(request.tx, player.userid, mail.origin)
        return request

    def _why_not(
        self, tx: Transaction, each: Mail, cause: Cause, asked: Collection[str], told: str
    ) -> TooMuch | str | None:
        """Why a mail is left out; None if it may go. An answer that may go is counted.

        asked: mailboxes whose questions because of the same mail were counted before. told: why it gets no answers.
        """
        if each.reply and told:
            return told
        own = mailbox(each.address)
        asks = each.board is None and own == mailbox(cause.origin.address) and own not in asked
        return self.throttle.excess(tx, each, cause) if each.reply or asks else None

    def park(self, tx: Transaction, mail: Prepared, error: Exception) -> Settled:
        """Keep a mail for the operator after a fault of ours, and tell them and the sender, with a reference."""
        self.tools.states.forget()
        reference = secrets.token_hex(2).upper()
        log.error("parked", reference=reference, exc_info=error)
        told = self._not_done.of_fault(tx, mail, reference)
        return Settled(Arrival.PARKED, f"{reference}: {type(error).__name__}: {error}", told)


_CUT_TO, _CUT_TO_BE_READ = 8192, 65_536
"""Bytes of the body that are kept of a mail once it is settled, and if it waits for the operator to read it."""


def _is_clear(request: Request, ticket: Ticket) -> bool:
    """Whether a mail answers a question by yes or no; "Yes, F6" to whether F6 is to be played is then only "yes"."""
    said = besides(ticket, request.message.text)
    if not is_clear(said):
        return is_clear(request.message.text)
    request.incoming = request.incoming._replace(message=replace(request.message, text=said))
    return True


def _note_sender(tx: Transaction, mail: Prepared) -> None:
    """Note that a player has been heard from, and where."""
    sender = mail.sender
    heard = sender.proven or sender.seated
    if heard is not None:
        note_heard(tx, heard, mail.letter.sender)
    # A board's token shows too little to begin with, but whoever plays from where they usually do stays there.
    shown = sender.proven or (sender.own if sender.own == sender.usual else None)
    # A verdict needs no other sign.
    if shown is not None and not mail.origin.vouched:
        note_home(tx, shown.userid, mail.origin)


def _ticket(tx: Transaction, message: Message, sender: Sender) -> Ticket | None:
    """The ticket whose token a mail brings; the token of a seat stands for none."""
    return tx.tickets.find(message.token, tx.now) if message.token and sender.seat is None else None


def _reading(tx: Transaction, message: Message, title: str, sender: Sender) -> Reading:
    """The commands of a mail, and its words. title: its subject, as far as that may be a command."""
    reading = read(title, message.text, sender.standing, tx.players.knows)
    # "Fwd: Invoice 4711" above nothing of the sender's own may be a command, but no words of theirs.
    is_of_others = not message.text and is_answer_or_forward(message.subject) and not answers_us(tx, message)
    return replace(reading, text="") if is_of_others else reading


def _passwords(
    tx: Transaction, subject: str, text: str, reading: Reading, commands: Sequence[Command | Rejected], sender: Sender
) -> Set[str]:
    """The passwords in a mail. Its subject counts even where the text is obeyed, because answers quote both."""
    title, standing, knows = clean(subject), sender.standing, tx.players.knows
    tried = dict(zip(reading.lines, commands, strict=True))
    for line in (title if begins(title) and not is_ours(title) else "", reading.torn):
        if line and line not in tried:
            tried[line] = command_or_refusal(line, standing, knows)
    own = sender.writer.userid if sender.writer is not None else ""
    return Passwords(standing, own, knows).of_mail(text, tried)


def _kept(mail: Prepared, settled: Settled) -> bytes | None:
    """The bytes stored in place of the mail; None for the mail itself.

    A mail is kept whole only after a fault of ours: all others can be sent with large files again and again, which
    would fill the disk.
    """
    # What waits for the operator may be handled again, so its passwords stay.
    is_to_be_read = settled.state is Arrival.PARKED
    kept = None if is_to_be_read else _without_passwords(mail)
    raw = mail.row.raw if kept is None else kept
    short = cut(raw, _CUT_TO_BE_READ if is_to_be_read else _CUT_TO)
    return kept if short is raw else short


_LEFT_OUT = "[left out: it may hold a password]"


def _without_passwords(mail: Prepared) -> bytes | None:
    """The bytes of a handled mail without its passwords; None if it holds none."""
    if not isinstance(mail.message, Message) or not mail.secrets:
        return None
    try:
        words = [redact(each, mail.secrets) for each in (mail.message.subject, mail.message.text)]
        shown = [_LEFT_OUT if any(map(each.__contains__, mail.secrets)) else each for each in words]
        return rewritten(mail.row.raw, *shown)
    except Exception as error:
        log.error("mail_emptied", exc_info=error)
        return b""


def _about(request: Request, mail: Prepared) -> dict[str, str]:
    """The userid, verbs and boards of a mail, for the log; nothing else that the mail says."""
    boards = sorted({board.match.board for board in request.boards.in_hand})
    verbs = dict.fromkeys(command.verb.name for command in mail.commands if isinstance(command, Command))
    words = {
        "userid": request.author.player.userid if request.author.player else "",
        "verb": ",".join(verbs),
        "board": ",".join(map(str, boards)),
    }
    return {name: value for name, value in words.items() if value}
