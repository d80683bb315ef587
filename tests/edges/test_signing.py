"""DKIM: a signed mail verifies, changes show, and the same mail gets the same signature."""

from __future__ import annotations

import asyncio
import stat

import dkim
import pytest

from pbm.cli import main
from pbm.compose.wire import Part, to_bytes
from pbm.edges.signing import SIGNED, Signature, Signing, new_key, public_key
from pbm.edges.transports import Outgoing

HEADERS = {
    "From": "pbm <pbm@example.org>",
    "To": "alice@example.net",
    "Subject": "Cross Board 101 alice-bob",
    "Date": "Thu, 01 Jan 2026 12:03:00 +0000",
    "Message-ID": "<key0001@example.org>",
    "References": "<board-101@example.org>",
    "List-Unsubscribe": "<mailto:pbm@example.org>",
}
MAIL = to_bytes(HEADERS, Part("text/plain", "Ein schöner Zug\n\n.\n"))


@pytest.fixture(scope="module")
def key() -> bytes:
    return new_key()


def verifies(mail: bytes, key: bytes) -> bool:
    def record(name: bytes, timeout: int = 5) -> bytes:
        assert name == b"pbm._domainkey.example.org."
        return f"v=DKIM1; k=rsa; p={public_key(key)}".encode()

    return bool(dkim.verify(mail, dnsfunc=record))


def fields(mail: bytes) -> dict[str, str]:
    """The tags of the mail's signature."""
    value = mail.partition(b"\r\nFrom:")[0].partition(b":")[2].decode()
    return dict(tag.strip().split("=", 1) for tag in "".join(value.split()).split(";"))


def test_a_signed_mail_verifies_and_a_changed_one_does_not(key):
    signed = Signature("example.org", "pbm", key).signed(MAIL)
    assert signed.endswith(MAIL)
    assert verifies(signed, key)
    assert not verifies(signed, new_key())
    assert not verifies(signed + b"more\r\n", key), "text was added below"
    assert not verifies(b"From: eve@example.com\r\n" + signed, key), "a second From was put in front"
    for name, value in HEADERS.items():
        assert not verifies(signed.replace(f"\r\n{name}: {value}".encode(), f"\r\n{name}: x{value}".encode()), key), (
            name
        )


def test_the_signature_is_as_receivers_want_it(key):
    tags = fields(Signature("example.org", "pbm", key).signed(MAIL))
    assert (tags["a"], tags["c"], tags["d"], tags["s"]) == ("rsa-sha256", "relaxed/relaxed", "example.org", "pbm")
    assert "l" not in tags
    assert tags["t"] == "1767268980", "as of its Date"
    present = {name.lower() for name in HEADERS} | {"mime-version", "content-type", "content-transfer-encoding"}
    assert sorted(tags["h"].split(":")) == sorted([*present, "from"])
    assert present <= {name.decode() for name in SIGNED}


def test_every_attempt_hands_over_the_same_bytes(key):
    class Out:
        def __init__(self) -> None:
            self.sent: list[Outgoing] = []

        async def send(self, mail: Outgoing) -> None:
            self.sent.append(mail)

        async def close(self) -> None:
            self.sent.append(mail)

    out, mail = Out(), Outgoing("bounce+k@example.org", "alice@example.net", MAIL, 7)

    async def twice() -> None:
        signing = Signing(out, Signature("example.org", "pbm", key))
        await signing.send(mail)
        await signing.send(mail)
        await signing.close()

    asyncio.run(twice())
    first, second, closed = out.sent
    assert first == second
    assert (first.envelope_from, first.recipient, first.outbox_id) == (mail.envelope_from, mail.recipient, 7)
    assert verifies(first.data, key)
    assert closed is mail


@pytest.mark.parametrize(
    "wrong", [b"", b"no key", b"-----BEGIN RSA PRIVATE KEY-----\nMAMCAQA=\n-----END RSA PRIVATE KEY-----"]
)
def test_what_is_no_key_is_refused(wrong):
    with pytest.raises(ValueError, match="no RSA key"):
        Signature("example.org", "pbm", wrong)


def test_the_command_makes_a_key_once_and_prints_its_record(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    file = tmp_path / "dkim.pem"
    printed = []
    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            main(["dkim", "create", str(file)])
        assert end.value.code == 0
        printed.append(capsys.readouterr().out)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert printed[0] == printed[1], "the key is kept"
    strings = printed[0].split('"')[1::2]
    assert printed[0].startswith("pbm._domainkey.example.org. IN TXT ( ")
    assert max(map(len, strings)) <= 255
    assert "".join(strings) == f"v=DKIM1; k=rsa; p={public_key(file.read_bytes())}"
    assert verifies(Signature("example.org", "pbm", file.read_bytes()).signed(MAIL), file.read_bytes())
