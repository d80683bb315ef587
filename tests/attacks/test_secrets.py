"""Passwords in mails: what is stored after a mail is handled, and that only passwords are blacked out."""

from __future__ import annotations

import asyncio
import base64
import os
import quopri
import re
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from pbm.compose.tell import mail_bytes
from pbm.domain.errors import NotAllowed
from pbm.domain.mail import Arrival, Received, RemarkKind
from pbm.edges.transports import Maildir, Outgoing
from pbm.server.operator import Administration
from pbm.server.rows import handle_again
from pbm.store.backup import copy
from pbm.store.tables import inbox, outbox_texts
from tests.conversation import Got, House, address_of

EVE = "eve@elsewhere.example"
SECRET = "Sesame-1%"


def row(house: House) -> Received:
    return house.inbox_row


def stored(house: House) -> bytes:
    """All stored bytes of mails, received and sent."""
    with house.service.store.read() as tx:
        kept = [tx._connection.execute(select(table.c.raw)).scalars().all() for table in (inbox, outbox_texts)]
    return b"\n".join(raw for each in kept for raw in each)


def holds(content: bytes, secret: str = SECRET) -> bool:
    """Whether the content holds the secret, in clear or encoded as mail programs do."""
    for encoded in (secret.encode(), quopri.encodestring(secret.encode()), secret.encode("utf-16-le")):
        if encoded in content:
            return True
    pieces = (base64.b64decode(word + b"=" * (-len(word) % 4)) for word in content.split() if is_base64(word))
    return any(secret.encode() in piece for piece in pieces)


def is_base64(word: bytes) -> bool:
    return len(word) > 8 and len(word) % 4 != 1 and re.fullmatch(rb"[A-Za-z0-9+/]+=*", word) is not None


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        (f"signup joe {SECRET}", ""),
        ("hello", f"signup joe {SECRET}\n"),
        ("", f"signup joe {SECRET} joe@x.example nonsense"),
        (f"singup joe {SECRET}", ""),
        (f"cross seek bob {SECRET} 2", ""),
        (f"change password bob bobpass {SECRET}", ""),
        (f"change password bob {SECRET}", ""),
        ("", f"password {SECRET}"),
        ("", f"cross challenge alice bob bob {SECRET}"),
        ("Fwd: login", f"set bob {SECRET} mail text"),
    ],
)
@pytest.mark.parametrize("sender", [EVE, "bob"])
def test_a_mail_that_is_handled_is_kept_without_its_passwords(
    subject: str, body: str, sender: str, table: House
) -> None:
    table.send(sender, subject, body)
    assert row(table).state is Arrival.HANDLED
    assert not holds(row(table).raw), row(table).raw
    assert address_of(sender).encode() in row(table).raw


def mime(kind: str, text: str) -> bytes:
    """A mail in one of the forms in which programs send text."""
    head = f"From: {address_of('bob')}\r\nTo: pbm@example.org\r\nMessage-ID: <m@x.example>\r\nMIME-Version: 1.0\r\n"
    coded = base64.encodebytes(text.encode()).decode().replace("\n", "\r\n")
    quoted = quopri.encodestring(text.encode()).decode().replace("\n", "\r\n")
    html = f"<html><body><p>{text}</p></body></html>"
    plain = "Content-Type: text/plain; charset=utf-8\r\n"
    forms = {
        "base64": f"{plain}Content-Transfer-Encoding: base64\r\n\r\n{coded}",
        "quoted-printable": f"{plain}Content-Transfer-Encoding: quoted-printable\r\n\r\n{quoted}",
        "subject": f"Subject: =?utf-8?B?{base64.b64encode(text.encode()).decode()}?=\r\n{plain}\r\n",
        "html": f"Content-Type: text/html; charset=utf-8\r\n\r\n{html}",
        "both": "Content-Type: multipart/alternative; boundary=b\r\n\r\n"
        f"--b\r\n{plain}Content-Transfer-Encoding: base64\r\n\r\n{coded}\r\n"
        f"--b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
        f"{quopri.encodestring(html.encode()).decode()}\r\n"
        f"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=x\r\n\r\n{text}\r\n--b--\r\n",
        "utf-16": "Content-Type: text/plain; charset=utf-16le\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        + base64.encodebytes(text.encode("utf-16-le")).decode(),
    }
    return (head + forms[kind]).encode()


@pytest.mark.parametrize("kind", ["base64", "quoted-printable", "subject", "html", "both", "utf-16"])
def test_in_whatever_form_it_came(kind: str, table: House) -> None:
    table.send("bob", f"change password bob bobpass {SECRET}")
    mail = replace(table.mail("bob", ""), raw=mime(kind, f"set bob {SECRET} receipts off"))
    (got,) = table.deliver(mail)
    assert got["Subject"] == "pbm: your settings"
    assert not holds(stored(table)), row(table).raw
    assert b"receipts off" in row(table).raw


def test_the_answer_that_sets_a_new_password_is_kept_without_it(table: House) -> None:
    table.send(EVE, "reset password bob")
    table.answer("bob", SECRET)
    assert not holds(stored(table))
    table.send("bob", f"set bob {SECRET} mail text")
    assert table.mailboxes[address_of("bob")][-1]["Subject"] == "pbm: your settings"
    assert not holds(stored(table))


@pytest.mark.parametrize(
    "words", ["change password bobpass NEW", "change password NEW", "change password bob bobpass NEW x"]
)
def test_a_new_password_that_was_not_set_comes_back_in_no_answer(words: str, table: House) -> None:
    line = words.replace("NEW", SECRET)
    (got,) = table.send("bob", line)
    assert got.refuses
    assert SECRET not in got.body
    assert not holds(stored(table))


def test_a_second_delivery_is_kept_without_passwords_as_well(house: House) -> None:
    house.send(EVE, f"signup joe {SECRET}")
    assert house.last is not None
    house.deliver(house.last)
    assert row(house).state is Arrival.IGNORED
    assert not holds(stored(house))


def test_a_mail_that_waits_is_whole(house: House) -> None:
    mail = house.mail(EVE, f"signup joe {SECRET}")
    house.service.accept([mail])
    assert row(house).raw == mail.raw


def test_a_parked_mail_is_whole_and_can_be_done_later(table: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("ours")

    with monkeypatch.context() as patch:
        patch.setattr("pbm.server.order.run", broken)
        table.send("bob", "set bob bobpass mail text")
    (parked,) = table.parked()
    assert b"bobpass" in parked.raw
    with table.service.store.write() as tx:
        handle_again(tx, [parked.id])
    table.service.handle()
    assert not holds(stored(table), "bobpass")


def test_a_mail_without_a_password_is_kept_as_it_came(table: House) -> None:
    mail = table.answering("bob", "C4", 101)
    table.deliver(mail)
    assert row(table).raw == mail.raw


def test_no_copy_of_the_file_holds_a_password(house: House, tmp_path: Path) -> None:
    """Nor do the remains of deleted rows in its pages; a mail is longer than a page here."""
    file = house.url.removeprefix("sqlite:///")
    if not Path(file).is_file():
        pytest.skip("a database of SQLite")
    house.send(EVE, f"signup joe {SECRET}", "x" * 20_000)
    house.send(EVE, "", f"signup ann {SECRET}\n" + "y\n" * 9_000)
    copy(Path(file), tmp_path / "copy.db")
    assert SECRET.encode() not in (tmp_path / "copy.db").read_bytes()
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        assert connection.execute("SELECT count(*) FROM inbox").fetchone() == (2,)


@pytest.mark.parametrize(
    "words",
    [
        "alice says hello",
        "bob is in town on Monday, shall we meet?",
        "My password is secret, and yours?",
        "alice alicepass",
        "I log in as bob wrongpass",
        "joe Sesame1 was the password in that book",
    ],
)
def test_words_that_are_no_password_of_the_sender_reach_the_other_player(words: str, table: House) -> None:
    """Even the other player's password, or else anybody could find out by this which words are passwords."""
    mails = table.answer("bob", f"C4\n\n{words}", 101)
    (got,) = (got for got in mails if got.address == address_of("alice"))
    assert words in " ".join(got.body.split())
    assert words.encode() in row(table).raw
    with table.service.store.read() as tx:
        assert words in tx.remarks.of(RemarkKind.COMMENT, 101)[0].text


@pytest.mark.parametrize(
    "line",
    [
        "login bob bobpass",
        "102 bob bobpass hello",
        "resign bob bobpass x",
        "bob bobpass",
        "please change password bob geheim1 bobpass",
    ],
)
def test_a_faulty_command_with_a_password_goes_to_nobody_else(line: str, table: House) -> None:
    """Not even if its writer says yes to a question of ours."""
    mails = table.answer("bob", f"{line}\n\nThank you!", 101)
    mails += table.answer("bob", "yes")
    assert {got.address for got in mails} == {address_of("bob")}
    assert not any("bobpass" in got.body for got in mails)
    assert not holds(stored(table), "bobpass")


def forgotten(house: House) -> list[str]:
    with house.service.store.read() as tx:
        return [mail.state for mail in tx.inbox.latest(None, 1000) if not mail.raw]


def sent(house: House) -> list[Got]:
    with house.service.store.read() as tx:
        return [Got(each.mail.address, mail_bytes(each.mail), each.mail.board) for each in tx.outbox.latest(None, 1000)]


def deliver_all(house: House) -> None:
    with house.service.store.write() as tx:
        ids = [each.id for each in tx.outbox.latest(None, 1000)]
        tx.outbox.sent(ids, house.now)


def test_mails_that_are_done_with_are_forgotten_after_a_month(table: House) -> None:
    board = table.game("cross -size=4 --clock=none alice bob", ["D4", "C4"])
    table.send("bob", "list")
    newest = {got.address: got["Message-ID"] for got in reversed(sent(table)) if got.board == board}
    deliver_all(table)
    table.wait(timedelta(days=29))
    table.service.tidy()
    table.wait(timedelta(minutes=1))
    assert not forgotten(table)
    table.wait(timedelta(days=1))
    table.service.tidy()
    table.wait(timedelta(minutes=1))
    assert set(forgotten(table)) == {Arrival.FORGOTTEN}
    left = {got["Message-ID"] for got in sent(table)}
    assert not any(got["Message-ID"] in left for got in table.mailboxes[address_of("bob")] if "list" in got["Subject"])
    assert newest[address_of("bob")] in left, "the last about a board under way"
    first = next(got for got in table.mailboxes[address_of("bob")] if got.board == board)
    assert first["Message-ID"] not in left
    with pytest.raises(NotAllowed, match="nothing is left"), table.service.store.write() as tx:
        handle_again(tx, [1])


def test_an_old_mail_that_is_delivered_again_does_nothing(table: House) -> None:
    mail = table.mail("bob", "set bob bobpass mail text")
    table.deliver(mail)
    deliver_all(table)
    table.wait(timedelta(days=31))
    table.service.tidy()
    table.wait(timedelta(minutes=1))
    assert table.deliver(mail) == []
    assert row(table).state is Arrival.IGNORED


def test_a_mail_that_waits_to_be_sent_is_never_forgotten(table: House) -> None:
    before = len(sent(table))
    table.wait(timedelta(days=60))
    table.service.tidy()
    table.wait(timedelta(minutes=1))
    assert len(sent(table)) >= before


@pytest.mark.parametrize("way", ["the player", "the operator"])
def test_who_removes_a_player_makes_no_difference(way: str, table: House) -> None:
    table.send("alice", "message alice alicepass bob", "Are you there?")
    table.send("alice", "cross seek alice alicepass 2")
    deliver_all(table)
    if way == "the player":
        table.send("alice", "erase me alice alicepass")
        deliver_all(table)
    else:
        Administration(table.service).remove_player("alice")
    table.wait(timedelta(days=8))
    deliver_all(table)
    rows = {name: [row for row in rows if "alice" in repr(row)] for name, rows in table.dump().items()}
    assert not any(rows.values()), rows
    with table.service.store.read() as tx:
        assert not tx.tickets.issued_since("message", "alice", table.now - timedelta(days=30))
        kept = [mail.raw for mail in tx.inbox.latest(None, 100)]
    assert not any(address_of("alice").encode() in raw for raw in kept)


def test_mailboxes_that_are_made_are_for_their_owner_alone(tmp_path: Path) -> None:
    mail = Outgoing("pbm@example.org", "bob@example.net", b"Subject: x\r\n\r\n", 1)
    before = os.umask(0)
    try:
        asyncio.run(Maildir(tmp_path / "mail").send(mail))
    finally:
        os.umask(before)
    folders = [tmp_path / "mail", *(path for path in (tmp_path / "mail").rglob("*") if path.is_dir())]
    assert len(folders) == 5
    assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("hex challenge alice bob alicepass", ""),
        ("hex challenge alice bob alicepass", "no words"),
        ("rename robot6 alice alicepass", ""),
        ("", "Alice Alicepass"),
    ],
)
def test_a_password_in_the_wrong_place_is_not_quoted(house: House, subject: str, text: str) -> None:
    house.players("alice", "bob")
    mails = house.send("alice", subject, text)
    assert "*****" in mails[-1].body
    assert not any("alicepass" in got.body.casefold() for got in mails)
