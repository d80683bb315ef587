"""Go: fast random games in which no side fills its own eyes, and chains in danger are saved or taken.

Points, stones and chains are sets in one integer. Random games know only simple ko; the moves of the search are legal
by the rules. The rules have no dead stones at the end, so a game is played until only eyes are left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from math import tanh
from random import Random

from games.boards import BothSides, Cells, Squares, bits, union
from games.go import Go, after, areas
from games.placing import PASS, Position
from pbm.bots.skill import Rollout, Skill

HEEDS = 0.9
"""How often a random game reacts to a stone that puts a chain in danger."""

PASSES_BELOW = 12
"""With fewer points left that are not eyes, passing is considered."""


class GoSkill(Skill):
    """Plays points that are not eyes, those in danger or beside the last stone first."""

    game: Go
    full = 4500
    shares = (1 / 28, 1 / 12, 1 / 5, 1 / 3, 1)
    rave = 300.0  # all moves of a random game count
    slips = (0.53, 0.3, 0.17, 0.12)
    explore = 0.25
    ordered = True
    complete = False

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        game, board = self.game, self.game.board(pos.options)
        # The other side has passed: where the count is won, nothing else can be better.
        if pos.passes and (end := game.outcome(game.play(pos, PASS))) and end.winner is pos.to_move:
            return [PASS]
        goban, own, others = goban_of(board), pos.own, pos.others
        legal = [cell for cell in bits(game.legal(pos)) if not goban.is_eye(cell, own, others)]
        dice.shuffle(legal)
        urgent = goban.urgent(pos.last, own, others)
        near = board.grow_all(board.grow_all(pos.taken))
        # The two lines at the edge, as long as no stone is near.
        idle = (goban.on_edge | board.grow_all(goban.on_edge)) & ~near
        legal = [cell for cell in legal if not idle >> cell & 1] or legal
        legal.sort(key=lambda cell: (cell not in urgent, not near >> cell & 1, goban.on_edge >> cell & 1))
        return [*legal, PASS] if len(legal) < PASSES_BELOW else legal

    careless = moves

    def evaluate(self, pos: Position) -> float:
        """The value if the game ended now, from which a beginner sees what can be captured."""
        return tanh(self._margin(pos, *pos.stones) / 20)

    def _margin(self, pos: Position, first: Cells, second: Cells) -> float:
        mine, theirs = areas(self.game.board(pos.options), first, second)
        return mine - theirs - float(pos.options.choice("komi"))

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        goban = goban_of(self.game.board(pos.options))
        own, others, played = goban.played_out(pos.own, pos.others, pos.last, pos.passes, dice)
        margin = self._margin(pos, *BothSides.seen_by(pos.to_move, own, others))
        value = (1.0 if margin > 0 else -1.0) * (0.9 + 0.1 * min(1.0, abs(margin) / 40))
        return Rollout.of(value, pos.to_move, *played)


class Goban:
    """The points of one board. beside, across: the adjacent and the diagonal neighbours of each point."""

    def __init__(self, board: Squares) -> None:
        self._board, self.full, self._stride, self.beside = board, board.full, board.stride, board.beside
        self.across = {
            cell: board.grow_all(1 << cell) & board.full & ~beside & ~(1 << cell)
            for cell, beside in self.beside.items()
        }
        self.on_edge = union(cell for cell, beside in self.beside.items() if beside.bit_count() < 4)

    def chain(self, seed: Cells, stones: Cells) -> tuple[Cells, Cells]:
        """The chain of stones that contains a seed, and the chain with all points around it."""
        # By the board's chain() and grow() random games would take a quarter longer.
        stride = self._stride
        while True:
            grown = seed | seed << 1 | seed >> 1 | seed << stride | seed >> stride
            if (more := grown & stones) == seed:
                return seed, grown
            seed = more

    def is_eye(self, cell: int, own: Cells, others: Cells) -> bool:
        """Whether a free point is an eye of the side with the stones `own`."""
        if self.beside[cell] & ~own:
            return False
        across = self.across[cell]
        # Two stones on diagonals make an eye false; at the edge one does.
        return (across & others).bit_count() < (2 if across.bit_count() == 4 else 1)

    def urgent(self, last: int | None, own: Cells, others: Cells) -> list[int]:
        """The points that capture the last stone's chain or save a chain beside it, if it has only one liberty."""
        if last is None or last == PASS:
            return []
        free = self.full & ~(own | others)
        room = self.chain(1 << last, others)[1] & free
        # Only the last liberty is urgent.
        urgent = [] if room & room - 1 or not room else [room.bit_length() - 1]
        left = self.beside[last] & own
        while left:
            stones, reach = self.chain(left & -left, own)
            left &= ~stones
            room = reach & free
            if room and not room & room - 1:
                cell = room.bit_length() - 1
                after = self.beside[cell] & free
                if after & after - 1 or self.chain(room, own | room)[1].bit_count() > stones.bit_count() + 6:
                    urgent.append(cell)
        return urgent

    def played_out(
        self, own: Cells, others: Cells, last: int | None, passes: int, dice: Random
    ) -> tuple[Cells, Cells, tuple[list[int], list[int]]]:
        """A random game: the final stones, the side to move first, and the points that each side played."""
        played: tuple[list[int], list[int]] = ([], [])
        turn, ko = 0, -1
        # Without superko a random game might go round for ever.
        for _ in range(3 * self.full.bit_count()):
            urgent = self.urgent(last, own, others) if dice.random() < HEEDS else []
            for cell in chain(urgent, self._anywhere(own, others, ko, dice)):
                if cell != ko and (stones := after(self._board, own, others, cell)):
                    passes, last = 0, cell
                    gone, alone = others & ~stones[1], not self.beside[cell] & stones[0]
                    # Simple ko: a stone that took one stone alone, and stands alone, must not be taken back at once.
                    ko = gone.bit_length() - 1 if gone and not gone & gone - 1 and alone else -1
                    played[turn].append(cell)
                    others, own = stones
                    break
            else:
                passes += 1
                last, ko = None, -1
                if passes >= 2:
                    break
                own, others = others, own
            turn = 1 - turn
        return (own, others, played) if turn == 0 else (others, own, played)

    def _anywhere(self, own: Cells, others: Cells, ko: int, dice: Random) -> Iterator[int]:
        """The free points that are not eyes, in random order."""
        free = [cell for cell in bits(self.full & ~(own | others)) if cell != ko]
        for left in range(len(free), 0, -1):
            at = int(dice.random() * left)
            cell, free[at] = free[at], free[left - 1]
            if not self.is_eye(cell, own, others):
                yield cell


goban_of = cache(Goban)
