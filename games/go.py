"""Go, traditional (China).

Two players place stones in turn on the points of a board of lines, or pass. Chains of the opponent without a free
neighbour are taken off; suicide is forbidden. No position of the board may be repeated, whichever side moves
(positional superko; a pass is always allowed). Two passes end the game: all stones are alive, and a side scores its
stones and the free points that only it borders on; White adds komi. Komi ends in a half, so there are no draws.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.boards import WITHOUT_I, BothSides, Cells, Squares, bits, squares, union
from games.placing import PASS, Ending, Placing, Position
from games.rules import Info, Option, OptionError, OptionValues, Outcome, Side, leader
from games.scene import Ground


class Go(Placing):
    """The rules of Go."""

    info = Info(
        name="go",
        title="Go",
        kind="territory",
        summary="surround more of the board than the other player",
        source="traditional, China",
        options=(
            Option("size", "points per row and column", "13", choices=("9", "13", "19")),
            Option("komi", "points that White gets besides", "7.5", low=-20, high=20, halves=True),
            Option("handicap", "black stones at the start, 2 or more, and White then begins", 0, low=0, high=9),
        ),
        halves=True,
        sgf=1,
    )
    passing = True

    def options(self, words: Sequence[str], *, body: str = "") -> OptionValues:
        options = super().options(words, body=body)
        # A single stone is Black's first move anyway; what is meant is a game with hardly any komi.
        if options.number("handicap") == 1:
            raise OptionError("A handicap is 2 to 9 stones. For less leave it out and take -komi=0.5.")
        return options

    def board(self, options: OptionValues) -> Squares:
        size = options.number("size")
        return squares(size, size, letters=WITHOUT_I, ground=Ground.LINES, cell="point")

    def start(self, options: OptionValues) -> Position:
        # The handicap: opposite corners, other corners, sides; the middle for odd numbers above four.
        board, count = self.board(options), options.number("handicap")
        low, middle, high = board.star_lines
        corners = [(low, low), (high, high), (high, low), (low, high)]
        spots = [*corners, (middle, low), (middle, high), (low, middle), (high, middle)]
        if count > len(corners) and count % 2:  # by custom the odd stone is the middle one
            spots[count - 1 :] = [(middle, middle)]
        stones = union(row * board.stride + column for row, column in spots[:count])
        mover = Side.SECOND if stones else Side.FIRST
        return Position(options, BothSides(stones), to_move=mover, seen=frozenset({BothSides(stones)}))

    def legal(self, pos: Position) -> Cells:
        return union(cell for cell in bits(self.board(pos.options).full & ~pos.taken) if self.allows(pos, cell))

    def allows(self, pos: Position, cell: int) -> bool:
        # Whichever side moves: the superko is positional.
        return not pos.taken >> cell & 1 and self.placed(pos, cell) not in pos.seen

    def placed(self, pos: Position, move: int) -> BothSides:
        """The stones of both sides after a stone on a free point; unchanged if that would be suicide."""
        stones = after(self.board(pos.options), pos.own, pos.others, move)
        return BothSides.seen_by(pos.to_move, *stones) if stones else pos.stones

    def may_pass(self, pos: Position) -> bool:
        return True

    def play(self, pos: Position, move: int) -> Position:
        if move == PASS:
            return super().play(pos, move)
        stones = self.placed(pos, move)
        return Position(pos.options, stones, move, pos.to_move.other, seen=pos.seen | {stones})

    def refusal(self, pos: Position, move: int) -> str:
        if pos.taken >> move & 1:
            return super().refusal(pos, move)
        refused = f"{self.colours[pos.to_move - 1]} may not play {self.notate(pos, move)}"
        # `placed` leaves the stones as they are for suicide, and nothing else does.
        if self.placed(pos, move) == pos.stones:
            return f"{refused}: the stone would take nothing and have no free point beside its chain (suicide)."
        return f"{refused} now: it would bring back a position that the board has had (ko). Play elsewhere first."

    def ending(self, pos: Position, last: int) -> Ending | None:
        if pos.passes < 2:
            return None
        first, second = scores = self._scores(pos)
        values = sorted(map(_points, scores), key=float)
        reason = f"by {_points(abs(first - second))} points, {values[1]} to {values[0]}"
        return Ending(Outcome(leader(scores), reason, scores))

    def _scores(self, pos: Position) -> tuple[int, int]:
        """The area of each side in half points, with komi."""
        first, second = areas(self.board(pos.options), *pos.stones)
        return 2 * first, 2 * second + _komi(pos.options)

    def notes(self, pos: Position) -> tuple[str, ...]:
        komi = f"White has {_points(_komi(pos.options))} points of komi."
        passed = f"{self.colours[pos.to_move.other - 1]} has passed; a second pass ends the game."
        return (komi, passed) if pos.passes == 1 else (komi,)


def after(board: Squares, own: Cells, others: Cells, move: int) -> tuple[Cells, Cells] | None:
    """The stones of the side to move and of the other side after a stone on a free point; None if that is suicide."""
    point, taken = 1 << move, 0
    own |= point
    free, beside = board.full & ~own & ~others, board.beside[move]
    for index in bits(beside & others):
        # A chain may touch the stone more than once.
        if not taken >> index & 1 and not board.borders(1 << index, others, free):
            taken |= board.chain(1 << index, others)
    # Stones that it takes leave free points behind, so only a stone that takes nothing can be suicide.
    if not taken and not beside & free and not board.borders(point, own, free):
        return None
    return own, others & ~taken


def areas(board: Squares, first: Cells, second: Cells) -> tuple[int, int]:
    """The number of each side's stones, plus the free points that only it borders on."""
    mine, theirs = first.bit_count(), second.bit_count()
    for region in board.chains(board.full & ~first & ~second):
        around = board.around(region)
        if not around & second:
            mine += region.bit_count() if around & first else 0  # an empty board borders on nobody
        elif not around & first:
            theirs += region.bit_count()
    return mine, theirs


def _komi(options: OptionValues) -> int:
    """Komi in half points: 15 for 7.5."""
    return int(options.choice("komi").replace(".", "")) // 5


def _points(halves: int) -> str:
    """Half points as people write them: "7.5", "-0.5", "8"."""
    whole, half = divmod(abs(halves), 2)
    return f"{'-' if halves < 0 else ''}{whole}{'.5' if half else ''}"
