"""Sets that are merged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

__all__ = ["DisjointSet"]


class DisjointSet:
    """Disjoint subsets of hashable objects of the host. See `scipy.cluster.hierarchy.DisjointSet`.

    Parameters
    ----------
    elements
        The first elements, each a subset of its own.

    >>> sets = cp.scipy.cluster.hierarchy.DisjointSet([1, 2, 3])
    >>> sets.merge(1, 3), sets.connected(1, 3), sets.subsets()
    (True, True, [{1, 3}, {2}])
    """

    def __init__(self, elements: Iterable[Hashable] | None = None) -> None:
        self.n_subsets = 0
        self._parents: dict[Any, Any] = {}
        self._members: dict[Any, list[Any]] = {}
        self._order: dict[Any, int] = {}
        for element in elements or ():
            self.add(element)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parents)

    def __len__(self) -> int:
        return len(self._parents)

    def __contains__(self, x: Hashable) -> bool:
        return x in self._parents

    def __getitem__(self, x: Hashable) -> Any:
        """The root of the subset of an element; `KeyError` for others."""
        if x not in self._parents:
            raise KeyError(x)
        parents = self._parents
        while parents[x] != x:
            parents[x] = parents[parents[x]]
            x = parents[x]
        return x

    def add(self, x: Hashable) -> None:
        """Adds an element, a subset of its own."""
        if x not in self._parents:
            self._parents[x], self._members[x], self._order[x] = x, [x], len(self._order)
            self.n_subsets += 1

    def merge(self, x: Hashable, y: Hashable) -> bool:
        """Joins the subsets of two elements; false if they are one already."""
        first, second = self[x], self[y]
        if first == second:
            return False
        # The larger one stays; of two of one size the root that was added first.
        rank = {root: (-len(self._members[root]), self._order[root]) for root in (first, second)}
        first, second = sorted((first, second), key=rank.__getitem__)
        self._parents[second] = first
        self._members[first] += self._members.pop(second)
        self.n_subsets -= 1
        return True

    def connected(self, x: Hashable, y: Hashable) -> bool:
        """Whether two elements are in one subset."""
        return self[x] == self[y]

    def subset(self, x: Hashable) -> set[Any]:
        """The subset of an element."""
        return set(self._members[self[x]])

    def subset_size(self, x: Hashable) -> int:
        """How many elements the subset of an element has."""
        return len(self._members[self[x]])

    def subsets(self) -> list[set[Any]]:
        """All subsets, by their first elements."""
        seen: dict[Any, set[Any]] = {}
        for element in self._parents:
            seen.setdefault(self[element], set()).add(element)
        return list(seen.values())
