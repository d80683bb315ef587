"""The loops game once more, slow and word for word from its article: squares are pairs of row and column."""

from __future__ import annotations

from functools import cache
from itertools import combinations

from tests.games.perft import DRAW, perft

Square = tuple[int, int]
Game = tuple[int, frozenset[Square], frozenset[Square]]
"""Size, squares of the player who began, squares of the other one."""


@cache
def completions(size: int) -> list[frozenset[Square]]:
    """All ways to have exactly two squares in every row and column; size 6 has 67,950."""
    ways: list[frozenset[Square]] = []

    def extend(row: int, squares: tuple[Square, ...]) -> None:
        columns = [column for _, column in squares]
        if row == size:
            ways.append(frozenset(squares))
            return
        for pair in combinations([column for column in range(size) if columns.count(column) < 2], 2):
            extend(row + 1, squares + tuple((row, column) for column in pair))

    extend(0, ())
    return ways


def legal(game: Game) -> list[Square]:
    """The empty squares that leave some completion, in reading order."""
    size, first, second = game
    filled = first | second
    left = [way for way in completions(size) if way >= filled]
    return sorted({square for way in left for square in way} - filled)


def start(size: int) -> Game:
    return size, frozenset(), frozenset()


def play(game: Game, square: Square) -> Game:
    size, first, second = game
    if len(first) == len(second):
        return size, first | {square}, second
    return size, first, second | {square}


def points(size: int, yellow: frozenset[Square], purple: frozenset[Square]) -> tuple[int, int]:
    """Points of Yellow and Purple, by the author's first definition: pairs of opposing extremities."""
    filled = yellow | purple
    scores = {True: 0, False: 0}
    for row in range(size):
        for column in range(size):
            horizontal = sorted(square for square in filled if square[0] == row)
            vertical = sorted(square for square in filled if square[1] == column)
            if len(horizontal) < 2 or len(vertical) < 2:
                continue
            if horizontal[0][1] < column < horizontal[1][1] and vertical[0][0] < row < vertical[1][0]:
                alike = [len(set(pair) & yellow) != 1 for pair in (horizontal, vertical)]
                scores[alike[0] == alike[1]] += 1
    return scores[True], scores[False]


def scores(game: Game, *, purple_begins: bool) -> tuple[int, int]:
    """Points of the player who began and of the other one."""
    size, first, second = game
    if purple_begins:
        yellow, purple = points(size, second, first)
        return purple, yellow
    return points(size, first, second)


def count(size: int, depth: int, *, purple_begins: bool = False) -> tuple[list[int], list[int]]:
    def winner(game: Game) -> int | None:
        if len(game[1]) + len(game[2]) < 2 * size:
            return None
        first, second = scores(game, purple_begins=purple_begins)
        return DRAW if first == second else 1 if first > second else 2

    def successors(game: Game) -> list[Game]:
        return [play(game, square) for square in legal(game)]

    return perft(start(size), successors, winner, depth)
