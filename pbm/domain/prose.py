"""Whether words are prose for a person, a courtesy, or a command with a mistake."""

from __future__ import annotations

import difflib
import re

from pbm.domain.commands import begins, clean
from pbm.domain.idioms import answers, wishes
from pbm.domain.idioms.vocabulary import COMMON, COURTESIES
from pbm.domain.meaning import POSTCODE, plain, sentences
from pbm.domain.verbs import PASSWORD, VERBS, find

_QUALIFIERS = COURTESIES | frozenset(
    """
    a always another any best can't didn't don't first good i it last my never next no one strong that the they this to
    we what which won't you your
    """.split()  # noqa: SIM905  a list of them would be a page
)
"""Words after which the name of a verb is not a verb: "nice move"."""
_NEAR = 0.8
"""How similar to a verb a first word must be to count as misspelt."""
_WORD = 2
"""The fewest letters of the words that distinguish talk with a number in it from a move."""
_WORDS_TO_A_NUMBER = 4
"""A text of prose has at least this many words for each number; with fewer it may be a move."""


def way_to_say(text: str, *, is_move: bool = False) -> str:
    """How to send refused words to the opponent, if they may be meant for them; otherwise empty.

    is_move: the words were taken for a move.

    >>> way_to_say("pause for thought"), way_to_say("show me next"), way_to_say("B7 to the left")
    (' To write to your opponent, begin with "chat".', '', '')
    >>> way_to_say("checkmate", is_move=True), way_to_say("my password is tulip, did you get it?")
    (' To write to your opponent, begin with "chat".', '')
    >>> way_to_say("call me at 555-1234 then", is_move=True), way_to_say("C3 to D5", is_move=True)
    (' To write to your opponent, begin with "chat".', '')
    """
    _, *rest = plain(text).split() or [""]
    is_words = is_move and text and not begins(clean(text))
    is_said = is_words or COMMON - {"me"} & {*rest} or (rest and text.rstrip().endswith("!"))
    is_talk = is_words and len([word for word in rest if len(word) >= _WORD and word.isalpha()]) > 1
    is_other = PASSWORD.search(text) or (re.search(r"\d", text) and not is_talk)
    return ' To write to your opponent, begin with "chat".' if is_said and not is_other else ""


def courteous_reply(text: str) -> re.Match[str] | None:
    """The yes or no at the start of words, if only courtesies follow: "Sure, good game!"."""
    first, *rest = re.split(r"[,.!;\n]+", text.strip(), maxsplit=1)
    return answers.REPLY.fullmatch(plain(first)) if rest and is_courteous(rest[0]) else None


def is_courteous(text: str) -> bool:
    """Whether all sentences are thanks or farewells."""
    rows = (answers.THANKS, answers.PARTING)
    return all(any(row.fullmatch(sentence.plain) for row in rows) for sentence in sentences(text))


def begins_like_a_command(text: str) -> bool:
    """Whether the first line looks like a command with a mistake: a verb or a game, even misspelt, or a verb second."""
    line = next(filter(None, map(clean, text.splitlines())), "")
    first, *rest = plain(line).replace("?", "").split() or [""]
    if first == "if" and ":" in text:
        return True
    if line.endswith(",") and not rest:
        return False  # a name: "Clair,"
    if (first.partition("'")[0] in COMMON and len(rest) > 1) or wishes.SAID.match(plain(line)):
        return False
    openings = {word.split()[0] for verb in VERBS for word in verb.words}
    misspelt = first not in COURTESIES | COMMON and difflib.get_close_matches(first[:40], openings, n=1, cutoff=_NEAR)
    of_a_game = first not in _QUALIFIERS and any(map(find, rest[:1]))
    return begins(line) or first in openings or bool(misspelt) or of_a_game


def is_prose(text: str) -> bool:
    """Whether the text is words of a language, with few numbers; a lone word must be a courtesy."""
    words = POSTCODE.sub("", plain(text)).split()
    bare = [word.strip(".,;:!?()\"'").replace("'", "") for word in words]
    if not words:
        return any(not char.isascii() for char in text)
    numbers = sum(any(map(str.isdigit, word)) for word in words)
    if numbers * _WORDS_TO_A_NUMBER > len(words) or text.rstrip().endswith(":"):
        return False
    if len([word for word in bare if word.isalpha()]) < 2:
        return any(word in COURTESIES for word in bare) and len(words) == 1
    return any(len(word) > 3 or not word.isascii() or word in COURTESIES | COMMON for word in bare)
