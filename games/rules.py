"""The common ground of every game: sides, options, outcomes, errors and the Game protocol.

Rules are pure. A position is an immutable, hashable value; playing a move gives a new one; the same moves from
the same options give the same position on every machine. Nothing here knows of players, mail or clocks: swap,
resignation, agreed draws, undo and time belong to the match, never to a game.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

from games.scene import Scene

MAX_MOVE_TEXT = 2000
"""Characters of a move's text that are looked at; longer texts are no move of any game."""

MAX_QUOTED = 80
"""Characters of a player's own words that are given back to them in a refusal."""

_TYPOGRAPHIC = str.maketrans(
    {
        **dict.fromkeys("‐‑‒–—―−﹣", "-"),
        **dict.fromkeys("×✕✖", "x"),
        **dict.fromkeys("→➔➜›»", ">"),
        **dict.fromkeys("،、", ","),
        **dict.fromkeys("‘’“”„‚«\u200b\u200c\u200d\u2060\ufeff\u00ad", None),
    }
)
_CELL = re.compile(r"([a-z])[\s_.-]*([0-9]{1,4})|([0-9]{1,4})[\s_.-]*([a-z])")


def fold(text: str) -> str:
    """The text in one plain form: full-width and typographic characters made ASCII, lower case, outer noise cut.

    A text of more than MAX_MOVE_TEXT characters folds to the empty text.
    """
    if len(text) > MAX_MOVE_TEXT:
        return ""
    plain = text.lower()
    if not text.isascii():
        plain = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHIC)).translate(_TYPOGRAPHIC).casefold()
    return " ".join(plain.split()).strip(" .!?;:,\"'`*()[]{}")


def read_cell(folded: str) -> tuple[str, int] | None:
    """The letter (lower case) and number of a folded text like "f6", "f-6", "f 6" or "6f"; None if it is no cell."""
    match = _CELL.fullmatch(folded)
    if match is None:
        return None
    letter, number = match[1] or match[4], match[2] or match[3]
    return letter, int(number)


def quoted(text: str) -> str:
    """The player's words between quotation marks, shortened to what a sentence can hold."""
    plain = " ".join(text.split())
    return f'"{plain}"' if len(plain) <= MAX_QUOTED else f'"{plain[:MAX_QUOTED]}..."'


def joined(words: Iterable[str], link: str = "and") -> str:
    """Words as a sentence has them: "a", "a and b", "a, b and c"; empty for none."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {link} {last}" if most else last


def counted(number: int, noun: str) -> str:
    """So many things: "1 board", "2 boards", "3 addresses"."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def lettered(index: int) -> str:
    """The letters of a place in a list of any length: A for 0, Z for 25, AA for 26."""
    return (lettered(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


class Side(IntEnum):
    """A colour of the game. The first side is the one seat 1 has when the match starts."""

    FIRST = 1
    SECOND = 2

    @property
    def other(self) -> Side:
        return Side.SECOND if self is Side.FIRST else Side.FIRST


class GameError(Exception):
    """A sentence for the player: quotes the offending word, says why, and what would work."""


class OptionError(GameError):
    """A challenge option is unknown, malformed or out of range."""


class MoveError(GameError):
    """A text is not a legal move here; nothing was changed.

    candidates: canonical notations of legal moves near to what was meant, best first; may be empty.
    """

    def __init__(self, sentence: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.candidates = tuple(candidates)


class BadNotation(MoveError):
    """The text cannot be read as a move of this game at all."""


class IllegalMove(MoveError):
    """The text names a move which the rules forbid in this position."""


class AmbiguousMove(MoveError):
    """The text fits several legal moves; the candidates name them all."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its own rules."""

    winner: Side | None
    """None means a draw."""
    reason: str
    """A clause that fits after "won" or "drawn", such as "by connecting three sides"."""
    scores: tuple[int, int] | None = None
    """Points of the first and second side, for games that count points."""


def leader(scores: tuple[int, int]) -> Side | None:
    """The side that has more points; None where both have as many."""
    first, second = scores
    return None if first == second else Side.FIRST if first > second else Side.SECOND


REPETITIONS = 3
"""How often a position comes until the game is a draw, in games that mind that."""
RECURS = "This position is here for the second time; the third time is a draw."

YES_NO = ("yes", "no")
_HALF = re.compile(r"(-?[0-9]{1,3})[.,]5")


@dataclass(frozen=True, slots=True)
class Option:
    """One word of a challenge, `-name=value`. A numeric option has low and high (both included), any other its choices.

    Where the choices are YES_NO the name alone means yes.
    """

    name: str
    meaning: str
    default: int | str | None
    """None means that leaving the option out has a meaning of its own, told in `meaning`."""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    halves: bool = False
    """Values are a whole number, by low and high, and .5 after it; kept as text."""

    @property
    def usage(self) -> str:
        return f"-{self.name}=" + ("|".join(self.choices) or ("N.5" if self.halves else "N"))

    @property
    def range(self) -> str:
        if self.halves:
            return f"a number from {self.low}.5 to {self.high}.5 that ends in .5"
        return " or ".join(self.choices) if self.choices else f"a number from {self.low} to {self.high}"

    def read(self, value: str) -> int | str:
        """The value as the rules want it. Raises: OptionError."""
        if self.choices:
            if value in self.choices:
                return value
        elif self.halves:
            found = _HALF.fullmatch(value)
            if found and self.low <= int(found[1]) <= self.high:
                return f"{found[1]}.5"
        elif value.isascii() and value.isdecimal() and len(value) <= 12 and self.low <= int(value) <= self.high:
            return int(value)
        raise OptionError(f"{quoted(f'-{self.name}={value}')} does not fit: -{self.name} takes {self.range}.")


class OptionValues:
    """The options of one challenge, read by their specifications; defaults filled in. Equal where all values are."""

    def __init__(self, options: Sequence[Option], words: Sequence[str]) -> None:
        """words: such as "-size=6", in any case and order. Raises: OptionError naming the word and what it may be."""
        known = {option.name: option for option in options}
        self._values: dict[str, int | str] = {}
        for word in words:
            name, equals, value = word.lstrip("-").casefold().partition("=")
            option = known.get(name)
            if option is None:
                fitting = ", ".join(o.usage for o in options) or "none"
                raise OptionError(f"{quoted(word)} is not an option of this game. Its options: {fitting}.")
            if name in self._values:
                raise OptionError(f"{quoted(word)}: -{name} was given twice.")
            if not equals and option.choices == YES_NO:
                value, equals = "yes", "="
            if not equals:
                raise OptionError(f'"{word}" lacks its value: write {option.usage}, with {option.range}.')
            self._values[name] = option.read(value)
        self.given = frozenset(self._values)
        for option in options:
            if option.default is not None:
                self._values.setdefault(option.name, option.default)
        self._hash = hash(frozenset(self._values.items()))

    def number(self, name: str) -> int:
        return int(self._values[name])

    def choice(self, name: str) -> str:
        return str(self._values[name])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionValues) and self._values == other._values

    def __hash__(self) -> int:
        return self._hash


KINDS = ("connection", "lines", "territory", "movement", "graphs and geometry")
"""The aims of games; a list of games groups them by these."""


@dataclass(frozen=True, slots=True)
class Info:
    """A game's account of itself; help pages, usage lines and mails are made from it."""

    name: str
    title: str
    kind: str
    """What the game is about, one of KINDS, by which games are listed."""
    summary: str
    source: str
    options: tuple[Option, ...] = ()
    version: int = 1
    """Raised when a change of the rules alters what some stored record means."""
    swap: bool = False
    """After the first ply the second player may take over the first player's side, in place of a move."""
    takes_body: bool = False
    """The body of a challenge may describe the board (`options(..., body=text)`)."""
    halves: bool = False
    """Scores count half points."""
    sgf: int = 0
    """The game's number (GM) in the Smart Game Format, in which its records then are; 0 for none."""
    octets_a_ply: int = 0
    """About how much positions grow with each ply in memory, where they hold those before them."""

    @property
    def options_usage(self) -> str:
        return " ".join(f"[{option.usage}]" for option in self.options)


O = TypeVar("O")  # noqa: E741  options, position, move: the letters of the protocol
P = TypeVar("P")
M = TypeVar("M")


class Game(Protocol[O, P, M]):
    """The rules of one game. Options, positions and moves are frozen and hashable."""

    @property
    def info(self) -> Info: ...

    def options(self, words: Sequence[str], *, body: str = "") -> O:
        """Read a challenge's words. body: a board drawn by the challenger, only where info.takes_body.

        Raises: OptionError.
        """

    def sides(self, options: O) -> tuple[str, str]:
        """Names of the first and the second side, such as ("O", "X")."""

    def start(self, options: O) -> P: ...

    def to_move(self, pos: P) -> Side:
        """Meaningless once outcome() is not None."""

    def moves(self, pos: P) -> Iterator[M]:
        """Every legal move once, in a fixed order, lazily; empty when the game is over.

        A game whose list explodes yields a documented useful part of it and says so in its module docstring.
        """

    def parse(self, pos: P, text: str) -> M:
        """Lenient in, always legal out; never guesses between two legal moves. Raises: MoveError."""

    def notate(self, pos: P, move: M) -> str:
        """The one canonical text of a legal move: parse(pos, notate(pos, move)) == move."""

    def play(self, pos: P, move: M) -> P:
        """The position after a legal move; a move not made by parse or moves of this position may raise IllegalMove."""

    def outcome(self, pos: P) -> Outcome | None: ...

    def scene(self, pos: P, last: M | None) -> Scene:
        """The scene to draw. last: the move that led here, to be marked."""


class Judging(ABC, Generic[P, M]):
    """A game that reads a move first, and judges it then."""

    @abstractmethod
    def read(self, pos: P, text: str) -> M:
        """The move that a text names, be it legal or not. Raises: BadNotation, IllegalMove."""

    @abstractmethod
    def check(self, pos: P, move: M) -> None:
        """Raises: MoveError unless a move that was read may be played while the game goes on."""

    @abstractmethod
    def outcome(self, pos: P) -> Outcome | None: ...

    def judge(self, pos: P, move: M) -> None:
        """Raises: MoveError unless a move that was read may be played."""
        if self.outcome(pos) is not None:
            raise IllegalMove("The game is over.")
        self.check(pos, move)

    def parse(self, pos: P, text: str) -> M:
        move = self.read(pos, text)
        self.judge(pos, move)
        return move


class Coloured(Judging[P, M]):
    """A game whose sides have the same names whatever its options are, and whose options are just their values."""

    info: Info
    colours: tuple[str, str]
    """Names of the sides; their first letters are those of their pieces."""

    def options(self, words: Sequence[str], *, body: str = "") -> OptionValues:
        return OptionValues(self.info.options, words)

    def sides(self, options: OptionValues) -> tuple[str, str]:
        return self.colours


class Ability(ABC):  # noqa: B024  each ability below has its methods
    """What a game may do besides, told by its methods; for each class of games that is looked up once."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return all(hasattr(kind, name) for name in cls.__abstractmethods__)


class Forcing(Ability):
    """A game in which a side may have nothing to decide: the server plays its only move, so nobody waits for it."""

    @abstractmethod
    def forced(self, pos: Any) -> Any | None:
        """The only legal move, such as a pass, where it is to be played at once; None where a player is to choose."""


class Trusting(Ability):
    """A game that reads a move without judging it, as where it was judged when it was played."""

    @abstractmethod
    def read(self, pos: Any, text: str) -> Any:
        """The move that a text names, be it legal or not. Raises: BadNotation, IllegalMove."""


class Leaping(Ability):
    """A game that plays many moves in one pass where they were judged when they were played."""

    @abstractmethod
    def leapt(self, pos: Any, texts: Sequence[str]) -> Any | None:
        """The position after the moves that records have so, the same as by reading and playing each of them.

        None where one of them has to be read by itself, be it in vain.
        """


class Stepwise(Ability):
    """A game whose moves begin with a cell: to touch it is to play its only move, or to begin one."""

    @abstractmethod
    def beginnings(self, pos: Any) -> Mapping[str, str]:
        """By the name of each cell that a move may begin with: its only move, such as "d1-d2", or else what all of them
        begin with, such as "d1-".
        """


class Threatening(Ability):
    """A game that tells what the side that is not to move would do, for those who do not see it on the board."""

    @abstractmethod
    def threats(self, pos: Any) -> Sequence[str]:
        """Sentences, the most urgent first. The game goes on."""


class Fluent(Ability):
    """A game that writes all its moves down much sooner than one by one."""

    @abstractmethod
    def notations(self, pos: Any) -> list[str]:
        """Of all that `moves` yields, in that order."""


def notations(game: Game[Any, P, Any], pos: P, most: int) -> list[str]:
    """The first legal moves as records have them."""
    if isinstance(game, Fluent):
        return game.notations(pos)[:most]
    return [game.notate(pos, move) for move in islice(game.moves(pos), most)]


class Chance(Protocol):
    """A source of chance that a caller hands in, such as a `random.Random`."""

    def randrange(self, stop: int, /) -> int: ...

    def choice(self, among: Sequence[M], /) -> M: ...


class Sampling(Ability):
    """A game that draws a move at random much faster than it lists them."""

    @abstractmethod
    def sample(self, pos: Any, dice: Chance) -> Any:
        """A legal move while the game goes on; the same for the same dice. The game says how likely each is."""


def any_move(game: Game[Any, P, M], pos: P, dice: Chance, most: int = 1000) -> M:
    """A legal move at random: the game's own sample, or else one of the first ones, each as likely."""
    if isinstance(game, Sampling):
        move: M = game.sample(pos, dice)
        return move
    return dice.choice(list(islice(game.moves(pos), most)))


class Lopsided(Ability):
    """A game that one side wins whoever begins, with some options; such games are not rated."""

    @abstractmethod
    def lopsided(self, options: Any) -> bool:
        """Whether the options favour one side by far."""


class Preset(Ability):
    """A game whose challenges mean more today than their words once did: records keep the words that were added."""

    @abstractmethod
    def preset(self, words: Sequence[str], *, body: str = "", seed: int | None = None) -> list[str]:
        """The words of a new challenge, with those it means without saying them. Raises: OptionError.

        seed: what chance may choose by that the words leave to it, in words that are added; None: nothing is chosen.
        """


class Detailed(Ability):
    """A game that programs have to be told more of than its board shows."""

    @abstractmethod
    def details(self, pos: Any) -> Mapping[str, Any]:
        """Values for JSON, by name. `turn` tells what a move may be where moves() yields some of the legal ones."""


class Zoomable(Ability):
    """A game whose board can be too crowded to read, and so can be shown around a point."""

    @abstractmethod
    def zoom(self, pos: Any, last: Any, point: str, factor: int) -> Scene:
        """The board around a named point, magnified. point: as a player types it; factor: at least 1.

        Raises: MoveError when there is no such point or the factor is out of range.
        """
