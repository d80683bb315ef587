"""The Vertex/Intersection Polygon Game, by Leroy Quet (2008).

Red and Blue draw segments in turn inside a convex polygon, each from the end of the one before to a vertex or to a
crossing of two segments. The side that draws the last segment wins; there are no draws. Source: the author's weblog.

Rulings. The vertex where ply 1 started may be reached once, other vertices only while no segment touches them. A
crossing is a target only while exactly two segments contain it, both in their inside; drawn segments may overlap along
a line, and then a third segment crosses both in one point, which is not a target. A point that is on the same polygon
edge or drawn segment as the current point is not a target. Passing is always possible, always loses, and is not among
the legal moves, so that a player without a move has none. A crossing is too fine if it is heavier than MAX_WEIGHT: a
vertex weighs 1, a crossing as much as the four ends of its two segments together. Version 1 measured the coordinates in
lowest terms instead, which differs only for points that were deliberately made fine.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, count, islice, pairwise

from games.polygon_geometry import Drawing, Place, Vertex, convex_polygon, own_polygon, polygon_in, regular_polygon
from games.rules import (
    YES_NO,
    BadNotation,
    IllegalMove,
    Info,
    Judging,
    Option,
    OptionError,
    OptionValues,
    Outcome,
    Side,
    fold,
    lettered,
)
from games.scene import Listing, PlaneBoard, Point, Scene, Segment, Stroke

SIDES = ("Red", "Blue")

GRID = 64
"""Steps of a drawing's grid per step of the polygon's coordinates, unmagnified."""

MAX_ZOOM = 10**1000
MAX_LISTED = 300
"""The most targets lettered and listed below a board; zooming lists others near a point."""

_PLACE = r"[a-z]|[0-9]{1,5} ?[x*] ?[0-9]{1,5}"
_MOVE = re.compile(rf"(?:from )?(?:({_PLACE})(?: ?(?:-+>?|>|,|;|/| to | ) ?)?)?(?:to )?({_PLACE})")


@dataclass(frozen=True, slots=True)
class Options:
    sides: int
    seed: int
    colours: str
    regular: bool = False
    own: str = ""
    """The challenger's lines, unchanged."""


@dataclass(frozen=True, slots=True)
class Move:
    """Where the segment ends; None is a pass."""

    end: Place | None
    start: int = 0  # later there is no choice
    """The vertex it starts from at ply 1; later 0."""


@dataclass(frozen=True, slots=True)
class Position:
    """places: where ply 1 started, then where each ply ended. drawing: their geometry; None before ply 1."""

    options: Options
    vertices: tuple[tuple[int, int], ...]
    places: tuple[Place, ...] = ()
    passed: bool = False
    drawing: Drawing | None = field(default=None, compare=False, repr=False)

    @property
    def ply(self) -> int:
        """The number of the next ply."""
        return max(1, len(self.places))


@lru_cache(maxsize=256)
def _corners(options: Options) -> tuple[tuple[int, int], ...]:
    """The vertices of a challenge's polygon. Raises: OptionError."""
    if options.own:
        return own_polygon(options.own)
    return regular_polygon(options.sides) if options.regular else convex_polygon(options.sides, options.seed)


def name(place: Place) -> str:
    """What a player types for a place: "F" or "3x7"."""
    return chr(ord("A") + place) if isinstance(place, int) else f"{place[0]}x{place[1]}"


class Polygon(Judging[Position, Move]):
    """The rules of the polygon game."""

    info = Info(
        name="polygon",
        title="Vertex/Intersection Polygon Game",
        version=2,
        kind="graphs and geometry",
        summary="connect vertices and crossings; draw last",
        source="Leroy Quet, 2008",
        options=(
            Option("sides", "sides of the polygon", 6, low=4, high=24, also=("n", "size")),
            Option("seed", "another shape of the polygon", 1, low=0, high=10**9),
            Option(
                "colours",
                "crossings one may go to, by the colours of the two segments",
                "different",
                choices=("different", "same", "any", "split"),
                synonyms=(("none", "any"),),
            ),
            Option("regular", "all sides equal", None, choices=YES_NO),
        ),
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        values = OptionValues(self.info.options, words)
        colours, regular = values.choice("colours"), "regular" in values.given and values.choice("regular") == "yes"
        if body.strip():
            values.leave_only("colours", "a polygon")
            return Options(len(own_polygon(body)), 0, colours, own=body)
        # There is only one regular polygon of a size; who names a seed expects another.
        if regular and "seed" in values.given:
            raise OptionError('"-seed" and "-regular" exclude each other: leave out one of them.')
        options = Options(values.number("sides"), values.number("seed"), colours, regular)
        _corners(options)  # refused now, and not at the first board, if it cannot be played on
        return options

    def board_in(self, lines: Sequence[str]) -> range:
        return polygon_in(lines)

    def sides(self, options: Options) -> tuple[str, str]:
        return SIDES

    def start(self, options: Options) -> Position:
        return Position(options, _corners(options))

    def to_move(self, pos: Position) -> Side:
        return Side.FIRST if (pos.ply + pos.passed) % 2 else Side.SECOND

    def moves(self, pos: Position) -> Iterator[Move]:
        """Every segment that may be drawn, vertices first; `pass` is not among them."""
        if pos.passed:
            return
        if pos.drawing is None:
            corners = range(pos.options.sides)
            yield from (Move(end, start) for start in corners for end in corners if not _beside(pos, start, end))
        else:
            yield from map(Move, _targets(pos, pos.drawing))

    def read(self, pos: Position, text: str) -> Move:
        words = fold(text)
        match = _MOVE.fullmatch(words)
        if words == "pass":
            return Move(None)
        if match is None:
            raise BadNotation(f'"{text[:40]}" is not a move. {self._usage(pos)}')
        if pos.drawing is None:
            # One end alone cannot be a first segment; "0x0" is no vertex.
            start, end = _read(match[1] or "0x0"), _read(match[2])
            if not isinstance(start, int) or not isinstance(end, int):
                raise BadNotation(f'"{text[:40]}" does not name two vertices. {self._usage(pos)}')
            return Move(end, start)
        # A start that is right is only more than needed.
        if match[1] and _read(match[1]) != pos.places[-1]:
            raise IllegalMove(f"Your segment starts at {name(pos.places[-1])}: write only where it ends.")
        return Move(_read(match[2]))

    def _usage(self, pos: Position) -> str:
        usage = "the two ends of the first segment" if pos.drawing is None else "where your segment ends"
        example = next((self.notate(pos, move) for move in self.moves(pos)), "pass")
        return f"Write {usage}, such as {example}."

    def check(self, pos: Position, move: Move) -> None:
        if move.end is None:
            return
        if pos.drawing is None:
            objection = _unknown(pos, move.start) or _unknown(pos, move.end) or _beside(pos, move.start, move.end)
        else:
            objection = _unknown(pos, move.end) or _objection(pos, pos.drawing, move.end)
        if objection:
            near = sorted(self.moves(pos), key=lambda other: _strangeness(move, other))
            raise IllegalMove(objection, [self.notate(pos, other) for other in near[:5]])

    def notate(self, pos: Position, move: Move) -> str:
        if move.end is None:
            return "pass"
        return name(move.end) if pos.drawing else f"{name(move.start)}-{name(move.end)}"

    def play(self, pos: Position, move: Move) -> Position:
        self.judge(pos, move)
        if move.end is None:
            return replace(pos, passed=True)
        drawing = _drawing(pos, move.start).extended(move.end)
        return Position(pos.options, pos.vertices, drawing.places, drawing=drawing)

    def outcome(self, pos: Position) -> Outcome | None:
        side = self.to_move(pos)
        if pos.passed:
            return Outcome(side, f"because {SIDES[side.other - 1]} passed")
        if next(self.moves(pos), None) is None:
            return Outcome(side.other, "by drawing the last segment")
        return None

    def scene(self, pos: Position, last: Move | None) -> Scene:
        targets = self._lettered(pos)
        board = _board(pos, last, _window(pos), dict(islice(targets.items(), MAX_LISTED)))
        return Scene(board, (self._turn(pos),), self._choice(pos, targets))

    def details(self, pos: Position) -> dict[str, object]:
        """The vertices, the segments and the current point; a segment's ends are vertices or crossings, by name."""
        ends = pairwise(name(place) for place in pos.places)
        return {
            "vertices": [{"name": name(corner), "x": x, "y": y} for corner, (x, y) in enumerate(pos.vertices)],
            "segments": [
                {"segment": number, "ends": list(pair), "side": SIDES[(number + 1) % 2]}
                for number, pair in enumerate(ends, 1)
            ],
            "here": name(pos.places[-1]) if pos.places else None,
        }

    def zoom(self, pos: Position, last: Move | None, point: str, factor: int) -> Scene:
        """As in Zoomable, around a vertex or a crossing; letters are those of the whole board."""
        place = _read(fold(point)) if re.fullmatch(_PLACE, fold(point)) else None
        if place is None:
            raise BadNotation(f'"{point[:40]}" is not a point. Write a vertex or a crossing, such as B or 3x7.')
        if objection := _unknown(pos, place):
            raise IllegalMove(objection)
        if not 1 <= factor <= MAX_ZOOM:
            raise IllegalMove("A board is magnified at least once and at most 10^1000 times.")
        window = _window(pos, place, factor)
        whole = self._lettered(pos)
        board = _board(pos, last, window, whole)
        seen = {shown.name for shown in board.points}
        targets = {target: code for target, code in whole.items() if name(target) in seen}
        notes = (f"Around {name(place)}, magnified {factor} times.", self._turn(pos))
        return Scene(board, notes, self._choice(pos, targets))

    def _lettered(self, pos: Position) -> dict[Place, str]:
        """The player's targets, with their marks on the board; at ply 1 all vertices."""
        if pos.passed:
            return {}
        if pos.drawing is None:
            return {corner: name(corner) for corner in range(pos.options.sides)}
        codes = map(lettered, count())
        return {
            place: name(place) if isinstance(place, int) else next(codes).lower()
            for place in _targets(pos, pos.drawing)
        }

    def _turn(self, pos: Position) -> str:
        if self.outcome(pos) is not None:
            return f"Segments drawn: {pos.ply - 1}."
        side = SIDES[self.to_move(pos) - 1]
        if pos.drawing is None:
            return f"{side} draws segment 1, from any vertex to one not next to it, as in A-C."
        return f"{side} draws segment {pos.ply}, from {name(pos.places[-1])}."

    def _choice(self, pos: Position, targets: dict[Place, str]) -> tuple[Listing, ...]:
        """A list of the marks on the board with their places, in as many columns as fit."""
        if pos.drawing is None or not targets:
            return ()
        heading = f"{SIDES[self.to_move(pos) - 1]} may go to (mark on the board, and what to write):"
        cells = [" ".join(dict.fromkeys((code, name(place)))) for place, code in islice(targets.items(), MAX_LISTED)]
        columns = min(len(cells), 76 // (max(map(len, cells)) + 2))
        cells += [""] * (-len(cells) % columns)
        rows = tuple(tuple(cells[start : start + columns]) for start in range(0, len(cells), columns))
        if len(targets) > MAX_LISTED:
            heading = f"The first {MAX_LISTED} of {len(targets)} points to go to (zoom shows those near a point):"
        return (Listing(heading, rows),)


def _targets(pos: Position, drawing: Drawing) -> Iterator[Place]:
    """Where the next segment may end."""
    places = chain[Place](range(pos.options.sides), drawing.crossings())
    yield from (place for place in places if not _objection(pos, drawing, place))


def _unknown(pos: Position, place: Place) -> str:
    """Why there is no such vertex or crossing; empty if there is."""
    drawn = pos.ply - 1
    if isinstance(place, int):
        last = pos.options.sides - 1
        return "" if place <= last else f"There is no vertex {name(place)}: they are A to {name(last)}."
    one, two = place
    if drawn == 0:
        return f"There is no {name(place)}: no segment is drawn yet."
    if not 1 <= one < two <= drawn:
        return f"There is no {name(place)}: it takes two different segments of the {drawn} drawn so far."
    if pos.drawing is None or one not in pos.drawing.rows[two - 1]:
        return f"Segments {one} and {two} do not cross."
    return ""


def _beside(pos: Position, start: Place, end: Place) -> str:
    """Why no segment is possible between two points by their places alone; empty if it is."""
    if start == end:
        return f"{name(end)} is where the segment starts: it must end elsewhere."
    around = pos.options.sides
    if isinstance(start, int) and isinstance(end, int) and (start - end) % around in (1, around - 1):
        return f"{name(start)} and {name(end)} are neighbours: the segment would lie on the polygon's edge."
    return ""


def _objection(pos: Position, drawing: Drawing, place: Place) -> str:
    """Why the next segment may not end at a vertex or a crossing; empty if it may. Legality is decided here."""
    here = drawing.places[-1]
    if objection := _beside(pos, here, place):
        return objection
    holding = drawing.holding(place)
    if along := drawing.here & holding:
        return f"Segment {min(along)} holds both {name(here)} and {name(place)}: the new one would lie on it."
    if isinstance(place, int):
        # The vertex where ply 1 began is touched by that segment only, and may be reached once more.
        if holding and (place != drawing.places[0] or len(holding) > 1):
            return f"{name(place)} is used up: segment {max(holding)} touches it."
        return ""
    if place in drawing.closed:
        return _closed(drawing, place)
    return _off_colour(pos, place) or ("" if drawing.drawable(place) else f"{name(place)} is too fine to be drawn.")


def _closed(drawing: Drawing, place: tuple[int, int]) -> str:
    if place in drawing.places:
        return f"{name(place)} is used up: segment {drawing.places.index(place)} ends there."
    return f"More than two segments meet in {name(place)}: only a crossing of two can be gone to."


def _off_colour(pos: Position, place: tuple[int, int]) -> str:
    """Why the colours of the crossing's segments are not allowed for the player to move; empty if they are."""
    colours = pos.options.colours
    if colours == "any":
        return ""
    # Odd plies are red and even ones blue.
    differ = (place[1] - place[0]) % 2
    # Split: the first side ends at the same colours only, the second at different ones.
    wanted = pos.ply % 2 == 0 if colours == "split" else colours == "different"
    if differ == wanted:
        return ""
    of = "different colours" if wanted else "the same colour"
    crossing = " and ".join(f"{ply} is {SIDES[1 - ply % 2].lower()}" for ply in place)
    return f"You may only go to crossings of {of}, but {crossing}."


def _read(words: str) -> Place:
    """The place that a text such as "f", "3x7" or "7 * 3" names."""
    if words.isalpha():
        return ord(words) - ord("a")
    one, two = sorted(int(number) for number in re.findall("[0-9]+", words))
    return one, two


def _strangeness(wrong: Move, other: Move) -> int:
    """How different two moves are: small if they end at close vertices, or at crossings of the same segment."""
    if isinstance(wrong.end, int) and isinstance(other.end, int):
        return abs(wrong.end - other.end) + abs(wrong.start - other.start)
    if isinstance(wrong.end, tuple) and isinstance(other.end, tuple):
        return len({*wrong.end} - {*other.end})
    return 100


@dataclass(frozen=True, slots=True)
class _Window:
    """The part of the plane that is shown: its lower left corner, its size, and the polygon's unit, in grid steps."""

    left: int
    bottom: int
    width: int
    height: int
    unit: int

    def places(self, floors: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        return [(x - self.left, y - self.bottom) for x, y in floors]

    def holds(self, x: int, y: int) -> bool:
        return 0 <= x <= self.width and 0 <= y <= self.height


def _window(pos: Position, centre: Place | None = None, factor: int = 1) -> _Window:
    """The window with the whole polygon, or one of the same size around a place, magnified."""
    columns, rows = zip(*pos.vertices, strict=True)
    left, bottom, unit = min(columns) * GRID, min(rows) * GRID, GRID * factor
    width, height = max(columns) * GRID - left, max(rows) * GRID - bottom
    if centre is None:
        return _Window(left, bottom, width, height, unit)
    (x, y), *_ = _drawing(pos).floors([centre], unit)
    return _Window(x - width // 2, y - height // 2, width, height, unit)


def _drawing(pos: Position, start: int = 0) -> Drawing:
    """The position's drawing; before ply 1 one without segments that starts at a vertex."""
    return pos.drawing or Drawing(tuple(Vertex(*corner) for corner in pos.vertices), start)


def _board(pos: Position, last: Move | None, window: _Window, targets: dict[Place, str]) -> PlaneBoard:
    """targets: the player's targets and their marks; places outside the window are left out."""
    here = pos.places[-1:]
    places: list[Place] = [
        *range(pos.options.sides),
        *(place for place in (*targets, *here) if isinstance(place, tuple)),
    ]
    spots, ends = (window.places(_drawing(pos).floors(some, window.unit)) for some in (places, pos.places))
    shown = {place: spot for place, spot in zip(places, spots, strict=True) if window.holds(*spot)}
    codes = dict(islice(((place, targets[place]) for place in shown if place in targets), MAX_LISTED))
    points = [
        Point(
            x,
            y,
            label=name(place) if isinstance(place, int) else codes.get(place, ""),
            name=name(place),
            here=place in here,
            target=place in targets,
        )
        for place, (x, y) in shown.items()
    ]
    sides, corners = pos.options.sides, (*spots[: pos.options.sides], spots[0])
    segments = [
        Segment(*start, *end, Stroke.OUTLINE, ends=(name(corner), name((corner + 1) % sides)))
        for corner, (start, end) in enumerate(pairwise(corners))
    ]
    segments += _drawn(pos.places, ends, marked=last is not None)
    return PlaneBoard(window.width, window.height, tuple(points), tuple(segments))


def _drawn(places: Sequence[Place], spots: Sequence[tuple[int, int]], *, marked: bool) -> Iterator[Segment]:
    """The segments of the plies. marked: whether the last one is to be seen as such."""
    for ply, (start, end) in enumerate(pairwise(spots), 1):
        stroke = Stroke.RED if ply % 2 else Stroke.BLUE
        is_last = marked and ply == len(spots) - 1
        yield Segment(*start, *end, stroke, str(ply), last=is_last, ends=(name(places[ply - 1]), name(places[ply])))
