"""The sentences of a text, and its signature: what stands below the line that closes a letter."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from pbm.reading.book import Phrase, Spans, book, clause_book, common, named
from pbm.reading.book import words as kind
from pbm.reading.verbs import SHORTEST_SECRET
from pbm.values import frozen

MAX_SENTENCES = 40
"""How many sentences of a text are read."""
MAX_WORDS = 60
"""Words of a sentence; a longer one is no phrase."""
MAX_LENGTH = 400
"""Characters of a sentence; the same."""

_PLAIN = str.maketrans("’‘´`“”\u00a0–—。、，！？¿¡", "''''\"\" --.,,!?  ") | {
    at: at - 0xFEE0 for at in range(0xFF01, 0xFF5F)
}
"""Typographic marks and full-width characters, each with its plain character."""
_PICTURES = re.compile(
    "[\u2190-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]+|"
    r"(?<!\S)(?:[:;=8][-'^o]?[)(\]\[dpo3|/*]+|<3+|xd+)(?!\S)",
    re.IGNORECASE,
)
"""Emoji and smileys; ":3" and "8)" would look like moves."""
_END = re.compile(
    r"(?<=[.!?…])(?<!\s\d\.)(?<!\s\d\d\.)(?<!\.\d\.)(?<!\.\d\d\.)(?<!\b[Nn][or]\.)[\"')\]]*\s+"
    r"|(?<=[。！？])|(?<=\S)\s+-{1,2}\s+(?!\d+\.)"
)
"""Where a sentence ends; not within dates and numbers: "4.1. bis 10.1.", "4.1. - 10.1.", "No. 7"."""
_WORD = re.compile(r"[\u3041-\u9fff]+|[^\s\u3041-\u9fff]+")
"""A word; between Japanese ones no blank stands, nor before or behind a move: "F6にします"."""
_DRAWN_OUT = re.compile(r"([^\W\d_])\1\1+")
"""A letter that is written as it is shouted: "goooo"."""
_MARKS = ' .,!?;:…"()*_•·-[]'
"""What may stand around a word."""
_ASKS = re.compile(r"\?[\s!?)\"']*$")
"""How a question ends: "C3?!" asks, too."""
_SIGNATURE, _WIDTH = 12, 80
"""The most lines of a signature, and characters of each."""
_ON_A_CARD = re.compile(r"(?:\d|[^\W\d_a-zß-ÿ])\S*|\W+|\S*(?:@|\d\d|www\.|://)\S*|\S+:|\w{1,5}\.")
"""A word of a name, an office, a place or an address, or a label of one: "phone:"."""
_WEB = re.compile(
    r"(?:\w+://|www\.)\S*|\b\d{4}-\d\d-\d\d\b|\b\d{1,2}([./])\d{1,2}\1\d{4}\b|\b\d{1,3}[dhmw]\b|\b[A-Za-z]{1,2}\d{1,2}\b"
)
"""Digits that are no telephone number: of an address on the web, a date, a span of time, a cell."""
_NUMBER = 6
"""The fewest digits of a telephone number."""
POSTCODE = re.compile(r"(?<!\w)[a-z]{1,2}\d[a-z\d]? \d[a-z]{2}(?!\w)", re.IGNORECASE)
"""A British postcode, as in a signature: "B1 1AA" is not a move."""
CELL = re.compile(r"(?<!\w)x?[a-z]{1,2}-?\d{1,2}(?!\w)", re.IGNORECASE)
_WRAPPED_AT = 55
"""Characters of a line that may have been broken because the next word had no room; programs wrap at 60 or more."""


@frozen
class Sentence:
    """One sentence as written, blanks folded."""

    text: str
    lines: range
    """The numbers of the lines it stands in."""
    is_alone: bool
    """Nothing else stands in these lines."""


class Word(NamedTuple):
    """A word of a sentence in its plain form, and where it stands in the plain text."""

    plain: str
    start: int
    end: int
    is_label: bool = False
    """A colon follows: "for carol: ..." is no talk of Carol."""


@lru_cache(512)
def in_plain_marks(text: str) -> str:
    """A text without emoji, with plain marks; as long as before but for these.

    >>> in_plain_marks("I’d  like to ... \U0001f44d")
    "I'd  like to ...  "
    """
    return _PICTURES.sub(" ", text.translate(_PLAIN))


@lru_cache(512)
def words_of(text: str) -> tuple[Word, ...]:
    """The words of a sentence in lower case, a question mark at its end as a word of its own.

    >>> [word.plain for word in words_of("Hi Bert, dont play D4 -- E5?")]
    ['hi', 'bert', "don't", 'play', 'd4', 'e5', '?']
    """
    text, spelt = in_plain_marks(text), named("spellings")
    is_drawn_out = _DRAWN_OUT.search(text) is not None
    found: list[Word] = []
    for match in _WORD.finditer(text):
        written = match[0]
        bare = written.strip(_MARKS)
        start, plain = match.start() + written.index(bare), bare.casefold()
        if is_drawn_out:
            plain = _DRAWN_OUT.sub(r"\1", plain)
        if not plain:
            continue
        end, is_label = start + len(bare), written[-1] == ":"
        if plain in spelt:
            found += [Word(part, start, end, is_label) for part in spelt[plain].split()]
        else:
            found.append(Word(plain, start, end, is_label))
    if found and _ASKS.search(text):
        found.append(Word("?", len(text), len(text)))
    return tuple(found)


@lru_cache(1024)
def plain(text: str) -> str:
    """A text in lower case, without marks around its words and with hurried spellings corrected.

    >>> plain(" I’d  like to ... "), plain("D4 pls \U0001f44d"), plain("dont wanna swap")
    ("i'd like to", 'd4 please', "don't want to swap")
    """
    return " ".join(word.plain for word in words_of(text) if word.plain != "?")


def meanings(text: str, spans: Callable[[Sequence[Word]], Spans]) -> list[Phrase]:
    """What one sentence says as a whole, in any group of the phrase book. spans: finds what the slots name."""
    words = words_of(text)
    if not words or len(words) > MAX_WORDS or len(text) > MAX_LENGTH:
        return []
    return book().said([word.plain for word in words], spans(words))


def of_group(meanings: Sequence[Phrase], group: str) -> list[Phrase]:
    """The meanings of a group; mere politeness has none, and belongs to all."""
    found = [phrase for phrase in meanings if phrase.group in ("", group)]
    # "No problem" is a phrase of its own, and no "no {words}"
    exact = [phrase for phrase in found if phrase.group and not phrase.is_loose]
    return exact or found


@lru_cache(512)
def kinds_of_clause(text: str) -> frozenset[str]:
    """What a clause beside a move may be: the tables of "clauses" that it is a phrase of."""
    words = [word.plain for word in words_of(text)]
    said = clause_book().said(words, lambda *_: ()) if 0 < len(words) <= MAX_WORDS else ()
    return frozenset(phrase.group for phrase in said)


@lru_cache(512)
def _without_board(text: str) -> list[Phrase]:
    return meanings(text, plain_spans)


def phrases(text: str, group: str) -> list[Phrase]:
    """What one sentence says as a whole, of a group of the phrase book, if it names only names and any words.

    >>> [phrase.does for phrase in phrases("Ok, I'd love to!", "answer")], phrases("I'd love a sandwich", "answer")
    (['yes gladly'], [])
    """
    return of_group(_without_board(text), group)


def says(text: str, *groups: str) -> bool:
    """Whether one sentence is a phrase of one of the groups as a whole."""
    return any(phrase.group in groups for phrase in _without_board(text))


def plain_spans(words: Sequence[Word]) -> Spans:
    """The slots that need no board and no database: any words, and a word that may be a name."""

    def spans(slot: str, place: int) -> Sequence[tuple[int, str]]:
        word = words[place].plain
        if slot == "name" and is_name(word):
            return [(place + 1, word)]
        if slot == "secret" and _may_be_password(word):
            return [(place + 1, str(place))]
        return ()

    return spans


def _may_be_password(word: str) -> bool:
    return len(word) >= SHORTEST_SECRET and word not in common() | kind("no-passwords")


def as_written(text: str, place: int) -> str:
    """The word of a sentence at a place, with its capitals."""
    word = words_of(text)[place]
    return in_plain_marks(text)[word.start : word.end]


def is_name(word: str) -> bool:
    """Whether a word may be somebody's name, as far as its letters go."""
    bare = word.replace("-", "").replace(".", "").replace("'", "")
    return bare.isalpha() and len(bare) > 1 and word not in common()


def sentences(text: str) -> list[Sentence]:
    """The sentences that the person wrote, without quoted lines and the signature; wrapped lines are joined.

    >>> [sentence.text for sentence in sentences("Hi Bert,\\n\\nthanks! I'll play\\n> E5\\nD4")]
    ['Hi Bert,', 'thanks!', "I'll play", 'D4']
    """
    found: list[Sentence] = []
    for lines, joined in _paragraphs(unsigned(text)):
        pieces = [piece for piece in _END.split(joined) if piece and piece.strip(_MARKS)]
        found += [Sentence(piece, lines, len(pieces) == 1) for piece in pieces]
        if len(found) >= MAX_SENTENCES:
            break
    # Many sign without a word that closes a letter.
    if len(found) > 1 and _is_signed(found[-1].text):
        found.pop()
    return found[:MAX_SENTENCES]


def _is_signed(line: str) -> bool:
    """Whether a line may be the name of its writer, and says nothing."""
    names = line.strip(" .,-\N{EN DASH}\N{EM DASH}").split()
    is_full = len(names) <= 2 and all(name[:1].isupper() and is_name(name.casefold()) for name in names)
    return is_full and not any(phrase.group for phrase in _without_board(line))


def unsigned(text: str) -> str:
    """The text without its closing line and the writer's name, office and numbers below it; the whole text if there is
    no closing line, or if anything else, such as a move or a wish, stands below it.

    >>> unsigned("D4\\nKind regards,\\nBob Miller\\nTel. 555-7788"), unsigned("Regards\\nBob\\nMove: D4")
    ('D4', 'Regards\\nBob\\nMove: D4')
    """
    lines = text.splitlines()
    closing = _closing(lines, ("regards",))
    return text if any(map(_does, lines[closing:])) else "\n".join(lines[:closing])


def discreet(text: str) -> str:
    """The text without the first telephone number or address in its signature, and all below it. Here "Thanks" closes
    a letter, too.

    >>> discreet("Hi!\\nKind regards,\\nBob Miller\\nTel. 555-7788\\nAcme Corp."), discreet("Hi!\\nTel. 555-7788")
    ('Hi!\\nKind regards,\\nBob Miller', 'Hi!\\nTel. 555-7788')
    >>> discreet("Thanks!\\nI was born in 1970, on 10.10."), discreet("Thanks!\\nvacation 2026-02-20 2w")
    ('Thanks!\\nI was born in 1970, on 10.10.', 'Thanks!\\nvacation 2026-02-20 2w')
    """
    lines = text.splitlines()
    closing = _closing(lines, ("regards", "closing"))
    number = next((at for at, line in enumerate(lines[closing:], closing) if _reaches(line)), None)
    return text if number is None else "\n".join(lines[:number]).rstrip()


def is_signature(text: str) -> bool:
    """Whether the text only closes a letter, or gives the writer's contact details.

    >>> [is_signature(text) for text in ("Cheers,\\nBob", "Bob Miller\\nTel. 555-7788", "Yes", "Cheers\\nF6")]
    [True, True, False, False]
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    is_card = any(map(_reaches, lines)) and all(map(_is_on_a_card, lines))
    return (is_card or _closing(lines, ("regards", "closing")) == 0) and not any(map(_does, lines))


def unclosed(text: str) -> str:
    """The text above the first line that closes a letter.

    >>> unclosed("kim\\n\\nBest regards,\\nJoe Miller")
    'kim\\n'
    """
    lines = text.splitlines()
    ends = (at for at, line in enumerate(lines) if at > 0 and _closes(line, ("regards", "closing")))
    return "\n".join(lines[: next(ends, len(lines))])


def _closes(line: str, groups: Sequence[str]) -> bool:
    """Whether a line closes a letter, perhaps with the writer's name on it."""
    return len(line) <= _WIDTH and says(line, *groups)


def _closing(lines: Sequence[str], groups: Sequence[str]) -> int:
    """The index of the line that closes a letter, with only a signature below it; len(lines) if there is none."""
    for number in range(len(lines) - 1, max(len(lines) - _SIGNATURE, 0) - 1, -1):
        line = lines[number].strip()
        if _closes(line, groups):
            return number
        if line and not _is_on_a_card(line):
            break
    return len(lines)


def _is_on_a_card(line: str) -> bool:
    """Whether the line holds only names and numbers of a person or an office."""
    if len(line) > _WIDTH or line[-1] in "?!":
        return False
    others = [word for word in line.split() if not (_ON_A_CARD.fullmatch(word) or word in kind("card-words"))]
    return len(others) <= (1 if _reaches(line) else 0)  # a label may stand beside a number: "fax 555-7788"


def _does(line: str) -> bool:
    """Whether the line may act on a board: it names a cell, or a sentence of it asks for something."""
    if len(line) > MAX_LENGTH or CELL.search(POSTCODE.sub(" ", line)):
        return True
    found = [word.plain for word in words_of(line)]
    if any(len(letter) == 1 and count in named("counts") for letter, count in pairwise(found)):
        return True  # a dictated cell: "C three"
    return any(says(piece, "board") for piece in _END.split(line) if piece)


def holds_deed(text: str) -> bool:
    """Whether some line of a text may act on a board; a long line, such as a notice, does not.

    >>> holds_deed("Good luck!\\nF6"), holds_deed("John Doe\\nMobile: +1 555 1234")
    (True, False)
    """
    return any(len(line) <= MAX_LENGTH and _does(line) for line in text.splitlines())


def _reaches(line: str) -> bool:
    """Whether the line holds an email address, or enough digits for a telephone number."""
    return "@" in line or sum(map(str.isdigit, _WEB.sub("", line))) >= _NUMBER


def _paragraphs(text: str) -> list[tuple[range, str]]:
    """The lines with their numbers; lines that a mail program wrapped are joined."""
    joined: list[tuple[range, str]] = []
    for number, line in enumerate(text.splitlines()):
        said = " ".join(line.split())
        if not said or said.startswith((">", "|")):
            continue
        before = joined[-1] if joined else (range(0), "")
        last = before[1].rpartition("\n")[2]
        if before[0] and before[0].stop == number and lacks_room(last, said) and last[-1] not in ".!?:":
            joined[-1] = (range(before[0].start, number + 1), f"{before[1]}\n{said}")
        else:
            joined.append((range(number, number + 1), said))
    return [(lines, said.replace("\n", " ")) for lines, said in joined]


def lacks_room(line: str, following: str, width: int = 0) -> bool:
    """Whether a line had no room for the following one's first word, if lines have this width or the usual one."""
    return len(line) + 1 + len(following.partition(" ")[0]) > max(width, _WRAPPED_AT)
