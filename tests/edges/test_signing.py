"""DKIM: a signed mail verifies, changes show, and the same mail gets the same signature."""

from __future__ import annotations

import asyncio
import stat

import dkim
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.cli import main
from pbm.compose.wire import Part, to_bytes
from pbm.edges.signing import SIGNED, Signature, Signing, new_keys, signing_keys
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
def keys() -> bytes:
    return new_keys()


def verifies(mail: bytes, keys: bytes) -> bool:
    """Whether all signatures of the mail hold for another program."""
    records = {f"{key.selector}._domainkey.example.org.": key.record for key in signing_keys("pbm", keys)}
    checker = dkim.DKIM(mail)
    try:
        return all(
            checker.verify(place, dnsfunc=lambda name, timeout=5: records[name.decode()].encode())
            for place in range(mail.count(b"DKIM-Signature:"))
        )
    except dkim.ValidationError:
        return False


def tags_of(mail: bytes) -> list[dict[str, str]]:
    """The tags of each of the mail's signatures."""
    values = mail.partition(b"\r\nFrom:")[0].decode().split("DKIM-Signature:")[1:]
    return [dict(tag.strip().split("=", 1) for tag in "".join(value.split()).split(";")) for value in values]


def test_a_signed_mail_verifies_and_a_changed_one_does_not(keys):
    signed = Signature("example.org", "pbm", keys).signed(MAIL)
    assert signed.endswith(MAIL)
    assert verifies(signed, keys)
    assert not verifies(signed, new_keys())
    assert not verifies(signed + b"more\r\n", keys), "text was added below"
    assert not verifies(b"From: eve@example.com\r\n" + signed, keys), "a second From was put in front"
    for name, value in HEADERS.items():
        assert not verifies(signed.replace(f"\r\n{name}: {value}".encode(), f"\r\n{name}: x{value}".encode()), keys), (
            name
        )


def test_the_signature_is_as_receivers_want_it(keys):
    first, second = tags_of(Signature("example.org", "pbm", keys).signed(MAIL))
    assert (first["a"], first["s"]) == ("rsa-sha256", "pbm"), "some receivers look at the first only"
    assert (second["a"], second["s"]) == ("ed25519-sha256", "pbm-ed25519")
    present = {name.lower() for name in HEADERS} | {"mime-version", "content-type", "content-transfer-encoding"}
    assert present <= {*SIGNED}
    for tags in (first, second):
        assert (tags["c"], tags["d"]) == ("relaxed/relaxed", "example.org")
        assert "l" not in tags
        assert tags["t"] == "1767268980", "as of its Date"
        assert sorted(tags["h"].split(":")) == sorted([*present, "from"])


blanks = st.text(st.sampled_from(" \tab\n."), max_size=60)


@settings(max_examples=10)
@given(body=blanks, subject=st.text(st.sampled_from(" \tab:"), max_size=30))
def test_any_blanks_are_signed_as_others_read_them(keys, body, subject):
    fields = HEADERS | {"Subject": f"a{subject}"}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    mail = f"{head}\r\n{body}\r\n".replace("\r\n", "\n").replace("\n", "\r\n").encode()
    assert verifies(Signature("example.org", "pbm", keys).signed(mail), keys)


def test_a_file_from_before_there_was_ed25519_signs_as_it_did(keys):
    rsa = keys.partition(b"-----END PRIVATE KEY-----\n")
    signed = Signature("example.org", "pbm", rsa[0] + rsa[1]).signed(MAIL)
    assert [tags["s"] for tags in tags_of(signed)] == ["pbm"]
    assert verifies(signed, keys)


def test_every_attempt_hands_over_the_same_bytes(keys):
    class Out:
        def __init__(self) -> None:
            self.sent: list[Outgoing] = []

        async def send(self, mail: Outgoing) -> None:
            self.sent.append(mail)

        async def close(self) -> None:
            self.sent.append(mail)

    out, mail = Out(), Outgoing("bounce+k@example.org", "alice@example.net", MAIL, 7)

    async def twice() -> None:
        signing = Signing(out, Signature("example.org", "pbm", keys))
        await signing.send(mail)
        await signing.send(mail)
        await signing.close()

    asyncio.run(twice())
    first, second, closed = out.sent
    assert first == second
    assert (first.envelope_from, first.recipient, first.outbox_id) == (mail.envelope_from, mail.recipient, 7)
    assert verifies(first.data, keys)
    assert closed is mail


@pytest.mark.parametrize(
    "wrong",
    [
        b"",
        b"no key",
        b"-----BEGIN RSA PRIVATE KEY-----\nMAMCAQA=\n-----END RSA PRIVATE KEY-----",
        new_keys() + new_keys(),
    ],
    ids=["empty", "words", "broken", "two of each"],
)
def test_what_is_no_key_is_refused(wrong):
    with pytest.raises(ValueError, match="in PEM form"):
        Signature("example.org", "pbm", wrong)


def test_the_command_makes_a_key_once_and_prints_its_record(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("PBM_SERVER__DOMAIN", "example.org")
    file = tmp_path / "dkim.pem"
    printed = []
    for _ in range(2):
        with pytest.raises(SystemExit) as end:
            main(["keys", "dkim", "create", str(file)])
        assert end.value.code == 0
        printed.append(capsys.readouterr().out)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert printed[0] == printed[1], "the keys are kept"
    lines = printed[0].splitlines()
    for line, key in zip(lines, signing_keys("pbm", file.read_bytes()), strict=True):
        strings = line.split('"')[1::2]
        assert line.startswith(f"{key.selector}._domainkey.example.org. IN TXT ( ")
        assert max(map(len, strings)) <= 255
        assert "".join(strings) == key.record
    assert verifies(Signature("example.org", "pbm", file.read_bytes()).signed(MAIL), file.read_bytes())
