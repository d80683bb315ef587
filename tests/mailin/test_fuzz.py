"""Any bytes give a Message or a Discard: random bytes, and clients' answers with pieces cut out or replaced."""

from __future__ import annotations

import pickle

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm.mailin import Action, Discard, Envelope, Message
from pbm.mailin.written import read
from tests.mailin import clients
from tests.mailin.build import ENVELOPE, ROBOT, raw

ANSWERS = [raw(text) for _, text in list(clients.plain("F6"))[::40]] + [
    raw(text, kind="text/html; charset=utf-8") for _, text in list(clients.html("F6"))[::40]
]
PIECES = st.sampled_from(
    [b"\n", b"\r", b"\0", b"> ", b"--b", b"--b--", b"=?utf-8?q?", b"?=", b"Content-Type: ", b"text/html", b"base64",
     b"multipart/mixed; boundary=b", b"<blockquote>", b"</", b"##-", b"From: ", b"\xff\xfe", b'"', b"(("]
)  # fmt: skip


def check(mail: bytes, envelope: Envelope) -> None:
    """Assert that the mail gives the same value each time, of bounded size and fit to be stored."""
    found = read(mail, envelope, ROBOT)
    assert found == read(mail, envelope, ROBOT)
    assert len(pickle.dumps(found)) < 80_000
    repr(found).encode()
    if isinstance(found, Message):
        assert found.action in (Action.REPLY, Action.HELP)
        assert len(found.text) <= 6000
        assert "\0" not in found.text + found.subject
    else:
        assert isinstance(found, Discard)
        assert found.action not in (Action.REPLY, Action.HELP)
        assert not found.reason.startswith("unreadable")


@given(st.binary(max_size=2000), st.sampled_from([ENVELOPE, Envelope(), Envelope("", ("bounce+x@play.example.org",))]))
@example(b"Content-Type: multipart/mixed; boundary=\n\n--\n--", ENVELOPE)
@settings(max_examples=200, deadline=None)
def test_random_bytes(mail: bytes, envelope: Envelope):
    check(mail, envelope)


@given(st.lists(PIECES | st.binary(max_size=20), max_size=60))
@settings(max_examples=200, deadline=None)
def test_random_pieces_of_mails(pieces: list[bytes]):
    check(b"".join(pieces), ENVELOPE)


@given(
    st.sampled_from(ANSWERS),
    st.lists(st.tuples(st.integers(0, 3000), st.integers(0, 40), PIECES | st.binary(max_size=8)), max_size=8),
)
@settings(max_examples=200, deadline=None)
def test_mutated_answers(mail: bytes, changes: list[tuple[int, int, bytes]]):
    for place, length, piece in changes:
        mail = mail[:place] + piece + mail[place + length :]
    check(mail, ENVELOPE)
