"""Jobs that fall due are done once, on time or as soon as the server is back, and never before an earlier mail."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from pbm.core.registry import JOBS, Occasion, when_due
from tests.conversation import House

DAY = timedelta(days=1)


@pytest.fixture
def done() -> Iterator[list[str]]:
    """The keys of the items that are done, in order; the item `broken` always fails."""
    keys: list[str] = []

    @when_due("test")
    def deed(occasion: Occasion) -> None:
        if occasion.item.key == "broken":
            raise ZeroDivisionError
        keys.append(occasion.item.key)

    yield keys
    del JOBS["test"]


def plan(house: House, **days: float) -> None:
    with house.service.store.write() as tx:
        for key, wait in days.items():
            tx.agenda.put("test", key, house.now + wait * DAY)


def test_items_are_done_once_in_their_order(house: House, done: list[str]) -> None:
    plan(house, late=3, early=1)
    house.wait(2 * DAY)
    assert done == ["early"]
    house.wait(5 * DAY)
    assert done == ["early", "late"]


def test_what_fell_due_while_the_server_was_down_is_done_once(house: House, done: list[str]) -> None:
    plan(house, late=3, early=1)
    house.sleep(30 * DAY)
    house.sleep(DAY)
    assert done == ["early", "late"]


def test_a_new_item_takes_the_place_of_the_old(house: House, done: list[str]) -> None:
    plan(house, thing=1)
    plan(house, thing=5)
    house.wait(4 * DAY)
    assert done == []
    house.wait(4 * DAY)
    assert done == ["thing"]


def test_a_deed_that_fails_through_our_fault_holds_nothing_up_and_is_done_once_the_fault_is_mended(
    house: House, done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even after a month; it is tried at least once a day."""
    plan(house, broken=1, sound=2)
    house.sleep(3 * DAY)
    assert done == ["sound"]
    house.wait(30 * DAY)
    with house.service.store.read() as tx:
        item = tx.agenda.get("test", "broken")
    assert item is not None
    assert 30 < item.attempts < 40
    monkeypatch.setitem(JOBS, "test", lambda occasion: done.append(occasion.item.key))
    house.wait(DAY)
    assert "broken" in done


def test_a_mail_that_came_before_is_handled_before(house: House, done: list[str]) -> None:
    house.player("alice")
    mail = house.mail("alice", "help")
    house.service.accept([mail])
    plan(house, thing=1)
    house.now += 2 * DAY
    assert house.service.agenda.run() == 0
    assert house.service.handle() == 1
    assert house.service.agenda.run() == 1
    assert done == ["thing"]
