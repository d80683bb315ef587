"""A person's own words in a text: no quotes, attributions, forwarded mails, signatures or disclaimers.

Words in many languages help, but the shape decides. These are recognized: quoted lines; a line above a quote such as
"On Monday at 10:30 pbm <pbm@example.org> wrote:", wrapped anywhere, or one with a date, an address and a colon at its
end; a block of header lines; words between dashes, with a header below or after them; a header on separate lines
without colons. In doubt a line is dropped: a lost comment is a pity, but a quoted command taken for the person's own is
a wrong move. Every pattern scans at most MAX_LINE characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import compress, takewhile

from pbm.mailin import phrases
from pbm.mailin.message import SENTINEL as SENTINEL
from pbm.reading.book import common
from pbm.reading.sentences import holds_deed, is_signature, lacks_room

MARKED = re.compile(r" {0,4}[>＞]")
"""A line that is certainly quoted."""
MAX_LINE = 400
"""How many characters of a line are read."""
RULE = re.compile(r"\s*[-_=*#~+─━•·]{2,}\s*$")
"""A separator line."""

_HINT = re.compile(r"[:：﹕︰]|[-_=*─━]{2}")
"""A line without it is not a header field, and has no words between dashes."""
_CLOSING = (":", "：", "﹕", "︰", "՝", "፦", ">>>")
"""What attributions end in, before asterisks and the like."""
_ADDRESS = re.compile(r"(?<![^\s<>(\[])[^\s<>(\[]+@[^\s<>)\]]+")
_DATE = re.compile(r"\d{4}|\d{1,2}[:.h]\d{2}|\d{1,4}[./-]\d{1,2}[./-]\d{1,4}")
_INSTANT = re.compile(r"(?=.*\d{4}|.*\d[./-]\d{1,2}[./-]\d\d).*\d{1,2}[:.h]\d{2}")
"""A date and a time of day."""
_DATE_LINE = re.compile(r"\s{0,8}(?=.{0,30}\d[./-]\d|.{0,20}\b\d{4}\b).{8,40}$")
"""A date and little more: 05.01.2024 10:23."""
_LABEL = re.compile(r"[\s*_>]{0,8}(?!(?i:if|then) )([^\W\d_][^\d:：<>@*]{0,22}?)[\s*_]{0,3}[:：][\s*_]{0,4}(.*)")
"""A quoted header field; not a line of a plan such as "if any: pass"."""
_RULED = re.compile(r"\s{0,8}([-_=*─━])\1{2,39}\s{0,3}([^\W\d_][^-_=*─━]{2,60}?)\s{0,3}\1{3,40}(?!\1)\s{0,3}(\S.*)")
"""Words between dashes with a header after them on the same line."""
_RULE_MARKS = frozenset("-_=*─━")
_OPEN = ("<", "(", "[", ",")
_ADDRESS_FIRST = re.compile(r"[<(\[]{0,2}(?:mailto:)?[^\s<>()\[\]]+@")
_ADDRESS_LAST = re.compile(r"\S@[^\s<>()\[\]@]++[>)\]]{1,2}$")
_ADDRESS_ALONE = re.compile(r"[<(\[]{0,2}[^\s<>()\[\]]+@[^\s<>()\[\]]+[>)\]]{0,2}")
_NAME = re.compile(r"[^\W\d_]{3}")
_STRONG = 3
_STACK = 24
"""How many lines are searched for a header without colons."""
_UNCLOSED_LENGTH = 160
_LAST_WORDS = 4
"""The most words of an attribution on their own line below an address."""


def introduction_end(lines: Sequence[str], place: int, us: str) -> int:
    """The index of the line after the introduction of a quoted or forwarded mail at place; 0 if there is none.

    us: our local part, in lower case.

    >>> introduction_end(["On 5 Jan 2024 at 10:23 Play-by-Mail", "<pbm@example.org>", "wrote:", "> F6"], 0, "pbm")
    3
    >>> introduction_end(["2016-10-24 15:36 GMT+02:00 Foo bar <", "info@foo.bar>:"], 0, "pbm")
    2
    >>> introduction_end(["-------- Mesaj --------De la: pbm <pbm@example.org> Trimis: 05.01.24"], 0, "pbm")
    1
    >>> introduction_end(["I wrote:", "F6"], 0, "pbm")
    0
    """
    line = lines[place]
    if not line or len(line) < 3:
        return 0
    if _HINT.search(line) and (is_forwarding(lines, place) or _ruled_end(lines, place, us)):
        return place + 1
    return place + 1 if _stacked_block(lines, place) else _attribution_end(lines, place, us)


def is_forwarding(lines: Sequence[str], place: int) -> bool:
    """Whether a line introduces a forwarded mail or begins its header."""
    return bool(phrases.FORWARD_INTRO.match(lines[place])) or _header_block(lines, place)


def quote_follows(lines: Sequence[str], place: int) -> bool:
    """Whether the next line that is not blank is marked as quoted, so that the marks show where the quote ends."""
    # Blank lines come in pairs at most.
    following = next((line for line in lines[place : place + 4] if line), "")
    return bool(MARKED.match(following))


def _ruled_end(lines: Sequence[str], place: int, us: str) -> bool:
    """Whether a line is words between dashes, like "-----Original Message-----", or a rule above a header."""
    line = lines[place]
    # Some programs send "-----Original Message-----From: pbm" with the line breaks lost.
    if one_line := _RULED.match(line):
        label = _LABEL.match(one_line[3])
        return label is not None and ("@" in label[2] or _dated(label[2]))
    words = _ruled(line)
    if words and (phrases.ORIGINAL.search(words) or _evidence([words], us) >= _STRONG - 1):
        return True
    if not words and not RULE.match(line):
        return False
    # People draw rules, too: only a header below shows that this one was drawn by a program.
    return _header_block(lines, place + 1) or (bool(words) and _is_header(_labelled(lines[place + 1 : place + 9])))


def _ruled(line: str) -> str:
    """The words of a line such as "-----Original Message-----"; "" for any other line."""
    line = line.strip().rstrip(":")
    if len(line) < 7 or not _RULE_MARKS.issuperset(line[:2] + line[-2:]):
        return ""
    inner = line.strip("".join(_RULE_MARKS) + " ")
    return inner if 3 <= len(inner) <= 120 else ""


def _header_block(lines: Sequence[str], place: int) -> bool:
    """Whether lines such as "From: ...", "Sent: ...", "Subject: ..." begin here.

    "From: a1" above "To: a2" is a move, not a mail, so there must be a date, a subject or an address. In languages
    without known labels, a block is three lines including an address and a date, or four including a date with a time.
    One line is enough that begins with a sender's label and goes on with an address and a date.
    """
    # Outlook quotes below a copy of the header, and marks no line.
    block = _labelled(lines[place : place + 12])
    if not block:
        return False
    roles = {phrases.LABELS.get(label): value for label, value in reversed(block)}
    begins = phrases.LABELS.get(block[0][0])
    # The order differs by program: Outlook begins with From, others with the date or the subject.
    if "from" in roles and begins and roles.keys() & {"date", "subject"}:
        return True
    located = any("@" in value for _, value in block)
    return (located and {"from", "to"} <= roles.keys()) or ((len(block) >= 3 or begins == "from") and _is_header(block))


def _is_header(block: Sequence[tuple[str, str]]) -> bool:
    """Whether labelled lines in any language are a header: they hold an address and a date, or a date with a time."""
    values = [value for _, value in block]
    if any("@" in value for value in values):
        return any(map(_dated, values))
    return len(block) >= 4 and any(map(_INSTANT.match, values))


def _stacked_block(lines: Sequence[str], place: int) -> bool:
    """Whether a header as written by Lotus Notes begins here, without colons: a name, a date, and the labels of the
    recipient and the subject, each at the beginning of its own line.
    """
    # Notes writes the sender on one line and the date on the next.
    following = next(filter(None, lines[place + 1 : place + 4]), "")
    if not _DATE_LINE.match(following) or _label(following):
        return False
    firsts = (line.lower().partition(" ")[0] for line in lines[place + 1 : place + _STACK])
    roles = [phrases.LABELS.get(first) for first in firsts]
    return "to" in roles and "subject" in roles[roles.index("to") :]


def _labelled(lines: Sequence[str]) -> list[tuple[str, str]]:
    """The labels, in lower case without blanks, and values of lines; one line without a label is skipped (wrapping)."""
    block: list[tuple[str, str]] = []
    others = 0
    for line in filter(None, lines):
        if labelled := _label(line):
            block.append(labelled)
        # Long subjects and lists of recipients are wrapped onto a line without a label.
        elif not block or others:
            break
        else:
            others += 1
    return block


def _label(line: str) -> tuple[str, str] | None:
    """The label of a line, in lower case without blanks, and its value; None if it has no label."""
    label = _LABEL.match(line)
    return (label[1].lower().replace(" ", ""), label[2]) if label else None


def _attribution_end(lines: Sequence[str], place: int, us: str) -> int:
    """The index after an attribution such as "On Monday at 10:30 pbm <pbm@example.org> wrote:"; 0 if none begins here.

    One with a date and a person is accepted anywhere, a weaker one only above a quote.
    """
    # Wrapped at the line width and at the address, an attribution may take four lines.
    for end in range(place + 1, min(place + 4, len(lines)) + 1):
        if len(" ".join(lines[place:end])) > MAX_LINE:
            break
        if _is_attribution(lines, place, end, us):
            return end
        if end == len(lines) or not lines[end] or not _goes_on(lines[end - 1], lines[end]):
            break
    return 0


def _is_attribution(lines: Sequence[str], place: int, end: int, us: str) -> bool:
    """Whether the lines from place to end are an attribution, and would be a weaker one without the first."""
    joined = " ".join(lines[place:end])
    closed, quotes = _is_closed(joined), quote_follows(lines, end)
    # An attribution is weighed only where one may end: otherwise each line costs as much as four.
    if not closed and not quotes:
        return False
    evidence = _evidence(lines[place:end], us)
    # Without a colon at its end, a long line with a date and an address is rather a person's own sentence.
    strong = evidence >= _STRONG and (closed or len(joined) <= _UNCLOSED_LENGTH)
    if not strong and not (closed and quotes):
        return False
    # Otherwise the person's last line would be taken for the beginning of the attribution below it.
    return _evidence(lines[place + 1 : end], us) < evidence or _begins_above(lines, place, us)


def _goes_on(line: str, following: str) -> bool:
    """Whether the following line continues a wrapped attribution: the break is at the line width or at an address."""
    if line.endswith(_OPEN) or lacks_room(line, following) or ("@" in line and _ADDRESS_ALONE.fullmatch(line)):
        return True
    # Claws and Sylpheed break behind the date, Gmail in Swedish behind the verb.
    if "@" in following:
        is_dated = _is_closed(following) and _INSTANT.match(line) is not None
        return is_dated or _ADDRESS_FIRST.match(following) is not None
    last = line.rpartition(" ")[2]
    return "@" in last and len(following.split()) <= _LAST_WORDS and _is_closed(following)


def _is_closed(text: str) -> bool:
    """Whether a text ends like an attribution."""
    return text.rstrip(" *_").endswith(_CLOSING)


def _begins_above(lines: Sequence[str], place: int, us: str) -> bool:
    """Whether a line is the start of an attribution that would be complete without it: it ends in an address, holds an
    address and a date, is a name above an address, or is a date and a time that fill the line.
    """
    line = lines[place]
    if line[-1] in "<([" or _ADDRESS_ALONE.fullmatch(line) or ("@" in line and _evidence([line], us) >= _STRONG):
        return True
    # An attribution stands below a blank line: what follows a line of words belongs to these.
    if place and lines[place - 1]:
        return False
    following = lines[place + 1] if place + 1 < len(lines) else ""
    if _ADDRESS_LAST.search(line) or _INSTANT.match(line):
        return True
    return bool(_NAME.search(line)) and following[:1] in ("<", "(", "[")


def _evidence(lines: Sequence[str], us: str) -> int:
    """The evidence that lines are an attribution, up to _STRONG: a date (2), an address or our name (1), a verb (1)."""
    # Old versions of Apple Mail and many phones leave out the address, and give only our name.
    our_name = re.compile(rf"(?<!\w){re.escape(us)}")
    named = any("@" in line or our_name.search(line.lower()) for line in lines)
    evidence = 2 * any(map(_dated, lines)) + named
    return evidence if evidence >= _STRONG else evidence + any(map(phrases.WROTE.search, lines))


def _dated(text: str) -> bool:
    """Whether a text holds a date or a time of day; the digits of an address do not count."""
    return bool(_DATE.search(_ADDRESS.sub(" ", text) if "@" in text else text))


_WORDS = r"[\s>|]{1,40}".join(("write", "your", "answer", "above", "this", "line"))
_OPENING = r"(?-i:\b[A-Z][A-Za-z-]{1,30} {1,3}Board[\s>|]{1,40}\d{1,12}:|\bWaiting for you on \d{1,4} boards?:)"
OUR_LINE = re.compile(rf"{_WORDS}|##[-\u2010-\u2015][^#\n]{{3,100}}[-\u2010-\u2015]##|{_OPENING}", re.IGNORECASE)
"""Finds our line: its words in order, or its marks around other words, as a translating client leaves them; otherwise
the beginning of a board mail."""


MAX_LINES = 2000
MAX_TEXT = 65_536
"""How many characters of a text, with all its quotes, are read."""
MAX_OWN = 6000
"""How many octets (UTF-8) of a person's own text are passed on; "[...]" shows that it was longer."""

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\u3164\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
"""Invisible characters, and ranges of them, that could hide or reverse others. The joiners U+200C and U+200D are not
among them, because Persian and Hindi need them; nor are variation selectors.
"""
_BLANKS = str.maketrans(
    {
        **dict.fromkeys("\t\u00a0\u1680\u202f\u205f\u2800\u3000", " "),
        **dict.fromkeys(map(chr, range(0x2000, 0x200B)), " "),
        **dict.fromkeys("\u2028\u2029\u000b\u000c\u0085", "\n"),
    }
)
_RUN_ON = re.compile(r"(<[^\s<>@]{1,80}@[^\s<>]{1,250}>[^\n:：]{0,40}[:：]) {2,}(?=\S)")
"""An attribution with the quote after it on the same line, as written by Yahoo's app."""
_ODD = re.compile(f"[{_INVISIBLE}{''.join(map(chr, _BLANKS))}\x00-\x09\x0b-\x1f\x7f-\x9f]")
"""Characters to replace or remove: unusual blanks, invisible and control characters."""
_QUOTED = re.compile(r" {0,4}(?:(?!>>> .*>>>$)[>＞]|\|(?: |$)|[A-Za-z]{2,4}>(?: |$))")
_SIGNATURE = re.compile(r"\s{0,3}\*?(?:--|—|–|__|_{20,})\s*\*?$")
_FOOTER = re.compile(
    r"(?:(?<=\S)\s+|(?<=[\d.!?])(?=\w+ (?:from|with|via|von|mit|depuis|d[eou]|desde|d[ao]l?|vanaf|met) ))"
    r"(?=(?:Sent|Get|Gesendet|Von meine[mr]|Envoy\u00e9|Enviad[oa]|Inviato|Verzonden|Verstuurd) )"
)
"""Where on a line a phone's footer may begin."""
_FOOTER_WORDS = 8
"""The most words of a phone's footer in a language that is not known."""
_NOTICE, _NOTICE_LINE, _NOTICE_LINES = 45, 16, 4
"""The fewest octets (UTF-8) of a notice and characters of its first line, and how many of its lines are read."""
_ARMOUR = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----\n(?:[A-Za-z]{1,20}: [^\n]{0,80}\n){0,5} *\n")
_DASH_ESCAPED = re.compile("^- ", re.MULTILINE)
_MARKS_OF_OURS = re.compile(r"[>|\s]*#{1,2}\W{0,2}")
"""The marks at the beginning of our line, on their own line."""
_ARMOUR_END = re.compile(r"^-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK)-----", re.MULTILINE)


def own_text(text: str, us: str) -> tuple[str, bool]:
    """The person's words, and whether one of our mails is quoted with them. us: our local part, in lower case.

    Of a text that contains our line, the words above it count, and those below it if it is quoted with ">", because
    there the marks show where the quote ends. Below an unquoted copy of our line nothing is certainly the person's.

    >>> [own_text(f"{above}\\n\\n> {SENTINEL}\\n\\nF6", "pbm")[0] for above in ("Cheers,\\nBob", "Hi Bob!")]
    ['F6\\n\\nCheers,\\nBob', 'Hi Bob!\\n\\nF6']
    """
    text = bounded(text)
    # Our own line is the surest mark, because programs copy it into the quote whatever they write around it.
    sentinel = OUR_LINE.search(text)
    if sentinel is None:
        return unquoted(text.split("\n"), us), False
    start = text.rfind("\n", 0, sentinel.start()) + 1
    lines = text[:start].split("\n")[:-1]
    # Repeated quoting wraps our line behind its marks.
    while lines and _MARKS_OF_OURS.fullmatch(lines[-1]):
        lines.pop()
    own = unquoted([*lines, "> "], us)
    ours = text[start : sentinel.end()].replace("\n", " ")
    below = (ours + text[sentinel.end() :]).split("\n") if _QUOTED.match(ours) else []
    under = unquoted(below, us, begun=bool(own))
    # Mail servers and programs put signatures and notices below the quote, too.
    if own and not is_signature(own) and not holds_deed(under):
        under = ""
    # Many programs put the signature above the quote even if the person writes below it.
    passages = [under, own] if is_signature(own) else [own, under]
    return "\n\n".join(filter(None, passages)), True


def bounded(text: str) -> str:
    """The text with plain blanks, without invisible characters, and with at most two blank lines in a row.

    Lines longer than MAX_LINE, from programs that do not wrap, are broken at a blank; quoted ones are cut, because
    their rest would not be marked.
    """
    if _ODD.search(text):
        text = _ODD.sub("", text.translate(_BLANKS))
    text = _RUN_ON.sub(r"\1\n", text)
    # RFC 9580, 7.2: what is signed in clear has "- " before lines that begin with a dash, such as signatures.
    if armour := _ARMOUR.search(text):
        signed = _DASH_ESCAPED.sub("", _ARMOUR_END.split(text[armour.end() :], maxsplit=1)[0])
        text = f"{text[: armour.start()]}\n{signed}"
    lines: list[str] = []
    for line in text.split("\n"):
        # Whatever looks ahead relies on this, and runs of blank lines would make it slow.
        for short in _broken(line):
            if short or lines[-1:] != [""] or lines[-2:] != ["", ""]:
                lines.append(short)
        if len(lines) >= MAX_LINES:
            break
    return "\n".join(lines)[:MAX_TEXT]


def _broken(line: str) -> list[str]:
    """The line in pieces of at most MAX_LINE characters; of a line without blanks, or a quoted one, only the first."""
    pieces, line = [], line[:MAX_TEXT]
    # Some programs leave line breaks to the reader's program: a plan may stand on one line of thousands of characters.
    while len(line) > MAX_LINE and not _QUOTED.match(line) and (end := line.rfind(" ", 0, MAX_LINE + 1)) > 0:
        pieces.append(line[:end].rstrip(" "))
        line = line[end:].lstrip(" ")
    return [*pieces, line[:MAX_LINE].rstrip(" ")]


def marked(text: str) -> str:
    """The lines that are marked as quoted, without their marks."""
    return "\n".join(line.lstrip(" >＞") for line in bounded(text).split("\n") if MARKED.match(line))


def is_forward(text: str) -> bool:
    """Whether the text contains another mail with its header."""
    lines = bounded(text).split("\n")
    return any(is_forwarding(lines, place) for place in range(len(lines)))


def unquoted(lines: Sequence[str], us: str, *, begun: bool = False) -> str:
    """The person's own passages, each without its signature, with a blank line between them. begun: as for _unsigned.

    >>> unquoted(["F6", "", "On 5 Jan 2024 pbm <pbm@example.org> wrote:", "> G7"], "pbm")
    'F6'
    >>> unquoted(["pbm wrote:", "> G7?", "F6, rather", "> Bye", "Bye, Ann", "-- ", "Ann"], "pbm")
    'F6, rather\\n\\nBye, Ann'
    >>> unquoted(["F6", "-----Original Message-----", "From: pbm", "G7"], "pbm")
    'F6'
    """
    passages: list[list[str]] = [[]]
    quoted = [_QUOTED.match(line) is not None for line in lines]
    width = max(map(len, compress(lines, quoted)), default=0)
    place = 0
    while place < len(lines):
        if quoted[place]:
            place = _quote_end(lines, quoted, place, width)
            passages.append([])
        elif end := introduction_end(lines, place, us):
            # Nothing marks where such a quote ends, so all below it may be ours.
            if not quote_follows(lines, end):
                break
            place = end
        else:
            passages[-1].append(lines[place])
            place += 1
    kept: list[str] = []
    for passage in passages:
        kept += filter(None, [_unsigned(passage, begun=begun or bool(kept))])
    own = "\n\n".join(kept).strip()
    octets = own.encode(errors="replace")
    return own if len(octets) <= MAX_OWN else f"{octets[: MAX_OWN - 6].decode(errors='ignore').rstrip()} [...]"


def _quote_end(lines: Sequence[str], quoted: Sequence[bool], place: int, width: int) -> int:
    """The index after the quote that begins at place. quoted: which lines are marked as quoted.

    Clients that wrap quoted lines leave tails without a mark. Such a tail is a line between two quoted ones whose first
    word had no room on the line above.
    """
    while place < len(lines) and quoted[place]:
        between = place + 2 < len(lines) and lines[place + 1] and quoted[place + 2]
        place += 2 if between and lacks_room(lines[place], lines[place + 1], width) else 1
    return place


def _unsigned(passage: Sequence[str], *, begun: bool) -> str:
    """A passage without signature, disclaimer, and the lines that phones, programs and servers add.

    begun: the person's own text begins above it; what it begins with is a notice only if it is formal.
    """
    kept: list[str] = []
    for place, line in enumerate(passage):
        # Companies' servers warn of outside senders above the text: "CAUTION: external email".
        if not kept and (not line or phrases.BANNER.match(line)):
            continue
        begun = begun or bool(kept)
        if _SIGNATURE.match(line) or phrases.DISCLAIMER.match(line) or _is_notice(passage, place, first=not begun):
            break
        kept.append(line)
    return "\n".join(_without_footers(kept)).strip()


def _without_footers(lines: list[str]) -> list[str]:
    """The lines without those that phones, mail programs and virus scanners add at the end."""
    # A footer may follow another one, as a virus scanner's does below a phone's, or stand behind the last words.
    while lines:
        last = _FOOTER.split(lines[-1], 1)[-1]
        if last and not phrases.ADDED.match(last) and not _is_foreign_footer(lines):
            break
        lines[-1:] = filter(None, [lines[-1].removesuffix(last).rstrip()])
    return lines


def _is_foreign_footer(lines: Sequence[str]) -> bool:
    """Whether the last line stands apart, is short, and names a telephone in a language that we do not know, below
    words of one that we know: "Испратено од мојот iPhone".

    People write of their telephones, too, but in the language of what they say above.
    """
    *above, last = lines
    words, begun = _words(last), _words(" ".join(above))
    if above[-1:] != [""] or common().isdisjoint(begun) or last.isascii() or phrases.PERSONAL.search(last):
        return False
    is_short = len(words) <= _FOOTER_WORDS and not last.endswith(".")
    return is_short and phrases.PHONE.search(last) is not None and common().isdisjoint(words)


def _words(text: str) -> list[str]:
    return [word.strip(".,:;()*").casefold() for word in text.split()]


def _is_notice(passage: Sequence[str], place: int, *, first: bool) -> bool:
    """Whether a paragraph begins at place, and its first lines hold words that companies put below each mail.

    A person may use the same words: "I printed your message; what a nice environment" is no notice. first: the person
    has said nothing above it.
    """
    if len(passage[place]) < _NOTICE_LINE or (place and passage[place - 1]):
        return False
    begun = " ".join(takewhile(bool, passage[place : place + _NOTICE_LINES]))
    is_long = len(begun.encode(errors="replace")) >= _NOTICE
    is_likely = is_long and any(all(word.search(begun) for word in words) for words in phrases.NOTICES)
    # An answer of a company's employee may be empty: its notice then went to the opponent as a message.
    is_formal = not first or phrases.FORMAL.search(begun) is not None
    return is_likely and is_formal and not phrases.PERSONAL.search(begun)
