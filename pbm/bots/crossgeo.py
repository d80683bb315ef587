"""CrossGeo: perfect play wherever the board can be solved, and quick random games for the rest."""

from __future__ import annotations

from functools import lru_cache
from random import Random

from games.boards import bits
from games.crossgeo import PICKS, Options, Position, graph
from games.crossgeo_boards import Edges
from games.crossgeo_solver import Solver
from games.rules import Side
from games.steps import Steps
from pbm.bots.exact import best_play
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
        board, leaves = graph(pos.options), survivors(pos.options)
        solver = Solver(board, steps)

        def kids(at: tuple[Edges, Side]) -> list[tuple[int, tuple[Edges, Side]]]:
            standing, side = at
            picks = bits(standing & board.of_colours(PICKS[side]))
            return [(edge, (standing & leaves[edge], side.other)) for edge in picks]

        return best_play((pos.standing, pos.side), pos.side, kids, lambda at: solver.wins(*at))
