"""Secrets are blacked out, and what a player needs to see stays."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.domain.verbs import HIDDEN, passwords_behind, redact


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


def test_no_pattern_is_made_for_a_userid(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(re, "compile", None)
    said = "Here comes bob.b/geheim1 of mine, not x@bob.b/geheim2 nor bob/geheim3 of others"
    assert passwords_behind([said], "bob.b") == ["geheim1"]


def test_what_is_joined_to_the_word_password_may_be_one() -> None:
    assert passwords_behind(["It was a nice game, my password:tulip1 for you"], "bob")[0] == "tulip1"
    assert passwords_behind(["It was a nice game, mot de passe=tulip1 for you"], "bob")[0] == "tulip1"
