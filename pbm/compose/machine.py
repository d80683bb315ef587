"""A board for programs: one JSON object, in the format described by templates/board.schema.json.

Like all mails of a board, it contains a secret: the address that identifies the reader.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from games.rules import Detailed
from games.scene import GridBoard, HexBoard, PlaneBoard, Scene
from pbm.compose.notices import Notice
from pbm.domain.match import Match, State
from pbm.domain.spans import SECOND

FORMAT = 2
MAX_MOVES = 600
"""How many moves are listed; some games have many more."""
MAX_DETAILS = 18_000
"""The most characters of a game's own details."""


def board(match: Match, state: State, scene: Scene, moves: Sequence[str]) -> str:
    """The match as it stands, the same for all readers: lines of an object, without the braces. `turn` is null once the
    match is over.

    moves: the legal moves, up to MAX_MOVES; moves_cut says whether there are more. A game with too many kinds of moves
    describes them in its details instead.
    """
    over, offer = match.result is not None, match.offer
    details = _within(state.game.details(state.position)) if isinstance(state.game, Detailed) else {}
    listed = [] if over or "turn" in details else moves
    return _lines({
        "board": match.board,
        "game": match.game,
        "version": match.version,
        "options": match.options,
        "body": match.body or None,
        "rated": match.rated,
        "players": [{"userid": match.player(seat).userid, "side": state.side_name(seat)} for seat in (1, 2)],
        "record": [{"seat": ply.seat, "move": ply.notation} for ply in match.record],
        "position": _summary(scene),
        "details": details,
        "turn": None if over else {"seat": state.to_move, "ply": state.plies + 1, "revision": match.revision},
        "offers": [{"kind": offer.kind.value, "seat": offer.seat}] if offer is not None else [],
        "clock": _clock(match),
        "moves": listed,
        "moves_cut": len(listed) >= MAX_MOVES or ("turn" in details and not over),
        "result": match.result._asdict() if match.result is not None else None,
    })  # fmt: skip


def _within(details: Mapping[str, Any]) -> dict[str, Any]:
    """The details; entries that would make them too long are left out, and their names listed as "cut"."""
    lengths = {name: len(_written(value)) for name, value in details.items()}
    cut: list[str] = []
    for name in sorted(lengths, key=lengths.__getitem__, reverse=True):
        # The longest first, so that as many as possible stay.
        if sum(lengths.values()) > MAX_DETAILS:
            cut.append(name)
            del lengths[name]
    kept = {name: value for name, value in details.items() if name in lengths}
    return {**kept, "cut": cut} if cut else kept


def addressed(shared: str, notice: Notice, answer_to: str, *, asked: bool) -> str:
    """The object for one reader. shared: from `board`. answer_to: the address that identifies the reader."""
    error = notice.problem
    own = _lines({
        "format": FORMAT,
        "you": {"seat": notice.reader.seat, "answer_to": answer_to or None},
        "why": "refused" if error else "asked" if asked else "event",
        "events": [type(event).__name__ for event in notice.events],
        "comments": [{"from": comment.userid, "text": comment.text} for comment in notice.comments],
        "error": {"sentence": error, "candidates": notice.nearby} if error else None,
    })  # fmt: skip
    return f"{{\n{own},\n{shared}\n}}\n"


_written = json.JSONEncoder(separators=(",\n", ": ")).encode
# With each item on its own line a mail need not be encoded.


def _lines(data: Mapping[str, Any]) -> str:
    """An object without its braces."""
    return _written(data)[1:-1]


def _summary(scene: Scene) -> dict[str, Any]:
    board = _of_plane(scene.board) if isinstance(scene.board, PlaneBoard) else _of_cells(scene.board)
    return {**board, "notes": scene.notes}


def _of_plane(board: PlaneBoard) -> dict[str, Any]:
    """The segments by colour, and the current point."""
    drawn = defaultdict[str, list[str]](list)
    for segment in board.segments:
        # A ghost is no part of the position.
        if segment.label and not segment.gone:
            drawn[segment.stroke.value].append(segment.label)
    here = next((point.name or point.label for point in board.points if point.here), None)
    return {"segments": drawn, "here": here}


def _of_cells(board: GridBoard | HexBoard) -> dict[str, Any]:
    """The cells of pieces by letter, and those of the last move."""
    named, placed = [cell for cell in board.cells if cell.name], defaultdict[str, list[str]](list)
    for cell in named:
        if cell.piece:
            placed[cell.piece].append(cell.name)
    return {"pieces": placed, "last": [cell.name for cell in named if cell.last]}


def _clock(match: Match) -> dict[str, Any] | None:
    """The clock, or null. seconds_left: for each seat at `since`; only the seat to move has less by now.

    deadline: when the time of the seat to move runs out if no clock is stopped before; null for never.
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
