"""Which passages of a mail are its text: the plain alternative first, files and enclosed mails never."""

from __future__ import annotations

from collections.abc import Iterator

from pbm.mailin import html
from pbm.mailin.mime import Part, decoded


def text(mail: Part) -> str:
    """All the person sees of a mail, quotes still in it."""
    return "\n".join(_passages(mail, root=True))


def _passages(part: Part, *, root: bool = False) -> Iterator[str]:
    """The texts of a part in their order."""
    if part.type == "multipart/alternative":
        choices = (list(_passages(choice)) for choice in sorted(part.parts, key=_dislike))
        yield from next((texts for texts in choices if "".join(texts).strip()), ())
    elif part.type in ("multipart/related", "multipart/signed", "multipart/report"):
        for first in part.parts[:1]:
            yield from _passages(first)
    elif part.type == "multipart/encrypted" or (part.attached and not root):
        return
    elif part.parts:
        for inner in part.parts:
            yield from _passages(inner)
    elif part.type == "text/plain":
        yield decoded(part)
    elif part.type == "text/html":
        yield html.to_text(decoded(part))


def _dislike(choice: Part) -> bool:
    """Whether a choice is to be asked after those that hold plain text."""
    return all(part.type != "text/plain" for part in choice.walk())
