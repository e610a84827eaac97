"""Feedbacks that place the poles of systems in state space, on the host."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..._lib.results import Result

__all__ = ["place_poles"]

_LEAST = np.sqrt(np.finfo(float).eps)


def _in_order(poles: np.ndarray) -> np.ndarray:
    """Real poles first, then pairs, the one with the negative imaginary part first."""
    found = list(np.sort(poles[np.isreal(poles)]))
    for pole in np.sort(poles[poles.imag < 0]):
        if np.conj(pole) not in poles:
            raise ValueError("Complex poles must come with their conjugates")
        found.extend((pole, np.conj(pole)))
    if len(found) != len(poles):
        raise ValueError("Complex poles must come with their conjugates")
    return np.array(found)


def _real_columns(X: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """Vectors with the real and the imaginary part in place of those of a pair: they span the same space."""
    if not np.iscomplexobj(X):
        return X
    return np.where(poles.imag < 0, X.real, np.where(poles.imag > 0, X.imag, X.real))


def _beside(columns: np.ndarray, places: Any) -> np.ndarray:
    """An orthonormal basis of what is orthogonal to all columns but those at `places`."""
    others = np.delete(columns, places, axis=1)
    return np.linalg.qr(others, mode="complete")[0][:, others.shape[1] :]


def _improve_alone(X: np.ndarray, spaces: list[np.ndarray], poles: np.ndarray, turn: int) -> None:
    """Makes each vector in turn the one of its space that is nearest to what is orthogonal to all others."""
    for j in range(len(poles)):
        _replace_one(X, spaces, poles, j)


def _replace_one(X: np.ndarray, spaces: list[np.ndarray], poles: np.ndarray, j: int) -> None:
    column = spaces[j] @ (spaces[j].T @ _beside(_real_columns(X, poles), j)[:, 0])
    norm = np.linalg.norm(column)
    if norm > 1e-12:
        X[:, j] = column / norm


def _improve_pairs(X: np.ndarray, spaces: list[np.ndarray], poles: np.ndarray, turn: int) -> None:
    """Makes the determinant as large as two vectors at once can.

    With Q a basis of the two dimensions that all others leave, the determinant is a multiple of that of [Q'x, Q'y],
    which is x' Q J Q' y for the quarter turn J: x and y are the first singular vectors of that form between their
    spaces, and for a vector and its conjugate x is an eigenvector. Real vectors meet in other pairs at each turn.
    """
    quarter = np.array([[0.0, 1.0], [-1.0, 0.0]])
    real = int(np.isreal(poles).sum())
    step = 1 + turn % max(real - 1, 1)
    for i in range(real if real > 1 else 0):
        j = (i + step) % real
        basis = _beside(_real_columns(X, poles), [i, j])
        u, _, vh = np.linalg.svd(spaces[i].T @ basis @ quarter @ basis.T @ spaces[j])
        X[:, i], X[:, j] = spaces[i] @ u[:, 0], spaces[j] @ vh[0]
    if real == 1:
        _replace_one(X, spaces, poles, 0)
    for i in range(real, len(poles), 2):
        basis = _beside(_real_columns(X, poles), [i, i + 1])
        form = spaces[i].conj().T @ (1j * basis @ quarter @ basis.T) @ spaces[i]
        sizes, vectors = np.linalg.eigh(form)
        X[:, i] = spaces[i] @ vectors[:, np.argmax(abs(sizes))]
        X[:, i + 1] = X[:, i].conj()


def _settle(
    X: np.ndarray, spaces: list[np.ndarray], poles: np.ndarray, improve: Any, rtol: float, maxiter: int
) -> tuple[float, int]:
    """Improves vectors in place until their determinant settles: its last change, and the number of rounds."""
    before, reached = abs(np.linalg.det(X)), np.inf
    for turn in range(maxiter):
        improve(X, spaces, poles, turn)
        now = abs(np.linalg.det(X))
        reached = abs((now - before) / max(now, _LEAST))
        before = now
        if reached < rtol and now > _LEAST:
            return reached, turn + 1
    if rtol > 0:
        warnings.warn(
            "Convergence was not reached after maxiter iterations.\nYou asked for a tolerance of "
            f"{rtol}, we got {reached}.",
            stacklevel=4,
        )
    return reached, maxiter


def place_poles(A: Any, B: Any, poles: Any, method: str = "YT", rtol: float = 1e-3, maxiter: int = 30) -> Any:
    """The feedback K for which A - B K has given poles, with vectors that are far from dependent.

    Vectors are replaced within their spaces until the determinant of all of them settles. There are several such
    feedbacks, and SciPy's may differ.

    Parameters
    ----------
    A, B : array_like
        The matrices of the system.
    poles : array_like
        The poles, complex ones with their conjugates.
    method : {'YT', 'KNV0'}
        Which vectors are replaced at once: two (Yang and Tits 1996), which are real or conjugate to each other, or one
        (Kautsky, Nichols and Van Dooren 1985), for real poles only.
    rtol, maxiter
        When the determinant of the vectors counts as settled, and the most rounds.

    Returns
    -------
    Result
        `gain_matrix`, `computed_poles`, `requested_poles`, `X`, `rtol` and `nb_iter`.

    Raises
    ------
    ValueError
        Shapes do not fit, a pole is repeated more often than `B` has inputs, or the poles cannot be placed.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.place_poles([[0.0, 1.0], [0.0, 0.0]], [[0.0], [1.0]], [-1.0, -2.0]).gain_matrix.round(6)
    array([[2., 3.]])
    """
    A, B, poles = np.asarray(A, float), np.asarray(B, float), np.asarray(poles)
    if poles.ndim > 1:
        raise ValueError("Poles must be a 1D array like.")
    poles = _in_order(poles)
    if A.ndim > 2:
        raise ValueError("A must be a 2D array/matrix.")
    if B.ndim > 2:
        raise ValueError("B must be a 2D array/matrix")
    n = A.shape[0]
    if A.shape != (n, n):
        raise ValueError("A must be square")
    if len(poles) > n:
        raise ValueError(f"maximum number of poles is {n} but you asked for {len(poles)}")
    if len(poles) < n:
        raise ValueError(f"number of poles is {len(poles)} but you should provide {n}")
    rank = int(np.linalg.matrix_rank(B))
    if any((poles == pole).sum() > rank for pole in poles):
        raise ValueError("at least one of the requested pole is repeated more than rank(B) times")
    if method not in ("KNV0", "YT"):
        raise ValueError("The method keyword must be one of 'YT' or 'KNV0'")
    if method == "KNV0" and not np.isreal(poles).all():
        raise ValueError("Complex poles are not supported by KNV0")
    if maxiter < 1:
        raise ValueError("maxiter must be at least equal to 1")
    if rtol > 1:
        raise ValueError("rtol can not be greater than 1")
    is_complex = not np.isreal(poles).all()
    if rank == n:
        # Any vectors will do: those of the axes, with turns for pairs.
        wanted = np.diag(poles.real).astype(float)
        for i in np.flatnonzero(poles.imag < 0):
            wanted[i, i + 1], wanted[i + 1, i] = -poles[i].imag, poles[i].imag
        gain = -np.linalg.lstsq(B, wanted - A, rcond=None)[0]
        X, reached, rounds = np.eye(n), np.nan, np.nan
    else:
        u, s, vh = np.linalg.svd(B)
        outside = u[:, rank:].T
        # Vectors x with A x - p x in the range of B.
        spaces = []
        for pole in poles:
            pole = pole if pole.imag else pole.real
            _, _, right = np.linalg.svd(outside @ (A - pole * np.eye(n)))
            spaces.append(right[n - rank :].conj().T)
        X = np.empty((n, n), complex if is_complex else float)
        for j, space in enumerate(spaces):
            if poles[j].imag > 0:
                X[:, j] = X[:, j - 1].conj()
            else:
                column = space.sum(1)
                X[:, j] = column / np.linalg.norm(column)
        improve = _improve_alone if method == "KNV0" else _improve_pairs
        reached, rounds = _settle(X, spaces, poles, improve, rtol, maxiter) if rank > 1 else (0.0, 0)
        try:
            closed = np.linalg.solve(X.T, (X * poles).T).T
        except np.linalg.LinAlgError as error:
            raise ValueError(
                "The poles you've chosen can't be placed. Check the controllability matrix and try another set of poles"
            ) from error
        inverse = (vh[:rank].T / s[:rank]) @ u[:, :rank].T
        gain = -np.real(inverse @ (closed - A))
        X = X.astype(complex)
    computed = np.linalg.eigvals(A - B @ gain)
    order = np.lexsort((computed.imag, computed.real, computed.imag != 0))
    return Result(
        gain_matrix=gain,
        computed_poles=computed[order],
        requested_poles=poles,
        X=X,
        rtol=reached,
        nb_iter=rounds,
    )
