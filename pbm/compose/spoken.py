"""What is said of a position besides its board in words: changes, threats, and legal moves.

Together they are complete: a program can play from them, and a test does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from games.rules import Detailed, Stepwise, Threatening, notations
from games.scene import GridBoard, HexBoard, Look, PlaneBoard, Scene
from pbm.domain.match import State
from pbm.domain.sgf import PASS
from pbm.draw import words

MOST, MOST_LISTED = 150, 400
"""How many moves are listed one by one (of more, only their beginnings are); and how many are considered."""


def first(state: State, scene: Scene) -> list[str]:
    """The changes of the last ply, the threats of the other side, and who is to move."""
    sentences = _changed(state, scene)
    if state.outcome is not None:
        return sentences
    if isinstance(state.game, Threatening):
        sentences += state.game.threats(state.position)
    return [*sentences, f"{state.side_name(state.to_move)} is to move."]


def _changed(state: State, scene: Scene) -> list[str]:
    # At the start nothing has changed, and by a swap or a pass only whose turn it is.
    if state.before is None or state.before == state.position:
        return []
    before, sides = state.game.scene(state.before, None).board, state.game.sides(state.options)
    if isinstance(scene.board, PlaneBoard) or isinstance(before, PlaneBoard):
        changes = words.changed_segments(scene.board) if isinstance(scene.board, PlaneBoard) else []
    else:
        drawn = [f"{join.name} drawn" for join in scene.board.joins if join.last and join.name]
        changes = [*drawn, *words.changes(before, scene.board, sides)]
    return [f"What has changed: {'; '.join(changes)}."] if changes else []


def last(state: State, scene: Scene) -> list[str]:
    """The legal moves, if neither the board nor its lists show them."""
    if state.outcome is not None or isinstance(state.game, Detailed) or isinstance(scene.board, PlaneBoard):
        return []
    # Lines that may be drawn are named with the board.
    is_told = any(join.look is Look.OPEN and join.name for join in scene.board.joins)
    return [] if is_told else list(_playable(state, scene.board))


def _playable(state: State, board: HexBoard | GridBoard) -> Iterator[str]:
    mover = state.side_name(state.to_move)
    moves = notations(state.game, state.position, MOST_LISTED)
    places = [move for move in moves if move != PASS]
    free = [cell.name for cell in board.cells if cell.name and not cell.piece and not cell.closed]
    where = _where(state, places, free)
    if where:
        yield f"{mover} may {where}."
    if len(places) < len(moves):
        yield f"{mover} may pass."
    if state.may_swap:
        yield f"{mover} may swap sides."


def _where(state: State, places: Sequence[str], free: Sequence[str]) -> str:
    """What a side may do, apart from passing; empty for moves that are too many to tell. free: the free cells."""
    allowed = set(places)
    forbidden = [name for name in free if name not in allowed]
    # A list of a hundred cells is no help to somebody who hears it; the exceptions are.
    if allowed.issubset(free) and len(forbidden) < len(places):
        but = f", but not on {', '.join(forbidden)}" if forbidden else ""
        return f"play wherever it is free{but}"
    if len(places) <= MOST:
        return f"play: {', '.join(places)}"
    if isinstance(state.game, Stepwise):
        return f"move from: {', '.join(state.game.beginnings(state.position))}"
    return ""
