"""The service: takes mails in and handles them. Synchronous; callers keep it off their event loop."""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from time import thread_time
from typing import Any

import structlog
from structlog.contextvars import bind_contextvars, unbind_contextvars

from pbm.compose import Answer, Composer, Outcome
from pbm.core.board import States
from pbm.core.bus import PlayerHeard, publish
from pbm.core.jobs import Runner
from pbm.core.notify import Limits, Tools
from pbm.core.passwords import Passwords
from pbm.core.registry import LASTING, REDEEMERS, REFUSALS, redeems, run
from pbm.core.request import Credentials, Request, Sender
from pbm.core.wording import declines, first_line
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.commands import Command, Standing, clean, parse
from pbm.domain.errors import NeedsIdentity, Rejected, UnknownCommand
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.reading import MAX_COMMANDS, Reading, read
from pbm.domain.redaction import behind_userids, guess_secrets
from pbm.domain.tokens import Signer
from pbm.features import time as timing
from pbm.features.account import RESET
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin import read as read_mail
from pbm.mailin.lanes import lane
from pbm.server.batch import (
    Checked,
    Journal,
    Prepared,
    Work,
    boards_of,
    identify,
    identity_of,
    is_for_operator,
    names_to_lock,
    own_of,
    parted,
    payers_of,
    stays_on_boards,
)
from pbm.server.bounces import Bouncing
from pbm.server.guard import (
    Cause,
    Costs,
    Gate,
    Origin,
    Throttle,
    logins_of,
    network_of,
    replied_to,
    replies_to,
    settle,
    went_wrong,
)
from pbm.store import HOUSE, DatabaseTrouble, Store, Transaction
from pbm.store.absences import DELIVERED, HEARTBEAT
from pbm.store.tickets import Ticket

log = structlog.get_logger()

MOST_PICTURED = 3
"""Mails within a second whose answers still have pictures: one takes longer to draw than five moves to handle."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator decides. operator: the address that hears of faults and dead addresses; empty for none."""

    robot: Robot = field(default_factory=Robot)
    limits: Limits = field(default_factory=Limits)
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A mail at the door: envelope sender ("" for the null path, None where not known) and recipients, and its bytes.

    source: what names it for good where it was fetched from; a second mail of one source is not taken.
    peer: the address of the machine that handed it over, where there is one.
    """

    mail_from: str | None
    recipients: tuple[str, ...]
    raw: bytes
    source: str | None = None
    peer: str = ""


LONGEST_TURN = timedelta(days=800)
"""What stopped a clock is remembered for so long: a move may take a year, and a vacation counts for its year."""


def utc_now() -> datetime:
    return datetime.now(UTC)


class Service:
    """One server's rules of the house over one database. clock: the present instant; make_key: see Composer."""

    def __init__(
        self,
        store: Store,
        settings: Settings | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
        make_key: Callable[[], str] = lambda: secrets.token_hex(12),
    ) -> None:
        """Raises: SchemaTrouble when the database is of another version; an empty one is set up."""
        self.store = store
        self.settings = settings or Settings()
        self.clock = clock
        store.prepare(clock())
        with store.read() as tx:
            self._signer = Signer(tx.secret())
        composer = Composer(self.settings.robot, self._signer, make_key=make_key)
        self.tools = Tools(composer, States(), Passwords(), self.settings.limits, self.settings.operator)
        self.bouncing = Bouncing(composer, self.settings.limits, self.settings.operator)
        self._throttle = Throttle(self.settings.limits)
        self._taken_up: deque[datetime] = deque(maxlen=MOST_PICTURED + 1)
        self._costs = Costs(self.settings.limits.computing_seconds_per_hour)
        self._journal = Journal()
        self._one_by_one = False
        self.agenda = Runner(store, self.tools, clock, timing.attend)

    def close(self) -> None:
        self.tools.passwords.close()
        self.store.close()

    def is_ours(self, address: str) -> bool:
        """Whether mail to the address is for this server."""
        return self.settings.robot.owns(address)

    def accept(self, mails: Sequence[Arriving]) -> None:
        """Store mails; when this returns they are safe. Raises: DatabaseTrouble, and then none is stored."""
        rows = [(m.mail_from, m.recipients, m.raw, m.source, m.peer, self._lane(m)) for m in mails]
        with self.store.write(alone=False) as tx:
            ids = tx.inbox.add(rows, self.clock())
        for mail_id, mail in zip(ids, mails, strict=True):
            log.info("received", mail=mail_id, mail_from=mail.mail_from, octets=len(mail.raw), peer=mail.peer or None)

    def _lane(self, mail: Arriving) -> str:
        return lane(Envelope(mail.mail_from, mail.recipients), mail.raw, self.settings.robot, self._signer.board_of)

    def beat(self) -> None:
        """Give a sign of life, and look whether mail goes out. Raises: DatabaseTrouble."""
        now = self.clock()
        with self.store.write() as tx:
            for outage in watch(tx, now):
                if self.settings.operator:
                    page, subject = "outage-operator.txt", "pbm: all clocks stood still"
                    letter = self.tools.composer.letter(self.settings.operator, subject, page, now, outage=outage)
                    tx.outbox.add([letter], now)

    def tidy(self) -> None:
        """Forget what has expired; a little later, since limits a day count it. Raises: DatabaseTrouble."""
        with self.store.write() as tx:
            before = self.clock() - timedelta(days=2)
            tx.tickets.sweep(before)
            tx.guesses.sweep(before)
            tx.absences.forget(before - LONGEST_TURN)

    def handle(self, limit: int = 50) -> int:
        """Handle the mails that wait, oldest first, in one transaction; returns how many there were.

        What cannot be written down together is once more handled, and written down, mail by mail.
        Raises: DatabaseTrouble, and then none is handled.
        """
        try:
            return self._handle_batch(limit)
        except DatabaseTrouble:
            raise
        except Exception as error:
            log.error("batch_fault", exc_info=error)
            return self._handle_batch(limit, one_by_one=True)

    def _handle_batch(self, limit: int, *, one_by_one: bool = False) -> int:
        self._one_by_one = one_by_one
        try:
            handled = self._handle_claimed(limit) if self.store.locks_rows else self._handle_waiting(limit)
            unbind_contextvars("mail")
            self._journal.tell()
            return handled
        except Exception:
            unbind_contextvars("mail")
            self._journal.clear()
            self._throttle.forget()
            self.tools.states.forget()
            raise

    def _handle_waiting(self, limit: int) -> int:
        """Where only one can write at a time, nothing that takes long is done while nobody else can."""
        with self.store.read() as tx:
            prepared = self._prepare_all(tx, tx.inbox.waiting(limit))
        if not prepared:
            return 0
        checked = self._check(prepared)
        now = self.clock()
        with self.store.write() as tx:
            still_new = tx.inbox.still_new([mail.row.id for mail in prepared])
            tx.foresee(boards_of(prepared))
            work = zip(prepared, checked, strict=True)
            self._handle_all(tx, [(mail, checks) for mail, checks in work if mail.row.id in still_new], now)
        return len(prepared)

    def _handle_claimed(self, limit: int) -> int:
        """Where others handle mails at the same time: of what is to be locked as much as is known is locked at once."""
        with self.store.write(alone=False) as tx:
            prepared = self._prepare_all(tx, tx.inbox.claim(limit))
            work = list(zip(prepared, self._check(prepared), strict=True))
            tx.lock(name for mail in prepared for name in names_to_lock(mail))
            on_boards, others = parted(work)
            tx.foresee(boards_of([mail for mail, _ in on_boards]))
            now = self.clock()
            self._handle_all(tx, on_boards, now)
            if others:
                tx.lock([HOUSE])
                self._handle_all(tx, others, now)
        return len(prepared)

    def _prepare_all(self, tx: Transaction, rows: Sequence[Received]) -> list[Prepared]:
        self.tools.composer.hurried = self._is_busy(len(rows))
        gate = Gate(tx, self.settings.limits, self.clock())
        read = [read_mail(row.raw, Envelope(row.mail_from, row.recipients), self.settings.robot) for row in rows]
        messages = [each for each in read if isinstance(each, Message)]
        tx.players.foresee_owners({message.sender for message in messages})
        boards = (self._signer.board_of(message.token) for message in messages if message.token)
        tx.matches.foresee_summaries({board for board in boards if board is not None})
        return [self._prepare_or_fail(gate, row, message) for row, message in zip(rows, read, strict=True)]

    def _is_busy(self, mails: int) -> bool:
        """Whether so many mails more are too many for pictures."""
        now = self.clock()
        self._taken_up.extend([now] * mails)
        return len(self._taken_up) > MOST_PICTURED and self._taken_up[0] > now - timedelta(seconds=1)

    def _check(self, prepared: Sequence[Prepared]) -> list[Checked]:
        verified = self._verify(prepared)
        return [Checked(own_of(mail, verified), self._hash(mail)) for mail in prepared]

    def _prepare_or_fail(self, gate: Gate, row: Received, message: Message | Discard) -> Prepared:
        """What the mail asks for, or why that is not known: then it is parked, and no other mail waits for it."""
        try:
            return self._prepare(gate, row, message)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours
            return Prepared(row, error)

    def _prepare(self, gate: Gate, row: Received, message: Message | Discard) -> Prepared:
        tx = gate.tx
        if isinstance(message, Discard):
            return Prepared(row, message)
        sender = identify(tx, self._signer, message, self.clock())
        reading = read(strip_subject(message.subject), message.text, sender.standing)
        commands = parse_all(tx, reading.lines, sender.standing)
        token = message.token if sender.seat is None else None
        ticket = tx.tickets.find(token, gate.now) if token else None
        fresh = [first_line(message.text)] if ticket is not None and ticket.purpose == RESET else []
        is_guess = token is not None and ticket is None and self._signer.open(token) is None
        origin = Origin(message.sender, message.authenticated, sender.claimed, self._network(row.peer))
        logins = logins_of(gate, commands, reading.lines, fresh, origin)
        return Prepared(row, message, sender, reading, commands, logins, origin, is_guess)

    def _network(self, peer: str) -> str:
        """Behind a mail server of ours, everybody comes from there."""
        return "" if self.settings.robot.authserv_id else network_of(peer)

    def _verify(self, prepared: Sequence[Prepared]) -> dict[Credentials, str]:
        """The credentials of the mails that are right, with the hash each was checked against."""
        wanted = {key: hashed for mail in prepared for key, hashed in mail.logins.hashes.items()}
        checks = self.tools.passwords.verify([(key[1], hashed) for key, hashed in wanted.items()])
        return {key: hashed for (key, hashed), right in zip(wanted.items(), checks, strict=True) if right}

    def _hash(self, mail: Prepared) -> dict[str, str]:
        fresh = mail.logins.fresh
        return dict(zip(fresh, self.tools.passwords.hash_all(fresh), strict=True))

    def _handle_all(self, tx: Transaction, work: Sequence[Work], now: datetime) -> None:
        known = tx.inbox.settled({identity for mail, _ in work if (identity := identity_of(mail))})
        for mail, checked in work:
            if not stays_on_boards(mail):
                self._journal.write_down(tx, now)
            self._handle(tx, mail, checked, known, now)
        self._journal.write_down(tx, now)

    def _handle(self, tx: Transaction, mail: Prepared, checked: Checked, known: Collection[str], now: datetime) -> None:
        """Handle one mail so that it is settled whatever happens, but for trouble with the database itself.

        known: identities of mails that were settled in earlier transactions.
        """
        bind_contextvars(mail=mail.row.id)
        if isinstance(mail.message, Exception):
            self._park(tx, mail.row, "", mail.message, now)
            return
        is_message = isinstance(mail.message, Message)
        identity = identity_of(mail)
        if identity is not None and (identity in known or self._journal.is_settled(identity)):
            reason = "ignore: a mail with this Message-ID was handled before"
            self._journal.settle(mail.row.id, Arrival.IGNORED, reason)
            return
        if mail.logins.keys:
            settle(tx, self.settings.limits, mail.logins, checked.verified, now)
        try:
            with tx.savepoint():
                if mail.is_guess and (excess := self._excess_of_guesses(tx, mail, now)):
                    self._journal.settle(mail.row.id, Arrival.IGNORED, excess, identity)
                elif isinstance(mail.message, Discard):
                    self._lay_aside(tx, mail.row, mail.message, now)
                elif is_for_operator(mail.row):
                    self._hand_on(tx, mail.row, mail.message, now, identity)
                else:
                    self._obey(tx, mail, checked, now, identity)
                if self._one_by_one:
                    self._journal.write_down(tx, now)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours, and the next mail must not wait for it
            self._journal.strike_out(mail.row.id)
            self._park(tx, mail.row, mail.message.sender if is_message else "", error, now, identity)

    def _excess_of_guesses(self, tx: Transaction, mail: Prepared, now: datetime) -> str:
        """Why a mail to an address we never gave to anybody is one too many; empty where it is not, and it counts."""
        assert mail.origin is not None  # noqa: S101  there is one for each message
        sources = mail.origin.guesses()
        until = Gate(tx, self.settings.limits, now).closed_until(sources)
        if until is None:
            went_wrong(tx, self.settings.limits, sources, now)
            return ""
        return f"limit: guesses of addresses, from {mail.origin.sender}; ignored until {until:%Y-%m-%d %H:%M} UTC"

    def _lay_aside(self, tx: Transaction, row: Received, discard: Discard, now: datetime) -> None:
        """Record what is never answered; a mail of ours that came back is accounted to its recipient.

        What could not be read is kept for the operator: a person may have written it.
        """
        reason = f"{discard.action}: {discard.reason}"
        if discard.action in (Action.BOUNCE, Action.COMPLAINT):
            reason += f"; {self.bouncing.note(tx, discard, now)}"
        state = Arrival.PARKED if discard.action is Action.REJECT else Arrival.IGNORED
        self._journal.settle(row.id, state, reason)

    def _hand_on(self, tx: Transaction, row: Received, message: Message, now: datetime, identity: str | None) -> None:
        """What a person writes to postmaster waits for the operator, who is told."""
        self._journal.settle(row.id, Arrival.PARKED, "postmaster: for the operator", identity)
        page, subject = "postmaster-operator.txt", f"pbm: mail {row.id} to postmaster"
        self._write(tx, row, [(self.settings.operator, page, subject)], now, sender=message.sender)

    def _obey(self, tx: Transaction, mail: Prepared, checked: Checked, now: datetime, identity: str | None) -> None:
        """Do what the mail asks, and tell it; what that takes is at the expense of who asked."""
        begun = thread_time()
        request = self._carry_out(tx, mail, checked, now)
        mails, left_out = self._bounded(tx, request, mail, now)
        self._journal.owe(mail.row.id, mails)
        self._journal.settle(mail.row.id, Arrival.HANDLED, left_out, identity)
        self._costs.charge(payers_of(mail, checked, request.identified), thread_time() - begun, now)

    def _carry_out(self, tx: Transaction, mail: Prepared, checked: Checked, now: datetime) -> Request:
        """Do what the mail asks; what it lacks is only proof of who sent it, ask the claimed player for that."""
        assert isinstance(mail.message, Message)  # noqa: S101  discards do not come here
        blank = Request(
            tx, self.tools, mail.message, mail.sender, checked.verified, now,
            fresh=checked.fresh, locked=mail.logins.locked, received_at=mail.row.received_at,
        )  # fmt: skip
        until = self._costs.used_up_until(payers_of(mail, checked), now)
        if until is not None:
            return blank.put_off(until)
        if mail.sender.proven is not None:
            publish(PlayerHeard(mail.sender.proven, mail.message.sender), tx, now)
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
        """Redeem the ticket whose token the mail answers; None if it answers none."""
        token = request.message.token if request.sender.seat is None else None
        ticket = request.tx.tickets.find(token, request.now) if token else None
        if ticket is None:
            return None
        if ticket.purpose not in LASTING:
            request.tx.tickets.use_up(ticket)
        REDEEMERS[ticket.purpose](request, ticket)
        return request

    def _bounded(self, tx: Transaction, request: Request, prepared: Prepared, now: datetime) -> tuple[list[Mail], str]:
        """What the handling has to tell, without the answers that are too many; and why any were left out."""
        mails, excess = [], ""
        proven = request.sender.proven or (request.identified if not request.is_hearsay else None)
        cause = Cause(proven is not None, prepared.origin.peer if prepared.origin else "")
        for mail in request.mails():
            reason = self._excess(tx, mail, request.message.sender, cause, now)
            if not reason:
                mails.append(mail)
                continue
            log.warning("not_answered", address=mail.address, board=mail.board, reason=reason)
            excess = f"limit: not answered, after {reason}"
        return mails, excess

    def _excess(self, tx: Transaction, mail: Mail, sender: str, cause: Cause, now: datetime) -> str:
        """Why a mail is left out, being one answer too many; empty for all else, such as a board after a move."""
        to_sender = mail.board is None and mail.address.casefold() == sender.casefold()
        if not mail.reply and not to_sender:
            return ""
        unknown = mail.reply and mail.player_id is None and not tx.players.of_address(mail.address)
        most = self.settings.limits.stranger_replies_per_day
        if unknown and replies_to(tx, mail.address, now) >= most:
            return f"{most} a day to {mail.address}, whom nobody knows"
        refusal = self._throttle.refusal(tx, mail, now, cause)
        if unknown and not refusal:
            replied_to(tx, mail.address, now)
        return refusal

    def _park(
        self, tx: Transaction, row: Received, sender: str, error: Exception, now: datetime, identity: str | None = None
    ) -> None:
        """Our own fault: keep the mail for the operator, and tell him and the sender, who is given a reference."""
        self.tools.states.forget()
        reference = secrets.token_hex(2).upper()
        log.error("parked", reference=reference, exc_info=error)
        self._journal.settle(row.id, Arrival.PARKED, f"{reference}: {type(error).__name__}: {error}", identity)
        known = sender if tx.players.of_address(sender) else ""
        operators = (self.settings.operator, "fault-operator.txt", f"pbm: fault {reference}")
        self._write(tx, row, [(known, "fault.txt", "pbm: our fault"), operators], now, reference=reference)

    def _write(
        self, tx: Transaction, row: Received, letters: Sequence[tuple[str, str, str]], now: datetime, **words: Any
    ) -> None:
        """Owe letters about a mail. letters: address, page and subject of each; without an address there is none."""
        for address, page, subject in letters:
            if address:
                letter = self.tools.composer.letter(address, subject, page, now, inbox_id=row.id, **words)
                if not self._throttle.refusal(tx, letter, now, Cause()):
                    self._journal.owe(row.id, [letter])


_HELD_DAYS = 2


@dataclass(frozen=True, slots=True)
class Order:
    """The commands of one mail, each as it was read, or why it could not be."""

    reading: Reading
    commands: tuple[Command | Rejected, ...]

    @property
    def secrets(self) -> frozenset[str]:
        """Words that must not be repeated: what is known for a password, or may be one in a line nobody understood."""
        pairs = zip(self.commands, self.reading.lines, strict=True)
        return frozenset().union(
            *(guess_secrets(line) if isinstance(command, Rejected) else command.secrets for command, line in pairs)
        )

    def carry_out(self, request: Request) -> Request:
        """Carry the commands out in their order; the first that is refused ends it. Raises: NeedsIdentity."""
        understood = [command for command in self.commands if isinstance(command, Command)]
        own = {command.credentials[0].casefold() for command in understood if command.credentials}
        own |= {player.userid.casefold() for player in (request.sender.proven, request.sender.claimed) if player}
        request.comment = self.reading.comment
        request.secrets = self.secrets | behind_userids(self.reading.prose, own)
        request.secrets |= {password for _, password in (*request.verified, *request.locked)}
        request.understood = _lines(understood)
        request.plain = _lines(command for command in understood if _is_plain(command, request))
        if self.reading.remarks and all(line in request.plain for line in self.reading.lines):
            request.plain |= frozenset(map(clean, self.reading.prose.splitlines()))
        if not self.commands or request.message.action is Action.HELP:
            request.refuse("", UnknownCommand("Your mail holds no command.", "help"))
            return request
        several = len(self.commands) > 1
        for number, (line, command) in enumerate(zip(self.reading.lines, self.commands, strict=True), 1):
            try:
                request.take_remark(self.reading, number, command)
                answer = _run(request, command)
            except NeedsIdentity:
                raise
            except REFUSALS as error:
                request.refuse(line, error, several=several)
                request.answers += [Answer(rest, Outcome.NOT_TRIED, "") for rest in self.reading.lines[number:]]
                return request
            if answer is not None or several:
                request.answers.append(answer or Answer(line, Outcome.DONE, ""))
        if self.reading.truncated:
            excuse = f"One mail may hold {MAX_COMMANDS} commands."
            request.answers.append(Answer("the other lines", Outcome.NOT_TRIED, excuse))
        return request


def _lines(commands: Iterable[Command]) -> frozenset[str]:
    """The commands as they are known, and each line of those that have a plan below."""
    lines = [command.line for command in commands]
    return frozenset([*lines, *(part for line in lines for part in line.split("\n"))])


def _is_plain(command: Command, request: Request) -> bool:
    """No word of the command is a password but what it holds as one: it has none to misplace, or it was right."""
    if command.credentials is None:
        move = command.args.get("MOVE", "")
        shows_who = request.sender.seat is not None or (request.sender.proven is not None and "BOARD" in command.args)
        return not move or (shows_who and " " not in move)
    userid, password = command.credentials
    return (userid.casefold(), password) in request.verified


def _run(request: Request, command: Command | Rejected) -> Answer | None:
    if isinstance(command, Rejected):
        raise command
    with request.tx.savepoint():
        return run(request, command)


def parse_all(tx: Transaction, lines: Sequence[str], standing: Standing) -> tuple[Command | Rejected, ...]:
    return tuple(_parse(tx, line, standing) for line in lines)


def _parse(tx: Transaction, line: str, standing: Standing) -> Command | Rejected:
    try:
        return parse(line, standing, lambda word: tx.players.find(word) is not None)
    except Rejected as error:
        return error


def hold(request: Request, order: Order, error: NeedsIdentity) -> None:
    """Keep the commands, and ask the player whom From claims to confirm them by an answer; else refuse.

    What would be refused from him, too, is refused at once.
    """
    player, address = request.sender.claimed, request.message.sender
    since = request.now - timedelta(days=1)
    asked = request.tx.tickets.issued_since("held", address, since)
    refusal = _tried(request, order).refusal if player is not None else None
    if player is None or refusal or order.secrets or asked >= request.tools.limits.held_asks_per_day:
        request.secrets = order.secrets
        request.refuse(order.reading.lines[0], refusal or error)
        return
    lines, reading, sender = list(order.reading.lines), order.reading, request.sender
    as_of = sender.as_of.isoformat() if sender.as_of else None
    token = request.issue(
        "held", address, days=_HELD_DAYS, player=player, lines=lines, comment=reading.comment,
        remarks=reading.remarks, board=sender.board, as_of=as_of,
    )  # fmt: skip
    subject = "pbm: was that you?"
    request.write(address, subject, "held.txt", player=player, reply_to=token, userid=player.userid, lines=lines)


class _TriedOut(Exception):
    """Undoes what a trial has done."""


def _tried(request: Request, order: Order) -> Request:
    """What would come of the commands if the claimed player had sent them; the database stays as it is."""
    sender = replace(request.sender, proven=request.sender.claimed)
    trial = replace(request.again(), sender=sender)
    with suppress(_TriedOut), request.tx.savepoint():
        order.carry_out(trial)
        raise _TriedOut
    return trial


@redeems("held")
def release(request: Request, ticket: Ticket) -> None:
    """The player has answered from his address: carry out what he had sent, unless he says no."""
    player = request.tx.players.get(ticket.player_id or 0)
    if player is None:
        return
    if declines(request.message.text):
        text = "Nothing was done, and nothing will be."
        request.answers.append(Answer("no", Outcome.DONE, text, "pbm: nothing was done"))
        return
    lines, board = tuple(ticket.payload["lines"]), ticket.payload["board"]
    match = request.tx.matches.load(board) if board is not None else None
    standing = Standing(match.game if match else None, match.board if match else None, known=True, proven=True)
    as_of = datetime.fromisoformat(ticket.payload["as_of"]) if ticket.payload.get("as_of") else None
    request.sender = Sender(standing, board=standing.board, proven=player, claimed=player, as_of=as_of)
    request.prove(player)
    reading = Reading(lines, ticket.payload["comment"], remarks=tuple(ticket.payload.get("remarks", ())))
    Order(reading, parse_all(request.tx, lines, standing)).carry_out(request)


log = structlog.get_logger()

SILENCE = timedelta(minutes=5)
"""A server that has given no sign of life for so long was down."""
PATIENCE = timedelta(minutes=30)
"""Mail may be late by so much before that counts as an outage, which then began with the first that was."""


def watch(tx: Transaction, now: datetime) -> Iterator[Stop]:
    """Give a sign of life, and note outages that begin or are over; gives those that are over. Call it every minute."""
    last = tx.absences.note(HEARTBEAT, now)
    if last is not None and last - now > SILENCE:
        log.warning("clock_was_ahead", now=now.isoformat(), last=last.isoformat())
        tx.absences.forget_future(now)
        tx.matches.forget_future(now)
        tx.outbox.hurry(now)
    known = next((each for each in tx.absences.of(None, StopKind.OUTAGE, now) if each.stop.ends_at is None), None)
    if last is not None and now - last > SILENCE and known is None:
        down = Stop(StopKind.OUTAGE, last, now)
        tx.absences.add(None, down)
        log.warning("was_down", since=last.isoformat(), until=now.isoformat())
        yield down
    failing = tx.outbox.failing_since(tx.absences.noted(DELIVERED))
    if known is None and failing is not None and now - failing > PATIENCE:
        tx.absences.add(None, Stop(StopKind.OUTAGE, failing))
        log.error("nothing_delivered", since=failing.isoformat())
    elif known is not None and failing is None:
        tx.absences.end(known, now)
        log.warning("delivered_again", since=known.stop.starts_at.isoformat())
        yield Stop(StopKind.OUTAGE, known.stop.starts_at, now)
