"""Which passages of a mail are its text: the plain alternative first, files and enclosed mails never."""

from __future__ import annotations

from collections.abc import Iterator

from pbm.mailin import html
from pbm.mailin.mime import MAX_TEXT_BYTES, Entity, decoded


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
        yield html.to_text(decoded(part, MAX_TEXT_BYTES // 2))
