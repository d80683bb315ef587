"""Monte Carlo tree search over any game, with proofs.

Each visit descends the tree along moves that look good or were visited rarely, adds a node, has a skill judge it, and
updates every node above. A node also has bounds for its true value: the end of a game sets both, and proofs below
narrow those above, including draws; where the bounds meet, nothing is searched any more (score bounded search, by
Cazenave and Saffidine). If the skill wants it, moves share the results of playouts anywhere below (RAVE, by Gelly and
Silver).
"""

from __future__ import annotations

from functools import partial
from math import log, sqrt
from random import Random
from time import monotonic, process_time
from typing import Any

from pbm.bots.levels import Budget
from pbm.bots.skill import WIDEST, Rollout, Skill, value_of

DEEPEST = 200
"""The longest line below the root, in plies; nodes at the end of it are judged and not extended."""


class Node:
    """A position of the tree. sign: 1 if the first side is to move, otherwise -1. low, high: bounds of the true value.

    All values are the first side's. kids: the node after each move, None until visited. rest: best play to the end, if
    obvious.
    """

    __slots__ = ("high", "kids", "low", "moves", "pos", "rave", "rest", "sign", "total", "visits")

    def __init__(self, pos: Any, sign: int, bounds: tuple[float, float], rest: tuple[Any, ...] = ()) -> None:
        self.pos = pos
        self.sign = sign
        self.low, self.high = bounds
        self.rest = rest
        self.moves: list[Any] = []
        self.kids: list[Node | None] = []
        self.rave: dict[Any, list[float]] = {}
        self.visits = 0
        self.total = 0.0

    @property
    def proved(self) -> bool:
        return self.low == self.high

    @property
    def value(self) -> float:
        return self.low if self.proved else self.total / self.visits if self.visits else 0.0


class Search:
    """A tree below one position, grown by visits."""

    def __init__(self, skill: Skill, pos: Any, dice: Random) -> None:
        self._skill, self._game, self._dice = skill, skill.played, dice
        self.root = Node(pos, self._game.to_move(pos).sign, (-1.0, 1.0))

    def _node(self, pos: Any) -> Node:
        if (outcome := self._game.outcome(pos)) is not None:
            value = value_of(outcome)
            return Node(pos, 1, (value, value))
        sign = self._game.to_move(pos).sign
        if solution := self._skill.obvious(pos):
            return Node(pos, sign, (solution.value, solution.value), solution.line)
        return Node(pos, sign, (-1.0, 1.0))

    def run(self, budget: Budget) -> None:
        """Grows the tree until the budget is spent, by at least one visit, or until the root is proved."""
        end, last = process_time() + budget.seconds, monotonic() + budget.patience
        for number in range(budget.visits):
            # One visit at least, so that there is a move.
            if self.root.proved or (number and (process_time() >= end or monotonic() >= last)):
                return
            self._visit()

    def _visit(self) -> None:
        node, path, played = self.root, [self.root], []
        # A node is judged at its first visit, and extended at the next.
        while not node.proved and (node.visits or node is self.root) and len(path) < DEEPEST:
            if not node.kids:
                node.moves = list(self._skill.moves(node.pos, self._dice))
                # The order of the rules is from one corner of the board to the other, and equals are tried in order.
                if not self._skill.ordered:
                    self._dice.shuffle(node.moves)
                node.kids = [None] * len(node.moves)
            at = self._best(node)
            kid = node.kids[at]
            if kid is None:
                kid = node.kids[at] = self._node(self._game.play(node.pos, node.moves[at]))
            played.append(node.moves[at])
            node = kid
            path.append(node)
        rollout = Rollout(node.low) if node.proved else self._skill.rollout(node.pos, self._dice)
        self._tell(path, played, rollout)

    def _best(self, node: Node) -> int:
        """The index of the move to descend by: the most promising one that is not settled."""
        skill, sign, rave = self._skill, node.sign, node.rave
        guess = node.total / node.visits if node.visits else 0.0
        spread = skill.explore * sqrt(log(node.visits + 2))
        best, best_score = -1, -9.0
        for at, (move, kid) in enumerate(zip(node.moves, node.kids, strict=True)):
            if kid is None:
                visits, mean = 0, guess
            else:
                low, high = kid.low, kid.high
                # Nothing below can change what is known above.
                if low == high or (high <= node.low if sign > 0 else low >= node.high):
                    continue
                visits = kid.visits
                mean = kid.total / visits
                if mean < low:  # min() and max() would take as long as everything else here
                    mean = low
                elif mean > high:
                    mean = high
            if rave and (share := rave.get(move)):
                weight = skill.rave / (skill.rave + visits)
                mean += weight * (share[1] / share[0] - mean)
            score = sign * mean + spread / sqrt(visits + 1)
            if score > best_score:
                best, best_score = at, score
        return best

    def _tell(self, path: list[Node], played: list[Any], rollout: Rollout) -> None:
        """Adds a rollout's result to the nodes of a path, from the last one up, and narrows their bounds."""
        value, news = rollout.value, path[-1].proved
        for depth in range(len(path) - 1, -1, -1):
            node = path[depth]
            node.visits += 1
            node.total += value
            if news and node.kids:
                news = self._bound(node)
            value = min(max(value, node.low), node.high)
            if self._skill.rave:
                self._share(node, played[depth:], path[depth:], rollout)

    def _bound(self, node: Node) -> bool:
        """Narrows a node's bounds by those of its moves; whether that changed anything."""
        before = node.low, node.high
        lows = [-1.0 if kid is None else kid.low for kid in node.kids]
        highs = [1.0 if kid is None else kid.high for kid in node.kids]
        # A move that is not listed might be better than all that are.
        all_known = self._skill.complete and len(node.moves) < WIDEST
        if node.sign > 0:
            node.low = max(node.low, *lows)
            node.high = min(node.high, max(highs)) if all_known else node.high
        else:
            node.high = min(node.high, *highs)
            node.low = max(node.low, min(lows)) if all_known else node.low
        return (node.low, node.high) != before

    def _share(self, node: Node, played: list[Any], path: list[Node], rollout: Rollout) -> None:
        """Credits the moves of the side to move, in the tree and in the playout."""
        rave = node.rave
        for move, (times, total) in rollout.credit[0 if node.sign > 0 else 1].items():
            share = rave.setdefault(move, [0.0, 0.0])
            share[0] += times
            share[1] += total
        for move, before in zip(played, path, strict=False):
            if before.sign == node.sign:
                share = rave.setdefault(move, [0.0, 0.0])
                share[0] += 1.0
                share[1] += rollout.value

    def line(self) -> tuple[Any, ...]:
        """The expected line: the best move of each node, as far as the tree goes."""
        line: list[Any] = []
        node = self.root
        while len(line) < DEEPEST:
            visited = {kid: move for move, kid in zip(node.moves, node.kids, strict=True) if kid is not None}
            if not visited:
                break
            node = max(visited, key=partial(_rank, node))
            line.append(visited[node])
        return *line, *node.rest


def _rank(node: Node, kid: Node) -> tuple[float, float, float]:
    """The highest for the best move of a node: proved wins, then the most visited, proved losses last."""
    worth = node.sign * kid.value
    if not kid.proved:
        return 0.0, float(kid.visits), worth
    if worth:
        return worth, float(kid.visits), worth
    # A proved draw is better than a move that looks lost.
    return 0.0, sqrt(node.visits) if node.sign * node.value < 0 else 0.0, worth
