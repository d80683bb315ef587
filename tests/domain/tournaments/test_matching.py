"""Perfect matchings, held against networkx and against all there are."""

from __future__ import annotations

import networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.tournaments.matching import augmented, perfect

Graph = dict[int, list[int]]


@st.composite
def graphs(draw: st.DrawFn, most: int = 12) -> Graph:
    size = draw(st.integers(0, most))
    edges = draw(st.sets(st.tuples(st.integers(0, most - 1), st.integers(0, most - 1))))
    graph: Graph = {vertex: [] for vertex in range(size)}
    for one, two in sorted(edges):
        if one < two < size:
            graph[one].append(two)
            graph[two].append(one)
    return graph


@given(graphs())
@settings(max_examples=300)
def test_all_are_matched_exactly_where_that_can_be(graph: Graph) -> None:
    known = networkx.Graph([(one, two) for one in graph for two in graph[one]])
    largest = networkx.max_weight_matching(known, maxcardinality=True)
    mates = perfect(graph)
    assert (mates is not None) == (2 * len(largest) == len(graph))
    if mates is not None:
        assert mates.keys() == graph.keys()
        assert all(mates[mate] == vertex and mate in graph[vertex] for vertex, mate in mates.items())


@given(graphs())
@settings(max_examples=100)
def test_who_cannot_be_matched_changes_nothing(graph: Graph) -> None:
    if not graph:
        return
    mates: dict[int, int] = {}
    for vertex in graph:
        before = dict(mates)
        if vertex in mates:
            continue
        if augmented(graph, mates, vertex):
            assert mates.keys() >= before.keys() | {vertex}
        else:
            assert mates == before


def test_a_blossom_is_walked_around() -> None:
    """A triangle on a stem: greedily 1-2 would leave 0 and 3 alone."""
    assert perfect({0: [1, 2], 1: [2, 0], 2: [1, 0, 3], 3: [2]}) == {0: 1, 1: 0, 2: 3, 3: 2}
