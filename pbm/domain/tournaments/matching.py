"""Matchings in general graphs that are best by several measures, compared one after the other; by networkx, exactly.

Every edge has an integer for each measure. Of two matchings the one with the greater sum of the first integers is
better, where these are equal the one with the greater sum of the second ones, and so on. An edge whose integers are
worse than none is left out, so a large matching comes of a first measure that is positive.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Edge = tuple[int, int]
"""Two vertices, the smaller number first."""


def best(edges: Mapping[Edge, Sequence[int]]) -> set[Edge]:
    """The edges of a best matching; which one of equals is not said, but always the same."""
    import networkx  # it takes a quarter of a second and 24 MB, and only a round of a Swiss needs it

    graph = networkx.Graph()
    graph.add_weighted_edges_from((*edge, weight) for edge, weight in folded(edges).items())
    return {(one, two) if one < two else (two, one) for one, two in networkx.max_weight_matching(graph)}


def folded(edges: Mapping[Edge, Sequence[int]]) -> dict[Edge, int]:
    """The measures of each edge as one integer: the sums of it are in the order of the sums of the measures."""
    most = len({vertex for edge in edges for vertex in edge}) // 2
    weights = [0] * len(edges)
    for column in zip(*edges.values(), strict=True):
        base = most * (max(0, *column) - min(0, *column)) + 1
        if base > 1:
            weights = [weight * base + value for weight, value in zip(weights, column, strict=True)]
    return dict(zip(edges, weights, strict=True))
