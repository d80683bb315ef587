"""What the end of a match does to the ratings of its players, and to what is known of how reliable they are."""

from __future__ import annotations

from dataclasses import replace

from pbm.domain.events import Event, NotRated, RatingChanged
from pbm.domain.match import Ending, Match, Result, Seat, other
from pbm.domain.pace import pace_of
from pbm.domain.ratings import Rating, rate
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


def unrate_match(tx: Transaction, match: Match) -> tuple[Event, ...]:
    """Take back what the end of a match did to ratings, and rate anew what was rated on the strength of it.

    match: with the result that is taken back. Returns what there is to tell of its players.
    """
    undone = tx.ratings.changes(match.board)
    if not undone or match.ended_at is None or match.result is None:
        return ()
    tx.ratings.take_back(match.board)
    fresh = {player_id: change.before for player_id, change in undone.items()}
    for board in tx.ratings.rated_after(match.game, match.ended_at):
        _rate_anew(tx, board, fresh)
    before = tx.ratings.of(match.game, fresh)
    for player_id, rating in fresh.items():
        record = before[player_id]
        if player_id in undone:
            seat = 1 if match.player(1).id == player_id else 2
            record = _counted(record, score_of(match.result, seat), -1)
        if record.won + record.lost + record.drawn == 0:
            tx.ratings.drop(player_id, match.game)
        else:
            rated_at = tx.ratings.last_rated_at(player_id, match.game)
            tx.ratings.save(player_id, match.game, replace(record, rating=rating, rated_at=rated_at))
    told = [(seat, before[match.player(seat).id].rating, fresh[match.player(seat).id]) for seat in (1, 2)]
    return tuple(RatingChanged(match.board, seat, was.shown, now.shown, now.provisional) for seat, was, now in told)


def _rate_anew(tx: Transaction, board: int, fresh: dict[int, Rating]) -> None:
    """Rate a board again if any of its players has another rating than when it was rated; fresh: those who have."""
    changes, match = tx.ratings.changes(board), tx.matches.load(board)
    if fresh.keys().isdisjoint(changes) or match is None or match.result is None:
        return
    was = {player_id: fresh.get(player_id, change.before) for player_id, change in changes.items()}
    for seat in (1, 2):
        player, opponent = match.player(seat).id, match.player(other(seat)).id
        fresh[player] = rate(was[player], [(was[opponent], score_of(match.result, seat))])
    tx.ratings.take_back(board)
    tx.ratings.add_changes(board, {player_id: Change(was[player_id], fresh[player_id]) for player_id in was})


def count_match(tx: Transaction, match: Match) -> None:
    """Add a match that has just ended to what is known of its players' reliability, rated or not."""
    for seat in (1, 2):
        pace = pace_of(match, seat)
        if pace.finished:
            tx.paces.add(match.player(seat).id, match.game, pace)


def uncount_match(tx: Transaction, match: Match) -> None:
    """Take back what count_match added. match: with the result that is taken back."""
    for seat in (1, 2):
        pace = pace_of(match, seat)
        if pace.finished:
            tx.paces.take_back(match.player(seat).id, match.game, pace)


def score_of(result: Result, seat: Seat) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return 1.0 if result.winner == seat else 0.0


def _counted(record: Record, score: float, matches: int = 1) -> Record:
    won, lost, drawn = (matches * (score == points) for points in (1, 0, 0.5))
    return Record(record.rating, record.won + won, record.lost + lost, record.drawn + drawn)
