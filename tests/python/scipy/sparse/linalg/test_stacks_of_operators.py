"""Linear operators with axes before rows and columns, as of SciPy 1.18: a product with each matrix of the stack."""

import cuproxide as cp
import numpy as np
import pytest

pytest.importorskip("scipy")
ours = cp.scipy.sparse.linalg
RANDOM = np.random.default_rng(1)
A, B = RANDOM.normal(size=(2, 4, 3, 2)) + 1j * RANDOM.normal(size=(2, 4, 3, 2))
SQUARE = RANDOM.normal(size=(4, 3, 3))


def of_functions():
    """The stack `A` by functions of vectors alone."""
    device = cp.array(A)
    adjoint = device.mT.conj()
    return ours.LinearOperator(
        A.shape, matvec=lambda v: (device @ v[..., None])[..., 0], rmatvec=lambda v: (adjoint @ v[..., None])[..., 0]
    )


class OfMatrices(ours.LinearOperator):
    """The stack `A` by products with matrices alone."""

    def __init__(self):
        super().__init__(A.dtype, A.shape)
        self.device = cp.array(A)

    def _matmat(self, X):
        return self.device @ X

    def _rmatmat(self, X):
        return self.device.mT.conj() @ X


STACKS = {
    "matrices": lambda: (ours.aslinearoperator(cp.array(A)), A),
    "functions": lambda: (of_functions(), A),
    "subclass": lambda: (OfMatrices(), A),
    "adjoint": lambda: (of_functions().H, A.swapaxes(1, 2).conj()),
    "transpose": lambda: (OfMatrices().T, A.swapaxes(1, 2)),
    "sum": lambda: (ours.aslinearoperator(cp.array(A)) + ours.aslinearoperator(cp.array(B)), A + B),
    "sum with one": lambda: (of_functions() - 2j * ours.aslinearoperator(cp.array(B[0])), A - 2j * B[0]),
    "product": lambda: (of_functions() @ ours.aslinearoperator(cp.array(A[2].T)), A @ A[2].T),
    "wide product": lambda: (
        OfMatrices() @ ours.aslinearoperator(cp.array(B[:3, None].swapaxes(2, 3))),
        A @ B[:3, None].swapaxes(2, 3),
    ),
    "power": lambda: (ours.aslinearoperator(cp.array(SQUARE)) ** 2, SQUARE @ SQUARE),
    "power of nothing": lambda: (ours.aslinearoperator(cp.array(SQUARE)) ** 0, np.broadcast_to(np.eye(3), (4, 3, 3))),
    "one matrix": lambda: (ours.aslinearoperator(cp.array(A[0])), A[0]),
    "one sparse matrix": lambda: (ours.aslinearoperator(cp.scipy.sparse.csr_array(cp.array(A[0]))), A[0]),
    "one of functions": lambda: (ours.LinearOperator((3, 2), matvec=lambda v: cp.array(A[0]) @ v, dtype=complex), A[0]),
}


@pytest.mark.parametrize("kind", STACKS)
def test_products(kind):
    operator, dense = STACKS[kind]()
    rows, columns = dense.shape[-2:]
    assert (operator.shape, operator.ndim) == (dense.shape, dense.ndim)
    assert "x".join(map(str, dense.shape)) in repr(operator)
    leading = {(), dense.shape[:-2], (5, *(1,) * (dense.ndim - 2))}
    for stack in leading:
        v, X = RANDOM.normal(size=(*stack, columns)), RANDOM.normal(size=(*stack, columns, 4))
        for found, expected in (
            (operator.matvec(cp.array(v)), (dense @ v[..., None])[..., 0]),
            (operator.matmat(cp.array(X)), dense @ X),
            (operator @ cp.array(X), dense @ X),
        ):
            assert found.shape == expected.shape
            np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-12, atol=1e-14)
    column = RANDOM.normal(size=(columns, 1))
    np.testing.assert_allclose(cp.asnumpy(operator.matvec(cp.array(column))), dense @ column, rtol=1e-12, atol=1e-14)
    if kind == "one of functions":
        return
    adjoint = dense.swapaxes(-1, -2).conj()
    for stack in leading:
        v, X = RANDOM.normal(size=(*stack, rows)), RANDOM.normal(size=(*stack, rows, 2))
        for found, expected in (
            (operator.rmatvec(cp.array(v)), (adjoint @ v[..., None])[..., 0]),
            (operator.H.matvec(cp.array(v)), (adjoint @ v[..., None])[..., 0]),
            (operator.rmatmat(cp.array(X)), adjoint @ X),
            (operator.rdot(cp.array(X.swapaxes(-1, -2))), X.swapaxes(-1, -2) @ dense),
        ):
            assert found.shape == expected.shape
            np.testing.assert_allclose(cp.asnumpy(found), expected, rtol=1e-12, atol=1e-14)


def test_vectors_reach_functions_of_one_map_one_at_a_time():
    """A function that was written for single vectors is not given several."""
    seen = []

    def product(v):
        seen.append(v.shape)
        return v.reshape(-1)[:2] * 2

    operator = ours.LinearOperator((2, 3), matvec=product, dtype=float)
    found = operator.matvec(cp.arange(12.0).reshape(4, 3))
    np.testing.assert_array_equal(cp.asnumpy(found), 2 * np.arange(12.0).reshape(4, 3)[:, :2])
    assert set(seen) == {(3, 1)} and len(seen) == 4


def test_refusals():
    operator = ours.aslinearoperator(cp.array(A))
    for call in (
        lambda: operator.matvec(cp.ones((3, 2))),
        lambda: operator.matvec(cp.ones((4, 2, 1))),
        lambda: operator.matvec(cp.ones(())),
        lambda: operator.matmat(cp.ones(2)),
        lambda: operator.matmat(cp.ones((3, 2, 5))),
        lambda: operator @ cp.ones((4, 2)),
        lambda: operator**2,
        lambda: operator + ours.aslinearoperator(cp.array(A[:3])),
        lambda: operator @ ours.aslinearoperator(cp.ones((3, 2, 2))),
        lambda: ours.LinearOperator((3,), matvec=lambda v: v),
        lambda: ours.LinearOperator((-1, 2, 3), matvec=lambda v: v),
    ):
        with pytest.raises(ValueError, match=r"shape|dimension|2-d|broadcast|square"):
            call()


@pytest.mark.parametrize(
    "solve", ["cg", "gmres", "bicgstab", "minres", "lsqr", "lsmr", "bicg", "cgs", "qmr", "tfqmr", "gcrotmk", "lgmres"]
)
def test_solvers_want_one_matrix(solve):
    with pytest.raises(ValueError, match="3-dimensional `A` is unsupported"):
        getattr(ours, solve)(ours.aslinearoperator(cp.array(SQUARE)), cp.ones(3))


@pytest.mark.parametrize("solve", ["eigsh", "eigs", "svds"])
def test_eigenvalues_are_those_of_one_matrix(solve):
    with pytest.raises(ValueError, match="3-dimensional `A` is unsupported"):
        getattr(ours, solve)(ours.aslinearoperator(cp.array(SQUARE)), k=1)
