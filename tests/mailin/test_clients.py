"""Answers by many mail programs: exactly what the person wrote is read."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.mailin.quotes import SENTINEL
from tests.mailin import clients
from tests.mailin.build import person, raw

OWN = ("F6", "F6\nGood luck! See you at 10:30.\n\nAnn")


def words(text: str) -> str:
    """The words of the text, with one blank between them."""
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("ours", [clients.BOARD, clients.LINE_LAST, clients.AS_SENT])
@pytest.mark.parametrize(("kind", "answers"), [("plain", clients.plain), ("html", clients.html)])
def test_only_the_answer_is_read(
    kind: str, answers: Callable[[str, str], Iterator[tuple[str, str]]], ours: str, own: str
):
    read = {name: person(raw(text, kind=f"text/{kind}; charset=utf-8")) for name, text in answers(own, ours)}
    assert len(read) > 300
    assert {name: message.text for name, message in read.items() if words(message.text) != words(own)} == {}


@pytest.mark.parametrize("width", [60, 66, 70, 72, 74, 76, 78, 80])
def test_tails_of_quoted_lines_that_lost_their_mark_are_no_answer(width: int):
    lines = (f"> {line}" for line in clients.BOARD.split("\n"))
    wrapped = "\n".join(part for line in lines for part in textwrap.wrap(line, width) or [">"])
    assert wrapped != clients.quoted(clients.BOARD)
    assert person(raw(f"On 5 Jan 2024 at 10:23, pbm wrote:\n{wrapped}\n\nF6\n")).text == "F6"


def test_an_answer_between_short_quoted_lines_is_no_tail():
    assert (
        person(raw("pbm wrote:\n> Hi ann\nF6\n> it is your turn\n> bob played C1\nnice one\n")).text == "F6\n\nnice one"
    )


@pytest.mark.parametrize(
    "line",
    [
        "##- Write your answer above this line -##",
        "> ##- Write your answer above\n> this line -##",
        "> ##-\n> Write your answer above this line -##",
        "##- Write your\nanswer above this line -##",
        "    ##- write your answer above this line -##",
        "| ##- Write your answer above this line -##",
        "##- Schreiben Sie Ihre Antwort über dieser Zeile -##",
        "Write\u00a0your\u00a0answer above this line",
    ],
)
def test_our_line_is_found_however_it_comes_back(line: str):
    mark = line[0] + " " if line[0] in ">|" else ""
    message = person(raw(f"F6\n\n{line}\n{mark}G7\n{mark}resign\n"))
    assert (message.text, message.answers_us) == ("F6", True)


@pytest.mark.parametrize(
    "line",
    [
        "<p>##- Write your answer above this line -##</p>",
        "<p>##- Write your&nbsp;answer <span>above</span> this<wbr> line -##</p>",
        "<pre>##- Write your answer\nabove this line -##</pre>",
        "<blockquote>##- Write your answer above this line -##</blockquote>",
    ],
)
def test_our_line_is_found_in_html(line: str):
    message = person(raw(f"<div>F6</div>{line}<pre>G7\nresign</pre>", kind="text/html"))
    assert message.text.split("\n")[0] == "F6"
    assert message.answers_us


def test_below_our_mail_without_marks_nothing_is_the_persons():
    assert person(raw(f"{clients.BOARD}\n\nF6\n")).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "hex challenge joe -size=11\nhelp cross",
        "message bob: see you at 10:30, I wrote: hi\nF6",
        "cross move 101 F6\nNice move! From: here it gets hard\nTo: win I need 3",
        "From: a1\nTo: b2",
        "F6\nThis 2026-01-01 move\nTo me it is the\nSubject of a book",
        "signup ann secret ann@example.org",
        "F6 -- good luck",
        "- F6\n- G7",
        "--- hello ---\nF6",
        "pente+- move 222 userid password G12+-",
        "set mail html\nset board words",
        "b1>c2",
        "Roll: 6,3 Move: B-3,11-17",
        "I wrote:\nhello",
        "Subject: fetch.2 pbmserv.pl",
    ],
)
def test_what_nobody_quoted_stays_whole(text: str):
    assert person(raw(text)).text == text


FROM = "pbm <pbm@play.example.org>"


@pytest.mark.parametrize(
    "quote",
    [
        f"--- On Fri, 1/5/24, {FROM} wrote:\n\nFrom: {FROM}\nSubject: Board 101\nDate: Friday",
        f">>> {FROM} 01/05/24 10:23 AM >>>",
        f"> On 5 Jan 2024, at 10:23, {FROM} wrote:\n>",
        f"> Subject: Board 101\n> From: {FROM}\n>",
        f"Date: Fri, 5 Jan 2024 10:23:45 +0100\nFrom: {FROM}\nTo: ann@example.org\nSubject: Board 101",
        f"Sent from my Galaxy\n\n-------- Original message --------\nFrom: {FROM}\nDate: 05/01/2024 10:23\nTo: ann",
        f"Von meinem/meiner Galaxy gesendet\n\n-------- Ursprüngliche Nachricht --------\nVon: {FROM}\nDatum: 05.01.24",
        f"Sent via Superhuman iOS ( https://x.example )\n\nOn Fri, Jan 05 2024 at 10:23 AM, {FROM} wrote:",
        f"---- 回复的原邮件 ----\n| 发件人 | {FROM} |\n| 日期 | 2024年01月05日 10:23 |",
        f'------ Original Message ------\nFrom "pbm" <{FROM}>\nTo "Ann" <ann@example.org>',
        "On 5 Jan 2024 at 10:23 +0100, [pbm](mailto:pbm@play.example.org), wrote:",
        "Sent from Yahoo Mail on Android\n\n  On Fri, Jan 5, 2024 at 10:23, pbm<pbm@play.example.org> wrote:   Hi,",
        "  Le ven., janv. 5, 2024 à 10:23, pbm<pbm@play.example.org> a écrit :   Hi,",
        "  Am Fr., Jan. 5, 2024 um 10:23 schrieb pbm<pbm@play.example.org>:   Hi,",
    ],
)
@pytest.mark.parametrize("ours", [clients.BOARD, "G7\nresign"])
def test_other_ways_to_repeat_our_mail(quote: str, ours: str):
    marked = clients.quoted(ours) if quote.endswith("\n>") else ours
    assert person(raw(f"F6\n\n{quote}\n{marked}\n")).text == "F6"


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("F6\n-- \nAnn\nG7", "F6"),
        ("F6\n--\nAnn", "F6"),
        ("F6\n_________________________________\nDo you Yahoo!?\nG7", "F6"),
        ("F6\n\nCONFIDENTIALITY NOTICE: G7", "F6"),
        ("F6\n\nThis e-mail and any attachments are confidential and intended solely for you.\nG7", "F6"),
        ("F6\n\nDiese E-Mail enthält vertrauliche Informationen.", "F6"),
        ("F6\n\nVirus-free.www.avast.com\n<https://www.avast.com/sig-email>", "F6"),
        ("F6\nᐧ\n--\n***\n   -------\n", "F6"),
        ("F6\n\n---------- Forwarded message ---------\nFrom: bob <bob@example.org>\nDate: today\n\nresign", "F6"),
        ("F6\n\nBegin forwarded message:\n\n> From: bob <bob@example.org>\n> resign\n", "F6"),
        ("pe 20. lokakuuta 2017 klo 17.50 pbm\n<pbm@play.example.org> kirjoitti:\n\nresign", ""),
        ("-- \nAnn\n\nOn 5 Jan 2024, pbm wrote:\n> a\n> b\n\nF6", "F6"),
    ],
)
def test_signatures_disclaimers_and_forwards_are_left_out(text: str, own: str):
    assert person(raw(text)).text == own


NOTICES = """\
This email and any files transmitted with it are confidential and intended solely for the use of the individual.
The information contained in this communication is intended solely for the use of the individual or entity to whom
IMPORTANT NOTICE: This message is intended only for the addressee.
NOTICE: This e-mail may contain privileged or confidential information.
Acme Ltd is registered in England and Wales No. 1234567. Registered office: 1 High Street, London A1 2BC.
Acme GmbH, Sitz: Berlin, Amtsgericht Charlottenburg HRB 12345 B, Geschäftsführer: Max Muster
Der Inhalt dieser E-Mail ist vertraulich und ausschließlich für den bezeichneten Adressaten bestimmt.
Ce message et toutes les pièces jointes sont établis à l'intention exclusive de ses destinataires.
Les informations contenues dans ce message sont confidentielles. Merci de le détruire en cas d'erreur.
La información contenida en este correo es confidencial.
Aviso de confidencialidad: este correo electrónico contiene información reservada.
Le informazioni contenute in questa comunicazione sono riservate e destinate esclusivamente al destinatario.
AVISO: As informações contidas nesta mensagem são confidenciais.
De informatie in dit e-mailbericht is vertrouwelijk en uitsluitend bestemd voor de geadresseerde.
Informacje zawarte w tej wiadomości są poufne.
Detta e-postmeddelande kan innehålla konfidentiell information.
本メールは、宛先に記載されている方のみに送付することを意図しており、機密情報を含む場合があります。
Please consider the environment before printing this email.
Bitte denken Sie an die Umwelt, bevor Sie diese E-Mail ausdrucken.
Antes de imprimir este mensaje, piense en el medio ambiente.
This email has been scanned for viruses by Symantec.
Diese E-Mail wurde von Avast Antivirus-Software auf Viren geprüft.|www.avast.com
Mail priva di virus. www.avast.com
Secured with Tuta Mail:|https://tuta.com/free-email
Outlook für iOS beziehen
Pobierz aplikację Outlook dla systemu iOS
Provenance : Courrier pour Windows
Skickades från E-post för Windows
Proton Mailセキュアメールで送信されました。
Sender notified by|Mailtrack""".splitlines()
"""What companies, virus scanners and mail programs put below a text; "|" breaks a line."""
PERSONAL = """\
My last message was meant to be confidential, please do not publish it anywhere.
Is our mail here confidential? Other players need not know about this plan.
The message was intended for the other board, sorry about that, Bob!
Ich glaube, die Nachricht war vertraulich; der Empfänger sollte nur Bob sein.
I always print your mail, although the environment would prefer otherwise.
Danke für die Nachricht, bitte alles streng vertraulich behandeln.
That message stays confidential between us, promised!""".splitlines()
"""The same words as in notices, from a person."""
BANNERS = """\
CAUTION: This email originated from outside of the organization.|Do not click links unless you know the sender.
[EXTERNAL EMAIL]
*** EXTERNAL ***
This Message Is From an External Sender|This message came from outside your organization.
[You don't often get email from ann@example.org. Learn why this is important at https://aka.ms/Learn ]
ACHTUNG: Diese E-Mail stammt von einem externen Absender.
ATTENTION : cet e-mail provient d'un expéditeur externe.""".splitlines()
"""What servers put above a text to warn of its sender."""


@pytest.mark.parametrize("notice", NOTICES)
def test_what_others_put_below_a_text_is_not_passed_on(notice: str):
    own = "F6\n\nYour last message was good, I printed it."
    assert person(raw(f"{own}\n\n{notice.replace('|', chr(10))}\n")).text == own
    wrapped = "\n".join(part for line in notice.split("|") for part in textwrap.wrap(line, 72))
    assert person(raw(f"{own}\n\n{wrapped}\n\n{clients.ATTRIBUTIONS['mutt']}\n> {SENTINEL}\n")).text == own


@pytest.mark.parametrize("notice", NOTICES)
def test_a_notice_alone_is_no_text(notice: str):
    assert person(raw(notice.replace("|", "\n"))).text == ""


@pytest.mark.parametrize("words", PERSONAL)
def test_a_person_who_uses_the_words_of_notices_is_heard(words: str):
    assert person(raw(f"F6\n\n{words}\n")).text == f"F6\n\n{words}"


@pytest.mark.parametrize(
    "text",
    [
        "Print the board before you go, a nice environment for thinking it over.\nF6",
        "This message stays strictly confidential between the two of us, Bob.\n\nF6",
        "The mail from outside Berlin took three days.\n\nF6",
        "Do not click links, just play.\n\nF6",
        "Nobody outside your organization plays so badly.\n\nF6",
    ],
)
def test_what_a_person_begins_with_is_no_notice(text: str):
    assert person(raw(text)).text == text
    assert person(raw(f"{clients.ATTRIBUTIONS['mutt']}\n> {SENTINEL}\n\n{text}")).text == text


@pytest.mark.parametrize("banner", BANNERS)
@pytest.mark.parametrize("own", ["F6", "F6\n\nExternal cells are weak. I came from outside, as you see in my message."])
def test_a_servers_warning_above_a_text_is_not_passed_on(banner: str, own: str):
    assert person(raw(f"{banner.replace('|', chr(10))}\n\n{own}\n")).text == own


def test_a_signed_text_is_read_without_its_armour():
    text = "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nF6\n\n- -- \nAnn\n-----BEGIN PGP SIGNATURE-----\n\niQ\n"
    assert person(raw(text)).text == "F6"


def test_lines_blanks_and_text_are_bounded():
    assert person(raw("F6" + "\n" * 20_000 + "G7")).text == "F6\n\n\nG7"
    assert len(person(raw("a" * 100_000)).text) == 400
    assert len(person(raw("word\n" * 100_000)).text) <= 6000
    assert person(raw("word\n" * 100_000)).text.endswith("word [...]")
    assert len(person(raw("\u4e2d\u6587 " * 3000)).text.encode()) <= 6000


WORDS = st.sampled_from(
    ["F6", "swap", "g7-g8", "hello,", "nice!", "101", "größer", "好的", "привет", "(so)", "R,b1-b2"]
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4).map("\n".join)


@given(LINES, st.sampled_from(sorted(clients.ATTRIBUTIONS)), st.sampled_from(["above", "below"]), st.integers(56, 90))
@settings(max_examples=200, deadline=None)
def test_any_answer_around_a_quote_wrapped_anywhere_is_read_alone(own: str, client: str, place: str, width: int):
    lines = (f"> {line}" for line in clients.BOARD.split("\n"))
    quote = "\n".join(part for line in lines for part in textwrap.wrap(line, width, drop_whitespace=False) or [">"])
    attribution = clients.ATTRIBUTIONS[client]
    texts = [own, "", attribution, quote] if place == "above" else [attribution, quote, "", own]
    assert words(person(raw("\n".join(texts))).text) == words(own)


@given(LINES, st.sampled_from(sorted(clients.HEADER_BLOCKS)), st.booleans())
@settings(max_examples=100, deadline=None)
def test_any_answer_above_a_header_block_is_read_alone(own: str, client: str, close: bool):
    text = f"{own}\n{'' if close else chr(10)}{clients.HEADER_BLOCKS[client]}\n\n{clients.REST}\n"
    assert words(person(raw(text)).text) == words(own)


FOOTERS = Path(__file__).with_name("footers.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("footer", FOOTERS)
def test_a_footer_is_known_by_its_word_for_sent(footer: str) -> None:
    assert person(raw(f"F6\n\nGood luck, and see you.\n\n{footer}\n")).text == "F6\n\nGood luck, and see you."


WORDS_OF_FOOTERS = [
    "Call me on the mobile", "Mein Telefon ist kaputt", "Gmail was down", "F6 on K-9", "new android phone here",
    "lost my Samsung on the train", "Envoyé de Paris avec amour", "Sent from my heart to yours",
    "Legal notice: I object", "dictated by my daughter, age 5", "Sent by mail yesterday", "I use Outlook on Android",
]  # fmt: skip


@pytest.mark.parametrize("words", WORDS_OF_FOOTERS)
def test_words_about_a_telephone_are_no_footer(words: str) -> None:
    assert person(raw(f"F6\n\n{words}\n")).text == f"F6\n\n{words}"
