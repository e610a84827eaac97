"""What the differential tests share: drawn arrays in any layout, and the comparison of two runs.

`CUPROXIDE_TEST_CASES=5000` draws that many cases for each test instead of a few.
"""

import cuproxide as cp
import hypothesis
import numpy as np
import pytest
from effort import CASES, drawn
from helpers import NUMPY_DTYPES, check, compare, settle, to_device
from hypothesis import strategies as st

EDGES = {
    "b": [False, True],
    "i": [0, 1, -1, 2, 3, -7, 100],
    "u": [0, 1, 2, 3, 7, 100],
    "f": [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, np.inf, -np.inf, np.nan, 1e4],
}
TAME = {"b": [False, True], "i": [0, 1, -1, 2, 3, -7], "u": [0, 1, 2, 3, 7], "f": [0.0, 1.0, -1.0, 0.5, -2.5, 3.0]}


def cases(few=60):
    """Settings of a test: a few cases that are always the same, or as many new ones as asked for."""
    if CASES:
        # Reducing a failure takes minutes, and one printed case is enough.
        phases = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
        return hypothesis.settings(
            max_examples=CASES, derandomize=False, database=None, report_multiple_bugs=False, phases=phases
        )
    return hypothesis.settings(max_examples=drawn(few), report_multiple_bugs=False)


dtypes = st.sampled_from(NUMPY_DTYPES)
lengths = st.integers(0, 4)


def shapes(least=0, most=4):
    """Shapes with axes of 0 to 4 elements."""
    return st.lists(lengths, min_size=least, max_size=most).map(tuple)


@st.composite
def values(draw, dtype, count, tame=False):
    """Elements of a dtype, edge cases included; few different ones, so that ties are likely."""
    pool = (TAME if tame else EDGES)["f" if dtype.kind == "c" else dtype.kind]
    if dtype.kind in "iu" and not tame:
        info = np.iinfo(dtype)
        pool = [value for value in (*pool, info.min, info.max) if info.min <= value <= info.max]
    items = draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count))
    if dtype.kind == "c":
        parts = draw(st.lists(st.sampled_from(pool), min_size=count, max_size=count))
        return np.array([complex(re, im) for re, im in zip(items, parts, strict=True)], dtype)
    return np.array(items, dtype)


@st.composite
def laid_out(draw, host):
    """The same array in C, Fortran, permuted, strided or reversed memory."""
    layout = draw(st.sampled_from(["C", "C", "F", "permuted", "strided", "reversed"]))
    if host.ndim == 0 or layout == "C":
        return host
    if layout == "F":
        return np.asfortranarray(host)
    if layout == "permuted":
        order = draw(st.permutations(range(host.ndim)))
        return np.ascontiguousarray(host.transpose(order)).transpose(np.argsort(order))
    if layout == "reversed":
        axes = tuple(axis for axis in range(host.ndim) if draw(st.booleans()))
        return np.flip(np.ascontiguousarray(np.flip(host, axes)), axes)
    wide = np.zeros((*host.shape[:-1], 2 * host.shape[-1]), host.dtype)
    wide[..., ::2] = host
    return wide[..., ::2]


@st.composite
def arrays(draw, dtype=None, shape=None, tame=False, least=0, most=4):
    """Arrays of any dtype, shape and layout."""
    dtype = draw(dtypes) if dtype is None else np.dtype(dtype)
    shape = draw(shapes(least, most)) if shape is None else shape
    host = draw(values(dtype, int(np.prod(shape)), tame)).reshape(shape)
    return draw(laid_out(host))


@st.composite
def axes_of(draw, ndim, several=True):
    """An `axis=` argument: valid nearly always."""
    if ndim == 0:
        return draw(st.sampled_from([None, None, (), 0, -1]))
    single = st.integers(-ndim, ndim - 1)
    options = [st.none(), single, single]
    if several:
        options.append(st.lists(single, max_size=ndim).map(tuple))
    options.append(st.just(ndim))
    return draw(st.one_of(options))


def both(function, *hosts, ulp=0, scale=None, any_error=False, **options):
    """Compares two runs: values, dtype, shape, or the type of the exception.

    With `any_error` the exceptions may differ, for calls that are wrong in more than one way.
    """
    if any_error:
        try:
            function(np, *(np.array(host) for host in hosts))
        except Exception:
            devices = [to_device(host) for host in hosts]
            with pytest.raises((TypeError, ValueError, IndexError, OverflowError)):
                settle(function(cp, *devices))
            return
    compare(function, *hosts, ulp=ulp, scale=scale, **options)


__all__ = [
    "both",
    "arrays",
    "axes_of",
    "cases",
    "check",
    "dtypes",
    "laid_out",
    "shapes",
    "values",
]
