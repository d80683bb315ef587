"""Mails of ended boards, which lie about for years: they speak for a player only there, where this does no harm."""

from __future__ import annotations

import pytest

from pbm.reading.verbs import VERBS
from tests.conversation import House, address_of

HARMLESS = frozenset({"chat", "note", "review", "replay", "why"})
"""About the board itself, so that the token of a seat there is enough for its player."""
WORDS = {
    "set": "set mail text",
    "block": "block alice",
    "message": "message alice\nI am bob.",
    "broadcast": "broadcast\nI am bob.",
    "follow": "follow alice",
    "vacation": "vacation 2026-02-01 1w",
    "challenge": "cross challenge me alice",
    "seek": "seek cross",
    "tournament create": "tournament create cup swiss cross",
    "take": "take 1",
    "give": "give 3d",
    "limit": "limit 3",
}
"""Lines by verb, for verbs that need more words to do anything."""


@pytest.fixture
def ended(table: House) -> House:
    table.send("bob", "cross resign 101 bob bobpass")
    with table.service.store.read() as tx:
        board = tx.matches.summary(101)
        assert board is not None
        assert board.result is not None, table.mailboxes[address_of("bob")][-1].body
    return table


@pytest.mark.parametrize("sender", ["eve@elsewhere.example", "bob"])
def test_an_answer_to_an_ended_board_does_nothing_elsewhere(sender: str, ended: House) -> None:
    before = ended.dump()
    for verb in VERBS:
        if verb.name not in HARMLESS:
            ended.answer(sender, WORDS.get(verb.name, verb.name), 101, of="bob", mail=1)
            assert ended.dump() == before, verb.name


def test_its_player_may_talk_about_it_and_take_notes(ended: House) -> None:
    mails = ended.answer("bob", "chat\nThat was fun.", 101)
    assert any(got.address == address_of("alice") and "That was fun." in got.body for got in mails)
    ended.answer("bob", "note\nNever again D4.", 101)
    assert any("Never again D4." in got.body for got in ended.answer("bob", "show", 101))


def test_its_player_may_ask_why_their_rating_changed_and_nobody_else(house: House) -> None:
    house.players("alice", "bob")
    board = house.game("cross -size=3 alice bob", ["C3", "B2"])
    house.answer("alice", "resign!", board)
    why = f"pbm: board {board}, why your rating changed"
    assert why not in [got["Subject"] for got in house.answer("eve@elsewhere.example", "why", board, of="bob")]
    assert [got["Subject"] for got in house.answer("bob", "why", board)] == [why]


def test_it_is_no_proof_on_another_board(ended: House) -> None:
    ended.game("cross -size=4 alice bob")
    before = ended.dump()
    ended.answer("bob", "chat 102\nHello.", 101)
    ended.answer("bob", "note 102\nHello.", 101)
    assert ended.dump() == before


def test_its_player_is_asked_for_the_rest(ended: House) -> None:
    (asked,) = ended.answer("bob", "set mail text", 101)
    assert asked["Subject"] == "pbm: was that you?"
    (got,) = ended.answer("bob", "yes")
    assert got["Subject"] == "pbm: your settings"


def test_a_vouched_address_proves_its_player_as_ever(ended: House) -> None:
    mail = ended.answering("bob", "set mail text", 101)
    field = b"Authentication-Results: mx.example.org; dkim=pass header.d=example.net\r\n"
    (got,) = ended.deliver(type(mail)(mail.mail_from, mail.recipients, field + mail.raw))
    assert got["Subject"] == "pbm: your settings"


@pytest.mark.parametrize("sender", ["eve@elsewhere.example", "bob"])
def test_a_mail_that_was_forwarded_begins_no_rematch(sender: str, house: House) -> None:
    """Another board is more than its own, even for the address of its player in From."""
    house.players("alice", "bob")
    board = house.game("cross -size=3 alice bob", ["C3", "B2"])
    house.answer("alice", "resign!", board)
    before = house.dump()
    house.answer(sender, "rematch", board, of="bob")
    assert house.dump() == before
    assert [got.board for got in house.answer("bob", "rematch", board, vouched=True)] == [board + 1] * 2


def test_who_asks_for_a_rematch_is_asked(house: House) -> None:
    house.players("alice", "bob")
    board = house.game("cross -size=3 alice bob", ["C3", "B2"])
    house.answer("alice", "resign!", board)
    (asked,) = house.answer("bob", "rematch", board)
    assert (asked.address, asked["Subject"]) == (address_of("bob"), "pbm: was that you?")
    assert [got.board for got in house.answer("bob", "yes")] == [board + 1] * 2
