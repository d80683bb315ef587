"""Builds raw mails for the tests, and reads them as our server does."""

from __future__ import annotations

from pbm.mailin import Discard, Envelope, Message, Robot
from pbm.mailin.written import read

ROBOT = Robot("pbm", "play.example.org", authserv_id="mx.play.example.org")
ENVELOPE = Envelope("ann@example.org", ("pbm+abc@play.example.org",))


def raw(text: str | bytes = "F6\n", *fields: str, kind: str = "text/plain; charset=utf-8") -> bytes:
    """A mail from Ann to our board address; the given fields replace the usual ones or are added."""
    given = {field.partition(":")[0].lower() for field in fields}
    usual = (
        "From: Ann <ann@example.org>",
        "To: pbm+abc@play.example.org",
        "Subject: Re: Board 101",
        "Message-ID: <1@example.org>",
        f"Content-Type: {kind}",
    )
    head = [*(field for field in usual if field.partition(":")[0].lower() not in given), *fields]
    body = text.encode() if isinstance(text, str) else text
    return "\n".join(head).encode("utf-8", "surrogateescape") + b"\n\n" + body


def person(mail: bytes, envelope: Envelope = ENVELOPE, robot: Robot = ROBOT) -> Message:
    """The mail read, which must pass for a person's."""
    message = read(mail, envelope, robot)
    assert isinstance(message, Message), message
    return message


def silent(mail: bytes, envelope: Envelope = ENVELOPE, robot: Robot = ROBOT) -> Discard:
    """The mail read, which must pass for one that is never answered."""
    discard = read(mail, envelope, robot)
    assert isinstance(discard, Discard), discard
    return discard
