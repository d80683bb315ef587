"""What the end of a match does to the ratings of its players, and to what is known of how reliable they are."""

from __future__ import annotations

from dataclasses import replace

from pbm.domain.events import Event, NotRated, RatingChanged
from pbm.domain.match import Ending, Match, Result, Seat, other
from pbm.domain.pace import pace_of
from pbm.domain.ratings import rate
from pbm.store import Transaction
from pbm.store.ratings import Change, Record


def rate_match(tx: Transaction, match: Match) -> tuple[Event, ...]:
    """Rate a match that has just ended; returns what there is to tell.

    A void match counts for nothing. A match against oneself or a bot, one agreed to be unrated, and one that ended
    before both had moved, as may happen in an event, are told to be so.
    """
    result, (first, second) = match.result, match.players
    if result is None or result.ending is Ending.VOID:
        return ()
    played = len(match.record) >= len(match.players)
    if not (match.rated and played) or first.id == second.id or tx.players.bots((first.id, second.id)):
        return (NotRated(match.board),)
    records = tx.ratings.of(match.game, (first.id, second.id))
    events: list[Event] = []
    changes: dict[int, Change] = {}
    for seat in (1, 2):
        player, opponent = match.player(seat), match.player(other(seat))
        before, score = records[player.id], score_of(result, seat)
        after = rate(before.rating, [(records[opponent.id].rating, score)])
        tx.ratings.save(player.id, match.game, replace(_counted(before, score), rating=after, rated_at=match.ended_at))
        changes[player.id] = Change(before.rating, after)
        events.append(RatingChanged(match.board, seat, before.rating.shown, after.shown, after.provisional))
    tx.ratings.add_changes(match.board, changes)
    return tuple(events)


def count_match(tx: Transaction, match: Match) -> None:
    """Add a match that has just ended to what is known of its players' reliability, rated or not."""
    for seat in (1, 2):
        pace = pace_of(match, seat)
        if pace.finished:
            tx.paces.add(match.player(seat).id, match.game, pace)


def score_of(result: Result, seat: Seat) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return 1.0 if result.winner == seat else 0.0


def _counted(record: Record, score: float) -> Record:
    return Record(record.rating, record.won + (score == 1), record.lost + (score == 0), record.drawn + (score == 0.5))
