"""Perfect matchings in general graphs: Edmonds' blossom algorithm ("Paths, Trees, and Flowers", 1965), exact.

A graph maps every vertex to the vertices it may be matched with, the preferred ones first; the relation is symmetric.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

Graph = Mapping[int, Sequence[int]]


def perfect(graph: Graph) -> dict[int, int] | None:
    """Each vertex's partner; None if not all can have one."""
    if len(graph) % 2:
        return None
    mates: dict[int, int] = {}
    for vertex, others in graph.items():
        free = next((other for other in others if other not in mates), None) if vertex not in mates else None
        if free is not None:
            mates |= {vertex: free, free: vertex}
    return mates if all(vertex in mates or augmented(graph, mates, vertex) for vertex in graph) else None


def augmented(graph: Graph, mates: dict[int, int], root: int) -> bool:
    """Match a free vertex, by letting others change partners; False, and nothing changed, where that cannot be."""
    search = _Search(graph, mates, root)
    return search.run()


class _Search:
    """Breadth first from a free vertex along alternating paths. base: of the blossom a vertex is shrunk into.

    parent: from a vertex at an odd distance, or within a blossom, to the one before it.
    """

    def __init__(self, graph: Graph, mates: dict[int, int], root: int) -> None:
        self._graph, self._mates, self._root = graph, mates, root
        self._parent: dict[int, int] = {}
        self._base: dict[int, int] = {}
        self._queue = deque([root])
        self._even = {root}

    def run(self) -> bool:
        while self._queue:
            vertex = self._queue.popleft()
            for other in self._graph[vertex]:
                if self._meets_free(vertex, other):
                    self._augment(other)
                    return True
        return False

    def _meets_free(self, vertex: int, other: int) -> bool:
        """Take up an edge; True if it leads to another free vertex."""
        if self._of(vertex) == self._of(other) or self._mates.get(vertex) == other:
            return False
        if other in self._even:
            self._shrink(vertex, other)
        elif other not in self._parent:
            self._parent[other] = vertex
            mate = self._mates.get(other)
            if mate is None:
                return True
            self._even.add(mate)
            self._queue.append(mate)
        return False

    def _of(self, vertex: int) -> int:
        return self._base.get(vertex, vertex)

    def _shrink(self, one: int, two: int) -> None:
        """The odd cycle through an edge between two vertices at even distances becomes one of them."""
        base = self._common(one, two)
        inside: set[int] = set()
        self._mark(one, two, base, inside)
        self._mark(two, one, base, inside)
        for vertex in [*self._even, *self._parent]:
            if self._of(vertex) in inside:
                self._base[vertex] = base
                if vertex not in self._even:
                    self._even.add(vertex)
                    self._queue.append(vertex)

    def _common(self, one: int, two: int) -> int:
        """The last base that the ways from both to the root share."""
        passed = set()
        at: int | None = self._of(one)
        while at is not None:
            passed.add(at)
            at = self._before(at)
        at = self._of(two)
        while at not in passed:
            at = self._before(at)
            assert at is not None  # noqa: S101  both ways end at the root
        return at

    def _before(self, base: int) -> int | None:
        """The base two steps nearer to the root."""
        return None if base == self._root else self._of(self._parent[self._mates[base]])

    def _mark(self, vertex: int, child: int, base: int, inside: set[int]) -> None:
        """Note the way from vertex down to base so that it can be walked from its other end as well."""
        while self._of(vertex) != base:
            mate = self._mates[vertex]
            inside |= {self._of(vertex), self._of(mate)}
            self._parent[vertex] = child
            child, vertex = mate, self._parent[mate]

    def _augment(self, vertex: int) -> None:
        at: int | None = vertex
        while at is not None:
            partner = self._parent[at]
            following = self._mates.get(partner)
            self._mates[at], self._mates[partner] = partner, at
            at = following
