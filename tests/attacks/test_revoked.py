"""Mails that a player has revoked: nobody who holds them can do anything for the player any more."""

from __future__ import annotations

import pytest

from tests.conversation import House, address_of

EVE = "eve@elsewhere.example"


def revoke(house: House) -> None:
    (got,) = house.answer("bob", "revoke", 101)
    assert got["Subject"] == "pbm: old emails are void"


@pytest.mark.parametrize(
    "words", ["C4", "resign", "chat\nI am bob.", "propose", "block alice", "set mail text", "export"]
)
@pytest.mark.parametrize("mail", [1, 0])
def test_a_void_mail_speaks_for_nobody_and_tells_what_would_do(words: str, mail: int, table: House) -> None:
    table.send("bob", "set bob bobpass")
    revoke(table)
    before = table.dump()
    table.mailboxes[address_of("bob")].pop()
    (got,) = table.answer(EVE, words, of="bob", mail=mail)
    assert got.address == EVE
    assert "void" in got.body
    assert "bob" not in got.body.partition("Your email was:")[0]
    assert table.dump() == before


def test_its_player_is_asked_and_gets_a_fresh_one(table: House) -> None:
    revoke(table)
    (asked,) = table.answer("bob", "C4", 101, mail=1)
    assert asked["Subject"] == "pbm: was that you?"
    (shown,) = table.send("bob", "cross show 101")
    assert shown.address == address_of("bob")
    assert any("bob played C4" in got.body for got in table.answer("bob", "C4", 101))


def test_what_was_asked_of_the_player_by_mail_is_void_as_well(table: House) -> None:
    table.send("bob", "cross move 101 C4")
    table.send("bob", "revoke bob bobpass")
    before = table.dump()
    table.answer(EVE, "yes", of="bob", mail=2)
    assert table.dump() == before


def test_nobody_else_makes_a_players_mails_void(table: House) -> None:
    before = table.dump()
    mails = [*table.answer(EVE, "revoke", 101, of="bob"), *table.send(EVE, "revoke bob alicepass")]
    assert not any(got["Subject"] == "pbm: old emails are void" for got in mails)
    assert table.dump()["players"] == before["players"]


def test_a_mail_of_bobs_board_is_good_for_alice_still(table: House) -> None:
    table.answer("bob", "C4", 101)
    revoke(table)
    assert any("alice played B3" in got.body for got in table.answer("alice", "B3", 101))
