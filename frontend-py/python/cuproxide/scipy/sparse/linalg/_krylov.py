"""Krylov-Schur's restarts of Lanczos' and Arnoldi's methods, and the errors of methods that do not converge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ...._lib.routes import way
from ._panel import Panel, Steps
from ._systems import epsilon, host_norm

__all__ = ["ArpackError", "ArpackNoConvergence"]


class ArpackError(RuntimeError):
    """An eigenvalue problem could not be solved. The name is that of the library that SciPy uses.

    Parameters
    ----------
    info : int
        The number of the error.
    infodict : dict, optional
        Messages by number.

    >>> cp.scipy.sparse.linalg.ArpackError(-1, {-1: "no convergence"})
    ArpackError('ARPACK error -1: no convergence')
    """

    def __init__(self, info: Any, infodict: dict[Any, str] | None = None) -> None:
        message = (infodict or {}).get(info, "Unknown error")
        RuntimeError.__init__(self, f"ARPACK error {info}: {message}")


class ArpackNoConvergence(ArpackError):
    """Not all eigenvalues that were asked for have converged.

    Parameters
    ----------
    msg : str
        The message.
    eigenvalues, eigenvectors : ndarray
        Those that have converged.

    Attributes
    ----------
    eigenvalues, eigenvectors : arrays
        Those that have.

    >>> cp.scipy.sparse.linalg.ArpackNoConvergence("No convergence", None, None).eigenvalues is None
    True
    """

    def __init__(self, msg: str, eigenvalues: Any, eigenvectors: Any) -> None:
        ArpackError.__init__(self, -1, {-1: msg})
        self.eigenvalues = eigenvalues
        self.eigenvectors = eigenvectors


ArpackError.__module__ = ArpackNoConvergence.__module__ = "cuproxide.scipy.sparse.linalg"


def usual_size(k: int, count: int, itemsize: int = 8) -> int:
    """The vectors that are kept for so many wanted ones: more than ARPACK's 20, so that restarts are fewer."""
    # The whole space has the answer without restarts, which are many for the small end of a wide spectrum.
    if count <= _WHOLE:
        return count
    return min(count, max(2 * k + 1, way("vectors kept", None, count * itemsize)))


_WHOLE = 256
"""Orders of matrices up to which all vectors are kept."""


def usual_restarts(k: int, count: int, ncv: int) -> int:
    """The restarts that take as many products as ARPACK's `10 * count` with its own number of vectors."""
    theirs = min(count, max(2 * k + 1, 20)) - k
    return max(1, -(-10 * count * max(theirs, 1) // max(ncv - k, 1)))


class Krylov:
    """A decomposition `A V = V T + v b'` that grows by products and shrinks to what is wanted of it.

    The vectors are rows of `V`, orthonormal in the inner product of `M` if there is one. `T` is small and lies on the
    host. `operators` are those that products consist of, if nothing else is in them.
    """

    def __init__(
        self, product: Callable[[Any], Any], start: Any, most: int, M: Any = None, operators: Any = None
    ) -> None:
        self.most = most
        self.panel = Panel(start, most, M, follows=True)
        self.V = self.panel.V
        self.V[0] = start / self.panel.norm(start)
        self.panel.seek(0)
        self.T = np.zeros((most + 1, most), self.panel.wide)
        self.size = 0
        self.random = cp.random.default_rng(1)
        self.steps = Steps(self.panel, product, operators)

    def grow(self) -> float:
        """Extends the basis to its full size; returns the size of what is left, 0 for an invariant space."""
        while True:
            first = self.size
            self.panel.seek(first)
            self.steps.take(self.most - first)
            ended = self._take(first, cp.asnumpy(self.panel.H[first:]))
            if ended is None or ended == self.most:
                self.size = self.most
                return float(self.T[self.most, self.most - 1].real)
            # The space is invariant: another direction goes on from here.
            self.size = ended
            fresh = self.random.standard_normal(self.V.shape[1]).astype(self.V.dtype)
            for _ in range(2):
                fresh, _ = self.panel.orthogonal(fresh, self.size)
            self.V[self.size] = fresh / self.panel.norm(fresh)

    def _take(self, first: int, columns: np.ndarray) -> int | None:
        """Takes new columns of `T`, up to the one after which only rounding is left; returns their number."""
        places = np.arange(first + 1, self.most + 1)
        left = columns[places - first - 1, places].real
        # NaN is no more than rounding, and an error.
        ended = np.flatnonzero(~(left > 4 * epsilon(self.V.dtype) * np.linalg.norm(columns, axis=1)))
        count = int(ended[0]) + 1 if ended.size else len(columns)
        if not np.isfinite(columns[:count]).all():
            raise ArpackError(-9999, {-9999: "products are infinite or NaN"})
        # A column has zeros below what is left.
        last = first + count
        self.T[:, first:last] = columns[:count].T
        if not ended.size:
            return None
        self.T[last, last - 1] = 0
        return last

    def shrink(self, Q: np.ndarray) -> None:
        """Keeps the combinations of the basis that the columns of `Q`, orthonormal and invariant for `T`, say."""
        count = Q.shape[1]
        kept = Q.conj().T @ self.T[: self.most] @ Q
        last = self.T[self.most, self.most - 1] * Q[-1]
        V = cp.asarray(np.ascontiguousarray(Q.T).astype(self.V.dtype, copy=False)) @ self.V[: self.most]
        self.V[count] = self.V[self.most]
        self.V[:count] = V
        self.T = np.zeros_like(self.T)
        self.T[:count, :count] = kept
        self.T[count, :count] = last
        self.size = count


def _order(values: np.ndarray, which: str, k: int) -> np.ndarray:
    """The places of values, the wanted ones first."""
    keys = {
        "LM": -abs(values),
        "SM": abs(values),
        "LA": -values.real,
        "SA": values.real,
        "LR": -values.real,
        "SR": values.real,
        "LI": -abs(values.imag),
        "SI": abs(values.imag),
    }
    if which != "BE":
        return np.argsort(keys[which], kind="stable")
    ascending = np.argsort(values, kind="stable")
    low, high = list(ascending), list(ascending[::-1])
    # From both ends in turns, the high one first.
    turns = [node for pair in zip(high, low, strict=True) for node in pair]
    return np.array(list(dict.fromkeys(turns)), dtype=np.int64)


def _conjugate_closed(values: np.ndarray, order: np.ndarray, count: int) -> np.ndarray:
    """The first `count` places, and one more where a pair of conjugates would be cut."""
    chosen = list(order[:count])
    last = values[chosen[-1]]
    if last.imag != 0 and count < len(order):
        partner = np.flatnonzero(values == np.conj(last))
        if len(partner) and partner[0] not in chosen:
            chosen.append(partner[0])
    return np.array(chosen)


def krylov_schur(
    product: Callable[[Any], Any],
    start: Any,
    k: int,
    which: str,
    ncv: int,
    maxiter: int,
    tol: float,
    hermitian: bool,
    M: Any = None,
    operators: Any = None,
) -> tuple[np.ndarray, Any, bool]:
    """The wanted values and vectors (as columns) of an operator, and whether all have converged.

    The small matrix is read once in each restart, and its eigenvalues are found on the host, which waits for it anyway
    (Stewart 2001, Wu and Simon 2000). `operators` are those that products consist of, if nothing else is in them.
    """
    process = Krylov(product, start, ncv, M, operators)
    eps = epsilon(start.dtype)
    tol = max(tol, eps)
    real = start.dtype.kind == "f"
    for number in range(max(1, maxiter)):
        left = process.grow()
        T = process.T[:ncv]
        theta, Y = np.linalg.eigh((T + T.conj().T) * 0.5) if hermitian else np.linalg.eig(T)
        order = _order(theta, which, k)
        wanted = order[:k]
        # Restarts leave errors of the size of rounding, which no iteration takes away.
        bound = np.maximum(tol * np.maximum(eps ** (2 / 3), abs(theta[wanted])), 2 * eps * abs(theta).max())
        done = left * abs(Y[-1, wanted]) <= bound
        if done.all() or left == 0 or number + 1 >= maxiter:
            places = wanted if done.all() or left == 0 else wanted[done]
            kind = np.result_type(start.dtype, np.complex64) if Y.dtype.kind == "c" else start.dtype
            vectors = process.V[:ncv].T @ cp.asarray(np.ascontiguousarray(Y[:, places]).astype(kind))
            return theta[places], vectors, bool(done.all() or left == 0)
        # What has converged makes room for more of those that have not.
        keep = min(k + max(1, min(int(done.sum()) + (ncv - k) // 4, (ncv - k) // 2)), ncv - 1)
        if hermitian:
            process.shrink(Y[:, order[:keep]])
            continue
        places = _conjugate_closed(theta, order, keep) if real else order[:keep]
        if len(places) >= ncv:
            places = places[: keep - 1]
        chosen = Y[:, places]
        if real:
            # A pair of conjugates spans the same plane as its real and imaginary parts.
            upper, lower = theta[places].imag >= 0, theta[places].imag > 0
            chosen = np.concatenate([chosen[:, upper].real, chosen[:, lower].imag], axis=1)
        process.shrink(np.linalg.qr(chosen)[0])
    raise AssertionError("the loop returns in its last round")


def start_of(count: int, dtype: Any, v0: Any, rng: Any) -> Any:
    """The vector to begin with: that of the program, checked, or a random one."""
    if v0 is not None:
        v0 = cp.asarray(v0).astype(dtype)
        if v0.shape != (count,):
            raise ValueError(f"v0 must have the shape ({count},), got {v0.shape}")
        if host_norm(v0) == 0:
            raise ArpackError(-9, {-9: "Starting vector is zero."})
        return v0
    random = rng if isinstance(rng, cp.random.Generator) else cp.random.default_rng(0 if rng is None else _seed(rng))
    start = random.uniform(-1.0, 1.0, count)
    return start.astype(dtype)


def _seed(rng: Any) -> Any:
    return int(rng.integers(2**31)) if isinstance(rng, np.random.Generator) else rng
