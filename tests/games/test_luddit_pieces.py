"""The closed forms of pieces, loops and conditioned pieces, compared with the recursion of the rules."""

from __future__ import annotations

import random
from itertools import combinations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from games.boards import Cells, bits
from games.luddit_pieces import Torus, torus
from tests.games import literal_luddit as literal


class AnyGraph(Torus):
    """Cells 0..n-1 with arbitrary links: the closed forms hold on every graph, not only on a torus."""

    def __init__(self, count: int, links: list[tuple[int, int]]) -> None:
        self.beside = {
            index: sum(1 << other for other in range(count) if (index, other) in links or (other, index) in links)
            for index in range(count)
        }


def compare(board: Torus, stones: Cells) -> None:
    """Compare all subsets of the stones, as pieces and as conditioned pieces, by the closed forms and the recursion."""

    def at_range(one: int, other: int) -> bool:
        return bool(board.beside[one] >> other & 1)

    pieces = literal.all_pieces(list(bits(stones)), at_range)
    for count in range(1, stones.bit_count() + 1):
        for chosen in combinations(bits(stones), count):
            as_bits = sum(1 << index for index in chosen)
            assert board.is_piece(as_bits) == (frozenset(chosen) in pieces), chosen
    for piece in pieces:
        as_bits = sum(1 << index for index in piece)
        assert board.is_bound(as_bits, stones) == literal.is_bound(piece, pieces, at_range), piece


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(5, 9))
def test_closed_forms_are_the_recursion_on_random_boards(data, size):
    # A window keeps few stones near each other; on small boards it wraps around.
    window = [row * size + column for row, column in product(range(min(size, 6)), repeat=2)]
    cells = data.draw(st.sets(st.sampled_from(window), max_size=6))
    compare(torus(size), sum(1 << cell for cell in cells))


@settings(max_examples=40, deadline=None)
@given(st.sets(st.sampled_from(list(combinations(range(6), 2))), min_size=3, max_size=8))
def test_closed_forms_are_the_recursion_on_random_graphs(links):
    compare(AnyGraph(6, list(links)), (1 << 6) - 1)


def test_closed_forms_are_the_recursion_on_circles_with_tails():
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for tail in ([(4, 0)], [(4, 0), (5, 4)], [(4, 0), (5, 0)], [(4, 0), (5, 2)], [(4, 0), (4, 1), (5, 4)]):
        compare(AnyGraph(6, square + tail), (1 << 6) - 1)


def bound_by_leaving_one_out(board: Torus, piece: Cells, stones: Cells) -> bool:
    """RULES.md's own form of it, (a) or (b)."""
    reach, rest = board.reach(piece), stones & ~piece
    for group in board.groups(rest, rest):
        near = list(bits(reach & group.stones))
        if group.is_loop and any(board.beside[one] >> other & 1 for one, other in combinations(near, 2)):
            return True
        for left_out in bits(group.stones) if group.is_loop else ():
            fewer = group.stones & ~(1 << left_out)
            if any(part.is_loop and part.stones & reach for part in board.groups(fewer, fewer)):
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(6, 13), st.integers(3, 24))
def test_no_choice_of_a_stone_to_leave_out_is_missed(seed, size, count):
    board, rng = torus(size), random.Random(seed)
    stones = thin_growth(board, rng, count)
    for index in bits(stones):
        assert board.is_bound(1 << index, stones) == bound_by_leaving_one_out(board, 1 << index, stones)


def thin_growth(board: Torus, rng: random.Random, count: int) -> Cells:
    """Cells that mostly join one or two others when added: trees, circles, and circles with tails."""
    stones = 1 << rng.choice(board.indices)
    for _ in range(count):
        choices = [
            index
            for index in board.indices
            if not stones >> index & 1 and (board.beside[index] & stones).bit_count() == rng.choice((1, 1, 1, 2))
        ]
        stones |= 1 << rng.choice(choices) if choices else 0
    return stones


def at(board: Torus, names: str) -> Cells:
    return sum(1 << index for index in board.indices if board.names[index] in names.split())


def test_range_is_two_steps_across_the_edges():
    board = torus(9)
    near = {board.names[index] for index in bits(board.beside[0])}
    columns, rows = "HJABC", (8, 9, 1, 2, 3)
    assert near == {f"{column}{row}" for column in columns for row in rows} - {"A1"}


def test_range_is_sharing_an_adjacent_intersection():
    for size in (5, 6, 9):
        board, at_range = torus(size), literal.torus_range(size)
        for one, other in product(board.indices, repeat=2):
            shares = at_range((one % size, one // size), (other % size, other // size))
            assert bool(board.beside[one] >> other & 1) == shares


def test_everything_is_near_on_the_smallest_board():
    assert all(torus(5).beside[index] == torus(5).full & ~(1 << index) for index in range(25))


def test_any_eighteen_stones_hold_a_loop_on_the_board_of_nine():
    # RULES.md: without "none sharing a stone", anybody could always take up a loop.
    board, rng = torus(9), random.Random(1)
    for _ in range(300):
        stones = sum(1 << index for index in rng.sample(range(81), 18))
        assert any(group.is_loop for group in board.groups(stones, stones))


def test_a_ring_around_the_torus_is_a_loop_and_binds_none_of_its_stones():
    board = torus(9)
    ring = at(board, "A1 B1 D1 E1 G1 H1")
    assert board.is_piece(ring)
    assert not any(board.is_bound(1 << stone, ring) for stone in bits(ring))


def test_a_ring_beside_a_stone_binds_it_where_two_near_stones_of_it_are_near_each_other():
    board = torus(13)
    ring = at(board, "A1 C1 E1 G1 J1 L1 N1")
    assert board.is_bound(at(board, "B3"), ring | at(board, "B3"))  # two rows away: A1 and C1
    assert not board.is_bound(at(board, "B4"), ring | at(board, "B4"))  # three rows away: none


def test_a_ring_touched_once_binds_only_with_an_end_of_its_own():
    board = torus(13)
    ring = at(board, "C5 E7 G5 E3")
    assert board.is_piece(ring)
    first, second, elsewhere = (at(board, name) for name in ("A5", "M5", "E9"))
    assert not board.is_bound(first, ring | first)
    assert not board.is_bound(second, ring | first | second)  # the only end, A5, is what M5 touches
    assert board.is_bound(first, ring | first | elsewhere)  # ring, ring with E9, C5: each at range of A5 and the others
    assert board.is_bound(second, ring | first | second | elsewhere)


def test_names_skip_the_letter_i():
    board = torus(19)
    assert [board.names[index] for index in (0, 7, 8, 18, 19)] == ["A1", "H1", "J1", "T1", "A2"]
