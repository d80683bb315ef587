"""Boards as their records say: replayed, remembered, and compared with what else is stored of them."""

from __future__ import annotations

from collections import OrderedDict

from games import GAMES
from pbm.domain.match import Ending, Match, State, replay
from pbm.store import Transaction

CACHED_PLIES = 100_000
"""Plies of all boards that are remembered; one takes some 200 octets."""


class States:
    """The latest boards with their states, so that a move need not read and replay the whole record.

    Only a cache: the record decides. A transaction that is rolled back has to empty it, for the next ply of a board it
    held then gets a number and a revision that the cache knows from another ply.
    """

    def __init__(self, size: int = CACHED_PLIES) -> None:
        self._size = size
        self._plies = 0
        self._boards: OrderedDict[int, tuple[Match, State]] = OrderedDict()

    def match(self, board: int) -> Match | None:
        """The board as it was when it was met last."""
        known = self._boards.get(board)
        return known[0] if known else None

    def of(self, match: Match) -> State:
        known = self._boards.get(match.board)
        if known is not None and _same(known[0], match) and known[1].game is GAMES[match.game]:
            state = known[1]
        else:
            record = [ply.notation for ply in match.record]
            state = replay(GAMES[match.game], match.options, match.body, record)
        self.keep(match, state)
        return state

    def keep(self, match: Match, state: State) -> None:
        known = self._boards.pop(match.board, None)
        self._plies += _weight(match) - (_weight(known[0]) if known else 0)
        self._boards[match.board] = (match, state)
        while self._plies > self._size:
            self._plies -= _weight(self._boards.popitem(last=False)[1][0])

    def forget(self) -> None:
        self._boards.clear()
        self._plies = 0


def _weight(match: Match) -> int:
    """What it takes to remember the board, in plies."""
    return len(match.record) + 10


def _same(one: Match, other: Match) -> bool:
    """Whether they have come to the same position by the same plies."""
    if one.record is other.record:
        return True
    return [ply.notation for ply in one.record] == [ply.notation for ply in other.record]


def difference(tx: Transaction, match: Match, state: State) -> str:
    """How the board's row and its replayed record differ; empty where they agree."""
    plies, seat_to_move = tx.matches.plies_stored(match.board)
    if plies != state.plies:
        return f"the row counts {plies} plies, the record holds {state.plies}"
    if match.result is None:
        if state.result is not None:
            return "the record has ended, the row has not"
        if seat_to_move != state.to_move:
            return f"seat {state.to_move} is to move, the row says {seat_to_move}"
    elif match.result.ending is Ending.RULES and state.result != match.result:
        return f"the row says {match.result}, the record {state.result}"
    return ""
