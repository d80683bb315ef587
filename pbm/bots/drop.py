"""Four in a Row: random games, and the exact end once the board is more than half full."""

from __future__ import annotations

from games.placing import Placing, Position
from pbm.bots.skill import Skill, Solution
from pbm.bots.tail import Tail

FREE_AT_MOST = 18
"""Free squares with which it is worth a try to play out every line."""


class FourSkill(Skill):
    """Few moves, so a search by the rules alone sees far."""

    full = 4000
    explore = 0.8

    def solve(self, pos: Position, steps: int) -> Solution | None:
        assert isinstance(self.game, Placing)  # noqa: S101
        free = self.game.board(pos.options).full & ~pos.taken
        return Tail(self.game, steps // 20).solution(pos) if free.bit_count() <= FREE_AT_MOST else None
