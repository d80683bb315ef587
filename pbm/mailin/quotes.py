"""A plain text to what its writer wrote: no quotes, attributions, forwarded mails, signatures or disclaimers.

Words of many languages help, but the shape decides: a quoted line; a line above a quote, or one that names a date and
an address and ends with a colon; a block of header lines. In doubt a line is dropped: a lost comment is a pity, a
quoted command taken for the person's own is a wrong move. Every pattern scans at most MAX_LINE characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pbm.mailin import phrases
from pbm.mailin.introductions import MAX_LINE, RULE, introduction_end, is_forwarding, is_full, quote_follows

SENTINEL = "##- Write your answer above this line -##"
"""Stands in every mail of ours; 41 columns, so that quoting does not wrap it soon."""

_WORDS = r"[\s>|]{1,40}".join(("write", "your", "answer", "above", "this", "line"))
_OPENING = r"(?-i:\b[A-Z][A-Za-z-]{1,30} {1,3}Board[\s>|]{1,40}\d{1,12}:|\bWaiting for you on \d{1,4} boards?:)"
FOUND = re.compile(rf"{_WORDS}|##[-\u2010-\u2015][^#\n]{{3,100}}[-\u2010-\u2015]##|{_OPENING}", re.IGNORECASE)
"""Finds the line: its words in order, or its marks around other words, as a translating client leaves them; or else
how a board mail begins."""


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
_SIGNATURE = re.compile(r"\s{0,3}(?:--|—|–|__|_{20,})\s*$")
_ARMOUR = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z]{1,20}: [^\n]{0,80}\n){0,5}\n")
_ARMOUR_END = re.compile(r"^-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK)-----", re.MULTILINE)


def own_text(text: str, us: str) -> tuple[str, bool]:
    """What the person wrote, and whether one of our mails stands quoted with it; us is our local part, in lower case.

    With our line in the text, what is above it counts; if that is nothing, then what is between or below lines quoted
    with ">", for there a quote shows where it ends. Below an unquoted copy of our line nothing is theirs for certain.
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
    return any(is_forwarding(lines, place) for place in range(len(lines)))


def unquoted(lines: Sequence[str], us: str) -> str:
    """The passages that are the person's, each without its signature, with a blank line between them.

    >>> unquoted(["F6", "", "On 5 Jan 2024 pbm <pbm@example.org> wrote:", "> G7"], "pbm")
    'F6'
    >>> unquoted(["pbm wrote:", "> G7?", "F6, rather", "> Bye", "Bye, Ann", "-- ", "Ann"], "pbm")
    'F6, rather\\n\\nBye, Ann'
    >>> unquoted(["F6", "-----Original Message-----", "From: pbm", "G7"], "pbm")
    'F6'
    """
    passages: list[list[str]] = [[]]
    width = max((len(line) for line in lines if _QUOTED.match(line)), default=0)
    place = 0
    while place < len(lines):
        if _QUOTED.match(lines[place]):
            place = _quote_end(lines, place, width)
            passages.append([])
        elif end := introduction_end(lines, place, us):
            if not quote_follows(lines, end):
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
        place += 2 if between and is_full(lines[place], lines[place + 1], width) else 1
    return place


def _unsigned(passage: Sequence[str]) -> str:
    """A passage without signature, disclaimer, and the lines that phones, programs and servers add below."""
    kept: list[str] = []
    for line in passage:
        if _SIGNATURE.match(line) or phrases.DISCLAIMER.match(line):
            break
        kept.append(line)
    while kept and (not kept[-1] or RULE.match(kept[-1]) or phrases.MOBILE.match(kept[-1])):
        kept.pop()
    return "\n".join(kept).strip()
