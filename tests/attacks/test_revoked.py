"""Mails that a player has revoked: nobody who holds them can do anything for the player any more."""

from __future__ import annotations

import pytest

from pbm.server.operator import Administration
from tests.conversation import House, address_of, record

EVE = "eve@elsewhere.example"


def revoke(house: House) -> None:
    (got,) = house.answer("bob", "revoke", 101, vouched=True)
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


def test_a_mail_from_before_the_account_is_void_as_well(house: House) -> None:
    house.player("alice")
    (helped,) = house.send("bob", "help")
    house.send("bob", "signup bob bobpass")
    house.answer("bob", "yes")
    (got,) = house.send("bob", "set mail text", to=helped["Reply-To"])
    assert got["Subject"] == "pbm: your settings"
    house.send("bob", "revoke bob bobpass")
    before = house.dump()
    (got,) = house.send("bob", "block alice", to=helped["Reply-To"])
    assert got["Subject"] == "pbm: was that you?"
    assert house.dump() == before


@pytest.mark.parametrize("mail", [1, 0])
def test_a_void_mail_stays_void_when_its_account_becomes_another(mail: int, table: House) -> None:
    table.player("carol")
    revoke(table)
    Administration(table.service).merge("bob", "carol")
    table.mailboxes[address_of("bob")].pop()
    table.answer(EVE, "C4", of="bob", mail=mail)
    assert record(table) == ["D4"]


def test_nor_do_void_mails_of_the_account_that_is_kept_come_to_life(table: House) -> None:
    table.player("carol")
    revoke(table)
    Administration(table.service).merge("carol", "bob")
    table.mailboxes[address_of("bob")].pop()
    table.answer(EVE, "C4", of="bob")
    assert record(table) == ["D4"]
