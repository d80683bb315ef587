"""Proof that a mail comes from the address in its From: only our own mail server can give it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbm.mailin import Envelope, Judgement, Robot
from pbm.mailin.authentication import parsed
from tests.mailin.build import ENVELOPE, ROBOT, person, raw

RESULTS = "Authentication-Results: mx.play.example.org"
GOOD = f"{RESULTS}; dkim=pass header.d=example.org"
OURS = "Received: from mail.example.org (mail.example.org [192.0.2.1]) by mx.play.example.org (Postfix) with ESMTPS"
STRIPPING = replace(ROBOT, authserv_strips=True)
THEIRS = "Received: from evil.example by mail.example.net with ESMTP id 1; Mon, 5 Jan 2026 10:00:00 +0000"


def vouched(
    *fields: str, sender: str = "ann@example.org", robot: Robot = ROBOT, mail_from: str = "ann@bounces.example"
) -> bool:
    """Whether a mail with these fields is authenticated."""
    return judged(*fields, sender=sender, robot=robot, mail_from=mail_from) is Judgement.PASSED


def judged(
    *fields: str, sender: str = "ann@example.org", robot: Robot = ROBOT, mail_from: str = "ann@bounces.example"
) -> Judgement:
    """What our server says of the sender of a mail with these fields."""
    envelope = Envelope(mail_from, ENVELOPE.recipients)
    return person(raw("F6", *fields, f"From: {sender}"), envelope, robot).judgement


def test_only_our_own_server_vouches() -> None:
    assert vouched(GOOD)
    assert not vouched(GOOD.replace("mx.play", "mx.evil"))
    assert not vouched(GOOD, robot=Robot("pbm", "play.example.org"))
    assert not vouched()
    assert not vouched(GOOD, sender="ann@example.org, bob@example.org")


@pytest.mark.parametrize(
    ("fields", "trusted"),
    [
        ((GOOD, OURS), True),
        ((OURS, GOOD), True),
        ((OURS, THEIRS, GOOD), False),
        ((THEIRS, GOOD), False),
        ((GOOD, THEIRS), True),
        (("Received: by 2002:a05:6a10::1 with SMTP id 1", OURS, GOOD, THEIRS), True),
        (("Received: from mx.play.example.org by box.internal (LMTP)", OURS, GOOD), True),
        (("Received: from localhost by localhost", "Received: (qmail 1 invoked by uid 1)", OURS, GOOD), True),
        (("Received: from mx by imap.play.example.org with LMTP", OURS, GOOD), True),
        (("Received: from mx by mx.play.example.org.evil.example with SMTP", GOOD), False),
        (("Received: from x (by mx.play.example.org) by evil.example with SMTP", GOOD), False),
    ],
)
def test_what_stands_below_the_hop_of_another_host_may_be_anybodys(fields: tuple[str, ...], trusted: bool) -> None:
    assert vouched(*fields, robot=STRIPPING) is trusted
    is_on_top = fields[0] == GOOD
    assert vouched(*fields) is (trusted and is_on_top), "what is not on top may be anybody's, unless it is stripped"


def test_a_sender_who_forges_the_way_behind_our_server_is_not_believed() -> None:
    """They write what our own servers could have written; the server in front only adds its Received on top."""
    inner = "Received: from mx.play.example.org by box.play.example.org (LMTP)"
    assert not vouched(OURS, GOOD)
    assert not vouched(inner, OURS, GOOD, OURS)
    assert not vouched(OURS, GOOD, inner, OURS)


@pytest.mark.parametrize(
    ("results", "verdict"),
    [
        ("dmarc=fail header.from=example.org", Judgement.FAILED),
        ("dmarc=fail header.from=example.org; dkim=pass header.d=example.org", Judgement.FAILED),
        ("spf=fail smtp.mailfrom=example.org", Judgement.FAILED),
        ("spf=fail smtp.mailfrom=example.org; dkim=pass header.d=evil.example", Judgement.FAILED),
        ("spf=fail smtp.mailfrom=list.example; dkim=pass header.d=example.org", Judgement.PASSED),
        ("spf=softfail smtp.mailfrom=example.org; dkim=fail header.d=example.org", Judgement.NONE),
        ("dmarc=none", Judgement.NONE),
    ],
)
def test_dmarc_fails_or_spf_where_nothing_passes(results: str, verdict: Judgement) -> None:
    assert judged(f"{RESULTS}; {results}", OURS) is verdict
    below = judged(OURS, f"{RESULTS}; {results}")
    assert below is (Judgement.NONE if verdict is Judgement.PASSED else verdict), (
        "what speaks against a mail counts there"
    )


@pytest.mark.parametrize(
    "field",
    [
        'mx.example.org; spf=pass (google.com: domain of "a\\)b" (x)) smtp.mailfrom=a+b=c.example@d.example',
        'mx.example.org (a comment) 1; dkim=pass reason="good; (really)" header.d = "d.example" header.b="a=b"',
        "mx.example.org 1; none",
        "mx.example.org; dmarc / 1 = pass policy.dmarc=none header.from=d.example;",
    ],
)
def test_fields_as_servers_write_them_can_be_read(field: str) -> None:
    found = parsed(field)
    assert found.server == "mx.example.org"
    assert {result.verdict for result in found.results} <= {"pass"}


@pytest.mark.parametrize(
    "field",
    ["", ";", "a b; spf=pass", "a 2; spf=pass", "a; spf", "a; =pass", 'a; spf=pass x="', "a; spf=pass (", "a; x=y z"],
)
def test_a_field_of_which_a_part_cannot_be_read_says_nothing(field: str) -> None:
    assert parsed(field).results == ()


UNREADABLE = (
    "; dmarc=fail; dkim=pass (header.d=example.org",
    '; dkim=pass header.d="example.org; dmarc=fail header.from=example.org',
    " 7; dmarc = fail",
    "; spf=pass smtp.mailfrom=ann@example.org; ???; DMARC=fail",
)


@pytest.mark.parametrize("results", UNREADABLE)
@pytest.mark.parametrize("passed", [(), (GOOD,)])
def test_but_what_it_says_against_the_mail_counts(results: str, passed: tuple[str, ...]) -> None:
    """A word of the sender's that a mail server quotes badly must not hide what that server has found."""
    for fields in ((f"{RESULTS}{results}", *passed, OURS), (*passed, f"{RESULTS}{results}", OURS)):
        assert judged(*fields) is Judgement.FAILED


def test_nor_does_it_hide_what_the_next_one_says() -> None:
    broken = f"{RESULTS}; dkim=pass (header.d=example.org"
    assert judged(broken) is Judgement.NONE
    assert judged(broken, f"{RESULTS}; dmarc=fail", OURS) is Judgement.FAILED
    assert judged(broken, GOOD, OURS) is Judgement.PASSED


def test_fields_that_a_sender_may_have_brought_along_are_not_read() -> None:
    other = "Authentication-Results: evil.example; dkim=fail header.d=evil.example"
    nothing = f"{RESULTS}; dkim=none"
    assert not vouched(other, GOOD)
    assert not vouched(OURS, nothing, GOOD)
    assert not vouched(nothing, OURS, GOOD)
    assert not vouched(nothing, GOOD)


def test_each_filter_of_our_server_may_write_a_field_of_its_own() -> None:
    assert vouched(f"{RESULTS}; spf=none", f"{RESULTS}; dmarc=none", GOOD, OURS)
    assert not vouched(f"{RESULTS}; dmarc=fail header.from=example.org", GOOD, OURS)


@pytest.mark.parametrize(
    ("results", "trusted"),
    [
        ("dkim=pass header.d=example.org", True),
        ("dkim=pass (2048-bit key) header.d=Example.ORG header.i=@example.org header.b=abc", True),
        ("dkim=fail header.d=example.org; dmarc=pass (p=reject) header.from=example.org", True),
        ("dkim=pass header.i=@example.org", False),
        ("dkim=pass header.d=evil.example header.i=@example.org", False),
        ("dkim=pass header.d=evil.example", False),
        ("dkim=pass header.d=example.org.evil.example", False),
        ("dkim=pass header.d=org", False),
        ("dkim=pass header.d=sub.example.org", False),
        ("dkim=fail header.d=example.org", False),
        ("dkim=pass (header.d=example.org", False),
        ("dmarc=pass header.from=sub.example.org", False),
        ("dmarc=fail header.from=example.org; dkim=pass header.d=example.org", False),
        ("dmarc=fail header.from=example.org; spf=pass smtp.mailfrom=ann@example.org", False),
        ("dmarc=fail", False),
        ("none", False),
        ("((((", False),
    ],
)
def test_a_pass_must_name_the_domain_of_the_sender(results: str, trusted: bool) -> None:
    assert vouched(f"{RESULTS}; {results}") is trusted


@pytest.mark.parametrize(
    ("results", "mail_from", "trusted"),
    [
        ("spf=pass smtp.mailfrom=ann@example.org", "x@y.example", True),
        ("spf=pass smtp.mailfrom=Ann@Example.org", "x@y.example", True),
        ("spf=pass smtp.mailfrom=eve@example.org", "eve@example.org", False),
        ("spf=pass smtp.mailfrom=example.org", "eve@example.org", False),
        ("spf=pass smtp.mailfrom=example.org", "ann@example.org", True),
        ("spf=pass smtp.mailfrom=sub.example.org", "ann@example.org", False),
        ("spf=pass smtp.helo=example.org", "ann@example.org", False),
        ("spf=softfail smtp.mailfrom=ann@example.org", "ann@example.org", False),
    ],
)
def test_spf_passes_for_one_address_and_not_for_all_of_its_domain(results: str, mail_from: str, trusted: bool) -> None:
    assert vouched(f"{RESULTS}; {results}", mail_from=mail_from) is trusted


def test_a_domain_that_signs_vouches_for_those_below_it() -> None:
    assert vouched(GOOD, sender="ann@mail.example.org")
    assert not vouched(GOOD, sender="ann@evilexample.org")


TO_US = "To: pbm@play.example.org"
TO_EVE = "To: Eve <eve@evil.example>"


@pytest.mark.parametrize("results", ["dkim=pass header.d=example.org", "dmarc=pass header.from=example.org"])
def test_a_signed_mail_to_somebody_else_is_not_theirs_to_send_on(results: str) -> None:
    results = f"{RESULTS}; {results}"
    assert vouched(results, TO_US)
    assert vouched(results, "To: friend@example.net, Pbm+abc@Play.Example.org")
    assert not vouched(results, TO_EVE)
    assert not vouched(results, TO_US, TO_EVE), "whoever sends it on can add a To above the signed one"
    assert not vouched(results, "To: undisclosed-recipients:;", "Cc: pbm@play.example.org")


def test_a_mail_server_that_may_send_for_the_sender_proves_it_whatever_to_says() -> None:
    assert vouched(f"{RESULTS}; spf=pass smtp.mailfrom=ann@example.org", TO_EVE)


@pytest.mark.parametrize(
    "known",
    [
        "from [8.8.8.8] (unknown [93.184.216.34]) by mx.play.example.org (Postfix) with ESMTP id 1; Thu, 1 Jan",
        "from [8.8.8.8] ([93.184.216.34]) by mx.play.example.org with ESMTPS id 1; Thu, 1 Jan",
        "from [8.8.8.8] (root@a.example [93.184.216.34] (may be forged)) by mx.play.example.org; Thu, 1 Jan",
        "from [8.8.8.8] (93.184.216.34) by mx.play.example.org with Microsoft SMTP Server; Thu, 1 Jan",
        "from unknown (HELO [8.8.8.8]) (93.184.216.34) by mx.play.example.org with SMTP; Thu, 1 Jan",
        "from [93.184.216.34] (port=2525 helo=[8.8.8.8]) by mx.play.example.org with esmtp (Exim 4.96); Thu, 1 Jan",
        "from a.example ([93.184.216.34] helo=[8.8.8.8]) by mx.play.example.org with esmtp (Exim 4.96); Thu, 1 Jan",
    ],
)
def test_a_machine_is_known_by_its_address_not_by_the_one_it_greets_with(known: str) -> None:
    assert person(raw("F6", f"Received: {known}")).peer == "93.184.216.34"


def test_a_greeting_is_not_the_address_of_a_machine_of_our_own() -> None:
    inner = "Received: from [8.8.8.8] (unknown [10.0.0.5]) by mx.play.example.org (Postfix) with LMTP; Thu, 1 Jan"
    outer = "Received: from a.example (a.example [IPv6:2a00:1450::1]) by mx.play.example.org (Postfix); Thu, 1 Jan"
    assert person(raw("F6", inner)).peer == ""
    assert person(raw("F6", inner, outer)).peer == "2a00:1450::1"
