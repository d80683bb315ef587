"""The polygon game: a search over sketches, and who wins by proof numbers, held against the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from games import AnyGame
from games.polygon import Move, Polygon, Position
from games.rules import Side
from games.steps import OutOfSteps, Steps
from pbm.bots.sketch import Sketch, Sketches
from pbm.bots.skill import Skill, Solution

STEPS_A_POSITION, STEPS_TO_CONFIRM_ONE = 8, 20
CROSSINGS_A_STEP, CROSSINGS_A_STEP_TO_CONFIRM = 30, 3
"""A drawing with many crossings takes longer: games of eight sides may have thousands."""
TELLING = 1000
"""Positions from which on an unfinished proof tells more than random games do."""


class PolygonSkill(Skill):
    """Random games tell little of who draws last, so the proofs decide; there are few moves, and they reach far."""

    full = 4000
    shares = (1 / 250, 1 / 90, 1 / 30, 1 / 10, 1)
    explore = 0.5
    plies = 40
    least = 15
    slips = (0.98, 0.53, 0.2, 0.195)
    sure = False

    def __init__(self, game: AnyGame) -> None:
        super().__init__(game)
        assert isinstance(game, Polygon)  # noqa: S101  this skill is for that game
        self._rules, self.played = game, Sketches(game)

    def moves(self, pos: Position | Sketch, dice: Random) -> Sequence[Move]:
        return list(self.played.moves(pos))

    careless = moves

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        """At the start only segments from the first corner are looked at: another corner's are much alike."""
        crossings = sum(map(len, pos.drawing.rows)) if pos.drawing else 0
        proof = Proof(self.played, steps.of(STEPS_A_POSITION + crossings // CROSSINGS_A_STEP))
        moves = list(self._rules.moves(pos))
        from_one = [move for move in moves if not move.start]
        confirming = steps.of(STEPS_TO_CONFIRM_ONE + crossings // CROSSINGS_A_STEP_TO_CONFIRM)
        try:
            found = proof.solution(pos, from_one)
            if found.value < 0 and len(from_one) < len(moves):
                return None
            return found if proof.holds(self._rules, pos, confirming) else None
        except OutOfSteps:
            return proof.leaning()


class Claim:
    """A position in the tree of a proof, and its moves."""

    __slots__ = ("kids", "moves", "pos", "size", "to_lose", "to_win")

    def __init__(self, moves: Sequence[Move]) -> None:
        self.moves, self.kids, self.size = moves, list[Claim](), 1
        self.pos: Sketch | None = None
        """None until it is looked into: most never are, and a sketch is large."""
        self.to_win, self.to_lose = (1, len(moves)) if moves else (_NEVER, 0)
        """The fewest positions that could show it won, or lost, for the side to move; 0 where that is shown."""

    @property
    def settled(self) -> bool:
        return not self.to_win or not self.to_lose

    def count(self) -> None:
        self.to_win = min(kid.to_lose for kid in self.kids)
        self.to_lose = min(sum(kid.to_win for kid in self.kids), _NEVER)
        self.size = 1 + sum(kid.size for kid in self.kids)

    def next(self) -> int:
        """The move to look into, or to play once all is settled: a win, or of losses what took longest to show."""
        return min(range(len(self.kids)), key=lambda at: (self.kids[at].to_lose, -self.settled * self.kids[at].size))


_NEVER = 1 << 60


class Proof:
    """Who wins, by proof numbers (Allis): the line is followed that could settle it soonest.

    steps: positions that may be looked at.
    """

    def __init__(self, game: Sketches, steps: Steps) -> None:
        self._game, self._steps = game, steps
        self._root = Claim(())

    def solution(self, pos: Position, moves: Sequence[Move]) -> Solution:
        """The truth about a position that is not over, as far as sketches go. Raises: OutOfSteps.

        moves: those that may be played in it.
        """
        self._root = root = Claim(moves)
        here: Position | Sketch
        while not root.settled:
            path, here = [root], pos
            while (claim := path[-1]).kids:
                at = claim.next()
                path.append(kid := claim.kids[at])
                here = kid.pos = kid.pos or self._game.play(here, claim.moves[at])
            self._steps.take(len(claim.moves))
            claim.kids = [Claim(self._game.play(here, move).moves) for move in claim.moves]
            for claim in reversed(path):
                claim.count()
        won = (self._game.to_move(pos) is Side.FIRST) is (root.to_win == 0)
        return Solution(1.0 if won else -1.0, tuple(self._line(root)))

    def leaning(self) -> Solution | None:
        """The move that is nearest to a win, and furthest from a loss, of an unfinished proof that has seen enough."""
        kids = self._root.kids
        if self._root.settled or self._root.size < TELLING:
            return None
        at = min(range(len(kids)), key=lambda at: (kids[at].to_lose + 1) / (kids[at].to_win + 1))
        return Solution(0.0, (self._root.moves[at],), proved=False)

    def _line(self, claim: Claim) -> Iterator[Move]:
        while claim.kids:
            at = claim.next()
            yield claim.moves[at]
            claim = claim.kids[at]

    def holds(self, rules: Polygon, pos: Position, steps: Steps) -> bool:
        """Whether the rules give the loser the same moves wherever the winner may lead them, and the winner's own.

        steps: positions that may be looked at. Raises: OutOfSteps.
        """
        waiting = [(self._root, pos)]
        while waiting:
            steps.take()
            claim, pos = waiting.pop()
            moves = list(rules.moves(pos))
            if claim.to_win == 0:
                at = claim.next()
                if claim.moves[at] not in moves:
                    return False
                waiting.append((claim.kids[at], rules.play(pos, claim.moves[at])))
            elif [*claim.moves] != moves:
                return False
            else:
                waiting += [(kid, rules.play(pos, move)) for kid, move in zip(claim.kids, moves, strict=True)]
        return True
