"""Passwords are never repeated in a mail: the password argument of a command, and what verifies as the sender's.

Nothing else that a person wrote is touched, ever: a word is not blacked out because it might be a password.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache

from games import GAMES
from pbm.domain.verbs import SHORTEST_SECRET, VERBS

HIDDEN = "*****"
_MAX_LINES = 60
_MARKS = '.,;:!?"()'


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


def passwords_behind(lines: Sequence[str], userid: str) -> list[str]:
    """Words of the lines that may be a player's password: those behind the userid, in lower case, or "password".

    "login bob geheim" -> geheim; "my password is geheim" -> geheim; "Take your time, bob." -> none
    """
    found = []
    for line in lines[:_MAX_LINES]:
        words = [word.strip(_MARKS) for word in line.split()]
        for place, word in enumerate(words):
            folded = word.casefold()
            near = 1 if folded == userid else 2 if folded in ("password", "passwort", "pass") else 0
            found += [
                each for each in words[place + 1 : place + 1 + near] if _is_long(each) and each.casefold() != userid
            ]
    return list(dict.fromkeys(found))


def _is_long(word: str) -> bool:
    """The word is long enough for a password and none of the server's own."""
    return len(word) >= SHORTEST_SECRET and word.casefold() not in _vocabulary()
