"""The end of an account."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pbm.domain.events import PlayerLeft
from pbm.domain.match import Ending, Match, Player, Result, other
from pbm.service.tables import Table
from pbm.service.tournaments.entering import withdraw
from pbm.store import Transaction


def remove_account(tx: Transaction, player: Player, load: Callable[[int], Table], now: datetime) -> list[Table]:
    """Remove an account; the games it still plays are lost by forfeit. load: gives a board.

    Returns the tables of these games, whose players are still to be told.
    """
    running = tx.matches.summaries(player_ids=(player.id,), active=True, limit=None)
    tables = [load(summary.board) for summary in running]
    for table in tables:
        table.end(_forfeit(table.match, player), PlayerLeft(table.match.board, userid=player.userid))
    for event in tx.tournaments.of_player(player.id):
        withdraw(tx, event, player, now)
    tx.tickets.revoke_of(player.id, now)
    tx.players.remove(player.id, now)
    return tables


def _forfeit(match: Match, leaver: Player) -> Result:
    seat = match.seat_of(leaver.id)
    if seat is None or match.player(other(seat)).id == leaver.id:
        return Result(Ending.VOID, None, f"{leaver.userid} has left")
    return Result(Ending.FORFEIT, other(seat), f"because {leaver.userid} has left")
