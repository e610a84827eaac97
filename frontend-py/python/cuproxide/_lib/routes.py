"""Which way work takes: the one place of the Python package that asks what kind of device it has.

A row says how an operation is done on a device that computes while its caller waits (`host`: a CPU) and on one that
runs beside the host with many threads (`beside`: a GPU). A way is a value, or a function of facts about the operation:
element counts, row lengths. The reason names the measurement that set a threshold; `not measured` marks those without
one on record.

What Rust decides stands in `core/src/routes.rs`: whether a device's library, primitive or solver is used instead of a
kernel. So the way of a sparse product is chosen there (library or own kernel), then by rows of this table (which
kernel).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _cuproxide as _core

_Device = _core.Device


class Route(NamedTuple):
    """The ways of an operation."""

    host: Any
    beside: Any
    why: str


def way(work: str, like: Any = None, *facts: Any) -> Any:
    """The way of an operation on the device of an array, by default the current one, with these facts."""
    # A device that runs beside the host is `asynchronous`: the columns are in this order.
    chosen = ROUTES[work][(_Device() if like is None else like.device).asynchronous]
    return chosen(*facts) if callable(chosen) else chosen


# ---------------------------------------------------------------------------------------------------------- thresholds

BANDS = 16
BANDED = 1 << 20
"""Elements from which on a CPU works in `BANDS` bands, so that what it makes on the way is a sixteenth of the image."""
FEW_TAPS = 512
"""Taps up to which a CPU adds up shifted views, which fuse."""
LINE, LINE_ALONG_MEMORY = 64, 40
"""Elements of the longest windows that a GPU unrolls; fewer along the memory, where threads share less."""
STENCIL_ROWS = 24
"""Weights along the last axis but one that a GPU unrolls."""
TABLED, UNROLLED = 1 << 16, 300
"""Results of a zoom from which on tables of taps pay; coefficients of a point that are written without a loop."""
TABLE_OF_INTEGERS = 4096
"""Elements from which on a table of integers is made to look them up in."""
SHORT = 64
"""Rows of sparse arrays up to this length are sorted by insertion."""
RANKED = 384
"""A GPU compares all pairs of elements in rows up to this length, rather than sort them."""
PAIRS = 1 << 28
"""Elements of a matrix that is reduced as it is computed: of larger ones, the expression may not fit into memory."""
DENSITY = 1 << 19
"""Threads that share the sums of a density, at least."""
LOOKED_AT = 4096
"""Elements up to which a CPU sorts without looking whether they are in order."""
EXPANDED = 1 << 27
"""Products that a GPU writes down; of more it adds up each row in a hash table."""
WHOLE = 32
"""Up to this average length, a CPU takes whole rows rather than shares of all elements."""
PIECE = 1024
"""Elements of a piece of a long row."""
SKEWED = 1 << 16
"""Elements from which on it is worth asking whether one row is much longer than the others."""
SHARED = 1 << 17
"""Elements up to which one thread of a CPU moves all of them to their rows."""
FEW_SOURCES = 256
"""Fewer sources of paths leave a GPU idle if each has one thread: all edges are relaxed at once instead."""
CACHED = 1 << 25
"""Bytes that caches of processors hold."""


def _team(elements: int, rows: int) -> int:
    return min(32, 1 << max(0, -(-elements // max(rows, 1)) - 1).bit_length())


def _label_run(size: int, last: int) -> tuple[int, int]:
    return 64, last if last >= 32 else 256


ROUTES: dict[str, Route] = {
    # ------------------------------------------------------------------------------------------------------- arrays
    "results apart": Route(
        True, False,
        "a CPU works block after block and looks for Ctrl-C between them; a GPU has all queued when a call returns",
    ),
    "look at elements first": Route(True, False, "a read costs a CPU no wait; a GPU is waited for"),
    "table of integers": Route(
        lambda size: size >= TABLE_OF_INTEGERS, False,
        "the range of the integers is a read, for which a GPU is waited for; not measured",
    ),
    "bands": Route(
        lambda size: BANDS if size >= BANDED else 1, 1,
        "convolve2d took five times SciPy's peak memory without bands, and twice with them",
    ),
    "bits by registers": Route(
        True, False,
        "a processor tells the truth of all bytes of a register at once; by words packbits took 54 us, NumPy 21",
    ),
    "diagonal in one thread": Route(
        True, lambda rows: rows <= 32,
        "det of 100 rows took a CPU 109 us by array operations, 70 us by one thread; a GPU's thread waits for reads",
    ),
    # ------------------------------------------------------------------------------------------------------- images
    "windows of a line in one launch": Route(
        False, lambda size, along_memory: size <= (LINE_ALONG_MEMORY if along_memory else LINE),
        "strips at both ends took a dozen launches a pass; the lengths were not measured",
    ),
    "windows over axes in one launch": Route(
        False, lambda rows: rows <= STENCIL_ROWS, "what windows share is read once; the rows were not measured"
    ),
    "weights stay": Route(False, True, "reading weights waits for a GPU"),
    "ranks of planes": Route(False, True, "histograms of columns are a primitive of GPUs; a CPU has none"),
    "ranks by histogram": Route(
        True, lambda count: count > 600, "a GPU has no registers for histograms: counting wins up to 600 elements"
    ),
    "lines of splines": Route(
        lambda lines: "whole" if lines >= 64 else "parts", lambda lines: "parts" if lines < 1 << 16 else "lines",
        "few lines leave threads idle, and a GPU needs many of them; not measured",
    ),
    "lines across memory": Route(
        False, True, "threads beside each other read neighbours, if lines do not run along the memory"
    ),
    "tables of a zoom": Route(
        False, lambda size, points: size >= TABLED and points <= UNROLLED,
        "taps are the same along each axis, but storing them is a launch; not measured",
    ),
    "flat elements": Route(False, True, "places of 32 bits leave registers of a GPU for sums"),
    "elements of a thread": Route(2048, 1, "other threads wait little for 2048 elements of a CPU; not measured"),
    "components in launches": Route(False, True, "processors look for the few pairs in vectors, and wait for nothing"),
    "distances of lines": Route(
        "lines", "bands", "a thread a line left a GPU idle: 4096 threads for 4096 x 4096 elements"
    ),
    "runs of labels": Route(
        lambda size, last: (max(64, min(4096, size // 64)), 1), _label_run,
        "neighbours mostly have one label: a run of them is added once; not measured",
    ),
    # ------------------------------------------------------------------------------------------------------ signals
    "rows of recurrences in chunks": Route(
        lambda rows: rows < 8, lambda rows: rows < 16384, "so many rows fill a device by themselves; not measured"
    ),
    "taps in a loop": Route(
        lambda taps: taps > FEW_TAPS, lambda taps: taps > 64,
        "recording a view costs a GPU's caller more than a loop in one kernel; not measured",
    ),
    "upsampling": Route(
        lambda taps, up: "phases" if taps <= FEW_TAPS and up <= 16 else "each", lambda taps, up: "between zeros",
        "as for taps in a loop",
    ),
    "segments in one kernel": Route(
        False, True, "a padded copy of the signal and two launches, beside vectors of a CPU's kernel without gathers"
    ),
    "power in one fold": Route(
        False, True, "real and imaginary parts are no contiguous operands, so that squares went through memory"
    ),
    "short rows in one kernel": Route(False, True, "as for taps in a loop"),
    "pairs of points": Route(False, True, "a thread of a GPU moves two neighbours of 32 bits as one word"),
    "states by powers": Route(False, True, "more products, of which each thread adds up those of one number"),
    "ranks of neighbours in one kernel": Route(False, lambda count: count <= 49, "as for taps in a loop"),
    "smoothing as a convolution": Route(False, True, "as for taps in a loop"),
    # -------------------------------------------------------------------------------------------------- point clouds
    "sums of any metric": Route(False, True, "processors compute mathematical functions of whole arrays in vectors"),
    "neighbours sorted in place": Route(True, False, "a CPU saves the memory of keys; a GPU sorts all rows at once"),
    "queries gathered by leaf": Route(
        True, False,
        "65,536 queries take a CPU 34.8 ms instead of 37.7: none waits for its coordinates (a GPU was not measured)",
    ),
    "periodogram by rows": Route(
        lambda pairs: pairs <= PAIRS, lambda pairs: pairs <= PAIRS,
        "sines of whole arrays have vectors on a CPU; a GPU has more threads than there are frequencies (not measured)",
    ),
    "nearest by sorting": Route(
        lambda points: points >= 32, lambda points: points >= 32,
        "sorting data takes a CPU as long as comparing them with some ten points; a GPU's way was not measured",
    ),
    "density by rows": Route(
        lambda dimensions, pairs: dimensions <= 4 and pairs <= PAIRS, False,
        "a pair takes a CPU 2.6 ns, 14 in a kernel's loop, whose exponentials have narrow vectors; more dimensions "
        "would not fuse. A GPU's way was not measured",
    ),
    "parts of a density": Route(
        lambda points, n: 1, lambda points, n: max(1, min(-(-DENSITY // max(points, 1)), n // 64)),
        "one thread a point left a GPU's units for float64 waiting: 4 warps each for 65,536 points",
    ),
    # ------------------------------------------------------------------------------------------------------- graphs
    "loops of one thread": Route("here", "on the host", "one thread of a GPU is slow, so operands are copied"),
    "all pairs": Route("pivots", "squares", "one loop of one thread, or log2(nodes) products of a matrix"),
    "strong components": Route("search", "colours", "a depth-first search is one thread's"),
    "weak components": Route("search", "hooks", "as for strong components"),
    "paths": Route(
        lambda sources: "heaps", lambda sources: "edges" if sources < FEW_SOURCES else "edges of many",
        "each source has one thread with a heap, which leaves a GPU idle if they are few; not measured",
    ),
    # ----------------------------------------------------------------------------------------------- sparse structure
    "lanes": Route(1, 8, "points that share a row: neighbours of a GPU read neighbouring elements; not measured"),
    "team": Route(lambda elements, rows: 1, _team, "as many points as a row has elements on average, up to a warp"),
    "atomics": Route(False, True, "threads of a CPU have columns of their own"),
    "rows of elements": Route("marks", "searches", "a sum over marks is one thread's order; searches share nothing"),
    "compression": Route("counts", "sorts", "a CPU counts in order; a GPU sorts"),
    "sort shared by threads": Route(
        lambda size, keys_of_bucket: size > SHARED and keys_of_bucket >= 4, False,
        "CSR to CSC and COO to CSR took one thread; few counters stay in a cache anyway",
    ),
    "order of places looked at": Route(
        lambda size: size > LOOKED_AT, lambda size: True,
        "a CPU sorts 4096 elements as fast as it looks whether they are sorted",
    ),
    "begins of rows": Route("in turn", "searched", "a CPU's thread looks on from the row before, in steps that double"),
    "order within rows": Route(
        "insertion", "comparison",
        "one thread a row read its own stretch of memory, ten times the traffic on a GPU; lengths not measured",
    ),
    "rows merged": Route("one by one", "element by element", "as for order within rows"),
    # ----------------------------------------------------------------------------------------------- sparse products
    "product in order": Route(True, False, "the order of SciPy's loops, of one thread"),
    "sparse product": Route(
        lambda total, longest: "tables",
        lambda total, longest: "tables" if total > EXPANDED else "comparison" if longest <= RANKED else "sort",
        "as for order within rows; all products take memory",
    ),
    "rows times vector": Route(
        lambda size, rows: "whole rows" if size < WHOLE * rows else "shares", lambda size, rows: "shares",
        "whole rows of up to 32 elements take a CPU 5 to 30 % less time than shares of all elements",
    ),
    "may be skewed": Route(
        lambda size, rows: SKEWED <= size < WHOLE * rows, lambda size, rows: size >= SKEWED,
        "a read is worth it from 65,536 elements on; a CPU shares out elements of longer rows anyway",
    ),
    "skewed": Route(
        lambda longest, size, rows: longest > size // 64,
        lambda longest, size, rows: longest > 8 * (PIECE + size // rows),
        "power-law rows took 6.5 ms on an H100, since one team added up the longest row",
    ),
    "long rows": Route("shares", "pieces", "threads of a CPU share long ranges"),
    "columns of a point": Route(
        (8, True), (4, False), "threads of a GPU read neighbouring columns, one of a CPU all of them; not measured"
    ),
    "columns added by a point": Route(8, 1, "as for columns of a point"),
    # ------------------------------------------------------------------------------------------------- sparse systems
    "columns between reads": Route(5, 10, "a device that runs ahead waits for each read; not measured"),
    "by levels": Route(False, True, "a GPU is better off with a launch a level than with one thread"),
    "basis on the device": Route(
        False, True, "a step of gmres took nine launches on a GPU, and takes five with its numbers on the device"
    ),
    "factors on the device": Route(False, True, "a CPU has the factors that the host made"),
    "vectors kept": Route(
        lambda vector: 48 if vector <= CACHED else 36,
        lambda vector: 64 if 64 * vector <= CACHED else 48 if vector <= CACHED else 36,
        "as long as they stay in a GPU's cache, more vectors cost little; not measured",
    ),
}  # fmt: skip
"""The ways of each work."""
