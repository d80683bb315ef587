"""A mail of ours that its player has forwarded: others who answer it play on that board, but are nobody elsewhere."""

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
        "tournament create cup swiss cross",
        "broadcast",
        "follow bob",
        "export",
        "revoke",
        "erase me",
        "cross challenge me friend@nowhere.example",
        "message carol",
        "set challenges none",
        "cross play",
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


@pytest.mark.parametrize("words", ["C4", "Z9", "list", "resign", "cross show 101", "set mail text"])
def test_its_player_is_told_from_where(words: str, table: House) -> None:
    """Even with receipts off, because nothing else would show that somebody has moved for them."""
    table.send("bob", "set bob bobpass receipts off")
    mails = [got for got in table.answer(EVE, words, 101, of="bob") if got.address == address_of("bob")]
    assert mails
    assert all(f"from {EVE}, which is not one" in " ".join(got.body.split()) for got in mails)
    assert not any(EVE in got.body for got in table.mailboxes[address_of("alice")])


def test_a_player_who_moves_from_home_is_told_nothing(table: House) -> None:
    assert not any("not one of your addresses" in got.body for got in table.answer("bob", "C4", 101))


def test_from_an_address_of_the_player_the_same_answer_is_good_for_all(table: House) -> None:
    (got,) = table.answer("bob", "set mail text", 101)
    assert not got.refuses
