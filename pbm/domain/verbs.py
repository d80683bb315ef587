"""The one table of commands: it drives parsing, usage lines, "did you mean" and help.

A usage is written once, as a player reads it: words in capitals are parameters, those in [brackets] may be left out,
and one that ends in `...` takes all words that remain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

SECRETS = frozenset({"PASSWORD", "NEW-PASSWORD"})
"""Parameters that must never be repeated in a mail or a log."""

SHORTEST_SECRET = 4
"""Characters of a password at least."""

CREDENTIALS = ("USERID", "PASSWORD")
"""Parameters that may be left out when the mail itself shows who sent it."""

_PATTERNS = {
    "BOARD": re.compile(r"\d{1,12}"),
    "BOARD[#PLY]": re.compile(r"\d{1,12}(#-?\d{1,6})?|#-?\d{1,6}"),
}


@dataclass(frozen=True, slots=True)
class Param:
    """One word of a usage. many: takes all words that remain."""

    name: str
    optional: bool = False
    many: bool = False

    def fits(self, word: str) -> bool:
        pattern = _PATTERNS.get(self.name)
        return pattern is None or pattern.fullmatch(word) is not None


@dataclass(frozen=True)
class Verb:
    """One command.

    per_game: it is said after a game's name. alters: it changes the board, so an answer to an old mail may not do it.
    shortest: the fewest letters an abbreviation may have; 0 for none. options: it takes a challenge's `-name=value`.
    """

    name: str
    usage: str
    summary: str
    per_game: bool = False
    alters: bool = False
    aliases: tuple[str, ...] = ()
    shortest: int = 0
    options: bool = False

    @cached_property
    def params(self) -> tuple[Param, ...]:
        return tuple(
            Param(word.strip("[]") if word != "BOARD[#PLY]" else word, word.startswith("["), "..." in word)
            for word in self.usage.split()
        )

    @property
    def line(self) -> str:
        """The whole usage line, with GAME in front of the verbs of a game."""
        options = "[OPTIONS]" if self.options else ""
        return " ".join(part for part in ("GAME" if self.per_game else "", self.name, options, self.usage) if part)

    def called(self, word: str) -> bool:
        """word: lower case."""
        abbreviated = 0 < self.shortest <= len(word) and self.name.startswith(word)
        return word == self.name or word in self.aliases or abbreviated


VERBS: tuple[Verb, ...] = (
    Verb("help", "[SUBJECT...]", "this help, or the page of a command or a game"),
    Verb(
        "signup",
        "NEW-USERID NEW-PASSWORD [ADDRESS...]",
        "make an account; answer the mail that comes back to confirm it",
    ),
    Verb(
        "challenge",
        "USERID1 USERID2",
        "start a game; the first userid moves first",
        per_game=True,
        shortest=5,
        options=True,
    ),
    Verb(
        "move",
        "BOARD USERID PASSWORD MOVE...",
        "play a move; MOVE#PLY only if that ply is the next",
        per_game=True,
        alters=True,
        aliases=("mvoe", "board"),
    ),
    Verb(
        "swap",
        "BOARD USERID PASSWORD",
        "exchange sides, as the second ply of a game that has the swap",
        per_game=True,
        alters=True,
    ),
    Verb("resign", "BOARD USERID PASSWORD", "give the game up", per_game=True, alters=True),
    Verb("show", "BOARD[#PLY]", "mail me the board, now or after that ply", per_game=True),
    Verb("games", "[USERID...]", "list the boards of a game, or of a player", per_game=True),
)


def find(word: str, *, per_game: bool | None = None) -> Verb | None:
    """The verb a word calls, by name, alias or abbreviation; None if there is none. word: in any case."""
    folded = word.casefold()
    candidates = [verb for verb in VERBS if per_game in (None, verb.per_game) and verb.called(folded)]
    exact = [verb for verb in candidates if folded == verb.name]
    return next(iter(exact or candidates), None)
