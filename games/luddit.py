"""Luddit, by Lisandro Iaffar (2015).

Two players put stones on a torus, take them off and move them. Black starts with an empty board; a player who has no
legal move when their turn begins loses. When a position occurs for the third time with the same player to move, the
game is a draw. Source: the author's rules on the games database that published them, with gaps closed as the help page
says.

Rulings. A turn has one or two moves. Every move must change the position, but the whole turn need not: placing a stone
and removing it again is a turn. Only positions between turns count as repeated, including the empty board at the start.
A loop with stones of both players may be taken up by a player to whom it is conditioned; removed stones go back to
their owners, so the size of the other player's reserve never matters.

moves() yields only some legal turns, because loops can be put down in more ways than can be listed: every turn of one
move that places a stone, removes or moves a single stone, or removes a whole connected group that is a loop; then every
turn of two such moves that place or remove. It is empty only when the game is over. parse() accepts every legal turn.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import NamedTuple

from games.boards import NOTHING, BothSides, Cells, bits, union
from games.luddit_pieces import Move, Torus, Turn, read_turn, torus, write_move, write_turn
from games.rules import (
    RECURS,
    REPETITIONS,
    Chance,
    IllegalMove,
    Info,
    Judging,
    Option,
    OptionValues,
    Outcome,
    Side,
    counted,
    quoted,
)
from games.scene import Listing, Scene

COLOURS = ("Black", "White")
_NAMES_A_ROW = 16
_NAMES_A_SENTENCE = 12


class Options(NamedTuple):
    """stones: of each player. limit: the most stones of both players together on the board."""

    size: int
    stones: int
    limit: int


@dataclass(frozen=True, slots=True)
class Position:
    """The board at the beginning of a turn of `mover`, and at all earlier turns."""

    options: Options
    field: BothSides
    mover: Side = Side.FIRST
    earlier: tuple[int, ...] = ()
    """The keys of all earlier positions in ascending order. So positions are equal exactly if the same games can follow
    from them, regardless of the order of the turns before.
    """
    before: BothSides | None = dataclasses.field(default=None, compare=False, repr=False)
    """The stones before the last turn, if there was one, to show what it did."""

    @property
    def key(self) -> int:
        """A number for the stones and the player to move."""
        return (self.field.first << self.options.size**2 | self.field.second) << 1 | self.mover - 1

    @property
    def times(self) -> int:
        """How often the position has occurred, including this time."""
        key = self.key
        return 1 + bisect(self.earlier, key) - bisect_left(self.earlier, key)

    @property
    def judge(self) -> Judge:
        return Judge(self.options, self.mover, self.field)


class Luddit(Judging[Position, Turn]):
    """The rules of Luddit."""

    info = Info(
        name="luddit",
        title="Luddit",
        kind="movement",
        summary="leave the other player without a move, on a board without edges",
        source="Lisandro Iaffar, 2015",
        options=(
            Option("size", "intersections per row and column", 9, low=5, high=19),
            Option("stones", "stones of each player", 18, low=3, high=99),
            Option("limit", "most stones of both on the board (as many as -stones if left out)", None, 3, 198),
        ),
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        values = OptionValues(self.info.options, words)
        stones = values.number("stones")
        return Options(values.number("size"), stones, values.number("limit") if "limit" in values.given else stones)

    def sides(self, options: Options) -> tuple[str, str]:
        return COLOURS

    def start(self, options: Options) -> Position:
        return Position(options, NOTHING)

    def to_move(self, pos: Position) -> Side:
        return pos.mover

    def moves(self, pos: Position) -> Iterator[Turn]:
        if self.outcome(pos) is not None:
            return
        judge = pos.judge
        yield from ((move,) for move in judge.placed_or_removed())
        yield from ((Move((cell,), (end,)),) for cell in judge.single_stones() for end in bits(judge.free))
        for move in judge.placed_or_removed():
            yield from ((move, second) for second in judge.after(move).placed_or_removed())

    def sample(self, pos: Position, dice: Chance) -> Turn:
        """One or two moves with equal probability, if a second one is possible; each is drawn by Judge.sample."""
        judge, turn = pos.judge, tuple[Move, ...]()
        for _ in range(1 + dice.randrange(2)):
            if move := judge.sample(dice):
                judge, turn = judge.after(move), (*turn, move)
        return turn

    def read(self, pos: Position, text: str) -> Turn:
        return read_turn(torus(pos.options.size), text)

    def check(self, pos: Position, turn: Turn) -> None:
        """Raises: IllegalMove unless the turn may be played; of two moves it names the wrong one."""
        judge, board = pos.judge, torus(pos.options.size)
        for number, move in enumerate(turn):
            judge = judge.after(turn[number - 1]) if number else judge
            if why := judge.refusal(move):
                told = f"{('First', 'Second')[number]} move, {quoted(write_move(board, move))}: " * (len(turn) > 1)
                instead = [write_turn(board, (*turn[:number], Move(put=(cell,)))) for cell in judge.beside(move)]
                raise IllegalMove(told + why, instead)

    def notate(self, pos: Position, move: Turn) -> str:
        return write_turn(torus(pos.options.size), move)

    def play(self, pos: Position, move: Turn) -> Position:
        judge, key = reduce(Judge.after, move, pos.judge), pos.key
        at = bisect(pos.earlier, key)
        earlier = (*pos.earlier[:at], key, *pos.earlier[at:])
        return Position(pos.options, judge.field, pos.mover.other, earlier, pos.field)

    def outcome(self, pos: Position) -> Outcome | None:
        # Removing and placing would go round for ever otherwise.
        if pos.times >= REPETITIONS:
            return Outcome(None, "because the same position occurred for the third time")
        if not pos.judge.can_move:
            return Outcome(pos.mover.other, f"because {COLOURS[pos.mover - 1]} had no legal move")
        return None

    def scene(self, pos: Position, last: Turn | None) -> Scene:
        touched = union(cell for move in last or () for cell in move.lift + move.put)
        drawn = torus(pos.options.size).board({"B": pos.field.first, "W": pos.field.second}, last=touched)
        black, white = (Judge(pos.options, side, pos.field).outside for side in Side)
        reserves = (
            f"Black has {counted(black, 'stone')} outside, White {white}; "
            f"{pos.field.all.bit_count()} of at most {pos.options.limit} on the board. A turn has one or two moves."
        )
        notes = (*_told(pos, last or ()), reserves, *[RECURS] * (pos.times == REPETITIONS - 1))
        # Nothing can be conditioned on an empty board.
        sides = Side if pos.field.all else ()
        return Scene(drawn, notes, tuple(_conditioned(Judge(pos.options, side, pos.field)) for side in sides))

    def details(self, pos: Position) -> dict[str, object]:
        """All possible first moves of a turn; a second one is a first move in the position after it."""
        judge, names, over = pos.judge, torus(pos.options.size).names, self.outcome(pos) is not None
        return {
            "limit": pos.options.limit,
            "outside": [Judge(pos.options, side, pos.field).outside for side in Side],
            "turn": {
                "moves": [1, 2],
                "between": "; ",
                "place": not over and judge.can_place,
                "take": [] if over else names.of(union(judge.single_stones())),
                "take_loops": [] if over else [names.of(loop) for loop in judge.whole_loops()],
                "free": names.of(judge.free),
            },
        }


class Judge(NamedTuple):
    """The legal moves of one player with the stones on the board; legality is decided only here."""

    options: Options
    side: Side
    field: BothSides

    @property
    def board(self) -> Torus:
        return torus(self.options.size)

    @property
    def outside(self) -> int:
        """The stones the player still has outside the board."""
        return self.options.stones - self.field.of(self.side).bit_count()

    @property
    def free(self) -> Cells:
        return self.board.full & ~self.field.all

    @property
    def can_place(self) -> bool:
        return self.outside > 0 and self.field.all.bit_count() < self.options.limit and self.free != 0

    @property
    def can_move(self) -> bool:
        """Whether some move is legal. If a loop is conditioned, one of its stones is, so single stones suffice."""
        return self.field.of(self.side) != 0 or self.can_place or any(True for _ in self.single_stones())

    def may_take(self, piece: Cells) -> bool:
        return not piece & ~self.field.of(self.side) or self.board.is_bound(piece, self.field.all)

    def single_stones(self) -> Iterator[int]:
        """The stones that are conditioned to the player as single pieces."""
        return (cell for cell in bits(self.field.all) if self.may_take(1 << cell))

    def whole_loops(self) -> Iterator[Cells]:
        """The connected groups that are loops and conditioned to the player; nothing is around, so only their own."""
        groups = self.board.groups(self.field.all, self.field.of(self.side))
        return (group.stones for group in groups if group.is_loop and self.may_take(group.stones))

    def placed_or_removed(self) -> Iterator[Move]:
        if self.can_place:
            yield from (Move(put=(cell,)) for cell in bits(self.free))
        yield from (Move((cell,)) for cell in self.single_stones())
        yield from (Move(tuple(bits(loop))) for loop in self.whole_loops())

    def sample(self, dice: Chance) -> Move | None:
        """A random move of one stone; None if there is none.

        All choices are uniform: whether to place or take up a stone if both are possible, where to place it or which
        one to take up, whether to remove or move a stone taken up, and the free intersection it moves to.
        """
        free, stones = list(bits(self.free)), [] if self.can_place and dice.randrange(2) else list(bits(self.field.all))
        while stones:
            cell = stones.pop(dice.randrange(len(stones)))
            if self.may_take(1 << cell):
                return Move((cell,), (dice.choice(free),) if free and dice.randrange(2) else ())
        return Move(put=(dice.choice(free),)) if self.can_place else None

    def after(self, move: Move) -> Judge:
        """The player's moves after a legal one."""
        if not move.lift:
            return Judge(self.options, self.side, self.field.with_(self.side, 1 << move.put[0]))
        rest = self.field.without(union(move.lift))
        for start, end in zip(move.lift, move.put, strict=False):
            rest = rest.with_(self.field.owner(start) or self.side, 1 << end)
        return Judge(self.options, self.side, rest)

    def beside(self, move: Move) -> list[int]:
        """The free intersections next to a taken one where the player wanted to place a stone."""
        taken = not move.lift and self.can_place
        return list(bits(self.board.beside[move.put[0]] & self.free)) if taken else []

    def refusal(self, move: Move) -> str:
        """Why a move is not allowed; empty if it is."""
        if move.lift:
            return self._no_lifting(move.lift) or (self._no_putting(move) if move.put else "")
        (cell,) = move.put
        if self.field.owner(cell):
            return self._taken(cell)
        if self.can_place:
            return ""
        on_board = f"{self.field.all.bit_count()} stones are on it, and at most {self.options.limit} may be"
        why = on_board if self.outside > 0 else f"all your {self.options.stones} stones are on the board"
        return f"You cannot place a stone on {self._names([cell])}: {why}. {self._instead()}"

    def _no_lifting(self, lift: Sequence[int]) -> str:
        """Why stones cannot be taken up; empty if they are a piece on the board, conditioned to the player."""
        piece = union(lift)
        # In this order, each refusal can rely on what those before it have ruled out.
        if piece.bit_count() < len(lift):
            return self._twice(lift)
        if missing := piece & ~self.field.all:
            return f"There is no stone on {self._names(bits(missing & -missing))}. {self._instead()}"
        is_piece = self.board.is_piece(piece)
        if is_piece and self.may_take(piece):
            return ""
        names = self._names(sorted(lift))
        if not is_piece:
            return f"{names} is not a piece: {self._no_loop(piece)}"
        whose = "it is not yours" if len(lift) == 1 else "not all its stones are yours"
        apart = "no loop of pieces apart from it is at range of it"
        return f"{names} is not conditioned to you: {whose}, and {apart}. {self._instead()}"

    def _no_putting(self, move: Move) -> str:
        """Why stones that may be taken up cannot be put down as the move says; empty if they can."""
        lift, put, targets = move.lift, move.put, union(move.put)
        if targets.bit_count() < len(put):
            return self._twice(put)
        if len(lift) != len(put):
            told = f"{quoted(write_move(self.board, move))} takes up {len(lift)} and puts down {len(put)}"
            return f"{told}: after > name one intersection for each stone, in the same order."
        if taken := targets & self.field.all & ~union(lift):
            return self._taken(next(bits(taken)))
        if not self.board.is_piece(targets):
            return f"A loop must be a loop again, and {self._names(put)} is not: {self._no_loop(targets)}"
        # Stones of both colours that change places within a loop do change the position.
        if targets == union(lift) and self.after(move) == self:
            return f"{quoted(write_move(self.board, move))} changes nothing: every move must change the position."
        return ""

    def _taken(self, cell: int) -> str:
        owner = self.field.owner(cell) or self.side
        return f"{self._names([cell])} is taken: {COLOURS[owner - 1]} has a stone there."

    def _twice(self, cells: Sequence[int]) -> str:
        twice = next(one for one, other in pairwise(sorted(cells)) if one == other)
        return f"{self._names([twice])} is named twice."

    def _no_loop(self, stones: Cells) -> str:
        """Why a set of two or more stones is not a loop."""
        group = self.board.group(stones & -stones, stones)
        if apart := stones & ~group.stones:
            told = f"{self._names(bits(apart))} is not connected with {self._names(bits(group.stones))}"
            return f"{told}. Stones are at range when at most two steps apart."
        return (
            "there is no circle in it. A loop has at least as many links (pairs of stones at most two steps apart) as "
            f"stones; this has {group.links} for {stones.bit_count()}."
        )

    def _instead(self) -> str:
        """A sentence on the single stones that the player may take up."""
        singles = self._names(self.single_stones(), ", ")
        return f"Conditioned to you: {singles}." if singles else "No piece is conditioned to you now; place a stone."

    def _names(self, cells: Iterable[int], between: str = ",") -> str:
        """The joined names; of very many, the later ones are left out."""
        names = [self.board.names[cell] for cell in cells]
        more = len(names) - _NAMES_A_SENTENCE
        return between.join(names) if more <= 1 else f"{between.join(names[:_NAMES_A_SENTENCE])} and {more} more"


def _told(pos: Position, last: Turn) -> Iterator[str]:
    """Whose stones the last turn removed or moved; nothing if it only placed stones, or there was none."""
    if pos.before is None or not any(move.lift for move in last):
        return
    judge, done = Judge(pos.options, pos.mover.other, pos.before), list[str]()
    for move in last:
        done += _done(judge, move)
        judge = judge.after(move)
    yield f"{COLOURS[judge.side - 1]} {' and '.join(done)}."


def _done(judge: Judge, move: Move) -> Iterator[str]:
    """What the player did in one move, with the stones of each side apart, as a loop may hold both."""
    names = judge.board.names
    if not move.lift:
        yield f"placed {names[move.put[0]]}"
        return
    for side in Side:
        own = [at for at, cell in enumerate(move.lift) if judge.field.owner(cell) is side]
        if not own:
            continue
        whose = "their own" if side is judge.side else f"{COLOURS[side - 1]}'s"
        stones = ", ".join(names[move.lift[at]] for at in own)
        if move.put:
            yield f"moved {whose} {stones} to {', '.join(names[move.put[at]] for at in own)}"
        else:
            yield f"removed {whose} {stones}"


def _conditioned(judge: Judge) -> Listing:
    """The single stones, by owner, and the whole connected loops that are conditioned to a player."""
    singles, names, colour = union(judge.single_stones()), judge.board.names, COLOURS[judge.side - 1]
    rows = [
        *_rows("B", names.of(singles & judge.field.first), " "),
        *_rows("W", names.of(singles & judge.field.second), " "),
        *(row for loop in judge.whole_loops() for row in _rows("loop", names.of(loop), ",")),
    ]
    return Listing(f"Conditioned to {colour}, so {colour} may remove or move it:", tuple(rows) or (("nothing", ""),))


def _rows(label: str, names: Sequence[str], between: str) -> Iterator[tuple[str, str]]:
    """Some names after their label, in rows short enough for a mail."""
    for at in range(0, len(names), _NAMES_A_ROW):
        goes_on = between.rstrip() if at + _NAMES_A_ROW < len(names) else ""
        yield label if at == 0 else "", between.join(names[at : at + _NAMES_A_ROW]) + goes_on
