"""The service: takes mails in, and has them handled. Synchronous; callers keep it off their event loop.

It also notes outages: times when the server was down or none of its mail went out, so nobody's clock runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from ctypes import CDLL
from datetime import UTC, datetime, timedelta

import structlog

import pbm.features.everything  # noqa: F401  it brings what players can do
from games import GAMES
from pbm.compose.composer import fresh_key
from pbm.core.by_operator import POSTMASTER
from pbm.core.counts import ACCEPTED
from pbm.core.limits import LONGEST
from pbm.core.notify import Desk, tell_operator
from pbm.core.registry import JOBS, WITHIN
from pbm.core.robots import LEISURE, LESSONS, MOVES, Ask
from pbm.domain.calendars import Stop, StopKind
from pbm.domain.configuration import HouseRules, Limits
from pbm.domain.mail import Arrival
from pbm.features import time as timing
from pbm.features.erase import plan_forgetting
from pbm.mailin import Envelope, Unlock
from pbm.mailin.headers import id_mark, lane, tokens
from pbm.server.admission import NO_ROOM, Admission, Arriving, Pressure
from pbm.server.agenda import Runner
from pbm.server.batch import Batches
from pbm.server.club import Club, Settings
from pbm.server.handle import Handler
from pbm.server.thinker import Shift, Thinker
from pbm.store import DatabaseTrouble, Store, Transaction
from pbm.store.engine import utc_now
from pbm.store.house import DELIVERED, Peer
from pbm.store.pulse import HEARTBEAT, SILENCE
from pbm.store.queues import NewMail

log = structlog.get_logger()

MOVE_SECONDS, LESSON_SECONDS = 120.0, 600.0
"""Seconds by the clock after which a robot's thought is given up; a busy machine may give it a fifth of its time."""
MOVERS = 4
"""Moves that robots think about at once, at most; more than one only if a thought takes so long that others wait."""
LONGEST_TURN = timedelta(days=800)
"""How long stops of clocks are remembered: a move may take a year, and a vacation counts for its year."""
KEPT_UNPROVEN = timedelta(days=30)
"""How long the OpenPGP key of an address is kept if nobody has proved to write from there."""
WARNED_BEFORE = timedelta(days=7)
"""How long before waiting mails are deleted the operator is warned."""
_MMAP_THRESHOLD, _LARGE = -3, 4 * 2**20
"""For mallopt in glibc: freed blocks of this size are given back to the system at once."""


class Service(Club):
    """One server over one database."""

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
        """clock: gives the present instant. make_key: see Composer. ask: how robots think; None for processes of their
        own. unlock: how encrypted mails are opened; None if they cannot be. Raises: SchemaTrouble, as Club.
        """
        # Otherwise each thread keeps 20 MB after it checks a password; only glibc has this.
        with suppress(AttributeError, OSError, TypeError):
            CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
        list(GAMES.values())  # imported before two threads ask for the same one
        store.clock = clock
        super().__init__(store, settings, make_key)
        self.handler = Handler(self.tools, unlock)
        self._admission = Admission(self.tools.composer.robot, self.tools.composer.signer)
        self._began_at = clock()
        self._lanes, self._looked_at = Counter[str](), datetime.min.replace(tzinfo=UTC)
        self._oldest_at: datetime | None = None
        self.batches = Batches(store, self.handler)
        self.heed()
        self.agenda = Runner(store, self.tools, timing.attend)
        movers = Shift(MOVERS)
        self.thinkers = (
            *(
                Thinker(store, self.tools, (MOVES,), movers, MOVE_SECONDS, ask, is_reserve=number > 0)
                for number in range(MOVERS)
            ),
            Thinker(store, self.tools, (LESSONS, LEISURE), Shift(), LESSON_SECONDS, ask),
        )

    def renew(self, limits: Limits, house: HouseRules, operator: str) -> None:
        """Change the limits, the house's rules and the operator's address, from the next mail on."""
        self.tools.limits, self.tools.house, self.tools.operator = limits, house, operator

    def is_ours(self, address: str) -> bool:
        """Whether mail to the address is for this server; mail to a bare `postmaster` is (RFC 5321, 4.5.1)."""
        return address.casefold() == POSTMASTER or self.tools.composer.robot.owns(address)

    def is_apart(self, address: str, others: Sequence[str]) -> bool:
        """Whether mail to an address answers another mail of ours than mail to the others does."""
        (answered, _), (first, _) = (tokens(each, self.tools.composer.robot) for each in ([address], others))
        return None not in (answered, first) and answered != first

    def peer_of(self, address: str) -> Peer | None:
        """The OpenPGP key of an address. Raises: DatabaseTrouble."""
        with self.store.read() as tx:
            return tx.peers.find(address)

    def accept(self, mails: Sequence[Arriving]) -> list[str]:
        """Store mails. Returns for each an empty text if it is safe now; otherwise the reply that puts it off.

        Raises: DatabaseTrouble, and then none is stored; also if one that was fetched cannot come in.
        """
        robot, board_of = self.tools.composer.robot, self.tools.composer.signer.board_of
        lanes = [lane(Envelope(mail.mail_from, mail.recipients), mail.raw, robot, board_of) for mail in mails]
        rows = [
            NewMail(mail.mail_from, mail.recipients, mail.raw, mail.source, mail.peer, own, id_mark(mail.raw))
            for mail, own in zip(mails, lanes, strict=True)
        ]
        with self.store.write(alone=False) as tx:
            pressure = self._pressure(tx)
            replies = []
            for mail, own in zip(mails, lanes, strict=True):
                as_met = pressure._replace(ahead=self._waiting_before(mail, own))
                replies.append(self._admission.refusal(tx, self.tools.limits, mail, as_met))
            # It lies safely in its mailbox; a part of a batch cannot be put off there.
            if any(reply and mail.source is not None for reply, mail in zip(replies, mails, strict=True)):
                raise DatabaseTrouble(NO_ROOM)
            ids = iter(tx.inbox.add([row for row, reply in zip(rows, replies, strict=True) if not reply], tx.now))
            self._tell_of_pressure(tx, pressure)
        ACCEPTED.inc(replies.count(""))
        for mail, reply in zip(mails, replies, strict=True):
            known = {"mail_from": mail.mail_from, "octets": len(mail.raw), "peer": mail.peer or None}
            if reply:
                log.info("put_off", reply=reply, **known)
            else:
                log.info("received", mail=next(ids), **known)
        return replies

    def forecast(self, mail: Arriving) -> str:
        """The reply to a mail that could not come in now, by its envelope; empty if it may. Raises: DatabaseTrouble."""
        with self.store.read() as tx:
            return self._admission.forecast(tx, self.tools.limits, mail, self._pressure(tx))

    def _waiting_before(self, mail: Arriving, lane: str) -> int:
        """How many mails wait in the lane of the mail, which is counted.

        0 for a fetched one: it lies safely in its mailbox, where others wait behind it.
        """
        if not lane or mail.source is not None:
            return 0
        self._lanes[lane] += 1
        return self._lanes[lane] - 1

    def _pressure(self, tx: Transaction) -> Pressure:
        """How things stand here; what waits because the operator wants it to, or since before the start, is no sign.

        The database is asked once a second, also for the secrets with which mails are judged.
        """
        if abs(tx.now - self._looked_at) > timedelta(seconds=1):
            self.handler.heed(tx)
            self._lanes, self._oldest_at = tx.inbox.backlog()
            self._looked_at = tx.now
        waited = timedelta()
        # What waits since before the start waited for us, and no flood is to blame.
        if self._oldest_at is not None and not self.handler.is_at_rest:
            waited = tx.now - max(self._oldest_at, self._began_at)
        return Pressure(self.store.free_octets(), self.tools.house.least_free_megabytes << 20, waited)

    def _tell_of_pressure(self, tx: Transaction, pressure: Pressure) -> None:
        """Tell the operator, once a day, if mails are put off."""
        if not pressure.is_short and not pressure.is_behind:
            return
        free = None if pressure.free is None or not pressure.is_short else pressure.free >> 20
        waited = pressure.waited.total_seconds()
        words = {"free": free, "reserve": pressure.reserve >> 20, "minutes": int(waited // 60)}
        subject, page = "pbm: emails are put off", "pressure-operator.txt"
        if tell_operator(Desk(tx, self.tools), subject, page, daily=True, **words):
            log.warning("emails_put_off", free=pressure.free, waited=waited)

    def beat(self, at: datetime | None = None) -> bool:
        """Give a sign of life, and check whether mail goes out. at: the present instant. Raises: DatabaseTrouble.

        Returns whether the server seems to have been away for days until just now. Its clock may be ahead instead,
        which is soon put right after a machine has started; until then nothing should be deleted or done by itself.
        """
        with self.store.write(at=at) as tx:
            for outage in watch(tx):
                tell_operator(Desk(tx, self.tools), "pbm: all clocks stood still", "outage-operator.txt", outage=outage)
            stops = [each.stop for each in tx.absences.of(None, StopKind.OUTAGE, tx.now - DOUBTED)]
            return any(stop.ends_at and stop.ends_at - stop.starts_at >= LONG_AWAY for stop in stops)

    def live(self, tasks: Iterable[str]) -> None:
        """Note that a process is alive that does these tasks; others look for that. Raises: DatabaseTrouble."""
        with self.store.write() as tx:
            for task in tasks:
                tx.absences.note(task, tx.now)

    def tidy(self) -> None:
        """Delete what expired two days ago or earlier, because daily limits count it until then.

        The operator is warned before mails that wait for them are deleted. Raises: DatabaseTrouble.
        """
        with self.store.write() as tx:
            before = tx.now - timedelta(days=2)
            tx.tickets.sweep(before)
            tx.guesses.sweep(before, {name: tx.now - per for name, per in LONGEST.items()})
            tx.peers.sweep(tx.now - KEPT_UNPROVEN)
            tx.absences.forget(before, LONGEST_TURN)
            tx.secrets.sweep(tx.now)
            plan_forgetting(tx)
            self._tell_of_parked(tx)

    def _tell_of_parked(self, tx: Transaction) -> None:
        """Warn the operator, once a day, if mails that wait for them are soon deleted, or are too many."""
        house, waiting = self.tools.house, tx.overview.mails(Arrival.PARKED)
        kept = timedelta(days=house.parked_mail_days)
        is_late = waiting.oldest_at is not None and tx.now - waiting.oldest_at > kept - WARNED_BEFORE
        if not (is_late or waiting.number >= house.parked_mails):
            return
        log.warning("mails_wait_for_operator", number=waiting.number, oldest_at=waiting.oldest_at)
        words = {"waiting": waiting, "house": house, "is_late": is_late}
        tell_operator(Desk(tx, self.tools), "pbm: emails wait for you", "parked-operator.txt", daily=True, **words)

    def heed(self) -> bool:
        """As Handler.heed. Raises: DatabaseTrouble."""
        with self.store.read() as tx:
            return self.handler.heed(tx)

    def handle(self, limit: int = 50, committed: Callable[[], None] = lambda: None) -> int:
        """Handle waiting mails; returns how many. committed: is called after each commit, when mails may be sent.

        Raises: DatabaseTrouble; mails whose transaction was rolled back then wait on.
        """
        return 0 if self.handler.is_at_rest and self.heed() else self.batches.handle(limit, committed)


LONG_AWAY, DOUBTED = timedelta(days=2), timedelta(minutes=15)
"""After an absence so long, the clock may be ahead instead; and how long that stays in doubt."""
PATIENCE = timedelta(minutes=30)
"""Mail may be late by so much before that counts as an outage, which then began with the first late mail."""


def watch(tx: Transaction) -> Iterator[Stop]:
    """Give a sign of life, and note outages that begin or end; yields those that end. Call it every minute.

    While mail does not go out, one mail is tried at each call, due or not; once it goes out, all are. If the server
    was down as well, both are one outage, which ends when mail goes out.
    """
    last = tx.absences.noted(HEARTBEAT)
    tx.absences.note(HEARTBEAT, tx.now)
    # A command given while the clock was ahead may be newer than the last sign of life.
    seen = max(filter(None, (last, tx.acts.newest_at())), default=tx.now)
    # Small steps back are corrections of the clock, and change nothing.
    if seen - tx.now > SILENCE:
        _go_back(tx, seen)
    known = next(iter(tx.absences.open(StopKind.OUTAGE)), None)
    failing, since = tx.outbox.failing_since(tx.absences.noted(DELIVERED)), None
    # Greylisting puts off any first mail by minutes, and is no outage.
    if failing is not None and tx.now - failing > PATIENCE:
        since = failing
    if last is not None and tx.now - last > SILENCE and known is None:
        down = Stop(StopKind.OUTAGE, last, tx.now)
        tx.absences.add(None, down)
        log.warning("was_down", since=last.isoformat(), until=tx.now.isoformat())
        # Mail waited only for us, so the outage is over; otherwise it ends when mail goes out.
        if failing is None:
            yield down
        else:
            since = min(failing, last)
    if known is None:
        if since is not None:
            tx.absences.add(None, Stop(StopKind.OUTAGE, since))
            log.error("nothing_delivered", since=since.isoformat())
    # One mail shows whether the smarthost is back, where all at once would only be refused again.
    elif failing is not None:
        tx.outbox.hurry_one(tx.now)
    else:
        tx.absences.end(known, tx.now)
        tx.outbox.hurry(tx.now)
        log.warning("delivered_again", since=known.stop.starts_at.isoformat())
        yield Stop(StopKind.OUTAGE, known.stop.starts_at, tx.now)


def _go_back(tx: Transaction, last: datetime) -> None:
    """Adapt what is stored after the clock was put back, from `last`. The clock may be wrong now instead, so stored
    times stay unless it is known that the clock had leapt ahead before.
    """
    now, had_leapt = tx.now, tx.leaps.crosses(tx.now, last, LONG_AWAY)
    log.warning("clock_was_ahead" if had_leapt else "clock_put_back", now=now.isoformat(), last=last.isoformat())
    if had_leapt:
        tx.leaps.bring_forward(now, last, frozenset(JOBS.keys() - WITHIN.keys()))
    tx.leaps.forget_future(now, last, WITHIN)
    tx.outbox.hurry(now)
    if had_leapt:
        tx.leaps.clamp(now)
