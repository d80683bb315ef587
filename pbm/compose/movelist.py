"""The record of a match as columns of text: one per seat, each ply under who played it; a queued one is tagged."""

from __future__ import annotations

from collections.abc import Iterator

from pbm.domain.match import Match, State

RECENT_ROUNDS = 4
WIDTH = 76


def move_list(match: Match, state: State, *, whole: bool) -> list[str]:
    """The plies, numbered from 1, under the userid and side of each seat; only the last rounds unless whole."""
    heads = [f"{match.player(seat).userid} ({state.side_name(seat)})" for seat in (1, 2)]
    rounds = list(_rounds(match))
    rounds = rounds if whole else rounds[-RECENT_ROUNDS:]
    left = max([len(heads[0]) + 4, *(len(odd) for odd, _ in rounds)])
    if left + 4 + max([len(heads[1]) + 4, *(len(even) for _, even in rounds)]) > WIDTH:
        return [f"{heads[0]}, {heads[1]}", *(move for pair in rounds for move in pair if move)]
    rows = [(f"    {heads[0]}", f"    {heads[1]}"), *rounds]
    return [f"{odd:{left}}    {even}".rstrip() for odd, even in rows]


def _rounds(match: Match) -> Iterator[tuple[str, str]]:
    """Plies side by side: one of the first seat and what the second answered; one of them empty where a seat moves
    twice in a row, or the second begins.
    """
    waiting = ""
    for number, ply in enumerate(match.record, 1):
        told = f"{number:3} {ply.notation}{' (Auto)' if ply.auto else ''}"
        if ply.seat == 2:
            yield waiting, told
            waiting = ""
            continue
        if waiting:
            yield waiting, ""
        waiting = told
    if waiting:
        yield waiting, ""
