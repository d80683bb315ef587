"""How an email would be read, as far as that can be told without a database: for `pbm inbox classify`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pbm.features  # noqa: F401  it brings the verbs
from pbm.domain.commands import board_of_subject, parse
from pbm.domain.errors import Rejected
from pbm.domain.reading import read
from pbm.domain.verbs import Standing
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin.written import read as read_mail

_SOME_BOARD = 0
"""Stands for the board, which only the database could tell."""


_HEADS = {
    f".{suffix}": f"Content-Type: text/{subtype}; charset=utf-8\n\n".encode()
    for suffix, subtype in (("txt", "plain"), ("html", "html"))
}
"""The header that turns a file with only a text into a mail."""


def classified(file: Path, robot: Robot) -> dict[str, Any]:
    """action; commands, the lines that would be carried out; comment, what else the person wrote. Raises: OSError."""
    mail = read_mail(_HEADS.get(file.suffix, b"") + file.read_bytes(), Envelope(), robot)
    if isinstance(mail, Discard):
        return {"action": mail.action.value, "commands": [], "comment": ""}
    commands, comment = ((), mail.text) if mail.action is Action.HELP else _commands(mail)
    return {"action": mail.action.value, "commands": list(commands), "comment": comment}


def _commands(mail: Message) -> tuple[tuple[str, ...], str]:
    """The commands and the comment of a mail; if its first line is no command, all of it is comment."""
    subject = strip_subject(mail.subject)
    standing = _standing(mail, subject)
    reading = read(subject, mail.text, standing)
    try:
        parse(reading.lines[0] if reading.lines else "", standing)
    except Rejected:
        return (), mail.text
    return reading.lines, reading.comment


def _standing(mail: Message, subject: str) -> Standing:
    """The standing that a mail shows without a database: an answer to one of our mails needs no more than a move."""
    board = board_of_subject(subject)
    if board is not None:
        return Standing(subject.casefold().removeprefix("new ").split()[0], board, known=True)
    answers = mail.token is not None or mail.answers_us
    return Standing(board=_SOME_BOARD, known=True) if answers else Standing()
