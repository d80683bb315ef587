"""Mails that are never answered: automatic mail, bounces, complaints, lists, spam, and our own coming back."""

from __future__ import annotations

import pytest

from pbm.mailin import Action, Envelope, Failure
from pbm.mailin.silence import LOOP_HEADER
from pbm.mailin.written import read
from tests.mailin.build import ENVELOPE, ROBOT, person, raw, silent

NULL = Envelope("", ("pbm+abc@play.example.org",))
VERP = Envelope("", ("bounce+tok1@play.example.org",))


def report(kind: str, fields: str, *more: str, returned: str = "", name: str = "delivery-status") -> bytes:
    """A multipart/report: a part with fields, and the header of the mail it is about."""
    parts = (f"Content-Type: text/plain\n\nSorry.\nF6\n--r\nContent-Type: message/{kind}\n\n{fields}\n"
             f"--r\nContent-Type: message/rfc822\n\n{returned}\n\nF6\n--r--\n")  # fmt: skip
    return raw(f"--r\n{parts}", *more, kind=f'multipart/report; report-type={name}; boundary="r"')


@pytest.mark.parametrize(
    "field",
    [
        "Auto-Submitted: auto-replied",
        "Auto-Submitted: auto-replied (vacation)",
        "Auto-Submitted: auto-generated; owner-email=a@b.c",
        "Auto-Submitted: Auto-Notified",
        "Precedence: bulk",
        "Precedence: Junk",
        "Precedence: list (x)",
        "Precedence: auto_reply",
        "X-Auto-Response-Suppress: All",
        "X-Auto-Response-Suppress: DR, OOF, AutoReply",
        "X-Autoreply: yes",
        "X-Autorespond: x",
        "X-Apple-Action: VACATION",
        "List-Id: x <x.example.org>",
        "List-Unsubscribe: <mailto:x@example.org>",
        "X-Mailing-List: x",
        "Mailing-List: x",
        "X-Spam-Flag: YES",
        "X-Spam-Status: Yes, score=9",
        "From: postmaster@example.org",
        "From: owner-games@example.org",
        "From: games-request@example.org",
        "From: no-reply@example.org",
        "From: Shop <noreply@example.org>",
        "From: Robot <pbm@Play.Example.org>",
        "From: pbm+abc@play.example.org",
        f"{LOOP_HEADER}: play.example.org",
        f"{LOOP_HEADER}: another.example",
    ],
)
def test_a_field_that_only_programs_write_means_silence(field: str):
    assert silent(raw("F6", field)).action is Action.IGNORE


@pytest.mark.parametrize(
    "subject",
    [
        "Automatic reply: Board 101",
        "Auto reply: Board 101",
        "AutoReply: x",
        "Re: Automatic reply: Board 101",
        "Out of Office: Re: Board 101",
        "OOO: x",
        "Automatische Antwort: Board 101",
        "Abwesenheitsnotiz",
        "Réponse automatique : Board 101",
        "Absence du bureau",
        "Respuesta automática: Board 101",
        "Risposta automatica: Board 101",
        "Automatisch antwoord: Board 101",
        "Automatiskt svar: Board 101",
        "Frånvaro",
        "Automaattinen vastaus: Board 101",
        "Automatisk svar: Board 101",
        "Automatyczna odpowiedź: Board 101",
        "Odpowiedź automatyczna: Board 101",
        "Автоматический ответ: Board 101",
        "Автоматична відповідь: Board 101",
        "Resposta automática: Board 101",
        "Automatická odpověď: Board 101",
        "Otomatik Yanıt: Board 101",
        "自動返信: Board 101",
        "自动回复: Board 101",
        "自動回覆: Board 101",
        "자동 회신: Board 101",
        "رد تلقائي: Board 101",
        "מענה אוטומטי: Board 101",
        "Auto-Antwort: Board 101",
        "Abwesenheitsbenachrichtigung: Board 101",
        "Hors du bureau : Board 101",
        "Mensaje automático: Board 101",
        "Mensagem automática: Board 101",
        "Afwezigheidsbericht: Board 101",
        "Autoodpowiedź: Board 101",
        "Nieobecny w biurze: Board 101",
        "Inte på kontoret: Board 101",
        "【自動返信】Board 101",
    ],
)
def test_the_subject_of_an_autoresponder_means_silence_in_any_language(subject: str):
    assert silent(raw("I am away.", f"Subject: {subject}")).action is Action.IGNORE


TO_US = Envelope("ann@example.org", ("pbm@play.example.org",))
"""The envelope of a mail to our plain address, as from machines that found it in a From."""


@pytest.mark.parametrize(
    "field",
    [
        "Subject: AUTO: Bob Smith is out of the office (returning 2026-01-05)",
        "Subject: AUTO: Max Mustermann ist außer Haus.",
        "Subject: Bob Smith is out of the office",
        "Subject: Please confirm your message",
        "Subject: Your email to bob requires verification",
        "Subject: Your message to games awaits moderator approval",
        "Subject: Sender verification required",
        "Subject: Virus alert",
        "Subject: Mail Gateway: attachment removed",
        "Subject: [Mail Gateway] Message quarantined",
        "Subject: [Auto-Reply] Holiday",
        "Subject: VIRUS (Eicar) IN MAIL FROM YOU",
        "From: mail-gw@example.org",
        "X-TMDA-Fingerprint: abc",
        "Secure-Join: vc-request",
        "Content-Disposition: reaction",
        "Content-Type: text/vnd.google.email-reaction+json",
        "Content-Type: text/calendar; method=REPLY; charset=utf-8",
        "From: list+bounces-help@example.org",
        "From: list+owner@example.org",
        "From: games-bounces+ann=example.org@example.org",
        "From: games-return-123-ann=example.org@example.org",
        "From: games-subscribe@example.org",
        "From: ann-confirm-1234.abc@example.org",
        "From: owner+games@example.org",
        "From: automated-response@example.org",
        "From: mail-gateway@example.org",
        "From: Antivirus <virus-scanner@example.org>",
        "From: mx1.spamfilter@example.org",
        "From: notifications@example.org",
        "From: Mail-Daemon@example.org",
        "From: mailer_daemon@example.org",
        "From: Mailer.Daemon@example.org",
        "From: mailerdaemon+1@example.org",
        "From: MAILER-DAEMON-2@example.org",
        "From: MAILER-DAEMON",
        "From: mail.daemon@example.org",
        "From: double-bounce@example.org",
        "From: Mail_Delivery_Subsystem@example.org",
        "From: Mail Delivery System <nobody@example.org>",
        'From: "Mailer-Daemon" <root@example.org>',
        "From: post-master@example.org",
        "From: postmaster+x@example.org",
    ],
)
def test_machines_that_write_to_our_plain_address_get_no_answer(field: str) -> None:
    assert silent(raw("Hello\n", field, "To: pbm@play.example.org"), TO_US).action in (Action.IGNORE, Action.BOUNCE)


@pytest.mark.parametrize(
    "text",
    [
        "This is an automated response to your message.",
        "Hello,\n\nThis message was generated automatically.",
        "This e-mail was automatically generated by the gateway.",
        "*** Please do not reply to this e-mail ***",
        "Your message to bob has been held until you confirm it.",
        "To release your message please click on this link:\nhttp://x.example",
        "Dies ist eine automatisch erzeugte Nachricht.",
        "Ce message a été généré automatiquement.",
        "Это сообщение создано автоматически.",
    ],
)
def test_a_text_that_says_that_a_program_wrote_it_gets_no_answer(text: str) -> None:
    assert silent(raw(text, "Subject: Hello", "To: pbm@play.example.org"), TO_US).action is Action.IGNORE


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        (("Return-Path: <MAILER-DAEMON>",), None),
        (("Return-Path: MAILER-DAEMON",), None),
        (("Return-Path: <MAILER-DAEMON@mx.example.org>",), None),
        (("X-Envelope-From: MAILER-DAEMON",), None),
        (("Return-Path: <MAILER-DAEMON>",), "srs0=x@relay.example.org"),
        ((), "MAILER-DAEMON"),
        ((), "mailer-daemon@mx.example.org"),
        ((), "list+owner@example.org"),
        ((), "list+bounces-help@example.org"),
        ((), "games-bounces@example.org"),
    ],
)
def test_a_mail_that_a_mail_system_answers_for_gets_no_answer(fields: tuple[str, ...], path: str | None) -> None:
    envelope = Envelope(path, TO_US.recipients)
    assert silent(raw("I could not deliver it.", "Subject: Hm", *fields), envelope).action in (
        Action.IGNORE,
        Action.BOUNCE,
    )


NOTICE = "The following message was processed by our content security appliance:\n\n" + "x-header: value\n" * 30


@pytest.mark.parametrize("name", ["ironport", "barracuda", "system", "mailer", "mx1.barracuda", "mail-server"])
@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("Message blocked", "It was blocked."),
        ("[Barracuda] Spam Quarantine Summary", "You have 3 mails."),
        ("Re: Hex Board 101 ann-bob", "An attachment was removed from your mail."),
        ("Hex Board 101 ann-bob", NOTICE),
    ],
)
def test_a_machine_with_a_persons_name_gets_no_answer(name: str, subject: str, text: str) -> None:
    mail = raw(text, f"From: {name}@example.org", f"Subject: {subject}", "To: pbm@play.example.org")
    assert silent(mail, Envelope(f"{name}@example.org", TO_US.recipients)).action is Action.IGNORE
    by_it = raw(text, "From: Mail Security <alerts@example.org>", f"Subject: {subject}", "To: pbm@play.example.org")
    for path in (name, "postmaster", "gateway", "majordomo"):
        assert silent(by_it, Envelope(f"{path}@example.org", TO_US.recipients)).action is Action.IGNORE, path


@pytest.mark.parametrize("name", ["ironport", "barracuda", "system", "mailer", "john.system"])
def test_a_person_with_a_machines_name_is_heard(name: str) -> None:
    mine = Envelope(f"{name}@example.org", TO_US.recipients)
    assert person(raw("signup barry\n\n-- \nBarry", f"From: {name}@example.org"), mine).text == "signup barry"
    answer = Envelope(f"{name}@example.org", ("pbm+abc@play.example.org",))
    words = "F6\nYou play very well. " + "I wonder what made you leave the corner. " * 20
    assert person(raw(words, f"From: {name}@example.org"), answer).text.startswith("F6")
    for path in ("postmaster", "gateway"):
        sent = Envelope(f"{path}@example.org", TO_US.recipients)
        assert person(raw("F6", "From: ann@example.org"), sent).text == "F6", "by a server that answers for all"


@pytest.mark.parametrize(
    "fields",
    [
        ("Subject: confirm",),
        ("Subject: message bob your mail was blocked",),
        ("Subject: Re: pbm: please confirm your address",),
        ("Subject: vacation: I am out of the office on Monday",),
        ("From: Matt Daemon <matt.daemon@example.org>",),
        ("From: ann+pbm@example.org",),
        ("From: Mailin Bounceworth <mailin@example.org>",),
        ("From: systema@example.org",),
    ],
)
def test_persons_with_such_names_and_words_are_answered(fields: tuple[str, ...]) -> None:
    message = person(raw("Hello\nI am on vacation. Is this an automatic server?", *fields), TO_US)
    assert message.action is Action.REPLY


@pytest.mark.parametrize(
    "field",
    [
        "Auto-Submitted: no",
        "Auto-Submitted: No (typed)",
        "Precedence: first-class",
        "X-Spam-Status: No, score=0",
        "X-Spam-Flag: NO",
        "Subject: vacation until May 5",
        "Subject: away",
        "Subject: automatic challenge",
        "Subject: Re: failure notice of my move",
        "Subject: Returned mail",
        "From: bounty@example.org",
        "From: replyann@example.org",
        "From: norma@example.org",
        "Return-Path: <>",
    ],
)
def test_a_persons_mail_is_no_program(field: str):
    assert person(raw("F6", field)).text == "F6"


def test_a_mail_without_return_path_is_never_answered():
    assert silent(raw("F6"), NULL).action is Action.IGNORE
    assert silent(raw("F6"), Envelope("<>", NULL.recipients)).action is Action.IGNORE
    assert silent(raw("F6", "Return-Path: <>"), Envelope()).action is Action.IGNORE
    assert silent(raw("F6"), Envelope("owner-games@example.org", NULL.recipients)).action is Action.IGNORE
    assert person(raw("F6", "Return-Path: <ann@example.org>"), Envelope()).text == "F6"


DSN = """Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; Bob@Example.org
Action: failed
Status: 5.1.1 (unknown)
Diagnostic-Code: smtp; 550 5.1.1 unknown

Original-Recipient: rfc822;carl@example.org
Final-Recipient: rfc822;<carl@example.org>
Action: delayed
Status: 4.2.2
"""


def test_a_delivery_status_is_a_bounce_with_its_recipients():
    discard = silent(report("delivery-status", DSN, returned="Message-ID: <ours@play.example.org>\nSubject: x"), VERP)
    assert (discard.action, discard.bounce_token, discard.permanent) == (Action.BOUNCE, "tok1", True)
    assert discard.failures == (Failure("bob@example.org", True, "5.1.1"), Failure("carl@example.org", False, "4.2.2"))


@pytest.mark.parametrize(
    ("fields", "action", "permanent"),
    [
        ("Final-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: 5.2.2", Action.BOUNCE, True),
        ("Final-Recipient: rfc822; bob@example.org\nAction: failed\nStatus: 4.4.7", Action.BOUNCE, False),
        ("Final-Recipient: rfc822; bob@example.org\nAction: delayed", Action.BOUNCE, False),
        ("Final-Recipient: rfc822; bob@example.org\nAction: delivered\nStatus: 2.0.0", Action.IGNORE, False),
        ("Final-Recipient: rfc822; bob@example.org\nAction: relayed", Action.IGNORE, False),
    ],
)
def test_what_a_delivery_status_says(fields: str, action: Action, permanent: bool):
    discard = silent(report("delivery-status", f"Reporting-MTA: dns; x\n\n{fields}\n"), VERP)
    assert (discard.action, discard.permanent) == (action, permanent)


def test_a_read_receipt_is_ignored_and_a_refusal_is_a_soft_bounce():
    receipt = "Final-Recipient: rfc822; bob@example.org\nDisposition: manual-action/MDN-sent-manually; displayed\n"
    refusal = (
        "Final-Recipient: rfc822; bob@example.org\nDisposition: automatic-action/MDN-sent-automatically; deleted\n"
    )
    assert silent(report("disposition-notification", receipt), VERP).action is Action.IGNORE
    assert silent(report("disposition-notification", refusal, "Subject: Not read: x"), VERP).action is Action.IGNORE
    discard = silent(report("disposition-notification", refusal, "Auto-Submitted: auto-replied (rejected)"), VERP)
    assert (discard.action, discard.failures, discard.permanent) == (
        Action.BOUNCE, (Failure("bob@example.org", False),), False,
    )  # fmt: skip


def test_complaints_and_other_reports():
    assert silent(report("feedback-report", "Feedback-Type: abuse\n")).action is Action.COMPLAINT
    assert silent(report("feedback-report", "Feedback-Type: auth-failure\n")).action is Action.IGNORE
    assert silent(raw("x", "Subject: complaint about message from 192.0.2.1")).action is Action.COMPLAINT
    dmarc = "Subject: Report Domain: play.example.org Submitter: google.com Report-ID: 1"
    assert silent(raw("UEs", dmarc, kind="application/zip")).action is Action.IGNORE


@pytest.mark.parametrize(
    ("mail", "failures"),
    [
        (raw("x", "X-Failed-Recipients: bob@example.org", "From: Mail <a@b.c>"), (Failure("bob@example.org", False),)),
        (raw("550 5.1.1 no such user", "X-Failed-Recipients: bob@example.org"), (Failure("bob@example.org", True),)),
        (raw("x", "From: MAILER-DAEMON@x.org", "Subject: failure notice"), ()),
        (raw("x", "From: <MAILER-DAEMON>"), ()),
        (raw("x", "From: Mailer-Daemon@x.org (Mail Delivery System)"), ()),
        (raw("x", "From: no-reply@x.org", "Subject: Mail System Error - Returned Mail"), ()),
        (raw("x", "From: postmaster@x.org", "Subject: Undeliverable: Board 101"), ()),
        (raw("User unknown", "From: post_master@x.org", "Subject: Re: Board 101"), ()),
        (raw("x", "From: MAILER-DAEMON@x.org", "Subject: =?utf-8?b?6YCA5L+h?="), ()),
        (
            raw("Hi. This is the qmail-send program at x.org.\n\n<bob@example.org>:\nno mailbox (#5.1.1)\n\n--- Below",
                "From: MAILER-DAEMON@x.org", "Subject: failure notice"),
            (Failure("bob@example.org", True),),
        ),
    ],
)  # fmt: skip
def test_a_bounce_without_report(mail: bytes, failures: tuple[Failure, ...]):
    discard = silent(mail)
    assert (discard.action, discard.failures) == (Action.BOUNCE, failures)


def test_at_our_return_path_nothing_is_a_reply():
    assert silent(raw("F6"), VERP).bounce_token == "tok1"
    assert silent(raw("F6"), VERP).action is Action.BOUNCE
    assert silent(raw("F6"), Envelope("ann@example.org", VERP.recipients)).action is Action.BOUNCE
    assert silent(raw("F6", "Auto-Submitted: auto-replied (vacation)"), VERP).action is Action.IGNORE
    assert silent(raw("Recipient not found"), VERP).permanent


def test_a_reply_that_flufl_bounce_calls_a_bounce_is_a_reply():
    text = (
        "Hello\n\n----- Original Message -----\nFrom: pbm@play.example.org\nTo: ann@x.org\nSent: Monday\nSubject: x\n"
    )
    assert person(raw(text, "X-Mailer: Zimbra 6.0.13_GA_2944")).text == "Hello"


def test_a_person_who_forwards_a_bounce_gets_help():
    text = (
        "See this.\n\nBegin forwarded message:\n\n> From: MAILER-DAEMON@x.org\n> Final-Recipient: rfc822; bob@x.org\n"
    )
    to_us = Envelope("ann@example.org", ("pbm@play.example.org",))
    forward = raw(text, "Subject: Fwd: failure notice", "To: pbm@play.example.org")
    message = person(forward, to_us)
    assert (message.action, message.text) == (Action.HELP, "See this.")
    assert person(raw(text, "Subject: Fwd: Board 101")).action is Action.REPLY  # its address says which board
    assert person(raw("F6", "Subject: Fwd: Board 101", "To: pbm@play.example.org"), to_us).action is Action.REPLY
    text = "Look.\n\nVon: Bob <bob@example.org>\nGesendet: Montag\nBetreff: x\n\nresign"
    assert person(raw(text, "Subject: WG: x", "To: pbm@play.example.org"), to_us).action is Action.HELP


def test_a_verdict_names_sender_and_message():
    discard = silent(raw("F6", "Precedence: bulk"))
    assert (discard.action, discard.reason) == (Action.IGNORE, "mailing list or bulk mail")
    assert (discard.message_id, discard.sender) == ("<1@example.org>", "ann@example.org")


def test_an_empty_mail_and_no_mail_are_read():
    assert person(b"").text == ""
    assert person(b"", Envelope()).sender == ""
    assert person(raw("")).text == ""
    assert read(b"\0" * 100, ENVELOPE, ROBOT).sender == ""
