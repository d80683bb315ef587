"""A mail of ours that its player has forwarded: others who answer it play on that board, but are nobody elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from pbm.domain.configuration import HouseRules, Limits
from pbm.server import Arriving, Settings
from tests.conversation import ROBOT, Got, House, address_of

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


def test_from_an_address_that_is_vouched_for_the_same_answer_is_good_for_all(table: House) -> None:
    (got,) = table.answer("bob", "set mail text", 101, vouched=True)
    assert got["Subject"] == "pbm: your settings"


def test_whoever_forges_the_players_address_as_well_takes_no_account_over(table: House) -> None:
    """An account without a password could otherwise be given one, and then be moved to another address for good."""
    joe = "joe@home.example"

    def forged(text: str, got: Got) -> list[Got]:
        mail = table.mail(EVE, f"Re: {got['Subject']}", text, to=got["Reply-To"], From=joe)
        return table.deliver(replace(mail, mail_from=EVE))

    table.send(joe, "hello")
    table.answer(joe, "joe")
    table.send("bob", "cross challenge -size=4 bob joe")
    board = table.mailboxes[joe][-1]
    (asked,) = forged("password evilpass", board)
    assert (asked.address, asked["Subject"]) == (joe, "pbm: choose a password")
    assert "evilpass" not in asked.text
    (got,) = table.send("other@elsewhere.example", "change address joe evilpass other@elsewhere.example")
    assert "The userid or the password is wrong" in got.body
    for _ in range(2):
        forged("password evilpass", board)
    (got,) = forged("password evilpass", board)
    assert "questions for a new password to one player are limited to 3 a day" in " ".join(got.body.split())
    table.answer(joe, "joespass", mail=len(table.mailboxes[joe]) - 1)
    assert table.send("other@elsewhere.example", "set joe joespass broadcasts")[0]["Subject"] == "pbm: your settings"


EVIL = "Received: from mail.e.example (unknown [185.12.64.1]) by mx.example.org; Thu, 1 Jan 2026 00:00:00 +0000\r\n"


@pytest.fixture
def small(new_house: Callable[..., House]) -> House:
    house = new_house(Settings(ROBOT, Limits(answers_per_hour=3, unproven_answers_per_hour=3)))
    house.players("alice", "bob", "carol")
    house.game("cross -size=4 alice bob")
    return house


@pytest.mark.parametrize(
    ("sender", "verdict", "words"),
    [
        (EVE, "dmarc=fail header.from=elsewhere.example; spf=fail smtp.mailfrom=eve@elsewhere.example", "Z9"),
        (EVE, "dkim=pass header.d=elsewhere.example", "list carol carolpass\nmove Z9"),
        ("bob", "none", "help cross"),
        ("bob", "none", "move Z9\nlist carol carolpass"),
        ("bob", "dmarc=fail header.from=example.net", "Z9"),
        ("carol", "dkim=pass header.d=example.net", "list carol carolpass\nmove Z9"),
        ("carol", "dkim=pass header.d=example.net", "help cross"),
    ],
)
def test_a_forwarded_board_uses_up_no_answers_of_its_player(
    sender: str, verdict: str, words: str, small: House
) -> None:
    head = f"Authentication-Results: {ROBOT.authserv_id}; {verdict}\r\n{EVIL}".encode()
    for _ in range(9):
        mail = small.answering(sender, words, 101, mail=1, of="bob")
        small.deliver(replace(mail, raw=head + mail.raw, mail_from=EVE))
    boxes = small.mailboxes.values()
    assert any(got["Subject"] == "pbm: no answers for a while" for box in boxes for got in box)
    for mails in (
        small.answer("bob", "Z8", 101, mail=1),
        small.answer("bob", "Z8", 101, mail=1, vouched=True),
        small.send("bob", "cross move 101 bob bobpass Z8"),
        small.send(EVE, "cross move 101 bob bobpass Z8"),
    ):
        assert [(got.board, got.refuses) for got in mails] == [(101, True)]


def at(mail: Arriving, network: int) -> Arriving:
    """The mail as our mail server took it from a machine in the network with this number."""
    where = f"Received: from x.example (unknown [185.12.{network}.9]) by mx.example.org; Thu, 1 Jan 2026 00:00:00 +0000"
    return replace(mail, raw=f"{where}\r\n".encode() + mail.raw)


@pytest.fixture
def usual(new_house: Callable[..., House]) -> House:
    """bob has shown in network 1 who he is, by answering a mail to him; no mail server vouches for anybody."""
    house = new_house(Settings(ROBOT, Limits(scale=0.05)))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    house.send("bob", "set bob bobpass")
    house.deliver(at(house.answering("bob", "list"), 1))
    return house


@pytest.mark.parametrize(("sender", "networks"), [("bob", (2, 3, 4, 5)), (EVE, (1, 2, 3, 4)), (EVE, (1,))])
def test_a_forwarded_board_silences_no_answers_where_its_player_usually_writes_from(
    sender: str, networks: tuple[int, ...], usual: House
) -> None:
    """15 an hour to a mailbox, and 5 because of a network: elsewhere with his address in From, and there without."""
    mails = [
        usual.deliver(at(usual.answering(sender, "Z9", 101, mail=1, of="bob"), network))
        for network in networks
        for _ in range(9)
    ]
    assert [] in mails
    assert [(got.board, got.refuses) for got in usual.deliver(at(usual.answering("bob", "Z8", 101), 1))] == [
        (101, True)
    ]


def test_a_forwarded_board_silences_no_answers_about_another(usual: House) -> None:
    """Wherever they come from."""
    usual.game("cross -size=4 alice bob")
    for network in (2, 3, 4, 5):
        for _ in range(9):
            usual.deliver(at(usual.answering("bob", "Z9", 101, mail=1), network))
    got = usual.deliver(at(usual.answering("bob", "Z8", 102), 6))
    assert [(each.board, each.refuses) for each in got] == [(102, True)]


def test_forged_mails_use_up_no_question_to_who_writes_from_where_they_usually_do(usual: House) -> None:
    usual.service.renew(Limits(), HouseRules(), "")
    asked = [usual.deliver(at(usual.mail("bob", "block alice"), network)) for network in (2, 3, 4, 5)]
    assert ["was that you" in got["Subject"] for (got,) in asked] == [True, True, True, False]
    (got,) = usual.deliver(at(usual.mail("bob", "block alice"), 1))
    assert got["Subject"] == "pbm: was that you?"


def test_who_only_plays_stays_where_they_usually_write_from_for_years(usual: House) -> None:
    """A board's token shows too little to begin with; elsewhere it keeps nothing, either."""
    usual.service.renew(Limits(), HouseRules(answer_token_days=1000), "")
    for network in (1, 1, 3):
        usual.now += timedelta(days=200)
        usual.service.tidy()
        usual.deliver(at(usual.answering("bob", "show", 101, mail=1), network))
    for network in (3, 4, 5, 6):
        usual.deliver(at(usual.mail("bob", "block alice"), network))
    (got,) = usual.deliver(at(usual.mail("bob", "block alice"), 1))
    assert got["Subject"] == "pbm: was that you?"
    usual.now += timedelta(days=200)
    usual.service.tidy()
    for network in (3, 4, 5, 6, 1):
        last = usual.deliver(at(usual.mail("bob", "block alice"), network))
    assert last == [] or "was that you" not in last[0]["Subject"], "he has not been there for more than a year"


def test_a_newcomer_has_shown_who_they_are_by_confirming_their_address(house: House) -> None:
    house.deliver(at(house.mail("joe@elsewhere.example", "signup joe a-good-word"), 1))
    house.deliver(at(house.answering("joe@elsewhere.example", "yes"), 1))
    house.player("alice")
    for network in (2, 3, 4, 5):
        house.deliver(at(house.mail("joe@elsewhere.example", "block alice"), network))
    (got,) = house.deliver(at(house.mail("joe@elsewhere.example", "block alice"), 1))
    assert got["Subject"] == "pbm: was that you?"
