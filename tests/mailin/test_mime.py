"""Parts, transfer encodings, charsets and flowed text; bombs cost nothing."""

from __future__ import annotations

import base64
import quopri
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.mailin import Cover
from pbm.mailin.mime import MAX_HEADERS, MAX_PARTS, TooLongError, from_base64, parse, split, to_text, unflowed
from pbm.mailin.smime import signed_content
from tests.mailin import clients
from tests.mailin.build import person, raw, signed, silent


def mixed(*parts: str, kind: str = "multipart/mixed") -> bytes:
    """A mail made of parts, each with its own fields."""
    body = "".join(f"--b\n{part}\n" for part in parts) + "--b--\n"
    return raw(body, kind=f'{kind}; boundary="b"')


PLAIN = "Content-Type: text/plain\n\n"
HTML = "Content-Type: text/html\n\n"


@pytest.mark.parametrize(
    ("mail", "text"),
    [
        (mixed(PLAIN + "F6", HTML + "<p>G7", kind="multipart/alternative"), "F6"),
        (mixed(HTML + "<p>G7", PLAIN + "F6", kind="multipart/alternative"), "F6"),
        (mixed(PLAIN + " ", HTML + "<p>F6", kind="multipart/alternative"), "F6"),
        (mixed(PLAIN + "F6", "Content-Type: image/png; name=a.png\n\nxx", PLAIN + "ok"), "F6\nok"),
        (mixed(PLAIN + "F6", "Content-Type: text/plain\nContent-Disposition: attachment\n\nG7"), "F6"),
        (mixed(PLAIN + "F6", "Content-Type: text/plain; name=more.txt\n\nok"), "F6\nok"),
        (mixed(PLAIN + "F6", "Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\nG7"), "F6"),
        (mixed(PLAIN + "F6", "Content-Type: message/rfc822\n\nSubject: x\n\nresign"), "F6"),
        (mixed("Content-Type: message/rfc822\n\nSubject: x\n\nresign"), ""),
        (mixed(PLAIN + "F6", "Content-Type: application/ms-tnef; name=winmail.dat\n\nG7"), "F6"),
        (mixed(HTML + "F6", PLAIN + "G7", kind="multipart/related"), "F6"),
        (mixed(PLAIN + "F6", "Content-Type: application/pgp-signature\n\nG7", kind="multipart/signed"), "F6"),
        (raw("--b\nContent-Type: text/plain\n\nF6\n", kind="multipart/alternative; boundary = b"), "F6"),
        (raw("--odd\nContent-Type: text/plain\n\nF6\n--odd--", kind="multipart/mixed"), "F6"),
        (raw("F6", kind="multipart/mixed; boundary=b"), "F6"),
        (raw("F6", kind="nonsense"), "F6"),
        (raw("F6", kind="text/markdown; variant=CommonMark"), "F6"),
        (raw("<p><s>G7</s> <strike>G8</strike> <del>G9</del> F6</p>", kind="text/html"), "F6"),
        (raw("<p><span style='text-decoration: line-through'>G7</span> F6</p>", kind="text/html"), "F6"),
        (raw("<p hidden>G7</p><p>F6</p>", kind="text/html"), "F6"),
        (raw("<p style='opacity: 0.0'>G7</p><p style='fill-opacity:0;opacity:0.9'>F6</p>", kind="text/html"), "F6"),
        (raw("<p style='font-size:0px'>G7</p><p style='font-size:0.9em'>F6</p>", kind="text/html"), "F6"),
        (raw("F6", kind='text/plain; charset="'), "F6"),
        (raw("F6", kind='text/plain; name="body.txt"'), "F6"),
        (mixed("Content-Type: text/plain; name=body.txt\n\nF6", PLAIN + "ok"), "F6\nok"),
        (raw("F6", kind="application/pgp; x-action=sign; format=text"), "F6"),
        (raw("<div style='white-space: pre-wrap'>F6\n\nBye</div>", kind="text/html"), "F6\n\nBye"),
        (raw("<pre><span>F6\n\nBye</span>\nBob</pre> <b>x\ny</b>", kind="text/html"), "F6\n\nBye\nBob\nx y"),
        (raw("<blockquote style='margin:0 0 0 40px'>F6</blockquote><p>Bye</p>", kind="text/html"), "F6\n\nBye"),
        (raw("<p>Hi</p><blockquote>G7</blockquote><p>F6</p>", kind="text/html"), "Hi\n\nF6"),
        (raw("F6<blockquote style='margin:0 0 0 40px;border:none'>Bye</blockquote>", kind="text/html"), "F6\nBye"),
        (raw("F6<blockquote style='border:none;border-left:solid'>G7</blockquote>", kind="text/html"), "F6"),
        (raw("F6<blockquote type=cite style='border:none'>G7</blockquote>", kind="text/html"), "F6"),
        (raw(f"{'<div>' * 400}F6", kind="text/html"), "F6"),
        (raw("<blockquote type=cite>G7</blockquote><p>F6</p>", kind="text/html"), "F6"),
        (raw("<blockquote>On Friday pbm &lt;a@b.org&gt; wrote: G7</blockquote><p>F6</p>", kind="text/html"), "F6"),
        (raw("F6", kind="text/plain; name*=utf-8''x"), "F6"),
        (raw("--b\nContent-Type: text/plain\n\nF6\n--b--", kind="multipart/multipart/mixed; boundary=b"), "F6"),
        (raw("F=  \n6", "Content-Transfer-Encoding: quoted-printable"), "F6"),
        (raw("<p>F6</p><div class=front-signature>G7</div>", kind="text/html"), "F6"),
    ],
)
def test_the_text_of_a_mail_is_what_is_not_a_file_and_not_enclosed(mail: bytes, text: str):
    assert person(mail).text == text


@pytest.mark.parametrize("kind", ["application/pkcs7-mime; smime-type=signed-data", "application/x-pkcs7-mime"])
def test_an_opaque_signature_is_read_like_the_mail_in_it(kind: str):
    inner = b"Content-Type: multipart/alternative; boundary=Z\r\n\r\n--Z\r\n\r\nF6\r\n--Z--\r\n"
    body = base64.encodebytes(signed(inner))
    mail = raw(body, "Content-Transfer-Encoding: base64", "Content-Disposition: attachment; filename=a.p7m", kind=kind)
    message = person(mail)
    assert (message.text, message.cover, message.sender) == ("F6", Cover.NONE, "ann@example.org")


@given(st.integers(0, 400), st.binary(max_size=3))
@settings(max_examples=200)
def test_a_damaged_signature_is_none_or_is_read(place: int, junk: bytes):
    whole = signed(b"Content-Type: text/plain\r\n\r\nF6\r\n")
    signed_content(whole[:place] + junk + whole[place + len(junk) :])


def test_an_answer_to_an_invitation_is_a_calendars_wherever_it_says_so():
    calendar = "Content-Type: text/calendar\n\nBEGIN:VCALENDAR\nMETHOD:REPLY\nEND:VCALENDAR"
    assert silent(mixed(PLAIN + "F6", calendar)).reason == "answer of a calendar"


def test_html_is_asked_where_the_plain_text_marks_no_quote():
    plain = f"On Friday, January 5, 2024 at 10:23:45 AM, pbm <pbm@play.example.org> wrote:\n\n{clients.BOARD}\n\nF6\n"
    html = f'<div class="yahoo_quoted"><div>On Friday, pbm wrote:</div><pre>{clients.BOARD}</pre></div><div>F6</div>'
    assert person(mixed(PLAIN + plain, HTML + html, kind="multipart/alternative")).text == "F6"
    assert person(mixed(PLAIN + plain, kind="multipart/alternative")).text == ""


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("Спасибо за игру, F6", "koi8-r"),
        ("Спасибо за игру, F6", "cp1251"),
        ("F6 удачи!", "koi8-r"),
        ("F6 нет", "koi8-r"),
        ("Дякую за гру", "koi8-u"),
        ("Привет, мой ход F6", "cp866"),
        ("Ευχαριστώ για το παιχνίδι", "cp1253"),
        ("תודה על המשחק", "cp1255"),
        ("شكرا على اللعبة", "cp1256"),
        ("ขอบคุณสำหรับเกม", "tis-620"),
        ("谢谢你的游戏，我下F6", "gb2312"),
        ("謝謝你的遊戲", "big5"),
        ("감사합니다 좋은 게임", "euc-kr"),
        ("こんにちは、F6に打ちます。よろしくお願いします。", "cp932"),
        ("こんにちは、F6に打ちます。よろしくお願いします。", "euc-jp"),
        ("Děkuji za hru, příště F6", "cp1250"),
        ("Señor, mañana “F6” où ça…", "cp1252"),
    ],
)
def test_a_charset_that_nobody_named_is_told_by_the_letters(text: str, charset: str) -> None:
    for kind in ("text/plain", "text/plain; charset=us-ascii", "text/plain; charset=unknown-8bit", "text/html"):
        assert person(raw(text.encode(charset), kind=kind)).text == text


def test_parts_in_parts():
    inner = 'Content-Type: multipart/alternative; boundary="c"\n\n--c\n\nF6\n--c\n' + HTML + "<p>G7\n--c--\n"
    assert person(mixed(inner, "Content-Type: application/pdf\n\nx")).text == "F6"


@pytest.mark.parametrize(
    ("text", "charset"),
    [
        ("F6 größer", "utf-8"),
        ("F6 größer", "iso-8859-1"),
        ("F6 – “größer”", "windows-1252"),
        ("F6 Привет", "koi8-r"),
        ("F6 Привет", "windows-1251"),
        ("F6 こんにちは", "iso-2022-jp"),
        ("F6 ｶﾅ", "shift_jis"),
        ("F6 안녕", "euc-kr"),
        ("F6 你好", "gb2312"),
        ("F6 你好", "big5"),
        ("F6 žluť", "iso-8859-2"),
        ("F6 größer", "utf-16"),
        ("F6 größer", "utf-16-le"),
        ("F6 größer", "utf-16-be"),
        ("F6 größer", "utf-7"),
        ("F6 größer", "unicode-1-1-utf-7"),
        ("F6 你好", "hz-gb-2312"),
    ],
)
def test_charsets(text: str, charset: str):
    kind = f"text/plain; charset={charset}"
    data = text.encode({"shift_jis": "cp932"}.get(charset, charset))
    coded = base64.encodebytes(data)
    assert person(raw(coded, "Content-Transfer-Encoding: base64", kind=kind)).text == text
    coded = quopri.encodestring(data)
    assert person(raw(coded, "Content-Transfer-Encoding: Quoted-Printable", kind=kind)).text == text


@pytest.mark.parametrize(
    ("data", "label", "text"),
    [
        ("größer".encode(), "us-ascii", "größer"),
        ("größer".encode(), "iso-8859-1", "größer"),
        ("größer".encode("cp1252"), "utf-8", "größer"),
        ("größer".encode("cp1252"), "x-unknown", "größer"),
        ("größer".encode(), "x-unknown", "größer"),
        ("größer".encode("utf-16-le"), "us-ascii", "größer"),
        ("größer".encode("utf-16-be"), "utf-8", "größer"),
        ("schön ist spä".encode("cp1252"), "utf-8", "schön ist spä"),
        (b"abc", "zlib", "abc"),
        (b"abc", "../../etc", "abc"),
        (b"\xff", "rot13", "ÿ"),
        ("größer für ".encode() + b"\xff da", "utf-8", "größer für \ufffd da"),
        ("größer für ".encode() + b"\xff da", "iso-8859-1", "größer für \ufffd da"),
        ("größer für ".encode()[:-2] + b"\xc3", "utf-8", "größer fü\ufffd"),
        ("你好，我下F6。".encode("gb18030") + b"\xff F6", "gb2312", "你好，我下F6。\ufffd F6"),
        ("größer, was?".encode("utf-16-be") + b"x", "utf-16-be", "größer, was?\ufffd"),
        ("caf\ufffd".encode(), "utf-8", "caf\ufffd"),
    ],
)
def test_wrong_labels(data: bytes, label: str, text: str):
    assert to_text(data, label) == text


@given(
    st.binary(max_size=300),
    st.sampled_from(["utf-8", "utf-7", "utf-16", "iso-2022-jp", "hz", "gb18030", "cp1252", "punycode", ""]),
)
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_text_that_can_be_stored(data: bytes, charset: str):
    to_text(data, charset).encode()


@given(st.binary(max_size=100))
@settings(max_examples=100, deadline=None)
def test_base64_is_undone_whatever_stands_between_its_letters(data: bytes):
    assert from_base64(base64.encodebytes(data).replace(b"\n", b"\r\n *")) == data


def test_flowed_text():
    assert (
        unflowed("challenge bob \nhex\n\n> a \n> b\n>> c \nd\n-- \nAnn", delsp=False)
        == "challenge bob hex\n\n> a b\n>> c \nd\n-- \nAnn"
    )
    assert unflowed("a long wo \nrd", delsp=True) == "a long word"
    assert unflowed(" From here\n  two", delsp=False) == "From here\n two"
    assert person(raw("hex challenge \nbob\n", kind="text/plain; format=flowed")).text == "hex challenge bob"


def test_headers_end_at_a_blank_line_or_at_what_is_no_field():
    assert split(b"A: 1\r\n 2\r\nA: 3\r\n\r\nbody") == ({"a": ["1  2", "3"]}, b"body")
    assert split(b"From x Mon\nA: 1\nno field\nB: 2") == ({"a": ["1"]}, b"no field\nB: 2")
    assert split(b">From x Mon\nA: 1\n\nx") == ({"a": ["1"]}, b"x")
    assert parse(b"   \n\nA: 1\n\nx").fields == {"a": ["1"]}


def test_too_long_a_header_block_is_parked():
    with pytest.raises(TooLongError):
        split(b"A: " + b"x" * MAX_HEADERS + b"\n\n")
    assert silent(raw("F6", "Subject: " + "=?utf-8?q?a?= " * 10_000)).action == "reject"
    assert person(raw("F6", "X-Long: " + "x" * 20_000)).text == "F6"


def test_nesting_and_parts_are_capped():
    nested = "".join(f"Content-Type: multipart/mixed; boundary=x{n}\n\n--x{n}\n" for n in range(3000))
    assert person(nested.encode() + b"F6").text == ""
    assert len(list(parse(mixed(*["\nF6"] * 1000)).walk())) == MAX_PARTS + 1


@pytest.mark.parametrize("kind", ["text/plain", "text/html"])
@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<blockquote>",
        "<table><tr><td>",
        "&amp;",
        "<",
        "> ",
        "On a wrote:\n",
        "Den a skrev ",
        " \n",
        "<p style='margin:1000000em'>a</p>",
        "<tr><td>b</td></tr>",
        "<ul><li>a",
        "-" * 399 + "\n",
        "1." * 199 + ":\n",
    ],
)
def test_a_megabyte_of_anything_is_read(kind: str, piece: str):
    assert len(person(raw(piece * (1_000_000 // len(piece)), kind=kind)).text) <= 6000


LINES = st.lists(st.sampled_from(["--b", "--b--", "--bc", "--", "b", " ", "\t", "x", "\r\n", "\n", "\r"]), max_size=12)


@given(LINES.map("".join))
def test_parts_are_what_stands_between_boundary_lines(body: str):
    lines = list(re.finditer(r"(?:\A|\r\n|\n|\r)--b(--)?[ \t]*(?=[\r\n]|\Z)(?:\r\n|\n|\r)?", body))
    last = next((at for at, line in enumerate(lines) if line[1]), None)
    ends = [line.start() for line in lines[1:]] + [len(body)]
    wanted = [body[line.end() : end] for line, end in zip(lines, ends, strict=bool(lines))][:last]
    read = parse(f"Content-Type: multipart/mixed; boundary=b\n\n{body}".encode())
    assert [part.body for part in read.parts] == [split(piece.encode())[1] for piece in wanted]


def test_no_pattern_is_made_for_a_boundary(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(re, "compile", None)
    assert len(parse(mixed(PLAIN + "F6", HTML + "<p>G7")).parts) == 2
