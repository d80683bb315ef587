"""Loops: completed grids dealt out at random, points counted, and the exact end."""

from __future__ import annotations

from random import Random

from games.loops import Position
from games.rules import Side
from pbm.bots.skill import Rollout, Skill, Solution
from pbm.bots.tail import Tail

PLIES_SOLVED = 9
"""So many plies before the end it is worth a try to play out every line."""

Square = tuple[int, int]


class LoopsSkill(Skill):
    """Deals the squares that are left to both sides along a random completion of the grid."""

    full = 15_000
    explore = 0.4
    rave = 60.0

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        squares = shuffled_rest(pos, dice)
        mover = 0 if self.game.to_move(pos) is Side.FIRST else 1
        shares = squares[mover::2], squares[1 - mover :: 2]
        first = list(pos.rows[0])
        for row, column in shares[0]:
            first[row] |= 1 << column
        filled = list(pos.filled)
        for row, column in squares:
            filled[row] |= 1 << column
        margin = yellow_margin(first, filled) * (1 if pos.options.first == "yellow" else -1)
        value = max(-1.0, min(1.0, 0.8 * ((margin > 0) - (margin < 0)) + 0.02 * margin))
        one, two = (dict.fromkeys(share, (1.0, value)) for share in shares)
        return Rollout(value, (one, two))

    def solve(self, pos: Position, steps: int) -> Solution | None:
        left = 2 * pos.options.size - sum(map(int.bit_count, pos.filled))
        return Tail(self.game, steps // 20).solution(pos) if left <= PLIES_SOLVED else None


def shuffled_rest(pos: Position, dice: Random) -> list[Square]:
    """Squares that complete the grid, in random order: those of the position's completion, swapped about."""
    rows = list(pos.completion)
    rest = [
        (row, column)
        for row, (whole, filled) in enumerate(zip(rows, pos.filled, strict=True))
        for column in range(pos.options.size)
        if (whole & ~filled) >> column & 1
    ]
    dice.shuffle(rest)
    last = len(rest) - 1
    for at in range(last):
        other = int(dice.random() * last)
        (row, column), (row2, column2) = rest[at], rest[other]
        if not (rows[row] >> column2 & 1 or rows[row2] >> column & 1):
            rows[row] ^= 1 << column | 1 << column2
            rows[row2] ^= 1 << column | 1 << column2
            rest[at], rest[other] = (row, column2), (row2, column)
    return rest


def yellow_margin(own: list[int], filled: list[int]) -> int:
    """Yellow's points less Purple's on a full grid; own: the squares of either side, one line for each row.

    A crossing's four ends are two of its row and two of its column, so it is Yellow's where both have an even number of
    yellow squares, or both an odd one.
    """
    odd_columns = covering = begun = margin = 0
    for row in own:
        odd_columns ^= row
    for mine, line in zip(own, filled, strict=True):
        covering ^= line & begun  # columns whose second square is here end here
        low = line & -line
        between = (line ^ low) - (low << 1)
        crossed = between & covering
        odd = (crossed & odd_columns).bit_count()
        even = crossed.bit_count() - odd
        margin += even - odd if mine.bit_count() % 2 == 0 else odd - even
        covering |= line & ~begun
        begun |= line
    return margin
