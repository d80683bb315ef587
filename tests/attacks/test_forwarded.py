"""A mail of ours that its player forwarded: whoever answers it plays that board, and is nobody otherwise."""

from __future__ import annotations

import pytest

from tests.conversation import House, address_of

EVE = "eve@elsewhere.example"


@pytest.mark.parametrize(
    "words",
    [
        "cross seek 2",
        "block bob",
        "vacation 2026-02-01 1w",
        "set mail text",
        "cross challenge me carol",
        "event create cup swiss cross",
        "broadcast",
        "follow bob",
        "export",
    ],
)
def test_a_forwarded_board_speaks_for_nobody(words: str, table: House) -> None:
    table.player("carol")
    before = table.dump()
    mails = table.answer(EVE, words, 101, of="bob")
    assert {got.address for got in mails} <= {EVE, address_of("bob")}
    assert all(got.refuses or "was that you" in got["Subject"] for got in mails)
    assert table.dump() == before


def test_a_forwarded_board_can_be_played(table: House) -> None:
    mails = table.answer(EVE, "C4", 101, of="bob")
    assert any("bob played C4" in got.body for got in mails)
    assert {got.address for got in mails} == {address_of("alice"), address_of("bob")}


def test_from_an_address_of_the_player_the_same_answer_is_good_for_all(table: House) -> None:
    (got,) = table.answer("bob", "set mail text", 101)
    assert not got.refuses
