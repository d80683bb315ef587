"""Luddit by the letter of its rules, with pieces by recursion. Slow; shares no code with the game.

Stones are (column, row) pairs counted from 0, a board is a dict from them to "B" or "W", a piece is a frozenset.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

from tests.games.perft import perft

AtRange = Callable[[Any, Any], bool]
Piece = frozenset[Any]
Cell = tuple[int, int]
Cells = tuple[Cell, ...]
Board = dict[Cell, str]
Rules = tuple[int, int, int]
"""Size, stones of each player, most stones on the board."""
State = tuple[frozenset[tuple[Cell, str]], tuple[str, str]]
"""A board's items, then the player to move and the other one."""


def torus_range(size: int) -> AtRange:
    """Two stones are at range if they share an adjacent intersection; adjacency wraps around the edges."""

    def adjacent(stone: Cell) -> set[Cell]:
        steps = [step for step in product((-1, 0, 1), repeat=2) if step != (0, 0)]
        return {((stone[0] + right) % size, (stone[1] + up) % size) for right, up in steps}

    return lambda one, other: one != other and bool(adjacent(one) & adjacent(other))


def pieces_at_range(one: Piece, other: Piece, at_range: AtRange) -> bool:
    return any(s == t or at_range(s, t) for s in one for t in other)


def loops_of(candidates: Collection[Piece], at_range: AtRange) -> list[Piece]:
    """The stones of each largest connected group of candidates in which each one is at range of two others."""
    group = set(candidates)
    while weak := {p for p in group if sum(q != p and pieces_at_range(p, q, at_range) for q in group) < 2}:
        group -= weak
    unions = []
    while group:
        part, fresh = set(), {group.pop()}
        while fresh:
            part |= fresh
            fresh = {q for q in group if any(pieces_at_range(p, q, at_range) for p in fresh)}
            group -= fresh
        unions.append(frozenset().union(*part))
    return unions


def all_pieces(stones: Collection[Hashable], at_range: AtRange) -> set[Piece]:
    """Single stones, and then whatever groups of pieces form loops, until nothing new appears."""
    subsets = [frozenset(chosen) for count in range(3, len(stones) + 1) for chosen in combinations(stones, count)]
    pieces = {frozenset([stone]) for stone in stones}
    while new := {
        subset
        for subset in subsets
        if subset not in pieces and subset in loops_of([p for p in pieces if p < subset], at_range)
    }:
        pieces |= new
    return pieces


def is_bound(piece: Piece, pieces: Collection[Piece], at_range: AtRange) -> bool:
    """Whether pieces at range of this one, sharing no stone with it, form a loop."""
    around = [other for other in pieces if not other & piece and pieces_at_range(piece, other, at_range)]
    return bool(loops_of(around, at_range))


@cache
def pieces_on(stones: Piece, size: int) -> set[Piece]:
    return all_pieces(stones, torus_range(size))


def conditioned(board: Board, mover: str, size: int) -> Iterator[Piece]:
    """The pieces that are conditioned to a player."""
    pieces = pieces_on(frozenset(board), size)
    for piece in pieces:
        if all(board[stone] == mover for stone in piece) or is_bound(piece, pieces, torus_range(size)):
            yield piece


def after(board: Board, mover: str, rules: Rules, lift: Cells, put: Cells) -> Board | None:
    """The board after placing (nothing to lift), removing (nowhere to put) or moving; None if that is not legal."""
    size, stones, limit = rules
    if len(set(lift)) < len(lift) or len(set(put)) < len(put) or (lift and put and len(lift) != len(put)):
        return None
    rest = {stone: colour for stone, colour in board.items() if stone not in lift}
    if any(cell in rest for cell in put):
        return None
    if not lift:
        room = len(board) < limit and sum(colour == mover for colour in board.values()) < stones
        return {**board, put[0]: mover} if room and len(put) == 1 else None
    if frozenset(lift) not in conditioned(board, mover, size):
        return None
    if not put:
        return rest
    if frozenset(put) not in pieces_on(frozenset(put), size):
        return None
    moved = {**rest, **{end: board[start] for start, end in zip(lift, put, strict=True)}}
    return moved if moved != board else None


def listed(board: Board, mover: str, rules: Rules, *, shifts: bool) -> Iterator[Board]:
    """The boards after each move that the game lists; shifts: including moves of single stones."""
    size = rules[0]
    everywhere = [(column, row) for column in range(size) for row in range(size)]
    at_range = torus_range(size)
    lifts: list[Cells] = [
        tuple(piece)
        for piece in conditioned(board, mover, size)
        if len(piece) == 1 or not any(at_range(s, t) for s in piece for t in set(board) - piece)
    ]
    for lift in [(), *lifts]:
        puts: list[Cells] = [()] if lift else [(cell,) for cell in everywhere]
        if shifts and len(lift) == 1:
            puts += [(cell,) for cell in everywhere]
        for put in puts:
            moved = after(board, mover, rules, lift, put)
            if moved is not None:
                yield moved


def count(rules: Rules, depth: int) -> tuple[list[int], list[int]]:
    """Counts of the listed turns, as by perft. depth: at most 3, too few for a position to come a third time."""

    def successors(state: State) -> Iterator[State]:
        board, mover, other = dict(state[0]), *state[1]
        for one in listed(board, mover, rules, shifts=True):
            yield frozenset(one.items()), (other, mover)
        for one in listed(board, mover, rules, shifts=False):
            for two in listed(one, mover, rules, shifts=False):
                yield frozenset(two.items()), (other, mover)

    def winner(state: State) -> int | None:
        if next(listed(dict(state[0]), state[1][0], rules, shifts=True), None) is not None:
            return None
        return 2 if state[1][0] == "B" else 1

    start: State = (frozenset(), ("B", "W"))
    return perft(start, successors, winner, depth)


def name(cell: Cell) -> str:
    return f"{'ABCDEFGHJKLMNOPQRST'[cell[0]]}{cell[1] + 1}"
