"""Mails made to cost: bombs over the real listener, floods of logins, forged senders. Players still get answers."""

from __future__ import annotations

import base64
import email
import gzip
import re
import smtplib
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbm.core import passwords
from pbm.core.passwords import Hasher
from pbm.domain.configuration import Limits
from pbm.mailin import Robot
from pbm.server import Settings
from tests.cli.conftest import Pbm
from tests.cli.conftest import alone as alone
from tests.cli.conftest import begun as begun
from tests.cli.conftest import game as game
from tests.cli.conftest import pbm as pbm
from tests.cli.test_serve import mails_in, port_of, serving
from tests.conversation import ROBOT, Got, House, address_of
from tests.patience import PATIENCE_SECONDS, wait_until

MOST = 1_000_000
QUIET = {"PBM_LOG__LEVEL": "error"}
"""Nobody reads what the server writes before it ends, and a pipe holds little."""
MACHINE = "185.12.64.1"


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Pbm:
    """alice and bob at board 101 of the server under attack."""
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    game: Pbm = request.getfixturevalue("game")
    return game


def mail(*fields: str, body: bytes = b"", number: int = 0) -> bytes:
    head = ["From: alice@example.net", f"Message-ID: <bomb-{number}@x.org>", *fields, "", ""]
    return "\r\n".join(head).encode() + body


def filled(piece: bytes, before: bytes = b"") -> bytes:
    return before + piece * ((MOST - len(before)) // len(piece))


def bombs() -> dict[str, bytes]:
    text, nested = "Content-Type: text/plain", b""
    for depth in range(3000):
        nested += b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (depth, depth)
    mixed, html = "Content-Type: multipart/mixed; boundary=b", "Content-Type: text/html"
    packed = base64.encodebytes(gzip.compress(b"\0" * 50_000_000))
    lots = b"<!DOCTYPE x [<!ENTITY a 'ha'>" + b"".join(
        b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)
    )
    return {
        "headers": b"From: alice@example.net\r\n" + filled(b"X-A: b\r\n") + b"\r\nhelp\r\n",
        "one header": mail("Subject: " + "help " * 190_000),
        "a folded header": b"From: alice@example.net\r\nSubject: x" + filled(b"\r\n a") + b"\r\n\r\n",
        "ids": mail("References: " + "<a@b> " * 160_000, "Subject: help"),
        "senders": b"From: " + filled(b"a@b.org, ") + b"\r\n\r\nhelp\r\n",
        "comments": b"From: " + b"(" * 900_000 + b"\r\n\r\nhelp\r\n",
        "encoded words": mail("Subject: " + "=?utf-8?b?YQ==?= " * 50_000),
        "parameters": mail("Content-Type: text/plain; " + "; ".join(f"a*{n}*=b" for n in range(60_000))),
        "parts": mail(mixed, body=filled(b"--b\r\n\r\nx\r\n")),
        "parts in parts": b"From: alice@example.net\r\n" + nested + b"help\r\n",
        "mails in mails": mail("Content-Type: message/rfc822", body=filled(b"Content-Type: message/rfc822\r\n\r\n")),
        "boundaries": mail("Content-Type: multipart/mixed; boundary=" + "-" * 900, body=filled(b"-" * 900 + b"\r\n")),
        "a packed file": mail(mixed, body=b"--b\r\nContent-Type: application/gzip\r\nContent-Encoding: gzip\r\n"
                              b"Content-Transfer-Encoding: base64\r\n\r\n" + packed + b"\r\n--b--\r\n"),
        "packed text": mail(text, "Content-Encoding: gzip", "Content-Transfer-Encoding: base64", body=packed),
        "quoted-printable": mail(text, "Content-Transfer-Encoding: quoted-printable", body=filled(b"=\r\n")),
        "base64": mail(text, "Content-Transfer-Encoding: base64", body=filled(b"QUFB" * 19 + b"\r\n")),
        "shifting charset": mail(text + "; charset=iso-2022-jp", body=filled(b"\x1b$B\x1b(B")),
        "entities": mail(html, body=lots + b"]><p>&l;</p>"),
        "deep html": mail(html, body=filled(b"<div><table><tr><td>")),
        "attributes": mail(html, body=filled(b" a=b", b"<p")),
        "styles": mail(html, body=filled(b"<p style='margin:99999999em;width:1e99px'>a")),
        "quotes": mail(text, body=filled(b">> > ")),
        "blank lines": mail(text, body=filled(b"\r\n")),
        "attributions": mail(text, body=filled(b"On a b wrote:\r\n")),
    }  # fmt: skip


def largest_memory(pid: int) -> int:
    """The most memory that a process has used, in octets."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1]) * 1024


def in_state(database: Path, state: str) -> int:
    with closing(sqlite3.connect(database)) as connection:
        return int(connection.execute("SELECT count(*) FROM inbox WHERE state = ?", (state,)).fetchone()[0])


def words(tmp_path: Path) -> tuple[str, ...]:
    return ("--listen", "127.0.0.1:0", "--domain", "example.org", "--maildir", str(tmp_path / "mail"))


def answer_last(port: int, tmp_path: Path, userid: str, text: str) -> None:
    """Answer the last board mail that a player has got, as the player would."""
    box = map(email.message_from_bytes, mails_in(tmp_path / f"mail/{userid}@example.net", 1))
    *_, got = (each for each in box if "Board 101" in each["Subject"])
    reply = f"From: {userid}@example.net\r\nSubject: Re: {got['Subject']}\r\nMessage-ID: <{text}@x>\r\n\r\n{text}\r\n"
    with smtplib.SMTP("127.0.0.1", port, timeout=PATIENCE_SECONDS) as client:
        client.sendmail(f"{userid}@example.net", [got["Reply-To"]], reply)


@pytest.mark.servers
def test_bombs_are_read_in_bounded_memory_and_stop_nobody(played: Pbm, tmp_path: Path) -> None:
    with serving(*words(tmp_path), **QUIET) as (process, line):
        mails_in(tmp_path / "mail/alice@example.net", 1)
        sent = 0
        with smtplib.SMTP("127.0.0.1", port_of(line), timeout=PATIENCE_SECONDS) as client:
            for bomb in bombs().values():
                sent += 1
                client.sendmail(
                    "alice@example.net", ["pbm@example.org"], bomb.replace(b"<bomb-0@", b"<bomb-%d@" % sent)
                )
        answer_last(port_of(line), tmp_path, "alice", "D4")
        wait_until(lambda: in_state(tmp_path / "pbm.db", "new") == 0)
        mails_in(tmp_path / "mail/bob@example.net", 2)
        memory = largest_memory(process.pid)
    assert memory < 400 << 20
    assert sent == len(bombs())
    shown = played("board", "show", "101").stdout
    assert "1 D4" in shown


@pytest.mark.servers
def test_a_flood_of_logins_does_not_stall_a_move(played: Pbm, tmp_path: Path) -> None:
    """With real hashes, each of which costs as much as many moves."""
    limit = {"PBM_LIMITS__SCALE": "0.1"}
    with serving(*words(tmp_path), **QUIET, **limit) as (_, line):
        mails_in(tmp_path / "mail/alice@example.net", 1)
        with smtplib.SMTP("127.0.0.1", port_of(line), timeout=PATIENCE_SECONDS) as client:
            for number in range(400):
                fields = (
                    f"From: m{number}@evil.example",
                    f"Message-ID: <g{number}@x>",
                    f"Subject: set u{number} wrong-{number:04}",
                )
                guess = "\r\n".join([*fields, "", ""])
                client.sendmail("m@evil.example", ["pbm@example.org"], guess)
        answer_last(port_of(line), tmp_path, "alice", "D4")
        mails_in(tmp_path / "mail/bob@example.net", 2)
        wait_until(lambda: in_state(tmp_path / "pbm.db", "new") == 0)
    with closing(sqlite3.connect(tmp_path / "pbm.db")) as connection:
        (looked,) = connection.execute("SELECT failures FROM attempts WHERE kind = 'strangers'").fetchone()
    assert 30 < looked <= 60


def test_never_more_than_a_few_hashes_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now, most, guard = 0, 0, threading.Lock()

    class Slow:
        def verify(self, *_: str) -> bool:
            nonlocal now, most
            with guard:
                now, most = now + 1, max(most, now + 1)
            time.sleep(0.005)
            with guard:
                now -= 1
            return True

    monkeypatch.setattr(passwords, "_hasher", Slow())
    pool = Hasher(workers=2)
    askers = [threading.Thread(target=pool.verify, args=([("word", "hash")] * 10,)) for _ in range(10)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    pool.close()
    assert most == 2


def asked(house: House, sender: str, subject: str, peer: str = "") -> list[Got]:
    """The mails that answer one, while no time passes."""
    house.now -= timedelta(minutes=1)
    return house.deliver(replace(house.mail(sender, subject), peer=peer))


def test_a_forged_sender_draws_few_mails_to_whom_they_name(table: House) -> None:
    drawn = [bool(asked(table, "bob", "cross show 101")) for _ in range(30)]
    assert drawn == [True] * 21 + [False] * 9, "twenty, and one that says so"
    assert table.answer("bob", "help", 101), "who proves to be bob is answered"


def test_forgers_draw_no_more_help_than_any_answers(new_house: Callable[..., House]) -> None:
    house = new_house()
    house.player("bob")
    assert [bool(asked(house, "bob", "help cross")) for _ in range(35)] == [True] * 31 + [False] * 4
    assert all(house.answer("bob", "help cross") for _ in range(35)), "who answers our mails reads on"


def test_mails_that_prove_nothing_leave_half_of_all_answers_to_others(new_house: Callable[..., House]) -> None:
    limits = Limits(unproven_in_all_per_hour=10, unproven_answers_per_hour=1000, stranger_answers_per_day=1000)
    house = new_house(Settings(ROBOT, limits))
    house.players("alice", "bob")
    house.game("cross -size=4 alice bob")
    drawn = sum(bool(asked(house, f"m{number}@evil.example", "help")) for number in range(30))
    assert drawn <= 10
    assert house.answer("alice", "help", 101)


LINES = ["list", "xyzzy and more", "cross show 101", "signup nam{} a-good-word", "cross move 101 D4", "cross standings"]


@pytest.mark.parametrize("by", ["domain", "network"])
def test_what_mails_draw_that_prove_nothing_is_little_for_a_domain_and_because_of_a_network(
    by: str, new_house: Callable[..., House]
) -> None:
    """Whomever they claim to be from, and whatever they ask for."""
    limits = Limits(stranger_answers_per_day=1000).model_copy(update={f"unasked_per_{by}_per_day": 10})
    house = new_house(Settings(Robot("pbm", "example.org"), limits))
    names = [f"nam{chr(97 + number)}" for number in range(24)]
    house.players("alice", "carol")
    house.game("cross -size=4 alice carol")
    drawn = []
    for number, name in enumerate(names):
        domain, peer = ("example.net", f"185.{number}.7.1") if by == "domain" else (f"v{number}.example", MACHINE)
        sender = f"{name}@{domain}" if by == "network" and number % 2 else address_of(name)
        drawn += asked(house, sender, LINES[number % len(LINES)].format(chr(97 + number)), peer)
    others = [got for got in drawn if got["Subject"] != "pbm: no answers for a while"]
    assert 5 <= len(others) <= 14, "ten answers, and four questions whether an address is theirs"
    assert asked(house, "new@x.example", "signup newcomer a-good-word", "186.12.65.2"), "others are answered"


def test_a_stranger_is_the_same_however_their_address_is_written(table: House) -> None:
    victim = ("joe@example.com", "JOE@example.com", "Joe@Example.com", "joE@example.com")
    assert [len(asked(table, sender, "help")) for sender in victim] == [1, 0, 0, 0]
    table.now += timedelta(days=1)
    assert [len(asked(table, sender, "help")) for sender in reversed(victim)] == [1, 0, 0, 0]


def test_nobody_is_buried_in_challenges(new_house: Callable[..., House]) -> None:
    house = new_house(Settings(ROBOT, Limits(scale=0.08)))
    house.players("alice", "bob", "carol", "dave")
    for challenger in ("bob", "carol"):
        for _ in range(2):
            house.game(f"cross -size=4 {challenger} alice")
    (got,) = house.send("dave", "cross challenge -size=4 dave alice")
    assert "games to which one player is challenged are limited to 4 a day" in " ".join(got.body.split())
    house.game("cross -size=4 dave bob")
    with house.service.store.read() as tx:
        assert len(tx.matches.summaries(limit=100)) == 5
    house.now += timedelta(days=1)
    house.game("cross -size=4 dave alice")
