"""Games as other programs write them: SGF (FF[4]), Little Golem's kind of it (HGF), Ludii's trials (.trl), and our own.

Only the main line of a file counts. The moves are replayed by our rules, so what comes out is a game that could have
been played here. SGF is parsed here, because the library for it, sgfmill, has had no release since 2018.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product, takewhile
from typing import NamedTuple

from games import GAMES
from games.rules import GameError, Side, quoted
from pbm.domain import game_record
from pbm.domain.errors import NotAllowed, Rejected
from pbm.domain.game_record import GO, HEX, LETTERED, MOST_PLIES, PASS
from pbm.domain.match import SWAP, Seat, State, other

_VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_TOKEN = re.compile(rf"\s*(?:([();])|([a-z]*[A-Z][A-Za-z0-9]*)((?:\s*{_VALUE.pattern})+))", re.DOTALL)
_START = re.compile(rf"^[\ufeff \t]*(?:\(\s*;|game=/|{game_record.FIRST_LINE}$)", re.MULTILINE)
_SWAPS = ("swap", "swap-sides", "swap-pieces")
_MIRRORS = ("swap", "swap-pieces")
"""Swaps after which the stone lies mirrored in the other colour: Little Golem, PlayHex and HexWorld mean that."""
_ENDS = ("resign", "forfeit")
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
    """What is played otherwise here, in parentheses, with a space before them; or empty."""


def start_in(text: str) -> int:
    """The place where a game of any of these kinds begins in a text; its end if there is none."""
    found = _START.search(text)
    return found.start() if found else len(text)


def read(text: str, wanted: str = "") -> ForeignGame:
    """The game that a text begins with. wanted: the name of the game that it is if the text does not say so.

    Raises: NotAllowed, which says what is wrong with it.
    """
    text = text.lstrip("\ufeff \t\r\n")
    try:
        if text.startswith("game="):
            return _of_trial(text)
        nodes = _main_line(text) if re.match(r"\(\s*;", text) else []
        if text.startswith(game_record.FIRST_LINE) or (nodes and "PBM" in nodes[0]):
            ours = game_record.read(text)
            return ForeignGame(ours.game, ours.options, ours.body, ours.moves, ours.players)
        return _of_sgf(nodes, wanted)
    except (GameError, Rejected) as error:
        raise NotAllowed(f"The record cannot be taken in. {error}") from None


Node = Mapping[str, Sequence[str]]


def _main_line(text: str) -> list[Node]:
    """The nodes up to the first closing parenthesis, because the main line is the first branch everywhere.

    text: begins with a parenthesis and a node. Raises: NotAllowed where something else than SGF stands.
    """
    nodes: list[dict[str, list[str]]] = []
    place, depth, mark = 0, 0, ""
    while mark != ")":
        token = _TOKEN.match(text, place)
        if token is None:
            raise _no_longer_sgf(text, place)
        place, mark = token.end(), token[1]
        if mark == "(":
            depth += 1
        elif mark == ";":
            nodes.append({})
        elif mark is None:
            name = "".join(filter(str.isupper, token[2]))  # FF[3] writes White[dd], which means W[dd]
            values = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in _VALUE.findall(token[3])]
            nodes[-1].setdefault(name, []).extend(values)
    if depth > 1 and text[place:].lstrip().startswith(";"):  # more of the main line, which SGF has before its branches
        raise _no_longer_sgf(text, place)
    return [*nodes]


def _no_longer_sgf(text: str, place: int) -> NotAllowed:
    rest = text[place:].lstrip()
    if not rest:
        return NotAllowed("It ends without its closing parenthesis, so that moves may be missing.")
    line = text[: len(text) - len(rest)].count("\n") + 1
    return NotAllowed(f"In its line {line} it stops being SGF, at {quoted(rest[:30])}.")


def _first(node: Node, name: str) -> str:
    return node.get(name, [""])[0].strip()


def _of_sgf(nodes: Sequence[Node], wanted: str) -> ForeignGame:
    """Raises: NotAllowed, GameError, Rejected."""
    if not nodes:
        raise NotAllowed("It has no node.")
    root = nodes[0]
    name = _game_of(root, wanted)
    words, remark = _options_of(root, name)
    start = State.start(GAMES[name], words)
    moves = _after_handicap(nodes, start)
    black, white = _first(root, "PB"), _first(root, "PW")
    first = colour = game_record.colours_of(start)[Side.FIRST]
    if "GM" not in root and _event(root) == name:  # Little Golem names who begins first, whatever colour they have
        first = "B"
        if start.game.info.sgf == HEX and moves:
            colour = moves[0][0]
    game = _scored(start, words, _told(start, moves, colour), (black, white) if first == "B" else (white, black))
    return game._replace(remark=remark)


def _game_of(root: Node, wanted: str) -> str:
    """The game that a record names by its number, or by its event, as Little Golem does; otherwise the wanted one.

    Komi, handicap and rules (RU) are Go's. Raises: NotAllowed for a game that is not played here, and if none is named.
    """
    number, event = _first(root, "GM"), _event(root)
    if number:
        name = next((name for name, game in GAMES.items() if str(game.info.sgf) == number), None)
        if name is None:
            raise NotAllowed(f"Its game, GM[{number[:9]}], is none that is played here.")
        return name
    if event in GAMES:
        return event
    if not wanted and root.keys().isdisjoint(("KM", "HA", "RU")):
        raise NotAllowed('It does not say which game it is (GM). Write the game in front, as in "hex review".')
    return wanted or "go"


def _event(root: Node) -> str:
    """The first word of the event, which is the game in Little Golem's records."""
    return re.split(r"[^a-z]", _first(root, "EV").casefold())[0]


def _options_of(root: Node, name: str) -> tuple[list[str], str]:
    """The options as they are written here, and what is said of a komi that is another one here."""
    size = _first(root, "SZ").partition(":")[0]
    known = {option.name for option in GAMES[name].info.options}
    komi, remark = _first(root, "KM"), ""
    if name == "go":
        size = size or "19"  # as SGF says
        komi, remark = _komi(komi)
    values = {"size": size, "komi": komi, "handicap": _first(root, "HA")}
    return [f"-{option}={value}" for option, value in values.items() if value and option in known], remark


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


def _after_handicap(nodes: Sequence[Node], start: State) -> list[tuple[str, str]]:
    """The colours and texts of the moves, without those that only place the handicap.

    Raises: NotAllowed if there are other stones on the board than those that the game begins with here.
    """
    moves = [
        (colour, text.strip().casefold())
        for node in nodes for colour, texts in node.items() if colour in ("B", "W") for text in texts
    ]  # fmt: skip
    usual = list[str]()
    if start.game.info.sgf == GO:
        usual = sorted(letters for letters, cell in game_record.cells_of(start).items() if cell.piece)
    given = [text for _, text in takewhile(lambda move: move[0] == "B", moves[: len(usual)])]
    placed = {(name, point) for node in nodes for name in ("AB", "AW", "AE") for point in node.get(name, ())}
    if placed.union(("AB", text) for text in given) == {("AB", letters) for letters in usual}:
        return moves[len(given) :]
    if not usual:
        raise NotAllowed("It puts stones on the board (AB, AW) where no game here begins with them.")
    stones = "".join(f"[{letters}]" for letters in usual)
    raise NotAllowed(f"With this handicap a game here begins with HA[{len(usual)}]AB{stones}, and White is to move.")


def _told(start: State, moves: Iterable[tuple[str, str]], first: str) -> Iterator[tuple[Seat, str]]:
    """The moves as they are written here, and who plays each, in the order played. first: the colour of seat 1."""
    letters = {"": PASS, "tt": PASS} | {points: cell.name for points, cell in game_record.cells_of(start).items()}
    is_lettered, is_mirrored = start.game.info.sgf in LETTERED, False
    first_seat: Seat = 1
    for colour, text in moves:
        seat = first_seat if colour == first else other(first_seat)
        if text in _ENDS:
            return
        if text in _SWAPS:
            is_mirrored = text in _MIRRORS and start.game.info.sgf == HEX
            yield seat, SWAP
            if text == "swap-sides":  # the players exchange their colours; after other swaps everybody keeps theirs
                first_seat = 2
        elif is_lettered:
            yield seat, letters.get(text, text)
        elif start.game.info.sgf == HEX:
            yield seat, _hex_cell(text, is_mirrored)
        else:
            yield seat, text


def _hex_cell(text: str, is_mirrored: bool) -> str:
    """The cell of a1 or of Little Golem's two letters. is_mirrored: its row and column are exchanged."""
    found = re.fullmatch(r"([a-z])(?:([a-z])|(\d+))", text)
    if found is None:
        return text
    column, row = ord(found[1]) - 97, ord(found[2]) - 97 if found[2] else int(found[3]) - 1
    if is_mirrored:
        column, row = row, column
    return f"{chr(97 + column)}{row + 1}"


def _of_trial(text: str) -> ForeignGame:
    """Raises: NotAllowed, GameError, Rejected."""
    lines = text.splitlines()
    title = lines[0].rpartition("/")[2].removeprefix("game=").strip().removesuffix(".lud")
    if title not in _LUDII:
        raise NotAllowed(f"Ludii's {title[:40]} is not read here; these are: {', '.join(_LUDII)}.")
    name, size = _LUDII[title]
    for line in lines[1:50]:
        if found := re.match(r"Board Size/\D*(\d+)", line):
            size = int(found[1])
    words = [f"-size={size}"]
    start = State.start(GAMES[name], words)
    site = _diamond(size) if name == "hex" else _rows(start)
    return _scored(start, words, _sited(lines, site), ("", ""))


def _sited(lines: Iterable[str], site: Callable[[int], str]) -> Iterator[tuple[Seat, str]]:
    """The moves of a trial, whose players are not looked at (0); those of nobody (mover=0) set the board up.

    Raises: NotAllowed.
    """
    for line in lines:
        if not line.startswith("Move="):
            continue
        found = _TRIAL_MOVE.match(line)
        if found is None:
            raise NotAllowed(f"This line of it cannot be read: {line[:60]}")
        mover, origin, target, deeds = found.groups()
        if mover == "0":
            continue
        if deeds.startswith("Swap:"):
            yield 0, SWAP
        elif deeds.startswith("Pass:") or target is None:
            yield 0, PASS
        elif origin in (None, "-1", target):
            yield 0, site(int(target))
        else:
            yield 0, f"{site(int(origin))}-{site(int(target))}"


def _rows(start: State) -> Callable[[int], str]:
    """Ludii numbers the sites of a square board from the lower left, row by row."""
    cells = [(-cell.row, cell.column, cell.name) for cell in game_record.cells_of(start).values()]
    names = [name for _, _, name in sorted(cells)]
    return lambda number: names[number] if 0 <= number < len(names) else f"site {number}"


def _diamond(size: int) -> Callable[[int], str]:
    """Ludii stands a rhombus on its corner and numbers the sites from there; the first side joins lower left and upper
    right, which here are top and bottom."""
    places = product(range(size), repeat=2)
    sites = sorted((row + column, row - column, f"{chr(97 + column)}{row + 1}") for row, column in places)
    return lambda number: sites[number][2] if 0 <= number < len(sites) else f"site {number}"


def _scored(
    start: State, words: Sequence[str], told: Iterable[tuple[Seat, str]], players: tuple[str, str]
) -> ForeignGame:
    """The replayed game, up to its end by our rules; passes that are forced here may be left out there.

    told: the moves, each with its player's seat, or with 0 if anybody's.
    Raises: NotAllowed.
    """
    state, moves = start, list[str]()
    for number, (seat, text) in enumerate(told, 1):
        if number > MOST_PLIES:
            raise NotAllowed(f"It has more than {MOST_PLIES} plies.")
        try:
            while state.forced is not None and state.named(text) != state.forced:
                state, notation = state.played(state.forced)
                moves.append(notation)
            if state.outcome is not None:
                break
            if seat not in (0, state.to_move):
                raise NotAllowed("the other colour is to move.")
            state, notation = state.played(text)
        except (GameError, Rejected) as error:
            raise NotAllowed(f"Its move {number}, {text[:20]}, cannot be played here: {error}") from None
        moves.append(notation)
    return ForeignGame(start.game.info.name, tuple(words), "", tuple(moves), players)
