"""What of a mail must not be repeated: passwords, also where a command went wrong and nobody knows which word is one.

A refused mail is quoted to its sender. A word that may be a password is blacked out there, even if it is none.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise

from games import GAMES
from pbm.domain.commands import MAX_LINE, begins, clean
from pbm.domain.verbs import SECRETS, SHORTEST_SECRET, VERBS, Verb, find

HIDDEN = "*****"
_MAX_LINES = 60
_WRAPPED_WORDS = 5
_EDGE = re.compile(r"\(? ?\d+ ?, ?\d+ ?\)?[ ;>-]+\(? ?\d+ ?,")
"""How a line of a graph begins, "0,0 30,"; a refusal names what is wrong in it, and must stay readable."""


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


def guess_secrets(text: str, plain: Collection[str] = ()) -> frozenset[str]:
    """Words that may be a password, in a text whose commands were not all understood.

    plain: cleaned lines that are beyond doubt. The first words of a line count to the line before it, too, for mail
    programs wrap lines.
    """
    cleaned = [line for line in map(clean, text.splitlines()[:_MAX_LINES]) if line and line not in plain]
    lines = [line for line in cleaned if not _EDGE.match(line)]
    guessed: set[str] = set()
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        rest = [] if begins(following) else following.split()
        guessed.update(_doubtful([*line.split(), *(rest if len(rest) <= _WRAPPED_WORDS else ())]))
    return frozenset(guessed)


def behind_userids(text: str, userids: Collection[str]) -> frozenset[str]:
    """Words that stand behind a userid, where a password may: all of them in what looks like a command, else the next.

    A name is left alone where no command is: "Bob Smith". userids: in lower case.
    """
    lines = [clean(line[:MAX_LINE]).split() for line in text.splitlines()[:_MAX_LINES]]
    guessed: set[str] = set()
    for line, following in zip(lines, [*lines[1:], []], strict=False):
        place = next((place for place, word in enumerate(line) if word.strip(".,;:").casefold() in userids), len(line))
        behind = [
            word for word in [*line, *following[:1]][place + 1 :] if _is_long(word) and word.casefold() not in userids
        ]
        if begins(" ".join(line)) or _arguments_at(line) < len(line):
            guessed.update(behind)
        elif place <= 1 and (len(line) <= 3 or any(word[0].isdigit() for word in line)):
            guessed.update(word for word in behind[:1] if not word.istitle())
    return frozenset(guessed)


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


def _doubtful(words: Sequence[str]) -> list[str]:
    """The words of a line that are long enough for a password and not plainly something else, such as a board."""
    start = _arguments_at(words)
    return [
        word
        for place, word in enumerate(words[start:])
        if _is_long(word) and not (place == 0 and re.fullmatch(r"\d+(#-?\d*)?", word))
    ]


def _arguments_at(words: Sequence[str]) -> int:
    """Where the arguments begin of what may be a command with a password; behind the last word where there are none."""
    if any("passw" in word.casefold() for word in words) and not begins(" ".join(words)):
        return 0
    spans = ((0, 1), (1, 2), (0, 2))
    heads = [(end, verb) for start, end in spans if (verb := _nearest(" ".join(words[start:end]))) is not None]
    if heads:
        takes_secret = any(not SECRETS.isdisjoint(param.name for param in verb.params) for _, verb in heads)
        return max(end for end, _ in heads) if takes_secret else len(words)
    number = next((place for place, word in enumerate(words[:4]) if word[0].isdigit()), len(words))
    is_game = bool(difflib.get_close_matches(words[0].casefold(), GAMES, n=1, cutoff=0.7)) if words else False
    return min(number, 2) if is_game else number


def _nearest(word: str) -> Verb | None:
    """The verb a word is, or is nearly."""
    folded = word.casefold()
    if folded in GAMES:
        return None
    close = difflib.get_close_matches(folded, _names(), n=1, cutoff=0.7)
    return find(folded) or (find(close[0]) if close else None)
