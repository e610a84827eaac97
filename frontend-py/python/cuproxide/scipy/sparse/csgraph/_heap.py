"""A binary heap of nodes by their distances, with the place of each node in it."""

from __future__ import annotations

from ...._lib import kernel as k

__all__ = ["fall", "rise"]


@k.function
def rise(heap, place, dist, at, node):
    """Puts a node into a heap at a free place, or above."""
    length = dist[node]
    rising = at > 0
    while rising:
        above = (at - 1) >> 1
        other = heap[above]
        if dist[other] > length:
            heap[at] = other
            place[other] = at
            at = above
            rising = at > 0
        else:
            rising = False
    heap[at] = node
    place[node] = at


@k.function
def fall(heap, place, dist, size):
    """Puts the last of `size` + 1 nodes of a heap to its front, or below."""
    node = heap[size]
    length = dist[node]
    at, child = 0, 1
    while child < size:
        if child + 1 < size and dist[heap[child + 1]] < dist[heap[child]]:
            child += 1
        other = heap[child]
        if dist[other] < length:
            heap[at] = other
            place[other] = at
            at = child
            child = 2 * at + 1
        else:
            child = size
    heap[at] = node
    place[node] = at
