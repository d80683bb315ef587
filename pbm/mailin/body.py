"""Which passages of a mail are its text: the plain alternative first, files and enclosed mails never; HTML as text.

In HTML quoted blocks are emptied before anything is laid out: only that something is quoted matters, and whether it is
ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inscriptis import Inscriptis
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.model.config import ParserConfig
from lxml import html

from pbm.mailin.mime import MAX_TEXT_BYTES, Entity, decoded
from pbm.mailin.quotes import FOUND, SENTINEL

_QUOTE = re.compile(
    r"yahoo_quoted|yahoo-quoted|mail-editor-reference-message-container|replyforward_quote|tutanota_quote|zmail_quote",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"gmail_signature|gmail_attr|moz-signature|moz-cite-prefix|ms-outlook-mobile-signature|protonmail_signature|"
    r"applemailsignature|tutanota_signature|x_signature|(?:^| )signature(?: |$)",
    re.IGNORECASE,
)
_QUOTE_TAG = re.compile(r"<blockquote|<div[^<>]{0,200}name=.?quote", re.IGNORECASE)
_INVISIBLE = {"head", "script", "style", "title", "template", "noscript", "object", "iframe", "svg"}
_WIDE = {"table", "tr", "td", "th", "ul", "ol", "li"}
_HIDDEN = re.compile(r"display\s*:\s*none|mso-hide\s*:\s*all", re.IGNORECASE)
# The default profile of inscriptis puts blanks around inline elements, which splits words.
_CONFIG = ParserConfig(css=CSS_PROFILES["strict"], display_links=False, display_images=False, display_anchors=False)


def to_text(source: str) -> str:
    """The visible text of HTML, quoted blocks as one line "> ..." each, signatures that are marked as such left out.

    Below our line, where it is not in a quoted block, nothing can be told from our mail, so nothing is laid out. Where
    the layout fails the tags are simply dropped, and the text is all quoted.
    """
    found = FOUND.search(source)
    if found and not (_QUOTE_TAG.search(source, 0, found.start()) or _QUOTE.search(source, 0, found.start())):
        source = source[: found.end()]
    try:
        return _laid_out(source)
    except Exception:  # noqa: BLE001 - what lxml and inscriptis raise on hostile trees is not documented
        return re.sub(r"(?m)^", "> ", re.sub(r"<[^<>]*>", " ", source))


def _laid_out(source: str) -> str:
    """The text by inscriptis after the tree is cleaned."""
    tree = html.document_fromstring(source.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    for element in list(tree.iter()):
        if element.getroottree().getroot() is tree:
            _clean(element)
    return str(Inscriptis(tree, _CONFIG).get_text())


def _clean(element: html.HtmlElement) -> None:
    """Empty a quoted block to one quoted line, remove what is not seen or not the person's; what follows stays.

    Styles, tables and lists are not laid out: a megabyte of them makes gigabytes of blanks.
    """
    if not isinstance(element.tag, str):
        return
    marks = f"{element.get('class', '')} {element.get('id', '')}"
    hidden = _HIDDEN.search(element.attrib.pop("style", ""))
    if element.tag == "blockquote" or _QUOTE.search(marks) or (element.tag == "div" and element.get("name") == "quote"):
        ours = FOUND.search("".join(element.itertext()))
        _empty(element, f"> {SENTINEL if ours else '...'}")
        element.tag = "div"
    elif hidden or element.tag in _INVISIBLE or _DROPPED.search(marks):
        _empty(element, "")
    elif element.tag in _WIDE:
        element.tag = "div"


def _empty(element: html.HtmlElement, text: str) -> None:
    """Only this text is left in the element."""
    element.clear(keep_tail=True)
    element.text = text


def versions(mail: Entity) -> Iterator[str]:
    """All the person sees of a mail, quotes still in it: by its plain alternatives, and then again by its HTML.

    HTML is the second opinion: it marks quotes that some clients leave without mark in the plain text.
    """
    for preferred in ("text/plain", "text/html"):
        passages: list[str] = []
        for passage in _passages(mail, preferred, root=True):
            passages.append(passage)
            if sum(map(len, passages)) > MAX_TEXT_BYTES:
                break
        yield "\n".join(passages)


def _passages(part: Entity, preferred: str, *, root: bool = False) -> Iterator[str]:
    """The texts of a part in their order; of alternatives the preferred type, if it has anything in it."""
    if part.type == "multipart/alternative":
        ranked = sorted(part.parts, key=lambda choice: all(below.type != preferred for below in choice.walk()))
        choices = (list(_passages(choice, preferred)) for choice in ranked)
        yield from next((texts for texts in choices if "".join(texts).strip()), ())
    elif part.type in ("multipart/related", "multipart/signed", "multipart/report"):
        for first in part.parts[:1]:
            yield from _passages(first, preferred)
    elif part.type == "multipart/encrypted" or (part.attached and not root):
        return
    elif part.parts:
        for inner in part.parts:
            yield from _passages(inner, preferred)
    elif part.type == "text/plain":
        yield decoded(part)
    elif part.type == "text/html":
        yield to_text(decoded(part, MAX_TEXT_BYTES // 2))
