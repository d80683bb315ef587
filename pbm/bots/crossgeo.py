"""CrossGeo: perfect play wherever the board can be solved, and quick random games for the rest."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from random import Random

from games.boards import bits
from games.crossgeo import PICKS, Options, Position, graph
from games.crossgeo_boards import Edges
from games.crossgeo_solver import Solver
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Rollout, Skill, Solution


@lru_cache(maxsize=256)
def survivors(options: Options) -> tuple[Edges, ...]:
    """For each edge the set of all that its pick leaves alone."""
    return tuple(~(1 << edge | crossing) for edge, crossing in enumerate(graph(options).crossings))


class CrossGeoSkill(Skill):
    """Solves boards by the values of their components (games/crossgeo_solver.py)."""

    full = 10_000
    slips = (0.98, 0.72, 0.4, 0.14)

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game: both sides go through the edges in one random order, each skipping what it may not pick."""
        board, standing, side = graph(pos.options), pos.standing, pos.side
        chance, colours, leaves = dice.random, board.colours, survivors(pos.options)
        order = sorted(bits(standing), key=lambda _: chance())
        if colours.count("g") == len(colours):
            mine = side is not Side.FIRST
            for edge in order:
                if standing >> edge & 1:
                    standing &= leaves[edge]
                    mine = not mine
            return Rollout(1.0 if mine else -1.0)
        queues = {side: iter([edge for edge in order if colours[edge] in PICKS[side]]) for side in Side}
        while True:
            for edge in queues[side]:
                if standing >> edge & 1:
                    standing &= leaves[edge]
                    break
            else:
                return Rollout(-1.0 if side is Side.FIRST else 1.0)
            side = side.other

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        play = _BestPlay(pos, steps)
        try:
            won = play.solver.wins(pos.standing, pos.side)
            line = play.line(pos.standing, pos.side)
        except OutOfSteps:
            return None
        return Solution(1.0 if won is (pos.side is Side.FIRST) else -1.0, line)


class _BestPlay:
    """Lines of best play on one board, within the steps of one solver."""

    def __init__(self, pos: Position, steps: Steps) -> None:
        self._board, self._leaves = graph(pos.options), survivors(pos.options)
        self.solver = Solver(self._board, steps)

    def _picks(self, standing: int, side: Side) -> list[int]:
        return list(bits(standing & self._board.of_colours(PICKS[side])))

    def _winning(self, standing: int, side: Side) -> Iterator[int]:
        picks = self._picks(standing, side)
        return (edge for edge in picks if not self.solver.wins(standing & self._leaves[edge], side.other))

    def _best(self, standing: int, side: Side) -> int:
        """The first winning pick, or the one that leaves the winner the fewest of them. Raises: OutOfSteps."""
        if (winning := next(self._winning(standing, side), None)) is not None:
            return winning
        picks = self._picks(standing, side)
        try:
            return min(picks, key=lambda edge: sum(1 for _ in self._winning(standing & self._leaves[edge], side.other)))
        except OutOfSteps:
            return picks[0]

    def line(self, standing: int, side: Side) -> tuple[int, ...]:
        """As long as the steps last, to the end of the game at best. Raises: OutOfSteps when they do not for a pick."""
        line = [self._best(standing, side)]
        try:
            while self._picks(standing := standing & self._leaves[line[-1]], side := side.other):
                line.append(self._best(standing, side))
        except OutOfSteps:
            pass
        return tuple(line)
