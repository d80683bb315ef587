"""How the end of a match changes the ratings of its players, and what is known of their reliability."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from games import GAMES
from pbm.domain.events import Event, NotRated, RatingChanged
from pbm.domain.match import Ending, Match, Player, Result, Seat, State, other
from pbm.domain.ratings import MOST_OF_A_PAIR, WINDOW, Rating, after_match, pace_of
from pbm.store import Transaction
from pbm.store.ratings import Change, Tally

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)


def rate_match(tx: Transaction, match: Match) -> tuple[Event, ...]:
    """Rate a match that has just ended; returns what to tell its players.

    A void match counts for nothing and gives no event. A match that is not rated gives NotRated.
    """
    result, (first, second) = match.result, match.players
    if result is None or match.ended_at is None or result.ending is Ending.VOID:
        return ()
    reason = why_not_rated(tx, match)
    if reason is not None:
        return (NotRated(match.board, reason=reason),)
    tallies = tx.ratings.of(match.game, (first.id, second.id))
    before = {player_id: tally.at(match.ended_at).rating for player_id, tally in tallies.items()}
    changes = _changes(match, result, before)
    for seat in (1, 2):
        player = match.player(seat)
        counted = _counted(tallies[player.id], score_of(result, seat))
        fresh = counted._replace(rating=changes[player.id].after, rated_at=match.ended_at)
        tx.ratings.save(player.id, match.game, fresh)
    tx.ratings.add_changes(match.board, changes)
    return _changed(match, changes)


def why_not_rated(tx: Transaction, match: Match) -> str | None:
    """Why a match that has ended, and is not void, changes no rating; empty where its players know, None if it does."""
    first, second = match.players
    ids = first.id, second.id
    if not match.rated:
        uneven = State.start(GAMES[match.game], match.options, match.body).lopsided
        return "most boards of this kind are won by one colour, whoever begins" if uneven else ""
    if first.id == second.id:
        return "one player had both seats"
    if tx.players.bots(ids):
        return "a bot played in it"
    # Nothing was played that could tell who is stronger.
    if match.opening:
        return "it ended before both had moved"
    for player in match.players:
        # Whoever has confirmed no address may be anybody, or one person several times.
        if not any(address.confirmed_at for address in tx.players.addresses(player.id)):
            return f"{player.userid} has no confirmed address"
    if match.ended_at is not None:
        boards = tx.ratings.rated_between(match.game, ids, match.ended_at - WINDOW, match.ended_at)
        # Two who always play each other tell little of how they stand among the others.
        if len(set(boards) - {match.board}) >= MOST_OF_A_PAIR:
            return f"only {MOST_OF_A_PAIR} games of the same two players are rated within {WINDOW.days} days"
    return None


def _changes(match: Match, result: Result, before: Mapping[int, Rating]) -> dict[int, Change]:
    """The changes, by player's id."""
    changes = {}
    for seat in (1, 2):
        player, opponent = match.player(seat).id, match.player(other(seat)).id
        changes[player] = Change(before[player], after_match(before[player], before[opponent], score_of(result, seat)))
    return changes


def _changed(match: Match, changes: Mapping[int, Change]) -> tuple[Event, ...]:
    """What to tell the players of their changes. changes: by player's id; none of somebody who has left since."""
    seats = [(seat, changes[match.player(seat).id]) for seat in (1, 2) if match.player(seat).id in changes]
    return tuple(
        RatingChanged(match.board, seat, change.before.shown, change.after.shown, change.after.provisional)
        for seat, change in seats
    )


def rating_events(tx: Transaction, match: Match) -> tuple[Event, ...]:
    """How a match that has ended changed its players' ratings, or why it did not."""
    changes = tx.ratings.changes(match.board)
    if not changes:
        return (NotRated(match.board, reason=why_not_rated(tx, match) or ""),)
    return _changed(match, changes)


def unrate_match(tx: Transaction, match: Match) -> tuple[Event, ...]:
    """Take back what the end of a match did to ratings, and rate all matches again that were rated on top of it.

    match: still with the result that is taken back. Returns what to tell its players.
    """
    undone = tx.ratings.changes(match.board)
    if not undone or match.ended_at is None or match.result is None:
        return ()
    later = tx.ratings.rated_after(match.game, match.ended_at)
    tx.ratings.take_back(match.board)
    fresh = {player_id: tx.ratings.until(player_id, match.game, match.ended_at) for player_id in undone}
    # Each later rating was worked out from the one that is taken back.
    for board in later:
        _rate_anew(tx, board, fresh)
    before = tx.ratings.of(match.game, fresh)
    for player_id, tally in fresh.items():
        was = before[player_id]
        if player_id in undone:
            seat = 1 if match.player(1).id == player_id else 2
            was = _counted(was, score_of(match.result, seat), -1)
        _save_anew(tx, player_id, match.game, was, tally)
    changes = {player_id: Change(before[player_id].rating, tally.rating) for player_id, tally in fresh.items()}
    return _changed(match, changes)


def rate_player_anew(tx: Transaction, game: str, player: Player) -> None:
    """Work out a player's rating again from all their rated matches, and the ratings of others that depend on it."""
    fresh = {player.id: Tally()}
    for board in tx.ratings.rated_after(game, _BEGINNING):
        _rate_anew(tx, board, fresh)
    before = tx.ratings.of(game, fresh)
    for player_id, tally in fresh.items():
        _save_anew(tx, player_id, game, before[player_id], tally)


def _save_anew(tx: Transaction, player_id: int, game: str, counted: Tally, rated: Tally) -> None:
    # Without rated games a player is in no list, nor is anybody who was erased, though their boards still count.
    if counted.won + counted.lost + counted.drawn == 0:
        tx.ratings.drop(player_id, game)
    else:
        tx.ratings.save(player_id, game, counted._replace(rating=rated.rating, rated_at=rated.rated_at))


def _rate_anew(tx: Transaction, board: int, fresh: dict[int, Tally]) -> None:
    """Rate a board again if a player's rating was different when it was rated. fresh: the new ratings; adds to them."""
    changes, match = tx.ratings.changes(board), tx.matches.load(board)
    if fresh.keys().isdisjoint(changes) or match is None or match.result is None or match.ended_at is None:
        return
    before = {player_id: change.before for player_id, change in changes.items()}
    before |= {player_id: fresh[player_id].at(match.ended_at).rating for player_id in fresh.keys() & changes.keys()}
    anew = _changes(match, match.result, before)
    fresh |= {player_id: Tally(change.after, rated_at=match.ended_at) for player_id, change in anew.items()}
    tx.ratings.take_back(board)
    tx.ratings.add_changes(board, anew)


def count_match(tx: Transaction, match: Match, *, back: bool = False) -> None:
    """Add a match that has just ended, rated or not, to what is known of its players' reliability.

    back: subtract it instead; match then still has the result that is taken back.
    """
    for seat in (1, 2):
        pace = pace_of(match, seat)
        if pace.finished:
            tx.paces.add(match.player(seat).id, match.game, pace, back=back)


def score_of(result: Result, seat: Seat) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss."""
    if result.winner is None:
        return 0.5
    return 1.0 if result.winner == seat else 0.0


def _counted(tally: Tally, score: float, matches: int = 1) -> Tally:
    won, lost, drawn = (matches * (score == points) for points in (1, 0, 0.5))
    return Tally(tally.rating, tally.won + won, tally.lost + lost, tally.drawn + drawn)
