"""The record of a match as columns of text: one per seat, each ply under who played it; a queued one is tagged."""

from __future__ import annotations

from pbm.domain.match import Match, State

RECENT_ROUNDS = 4
WIDTH = 76


def move_list(match: Match, state: State, *, whole: bool) -> list[str]:
    """The plies, numbered from 1, under the userid and side of each seat; only the last rounds unless whole."""
    heads = [f"{match.player(seat).userid} ({state.side_name(seat)})" for seat in (1, 2)]
    tagged = (f"{played.notation}{' (Auto)' if played.auto else ''}" for played in match.record)
    moves = [f"{ply:3} {notation}" for ply, notation in enumerate(tagged, 1)]
    if len(moves) % 2:
        moves.append("")
    first = 0 if whole else max(0, len(moves) - 2 * RECENT_ROUNDS)
    rounds = [(moves[index], moves[index + 1]) for index in range(first, len(moves), 2)]
    left = max([len(heads[0]) + 4, *(len(odd) for odd, _ in rounds)])
    if left + 4 + max([len(heads[1]) + 4, *(len(even) for _, even in rounds)]) > WIDTH:
        return [f"{heads[0]}, {heads[1]}", *(move for pair in rounds for move in pair if move)]
    rows = [(f"    {heads[0]}", f"    {heads[1]}"), *rounds]
    return [f"{odd:{left}}    {even}".rstrip() for odd, even in rows]
