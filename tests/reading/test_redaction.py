"""Secrets are blacked out, and what a player needs to see stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.reading.verbs import HIDDEN, redact


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
