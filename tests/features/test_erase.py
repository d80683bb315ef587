"""Erasing a player: what is asked, when it is done, and that no trace of them is left."""

from __future__ import annotations

import base64
import re
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import select

from pbm.cli.output import replayed
from pbm.compose.tell import mail_bytes
from pbm.domain.mail import Delivery
from pbm.server import Arriving
from pbm.server.operator import Administration
from pbm.server.steward import Steward
from pbm.store.players import Ban
from pbm.store.tables import metadata
from tests.conversation import ROBOT, Got, House, address_of

NAME = "zebulon"


@pytest.fixture
def lived(house: House) -> House:
    return house.lived(as_zebulon)


def as_zebulon(house: House) -> None:
    """zebulon has done most of what a player can do here."""
    for userid in (NAME, "bob", "carol", "dave"):
        house.player(userid, "both")
    first = house.game(f"cross -size=3 {NAME} bob", ["C3", "B2", "D4"])
    house.answer(NAME, "note\nI want E5.", first)
    house.answer(NAME, "chat\nMy words.", first)
    house.answer("bob", "resign!", first)
    given_up = house.game(f"cross -size=3 bob {NAME}")
    house.answer(NAME, "resign!", given_up)
    house.game(f"cross -size=3 {NAME} bob", ["C3", "B2"])
    other = house.game("cross -size=3 bob carol", ["C3"])
    for line in (
        f"follow {NAME} {NAME}pass {other}",
        f"follow {NAME} {NAME}pass carol",
        f"block {NAME} {NAME}pass dave",
        f"cross seek {NAME} {NAME}pass 2",
        f"set {NAME} {NAME}pass timezone Europe/Berlin",
        f"export {NAME} {NAME}pass",
        "cross show 101",
        "nonsense",
    ):
        house.send(NAME, line)
    house.send("carol", f"follow carol carolpass {NAME}")
    house.send(NAME, f"cross kibitz {other} {NAME} {NAME}pass", "Hm.")
    house.send(NAME, f"message {NAME} {NAME}pass bob", "Between us.")
    house.answer("bob", "And to you.")


def ask(house: House, userid: str = NAME) -> list[Got]:
    return house.send(userid, f"erase me {userid} {userid}pass")


def stored(house: House, word: str) -> list[str]:
    """The tables that hold the word anywhere, in capitals or not."""
    found = []
    with house.service.store.read() as tx:
        for table in metadata.sorted_tables:
            values = (value for row in tx._connection.execute(select(table)) for value in row)
            octets = (value if isinstance(value, bytes) else str(value).encode() for value in values)
            if any(word.encode() in value.lower() for value in octets):
                found.append(table.name)
    return found


def bans(house: House) -> list[Ban]:
    with house.service.store.read() as tx:
        return tx.bans.all()


def delivered(house: House) -> None:
    """Send all mails that are owed."""
    with house.service.store.write() as tx:
        tx.outbox.sent([queued.id for queued in tx.outbox.latest(None, 1000)], house.now)


def test_nothing_of_them_is_left(lived: House) -> None:
    assert {"players", "addresses", "inbox", "outbox", "matches", "tickets", "remarks"} & set(stored(lived, NAME))
    ask(lived)
    delivered(lived)
    lived.wait(timedelta(days=8))
    assert stored(lived, NAME) == []
    assert stored(lived, "i want e5") == []
    assert stored(lived, "my words") == []
    assert stored(lived, "between us") == []
    assert not lived.parked()


def test_what_waits_or_is_encoded_goes_as_well(lived: House) -> None:
    """Unsent mails with their words or address, held texts, and mails whose text is base64."""
    encoded = base64.encodebytes(f"Ask {address_of(NAME)} about it, she is {NAME}.".encode()).decode()
    raw = f"From: carol@example.net\r\nSubject: hello\r\nContent-Transfer-Encoding: base64\r\n\r\n{encoded}".encode()
    lived.deliver(Arriving("carol@example.net", (ROBOT.address,), raw))
    kept = lived.inbox_row.id
    lived.send("carol", f"message bob Write to {address_of(NAME)} instead.")
    assert lived.send("carol", "cross challenge carol dave", f"say {address_of(NAME)} knows")
    Administration(lived.service).remove_player(NAME)
    lived.wait(timedelta(days=1))
    with lived.service.store.read() as tx:
        row = tx.inbox.get(kept)
        assert row is not None
        assert row.raw == b""
    assert stored(lived, address_of(NAME)) == ["remarks"], "what others wrote to a board stays theirs"
    assert stored(lived, "between us") == []
    assert {"outbox"} <= set(stored(lived, address_of("bob"))), "how the games end is still told"


ADDRESS = address_of(NAME)
IN_BASE64 = base64.b64encode(f"Ask {ADDRESS}, that is {NAME}".encode()).decode()
BASE64 = "Content-Transfer-Encoding: base64"
ENTITIES = "".join(f"&#{ord(letter)};" for letter in f"{NAME} is {ADDRESS}")
IN_QP = "".join(f"={ord(letter):02X}" for letter in ADDRESS)


def part(kind: str, body: str, *fields: str) -> str:
    return "\r\n".join([f"Content-Type: {kind}", *fields, "", body])


@pytest.mark.parametrize(
    ("inner", "stays"),
    [
        (part("text/plain", IN_BASE64, BASE64), ""),
        (part("text/plain; charset=utf-7", f"it is {NAME}"), ""),
        (part("text/html", f"<p>It is {ENTITIES}</p>"), ""),
        (part("text/html", "<p>It is zebu<b>lon</b></p>"), ""),
        (part("application/octet-stream", IN_BASE64, BASE64), "Hello"),
        (part("text/plain; name=a.txt", IN_BASE64, BASE64), ""),
        (
            part("text/plain", IN_BASE64, "Content-Transfer-Encoding: base64", "Content-Disposition: attachment"),
            "Hello",
        ),
        (part("application/zip", IN_QP, "Content-Transfer-Encoding: quoted-printable"), "Hello"),
        (part("message/rfc822", part("text/plain", IN_BASE64, BASE64)), "Hello"),
        (part("text/plain", f"invite {IN_QP}", "Content-Transfer-Encoding: quoted-printable"), ""),
        (part("image/png", "iVBORw0KGgo=", BASE64), "Hello"),
    ],
)
@pytest.mark.parametrize("alone", [True, False])
def test_what_cannot_be_searched_is_not_kept(lived: House, inner: str, stays: str, alone: bool) -> None:
    """stays: what does of a mail that has the part below a text of its own."""
    head = "From: carol@example.net\r\nSubject: hello\r\nMIME-Version: 1.0\r\n"
    parts = "".join(f"--x\r\n{each}\r\n" for each in (part("text/plain", "Hello"), inner))
    raw = head + (inner if alone else part("multipart/mixed; boundary=x", f"\r\n{parts}--x--\r\n"))
    lived.deliver(Arriving("carol@example.net", (ROBOT.address,), raw.encode()))
    mail = lived.inbox_row.id
    lived.send("carol", "games", "Nothing of interest to anybody")
    other = lived.inbox_row
    Administration(lived.service).remove_player(NAME)
    lived.wait(timedelta(days=1))
    with lived.service.store.read() as tx:
        row, same = tx.inbox.get(mail), tx.inbox.get(other.id)
    assert row is not None
    assert same is not None
    assert same.raw == other.raw, "all of it can be searched"
    assert not re.search(rb"zebu|lon<|&#122|%s|=7A|iVBO" % IN_BASE64[:20].encode(), row.raw, re.IGNORECASE)
    assert alone or (stays.encode() in row.raw)


def test_the_ban_of_an_erased_player_holds_at_their_address_and_names_nobody(lived: House) -> None:
    hand = Steward(lived.service)
    hand.ban(NAME, None, f"{NAME.title()} was rude")
    hand.ban("dave", lived.now + timedelta(days=99), f"told {NAME} off")
    Administration(lived.service).remove_player(NAME)
    delivered(lived)
    lived.wait(timedelta(days=1))
    assert stored(lived, NAME) == []
    reasons = {ban.subject.partition(":")[0]: ban.reason for ban in bans(lived)}
    assert set(reasons) == {"hash", "dave"}
    assert all(re.fullmatch(r"(told )?erased-\d+( was rude| off)", reason) for reason in reasons.values())
    assert lived.send(address_of(NAME), f"signup zed {address_of(NAME)}") == []
    assert lived.send(f"{NAME}+2@example.net", "help") == []
    assert lived.send("somebody@example.net", "help") != []
    (kept,) = [ban.subject for ban in bans(lived) if ban.subject != "dave"]
    hand.lift(kept)
    assert lived.send(address_of(NAME), "help") != []


@pytest.mark.parametrize("subject", [NAME, address_of(NAME)])
def test_a_ban_that_is_over_is_forgotten_with_its_player(lived: House, subject: str) -> None:
    hand = Steward(lived.service)
    hand.ban(subject, lived.now + timedelta(days=1), "")
    lived.wait(timedelta(days=2))
    Administration(lived.service).remove_player(NAME)
    assert bans(lived) == []


def test_what_others_share_with_them_stays(lived: House) -> None:
    ask(lived)
    mails = lived.wait(timedelta(days=8))
    assert {got.address for got in mails} == {address_of("bob"), address_of("carol")}
    assert not any(NAME in got.text for got in mails)
    assert not [each.problem for each in replayed(lived.service.store) if each.problem]
    for line in ("cross show 101", "cross history", "cross standings", "cross games", "why bob bobpass 101"):
        for got in lived.send("bob", line):
            assert not got.refuses, got.text
            assert NAME not in got.text.replace(f"> {NAME}", "")
    (got,) = lived.send("bob", "cross show 102")
    assert "erased-1 has declined to play" in got.body


def test_nothing_happens_before_its_time(lived: House) -> None:
    ask(lived)
    before = lived.dump()
    assert lived.wait(timedelta(days=6, hours=23)) == []
    assert lived.dump()["players"] == before["players"]
    assert not lived.send(NAME, f"erase no {NAME} {NAME}pass")[0].refuses
    assert lived.wait(timedelta(days=5)) == []
    assert lived.dump()["players"] == before["players"]


def test_a_server_that_was_down_erases_once(lived: House) -> None:
    ask(lived)
    mails = lived.sleep(timedelta(days=12))
    assert sum(got.address == address_of("bob") for got in mails) == 1
    assert not any("has left" in got.body for got in lived.sleep(timedelta(days=12)))


@pytest.mark.parametrize("word", ["keep", "Keep!", "erase no", "no"])
def test_a_word_stops_it(word: str, house: House) -> None:
    house.player("alice")
    ask(house, "alice")
    (got,) = house.answer("alice", word)
    assert "Nothing is erased" in got.body
    house.wait(timedelta(days=8))
    assert not house.send("x@example.com", "about alice")[0].refuses


def test_other_words_do_not_stop_it_and_say_what_does(house: House) -> None:
    house.player("alice")
    ask(house, "alice")
    (got,) = house.answer("alice", "What is this?")
    assert "Write: keep" in got.body
    house.wait(timedelta(days=8))
    assert stored(house, "erased-1") == ["players"]
    assert stored(house, "alice@") == []


def test_an_address_alone_proves_nothing(house: House) -> None:
    house.players("alice", "mallory")
    mails = house.send("alice", "erase me")
    assert [got["Subject"] for got in mails] == ["pbm: erase you?"]
    house.wait(timedelta(days=9))
    assert not house.send("x@example.com", "about alice")[0].refuses
    assert house.send("mallory", "erase me alice wrongpass")[0].refuses


def test_whoever_reads_the_mail_may_say_yes_and_no(house: House) -> None:
    house.player("alice")
    house.send("alice", "erase me")
    (got,) = house.answer("alice", "no")
    assert "Nothing is erased" in got.body
    house.send("alice", "erase me")
    (got,) = house.answer("alice", "yes")
    assert got["Subject"] == "pbm: you will be erased"
    house.wait(timedelta(days=8))
    assert house.send("x@example.com", "about alice")[0].refuses


@pytest.mark.parametrize("words", ["start", "Fun!", "join", "Let's go!", "Sounds good"])
def test_words_that_agree_to_a_game_erase_nobody(words: str, house: House) -> None:
    house.player("alice")
    house.send("alice", "erase me")
    (got,) = house.answer("alice", words)
    assert got["Subject"] == "pbm: yes or no?"
    assert house.answer("alice", "yes")[0]["Subject"] == "pbm: you will be erased"


def test_nobody_is_asked_again_and_again(house: House) -> None:
    house.player("alice")
    mails = [house.send("alice", "erase me")[-1] for _ in range(5)]
    assert [got.refuses for got in mails] == [False, False, False, True, True]


def test_an_account_that_was_deleted_meanwhile_is_erased_all_the_same(lived: House) -> None:
    ask(lived)
    lived.send(NAME, f"delete {NAME} {NAME}pass")
    delivered(lived)
    lived.wait(timedelta(days=8))
    assert stored(lived, NAME) == []


def test_the_name_of_an_erased_player_cannot_be_taken(house: House) -> None:
    (got,) = house.send("x@example.com", "signup erased-7 Sesame-1")
    assert got.refuses


@pytest.mark.parametrize("way", ["claimed", "shared"])
def test_an_address_that_is_also_somebody_elses_costs_them_nothing(way: str, lived: House) -> None:
    """claimed: zebulon has only named the address of bob. shared: both read mail there."""
    lived.send(NAME, f"add {NAME} {NAME}pass {address_of('bob')}")
    if way == "shared":
        lived.answer("bob", "yes")
    ask(lived)
    delivered(lived)
    lived.wait(timedelta(days=6, hours=23))
    (got,) = lived.send("bob", "cross show 104")
    lived.send("bob", "A question", "Who are you?", to="postmaster@example.org")
    lived.wait(timedelta(hours=2))
    with lived.service.store.read() as tx:
        assert got.raw in [mail_bytes(queued.mail) for queued in tx.outbox.latest(Delivery.QUEUED, 100)]
    assert [mail.mail_from for mail in lived.parked()] == [address_of("bob")]
    assert stored(lived, NAME) == []


def test_other_forms_of_their_address_are_forgotten(house: House) -> None:
    address = "z.e.bulon+games@gmail.com"
    house.send(address, "hello?")
    house.send(address, "signup joe joepass1")
    house.answer(address, "yes")
    house.send("x@example.com", f"signup joseph joespass1 {address}")
    house.send(address, "erase me joe joepass1")
    delivered(house)
    house.wait(timedelta(days=8))
    assert stored(house, NAME) == stored(house, "z.e.bulon") == []


def test_what_is_noted_beside_mails_and_elsewhere_goes_as_well(lived: House) -> None:
    """Who brought a mail and why it ended so, a tag in their address, and whose password was given from there."""
    where = b"Received: from x.example (unknown [185.12.7.9]) by mx.example.org; Thu, 1 Jan 2026 00:00:00 +0000\r\n"
    household = lived.mail(NAME, "set bob bobpass timezone Europe/Berlin")
    lived.deliver(replace(household, raw=where + household.raw))
    lived.send(f"{NAME}+tag@example.net", "help")
    forwarded = lived.mail("carol", "games")
    lived.deliver(replace(forwarded, mail_from=f"prvs=0123abcd={address_of(NAME)}"))
    path = lived.service.tools.composer.return_path(
        lived.mailboxes[address_of(NAME)][-1]["Message-ID"][1:].split("@")[0]
    )
    report = f"From: MAILER-DAEMON@mx.example.net\r\nTo: {path}\r\nSubject: Undelivered Mail Returned to Sender\r\n\r\n"
    lived.deliver(Arriving("", (path,), report.encode()))
    assert NAME in lived.inbox_row.reason
    ask(lived)
    delivered(lived)
    lived.wait(timedelta(days=8))
    assert stored(lived, NAME) == []


def test_an_address_that_they_have_never_confirmed_is_left_nowhere_and_counted_as_before(house: House) -> None:
    """Else whoever signs up again and again could ask it as often as they like."""
    house.player(NAME)
    house.send(NAME, f"add {NAME} {NAME}pass victim@elsewhere.example")
    house.send(NAME, "reset password nobody")
    house.send("other@elsewhere.example", f"set {NAME} wrong-word")
    delivered(house)
    ask(house)
    house.wait(timedelta(days=8))
    assert stored(house, "victim@elsewhere") == []
    with house.service.store.read() as tx:
        kinds = tx._connection.execute(select(metadata.tables["attempts"].c.kind)).scalars().all()
    assert "no answer" in kinds
