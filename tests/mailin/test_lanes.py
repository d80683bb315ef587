"""Which mails are handled in order: those of one board, as far as this shows on arrival, or else of one sender."""

from __future__ import annotations

import pytest

from pbm.mailin import Envelope, Robot
from pbm.mailin.headers import lane

ROBOT = Robot("pbm", "example.org")
MAIL = b"From: Alice <Alice@X.org>\r\nTo: pbm@example.org\r\nSubject: %s\r\n\r\nmove 105 D4\r\n"
TOKENS = {"seat101": 101}
ALICE, US = "Alice@X.org", ("pbm@example.org",)


def lane_of(mail_from: str | None, recipients: tuple[str, ...], raw: bytes) -> str:
    return lane(Envelope(mail_from, recipients), raw, ROBOT, TOKENS.get)


@pytest.mark.parametrize(
    ("mail_from", "recipients", "subject", "expected"),
    [
        (ALICE, ("pbm+seat101@example.org",), b"hello", "board 101"),
        (ALICE, ("pbm+seat101@example.org",), b"move 102 D4", "board 101"),
        (ALICE, ("PBM+SEAT101@Example.org",), b"hello", "board 101"),
        (ALICE, ("pbm+forged@example.org",), b"hello", "from alice@x.org"),
        (ALICE, US, b"Re: Cross Board 102 alice-bob", "board 102 from alice@x.org"),
        (ALICE, US, b"cross move 102 alice secret D4", "board 102 from alice@x.org"),
        (ALICE, US, b"Re:\r\n Cross Board 102", "board 102 from alice@x.org"),
        (ALICE, US, b"games", "from alice@x.org"),
        (ALICE, US, b"D4 12", "from alice@x.org"),
        (ALICE, US, b"9999999999999999", "from alice@x.org"),
        ("", US, b"Undelivered mail", ""),
        ("", US, b"Undelivered mail of board 102", ""),
        (None, (), b"games", "from alice@x.org"),
        (None, (), b"move 103 D4", "board 103 from alice@x.org"),
    ],
)
def test_a_lane_is_a_board_or_a_sender(
    mail_from: str | None, recipients: tuple[str, ...], subject: bytes, expected: str
) -> None:
    assert lane_of(mail_from, recipients, MAIL % subject) == expected


def test_a_fetched_mail_shows_its_token_in_its_head() -> None:
    raw = (MAIL % b"hello").replace(b"To: pbm@", b"To: pbm+seat101@")
    assert lane_of(None, (), raw) == "board 101"
    assert lane_of(None, (), raw.replace(b"To: pbm+seat101@example.org\r\n", b"") + b"pbm+seat101@example.org") != (
        "board 101"
    )


@pytest.mark.parametrize("raw", [b"", b"\r\n\r\n", b"Subject: \xff\xfe 101\xff", b"\0" * 100, b"From: " + b"a" * 10**6])
def test_any_bytes_have_a_lane_that_fits(raw: bytes) -> None:
    for mail_from in (None, "", "x" * 500, "ä\udcff@x"):
        assert len(lane_of(mail_from, (), raw)) <= 80
