"""Mails of chat programs: the person's words are the body and nothing else."""

from __future__ import annotations

import pytest

from pbm.mailin import strip_subject
from pbm.reading.command_lines import read
from pbm.reading.verbs import Standing
from tests.mailin.build import person, raw, silent

CHAT = "Chat-Version: 1.0"


@pytest.mark.parametrize(
    "subject", ["Message from Dora", "...", "Re: Message from Dora", "message bob hello", "resign", "Fwd: Board 101"]
)
@pytest.mark.parametrize("standing", [Standing(), Standing("cross", 101, known=True, proven=True)])
def test_a_subject_that_a_chat_program_made_is_no_command(subject: str, standing: Standing) -> None:
    message = person(
        raw("D4\n\n-- \nSent with my Delta Chat Messenger: https://delta.chat\n", CHAT, f"Subject: {subject}")
    )
    assert (message.subject, message.text) == ("", "D4")
    assert read(strip_subject(message.subject), message.text, standing).lines == ("D4",)


def test_an_edited_message_is_one_more() -> None:
    edited = raw("> D5\n\n\u270f\ufe0fD4\n", CHAT, "Chat-Edit: <1@localhost>", "Subject: Re: Message from Dora")
    assert person(edited).text == "D4"


def test_a_reaction_is_none() -> None:
    assert silent(raw("\U0001f44d", CHAT, "Content-Disposition: reaction")).reason == "reaction to a mail"


def test_the_subject_of_any_other_program_counts() -> None:
    assert person(raw("", "Subject: cross move 101 D4")).subject == "cross move 101 D4"
