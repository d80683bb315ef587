"""Wishes in plain words that are not acts on a board: for time, a game, to be shown or told something."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum

from games import GAMES
from pbm.domain.idioms import answers, vocabulary, wishes
from pbm.domain.meaning import Act, deed_of, plain, sentences, uncourteous

_MOST_JOINED = 3
"""The most questions in one sentence."""
_ALSO_WORDS = frozenset({"go", "y", "four", "dots", "cross"})
_BEFORE_GAMES = frozenset("play playing of at al au à jogar about like learn try explain rules help teach".split())  # noqa: SIM905
_AFTER_GAMES = frozenset({"spielen", "spelen"})
_CLAUSES = re.compile(r",| and ")


class Wish(StrEnum):
    """A wish that is not an act on the board. REST: to be away. NUDGE: to have somebody reminded. RIVAL: to know the
    opponent. TURN: to know what a named player has played, or when they will.
    """

    TIME = "time"
    PAUSE = "pause"
    REST = "rest"
    REMIND = "remind"
    NUDGE = "nudge"
    BOARDS = "boards"
    ENDED = "ended"
    GAMES = "games"
    STANDINGS = "standings"
    RIVAL = "rival"
    LOOK = "look"
    TURN = "turn"
    WHO = "who"
    THANKS = "thanks"


def wished(text: str) -> Wish | None:
    """The wish of a text, if the rest is courtesy; None for any other text.

    >>> wished("Hi Anna, please give me more time."), wished("Thanks a lot!"), wished("Thanks. I am lost in thought.")
    (<Wish.TIME: 'time'>, <Wish.THANKS: 'thanks'>, None)
    >>> wished("Whose move is it and how long do I have?"), wished("Whose move is it and how are you?")
    (<Wish.LOOK: 'look'>, None)
    """
    found: list[Wish] = []
    for sentence in sentences(text):
        if (wish := _wish(sentence.plain)) is not None:
            found.append(wish)
        elif not all(
            answers.THANKS.fullmatch(clause) for clause in map(plain, _CLAUSES.split(sentence.plain)) if clause
        ):
            return None
    return found[0] if found else Wish.THANKS if sentences(text) else None


def _wish(said: str) -> Wish | None:
    """The wish of a sentence; LOOK if it is several questions about the game."""
    wish = next((Wish(name) for name, row in wishes.WISHES.items() if row.fullmatch(said)), None)
    parts = said.split(" and ")
    if wish is not None or not 1 < len(parts) <= _MOST_JOINED:
        return wish
    found = {_wish(part.strip(" ,.!?")) for part in parts}
    return Wish.LOOK if Wish.LOOK in found <= {Wish.LOOK, Wish.RIVAL} else None


def asks_rules(text: str) -> bool:
    """Whether the text only asks for the rules."""
    return _is_nothing_but(lambda said: deed_of(said) is Act.RULES, text)


def given(text: str) -> tuple[str, str]:
    """The time that the writer gives, as in the command, and the player; "" for the opponent.

    >>> given("Sure, I'll give you three more days"), given("I give Bo 12 hours."), given("Will you give me 2 days?")
    (('3d', ''), ('12h', 'bo'), ('', ''))
    """
    found = next(filter(None, (wishes.GIVEN.fullmatch(sentence.plain) for sentence in sentences(text))), None)
    if found is None:
        return "", ""
    count = vocabulary.COUNTS.get(found["count"], found["count"])
    return f"{count}{found['unit'][0]}", found["whom"] or ""


def game_named(words: str) -> str:
    """The game that words name; a name that is also a common word needs one like "play" before it.

    >>> [game_named(said) for said in ("let's go and play hex", "I want to play go", "ich will Go spielen", "let's go")]
    ['hex', 'go', 'go', '']
    """
    bare = [word.strip(".,!?:;") for word in plain(words).replace("teach me ", "teach ").split()]
    named = next(
        (
            word
            for before, word, behind in zip(["", *bare], bare, [*bare[1:], ""], strict=False)
            if word in GAMES and (word not in _ALSO_WORDS or before in _BEFORE_GAMES or behind in _AFTER_GAMES)
        ),
        "",
    )
    said = f" {' '.join(bare)} "
    titles = {game.info.title.casefold(): name for name, game in GAMES.items() if " " in game.info.title}
    others = {**titles, **{other: name for other, name in vocabulary.OTHER_NAMES.items() if name in GAMES}}
    return next((name for other, name in others.items() if f" {other} " in said), named)


def game_wanted(text: str) -> str:
    """The game that the writer wants to play, known or not; "" for none.

    >>> game_wanted("I want to play othello"), game_wanted("Let's play mahjong!"), game_wanted("I want to play now")
    ('reversi', 'mahjong', '')
    """
    found = wishes.WANTED.search(plain(text))
    word = found["game"] if found else ""
    return game_named(text) or ("" if word in vocabulary.COMMON | vocabulary.NO_GAMES else word)


def game_elsewhere(text: str) -> str:
    """The well-known game a text mentions that is not played here; "" for none, or if it mentions one of ours, too.

    >>> game_elsewhere("Do you play Chess?"), game_elsewhere("Is hex like chess?"), game_elsewhere("Hello!")
    ('chess', '', '')
    """
    found = vocabulary.ELSEWHERE.search(plain(text))
    return found[0] if found and not game_named(text) else ""


def starts(text: str) -> bool:
    """Whether the writer wants a game at once, as in "I'm ready, let's play!" and "Hex please"."""
    core = uncourteous(plain(text))
    is_named = core in GAMES and core != plain(text)
    return is_named or any(wishes.STARTS.fullmatch(sentence.plain) for sentence in sentences(text))


def again(text: str) -> bool:
    """Whether the writer wants to play the same game again, as in "Another game?"."""
    return any(wishes.REMATCH.fullmatch(sentence.plain) for sentence in sentences(text))


def lost(text: str) -> bool:
    """Whether the text only says that its writer is lost: "help me", "huh?", "What do I do now?"."""
    return _is_nothing_but(wishes.LOST.fullmatch, text) if sentences(text) else "?" in text


def _is_nothing_but(kind: Callable[[str], object], text: str) -> bool:
    """Whether some sentences are of this kind, and all others are courtesies."""
    said = [sentence.plain for sentence in sentences(text)]
    others = [each for each in said if not kind(each)]
    return len(others) < len(said) and all(map(answers.THANKS.fullmatch, others))
