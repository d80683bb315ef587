"""What must not be repeated is blacked out, and what a player needs to see stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.redaction import HIDDEN, guess_secrets, redact


@pytest.mark.parametrize(
    ("text", "secrets", "shown"),
    [
        ("cross move 101 bob geheim F6", {"geheim"}, "cross move 101 bob ***** F6"),
        ('It is "geheim", [geheim] and geheim.', {"geheim"}, 'It is "*****", [*****] and *****.'),
        ("geheimnis", {"geheim"}, "geheimnis"),
        ("one two", {"one", "one two"}, HIDDEN),
        ("a.b+c$ here", {"a.b+c$"}, "***** here"),
        ("nothing", {""}, "nothing"),
    ],
)
def test_secrets_are_blacked_out_word_by_word(text: str, secrets: set[str], shown: str) -> None:
    assert redact(text, secrets) == shown


@given(st.text(max_size=60), st.text(min_size=1, max_size=12))
def test_redaction_never_raises(text: str, secret: str) -> None:
    redact(text, {secret})


@pytest.mark.parametrize(
    ("line", "guessed"),
    [
        ("cross move 101 bob geheim", {"geheim"}),
        ("cross mvoe geheim F6", {"geheim"}),
        ("crss move 101 bob geheim F6", {"geheim"}),
        ("hex mve 101 bob geheim F6", {"geheim"}),
        ("cross 101 bob geheim F6", {"geheim"}),
        ("werewolf join 35 username geheim", {"username", "geheim"}),
        ("cross move 1001 bob -geheim F6", {"-geheim"}),
        ("signup bob", set()),
        ("cross challenge alice robert", set()),
        ("cross show everything", set()),
        ("help everything", set()),
        ("lunch on friday with everybody", set()),
        ("", set()),
    ],
)
def test_words_of_a_line_that_was_not_understood_may_be_passwords(line: str, guessed: set[str]) -> None:
    assert guess_secrets(line) == guessed


def test_a_line_that_a_mail_program_broke_is_one_line() -> None:
    assert guess_secrets("cross move 101 bob\ngeheim F6") == {"geheim"}
    assert guess_secrets("cross move 101 bob\n\ngeheim F6") == {"geheim"}
    assert guess_secrets("cross move 101 bob\nhelp everything") == frozenset()


def test_a_line_beyond_doubt_is_left_alone() -> None:
    line = "cross move 101 robert geheim F6"
    assert guess_secrets(line, [line]) == frozenset()


def test_the_lines_of_a_graph_are_no_secrets():
    graph = "crossgeo challenge alice bob\n0,0 10,10 red\n0,10 10,banana\n(0,5) -> (100,5) blue\n"
    assert guess_secrets(graph, ["crossgeo challenge alice bob"]) == frozenset()
    assert "1,2pass" in guess_secrets("cross move 101 alice\n1,2pass F6")
