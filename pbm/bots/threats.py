"""Games in which one stone more may win or lose: wins in one, what must be stopped, and wins by threats alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import lru_cache, reduce
from operator import or_
from random import Random

from games.boards import Cells, Hexes, bits
from games.placing import Placing, Position
from games.rules import Side
from pbm.bots.skill import Rollout, Skill

ATTACK = 40
"""So many threats that win nothing at once are looked into at each position of a search."""

KNOWN = 10_000
"""So many sets of stones are remembered."""

Prospects = tuple[Cells, Cells, *tuple[tuple[Cells, ...], ...]]
"""Where a stone of a side would win at once, where it would lose, and what tells these after its next stone; some of
these cells may be taken by now.
"""


class Threats(ABC):
    """A board, and what its sides can do at once. full: its cells. none: the prospects of a side without a stone."""

    def __init__(self, full: Cells, none: Prospects = (0, 0)) -> None:
        self.full, self._none = full, none
        self.prospects = lru_cache(KNOWN)(self._prospects)
        self._makers: dict[Cells, Sequence[tuple[Cells, Prospects]]] = {}

    @abstractmethod
    def opened(self, move: Cells, stones: Cells, before: Prospects) -> Prospects:
        """A side's prospects after its move. stones: with the new one. before: the prospects then."""

    def kept(self, last: Cells, own: Cells, free: Cells) -> Cells:
        """A cell that a side should take, for the last stone of the other side may part what it joins otherwise."""
        return 0

    def _prospects(self, stones: Cells) -> Prospects:
        """Of a side that has these stones."""
        known = self._none
        for cell in bits(stones):
            known = self.opened(1 << cell, stones, known)
        return known

    def makers(self, own: Cells, mine: Prospects) -> Sequence[tuple[Cells, Prospects]]:
        """The moves of a side that make new wins in one, with its prospects after each."""
        if (known := self._makers.get(own)) is None:
            moves = [1 << cell for cell in bits(self.full & ~own)]
            each = [(move, self.opened(move, own | move, mine)) for move in moves]
            known = [(move, after) for move, after in each if after[0] & ~mine[0] & ~move]
            if len(self._makers) >= KNOWN:
                self._makers.clear()
            self._makers[own] = known
        return known

    def attack(
        self, own: Cells, others: Cells, mine: Prospects, theirs: Prospects, steps: list[int]
    ) -> tuple[Cells, ...]:
        """A win by threats alone, each of which has one answer: threats and answers in turn, and last the cells of
        which any wins then. Nothing if there is none within the steps.

        steps: how many threats may be looked into, counted down.
        """
        free = self.full & ~own & ~others
        if wins := mine[0] & free:
            return (wins & -wins,)
        threats = theirs[0] & free
        if threats & threats - 1:
            return ()
        allowed = (threats or free) & ~mine[1]
        for move, after in self.makers(own, mine):
            if not move & allowed or not (reply := after[0] & free & ~move):
                continue
            if reply & reply - 1 or reply & theirs[1]:
                return move, reply
            steps[0] -= 1
            if steps[0] < 0:
                return ()
            answered = others | reply
            if line := self.attack(own | move, answered, after, self.opened(reply, answered, theirs), steps):
                return move, reply, *line
        return ()

    def defences(self, own: Cells, free: Cells, line: Sequence[Cells]) -> Cells:
        """The free cells of which a side must take one against an attack of the other, where no stone loses.

        own: its stones. line: of the attack. Any other stone changes nothing: it takes no cell of the attack and, even
        with all the answers, threatens nothing that could interrupt it.
        """
        answers = reduce(or_, line[1:-1:2], 0)
        answered, left = own | answers, free & ~answers
        mine = self.prospects(answered)
        if mine[0] & left:
            return free
        threats = [move for move, after in self.makers(answered, mine) if after[0] & left & ~move]
        return free & reduce(or_, (*line, *threats))


class ThreatSkill(Skill):
    """Wins in one, stops that, and does not lose in one if it can be helped, in random games, too."""

    game: Placing
    threats: Callable[[Hexes], Threats]
    """What tells the threats on a board."""

    def here(self, pos: Position) -> tuple[Threats, Prospects, Prospects]:
        """What there is on the board, and the prospects of the side to move and of the other one."""
        board = self.game.board(pos.options)
        assert isinstance(board, Hexes)  # noqa: S101
        here = self.threats(board)
        return here, here.prospects(pos.own), here.prospects(pos.others)

    def moves(self, pos: Position, dice: Random) -> Sequence[int]:
        here, mine, theirs = self.here(pos)
        free = here.full & ~pos.taken
        if line := here.attack(pos.own, pos.others, mine, theirs, [ATTACK]):
            return list(bits(line[0]))
        return list(bits(theirs[0] & free or free & ~mine[1] or free))

    def rollout(self, pos: Position, dice: Random) -> Rollout:
        """A random game in which both win in one, stop that, and lose in one only where nothing else is left."""
        (here, mine, theirs), own, others = self.here(pos), pos.own, pos.others
        free = here.full & ~pos.taken
        order = [1 << cell for cell in bits(free)]
        dice.shuffle(order)
        value, played = 1.0 if pos.to_move is Side.FIRST else -1.0, list[Cells]()
        last = 0 if pos.last is None else 1 << pos.last
        while free:
            if mine[0] & free:
                break
            safe = free & ~mine[1]
            if threats := theirs[0] & free:
                move = threats & -threats & safe
            else:
                move = here.kept(last, own, safe) or next((each for each in order if each & safe), 0)
            if not move:
                value = -value
                break
            free ^= move
            stones = own | move
            own, others, mine, theirs = others, stones, theirs, here.opened(move, stones, mine)
            value = -value
            played.append(move)
            last = move
        else:
            value = 0.0
        shares = [dict.fromkeys((move.bit_length() - 1 for move in played[at::2]), (1.0, value)) for at in (0, 1)]
        return Rollout(value, (shares[0], shares[1]) if pos.to_move is Side.FIRST else (shares[1], shares[0]))
