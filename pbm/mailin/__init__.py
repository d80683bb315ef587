"""Mails in: the bytes of a mail become a Message, what a person wrote, or a Discard, what is never answered.

Pure: no clock, no database, no network. Any bytes are read, in bounded time and memory, and nothing is raised.
"""

from __future__ import annotations

from dataclasses import replace

from pbm.mailin import body, headers, phrases, quotes, silence, trust
from pbm.mailin.headers import heading, strip_subject
from pbm.mailin.message import FOR_OPERATOR, Action, Discard, Envelope, Failure, Message, Robot
from pbm.mailin.mime import MAX_MAIL, Entity, TooLongError, parse, split
from pbm.mailin.quotes import SENTINEL
from pbm.mailin.silence import LOOP_HEADER

__all__ = [
    "FOR_OPERATOR",
    "LOOP_HEADER",
    "SENTINEL",
    "Action",
    "Discard",
    "Envelope",
    "Failure",
    "Message",
    "Robot",
    "heading",
    "read",
    "rewritten",
    "strip_subject",
    "token_answered",
]


_EDITED = "\u270f\ufe0f"
"""A pencil, which Delta Chat puts in front of a message that was sent once more because it was edited."""


def read(raw: bytes, envelope: Envelope, robot: Robot) -> Message | Discard:
    """A mail as a person's Message or as a Discard; a mail that cannot be read is a Discard to be parked."""
    try:
        return _read(parse(raw), envelope, robot)
    except TooLongError as error:
        return Discard(Action.REJECT, str(error))
    except Exception as error:  # noqa: BLE001 - whatever bytes a stranger sends, the inbox goes on
        return Discard(Action.REJECT, f"unreadable: {type(error).__name__}")


def _read(mail: Entity, envelope: Envelope, robot: Robot) -> Message | Discard:
    """The verdict on a mail and, for a person's, what it says."""
    fields = mail.fields
    sender, name = headers.one_address(fields.get("from", []))
    subject = headers.subject(mail.first("subject"))
    token, bounce_token = _tokens(mail, envelope, robot)
    seen = silence.Evidence(mail, envelope, robot, sender, subject, token, bounce_token)
    discard = silence.verdict(seen)
    if discard and not silence.is_program_at_play(seen):
        return discard
    for everything in body.versions(mail):
        text, answers_us = quotes.own_text(everything, robot.local_part.lower())
        if text:
            break
    if fields.get("chat-version"):
        subject, text = "", text.removeprefix(_EDITED)
    forwarded = token is None and phrases.FORWARD_PREFIX.match(subject) and quotes.is_forward(everything)
    message = Message(
        action=Action.HELP if forwarded else Action.REPLY,
        message_id=headers.message_id(fields.get("message-id", [])),
        sender=sender,
        sender_name=name,
        subject=subject,
        text=headers.without_tokens(text, robot),
        token=token,
        in_reply_to=headers.message_id(fields.get("in-reply-to", [])),
        references=headers.message_ids(fields.get("references", [])),
        authenticated=trust.vouched(fields, envelope, robot, sender),
        direct=trust.direct(fields, envelope, robot, sender),
        answers_us=answers_us,
        peer=trust.peer(fields, robot),
        automatic=discard is not None,
    )
    return message if discard is None else replace(discard, program=message)


_OF_WHOM = ("from", "to", "date", "message-id", "in-reply-to", "references")


def rewritten(raw: bytes, subject: str, text: str) -> bytes:
    """A mail with another subject and text, and nothing else of it but from whom, to whom, when, and in answer to what.

    Whatever held the old words is gone: other versions of the text, encodings, quotes, attached files.
    """
    fields = split(raw[:MAX_MAIL].lstrip())[0]
    head = [f"{name.title()}: {value}" for name in _OF_WHOM for value in fields.get(name, [])[:1]]
    head += [f"Subject: {' '.join(subject.split())}", "Content-Type: text/plain; charset=utf-8"]
    return "\r\n".join([*head, "Content-Transfer-Encoding: 8bit", "", text]).encode("utf-8", "replace")


def token_answered(raw: bytes, robot: Robot) -> str | None:
    """The reply token of the address that answers to a mail of ours go to."""
    return headers.tokens(headers.plain_addresses(split(raw)[0].get("reply-to", [])), robot)[0]


def _tokens(mail: Entity, envelope: Envelope, robot: Robot) -> tuple[str | None, str | None]:
    """The reply and the bounce token of the envelope or, where that has none, of the recipients in the header."""
    found = headers.tokens(envelope.recipients, robot)
    if found != (None, None):
        return found
    names = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
    return headers.tokens(
        headers.plain_addresses(value for name in names for value in mail.fields.get(name, [])), robot
    )
