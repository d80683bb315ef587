"""Lanes: mails of one are handled in the order they came, whoever handles them. Told at the door, at little cost."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from pbm.mailin import headers
from pbm.mailin.message import Envelope, Robot
from pbm.mailin.mime import MAX_HEADERS

_SUBJECT = re.compile(rb"^subject:[ \t]*((?:[^\r\n]|\r?\n[ \t])*)", re.IGNORECASE | re.MULTILINE)
_FROM = re.compile(rb"^from:[ \t]*((?:[^\r\n]|\r?\n[ \t])*)", re.IGNORECASE | re.MULTILINE)
_BOARD = re.compile(rb"(?<!\d)[1-9]\d{2,11}(?!\d)")
_LONGEST = 80


def lane(envelope: Envelope, raw: bytes, robot: Robot, board_of: Callable[[str], int | None]) -> str:
    """The board whose mail is answered, or that the subject names, or else the sender; empty where nothing is known.

    board_of: the board of a reply token, None for one of nobody's.
    """
    board = _answered(envelope.recipients, robot, board_of)
    if board is not None:
        return f"board {board}"
    head = re.split(rb"\r?\n\r?\n", raw[:MAX_HEADERS], maxsplit=1)[0]
    if not envelope.recipients:
        board = _answered(_addresses(head), robot, board_of)
    if board is None and (named := _BOARD.search(_field(_SUBJECT, head))):
        board = int(named[0])
    if board is not None:
        return f"board {board}"
    sender = envelope.mail_from if envelope.mail_from is not None else next(iter(_addresses(_field(_FROM, head))), "")
    return f"from {sender}".casefold().encode("ascii", "replace").decode()[:_LONGEST] if sender else ""


def _answered(recipients: Iterable[str], robot: Robot, board_of: Callable[[str], int | None]) -> int | None:
    token = headers.tokens(recipients, robot)[0]
    return board_of(token) if token else None


def _field(pattern: re.Pattern[bytes], head: bytes) -> bytes:
    match = pattern.search(head)
    return match[1] if match else b""


def _addresses(value: bytes) -> list[str]:
    return headers.plain_addresses([value.decode("ascii", "replace")])
