"""CrossGeo, CrossGeoR-B and CrossGeoR-G-B, by Tahmina Begum (2020).

Red and Blue in turn pick an edge of a drawn graph, of their own colour or green; it is removed with all edges that
cross it, whatever their colour. A player who cannot pick loses, so there are no draws. Source: the Ludii portal's page
of the game.

Rulings. Edges cross if they meet in one point inside both; a common end, an end on the inside of another edge and
overlapping edges are not crossings. A challenger's own graph may have the colours its -version allows; an edge without
a colour is green, which `rb` does not allow; without -version the version follows from the colours. -board, -edges,
-points and -seed are refused with one's own graph, and so are -edges without -board=random, -points without
-board=complete, and -seed without one of these two; -fair alone means -board=random, too. A record without -seed has
seed 1; a new challenge without it is given a seed, so that its board is new. Random and complete boards have as many
red edges as blue ones; the rest are green, or red if green is not allowed. A fair board is a random one on which the
side that begins can win, and Red with at most three different picks (see games/crossgeo_solver.py).
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import groupby, islice

from games.boards import bits, union
from games.crossgeo_boards import (
    COLOURS,
    MAX_EDGES,
    Edges,
    Graph,
    built_in,
    complete_graph,
    graph_in,
    own_graph,
    random_graph,
)
from games.crossgeo_solver import MAX_FAIR, fair_graph, is_fair
from games.rules import (
    YES_NO,
    AmbiguousMove,
    BadNotation,
    IllegalMove,
    Info,
    Judging,
    Option,
    OptionError,
    OptionValues,
    Outcome,
    Side,
    counted,
    fold,
    joined,
    quoted,
)
from games.scene import Listing, PlaneBoard, Point, Scene, Segment, Stroke

PICKS = {Side.FIRST: "rg", Side.SECOND: "bg"}
"""The colours of the edges each side may pick."""

SIDES = ("Red", "Blue")
EDGES_A_ROW = 5
"""How many edges a row of a list has."""
SEEDS_TRIED = 3  # each stands for many random boards
"""How many seeds are tried for a fair board."""
MOST_NAMED, NAMED_IN_ALL = 24, 1600
"""The most edges named for one pick that removes many, and in a whole list of such picks; at least eight for each."""

_NUMBER = re.compile(r"(?:edge|number|no\.?)? ?#?([0-9]{1,6}) ?([rgb]?)")
_PAIR = re.compile(r"([A-Z]+) ?[-,;:/>& ]+ ?([A-Z]+)")

_USES = {
    "random": frozenset({"edges", "seed", "fair"}),
    "fair": frozenset({"edges", "seed"}),
    "complete": frozenset({"points", "seed"}),
}
"""The options that each kind of board uses, besides -version and -board."""
_MADE = {"random": ("edges", random_graph), "fair": ("edges", fair_graph), "complete": ("points", complete_graph)}
"""The option that tells the size of each kind of board, and the function that makes it."""

_STROKES = {"g": Stroke.GREEN, "r": Stroke.RED, "b": Stroke.BLUE}


@dataclass(frozen=True, slots=True)
class Options:
    """board: "1", "2", "3", "random", "fair", "complete" or "own"."""

    board: str
    version: str
    number: int = 0
    """The edges of a random or fair board, or the points of a complete one."""
    seed: int = 0
    own: str = ""
    """The challenger's lines, unchanged."""


@dataclass(frozen=True, slots=True)
class Position:
    """standing: the edges still there. taken: those removed by the last ply, only for showing them."""

    options: Options
    standing: Edges
    side: Side = Side.FIRST
    taken: Edges = field(default=0, compare=False)


@lru_cache(maxsize=256)
def graph(options: Options) -> Graph:
    """The board of a challenge."""
    if options.board == "own":
        return own_graph(options.own, options.version)
    if options.board in _MADE:
        _, make = _MADE[options.board]
        return make(options.number, options.seed, options.version)
    return built_in(options.board, options.version)


class CrossGeo(Judging[Position, int]):
    """The rules of CrossGeo. A move is the index of an edge: its number minus one."""

    info = Info(
        name="crossgeo",
        title="CrossGeo",
        kind="graphs and geometry",
        summary="remove an edge of a drawn graph and all that cross it; a player with none to pick loses",
        source="Tahmina Begum, 2020",
        options=(
            Option(
                "version",
                "colours of the edges",
                "g",
                choices=("g", "rb", "rgb"),
                also=("colours", "colors"),
                synonyms=(("none", "g"),),
            ),
            Option("board", "the graph", "1", choices=("1", "2", "3", "random", "fair", "complete")),
            Option("edges", "edges of a random board, at most 60 of a fair one", 35, low=1, high=MAX_EDGES),
            Option("points", "points of a complete board, all joined with all", 7, low=3, high=12, also=("n",)),
            Option("seed", "which random or complete board", None, low=0, high=10**12 - 1),
            Option("fair", "a fair board", "no", choices=YES_NO, stands_for="-board=fair"),
        ),
    )

    def options(self, words: Sequence[str], *, body: str = "") -> Options:
        values = OptionValues(self.info.options, words)
        if body.strip():
            return _own(values, body)
        board, version = values.choice("board"), values.choice("version")
        fair = values.choice("fair") == "yes"
        if fair and "board" not in values.given:
            board = "random"
        for name in sorted(values.given - {"version", "board"} - _USES.get(board, frozenset())):
            fitting = joined((f"-board={each}" for each, uses in _USES.items() if name in uses), "or")
            raise OptionError(f'"-{name}" means nothing with -board={board}: it goes with {fitting}.')
        if board not in _USES:
            return Options(board, version)
        number = values.number(_MADE[board][0])
        if fair:
            board = "fair"
        if board == "fair" and number > MAX_FAIR:
            raise OptionError(f'"-edges={number}" does not fit: a fair board has at most {MAX_FAIR} edges.')
        # Records from before each new match was given a seed of its own mean the first one.
        return Options(board, version, number, values.number("seed") if "seed" in values.given else 1)

    def board_in(self, lines: Sequence[str]) -> range:
        return graph_in(lines)

    def preset(self, words: Sequence[str], *, body: str = "", seed: int | None = None) -> list[str]:
        """The words with a seed; a random board becomes a fair one if possible. Raises: OptionError if a fair board
        is wanted and there is none.

        seed: the first one to try, if the words name none.
        """
        options, given = self.options(words, body=body), OptionValues(self.info.options, words).given
        if options.own:
            # Only a new graph is held to this: what records hold was accepted once, and must stay playable.
            own_graph(options.own, options.version, is_new=True)
        # "-fair=no" asks for a random board as it falls.
        may_be_fair = options.board == "random" and options.number <= MAX_FAIR and "fair" not in given
        tries = may_be_fair or options.board == "fair"
        if seed is not None and options.board in _USES and "seed" not in given:
            # Everybody who has played on the board of seed 1 would know it, and who wins there.
            words = _seeded(words, options, seed) if tries else [*words, f"-seed={seed}"]
            options = self.options(words)
        return _with_fair(words, options) if tries else list(words)

    def lopsided(self, options: Options) -> bool:
        """Whether one colour wins most such boards, whichever begins: two of three coloured ones, all built-in ones."""
        return options.version != "g" and options.board != "fair"

    def sides(self, options: Options) -> tuple[str, str]:
        return SIDES

    def start(self, options: Options) -> Position:
        return Position(options, (1 << len(graph(options).edges)) - 1)

    def to_move(self, pos: Position) -> Side:
        return pos.side

    def moves(self, pos: Position) -> Iterator[int]:
        yield from bits(_pickable(pos))

    def read(self, pos: Position, text: str) -> int:
        board, words = graph(pos.options), fold(text)
        match = _NUMBER.fullmatch(words)
        if match is None:
            return _by_ends(pos, text, words.upper())
        index = int(match[1]) - 1
        if not 0 <= index < len(board.edges):
            raise IllegalMove(f"{quoted(text)}: there is no edge {match[1]}. {_standing(pos)}", _near(pos, index))
        # Boards show edges as "17r"; a wrong letter means that another edge was looked at.
        if match[2] and match[2] != board.colours[index]:
            raise IllegalMove(
                f"{quoted(text)}: edge {index + 1} is {COLOURS[board.colours[index]]}.", _near(pos, index)
            )
        return index

    def check(self, pos: Position, index: int) -> None:
        if _pickable(pos) >> index & 1:
            return
        board = graph(pos.options)
        named = f"Edge {_named(board, index)}"
        if not pos.standing >> index & 1:
            raise IllegalMove(f"{named} is gone: an earlier turn removed it. {_standing(pos)}", _near(pos, index))
        raise IllegalMove(
            f"{named} is {COLOURS[board.colours[index]]}, and {SIDES[pos.side - 1]} picks only "
            f"{' or '.join(COLOURS[letter] for letter in PICKS[pos.side] if letter in board.colours)} edges: "
            f"{_ranges(_pickable(pos))}.",
            _near(pos, index),
        )

    def notate(self, pos: Position, move: int) -> str:
        return str(move + 1)

    def play(self, pos: Position, move: int) -> Position:
        self.judge(pos, move)
        taken = pos.standing & (1 << move | graph(pos.options).crossings[move])
        return Position(pos.options, pos.standing & ~taken, pos.side.other, taken)

    def outcome(self, pos: Position) -> Outcome | None:
        if _pickable(pos):
            return None
        # The source's "who removes the last one wins" is the same rule, and reads better where it holds.
        if not pos.standing:
            return Outcome(pos.side.other, "by removing the last edge")
        return Outcome(pos.side.other, f"because {SIDES[pos.side - 1]} has no edge left to pick")

    def scene(self, pos: Position, last: int | None) -> Scene:
        board, taken, start = graph(pos.options), 0 if last is None else pos.taken, _whole(pos.options)
        used = {end for index in bits(pos.standing) for end in board.edges[index]}
        shown = [
            segment if pos.standing >> index & 1 else replace(segment, gone=True)
            for index, segment in enumerate(start.segments)
            # What the last turn removed is still seen, as a ghost.
            if (pos.standing | taken) >> index & 1
        ]
        points = tuple(point for index, point in enumerate(start.points) if index in used)
        plane = replace(start, points=points, segments=tuple(shown), start=start)
        notes = [] if last is None else [_last_turn(pos, last)]
        return Scene(plane, (*notes, *_coinciding(plane)), _choice(pos))

    def details(self, pos: Position) -> dict[str, object]:
        """The points, the edges that still stand, and the pairs of them that cross."""
        board, standing = graph(pos.options), list(bits(pos.standing))
        pairs = ((one, two) for one in standing for two in bits(pos.standing & board.crossings[one]) if one < two)
        return {
            "points": [
                {"name": label, "x": x, "y": y} for label, (x, y) in zip(board.labels, board.vertices, strict=True)
            ],
            "edges": [
                {"edge": index + 1, "ends": board.ends(index).split("-"), "colour": COLOURS[board.colours[index]]}
                for index in standing
            ],
            "crossings": [[one + 1, two + 1] for one, two in pairs],
        }


@lru_cache(maxsize=256)
def _fair(options: Options) -> bool:
    """Whether the board found for a fair one is really fair; with very few edges there may be none."""
    return is_fair(graph(options))


def _seeded(words: Sequence[str], options: Options, seed: int) -> list[str]:
    """The words with the first of some seeds, from `seed` on, that gives a fair board. If none does, without one where
    a fair board is wanted, and otherwise with the first.
    """
    # The boards of each seed are solved while the challenger waits.
    for tried in range(seed, seed + SEEDS_TRIED):
        if _fair(replace(options, board="fair", seed=tried)):
            return [*words, f"-seed={tried}"]
    return [*words] if options.board == "fair" else [*words, f"-seed={seed}"]


def _with_fair(words: Sequence[str], options: Options) -> list[str]:
    """The words with a fair board in place of a random one, if it is. Raises: OptionError if a fair one is wanted and
    is not.
    """
    if _fair(replace(options, board="fair")):
        return ["-board=fair" if word == "-board=random" else word for word in words]
    if options.board == "fair":
        raise OptionError(
            f"There is no fair board of {counted(options.number, 'edge')} with -seed={options.seed}: "
            "take another -seed, or more edges."
        )
    return list(words)


def _own(values: OptionValues, body: str) -> Options:
    """The options of a challenger's own graph. Raises: OptionError."""
    values.leave_only("version", "a graph")
    version = values.choice("version") if "version" in values.given else None
    colours = set(own_graph(body, version).colours)
    # Red would lose before the first move.
    if not colours & set(PICKS[Side.FIRST]):
        raise OptionError("In your graph Red could not even begin: it has no edge that is red or green.")
    if version is None:
        # The record keeps the version, because it decides what a turn may pick.
        version = "g" if colours == {"g"} else "rgb" if "g" in colours else "rb"
    return Options("own", version, own=body)


def _pickable(pos: Position) -> Edges:
    return pos.standing & graph(pos.options).of_colours(PICKS[pos.side])


@lru_cache(maxsize=256)
def _whole(options: Options) -> PlaneBoard:
    """The board with all its edges."""
    board = graph(options)
    left, bottom = (min(spot[axis] for spot in board.vertices) for axis in (0, 1))
    return PlaneBoard(
        width=max(1, max(x for x, _ in board.vertices) - left),
        height=max(1, max(y for _, y in board.vertices) - bottom),
        points=tuple(
            Point(x - left, y - bottom, label) for label, (x, y) in zip(board.labels, board.vertices, strict=True)
        ),
        segments=tuple(
            Segment(
                x1 - left, y1 - bottom, x2 - left, y2 - bottom, _STROKES[board.colours[index]],
                label=_name(board, index), name=str(index + 1), ends=(board.labels[one], board.labels[two]),
            )
            for index, (((x1, y1), (x2, y2)), (one, two)) in enumerate(zip(board.lines, board.edges, strict=True))
        ),
    )  # fmt: skip


def _name(board: Graph, index: int) -> str:
    """The edge's number and, if colours differ, its letter, as drawn: "17" or "17r"."""
    return str(index + 1) + ("" if set(board.colours) == {"g"} else board.colours[index])


def _ranges(edges: Edges) -> str:
    """Numbers of edges in short form: "1-4, 7, 9-12"."""
    runs = [list(run) for _, run in groupby(enumerate(bits(edges)), lambda item: item[1] - item[0])]
    parts = [
        f"{run[0][1] + 1}-{run[-1][1] + 1}" if len(run) > 2 else ", ".join(str(i + 1) for _, i in run) for run in runs
    ]
    return ", ".join(parts)


def _standing(pos: Position) -> str:
    return f"Still standing: {_ranges(pos.standing)}." if pos.standing else "No edge stands any more."


def _numbers(edges: Iterable[int]) -> list[str]:
    return [str(index + 1) for index in edges]


def _named(board: Graph, index: int) -> str:
    """The edge by its number and its vertices: "17 (A-F)"."""
    return f"{index + 1} ({board.ends(index)})"


def _near(pos: Position, index: int) -> list[str]:
    """The five edges that may be picked whose numbers are nearest."""
    return _numbers(sorted(bits(_pickable(pos)), key=lambda other: abs(other - index))[:5])


def _by_ends(pos: Position, text: str, words: str) -> int:
    """The edge between two vertices, in any order. Raises: MoveError."""
    board = graph(pos.options)
    pairs = _pairs(words, board)
    edges = sorted({board.by_ends[pair] for pair in pairs if pair in board.by_ends})
    if len(edges) == 1:
        return edges[0]
    if edges:  # "ABC" is A-BC as well as AB-C, once there are more than 26 vertices
        named = " or ".join(_named(board, index) for index in edges)
        raise AmbiguousMove(f"{quoted(text)} may be edge {named}.", _numbers(edges))
    if pairs:
        ends = set().union(*pairs)
        there = [index for index in bits(pos.standing) if not ends.isdisjoint(board.ends(index).split("-"))]
        named = joined(_named(board, index) for index in there) or "none"
        picks = _numbers(bits(_pickable(pos) & union(there)))
        raise IllegalMove(f"{quoted(text)}: no edge joins these vertices. Edges that stand at them: {named}.", picks)
    example = next(bits(_pickable(pos)), 0)
    raise BadNotation(
        f"{quoted(text)} is not an edge. Write its number or its two vertices, "
        f"such as {example + 1} or {board.ends(example)}; vertices are A to {board.labels[-1]}."
    )


def _pairs(words: str, board: Graph) -> list[frozenset[str]]:
    """The pairs of different vertices the words may mean: "A-F", or run together as "AF"."""
    if match := _PAIR.fullmatch(words):
        splits = [(match[1], match[2])]
    else:
        # At most 400 vertices have at most two letters each, so a long text has no further places to cut.
        splits = [(words[:cut], words[cut:]) for cut in range(1, min(len(words), 7))]
    return [frozenset(pair) for pair in splits if pair[0] != pair[1] and all(end in board.labels for end in pair)]


def _last_turn(pos: Position, last: int) -> str:
    board = graph(pos.options)
    names = [_name(board, index) for index in range(len(board.edges))]
    others = pos.taken & ~(1 << last)
    fell = f"; {_some(names, others)} fell with it" if others else ""
    return f"{SIDES[pos.side.other - 1]} removed {_name(board, last)} ({board.ends(last)}){fell}."


def _coinciding(plane: PlaneBoard) -> list[str]:
    """A sentence on vertices that share a point, so that their edges are not confused."""
    labels: dict[tuple[int, int], list[str]] = {}
    for point in plane.points:
        labels.setdefault((point.x, point.y), []).append(point.label)
    shared = [joined(each) for each in labels.values() if len(each) > 1]
    return [f"Different vertices on one point: {'; '.join(shared)}."] if shared else []


def _some(names: Sequence[str], edges: Edges, most: int = MOST_NAMED) -> str:
    """The names of a set of edges; of very many, the later ones are only counted."""
    more = edges.bit_count() - most
    shown = [names[index] for index in islice(bits(edges), most if more > 1 else None)]
    return joined([*shown, f"{more} more"] if more > 1 else shown)


def _choice(pos: Position) -> tuple[Listing, ...]:
    """The edges the player to move may pick: those that remove others, and those that do not."""
    board, who = graph(pos.options), SIDES[pos.side - 1]
    rows: list[tuple[str, ...]] = []
    alone: list[str] = []
    names = [_name(board, index) for index in range(len(board.edges))]
    most = max(8, min(MOST_NAMED, NAMED_IN_ALL // max(1, pos.standing.bit_count())))
    for index in bits(_pickable(pos)):
        fall = board.crossings[index] & pos.standing
        if not fall:
            alone.append(f"{names[index]} {board.ends(index)}")
            continue
        first, *more = textwrap.wrap(f"takes {_some(names, fall, most)} with it", 56)
        rows.append((names[index], board.ends(index), first))
        rows += [("", "", words) for words in more]
    padded = alone + [""] * (-len(alone) % EDGES_A_ROW)
    lone = [tuple(padded[at : at + EDGES_A_ROW]) for at in range(0, len(padded), EDGES_A_ROW)]
    lists = (
        Listing(f"{who} may pick:", tuple(rows)),
        Listing(f"{who} may pick, and nothing falls with it:", tuple(lone)),
    )
    return tuple(listing for listing in lists if listing.rows)
