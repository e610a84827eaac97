"""Random programs: views, operators, assignments and reductions in any order give what NumPy gives.

What single operations hide shows here: aliasing, memory that is used again too early, stale caches.
"""

import cuproxide as cp
import numpy as np
from effort import drawn
from helpers import check
from hypothesis import given, settings
from hypothesis import strategies as st

DTYPES = [np.dtype(name) for name in ("bool", "int8", "int32", "int64", "uint8", "float32", "float64", "complex64")]

VIEWS = {
    "reverse": lambda xp, x: x[::-1],
    "step": lambda xp, x: x[1::2],
    "transpose": lambda xp, x: x.T,
    "row": lambda xp, x: x[-1:],
    "columns": lambda xp, x: x[..., 1:],
    "new axis": lambda xp, x: x[None] if x.ndim < 4 else x,
    "first": lambda xp, x: x[0] if x.ndim > 1 else x,
    "ravel": lambda xp, x: x.ravel(),
    "broadcast": lambda xp, x: x + xp.zeros((2,) + (1,) * x.ndim, x.dtype) if x.ndim < 4 else x,
}
VALUES = {
    "add": lambda xp, x, y: x + y,
    "multiply": lambda xp, x, y: x * y,
    "maximum": lambda xp, x, y: xp.maximum(x, y),
    "less": lambda xp, x, y: x < y,
    "where": lambda xp, x, y: xp.where(x != 0, x, y),
    "equal": lambda xp, x, y: x == y,
    "absolute": lambda xp, x, y: xp.absolute(x.real),
    "scalar": lambda xp, x, y: x * 3,
    "sum": lambda xp, x, y: x.sum(axis=-1),
    "max": lambda xp, x, y: x.max(axis=0) if x.shape[0] else x,
    "cumsum": lambda xp, x, y: x.cumsum(axis=0),
    "sort": lambda xp, x, y: xp.sort(x, axis=-1),
    "any": lambda xp, x, y: x.any(axis=0),
    "copy": lambda xp, x, y: x.copy(),
    "take": lambda xp, x, y: x.take([0, 0], axis=-1) if x.shape[-1] else x,
    "nonzero": lambda xp, x, y: xp.nonzero(x)[0].copy(),
    "concatenate": lambda xp, x, y: xp.concatenate([x.ravel()[:20], y.ravel()[:20]]),
}


def assign_constant(xp, x, y):
    x[...] = 1


def assign_part(xp, x, y):
    x[::2] = x[:1]


def assign_mask(xp, x, y):
    x[x == x.dtype.type(1)] = 0


def assign_shifted(xp, x, y):
    x[1:] = x[:-1]


def assign_index(xp, x, y):
    x[[0, -1]] = x[[-1, 0]]


def add_in_place(xp, x, y):
    if x.dtype != np.bool_:
        x += x.dtype.type(2)


def add_itself(xp, x, y):
    xp.logical_xor(x, x[::-1], out=x) if x.dtype == np.bool_ else xp.add(x, x[::-1], out=x)


CHANGES = [assign_constant, assign_part, assign_mask, assign_shifted, assign_index, add_in_place, add_itself]

steps = st.one_of(
    st.tuples(st.just("view"), st.integers(0, 9), st.sampled_from(sorted(VIEWS))),
    st.tuples(st.just("value"), st.integers(0, 9), st.sampled_from(sorted(VALUES)), st.integers(0, 9)),
    st.tuples(st.just("change"), st.integers(0, 9), st.sampled_from(CHANGES)),
    st.tuples(st.just("drop"), st.integers(0, 9)),
)


def run(xp, starts, program):
    """Runs a program over a growing list of arrays and returns them all; steps that NumPy refuses do nothing."""
    arrays = [xp.asarray(start.copy()) for start in starts]
    for step in program:
        kind, index = step[:2]
        x = arrays[index % len(arrays)]
        if x.ndim == 0 or x.size == 0:
            continue
        if kind == "drop":
            if len(arrays) > 1:
                del arrays[index % len(arrays)]
            continue
        try:
            if kind == "view":
                arrays.append(VIEWS[step[2]](xp, x))
            elif kind == "value":
                arrays.append(VALUES[step[2]](xp, x, arrays[step[3] % len(arrays)]))
            else:
                step[2](xp, x, None)
        except (TypeError, ValueError) as error:
            arrays.append(xp.asarray([len(type(error).__name__) * 0]))
    return arrays


@settings(max_examples=drawn(400))
@given(
    st.lists(
        st.tuples(st.sampled_from(DTYPES), st.sampled_from([(3, 4), (5,), (2, 3, 4), (1, 6)])), min_size=1, max_size=3
    ),
    st.lists(steps, min_size=1, max_size=12),
    st.integers(0, 2**32 - 1),
)
def test_random_programs(kinds, program, seed):
    random = np.random.default_rng(seed)
    # Small whole numbers, so that sums are exact in every order.
    starts = [random.integers(0, 4, shape).astype(dtype) for dtype, shape in kinds]
    expected, actual = run(np, starts, program), run(cp, starts, program)
    assert len(actual) == len(expected)
    for one, other in zip(actual, expected, strict=True):
        check(one, other, ulp=8 if np.asarray(other).dtype.kind in "fc" else 0)
