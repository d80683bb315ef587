"""One law for subject and text: each counts only as a complete command or a move; the text goes first."""

from __future__ import annotations

import pytest

import pbm.features.everything  # noqa: F401  it brings the verbs
from pbm.reading.command_lines import read
from pbm.reading.verbs import Standing

ON_BOARD = Standing("cross", 101, known=True, proven=True)
LETTER = Standing(known=True, proven=True)


@pytest.mark.parametrize(
    "subject",
    [
        "My move",
        "Next move",
        "Board 101",
        "Move 101",
        "my move on 101",
        "xxCross Board 101 alice-bob",
        "Cross Board 101 alice-bob (was: lunch)",
        "Cross",
        "Hex",
        "your move?",
        "x",
    ],
)
def test_a_subject_that_is_neither_move_nor_command_spoils_no_move(subject: str) -> None:
    assert read(subject, "F6\nwell played", ON_BOARD).lines == ("F6",)


@pytest.mark.parametrize(("subject", "text"), [("resign", "F6"), ("F6", "G7"), ("undo", "resign")])
def test_where_both_are_commands_and_differ_the_writer_is_asked(subject: str, text: str) -> None:
    found = read(subject, text, ON_BOARD)
    assert (found.lines, found.torn) == ((subject,), text)


@pytest.mark.parametrize("subject", ["F6", "resign", "show"])
def test_a_command_in_the_subject_counts_above_words(subject: str) -> None:
    assert read(subject, "Thanks for the game!", ON_BOARD).lines == (subject,)


@pytest.mark.parametrize("text", ["resign", "F6", "Bob is weak"])
def test_all_of_the_text_belongs_to_a_subject_that_takes_text(text: str) -> None:
    found = read("chat", text, ON_BOARD)
    assert (found.lines, found.comment, found.torn) == (("chat",), text, "")


def test_a_command_with_a_password_is_asked_about_like_any_other() -> None:
    assert read("password geheim12", "F6", ON_BOARD).torn == "F6"


@pytest.mark.parametrize("subject", ["hex vs computer", "Go game", "challenge", "Games", "hello"])
def test_a_first_mail_whose_subject_is_no_command_is_read_by_its_text(subject: str) -> None:
    assert read(subject, "I would like to play hex", LETTER).lines == ("I would like to play hex",)
