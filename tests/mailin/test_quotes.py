"""Where a quote begins: the lines that introduce it are known by their shape, however long they are."""

from __future__ import annotations

import textwrap

import pytest

from pbm.mailin import quotes
from pbm.mailin.message import SENTINEL
from pbm.mailin.quotes import MAX_LINE, bounded, own_text
from tests.mailin.build import person, raw
from tests.mailin.clients import AS_SENT, BOARD, LINE_LAST, quoted


def test_a_long_line_is_broken_and_not_cut() -> None:
    """Some programs leave line breaks to the reader's program; a plan may have thousands of characters in one line."""
    plan = " ".join(f"if {letter}{number}: C3;" for letter in "ABCDEFGH" for number in range(1, 10))
    broken = bounded(f"F6\n{plan}\nBye")
    assert broken.split() == f"F6 {plan} Bye".split()
    assert max(map(len, broken.split("\n"))) <= MAX_LINE
    assert bounded("> " + plan).split("\n")[1:] == []


OUR_MAIL = "Hello ann\nG7\nresign"
FROM = "pbm <pbm@play.example.org>"
WRAPPED = (
    "On Fri, Jan 5, 2024 at 10:23 AM Play-by-Mail Server\n<pbm@play.example.org>\nwrote:",
    "On Fri, Jan 5, 2024, pbm\n<pbm@play.example.org>\nwrote:",
    "2016-10-24 15:36 GMT+02:00 Foo bar <\ninfo@foo.bar>:",
    "2016-10-24 15:36 GMT+02:00 Foo bar\n<info@foo.bar>:",
    "On Fri, Jan 5, 2024 at 10:23 AM Ann Example <\nann2024@example.org> wrote:",
    "On Fri, Jan 5, 2024 at 10:23 AM The Play-by-Mail Server <pbm@play2024.example.org>\nwrote:",
    "Am Fr., 5. Jan. 2024 um 10:23 Uhr schrieb Play-by-Mail <\npbm2024@example.org>:",
    "Play-by-Mail Server\n<pbm@play.example.org>\nescreveu (sexta, 5/01/2024 à(s) 10:23):",
)
HEADERS = (
    f"-------- Ursprüngliche Nachricht --------Von: {FROM} Datum: 05.01.24 10:23 (GMT+01:00) An: ann@example.org",
    f"-------- Xyzzy xyzzy --------Qqq: {FROM} Rrr: 05.01.24 10:23 (GMT+01:00) Sss: ann@example.org Ttt: Board 101",
    "De la: pbm\nTrimis: vineri, 5 ianuarie 2024 10:23\nCătre: Ann\nSubiect: Board 101\n",
    f"De la: {FROM}\nTrimis: vineri, 5 ianuarie 2024 10:23\nCătre: Ann\nSubiect: Board 101\n",
    f"-------- Mesaj redirecționat --------\nSubiect: \tx\nDată: \tWed, 3 Nov 2021 15:51:30 +0100\nde la: \t{FROM}\n",
    f"----- Message transmis ----- De : {FROM}À : ann@example.orgEnvoyé : mardi 2 novembre 2021 à 09:26Objet : x",
    f"   ----- Edelleenlähetetty viesti ----- Lähettäjä: {FROM}Vastaanottaja: ann@example.orgAihe: x",
    f"   ----- Mensagem reencaminhada ----- De: {FROM}Para: ann@example.orgEnviada: 2 de novembro de 2021Assunto: x",
    f"   ----- Mesaj redirecționat ----- De la: {FROM}Către: ann@example.orgTrimis: marți, 2 noiembrie 2021Subiect: x",
    f"   ----- Preposlaná správa ----- Od: {FROM}Komu: ann@example.orgOdoslané: utorok 2. novembra 2021Predmet: x",
    f"   ----- İletilmiş Mesaj ----- Kimden: {FROM}Kime: ann@example.orgGönderilen: 2 Kasım 2021 SalıKonu: x",
    f"   ----- Перенаправлене повідомлення ----- Від: {FROM}Кому: ann@example.orgНадіслано: 2 листопада 2021Тема: x",
)


@pytest.mark.parametrize("own", ["F6", "F6\n\nGood luck! See you."])
@pytest.mark.parametrize("line", WRAPPED)
def test_an_attribution_that_was_wrapped_anywhere_is_known_by_its_shape(line: str, own: str) -> None:
    assert person(raw(f"{own}\n\n{line}\n\n{quoted(OUR_MAIL)}\n")).text == own
    assert person(raw(f"{line}\n\n{quoted(OUR_MAIL)}\n\n{own}\n")).text == own
    assert person(raw(f"{own}\n\n{line}\n\n{OUR_MAIL}\n")).text == own


@pytest.mark.parametrize("own", ["F6", "F6\n\nGood luck! See you."])
@pytest.mark.parametrize("header", HEADERS)
def test_a_header_is_known_by_its_shape_in_any_language(header: str, own: str) -> None:
    assert person(raw(f"{own}\n\n{header}\n{OUR_MAIL}\n")).text == own


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ("Sent from my iPhone", ""),
        ("Sent from my iPhone\nPlease excuse typos", ""),
        ("-- \nBob", ""),
        ("Best regards,\nBob", "\n\nBest regards,\nBob"),
        ("Bob Miller\n+44 20 7946 0958", "\n\nBob Miller\n+44 20 7946 0958"),
    ],
)
def test_a_move_below_the_quote_is_read_though_a_signature_stands_above(above: str, kept: str) -> None:
    answer = f"{above}\n\n{WRAPPED[0]}\n{quoted(LINE_LAST)}\n\nF6\n"
    assert person(raw(answer)).text == f"F6{kept}"


@pytest.mark.parametrize("ours", [BOARD, LINE_LAST, AS_SENT])
@pytest.mark.parametrize("above", ["G7", "No", "Yes", "Thanks for that!", "Hi Ann,", "Cheers,\nG7"])
def test_words_above_and_below_the_quote_are_read_in_their_order(above: str, ours: str) -> None:
    for width in range(56, 80):
        quote = "\n".join(part for line in quoted(ours).split("\n") for part in textwrap.wrap(line, width) or [">"])
        assert person(raw(f"{above}\n\n{quote}\n")).text == above
        assert person(raw(f"{above}\n\n{quote}\n\nF6\n")).text == f"{above}\n\nF6"


def test_a_notice_below_the_quote_belongs_to_nobody_if_words_stand_above() -> None:
    notice = "Informacje zawarte w tej wiadomości są poufne."
    assert person(raw(f"F6\n\n{quoted(AS_SENT)}\n\n{notice}\n")).text == "F6"


@pytest.mark.parametrize(
    "text",
    [
        "Name: Joe\nGame: cross\nMove: F6",
        "----- my move -----\nMove: F6",
        "D4, how are you?\n\nDate: Friday\nTime: at noon",
        "Ann\nhas the address ann@example.org and was born on 5.1.2024",
        "Thanks,\nsee you on 5.1.2024 at 10:30,\nF6:",
    ],
)
def test_what_only_looks_a_little_like_a_header_stays(text: str) -> None:
    assert person(raw(text)).text == text


@pytest.mark.parametrize("line", ["x@y {} 2024", "x {}@ 2024", "{} <x@y2024> 10:23"])
def test_the_digits_of_addresses_are_told_from_dates_in_a_time_that_grows_with_the_line(line: str) -> None:
    """This would take hours if the search began anew at each place of the word."""
    assert quotes._dated(line.format("a:" * 500_000))
    assert not quotes._dated("ann2024@example.org")


def test_a_signature_that_a_mail_server_puts_below_the_quote_is_nobodys_words() -> None:
    card = "John Doe\nSenior Consultant\nMobile: +1 555 1234"
    assert own_text(f"E5\n\n> {SENTINEL}\n\n{card}", "pbm")[0] == "E5"
    assert own_text(f"Hi Bob!\n\n> {SENTINEL}\n\nE5\n\n{card}", "pbm")[0].startswith("Hi Bob!\n\nE5")
