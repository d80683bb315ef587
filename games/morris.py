"""Nine Men's Morris, a game of antiquity.

Two players each place nine men on the points of three nested squares, whose sides are joined in the middle; then in
turn they move a man along a line to the next free point. Three men on a line are a mill: a side that makes one takes an
opposing man, which must not be in a mill unless all are. A side with three men may move them to any free point, unless
the challenge says otherwise. White begins. A side with two men, or that cannot move, has lost. The same position for
the third time with the same side to move is a draw, and so are 100 plies without a mill.

Rulings. Two mills made at once take one man. A mill that is opened and closed again takes again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from games.boards import NOTHING, BothSides, Cells, Points, Squares, bits, union
from games.moving import Moving, Path, Position
from games.rules import REPETITIONS, YES_NO, AmbiguousMove, IllegalMove, Info, MoveError, Option, OptionValues, Outcome
from games.scene import Scene

MEN = 9
QUIET = 100

_RINGS = [[(low, at), (3, at), (6 - low, at)] for low in range(3) for at in (low, 6 - low)]
_SPOKES = [[(far, 3) for far in range(start, start + 3)] for start in (0, 4)]
_ACROSS = _RINGS + _SPOKES
BOARD = Points(_ACROSS + [[(row, column) for column, row in line] for line in _ACROSS])
MILLS = {point: [union(line) for line in BOARD.lines if point in line] for point in BOARD.indices}


class Morris(Moving):
    """The rules of Nine Men's Morris. A move is the point of a placed man, or the points that a man leaves and reaches;
    then, if it takes a man, that man's point.
    """

    info = Info(
        name="morris",
        title="Nine Men's Morris",
        kind="movement",
        summary="make rows of three, each takes a man",
        source="a game of antiquity",
        options=(Option("flying", "whether three men may go to any free point", "yes", choices=YES_NO),),
    )
    piece = "man"
    rule = "A man goes along a line to the next point, which must be free."
    minds_repetition = True

    def board(self, options: OptionValues) -> Points:
        return BOARD

    def pieces(self, board: Squares) -> BothSides:
        return NOTHING

    def starts(self, pos: Position) -> Cells:
        return BOARD.full & ~pos.pieces.all if _placing(pos) else pos.own

    def paths_from(self, pos: Position, start: int) -> Iterator[Path]:
        free = BOARD.full & ~pos.pieces.all
        ends = free if self._flies(pos) else free & BOARD.beside[start]
        for way in [(start,)] if _placing(pos) else [(start, end) for end in bits(ends)]:
            own = pos.own & ~(1 << start) | 1 << way[-1]
            # A mill takes, even one that was opened and is closed again.
            if any(not mill & ~own for mill in MILLS[way[-1]]):
                yield from ((*way, taken) for taken in bits(_loose(pos.others)))
            else:
                yield way

    def _flies(self, pos: Position) -> bool:
        return pos.own.bit_count() == 3 and not _placing(pos) and pos.options.choice("flying") == "yes"

    def refusal(self, pos: Position, path: Path, legal: Sequence[Path]) -> MoveError:
        steps = _steps(pos)
        mills = [self.notate(pos, other) for other in legal if other[:-1] == path[:steps] and len(other) > steps]
        # The move is right as far as it goes, and every man that may be taken makes another one of it.
        if mills and len(path) == steps:
            return AmbiguousMove(f"That makes a mill. Say which man it takes, as in {mills[0]}.", mills)
        if mills:
            return IllegalMove("A mill takes a man of the other side that is in no mill, unless all are.", mills)
        if path[:steps] in legal:
            way = self.notate(pos, path[:steps])
            return IllegalMove(f"{way} makes no mill, and so it takes no man.", [way])
        if len(path) < steps:
            return IllegalMove(f"All men are placed. Write where one goes from and to, as in {self.example(pos)}.")
        if _placing(pos):
            first = {BOARD.names[way[0]]: self.notate(pos, way) for way in reversed(legal)}
            near = [first[name] for name in BOARD.near(path[0], self.starts(pos))]
            return IllegalMove(f"{BOARD.names[path[0]]} is taken.", near)
        return super().refusal(pos, path, legal)

    def notate(self, pos: Position, move: Path) -> str:
        names, steps = [BOARD.names[point] for point in move], _steps(pos)
        return "x".join(["-".join(names[:steps]), *names[steps:]])

    def play(self, pos: Position, move: Path) -> Position:
        steps = _steps(pos)
        own = pos.own & ~(1 << move[0]) | 1 << move[steps - 1]  # a man is placed from and on the same point
        return self.after(pos, own, pos.others & ~union(move[steps:]), placed=min(pos.placed + 1, 2 * MEN))

    def outcome(self, pos: Position) -> Outcome | None:
        winner = pos.mover.other
        # Men in hand count: nobody has lost by two men while placing.
        if pos.own.bit_count() + _hands(pos)[pos.mover - 1] < 3:
            return Outcome(winner, "by leaving only two men")
        free = BOARD.full & ~pos.pieces.all
        # Whoever places or flies can go to any free point, and there is always one.
        if not (_placing(pos) or self._flies(pos) or free & BOARD.around(pos.own)):
            return Outcome(winner, f"because {self.colours[pos.mover - 1]} cannot move")
        # With both at once, the repetition is what the players were warned of.
        if len(pos.seen) >= QUIET and pos.times < REPETITIONS:
            return Outcome(None, f"because {QUIET} plies have made no mill")
        return self.repeated(pos)

    def threats(self, pos: Position) -> list[str]:
        # The other side's move comes after one of the mover's, who may place a man with it.
        return super().threats(replace(pos, placed=min(pos.placed + 1, 2 * MEN)))

    def scene(self, pos: Position, last: Path | None) -> Scene:
        pieces = {name[0]: men for name, men in zip(self.colours, pos.pieces, strict=True)}
        moved = last or ()
        # A placed man has no way to show; it still is on its first point.
        path = moved[:2] if moved and not pos.pieces.all >> moved[0] & 1 else ()
        board = BOARD.board(pieces, joins=BOARD.joins(), path=path, last=union(moved))
        return Scene(board, self.notes(pos))

    def notes(self, pos: Position) -> tuple[str, ...]:
        if _placing(pos):
            hands = ", ".join(f"{name} has {hand}" for name, hand in zip(self.colours, _hands(pos), strict=True))
            return (f"Men still to be placed: {hands}.",)
        quiet = f"{len(pos.seen)} plies have made no mill; {QUIET} make a draw."
        return (*super().notes(pos), *((quiet,) if len(pos.seen) >= QUIET // 2 else ()))


def _loose(men: Cells) -> Cells:
    """The men that may be taken: those in no mill, or all if all are in mills."""
    milled = union(point for point in bits(men) if any(not mill & ~men for mill in MILLS[point]))
    # Otherwise a side with all men in mills could not be attacked any more.
    return men & ~milled or men


def _placing(pos: Position) -> bool:
    return pos.placed < 2 * MEN


def _steps(pos: Position) -> int:
    """How many points a move has that takes nothing."""
    return 1 if _placing(pos) else 2


def _hands(pos: Position) -> tuple[int, int]:
    """The men of the first and of the second side that are still to be placed."""
    return MEN - (pos.placed + 1) // 2, MEN - pos.placed // 2
