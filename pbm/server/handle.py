"""One mail, from its bytes to its answers.

    bytes -> Message -> Sender, Commands (`Handler.read`, before any transaction that writes)
          -> what they ask is done, each mail it causes is composed (`Handler.handle`, within one transaction; for mails
             that only read `Handler.foresee`, before it)
          -> Settled: what became of the mail, and the mails that are owed because of it

Which mails are handled together, what they lock, and what is written down when, is the business of `batch`.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import thread_time
from typing import Any

import structlog

from pbm.core.counts import COUNTS, LIMITED, WAITED
from pbm.core.credentials import first_line, is_clear
from pbm.core.notify import Desk, Tools, reader_of, rehearse
from pbm.core.registry import CONSENTED, LASTING, REDEEMERS
from pbm.core.request import Credentials, Incoming, Request, Sender, note_heard
from pbm.domain.commands import Command, clean
from pbm.domain.errors import NeedsIdentity, Rejected
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.match import Player
from pbm.domain.reading import Reading, read
from pbm.domain.tokens import Signer
from pbm.domain.verbs import Locks, redact
from pbm.features.account import RESET
from pbm.features.postmaster import address_of, tell_operator
from pbm.mailin import (
    FOR_OPERATOR,
    Action,
    Cover,
    Discard,
    Envelope,
    Message,
    Robot,
    Unlock,
    heading,
    rewritten,
    strip_subject,
)
from pbm.mailin import read as read_mail
from pbm.server.bounces import Bouncing
from pbm.server.guard import Cause, Costs, Gate, Logins, Origin, Throttle, logins_of, network_of, settle
from pbm.server.order import Order, ask_again, hold, mails_of, parse_all, unsaid_lines
from pbm.server.senders import identify, is_player, kept_out, remember_key, with_lost_token
from pbm.store import DatabaseTrouble, Plied, Rehearsal, Transaction
from pbm.store.players import Ban

log = structlog.get_logger()

SUSPENDED = "pbm: you are suspended"
LOCKED = "pbm: your mail is encrypted"
_MOST_REHEARSED = 1000
HELP = "help"
"""The verb that players may use however often it was answered to mails that prove nothing."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mail read, before any transaction that writes."""

    row: Received
    message: Message | Discard | Exception
    sender: Sender = field(default_factory=Sender)
    reading: Reading = field(default_factory=lambda: Reading(()))
    commands: tuple[Command | Rejected, ...] = ()
    logins: Logins = field(default_factory=Logins)
    origin: Origin | None = None
    is_guess: bool = False
    """It answers an address we never gave to anybody."""
    unsaid: frozenset[str] = frozenset()
    """Lines, as they are read, that nobody is to find here later: a new password, or what may be one."""

    @property
    def identity(self) -> str | None:
        """The mark by which a second delivery of the same mail is told; None for one without an id."""
        message = self.message
        if not isinstance(message, Message) or message.message_id is None:
            return None
        return hashlib.sha256(f"{message.sender}\n{message.message_id}".encode(errors="replace")).hexdigest()

    @property
    def holds_passwords(self) -> bool:
        """Some are to be looked at, or to be kept."""
        return bool(self.logins.keys or self.logins.hashes or self.logins.fresh)

    @property
    def only_reads(self) -> bool:
        """It asks to be told something, and changes nothing."""
        asks = bool(self.commands) and all(
            isinstance(each, Command) and each.verb.locks is Locks.NOTHING for each in self.commands
        )
        return asks and not self.is_guess and not self.is_for_operator

    @property
    def is_for_operator(self) -> bool:
        """It came to nobody but postmaster or abuse."""
        recipients = self.row.recipients
        return bool(recipients) and all(each.casefold().partition("@")[0] in FOR_OPERATOR for each in recipients)

    def cause(self, *, proven: bool) -> Cause:
        """The measures that answers to it count for."""
        assert self.origin is not None  # noqa: S101  there is one for each message
        origin = self.origin
        helps = all(isinstance(each, Command) and each.verb.name == HELP for each in self.commands)
        return Cause(proven, origin.address, origin.network, origin.vouched, helps and self.known)

    @property
    def known(self) -> bool:
        """It is from a player, or says so."""
        return self.sender.standing.known

    def payers(self, checked: Checked, identified: Player | None = None) -> set[str]:
        """At whose expense the handling is: the player's who proves to have sent the mail, or else its address's.

        The two are apart, for anybody can write in an address's name.
        """
        assert isinstance(self.message, Message)  # noqa: S101  nothing else is carried out
        players = {player.userid.casefold() for player in (self.sender.proven, identified) if player is not None}
        players |= {userid for userid, _ in checked.verified}
        return players or {f"from {self.message.sender.casefold()}"}


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict of argon2 on a mail."""

    verified: dict[Credentials, str]
    """Credentials that are right."""
    fresh: dict[str, str]
    """Hashes of new passwords."""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A mail's effects, before it is known which answers are too many."""

    mails: tuple[Mail, ...]
    proven: bool
    """Its sender showed who they are."""
    withheld: str = ""
    """Why a question was left out."""
    told: str = ""
    """Why it gets no answers."""
    about: Mapping[str, str] = field(default_factory=dict)
    payers: frozenset[str] = frozenset()
    rehearsal: Rehearsal | None = None
    """What it would have written, where that was only rehearsed."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The end of a mail, its reason, and the mails that are owed because of it."""

    state: Arrival
    reason: str = ""
    mails: tuple[Mail, ...] = ()
    kept: bytes | None = None
    """The bytes kept in place of the mail; None for the mail itself."""
    about: Mapping[str, str] = field(default_factory=dict)
    """Who sent it, with which verbs, and on which boards, for the log."""
    plies: Sequence[Plied] = ()
    """What is yet to be written because of it."""


class Handler:
    """The handling of one mail. It opens no transaction, and commits none."""

    def __init__(
        self, tools: Tools, signer: Signer, robot: Robot, bouncing: Bouncing, unlock: Unlock | None = None
    ) -> None:
        """unlock: how encrypted mails are opened; None where they are not."""
        self.tools = tools
        self.throttle = Throttle(tools)
        self._signer = signer
        self._robot = robot
        self._bouncing = bouncing
        self._unlock = unlock
        self._costs = Costs(lambda: tools.limits.computing_seconds_per_hour)
        self._rehearsed: dict[int, float] = {}
        """Seconds that the rehearsals of mails took, by number, until they are charged for."""
        self.overtaken = 0.0
        """Seconds of processor time, in all, that were taken by mails which others were interrupted for."""

    def message_of(self, row: Received) -> Message | Discard:
        return read_mail(row.raw, Envelope(row.mail_from, row.recipients), self._robot, self._unlock)

    def board_of(self, message: Message) -> int | None:
        """The board whose mail a mail answers, as its token says; it may be forged."""
        return self._signer.board_of(message.token) if message.token else None

    def read(self, gate: Gate, row: Received, message: Message | Discard) -> Prepared:
        """The mail and its wishes, or why these are not known: then it is parked, and no other mail waits for it."""
        try:
            return self._read(gate, row, message)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            return Prepared(row, error)

    def _read(self, gate: Gate, row: Received, message: Message | Discard) -> Prepared:
        tx = gate.tx
        if isinstance(message, Discard) and (program := self._program(tx, message)):
            message = program
        if isinstance(message, Discard):
            return Prepared(row, message)
        message = with_lost_token(tx, self._signer, message, self._robot)
        sender = identify(tx, self._signer, message)
        title = heading(message.subject, message.text, is_answer=message.token is not None)
        reading = read(title, message.text, sender.standing, lambda word: tx.players.find(word) is not None)
        commands = parse_all(tx, reading.lines, sender.standing)
        token = message.token if sender.seat is None else None
        ticket = tx.tickets.find(token, gate.tx.now) if token else None
        fresh = [first_line(message.text)] if ticket is not None and ticket.purpose == RESET else []
        is_guess = token is not None and ticket is None and self._signer.open(token) is None
        peer = message.peer if self._robot.authserv_id else row.peer  # behind a mail server of ours all come from there
        machine, network = network_of(peer), network_of(peer, 24)
        origin = Origin(message.sender, message.authenticated, sender.claimed, machine, network)
        lines = [strip_subject(message.subject), *message.text.splitlines()]
        player = sender.proven or sender.claimed
        logins = logins_of(gate, commands, lines, fresh, origin, player)
        unsaid = unsaid_lines(reading.lines, commands, fresh)
        return Prepared(row, message, sender, reading, commands, logins, origin, is_guess, unsaid)

    def _program(self, tx: Transaction, discard: Discard) -> Message | None:
        """The words of a program's mail, if it answers a board for an account that is a program's."""
        if discard.program is None:
            return None
        sender = identify(tx, self._signer, discard.program)
        player = sender.proven
        plays = player is not None and player == sender.seated and bool(tx.players.bots((player.id,)))
        return discard.program if plays else None

    def check(self, mails: list[Prepared]) -> list[Checked]:
        """The passwords of the mails, looked at together; takes long, so not while others wait."""
        wanted = {key: hashed for mail in mails for key, hashed in mail.logins.hashes.items()}
        right = self.tools.passwords.verify([(key[1], hashed) for key, hashed in wanted.items()]) if wanted else []
        verified = {key: hashed for (key, hashed), is_right in zip(wanted.items(), right, strict=True) if is_right}
        return [
            Checked({login: verified[login] for login in mail.logins.hashes if login in verified}, self._hashed(mail))
            for mail in mails
        ]

    def _hashed(self, mail: Prepared) -> dict[str, str]:
        fresh = mail.logins.fresh
        return dict(zip(fresh, self.tools.passwords.hash_all(fresh), strict=True)) if fresh else {}

    def without_passwords(self, mail: Prepared, checked: Checked) -> bytes | None:
        """The bytes of a mail that is done with, without the passwords in them; None where they hold none."""
        try:
            return _without_passwords(mail, {password for _, password in checked.verified})
        except Exception as error:
            log.error("mail_emptied", exc_info=error)
            return b""

    def foresee(self, tx: Transaction, mail: Prepared, checked: Checked) -> Obeyed | None:
        """The answer to a mail that only reads; None where it is not to be. Raises: as `handle` does."""
        if self._ban(tx, mail, checked) or self._spent(tx, mail, checked):
            return None
        return None if self._is_locked(tx, mail, checked) else self._obey(tx, mail, checked)

    def rehearse(self, tx: Transaction, mail: Prepared, checked: Checked) -> Obeyed | None:
        """Do what the mail asks, but for writing: what it leads to and tells is worked out while others write.

        Returns that where it is no more than plies: it then comes to pass if nothing else changes before.
        """
        if not isinstance(mail.message, Message) or mail.message.cover is Cover.LOCKED or mail.is_for_operator:
            return None
        if self._ban(tx, mail, checked) or self._spent(tx, mail, checked):
            return None
        begun = self._spent_so_far()
        obeyed, rehearsal = rehearse(Desk(tx, self.tools), lambda at: self._obeyed(at, mail, checked))
        if len(self._rehearsed) >= _MOST_REHEARSED:
            self._rehearsed.clear()
        self._rehearsed[mail.row.id] = self._spent_so_far() - begun
        return None if obeyed is None or rehearsal.more else replace(obeyed, rehearsal=rehearsal)

    def handle(self, tx: Transaction, mail: Prepared, checked: Checked, obeyed: Obeyed | None = None) -> Settled:
        """Do what the mail asks. obeyed: what was foreseen of it.

        Raises: whatever goes wrong, and then the transaction must go back.
        """
        settled = self._settled(tx, mail, checked, obeyed)
        kept = None if settled.state is Arrival.PARKED else self.without_passwords(mail, checked)
        return settled if kept is None else replace(settled, kept=kept)

    def _settled(self, tx: Transaction, mail: Prepared, checked: Checked, obeyed: Obeyed | None) -> Settled:
        COUNTS.measure(WAITED, (tx.now - mail.row.received_at).total_seconds())
        if mail.is_guess and (settled := self._excess_of_guesses(tx, mail)):
            return settled
        if isinstance(mail.message, Discard):
            return self._lay_aside(tx, mail.message)
        is_rehearsed = obeyed is not None and obeyed.rehearsal is not None  # while there was the same ban, or none
        if not is_rehearsed and (ban := self._ban(tx, mail, checked)):
            return self._keep_out(tx, ban, mail)
        if mail.is_for_operator:
            return self._hand_on(tx, mail)
        if reason := self._spent(tx, mail, checked):
            return self._leave_undone(tx, mail, reason)
        if self._is_locked(tx, mail, checked):
            return self._refuse_locked(tx, mail)
        if _goes_round(tx, mail):
            COUNTS.add(LIMITED)
            return Settled(Arrival.IGNORED, f"limit: nothing was done, after {MOST_TO_A_PROGRAM} mails at this ply")
        if obeyed is None:
            obeyed = self._obey(tx, mail, checked)
        elif obeyed.rehearsal is not None:
            obeyed = self._come_to_pass(tx, mail, obeyed, obeyed.rehearsal)
        return self._bounded(tx, obeyed, mail)

    def _is_locked(self, tx: Transaction, mail: Prepared, checked: Checked) -> bool:
        """Whether the mail is one that nobody can read here; the key that it brings is remembered."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards are laid aside
        if self._unlock is not None:
            remember_key(tx, mail.message, mail.sender, {userid for userid, _ in checked.verified})
        return mail.message.cover is Cover.LOCKED

    def _refuse_locked(self, tx: Transaction, mail: Prepared) -> Settled:
        """Tell the sender of an encrypted mail that it cannot be read; once a day, and not if that is too much."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards are laid aside
        address = mail.message.sender
        reason = "locked: it is encrypted, and cannot be read"
        known = mail.sender.proven is not None
        if not address or tx.outbox.wrote_to(address, LOCKED, tx.now - timedelta(days=1)):
            return Settled(Arrival.IGNORED, reason)
        reads = self._unlock is not None
        letter = self.tools.composer.letter(address, LOCKED, "locked.txt", tx.now, to=mail.message, reads=reads)
        letter = replace(letter, reply=True)
        if self.throttle.excess(tx, letter, mail.cause(proven=known)):
            return Settled(Arrival.IGNORED, reason)
        return Settled(Arrival.IGNORED, reason, (letter,))

    def count_logins(self, tx: Transaction, mail: Prepared, checked: Checked) -> None:
        """Wrong passwords count, whatever becomes of the mail."""
        if mail.logins.keys:
            settle(tx, self.tools.limits, mail.logins, checked.verified)

    def _excess_of_guesses(self, tx: Transaction, mail: Prepared) -> Settled | None:
        """The end of a mail to an address we never gave to anybody that is one too many; None for others."""
        assert mail.origin is not None  # noqa: S101  there is one for each message
        sources = mail.origin.guesses()
        until = Gate(tx, self.tools.limits).counted(sources)
        if until is None:
            return None
        reason = f"limit: guesses of addresses, from {mail.origin.sender}; ignored until {until:%Y-%m-%d %H:%M} UTC"
        told = self.throttle.keep_silent(mail.origin.address, "to wrong reply addresses", until, tx.now)
        return Settled(Arrival.IGNORED, reason, self._last_words(tx, mail.origin.address, told, ignored=True))

    def _spent(self, tx: Transaction, mail: Prepared, checked: Checked) -> str:
        """Why a mail is not even looked at that proves nothing, or that asks for nothing but an answer.

        Empty for all others, and where there may be an answer.
        """
        sender, message = mail.sender, mail.message
        assert isinstance(message, Message)  # noqa: S101  discards are laid aside
        if sender.proven or sender.seated or sender.address or checked.verified:
            at_home = sender.proven in sender.at_home and not checked.verified
            cause = mail.cause(proven=True)
            return self.throttle.spent(tx, message.sender, None, cause) if mail.only_reads and at_home else ""
        if message.token and tx.tickets.find(message.token, tx.now) is not None:
            return ""
        return self.throttle.spent(tx, message.sender, None, mail.cause(proven=False))

    def _leave_undone(self, tx: Transaction, mail: Prepared, reason: str) -> Settled:
        """Nothing is done for the mail. reason: what was spent."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards are laid aside
        COUNTS.add(LIMITED)
        address, cause = mail.message.sender, mail.cause(proven=mail.sender.proven is not None)
        until = self.throttle.silent_until(tx, address, None, cause)
        told = self._last_words(tx, address, until, ignored=not cause.proven)
        undone = "not answered" if cause.proven else "nothing was done"
        return Settled(Arrival.IGNORED, f"limit: {undone}, after {reason}", told)

    def _last_words(self, tx: Transaction, address: str, until: str, *, ignored: bool = False) -> tuple[Mail, ...]:
        """A player gets no answers for a while, and is told so; nobody else is, nor a player twice.

        until: empty where that was told. ignored: what they ask is not done either.
        """
        players = tx.players.of_address(address) if until else []
        subject, page = "pbm: no answers for a while", "silent.txt"
        words: dict[str, Any] = {
            "userid": " and ".join(player.userid for player in players),
            "until": until,
            "ignored": ignored,
        }
        player = players[0] if len(players) == 1 else None
        token = self.tools.composer.answered_by(reader_of(Desk(tx, self.tools), player)) if player else ""
        letter = self.tools.composer.letter
        return (letter(address, subject, page, tx.now, player=player, reply_to=token, **words),) if players else ()

    def _ban(self, tx: Transaction, mail: Prepared, checked: Checked) -> Ban | None:
        """The ban by which the operator keeps the sender of the mail out; None for all others."""
        message, sender = mail.message, mail.sender
        assert isinstance(message, Message)  # noqa: S101  discards are laid aside
        known = {player.userid.casefold() for player in (sender.proven, sender.seated, sender.claimed) if player}
        ban = kept_out(tx, known | {userid for userid, _ in checked.verified}, message.sender)
        return None if ban is None or (is_player(ban.subject) and mail.is_for_operator) else ban

    def _keep_out(self, tx: Transaction, ban: Ban, mail: Prepared) -> Settled:
        """The end of a mail from somebody whom the operator keeps out."""
        letters: list[Mail] = []
        player = tx.players.find(ban.subject) if is_player(ban.subject) else None
        if player is not None and not tx.outbox.written_since(player.id, SUSPENDED, tx.now - timedelta(days=1)):
            words: dict[str, Any] = {
                "until": ban.until,
                "reason": ban.reason.rstrip("."),
                "asked": True,
                "userid": player.userid,
            }
            letters = [
                self.tools.composer.letter(
                    address,
                    SUSPENDED,
                    "suspended.txt",
                    tx.now,
                    player=player,
                    postmaster=address_of(self.tools),
                    **words,
                )
                for address in tx.players.confirmed(player.id)[player.id]
            ]
        return Settled(Arrival.IGNORED, f"ban: {ban.subject} is kept out", tuple(letters))

    def _lay_aside(self, tx: Transaction, discard: Discard) -> Settled:
        """Record what is never answered; a mail of ours that came back is accounted to its recipient.

        A mail that could not be read is kept for the operator: a person may have written it.
        """
        reason = f"{discard.action}: {discard.reason}"
        if discard.action in (Action.BOUNCE, Action.COMPLAINT):
            reason += f"; {self._bouncing.note(tx, discard)}"
        return self._put_by(tx, reason) if discard.action is Action.REJECT else Settled(Arrival.IGNORED, reason)

    def _put_by(self, tx: Transaction, reason: str, told: Sequence[Mail] = ()) -> Settled:
        """The end of a mail that waits for the operator, as anybody can cause one; past a number it is ignored."""
        most = self.tools.limits.parked_mails
        if tx.overview.parked().number < most:
            return Settled(Arrival.PARKED, reason, tuple(told))
        COUNTS.add(LIMITED)
        return Settled(Arrival.IGNORED, f"limit: {most} mails wait for the operator; {reason}", tuple(told))

    def _hand_on(self, tx: Transaction, mail: Prepared) -> Settled:
        """The end of a mail to postmaster or abuse: it waits for the operator, who is told."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards are laid aside
        told = [
            letter
            for letter in tell_operator(Desk(tx, self.tools), mail.row, mail.message)
            if not self.throttle.refusal(tx, letter, Cause())
        ]
        return self._put_by(tx, "postmaster: for the operator", told)

    def _obey(self, tx: Transaction, mail: Prepared, checked: Checked) -> Obeyed:
        """Do what the mail asks, and tell it; what that takes is at the expense of the one who asked."""
        begun = self._spent_so_far() - self._rehearsed.pop(mail.row.id, 0.0)
        obeyed = self._obeyed(Desk(tx, self.tools), mail, checked)
        self._costs.charge(obeyed.payers, self._spent_so_far() - begun, tx.now)
        return obeyed

    def _spent_so_far(self) -> float:
        """Seconds of processor time, without those of mails that were let pass."""
        return thread_time() - self.overtaken

    def _obeyed(self, at: Desk, mail: Prepared, checked: Checked) -> Obeyed:
        request = self._carry_out(at, mail, checked)
        mails = tuple(mails_of(request))
        shown = request.sender.proven or (request.author.player if not request.is_hearsay else None)
        proven, told = shown is not None or bool(request.sender.address), _told_since_the_ply(request)
        payers = frozenset(mail.payers(checked, request.author.player))
        return Obeyed(mails, proven, request.withheld, told, _about(request, mail), payers)

    def _come_to_pass(self, tx: Transaction, mail: Prepared, obeyed: Obeyed, rehearsal: Rehearsal) -> Obeyed:
        """What was rehearsed is so now, but for what is yet to be written; its mails get keys of their own."""
        self._costs.charge(obeyed.payers, self._rehearsed.pop(mail.row.id, 0.0), tx.now)
        for board in rehearsal.opened:
            self.tools.states.keep(board.match, board.state)
        return replace(obeyed, mails=tuple(map(self.tools.composer.rekeyed, obeyed.mails)))

    def _carry_out(self, at: Desk, mail: Prepared, checked: Checked) -> Request:
        """Do what the mail asks; if it lacks only proof of its sender, ask the claimed player for that."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards do not come here
        network = mail.origin.network if mail.origin else ""
        locked, received_at = mail.logins.locked, mail.row.received_at
        incoming = Incoming(mail.message, checked.verified, checked.fresh, locked, received_at, network)
        tx, blank = at.tx, Request(at.tx, at.tools, incoming, mail.sender)
        until = self._costs.used_up_until(mail.payers(checked), tx.now)
        if until is not None:
            return blank.put_off(until)
        if heard := mail.sender.proven or mail.sender.seated:
            note_heard(tx, heard, mail.message.sender)
        redeemed = self._redeem(blank)
        if redeemed is not None:
            return redeemed
        order = Order(mail.reading, mail.commands)
        if mail.sender.proven is not None:
            return order.carry_out(blank)
        try:
            with tx.savepoint():
                return order.carry_out(blank.again())
        except NeedsIdentity as error:
            hold(blank, order, error)
            return blank

    def _redeem(self, request: Request) -> Request | None:
        """Redeem the ticket whose token the mail answers; None if it answers none, or is read as any other mail."""
        token = request.message.token if request.sender.seat is None else None
        ticket = request.tx.tickets.find(token, request.now) if token else None
        if ticket is None:
            return None
        if ticket.purpose in CONSENTED and not is_clear(request.message.text):
            ask_again(request)
            return request
        if ticket.purpose not in LASTING:
            request.tx.tickets.use_up(ticket)
        return None if REDEEMERS[ticket.purpose](request, ticket) is False else request

    def _bounded(self, tx: Transaction, obeyed: Obeyed, mail: Prepared) -> Settled:
        """The mail is settled, without the answers that are too many, and why any were left out."""
        mails = list[Mail]()
        excess = f"limit: a question was left out. {obeyed.withheld}" if obeyed.withheld else ""
        cause, told = mail.cause(proven=obeyed.proven), obeyed.told
        for each in obeyed.mails:
            reason = told if each.reply and told else self.throttle.excess(tx, each, cause)
            if not reason:
                mails.append(each)
                continue
            COUNTS.add(LIMITED)
            log.warning("not_answered", address=each.address, board=each.board, reason=reason)
            until = "" if told else self.throttle.silent_until(tx, each.address, each.board, cause)
            mails += self._last_words(tx, each.address, until)
            excess = f"limit: not answered, after {reason}"
        plies = obeyed.rehearsal.plies if obeyed.rehearsal else ()
        return Settled(Arrival.HANDLED, excess, tuple(mails), about=obeyed.about, plies=plies)

    def park(self, tx: Transaction, mail: Prepared, error: Exception) -> Settled:
        """Our own fault: keep the mail for the operator, and tell them and the sender, who is given a reference."""
        self.tools.states.forget()
        reference = secrets.token_hex(2).upper()
        log.error("parked", reference=reference, exc_info=error)
        sender = mail.message.sender if isinstance(mail.message, Message) else ""
        known = sender if tx.players.of_address(sender) else ""
        operators = (self.tools.operator, "fault-operator.txt", f"pbm: fault {reference}")
        letters = [(known, "fault.txt", "pbm: our fault"), operators]
        told = self._letters(tx, mail.row, letters, reference=reference)
        return Settled(Arrival.PARKED, f"{reference}: {type(error).__name__}: {error}", told)

    def _letters(
        self, tx: Transaction, row: Received, letters: list[tuple[str, str, str]], **words: Any
    ) -> tuple[Mail, ...]:
        """Letters about a mail. letters: address, page and subject of each; without an address there is none."""
        composed = (
            self.tools.composer.letter(address, subject, page, tx.now, inbox_id=row.id, **words)
            for address, page, subject in letters
            if address
        )
        return tuple(letter for letter in composed if not self.throttle.refusal(tx, letter, Cause()))


_LEFT_OUT = "[left out: it may hold a password]"


def _without_passwords(mail: Prepared, verified: Collection[str]) -> bytes | None:
    """verified: words of the mail that are right passwords."""
    understood = [command for command in mail.commands if isinstance(command, Command)]
    passwords = frozenset(verified).union(*(command.secrets for command in understood))
    if not isinstance(mail.message, Message) or not (passwords or mail.unsaid):
        return None
    told = []
    for words in (mail.message.subject, mail.message.text):
        shown = "\n".join(_LEFT_OUT if clean(line) in mail.unsaid else line for line in words.splitlines())
        shown = redact(shown, passwords)
        told.append(_LEFT_OUT if any(password in shown for password in passwords) else shown)
    return rewritten(mail.row.raw, *told)


def _about(request: Request, mail: Prepared) -> dict[str, str]:
    """Nothing of what the mail says but its verbs."""
    boards = sorted({board.match.board for board in request.boards.in_hand})
    verbs = dict.fromkeys(command.verb.name for command in mail.commands if isinstance(command, Command))
    words = {
        "userid": request.author.player.userid if request.author.player else "",
        "verb": ",".join(verbs),
        "board": ",".join(map(str, boards)),
    }
    return {name: value for name, value in words.items() if value}


MOST_TO_A_PROGRAM = 12
"""Mails about its board that a program gets at one ply; beyond them, only what moves or ends it is done for it."""
_GOES_ON = {"move", "pass", "swap", "resign", "accept"}


def _goes_round(tx: Transaction, mail: Prepared) -> bool:
    """Whether a program answers for ever, say another program's words with words, and no ply comes of it."""
    board, seated = mail.sender.board, mail.sender.seated
    if not isinstance(mail.message, Message) or not mail.message.automatic or board is None or seated is None:
        return False
    if any(isinstance(each, Command) and each.verb.name in _GOES_ON for each in mail.commands):
        return False
    match = tx.matches.summary(board)
    return match is not None and tx.outbox.told_since(seated.id, board, match.moved_at) >= MOST_TO_A_PROGRAM


def _told_since_the_ply(request: Request) -> str:
    """Why a program gets no answer: it has had one since the board's last ply, and may answer all it gets for ever."""
    board, seated = request.sender.board, request.sender.seated
    if not request.message.automatic or board is None or seated is None:
        return ""
    match, addresses = request.tx.matches.summary(board), request.tx.players.confirmed(seated.id)[seated.id]
    told = match is not None and request.tx.outbox.replied_since(addresses, match.moved_at)
    return "one answer to a program at each ply" if told else ""
