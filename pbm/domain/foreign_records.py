"""Games as other programs write them: SGF (FF[4]), Little Golem's kind of it (HGF), Ludii's trials (.trl), and our own.

The moves are replayed by our rules, so what comes out is a game that could have been played here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import NamedTuple

from games import GAMES
from games.rules import GameError, Side, counted
from pbm.domain import game_record, sgf
from pbm.domain.errors import NotAllowed, Rejected
from pbm.domain.match import SWAP, Seat, State

_START = re.compile(rf"^[\ufeff \t]*(?:\(\s*;|game=/|{game_record.FIRST_LINE}$)", re.MULTILINE)
_BOUNDARY = re.compile(rf"{sgf.VALUE.pattern}|[()]", re.DOTALL)
_TRIAL_MOVE = re.compile(r"Move=\[Move:mover=(\d+),(?:from=(-?\d+),)?(?:to=(-?\d+),)?actions=\[(.*)\]\]")
MOST_KOMI = 20
_LUDII = {"Hex": ("hex", 11), "Gomoku": ("gomoku", 15), "Reversi": ("reversi", 8), "Go": ("go", 19),
          "Breakthrough": ("breakthrough", 8)}  # fmt: skip
"""Names of Ludii's games, with ours and the size of their board if a trial does not say it."""


class ForeignGame(NamedTuple):
    """A game up to any point. moves: canonical notations. players: their names by seat, or empty."""

    game: str
    options: tuple[str, ...]
    body: str
    moves: tuple[str, ...]
    players: tuple[str, str] = ("", "")
    remark: str = ""
    """What is otherwise here, in parentheses, with a space before them; or empty."""


def start_in(text: str) -> int:
    """The place where a game of any of these kinds begins in a text; its end if there is none."""
    match = _START.search(text)
    return match.start() if match else len(text)


def end_in(text: str, start: int) -> int:
    """The place where the game that begins at a place ends; all of a text below a game that is no SGF belongs to it."""
    depth = 0
    # A parenthesis within a value ends nothing.
    for mark in _BOUNDARY.finditer(text, start) if "(" in text[start : start + 3] else ():
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if mark[0] == ")" and depth == 0:
            return mark.end()
    return len(text)


def read(text: str, wanted: str = "") -> ForeignGame:
    """The game that a text begins with. wanted: the name of the game that it is if the text does not say so.

    Raises: NotAllowed, which says what is wrong with it.
    """
    # Windows puts a byte order mark in front.
    text = text.lstrip("\ufeff \t\r\n")
    try:
        # A trial of Ludii begins with the game's path.
        if text.startswith("game="):
            return _of_trial(text)
        nodes = sgf.main_line(text) if re.match(r"\(\s*;", text) else []
        if text.startswith(game_record.FIRST_LINE) or (nodes and "PBM" in nodes[0]):
            ours = game_record.read(text)
            return ForeignGame(ours.game, ours.options, ours.body, ours.moves, ours.players)
        return _of_sgf(nodes, wanted)
    except (GameError, Rejected) as error:
        raise NotAllowed(f"The record cannot be taken in. {error}") from None


def _of_sgf(nodes: Sequence[sgf.Node], wanted: str) -> ForeignGame:
    """Raises: NotAllowed, GameError, Rejected."""
    if not nodes:
        raise NotAllowed("It has no node.")
    root = nodes[0]
    name = _game_of(root, wanted)
    words, remark = _options_of(root, name)
    start = State.start(GAMES[name], words)
    cells = sgf.cells_of(start)
    moves = sgf.moves_of(nodes, start, cells)
    black, white = sgf.first(root, "PB"), sgf.first(root, "PW")
    first = colour = sgf.colours_of(start)[Side.FIRST]
    if "GM" not in root and _event(root) == name:  # Little Golem names who begins first, whatever colour they have
        first = "B"
        if start.game.info.sgf == sgf.HEX and moves:
            colour = moves[0][0]
    seated = sgf.seated_moves(moves, start, cells, colour)
    return _scored(start, words, seated, (black, white) if first == "B" else (white, black), remark)


def _game_of(root: sgf.Node, wanted: str) -> str:
    """The game that a record names by its number, or by its event, as Little Golem does; otherwise the wanted one.

    Komi, handicap and rules (RU) are Go's. Raises: NotAllowed for a game that is not played here, and if none is named.
    """
    number, event = sgf.first(root, "GM"), _event(root)
    if number:
        name = next((name for name, game in GAMES.items() if str(game.info.sgf) == number), None)
        if name is None:
            raise NotAllowed(f"Its game, GM[{number[:9]}], is none that is played here.")
        return name
    if event in GAMES:
        return event
    # SGF means Go where GM is missing, but Little Golem leaves it out for all its games.
    if not wanted and root.keys().isdisjoint(("KM", "HA", "RU")):
        raise NotAllowed('It does not say which game it is (GM). Write the game in front, as in "hex review".')
    return wanted or "go"


def _event(root: sgf.Node) -> str:
    """The first word of the event, which is the game in Little Golem's records."""
    return re.split(r"[^a-z]", sgf.first(root, "EV").casefold())[0]


def _options_of(root: sgf.Node, name: str) -> tuple[list[str], str]:
    """The options as they are written here, and what is said of a komi that is another one here."""
    size = sgf.first(root, "SZ").partition(":")[0]
    options = {option.name for option in GAMES[name].info.options}
    komi, remark = sgf.first(root, "KM"), ""
    if name == "go":
        size = size or "19"  # as SGF says
        komi, remark = _komi(komi)
    # Some programs call it a handicap of 1 that Black begins, though SGF has none below 2.
    handicap = sgf.first(root, "HA")
    values = {"size": size, "komi": komi, "handicap": "0" if handicap == "1" else handicap}
    return [f"-{option}={value}" for option, value in values.items() if value and option in options], remark


def _komi(text: str) -> tuple[str, str]:
    """The komi that is played here, which ends in a half, or empty for the usual one; and what it stands for.

    >>> _komi("6.50"), _komi("7")
    (('6.5', ''), ('7.5', ' (its komi, 7, is played as 7.5, because komi ends in a half here)'))
    """
    if not re.fullmatch(r"-?\d{1,2}(?:\.\d{1,9})?", text):
        return "", f" (its komi, {text[:20]}, is none here, so that the usual one is played)" if text else ""
    komi = float(text) // 1 + 0.5
    if abs(komi) > MOST_KOMI:
        return "", f" (its komi, {text}, is beyond {MOST_KOMI}, so that the usual one is played)"
    is_ours = komi == float(text)
    return (
        f"{komi:g}",
        "" if is_ours else f" (its komi, {text}, is played as {komi:g}, because komi ends in a half here)",
    )


def _of_trial(text: str) -> ForeignGame:
    """Raises: NotAllowed, GameError, Rejected."""
    lines = text.splitlines()
    title = lines[0].rpartition("/")[2].removeprefix("game=").strip().removesuffix(".lud")
    if title not in _LUDII:
        raise NotAllowed(f"Ludii's {title[:40]} is not read here; these are: {', '.join(_LUDII)}.")
    name, size = _LUDII[title]
    for line in lines[1:50]:
        if match := re.match(r"Board Size/\D*(\d+)", line):
            size = int(match[1])
    words = [f"-size={size}"]
    start = State.start(GAMES[name], words)
    sites = _diamond(size) if name == "hex" else _rows(start)
    return _scored(start, words, _sited(lines, sites))


def _sited(lines: Iterable[str], sites: Sequence[str]) -> Iterator[tuple[Seat, str]]:
    """The moves of a trial, whose players are not looked at (0); those of nobody (mover=0) set the board up.

    Raises: NotAllowed.
    """

    def site(number: str) -> str:
        return sites[int(number)] if 0 <= int(number) < len(sites) else f"site {number}"

    for line in lines:
        if not line.startswith("Move="):
            continue
        match = _TRIAL_MOVE.match(line)
        if match is None:
            raise NotAllowed(f"This line of it cannot be read: {line[:60]}")
        mover, origin, target, actions = match.groups()
        if mover == "0":
            continue
        if actions.startswith("Swap:"):
            yield 0, SWAP
        elif actions.startswith("Pass:") or target is None:
            yield 0, sgf.PASS
        # Ludii writes a placement as a move from nowhere, or from the site itself.
        elif origin in (None, "-1", target):
            yield 0, site(target)
        else:
            yield 0, f"{site(origin)}-{site(target)}"


def _rows(start: State) -> list[str]:
    """Ludii numbers the sites of a square board from the lower left, row by row."""
    cells = [(-cell.row, cell.column, cell.name) for cell in sgf.cells_of(start).values()]
    return [name for _, _, name in sorted(cells)]


def _diamond(size: int) -> list[str]:
    """Ludii stands a rhombus on its corner and numbers the sites from there; the first side joins lower left and upper
    right, which here are top and bottom."""
    places = product(range(size), repeat=2)
    sites = sorted((row + column, row - column, f"{chr(97 + column)}{row + 1}") for row, column in places)
    return [name for _, _, name in sites]


def _scored(
    start: State,
    words: Sequence[str],
    seated: Iterable[tuple[Seat, str]],
    players: tuple[str, str] = ("", ""),
    remark: str = "",
) -> ForeignGame:
    """The replayed game, up to its end. Raises: NotAllowed."""
    _, moves, below = sgf.replayed(start, [*seated])
    if below:
        remark += f" ({counted(below, 'move')} below its end left out)"
    return ForeignGame(start.game.info.name, tuple(words), "", moves, players, remark)
