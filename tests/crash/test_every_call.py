"""Every call to the database fails in turn over a short session, and each time the session ends as if none had.

A call is a statement or a commit. It fails as on a disk that does not write, or as one for which there is no memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from pbm.server import Arriving
from pbm.store import DatabaseTrouble, Store
from tests.conversation import House

pytestmark = pytest.mark.crash
NewHouse = Callable[..., House]
SHARE = 4
"""Every fourth call fails in a run of CI; all do if this is 1."""


def no_disk() -> Exception:
    return OperationalError("", {}, sqlite3.OperationalError("disk I/O error"))


class Failing:
    """Lets one call to a database fail."""

    def __init__(self, store: Store, error: Callable[[], Exception]) -> None:
        self.calls = 0
        self.failing = 0
        """The number of the call that fails; 0 for none."""
        self._error = error
        event.listen(store._engine, "do_execute", self._called)
        if error is no_disk:  # a driver without memory fails before it commits
            event.listen(store._engine, "commit", self._called)

    def _called(self, *_: object) -> None:
        self.calls += 1
        if self.calls == self.failing:
            raise self._error()


def again(work: Callable[[], Any]) -> Any:
    """What the work returns; it is tried again, as mail servers and our own loops do."""
    for _ in range(3):
        try:
            return work()
        except DatabaseTrouble:
            continue
    raise AssertionError("it failed more often than a call did")


def session(house: House, mails: list[Arriving]) -> None:
    """Mails that change a board, write to others, ask and confirm come in and are handled; what is due is done."""
    for mail in mails:
        house.now += timedelta(minutes=1)
        assert again(partial(house.service.accept, [mail])) == [""]
        while again(house.service.handle):
            pass
    house.now += timedelta(days=40)
    while again(house.service.agenda.run):
        pass
    again(house.service.tidy)


def end(house: House) -> dict[str, Any]:
    """All that a session leaves behind, without what is drawn by lot."""
    with house.service.store.read() as tx:
        arrived = [(row.id, row.state, row.reason.partition(":")[0]) for row in tx.inbox.latest(None, 100)]
        owed = sorted((row.mail.address, row.mail.subject, row.mail.board or 0) for row in tx.outbox.latest(None, 100))
    return {"inbox": arrived, "outbox": owed, **house.dump()}


@pytest.mark.parametrize("error", [no_disk, MemoryError])
def test_whichever_call_fails_the_session_ends_as_if_none_had(
    new_house: NewHouse, error: Callable[[], Exception]
) -> None:
    first = new_house()
    first.players("alice", "bob")
    first.game("cross -size=4 alice bob", ["A1"])
    before = first.kept()
    mails = [
        first.answering("bob", "C3", 101),
        first.mail("alice", "message bob alice alicepass", "Hello."),
        first.mail("eve@mallory.example", "signup eve a-good-word"),
        first.mail("bob", "cross challenge bob alice -size=3"),
    ]

    def run(failing: int) -> tuple[int, dict[str, Any]]:
        """How many calls there were, and what the session left behind."""
        house = new_house()
        house.go_on_from(before)
        calls = Failing(house.service.store, error)
        calls.failing = failing
        session(house, mails)
        number, calls.failing = calls.calls, 0
        return number, end(house)

    calls, wanted = run(0)
    assert calls > 100
    wrong = [number for number in range(1, calls + 1, SHARE) if run(number)[1] != wanted]
    assert wrong == []
