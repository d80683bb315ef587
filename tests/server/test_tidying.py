"""What has expired is forgotten, and nothing else."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import create_engine, text

from tests.conversation import House


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
