"""When tournaments decide boards, whatever clocks say: at the end of a round, in which outages do not count."""

from __future__ import annotations

from datetime import datetime, timedelta

from pbm.domain.calendars import Calendar, StopKind
from pbm.domain.match import Player
from pbm.domain.tournaments.terms import Terms
from pbm.store import Transaction

_NOTICE = timedelta(days=3)
SOON = _NOTICE + timedelta(hours=1)
"""The player to move is reminded so long before, at most."""


def notice_at(terms: Terms, ends_at: datetime) -> datetime:
    """When the player to move is reminded of the end of a round: on the hour, as of the end of long times."""
    return (ends_at - min(_NOTICE, terms.time_per_round / 4)).replace(minute=0, second=0, microsecond=0)


def counted(tx: Transaction, since: datetime) -> Calendar:
    """The calendar by which the time of a round runs."""
    ours = (kind for kind in StopKind if kind.is_ours)
    return Calendar(stops=tuple(absence.stop for kind in ours for absence in tx.absences.of(None, kind, since)))


def decided_at(tx: Transaction, terms: Terms, due_at: datetime) -> datetime | None:
    """When the time of a round that ends at `due_at` is really over; None if that is not known yet."""
    begun_at = due_at - terms.time_per_round
    return counted(tx, begun_at).deadline(begun_at, terms.time_per_round // timedelta(microseconds=1))


def decisions(tx: Transaction, player: Player) -> dict[int, datetime]:
    """When the boards of a player are decided, by board; without those for which it is not known."""
    decided = {}
    for tournament in tx.tournaments.of_player(player.id):
        for meeting in tx.tournaments.under_way(tournament.id):
            # A bye has no board, and a round without a limit no end.
            if meeting.board is not None and meeting.due_at is not None and meeting.bout.holds(player.id):
                decided[meeting.board] = decided_at(tx, tournament.terms, meeting.due_at)
    return {board: at for board, at in decided.items() if at is not None}
