"""A game as pages to be replayed: one, or several where it is too long for a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from games import GAMES
from games.scene import PlaneBoard
from pbm.domain.match import State
from pbm.draw.svg import Board, replay
from pbm.store.archive import Finished

MOST_CHARACTERS = 88_000
"""Of a drawing and its list of moves, so that a page stays below 100 kB."""
MOST_SEGMENTS = 20_000
"""Of the boards in the plane that are laid out together, counted at each of them: some seconds of work."""
FEW = 30
"""Characters of markup that each move of the list takes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A position: its number, the move that led to it, and who made it; for the first one the move is empty."""

    ply: int
    notation: str
    seat: int


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some positions of a game, and their drawing. The first is the last one of the part before."""

    steps: Sequence[Frame]
    svg: str


@dataclass(frozen=True, slots=True)
class Replay:
    """A game in parts. sides: the name of each seat's side at the end."""

    parts: tuple[Stretch, ...]
    sides: tuple[str, str]


def replayed(finished: Finished, record: Sequence[str]) -> Replay:
    """Raises: GameError, Rejected for a record that is not sound."""
    state = State.start(GAMES[finished.game], finished.options, finished.body)
    boards, steps = [_seen(state)], [Frame(0, "", 0)]
    for notation in record:
        seat = state.to_move
        state, canonical = state.play(notation)
        boards.append(_seen(state))
        steps.append(Frame(state.plies, canonical, seat))
    return Replay(tuple(_parts(boards, steps)), (state.side_name(1), state.side_name(2)))


def _seen(state: State) -> Board:
    return state.game.scene(state.position, state.last).board


def _parts(boards: Sequence[Board], steps: Sequence[Frame]) -> Iterator[Stretch]:
    """As few as are needed, cut in halves."""
    first, last, is_short = steps[0].ply, steps[-1].ply, len(steps) < 3
    if is_short or sum(len(board.segments) for board in boards if isinstance(board, PlaneBoard)) <= MOST_SEGMENTS:
        svg = replay(boards, f"The board after each of the moves {first} to {last}", first)
        if is_short or len(svg) + sum(FEW + 2 * len(step.notation) for step in steps) <= MOST_CHARACTERS:
            yield Stretch(steps, svg)
            return
    middle = len(steps) // 2
    yield from _parts(boards[: middle + 1], steps[: middle + 1])
    yield from _parts(boards[middle:], steps[middle:])
