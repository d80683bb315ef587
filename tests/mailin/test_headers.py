"""The sender of a mail, its subject, and the token in its addresses."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.mailin import Envelope, strip_subject
from pbm.mailin.headers import message_ids, one_address, tokens, words
from tests.mailin.build import ROBOT, person, raw


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ("ann@Example.ORG", "ann@example.org"),
        ("Ann <Ann.B@Example.ORG>", "Ann.B@example.org"),
        ('"B, Ann" <ann@example.org>', "ann@example.org"),
        ("ann@example.org (Ann)", "ann@example.org"),
        ("=?utf-8?q?J=C3=B6rg_=3Cx=40y.z=3E?= <jo@example.org>", "jo@example.org"),
        ('"ann@example.org" <ann@example.org>', "ann@example.org"),
        ("ann@example.org <ann@example.org>", "ann@example.org"),
        ('"alice@example.org" <bob@evil.example>', "bob@evil.example"),
        ("ann@пример.рф", "ann@пример.рф"),
    ],
)
def test_one_whole_address_is_the_sender(field: str, address: str):
    assert person(raw("F6", f"From: {field}")).sender == address


@pytest.mark.parametrize(
    "field",
    [
        "",
        "Ann",
        "ann@",
        "alice@example.org <bob@evil.example>",
        "alice@example.org, bob@evil.example",
        "<alice@example.org> <bob@evil.example>",
        "alice@example.org <bob@evil.example",
        '"alice@example.org <bob@evil.example>',
        "group: alice@example.org;",
        "alice@example.org@evil.example",
        "<@evil.example:alice@example.org>",
        "alice(@example.org) <bob@evil.example> x@y",
        "((((",
        "alice@exa mple.org",
        "alice\0@example.org",
        "alice\x7f@example.org",
        "alice\u200b@example.org",
        "." * 7000,
    ],
)
def test_an_odd_from_names_nobody(field: str):
    assert person(raw("F6", f"From: {field}")).sender == ""


def test_two_from_fields_name_nobody():
    assert one_address(["a@example.org", "a@example.org"]) == ""


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("=?utf-8?B?SGVs?= =?utf-8?B?bG8=?=", "Hello"),
        ("=?utf-8?q?a_b?= c =?iso-8859-1?Q?=E4?=", "a b c ä"),
        ("=?x-unknown?q?a?=", "a"),
        ("=?utf-8*en?q?a?=", "a"),
        ("=?utf-8?q?a=0Ab=00c?=", "a b c"),
        ("=?utf-8?x?a?= =? ?=", "=?utf-8?x?a?= =? ?="),
    ],
)
def test_encoded_words(field: str, text: str):
    assert words(field) == text
    assert person(raw("F6", f"Subject: {field}")).subject == text


def test_a_character_may_be_split_over_two_encoded_words():
    assert words("=?utf-8?q?Gr=C3?= =?utf-8?q?=BC=C3=9Fe?=") == "Grüße"
    assert words("=?utf-8?b?R3LDvA==?=\n =?utf-8?b?w59l?=") == "Grüße"


def test_a_subject_is_one_line_of_bounded_length():
    assert len(person(raw("F6", "Subject: " + "=?utf-8?q?a?= " * 500)).subject) <= 998
    assert "\n" not in person(raw("F6", "Subject: a\n b")).subject


@pytest.mark.parametrize(
    "subject",
    [
        "Board 101: Cross",
        "Re: Board 101: Cross",
        "RE: AW: Re[2]: Re(3): Board 101: Cross",
        "[pbmserv] Board 101: Cross",
        "Re: [pbmserv] SV: VS: Antw: Odp:  Board 101:  Cross **",
        "回复：Board 101: Cross",
        "Ответ: Board 101: Cross",
        "답장: Board 101: Cross",
        "رد: Board 101: Cross",
        "RE : Board 101: Cross",
        "Fwd: Fw: WG: TR: RV: Board 101: Cross",
        "Re^2: Board 101: Cross",
    ],
)
def test_a_subject_is_the_same_under_all_prefixes(subject: str):
    assert strip_subject(subject) == "Board 101: Cross"


@pytest.mark.parametrize(
    "subject", ["hex challenge ann bob", "help: me", "signup [username] [password]", "Results: x", ""]
)
def test_a_subject_without_prefix_stays(subject: str):
    assert strip_subject(subject) == subject


def test_stars_are_dropped_as_words_only():
    assert strip_subject("Backgammon Board 26133 christian **") == "Backgammon Board 26133 christian"
    assert strip_subject("a**b") == "a**b"


@pytest.mark.parametrize(
    ("address", "reply", "bounce"),
    [
        ("pbm+AbC1@Play.Example.org", "abc1", None),
        ("pbm-abc1@play.example.org", "abc1", None),
        ("bounce+x.y@play.example.org", None, "x.y"),
        ("bounce-xy@play.example.org", None, "xy"),
        ("pbm+bounce-xy@play.example.org", None, "xy"),
        ("pbm@play.example.org", None, None),
        ("pbm+abc@play.example.org.evil.example", None, None),
        ("xpbm+abc@play.example.org", None, None),
        ("pbm+abc@playxexample.org", None, None),
    ],
)
def test_tokens_of_addresses(address: str, reply: str | None, bounce: str | None):
    assert tokens([address], ROBOT) == (reply, bounce)


def test_the_envelope_knows_the_token_better_than_the_header():
    assert person(raw("F6", "To: pbm+other@play.example.org")).token == "abc"
    fetched = Envelope(None, ("ann@mailbox.example",))
    assert person(raw("F6", "To: bob@example.org, Board <pbm+cc1@play.example.org>"), fetched).token == "cc1"
    assert person(raw("F6", "Delivered-To: pbm+dd@play.example.org", "To: x@y.z"), fetched).token == "dd"
    assert (
        person(raw("F6", "To: pbm@play.example.org"), Envelope("ann@example.org", ("pbm@play.example.org",))).token
        is None
    )


def test_ids():
    message = person(
        raw(
            "F6",
            "Message-ID: <[abc@x]>",
            "In-Reply-To: <b@x> (your mail)",
            "References: <a@x>\n\t<b@x>, <broken.\n c@x> <d@x>",
            "References: <e@x>",
        )
    )
    assert (message.message_id, message.in_reply_to) == ("<[abc@x]>", "<b@x>")
    assert message.references == ("<a@x>", "<b@x>", "<broken.c@x>", "<d@x>", "<e@x>")
    assert len(message_ids(["<a@b>" * 1000])) == 100
    assert person(raw("F6", "Message-ID: <<<<")).message_id is None


@given(st.text(alphabet='"\\<>(),;:@. aé=?', max_size=60))
@settings(max_examples=200, deadline=None)
def test_a_sender_is_whole_or_nobody(field: str):
    address = one_address([field])
    assert address == "" or (address in field or address.lower() in field.lower())
    assert address.count("@") in (0, 1)


@pytest.mark.parametrize(
    "address",
    [
        "pbm+abtqcaiahkd5@play.example.org",
        "PBM-abtqcaiahkd5@Play.Example.ORG",
        "bounce+key0001@play.example.org",
        "pbm+bounce-key0001@play.example.org",
    ],
)
def test_a_token_in_the_text_is_not_passed_on(address: str):
    """Lotus Notes repeats the address above a quote, and other programs in the names of those they quote."""
    text = person(raw(f"F6\nI write to pbm <{address}>, as ann+abc@example.org.")).text
    assert text == "F6\nI write to pbm <pbm@play.example.org>, as ann+abc@example.org."
