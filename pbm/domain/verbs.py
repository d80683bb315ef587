"""What a command is: its words drive parsing, usage lines, "did you mean" and help.

A usage is written once, as a player reads it: words in capitals are parameters, those in [brackets] may be left out,
and one that ends in `...` takes all words that remain.

The password argument of a command, and what verifies as the sender's password, is never repeated in a mail. Nothing
else that a person wrote is touched, ever: a word is not blacked out because it might be a password.
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, cached_property

from games import GAMES
from pbm.domain.settings import CHOICES

SECRETS = frozenset({"PASSWORD", "NEW-PASSWORD"})
"""Parameters that must never be repeated in a mail or a log."""

SHORTEST_SECRET = 4
"""Characters of a password at least."""

CREDENTIALS = ("USERID", "PASSWORD")
"""Parameters that may be left out when the mail itself shows who sent it."""

NO_USERIDS = frozenset({"me", "all", "new", "any", "next", "active", "inactive", *CHOICES})
"""Words that stand where a userid may, and mean something else."""

MULTIPLE = "multiple"
"""The verb whose text is commands."""

ACCOUNT, STARTING, PLAYING, TOURNAMENTS, LOOKING, COMPANY = GROUPS = (
    "your account",
    "starting games",
    "playing",
    "tournaments",
    "looking on",
    "company",
)
"""What commands are for, in the order of the list of commands."""

_BOARD_AT_PLY = r"\d{1,12}(#-?\d{1,6})?|#-?\d{1,6}"
_PATTERNS = {
    "BOARD": re.compile(r"\d{1,12}"),
    "BOARD|all": re.compile(r"\d{1,12}|all", re.IGNORECASE),
    "BOARD[#PLY]": re.compile(_BOARD_AT_PLY),
    "GAME|NUMBER": re.compile(rf"\d{{1,9}}|{'|'.join(GAMES)}", re.IGNORECASE),
    "NOTHING|none": re.compile("none", re.IGNORECASE),
    "PLY": re.compile(r"#?-?\d{1,6}"),
    "PLAYER": re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,19}"),
    "SEEK": re.compile(r"#?\d{1,9}"),
    "BOARD[#PLY]|new": re.compile(rf"{_BOARD_AT_PLY}|new", re.IGNORECASE),
}


@dataclass(frozen=True, slots=True)
class Param:
    """One word of a usage. many: takes all words that remain."""

    name: str
    optional: bool = False
    many: bool = False

    @property
    def key(self) -> str:
        """The name its words are bound to: without what else they may be."""
        return re.split(r"[^A-Z0-9-]", self.name, maxsplit=1)[0]

    def fits(self, word: str) -> bool:
        if self.name == "USERID" and (word.casefold() in NO_USERIDS or word[0].isdigit()):
            return False
        pattern = _PATTERNS.get(self.name.removesuffix("..."))
        return pattern is None or pattern.fullmatch(word) is not None


def _param(word: str) -> Param:
    optional = word.startswith("[")
    return Param(word[1:-1] if optional else word, optional, word.rstrip("]").endswith("..."))


class Locks(StrEnum):
    """What nobody else may change while a command is carried out, where several processes handle mails at once.

    An end of a match locks the house by itself.
    """

    NOTHING = "nothing"
    """Nothing: it only reads, and is answered while others write."""
    BOARDS = "boards"
    """The boards it names or answers: it changes nothing else."""
    HOUSE = "house"
    """Everything: it may read and change anything, as a challenge does that must not exceed a limit."""


@dataclass(frozen=True)
class Verb:
    """One command.

    per_game: it is said after a game's name. alters: it changes the board, so an answer to an old mail may not do it.
    shortest: the fewest letters an abbreviation may have; 0 for none. options: it takes a challenge's `-name=value`.
    other_usage: the same words in another order. has_text: all that is written below it is its text. bare: it may
    stand without any words, and then only asks. guarded: it needs the password, whatever the mail shows. wordy: a
    sentence may begin with it, so after the first line of a mail it is a command only where it names a board. group:
    where the list of commands has it. takes_plan: below it may stand what is to be done then. lasting: an answer to a
    mail of an ended board may do it there. gameless: with words after it, it may stand without a game, and means all.
    asks: it plays nothing at once, so an answer to the mail before its player's own last move may do it, too.
    """

    name: str
    usage: str
    summary: str
    group: str
    locks: Locks
    rank: int
    per_game: bool = False
    alters: bool = False
    aliases: tuple[str, ...] = ()
    shortest: int = 0
    options: bool = False
    other_usage: str = ""
    has_text: bool = False
    bare: bool = False
    guarded: bool = False
    wordy: bool = False
    takes_plan: bool = False
    lasting: bool = False
    gameless: bool = False
    asks: bool = False

    @cached_property
    def forms(self) -> tuple[tuple[Param, ...], ...]:
        """The parameters in each order they may be written in, the usual one first."""
        usages = [self.usage, *([self.other_usage] if self.other_usage else [])]
        return tuple(tuple(map(_param, usage.split())) for usage in usages)

    @property
    def params(self) -> tuple[Param, ...]:
        return self.forms[0]

    @property
    def line(self) -> str:
        """The whole usage line, with GAME in front of the verbs of a game."""
        options = "[OPTIONS]" if self.options else ""
        return " ".join(part for part in ("GAME" if self.per_game else "", self.name, options, self.usage) if part)

    @property
    def words(self) -> frozenset[str]:
        """All that calls it, in lower case."""
        short = (self.name[:length] for length in range(self.shortest, len(self.name)) if self.shortest)
        return frozenset((self.name, *self.aliases, *short))


VERBS: list[Verb] = []
"""All that are registered, in the order of the list of commands. Features bring them: see pbm.core.registry."""
_BY_WORD: dict[str, list[Verb]] = {}
"""The verbs that a word calls; looked up for every line of every mail."""


def register(verb: Verb) -> None:
    """The verb is known from now on."""
    insort(VERBS, verb, key=lambda each: (GROUPS.index(each.group), each.rank))
    for word in verb.words:
        insort(_BY_WORD.setdefault(word, []), verb, key=lambda each: (GROUPS.index(each.group), each.rank))


def find(word: str, *, per_game: bool | None = None) -> Verb | None:
    """The verb a word calls, by name, alias or abbreviation; None if there is none. word: in any case."""
    folded = word.casefold()
    candidates = [verb for verb in _BY_WORD.get(folded, ()) if per_game in (None, verb.per_game)]
    exact = [verb for verb in candidates if folded == verb.name]
    return next(iter(exact or candidates), None)


def leading(words: Sequence[str], *, per_game: bool | None = None) -> tuple[Verb | None, int]:
    """The verb the words begin with, and how many words it takes: two, like "all show", or one."""
    for count in (2, 1):
        verb = find(" ".join(words[:count]), per_game=per_game) if len(words) >= count else None
        if verb is not None:
            return verb, count
    return None, 0


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
    """Words of the lines that may be a player's password: those after the userid, in lower case, or "password".

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
