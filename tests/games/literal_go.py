"""Go once more, as people explain its rules: points as pairs, the board as a dict, all positions remembered."""

from __future__ import annotations

from itertools import product

PASS = "pass"
WAYS = ((0, 1), (0, -1), (1, 0), (-1, 0))
COLUMNS = "abcdefghjklmnopqrst"


class LiteralGo:
    """A game in progress. turn: 1 for Black, 2 for White."""

    def __init__(self, size):
        self.points = list(product(range(size), repeat=2))
        self.board: dict[tuple[int, int], int] = {}
        self.turn, self.passes = 1, 0
        self.history = [dict(self.board)]

    def name(self, point):
        return f"{COLUMNS[point[0]]}{point[1] + 1}"

    def neighbours(self, point):
        around = [(point[0] + right, point[1] + up) for right, up in WAYS]
        return [each for each in around if each in self.points]

    def chain(self, board, point):
        """The points with the same content that are connected to this one, and the other points beside them."""
        chain, edge, wait = {point}, set(), [point]
        while wait:
            for near in self.neighbours(wait.pop()):
                if board.get(near) != board.get(point):
                    edge.add(near)
                elif near not in chain:
                    chain.add(near)
                    wait.append(near)
        return chain, edge

    def breathes(self, board, point):
        return any(near not in board for near in self.chain(board, point)[1])

    def after(self, point):
        """The board after a stone; None if the rules forbid it."""
        if point in self.board:
            return None
        board = {**self.board, point: self.turn}
        for near in self.neighbours(point):
            if board.get(near) == 3 - self.turn and not self.breathes(board, near):
                for dead in self.chain(board, near)[0]:
                    del board[dead]
        if not self.breathes(board, point) or board in self.history:
            return None
        return board

    def moves(self):
        if self.passes == 2:
            return set()
        return {self.name(point) for point in self.points if self.after(point) is not None} | {PASS}

    def play(self, move):
        self.passes = self.passes + 1 if move == PASS else 0
        if move != PASS:
            (point,) = (point for point in self.points if self.name(point) == move)
            self.board = self.after(point)
            self.history.append(self.board)
        self.turn = 3 - self.turn

    def areas(self):
        """The number of Black's points and of White's, without komi."""
        counts = {1: 0, 2: 0}
        for point in self.points:
            if point in self.board:
                counts[self.board[point]] += 1
            else:
                owners = {self.board[near] for near in self.chain(self.board, point)[1]}
                if len(owners) == 1:
                    counts[owners.pop()] += 1
        return counts[1], counts[2]
