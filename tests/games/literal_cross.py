"""Cross once more, slow and word for word from its rules: cells are pairs of a row letter and a number."""

from __future__ import annotations

from collections.abc import Iterator

from tests.games.perft import perft

Cell = tuple[str, int]
Stones = frozenset[Cell]
Game = tuple[int, Stones, Stones, frozenset[str]]
"""Size, stones of O, stones of X, and the winner: none, or one of "O" and "X"."""


def rows(size: int) -> dict[str, list[Cell]]:
    """The rows from the top: A holds 1..N, each row to the middle has one more; the rows below start at 2, 3, .."""
    letters = [chr(ord("A") + index) for index in range(2 * size - 1)]
    spans = [(1, size + index) for index in range(size)] + [(1 + index, 2 * size - 1) for index in range(1, size)]
    return {
        letter: [(letter, number) for number in range(low, high + 1)]
        for letter, (low, high) in zip(letters, spans, strict=True)
    }


def cells(size: int) -> list[Cell]:
    return [cell for row in rows(size).values() for cell in row]


def sides(size: int) -> dict[str, set[Cell]]:
    of_rows = list(rows(size).values())
    upper, lower = of_rows[:size], of_rows[size - 1 :]
    return {
        "N": set(of_rows[0]),
        "NE": {row[-1] for row in upper},
        "SE": {row[-1] for row in lower},
        "S": set(of_rows[-1]),
        "SW": {row[0] for row in lower},
        "NW": {row[0] for row in upper},
    }


def neighbours(cell: Cell) -> Iterator[Cell]:
    letter, number = cell
    for down, right in ((0, -1), (0, 1), (-1, 0), (1, 0), (-1, -1), (1, 1)):
        yield chr(ord(letter) + down), number + right


def chain(stones: Stones, start: Cell) -> set[Cell]:
    found, todo = set(), [start]
    while todo:
        cell = todo.pop()
        if cell in stones and cell not in found:
            found.add(cell)
            todo.extend(neighbours(cell))
    return found


def verdict(size: int, stones: Stones, last: Cell) -> str:
    """What a placement means for its player: "won", "lost", or nothing yet."""
    connected = chain(stones, last)
    touched = {name for name, side in sides(size).items() if side & connected}
    if touched >= {"N", "SE", "SW"} or touched >= {"S", "NE", "NW"}:
        return "won"
    if touched >= {"N", "S"} or touched >= {"NE", "SW"} or touched >= {"NW", "SE"}:
        return "lost"
    return ""


def play(game: Game, cell: Cell) -> Game:
    size, o, x, _ = game
    mover = "O" if len(o) == len(x) else "X"
    if mover == "O":
        o |= {cell}
    else:
        x |= {cell}
    judged = verdict(size, o if mover == "O" else x, cell)
    winner = {"won": mover, "lost": "X" if mover == "O" else "O"}.get(judged)
    return size, o, x, frozenset([winner] if winner else [])


def winner(game: Game) -> int | None:
    return {frozenset("O"): 1, frozenset("X"): 2}.get(game[3])


def successors(game: Game) -> list[Game]:
    size, o, x, won = game
    return [] if won else [play(game, cell) for cell in cells(size) if cell not in o | x]


def start(size: int) -> Game:
    return size, frozenset(), frozenset(), frozenset()


def count(size: int, depth: int) -> tuple[list[int], list[int]]:
    return perft(start(size), successors, winner, depth)
