"""What mail programs write in thirty languages around a mail that they quote or forward.

For each language: how Gmail and Apple Mail introduce a quote (NAME and MAIL stand for our name and address), the labels
of a header block (sender, date, recipient, subject), the words for "Original Message" and "Forwarded Message", and a
phone's signature.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tongue:
    """The words of one language."""

    gmail: str
    apple: str
    labels: tuple[str, str, str, str]
    original: str
    forwarded: str
    phone: str


def _tongue(gmail: str, apple: str, labels: str, original: str, forwarded: str, phone: str) -> Tongue:
    sender, date, recipient, subject = labels.split("|")
    return Tongue(gmail, apple, (sender, date, recipient, subject), original, forwarded, phone)


TONGUES = {
    "en": _tongue(
        "On Fri, Jan 5, 2024 at 10:23 AM NAME <MAIL> wrote:", "On 5 Jan 2024, at 10:23, NAME <MAIL> wrote:",
        "From|Sent|To|Subject", "Original Message", "Forwarded message", "Sent from my iPhone"),
    "de": _tongue(
        "Am Fr., 5. Jan. 2024 um 10:23 Uhr schrieb NAME <MAIL>:", "Am 05.01.2024 um 10:23 schrieb NAME <MAIL>:",
        "Von|Gesendet|An|Betreff",
        "Ursprüngliche Nachricht", "Weitergeleitete Nachricht", "Von meinem iPhone gesendet"),
    "fr": _tongue(
        "Le ven. 5 janv. 2024 à 10:23, NAME <MAIL> a écrit :", "Le 5 janv. 2024 à 10:23, NAME <MAIL> a écrit :",
        "De |Envoyé |À |Objet ", "Message d'origine", "Message transmis", "Envoyé de mon iPhone"),
    "es": _tongue(
        "El vie, 5 ene 2024 a las 10:23, NAME (<MAIL>) escribió:", "El 5 ene 2024, a las 10:23, NAME <MAIL> escribió:",
        "De|Enviado|Para|Asunto", "Mensaje original", "Mensaje reenviado", "Enviado desde mi iPhone"),
    "it": _tongue(
        "Il giorno ven 5 gen 2024 alle ore 10:23 NAME <MAIL> ha scritto:",
        "Il giorno 5 gen 2024, alle ore 10:23, NAME <MAIL> ha scritto:",
        "Da|Inviato|A|Oggetto", "Messaggio originale", "Messaggio inoltrato", "Inviato da iPhone"),
    "nl": _tongue(
        "Op vr 5 jan 2024 om 10:23 schreef NAME <MAIL>:",
        "Op 5 jan 2024, om 10:23 heeft NAME <MAIL> het volgende geschreven:",
        "Van|Verzonden|Aan|Onderwerp", "Oorspronkelijk bericht", "Doorgestuurd bericht", "Verstuurd vanaf mijn iPhone"),
    "sv": _tongue(
        "Den fre 5 jan. 2024 kl 10:23 skrev NAME <MAIL>:", "5 jan. 2024 kl. 10:23 skrev NAME <MAIL>:",
        "Från|Skickat|Till|Ämne", "Ursprungligt meddelande", "Vidarebefordrat meddelande", "Skickat från min iPhone"),
    "da": _tongue(
        "Den fre. 5. jan. 2024 kl. 10.23 skrev NAME <MAIL>:", "Den 5. jan. 2024 kl. 10.23 skrev NAME <MAIL>:",
        "Fra|Sendt|Til|Emne", "Oprindelig meddelelse", "Videresendt meddelelse", "Sendt fra min iPhone"),
    "no": _tongue(
        "fre. 5. jan. 2024 kl. 10:23 skrev NAME <MAIL>:", "5. jan. 2024 kl. 10:23 skrev NAME <MAIL>:",
        "Fra|Sendt|Til|Emne", "Opprinnelig melding", "Videresendt melding", "Sendt fra min iPhone"),
    "fi": _tongue(
        "pe 5. tammik. 2024 klo 10.23 NAME (MAIL) kirjoitti:", "NAME <MAIL> kirjoitti 5.1.2024 kello 10.23:",
        "Lähettäjä|Lähetetty|Vastaanottaja|Aihe",
        "Alkuperäinen viesti", "Edelleenlähetetty viesti", "Lähetetty iPhonesta"),
    "pl": _tongue(
        "pt., 5 sty 2024 o 10:23 NAME <MAIL> napisał(a):",
        "Wiadomość napisana przez NAME <MAIL> w dniu 05.01.2024, o godz. 10:23:",
        "Od|Wysłano|Do|Temat", "Wiadomość oryginalna", "Przekazana wiadomość", "Wysłane z iPhone'a"),
    "cs": _tongue(
        "pá 5. 1. 2024 v 10:23 odesílatel NAME <MAIL> napsal:", "5. 1. 2024 v 10:23, NAME <MAIL>:",
        "Od|Odesláno|Komu|Předmět", "Původní zpráva", "Přeposlaná zpráva", "Odesláno z iPhonu"),
    "sk": _tongue(
        "pi 5. 1. 2024 o 10:23 NAME <MAIL> napísal(a):", "Dňa 5. 1. 2024 o 10:23 používateľ NAME <MAIL> napísal:",
        "Od|Odoslané|Komu|Predmet", "Pôvodná správa", "Preposlaná správa", "Odoslané z iPhonu"),
    "hu": _tongue(
        "NAME <MAIL> ezt írta (időpont: 2024. jan. 5., P, 10:23):",
        "2024. 01. 05. dátummal, 10:23 időpontban NAME <MAIL> írta:",
        "Feladó|Elküldve|Címzett|Tárgy", "Eredeti üzenet", "Továbbított üzenet", "iPhone-ról küldve"),
    "ro": _tongue(
        "vin., 5 ian. 2024 la 10:23, NAME <MAIL> a scris:", "Pe 5 ian. 2024, la 10:23, NAME <MAIL> a scris:",
        "De la|Trimis|Către|Subiect", "Mesaj original", "Mesaj redirecționat", "Trimis de pe iPhone"),
    "pt": _tongue(
        "NAME <MAIL> escreveu (sexta, 5/01/2024 à(s) 10:23):", "No dia 05/01/2024, às 10:23, NAME <MAIL> escreveu:",
        "De|Enviada|Para|Assunto", "Mensagem original", "Mensagem reencaminhada", "Enviado do meu iPhone"),
    "pt-br": _tongue(
        "Em sex., 5 de jan. de 2024 às 10:23, NAME <MAIL> escreveu:",
        "Em 5 de jan. de 2024, à(s) 10:23, NAME <MAIL> escreveu:",
        "De|Enviado em|Para|Assunto", "Mensagem original", "Mensagem encaminhada", "Enviado do meu iPhone"),
    "ru": _tongue(
        "пт, 5 янв. 2024 г. в 10:23, NAME <MAIL>:", "5 янв. 2024 г., в 10:23, NAME <MAIL> написал(а):",
        "От|Отправлено|Кому|Тема", "Исходное сообщение", "Пересылаемое сообщение", "Отправлено с iPhone"),
    "uk": _tongue(
        "пт, 5 січ. 2024 р. о 10:23 NAME <MAIL> пише:", "5 січ. 2024 р. о 10:23 NAME <MAIL> пише:",
        "Від|Надіслано|Кому|Тема", "Вихідне повідомлення", "Перенаправлене повідомлення", "Надіслано з iPhone"),
    "bg": _tongue(
        "На пт, 5.01.2024 г. в 10:23 NAME <MAIL> написа:", "На 5.01.2024 г., в 10:23, NAME <MAIL> написа:",
        "От|Изпратено|До|Относно", "Оригинално съобщение", "Препратено съобщение", "Изпратено от моя iPhone"),
    "hr": _tongue(
        "pet, 5. sij 2024. u 10:23 NAME <MAIL> napisao je:", "Dana 5. sij 2024., u 10:23, NAME <MAIL> napisao je:",
        "Šalje|Poslano|Prima|Predmet", "Izvorna poruka", "Proslijeđena poruka", "Poslano s mog iPhonea"),
    "sl": _tongue(
        "V V pet., 5. jan. 2024 ob 10:23 je oseba NAME <MAIL> napisala:",
        "Dne 5. jan. 2024 ob 10:23 je NAME <MAIL> napisal:",
        "Pošiljatelj|Poslano|Za|Zadeva", "Izvirno sporočilo", "Posredovano sporočilo", "Poslano z iPhona"),
    "et": _tongue(
        "Kasutaja NAME (<MAIL>) kirjutas kuupäeval R, 5. jaanuar 2024 kell 10:23:",
        "NAME <MAIL> kirjutas 5. jaan. 2024 kell 10:23:",
        "Saatja|Saadetud|Saaja|Teema", "Algne kiri", "Edastatud kiri", "Saadetud minu iPhone'ist"),
    "lv": _tongue(
        "piektd., 2024. g. 5. janv., plkst. 10:23 — lietotājs NAME (<MAIL>) rakstīja:",
        "NAME <MAIL> rakstīja 2024. gada 5. janv., 10:23:",
        "No|Nosūtīts|Kam|Tēma", "Sākotnējais ziņojums", "Pārsūtītais ziņojums", "Nosūtīts no iPhone"),
    "lt": _tongue(
        "2024-01-05, pn, 10:23 NAME <MAIL> rašė:", "NAME <MAIL> 2024-01-05 10:23 rašė:",
        "Nuo|Išsiųsta|Kam|Tema", "Originalus laiškas", "Persiųstas laiškas", "Išsiųsta iš iPhone"),
    "tr": _tongue(
        "NAME <MAIL>, 5 Oca 2024 Cum, 10:23 tarihinde şunu yazdı:", "NAME <MAIL> şunları yazdı (5 Oca 2024 10:23):",
        "Kimden|Gönderilen|Kime|Konu", "Özgün İleti", "İletilmiş Mesaj", "iPhone'umdan gönderildi"),
    "el": _tongue(
        "Στις Παρ 5 Ιαν 2024 στις 10:23 π.μ., ο/η NAME <MAIL> έγραψε:",
        "Στις 5 Ιαν 2024, στις 10:23, ο χρήστης NAME <MAIL> έγραψε:",
        "Από|Ημερομηνία|Προς|Θέμα", "Αρχικό μήνυμα", "Προωθημένο μήνυμα", "Στάλθηκε από το iPhone μου"),
    "ar": _tongue(
        "في الجمعة، 5 يناير 2024 في 10:23 ص تمت كتابة ما يلي بواسطة NAME <MAIL>:",
        "في 5 يناير 2024، الساعة 10:23، كتب NAME <MAIL>:",
        "من|تم الإرسال|إلى|الموضوع", "الرسالة الأصلية", "الرسالة المعاد توجيهها", "أرسلت من الـ iPhone"),
    "he": _tongue(
        "בתאריך יום ו׳, 5 בינו׳ 2024 ב-10:23 מאת NAME <MAIL>:", "ב-5 בינו׳ 2024, בשעה 10:23, NAME <MAIL> כתב/ה:",
        "מאת|נשלח|אל|נושא", "הודעה מקורית", "הודעה שהועברה", "נשלח מה-iPhone שלי"),
    "ja": _tongue(
        "2024年1月5日(金) 10:23 NAME <MAIL>:", "2024/01/05 10:23、NAME <MAIL>のメール:",
        "差出人|送信日時|宛先|件名", "元のメッセージ", "転送されたメッセージ", "iPhoneから送信"),
    "zh": _tongue(
        "NAME <MAIL> 于2024年1月5日周五 10:23写道：", "2024年1月5日 10:23，NAME <MAIL> 写道：",
        "发件人|发送时间|收件人|主题", "原始邮件", "转发的邮件", "从我的 iPhone 发送"),
    "zh-tw": _tongue(
        "NAME <MAIL> 於 2024年1月5日 週五 上午10:23寫道：", "NAME <MAIL> 於 2024年1月5日 上午10:23 寫道：",
        "寄件者|寄件日期|收件者|主旨", "原始郵件", "轉寄的郵件", "從我的 iPhone 傳送"),
    "ko": _tongue(
        "2024년 1월 5일 (금) 오전 10:23, NAME <MAIL>님이 작성:", "2024. 1. 5. 오전 10:23, NAME <MAIL> 작성:",
        "보낸 사람|보낸 날짜|받는 사람|제목", "원본 메시지", "전달된 메시지", "나의 iPhone에서 보냄"),
    "vi": _tongue(
        "Vào Th 6, 5 thg 1, 2024 vào lúc 10:23 NAME <MAIL> đã viết:",
        "Vào 5 thg 1, 2024, lúc 10:23, NAME <MAIL> đã viết:",
        "Từ|Ngày|Đến|Chủ đề", "Thư gốc", "Thư đã chuyển tiếp", "Đã gửi từ iPhone của tôi"),
    "hi": _tongue(
        "शुक्र, 5 जन॰ 2024 को 10:23 am बजे को NAME <MAIL> ने लिखा:", "5 जन॰ 2024 को 10:23 बजे, NAME <MAIL> ने लिखा:",
        "प्रेषक|भेजा गया|प्रति|विषय", "मूल संदेश", "अग्रेषित संदेश", "मेरे iPhone से भेजा गया"),
    "th": _tongue(
        "ในวันที่ ศ. 5 ม.ค. 2024 เวลา 10:23 NAME <MAIL> เขียนว่า:",
        "เมื่อ 5 ม.ค. 2024 เวลา 10:23 NAME <MAIL> เขียนว่า:",
        "จาก|ส่ง|ถึง|เรื่อง", "ข้อความต้นฉบับ", "ข้อความที่ส่งต่อ", "ส่งจาก iPhone ของฉัน"),
}  # fmt: skip
