"""A mail that kills each server handling it is parked, and all other mails are handled."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

import pytest

from pbm.core import registry
from pbm.core.request import Request
from pbm.domain.commands import Command
from pbm.domain.mail import Arrival
from pbm.server import Arriving, Service, Settings
from pbm.store import DatabaseTrouble, Store
from pbm.store.queues import Inbox
from tests.conversation import ROBOT, House


def deadly(_request: Request, _command: Command) -> None:
    """Like a computation that takes all memory, or that its watchdog ends."""
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(*_: object) -> None:
    raise DatabaseTrouble("the disk is full")


def server(house: House, mails: Sequence[Arriving] = ()) -> int:
    """Start a server in a process of its own, which handles the waiting mails, takes mails in and handles them.

    Returns its exit code.
    """
    child = os.fork()
    if child == 0:
        try:
            service = Service(Store(house.url), Settings(ROBOT), clock=lambda: house.now)
            service.handle()
            service.accept(mails)
            while service.handle():  # several times if the machine is busy
                pass
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


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
    assert [server(struck) for _ in range(4)] == [*[-signal.SIGKILL] * 3, 0], "the first of all was not counted"
    (parked,) = struck.parked()
    assert "begun 3 times and never finished" in parked.reason
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
        tx.inbox.renew(parked.id)
    assert server(struck) == 0
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
        assert tx.inbox.left_over(begun, 5)[0][1] == 0
    table.service.handle()
    assert table.inbox_row.state is Arrival.HANDLED
