"""The polygon game: short random games, and the exact end as soon as few lines are left."""

from __future__ import annotations

from games.polygon import Position
from pbm.bots.skill import Skill, Solution
from pbm.bots.tail import Tail


class PolygonSkill(Skill):
    """Geometry is slow, so few positions are looked at; but there are few moves, and the proofs reach far."""

    full = 1200
    explore = 0.5
    plies = 40
    slips = (0.92, 0.62, 0.35, 0.12)

    def solve(self, pos: Position, steps: int) -> Solution | None:
        return Tail(self.game, steps // 40).solution(pos) if pos.drawing is not None else None
