"""The table of verbs, which drives parsing, usage lines, "did you mean" and help.

A usage is written once, as a player reads it: words in capitals are parameters, those in [brackets] may be left out,
and one that ends in `...` takes all remaining words.

A password that stands in a command where its usage has one is never repeated in a mail, and neither is what stands in
its place in a faulty command. Nothing else that a person wrote is changed, nor is any word tried as a password.
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

from games import GAMES
from pbm.domain.settings import CHOICES
from pbm.reading.book import words as kind
from pbm.reading.dates import DAY_WORDS
from pbm.values import frozen

SECRETS = frozenset({"PASSWORD", "NEW-PASSWORD"})
"""Parameters that must never be repeated in a mail or a log."""

SHORTEST_SECRET = 4
"""The fewest characters of a password."""

CREDENTIALS = ("USERID", "PASSWORD")
"""Parameters that may be left out if the mail itself shows who sent it."""

_TITLES = frozenset({"board", "game", "match"})
"""Words that may stand before the number of a board."""
NO_USERIDS = frozenset(
    {"me", "all", "new", "any", "next", "active", "inactive", "from", "until", "till", *DAY_WORDS, *CHOICES, *GAMES}
    | _TITLES
)
"""Words that may stand in place of a userid, but mean something else."""

MULTIPLE = "multiple"
"""The verb whose text consists of commands."""

ACCOUNT, STARTING, PLAYING, TOURNAMENTS, LOOKING, COMPANY = GROUPS = (
    "your account",
    "starting games",
    "playing",
    "tournaments",
    "looking on",
    "company",
)
"""The groups of commands, in the order of the list of commands."""

FIRST_BOARD = 101
"""The lowest number of a board."""
ROBOT = re.compile("robot[1-5]?")
"""The userid of a robot."""
_BOARD_AT_PLY = r"\d{1,12}(#-?\d{1,6})?|#-?\d{1,6}"
_PATTERNS = {
    "BOARD": re.compile(r"\d{1,12}"),
    "FIRST-BOARD": re.compile(r"\d{1,12}"),
    "BOARD|all": re.compile(r"\d{1,12}|all", re.IGNORECASE),
    "BOARD[#PLY]": re.compile(_BOARD_AT_PLY),
    "GAME|NUMBER": re.compile(rf"\d{{1,9}}|{'|'.join(GAMES)}", re.IGNORECASE),
    "NOTHING|none": re.compile("none", re.IGNORECASE),
    "PLY": re.compile(r"#?-?\d{1,6}"),
    "TIME": re.compile(r"(?!up\b).*", re.IGNORECASE),  # "give up" resigns
    "PLAYER": re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,19}"),
    "SEEK": re.compile(r"#?\d{1,9}"),
    "SIZE": re.compile(r"\d{1,2}(?:[x×]\d{1,2})?", re.IGNORECASE),
    "BOARD[#PLY]|new": re.compile(rf"{_BOARD_AT_PLY}|new", re.IGNORECASE),
}


@frozen
class Param:
    """One word of a usage."""

    name: str
    optional: bool = False
    many: bool = False
    """It takes all remaining words."""

    @property
    def key(self) -> str:
        """The name its words are bound to: the first alternative."""
        return re.split(r"[^A-Z0-9-]", self.name, maxsplit=1)[0]

    def fits(self, word: str) -> bool:
        if self.name == "USERID" and (word.casefold() in NO_USERIDS or word[0].isdigit() or word[-1] == ","):
            return False
        pattern = _PATTERNS.get(self.name.removesuffix("..."))
        return pattern is None or pattern.fullmatch(word) is not None


def _param(word: str) -> Param:
    optional = word.startswith("[")
    return Param(word[1:-1] if optional else word, optional, word.rstrip("]").endswith("..."))


class Locks(StrEnum):
    """What no other process may change while a command is carried out.

    The end of a match locks the house by itself.
    """

    NOTHING = "nothing"
    """Nothing: it only reads."""
    BOARDS = "boards"
    """The boards it names or answers; it changes nothing else."""
    HOUSE = "house"
    """Everything; it may read and change anything, like a challenge, which must not exceed a limit."""


class Alteration(NamedTuple):
    """How a verb changes its board; an answer to an old mail may not do it."""

    asks: bool = False
    """It plays nothing at once, so it also works in an answer to the mail before the player's own last move."""
    takes_plan: bool = False
    """A plan may follow on the lines below."""


@dataclass(frozen=True)
class Verb:
    """One command."""

    line: str
    """The whole usage line: GAME before the verb of a game, the name in lower case, [OPTIONS] if it takes a
    challenge's `-name=value`, and the parameters."""
    group: str
    """Its group in the list of commands."""
    locks: Locks = Locks.HOUSE
    alters: Alteration | None = None
    """None if it changes no board."""
    aliases: tuple[str, ...] = ()
    shortest: int = 0
    """The fewest letters an abbreviation may have; 0 for none."""
    other_usage: str = ""
    """The parameters in another order, if they may be written so."""
    has_text: bool = False
    """Everything below it is its text."""
    bare: bool = False
    """It may stand alone, and then only asks."""
    guarded: bool = False
    """It needs the password, whatever the mail shows."""
    wordy: bool = False
    """A sentence may begin with it, so below the first line of a mail it is a command only if it cannot be prose."""

    @cached_property
    def name(self) -> str:
        return " ".join(filter(str.islower, self.line.split()))

    @cached_property
    def per_game(self) -> bool:
        """Whether it stands after a game's name."""
        return self.line.startswith("GAME ")

    @property
    def gameless(self) -> bool:
        """Whether, with words after it, it may stand without a game, and means all games: it reads, and no board."""
        return self.locks is Locks.NOTHING and "BOARD" not in self.keys

    @cached_property
    def options(self) -> bool:
        """Whether it takes options."""
        return "[OPTIONS]" in self.line

    @cached_property
    def usage(self) -> str:
        """The parameters in their usual order."""
        return self.line.partition(self.name)[2].replace("[OPTIONS]", "").strip()

    @cached_property
    def forms(self) -> tuple[tuple[Param, ...], ...]:
        """The parameters in each order they may be written in, the usual one first."""
        usages = (self.usage, self.other_usage) if self.other_usage else (self.usage,)
        return tuple(tuple(map(_param, usage.split())) for usage in usages)

    @property
    def params(self) -> tuple[Param, ...]:
        return self.forms[0]

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of its parameters."""
        return frozenset(param.key for param in self.params)

    @property
    def words(self) -> frozenset[str]:
        """Its name, aliases and abbreviations, in lower case."""
        short = (self.name[:length] for length in range(self.shortest, len(self.name)) if self.shortest)
        return frozenset((self.name, *self.aliases, *short))


class Entry(NamedTuple):
    """What the list of commands says of a verb."""

    rank: int
    """Its place in the group; 0 if the list leaves it out: it is understood, because the classic server had it."""
    summary: str


ENTRIES: dict[Verb, Entry] = {}
VERBS: list[Verb] = []
"""All registered verbs, in the order of the list of commands. Features register them: see pbm.core.registry."""
_BY_WORD: dict[str, Verb] = {}
"""The verb that each word calls; looked up for every line of every mail."""


def register(verb: Verb, entry: Entry) -> None:
    """Adds a verb to the tables."""
    ENTRIES[verb] = entry
    insort(VERBS, verb, key=lambda each: (GROUPS.index(each.group), ENTRIES[each].rank))
    _BY_WORD.update(dict.fromkeys(verb.words, verb))


def find(word: str, *, per_game: bool | None = None) -> Verb | None:
    """The verb a word calls, by name, alias or abbreviation; None if there is none. word: in any case."""
    verb = _BY_WORD.get(word.casefold())
    return verb if verb is not None and per_game in (None, verb.per_game) else None


def leading(words: Sequence[str]) -> tuple[Verb | None, int]:
    """The verb the words begin with, and how many words it takes: two, like "all show", or one, like "all-show"."""
    if len(words) > 1 and (verb := find(" ".join(words[:2]))) is not None:
        return verb, 2
    verb = find(words[0].replace("-", " ")) if words else None
    return verb, 0 if verb is None else 1


_DOTTED = re.compile(r"\A(\d{1,12})[.:]\Z")
"""The number of a board as in a list: "101."."""


@frozen
class Standing:
    """What a mail shows by itself, so that these words may be left out.

    game, board: those of the mail it answers.
    """

    game: str | None = None
    board: int | None = None
    known: bool = False
    """Its sender is a player, or claims to be and will be asked to prove it."""
    proven: bool = False
    """The sender has proved to be that player."""

    @property
    def answers_board(self) -> bool:
        """Whether the mail may hold a bare move."""
        return self.board is not None and self.known


def bind(verb: Verb, words: list[str], standing: Standing, is_userid: Callable[[str], bool]) -> dict[str, str] | None:
    """The words by the names of their parameters; None if they fit no form. The fullest form that fits wins.

    A sender who has proved who they are may leave out userid and password, so these are bound only if the first word is
    a userid; in a sentence they are never bound.
    """
    if verb.bare and not words:
        return {}
    for params in forms(verb, standing):
        args = _fit(params, words)
        if args is None or not _names_game(args, is_userid) or not _may_log_in(verb, args, standing, is_userid):
            continue
        # In an answer to a board mail the word in place of a board may be a move: "preview 6" names edge 6.
        number = args.get("BOARD", "").partition("#")[0]
        may_be_move = standing.board is not None and "MOVE" in verb.keys and number.isdecimal()
        if not may_be_move or int(number) >= FIRST_BOARD:
            return args
    return None


def _names_game(args: Mapping[str, str], is_userid: Callable[[str], bool]) -> bool:
    """Whether a size and an opponent follow the name of a game, and somebody is called as the opponent.

    "play with ann" and "play hex please" are plain words.
    """
    opponent = args.get("OPPONENT", "")
    if not opponent and "SIZE" not in args:
        return True
    is_somebody = not opponent or "@" in opponent or ROBOT.fullmatch(opponent.casefold()) or is_userid(opponent)
    return args["GAME"].casefold() in GAMES and bool(is_somebody)


def _may_log_in(
    verb: Verb, args: Mapping[str, str], standing: Standing, is_userid: Callable[[str], bool]
) -> bool:  # fmt: skip
    """Whether the words in place of a userid and a password, if there are any, may be these.

    "puzzle for chess" contains no password, and neither does "play hex against lily"; but "message in a bottle" must
    not name players. "message bob carol dave" does, and neither a short word nor a robot's name is a password.
    """
    word = args.get("PASSWORD", "")
    is_said = not verb.has_text and args.get("USERID", "").casefold() in kind("common") | kind("before-rival")
    if not word or not (standing.proven or is_said):
        return True
    may_be_secret = len(word) >= SHORTEST_SECRET and not ROBOT.fullmatch(word.casefold())
    return may_be_secret and is_userid(args["USERID"]) and not ("TO-USERID" in args and is_userid(word))


def forms(verb: Verb, standing: Standing) -> Iterable[tuple[Param, ...]]:
    """The usages, complete first, then without what the mail shows by itself."""
    anonymous = tuple(param for param in verb.params if param.name not in CREDENTIALS)
    for form in (*verb.forms, anonymous) if standing.known and not verb.guarded else verb.forms:
        yield form
        if standing.board is not None:
            yield tuple(param for param in form if not param.name.startswith("BOARD"))


def _fit(params: tuple[Param, ...], words: list[str]) -> dict[str, str] | None:
    args: dict[str, str] = {}
    left = list(words)
    needed = sum(not param.optional for param in params)
    for param in params:
        # The words that are left are all needed behind it.
        if param.optional and len(left) <= needed:
            continue
        needed -= not param.optional
        taken = left if param.many else left[:1]
        # Lists number their lines so, and people copy them.
        if param.key == "BOARD":
            taken = [_DOTTED.sub(r"\1", word) for word in taken]
        # An optional word that does not fit may be meant for the next parameter.
        if not taken or not param.fits(taken[0]):
            if not param.optional:
                return None
            continue
        args[param.key] = " ".join(taken)
        left = left[len(taken) :]
    return None if left else args


def untitled(verb: Verb, words: list[str]) -> list[str]:
    """The words after a verb without "game" or the like before the number of a board."""
    takes_board = any(param.key in ("BOARD", "WHAT") and not param.many for param in verb.params)
    is_titled = len(words) > 1 and words[0].casefold() in _TITLES and _PATTERNS["BOARD[#PLY]"].fullmatch(words[1])
    return words[1:] if takes_board and is_titled else words


def suits_but_for_end(verb: Verb, words: list[str], standing: Standing) -> bool:
    """Whether the verb takes the first of the words from this sender, but not those after them."""
    *_, shortest = forms(verb, standing)
    return any(_fit(shortest, words[:count]) is not None for count in range(len(words)))


def usage(verb: Verb, standing: Standing, game: str | None = None) -> str:
    """The usage line as this sender may write it. game: the one they named."""
    if not standing.known:
        return verb.line.replace("GAME", game, 1) if game and verb.per_game else verb.line
    *_, shortest = forms(verb, standing)
    in_front = [game] if game and verb.per_game and standing.board is None else []
    return " ".join(
        [*in_front, verb.name, *(f"[{param.name}]" if param.optional else param.name for param in shortest)]
    )


def is_option(word: str) -> bool:
    """`-name` and `--name` are options wherever they stand; a lone `--` is the pass."""
    return re.match(r"--?[a-zA-Z]", word) is not None


HIDDEN = "*****"


def redact_quoted(sentence: str, secrets: Collection[str]) -> str:
    """A sentence of ours, with secret words replaced between its first and last quotation marks."""
    return re.sub(r'"(?s:.*)"', lambda quoted: redact(quoted[0], secrets), sentence)


def numbered(sentence: str, board: int) -> str:
    """A sentence of ours with the board added to its quoted commands, for answers to mails that show no board.

    >>> numbered('bob asks you for a pause: answer "accept" or "reject" first.', 102)
    'bob asks you for a pause: answer "102 accept" or "102 reject" first.'
    """

    def named(quoted: re.Match[str]) -> str:
        verb, _ = leading(quoted[1].split())
        is_of_board = verb is not None and "BOARD" in verb.keys
        return f'"{board} {quoted[1]}"' if is_of_board and str(board) not in quoted[1] else quoted[0]

    return re.sub(r'"([a-z][^"]*)"', named, sentence)


def redact(text: str, secrets: Collection[str]) -> str:
    """The text with every secret word replaced, wherever it stands; Japanese puts no blanks around it.

    >>> redact("パスワードはhunter2です", {"hunter2"}), redact("hunter22", {"hunter2"})
    ('パスワードは*****です', 'hunter22')
    """
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        around = "[a-zA-Z0-9]" if secret.isascii() else r"[^\W_]"
        text = re.sub(rf"(?<!{around}){re.escape(secret)}(?!{around})", HIDDEN, text)
    return text
