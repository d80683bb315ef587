"""The end of a board, as far as an event is concerned."""

from __future__ import annotations

from datetime import datetime

from pbm.domain.match import Match, Result
from pbm.domain.tournaments.bouts import DRAW, LOSS, WIN
from pbm.store import Transaction

HOLDING = "event"
"""Kind of the agenda's items for events; the key is the event's id."""


def settle_bout(tx: Transaction, match: Match, now: datetime) -> None:
    """A board that has just ended counts in its event, which then looks at once whether its round is over."""
    meeting = tx.tournaments.on_board(match.board) if match.event else None
    event = tx.tournaments.get(meeting.tournament_id) if meeting else None
    if meeting is None or event is None or event.stage.ended or match.result is None:
        return
    tx.tournaments.settle(meeting.id, points_of(match.result))
    tx.agenda.put(HOLDING, event.id, now)


def points_of(result: Result) -> tuple[int, int]:
    """Half points of both seats; a void game is worth as much to both."""
    if result.winner is None:
        return DRAW, DRAW
    return (WIN, LOSS) if result.winner == 1 else (LOSS, WIN)
