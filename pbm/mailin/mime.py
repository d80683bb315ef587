"""Parses the bytes of a mail into header fields and parts; hostile mails cost no more than long ones.

The standard parser takes 6 s for nested multiparts of 450 kB and creates an object for each of 150,000 empty parts.
Here depth, parts, header bytes and decoded bytes are capped, and every scan is linear.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from encodings import normalize_encoding
from encodings.aliases import aliases
from functools import lru_cache

from pbm.mailin import smime
from pbm.values import frozen

MAX_MAIL = 1_000_000
"""How many bytes of a mail are read; the text a person wrote comes before pictures."""
MAX_HEADERS = 32_768
"""The most bytes of a header block; people's mails have shorter ones."""
MAX_FIELD = 8192
"""How many characters of one header field are kept."""
MAX_TEXT_BYTES = 262_144
MAX_DEPTH = 10
MAX_PARTS = 100

_FIELD = re.compile(
    r"(?:([!-9;-~]{1,76})[ \t]*:([^\r\n]*(?:(?:\r\n|\n|\r)(?=[ \t])[ \t\v\f]*\S[^\r\n]*)*)|([^\r\n]*))"
    r"(?:\r\n|\n|\r|\Z)",
    re.ASCII,
)
"""A header field with its continuation lines, or else one line; each match begins where the last one ended."""
_PARAMETER = re.compile(r';\s*([\w-]+)\*?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))')
_TERM = re.compile(r"[^\s;()\"]+")
_LINE_BEGINS = re.compile(rb"(?:\A|\r\n|\n|\r)\Z")
_MARK_ENDS = re.compile(rb"(--)?[ \t]*(?:\r\n|\n|\r|\Z)")
_GUESSED_BOUNDARY = re.compile(rb"(?:\A|[\r\n])--(\S.{0,69})\r?\nContent-", re.IGNORECASE)


class Fields(dict[str, list[str]]):
    """Header fields: the values for each lower-case name, from the top of the header down."""

    def __init__(self, order: Sequence[str] = ()) -> None:
        """order: the names of all fields in order, with repetitions."""
        super().__init__()
        self.order = order

    def among(self, *names: str) -> Iterator[tuple[str, str]]:
        """Name and value of the fields with these names, in the order of the header."""
        values = {name: iter(self.get(name, [])) for name in names}
        return ((name, next(values[name])) for name in self.order if name in values)


class TooLongError(ValueError):
    """The header block is longer than MAX_HEADERS."""


@frozen
class Entity:
    """A mail or a part of one: header fields by lower-case name, content type, and either parts or a body."""

    fields: Fields
    type: str
    parameters: Mapping[str, str]
    body: bytes
    parts: tuple[Entity, ...] = ()

    def first(self, name: str) -> str:
        """The first field of this name; "" if there is none. name: in lower case."""
        return self.fields.get(name, [""])[0]

    @property
    def attached(self) -> bool:
        """Whether this is a file, not a passage of the mail; a name alone makes none, as gateways name all parts."""
        disposition = self.first("content-disposition").lower()
        return disposition.startswith("attachment") or "filename" in disposition

    def walk(self) -> Iterator[Entity]:
        """This part and all below it, in order; never into an enclosed mail."""
        yield self
        for part in self.parts:
            yield from part.walk()


def parse(raw: bytes) -> Entity:
    """The mail with its parts.

    Raises: TooLongError if the header block has more than MAX_HEADERS bytes.
    """
    fields, body = split(raw[:MAX_MAIL].lstrip())
    return _part(fields, body, depth=0, budget=[MAX_PARTS])


def split(raw: bytes) -> tuple[Fields, bytes]:
    """The header fields and the body of a mail; a line that is not a field ends the header block.

    Raises: TooLongError.
    """
    names: list[str] = []
    fields = Fields(names)
    place = 0
    for match in _FIELD.finditer(raw[: MAX_HEADERS + 1].decode("latin-1")):
        # Cut there, it would lose the fields that tell whether a machine wrote it, so it is parked.
        if match.end() > MAX_HEADERS:
            raise TooLongError(f"more than {MAX_HEADERS} bytes of header")
        name, value, line = match.groups()
        if name:
            names.append(key := name.lower())
            fields.setdefault(key, []).append(_value(value))
        elif not line.strip(" \t\v\f"):
            place = match.end()
            break
        # mbox files begin each mail with such a line, and some pipes pass it on.
        elif place or not line.startswith(("From ", ">From ")):
            break
        place = match.end()
    return fields, raw[place:]


def head(raw: bytes) -> Fields:
    """The header fields of a mail, of a long header only the first."""
    return split(raw[:MAX_HEADERS])[0]


def cut(raw: bytes, most: int) -> bytes:
    """The mail with its header block and at most so many bytes of its body, in whole lines if it has lines."""
    try:
        body = split(raw)[1]
    except TooLongError:
        body = raw[MAX_HEADERS:]
    if len(body) <= most:
        return raw
    end = body.rfind(b"\n", 0, most) + 1 or most
    return raw[: len(raw) - len(body) + end]


def _value(written: str) -> str:
    """The value of a field on one line. written: decoded as Latin-1, so each character is a byte."""
    # Nearly all fields: nothing is to be unfolded or decoded. A hostile head has thousands.
    if written.isascii() and written.isprintable():
        return written[:MAX_FIELD].strip()
    unfolded = b" ".join(written.encode("latin-1").splitlines())[: 2 * MAX_FIELD]
    return to_text(unfolded, "utf-8")[:MAX_FIELD].strip()


def _part(fields: Fields, body: bytes, depth: int, budget: list[int]) -> Entity:
    """A part with its own parts. budget: holds how many more parts the whole mail may have."""
    kind, parameters = _content_type(fields.get("content-type", ["text/plain"])[0][:MAX_TYPE])
    unparted = Entity(fields, kind, parameters, body)
    if depth >= MAX_DEPTH:
        return unparted
    # Outlook signs opaquely by default: to other programs the whole mail is one attached file.
    content = _signed(unparted) if kind in smime.TYPES else None
    if content is not None:
        return _part(*content, depth + 1, budget)
    if not kind.startswith("multipart/"):
        return unparted
    parts = []
    for piece in _pieces(body, parameters.get("boundary", "").encode("utf-8", "replace")):
        # The standard parser makes an object for each of 150,000 empty parts.
        budget[0] -= 1
        if budget[0] < 0:
            break
        try:
            inner, rest = split(piece)
        except TooLongError:
            continue
        parts.append(_part(inner, rest, depth + 1, budget))
    # A multipart without its boundary: mail programs show its source as text, so the person's words are there.
    if not parts and depth == 0:
        return Entity(fields, "text/plain", parameters, body)
    return Entity(fields, kind, parameters, b"", tuple(parts))


def _signed(part: Entity) -> tuple[Fields, bytes] | None:
    """The fields and the body of what an opaque signature holds, below the fields of the part; None if it is none."""
    fields, content = part.fields, smime.signed_content(octets(part))
    if content is None:
        return None
    try:
        inner, rest = split(content)
    except TooLongError:
        return None
    merged = Fields([*fields.order, *inner.order])
    # RFC 8551, 3.1: the signed part has content fields only; who writes stands outside.
    merged |= {name: values for name, values in fields.items() if not name.startswith("content-")}
    merged |= {name: values for name, values in inner.items() if name.startswith("content-")}
    return merged, rest


MAX_TYPE = 2000
"""How many characters of a Content-Type are read."""


@lru_cache(256)
def _content_type(value: str) -> tuple[str, Mapping[str, str]]:
    """The lower-case type and the parameters of a Content-Type; text/plain if it is invalid (RFC 2045, 5.2)."""
    kind = _term(value)
    matches = _PARAMETER.finditer(value)
    parameters = {m[1].lower(): re.sub(r"\\(.)", r"\1", m[2]) if m[2] is not None else m[3] for m in matches}
    is_valid = re.fullmatch(r"[\w.+-]{1,80}(?:/[\w.+-]{1,80}){1,2}", kind) is not None
    # Mutt wrote signed mails so before PGP/MIME; the text stands in it in clear.
    is_clear = kind == "application/pgp" and "sign" in parameters.get("x-action", "")
    # RFC 8551, 3.10: gateways that do not know the type leave only the name.
    if parameters.get("name", "").lower().endswith(".p7m"):
        kind = "application/pkcs7-mime"
    return (kind if is_valid and not is_clear else "text/plain"), parameters


def _term(value: str) -> str:
    """The first word of a field in lower case: programs add quotes, remarks and semicolons to it, or forget these.

    >>> [_term(value) for value in ('"base64"', "7bit (really)", "text/html charset=utf-8", "")]
    ['base64', '7bit', 'text/html', '']
    """
    word = _TERM.search(value)
    return word[0].lower() if word else ""


def _pieces(body: bytes, boundary: bytes) -> Iterator[bytes]:
    """The bytes between boundary lines; if the boundary does not occur, it is guessed; the last one may be missing."""
    # Gateways that rewrite boundaries forget the field.
    if not boundary or b"--" + boundary not in body:
        guess = _GUESSED_BOUNDARY.search(body)
        if guess is None:
            return
        boundary = guess[1].rstrip()
    start, at, mark = None, 0, b"--" + boundary
    while (at := body.find(mark, at)) >= 0:
        # RFC 2046, 5.1.1: a boundary counts at the beginning of a line only, and the line break belongs to it.
        before = _LINE_BEGINS.search(body, max(start or 0, at - 2), at)
        at += len(mark)
        behind = _MARK_ENDS.match(body, at) if before else None
        if before is None or behind is None:
            continue
        if start is not None:
            yield body[start : before.start()]
        start = at = behind.end()
        if behind[1]:
            return
    if start is not None:
        yield body[start:]


def decoded(part: Entity, limit: int = MAX_TEXT_BYTES) -> str:
    """The text of a part, with transfer encoding and charset decoded, and flowed lines joined (RFC 3676)."""
    text = to_text(octets(part, limit), part.parameters.get("charset", "utf-8"), guess=True)
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    if part.type == "text/plain" and part.parameters.get("format", "").lower() == "flowed":
        return unflowed(text, delsp=part.parameters.get("delsp", "").lower() == "yes")
    return text


def octets(part: Entity, limit: int = MAX_MAIL) -> bytes:
    """At most limit bytes of a part's decoded content; an unknown transfer encoding leaves it as it is."""
    data = part.body[: 2 * limit]
    encoding = _term(part.first("content-transfer-encoding"))
    if encoding == "quoted-printable":
        # RFC 2045, 6.7 (3): blanks at the end of a line were added on the way, also behind a soft line break.
        data = binascii.a2b_qp(re.sub(rb"=[ \t]+(?=\r?\n)", b"=", data))
    elif encoding == "base64":
        data = from_base64(data)
    return data if len(data) <= limit else data[:limit].rpartition(b"\n")[0] or data[:limit]


def from_base64(data: bytes) -> bytes:
    """The bytes of base64, of which gateways join several runs, each with padding; any end is accepted, and other
    characters are skipped.
    """
    runs = (run.translate(None, delete=_NOT_BASE64) for run in re.split(b"=+", data, maxsplit=MAX_PARTS))
    whole = (run[: len(run) - (len(run) % 4 == 1)] for run in runs)
    return b"".join(binascii.a2b_base64(run + b"=" * (-len(run) % 4)) for run in whole)


_NOT_BASE64 = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"))

_SUPERSETS = {
    "ascii": "utf-8",
    "latin_1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
    "big5": "cp950",
    "iso2022_jp": "iso2022_jp_2",
    "utf_16": "utf-16-be",
}
_NICKNAMES = {
    "windows_874": "cp874", "dos_874": "cp874", "cn_big5": "big5",
    "mac": "mac_roman", "csmacintosh": "mac_roman", "mac_ukrainian": "mac_cyrillic",
    "iso_8859_6_e": "iso8859_6", "iso_8859_6_i": "iso8859_6", "csiso88596e": "iso8859_6", "csiso88596i": "iso8859_6",
}  # fmt: skip
"""What mail programs call charsets besides the names that Python knows."""
_JAPANESE = re.compile(rb"\x1b(?:\$[@B]|\(J)")
"""Begins Japanese letters in ISO-2022-JP, which programs send without its name, as if it were ASCII."""
_ASCII_CODED = re.compile(r"utf-?7|hz", re.IGNORECASE)
"""In the names of charsets that may write other characters with ASCII bytes other than zero."""
_ODD = {"idna", "punycode", "mbcs", "oem", "unicode_escape", "raw_unicode_escape", "undefined"}
_SAMPLE = 4096
_LIKELY = 0.05
_FOREIGN_WORD = re.compile(rb"[\x80-\xff]{2}[\xc0-\xff]|(?<![A-Za-z\x80-\xff])[\xc0-\xff]{2}(?![A-Za-z\x80-\xff])")
_LATIN = ("cp1252", "cp1250", "cp1254", "cp1257")
_FOREIGN = (
    "koi8-r", "koi8-u", "cp1251", "cp866", "cp1253", "cp1255", "cp1256", "cp874",
    "gb18030", "big5hkscs", "cp949", "cp932", "euc_jis_2004",
)  # fmt: skip
# The interpreter caches every name that is looked up forever, known or not, so only names of this closed set are.
_KNOWN = ({*aliases} | {*aliases.values()} | {*_NICKNAMES.values()}) - _ODD


def to_text(data: bytes, charset: str, *, guess: bool = False) -> str:
    """Bytes decoded by the named charset or, if they contradict it, by the likeliest one; never an error.

    Labels are often too narrow, so a superset is used; valid UTF-8 is trusted more than the label of a single-byte
    charset. A few bad bytes are replaced. guess: bytes that no such charset fits are compared with what people write in
    many languages; without it they are taken as Western European.
    """
    # ISO-2022 and UTF-7 write other letters in ASCII bytes; all other charsets read these alike.
    if data.isascii() and b"\0" not in data and b"\x1b" not in data and not _ASCII_CODED.search(charset):
        return data.decode("ascii")
    texts = (_by(name, data) for name in _charsets(data, charset))
    text = next((text for text in texts if text is not None), None)
    if text is None:
        text = data.decode(_likeliest(data) if guess else "cp1252", "replace")
    return text.removeprefix("\ufeff").encode("utf-8", "replace").decode("utf-8")


def _by(charset: str, data: bytes) -> str | None:
    """The text in a charset, with bad bytes replaced; None if these are more than half of all that is not ASCII."""
    try:
        return data.decode(charset)
    except LookupError:
        return None
    except UnicodeError:
        # One bad byte must not change the charset of the whole text.
        text = data.decode(charset, "replace")
    bad = text.count("\ufffd")
    marked = len(text) if charset.startswith("utf-16") else len(text) - len(text.encode("ascii", "ignore"))
    return text if 2 * bad <= marked else None


def _likeliest(data: bytes) -> str:
    """The charset that people most likely write such bytes in; Latin letters occur between ASCII ones.

    Short texts may be guessed wrong: a single Central European, Baltic or Turkish word, as their charsets differ in few
    letters; one or two East Asian characters; a Cyrillic word of two letters, or in capitals.
    """
    # Between Latin letters such bytes stand alone; in other scripts they make up whole words.
    foreign = _FOREIGN_WORD.search(data)
    among = _FOREIGN if foreign else _LATIN
    import chardet  # few mails need it

    guess = chardet.detect(data[:_SAMPLE], include_encodings=among, no_match_encoding=among[0])
    return guess["encoding"] if guess["encoding"] and (foreign or guess["confidence"] >= _LIKELY) else "cp1252"


def _charsets(data: bytes, label: str) -> Iterator[str]:
    """The charsets to try, in order."""
    # A byte order mark is surer than any label.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        yield "utf-16"
    if data.count(b"\0") > len(data) // 4:
        yield "utf-16-le" if data[1::2].count(b"\0") > data[::2].count(b"\0") else "utf-16-be"
    name = normalize_encoding(label[:40].lower().strip("'\" "))
    while name.startswith("x_"):
        name = name.removeprefix("x_")
    name = _NICKNAMES.get(name, aliases.get(name, name))
    if _JAPANESE.search(data) and not name.startswith("iso2022"):
        yield "iso2022_jp_2"
    # Many programs label UTF-8 as Latin-1; Latin text is hardly ever valid UTF-8 by chance.
    if name == "latin_1" or name.startswith(("cp125", "iso8859", "koi8", "mac_")):
        yield "utf-8"
    if name.startswith(("utf_16", "utf_32")) and b"\0" not in data:
        # The label is wrong: in these every line break has a zero.
        yield "utf-8"
    if name in _KNOWN:
        yield _SUPERSETS.get(name, name)
    yield "utf-8"


def unflowed(text: str, *, delsp: bool) -> str:
    """A flowed text with one line per paragraph; different quote depths and the signature mark stay separate."""
    done: list[list[str]] = []
    open_depth = -1
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        # RFC 3676, 4.4: a space is stuffed before lines that begin with a space, ">" or "From ".
        content = content.removeprefix(" ")
        # RFC 3676, 4.3 and 4.5: the signature mark is never flowed, nor are lines of another quote depth.
        if depth != open_depth or content == "-- ":
            done.append([">" * depth + (" " if depth else "")])
        is_open = content.endswith(" ") and content != "-- "
        done[-1].append(content[:-1] if is_open and delsp else content)
        open_depth = depth if is_open else -1
    return "\n".join(map("".join, done))
