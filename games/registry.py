"""The registry of games: name -> rules. A game from another package joins through the entry point group `pbm.games`.

A game that cannot be played is left out, with the reason; all others stay available.
"""

from __future__ import annotations

import re
import traceback
from collections import UserDict
from collections.abc import Iterable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import UnionType
from typing import Any

from games.rules import KINDS, AnyGame, Game, Info, Outcome, Side
from games.scene import Scene

OURS = {
    "amazons": "Amazons",
    "breakthrough": "Breakthrough",
    "clobber": "Clobber",
    "cross": "Cross",
    "crossgeo": "CrossGeo",
    "dots": "Dots",
    "four": "Four",
    "go": "Go",
    "gomoku": "Gomoku",
    "havannah": "Havannah",
    "hex": "Hex",
    "loa": "Loa",
    "loops": "Loops",
    "luddit": "Luddit",
    "morris": "Morris",
    "polygon": "Polygon",
    "reversi": "Reversi",
    "y": "Y",
    "yavalath": "Yavalath",
}
"""The games of this package: the module of each, which has its name, and its class; all others join."""


class Games(UserDict[str, AnyGame]):
    """Games by name. One of ours is imported when it is first asked for: all together take a while."""

    data: dict[str, Any]
    """Of ours None until then."""

    def __getitem__(self, name: str) -> AnyGame:
        if self.data[name] is None:
            self.data[name] = getattr(import_module(f"games.{name}"), OURS[name])()
        game: AnyGame = self.data[name]
        return game


GAMES = Games()
GAMES.data = dict.fromkeys(OURS)

LEFT_OUT: dict[str, str] = {}
"""Games of other packages that could not join, by the name of their entry point: a sentence that says why."""


class _Unfit(Exception):
    """A game cannot join. The text is a sentence for its author."""


def leave_out(name: str, reason: str) -> None:
    """Removes a game that cannot be played here. reason: a sentence."""
    GAMES.pop(name, None)
    LEFT_OUT[name] = reason


def join(entries: Iterable[EntryPoint]) -> None:
    """Adds the games of other packages."""
    for entry in entries:
        try:
            game = entry.load()()
            _check(game, entry.name)
            _play_a_ply(game)
        except _Unfit as unfit:
            LEFT_OUT[entry.name] = str(unfit)
        except (Exception, SystemExit) as error:  # noqa: BLE001  whatever is wrong with it, the others must stay playable
            LEFT_OUT[entry.name] = reason_of(error)
        else:
            GAMES[entry.name] = game


def _check(game: AnyGame, name: str) -> None:
    """Checks a game without playing it. Raises: _Unfit; OptionError for an option that refuses its default."""
    lacking = [each for each in vars(Game) if not each.startswith("_") and not hasattr(game, each)]
    if lacking:
        raise _Unfit(f"{type(game).__name__} has no {', '.join(lacking)}; games.rules.Game tells what a game has.")
    info = game.info
    if not isinstance(info, Info):
        raise _Unfit(f"Its info is {info!r}, not a games.rules.Info.")
    # Matches are stored under the name, by which the rules are found again.
    if info.name != name:
        raise _Unfit(f'Its entry point is called "{name}", but info.name is "{info.name}".')
    # Players type it as the first word of a command.
    if not re.fullmatch("[a-z]{1,20}", name):
        raise _Unfit(f'"{name}" is no name for a game: it takes small letters a to z, at most 20.')
    # A package that took the name of a game would change the rules of matches under way.
    if name in GAMES:
        raise _Unfit(f'There is a game "{name}" already.')
    if info.kind not in KINDS:
        raise _Unfit(f'Its kind "{info.kind}" is none of {", ".join(KINDS)}.')
    for option in info.options:
        if option.default is not None:
            option.read(str(option.default))


def _play_a_ply(game: AnyGame) -> None:
    """Plays the first legal move with the default options. Raises: _Unfit, and whatever the game raises."""
    options = game.options(())
    for side in game.sides(options):
        _expect("name of a side", side, str)
    start = game.start(options)
    _look(game, start, None)
    move = next(iter(game.moves(start)), None)
    if move is None:
        raise _Unfit("At the start there is no legal move.")
    notation = game.notate(start, move)
    _expect("notation", notation, str)
    # The record is the truth: a move that is read as another would change the match after a restart.
    if game.parse(start, notation) != move:
        raise _Unfit(f"The move {move!r} is written {notation!r}, which is read as another one.")
    _look(game, game.play(start, move), move)


def _look(game: AnyGame, pos: Any, last: Any) -> None:
    """Raises: as _play_a_ply."""
    # Positions are keys of caches.
    hash(pos)
    _expect("outcome", game.outcome(pos), Outcome | None)
    _expect("side to move", game.to_move(pos), Side)
    _expect("scene", game.scene(pos, last), Scene)


def _expect(what: str, value: object, kind: type | UnionType) -> None:
    """Raises: _Unfit."""
    if not isinstance(value, kind):
        wanted = kind.__name__ if isinstance(kind, type) else kind
        raise _Unfit(f"Its {what} is {value!r}, not a {wanted}.")


def reason_of(error: BaseException) -> str:
    """A sentence on what went wrong in a game, and where."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({frames[-1].filename}, line {frames[-1].lineno}, in {frames[-1].name})" if len(frames) > 1 else ""
    return f"{type(error).__name__}: {error}{where}."


join(entry_points(group="pbm.games"))
