"""Pictures in mails, checked as a program can: what they show is read back from their pixels."""

from __future__ import annotations

import io
from itertools import islice, pairwise

import pytest
from PIL import Image, ImageColor

from games import GAMES
from games.scene import Cell, Form, GridBoard, HexBoard, PlaneBoard, Point, Segment, Stroke
from pbm import draw
from pbm.domain.match import State
from pbm.draw import brush, cell_pictures, colours
from pbm.draw import picture as pictures
from pbm.draw.colours import CLOSED, FAINT, LAST, WINNING, fill_of
from pbm.draw.layout import most_crowded
from pbm.draw.picture import MAX_OCTETS, drawn, picture
from tests.draw.test_grid import CROSSED, SPREAD
from tests.draw.test_hexes import WON, board, triangle
from tests.draw.test_words import played
from tests.games.variants import largest

PHONE = 374
"""The width that a phone has for a picture, in pixels."""


def opened(shown: colours.Picture | None) -> Image.Image:
    assert shown is not None
    return Image.open(io.BytesIO(shown.data)).convert("RGB")


def colour(image: Image.Image, x: float, y: float) -> str:
    pixel = image.getpixel((round(x), round(y)))
    assert isinstance(pixel, tuple)
    return "#{:02x}{:02x}{:02x}".format(*pixel)


def geometry(shown: GridBoard | HexBoard):
    sheet = cell_pictures._sheet(shown, cell_pictures.USUAL)
    return sheet.at, sheet.radius


def seen(shown: GridBoard | HexBoard, cell: Cell) -> tuple[str, str]:
    """The colours of a cell near its edge and at its edge: those of its piece and its ring, if it has them."""
    image = opened(picture(shown))
    at, radius = geometry(shown)
    x, y = at(*cell.place)
    return colour(image, x - radius * 0.62, y - radius * 0.3), colour(image, x - radius + 1, y)


@pytest.mark.parametrize("fill", colours.COLOURS.values(), ids=colours.COLOURS)
def test_the_ring_of_the_last_move_stands_out_of_a_piece_of_any_colour(fill):
    ring = colours.ring_of(fill)
    parts = zip(ImageColor.getrgb(ring), ImageColor.getrgb(fill), strict=True)
    assert sum(abs(one - other) for one, other in parts) > 100


def test_the_way_of_the_last_move_leaves_the_letters_of_pieces_free():
    shown = played("amazons", 3).board
    assert isinstance(shown, GridBoard)
    (moved,) = (cell for cell in shown.cells if cell.last and cell.form is Form.QUEEN)
    image, (at, radius) = opened(picture(shown)), geometry(shown)
    (x, y), within = at(*moved.place), range(-radius // 2, radius // 2 + 1)
    assert LAST not in {colour(image, x + right, y + down) for right in within for down in within}


@pytest.mark.parametrize("shown", [WON, CROSSED, SPREAD, board(6, {"F6": "X", "A1": "O"}, last="A1"), triangle(10)])
def test_pieces_and_marks_are_read_back_from_the_picture(shown):
    for cell in (cell for cell in shown.cells if cell.piece and not cell.faint):
        fill, edge = seen(shown, cell)
        assert fill == fill_of(cell.piece, {}), cell.name
        assert (edge == LAST) == cell.last
        assert (edge == WINNING) == (cell.winning and not cell.last)
    for cell in (cell for cell in shown.cells if not (cell.piece or cell.last)):
        assert seen(shown, cell)[1] not in {LAST, WINNING}


def test_copies_beyond_the_edge_are_smaller():
    near = next(cell for cell in SPREAD.cells if cell.faint and cell.piece == "B")
    assert seen(SPREAD, near)[1] not in {fill_of("B", {}), LAST}


def test_closed_squares_are_grey():
    closed = next(cell for cell in CROSSED.cells if cell.closed and cell.name == "A1")
    assert seen(CROSSED, closed)[0] == CLOSED


def test_pieces_of_other_forms_are_no_discs():
    cells = tuple(
        Cell(0, column, f"{'ABC'[column]}1", "W", form=form) for column, form in enumerate(Form) if column < 3
    )
    shown = GridBoard(("A", "B", "C"), ("1",), tuple(cells))
    looks = [opened(picture(shown)).crop((36 * c + 36, 36, 36 * c + 72, 72)).tobytes() for c in range(3)]
    assert len(set(looks)) == 3


def test_a_game_may_have_colours_of_its_own():
    shown = GridBoard(("A",), ("1",), (Cell(0, 0, "A1", "B"),), colours=(("B", "blue"),))
    assert seen(shown, shown.cells[0])[0] == fill_of("B", {"B": "blue"}) != fill_of("B", {})


@pytest.mark.parametrize("name", GAMES)
def test_a_picture_is_opaque_always_the_same_and_as_large_as_it_says(name: str) -> None:
    shown = picture(played(name).board)
    assert shown is not None
    image = Image.open(io.BytesIO(shown.data))
    assert image.mode == "P"
    assert "transparency" not in image.info
    assert image.size == (shown.width, shown.height)
    assert colour(opened(shown), 0, 0) == "#ffffff"
    assert shown.data == drawn(played(name).board).data


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("width", [9, 10])
def test_a_file_holds_the_image_to_the_pixel(width: int, few: bool) -> None:
    """Two colours share an octet if they are few enough, even if a row ends between them."""
    image = brush.blank(width, 3)
    if not few:
        image.putpalette(brush.palette().getpalette() or [])
    image.putdata([number % (brush.FEW if few else 60) for number in range(width * 3)])
    assert opened(brush.finished(image)).tobytes() == image.convert("RGB").tobytes()


def test_labels_are_drawn_with_fonts_of_our_own() -> None:
    for bold in (False, True):
        font = brush.font(20, bold=bold)
        assert str(font.path).startswith(str(brush.FONTS))
    image, (at, radius) = opened(picture(WON)), geometry(WON)
    for label in WON.labels:
        x, y = at(label.place[0] + label.down, label.place[1] + label.right)
        spot = image.crop((x - radius // 2, y - radius // 2, x + radius // 2, y + radius // 2)).convert("L")
        assert sum(spot.histogram()[:100]) > 5, label.text


@pytest.mark.parametrize(("name", "words"), [(name, words) for name in GAMES for words in ((), largest(GAMES[name]))])
def test_letters_are_large_enough_on_a_phone(name, words):
    state = State.start(GAMES[name], words)
    scene = state.game.scene(state.position, None)
    shown = picture(scene.board)
    assert shown is not None
    if isinstance(scene.board, PlaneBoard):
        assert pictures.LETTERS * PHONE / pictures.WIDTH >= 11
    else:
        assert cell_pictures.USUAL.letters * min(1, PHONE / shown.width) >= 11


def test_an_empty_board_is_drawn_once_for_all_its_positions() -> None:
    cell_pictures._hexagon_base.cache_clear()
    for plies in range(6):
        assert picture(played("cross", plies).board) is not None
    assert cell_pictures._hexagon_base.cache_info().misses == 1


def test_a_picture_is_rendered_once_for_all_its_readers() -> None:
    assert picture(played("cross").board) is picture(played("cross").board)
    assert picture(played("cross", 4).board) != picture(played("cross").board)


@pytest.mark.parametrize("name", GAMES)
def test_pictures_are_small(name: str) -> None:
    shown = picture(played(name, 12).board)
    assert shown is not None
    assert len(shown.data) < (9000 if not isinstance(played(name, 12).board, PlaneBoard) else MAX_OCTETS)


def test_a_picture_that_is_too_large_is_left_out() -> None:
    state = State.start(GAMES["crossgeo"], ["-board=random", "-edges=200", "-seed=3"])
    shown = picture(state.game.scene(state.position, None).board)
    assert shown is None or len(shown.data) <= MAX_OCTETS


# Plane boards


@pytest.mark.parametrize("number", ["1", "2", "3"])
@pytest.mark.parametrize("version", ["g", "rb", "rgb"])
def test_every_label_stands_in_the_picture_or_in_its_enlarged_part(number, version):
    state = State.start(GAMES["crossgeo"], [f"-board={number}", f"-version={version}"])
    shown = state.game.scene(state.position, None).board
    assert isinstance(shown, PlaneBoard)
    layout = pictures._laid_out(shown)
    found = set(layout.numbers)
    if part := most_crowded(layout):
        found |= set(pictures._laid_out(part.board).numbers)
    assert len(found) >= len(layout.segments) - 1


@pytest.mark.parametrize("words", ["crossgeo -version=rb", "crossgeo -board=3", "polygon -sides=24"])
def test_no_label_is_cut_off_at_an_edge_of_the_picture(words):
    name, *options = words.split()
    layout = pictures._laid_out(_board_of(State.start(GAMES[name], options)))
    part = most_crowded(layout)
    for each in (layout, pictures._laid_out(part.board)) if part else (layout,):
        height = pictures._height(each)
        for start, label in (*each.numbers.values(), *each.signs.values()):
            (left, y), (right, _) = map(pictures._pixel, (start, (start[0], start[1] + len(label) - 1)))
            half = pictures.CELL_WIDTH / 2
            assert half <= left <= right <= pictures.WIDTH - half - 2, label
            assert pictures.LETTERS / 2 <= y <= height - pictures.LETTERS / 2, label


@pytest.mark.parametrize("words", ["crossgeo -version=rb", "crossgeo -board=2"])
def test_no_two_names_of_points_read_as_one(words):
    name, *options = words.split()
    layout = pictures._laid_out(_board_of(State.start(GAMES[name], options)))
    ends = {(row, column + len(sign)) for (row, column), sign in layout.signs.values()}
    assert ends.isdisjoint(start for start, _ in layout.signs.values())


def _board_of(state: State) -> PlaneBoard:
    shown = state.game.scene(state.position, state.last).board
    assert isinstance(shown, PlaneBoard)
    return shown


def test_a_removed_edge_is_a_ghost_and_one_that_stands_is_not():
    lines = [Segment(0, 0, 12, 0, Stroke.GREEN), Segment(0, 6, 12, 6, Stroke.GREEN, gone=True)]
    shown = PlaneBoard(12, 6, (), tuple(lines))
    layout = pictures._laid_out(shown)
    image = opened(drawn(shown))
    green, grey = (
        {colour(image, x, pictures._pixel(line.start)[1]) for x in range(60, 400)} for line in layout.lines if line
    )
    assert "#2e8b57" in green
    assert FAINT in grey
    assert "#2e8b57" not in grey


def test_a_segment_that_only_touches_the_enlarged_part_has_no_label_there() -> None:
    lines = (Segment(0, 0, 12, 0, Stroke.GREEN, "1"), Segment(12, 6, 18, 9, Stroke.GREEN, "2"))
    layout = pictures._laid_out(PlaneBoard(12, 6, (), lines))
    assert set(layout.numbers) == {0}


def test_no_label_moves_while_edges_are_removed() -> None:
    """Players look for an edge where they saw it last; and finding the places is most of the work."""
    state = State.start(GAMES["crossgeo"], ["-board=2", "-version=rgb"])
    seen: dict[str, tuple[int, int]] = {}
    pictures._laid_out_at_start.cache_clear()
    while state.outcome is None:
        shown = state.game.scene(state.position, state.last).board
        assert isinstance(shown, PlaneBoard)
        layout = pictures._laid_out(shown)
        for index, (place, _) in layout.numbers.items():
            assert seen.setdefault(layout.segments[index].label, place) == place
        for index, (place, label) in layout.signs.items():
            assert seen.setdefault(label, place) == place, shown.points[index]
        state, _ = state.play(state.game.notate(state.position, next(iter(state.game.moves(state.position)))))
    assert len(seen) > 60
    assert pictures._laid_out_at_start.cache_info().misses == 1


def test_targets_are_dots_and_the_present_point_is_a_ring():
    points = (Point(3, 3, "a", "1x2", target=True), Point(9, 3, "B", here=True))
    shown = PlaneBoard(12, 6, points, (Segment(0, 0, 12, 0, Stroke.OUTLINE),))
    layout, image = pictures._laid_out(shown), opened(drawn(shown))
    target, here = (colour(image, *pictures._pixel(layout.sheet.spot(point.x, point.y))) for point in points)
    assert target == "#6a2fa3", "purple, as near as the palette comes"
    assert here not in {"#ffffff", target}
    assert {start for start, _ in layout.signs.values()}.isdisjoint(map(layout.sheet.place, points))


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("style", draw.STYLES)
def test_no_two_lines_of_a_drawing_are_empty_and_none_ends_in_blanks(name: str, style: str) -> None:
    lines = draw.text(played(name), style).split("\n")
    assert not any(one == other == "" for one, other in pairwise(lines))
    assert all(line == line.rstrip() for line in lines)


@pytest.mark.parametrize("name", GAMES)
def test_moves_of_a_board_begin_or_end_at_what_it_shows(name: str) -> None:
    """A move is complete there, or it begins or ends there, like a falling stone."""
    state = State.start(GAMES[name], [])
    scene = state.game.scene(state.position, state.last)
    moves = {state.game.notate(state.position, move) for move in islice(state.game.moves(state.position), 400)}
    places = [getattr(scene.board, kind, ()) for kind in ("cells", "joins", "points", "segments")]
    words = {each.name for some in places for each in some if each.name}
    assert all(any(move.startswith(word) or word.startswith(move) for word in words) for move in moves - {"pass"})
