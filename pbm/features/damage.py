"""Boards whose stored records cannot be replayed, as when somebody has altered the database.

Such a board waits: nobody can play there, no time runs out, and it goes on by itself once the record is mended. The
operator gets one letter for it. An item on the agenda stands for that, as long as the board cannot be read.
"""

from __future__ import annotations

from datetime import timedelta

from pbm.core.bus import RecordDamaged, subscribes
from pbm.core.notify import tell_operator
from pbm.core.registry import Occasion, when_due
from pbm.store import Transaction

DAMAGE = "damage"
_LOOK_AGAIN = timedelta(days=1)


@subscribes(RecordDamaged)
def note_damage(event: RecordDamaged, tx: Transaction) -> None:
    """Have it told, unless it was."""
    tx.lock([f"{DAMAGE} {event.board}"])
    if tx.agenda.get(DAMAGE, event.board) is None:
        tx.agenda.put(DAMAGE, event.board, tx.now, reason=event.reason)


@when_due(DAMAGE, within=_LOOK_AGAIN)
def tell_of_damage(occasion: Occasion) -> None:
    tx, board, reason = occasion.tx, int(occasion.item.key), occasion.item.payload.get("reason", "")
    match = tx.matches.load(board)
    if match is None or occasion.tools.states.reads(match):
        return
    if reason:
        page, subject = "damage-operator.txt", f"pbm: board {board} cannot be read"
        tell_operator(occasion, subject, page, match=match, reason=reason)
    tx.agenda.put(DAMAGE, board, occasion.now + _LOOK_AGAIN)
