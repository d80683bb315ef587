"""The service: takes mails in and handles them. Synchronous; callers keep it off their event loop."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog

from pbm.compose import Answer, Composer, Outcome
from pbm.domain.commands import Command, Reading, Standing, guess_secrets, parse, read
from pbm.domain.errors import Rejected, UnknownCommand
from pbm.domain.mail import Arrival, Mail, Received
from pbm.domain.tokens import ReplyToken, Signer
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin import read as read_mail
from pbm.service.accounts import confirm
from pbm.service.handlers import REFUSALS, run
from pbm.service.handling import Credentials, Handling
from pbm.service.passwords import Passwords
from pbm.service.tables import States
from pbm.service.telling import Limits, Tools
from pbm.store import DatabaseTrouble, Store, Transaction

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator decides. operator: the address that hears of our own faults; empty for none."""

    robot: Robot = field(default_factory=Robot)
    limits: Limits = field(default_factory=Limits)
    operator: str = ""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A mail at the door: envelope sender ("" for the null path) and recipients, and its bytes."""

    mail_from: str
    recipients: tuple[str, ...]
    raw: bytes


@dataclass(frozen=True, slots=True)
class Prepared:
    """A mail read and its passwords checked, before any transaction that writes begins."""

    row: Received
    message: Message | Discard
    token: ReplyToken | None = None
    reading: Reading = field(default_factory=lambda: Reading(()))
    commands: tuple[Command | Rejected, ...] = ()
    verified: dict[Credentials, str] = field(default_factory=dict)


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
        self.created = store.prepare(clock())
        with store.read() as tx:
            self._signer = Signer(tx.secret())
        composer = Composer(self.settings.robot, self._signer, make_key=make_key)
        self.tools = Tools(composer, States(), Passwords(), self.settings.limits)

    def close(self) -> None:
        self.tools.passwords.close()
        self.store.close()

    def is_ours(self, address: str) -> bool:
        """Whether mail to the address is for this server."""
        local, at, domain = address.casefold().rpartition("@")
        robot = self.settings.robot
        if not at or domain != robot.domain.casefold():
            return False
        own = (robot.local_part, robot.bounce_part)
        return local in (*own, "postmaster") or any(local.startswith((f"{part}+", f"{part}-")) for part in own)

    def accept(self, mails: Sequence[Arriving]) -> None:
        """Store mails; when this returns they are safe. Raises: DatabaseTrouble, and then none is stored."""
        with self.store.write() as tx:
            tx.inbox.add([(mail.mail_from, mail.recipients, mail.raw) for mail in mails], self.clock())

    def handle(self, limit: int = 50) -> int:
        """Handle the mails that wait, oldest first, in one transaction; returns how many there were.

        Raises: DatabaseTrouble, and then none is handled.
        """
        with self.store.read() as tx:
            prepared = [self._prepare(tx, row) for row in tx.inbox.waiting(limit)]
        if not prepared:
            return 0
        verified = self._verify(prepared)
        now = self.clock()
        with self.store.write() as tx:
            for mail in prepared:
                self._handle(tx, mail, verified, now)
        return len(prepared)

    def _prepare(self, tx: Transaction, row: Received) -> Prepared:
        message = read_mail(row.raw, Envelope(row.mail_from, row.recipients), self.settings.robot)
        if isinstance(message, Discard):
            return Prepared(row, message)
        token = self._signer.open(message.token) if message.token else None
        standing = self._standing(tx, token)
        reading = read(strip_subject(message.subject), message.text, standing)
        commands = tuple(
            _parse(line, standing, lambda word: tx.players.find(word) is not None) for line in reading.lines
        )
        hashes = {}
        for userid, password in {c.credentials for c in commands if isinstance(c, Command) and c.credentials}:
            player = tx.players.find(userid)
            hashes[userid.casefold(), password] = tx.players.password_hash(player.id) if player else ""
        return Prepared(row, message, token, reading, commands, hashes)

    def _standing(self, tx: Transaction, token: ReplyToken | None) -> Standing:
        match = tx.matches.load(token.board) if token else None
        return Standing(match.game, match.board, seated=True) if match else Standing()

    def _verify(self, prepared: Sequence[Prepared]) -> dict[Credentials, str]:
        """The credentials of the mails that are right, with the hash each was checked against."""
        wanted = {key: hashed for mail in prepared for key, hashed in mail.verified.items()}
        checks = self.tools.passwords.verify([(key[1], hashed) for key, hashed in wanted.items()])
        return {key: hashed for (key, hashed), right in zip(wanted.items(), checks, strict=True) if right}

    def _handle(self, tx: Transaction, mail: Prepared, verified: dict[Credentials, str], now: datetime) -> None:
        """Handle one mail so that its row is settled whatever happens, but for trouble with the database itself."""
        if isinstance(mail.message, Discard):
            tx.inbox.settle(mail.row.id, Arrival.IGNORED, now, f"{mail.message.action}: {mail.message.reason}")
            return
        if not self._is_first(tx, mail.row, mail.message):
            tx.inbox.settle(mail.row.id, Arrival.IGNORED, now, "ignore: a mail with this Message-ID was handled before")
            return
        handling = Handling(tx, self.tools, mail.message, mail.token, verified, now, mail.reading.comment)
        try:
            with tx.savepoint():
                self._carry_out(handling, mail)
                tx.outbox.add(self._bounded(tx, handling, now), now, mail.row.id)
                tx.inbox.settle(mail.row.id, Arrival.HANDLED, now)
        except DatabaseTrouble:
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, it is ours, and the next mail must not wait for it
            self._park(tx, mail.row, mail.message, error, now)

    def _is_first(self, tx: Transaction, row: Received, message: Message) -> bool:
        if message.message_id is None:
            return True
        named = f"{message.sender}\n{message.message_id}".encode(errors="replace")
        return tx.inbox.claim_identity(row.id, hashlib.sha256(named).hexdigest())

    def _carry_out(self, handling: Handling, mail: Prepared) -> None:
        """Carry the commands out in their order; the first that is refused ends it."""
        token = handling.message.token
        if token and mail.token is None and confirm(handling, token):
            return
        handling.secrets = frozenset().union(
            *(_secrets(*pair) for pair in zip(mail.commands, mail.reading.lines, strict=True))
        )
        if not mail.commands or handling.message.action is Action.HELP:
            handling.refuse("", UnknownCommand("Your mail holds no command.", "help"))
            return
        several = len(mail.commands) > 1 or mail.reading.truncated
        for number, (line, command) in enumerate(zip(mail.reading.lines, mail.commands, strict=True), 1):
            try:
                answer = self._run(handling, command)
            except REFUSALS as error:
                handling.refuse(line, error)
                handling.answers += [Answer(rest, Outcome.NOT_TRIED, "") for rest in mail.reading.lines[number:]]
                return
            if answer is not None or several:
                handling.answers.append(answer or Answer(line, Outcome.DONE, ""))
        if mail.reading.truncated:
            handling.answers.append(Answer("(more lines)", Outcome.NOT_TRIED, "One mail may hold 20 commands."))

    def _run(self, handling: Handling, command: Command | Rejected) -> Answer | None:
        if isinstance(command, Rejected):
            raise command
        with handling.tx.savepoint():
            return run(handling, command)

    def _bounded(self, tx: Transaction, handling: Handling, now: datetime) -> list[Mail]:
        """What the handling has to tell, without the answers that one stranger would get too many of."""
        mails = []
        for mail in handling.mails():
            if mail.player_id is None:
                recent = tx.outbox.to_stranger_since(mail.address, now - timedelta(days=1))
                if recent >= self.settings.limits.stranger_replies_per_day:
                    log.info("stranger_not_answered", address=mail.address)
                    continue
            mails.append(mail)
        return mails

    def _park(self, tx: Transaction, row: Received, message: Message, error: Exception, now: datetime) -> None:
        """Our own fault: keep the mail for the operator, and tell him and the sender, who is given a reference."""
        reference = secrets.token_hex(2).upper()
        log.error("parked", inbox_id=row.id, reference=reference, exc_info=error)
        tx.inbox.settle(row.id, Arrival.PARKED, now, f"{reference}: {type(error).__name__}: {error}")
        letters = [(message.sender, "fault.txt", "pbm: our fault")] if tx.players.of_address(message.sender) else []
        if self.settings.operator:
            letters.append((self.settings.operator, "fault-operator.txt", f"pbm: fault {reference}"))
        for address, page, subject in letters:
            letter = self.tools.composer.letter(address, subject, page, now, reference=reference, inbox_id=row.id)
            tx.outbox.add([letter], now, row.id)


def _parse(line: str, standing: Standing, is_userid: Callable[[str], bool]) -> Command | Rejected:
    try:
        return parse(line, standing, is_userid)
    except Rejected as error:
        return error


def _secrets(command: Command | Rejected, line: str) -> frozenset[str]:
    return guess_secrets(line) if isinstance(command, Rejected) else command.secrets
