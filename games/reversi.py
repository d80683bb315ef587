"""Reversi, by Lewis Waterman (1883), with the start and the end that Goro Hasegawa gave it as Othello (1971).

Two players place stones in turn. Opposing stones in an unbroken line between the new stone and another one of the same
side are turned, in all directions at once; a placement must turn at least one. A side that cannot place must pass; when
neither side can place, more stones win, and equal numbers are a draw.
"""

from __future__ import annotations

from games.boards import BothSides, Cells, Squares, squares
from games.placing import PASS, Ending, Placing, Position
from games.rules import Info, Option, OptionValues, Outcome, leader, score


class Reversi(Placing):
    """The rules of Reversi."""

    info = Info(
        name="reversi",
        title="Reversi",
        kind="territory",
        summary="turn the stones you enclose; more stones win",
        source="Lewis Waterman, 1883, and Goro Hasegawa, 1971",
        options=(Option("size", "squares per row and column", "8", choices=("6", "8", "10")),),
        sgf=2,
    )
    passing = True

    def board(self, options: OptionValues) -> Squares:
        return squares(options.number("size"), options.number("size"))

    def start(self, options: OptionValues) -> Position:
        board, half = self.board(options), options.number("size") // 2
        low = (half - 1) * board.stride + half - 1
        high = low + board.stride
        return Position(options, BothSides(1 << low + 1 | 1 << high, 1 << low | 1 << high + 1))

    def legal(self, pos: Position) -> Cells:
        return _room(self.board(pos.options), pos.own, pos.others)

    def may_pass(self, pos: Position) -> bool:
        return not self.legal(pos)

    def forced(self, pos: Position) -> int | None:
        return PASS if self.outcome(pos) is None and self.may_pass(pos) else None

    def placed(self, pos: Position, move: int) -> BothSides:
        own, others, turned = pos.own, pos.others, 0
        for ray in self.board(pos.options).rays[move]:
            run = 0
            for cell in ray:
                if not others >> cell & 1:
                    # A run that ends at the edge, or at a free square, turns nothing.
                    turned |= run if own >> cell & 1 else 0
                    break
                run |= 1 << cell
        return BothSides.seen_by(pos.to_move, own | 1 << move | turned, others & ~turned)

    def refusal(self, pos: Position, move: int) -> str:
        mover, other = self.colours[pos.to_move - 1], self.colours[pos.to_move.other - 1]
        # Before the others: whoever has to pass learns nothing from what is wrong with this cell.
        if not self.legal(pos):
            return f"{mover} cannot turn a stone anywhere and has to pass."
        if move == PASS:
            return f"{mover} may not pass, for there are stones to turn."
        if pos.taken >> move & 1:
            return super().refusal(pos, move)
        return f"A stone on {self.notate(pos, move)} would turn none of {other}'s."

    def ending(self, pos: Position, last: int) -> Ending | None:
        board = self.board(pos.options)
        # A side that cannot place passes; only when neither can, the game is over.
        if _room(board, pos.own, pos.others) or _room(board, pos.others, pos.own):
            return None
        scores = self._scores(pos)
        if (winner := leader(scores)) is None:
            return Ending(Outcome(None, f"with {scores[0]} stones each", scores))
        return Ending(Outcome(winner, f"with {max(scores)} stones to {min(scores)}", scores))

    def notes(self, pos: Position) -> tuple[str, ...]:
        return (f"Stones: {score(self.colours, self._scores(pos))}",)

    def _scores(self, pos: Position) -> tuple[int, int]:
        return pos.stones[0].bit_count(), pos.stones[1].bit_count()


def _room(board: Squares, own: Cells, others: Cells) -> Cells:
    """The free cells from which a line of others' stones leads to one of one's own."""
    room = 0
    for step in board.steps:
        up, down = own << step & others, own >> step & others
        while (longer := up | up << step & others) != up:
            up = longer
        while (longer := down | down >> step & others) != down:
            down = longer
        room |= up << step | down >> step
    return room & board.full & ~own & ~others
