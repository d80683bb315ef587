"""Answers to one of our board mails as many mail programs write them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from html import escape

from pbm.mailin.quotes import SENTINEL

BOARD = f"""{SENTINEL}

Board 101: Cross, ann (x) against bob (o). Your turn, ann, until Friday 10:30.

        a b c d e
       1 . . x . . 1
        2 . o . . . 2
         3 . . . . . 3

bob played C1 and writes: resign now, or hex challenge ann bob -size=11, whatever you want
Legal: A1 A2 A3 B1 B3 C2 C3 D1 D2 D3 E1 E2 E3 swap resign

From: here on everything is of the server.
G7
resign
--{" "}
pbm <pbm@play.example.org>"""
"""A mail of ours, full of words that could be commands."""

REST = BOARD.partition("\n")[2].strip()
"""The same with our line cut out."""

LINE_LAST = f"{REST}\n\n{SENTINEL}"
"""The same with our line at the end."""

AS_SENT = f"{REST.replace('Board 101: Cross,', 'Cross Board 101:', 1)}\n\n{SENTINEL}"
"""As board mails really are: subject words first, our line at the end."""

US = "pbm@play.example.org"

ATTRIBUTIONS = {
    "gmail en": f"On Fri, Jan 5, 2024 at 10:23 AM pbm <{US}> wrote:",
    "gmail en wrapped": f"On Fri, Jan 5, 2024 at 10:23 AM The Play-by-Mail Server <\n{US}> wrote:",
    "gmail en wrapped late": f"On Fri, Jan 5, 2024 at 10:23 AM Play-by-Mail <{US}>\nwrote:",
    "gmail de": f"Am Fr., 5. Jan. 2024 um 10:23 Uhr schrieb pbm <{US}>:",
    "gmail de wrapped": f"Am Fr., 5. Jan. 2024 um 10:23 Uhr schrieb Play-by-Mail-Server <\n{US}>:",
    "gmail fr": f"Le ven. 5 janv. 2024 à 10:23, pbm <{US}> a écrit :",
    "gmail es": f"El vie, 5 ene 2024 a las 10:23, pbm (<{US}>) escribió:",
    "gmail it": f"Il giorno ven 5 gen 2024 alle ore 10:23 pbm <{US}> ha scritto:",
    "gmail nl": f"Op vr 5 jan 2024 om 10:23 schreef pbm <{US}>:",
    "gmail sv": f"Den fre 5 jan. 2024 kl 10:23 skrev pbm <{US}>:",
    "gmail fi": f"pe 5. tammik. 2024 klo 10.23 pbm ({US}) kirjoitti:",
    "gmail pl": f"pt., 5 sty 2024 o 10:23 pbm <{US}> napisał(a):",
    "gmail ru": f"пт, 5 янв. 2024 г. в 10:23, pbm <{US}>:",
    "gmail ja": f"2024年1月5日(金) 10:23 pbm <{US}>:",
    "gmail zh": f"pbm <{US}> 于2024年1月5日周五 10:23写道：",
    "gmail zh-tw": f"pbm <{US}> 於 2024年1月5日 週五 上午10:23寫道：",
    "gmail pt": f"Em sex., 5 de jan. de 2024 às 10:23, pbm <{US}> escreveu:",
    "gmail cs": f"pá 5. 1. 2024 v 10:23 odesílatel pbm <{US}> napsal:",
    "gmail da": f"Den fre. 5. jan. 2024 kl. 10.23 skrev pbm <{US}>:",
    "gmail no": f"fre. 5. jan. 2024 kl. 10:23 skrev pbm <{US}>:",
    "gmail tr": f"pbm <{US}>, 5 Oca 2024 Cum, 10:23 tarihinde şunu yazdı:",
    "gmail uk": f"пт, 5 січ. 2024 р. о 10:23 pbm <{US}> пише:",
    "gmail ko": f"2024년 1월 5일 (금) 오전 10:23, pbm <{US}>님이 작성:",
    "gmail ar": "\u202bفي الجمعة، 5 يناير 2024 في 10:23 ص تمت كتابة ما يلي بواسطة "
    f"\u202apbm\u202c\u200f <\u202a{US}\u202c\u200f>:",
    "gmail he": f"\u202bבתאריך יום ו׳, 5 בינו׳ 2024 ב-10:23 מאת \u202apbm\u202c\u200f <\u202a{US}\u202c\u200f>:",
    "gmail hu": f"pbm <{US}> ezt írta (időpont: 2024. jan. 5., P, 10:23):",
    "gmail el": f"Στις Παρ 5 Ιαν 2024 στις 10:23 π.μ., ο/η pbm <{US}> έγραψε:",
    "gmail ro": f"vin., 5 ian. 2024 la 10:23, pbm <{US}> a scris:",
    "gmail vi": f"Vào Th 6, 5 thg 1, 2024 vào lúc 10:23 pbm <{US}> đã viết:",
    "gmail hi": f"शुक्र, 5 जन॰ 2024 को 10:23 am बजे को pbm <{US}> ने लिखा:",
    "gmail th": f"ในวันที่ ศ. 5 ม.ค. 2024 เวลา 10:23 pbm <{US}> เขียนว่า:",
    "apple en": f"On 5 Jan 2024, at 10:23, pbm <{US}> wrote:",
    "apple en old": "On Jan 5, 2024, at 10:23 AM, pbm wrote:",
    "apple de": f"Am 05.01.2024 um 10:23 schrieb pbm <{US}>:",
    "apple fr": f"Le 5 janv. 2024 à 10:23, pbm <{US}> a écrit :",
    "apple sv": f"5 jan. 2024 kl. 10:23 skrev pbm <{US}>:",
    "apple fi": f"pbm <{US}> kirjoitti 5.1.2024 kello 10.23:",
    "apple ja": f"2024/01/05 10:23、pbm <{US}>のメール:",
    "apple ru": f"5 янв. 2024 г., в 10:23, pbm <{US}> написал(а):",
    "thunderbird en": "On 05/01/2024 10:23, pbm wrote:",
    "thunderbird de": "Am 05.01.24 um 10:23 schrieb pbm:",
    "thunderbird pl": "W dniu 5.01.2024 o 10:23, pbm pisze:",
    "thunderbird cs": "Dne 05. 01. 24 v 10:23 pbm napsal(a):",
    "proton": f"On Friday, January 5th, 2024 at 10:23 AM, pbm <{US}> wrote:",
    "proton de": f"Am Freitag, 5. Januar 2024 um 10:23, hat pbm <{US}> geschrieben:",
    "yahoo": f"On Friday, January 5, 2024 at 10:23:45 AM GMT+1, pbm <{US}> wrote:",
    "yahoo groups": f"--- pbm <{US}> wrote:",
    "mutt": "On Fri, Jan 05, 2024 at 10:23:00AM +0100, pbm wrote:",
    "mutt name only": "pbm wrote:",
    "k-9": f"Am 5. Januar 2024 10:23:45 MEZ schrieb pbm <{US}>:",
    "k-9 en": f"On January 5, 2024 10:23:45 AM GMT+01:00, pbm <{US}> wrote:",
    "gnus": f"pbm <{US}> writes:",
    "kmail": "On Friday, 5 January 2024 10:23:45 CET you wrote:",
    "pine": "On Fri, 5 Jan 2024, pbm wrote:",
    "zoho": f"---- On Fri, 05 Jan 2024 10:23:45 +0100 pbm <{US}> wrote ---",
    "yandex": f'05.01.2024, 10:23, "pbm" <{US}>:',
    "mail.ru": f"Пятница, 5 января 2024, 10:23 +03:00 от pbm <{US}>:",
    "163": f'At 2024-01-05 10:23:45, "pbm" <{US}> wrote:',
    "163 zh": f'在 2024-01-05 10:23:45，"pbm" <{US}> 写道：',
    "finnish, no colon": "pbm kirjoitti 5.1.2024 kello 10:23",
    "lotus": f"{US} wrote on 01/05/2024 10:23:45 AM:",
    "aol": f"In a message dated 1/5/2024 10:23:45 AM Eastern Standard Time, {US} writes:",
    "eudora": "At 10:23 AM 1/5/2024, you wrote:",
    "horde": f"Quoting pbm <{US}>:",
    "none": "",
}
"""What each client writes above a quote."""


def _block(*labels: str, rule: str = "") -> str:
    """An Outlook header block with labels for the sender, the date, the recipient and the subject."""
    values = (f"pbm <{US}>", "5. January 2024 10:23", "Ann <ann@example.org>", "Board 101: Cross")
    return "\n".join([rule, *(f"{label}{value}" for label, value in zip(labels, values, strict=True))]).strip("\n")


HEADER_BLOCKS = {
    "outlook en": _block("From: ", "Sent: ", "To: ", "Subject: ", rule="________________________________"),
    "outlook en old": _block("From: ", "Sent: ", "To: ", "Subject: ", rule="-----Original Message-----"),
    "outlook bold": _block("*From:* ", "*Sent:* ", "*To:* ", "*Subject:* "),
    "outlook web de": _block("Von: ", "Gesendet: ", "An: ", "Betreff: ", rule="________________________________"),
    "outlook old de": _block("Von: ", "Gesendet: ", "An: ", "Betreff: ", rule="-----Ursprüngliche Nachricht-----"),
    "outlook fr": _block("De : ", "Envoyé : ", "À : ", "Objet : "),
    "outlook es": _block("De: ", "Enviado el: ", "Para: ", "Asunto: ", rule="-----Mensaje original-----"),
    "outlook it": _block("Da: ", "Inviato: ", "A: ", "Oggetto: "),
    "outlook nl": _block("Van: ", "Verzonden: ", "Aan: ", "Onderwerp: "),
    "outlook sv": _block("Från: ", "Skickat: ", "Till: ", "Ämne: "),
    "outlook fi": _block("Lähettäjä: ", "Lähetetty: ", "Vastaanottaja: ", "Aihe: "),
    "outlook pl": _block("Od: ", "Wysłano: ", "Do: ", "Temat: "),
    "outlook ru": _block("От: ", "Отправлено: ", "Кому: ", "Тема: "),
    "outlook uk": _block("Від: ", "Надіслано: ", "Кому: ", "Тема: "),
    "outlook pt": _block("De: ", "Enviado: ", "Para: ", "Assunto: "),
    "outlook cs": _block("Od: ", "Odesláno: ", "Komu: ", "Předmět: "),
    "outlook da": _block("Fra: ", "Sendt: ", "Til: ", "Emne: "),
    "outlook tr": _block("Kimden: ", "Gönderildi: ", "Kime: ", "Konu: "),
    "outlook ja": _block("差出人: ", "送信日時: ", "宛先: ", "件名: "),
    "outlook zh": _block("发件人: ", "发送时间: ", "收件人: ", "主题: "),
    "outlook ko": _block("보낸 사람: ", "보낸 날짜: ", "받는 사람: ", "제목: "),
    "outlook ar": _block("من: ", "تم الإرسال: ", "إلى: ", "الموضوع: "),
    "qq": _block("发件人：", "发送时间：", "收件人：", "主题：", rule="------------------ 原始邮件 ------------------"),
    "seznam": _block("Od: ", "Datum: ", "Komu: ", "Předmět: ", rule="---------- Původní e-mail ----------"),
    "naver": _block("보낸사람: ", "날짜: ", "받는사람: ", "제목: ", rule="--------- 원본 메일 ---------"),
    "zimbra": _block("From: ", "Sent: ", "To: ", "Subject: ", rule="----- Original Message -----"),
    "gmx": _block("Von: ", "Gesendet: ", "An: ", "Betreff: ", rule="Gesendet: Freitag, 05. Januar 2024 um 10:23 Uhr"),
    "estonian without known labels": _block("Saatja nimi: ", "Kuupaev: ", "Saaja: ", "Pealkiri: "),
    "lotus notes": (
        f'"pbm" <{US}>\n01/05/2024 10:23 AM\nPlease respond to\npbm+abc@play.example.org\n\n\n'
        "To\nann@example.org\ncc\n\nSubject\nBoard 101: Cross"
    ),
    "lotus notes, names only": "pbm\n05.01.2024 10:23\n\nAn\nAnn/ACME@ACME\nKopie\n\nThema\nBoard 101: Cross",
    "lotus notes 8": _block("From:\t", "Date:\t", "To:\t", "Subject:\t"),
    "lotus notes web": f"-----pbm <{US}> wrote: -----\n\nTo: ann@example.org\nFrom: {US}\nDate: 01/05/2024 10:23AM",
    "reply separator": f"______ Reply Separator ______\nSubject: Board 101\nAuthor: pbm <{US}>\nDate: 1/5/24 10:23 AM",
    "incredimail": _block("From: ", "Date: ", "To: ", "Subject: ", rule="-------Original Message-------"),
    "yahoo indented": _block("      Von: ", " Gesendet: ", " An: ", " Betreff: "),
}
"""What clients write above a mail that they repeat without marking its lines."""

MOBILE_SIGNATURES = (
    "Sent from my iPhone",
    "Get Outlook for iOS<https://aka.ms/o0ukef>",
    "Sent from Outlook for Android<https://aka.ms/AAb9ysg>",
    "Sent from Yahoo Mail on Android",
    "Yahoo Mail: Search, Organize, Conquer",
    "[cid:image001.png@01DC5D2A.5E3F1B40]",
    "[image: Ann-Smith.png]",
    "Sent with Proton Mail secure email.",
    "Von meinem iPhone gesendet",
    "Gesendet mit der GMX Mail App",
    "Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.",
    "Envoyé de mon iPhone",
    "Envoyé à partir de Outlook pour Android",
    "Enviado desde mi iPhone",
    "Enviado do meu iPhone",
    "Inviato da iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Skickat från min iPhone",
    "Sendt fra min iPhone",
    "Lähetetty iPhonesta",
    "Wysłane z iPhone'a",
    "Отправлено с iPhone",
    "Надіслано з iPhone",
    "Odesláno z iPhonu",
    "iPhone'umdan gönderildi",
    "iPhoneから送信",
    "从我的 iPhone 发送",
    "從我的 iPhone 傳送",
    "나의 iPhone에서 보냄",
    "أرسلت من الـ iPhone",
    "נשלח מה-iPhone שלי",
)


@lru_cache
def quoted(text: str, mark: str = "> ") -> str:
    """The text with a mark before each line."""
    return "\n".join((mark + line).rstrip() for line in text.split("\n"))


def plain(own: str, ours: str = BOARD) -> Iterator[tuple[str, str]]:
    """Names and texts of plain answers: above, below and amid the quote, with and without our line in it."""
    head, tail = ours.split("\n\n", 2)[:2], ours.split("\n\n", 2)[2]
    for name, line in ATTRIBUTIONS.items():
        yield f"{name}, above", f"{own}\n\n{line}\n\n{quoted(ours)}\n"
        yield f"{name}, above, close", f"{own}\n{line}\n{quoted(ours, '>')}\n"
        yield f"{name}, above, our line cut out", f"{own}\n\n{line}\n{quoted(REST)}\n"
        yield f"{name}, above, indented in two steps", f"{own}\n\n{line}\n{quoted(ours, '> > ')}\n"
        yield f"{name}, below", f"{line}\n{quoted(ours)}\n\n{own}\n"
        yield f"{name}, below, close", f"{line}\n{quoted(ours)}\n{own}"
        yield f"{name}, below, with signature", f"{line}\n{quoted(ours)}\n\n{own}\n\n-- \nAnn\nann@example.org"
        yield f"{name}, between", f"{line}\n{quoted(chr(10).join(head))}\n\n{own}\n\n{quoted(tail)}\n"
    for name, block in HEADER_BLOCKS.items():
        yield f"{name}, above", f"{own}\n\n{block}\n\n{ours}\n"
        yield f"{name}, above, close", f"{own}\n{block}\n{ours}\n"
        yield f"{name}, above, our line cut out", f"{own}\n\n{block}\n\n{REST}\n"
    for signature in MOBILE_SIGNATURES:
        line, block = ATTRIBUTIONS["gmail en"], HEADER_BLOCKS["outlook en"]
        yield f"{signature}, quote", f"{own}\n\n{signature}\n\n{line}\n\n{quoted(ours)}\n"
        yield f"{signature}, block", f"{own}\n\n{signature}\n{block}\n\n{ours}\n"
        yield f"{signature}, end", f"{own}\n\n{signature}\n"


def html(own: str, ours: str = BOARD) -> Iterator[tuple[str, str]]:
    """Names and texts of HTML answers."""
    said = "".join(f"<div>{escape(line) or '<br>'}</div>" for line in own.split("\n"))
    rows = (f"<tr><td><pre>{escape(part)}</pre></td></tr>" for part in ours.split("\n\n"))
    board = f"<table>{''.join(rows)}</table>"
    line = escape(ATTRIBUTIONS["gmail en"])
    for name, text in ATTRIBUTIONS.items():
        yield from _with_blockquotes(name, said, escape(text.replace("\n", " ")), board)
        yield from _with_blockquotes(f"{name}, our line cut out", said, escape(text.replace("\n", " ")), escape(REST))
    yield (
        "thunderbird below",
        f'<div class="moz-cite-prefix">{line}</div><blockquote type="cite">{board}</blockquote>{said}',
    )
    yield "between", f"<p>{line}</p><blockquote>{board}</blockquote>{said}<blockquote>{board}</blockquote>"
    yield (
        "yahoo",
        (
            f'<div class="ydp1yahoo-style-wrap">{said}</div><div id="ydp1yahoo_quoted_1" class="ydp1yahoo_quoted">'
            f"<div>{line}</div>{board}</div>"
        ),
    )
    yield (
        "gmx",
        (
            f"<div>{said}<div>&nbsp;<div name='quote' style='margin:10px'><div><b>Gesendet:</b>&nbsp;Freitag</div>"
            f"{board}</div></div></div>"
        ),
    )
    yield (
        "gmail signature",
        (
            f'<div dir="ltr">{said}<div>-- <br><div class="gmail_signature">G8<br>Ann</div></div></div>'
            f'<div class="gmail_quote">{line}<blockquote>{board}</blockquote></div>'
        ),
    )
    for name, text in HEADER_BLOCKS.items():
        yield from _with_header_block(name, said, escape(text), board)
        yield from _with_header_block(f"{name}, our line cut out", said, escape(text), f"<pre>{escape(REST)}</pre>")
    for signature in MOBILE_SIGNATURES:
        yield (
            f"ios {signature}",
            (
                f'<div dir="ltr">{said}<br><div dir="ltr">{escape(signature)}</div></div>'
                f'<div dir="ltr"><br><blockquote type="cite">{line}<br><br></blockquote></div>'
                f'<blockquote type="cite">{board}</blockquote>'
            ),
        )


def _with_blockquotes(name: str, said: str, line: str, board: str) -> Iterator[tuple[str, str]]:
    """Answers of clients that mark a quote as such."""
    yield (
        f"gmail {name}",
        (
            f'<div dir="ltr">{said}</div><br><div class="gmail_quote"><div class="gmail_attr">{line}<br></div>'
            f'<blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex">{board}</blockquote></div>'
        ),
    )
    yield (
        f"apple {name}",
        (f'<html><body>{said}<br><blockquote type="cite"><div>{line}</div><br><div>{board}</div></blockquote>'),
    )
    yield (
        f"proton {name}",
        (
            f'{said}<br><div class="protonmail_quote">\n        {line}<br>\n'
            f'<blockquote class="protonmail_quote" type="cite">{board}</blockquote><br></div>'
        ),
    )


def _with_header_block(name: str, said: str, block: str, board: str) -> Iterator[tuple[str, str]]:
    """Answers of Outlook, which marks nothing."""
    lines = block.split("\n")
    yield (
        f"web {name}",
        (
            f'{said}<hr><div id="divRplyFwdMsg"><font>{"<br>".join(lines)}</font><div>&nbsp;</div></div>'
            f"<div>{board}</div>"
        ),
    )
    bold = "".join(
        f"<b>{label}{colon}</b>{value}<br>" for label, colon, value in (line.partition(":") for line in lines)
    )
    yield (
        f"desktop {name}",
        (
            f'<div class="WordSection1">{said}<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
            f'<div style="border-top:solid #E1E1E1 1.0pt"><p class="MsoNormal">{bold}</p></div>{board}</div>'
        ),
    )
