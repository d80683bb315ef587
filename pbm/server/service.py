"""The service: takes mails in, and has them handled. Synchronous; callers keep it off their event loop.

It notes outages, too: times in which nobody's clock runs, for the server was down, or none of its mail went out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from ctypes import CDLL
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TypeVar

import structlog

from pbm.compose.composer import Composer, fresh_key
from pbm.core.board import States
from pbm.core.counts import ACCEPTED
from pbm.core.credentials import Passwords
from pbm.core.notify import Desk, Tools, rehearse, tell_operator
from pbm.core.registry import DEEDS, WITHIN, Runner
from pbm.core.robots import LEISURE, LESSONS, MOVES, Ask
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.configuration import Limits
from pbm.domain.mail import Arrival
from pbm.domain.tokens import Signer
from pbm.features import time as timing
from pbm.features.erase import plan_forgetting
from pbm.mailin import Envelope, Robot, Unlock
from pbm.mailin.headers import lane
from pbm.server.batch import Batches
from pbm.server.handle import Handler
from pbm.server.regrets import Bouncing
from pbm.server.thinker import Shift, Thinker
from pbm.store import Store, Transaction
from pbm.store.engine import utc_now
from pbm.store.house import DELIVERED, HEARTBEAT, Peer

log = structlog.get_logger()

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Settings:
    robot: Robot = field(default_factory=Robot)
    limits: Limits = field(default_factory=Limits)
    operator: str = ""
    """The address that hears of faults and dead addresses; empty for none."""


@dataclass(frozen=True, slots=True)
class Arriving:
    """A mail at the door, as it was handed over."""

    mail_from: str | None
    """The envelope's sender: "" for the null path, None where it is not known."""
    recipients: tuple[str, ...]
    raw: bytes
    source: str | None = None
    """What names it for good where it was fetched from; a second mail of one source is not taken."""
    peer: str = ""
    """The address of the machine that handed it over, where there is one."""


MOVE_SECONDS, LESSON_SECONDS = 120.0, 600.0
"""By the clock, after which a robot's thought is given up; a busy machine may give it a fifth of its time."""
MOVERS = 4
"""Moves thought about at once, at most: one, unless that takes so long that others would wait."""
LONGEST_TURN = timedelta(days=800)
"""The time for which stops of clocks are remembered: a move may take a year, and a vacation counts for its year."""
KEPT_UNPROVEN = timedelta(days=30)
"""How long the OpenPGP key is kept of an address that nobody has proven to write from."""
WARNED_BEFORE = timedelta(days=7)
"""How long before mails that wait for the operator are forgotten they are told."""
_MMAP_THRESHOLD, _LARGE = -3, 4 * 2**20
"""Of mallopt in glibc: blocks as large as that are given back to the system as soon as they are freed."""


def _give_memory_back() -> None:
    """Otherwise each thread keeps 20 MB for the next password that it looks at, and so does a large picture.

    Where the system has no such setting nothing happens.
    """
    with suppress(AttributeError, OSError, TypeError):
        CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)


class Service:
    """One server's rules of the house over one database. clock: the present instant; make_key: see Composer."""

    def __init__(
        self,
        store: Store,
        settings: Settings | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
        make_key: Callable[[], str] = fresh_key,
        ask: Ask | None = None,
        unlock: Unlock | None = None,
    ) -> None:
        """ask: how robots think; None for a process of their own. unlock: how encrypted mails are opened; None: not.

        Raises: SchemaTrouble when the database is of another version; an empty one is set up.
        """
        _give_memory_back()
        self.store = store
        self.settings = settings or Settings()
        store.clock = clock
        store.prepare(clock())
        self._signer = Signer()
        composer = Composer(self.settings.robot, self._signer, make_key=make_key)
        self.tools = Tools(composer, States(), Passwords(), self.settings.limits, self.settings.operator)
        self.bouncing = Bouncing(self.tools)
        self.handler = Handler(self.tools, self._signer, self.settings.robot, self.bouncing, unlock)
        self._batches = Batches(store, self.handler)
        self.heed()
        self.agenda = Runner(store, self.tools, timing.attend, self._batches.let_pass)
        movers = Shift(MOVERS)
        self.thinkers = (
            *(
                Thinker(store, self.tools, (MOVES,), movers, MOVE_SECONDS, ask, is_reserve=number > 0)
                for number in range(MOVERS)
            ),
            Thinker(store, self.tools, (LESSONS, LEISURE), Shift(), LESSON_SECONDS, ask),
        )

    @property
    def clock(self) -> Callable[[], datetime]:
        """The source of the present instant."""
        return self.store.clock

    def close(self) -> None:
        self.tools.passwords.close()
        self.store.close()

    def renew(self, limits: Limits, operator: str) -> None:
        """Keep to other limits, and tell another operator, from the next mail on."""
        self.settings = replace(self.settings, limits=limits, operator=operator)
        self.tools.limits, self.tools.operator = limits, operator

    def is_ours(self, address: str) -> bool:
        """Whether mail to the address is for this server."""
        return self.settings.robot.owns(address)

    def peer_of(self, address: str) -> Peer | None:
        """The OpenPGP key of an address. Raises: DatabaseTrouble."""
        with self.store.read() as tx:
            return tx.peers.find(address)

    def act(self, deed: Callable[[Transaction], T]) -> T:
        """Do it in a transaction; what it leads to and what players are shown is worked out before, while others write.

        Raises: DatabaseTrouble, and as the deed does.
        """
        with self.store.read() as tx:
            rehearse(Desk(tx, self.tools), lambda _: deed(tx))
        with self.store.write() as tx:
            return deed(tx)

    def accept(self, mails: Sequence[Arriving]) -> None:
        """Store mails; when this returns they are safe. Raises: DatabaseTrouble, and then none is stored."""
        rows = [(m.mail_from, m.recipients, m.raw, m.source, m.peer, self._lane(m)) for m in mails]
        with self.store.write(alone=False) as tx:
            ids = tx.inbox.add(rows, self.clock())
            self.handler.heed(tx)  # for the mails that come next
        ACCEPTED.inc(len(mails))
        for mail_id, mail in zip(ids, mails, strict=True):
            log.info("received", mail=mail_id, mail_from=mail.mail_from, octets=len(mail.raw), peer=mail.peer or None)

    def _lane(self, mail: Arriving) -> str:
        return lane(Envelope(mail.mail_from, mail.recipients), mail.raw, self.settings.robot, self._signer.board_of)

    def beat(self, at: datetime | None = None) -> bool:
        """Give a sign of life, and look whether mail goes out; at: the present instant. Raises: DatabaseTrouble.

        Returns whether the server was away for days until a moment ago, unless its clock is ahead: that is put right
        soon after a machine has started, and until then nothing should be forgotten, or done by itself.
        """
        with self.store.write(at=at) as tx:
            for outage in watch(tx):
                tell_operator(Desk(tx, self.tools), "pbm: all clocks stood still", "outage-operator.txt", outage=outage)
            stops = [each.stop for each in tx.absences.of(None, StopKind.OUTAGE, tx.now - DOUBTED)]
            return any(stop.ends_at and stop.ends_at - stop.starts_at >= LONG_AWAY for stop in stops)

    def live(self, tasks: Iterable[str]) -> None:
        """Note that a process lives that does these; others look for that. Raises: DatabaseTrouble."""
        with self.store.write() as tx:
            for task in tasks:
                tx.absences.note(task, tx.now)

    def tidy(self) -> None:
        """Forget what has expired; a little later, since limits a day count it.

        The operator is told in time of what waits for them. Raises: DatabaseTrouble.
        """
        with self.store.write() as tx:
            before = tx.now - timedelta(days=2)
            tx.tickets.sweep(before)
            tx.guesses.sweep(before)
            tx.peers.sweep(tx.now - KEPT_UNPROVEN)
            tx.absences.forget(before, LONGEST_TURN)
            tx.secrets.sweep(tx.now)
            plan_forgetting(tx)
            self._tell_of_parked(tx)

    def _tell_of_parked(self, tx: Transaction) -> None:
        """The operator hears, once a day, that mails are soon forgotten which wait for them, or are too many."""
        limits, operator, now = self.settings.limits, self.settings.operator, tx.now
        waiting, kept = tx.overview.mails(Arrival.PARKED), timedelta(days=limits.parked_mail_days)
        is_late = waiting.oldest_at is not None and now - waiting.oldest_at > kept - WARNED_BEFORE
        subject = "pbm: emails wait for you"
        if not (is_late or waiting.number >= limits.parked_mails):
            return
        log.warning("mails_wait_for_operator", number=waiting.number, oldest_at=waiting.oldest_at)
        if operator and not tx.outbox.wrote_to(operator, subject, now - timedelta(days=1)):
            words = {"waiting": waiting, "limits": limits, "is_late": is_late}
            tell_operator(Desk(tx, self.tools), subject, "parked-operator.txt", **words)

    def heed(self) -> bool:
        """As Handler.heed. Raises: DatabaseTrouble."""
        with self.store.read() as tx:
            return self.handler.heed(tx)

    def handle(self, limit: int = 50, committed: Callable[[], None] = lambda: None) -> int:
        """Handle the mails that wait, oldest first; returns how many there were.

        committed: is told whenever mails are owed that can be sent, though more is to be handled.
        Raises: DatabaseTrouble, and then none is handled.
        """
        return 0 if self.is_at_rest and self.heed() else self._batches.handle(limit, committed)

    @property
    def is_at_rest(self) -> bool:
        """The operator wanted mail to be taken and nothing to be done when that was looked up last."""
        return self.handler.is_at_rest

    @property
    def is_idle(self) -> bool:
        """No more mails waited when some were handled last."""
        return self._batches.is_idle


SILENCE = timedelta(minutes=5)
"""A server that has given no sign of life for so long was down."""
LONG_AWAY, DOUBTED = timedelta(days=2), timedelta(minutes=15)
"""How long a server was away that may as well have a clock which is ahead; and for how long that is in doubt."""
PATIENCE = timedelta(minutes=30)
"""Mail may be late by so much before that counts as an outage, which then began with the first that was."""


def watch(tx: Transaction) -> Iterator[Stop]:
    """Give a sign of life, and note outages that begin or are over; gives those that are over. Call it every minute.

    While mail does not go out one is tried at each call, whenever it would be due, and all at once afterwards. If the
    server was down meanwhile, that is given as one outage, over when mail goes out.
    """
    last = tx.absences.note(HEARTBEAT, tx.now)
    if last is not None and last - tx.now > SILENCE:
        _go_back(tx, last)
    known = next(iter(tx.absences.open(StopKind.OUTAGE)), None)
    failing, since = tx.outbox.failing_since(tx.absences.noted(DELIVERED)), None
    if failing is not None and tx.now - failing > PATIENCE:
        since = failing
    if last is not None and tx.now - last > SILENCE and known is None:
        down = Stop(StopKind.OUTAGE, last, tx.now)
        tx.absences.add(None, down)
        log.warning("was_down", since=last.isoformat(), until=tx.now.isoformat())
        if failing is None:
            yield down
        else:
            since = min(failing, last)
    if known is None and since is not None:
        tx.absences.add(None, Stop(StopKind.OUTAGE, since))
        log.error("nothing_delivered", since=since.isoformat())
    elif known is not None and failing is not None:
        tx.outbox.hurry_one(tx.now)
    elif known is not None:
        tx.absences.end(known, tx.now)
        tx.outbox.hurry(tx.now)
        log.warning("delivered_again", since=known.stop.starts_at.isoformat())
        yield Stop(StopKind.OUTAGE, known.stop.starts_at, tx.now)


def _go_back(tx: Transaction, last: datetime) -> None:
    """The clock was put back, from last. It may be wrong now, too: so what was written keeps its time, unless it is
    known that the clock had leapt ahead before.
    """
    now, was_ahead = tx.now, tx.leaps.crosses(tx.now, last, LONG_AWAY)
    log.warning("clock_was_ahead" if was_ahead else "clock_put_back", now=now.isoformat(), last=last.isoformat())
    if was_ahead:
        tx.leaps.bring_forward(now, last, frozenset(DEEDS.keys() - WITHIN.keys()))
    tx.leaps.forget_future(now, last, WITHIN)
    tx.outbox.hurry(now)
    if was_ahead:
        tx.leaps.clamp(now)
