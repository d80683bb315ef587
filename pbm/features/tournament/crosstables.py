"""The standings of a tournament as tables: what its mails, the operator and programs are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from pbm.domain.tournaments.bouts import Bout, TieBreak, standings
from pbm.domain.tournaments.terms import Kind
from pbm.store import Transaction
from pbm.store.tournaments import Entrant, Tournament
from pbm.values import frozen


@frozen
class EntrantRow:
    """One line of a table of standings. entrant: the player's id."""

    entrant: int
    rank: int
    userid: str
    points: str
    won: int
    drawn: int
    lost: int
    tie_breaks: tuple[str, ...]
    left: bool


@frozen
class Standings:
    """The standings of a tournament, or of one division of a league; the agenda can hold its fields."""

    number: int
    """The division of a league; 0 for other tournaments."""
    tie_breaks: tuple[TieBreak, ...]
    rows: tuple[EntrantRow, ...]


def shown(points: Fraction) -> str:
    """Points as text; two decimals are exact, because points are halves and tie-breaks are quarters."""
    return f"{float(points):.2f}".rstrip("0").rstrip(".")


def standings_of(tx: Transaction, tournament: Tournament) -> list[Standings]:
    """The standings of the present season, a table for each division; for a ladder, its rungs."""
    own, kind = tx.tournaments, tournament.terms.kind
    entrants = own.present(tournament.id) if kind is Kind.LADDER else own.entrants(tournament.id)
    meetings = own.meetings(tournament.id, tournament.season)
    # Byes may be asked for beforehand.
    bouts = [each.bout for each in meetings if each.round <= tournament.round]
    divisions = sorted({entrant.division for entrant in entrants if entrant.division is not None})
    return [
        _table(kind, division, [each for each in entrants if each.division == division], bouts)
        for division in divisions
    ]


def _table(kind: Kind, division: int, members: Sequence[Entrant], bouts: Sequence[Bout]) -> Standings:
    by_id = {member.player.id: member for member in members}
    lines = standings(list(by_id), bouts, kind.tie_breaks)
    # Points do not decide the order of a ladder.
    if kind is Kind.LADDER:
        by_entrant = {line.entrant: line for line in lines}
        lines = [replace(by_entrant[entrant], rank=rung) for rung, entrant in enumerate(by_id, 1)]
    rows = []
    for line in lines:
        member, tie_breaks = by_id[line.entrant], tuple(map(shown, line.tie_breaks))
        userid, points, has_left = member.player.userid, shown(line.points), member.left_at is not None
        counts = line.won, line.drawn, line.lost
        rows.append(EntrantRow(line.entrant, line.rank, userid, points, *counts, tie_breaks, has_left))
    return Standings(division if kind is Kind.LEAGUE else 0, kind.tie_breaks, tuple(rows))
