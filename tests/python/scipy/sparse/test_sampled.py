"""Dense products at the places of a sparse array."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.scipy import sparse


@pytest.mark.parametrize("dtypes", [("f8", "f8", "f8"), ("f4", "f4", "f4"), ("i4", "i2", "i8"), ("c16", "f8", "c8")])
@pytest.mark.parametrize("format", ["csr_array", "csc_matrix", "coo_array"])
def test_products(dtypes, format):
    random = np.random.default_rng(5)
    for rows, columns, length in ((1, 1, 1), (7, 5, 3), (40, 30, 70), (4, 6, 0), (0, 3, 2), (3, 0, 2)):
        dense = random.integers(-3, 4, (rows, columns)) * (random.random((rows, columns)) < 0.3)
        x, y = random.integers(-4, 5, (rows, length)), random.integers(-4, 5, (length, columns))
        dense, x, y = (part.astype(dtype) for part, dtype in zip((dense, x, y), dtypes, strict=True))
        array = getattr(sparse, format)(cp.asarray(dense))
        for order in ("C", "F"):
            second = cp.asarray(np.asarray(y, order=order))
            made = sparse.sampled_addmm(array, cp.asarray(x), second, beta=2, alpha=-3)
            assert made.format == "csr" and type(made).__name__.endswith(format[4:])
            wanted = (dense * 2 - 3 * (x @ y)) * (dense != 0)
            np.testing.assert_array_equal(made.toarray().get(), wanted)
            assert made.nnz == array.nnz
            only = sparse.sampled_addmm(array, cp.asarray(x)[::-1], second, beta=0)
            assert only.dtype == np.result_type(x, y)
            np.testing.assert_array_equal(only.toarray().get(), (x[::-1] @ y) * (dense != 0))


def test_places_that_repeat_and_bad_input():
    parts = cp.asarray([1.0, 2.0]), (cp.asarray([0, 0]), cp.asarray([1, 1]))
    twice = sparse.coo_array(parts, shape=(1, 2))
    made = sparse.sampled_addmm(twice, cp.ones((1, 4)), cp.ones((4, 2)))
    np.testing.assert_array_equal(made.toarray().get(), [[0, 7]])
    # What is not finite in places that do not count.
    made = sparse.sampled_addmm(sparse.csr_array([[np.nan, 0]]), cp.ones((1, 2)), cp.ones((2, 2)), beta=0)
    np.testing.assert_array_equal(made.toarray().get(), [[2, 0]])
    with pytest.raises(TypeError, match="A must be a sparse array, not ndarray"):
        sparse.sampled_addmm(cp.ones((2, 2)), cp.ones((2, 2)), cp.ones((2, 2)))
    for x, y in (((2, 3), (3, 2)), ((1, 3), (4, 2)), ((1, 3), (3, 1)), ((3,), (3, 2))):
        with pytest.raises(ValueError, match="inconsistent shapes"):
            sparse.sampled_addmm(twice, cp.ones(x), cp.ones(y))
