"""Reductions of operands that begin between two packs of 16 bytes: computed where they are read, bits as of stored."""

import cuproxide as cp
import launches
import numpy as np
import pytest
from cuproxide import fusion

pytestmark = pytest.mark.usefixtures("deferring")


def check(work, *arguments):
    """Compares results with those of running every operation at once, while kernels compile and afterwards."""
    with fusion.eager():
        wanted = work(*arguments).get()
    for _ in range(3):
        found = work(*arguments)
        cp.evaluate(found)
        fusion.wait()
        np.testing.assert_array_equal(np.atleast_1d(found.get()).view("u1"), np.atleast_1d(wanted).view("u1"))


def drawn(shape, dtype):
    values = np.random.default_rng(7).normal(size=shape) * 4
    return cp.asarray((values + 1j * values[..., ::-1] if np.dtype(dtype).kind == "c" else values).astype(dtype))


# Views whose lines begin at several places, of one shape.
LINES = {
    "one": lambda x: (x[1:-1], x[1:-1]),
    "neighbours": lambda x: (x[2:], x[:-2]),
    "both shifted": lambda x: (x[1:-1], x[2:]),
    "three": lambda x: (x[2:] - x[1:-1], x[:-2]),
    "stretched": lambda x: (x[1:-1], cp.broadcast_to(x[2], x[1:-1].shape)),
}


@pytest.mark.parametrize("views", LINES)
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8", "c16", "i4"])
def test_lines(views, dtype):
    for count in (3, 17, 1000, 70_001):
        x = drawn(count, dtype)

        def sums(x):
            a, b = LINES[views](x)
            return (a * b).sum()

        def largest(x):
            a, b = LINES[views](x)
            return (a + b).max()

        check(sums, x)
        check(largest, x)


INTERIORS = {
    "middle": (slice(1, -1), slice(1, -1)),
    "columns": (slice(None), slice(1, -1)),
    "rows": (slice(1, None), slice(None)),
    "last": (slice(None, -1), slice(2, None)),
}


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)], ids=str)
@pytest.mark.parametrize("interior", INTERIORS)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
def test_planes(interior, axis, dtype):
    # Widths of the interior that are whole packs, and that are not.
    for shape in ((5, 34), (40, 33), (3, 1002), (300, 7), (129, 130)):
        x, y = drawn(shape, dtype), drawn(shape, dtype) + 1
        view = INTERIORS[interior]
        check(lambda x, y, view=view: (x[view] * y[view] - x[view]).sum(axis=axis), x, y)
        check(lambda x, y, view=view: abs(x[view] - x[view][0]).mean(axis=axis), x, y)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_planes_beside_dense_ones(dtype):
    """A dense operand beside one that is a part of a larger array, or a row, or a column."""
    for rows, columns in ((6, 32), (6, 31), (128, 130), (33, 9)):
        dense, large = drawn((rows, columns), dtype), drawn((rows + 2, columns + 3), dtype)
        part, row, column = large[1:-1, 1:-2], large[0, 1:-2], large[1:-1, :1]
        for axis in (None, 0, 1):
            for other in (part, row, column, part + row, row + column):
                check(lambda a, b, axis=axis: (a * b).sum(axis=axis), dense, other)
                check(lambda a, b, axis=axis: (b - a).var(axis=axis), dense, other)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c8"])
def test_masks(dtype):
    """A mask is read beside elements, stored or computed: packs are as wide as both allow."""
    for rows, columns in ((6, 32), (6, 31), (128, 130), (3, 1000), (1, 1000), (70, 1)):
        dense, large = drawn((rows, columns), dtype), drawn((rows + 2, columns + 3), dtype)
        parts = {"dense": dense + 1, "part": large[1:-1, 1:-2]}
        masks = {
            "dense": dense.real > 0,
            "part": (large.real > 0)[1:-1, 1:-2],
            "row": large.real[0, 1:-2] > 0,
            "transposed": cp.ascontiguousarray((dense.real > 0).T).T,
        }
        cp.evaluate(*parts.values(), *masks.values())
        for axis in (None, 0, 1):
            for part in parts.values():
                for mask in masks.values():
                    check(lambda a, b, m, axis=axis: (a * b).sum(axis=axis, where=m), dense, part, mask)


def test_one_kernel():
    """The energy of a gradient is one kernel, wherever its operands begin."""
    x = drawn(100_001, "f8")
    cp.evaluate(x)
    for work in (
        lambda: ((x[1:] - x[:-1]) ** 2).sum(),
        lambda: (x[1:] * 3.0).sum(),
        lambda: cp.trapezoid(x, dx=0.5),
    ):
        assert len(launches.kernels(lambda work=work: cp.evaluate(work()))) == 1


@pytest.mark.parametrize("shape", [(2, 1000), (1, 1000), (1, 1, 1000), (50, 1)], ids=str)
def test_one_kernel_with_a_mask(shape):
    x, y = drawn(shape, "f8"), drawn(shape, "f8") + 1
    mask = x > 0
    cp.evaluate(x, y, mask)
    for axis in (None, -1):
        assert len(launches.kernels(lambda axis=axis: cp.evaluate((x * y).sum(axis=axis, where=mask)))) == 1
