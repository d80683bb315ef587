"""What a person wrote in a mail: its bytes become a Message, or a Discard, which is never answered.

The text comes from the plain alternative first, never from files or enclosed mails. HTML is laid out as text after its
quoted blocks are emptied: it only matters that something is quoted, and whether it is ours. Pure: no clock, no
database, no network. Any bytes can be read, in bounded time and memory, and nothing is raised.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from lxml import etree, html

from pbm.mailin import authentication, headers, phrases, quotes, silence, smime
from pbm.mailin.headers import Robot
from pbm.mailin.message import Action, Cover, Discard, Envelope, Judgement, Mark, Message, Unlock
from pbm.mailin.mime import MAX_MAIL, MAX_TEXT_BYTES, Entity, Fields, TooLongError, decoded, octets, parse, split
from pbm.mailin.quotes import MARKED, OUR_LINE, SENTINEL

_QUOTE = re.compile(
    r"yahoo_quoted|yahoo-quoted|mail-editor-reference-message-container|replyforward_quote|tutanota_quote|zmail_quote",
    re.IGNORECASE,
)
_DROPPED = re.compile(r"(?:^|[ _-]|applemail)signature|gmail_attr|moz-cite-prefix", re.IGNORECASE)
_QUOTE_TAG = re.compile(r"<blockquote|<div[^<>]{0,200}name=.?quote", re.IGNORECASE)
_LEFT_OUT = {
    "head", "script", "style", "title", "template", "noscript", "object", "iframe", "svg", "s", "strike", "del",
}  # fmt: skip
_APART = {"p", "figure", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Blocks with a blank line above and below them."""
_BLOCKS = _APART | {
    "address", "article", "aside", "blockquote", "center", "dd", "div", "dl", "dt", "fieldset", "figcaption", "footer",
    "form", "header", "hgroup", "html", "li", "main", "nav", "ol", "pre", "section", "summary", "table", "td", "th",
    "tr", "ul",
}  # fmt: skip
"""What stands on lines of its own. Tables and lists get no more: a megabyte of them would make gigabytes of blanks."""
_HIDDEN = re.compile(
    r"display\s*:\s*none|mso-hide\s*:\s*all|line-through|visibility\s*:\s*hidden"
    r"|(?<![\w-])opacity\s*:\s*0(?![.\d]*[1-9])",
    re.IGNORECASE,
)
_SIZELESS = re.compile(r"(?<![\w-])font-size\s*:\s*0(?![.\d]*[1-9])", re.IGNORECASE)
_INDENTED = re.compile(r"(?!.*border-left).*\bborder\s*:\s*(?:medium\s+)?none", re.IGNORECASE | re.DOTALL)
_MAX_INDENTS = 9
"""How many times a person may have indented the beginning of their text."""
_BLANKS = re.compile(r"\s+")
_DOCUMENT_ENDS = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)
_PRE = re.compile(r"white-space\s*:\s*pre", re.IGNORECASE)
_MAX_TAGS = 10_000
"""How many HTML tags of a mail are laid out; each costs as much as a hundred characters."""


def to_text(source: str, tags: list[int]) -> str:
    """The visible text of HTML, with one line "> ..." for each quoted block, and without marked signatures.

    tags: holds how many more tags of the mail may be laid out.

    If our line is not in a quoted block, nothing below it can be told from our mail, so nothing there is laid out. If
    the layout fails, the tags are dropped and all text counts as quoted.

    >>> to_text("<p>F6<br>C4 </p> Hi\\n <b>Bob</b>,<ul><li>one<li>two</ul><pre>1  2</pre>", [100])
    'F6\\nC4\\n\\nHi Bob,\\none\\ntwo\\n1  2'
    """
    ours = OUR_LINE.search(source)
    if ours and not (_QUOTE_TAG.search(source, 0, ours.start()) or _QUOTE.search(source, 0, ours.start())):
        source = source[: ours.end()]
    pieces = source.split("<", tags[0] + 1)[: tags[0] + 1]
    tags[0] -= len(pieces) - 1
    source = "<".join(pieces)
    try:
        return _laid_out(source)
    except Exception:  # noqa: BLE001 - what lxml raises on hostile trees is not documented
        return re.sub(r"(?m)^", "> ", re.sub(r"<[^<>]*>", " ", source))


def _laid_out(source: str) -> str:
    """The text of the cleaned tree."""
    # People's mails are nested more than 256 deep; below that only a huge tree is read, down to 2,048.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    # Servers append notices as a second document; the parser would drop what stands below the first one.
    source = _DOCUMENT_ENDS.sub("<br>", source)
    tree = html.document_fromstring(source.encode("utf-8", "replace"), parser=parser)
    _unindent(tree)
    elements = [tree]
    while elements:
        element = elements.pop()
        _clean(element)
        # What an emptied element held is never looked at: each of 2,000 nested quotes would be read to its end.
        elements += element
    return "\n".join(_lines(tree))


def _lines(tree: html.HtmlElement) -> Iterator[str]:
    """The text of a cleaned tree, with each block on lines of its own."""
    line, is_apart, kept_by = "", True, 0
    for event, element in etree.iterwalk(tree, events=("start", "end")):
        begins = event == "start"
        # A style is left only where blanks are kept; it holds for all elements within.
        if "style" in element.attrib:
            kept_by += 1 if begins else -1
        # What has begun as a line ends here; a block alone leaves no empty one.
        if (event, element.tag) == ("start", "br") or (line and element.tag in _BLOCKS):
            yield line.removesuffix(" ")
            line, is_apart = "", not line
        # Paragraphs and headings have an empty line around them, and two of them one between.
        if element.tag in _APART and not is_apart:
            yield ""
            is_apart = True
        text = (element.text if begins else element.tail) or ""
        line += text if kept_by else _folded(text, line)


def _folded(text: str, line: str) -> str:
    """The text with each run of blanks as one, and none where it begins the line or follows another one."""
    text = _BLANKS.sub(" ", text)
    return text if line and not line[-1].isspace() else text.lstrip()


def _unindent(tree: html.HtmlElement) -> None:
    """Turns blockquotes that are none into plain blocks: a button of mail programs indents the person's own text so.

    That button writes "border: none"; Word writes it on quotes, too, but then a border-left. Where programs write less,
    a quote has something above it, or says that it cites, or holds words of ours or of an introduction.
    """
    for block in tree.xpath(".//blockquote[@style and not(@type) and not(@cite)]"):
        if _INDENTED.match(block.get("style")):
            block.tag = "div"
    for block in list(islice(tree.iter("blockquote"), _MAX_INDENTS)):
        # Apple Mail and Thunderbird mark their quotes by type="cite", or name the mail in cite.
        if block.get("cite") or block.get("type") or _QUOTE.search(block.get("class", "")):
            return
        above = block.xpath("preceding::text()[not(ancestor::head or ancestor::style)]")
        text = "".join(block.itertext())
        if "".join(above).strip() or OUR_LINE.search(text) or "@" in text or any(map(MARKED.match, block.itertext())):
            return
        block.tag = "div"


def _clean(element: html.HtmlElement) -> None:
    """Reduces a quoted block to one quoted line, and empties elements that are invisible, struck out, or not the
    person's own.
    """
    marks = " ".join(element.get(name, "") for name in ("class", "id", "data-smartmail"))
    style = element.attrib.pop("style", "")
    is_quote = element.tag == "blockquote" or (element.tag == "div" and element.get("name") == "quote")
    # Some programs keep the person's line breaks by style alone.
    if element.tag == "pre" or _PRE.search(style):
        element.set("style", "white-space: pre")
    if is_quote or _QUOTE.search(marks):
        ours = OUR_LINE.search("".join(element.itertext()))
        _empty(element, f"> {SENTINEL if ours else '...'}")
        element.tag = "div"
    # What the reader does not see may be anybody's: hidden preview texts, struck-out words, a signature's pictures.
    elif element.tag in _LEFT_OUT or _DROPPED.search(marks) or _is_hidden(element, style):
        _empty(element, "")


def _is_hidden(element: html.HtmlElement, style: str) -> bool:
    """Whether a browser shows nothing of an element."""
    if "hidden" in element.attrib or _HIDDEN.search(style):
        return True
    # Letters may have a size again below an element without one: tools for mails (MJML) set it so against gaps.
    return _SIZELESS.search(style) is not None and not element.xpath(".//*[contains(@style, 'font')]")


def _empty(element: html.HtmlElement, text: str) -> None:
    """Replaces the element's content; the text after the element stays."""
    element.clear(keep_tail=True)
    element.text = text


def versions(mail: Entity) -> Iterator[str]:
    """The whole visible text of a mail, with quotes: from its plain alternatives, then, if it has any, from its HTML.

    HTML is a second opinion, because it marks quotes that some clients leave unmarked in the plain text.
    """
    is_choice = any(part.type == "multipart/alternative" for part in mail.walk())
    for preferred in ("text/plain", "text/html") if is_choice else ("text/plain",):
        passages: list[str] = []
        for passage in _passages(mail, preferred, [_MAX_TAGS], root=True):
            passages.append(passage)
            if sum(map(len, passages)) > MAX_TEXT_BYTES:
                break
        yield "\n".join(passages)


def _passages(part: Entity, preferred: str, tags: list[int], *, root: bool = False) -> Iterator[str]:
    """The texts of a part in order; of alternatives, those of the preferred type unless they are empty.

    tags: as for to_text.
    """
    if part.type == "multipart/alternative":
        yield from _chosen(part, preferred, tags)
    # RFC 2387 (related), RFC 1847 (signed), RFC 6522 (report): one part is the text, the others belong to it.
    elif part.type in ("multipart/related", "multipart/signed", "multipart/report"):
        # A picture may stand above the text that shows it.
        texts = [inner for inner in part.parts if inner.type.startswith(("text/", "multipart/"))]
        for inner in texts[:1]:
            yield from _passages(inner, preferred, tags)
    # A part that is opened stands in the place of the whole mail, so one that is left here is locked.
    elif part.type == "multipart/encrypted" or (part.attached and not root):
        return
    elif part.parts:
        yield from _in_order(part, preferred, tags)
    elif part.type in ("text/plain", "text/markdown"):
        yield decoded(part)
    elif part.type == "text/html":
        yield to_text(decoded(part, MAX_TEXT_BYTES // 2), tags)


def _chosen(part: Entity, preferred: str, tags: list[int]) -> Iterator[str]:
    """The texts of one of several alternatives."""
    ranked = sorted(part.parts, key=lambda choice: all(below.type != preferred for below in choice.walk()))
    for choice in ranked:
        texts = list(_passages(choice, preferred, tags))
        # Some programs send an empty plain text beside HTML.
        if "".join(texts).strip():
            yield from texts
            return


def _in_order(part: Entity, preferred: str, tags: list[int]) -> Iterator[str]:
    """The texts of a mixed part. Gateways of telephones name the first one as a file to be shown inline."""
    written = False
    for inner in part.parts:
        is_inline = inner.first("content-disposition").lower().startswith("inline")
        for passage in _passages(inner, preferred, tags, root=is_inline and not written):
            written = written or bool(passage.strip())
            yield passage


_EDITED = "\u270f\ufe0f"
"""A pencil, which Delta Chat puts before an edited message when it sends it again."""


def read(raw: bytes, envelope: Envelope, robot: Robot, unlock: Unlock | None = None) -> Message | Discard:
    """A mail as a person's Message or as a Discard; a mail that cannot be read is a Discard to be parked.

    unlock: opens encrypted mails; without it they stay locked.
    """
    try:
        mail = parse(raw)
        if not _is_encrypted(mail):
            return _read(mail, envelope, robot)
        # What a machine wrote outside, such as a list, is never opened: that costs 40 ms and a process.
        outside = _read(mail, envelope, robot)
        opened = _opened(mail, unlock) if unlock and isinstance(outside, Message) else None
        if opened is None:
            return outside if isinstance(outside, Discard) else replace(outside, text="", cover=Cover.LOCKED)
        inside = _read(opened, envelope, robot)
        return replace(inside, cover=Cover.ENCRYPTED) if isinstance(inside, Message) else inside
    except TooLongError as error:
        return Discard(Action.REJECT, str(error))
    except Exception as error:  # noqa: BLE001 - whatever bytes a stranger sends, the inbox goes on
        return Discard(Action.REJECT, f"unreadable: {type(error).__name__}")


def _read(mail: Entity, envelope: Envelope, robot: Robot) -> Message | Discard:
    """The Discard of a mail that must not be answered, otherwise its Message."""
    fields = mail.fields
    sender = headers.one_address(fields.get("from", []))
    subject = headers.words(mail.first("subject"))[: headers.MAX_SUBJECT]
    token, bounce_token = _tokens(mail, envelope, robot)
    evidence = silence.Evidence(mail, envelope, robot, sender, subject, token, bounce_token)
    discard = silence.verdict(evidence)
    # A bounce comes to our return path, and our own mail comes back: neither is ever a player's move. A person's new
    # mail may be, whatever a relay stamped on it.
    may_play = token or fields.get("in-reply-to") or (discard and discard.mark is Mark.RELAY)
    if discard and (discard.mark is Mark.NONE or not may_play):
        return discard
    text, answers_us, everything = _own_text(mail, robot.local_part.lower())
    # Delta Chat makes up the first subject of a chat: "Message from Dora".
    if fields.get("chat-version"):
        subject, text = "", text.removeprefix(_EDITED)
    # A forwarded board holds its commands and links, and none of them are this person's own words.
    forwarded = token is None and phrases.FORWARD_PREFIX.match(subject) and quotes.is_forward(everything)
    judgement = authentication.judged(fields, envelope, robot, sender)
    message = Message(
        action=Action.HELP if forwarded else Action.REPLY,
        message_id=headers.message_id(fields.get("message-id", [])),
        sender=sender,
        subject=subject,
        text=headers.without_tokens(text, robot),
        token=token,
        in_reply_to=next(reversed(headers.message_ids(fields.get("in-reply-to", []))), None),
        references=headers.message_ids(fields.get("references", [])),
        judgement=judgement,
        direct=_is_direct(envelope, sender, judgement),
        answers_us=answers_us,
        peer=authentication.peer(fields, robot),
        group=mail.first("chat-group-id").lower(),
        file=_attached(mail),
        note=_attached(mail, is_text=True),
        quote="" if answers_us or token else quotes.marked(everything),
        key=headers.key_of(fields, sender),
    )
    if discard is None:
        return message
    return replace(discard, letter=replace(message, mark=discard.mark))


def _own_text(mail: Entity, us: str) -> tuple[str, bool, str]:
    """The person's words, whether one of our mails is quoted with them, and the version of the text that has them."""
    # Some programs mark a quote only in the HTML; without marks all of the plain text seemed to be ours.
    for everything in versions(mail):
        text, answers_us = quotes.own_text(everything, us)
        if text:
            break
    return text, answers_us, everything


def _is_direct(envelope: Envelope, sender: str, judgement: Judgement) -> bool:
    """Whether the sender is the address in MAIL FROM, and no check by our server failed.

    Without SPF and DMARC checks anybody can forge this, so it only counts together with something others do not know.
    """
    return bool(sender) and (envelope.mail_from or "").lower() == sender.lower() and judgement is not Judgement.FAILED


MAX_FILE = 65_536
"""Octets of an attached file that are read: a record of 5000 plies has fewer."""
_NO_TEXTS = ("image/", "audio/", "video/", "multipart/", "message/", "application/pgp")


def _attached(mail: Entity, *, is_text: bool = False) -> str:
    """The text of the first attached file that may be one: programs name no type for SGF, or many.

    is_text: of the first that is a text by its type or its name.
    """
    for part in mail.walk():
        is_plain = part.type == "text/plain" or ".txt" in part.first("content-disposition").lower()
        if part.attached and not part.type.startswith(_NO_TEXTS) and (is_plain or not is_text):
            return decoded(part, MAX_FILE)
    return ""


_ARMOR = b"-----BEGIN PGP MESSAGE-----"
_OUTSIDE = frozenset({
    "from", "date", "message-id", "received", "return-path", "authentication-results", "arc-authentication-results",
    "received-spf", "delivered-to", "x-original-to", "envelope-to", "x-envelope-from", "dkim-signature",
})  # fmt: skip
"""Fields of an encrypted mail that are taken from the outer header, never from the encrypted part."""


def _is_encrypted(mail: Entity) -> bool:
    """Whether a mail is encrypted, by OpenPGP (PGP/MIME or inline) or by S/MIME, which we cannot open."""
    if mail.type in {"multipart/encrypted", *smime.TYPES}:
        return True
    return any(_ARMOR in part.body[:1000] for part in mail.walk() if part.type == "text/plain" and not part.attached)


def _opened(mail: Entity, unlock: Unlock) -> Entity | None:
    """The decrypted mail; None if it cannot be opened or may not be the sender's own.

    The encrypted part must name the sender, or be signed by the key in the mail. Otherwise somebody who intercepted a
    mail could send it in their own name, and learn its content from our answer.
    """
    # RFC 3156, 4: the second part is the message; some programs leave out the first, which names the version.
    if mail.type != "multipart/encrypted":
        return None
    sealed = next((piece for piece in map(octets, mail.parts[:2]) if _ARMOR in piece[:1000]), None)
    if sealed is None:
        return None
    sender = headers.one_address(mail.fields.get("from", []))
    peer = headers.key_of(mail.fields, sender)
    unlocked = unlock(sealed, peer.key if peer else b"")
    if unlocked is None:
        return None
    content, signed = unlocked
    inner = parse(content)
    writers = inner.fields.get("from", [])
    own = headers.one_address(writers).lower() == sender.lower() if writers else signed
    if not own or not sender:
        return None
    fields = Fields(mail.fields.order)
    # RFC 9788: the inner header is what was protected; who carried the mail stands only outside.
    fields |= mail.fields | {name: values for name, values in inner.fields.items() if name not in _OUTSIDE}
    # Our own address, with its token, may stand in either.
    fields["to"] = [*mail.fields.get("to", []), *inner.fields.get("to", [])]
    return Entity(fields, inner.type, inner.parameters, inner.body, inner.parts)


_OF_WHOM = ("from", "to", "date", "message-id", "in-reply-to", "references")


def rewritten(raw: bytes, subject: str, text: str) -> bytes:
    """A mail with another subject and text, which keeps only its sender, recipients, date and references.

    Everything that held the old words is removed: other versions of the text, encodings, quotes, attached files.
    """
    fields = split(raw[:MAX_MAIL].lstrip())[0]
    head = [f"{name.title()}: {value}" for name in _OF_WHOM for value in fields.get(name, [])[:1]]
    head += [f"Subject: {' '.join(subject.split())}", "Content-Type: text/plain; charset=utf-8"]
    return "\r\n".join([*head, "Content-Transfer-Encoding: 8bit", "", text]).encode("utf-8", "replace")


def searchable(raw: bytes) -> tuple[bytes, str]:
    """What may be kept of a mail so that all of it can be searched, and all its words.

    A mail whose text stands in it as it is read is kept as it is. Of any other, such as one with HTML, files, an
    enclosed mail or encoded text, its text alone is kept; nothing of one that is encrypted.
    """
    try:
        mail = parse(raw)
    except TooLongError:
        return b"", ""
    passages = () if _is_encrypted(mail) else _passages(mail, "text/plain", [_MAX_TAGS], root=True)
    text = "\n".join(passages)
    # Words in fields are encoded as soon as one letter is beyond ASCII.
    fields = [headers.words(value) for values in mail.fields.values() for value in values]
    if mail.type != "text/plain" or text.encode("utf-8", "replace") != mail.body.replace(b"\r\n", b"\n"):
        raw = rewritten(raw, headers.words(mail.first("subject")), text)
    return raw, "\n".join([*fields, text])


def _tokens(mail: Entity, envelope: Envelope, robot: Robot) -> tuple[str | None, str | None]:
    """The reply and the bounce token from the envelope or, if it has none, from the recipients in the header."""
    tokens = headers.tokens(envelope.recipients, robot)
    # A blind copy stands only in the envelope, and another player's address with its token may stand in To.
    if tokens != (None, None):
        return tokens
    names = ("delivered-to", "x-original-to", "envelope-to", "to", "cc")
    return headers.tokens(
        headers.plain_addresses(value for name in names for value in mail.fields.get(name, [])), robot
    )
