"""Indices, dictionaries and types of sparse arrays that were refused or lost, each as a call beside SciPy."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

ours = cp.scipy.sparse
DENSE = np.array([[0.0, 2.0, 0.0], [4.0, 0.0, 5.0], [0.0, 7.0, 0.0]])


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "csr_matrix", "lil_matrix"])
def test_an_index_may_be_an_array_without_axes(kind):
    a = getattr(ours, kind)(getattr(scipy.sparse, kind)(DENSE))
    at = cp.argmax(cp.asarray([0.0, 3.0, 1.0]))
    theirs = getattr(scipy.sparse, kind)(DENSE)[np.int64(1), 2]
    assert float(a[at, 2]) == float(theirs) == 5.0


@pytest.mark.parametrize("kind", ["dok_array", "lil_array", "csr_array"])
def test_an_ellipsis_after_all_axes_stands_for_none(kind):
    a = getattr(ours, kind)(getattr(scipy.sparse, kind)(DENSE))
    assert float(a[1, 0, ...]) == 4.0


def test_a_column_of_a_csc_matrix_is_one():
    a = ours.csc_matrix(scipy.sparse.csc_matrix(DENSE)).getcol(1)
    assert a.format == "csc" and a.shape == (3, 1)
    np.testing.assert_array_equal(a.toarray().get().ravel(), DENSE[:, 1])


@pytest.mark.parametrize("kind", ["csr_array", "csr_matrix", "csc_matrix", "lil_array"])
def test_a_text_is_no_index(kind):
    for module, make in ((scipy.sparse, lambda m: m), (ours, lambda m: m)):
        a = getattr(module, kind)(make(getattr(scipy.sparse, kind)(DENSE)))
        with pytest.raises(IndexError):
            a[2, "foo"]


def test_a_table_joins_a_dictionary():
    theirs = scipy.sparse.dok_matrix(DENSE) | {(0, 0): 9.0}
    found = ours.dok_matrix(scipy.sparse.dok_matrix(DENSE)) | {(0, 0): 9.0}
    assert {key: float(value) for key, value in dict(found.items()).items()} == dict(theirs.items())


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
@pytest.mark.parametrize("dtype, start", [("f", "f"), ("f", "d"), ("d", "f"), ("d", "D")])
def test_a_first_guess_counts_in_the_type(solver, dtype, start):
    a, b, x0 = DENSE.astype(dtype), np.ones(3, dtype), np.zeros(3, start)
    theirs = getattr(scipy.sparse.linalg, solver)(a, b, x0=x0)[0]
    found = getattr(ours.linalg, solver)(cp.asarray(a), cp.asarray(b), x0=cp.asarray(x0))[0]
    assert found.dtype == theirs.dtype


def test_a_row_of_elements_grows_into_a_matrix_with_all_of_them():
    theirs, found = (
        m.coo_array((c([1.0, 2.0, 3.0]), (c([0, 1, 3]),)), shape=(4,))
        for m, c in ((scipy.sparse, np.array), (ours, cp.array))
    )
    for each in (theirs, found):
        each.resize((2, 2))
    np.testing.assert_array_equal(found.toarray().get(), theirs.toarray())


def test_an_element_of_a_lil_array_with_a_new_axis_is_sparse():
    dense = np.arange(12.0).reshape(4, 3)
    for key in ((None, 1, 2), (1, None, 2), (1, 2, None)):
        found = ours.lil_array(cp.asarray(dense))[key]
        assert found.format == "coo" and found.toarray().tolist() == [dense[1, 2]]
