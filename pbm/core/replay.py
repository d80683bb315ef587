"""Whether what is stored of a board follows from its record."""

from __future__ import annotations

from pbm.domain.match import Ending, Match, State
from pbm.store import Transaction


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
