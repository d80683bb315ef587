"""Luddit, by Lisandro Iaffar (2015).

Two players put stones on a torus, take them off and move them. Black starts with an empty board; who has no legal move
when their turn begins loses. The third time a position occurs with the same player to move, the game is a draw. Source:
the author's rules on the games database that published them, with the gaps closed as the help page tells.

Rulings. A turn has one or two moves. Every move must change the position, the whole turn need not: placing a stone and
removing it again is a turn. Only positions between turns count as repeated, the empty board at the start among them.
A loop of stones of both players may be taken up by whoever it is conditioned to; removed stones go back to their
owners, so the limit of the other player's reserve never matters.

moves() yields a part of the legal turns, for loops can be put down in more ways than can be listed: every turn of one
move that places a stone, removes or moves a single stone, or removes a whole connected group that is a loop; then every
turn of two such moves that place or remove. It is empty only when the game is over. parse() accepts every legal turn.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games.boards import bits
from games.luddit_pieces import Stones, Torus, torus
from games.luddit_turns import Move, Turn, as_set, read_turn, write_move, write_turn
from games.rules import RECURS, REPETITIONS, IllegalMove, Info, Option, OptionValues, Outcome, Side, quoted
from games.scene import Cell, GridBoard, Ground, Listing, Scene

MARGIN = 2
"""Rows and columns repeated beyond each edge of a drawn board: as far as range goes."""

COLOURS = ("Black", "White")
_NAMES_A_ROW = 16
_NAMES_A_SENTENCE = 12


@dataclass(frozen=True, slots=True)
class Options:
    """stones: of each player. limit: stones of both together that may be on the board."""

    size: int
    stones: int
    limit: int


@dataclass(frozen=True, slots=True)
class BothSides:
    """The stones on the board, of the first and of the second side, wherever the game stands."""

    first: Stones = 0
    second: Stones = 0

    @property
    def stones(self) -> Stones:
        return self.first | self.second

    def of(self, side: Side) -> Stones:
        return self.first if side is Side.FIRST else self.second

    def without(self, stones: Stones) -> BothSides:
        return BothSides(self.first & ~stones, self.second & ~stones)

    def with_stone(self, cell: int, side: Side) -> BothSides:
        if side is Side.FIRST:
            return BothSides(self.first | 1 << cell, self.second)
        return BothSides(self.first, self.second | 1 << cell)

    def owner(self, cell: int) -> Side | None:
        """Whose stone is on an intersection; None when it is empty."""
        return Side.FIRST if self.first >> cell & 1 else Side.SECOND if self.second >> cell & 1 else None


@dataclass(frozen=True, slots=True)
class Position:
    """What is on the board at the beginning of a turn of `mover`, and what was there at earlier ones.

    earlier: the keys of all earlier positions in ascending order. So positions are equal exactly if the same games can
    follow from them, whatever the order of the turns that led there. before: the stones one turn before, if there was
    one, to tell what it did.
    """

    options: Options
    field: BothSides = BothSides()
    mover: Side = Side.FIRST
    earlier: tuple[int, ...] = ()
    before: BothSides | None = dataclasses.field(default=None, compare=False, repr=False)

    @property
    def key(self) -> int:
        """A number for the stones and the player to move."""
        return (self.field.first << self.options.size**2 | self.field.second) << 1 | self.mover - 1


class Luddit:
    """The rules of Luddit."""

    info = Info(
        name="luddit",
        title="Luddit",
        version=1,
        kind="movement",
        summary="leave the other player without a move, on a board without edges",
        source="Lisandro Iaffar, 2015",
        options=(
            Option("size", "intersections per row and column", 9, low=5, high=19),
            Option("stones", "stones of each player", 18, low=3, high=99),
            Option("limit", "most stones of both on the board; if left out, as many as -stones", None, 3, 198),
        ),
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        values = OptionValues(self.info.options, words)
        stones = values.number("stones")
        return Options(values.number("size"), stones, values.number("limit") if "limit" in values.given else stones)

    def sides(self, options: Options) -> tuple[str, str]:
        return COLOURS

    def start(self, options: Options) -> Position:
        return Position(options)

    def to_move(self, pos: Position) -> Side:
        return pos.mover

    def moves(self, pos: Position) -> Iterator[Turn]:
        if self.outcome(pos) is not None:
            return
        judge = Judge(pos.options, pos.mover)
        for move in judge.listed(pos.field):
            yield (move,)
        for move in judge.placed_or_removed(pos.field):
            for second in judge.placed_or_removed(judge.after(pos.field, move)):
                yield move, second

    def parse(self, pos: Position, text: str) -> Turn:
        turn = read_turn(torus(pos.options.size), text)
        self._field_after(pos, turn)
        return turn

    def notate(self, pos: Position, move: Turn) -> str:
        return write_turn(torus(pos.options.size), move)

    def play(self, pos: Position, move: Turn) -> Position:
        after, at = self._field_after(pos, move), bisect(pos.earlier, pos.key)
        earlier = (*pos.earlier[:at], pos.key, *pos.earlier[at:])
        return Position(pos.options, after, pos.mover.other, earlier, pos.field)

    def _field_after(self, pos: Position, turn: Turn) -> BothSides:
        """The stones after a turn. Raises: IllegalMove, naming the move of the turn where there are two."""
        if self.outcome(pos) is not None:
            raise IllegalMove("The game is over.")
        board, judge, field = torus(pos.options.size), Judge(pos.options, pos.mover), pos.field
        for number, move in enumerate(turn):
            try:
                field = judge.after(field, move)
            except IllegalMove as wrong:
                if len(turn) == 1:
                    raise
                told = f"{('First', 'Second')[number]} move, {quoted(write_move(board, move))}: {wrong}"
                before = [write_turn(board, turn[:number])] if number else []
                raise IllegalMove(told, ["; ".join([*before, text]) for text in wrong.candidates]) from None
        return field

    def outcome(self, pos: Position) -> Outcome | None:
        if pos.earlier.count(pos.key) >= REPETITIONS - 1:
            return Outcome(None, "because the same position occurred for the third time")
        if not Judge(pos.options, pos.mover).can_move(pos.field):
            return Outcome(pos.mover.other, f"because {COLOURS[pos.mover - 1]} had no legal move")
        return None

    def scene(self, pos: Position, last: Turn | None) -> Scene:
        touched = as_set(tuple(cell for move in last or () for cell in move.lift + move.put))
        recurs = (RECURS,) if pos.earlier.count(pos.key) == REPETITIONS - 2 else ()
        notes = (*_told(pos, last or ()), _reserves(pos), *recurs)
        return Scene(_grid(pos, touched), notes, tuple(_conditioned(pos, side) for side in Side))

    def details(self, pos: Position) -> dict[str, object]:
        """What the first move of a turn may be; the second is one of the position after it."""
        board, judge, over = torus(pos.options.size), Judge(pos.options, pos.mover), self.outcome(pos) is not None
        stones = [] if over else list(judge.single_stones(pos.field))
        loops = [] if over else list(judge.whole_loops(pos.field))
        return {
            "limit": pos.options.limit,
            "outside": [Judge(pos.options, side).outside(pos.field) for side in Side],
            "turn": {
                "moves": [1, 2],
                "between": "; ",
                "place": not over and judge.can_place(pos.field),
                "take": [board.names[cell] for cell in stones],
                "take_loops": [[board.names[cell] for cell in bits(loop)] for loop in loops],
                "free": [board.names[cell] for cell in bits(board.board & ~pos.field.stones)],
            },
        }


@dataclass(frozen=True, slots=True)
class Judge:
    """What one player may do in one move; the only place that knows."""

    options: Options
    side: Side

    @property
    def board(self) -> Torus:
        return torus(self.options.size)

    def outside(self, field: BothSides) -> int:
        """Stones the player still has outside the board."""
        return self.options.stones - field.of(self.side).bit_count()

    def can_place(self, field: BothSides) -> bool:
        return (
            self.outside(field) > 0
            and field.stones.bit_count() < self.options.limit
            and field.stones != self.board.board
        )

    def can_move(self, field: BothSides) -> bool:
        """Some move is legal. (If a loop is conditioned, one of its stones is, so only single stones are looked at.)"""
        return self.can_place(field) or any(True for _ in self.single_stones(field))

    def may_take(self, piece: Stones, field: BothSides) -> bool:
        return self.board.is_conditioned(piece, field.of(self.side), field.stones)

    def single_stones(self, field: BothSides) -> Iterator[int]:
        """The stones that are conditioned to the player, each as a piece of its own."""
        return (cell for cell in bits(field.stones) if self.may_take(1 << cell, field))

    def whole_loops(self, field: BothSides) -> Iterator[Stones]:
        """The connected groups that are loops and conditioned to the player. (Only their own: nothing is around.)"""
        groups = self.board.groups(field.stones, field.of(self.side))
        return (group.stones for group in groups if group.is_loop and self.may_take(group.stones, field))

    def placed_or_removed(self, field: BothSides) -> Iterator[Move]:
        if self.can_place(field):
            yield from (Move(put=(cell,)) for cell in bits(self.board.board & ~field.stones))
        yield from (Move((cell,)) for cell in self.single_stones(field))
        yield from (Move(tuple(bits(loop))) for loop in self.whole_loops(field))

    def listed(self, field: BothSides) -> Iterator[Move]:
        """The moves that moves() knows, in its order."""
        yield from self.placed_or_removed(field)
        free = self.board.board & ~field.stones
        yield from (Move((cell,), (target,)) for cell in self.single_stones(field) for target in bits(free))

    def after(self, field: BothSides, move: Move) -> BothSides:
        """The stones after one move. Raises: IllegalMove unless the rules allow it here."""
        if not move.lift:
            self._check_place(field, move.put)
            return field.with_stone(move.put[0], self.side)
        lifted = self._check_lift(field, move.lift)
        return self._put_down(field, field.without(lifted), move) if move.put else field.without(lifted)

    def _check_place(self, field: BothSides, put: tuple[int, ...]) -> None:
        (cell,) = put
        if field.owner(cell):
            near = self.board.near[cell] & ~field.stones if self.can_place(field) else 0
            raise IllegalMove(self._taken(field, cell), self.board.names.of(near))
        if not self.can_place(field):
            on_board = field.stones.bit_count()
            why = (
                f"all your {self.options.stones} stones are on the board"
                if self.outside(field) <= 0
                else f"{on_board} stones are on it, and at most {self.options.limit} may be"
            )
            raise IllegalMove(f"You cannot place a stone on {self.board.names[cell]}: {why}. {self._instead(field)}")

    def _taken(self, field: BothSides, cell: int) -> str:
        owner = field.owner(cell) or Side.FIRST
        return f"{self.board.names[cell]} is taken: {COLOURS[owner - 1]} has a stone there."

    def _check_lift(self, field: BothSides, lift: tuple[int, ...]) -> Stones:
        """The piece. Raises: IllegalMove unless it is a piece on the board, conditioned to the player."""
        piece = self._distinct(lift)
        for cell in bits(piece & ~field.stones):
            raise IllegalMove(f"There is no stone on {self.board.names[cell]}. {self._instead(field)}")
        names = self._names(bits(piece))
        if not self.board.is_piece(piece):
            raise IllegalMove(f"{names} is not a piece: {self._no_loop(piece)}")
        if not self.may_take(piece, field):
            whose = "it is not yours" if len(lift) == 1 else "not all its stones are yours"
            raise IllegalMove(
                f"{names} is not conditioned to you: {whose}, and no loop of pieces apart from it is at range of it. "
                f"{self._instead(field)}"
            )
        return piece

    def _put_down(self, field: BothSides, rest: BothSides, move: Move) -> BothSides:
        """The stones after a lifted piece is put down. Raises: IllegalMove unless it may stand there.

        rest: the field without the piece.
        """
        targets = self._distinct(move.put)
        if len(move.lift) != len(move.put):
            raise IllegalMove(
                f"{quoted(write_move(self.board, move))} takes up {len(move.lift)} and puts down {len(move.put)}: "
                "after > name one intersection for each stone, in the same order."
            )
        for cell in bits(targets & rest.stones):
            raise IllegalMove(self._taken(rest, cell))
        if not self.board.is_piece(targets):
            raise IllegalMove(
                f"A loop must be a loop again, and {self._names(move.put)} is not: {self._no_loop(targets)}"
            )
        first = as_set(tuple(end for start, end in zip(move.lift, move.put, strict=True) if field.first >> start & 1))
        after = BothSides(rest.first | first, rest.second | targets & ~first)
        if after == field:
            raise IllegalMove(
                f"{quoted(write_move(self.board, move))} changes nothing: every move must change the position."
            )
        return after

    def _distinct(self, cells: tuple[int, ...]) -> Stones:
        """The cells as a set. Raises: IllegalMove when one is named twice."""
        for before, cell in zip(sorted(cells), sorted(cells)[1:], strict=False):
            if before == cell:
                raise IllegalMove(f"{self.board.names[cell]} is named twice.")
        return as_set(cells)

    def _no_loop(self, stones: Stones) -> str:
        """Why a set of two or more stones is no loop."""
        group = self.board.group(stones & -stones, stones)
        if group.stones != stones:
            return (
                f"{self._names(bits(stones & ~group.stones))} is not connected with {self._names(bits(group.stones))}. "
                "Stones are at range when at most two steps apart."
            )
        return (
            "there is no circle in it. A loop has at least as many links (pairs of stones at most two steps apart) as "
            f"stones; this has {group.links} for {stones.bit_count()}."
        )

    def _instead(self, field: BothSides) -> str:
        """Which stones the player may take up, each by itself."""
        singles = list(self.single_stones(field))
        if not singles:
            return "No piece is conditioned to you now; place a stone."
        return f"Conditioned to you: {self._names(singles).replace(',', ', ')}."

    def _names(self, cells: Iterator[int] | Sequence[int]) -> str:
        """Names joined by commas, the later ones of very many left out."""
        names = [self.board.names[cell] for cell in cells]
        more = len(names) - _NAMES_A_SENTENCE
        return ",".join(names) if more <= 1 else f"{','.join(names[:_NAMES_A_SENTENCE])} and {more} more"


def _grid(pos: Position, marked: Stones) -> GridBoard:
    """The board with its margin of copies. marked: where stones were put down or taken up last."""
    board = torus(pos.options.size)
    seen = range(-MARGIN, board.size + MARGIN)
    cells = tuple(_cell(pos, board, marked, row, column) for row in seen for column in seen)
    rows = tuple(str(board.size - row) for row in range(board.size))
    return GridBoard(tuple(board.names.letters), rows, cells, ground=Ground.LINES)


def _cell(pos: Position, board: Torus, marked: Stones, row: int, column: int) -> Cell:
    """row, column: as drawn, from the top left corner of the board; beyond the board they are copies."""
    index = (board.size - 1 - row) % board.size * board.size + column % board.size
    faint = not (0 <= row < board.size and 0 <= column < board.size)
    owner = pos.field.owner(index)
    return Cell(
        row,
        column,
        name="" if faint else board.names[index],
        piece="" if owner is None else "BW"[owner - 1],
        last=not faint and bool(marked >> index & 1),
        faint=faint,
    )


def _told(pos: Position, last: Turn) -> Iterator[str]:
    """Whose stones the last turn removed or moved; nothing where it only placed some, or nobody has played it."""
    field, names = pos.before, torus(pos.options.size).names
    if field is None or not any(move.lift for move in last):
        return
    judge, done = Judge(pos.options, pos.mover.other), []
    for move in last:
        for side, colour in zip(Side, COLOURS, strict=True):
            stones = [cell for cell in move.lift if field.owner(cell) is side]
            ends = [names[end] for start, end in zip(move.lift, move.put, strict=False) if start in stones]
            if stones:
                whose = "their own" if side is judge.side else f"{colour}'s"
                way = f" to {', '.join(ends)}" if ends else ""
                done.append(
                    f"{'moved' if ends else 'removed'} {whose} {', '.join(map(names.__getitem__, stones))}{way}"
                )
        if not move.lift:
            done.append(f"placed {names[move.put[0]]}")
        field = judge.after(field, move)
    yield f"{COLOURS[judge.side - 1]} {' and '.join(done)}."


def _reserves(pos: Position) -> str:
    black, white = (Judge(pos.options, side).outside(pos.field) for side in Side)
    return (
        f"Black has {black} {'stone' if black == 1 else 'stones'} outside, White {white}; "
        f"{pos.field.stones.bit_count()} of at most {pos.options.limit} on the board. A turn has one or two moves."
    )


def _conditioned(pos: Position, side: Side) -> Listing:
    """The single stones, by owner, and the whole connected loops that are conditioned to a side."""
    judge = Judge(pos.options, side)
    singles = as_set(tuple(judge.single_stones(pos.field)))
    rows = [
        *_rows("B", singles & pos.field.first, judge.board, " "),
        *_rows("W", singles & pos.field.second, judge.board, " "),
        *(row for loop in judge.whole_loops(pos.field) for row in _rows("loop", loop, judge.board, ",")),
    ]
    name = COLOURS[side - 1]
    return Listing(f"Conditioned to {name}, so {name} may remove or move it:", tuple(rows) or (("nothing", ""),))


def _rows(label: str, stones: Stones, board: Torus, between: str) -> Iterator[tuple[str, str]]:
    """The names of some stones after their label, in rows short enough for a mail."""
    names = [board.names[cell] + between for cell in bits(stones)]
    for start in range(0, len(names), _NAMES_A_ROW):
        row = "".join(names[start : start + _NAMES_A_ROW])
        last = start + _NAMES_A_ROW >= len(names)
        yield label if start == 0 else "", row.removesuffix(between) if last else row.rstrip()
