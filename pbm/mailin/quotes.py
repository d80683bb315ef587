"""A plain text to what its writer wrote himself: no quotes, attributions, forwarded mails, signatures or disclaimers.

Words of many languages help, but the shape decides: a quoted line; a line above a quote, or one that names a date and
an address and ends with a colon; a block of header lines. In doubt a line is dropped: a lost comment is a pity, a
quoted command taken for the person's own is a wrong move. Every pattern scans at most MAX_LINE characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbm.mailin import phrases
from pbm.mailin.sentinel import FOUND

MAX_LINE = 400
MAX_LINES = 2000
MAX_TEXT = 65_536
"""Characters of a text with all its quotes that are looked at."""
MAX_OWN = 8000
"""Characters of a person's own text that are passed on."""

_NOISE = str.maketrans(
    {
        **dict.fromkeys(
            "\u00ad\u200b\u200e\u200f\u2060\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", None
        ),
        **dict.fromkeys("\u00a0\u202f\u2007\u3000\t", " "),
        **dict.fromkeys("\u2028\u2029\u000b\u000c\u0085", "\n"),
    }
)
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")
_QUOTED = re.compile(r" {0,4}(?:(?!>>> .*>>>$)[>＞]|\|(?: |$)|[A-Za-z]{2,4}>(?: |$))")
_MARKED = re.compile(r" {0,4}[>＞]")
_CLOSED = re.compile(r"(?:[:：﹕︰]|>>>)[ *_]*$")
_DATE = re.compile(r"\d{4}|\d{1,2}[:.h]\d{2}|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_DATE_LINE = re.compile(r"\s{0,8}(?=.{0,30}\d[./-]\d|.{0,20}\b\d{4}\b).{8,40}$")
"""A date and little more, as 05.01.2024 10:23."""
_LABEL = re.compile(r"[\s*_>]{0,8}(?!(?i:if|then) )([^\W\d_][^\d:：<>@*]{0,22}?)[\s*_]{0,3}[:：][\s*_]{0,4}(.*)")
"""A field of a mail's header as it is quoted. A line of a plan such as "if any: pass" is none."""
_RULE_MARKS = "-_=*─━"
_RULE = re.compile(r"\s*[-_=*#~+─━•·]{2,}\s*$")
_SIGNATURE = re.compile(r"\s{0,3}(?:--|—|–|__|_{20,})\s*$")
_ARMOUR = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z]{1,20}: [^\n]{0,80}\n){0,5}\n")
_ARMOUR_END = re.compile(r"^-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK)-----", re.MULTILINE)
_WRAPPED_AT = 55
_STRONG = 3
_STACK = 24
"""Lines in which a header without colons is looked for."""
_UNCLOSED_LENGTH = 160


def own_text(text: str, us: str) -> tuple[str, bool]:
    """What the person wrote, and whether one of our mails stands quoted with it; us is our local part, in lower case.

    With our line in the text, what is above it counts; if that is nothing, then what is between or below lines quoted
    with ">", for there a quote shows where it ends. Below an unquoted copy of our line nothing is his for certain.
    """
    text = bounded(text)
    found = FOUND.search(text)
    if found is None:
        return unquoted(text.split("\n"), us), False
    start = text.rfind("\n", 0, found.start()) + 1
    lines = text[:start].split("\n")[:-1]
    while lines and re.fullmatch(r"[>|\s]*#{1,2}\W{0,2}", lines[-1]):
        lines.pop()
    own = unquoted([*lines, "> "], us)
    if own or not _QUOTED.match(text, start):
        return own, True
    return unquoted(["> ", *text[found.end() :].split("\n")[1:]], us), True


def bounded(text: str) -> str:
    """The text with plain blanks and no invisible characters, blank lines in pairs at most.

    Lines longer than MAX_LINE, as programs send that leave it to others to break them, are broken at a blank; quoted
    ones are cut, for what is left of them would not be marked.
    """
    text = _CONTROL.sub("", text.translate(_NOISE))
    if armour := _ARMOUR.search(text):
        text = _ARMOUR_END.split(text[armour.end() :], maxsplit=1)[0]
    lines: list[str] = []
    for line in text.split("\n"):
        for short in _broken(line):
            if short or lines[-1:] != [""] or lines[-2:] != ["", ""]:
                lines.append(short)
        if len(lines) >= MAX_LINES:
            break
    return "\n".join(lines)[:MAX_TEXT]


def _broken(line: str) -> list[str]:
    """The line in pieces of at most MAX_LINE characters; of one without blanks, or a quoted one, only the first."""
    pieces, line = [], line[:MAX_TEXT]
    while len(line) > MAX_LINE and not _QUOTED.match(line) and (end := line.rfind(" ", 0, MAX_LINE + 1)) > 0:
        pieces.append(line[:end].rstrip(" "))
        line = line[end:].lstrip(" ")
    return [*pieces, line[:MAX_LINE].rstrip(" ")]


def is_forward(text: str) -> bool:
    """Whether another mail stands in the text with its header."""
    lines = bounded(text).split("\n")
    return any(phrases.FORWARD_INTRO.match(line) or _header_block(lines, n) for n, line in enumerate(lines))


def unquoted(lines: Sequence[str], us: str) -> str:
    """The passages that are the person's, each without its signature, with a blank line between them."""
    passages: list[list[str]] = [[]]
    width = max((len(line) for line in lines if _QUOTED.match(line)), default=0)
    place = 0
    while place < len(lines):
        if _QUOTED.match(lines[place]):
            place = _quote_end(lines, place, width)
            passages.append([])
        elif end := _introduction_end(lines, place, us):
            if not _quote_follows(lines, end):
                break
            place = end
        else:
            passages[-1].append(lines[place])
            place += 1
    texts = (_unsigned(passage) for passage in passages)
    return "\n\n".join(text for text in texts if text)[:MAX_OWN].strip()


def _quote_end(lines: Sequence[str], place: int, width: int) -> int:
    """Where a quote ends that begins at place.

    Clients that wrap quoted lines at a width leave tails without a mark: a line between two quoted ones, whose first
    word had no room on the line above, is such a tail.
    """
    while place < len(lines) and _QUOTED.match(lines[place]):
        between = place + 2 < len(lines) and lines[place + 1] and _QUOTED.match(lines[place + 2])
        place += 2 if between and _is_full(lines[place], lines[place + 1], width) else 1
    return place


def _is_full(line: str, following: str, width: int) -> bool:
    """Whether a line of this width had no room for the first word of the following one."""
    return len(line) + 1 + len(following.partition(" ")[0]) > max(width, _WRAPPED_AT)


def _quote_follows(lines: Sequence[str], place: int) -> bool:
    """Whether the next line that is not blank is marked as quoted, so that it shows where the quote ends."""
    following = next((line for line in lines[place : place + 4] if line), "")  # blank lines come in pairs at most
    return bool(_MARKED.match(following))


def _introduction_end(lines: Sequence[str], place: int, us: str) -> int:
    """The line after what introduces a quoted or forwarded mail at place; 0 where nothing does."""
    line = lines[place]
    if not line or len(line) < 3:
        return 0
    if phrases.FORWARD_INTRO.match(line) or _header_block(lines, place) or _stacked_block(lines, place):
        return place + 1
    ruled = _ruled(line)
    if ruled and (phrases.ORIGINAL.search(ruled) or _evidence(ruled, us) >= 2):
        return place + 1
    if (ruled or _RULE.match(line)) and _next_is_header_block(lines, place + 1):
        return place + 1
    return _attribution_end(lines, place, us)


def _ruled(line: str) -> str:
    """The words of a line such as "-----Original Message-----", "" for any other."""
    line = line.strip().rstrip(":")
    if len(line) < 7 or set(line[:2] + line[-2:]) - set(_RULE_MARKS):
        return ""
    inner = line.strip(f"{_RULE_MARKS} ")
    return inner if 3 <= len(inner) <= 120 else ""


def _next_is_header_block(lines: Sequence[str], place: int) -> bool:
    """Whether the next line that is not blank begins a header block."""
    following = next((n for n in range(place, min(place + 3, len(lines))) if lines[n]), None)
    return following is not None and _header_block(lines, following)


def _header_block(lines: Sequence[str], place: int) -> bool:
    """Whether lines such as "From: ...", "Sent: ...", "Subject: ..." begin here.

    "From: a1" above "To: a2" is a move, not a mail: a date, a subject or an address has to be among them. In a language
    without known labels three lines with an address and a date among them are such a block.
    """
    block = _labelled(lines[place : place + 12])
    roles = {phrases.LABELS.get(label): value for label, value in reversed(block)}
    values = " ".join(value for _, value in block)
    if "from" in roles and phrases.LABELS.get(block[0][0]):
        return "date" in roles or "subject" in roles or ("to" in roles and "@" in values)
    return roles.keys() == {None} and len(block) >= 3 and "@" in values and bool(_DATE.search(values))


def _stacked_block(lines: Sequence[str], place: int) -> bool:
    """Whether a header begins here as Lotus Notes writes it, with no colons: a name, a date, and the labels of the
    recipient and the subject, each at the beginning of a line of its own.
    """
    following = next(filter(None, lines[place + 1 : place + 4]), "")
    if not _DATE_LINE.match(following):
        return False
    firsts = (line.lower().partition(" ")[0] for line in lines[place + 1 : place + _STACK])
    roles = [phrases.LABELS.get(first) for first in firsts]
    return "to" in roles and "subject" in roles[roles.index("to") :]


def _labelled(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Labels, in lower case without blanks, and values of lines, up to the second that has none: long lists wrap."""
    block: list[tuple[str, str]] = []
    others = 0
    for line in filter(None, lines):
        if label := _LABEL.match(line):
            block.append((label[1].lower().replace(" ", ""), label[2]))
        elif not block or others:
            break
        else:
            others += 1
    return block


def _attribution_end(lines: Sequence[str], place: int, us: str) -> int:
    """The line after an attribution such as "On Monday at 10:30 pbm <pbm@example.org> wrote:", 0 where none begins.

    One that names a date and a person is believed anywhere, a weaker one only above a quote. Clients wrap it at the
    width of their lines, so that each of its lines but the last has no room for the next word.
    """
    for end in range(place + 1, min(place + 4, len(lines)) + 1):
        joined = " ".join(lines[place:end])
        if len(joined) > MAX_LINE:
            break
        closed, above_quote = bool(_CLOSED.search(joined)), _quote_follows(lines, end)
        evidence = _evidence(joined, us) if closed or above_quote else 0
        strong = evidence >= _STRONG and (closed or len(joined) <= _UNCLOSED_LENGTH)
        believed = (strong and closed) or (above_quote and (strong or closed))
        if believed and _evidence(" ".join(lines[place + 1 : end]), us) < min(evidence, _STRONG):
            return end
        if end == len(lines) or not lines[end] or not _is_full(lines[end - 1], lines[end], 0):
            break
    return 0


def _evidence(line: str, us: str) -> int:
    """How much a line speaks for an attribution: a date (2), a verb of writing (1), an address or our name (1)."""
    named = "@" in line or re.search(rf"(?<!\w){re.escape(us)}", line.lower())
    return 2 * bool(_DATE.search(line)) + bool(phrases.WROTE.search(line)) + bool(named)


def _unsigned(passage: Sequence[str]) -> str:
    """A passage without signature, disclaimer, and the lines that phones, programs and servers add below."""
    kept: list[str] = []
    for line in passage:
        if _SIGNATURE.match(line) or phrases.DISCLAIMER.match(line):
            break
        kept.append(line)
    while kept and (not kept[-1] or _RULE.match(kept[-1]) or phrases.MOBILE.match(kept[-1])):
        kept.pop()
    return "\n".join(kept).strip()
