"""A mail that ends each process handling it is parked, and all others are handled, whatever kills the server."""

from __future__ import annotations

import itertools
import os
import signal
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from pbm.core import registry
from pbm.core.request import Request
from pbm.domain.mail import Arrival
from pbm.reading.commands import Command
from pbm.server import Arriving, Service, Settings
from pbm.store import DatabaseTrouble, Store
from pbm.store.queues import Inbox
from tests.conversation import ROBOT, House

T = TypeVar("T")


def deadly(_request: Request, _command: Command) -> None:
    """Like a computation that takes all memory, or that its watchdog ends."""
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(*_: object) -> None:
    raise DatabaseTrouble("the disk is full")


def forked(deed: Callable[[], object]) -> int:
    """The exit code of a process that does the deed."""
    child = os.fork()
    if child == 0:
        try:
            deed()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def started(house: House) -> Service:
    """A server over the house's database, in the process that calls this."""
    service = Service(Store(house.url), Settings(ROBOT), clock=lambda: house.now)
    service.batches.left_over.apart = lambda mail_id: forked(lambda: started(house).batches.handle_only(mail_id))
    return service


def struck_at(step: Callable[..., T], is_there: Callable[[], bool]) -> Callable[..., T]:
    """The step, before which the process is killed if it is there."""

    def taken(*words: object) -> T:
        if is_there():
            os.kill(os.getpid(), signal.SIGKILL)
        return step(*words)

    return taken


def server(house: House, mails: Sequence[Arriving] = (), *, killed_at: int = 0) -> int:
    """Start a server in a process of its own, which handles the waiting mails, takes mails in and handles them.

    killed_at: before which of its steps it is killed from outside; 0 for none. Returns its exit code.
    """

    def serve() -> None:
        service = started(house)
        places, pid = itertools.count(1), os.getpid()
        for name in ("begin", "left_over", "settle"):
            setattr(
                Inbox, name, struck_at(getattr(Inbox, name), lambda: os.getpid() == pid and next(places) == killed_at)
            )
        service.handle()
        service.accept(mails)
        while service.handle():  # several times if the machine is busy
            pass

    return forked(serve)


@pytest.fixture
def struck(table: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """A house whose server was killed by a mail of alice's, between two other mails."""
    if table.service.store.locks_rows:
        pytest.skip("a fork cannot take connections to a server along")
    monkeypatch.setitem(registry.HANDLERS, "why", deadly)
    mails = [
        table.mail("alice", "about bob"),
        table.mail("alice", "why"),
        table.answering("bob", "E4"),
    ]
    table.service.store.close()
    assert server(table, mails) == -signal.SIGKILL
    return table


def test_a_mail_that_ends_server_after_server_is_parked_and_all_hear_of_it(struck: House) -> None:
    killed = -signal.SIGKILL
    assert [server(struck) for _ in range(3)] == [killed, killed, 0], "with others, alone, and then apart"
    (parked,) = struck.parked()
    assert "the process of its own that handled it ended, 2 times" in parked.reason
    assert b"why" in parked.raw
    got = {each["Subject"]: each for each in struck.collect()}
    assert "It is our fault" in got["pbm: our fault"].body
    assert got["pbm: our fault"].address == "alice@example.net"
    assert "pbm: about bob" in got
    with struck.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert [ply.notation for ply in match.record] == ["D4", "E4"]


def test_a_parked_mail_may_be_begun_anew(struck: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(4):
        server(struck)
    monkeypatch.undo()
    (parked,) = struck.parked()
    with struck.service.store.write() as tx:
        tx.inbox.handle_again(parked.id)
    assert server(struck) == 0
    assert not struck.parked()


@pytest.mark.parametrize("place", range(1, 6))
def test_kills_from_outside_park_nothing(table: House, place: int) -> None:
    """Whatever is in hand when a server is killed, again and again: the same mail is hit each time."""
    if table.service.store.locks_rows:
        pytest.skip("a fork cannot take connections to a server along")
    table.service.store.close()
    assert server(table, [table.mail("alice", "about bob"), table.answering("bob", "E4")], killed_at=1) < 0
    codes = [server(table, killed_at=place) for _ in range(5)]
    assert set(codes) <= {-signal.SIGKILL, 0}
    assert server(table) == 0
    assert not table.parked()
    with table.service.store.read() as tx:
        match = tx.matches.load(101)
    assert match is not None
    assert [ply.notation for ply in match.record] == ["D4", "E4"]


def test_a_process_that_ends_in_good_order_was_not_ended_by_the_mail(
    struck: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        server(struck)
    monkeypatch.undo()
    service = started(struck)
    service.batches.left_over.apart = lambda _: 1
    while service.handle():
        pass
    service.close()
    assert not struck.parked()


def test_trouble_with_the_database_is_no_begin(struck: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """One server may try a mail however often: only its first handling by each server counts."""
    monkeypatch.undo()
    service = struck.service
    with monkeypatch.context() as trouble:
        trouble.setattr(Inbox, "settle", _fail)
        for _ in range(5):
            with pytest.raises(DatabaseTrouble):
                service.handle()
    while service.handle():
        pass
    assert not struck.parked()


def test_mails_that_come_later_cost_nothing_more(table: House) -> None:
    table.service.handle()
    table.service.accept([table.mail("alice", "about bob")])
    with table.service.store.write() as tx:  # rows it gives are locked
        begun = tx.inbox.newest_waiting()
        assert tx.inbox.left_over(begun, 5)[0].begun == 0
    table.service.handle()
    assert table.inbox_row.state is Arrival.HANDLED
