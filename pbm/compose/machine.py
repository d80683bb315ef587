"""A board for programs: one JSON object, with neither addresses nor tokens in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from games.scene import PlaneBoard, Scene
from pbm.domain.durations import SECOND
from pbm.domain.match import Match, State

FORMAT = 1
ITEMS_IN_A_LINE = 12
MAX_MOVES = 600
"""Moves that are listed; some games have many more."""


def board(match: Match, state: State, scene: Scene, moves: Sequence[str]) -> str:
    """The match as it stands, in a few lines. Seats are 1 and 2; `turn` is null once the match is over.

    moves: as many as the game lists; moves_cut tells that there were too many for a mail.
    """
    over = match.result is not None
    listed = [] if over else moves
    data: dict[str, Any] = {
        "format": FORMAT,
        "board": match.board,
        "game": match.game,
        "version": match.version,
        "options": match.options,
        "body": match.body or None,
        "players": [{"userid": match.player(seat).userid, "side": state.side_name(seat)} for seat in (1, 2)],
        "record": [{"seat": ply.seat, "move": ply.notation} for ply in match.record],
        "position": _summary(scene),
        "turn": None if over else {"seat": state.to_move, "ply": state.plies + 1, "revision": match.revision},
        "clock": _clock(match),
        "moves": listed,
        "moves_cut": len(listed) >= MAX_MOVES,
        "result": _result(match),
    }
    return "{\n" + ",\n".join(f'"{name}": {_value(value)}' for name, value in data.items()) + "\n}\n"


_json = json.JSONEncoder().encode


def _value(value: Any) -> str:
    """On one line, or a list with so many items in a line that it needs no encoding in a mail."""
    if not isinstance(value, list | tuple):
        return _json(value)
    rows = [_json(row)[1:-1] for row in _batched(value, ITEMS_IN_A_LINE)]
    return "[" + ",\n".join(rows) + "]"


def _batched(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]


def _summary(scene: Scene) -> dict[str, Any]:
    """What stands where: pieces by their letters, or segments by their colours."""
    board = scene.board
    placed: dict[str, list[str]] = {}
    if isinstance(board, PlaneBoard):
        for segment in board.segments:
            if segment.label and not segment.gone:
                placed.setdefault(segment.stroke.value, []).append(segment.label)
        here = next((point.name or point.label for point in board.points if point.here), None)
        return {"segments": placed, "here": here, "notes": scene.notes}
    for cell in board.cells:
        if cell.piece and cell.name:
            placed.setdefault(cell.piece, []).append(cell.name)
    last = [cell.name for cell in board.cells if cell.last and cell.name]
    return {"pieces": placed, "last": last, "notes": scene.notes}


def _clock(match: Match) -> dict[str, Any] | None:
    """Null where there is none. seconds_left: of each seat as they stood at `since`; only the one to move has less now.

    deadline: when that has run out, if nothing stops the clock; null for never.
    """
    clock = match.clock
    if clock is None:
        return None
    return {
        "control": str(match.control),
        "seconds_left": [left // SECOND for left in clock.left] if match.control.timed else None,
        "since": clock.since.isoformat(),
        "deadline": clock.deadline_at.isoformat() if clock.deadline_at else None,
        "paused": clock.paused,
        "time_up": clock.overrun_at is not None,
    }


def _result(match: Match) -> dict[str, Any] | None:
    result = match.result
    if result is None:
        return None
    return {"ending": result.ending.value, "winner": result.winner, "reason": result.reason, "scores": result.scores}
