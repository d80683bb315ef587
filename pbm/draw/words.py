"""Boards in words, for people who listen to their mail: every place by name, with its content."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter

from games.scene import Cell, Form, GridBoard, HexBoard, Label, Look, PlaneBoard, Point, Segment, rows

FREE = "free"

Sides = tuple[str, ...]
"""The names of the sides, whose first letters are on their pieces; of the sides left out, the letters are told."""


def sentences(board: HexBoard | GridBoard | PlaneBoard, sides: Sides = ()) -> Iterator[str]:
    """Sentences that mention each place once, in rows from the top."""
    return _plane(board) if isinstance(board, PlaneBoard) else _cells(board, sides)


def _cells(board: HexBoard | GridBoard, sides: Sides) -> Iterator[str]:
    heads = _lettered(board.labels) if isinstance(board, HexBoard) else dict(enumerate(board.rows))
    if len(board.path) > 1:
        names = {cell.place: cell.name for cell in board.cells}
        yield f"The last move went from {' to '.join(names[place] for place in board.path)}."
    step = 2 if isinstance(board, HexBoard) else 1
    # In Dots and Boxes the points are all alike; what is told are the lines that players draw.
    if not _is_drawn_on(board):
        for number, row in rows(board.cells).items():
            named = [cell for cell in row if cell.name]
            if named:
                yield f"Row {heads.get(number, '')}: {_told(named, step, sides)}."
    if isinstance(board, GridBoard):
        yield from _marks(board, sides)


def _lettered(labels: tuple[Label, ...]) -> dict[int, str]:
    """The names of rows, by number."""
    return {label.place[0]: label.text for label in labels if label.down == 0}


def _is_drawn_on(board: HexBoard | GridBoard) -> bool:
    """Whether players draw joins, and no cell has a piece."""
    return any(join.name for join in board.joins) and not any(cell.piece for cell in board.cells)


def _told(row: Sequence[Cell], step: int, sides: Sides) -> str:
    """The named cells of a row, with equal neighbours together. step: columns between neighbours."""
    runs = []
    for state, run in groupby(row, key=lambda cell: _state(cell, sides)):
        first, *others = run
        # With a gap between them "a1 to a5" would tell too much.
        if others and others[-1].column - first.column == step * len(others):
            runs.append(f"{first.name} to {others[-1].name} {state}")
        else:
            runs.append(f"{', '.join(cell.name for cell in (first, *others))} {state}")
    return "; ".join(runs)


def changes(before: HexBoard | GridBoard, after: HexBoard | GridBoard, sides: Sides = ()) -> list[str]:
    """What moved, what left the board, and what came, those with the same change together.

    Such as "White from a2 to b3, where Black was", "Black gone from b2" and "d4, d5 White instead of Black".
    """
    old, new = _contents(before, sides), _contents(after, sides)
    changed = [(name, old.get(name, FREE), now) for name, now in new.items() if now != old.get(name, FREE)]
    clauses: list[str] = []
    moved = _moved(changed)
    if moved:
        (start, what, _), (end, then, _) = moved
        changed = [change for change in changed if change not in moved]
        clauses.append(f"{what} from {start} to {end}" + ("" if then == FREE else f", where {then} was"))
    # As in Reversi many stones may change alike.
    alike: dict[tuple[str, str], list[str]] = {}
    for name, then, now in changed:
        alike.setdefault((then, now), []).append(name)
    return clauses + [_change(", ".join(names), then, now) for (then, now), names in alike.items()]


def _contents(board: HexBoard | GridBoard, sides: Sides) -> dict[str, str]:
    """What is on each cell, by name; the copies beyond an edge have none."""
    return {cell.name: _content(cell, sides) for cell in board.cells if cell.name}


def _change(names: str, then: str, now: str) -> str:
    if now == FREE:
        return f"{then} gone from {names}"
    return f"{names} {now}" if then == FREE else f"{names} {now} instead of {then}"


Change = tuple[str, str, str]
"""A cell by name, what was there, and what is there now."""


def _moved(changed: Sequence[Change]) -> tuple[Change, Change] | None:
    """Where a piece left and where it came to, if exactly one of its kind left and one came."""
    left = [change for change in changed if change[2] == FREE]
    for start in left:
        came = [change for change in changed if change[2] == start[1]]
        # With two of a kind nobody could tell which went where, or whether one of them was taken.
        if len(came) == 1 and sum(change[1] == start[1] for change in left) == 1:
            return start, came[0]
    return None


def _content(cell: Cell, sides: Sides) -> str:
    piece = cell.piece and _side(cell.piece, sides)
    if cell.form is Form.STONE:
        return piece or ("closed" if cell.closed else FREE)
    # Arrows belong to nobody, whoever shot them.
    return f"{'' if cell.form is Form.ARROW else piece} {cell.form.value}".lstrip()


def _state(cell: Cell, sides: Sides) -> str:
    last, winning = ", the last move" if cell.last else "", ", winning" if cell.winning else ""
    return f"{_content(cell, sides)}{last}{winning}"


def _marks(board: GridBoard, sides: Sides) -> Iterator[str]:
    def called(row: int, column: int) -> str:
        return f"{board.columns[column]}{board.rows[row]}"

    for look, heading in ((Look.DRAWN, "Lines"), (Look.OPEN, "Lines that may be drawn")):
        joins = [
            (join.name or f"{called(*join.start)} to {called(*join.end)}") + (", the last move" if join.last else "")
            for join in board.joins
            if join.look is look
        ]
        if joins:
            yield f"{heading}: {'; '.join(joins)}."
    for owner, boxes in groupby(sorted(board.boxes, key=attrgetter("owner")), key=attrgetter("owner")):
        corners = [f"{called(box.row, box.column)} to {called(box.row + 1, box.column + 1)}" for box in boxes]
        yield f"Boxes that belong to {_side(owner, sides)}, by two of their corners: {'; '.join(corners)}."
    for mark in board.crossings:
        yield f"Lines cross at {called(mark.row, mark.column)}, which belongs to {_side(mark.owner, sides)}."


def _side(letter: str, sides: Sides) -> str:
    return next((side for side in sides if side.startswith(letter)), letter)


def _plane(board: PlaneBoard) -> Iterator[str]:
    """Sentences on points and segments with names; lists below the board explain the others."""
    points = _points(board)
    named = [(point.name or point.label, _role(point)) for point in board.points if point.name or point.label]
    plain = [name for name, role in named if not role]
    if plain:
        yield f"Points: {', '.join(plain)}."
    for name, role in named:
        if role:
            yield f"Point {name}{role}."
    yield from filter(None, (_segment(segment, points) for segment in board.segments))


def _points(board: PlaneBoard) -> dict[tuple[int, int], str]:
    """What is where, for segments whose ends have no names of their own."""
    return {(point.x, point.y): point.name or point.label for point in board.points}


def _role(point: Point) -> str:
    roles = ((point.here, "the next move starts here"), (point.target, "may be gone to"), (point.last, "the last move"))
    return "".join(f", {role}" for holds, role in roles if holds)


def changed_segments(board: PlaneBoard) -> list[str]:
    """The segments that the last move drew or removed."""
    points = _points(board)
    return [
        f"segment {line.label}{_between(line, points)} {'removed' if line.gone else f'drawn, {line.stroke}'}"
        for line in board.segments
        if line.gone or line.last
    ]


def _between(segment: Segment, points: dict[tuple[int, int], str]) -> str:
    places = points.get((segment.x1, segment.y1), ""), points.get((segment.x2, segment.y2), "")
    ends = segment.ends if all(segment.ends) else places
    return f" from {ends[0]} to {ends[1]}" if all(ends) else ""


def _segment(segment: Segment, points: dict[tuple[int, int], str]) -> str:
    """A sentence on a segment; empty if it has neither a label nor named ends, or was removed (notes mention that)."""
    between = _between(segment, points)
    if segment.gone or (not segment.label and not between):
        return ""
    kind, colour = ("Side", "") if segment.stroke == "outline" else ("Segment", f", {segment.stroke}")
    label = f" {segment.label}" if segment.label else ""
    last = ", the last move" if segment.last else ""
    return f"{kind}{label}{between}{colour}{last}."
