"""Sums and assignments where the type of the elements decides: what repeats wraps, what does not fit fails."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse

ROWS, COLUMNS = np.array([0, 0, 1, 1, 0]), np.array([0, 0, 1, 0, 0])


def repeated(module, xp, format, kind, dtype):
    """A matrix whose first place is stored three times."""
    values = np.array([200, 100, 7, 0, 9]).astype(dtype)
    if format == "coo":
        parts = (xp.asarray(values), (xp.asarray(ROWS), xp.asarray(COLUMNS)))
    else:
        order = np.argsort(ROWS if format == "csr" else COLUMNS, kind="stable")
        minor = (COLUMNS if format == "csr" else ROWS)[order]
        ends = np.cumsum(np.bincount(ROWS if format == "csr" else COLUMNS, minlength=2))
        parts = tuple(map(xp.asarray, (values[order], minor, np.r_[0, ends])))
    return getattr(module, f"{format}_{kind}")(parts, shape=(2, 2))


@pytest.mark.parametrize("dtype", ["?", "b", "B", "h", "i", "q", "f"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("format", ["coo", "csr", "csc"])
def test_sums_of_what_repeats(format, kind, dtype):
    for call in (
        lambda x: x.sum(),
        lambda x: x.sum(axis=0),
        lambda x: x.sum(axis=1),
        lambda x: x.sum(dtype="f8"),
        lambda x: x.mean(),
        lambda x: x.mean(axis=1),
    ):
        found, wanted = (
            call(repeated(sparse, cp, format, kind, dtype)),
            call(repeated(scipy.sparse, np, format, kind, dtype)),
        )
        assert found.dtype == np.asarray(wanted).dtype
        np.testing.assert_array_equal(found.get().reshape(-1), np.asarray(wanted).reshape(-1))


def test_sums_of_blocks_that_repeat():
    data = np.ones((3, 2, 2), bool)
    parts = (data, np.array([0, 0, 1]), np.array([0, 2, 3]))
    host = scipy.sparse.bsr_array(parts, shape=(4, 4))
    found = sparse.bsr_array(tuple(map(cp.asarray, parts)), shape=(4, 4))
    assert int(found.sum()) == int(host.toarray().sum()) == 8


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        ("i", float("nan"), ValueError),
        ("q", float("inf"), OverflowError),
        ("B", -3, OverflowError),
        ("b", 200, OverflowError),
        ("d", 1j, TypeError),
        ("i", [1, float("nan")], ValueError),
    ],
)
@pytest.mark.parametrize("format", ["coo", "csr", "csc", "lil", "dok"])
def test_elements_that_the_type_cannot_hold(format, dtype, value, error):
    host = getattr(scipy.sparse, f"{format}_array")(np.eye(3, dtype=dtype))
    ours = getattr(sparse, f"{format}_array")(cp.eye(3, dtype=dtype))
    key = (0, slice(0, 2)) if isinstance(value, list) else (0, 0)
    if format != "dok":
        with pytest.raises(error):
            host[key] = value
    with pytest.raises(error):
        ours[key] = value
    np.testing.assert_array_equal(ours.toarray().get(), np.eye(3, dtype=dtype))
    with pytest.raises(error):
        ours.setdiag(value)
