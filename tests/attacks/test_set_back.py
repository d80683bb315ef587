"""A database that was set back: mails from the time that is lost act on nothing that their owners never saw."""

from __future__ import annotations

import pytest

from tests.conversation import House


def set_back(house: House) -> None:
    """As a server is that was started again after it."""
    house.service.store.set_back()
    with house.service.store.read() as tx:
        house.service._signer._secret = tx.secret()


@pytest.mark.parametrize("sender", ["eve@elsewhere.example", "bob"])
def test_a_mail_from_before_plays_nothing(sender: str, table: House) -> None:
    set_back(table)
    before = table.dump()
    (got,) = table.answer(sender, "C4", 101, of="bob")
    assert not got["Subject"].startswith("Cross Board")
    assert table.dump() == before


def test_the_next_board_has_a_number_that_no_lost_one_had(table: House) -> None:
    set_back(table)
    assert table.game("cross -size=4 alice bob") == 1102


def test_each_time_counts(table: House) -> None:
    set_back(table)
    with table.service.store.read() as tx:
        once = tx.secret()
    set_back(table)
    with table.service.store.read() as tx:
        assert tx.secret() != once


def test_a_fresh_mail_plays(table: House) -> None:
    set_back(table)
    table.send("bob", "cross show 101")
    assert any("bob played C4" in got.body for got in table.answer("bob", "C4", 101))
