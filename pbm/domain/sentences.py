"""A person's text as sentences in one plain form: quoted lines and greetings left out, wrapped lines joined."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_SENTENCES = 60
"""Sentences of a text that are looked at."""
MAX_LENGTH = 400
"""Characters of a sentence that are looked at; a longer one says nothing."""

_PLAIN = str.maketrans("’‘´`“”\u00a0–—", "''''\"\" --")
_END = re.compile(r"(?<=[.!?…])[\"')\]]*\s+|(?<=\S)\s+(?=[:;][-']?[)(DP]+)|\s+-{1,2}\s+")
_WRAPPED_AT = 55
"""Characters of a line that may have been broken because the next word had no room; programs wrap at 60 or more."""
_GREETING = re.compile(
    r"(?:hi|hello|hey|hiya|hallo|dear|greetings|good (?:morning|day|evening|afternoon)|howdy|salut|bonjour|hola|ciao|"
    r"moin|servus)(?: (?:there|all|again|dear))?(?: [^\W\d_][\w'.-]{0,20}){0,2}[\s,!.:]*",
    re.IGNORECASE,
)
_OPENING = re.compile(
    r"(?:hi|hello|hey|hallo|dear)(?: there)?(?: [A-Z][\w'.-]{0,20})?\s*[,!.:-]\s*|"
    r"(?:hi|hello|hey|hallo)\s+(?=(?:i|my|yes|no)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without the greeting at its beginning."""

    text: str
    """As written, blanks folded."""
    lines: range
    """The lines of the text it stands in."""
    is_alone: bool
    """Nothing else stands in these lines."""

    @property
    def plain(self) -> str:
        """In lower case, typographic marks made plain, without its full stop."""
        return plain(self.text)

    @property
    def asks(self) -> bool:
        """Whether it ends like a question."""
        return self.text.rstrip(" )\"'").endswith("?")


def plain(text: str) -> str:
    """A text in lower case, typographic marks made plain, outer punctuation cut.

    >>> plain(" I’d  like to ... ")
    "i'd like to"
    """
    return " ".join(text.translate(_PLAIN).casefold().split()).strip(' .!,;:…"()*_')


def sentences(text: str) -> list[Sentence]:
    """The sentences that the person wrote, greetings left out.

    >>> [sentence.text for sentence in sentences("Hi Bert,\\n\\nthanks! I'll play\\n> E5\\nD4")]
    ['thanks!', "I'll play", 'D4']
    """
    found: list[Sentence] = []
    for lines, joined in _paragraphs(text):
        pieces = [piece for piece in (_END.split(joined)) if piece and piece.strip(" .,!?-:;")]
        for number, piece in enumerate(pieces):
            said = _ungreeted(piece) if not (found or number) or _GREETING.match(piece) else piece
            if said and len(said) <= MAX_LENGTH:
                found.append(Sentence(said, lines, len(pieces) == 1))
    return found[:MAX_SENTENCES]


def _paragraphs(text: str) -> list[tuple[range, str]]:
    """Lines, those joined that a mail program has broken for want of room, with their numbers."""
    joined: list[tuple[range, str]] = []
    for number, line in enumerate(text.splitlines()):
        said = " ".join(line.split())
        if not said or said.startswith((">", "|")):
            continue
        before = joined[-1] if joined else (range(0), "")
        last = before[1].rpartition("\n")[2]
        full = len(last) + 1 + len(said.partition(" ")[0]) > _WRAPPED_AT
        if before[0] and before[0].stop == number and full and last[-1] not in ".!?:":
            joined[-1] = (range(before[0].start, number + 1), f"{before[1]}\n{said}")
        else:
            joined.append((range(number, number + 1), said))
    return [(lines, said.replace("\n", " ")) for lines, said in joined]


def _ungreeted(said: str) -> str:
    """A sentence without its greeting; empty where it is nothing else."""
    if _GREETING.fullmatch(said):
        return ""
    opening = _OPENING.match(said)
    return said[opening.end() :] if opening else said
