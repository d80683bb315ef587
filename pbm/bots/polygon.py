"""The polygon game: short random games, and the exact end, found by proof numbers."""

from __future__ import annotations

from games.polygon import Position
from pbm.bots.skill import Skill, Solution
from pbm.bots.tail import Proof

STEPS_A_SEGMENT = 20
CROSSINGS_A_STEP = 3
"""A drawing with many crossings takes longer: games of eight sides may have thousands."""


class PolygonSkill(Skill):
    """Geometry is slow, so few positions are looked at; but there are few moves, and the proofs reach far."""

    full = 1200
    explore = 0.5
    plies = 40
    least = 15
    slips = (0.97, 0.5, 0.22, 0.18)

    def solve(self, pos: Position, steps: int) -> Solution | None:
        """At the start only segments from the first corner are looked at: another corner's are much alike."""
        crossings = sum(map(len, pos.drawing.rows)) if pos.drawing else 0
        proof = Proof(self.game, steps // (STEPS_A_SEGMENT + crossings // CROSSINGS_A_STEP))
        moves = list(self.game.moves(pos))
        from_one = [move for move in moves if not move.start]
        found = proof.solution(pos, from_one)
        return None if found and found.value < 0 and len(from_one) < len(moves) else found
