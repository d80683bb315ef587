"""Boards told in other ways than plain characters: nothing is lost, and nothing is told twice."""

from __future__ import annotations

import random
import re
from itertools import islice, pairwise

import pytest

from games import GAMES
from games.scene import (
    Box,
    Cell,
    Crossing,
    Form,
    GridBoard,
    HexBoard,
    Join,
    Label,
    Look,
    PlaneBoard,
    Point,
    Scene,
    Segment,
    Stroke,
)
from pbm import draw
from pbm.domain.match import State


def played(name: str, plies: int = 5) -> Scene:
    """A board after some moves."""
    state = State.start(GAMES[name], [])
    for ply in range(plies):
        moves = list(islice(state.game.moves(state.position), 30))
        state, _ = state.play(state.game.notate(state.position, moves[7 * (ply + 1) % len(moves)]))
        if state.outcome is not None:
            break
    return state.game.scene(state.position, state.last)


@pytest.mark.parametrize("name", GAMES)
def test_other_characters_stand_where_the_plain_ones_do(name: str) -> None:
    plain, nicer = (draw.text(played(name), style).splitlines() for style in ("ascii", "unicode"))
    assert [len(line) for line in plain] == [len(line) for line in nicer]
    assert plain != nicer
    assert "\n".join(plain).isascii()
    for before, after in zip(plain, nicer, strict=True):
        assert re.findall(r"[A-Z]?\d+", before) == re.findall(r"[A-Z]?\d+", after), "a label is never replaced"


@pytest.mark.parametrize("name", GAMES)
def test_words_fit_into_a_mail_and_keep_the_lists(name: str) -> None:
    scene = played(name)
    told = draw.text(scene, "words")
    assert max(map(len, told.splitlines())) <= 78
    assert told.isascii()
    for listing in scene.lists:
        assert listing.heading in told


def test_every_cell_is_told_once_with_what_is_on_it() -> None:
    cells = (
        Cell(0, 0, "A1"),
        Cell(0, 2, "A2"),
        Cell(0, 4, "A3", "X", last=True),
        Cell(1, -1, "B1", "O", winning=True),
        Cell(1, 1, "B2", closed=True),
        Cell(1, 3, "", "O", faint=True),
    )
    labels = (Label("A", (0, 0), 0, -2), Label("1", (0, 0), -1, 1), Label("B", (1, 1), 0, 2))
    assert draw.text(Scene(HexBoard(cells, labels)), "words") == (
        "Row A: A1 to A2 free; A3 X, the last move.\nRow B: B1 O, winning; B2 closed.\n"
    )


def test_joins_and_crossings_are_told_by_the_cells_they_meet() -> None:
    cells = tuple(Cell(row, column, f"{'AB'[column]}{row + 1}") for row in (0, 1) for column in (0, 1))
    board = GridBoard(("A", "B"), ("1", "2"), cells, (Join((0, 0), (0, 1)),), (Crossing(1, 1, "P"),))
    told = draw.text(Scene(board), "words")
    assert "Lines: A1 to B1." in told
    assert "Lines cross at B2, which belongs to P." in told


def test_points_that_are_missing_are_not_told_to_be_there() -> None:
    cells = (Cell(0, 0, "a2", "W", form=Form.QUEEN, last=True), Cell(0, 2, "c2"), Cell(1, 0, "a1"), Cell(1, 1, "b1"))
    joins = (Join((0, 0), (1, 0), Look.OPEN, "a1-a2"), Join((1, 0), (1, 1), Look.GROUND))
    board = GridBoard(("a", "b", "c"), ("2", "1"), cells, joins, boxes=(Box(0, 0, "F"),), path=((1, 0), (0, 0)))
    assert draw.text(Scene(board), "words").splitlines() == [
        "Row 2: a2 W queen, the last move; c2 free.",
        "Row 1: a1 to b1 free.",
        "The last move went from a1 to a2.",
        "Lines that may be drawn: a1-a2.",
        "Boxes that belong to F, by two of their corners: a2 to b1.",
    ]


def test_points_and_segments_are_told_by_their_names() -> None:
    points = (Point(0, 0, "A"), Point(1, 0, "B", here=True), Point(0, 1, "a", "3x7", target=True), Point(1, 1))
    segments = (
        Segment(0, 0, 1, 0, Stroke.OUTLINE),
        Segment(0, 0, 1, 1, Stroke.RED, "5", last=True),
        Segment(1, 1, 2, 2, Stroke.BLUE),
    )
    told = draw.text(Scene(PlaneBoard(2, 2, points, segments)), "words").splitlines()
    assert told == [
        "Points: A.",
        "Point B, the next move starts here.",
        "Point 3x7, may be gone to.",
        "Side from A to B.",
        "Segment 5, red, the last move.",
    ]


# From the words alone


@pytest.mark.parametrize("options", ["-board=1", "-board=2 -version=rb", "-board=3 -version=rgb", "-board=complete"])
@pytest.mark.parametrize("plies", [0, 3])
def test_a_graph_is_rebuilt_from_the_words_alone(options: str, plies: int) -> None:
    game = GAMES["crossgeo"]
    pos, last = game.start(game.options(options.split())), None
    for _ in range(plies):
        last = next(game.moves(pos))
        pos = game.play(pos, last)
    told = draw.text(game.scene(pos, last), "words").partition("may pick")[0]
    read = re.findall(r"^Segment (\d+)[rgb]? from ([A-Z]+) to ([A-Z]+), (red|green|blue)", told, re.MULTILINE)
    assert sum(1 << int(number) - 1 for number, *_ in read) == pos.standing
    picks = {"red", "green"} if game.to_move(pos) == 1 else {"blue", "green"}
    assert {number for number, _, _, colour in read if colour in picks} == {
        game.notate(pos, move) for move in game.moves(pos)
    }
    for number, one, other, colour in read:
        if colour in picks:
            assert game.notate(pos, game.parse(pos, f"{one}-{other}")) == number


@pytest.mark.parametrize("seed", range(4))
def test_a_polygon_is_rebuilt_from_the_words_alone(seed: int) -> None:
    game, rng = GAMES["polygon"], random.Random(seed)
    pos, last = game.start(game.options(["-sides=8", "-colours=any"])), None
    for _ in range(9):
        if not (moves := list(game.moves(pos))):
            break
        last = rng.choice(moves)
        pos = game.play(pos, last)
    told = " ".join(draw.text(game.scene(pos, last), "words").split())
    read = re.findall(r"Segment (\d+) from (\w+) to (\w+), (?:red|blue)", told)
    assert [int(number) for number, *_ in read] == list(range(1, pos.ply))
    ends = [read[0][1], *(end for _, _, end in read)]
    again = game.start(pos.options)
    for before, end in pairwise(ends):
        again = game.play(again, game.parse(again, f"{before}-{end}"))
    assert again == pos
    targets = re.findall(r"Point (\w+), (?:the next move starts here, )?may be gone to", told)
    assert set(targets) == {game.notate(pos, move) for move in game.moves(pos)}


def of_cells(name: str) -> bool:
    return not isinstance(played(name, 0).board, PlaneBoard)


@pytest.mark.parametrize("name", [name for name in GAMES if of_cells(name)])
@pytest.mark.parametrize("plies", [0, 9, 30])
def test_a_board_of_cells_is_rebuilt_from_the_words_alone(name: str, plies: int) -> None:
    """What is on each cell, and which lines are drawn or may be; a new game passes once its scene tells them."""
    scene = played(name, plies)
    assert isinstance(scene.board, HexBoard | GridBoard)
    told = " ".join(draw.text(Scene(scene.board), "words").split())
    order = [cell.name for cell in sorted(scene.board.cells, key=lambda cell: cell.place) if cell.name]
    joins = scene.board.joins if isinstance(scene.board, GridBoard) else ()
    for look, said in ((Look.DRAWN, "Lines"), (Look.OPEN, "Lines that may be drawn")):
        listed = re.search(rf"\b{said}: ([^.]*)\.", told)
        names = re.findall(r"([^;]+?)(?:, the last move)?(?:; |$)", listed.group(1)) if listed else []
        wanted = [join.name for join in joins if join.look is look and join.name]
        assert names == wanted or not wanted, f"{name}: the words tell other lines than the board has"
    if "Row " not in told:
        assert not any(cell.piece for cell in scene.board.cells), f"{name}: pieces are not told"
        return
    read: dict[str, str] = {}
    for run in "; ".join(re.findall(r"Row \w+: ([^.]*)\.", told)).split("; "):
        found = re.fullmatch(r"(\w+ to \w+|\w+(?:, \w+)*) (free|closed|arrow|wall|[A-Z])\b.*", run)
        assert found, f"{name}: {run}"
        there, state = found.groups()
        first, _, last = there.partition(" to ")
        cells = order[order.index(first) : order.index(last) + 1] if last else there.split(", ")
        assert read.keys().isdisjoint(cells), f"{name}: a cell is told twice"
        read |= dict.fromkeys(cells, state)
    for cell in scene.board.cells:
        if cell.name:
            on_it = cell.form.value if cell.form in (Form.ARROW, Form.WALL) else cell.piece
            wanted_state = on_it or ("closed" if cell.closed else "free")
            assert read.get(cell.name) == wanted_state, f"{name}: {cell.name} is told wrong, or not at all"
