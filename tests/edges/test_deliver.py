"""The delivery loop: mails are sent, postponed or given up, but never lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from pbm.domain.configuration import DeliverySettings
from pbm.domain.mail import Delivery, Mail, Queued
from pbm.edges import deliver as deliver_module
from pbm.edges.claims import Claims, GaveUp, Unmade
from pbm.edges.deliver import Deliverer
from pbm.edges.transports import (
    MailRefused,
    MaybeTaken,
    Outgoing,
    RecipientRefused,
    TemporaryFailure,
    Unreachable,
)
from pbm.store import DatabaseTrouble, Store
from pbm.store.house import DELIVERED
from pbm.store.queues import Outbox
from tests.patience import PATIENCE_SECONDS

START = datetime(2026, 1, 1, tzinfo=UTC)
SETTINGS = DeliverySettings(concurrency=3, poll_seconds=0.01, first_retry_seconds=60, give_up_hours=1)
HASTY = SETTINGS.model_copy(update={"first_retry_seconds": 0.02, "give_up_hours": 10_000})
"""Tries again soon, and does not give up, however fast the clock runs meanwhile."""


@dataclass
class Clock:
    now: datetime = START

    def __call__(self) -> datetime:
        return self.now


@dataclass
class Way:
    """A transport with a script of failures for each address; without one left, it takes the mail."""

    script: dict[str, list[Exception]] = field(default_factory=dict)
    taken: list[Outgoing] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    closed: bool = False

    async def send(self, mail: Outgoing) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        await asyncio.sleep(0)
        self.at_once -= 1
        planned = self.script.get(mail.recipient)
        if planned:
            raise planned.pop(0)
        self.taken.append(mail)

    async def close(self) -> None:
        self.closed = True


@dataclass
class Slow(Way):
    """A transport that takes mails only once it is allowed to."""

    may_end: asyncio.Event = field(default_factory=asyncio.Event)
    begun: int = 0

    async def send(self, mail: Outgoing) -> None:
        self.begun += 1
        await self.may_end.wait()
        await super().send(mail)


@dataclass
class Blocked(Way):
    """A transport that refuses the first `left` mails."""

    left: int = 0

    async def send(self, mail: Outgoing) -> None:
        await asyncio.sleep(0)
        self.left -= 1
        if self.left >= 0:
            raise MailRefused("554 you are blocked", 554)
        await super().send(mail)


@pytest.fixture
def store(databases):
    url = databases.ready()
    store = Store(url)
    yield store
    store.close()
    databases.release(url)


def queue(store: Store, *addresses: str) -> None:
    mails = [Mail(f"key-{address}", address, "bounce@x", "board", b"raw") for address in addresses]
    with store.write() as tx:
        tx.outbox.add(mails, START)


def queue_plies(store: Store, *plies: tuple[int, str, int]) -> None:
    """Queue a mail for each board, address and ply."""
    mails = [Mail(f"{board}-{address}-{ply}", address, "b@x", "s", b"%d" % ply, board) for board, address, ply in plies]
    with store.write() as tx:
        for mail in mails:
            tx.outbox.add([mail], START)


def outbox(store: Store) -> list[Queued]:
    with store.read() as tx:
        return tx.outbox.latest(None, 100)[::-1]


def deliver(
    store: Store,
    way: Way,
    clock: Clock,
    until: Callable[[], bool],
    gave_up: GaveUp = lambda *_: None,
    settings: DeliverySettings = SETTINGS,
    tell_refused: Callable[[str], None] = lambda _: None,
) -> None:
    async def run() -> None:
        store.clock = clock
        deliverer = Deliverer(store, way, settings, gave_up, tell_refused)
        running = asyncio.create_task(deliverer.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not until():
                await asyncio.sleep(0.005)
        deliverer.stop()
        await running

    asyncio.run(run())


def test_mails_are_sent_once_in_order_and_marked(store):
    addresses = [f"a{number}@x" for number in range(20)]
    queue(store, *addresses)
    way = Way()
    deliver(store, way, Clock(), lambda: all(mail.state is Delivery.SENT for mail in outbox(store)))
    assert [mail.recipient for mail in way.taken] == addresses
    assert way.most_at_once <= SETTINGS.concurrency
    assert way.closed
    deliver(store, way, Clock(START + timedelta(days=1)), lambda: True)
    assert len(way.taken) == 20


def test_a_temporary_failure_is_tried_again_later_with_the_same_bytes(store):
    queue(store, "a@x")
    way, clock = Way({"a@x": [TemporaryFailure("mailbox busy", 451)]}), Clock()
    deliver(store, way, clock, lambda: outbox(store)[0].attempts == 1)
    postponed = outbox(store)[0]
    assert (postponed.state, postponed.trouble) == (Delivery.QUEUED, "mailbox busy")
    assert START + timedelta(seconds=48) <= postponed.due_at <= START + timedelta(seconds=72)
    clock.now = postponed.due_at
    deliver(store, way, clock, lambda: outbox(store)[0].state is Delivery.SENT)
    assert [(mail.recipient, mail.data) for mail in way.taken] == [("a@x", b"raw")]


def test_a_mail_that_cannot_be_made_is_given_up_and_all_others_go_on(store):
    """Even those of its lane; and it says nothing about the way, nor about its recipient."""
    bad = Mail("bad", "a@x", "b@x", "s", b"{}", 1, version=1)
    newer = Mail("newer", "a@x", "b@x", "s", b"{}", 1, version=99)
    with store.write() as tx:
        for mail in (bad, newer, Mail("good", "a@x", "b@x", "s", b"raw", 1)):
            tx.outbox.add([mail], START)
    way, given_up = Way(), list[tuple[str, bool, bool]]()
    deliver(
        store, way, Clock(), lambda: all(mail.state is not Delivery.QUEUED for mail in outbox(store)),
        lambda tx, queued, why, is_refused: given_up.append((queued.mail.key, isinstance(why, Unmade), is_refused)),
    )  # fmt: skip
    assert [mail.data for mail in way.taken] == [b"raw"]
    assert [mail.state for mail in outbox(store)] == [Delivery.FAILED, Delivery.FAILED, Delivery.SENT]
    assert given_up == [("bad", True, False), ("newer", True, False)]
    assert "form 99" in outbox(store)[1].trouble


@pytest.mark.parametrize("failure", [MailRefused("554 spam", 554), TemporaryFailure("451 try later", 451)])
def test_only_an_address_refused_thrice_is_given_up_and_told_of_and_the_others_go_on(store, failure):
    queue(store, "gone@x", "late@x", "a@x")
    gone = [RecipientRefused("no such user", 550)] * 9
    told, clock = list[tuple[str, str, bool]](), Clock()

    def until() -> bool:
        clock.now += timedelta(seconds=30)
        return outbox(store)[0].state is Delivery.FAILED

    way = Way({"gone@x": list[Exception](gone), "late@x": [failure] * 99})
    settings = SETTINGS.model_copy(update={"give_up_hours": 1000})
    deliver(
        store,
        way,
        clock,
        until,
        lambda tx, queued, why, is_refused: told.append((queued.mail.address, why.reason, is_refused)),
        settings,
    )
    assert told == [("gone@x", "no such user", True)]
    assert [(mail.state, mail.trouble) for mail in outbox(store)] == [
        (Delivery.FAILED, "no such user"),
        (Delivery.QUEUED, failure.args[0]),
        (Delivery.SENT, ""),
    ]
    assert outbox(store)[0].attempts == 3


def test_a_server_that_knows_nobody_any_more_costs_no_address_anything(store):
    """While it says of everybody that there is no such user, nothing is given up before its time, nor counted then."""
    addresses = [f"{name}@x" for name in "abcd"]
    queue(store, *addresses)
    way = Way({address: [RecipientRefused("550 5.1.1 no such user", 550)] * 99 for address in addresses})
    told, clock = list[bool](), Clock()

    def until() -> bool:
        clock.now += timedelta(seconds=20)
        return all(mail.state is Delivery.FAILED for mail in outbox(store))

    deliver(store, way, clock, until, lambda tx, queued, why, is_refused: told.append(is_refused))
    assert told == [False] * 4
    assert min(mail.attempts for mail in outbox(store)) > 3


def test_a_mail_that_has_waited_before_is_not_given_up_by_a_server_that_knows_nobody_any_more(store):
    """What was taken before its address was first refused says nothing about that."""
    queue(store, "late@x", "a@x")
    unknown = RecipientRefused("550 5.1.1 no such user", 550)
    way = Way({"late@x": [TemporaryFailure("450 greylisted", 450)] * 2 + [unknown] * 3})
    told, clock = list[object](), Clock()

    def until() -> bool:
        clock.now += timedelta(seconds=20)
        return all(mail.state is not Delivery.QUEUED for mail in outbox(store))

    deliver(store, way, clock, until, lambda *words: told.append(words), HASTY)
    assert (told, outbox(store)[0].attempts) == ([], 6)


def test_after_the_stated_time_it_is_given_up(store):
    queue(store, "a@x")
    way = Way({"a@x": [TemporaryFailure("still busy", 451)]})
    told, clock = list[tuple[str, bool]](), Clock(START + timedelta(hours=1, seconds=1))
    deliver(
        store, way, clock, lambda: outbox(store)[0].attempts == 1, lambda *words: told.append((str(words[2]), words[3]))
    )
    assert outbox(store)[0].state is Delivery.FAILED
    assert told == [("still busy", False)]


def test_a_bug_of_a_transport_is_only_a_delay(store):
    queue(store, "a@x")
    deliver(store, Way({"a@x": [RuntimeError("bug")]}), Clock(), lambda: outbox(store)[0].attempts == 1)
    assert outbox(store)[0].state is Delivery.QUEUED
    assert "bug" in outbox(store)[0].trouble


def test_trouble_with_the_database_is_waited_out(store, monkeypatch):
    queue(store, "a@x")
    troubles = [DatabaseTrouble("locked"), DatabaseTrouble("locked")]
    real = store.read

    def read():
        if troubles:
            raise troubles.pop()
        return real()

    monkeypatch.setattr(store, "read", read)
    way = Way()
    deliver(store, way, Clock(), lambda: bool(way.taken) and not troubles)
    assert len(way.taken) == 1


def test_what_a_killed_process_was_sending_is_sent_by_another_once_its_claim_is_over(store):
    queue(store, "a@x", "b@x")
    with store.write() as tx:
        assert len(tx.outbox.claim(START, START + timedelta(seconds=Claims.lease_seconds), 1)) == 1
    way, clock = Way(), Clock(START + timedelta(seconds=Claims.lease_seconds - 1))
    deliver(store, way, clock, lambda: bool(way.taken))
    assert [mail.recipient for mail in way.taken] == ["b@x"]
    clock.now += timedelta(seconds=1)
    deliver(store, way, clock, lambda: len(way.taken) > 1)
    assert [mail.recipient for mail in way.taken] == ["b@x", "a@x"]


def test_a_claim_is_renewed_while_a_mail_is_under_way(store, monkeypatch):
    monkeypatch.setattr(Claims, "renewal_seconds", 0.01)
    queue(store, "a@x")
    way, clock = Slow(), Clock()
    later = START + timedelta(hours=1)

    def renewed() -> bool:
        if way.begun:
            clock.now = later
        due_at = outbox(store)[0].due_at
        if due_at == later + timedelta(seconds=Claims.lease_seconds):
            way.may_end.set()
        return bool(way.taken)

    deliver(store, way, clock, renewed)
    assert len(way.taken) == 1


def test_all_are_claimed_though_as_many_as_may_be_are_sent_before_any_is_marked(store, monkeypatch):
    monkeypatch.setattr(deliver_module, "_MARK_SECONDS", 0.5)
    addresses = [f"a{number}@x" for number in range(150)]
    queue(store, *addresses)
    way = Way()
    deliver(
        store, way, Clock(), lambda: len(way.taken) == 150, settings=SETTINGS.model_copy(update={"poll_seconds": 3600})
    )
    assert sorted(mail.recipient for mail in way.taken) == sorted(addresses)


def test_what_is_under_way_is_not_claimed_again_after_a_leap_of_the_clock(store):
    way, clock = Slow(), Clock()

    def both_begun() -> bool:
        if way.begun == 1 and clock.now == START:
            clock.now += timedelta(hours=1)
            queue(store, "b@x")
        if way.begun >= 2:
            way.may_end.set()
        return len(way.taken) >= 2

    queue(store, "a@x")
    deliver(store, way, clock, both_begun)
    assert sorted(mail.recipient for mail in way.taken) == ["a@x", "b@x"]


def test_what_is_queued_while_it_looks_is_not_left_until_the_next_look(store, monkeypatch):
    """Queued between the look and its result, so that only the wake-up tells of it."""
    way, looks = Way(), []
    look = Outbox.next_at

    async def run() -> None:
        loop = asyncio.get_running_loop()
        store.clock = Clock()
        deliverer = Deliverer(store, way, SETTINGS.model_copy(update={"poll_seconds": 3600}))

        def look_and_queue(of: Outbox) -> datetime | None:
            found = look(of)
            looks.append(found)
            if len(looks) == 1:
                queue(store, "a@x")
                loop.call_soon_threadsafe(deliverer.wake)
            return found

        monkeypatch.setattr(Outbox, "next_at", look_and_queue)
        running = asyncio.create_task(deliverer.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not way.taken:
                await asyncio.sleep(0.005)
        deliverer.stop()
        await running

    asyncio.run(run())
    assert looks[0] is None


def test_what_is_claimed_but_not_begun_is_given_back_at_the_end(store):
    queue(store, *(f"a{number}@x" for number in range(10)))
    way = Slow()

    async def run() -> None:
        store.clock = Clock()
        deliverer = Deliverer(store, way, SETTINGS)
        running = asyncio.create_task(deliverer.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while way.begun < SETTINGS.concurrency or any(mail.due_at == START for mail in outbox(store)):
                await asyncio.sleep(0.005)
        deliverer.stop()
        way.may_end.set()
        await running

    asyncio.run(run())
    assert len(way.taken) == way.begun == SETTINGS.concurrency
    assert {mail.due_at for mail in outbox(store) if mail.state is Delivery.QUEUED} == {START}


@dataclass
class Uneven(Way):
    """A transport that takes longer for a mail the earlier its ply is."""

    async def send(self, mail: Outgoing) -> None:
        for _ in range(20 - 4 * int(mail.data)):
            await asyncio.sleep(0)
        await super().send(mail)


def plies(way: Way, address: str) -> list[bytes]:
    return [mail.data for mail in way.taken if mail.recipient == address]


def test_mails_of_a_board_reach_each_reader_in_their_order_over_many_connections(store):
    """Other lanes run beside them: two boards of one player, and both players of one board."""
    lanes = [(board, address) for board in (101, 102) for address in ("a@x", "b@x")]
    queue_plies(store, *((board, address, ply) for ply in (1, 2, 3) for board, address in lanes))
    way = Uneven()
    deliver(store, way, Clock(), lambda: len(way.taken) == 12, settings=SETTINGS.model_copy(update={"concurrency": 12}))
    by_lane = [[mail.data for mail in way.taken if mail.outbox_id % 4 == lane] for lane in range(4)]
    assert by_lane == [[b"1", b"2", b"3"]] * 4
    assert way.most_at_once > 1


def test_a_mail_that_is_tried_again_soon_is_not_overtaken_by_the_next_of_its_board(store):
    queue_plies(store, (101, "a@x", 1), (101, "a@x", 2), (102, "a@x", 4), (101, "b@x", 1))
    way, clock = Way({"a@x": [TemporaryFailure("greylisted", 451)]}), Clock()
    deliver(store, way, clock, lambda: len(way.taken) == 2)
    assert [(mail.recipient, mail.data) for mail in way.taken] == [("a@x", b"4"), ("b@x", b"1")]
    clock.now += timedelta(seconds=72)
    queue_plies(store, (101, "a@x", 3))
    deliver(store, way, clock, lambda: len(way.taken) == 5)
    assert plies(way, "a@x") == [b"4", b"1", b"2", b"3"]


def test_a_mail_that_cannot_be_delivered_for_long_does_not_hold_up_the_next_of_its_board(store):
    queue_plies(store, (101, "a@x", 1), (101, "a@x", 2))
    with store.write() as tx:
        tx.outbox.postpone(outbox(store)[0].id, START + timedelta(hours=1), "try again later")
    way = Way()
    deliver(store, way, Clock(), lambda: bool(way.taken))
    assert plies(way, "a@x") == [b"2"]


def test_a_mail_waits_for_an_older_one_of_its_board_that_another_process_sends(store):
    queue_plies(store, (101, "a@x", 1), (101, "a@x", 2), (101, "b@x", 1))
    soon = START + timedelta(seconds=Claims.lease_seconds)
    with store.write() as tx:
        other = tx.outbox.claim(START, soon, 1)
    with store.write() as tx:
        assert [mail.mail.address for mail in tx.outbox.claim(START, soon, 9)] == ["b@x"]
        tx.outbox.sent([other[0].id], START)
    with store.write() as tx:
        assert [mail.mail.owed for mail in tx.outbox.claim(START + timedelta(seconds=5), soon, 9)] == [b"2"]


def test_waits_double_up_to_the_longest():
    settings = DeliverySettings(first_retry_seconds=60, longest_retry_seconds=600)
    waits = [(settings.retry_at(START, attempts) - START).total_seconds() for attempts in (1, 2, 3, 4, 5, 500)]
    for wait, middle in zip(waits, (60, 120, 240, 480, 600, 600), strict=True):
        assert middle * 0.8 <= wait <= middle * 1.2


@pytest.mark.parametrize("number", [2, 6])
def test_a_server_that_refuses_everything_for_a_while_loses_nothing(store, number):
    """As with 554 after DATA, to however few addresses: all are sent as soon as one is taken."""
    addresses = [f"a{number}@x" for number in range(number)]
    queue(store, *addresses)
    way, clock, told, given_up = Blocked(left=2 * number), Clock(), list[str](), list[object]()

    def until() -> bool:
        clock.now += timedelta(seconds=1)
        return all(mail.state is Delivery.SENT for mail in outbox(store))

    deliver(store, way, clock, until, lambda *words: given_up.append(words), HASTY, told.append)
    assert given_up == []
    assert told == ["554 you are blocked"]
    assert sorted(mail.recipient for mail in way.taken) == addresses


@pytest.mark.parametrize("failure", [Unreachable("connection refused"), TemporaryFailure("451 try again later")])
def test_while_nobody_takes_mail_one_is_tried_and_then_all_go_at_once(store, failure):
    """Even mails that were postponed for days before."""
    addresses = [f"a{number}@x" for number in range(9)]
    queue(store, *addresses)
    with store.write() as tx:
        tx.outbox.postpone(outbox(store)[8].id, START + timedelta(days=6), "connection refused")
    way, clock = Way({address: [failure] * 2 for address in addresses[:3]}), Clock()

    def until() -> bool:
        clock.now += timedelta(seconds=1)
        return all(mail.state is Delivery.SENT for mail in outbox(store))

    deliver(store, way, clock, until, settings=HASTY.model_copy(update={"concurrency": 1}))
    assert sorted(mail.recipient for mail in way.taken) == addresses
    assert sum(mail.attempts for mail in outbox(store)) <= len(addresses) + 7


def test_a_mail_that_may_have_been_taken_keeps_its_own_waits(store):
    """A mail server that takes mails and says nothing does not pass one on every minute."""
    queue(store, "a@x")
    failures: list[Exception] = [Unreachable("connection refused"), MaybeTaken("hung up")]
    way, clock = Way({"a@x": failures}), Clock()

    def until() -> bool:
        (mail,) = outbox(store)
        clock.now = clock.now if mail.attempts == 2 else mail.due_at
        return mail.attempts == 2

    deliver(store, way, clock, until)
    (mail,) = outbox(store)
    assert mail.due_at - clock.now > timedelta(seconds=72), "a mail of no doubt would be tried after a minute"
    with store.write() as tx:
        tx.outbox.hurry(clock.now)
        tx.outbox.hurry_one(clock.now)
    assert outbox(store) == [mail]
    with store.write() as tx:
        assert tx.outbox.send_all_again(clock.now) == 1
    assert outbox(store)[0].due_at <= clock.now


@pytest.mark.parametrize(("due_in", "then_in"), [(3660, 60), (600, 0), (-10, -10)])
def test_a_mail_in_doubt_waits_no_longer_because_the_clock_was_an_hour_ahead(store, due_in, then_in):
    queue(store, "a@x")
    with store.write() as tx:
        due_at = START + timedelta(seconds=due_in)
        tx.outbox.postpone(outbox(store)[0].id, due_at, "hung up", maybe_taken=True)
    with store.write() as tx:
        tx.leaps.forget_future(START, START + timedelta(hours=1), {})
    assert outbox(store)[0].due_at == START + timedelta(seconds=then_in)


def test_what_was_postponed_when_the_way_out_failed_for_a_moment_goes_once_it_works(store):
    """Even if a mail under way is taken first, or little of its minute is left."""
    queue(store, "a@x", "b@x", "c@x")
    with store.write() as tx:
        tx.outbox.postpone(outbox(store)[2].id, START + timedelta(seconds=40), "connection refused")
    way = Way({"a@x": [Unreachable("connection refused")]})
    deliver(store, way, Clock(), lambda: len(way.taken) == 3)
    assert [mail.state for mail in outbox(store)] == [Delivery.SENT] * 3


@pytest.mark.parametrize("failure", [TemporaryFailure("450 mailbox full"), RecipientRefused("550 no such user", 550)])
def test_addresses_that_ail_hold_nobody_else_up(store, failure):
    """Nobody waits even until one of them is tried again."""
    ailing, well = [f"a{number}@x" for number in range(3)], [f"b{number}@x" for number in range(9)]
    queue(store, *ailing, *well)
    way = Way({address: [failure] * 99 for address in ailing})
    deliver(store, way, Clock(), lambda: sorted(mail.recipient for mail in way.taken) == well)


def test_nothing_else_stops_while_the_way_out_is_down_and_mails_are_queued(store, monkeypatch):
    """If a mail is queued while another is tried, the loop must not run without a pause."""
    monkeypatch.setattr(Claims, "renewal_seconds", 1e9)
    turns = 0

    class Turning(Deliverer):
        async def _turn(self) -> float:
            nonlocal turns
            turns += 1
            assert turns < 1000
            return await super()._turn()

    class Down(Slow):
        async def send(self, mail: Outgoing) -> None:
            if not self.begun:
                self.begun += 1
                raise Unreachable("connection refused")
            await super().send(mail)

    async def run() -> None:
        way = Down()
        queue(store, "a@x", "b@x")
        store.clock = Clock()
        deliverer = Turning(store, way, SETTINGS.model_copy(update={"concurrency": 1, "first_retry_seconds": 0.01}))
        running = asyncio.create_task(deliverer.run())
        while way.begun < 2:
            await asyncio.sleep(0.005)
        deliverer.wake()
        await asyncio.sleep(0.005)
        way.may_end.set()
        deliverer.stop()
        await running

    asyncio.run(run())


def test_all_that_failed_or_waits_is_sent_again_whatever_its_number(store):
    """Except mails that may be under way."""
    queue(store, *(f"a{number}@x" for number in range(5)))
    first, second, third, *_ = (mail.id for mail in outbox(store))
    with store.write() as tx:
        tx.outbox.fail(first, START, "no such user")
        tx.outbox.postpone(second, START + timedelta(hours=6), "try again later")
        tx.outbox.postpone(third, START + timedelta(seconds=10), "try again later")
    with store.write() as tx:
        assert tx.outbox.send_all_again(START + timedelta(seconds=1)) == 3
    soon = START + timedelta(seconds=1)
    assert [mail.due_at for mail in outbox(store)] == [soon, START, START + timedelta(seconds=10), START, START]
    assert {mail.state for mail in outbox(store)} == {Delivery.QUEUED}


def test_a_clock_that_was_ahead_does_not_keep_it_from_being_noted_that_mail_goes_out(store):
    """Otherwise two bad addresses would soon pass for an outage, and all clocks would be stopped."""
    queue(store, "a@x")
    way, clock = Way(), Clock(START + timedelta(days=40))

    def noted():
        with store.read() as tx:
            return tx.absences.noted(DELIVERED)

    def is_noted_again():
        if noted() == START + timedelta(days=40):
            clock.now = START
            with store.write() as tx:
                tx.leaps.forget_future(START, START + timedelta(days=40), {})
            clock.now = START + timedelta(hours=1)
            queue(store, "b@x")
        return noted() == START + timedelta(hours=1)

    deliver(store, way, clock, is_noted_again)
