"""Sparse matrices compared with a row, a column or one element, which CuPy repeats."""

import operator
import warnings

import cuproxide as cp
import numpy as np
import pytest

DENSE = np.array([[1.0, 0, -2, 0], [0, 3, 0, 0], [5, 0, 0, -1]])
OTHERS = {"row": DENSE[:1] + [[0, 2, 0, 0]], "column": np.array([[1.0], [0], [-2]]), "element": np.array([[3.0]])}
COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]


@pytest.mark.parametrize("other", OTHERS)
@pytest.mark.parametrize("formats", [("csr", "csr"), ("csc", "csr"), ("coo", "csc")])
@pytest.mark.parametrize("swapped", [False, True])
def test_repeated(cupy, other, formats, swapped):
    from cupyx.scipy import sparse

    pair = [(DENSE, formats[0]), (OTHERS[other], formats[1])][:: -1 if swapped else 1]
    a, b = (getattr(sparse, f"{kind}_matrix")(cupy.asarray(values)) for values, kind in pair)
    (x, _), (y, _) = pair
    for name in COMPARISONS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sparse.SparseEfficiencyWarning)
            found = getattr(operator, name)(a, b)
        assert sparse.issparse(found) and found.dtype == bool
        np.testing.assert_array_equal(found.toarray().get(), getattr(operator, name)(x, y), err_msg=name)
    for name in ("maximum", "minimum"):
        found = getattr(a, name)(b)
        assert sparse.issparse(found)
        np.testing.assert_array_equal(found.toarray().get(), getattr(np, name)(x, y), err_msg=name)


def test_shapes_that_do_not_fit(cupy):
    from cupyx.scipy import sparse

    a, b = sparse.csr_matrix(cupy.asarray(DENSE)), sparse.csr_matrix(cupy.ones((1, 3)))
    assert (a == b) is False and (a != b) is True
    for call in (lambda: a < b, lambda: a.maximum(b)):
        with pytest.raises(ValueError, match="inconsistent shapes"):
            call()


def test_one_shape_without_compat():
    a, b = (cp.scipy.sparse.csr_matrix(cp.asarray(values)) for values in (DENSE, OTHERS["row"]))
    assert (a != b) is True
    with pytest.raises(ValueError, match="inconsistent shapes"):
        a.maximum(b)
