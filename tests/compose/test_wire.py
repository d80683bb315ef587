"""Mails as bytes: what clients and mail servers are strict about."""

from __future__ import annotations

from email import message_from_bytes, policy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.compose.composer import fresh_key
from pbm.compose.wire import Part, to_bytes


def test_later_keys_are_greater_and_no_two_are_alike(monkeypatch):
    """So the database writes one page of their index for many mails."""
    seconds = [9.9e8, 1e9, 4e9, 4e9]
    monkeypatch.setattr("time.time", iter(seconds).__next__)
    keys = [fresh_key() for _ in seconds]
    assert sorted(keys[:3]) == keys[:3]
    assert len(set(keys)) == 4
    assert {len(key) for key in keys} == {32}


def test_a_long_identifier_stays_whole_on_one_line():
    outlook = "<" + "A" * 76 + "@x>"
    raw = to_bytes({"References": " ".join([outlook] * 9)}, Part("text/plain", "board\n"))
    assert raw.split(b"\r\n")[0].decode() == "References: " + " ".join([outlook] * 9)


@pytest.mark.parametrize("value", ["a\r\nBcc: x@y", "a\nb", "a\x00b", "x" * 1000])
def test_no_header_that_would_break_the_mail_is_written(value):
    with pytest.raises(ValueError, match="header Subject"):
        to_bytes({"Subject": value}, Part("text/plain", ""))


def test_a_header_beyond_ascii_is_an_encoded_word():
    raw = to_bytes({"Subject": "Größe"}, Part("text/plain", ""))
    assert message_from_bytes(raw, policy=policy.default)["Subject"] == "Größe"


@pytest.mark.parametrize("letters", range(60, 80))
def test_a_line_that_ends_with_a_blank_stays_short(letters):
    text = "é" + "x" * letters + " \nF6\n"
    raw = to_bytes({"Subject": "board"}, Part("text/plain", text))
    assert message_from_bytes(raw, policy=policy.default).get_content().splitlines() == text.splitlines()
    assert max(map(len, raw.partition(b"\r\n\r\n")[2].split(b"\r\n"))) <= 76


@pytest.mark.parametrize("text", ["F6\n\n", "é\n\n", "F6\r\n\r\n"])
def test_a_blank_line_at_the_end_stays(text):
    raw = to_bytes({"Subject": "board"}, Part("text/plain", text))
    assert message_from_bytes(raw, policy=policy.default).get_content().splitlines() == text.splitlines()


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=300))
def test_text_comes_back_as_it_was_and_lines_stay_short(text):
    raw = to_bytes({"Subject": "board"}, Part("text/plain", text + "\n"))
    mail = message_from_bytes(raw, policy=policy.default)
    assert mail.get_content().splitlines() == (text + "\n").splitlines()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    if not text.isascii():
        assert all(len(line) <= 76 for line in raw.partition(b"\r\n\r\n")[2].split(b"\r\n"))
