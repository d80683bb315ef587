"""Passwords are never repeated in a mail: the password argument of a command, and what verifies as the sender's.

Nothing else that a person wrote is touched, ever: a word is not blacked out because it might be a password.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise

from games import GAMES
from pbm.domain.verbs import SHORTEST_SECRET, VERBS

HIDDEN = "*****"


@cache
def _names() -> tuple[str, ...]:
    return tuple(name for verb in VERBS for name in (verb.name, *verb.aliases))


@cache
def _vocabulary() -> frozenset[str]:
    return frozenset({*GAMES, *_names()})


def redact_quoted(sentence: str, secrets: Collection[str]) -> str:
    """A sentence of ours with secret words replaced in what it quotes, up to the last quotation mark."""
    return re.sub(r'"(?s:.*)"', lambda quoted: redact(quoted[0], secrets), sentence)


def redact(text: str, secrets: Collection[str]) -> str:
    """The text with every secret word replaced, wherever it stands."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(secret)}(?!\w)", HIDDEN, text)
    return text


def pairs_behind(lines: Sequence[str], userids: Collection[str]) -> list[tuple[str, str]]:
    """Each userid in lower case with the word behind it, where that may be a password. userids: in lower case."""
    return [
        (word.casefold(), following)
        for line in lines
        for word, following in pairwise(line.split())
        if word.casefold() in userids and following.casefold() not in userids and _is_long(following)
    ]


def _is_long(word: str) -> bool:
    """The word is long enough for a password and none of the server's own."""
    return len(word) >= SHORTEST_SECRET and word.casefold() not in _vocabulary()
