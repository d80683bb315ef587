"""The levels of robots: known without what a robot thinks with, whose import takes a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbm.bots.search import Budget
    from pbm.bots.skill import Skill

PATIENCE = 40.0  # players have its answer within a minute
"""The wall-clock seconds after which a robot stops thinking."""


@dataclass(frozen=True, slots=True)
class Level:
    """How well a robot plays."""

    number: int
    steps: int
    """As in Budget, like seconds."""
    seconds: float

    def budget(self, skill: Skill) -> Budget:
        from pbm.bots.search import Budget

        share = skill.shares[self.number - 1]
        visits = max(round(skill.full * share), min(skill.full, skill.least * 3 ** (self.number - 1)))
        slip = skill.slips[self.number - 1] if self.number <= len(skill.slips) else 0.0
        return Budget(visits, self.seconds, self.steps, slip, PATIENCE)


LEVELS = {
    level.number: level
    for level in (
        Level(1, 0, 2.0),
        Level(2, 30, 3.0),
        Level(3, 300, 5.0),
        Level(4, 5_000, 8.0),
        Level(5, 500_000, 12.0),
    )
}
