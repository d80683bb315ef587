"""Boards told in other ways than plain characters: nothing is lost or told twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise, permutations

import pytest

from games import GAMES
from games.boards import BothSides, Cells, union
from games.luddit_pieces import torus
from games.moving import Moving
from games.rules import YES_NO, Side
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
from pbm.compose.views import View
from pbm.domain.match import State
from tests.games.variants import largest, opening, smallest


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
    assert draw.text(Scene(HexBoard(tuple(cells), labels)), "words") == (
        "Row A: A1 to A2 free; A3 X, the last move.\nRow B: B1 O, winning; B2 closed.\n"
    )


def test_joins_and_crossings_are_told_by_the_cells_they_meet() -> None:
    cells = tuple(Cell(row, column, f"{'AB'[column]}{row + 1}") for row in (0, 1) for column in (0, 1))
    board = GridBoard(("A", "B"), ("1", "2"), tuple(cells), (Join((0, 0), (0, 1)),), (Crossing(1, 1, "P"),))
    told = draw.text(Scene(board), "words")
    assert "Lines: A1 to B1." in told
    assert "Lines cross at B2, which belongs to P." in told


def test_points_that_are_missing_are_not_told_to_be_there() -> None:
    cells = (Cell(0, 0, "a2", "W", form=Form.QUEEN, last=True), Cell(0, 2, "c2"), Cell(1, 0, "a1"), Cell(1, 1, "b1"))
    joins = (Join((0, 0), (1, 0), Look.OPEN, "a1-a2"), Join((1, 0), (1, 1), Look.GROUND))
    board = GridBoard(("a", "b", "c"), ("2", "1"), tuple(cells), joins, boxes=(Box(0, 0, "F"),), path=((1, 0), (0, 0)))
    assert draw.text(Scene(board), "words").splitlines() == [
        "The last move went from a1 to a2.",
        "Row 2: a2 W queen, the last move; c2 free.",
        "Row 1: a1 to b1 free.",
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


def position_of(name: str, plies: int, words: Sequence[str] = ()) -> State:
    """The game after these random moves, which do not end it."""
    state = State.start(GAMES[name], words)
    for move in opening(GAMES[name], words, plies):
        state, _ = state.play(move)
    return state


def other(name: str) -> list[tuple[str, ...]]:
    """Options of challenges: the smallest board, the largest one, and each choice of an option."""
    game = GAMES[name]
    options = [option for option in game.info.options if option.choices != YES_NO]
    each = [(f"-{option.name}={choice}",) for option in options for choice in option.choices]
    return [words for words in dict.fromkeys([smallest(game), largest(game), *each]) if words]


def heard(state: State) -> str:
    """The whole page in words; each paragraph is one line, but rows of lists, which begin with blanks, stay apart."""
    return re.sub(r"\n(?! )", " ", View(state).text("words"))


def cells_heard(page: str, order: Sequence[str]) -> dict[str, str]:
    """The content of each cell, by its name. order: the names of all cells, in the order of reading."""
    found: dict[str, str] = {}
    for run in "; ".join(re.findall(r"Row \w+: ([^.]*)\.", page)).split("; "):
        told = re.fullmatch(r"(\w+ to \w+|\w+(?:, \w+)*) (free|closed|arrow|wall|[A-Z]\w*)\b.*", run)
        assert told, run
        first, _, last = told[1].partition(" to ")
        cells = order[order.index(first) : order.index(last) + 1] if last else told[1].split(", ")
        assert found.keys().isdisjoint(cells), "a cell is told twice"
        found |= dict.fromkeys(cells, told[2])
    return found


def lines_heard(page: str, said: str) -> list[str]:
    listed = re.search(rf"\b{said}: ([^.]*)\.", page)
    return re.findall(r"([^;]+?)(?:, the last move)?(?:; |$)", listed[1]) if listed else []


def moves_heard(page: str, cells: Mapping[str, str]) -> set[str] | None:
    """The moves that the sentences allow; None if no sentence tells of moves."""
    found: set[str] | None = None
    if wherever := re.search(r"may play wherever it is free(?:, but not on ([^.]*))?\.", page):
        found = {name for name, state in cells.items() if state == "free"} - set((wherever[1] or "").split(", "))
    elif named := re.search(r"may play: ([^.]*)\.", page):
        found = set(named[1].split(", "))
    elif drawn := lines_heard(page, "Lines that may be drawn"):
        found = set(drawn)
    elif picks := page.partition("may pick")[2]:
        found = set(re.findall(r"(?:^ +|  )([0-9]+)[rgb]? +(?=[A-Z]+-)", picks, re.MULTILINE))
    elif targets := re.findall(r"Point (\w+), (?:the next move starts here, )?may be gone to", page):
        sides = set(re.findall(r"Side from (\w+) to (\w+)", page))
        begun = "Segment 1 " in page
        pairs = {f"{one}-{two}" for one, two in permutations(targets, 2) if not {(one, two), (two, one)} & sides}
        found = set(targets) if begun else pairs
    more = {word for word, said in (("pass", "may pass"), ("swap", "may swap")) if f" {said}" in page}
    return found if found is None else found | more


def rebuilt(state: State, cells: Mapping[str, str], mover: Side) -> State:
    """The same position, made from the content of its cells alone; for games with too many moves to list."""
    game = state.game
    names = (game.board(state.options) if isinstance(game, Moving) else torus(state.options.size)).names

    def of(content: str) -> Cells:
        return union(names.find(cell[0].lower(), int(cell[1:])) for cell, there in cells.items() if there == content)

    first, second = map(of, state.game.sides(state.options))
    start = state.game.start(state.options)
    if isinstance(game, Moving):
        return replace(state, position=replace(start, pieces=BothSides(first, second), walls=of("arrow"), mover=mover))
    return replace(state, position=replace(start, field=BothSides(first, second), mover=mover))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [0, 1, 9, 30])
def test_a_game_can_be_played_from_the_words_alone(name: str, plies: int) -> None:
    """The words tell the content of each cell, the lines, who is to move, and which moves are legal."""
    plays_from_the_words(position_of(name, plies))


@pytest.mark.parametrize(
    ("name", "words"),
    [pytest.param(name, words, id=" ".join([name, *words])) for name in GAMES for words in other(name)],
)
def test_a_game_can_be_played_from_the_words_alone_with_any_option(name: str, words: tuple[str, ...]) -> None:
    plays_from_the_words(position_of(name, 11, words))


def plays_from_the_words(state: State) -> None:
    page, scene = heard(state), state.game.scene(state.position, state.last)
    mover = re.search(r"(?:^|\. )(\w+) is to move\.", page)
    assert mover
    assert mover[1] == state.side_name(state.to_move)
    cells: dict[str, str] = {}
    if not isinstance(scene.board, PlaneBoard):
        cells = held_cells(page, scene.board, state.game.sides(state.options))
    told, legal = moves_heard(page, cells), list(islice(state.game.moves(state.position), 2500))
    wanted = {state.game.notate(state.position, move) for move in legal} | ({"swap"} if state.may_swap else set())
    if told is None:
        again = rebuilt(state, cells, Side(1 + (mover[1] == state.game.sides(state.options)[1])))
        assert list(islice(again.game.moves(again.position), 2500)) == legal
    else:
        assert told == wanted


def held_cells(page: str, board: HexBoard | GridBoard, sides: tuple[str, str]) -> dict[str, str]:
    """The content of the cells by the words, which must agree with the board."""
    joins = board.joins if isinstance(board, GridBoard) else ()
    for look, said in ((Look.DRAWN, "Lines"), (Look.OPEN, "Lines that may be drawn")):
        wanted = [join.name for join in joins if join.look is look and join.name]
        assert not wanted or lines_heard(page, said) == wanted
    if "Row " not in page:
        assert not any(cell.piece for cell in board.cells), "pieces are not told"
        return {}
    named = sorted((cell for cell in board.cells if cell.name), key=lambda cell: cell.place)
    cells = cells_heard(page, [cell.name for cell in named])
    for cell in named:
        whose = next((side for side in sides if side.startswith(cell.piece)), "") if cell.piece else ""
        on_it = cell.form.value if cell.form in (Form.ARROW, Form.WALL) else whose
        assert cells.get(cell.name) == (on_it or ("closed" if cell.closed else "free")), f"{cell.name} is told wrong"
    return cells


@pytest.mark.parametrize("options", ["-board=1", "-board=2 -version=rb", "-board=3 -version=rgb", "-board=complete"])
@pytest.mark.parametrize("plies", [0, 3])
def test_a_graph_is_rebuilt_from_the_words_alone(options: str, plies: int) -> None:
    state = position_of("crossgeo", plies, options.split())
    game, pos, page = state.game, state.position, heard(state)
    read = re.findall(r"Segment (\d+)[rgb]? from ([A-Z]+) to ([A-Z]+), (red|green|blue)", page)
    assert sum(1 << int(number) - 1 for number, *_ in read) == pos.standing
    picks = {"red", "green"} if game.to_move(pos) == 1 else {"blue", "green"}
    assert {number for number, _, _, colour in read if colour in picks} == moves_heard(page, {})
    for number, one, other, colour in read:
        if colour in picks:
            assert game.notate(pos, game.parse(pos, f"{one}-{other}")) == number


@pytest.mark.parametrize("plies", range(4, 12, 2))
def test_a_polygon_is_rebuilt_from_the_words_alone(plies: int) -> None:
    state = position_of("polygon", plies, ["-sides=8", "-colours=any"])
    read = re.findall(r"Segment (\d+) from (\w+) to (\w+), (?:red|blue)", heard(state))
    assert [int(number) for number, *_ in read] == list(range(1, state.position.ply))
    ends = [read[0][1], *(end for _, _, end in read)]
    again = State.start(state.game, ["-sides=8", "-colours=any"])
    for before, end in pairwise(ends):
        again, _ = again.play(f"{before}-{end}")
    assert again.position == state.position


def after(name: str, moves: str, words: Sequence[str] = ()) -> State:
    state = State.start(GAMES[name], words)
    for move in moves.split():
        state, _ = state.play(move)
    return state


FIRST = {
    "reversi": ("d3 c3 c4", "c4 Black; d4 Black instead of White. White is to move. Stones"),
    "gomoku": ("a1 h8 a2 h9 c9 h10 c11 h11", "h11 White. White threatens to win with h7 or h12. Black is to move."),
    "go": ("e5 e6 j1 d5 j2 f5", "f5 White. White threatens to take e5 with e4. Black is to move."),
    "breakthrough": ("b2-b3 a7-a6 b3-b4 a6-a5", "Black from a6 to a5. Black threatens to take b4. White is"),
    "dots": ("a1-a2 b1-b2 a1-b1", "a1-b1 drawn. The next line closes a box if it is a2-b2. Blue is to move."),
    "morris": ("a1 a4 d1 g7", "g7 Black. White is to move."),
    "four": ("a b a b a", "a3 Yellow. Yellow threatens to win with a. Red is to move."),
    "polygon": ("A-C E", "segment 2 from C to E drawn, blue. Red is to move."),
    "crossgeo": ("17", "segment 17 from X to AB removed; segment 19 from Z to AA removed. Blue is to move."),
    "clobber": ("a1-a2", "White from a1 to a2, where Black was. White threatens to take"),
}


@pytest.mark.parametrize("name", FIRST)
def test_what_has_changed_and_what_is_threatened_comes_first(name: str) -> None:
    moves, told = FIRST[name]
    assert heard(after(name, moves)).startswith(f"What has changed: {told}")


@pytest.mark.parametrize("name", GAMES)
def test_every_game_tells_first_what_has_changed(name: str) -> None:
    assert heard(position_of(name, 9)).startswith("What has changed: ")


def test_a_mill_that_is_threatened_is_told_even_when_all_men_are_placed() -> None:
    state = after("morris", "a1 a4 d1 g7")
    black = replace(state, position=replace(state.position, mover=Side.SECOND))
    assert "White threatens to take a4 or g7." in heard(black)
    late = replace(black, position=replace(black.position, placed=17))
    assert "threatens to take" not in heard(late), "the men of White are all placed then, and none can go to g1"


def test_a_position_that_is_here_again_is_told() -> None:
    around = "b1-b3 a7-c7 b3-b1 c7-a7"
    assert "This position is here for the second time" in heard(after("loa", around))
    assert "for the second time" not in heard(after("loa", around.rpartition(" ")[0]))


def test_a_position_of_men_that_move_is_told_when_it_is_here_again() -> None:
    """In Nine Men's Morris no position can come again until all men are placed."""
    state = after("morris", "e4 g4 d1 a4 f6 d6 d5 c4 g7 c3 c5 d2 b6 b2 e3 g1 d7 a1")
    assert state.position.placed == 18
    for move in ("e3-d3", "d2-f2", "d3-e3", "f2-d2"):
        assert "second time" not in heard(state)
        state, _ = state.play(move)
    assert "This position is here for the second time" in heard(state)


def test_a_ko_is_told() -> None:
    page = heard(after("go", "d4 e4 c5 f5 d6 e6 e5 d5", ["-size=9"]))
    assert "What has changed: d5 White; Black gone from e5." in page
    assert "Black may play wherever it is free, but not on e5." in page


@pytest.mark.parametrize("name", GAMES)
def test_nothing_heard_is_for_eyes(name: str) -> None:
    page = heard(position_of(name, 9))
    assert not re.search(r"\b(?:drawn without|dots?|grey|dark|shown|marked|letter on)\b", page)


@pytest.mark.parametrize(
    ("game", "plies", "told"),
    [
        ("morris", "a1 b2 d1 f2 g1xb2", "What has changed: g1 White; Black gone from b2."),
        (
            "breakthrough",
            "b2-b3 b7-b6 b3-b4 b6-b5 a2-a3 h7-h6 a3-a4 h6-h5 a4xb5",
            "White from a4 to b5, where Black was",
        ),
        ("hex", "a1 b2", "What has changed: b2 Blue."),
    ],
)
def test_what_moved_and_what_left_the_board_is_told(game: str, plies: str, told: str) -> None:
    state = State.start(GAMES[game], [])
    for ply in plies.split():
        state, _ = state.play(ply.replace("x", "-") if game == "breakthrough" else ply)
    assert told in heard(state)
