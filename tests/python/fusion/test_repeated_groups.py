"""Repeated groups run by a plan, which depends on the steps, the types and the wanted results."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import fusion


def steps(xp, a, b, scalar):
    """Four operations; the result of each may be wanted."""
    first = a * b
    second = first + scalar
    third = second - a
    return first, second, third, third * third


@pytest.fixture(autouse=True)
def _deferred():
    with fusion.eager(False):
        yield


@pytest.mark.parametrize("shape", [(1,), (5,), (3, 4), (2, 1, 3)])
def test_every_choice_of_wanted_results(shape):
    a, b = np.arange(1.0, 1 + np.prod(shape)).reshape(shape), np.full(shape, 3.0)
    x, y = cp.asarray(a), cp.asarray(b)
    expected = steps(np, a, b, 0.5)
    for _ in range(2):
        for wanted in itertools.product([False, True], repeat=4):
            made = [one if keep else None for one, keep in zip(steps(cp, x, y, 0.5), wanted, strict=True)]
            cp.evaluate(*(one for one in made if one is not None))
            for one, right in zip(made, expected, strict=True):
                if one is not None:
                    np.testing.assert_array_equal(one.get(), right)


@pytest.mark.parametrize("turn", range(2))
def test_other_types_scalars_and_layouts(turn):
    shape = (3, 4)
    for left, right in itertools.product(["f4", "f8", "i4", "c16"], repeat=2):
        a, b = np.arange(12).reshape(shape).astype(left), np.arange(12, 0, -1).reshape(shape).astype(right)
        for scalar in (2, 0.5, np.float32(0.25), 1j):
            for order in ("C", "F"):
                x, y = cp.asarray(a, order=order), cp.asarray(b)
                for one, wanted in zip(steps(cp, x, y, scalar), steps(np, a, b, scalar), strict=True):
                    assert one.dtype == wanted.dtype
                    np.testing.assert_allclose(one.get(), wanted, rtol=1e-6)


def test_more_forms_than_plans_are_kept():
    x = cp.arange(4.0)
    for turn in range(2):
        for number in range(300):
            made = expected = None
            # The digits of the number choose the operations.
            for digit in range(9):
                if made is None:
                    made, expected = x + 1.0, np.arange(4.0) + 1.0
                elif number >> digit & 1:
                    made, expected = made * x, expected * np.arange(4.0)
                else:
                    made, expected = made + x, expected + np.arange(4.0)
            np.testing.assert_array_equal(made.get(), expected, err_msg=f"{turn} {number}")


def test_operands_that_stretch_and_errors():
    a, row, column = np.ones((3, 4)), np.arange(4.0), np.arange(3.0)[:, None]
    x, r, c = map(cp.asarray, (a, row, column))
    for one, other, p, q in (
        (x, r, a, row),
        (r, x, row, a),
        (x, c, a, column),
        (c, r, column, row),
        (r, c, row, column),
    ):
        result = (one + other) * one - other
        np.testing.assert_array_equal(result.get(), (p + q) * p - q)
    with pytest.raises(ValueError, match="could not be broadcast"):
        x + cp.ones(3)
    with pytest.raises(OverflowError):
        cp.ones(3, "u1") + 300
    assert (cp.ones(3, "u1") < 300).all()
    with pytest.raises(ValueError, match="negative integer powers"):
        cp.ones(3, "i8") ** -1


def test_what_is_pending_or_changed_meanwhile():
    x = cp.ones(4)
    view = (x + 1.0)[1:]
    np.testing.assert_array_equal((view * view).get(), [4, 4, 4])
    y = x * 2.0
    x += 1.0
    np.testing.assert_array_equal((y + x).get(), [4, 4, 4, 4])
    z = x + y
    y[1:3] = 7.0
    np.testing.assert_array_equal(z.get(), [4, 4, 4, 4])
    np.testing.assert_array_equal((y - z).get(), [-2, 3, 3, -2])


def test_slices_far_out():
    a = np.arange(10)
    x = cp.asarray(a)
    huge = 10**30
    for start, stop, step in itertools.product(
        [None, 2, -3, huge, -huge], [None, 7, -2, huge, -huge], [None, 3, -1, huge, -huge]
    ):
        part = slice(start, stop, step)
        np.testing.assert_array_equal(x[part].get(), a[part])
        np.testing.assert_array_equal(x[None, part].get(), a[None, part])
    for bad in (slice(None, None, 0), slice(0, 1.5), slice("a", None)):
        for array in (x, a):
            with pytest.raises((ValueError, TypeError)):
                array[bad]
