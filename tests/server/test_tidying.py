"""Expired rows are deleted, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, text

from pbm.domain.configuration import HouseRules
from pbm.domain.mail import Arrival
from pbm.server import Settings
from tests.conversation import ROBOT, House

OPERATOR = "root@example.org"
HUGE = "x" * 40_000
"""A header field that makes a mail unreadable."""


def tickets(house: House) -> int:
    engine = create_engine(house.url)
    with engine.connect() as connection:
        count = connection.execute(text("SELECT count(*) FROM tickets")).scalar_one()
    engine.dispose()
    return int(count)


def test_tickets_are_forgotten_some_time_after_they_expire(house: House) -> None:
    house.send("alice", "signup alice Sesame1")
    assert tickets(house) == 1
    for days, left in ((5, 1), (3, 1), (3, 0)):
        house.now += timedelta(days=days)
        house.service.tidy()
        assert tickets(house) == left


@pytest.fixture
def guarded(new_house: Callable[..., House]) -> House:
    """Three mails may wait for the operator, for thirty days; others are kept for five."""
    return new_house(
        Settings(ROBOT, operator=OPERATOR, house=HouseRules(parked_mails=3, parked_mail_days=30, kept_mail_days=5))
    )


def waiting(house: House) -> list[int]:
    with house.service.store.read() as tx:
        return [row.id for row in tx.inbox.latest(Arrival.PARKED, 100)]


def test_a_flood_of_unreadable_mails_is_not_kept_for_the_operator(guarded: House) -> None:
    for number in range(5):
        guarded.send(f"eve{number}@mallory.example", "help", X_Padding=HUGE)
    assert len(waiting(guarded)) == 3
    assert guarded.inbox_row.state is Arrival.IGNORED
    assert guarded.inbox_row.reason.startswith("limit: 3 emails wait for the operator; reject: ")
    guarded.service.tidy()
    guarded.service.tidy()
    (letter,) = guarded.collect()
    assert (letter.address, letter["Subject"]) == (OPERATOR, "pbm: emails wait for you")
    assert "house.parked_mails = 3" in letter.body


def test_a_letter_to_postmaster_is_told_though_too_many_wait(guarded: House) -> None:
    for number in range(4):
        told = guarded.send(f"dora{number}@example.com", "My account", "I cannot play.", to="postmaster@example.org")
        assert [got.address for got in told] == [OPERATOR]
    assert len(waiting(guarded)) == 3
    (sent,) = guarded.answer(OPERATOR, "We look into it.")[:1]
    assert sent.address == "dora3@example.com"


def test_mails_that_wait_are_forgotten_in_the_end_and_the_operator_hears_of_it_before(guarded: House) -> None:
    guarded.send("eve@mallory.example", "help", X_Padding=HUGE)
    (number,) = waiting(guarded)
    for days, letters in ((22, 0), (2, 1)):
        guarded.now += timedelta(days=days)
        guarded.service.tidy()
        guarded.service.agenda.run(100)
        told = [got for got in guarded.collect() if got["Subject"] == "pbm: emails wait for you"]
        assert len(told) == letters
        assert waiting(guarded) == [number]
    guarded.now += timedelta(days=7)
    guarded.service.tidy()
    guarded.service.agenda.run(100)
    with guarded.service.store.read() as tx:
        row = tx.inbox.get(number)
    assert row is not None
    assert (row.state, row.raw) == (Arrival.FORGOTTEN, b"")


def test_handled_mails_are_forgotten_by_their_own_time_and_not_by_that_of_parked_ones(guarded: House) -> None:
    guarded.send("dora@example.com", "help")
    for days, state in ((4, Arrival.HANDLED), (2, Arrival.FORGOTTEN)):
        guarded.now += timedelta(days=days)
        guarded.service.tidy()
        guarded.service.agenda.run(100)
        assert guarded.inbox_row.state is state
