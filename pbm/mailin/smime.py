"""The content of an opaque S/MIME signature (RFC 8551, 3.5.2): the mail as signed, wrapped into a CMS structure.

Mail programs show it as if it stood there in clear, so it is read. The signature itself is not verified: whoever could
forge the content could as well send it unsigned.
"""

from __future__ import annotations

from typing import NamedTuple

TYPES = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})
_SIGNED = bytes.fromhex("2a864886f70d010702")
_CONSTRUCTED = 0x20
_MOST_PIECES = 10_000


class _Item(NamedTuple):
    """One value of BER (X.690): its tag, where its content begins and ends, and where the next value begins."""

    tag: int
    start: int
    end: int
    after: int


def signed_content(data: bytes) -> bytes | None:
    """What was signed; None if this is no opaque signature, for example because it is encrypted."""
    try:
        outer = _items(data, _item(data, 0))
        if data[outer[0].start : outer[0].end] != _SIGNED:
            return None
        (signed,) = _items(data, outer[1])
        # version, digest algorithms, and then the content with its type
        inner = _items(data, _items(data, signed)[2])
        (content,) = _items(data, inner[1])
        # A string of octets may be given in one piece or in several.
        pieces = _items(data, content) if content.tag & _CONSTRUCTED else [content]
        return b"".join(data[piece.start : piece.end] for piece in pieces)
    except (ValueError, IndexError):
        return None


def _item(data: bytes, at: int) -> _Item:
    """The value at a place. Raises: ValueError, IndexError."""
    tag, length, start = data[at], data[at + 1], at + 2
    # X.690, 8.1.3.6: of indefinite length, as programs write it that stream; two zeros end it.
    if length == 0x80:
        end = start
        while data[end : end + 2] != b"\0\0":
            end = _item(data, end).after
        return _Item(tag, start, end, end + 2)
    if length > 0x80:
        size = length - 0x80
        length, start = int.from_bytes(data[start : start + size]), start + size
    if start + length > len(data):
        raise ValueError("cut off")
    return _Item(tag, start, start + length, start + length)


def _items(data: bytes, of: _Item) -> list[_Item]:
    """The values within a constructed one. Raises: ValueError, IndexError."""
    if not of.tag & _CONSTRUCTED:
        raise ValueError("not constructed")
    items, at = list[_Item](), of.start
    while at < of.end:
        items.append(_item(data, at))
        at = items[-1].after
        # A megabyte of empty values would be half a million objects.
        if len(items) > _MOST_PIECES:
            raise ValueError("too many pieces")
    return items
