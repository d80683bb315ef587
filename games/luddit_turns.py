"""Turns of Luddit as values and as text: one or two moves, each placing, removing or moving a piece."""

from __future__ import annotations

import re
from typing import NamedTuple

from games.luddit_pieces import Torus
from games.rules import BadNotation, IllegalMove, fold, quoted

FORMS = (
    'Write "C3" to place, "xC3" to remove and "C3>D5" to move a stone; the stones of a loop with commas: "xC3,D4,D5".'
)


class Move(NamedTuple):
    """One move: lifts a piece, puts down stones, or both; indices of intersections.

    lift: the piece, in ascending order; empty when a stone from outside is placed. put: where the stones go, the
    stone of lift[i] to put[i]; empty when the piece is removed.
    """

    lift: tuple[int, ...] = ()
    put: tuple[int, ...] = ()

    @staticmethod
    def of(lift: list[int], put: list[int]) -> Move:
        """In canonical order. Stones that nothing pairs stay where they are in the order."""
        if len(lift) != len(put) or len(lift) == 1:
            return Move(tuple(sorted(lift)), tuple(put))
        pairs = sorted(zip(lift, put, strict=True))
        return Move(tuple(start for start, _ in pairs), tuple(end for _, end in pairs))


Turn = tuple[Move, ...]
"""One or two moves, the second made on the board the first one leaves."""


def write_move(board: Torus, move: Move) -> str:
    lift, put = (",".join(map(board.names.__getitem__, cells)) for cells in (move.lift, move.put))
    if not move.lift:
        return put
    return f"{lift}>{put}" if move.put else f"x{lift}"


def write_turn(board: Torus, turn: Turn) -> str:
    return "; ".join(write_move(board, move) for move in turn)


_SPOKEN = (
    (re.compile(r" ?\bthen\b ?"), ";"),
    (re.compile(r"\b(?:place|move) "), ""),
    (re.compile(r"\b(?:remove |x )"), "x"),
    (re.compile(r"(?<![a-wyz0-9])([a-z])[ ._-](?=[0-9])"), r"\1"),
    (re.compile(r" ?(?:[-=]{0,2}>| to |-) ?"), ">"),
    (re.compile(r" ?, ?"), ","),
    (re.compile(r",? ?;[ ;]*|,(?=x)"), " "),
)
"""How people write a turn -> words between single blanks, each one move."""

_CELL = r"(?:[a-z][0-9]{1,4}|[0-9]{1,4}[a-z])"
_CELLS = rf"({_CELL}(?:,{_CELL})*)"
_MOVE = rf"(x?){_CELLS}(?:>{_CELLS})?"
_WORD, _WRITTEN = re.compile(_MOVE), re.compile(rf"{_MOVE}(?:; {_MOVE})?")
"""One move, and a turn as records have it."""


def read_turn(board: Torus, text: str) -> Turn:
    """The moves a text names, on the board but not looked at for legality. Raises: BadNotation, IllegalMove."""
    plain = fold(text)
    if _WRITTEN.fullmatch(plain):
        plain = plain.replace(";", "")
    else:
        for pattern, replacement in _SPOKEN:
            plain = pattern.sub(replacement, plain)
    turn = tuple(move for word in plain.split() for move in _read_word(board, word))
    if not turn:
        raise BadNotation(f"There is no move in {quoted(text)}. {FORMS}")
    if len(turn) > 2:
        raise IllegalMove(
            f"That is {len(turn)} moves, and a turn is one or two. The stones of one loop are joined by commas, "
            'as in "xC3,D4,D5".'
        )
    return turn


def _read_word(board: Torus, word: str) -> list[Move]:
    """The move of a word such as "c3,d4>f7,g8"; cells with neither x nor > before or after are placed one by one."""
    match = _WORD.fullmatch(word)
    if match is None:
        raise BadNotation(f"{quoted(word)} cannot be read. {FORMS}")
    removes, first, second = match.groups()
    if removes and second:
        raise BadNotation(f"{quoted(word)} has both x and >: a piece is either removed or moved. {FORMS}")
    cells = _read_cells(board, first)
    if removes:
        return [Move.of(cells, [])]
    if second is None:
        return [Move.of([], [cell]) for cell in cells]
    return [Move.of(cells, _read_cells(board, second))]


def _read_cells(board: Torus, text: str) -> list[int]:
    """The indices of cells that match _CELLS. Raises: IllegalMove when one is beyond the board."""
    return [board.names.read(word, str) for word in text.split(",")]
