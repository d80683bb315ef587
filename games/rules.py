"""What all games share: sides, options, outcomes, errors and the Game protocol.

Rules are pure. A position is an immutable, hashable value; playing a move returns a new one; the same moves from the
same options give the same position on every machine. Nothing here knows about players, mail or clocks: swap,
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
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

if TYPE_CHECKING:  # who only lists matches needs no boards
    from games.scene import Scene

MAX_MOVE_TEXT = 2000
"""The most characters of a move's text; longer texts are not moves in any game."""

MAX_QUOTED = 80
"""The most characters of a player's own words quoted in a refusal."""

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
    """The text in a plain form: in lower case, full-width and typographic characters and all digits as ASCII, outer
    punctuation cut.

    A text of more than MAX_MOVE_TEXT characters becomes empty.
    """
    # A whole mail may be tried as a move.
    if len(text) > MAX_MOVE_TEXT:
        return ""
    plain = text.lower()
    if not text.isascii():
        # A second time, because NFKC makes marks of the table out of others: a small em dash becomes an em dash.
        plain = unicodedata.normalize("NFKC", text.translate(_TYPOGRAPHIC)).translate(_TYPOGRAPHIC).casefold()
        # NFKC leaves the digits of other scripts, which a telephone set to Arabic or Hindi types.
        plain = "".join(str(unicodedata.decimal(char, char)) for char in plain)
    return " ".join(plain.split()).strip(" .!?;:,\"'`*()[]{}")


def read_cell(folded: str) -> tuple[str, int] | None:
    """The lower-case letter and the number of a folded text like "f6", "f-6", "f 6" or "6f"; None if it is no cell."""
    match = _CELL.fullmatch(folded)
    if match is None:
        return None
    letter, number = match[1] or match[4], match[2] or match[3]
    return letter, int(number)


def quoted(text: str) -> str:
    """The player's words in quotation marks, shortened to MAX_QUOTED characters."""
    plain = " ".join(text.split())
    return f'"{plain}"' if len(plain) <= MAX_QUOTED else f'"{plain[:MAX_QUOTED]}..."'


def joined(words: Iterable[str], link: str = "and") -> str:
    """Words joined as in a sentence: "a", "a and b", "a, b and c"; empty for none."""
    *most, last = [*words] or [""]
    return f"{', '.join(most)} {link} {last}" if most else last


def counted(number: int, noun: str) -> str:
    """A number of things: "1 board", "2 boards", "3 addresses"."""
    return f"{number} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def lettered(index: int) -> str:
    """The letters for an index: A for 0, Z for 25, AA for 26."""
    return (lettered(index // 26 - 1) if index >= 26 else "") + chr(ord("A") + index % 26)


class Side(IntEnum):
    """A colour of the game. Seat 1 has the first side when the match starts."""

    FIRST = 1
    SECOND = 2

    @property
    def other(self) -> Side:
        return Side.SECOND if self is Side.FIRST else Side.FIRST

    @property
    def sign(self) -> int:
        """1 for the first side and -1 for the second, for values that are the first side's."""
        return 1 if self is Side.FIRST else -1


class GameError(Exception):
    """A refusal whose text is a sentence for the player: it quotes the wrong word, says why, and what would work."""


class OptionError(GameError):
    """A challenge option is unknown, malformed or out of range."""


class MoveError(GameError):
    """A text is not a legal move here; nothing was changed.

    candidates: canonical notations of legal moves that may be meant, the best first; may be empty.
    """

    def __init__(self, sentence: str, candidates: Sequence[str] = ()) -> None:
        super().__init__(sentence)
        self.candidates = tuple(candidates)


class BadNotation(MoveError):
    """The text cannot be read as a move of this game at all."""


class IllegalMove(MoveError):
    """The text names a move that the rules forbid in this position."""


class AmbiguousMove(MoveError):
    """The text fits several legal moves, which are the candidates."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended by its own rules."""

    winner: Side | None
    """None for a draw."""
    reason: str
    """A clause to follow "won" or "drawn", such as "by connecting three sides"."""
    scores: tuple[int, int] | None = None
    """The points of the first and second side, in games that count points."""


def leader(scores: tuple[int, int]) -> Side | None:
    """The side with more points; None if both have the same."""
    first, second = scores
    return None if first == second else Side.FIRST if first > second else Side.SECOND


def score(names: Sequence[str], points: Sequence[int]) -> str:
    """A sentence on the points of the sides, such as "Yellow 3, Purple 5."."""
    return ", ".join(f"{name} {count}" for name, count in zip(names, points, strict=True)) + "."


REPETITIONS = 3
"""How often a position must occur for a draw, in games with that rule."""
RECURS = "This position is here for the second time; the third time is a draw."

YES_NO = ("yes", "no")
_ALWAYS = {"size": ("radius", "n"), "colours": ("colors",)}
"""What the options of these names are called besides, in every game."""
_HALF = re.compile(r"(-?[0-9]{1,3})[.,]50*")


@dataclass(frozen=True, slots=True)
class Option:
    """One word of a challenge, `-name=value`. A numeric option has low and high (both included), any other its choices.

    If the choices are YES_NO, the name alone means yes.
    """

    name: str
    meaning: str
    default: int | str | None
    """None if leaving the option out has a special meaning, described in `meaning`."""
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    halves: bool = False
    """Values are a whole number from low to high followed by .5, kept as text."""
    also: tuple[str, ...] = ()
    """Other names of it."""
    synonyms: tuple[tuple[str, str], ...] = ()
    """Other words for a choice, each with the choice."""
    stands_for: str = ""
    """The words of other options that say the same, with N for its value; this one is told to nobody."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names that lead to it."""
        return (self.name, *self.also, *_ALWAYS.get(self.name, ()))

    @property
    def usage(self) -> str:
        return f"-{self.name}=" + ("|".join(self.choices) or ("N.5" if self.halves else "N"))

    @property
    def range(self) -> str:
        if self.halves:
            return f"a number from {self.low}.5 to {self.high}.5 that ends in .5"
        return " or ".join(self.choices) if self.choices else f"a number from {self.low} to {self.high}"

    def read(self, value: str) -> int | str:
        """The value for the rules. Raises: OptionError."""
        if self.choices:
            if value in self.choices:
                return value
        elif self.halves:
            half = _HALF.fullmatch(value)
            if half and self.low <= int(half[1]) <= self.high:
                return f"{half[1]}.5"
        # int() reads the digits of every script, and raises for one of more than 4,300.
        elif value.isascii() and value.isdecimal() and len(value) <= 12 and self.low <= int(value) <= self.high:
            return int(value)
        raise OptionError(f"{quoted(f'-{self.name}={value}')} does not fit: -{self.name} takes {self.range}.")


def spelled(options: Sequence[Option], word: str) -> list[str]:
    """A word of a challenge in the spelling that records keep; unknown words stay as they are. Raises: OptionError.

    >>> spelled([Option("size", "cells per side", 6, low=2, high=10)], "--radius=4")
    ['-size=4']
    """
    name, equals, value = word.lstrip("-").casefold().partition("=")
    option = next((option for option in options if name in option.names), None)
    if option is None:
        return [word]
    value = dict(option.synonyms).get(value, value)
    # "-fair=no" is kept, because it says that a random board is to stay as it falls.
    if option.stands_for and value != "no":
        number = str(option.read(value or "yes"))
        return [other.replace("N", number) for other in option.stands_for.split()]
    return [f"-{option.name}{equals}{value}"]


class OptionValues:
    """The options of one challenge, with defaults filled in. Equal if all values are."""

    def __init__(self, options: Sequence[Option], words: Sequence[str]) -> None:
        """words: such as "-size=6", in any case and order. Raises: OptionError, naming the word and what is allowed."""
        by_name = {option.name: option for option in options}
        self._values: dict[str, int | str] = {}
        for word in words:
            name, equals, value = word.lstrip("-").casefold().partition("=")
            option = by_name.get(name)
            if option is None:
                # One word is enough: what only stands for other options would be a second way to say the same.
                fitting = ", ".join(one.usage for one in options if not one.stands_for) or "none"
                raise OptionError(f"{quoted(word)} is not an option of this game. Its options: {fitting}.")
            if name in self._values:
                raise OptionError(f"{quoted(word)}: -{name} was given twice.")
            if not equals:
                if option.choices != YES_NO:
                    raise OptionError(f'"{word}" lacks its value: write {option.usage}, with {option.range}.')
                value = "yes"
            self._values[name] = option.read(value)
        self.given = frozenset(self._values)
        for option in options:
            if option.default is not None:
                self._values.setdefault(option.name, option.default)
        self._hash = hash(frozenset(self._values.items()))

    def leave_only(self, allowed: str, drawn: str) -> None:
        """Raises: OptionError for any option but one. drawn: the board in the body, such as "a graph"."""
        for name in sorted(self.given - {allowed}):
            raise OptionError(f'"-{name}" and {drawn} in the body exclude each other: leave out one of them.')

    def number(self, name: str) -> int:
        return int(self._values[name])

    def choice(self, name: str) -> str:
        return str(self._values[name])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OptionValues) and self._values == other._values

    def __hash__(self) -> int:
        return self._hash


KINDS = ("connection", "lines", "territory", "movement", "graphs and geometry")
"""The kinds of games, by which a list of games is grouped."""


MAX_SHORT = 18
"""The most characters of a title that stands before a board's number."""


@dataclass(frozen=True, slots=True)
class Info:
    """A game's description of itself, used by help pages, usage lines and mails."""

    name: str
    title: str
    kind: str
    """One of KINDS."""
    summary: str
    source: str
    options: tuple[Option, ...] = ()
    version: int = 1
    """Raised if a change of the rules alters the meaning of stored records."""
    swap: bool = False
    """After the first ply the second player may take over the first player's side, in place of a move."""
    halves: bool = False
    """Scores count half points."""
    sgf: int = 0
    """The game's number (GM) in the Smart Game Format, which its records then use; 0 for none."""

    @property
    def short_title(self) -> str:
        """The title, or the name in its place if it is long: a phone shows only some 35 characters of a subject."""
        return self.title if len(self.title) <= MAX_SHORT else self.name.capitalize()

    @property
    def options_usage(self) -> str:
        return " ".join(f"[{option.usage}]" for option in self.told)

    @property
    def told(self) -> tuple[Option, ...]:
        """The options that players are told of."""
        return tuple(option for option in self.options if not option.stands_for)


O = TypeVar("O")  # noqa: E741  options, position, move: the letters of the protocol
P = TypeVar("P")
M = TypeVar("M")


class Game(Protocol[O, P, M]):
    """The rules of one game. Options, positions and moves are frozen and hashable."""

    @property
    def info(self) -> Info: ...

    def options(self, words: Sequence[str], *, body: str = "") -> O:
        """The options in a challenge's words. body: a board drawn by the challenger, only if the game is Drawable.

        Raises: OptionError.
        """

    def sides(self, options: O) -> tuple[str, str]:
        """The names of the first and the second side, such as ("O", "X")."""

    def start(self, options: O) -> P: ...

    def to_move(self, pos: P) -> Side:
        """Meaningless once outcome() is not None."""

    def moves(self, pos: P) -> Iterator[M]:
        """Every legal move once, in a fixed order, lazily; empty when the game is over.

        A game with too many moves yields a useful part of them, which its module docstring describes.
        """

    def parse(self, pos: P, text: str) -> M:
        """The legal move that a text names, read leniently, but never by guessing between two. Raises: MoveError."""

    def notate(self, pos: P, move: M) -> str:
        """The one canonical text of a legal move: parse(pos, notate(pos, move)) == move."""

    def play(self, pos: P, move: M) -> P:
        """The position after a legal move; a move not from parse or moves of this position may raise IllegalMove."""

    def outcome(self, pos: P) -> Outcome | None: ...

    def scene(self, pos: P, last: M | None) -> Scene:
        """The scene to show. last: the move that led here, to be marked."""


AnyGame = Game[Any, Any, Any]
"""A game whose options, positions and moves are opaque values."""


class Judging(ABC, Generic[P, M]):
    """A game that reads a move first and then judges it."""

    @abstractmethod
    def read(self, pos: P, text: str) -> M:
        """The move that a text names, legal or not. Raises: BadNotation, IllegalMove."""

    @abstractmethod
    def check(self, pos: P, move: M) -> None:
        """Raises: MoveError unless a move from `read` may be played, given that the game goes on."""

    @abstractmethod
    def outcome(self, pos: P) -> Outcome | None: ...

    def judge(self, pos: P, move: M) -> None:
        """Raises: MoveError unless a move from `read` may be played."""
        if self.outcome(pos) is not None:
            raise IllegalMove("The game is over.")
        self.check(pos, move)

    def parse(self, pos: P, text: str) -> M:
        move = self.read(pos, text)
        self.judge(pos, move)
        return move


class Coloured(Judging[P, M]):
    """A game whose sides always have the same names, and whose options are OptionValues."""

    info: Info
    colours: tuple[str, str]
    """The names of the sides; their first letters are on their pieces."""

    def options(self, words: Sequence[str], *, body: str = "") -> OptionValues:
        return OptionValues(self.info.options, words)

    def sides(self, options: OptionValues) -> tuple[str, str]:
        return self.colours


class Ability(ABC):  # noqa: B024  each ability below has its methods
    """An optional ability of a game, recognized by its methods; each class of games is checked once."""

    @classmethod
    def __subclasshook__(cls, kind: type) -> bool:
        return all(hasattr(kind, name) for name in cls.__abstractmethods__)


class Drawable(Ability):
    """A game whose board a challenger may draw, in lines of text (`options(..., body=text)`)."""

    @abstractmethod
    def board_in(self, lines: Sequence[str]) -> range:
        """The lines from the first to the last that the game takes for a part of a board; empty if there is none."""


class Forcing(Ability):
    """A game in which a side may have no choice; the server plays its only move, so that nobody waits for it."""

    @abstractmethod
    def forced(self, pos: Any) -> Any | None:
        """The only legal move, such as a pass, if it should be played at once; None if a player should choose."""


class Trusting(Ability):
    """A game that can read a move without judging it, for moves that were judged when played."""

    @abstractmethod
    def read(self, pos: Any, text: str) -> Any:
        """The move that a text names, be it legal or not. Raises: BadNotation, IllegalMove."""


class Stepwise(Ability):
    """A game whose moves begin with a cell; touching it plays its only move, or begins one."""

    @abstractmethod
    def beginnings(self, pos: Any) -> Mapping[str, str]:
        """For the name of each cell that a move may begin with: its only move, such as "d1-d2", or otherwise the common
        beginning of its moves, such as "d1-".
        """


class Threatening(Ability):
    """A game that can describe the threats of the side not to move, for players who cannot see the board."""

    @abstractmethod
    def threats(self, pos: Any) -> Sequence[str]:
        """Sentences, the most urgent first. Called only while the game goes on."""


def notations(game: Game[Any, P, Any], pos: P, most: int) -> list[str]:
    """The canonical notations of the first legal moves, at most `most`."""
    return [game.notate(pos, move) for move in islice(game.moves(pos), most)]


class Chance(Protocol):
    """A source of randomness from the caller, such as a `random.Random`."""

    def randrange(self, stop: int, /) -> int: ...

    def choice(self, among: Sequence[M], /) -> M: ...


class Sampling(Ability):
    """A game that can draw a random move much faster than it lists them."""

    @abstractmethod
    def sample(self, pos: Any, dice: Chance) -> Any:
        """A legal move while the game goes on; the same for the same dice. The game documents the probabilities."""


def any_move(game: Game[Any, P, M], pos: P, dice: Chance, most: int = 1000) -> M:
    """A random legal move: the game's own sample, otherwise one of the first moves with equal probability."""
    # Luddit has more turns than can be listed.
    if isinstance(game, Sampling):
        move: M = game.sample(pos, dice)
        return move
    return dice.choice(list(islice(game.moves(pos), most)))


class Lopsided(Ability):
    """A game in which, with some options, one side nearly always wins; such matches are not rated."""

    @abstractmethod
    def lopsided(self, options: Any) -> bool:
        """Whether the options strongly favour one side."""


class Preset(Ability):
    """A game whose new challenges imply more than older ones with the same words: records keep the added words."""

    @abstractmethod
    def preset(self, words: Sequence[str], *, body: str = "", seed: int | None = None) -> list[str]:
        """The words of a new challenge, with those that it implies. Raises: OptionError.

        seed: for random choices that the words leave open, made by adding words; None to leave them open.
        """


class Detailed(Ability):
    """A game about which programs need more than its board shows."""

    @abstractmethod
    def details(self, pos: Any) -> Mapping[str, Any]:
        """Values for JSON, by name. `turn` describes the legal moves if moves() yields only some of them."""


class Zoomable(Ability):
    """A game whose board can be too crowded to read, so that it can be shown magnified around a point."""

    @abstractmethod
    def zoom(self, pos: Any, last: Any, point: str, factor: int) -> Scene:
        """The board around a named point, magnified. point: as a player types it. factor: at least 1.

        Raises: MoveError if there is no such point or the factor is out of range.
        """
