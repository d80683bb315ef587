"""Answers to each kind of mail in the golden conversations: digests, reminders, invitations, plans.

These hold lines that could be commands, such as "101 B2". Whatever the program does with them, what is read is what the
person wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from pbm.mailin import strip_subject
from pbm.mailin.quotes import SENTINEL
from pbm.reading.command_lines import read
from pbm.reading.verbs import Standing
from tests.conversation import letters
from tests.golden_file import CONVERSATIONS
from tests.mailin import clients
from tests.mailin.build import person, raw
from tests.mailin.test_clients import words
from tests.parts import in_full

EVERY = 307
"""One in so many ways to answer a mail is tried, other ways for each mail; in `make test` a third of these."""


@cache
def letters_of(path: Path) -> Sequence[tuple[str, str]]:
    """Subjects and texts of our mails in a conversation."""
    return list(letters(in_full(path.read_text(encoding="utf-8"))))


def all_letters() -> Iterator[tuple[str, str]]:
    for path in CONVERSATIONS:
        yield from letters_of(path)


def mails() -> Iterator[str]:
    """The texts of our mails in all conversations; in each, those that differ only in numbers count once."""
    for path in CONVERSATIONS:
        seen: set[str] = set()
        for _, text in letters_of(path):
            kind = re.sub(r"\d+", "", text)
            if text.count("\n\n") > 2 and kind not in seen:
                seen.add(kind)
                yield text.rstrip("\n")


OWN = ("101 B2\nGood luck!\n\n103 swap", "multiple\nset mail text")


def answers(own: str, ours: str) -> Iterator[tuple[str, str]]:
    """Subtypes and texts of answers."""
    yield from (("plain", answer) for _, answer in clients.plain(own, ours))
    yield from (("html", answer) for _, answer in clients.html(own, ours))


@pytest.mark.parametrize("every", [3 * EVERY, pytest.param(EVERY, marks=pytest.mark.oracle)])
def test_nothing_that_we_wrote_is_read_as_the_answer(every: int) -> None:
    ours = list(dict.fromkeys(mails()))
    assert len(ours) > 500
    assert any("Waiting for you on" in text for text in ours)
    cut_out = (text.replace(SENTINEL, "").rstrip() for text in ours)
    for number, texts in enumerate(zip(ours, cut_out, strict=True)):
        own, text = OWN[number // 2 % 2], texts[number % 2]
        for kind, answer in islice(answers(own, text), number % every, None, every):
            assert words(person(raw(answer, kind=f"text/{kind}; charset=utf-8")).text) == words(own), answer


PREFIXES = "", "Re: ", "AW: ", "Re[2]: ", "[EXTERNAL] Re: ", "EXTERNAL: Re: ", "Re: ***SPAM*** "


def test_no_subject_of_ours_is_read_as_a_command() -> None:
    """Some of our subjects begin like a command: "pbm: preview of Cross". Other numbers make no other subject."""
    subjects = {re.sub(r"\d+", "7", subject): subject for subject, _ in all_letters()}.values()
    assert len(subjects) > 80
    stripped = sorted({strip_subject(prefix + subject) for prefix in PREFIXES for subject in subjects})
    for standing in (Standing(), Standing(known=True, proven=True), Standing("cross", 101, known=True, proven=True)):
        for subject in stripped:
            assert read(subject, "101 B2\nHi", standing).lines == ("101 B2",), subject
            assert read(subject, "yes", standing).lines == ("yes",), subject
