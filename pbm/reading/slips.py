"""Lines that are no command: the error that says so, with what may have been meant. `commands.parse` raises them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import permutations

from games import GAMES
from games.rules import joined
from pbm.domain.errors import BadArguments, NotFound, UnknownCommand
from pbm.domain.settings import CHOICES
from pbm.reading.book import named
from pbm.reading.book import words as kind
from pbm.reading.verbs import VERBS, Standing, Verb, find, forms, is_option, suits_but_for_end, usage

_NOUNS = frozenset({"the", "a", "my", "board", "game", "player", "of"})
"""Words that may follow such a verb before its object: "watch board 101"."""
_LIKE = 0.75
"""How similar to a game's name a word must be to mean it."""
_MEANT = 0.7
"""How similar to a command a word must be to mean it."""
_ROBOT = re.compile(r"\brobot[ -]([1-5])\b")


def unknown(words: list[str]) -> UnknownCommand:
    """The refusal of a line that begins with neither a verb nor a game."""
    if not words:
        return UnknownCommand("The email contains no command.")
    if (name := words[0].casefold()) in CHOICES:
        return UnknownCommand(f'"{name}" is a setting.', f"set {name} VALUE" if words[1:] else f"set {name}")
    if called := named("verbs-elsewhere").get(name):
        told = [word for word in words[1:] if word.casefold() not in _NOUNS]
        return UnknownCommand(f'"{name}" is called {called} here.', " ".join([called, *told[:1]]))
    names = [*GAMES, *names_of_verbs(per_game=None)]
    shown = words[0] if len(words[0]) <= 40 else words[0][:40] + "..."
    meant = "" if is_said(words[0]) else nearest(words[0].casefold(), names)
    helps = "tournaments" if words[0].casefold() in ("event", "tournament") else "help"
    return UnknownCommand(f'"{shown}" is not a command.{meant}', "" if meant else helps)


def nearest(word: str, names: Sequence[str]) -> str:
    """A sentence that asks whether the name most like the word is meant; empty if none is like it."""
    begun = [name for name in names if name.startswith(word if len(word) > 2 else f"{word} ")]
    close = begun[:1] or difflib.get_close_matches(word[:40], names, n=1, cutoff=_MEANT)
    return f' Did you mean "{close[0]}"?' if close else ""


def names_of_verbs(*, per_game: bool | None) -> list[str]:
    return [verb.name for verb in VERBS if per_game in (None, verb.per_game)]


def no_game(word: str, line: str) -> NotFound:
    """The refusal of an unknown game. line: the command, with GAME in place of the name."""
    meant = difflib.get_close_matches(word.casefold()[:40], GAMES, n=1, cutoff=_LIKE)
    if meant:
        return NotFound(
            f'There is no game "{word[:40]}" here. Did you mean "{meant[0]}"?', line.replace("GAME", meant[0])
        )
    return NotFound(f'There is no game "{word[:40]}" here. The games are {joined(GAMES)}.', "help")


def is_said(word: str) -> bool:
    """Whether the word begins a sentence, rather than naming a game, known or unknown: "yes,", "what's"."""
    bare = word.casefold().strip("?!,.").partition("'")[0]
    return bare in kind("common") and find(bare) is None


def unplaced(verb: Verb, words: Sequence[str], standing: Standing) -> BadArguments:
    """The refusal if neither the words nor the mail name the game or the board."""
    needs_board = any(param.name == "BOARD" for param in verb.params[:1])
    if needs_board and (not words or words[0].casefold() not in GAMES):
        shown = usage(verb, standing).removeprefix("GAME ")
        if verb.name == "cancel":
            problem = '"withdraw", with the player or the address, takes back a challenge or an invitation. For a move:'
            return BadArguments(problem, shown)
        return BadArguments("Which board? Name its number, or answer an email about it.", shown)
    if len(words) == 1 and words[0].casefold() in GAMES:
        return BadArguments("The game comes first.", f"{words[0].casefold()} {verb.name}")
    if verb.name == "show":
        whose = words[0][:40] if words else "me active"
        return BadArguments(
            "Which board? Name its number, or answer an email about it. For boards of all games:", f"all show {whose}"
        )
    return BadArguments(f'Which game? Put its name in front of "{verb.name}"; "list" shows all.', verb.line)


def ill_bound(verb: Verb, words: list[str], standing: Standing, game: str | None) -> BadArguments:
    """The refusal if the words do not fit the verb."""
    between_two = [param.name for param in verb.params[:2]] == ["USERID1", "USERID2"]
    unpaired = _unpaired(f"{game} {verb.name}", words, standing) if between_two and game else None
    if unpaired is not None:
        return unpaired
    # Of all its forms, because what the mail shows need not be written.
    fewest = min(sum(not param.optional for param in form) for form in forms(verb, standing))
    problem = f'These words do not fit "{verb.name}".'
    if len(words) < fewest:
        problem = f'"{verb.name}" needs more words.'
    elif suits_but_for_end(verb, words, standing):
        problem = (
            f'"{verb.name}" takes fewer words.' if verb.params else f'"{verb.name}" stands alone, without other words.'
        )
    return BadArguments(problem, usage(verb, standing, game))


def _unpaired(challenge: str, words: list[str], standing: Standing) -> BadArguments | None:
    """The refusal of words that should name two players: most write the opponent only, or "me robot 3"; None for any
    other. challenge: the game and the verb.
    """
    if len(words) == 1 and standing.known:
        rival = "robot" if words[0].casefold() == "me" else words[0]
        verb = challenge.split()[-1]
        return BadArguments(f'"{verb}" needs two players; "me" is yourself.', f"{challenge} me {rival}")
    robot = _ROBOT.search(" ".join(words).casefold())
    return BadArguments("The name of a robot is one word.", f"{challenge} me robot{robot[1]}") if robot else None


def in_order(words: Sequence[str]) -> Verb | None:
    """The two-word verb that is meant, if its words are out of order or the first one is missing."""
    pairs = [" ".join(pair) for pair in permutations(words[:3], 2)] + [f"tournament {word}" for word in words[:1]]
    return next(filter(None, map(find, pairs)), None)


def reordered(words: Sequence[str], verb: Verb, standing: Standing) -> str:
    """The command with its words in order, if they are a verb and the name of a tournament; else its usage."""
    rest = [word for word in words if word.casefold() not in (*verb.name.split(), "event")]
    is_plain = len(rest) == 1 and standing.proven and verb.params[0].name == "NAME"
    return f"{verb.name} {rest[0]}" if is_plain else usage(verb, standing)


def unsecret(words: Sequence[str]) -> list[str]:
    """A command without the words after its verb that may be a password; options and challenged players are kept.

    >>> unsecret("challenge me bob ann secret -size=5".split()), unsecret("seek ann secret".split())
    (['challenge', 'me', 'bob', '-size=5'], ['seek'])
    """
    plain = [word for word in words if not is_option(word)]
    kept = 3 if plain[0].casefold() == "challenge" else 1
    return [*plain[:kept], *filter(is_option, words)]
