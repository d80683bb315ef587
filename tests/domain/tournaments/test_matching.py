"""Best matchings, compared with all possible ones."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.domain.tournaments.swiss import Edge, best, folded

Edges = dict[Edge, tuple[int, int, int]]
MEASURES = st.tuples(st.integers(1, 2), st.integers(-3, 3), st.integers(-9, 9))
VERTICES = st.integers(0, 6)
EDGES = st.dictionaries(st.tuples(VERTICES, VERTICES).filter(lambda edge: edge[0] < edge[1]), MEASURES, max_size=12)


def literal_matchings(edges: list[Edge]) -> Iterator[list[Edge]]:
    if not edges:
        yield []
        return
    (one, two), *others = edges
    yield from literal_matchings(others)
    for matching in literal_matchings([edge for edge in others if not {one, two} & {*edge}]):
        yield [(one, two), *matching]


def sums(edges: Edges, chosen: list[Edge]) -> list[int]:
    return [sum(edges[edge][measure] for edge in chosen) for measure in range(3)]


@given(EDGES)
@settings(max_examples=200)
def test_no_matching_has_better_sums(edges: Edges) -> None:
    chosen = sorted(best(edges))
    vertices = [vertex for edge in chosen for vertex in edge]
    assert len(set(vertices)) == len(vertices)
    assert sums(edges, chosen) == max(sums(edges, matching) for matching in literal_matchings(list(edges)))


@given(EDGES)
def test_one_integer_orders_matchings_as_the_measures_do(edges: Edges) -> None:
    weights = folded(edges)
    found = [(sum(weights[edge] for edge in m), sums(edges, m)) for m in literal_matchings(list(edges))]
    assert [measures for _, measures in sorted(found)] == sorted(measures for _, measures in found)


def test_nothing_is_matched_where_nothing_is() -> None:
    assert best({}) == set()
