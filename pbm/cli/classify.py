"""How one raw mail would be read, for operators and for checks over a collection of mails."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pbm.features  # noqa: F401  it brings the verbs
from pbm.domain.commands import Standing, board_of_subject, parse
from pbm.domain.errors import Rejected
from pbm.domain.reading import read
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin import read as read_mail

_SOME_BOARD = 0
"""Stands for the board that only the database could tell."""


_HEADS = {
    f".{suffix}": f"Content-Type: text/{subtype}; charset=utf-8\n\n".encode()
    for suffix, subtype in (("txt", "plain"), ("html", "html"))
}
"""What makes a mail of a file that holds the text of one alone."""


def classify(file: Path, robot: Robot) -> dict[str, Any]:
    """action; commands, the lines that would be carried out; comment, what else the person wrote. Raises: OSError."""
    mail = read_mail(_HEADS.get(file.suffix, b"") + file.read_bytes(), Envelope(), robot)
    if isinstance(mail, Discard):
        return {"action": mail.action.value, "commands": [], "comment": ""}
    commands, comment = ((), mail.text) if mail.action is Action.HELP else _commands(mail)
    return {"action": mail.action.value, "commands": list(commands), "comment": comment}


def _commands(mail: Message) -> tuple[tuple[str, ...], str]:
    """A mail whose first line is no command holds none, and all of it is comment."""
    subject = strip_subject(mail.subject)
    standing = _standing(mail, subject)
    reading = read(subject, mail.text, standing)
    try:
        parse(reading.lines[0] if reading.lines else "", standing)
    except Rejected:
        return (), mail.text
    return reading.lines, reading.comment


def _standing(mail: Message, subject: str) -> Standing:
    """What the mail shows without a database: an answer to one of our mails needs no more than a move."""
    board = board_of_subject(subject)
    if board is not None:
        return Standing(subject.casefold().removeprefix("new ").split()[0], board, known=True)
    answers = mail.token is not None or mail.answers_us
    return Standing(board=_SOME_BOARD, known=True) if answers else Standing()
