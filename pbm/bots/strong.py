"""An extra: the highest level thinks with OpenSpiel's search, which is in C++, where that is no weaker than its own.

`pip install "pbm-server[strong]"` installs it; without it, or for boards that OpenSpiel does not have, the robots'
own search is used.
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Sequence
from time import monotonic, process_time
from typing import Any, NamedTuple

from games import AnyGame
from pbm.bots.choose import Decision

MEMORY_MB = 500  # the process that thinks has four times as much
"""What the search may keep."""
MOST_VISITS = 2_000_000
TICK = 0.001
"""Seconds that no measured time is shorter than."""
TRIED = 500
"""Visits of the first search, by which the next one is measured."""
GROWTH = 8
"""How many times as long the next one is, until the last takes what is left, most of the time."""
EXPLORE = 1.4


class SpielBoard(NamedTuple):
    """A board as OpenSpiel has it.

    ours: our notation for one of its moves. apart: a pattern of what stands in our notation between the parts of a move
    that are moves of their own there; empty if a move is one there, too.
    """

    spiel: str
    ours: Callable[[str], str]
    apart: str = ""

    def parts(self, notation: str) -> list[str]:
        return re.split(self.apart, notation) if self.apart else [notation]


def board_of(game: AnyGame, options: Any) -> SpielBoard | None:
    """None if OpenSpiel is not installed, or does not have the board, or if robots play better by themselves there."""
    described = _DESCRIBED.get(game.info.name)
    # It has Four in a Row on the usual board only.
    is_unusual = game.info.name == "four" and options != game.options(())
    return described(options) if described is not None and not is_unusual and is_installed() else None


def is_installed() -> bool:
    return importlib.util.find_spec("pyspiel") is not None


_DESCRIBED: dict[str, Callable[[Any], SpielBoard]] = {
    "four": lambda options: SpielBoard("connect_four", lambda text: "abcdefg"[int(text[1:])]),
    "hex": lambda options: SpielBoard(f"hex(board_size={options.number('size')})", str),
    # The triangle stands on its point there.
    "y": lambda options: SpielBoard(
        f"y(board_size={options.number('size')})",
        lambda text: f"{text[0]}{options.number('size') + 1 - int(text[1:])}",
    ),
    "clobber": lambda options: SpielBoard(
        f"clobber(rows={options.number('rows')},columns={options.number('columns')})",
        lambda text: re.sub("(?<=[0-9])(?=[a-z])", "-", text),  # a10a9: a10-a9
    ),
    # Letters name slanting lines there, and numbers rows.
    "havannah": lambda options: SpielBoard(
        f"havannah(board_size={options.number('size')})",
        lambda text: f"{chr(64 + int(text[1:]))}{ord(text[0]) - 96}",
    ),
}


def reached(board: SpielBoard, played: Sequence[str]) -> Any:
    """OpenSpiel's position after the plies, which are in canonical notation."""
    import pyspiel  # an extra

    state = pyspiel.load_game(board.spiel).new_initial_state()
    for notation in played:
        for part in board.parts(notation):
            state.apply_action(next(a for a in state.legal_actions() if board.ours(state.action_to_string(a)) == part))
    return state


def decision(
    game: AnyGame, pos: Any, board: SpielBoard, state: Any, seconds: float, patience: float, seed: int
) -> Decision:
    """The move for a position. state: the same position there, which is left behind the move.

    seconds: of processor time; patience: by the clock.
    """
    import pyspiel  # an extra

    def searched(visits: int) -> Any:
        judge = pyspiel.RandomRolloutEvaluator(1, seed)
        search = pyspiel.MCTSBot(state.get_game(), judge, EXPLORE, visits, MEMORY_MB, True, seed, False)
        return search.mcts_search(state).best_child()

    mover, parts = state.current_player(), list[str]()
    # each part is searched for by itself, as the parts before it have been chosen by then
    count = len(board.parts(game.notate(pos, next(iter(game.moves(pos))))))
    while state.current_player() == mover:
        best = longest(searched, seconds / count, patience / count)
        parts.append(board.ours(state.action_to_string(best.action)))
        state.apply_action(best.action)
    move = game.parse(pos, " ".join(parts))
    if best.outcome:  # it is proved
        return Decision(move, best.outcome[mover], (move,), exact=True)
    return Decision(move, best.total_reward / max(1, best.explore_count), (move,), exact=False)


def longest(
    searched: Callable[[int], Any],
    seconds: float,
    patience: float,
    clock: Callable[[], tuple[float, float]] = lambda: (process_time(), monotonic()),
) -> Any:
    """What the longest search finds that the time allows. clock: processor time and the time of day."""
    # The search itself counts only visits (given a time, it ignores it), so how many it may make is known from how long
    # a shorter one takes. One of a few milliseconds says little on a busy machine, which lends every process a moment:
    # they grow until the last but one has taken a part of the time that can be relied on.
    begun, visits = clock(), TRIED
    while True:
        before = clock()
        best = searched(visits)
        now = clock()
        left = min(
            (limit - (end - start)) / (end - last + TICK)
            for limit, start, last, end in zip((seconds, patience), begun, before, now, strict=True)
        )
        if left < 1 or visits >= MOST_VISITS or best.outcome:
            return best
        visits = min(MOST_VISITS, round(visits * (GROWTH if left > 2 * GROWTH else left)))
        if left <= 2 * GROWTH:
            return searched(visits)
