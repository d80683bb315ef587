"""How an email would be read, as far as that can be told without a database: `pbm inbox classify`, `pbm inbox read`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pbm.features.everything  # noqa: F401  it brings the verbs
from pbm.domain.errors import Rejected
from pbm.mailin import Action, Discard, Envelope, Message, Robot, strip_subject
from pbm.mailin.written import read as read_mail
from pbm.reading.book import Phrase
from pbm.reading.command_lines import read
from pbm.reading.commands import board_of_subject, parse
from pbm.reading.intent import Ask, Sure, Surroundings
from pbm.reading.intent import read as meaning
from pbm.reading.sentences import sentences, words_of
from pbm.reading.verbs import Standing

_SOME_BOARD = 0
"""Stands for the board, which only the database could tell."""


_HEADS = {
    f".{suffix}": f"Content-Type: text/{subtype}; charset=utf-8\n\n".encode()
    for suffix, subtype in (("txt", "plain"), ("html", "html"))
}
"""The header that turns a file with only a text into a mail."""


def classified(file: Path, robot: Robot) -> dict[str, Any]:
    """action; commands, the lines that would be carried out; comment, what else the person wrote. Raises: OSError."""
    mail = _read(file, robot)
    if isinstance(mail, Discard):
        return {"action": mail.action.value, "commands": [], "comment": ""}
    standing = _standing(mail)
    reading = read(strip_subject(mail.subject), mail.text, standing)
    commands, comment = reading.lines, reading.comment
    first = commands[0] if commands else ""
    # If its first line is no command, all of it is comment.
    if mail.action is Action.HELP or _fault(first, standing):
        commands, comment = (), mail.text
    return {"action": mail.action.value, "commands": list(commands), "comment": comment}


def _read(file: Path, robot: Robot) -> Message | Discard:
    return read_mail(_HEADS.get(file.suffix, b"") + file.read_bytes(), Envelope(), robot)


_GROUPS = ("board", "everywhere", "letter", "answer", "courtesy", "held", "doubt", "responder", "only-spoken-of")
"""The tables of the phrase book that are shown, as its README names them."""
_MOST_SHOWN, _WIDTH = 12, 90
"""Lines of a person's words, and characters of each: the page fits a screen."""


def explained(file: Path, robot: Robot) -> Iterator[tuple[str, str]]:
    """Each step in which a mail is read, by its name. Raises: OSError.

    On its board, any cell counts as a legal move of the writer's turn: which one is, only the database could tell.
    """
    mail = _read(file, robot)
    if isinstance(mail, Discard):
        yield "verdict", f"{mail.action.value}: {mail.reason}"
        # A machine's mark may stand on a person's mail: what stands there is shown, too.
        if mail.letter is None:
            return
        mail = mail.letter
    yield "from", mail.sender or "nobody that can be told"
    yield "answers", "an email of ours" if mail.token is not None or mail.answers_us else "nothing of ours"
    yield "mark", mail.mark.value
    yield "subject", mail.subject
    for line in mail.text.splitlines()[:_MOST_SHOWN]:
        yield "own words", line[:_WIDTH]
    standing = _standing(mail)
    reading = read(strip_subject(mail.subject), mail.text, standing)
    for line in reading.lines:
        yield "command", f"{line[:_WIDTH]}{_fault(line, standing)}"
    if reading.torn:
        yield "or", reading.torn[:_WIDTH]
    yield from _meanings(mail.text)


def _meanings(text: str) -> Iterator[tuple[str, str]]:
    """What each sentence means by the phrase book, and what that comes to."""
    here = Surroundings(_cell, is_turn=True)
    for sentence in sentences(text)[:_MOST_SHOWN]:
        phrases = [_shown(group, phrase) for group in _GROUPS for phrase in here.phrases(sentence.text, group)]
        yield "sentence", f"{sentence.text[:_WIDTH]}  =  {', '.join(dict.fromkeys(phrases)) or 'no phrase'}"
    intent = meaning(text, here)
    if isinstance(intent, Sure):
        yield "sure", intent.line
    elif isinstance(intent, Ask):
        yield "ask", " or ".join(intent.readings)
    else:
        yield "words", "kept back until their writer says for whom" if intent.is_held else "for the other player"


def _cell(text: str) -> str | None:
    """The text as a move, if it looks like one on any board."""
    words = words_of(text)
    is_cell = len(words) == 1 and words[0].plain[:1].isalpha() and words[0].plain[-1:].isdigit()
    return text.upper() if is_cell else None


def _shown(group: str, phrase: Phrase) -> str:
    return f"{group}: {phrase.does}".rstrip(": ") if phrase.group else "politeness"


def _fault(line: str, standing: Standing) -> str:
    """Why a line is no command; empty if it is one."""
    try:
        parse(line, standing)
    except Rejected as error:
        return f"  (no command: {str(error)[:_WIDTH]})"
    return ""


def _standing(mail: Message) -> Standing:
    """The standing that a mail shows without a database: an answer to one of our mails needs no more than a move."""
    subject = strip_subject(mail.subject)
    board = board_of_subject(subject)
    if board is not None:
        return Standing(subject.casefold().removeprefix("new ").split()[0], board, known=True)
    answers = mail.token is not None or mail.answers_us
    return Standing(board=_SOME_BOARD, known=True) if answers else Standing()
