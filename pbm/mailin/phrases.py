"""The words that mail programs put around a person's text, in many languages, as data; patterns scan a line once.

Each row of a list is an alternative of a pattern, usually one per language.
"""

from __future__ import annotations

import re


def _any(before: str, rows: str, after: str = "") -> re.Pattern[str]:
    """A case-insensitive pattern that matches before, then any of the rows, then after."""
    alternatives = "|".join(row.strip() for row in rows.strip().splitlines())
    return re.compile(f"{before}(?:{alternatives}){after}", re.IGNORECASE)


_REPLY = """
    re|aw|antw|antwort|sv|vs|vast|vastaus|odp|res|ref|rif|r|rép|réf|ynt|yan|vá|bls|balas|atb|ats|απ|σχετ
    отв|ответ|відп|відповідь|trả lời|رد|תגובה|השב|回复|回覆|答复|回信|返信|답장|회신
"""
_FORWARD = r"""
    fwd?|rv|rw|wg|tr|trs|enc|vb|vl|vidarebefordrat|videresendt|doorst|pd|pto|podaj dalej|i|ilt|i̇lt|yml|továbbítás|fs
    edasi|redir\.?|πρθ|пересл|переслать|перенапр|chuyển tiếp|teruskan|إعادة توجيه|הועבר|转发|轉寄|轉發|転送|전달
"""
_COUNT = r"\s?(?:\[\d{1,4}\]|\(\d{1,4}\)|\^\d{1,4}|\*\d{1,4})?\s?[:：]\s*"

REPLY_PREFIX = _any("", _REPLY.rstrip() + _FORWARD, _COUNT)
"""One "Re:", "AW:", "Fwd:" in any language at the beginning of a subject."""

FORWARD_PREFIX = _any(r"\s*", _FORWARD, _COUNT)
"""One "Fwd:", "WG:", "TR:" in any language at the beginning of a subject."""

AUTOMATIC_SUBJECT = _any(
    "",
    r"""
    auto(?:matic|mated)?[- ]?(?:reply|response|responder)\b|vacation (?:auto-?)?reply
    auto:\s|auto-?re:|.{1,60}\bis (?:currently )?out of (?:the )?office\b
    out of (?:the )?office\b|ooo\s?[:-]|(?:i am|i'm) (?:currently )?out of (?:the )?office
    autoantwort|automatische (?:antwort|abwesenheit)|abwesenheits(?:notiz|nachricht|meldung|assistent)
    abwesend\b|auto-antwort|abwesenheitsbenachr|außer haus\b|ich bin abwesend|nicht im büro
    réponse automatique|hors du bureau|(?:message|notification) d'absence|absen(?:t|ce) du bureau|je suis absent
    respuesta autom[aá]tica|mensaje autom[aá]tico|fuera de (?:la )?oficina
    risposta automatica|fuori (?:sede|ufficio)
    automatisch(?: antwoord|e beantwoording|e reactie)|niet (?:aanwezig|op kantoor)|afwezig(?:heid\w*)?\b
    automatiskt svar|autosvar|frånvar(?:o(?:meddelande|besked)?|ande)\b|inte på kontoret
    automaattinen (?:vastaus|poissaoloviesti)|poissa(?:olo(?:viesti|ilmoitus)?)?\b
    automatisk (?:svar|besvarelse)|fraværs?(?:besked|melding|assistent)
    automatyczna odpowied|odpowiedź automatyczna|autom\.? odp|poza biurem|nieobecn(?:o|[yae] w)|autoodpowied
    автоматическ\w+ ответ|автоответ|отсутств\w+ (?:на|в) (?:рабоч|офис)|автоматична відповідь
    resposta autom[àá]tica|mensagem autom[aá]tica|fora d[oe] escritório
    automatick[áé] odpov|mimo kancelář|automatikus válasz|házon kívül
    otomatik (?:yanıt|cevap)|ofis dışında|răspuns automat|αυτόματη απάντηση
    automaatvastus|automatinis atsakymas|automātisk\w+ atbilde|automatski odgovor|samodejni odgovor
    автоматичен отговор|аутоматски одговор|balasan otomatis|trả lời tự động|ตอบกลับอัตโนมัติ
    (?:please )?(?:confirm|verify) (?:that you (?:sent|are)|your (?:e-?mail|message|mail|identity))\b
    your (?:e-?mail|mail|message)\b.{0,80}(?:requires|await(?:s|ing)|pending|held|blocked|quarantined|rejected)
    (?:e-?mail|mail|message|sender|address) (?:confirmation|verification|authentication) (?:is )?(?:requ|need)
    (?:banned|virus|spam|malware)\b.{0,40}\bin (?:e-?mail|mail|message)s? (?:from|to|for) you\b
    (?:banned|virus|spam|malware|content)[- ](?:alert|file|found|detected|warning|notification|violation)
    (?:e-?mail|mail|message|smtp|sms|security)[- ](?:gateway|filter)\b
    自动(?:回复|答复)|自動(?:回覆|返信|応答|回信)|不在(?:通知|のお知らせ|自動)|休暇中|外出中
    자동\s?(?:회신|응답|답장)|부재\s?중
    رد تلقائي|الرد التلقائي|خارج المكتب|پاسخ خودکار|מענה אוטומטי|תשובה אוטומטית|स्वचालित (?:उत्तर|जवाब)
    """,
)
"""The beginning of a vacation program's subject; not "away" alone, which people write, too."""

AUTOMATIC_TEXT = _any(
    r"(?m:^)[^\w\n>]{0,6}",
    r"""
    this is an? (?:\w+ly )?(?:auto(?:mat|-?gen|-?resp)|machine[- ]generated)
    this (?:e-?mail|message|mail) (?:is|was|has been) (?:\w+ly )?(?:auto(?:mat|-?gen)|machine[- ]generated)
    this (?:e-?mail|message|mail) (?:is|was|has been) (?:generated|created|sent) (?:auto|by (?:a|an|the) auto)
    (?:please )?do not (?:reply|respond) to this (?:auto\w+ )?(?:e-?mail|message|mail)
    (?:your|the) (?:e-?mail|mail|message)\b.{0,120}(?:has been (?:held|quarantined)|is being held)
    .{0,120}\bclick (?:on )?(?:the|this) (?:link|button) (?:below )?to (?:complete|confirm|verify)\b
    to (?:release|deliver|confirm|verify)\b.{0,80}(?:click|follow|visit) (?:on )?(?:the|this) link
    dies ist eine automati|diese (?:e-?mail|nachricht) (?:wurde|ist) automati|ceci est un (?:message|courriel) automati
    (?:ce (?:message|courriel)|este (?:mensaje|correo)|questo messaggio|esta mensagem).{0,30}autom[aá]ti
    dit is een automati|detta är ett automati|(?:это|данное) (?:письмо|сообщение).{0,30}автомат
    """,
)
"""The first lines of a text that says that a program wrote it."""

FAILURE_SUBJECT = _any(
    "",
    r"""
    undeliver(?:ed|able)|(?:mail )?delivery (?:failed|failure|status notification|has failed|problem|error|report)
    failure notice|returned (?:mail|to sender|e-?mail)|mail (?:failure|delivery|system error|returned)
    message (?:could not be|not) delivered|non-?deliver|could ?n[o']t be delivered|delivery notification
    warning: (?:message|could not)|bounced? (?:mail|message)|rejected:|cannot be delivered|delivery status|error sending
    returning message|mail system error|notice: mail
    unzustellbar|nicht zustellbar|zustell(?:ung fehl|fehler|ungsbericht)|rücksendung
    non remis|échec de (?:la )?remise|non distribué|message non délivré
    no se puede entregar|no entregado|error de entrega|notificación de estado
    mancata consegna|impossibile consegnare|non recapitabile|onbestelbaar|niet bezorgd
    olevererbart|kan inte levereras|ei voitu toimittaa|toimittamaton|kan ikke leveres|ikke leveret
    nie dostarczono|niedostarcz|nie można dostarczyć|nedoručiteln|nedoručen|kézbesíthetetlen
    не доставлен|недоставлен|невозможно доставить|ваше сообщение не
    não entregue|falha na entrega|não foi possível entregar|teslim edilemedi|iletilemedi
    退信|无法投递|未送达|無法傳遞|配信不能|送信できません|配信できません|전송 실패|배달되지|반송
    """,
)

FAILURE_TEXT = _any(
    "",
    r"""
    invalid (?:user|recipient) address|user (?:is )?unknown|unknown user|no such (?:user|recipient|mailbox|person)
    mailbox (?:is )?(?:full|unavailable|not found|disabled)|over ?quota|could not be delivered|unable to deliver
    undeliverable|delivery (?:has )?failed|(?m:^)\W{0,3}5\d\d[ -](?:#?5\.\d\.\d{1,3}|requested action not taken)
    (?:address|recipient) (?:rejected|not found)|not be delivered|permanent (?:fatal )?error
    account (?:is )?(?:disabled|inactive)
    """,
)

NOTICE = re.compile(
    r"\b(?:virus|malware|spam|phishing|quarantin\w*|blocked|reject(?:ed|ion)|undeliver\w*|returned mail|"
    r"deliver(?:y|ed)\b.{0,40}(?:fail|delay|problem|status)|could not be delivered|"
    r"(?:was|been) (?:held|removed|filtered)|"
    r"attachments? (?:was|were|has|have|removed|stripped|blocked)|content filter|security (?:policy|alert|notice)|"
    r"(?:policy|message|mail) (?:violation|alert|notification)|majordomo results|your (?:e-?mail|message) to\b|"
    r"daily (?:digest|report)|out of office)",
    re.IGNORECASE,
)
"""Words of a mail system's notice, if its sender has a machine's name."""

PERMANENT = re.compile(
    r"\b55[0-4]\b|\b5\.\d{1,2}\.\d{1,3}\b|unknown|no such|not found|does not exist|permanent", re.IGNORECASE
)

WROTE = _any(
    r"\b",
    """
    wrote|writes?|said|says|schrieb|schreibt|geschrieben|a écrit|écrit|écrivait|escribi[óo]|escribe|va escriure
    ha scritto|scrive|scritto|schreef|geschreven|skrev|skrifaði|kirjoitti|kirjutas|rašė|rakstīja|írta|scris
    napisał(?:a|\\(a\\))?|pisze|pisał|nadesłał|napsala?|píše|napísala?|napisala?|napisao|escreveu|yazdı
    написала?|писала?|пишет|написав|пише|напис|έγραψε|έγραψα|đã viết|viết|menulis|כתב|כתבה|כתבו
    كتب|كتبت|كتابة|نوشت|نوشته
    """,
    r"\b|写道|寫道|写了|来信|書きました|のメール|님이|작성|썼습니다|เขียน",
)
"""A verb of an attribution line such as "On Monday, pbm wrote:"."""

_ROLES = {
    "from": """
        from|von|de|da|van|från|fra|frá|lähettäjä|od|от|от кого|від|kimden|gönderen|feladó|από|expéditeur
        remitente|mittente|author
        de la|expeditorul|отправитель|від кого
        afzender|avsändare|afsender|avsender|saatja|nadawca|expeditor|pošiljatelj|šalje|dari|từ|จาก|من|מאת
        发件人|寄件者|寄件人|发信人|差出人|送信者|보낸 사람|보낸이""",
    "date": """
        date|sent|received|datum|gesendet|gesendet am|envoyé|envoyé le|enviado|enviado el|enviado em|enviada|enviada em
        fecha|data|inviato|verzonden|verstuurd|skickat|skickades|sendt|dato|lähetetty|päivämäärä|päiväys|wysłano|wysłane
        дата|отправлено|надіслано|odesláno|odoslané|dátum|elküldve|tarih|gönderildi|gönderme tarihi|ημερομηνία|trimis
        dată|gönderilen|odoslané dňa|reçu|enviada a|изпратено
        poslano|tanggal|ngày|التاريخ|تاريخ|נשלח|תאריך|发送时间|日期|时间
        傳送日期|寄件日期|送信日時|日付|日時|보낸 날짜|보낸 시간|날짜""",
    "to": """
        to|an|à|a|para|per|aan|till|til|vastaanottaja|do|dla|komu|кому|kime|alıcı|címzett|προς|pour|destinataire
        destinatarul|adresat|pre|alıcılar|до
        destinatario|către|za|prima|kepada|đến|إلى|אל|收件人|收件者|宛先|받는 사람|받는이""",
    "subject": """
        subject|betreff|betr.|thema|objet|sujet|asunto|assunto|oggetto|onderwerp|ämne|emne|aihe|otsikko|temat|тема
        subiectul|naslov|předmět|predmet|konu|tárgy|θέμα|subiect|subjek|perihal|chủ đề|efni|teema|الموضوع|נושא|主题|主題
        主旨|件名|题目|제목""",
}
LABELS = {
    word.strip().replace(" ", ""): role for role, rows in _ROLES.items() for word in re.split(r"[|\n]", rows.strip())
}
"""Header labels in many languages, in lower case without blanks, and what each names."""

ORIGINAL = _any(
    "",
    """
    origin|forward|quoted|separator|ursprünglich|weitergeleitet|weiterleitung|nachricht|zitat|transf[ée]r|réexpédié
    reenviado|mensaje|inoltrat|doorgestuurd|oorspronkelijk|vidarebefordra|videresend|välitetty|alkuperäinen|przekazana|přeposlan
    původní|pôvodná|encaminhad|пересылаемое|пересланное|исходное|переадрес|iletilen|yönlendirilen|eredeti|továbbított
    αρχικό|προωθ|原始邮件|原邮件|原始郵件|转发|轉寄|転送|元のメッセージ|원본|전달된|رسالة|הודעה
    """,
)
"""Words between the dashes of "-----Original Message-----"."""

FORWARD_INTRO = _any(
    r"\W{0,12}+",
    r"""
    begin forwarded message|forwarded message|anfang der weitergeleiteten|weitergeleitete nachricht
    début du message (?:réexpédié|transféré)|message transféré|inicio del mensaje reenviado|mensaje reenviado
    inizio (?:del )?messaggio inoltrato|messaggio inoltrato|begin doorgestuurd bericht|doorgestuurd bericht
    vidarebefordrat (?:brev|meddelande)|start på videresendt|videresendt (?:besked|melding|meddelelse)|välitetty viesti
    początek przekazywanej|przekazana wiadomość|přeposlan|início da mensagem (?:encaminhada|reenviada)
    mensagem encaminhada
    начало переадресованного|пересылаемое сообщение|переслане повідомлення|iletilen ileti|yönlendirilen|továbbított
    začátek přeposílané|začiatok preposlanej|välitetty viesti alkaa|započni proslijeđenu|továbbított levél kezdete
    início da mensagem reencaminhada|începe mesajul redirecționat|vidarebefordrat mejl
    i̇leti başlangıcı|ileti başlangıcı|початок листа|edelleenlähetetty viesti|mesaj redirecționat|preposlaná správa
    転送されたメッセージ|以下是转发|转发的?邮件|以下為轉寄|轉寄的郵件|전달된 (?:메시지|메일)
    """,
)
"""The line above a forwarded mail."""

DEVICE = re.compile(
    r"i?phon|i ?pad|android|samsung|galaxy|huawei|xiaomi|blackberry|windows|nokia|smartphone|mobil|handy|telefon|tablet"
    r"|outlook|gmail|g ?mail|yahoo|proton|tutanota|bluemail|typeapp|thunderbird|k-9|fairemail|spark|sogou|hotmail|aol"
    r"|gmx|web\.de|yandex|mail\.ru|zimbra|roundcube|postbox|mailbird|mailspring|mail app|app mail|foxmail|qq|naver"
    r"|携帯|手机|手機|邮箱|メール",
    re.IGNORECASE,
)
"""Names of devices and mail programs, which are much the same in every language."""

ADDED = _any(
    r"[\s<(\[*_-]{0,6}",
    r"""
    sent (?:from|via|with|by(?! mistake)|using) |get \[?outlook
    (?:please )?(?:excuse|forgive|pardon) (?:(?:any|the|my) )?(?:typos?|brevity)\b
    this (?:e-?mail|message) (?:was|has been) (?:(?:sent|written) (?:from|on|by|via) (?:my|an?) |checked|scanned)
    diese nachricht wurde von mein
    diese e-?mail wurde .{0,30}(?:viren|avast)|viren(?:frei|geprüft)|virus-?free\b|libre de virus|mail priva di virus
    www\.avast\.com|email protected by|secured with tuta|https?://tuta\.com|dictated but not read|garanti sans virus
    yahoo!? mail\s?[:-]|ᐧ|https?://\S{1,300}>$|(?:sender notified by )?mail(?:suite|track)\b
    do you yahoo|\[?(?:cid|image):\s?[^\s\]]{1,80}\]$
    """,
)
"""The beginning of a line that a mail program or virus scanner adds below the text, without its name."""

DISCLAIMER = _any(
    r"[\s*_-]{0,4}",
    r"""
    confidential(?:ity)?(?: notice| note)?\s?[:.-]|disclaimer\b|legal notice|privileged (?:and|/) confidential
    haftungsausschluss|vertraulichkeitshinweis|aviso (?:legal|de confiden)|avviso di riserv|avis de confiden
    this (?:e-?mail|message|communication) is (?:strictly )?confidential
    if you (?:are not|have received this).{0,60}(?:recipient|error)|please consider the environment
    .{0,80}(?:registered (?:office|in (?:england|scotland|ireland))|amtsgericht \w|\bHRB \d|geschäftsführer(?:in)?:)
    """,
)
"""The beginning of a paragraph that a company's server adds."""

NOTICES = (
    (
        _any(
            "",
            r"""
            message\b|mail|communication|courriel|mensaje|correo|messaggi|comunica[zc]i|mensagem|bericht|nachricht|wiadomoś
            meddelande|e-post|melding|viesti|сообщени|письм|メール|邮件|郵件
            """,
        ),
        _any(
            "",
            r"""
            confidential|confidentiel|confidencia|confidenzial|vertraulich|vertrouwelijk|poufn|konfidenti|luottamuksell
            fortrolig|důvěrn|gizli|riservat|конфиденц|保密|機密|机密
            legally privileged|privileged (?:and|or|information)
            intended (?:only|solely|recipient|exclusively|for the (?:addressee|person|sole|use|named|recipient))
            addressees?\b
            adressaten\b|empfängers?\b|destinataire|destinatari|geadresseerde|adresat|mottagare
            """,
        ),
    ),
    (
        _any("", "print|druck|imprim|stampa|afdruk|druko|skriver ut|印刷"),
        _any("", "environment|umwelt|environnement|ambiente|milieu|środowisk|miljö|環境"),
    ),
)
"""Words that occur together in a paragraph that a company's server adds, wherever they stand in it."""

PERSONAL = re.compile(
    r"[?!]|\b(?:thanks|danke|merci|gracias|grazie|bedankt|tack|obrigad[oa]|dzięk\w+|i|my|mine|ich|mir|mich"
    r"|meine?[nmrs]?|je|mon|mes|yo|mío|io|mio|mia|ik|mij|mijn|jag|mig|jeg|eu|meu|minha|ja|mój|moja)\b|\bj'",
    re.IGNORECASE,
)
"""A question, an exclamation, thanks, or words that a person says of themselves, and no company's notice."""

FORMAL = re.compile(
    r"\b(?:informa[tcçz]|contents? of|inhalt dieser|contenido de|attach|files transmitted|recipient|addressee|empfänger"
    r"|adressat|destinat|geadresseerde|before printing|bevor sie|antes de imprimir)|宛先|印刷する前",
    re.IGNORECASE,
)
"""Words that a notice with nothing above it has, too; people seldom begin with these."""

BANNER = _any(
    r"\W{0,6}(?:(?:caution|warning|attention|achtung|vorsicht|atenci[óo]n|attenzione|let op|uwaga|varning)\W{1,4})?",
    r"""
    (?:external|extern[ea]?[nrs]?|externo|esterno|外部)\W{0,3}(?:e-?mail|mail|sender|message|absender|送信者)?\W{0,6}$
    .{0,40}(?:message|mail|sender)\b.{0,40} from (?:an? external|outside (?:of )?(?:your|the|our))\b
    .{0,40}(?:message|mail|sender|originat\w+|sent|came)\b.{0,40}\boutside (?:of )?(?:your|the|our) organi[sz]ation
    .{0,80}(?:extern\w{0,2} (?:absender|afzender|avsändare)|expéditeur externe|remitente externo|remetente externo)
    .{0,80}(?:mittente esterno|zewnętrzn\w{1,4} nadawc|外部(?:から|の送信者))|you don['’]?t often get e-?mail from
    do not click (?:on )?(?:any )?links\b.{0,60}(?:unless|attachment|sender)|.{0,80}\bthe content is safe
    """,
)
"""The first line of a mail if a server on the way warned of its sender."""
