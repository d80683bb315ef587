"""Encrypted mail: our key goes with each mail, players' keys are kept, and encrypted mail gets encrypted answers."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from datetime import timedelta
from email import message_from_bytes
from email.message import Message as Parsed

import pytest
from pysequoia import Cert, Profile, Tsk, decrypt, encrypt

from pbm.domain.mail import Arrival
from pbm.edges.crypt import Keyring, Sealing, new_key
from pbm.edges.decrypt import MAX_OPENED
from pbm.edges.transports import Outgoing, TemporaryFailure
from pbm.mailin.quotes import SENTINEL
from pbm.server import Arriving
from tests.conversation import Got, House, address_of, password

RING = Keyring(new_key("pbm@example.org"))


class Program:
    """A mail program that encrypts, with a key of its own. chats: whether it is a chat app."""

    def __init__(self, name: str, *, chats: bool = False) -> None:
        self.address = address_of(name)
        self.key = Tsk.generate(user_id=f"<{self.address}>", profile=Profile.RFC4880)
        self.certificate = bytes(self.key.extract_certificate())
        self.chats = chats

    @property
    def autocrypt(self) -> str:
        data = base64.b64encode(self.certificate).decode()
        return f"addr={self.address}; prefer-encrypt=mutual; keydata={data}"

    def sealed(self, house: House, text: str, to: str = "pbm@example.org", **more: str) -> Arriving:
        """A mail with its header fields hidden inside."""
        chat = "Chat-Version: 1.0\r\n" if self.chats else ""
        inner = (
            f"From: {self.address}\r\nSubject: ...\r\n{chat}Autocrypt: {self.autocrypt}\r\n"
            f'Content-Type: text/plain; charset=utf-8; protected-headers="v1"\r\n\r\n{text}\r\n'
        )
        return self.wrapped(house, inner.encode(), to, **more)

    def wrapped(self, house: House, inner: bytes, to: str = "pbm@example.org", **more: str) -> Arriving:
        secret = encrypt(inner, [Cert.from_bytes(RING.certificate)], signer=self.key.signer()).decode()
        body = (
            "--x\r\nContent-Type: application/pgp-encrypted\r\n\r\nVersion: 1\r\n--x\r\n"
            f"Content-Type: application/octet-stream\r\n\r\n{secret}\r\n--x--\r\n"
        )
        mail = house.mail(self.address, "...", body, to, **more)
        kind = b'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=x'
        return Arriving(mail.mail_from, mail.recipients, mail.raw.replace(b"text/plain; charset=utf-8", kind, 1))

    def opened(self, got: Parsed) -> Parsed:
        """The mail inside an encrypted one, with its signature checked unless it is a chat."""
        assert got.get_content_type() == "multipart/encrypted"
        secret = next(part for part in got.walk() if part.get_content_type() == "application/octet-stream")
        signer = [] if self.chats else [Cert.from_bytes(RING.certificate)]
        found = decrypt(
            str(secret.get_payload()).encode(), self.key.decryptor(), store=(lambda _: signer) if signer else None
        )
        assert len(found.valid_sigs) == len(signer)
        return message_from_bytes(found.bytes or b"")


class _Kept:
    """A way out that keeps the mails it is given."""

    def __init__(self) -> None:
        self.mails: list[Outgoing] = []

    async def send(self, mail: Outgoing) -> None:
        self.mails.append(mail)

    async def close(self) -> None:
        pass


def sent(house: House, got: Got) -> Parsed:
    """A mail as it leaves the server."""
    way = _Kept()
    sealing = Sealing(way, RING, house.service.peer_of)
    asyncio.run(sealing.send(Outgoing("bounce@example.org", got.address, got.raw, 1)))
    return message_from_bytes(way.mails[0].data)


def text_of(mail: Parsed) -> str:
    """The text of a mail that is not encrypted, or was opened."""
    return next(str(part.get_payload()) for part in mail.walk() if part.get_content_type() == "text/plain")


@pytest.fixture
def house(new_house: Callable[..., House]) -> House:
    return new_house(unlock=RING.unlock)


def test_every_mail_brings_our_key(house):
    (got,) = house.send("stranger@example.net", "help")
    mail = sent(house, got)
    addr, prefer, keydata = (part.strip() for part in mail["Autocrypt"].split(";"))
    assert (addr, prefer) == ("addr=pbm@example.org", "prefer-encrypt=mutual")
    assert base64.b64decode(keydata.removeprefix("keydata=")) == RING.certificate
    assert SENTINEL in text_of(mail), "and nothing else is changed"


def test_who_writes_encrypted_signs_up_and_is_answered_so(house):
    dora = Program("dora")
    (asked,) = house.deliver(dora.sealed(house, "signup dora"))
    shown = sent(house, asked)
    assert shown["Subject"] == "[...]"
    assert shown["Message-ID"] == asked["Message-ID"]
    inside = dora.opened(shown)
    assert inside["Subject"] == "pbm: please confirm your address"
    assert "To confirm it" in text_of(inside)
    (welcome,) = house.deliver(dora.sealed(house, "yes", to=asked["Reply-To"], In_Reply_To=asked["Message-ID"]))
    assert "Welcome, dora!" in text_of(dora.opened(sent(house, welcome)))


def test_a_board_is_played_encrypted_and_a_chat_app_gets_a_chat_of_it(house):
    house.players("alice", "bob")
    alice = Program("alice", chats=True)
    board = house.game("cross -size=4 alice bob")
    shown = house.mailboxes[alice.address][-1]
    house.deliver(alice.sealed(house, f"set alice {password('alice')}"))
    got = house.deliver(alice.sealed(house, "D4", to=shown["Reply-To"], In_Reply_To=shown["Message-ID"]))
    assert {mail.address for mail in got} == {alice.address, address_of("bob")}
    mine = {mail.address: sent(house, mail) for mail in got}
    inside = alice.opened(mine[alice.address])
    assert inside["Subject"].startswith(f"Cross Board {board}")
    assert inside["Chat-Group-Name"] == f"Cross Board {board}"
    assert inside["Chat-Group-ID"] in shown["List-Post"]
    assert "List-Id" not in inside
    assert mine[address_of("bob")].get_content_type() == "text/plain", "who has sent no key reads as ever"
    house.answer("bob", "B2", board)
    followed = house.mailboxes[alice.address][-1]
    assert alice.opened(sent(house, followed))["Auto-Submitted"] == "auto-generated"
    group = f"Chat-Version: 1.0\r\nChat-Group-ID: {inside['Chat-Group-ID']}"
    inner = f"From: {alice.address}\r\n{group}\r\nContent-Type: text/plain\r\n\r\nC3\r\n".encode()
    house.deliver(alice.wrapped(house, inner, In_Reply_To=followed["Message-ID"]))
    with house.service.store.read() as tx:
        assert tx.matches.summary(board).revision == 3, "what is written in the chat of a board plays on it"


@pytest.mark.parametrize("house_reads", [False, True])
def test_what_cannot_be_read_gets_a_sentence_once(new_house, house_reads):
    house = new_house(unlock=RING.unlock if house_reads else None)
    house.player("alice")
    alice = Program("alice")
    (told,) = house.deliver(_broken(alice, house))
    assert told["Subject"] == "pbm: your email is encrypted"
    assert "nothing was done" in " ".join(told.body.split())
    assert house.deliver(_broken(alice, house)) == []
    assert house.inbox_row.state is Arrival.IGNORED
    house.now += timedelta(days=2)
    assert len(house.deliver(_broken(alice, house))) == 1


def _broken(writer: Program, house: House) -> Arriving:
    mail = writer.sealed(house, "games")
    head, armor, rest = mail.raw.partition(b"-----BEGIN PGP MESSAGE-----")
    return Arriving(mail.mail_from, mail.recipients, head + armor + rest[:100])


def test_a_mail_is_not_opened_for_somebody_else(house):
    """Otherwise anybody who intercepts one could have it read to them."""
    house.player("alice")
    alice = Program("alice")
    mail = alice.sealed(house, "secret of alice's")
    thief = mail.raw.replace(b"From: alice@", b"From: mallory@").replace(b"mail-1@", b"mail-9@")
    (told,) = house.deliver(Arriving("mallory@example.net", mail.recipients, thief))
    assert told["Subject"] == "pbm: your email is encrypted"
    assert "secret" not in told.text
    unsigned = alice.wrapped(house, b"Content-Type: text/plain\r\n\r\nhelp\r\n")
    (told,) = house.deliver(unsigned)
    assert told["Subject"] == "pbm: your email is encrypted", "nothing within says whose it is"
    (helped,) = house.deliver(
        alice.wrapped(house, b"Content-Type: text/plain\r\n\r\nhelp\r\n", Autocrypt=alice.autocrypt)
    )
    assert helped["Subject"] != told["Subject"], "the signature is of the key that the mail brings"


def test_a_forged_mail_changes_no_key(house):
    house.player("alice")
    alice, forger = Program("alice"), Program("alice")
    (got,) = house.deliver(forger.sealed(house, "games"))
    assert forger.opened(sent(house, got)), "an answer to the mail itself may be for its key"
    (reminded,) = house.send("bob@example.net", "help")
    assert SENTINEL in text_of(sent(house, Got(alice.address, reminded.raw, None))), "nothing else is"
    house.send("alice", f"set alice {password('alice')}", Autocrypt=alice.autocrypt)
    assert house.service.peer_of(alice.address).key == alice.certificate
    house.deliver(forger.sealed(house, "games"))
    house.send("alice", "games")
    kept = house.service.peer_of(alice.address)
    assert (kept.key, kept.wanted) == (alice.certificate, True)


FAILED = "Authentication-Results: mx.example.org; dmarc=fail header.from=example.net; spf=fail\r\n"


@pytest.mark.parametrize("verdict", ["", FAILED])
@pytest.mark.parametrize("brings_key", [True, False])
def test_a_forwarded_board_and_a_forged_from_change_no_key(house, verdict, brings_key):
    """Whoever had the token of a board read from then on what was written to its player."""
    house.players("alice", "bob")
    alice, forger = Program("alice"), Program("alice")
    house.game("cross -size=4 alice bob")
    forged = house.answering("alice", "D4", 101)
    house.send("alice", f"set alice {password('alice')}", Autocrypt=alice.autocrypt)
    key = f"Autocrypt: {forger.autocrypt}\r\n" if brings_key else ""
    house.deliver(Arriving("eve@evil.example", forged.recipients, (verdict + key).encode() + forged.raw))
    kept = house.service.peer_of(alice.address)
    assert (kept.key, kept.wanted) == (alice.certificate, True)
    shown = [got for got in house.answer("bob", "C3", 101) if got.address == alice.address]
    assert "bob played C3" in text_of(alice.opened(sent(house, shown[-1])))


@pytest.mark.parametrize(("verdict", "is_learnt"), [("", True), (FAILED, False)])
@pytest.mark.parametrize("asks", [True, False])
def test_an_answer_to_a_mail_to_the_player_brings_a_key(house, verdict, is_learnt, asks):
    """asks: whether that mail was a question."""
    house.player("alice")
    old, new = Program("alice"), Program("alice")
    house.send("alice", f"set alice {password('alice')}", Autocrypt=old.autocrypt)
    if asks:
        (got,) = house.send("alice", "set mail text")
        assert got["Subject"] == "pbm: was that you?"
    else:
        house.send("alice", "help")
    answer = house.answering("alice", "yes" if asks else "games")
    front = f"{verdict}Autocrypt: {new.autocrypt}\r\n".encode()
    house.deliver(Arriving(answer.mail_from, answer.recipients, front + answer.raw))
    assert house.service.peer_of(new.address).key == (new if is_learnt else old).certificate


def test_the_newest_key_counts_and_whoever_stops_encrypting_is_answered_plainly(house):
    house.player("alice")
    first, last = Program("alice"), Program("alice")
    proof = {"Authentication_Results": "mx.example.org; dkim=pass header.d=example.net"}
    house.send("alice", "games", Autocrypt=first.autocrypt, Date="Thu, 1 Jan 2026 12:00:00 +0000", **proof)
    house.send("alice", "games", Autocrypt=last.autocrypt, Date="Thu, 1 Jan 2026 11:00:00 +0000", **proof)
    assert house.service.peer_of("Alice@example.net").key == last.certificate, "chat apps draw the Date at random"
    (got,) = house.send("alice", "games", **proof)
    assert sent(house, got).get_content_type() == "text/plain"
    assert house.service.peer_of(last.address).key == last.certificate


def test_a_newcomer_who_writes_twice_at_once_gets_both_answers_encrypted(house):
    """By chat apps' random Dates, the second mail may seem older than the first."""
    dora = Program("dora", chats=True)
    first = dora.sealed(house, "hello", Date="Thu, 1 Jan 2026 12:00:00 +0000")
    second = dora.sealed(house, "signup dora", Date="Thu, 1 Jan 2026 11:00:00 +0000")
    answers = [*house.deliver(first), *house.deliver(second)]
    assert len(answers) == 2, "both are sent only now"
    assert all(SENTINEL in text_of(dora.opened(sent(house, got))) for got in answers)


def test_the_answer_to_an_encrypted_mail_waits_rather_than_leave_in_clear(house):
    """Somebody else has sent their own key from the same address meanwhile."""
    dora, other = Program("dora"), Program("dora")
    (got,) = house.deliver(dora.sealed(house, "help"))
    house.now += timedelta(days=1)  # a stranger gets one answer a day
    house.deliver(other.sealed(house, "games"))
    with pytest.raises(TemporaryFailure, match="answers an encrypted mail"):
        sent(house, got)


def test_the_answer_to_an_encrypted_move_is_encrypted_though_its_player_wrote_plainly_before(house):
    alice = Program("alice")
    house.players("alice", "bob")
    house.deliver(alice.sealed(house, f"set alice {password('alice')}"))
    house.game("cross -size=4 alice bob")
    assert house.service.peer_of(alice.address).wanted is False
    shown = house.mailboxes[alice.address][-1]
    got = house.deliver(alice.sealed(house, "D4", to=shown["Reply-To"], In_Reply_To=shown["Message-ID"]))
    (answer,) = [mail for mail in got if mail.address == alice.address]
    assert "D4" in text_of(alice.opened(sent(house, answer)))


def test_what_the_way_out_is_told_does_not_leave(house):
    dora = Program("dora")
    (got,) = house.deliver(dora.sealed(house, "help"))
    assert b"X-Pbm-Sealed-For: dora@example.net\r\n" in got.raw
    left = sent(house, got)
    assert b"Sealed-For" not in left.as_bytes() + dora.opened(left).as_bytes()


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda field: field.replace("addr=alice", "addr=bob"),
        lambda field: field.replace("addr=", "colour=red; addr="),
        lambda field: f"{field}\r\nAutocrypt: {field}",
        lambda field: field.partition("keydata")[0],
    ],
)
def test_what_is_no_key_by_autocrypt_is_none(house, spoilt):
    house.player("alice")
    house.send("alice", f"games alice {password('alice')}", Autocrypt=spoilt(Program("alice").autocrypt))
    assert house.service.peer_of(address_of("alice")) is None


def test_a_mail_that_unpacks_to_too_much_is_not_opened():
    assert RING.unlock(encrypt(b"0" * (MAX_OPENED + 1), [Cert.from_bytes(RING.certificate)]), b"") is None
    assert RING.unlock(b"-----BEGIN PGP MESSAGE-----\n\nrubbish", b"") is None


def test_a_key_that_cannot_be_encrypted_to_leaves_the_mail_as_it_is(house):
    house.player("alice")
    (got,) = house.send("alice", f"games alice {password('alice')}", Autocrypt=Program("alice").autocrypt[:-200])
    assert sent(house, got).get_content_type() == "text/plain"


def test_the_card_holds_address_and_key():
    card = RING.card("pbm@example.org").split("\r\n")
    assert "EMAIL:pbm@example.org" in card
    key = next(line for line in card if line.startswith("KEY:")).partition("base64,")[2]
    assert Cert.from_bytes(base64.b64decode(key)).fingerprint.upper() == RING.fingerprint


def test_a_forgotten_player_leaves_no_key(house):
    house.player("alice")
    house.send("alice", f"games alice {password('alice')}", Autocrypt=Program("alice").autocrypt)
    assert house.service.peer_of(address_of("alice")) is not None
    with house.service.store.write() as tx:
        player = tx.players.find("alice")
        assert player is not None
        traces = tx.erasure.traces(player.id)
        assert traces is not None
        tx.erasure.forget(traces)
    assert house.service.peer_of(address_of("alice")) is None
