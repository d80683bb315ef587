"""The polygon game: a search over sketches, and proof numbers whose results are checked against the rules.

A sketch is a position in rounded numbers, for games in a search; it is many times faster than the rules. It has the
same moves as the rules, unless points are so close together that rounded numbers cannot tell them apart; so a result
is certain only after the rules have confirmed it. Coordinates are those of the polygon.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

from games import AnyGame
from games.polygon import Move, Options, Polygon, Position
from games.polygon_geometry import MAX_WEIGHT, Place
from games.rules import Outcome, Side
from games.steps import OutOfSteps, Steps
from pbm.bots.skill import Skill, Solution

FINE = 1 << 20
"""How many parts a unit of the polygon has when a point is read from a drawing."""
SAME = 1e-9
"""Points of a segment this close together, as a fraction of its length, count as one."""

Spot = tuple[float, float]
Line = tuple[float, float, float, float]
"""The start of a segment, and how far it goes to the right and up."""


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A position after ply 1. All fields but the first four are derived from the position before.

    places: where ply 1 started, then where each ply ended. open: the crossings of drawn segments that may still be
    targets, whose colours allow that at one of the next two plies at least, in the order of drawing. here: the plies of
    the segments through the current point. weights: of segments, as in the rules.
    """

    options: Options
    corners: tuple[Spot, ...]
    places: tuple[Place, ...]
    spot: Spot
    lines: tuple[Line, ...]
    weights: tuple[int, ...]
    open: tuple[tuple[int, int], ...]
    here: frozenset[int]
    moves: tuple[Move, ...]

    @property
    def to_move(self) -> Side:
        return Side.FIRST if len(self.places) % 2 else Side.SECOND


class Sketches:
    """The game as played in a search, from a position of the rules on, with the moves of the rules."""

    def __init__(self, rules: Polygon) -> None:
        self._rules = rules

    def to_move(self, pos: Position | Sketch) -> Side:
        return pos.to_move if isinstance(pos, Sketch) else self._rules.to_move(pos)

    def moves(self, pos: Position | Sketch) -> Sequence[Move]:
        return pos.moves if isinstance(pos, Sketch) else list(self._rules.moves(pos))

    def outcome(self, pos: Position | Sketch) -> Outcome | None:
        if isinstance(pos, Position):
            return self._rules.outcome(pos)
        return None if pos.moves else Outcome(pos.to_move.other, "by drawing the last segment")

    def play(self, pos: Position | Sketch, move: Move) -> Sketch:
        """The position after a legal move."""
        if isinstance(pos, Sketch):
            assert move.end is not None  # noqa: S101  passes are not among the moves
            return _extended(pos, move.end)
        return self._of(self._rules.play(pos, move)) if pos.drawing is None else self.play(self._of(pos), move)

    def _of(self, pos: Position) -> Sketch:
        drawing = pos.drawing
        assert drawing is not None  # noqa: S101  there is one after ply 1
        corners = tuple((float(x), float(y)) for x, y in pos.vertices)
        spots = [(x / FINE, y / FINE) for x, y in drawing.floors(drawing.places, FINE)]
        lines = tuple((x, y, to_x - x, to_y - y) for (x, y), (to_x, to_y) in pairwise(spots))
        weights = tuple(segment.weight for segment in drawing.segments)
        moves = tuple(self._rules.moves(pos))
        crossings = _suiting(pos.options, drawing.crossings())
        return Sketch(pos.options, corners, drawing.places, spots[-1], lines, weights, crossings, drawing.here, moves)


def _extended(pos: Sketch, place: Place) -> Sketch:
    """The sketch with one more segment, from the current point to a place."""
    lines, (x, y) = pos.lines, pos.spot
    if isinstance(place, int):
        to_x, to_y = pos.corners[place]
        far = _touching(pos.places, place)
    else:
        to_x, to_y = _meeting(lines[place[0] - 1], lines[place[1] - 1])
        far = [*place]
    weight = _weight(pos.weights, pos.places[-1]) + _weight(pos.weights, place)
    right, up, ply, near = to_x - x, to_y - y, len(lines) + 1, pos.here
    crossed: list[tuple[float, int]] = []
    for number, (at_x, at_y, dx, dy) in enumerate(lines, 1):
        start_side = dx * (y - at_y) - dy * (x - at_x)
        end_side = dx * (to_y - at_y) - dy * (to_x - at_x)
        # Lines through either end meet the new one there, whatever rounded numbers say.
        if start_side * end_side < 0 and number not in near and number not in far:
            side = right * (at_y - y) - up * (at_x - x)
            if side * (side + right * dy - up * dx) < 0:
                crossed.append((start_side / (start_side - end_side), number))
    crossed.sort()
    crowded = _crowded(crossed)
    closed = {place, *product(crowded, crowded)}
    alone = sorted({number for _, number in crossed} - crowded)
    new = _suiting(pos.options, ((number, ply) for number in alone))
    still_open = (*[crossing for crossing in pos.open if crossing not in closed], *new)
    places, here = (*pos.places, place), frozenset((*far, ply))
    lines, weights = (*lines, (x, y, right, up)), (*pos.weights, weight)
    moves = tuple(_targets(pos.options, places, still_open, here, weights))
    return Sketch(pos.options, pos.corners, places, (to_x, to_y), lines, weights, still_open, here, moves)


def _touching(places: Sequence[Place], corner: int) -> list[int]:
    """The plies whose segments begin or end at a corner."""
    return [ply for ply, ends in enumerate(pairwise(places), 1) if corner in ends]


def _weight(weights: Sequence[int], place: Place) -> int:
    """As in the rules. weights: of the segments."""
    return 1 if isinstance(place, int) else weights[place[0] - 1] + weights[place[1] - 1]


def _crowded(crossed: Sequence[tuple[float, int]]) -> set[int]:
    """The segments that cross a new one where another one does, so that three meet. crossed: in order along it."""
    return {number for (low, one), (high, two) in pairwise(crossed) if high - low < SAME for number in (one, two)}


def _meeting(one: Line, two: Line) -> Spot:
    """The point where two segments cross."""
    x, y, dx, dy = one
    at_x, at_y, right, up = two
    share = (dx * (y - at_y) - dy * (x - at_x)) / (dx * up - dy * right)
    return at_x + share * right, at_y + share * up


def _suiting(options: Options, crossings: Iterator[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The crossings whose colours can ever be allowed."""
    if options.colours in ("any", "split"):
        return tuple(crossings)
    wanted = options.colours == "different"
    return tuple([crossing for crossing in crossings if (crossing[1] - crossing[0]) % 2 == wanted])


def _targets(
    options: Options,
    places: tuple[Place, ...],
    crossings: Sequence[tuple[int, int]],
    here: frozenset[int],
    weights: Sequence[int],
) -> list[Move]:
    """The moves in the order of the rules. crossings: that are open."""
    crossings = [crossing for crossing in crossings if here.isdisjoint(crossing)]
    if options.colours == "split":
        differ = len(places) % 2 == 0
        crossings = [(one, other) for one, other in crossings if (other - one) % 2 == differ]
    # A crossing weighs as much as two segments, so that in most games none can be too heavy.
    if 2 * max(weights) > MAX_WEIGHT:
        crossings = [crossing for crossing in crossings if _weight(weights, crossing) <= MAX_WEIGHT]
    ends: list[Place] = [*_corners(options.sides, places, is_on_first=1 in here), *crossings]
    return [Move(end) for end in ends]


def _corners(around: int, places: tuple[Place, ...], *, is_on_first: bool) -> list[int]:
    """The corners that the next line may lead to, which starts on the first one or not. around: how many there are."""
    start, first = places[-1], places[0]
    beside = ((start - 1) % around, (start + 1) % around) if isinstance(start, int) else ()
    corners = [corner for corner in range(around) if corner not in places and corner not in beside]
    # A line may end where the first one began, but not from a place on that one.
    if isinstance(first, int) and first != start and places.count(first) == 1 and not is_on_first:
        corners += [] if first in beside else [first]
    return sorted(corners)


STEPS_A_POSITION, STEPS_TO_CONFIRM_ONE = 8, 20
CROSSINGS_A_STEP, CROSSINGS_A_STEP_TO_CONFIRM = 30, 3
# Drawings with many crossings take longer, and games with eight sides may have thousands.
TELLING = 1000
"""From this many positions on, an unfinished proof says more than random games."""


class PolygonSkill(Skill):
    """Relies on proofs, because random games say little about who draws last; few moves let proofs reach far."""

    game: Polygon
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
        self.played = Sketches(game)

    def solve(self, pos: Position, steps: Steps) -> Solution | None:
        """As in Skill. At the start only segments from the first corner are tried, as other corners are similar."""
        crossings = sum(map(len, pos.drawing.rows)) if pos.drawing else 0
        proof = ProofSearch(self.played, steps.of(STEPS_A_POSITION + crossings // CROSSINGS_A_STEP))
        moves = list(self.game.moves(pos))
        from_one = [move for move in moves if not move.start]
        confirming = steps.of(STEPS_TO_CONFIRM_ONE + crossings // CROSSINGS_A_STEP_TO_CONFIRM)
        try:
            solution = proof.solution(pos, from_one)
            # Only a win from the first corner holds for all; a loss may be won from another one.
            if solution.value < 0 and len(from_one) < len(moves):
                return None
            # Rounded numbers may have joined or parted points; only what the rules confirm is certain.
            return solution if proof.holds(self.game, pos, confirming) else None
        except OutOfSteps:
            return proof.leaning()


class Claim:
    """A position in the tree of a proof, and its moves."""

    __slots__ = ("kids", "moves", "pos", "size", "to_lose", "to_win")

    def __init__(self, moves: Sequence[Move]) -> None:
        self.moves, self.kids, self.size = moves, list[Claim](), 1
        self.pos: Sketch | None = None  # until visited: most positions never are, and a sketch is large
        self.to_win, self.to_lose = (1, len(moves)) if moves else (_NEVER, 0)
        """The fewest positions that could prove a win, or a loss, of the side to move; 0 if that is proved."""

    @property
    def settled(self) -> bool:
        return not self.to_win or not self.to_lose

    def count(self) -> None:
        self.to_win = min(kid.to_lose for kid in self.kids)
        self.to_lose = min(sum(kid.to_win for kid in self.kids), _NEVER)
        self.size = 1 + sum(kid.size for kid in self.kids)

    def next(self) -> int:
        """The move to examine, or once settled to play: a win, or the loss that took longest to prove."""
        return min(range(len(self.kids)), key=lambda at: (self.kids[at].to_lose, -self.settled * self.kids[at].size))


_NEVER = 1 << 60


class ProofSearch:
    """A proof of the winner by proof numbers (Allis): it follows the line that could settle it soonest.

    steps: positions it may visit.
    """

    def __init__(self, game: Sketches, steps: Steps) -> None:
        self._game, self._steps = game, steps
        self._root = Claim(())

    def solution(self, pos: Position, moves: Sequence[Move]) -> Solution:
        """The exact solution of a position that is not over, if sketches are right. Raises: OutOfSteps.

        moves: its legal moves.
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
        """The move closest to a win and furthest from a loss; None if the proof is finished or has seen too little."""
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
        """Whether the rules allow the winner's moves of the proof, and give the loser no other moves than it has.

        steps: positions it may visit. Raises: OutOfSteps.
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
