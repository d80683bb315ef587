"""The plies of a match in two columns, as mails, exports and `pbm board show` list them."""

from __future__ import annotations

from pbm.domain.match import Match, State
from pbm.draw import WIDTH_OF_WORDS

RECENT_ROUNDS = 4


def move_list(match: Match, state: State, *, whole: bool) -> list[str]:
    """The plies, numbered from 1, under the userid and side of each seat; only the last rounds unless whole; empty
    before the first ply.

    A round is a ply of the first seat and the second's answer; one of them is empty if a seat moves twice in a row, or
    if the second begins.
    """
    record = match.record
    if not record:
        return []
    heads = [f"{match.player(seat).userid} ({state.side_name(seat)})" for seat in (1, 2)]
    left_out = 0 if whole else max(0, len(record) - 2 * RECENT_ROUNDS)
    plies = list[str]()
    for number, ply in enumerate(record[left_out:], left_out + 1):
        # A seat may move twice in a row, and the second one may begin.
        if ply.seat != 1 + len(plies) % 2:
            plies.append("")
        plies.append(f"{number:3} {ply.notation}{' (Auto)' if ply.auto else ''}")
    if len(plies) % 2:
        plies.append("")
    if not whole:
        plies = plies[-2 * RECENT_ROUNDS :]
    above = ['Earlier plies are left out; "show" lists all.'] if sum(map(bool, plies)) < len(record) else []
    odd, even = [f"    {heads[0]}", *plies[::2]], [f"    {heads[1]}", *plies[1::2]]
    left = max(map(len, odd))
    # Moves of Luddit and Amazons are long, and columns that wrap cannot be read.
    if left + 4 + max(map(len, even)) > WIDTH_OF_WORDS:
        return [*above, f"{heads[0]}, {heads[1]}", *filter(None, plies)]
    return above + [f"{first.ljust(left)}    {second}".rstrip() for first, second in zip(odd, even, strict=True)]
