"""The templates, compiled once, and what they may call."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, MutableMapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateError, select_autoescape

from games import GAMES, AnyGame
from games.rules import KINDS
from pbm import draw
from pbm.compose.html import WIDTH
from pbm.compose.views import moment, until
from pbm.domain.events import Event
from pbm.domain.match import State
from pbm.domain.settings import CHOICES
from pbm.domain.spans import in_words
from pbm.domain.verbs import GROUPS, VERBS
from pbm.resources import folder

_FOLDED = re.compile(r"(.{1,100})(?: +|$)")


class _Environment(Environment):
    """One whose templates hold what is known to all of them as a plain dict, which is copied for each rendering."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        return {**self.globals, **(d or {})}


def _beside_games() -> list[Path]:
    """Where games of other packages have their pages: in a folder `templates` beside the module."""
    modules = {Path(inspect.getfile(type(game))).parent for game in GAMES.values()}
    return sorted(each / "templates" for each in modules if (each / "templates").is_dir())


@cache
def _environment() -> _Environment:
    """One for the whole process: to compile all pages takes half a second."""
    environment = _Environment(
        loader=FileSystemLoader([folder("templates"), *_beside_games()]),
        autoescape=select_autoescape(("html",), default=False, default_for_string=False),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        "wrapped": wrapped,
        "moment": moment,
        "until": until,
        "duration": in_words,
        "folded": folded,
    }
    environment.globals |= {
        "games": GAMES,
        "kinds": KINDS,
        "verbs": VERBS,
        "groups": GROUPS,
        "choices": CHOICES,
        "equal": lambda columns, caller: _equal()(columns, caller=caller),
        "unsaid": _unsaid,
    }
    return environment


@cache
def _equal() -> Callable[..., str]:
    """The frame of equal letters; a page that imports it itself has it looked for anew each time."""
    macro: Callable[..., str] = vars(_environment().get_template("equal.html").module)["equal"]
    return macro


def _unsaid(event: Event) -> NoReturn:
    """Raises: LookupError, for an event without a sentence would be an empty line."""
    raise LookupError(f"sentences.txt has nothing to say of {type(event).__name__}")


@cache
def _helpful() -> frozenset[str]:
    """The names of all help pages."""
    return frozenset(name for name in _environment().list_templates() if name.startswith("help/"))


class Pages:
    """Every text that people read is rendered here. In pages of HTML all that they are given is escaped."""

    def render(self, name: str, **words: object) -> str:
        """A page. on: all its words, for sentences that several pages have in common."""
        return _environment().get_template(name).render(words, on=SimpleNamespace(**words))

    def broken(self) -> dict[str, str]:
        """Templates that cannot be used, and why."""
        found = {}
        for name in _environment().list_templates():
            try:
                _environment().get_template(name)
            except (TemplateError, OSError) as error:
                found[name] = str(error)
        return found

    def help(self, subject: str) -> str | None:
        """The help page of a command or a game or a subject of its own; None where there is none."""
        if not subject.replace("-", "").isalnum() or f"help/{subject}.txt" not in _helpful():
            return None
        game = GAMES.get(subject)
        words = {"info": game.info, "board": _Boards(game)} if game else {}
        return self.render(f"help/{subject}.txt", **words)

    def subjects(self) -> list[str]:
        """What `help` has pages for, but games and commands."""
        pages = {name.removeprefix("help/").removesuffix(".txt") for name in _helpful()}
        return sorted(pages - {"index", *GAMES, *("-".join(verb.name.split()) for verb in VERBS)})


class _Boards:
    """Called from a game's help page to draw the board after some moves: options as one text, moves as a list."""

    def __init__(self, game: AnyGame) -> None:
        self._game = game

    def __call__(self, options: str, moves: Sequence[str] = ()) -> str:
        state = State.start(self._game, options.split())
        for move in moves:
            state, _ = state.play(move)
        return plain(state)


@lru_cache(64)
def plain(state: State) -> str:
    """The board in ASCII, as it is shown to those who have chosen nothing."""
    return draw.text(state.scene)


def folded(text: str) -> str:
    """The text in lines of at most 100 characters, for an attribute of HTML; a longer word stays whole."""
    return _FOLDED.sub(r"\1\n", text).rstrip("\n")


def wrapped(text: str, indent: int = 0) -> str:
    """Every line of the text broken at blanks so that it fits, and indented; empty lines are kept."""
    margin = " " * indent
    return "\n".join(_filled(line, margin) for line in text.splitlines())


def _filled(line: str, margin: str) -> str:
    if line.isprintable() and len(margin) + len(line) <= WIDTH and not line.endswith(" "):
        return margin + line if line else ""
    return textwrap.fill(line, WIDTH, initial_indent=margin, subsequent_indent=margin, break_on_hyphens=False)
