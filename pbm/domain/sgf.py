"""SGF (FF[4], and what Little Golem makes of it) as values: its nodes, and the moves of its main line as written here.

Only the main line of a file counts. It is parsed here, because the library for it, sgfmill, has had no release since
2018.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile

from games.rules import GameError, Side, quoted
from games.scene import Cell, PlaneBoard
from pbm.domain.errors import NotAllowed, Rejected
from pbm.domain.match import SWAP, Seat, State, other

GO, OTHELLO, GOMOKU, HEX = 1, 2, 4, 11
LETTERED = frozenset({GO, OTHELLO, GOMOKU})
"""Formats that name a point by two letters: its column, and its row counted from the top."""
PASS = "pass"  # noqa: S105  a move
MOST_PLIES = 5000
OURS = "PBM"
"""Our private property: the head of a record in the root, and a swap in a game whose format has none."""
VALUE = re.compile(r"\[((?:\\.|[^\]\\])*)\]", re.DOTALL)
_TOKEN = re.compile(rf"\s*(?:([();])|([a-z]*[A-Z][A-Za-z0-9]*)((?:\s*{VALUE.pattern})+))", re.DOTALL)
_MIRRORS = ("swap", "swap-pieces")
"""Swaps after which the stone lies mirrored in the other colour: Little Golem, PlayHex and HexWorld mean that."""
_EXCHANGE = "swap-sides"
"""The swap after which the players have each other's colour."""
_ENDS = ("resign", "forfeit")


def colours_of(start: State) -> dict[Side, str]:
    """The colour of each side in SGF: white for one named White, otherwise black for the first."""
    first = start.game.sides(start.options)[0]
    return {Side.FIRST: "W", Side.SECOND: "B"} if first == "White" else {Side.FIRST: "B", Side.SECOND: "W"}


def cells_of(start: State, *, is_old: bool = False) -> Mapping[str, Cell]:
    """The cells of a board by their two letters. is_old: as files of the first version have them."""
    board = start.game.scene(start.position, None).board
    if isinstance(board, PlaneBoard):
        return {}
    # Everywhere else Othello's rows are counted from the top, and its stones at the start stand so; ours are counted
    # from the bottom. So the number of a row decides, not its place.
    if start.game.info.sgf == OTHELLO and not is_old:
        return {cell.name[0] + chr(96 + int(cell.name[1:])): cell for cell in board.cells}
    return {chr(97 + cell.column) + chr(97 + cell.row): cell for cell in board.cells}


Node = Mapping[str, Sequence[str]]


def main_line(text: str) -> list[Node]:
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
            values = [re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in VALUE.findall(token[3])]
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


def first(node: Node, name: str) -> str:
    return node.get(name, [""])[0].strip()


def _written(nodes: Sequence[Node]) -> Iterator[tuple[str, str]]:
    """The colours and texts of all moves."""
    for node in nodes:
        for name, texts in node.items():
            for text in texts:
                if name in ("B", "W"):
                    yield name, text.strip().casefold()
                elif (name, text) == (OURS, SWAP):
                    yield "", _EXCHANGE


def moves_of(nodes: Sequence[Node], start: State, cells: Mapping[str, Cell]) -> list[tuple[str, str]]:
    """The colours and texts of the moves, without those that only place the handicap. The colour of PBM[swap] is empty.

    Raises: NotAllowed if there are other stones on the board than those that the game begins with here.
    """
    moves, usual = list(_written(nodes)), _stones(start, cells)
    is_go = start.game.info.sgf == GO
    placed = {(name, point) for node in nodes for name in ("AB", "AW", "AE") for point in node.get(name, ())}
    handicap: list[tuple[str, str]] = []
    if is_go:  # some programs write the handicap as Black's first moves
        handicap = [("AB", text) for _, text in takewhile(lambda move: move[0] == "B", moves[: len(usual)])]
    if placed.union(handicap) == usual:
        return moves[len(handicap) :]
    if is_go and usual:
        stones = "".join(f"[{point}]" for _, point in sorted(usual))
        raise NotAllowed(
            f"With this handicap a game here begins with HA[{len(usual)}]AB{stones}, and White is to move."
        )
    if placed:
        raise NotAllowed("It puts stones on the board (AB, AW) where no game here begins with them.")
    return moves  # Othello's first stones, which every program knows, need not be written


def _stones(start: State, cells: Mapping[str, Cell]) -> set[tuple[str, str]]:
    """The stones that are on the board at the start, each as the property that places it, and its point."""
    is_lettered = start.game.info.sgf in LETTERED
    return {(f"A{cell.piece}", point if is_lettered else cell.name) for point, cell in cells.items() if cell.piece}


def seated_moves(
    moves: Sequence[tuple[str, str]], start: State, cells: Mapping[str, Cell], first_colour: str
) -> Iterator[tuple[Seat, str]]:
    """The moves as they are written here, and who plays each, in the order played: 0 if that is not said.

    first_colour: that of seat 1.
    """
    letters = {"": PASS, "tt": PASS} | {points: cell.name for points, cell in cells.items()}
    is_lettered, is_hex, is_mirrored = start.game.info.sgf in LETTERED, start.game.info.sgf == HEX, False
    first_seat: Seat = 1
    for colour, text in moves:
        seat = (first_seat if colour == first_colour else other(first_seat)) if colour else 0
        if text in (*_MIRRORS, _EXCHANGE):
            yield seat, SWAP
            is_mirrored = is_hex and text in _MIRRORS
            if text == _EXCHANGE:  # after other swaps everybody keeps their colour
                first_seat = 2
        elif is_lettered:
            yield seat, letters.get(text, text)
        elif is_hex:
            yield seat, _hex_cell(text, is_mirrored)
        else:
            yield seat, text


def _hex_cell(text: str, is_mirrored: bool) -> str:
    """The cell of a1 or of Little Golem's two letters. is_mirrored: its row and column are exchanged."""
    match = re.fullmatch(r"([a-z])(?:([a-z])|(\d+))", text)
    if match is None:
        return text
    column, row = ord(match[1]) - 97, ord(match[2]) - 97 if match[2] else int(match[3]) - 1
    if is_mirrored:
        column, row = row, column
    return f"{chr(97 + column)}{row + 1}"


def replayed(start: State, seated: Sequence[tuple[Seat, str]]) -> tuple[State, tuple[str, ...], int]:
    """The last state and the canonical notations of a game up to its end, and how many moves are written below that.

    It ends by our rules or with a resignation; passes that are forced here may be left out there.
    seated: the moves, each with its player's seat, or with 0 if anybody's. Raises: NotAllowed.
    """
    # A file of a megabyte holds far more moves than any game, and each of them is judged.
    if len(seated) > MOST_PLIES:
        raise NotAllowed(f"It has more than {MOST_PLIES} plies.")
    state, moves = start, list[str]()
    for number, (seat, text) in enumerate(seated, 1):
        try:
            # Other programs leave out the passes of Othello that nobody chooses.
            while state.forced is not None and state.named(text) != state.forced:
                state, notation = state.play(state.forced)
                moves.append(notation)
            if state.outcome is not None or text in _ENDS:
                below = [text for _, text in seated[number - 1 :] if text not in (*_ENDS, PASS)]
                return state, tuple(moves), len(below)
            if seat not in (0, state.to_move):
                raise NotAllowed("the other colour is to move.")
            state, notation = state.play(text)
        except (GameError, Rejected) as error:
            raise NotAllowed(f"Its move {number}, {text[:20]}, cannot be played here: {error}") from None
        moves.append(notation)
    return state, tuple(moves), 0
