"""Linear least squares with bounds, and monotonic regression."""

from __future__ import annotations

from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, as_floating, to_host
from ..._typing import ArrayLike
from ._results import OptimizeResult

__all__ = ["isotonic_regression", "lsq_linear", "nnls"]

EPS = float(np.finfo(float).eps)
_MESSAGES = {
    -1: "The algorithm was not able to make progress on the last iteration.",
    0: "The maximum number of iterations is exceeded.",
    1: "The first-order optimality measure is less than `tol`.",
    2: "The relative change of the cost function is less than `tol`.",
    3: "The unconstrained solution is optimal.",
}


def _free_solution(a: ndarray, b: ndarray) -> Any:
    """The least squares solution, on the host: it has the size of the free variables."""
    return to_host(cp.linalg.lstsq(a, b, rcond=None)[0]).astype(float)


def _active_set(
    a: ndarray, b: ndarray, low: Any, high: Any, x: Any, on: Any, tol: float, most: int
) -> tuple[Any, Any, int, bool]:
    """Bounded variables: which bounds hold changes by one a step (Stark and Parker, 1995)."""
    n = x.size
    iterations, blocked = 0, -1
    while True:
        gradient = to_host(a.T @ (a @ cp.asarray(x) - b)).astype(float)
        # A multiplier of the wrong sign says that a bound need not hold.
        violation = np.where(on == -1, -gradient, np.where(on == 1, gradient, 0.0))
        free = on == 0
        fixed_optimal = np.max(violation, initial=0.0) <= tol
        if fixed_optimal and np.max(np.abs(gradient[free]), initial=0.0) <= tol:
            return x, on, iterations, True
        if iterations >= most:
            return x, on, iterations, False
        iterations += 1
        if not np.any(free) or np.max(np.abs(gradient[free]), initial=0.0) <= tol or blocked < 0 and not fixed_optimal:
            order = np.argsort(-violation)
            pick = int(order[0]) if int(order[0]) != blocked or n == 1 else int(order[1])
            if violation[pick] > tol:
                on[pick] = 0
        for _ in range(n + 1):
            free = np.flatnonzero(on == 0)
            if not free.size:
                break
            held = np.flatnonzero(on != 0)
            rest = b - a[:, cp.asarray(held)] @ cp.asarray(x[held]) if held.size else b
            z = _free_solution(a[:, cp.asarray(free)], rest)
            below, above = z < low[free], z > high[free]
            if not np.any(below | above):
                moved = float(np.max(np.abs(z - x[free]), initial=0.0))
                x[free] = z
                blocked = -1
                if moved <= 1e-15 * max(1.0, float(np.max(np.abs(z), initial=0.0))) and not fixed_optimal:
                    # No progress but rounding: the signs of the multipliers are noise.
                    if np.max(violation, initial=0.0) <= 1e3 * tol:
                        return x, on, iterations, True
                break
            with np.errstate(all="ignore"):
                bound = np.where(below, low[free], high[free])
                steps = np.where(below | above, (bound - x[free]) / (z - x[free]), np.inf)
            first = int(np.argmin(steps))
            alpha = float(np.clip(steps[first], 0.0, 1.0))
            x[free] = x[free] + alpha * (z - x[free])
            index = int(free[first])
            x[index] = bound[first]
            on[index] = -1 if below[first] else 1
            blocked = index


def nnls(A: ArrayLike, b: ArrayLike, *, maxiter: int | None = None, atol: Any = np._NoValue) -> tuple[ndarray, float]:
    """The least squares solution without negative elements (Lawson and Hanson).

    Parameters
    ----------
    A : array_like
        The matrix, of shape `(m, n)`.
    maxiter : int, optional
        The most iterations, by default `3 n`.

    Returns
    -------
    x : ndarray
        The solution.
    rnorm : float
        The norm of the residual.

    Raises
    ------
    ValueError
        If the shapes do not fit.
    RuntimeError
        If there are too many iterations.

    >>> optimize.nnls(cp.array([[1.0, 0], [1, 0], [0, 1]]), cp.array([-1.0, -1, -1]))
    (array([0., 0.]), 1.7320508075688772)
    """
    a, b = as_device(A).astype(np.float64), as_device(b).astype(np.float64)
    if a.ndim != 2:
        raise ValueError(f"Expected a 2D array, but the shape of A is {a.shape}")
    if b.ndim > 2 or (b.ndim == 2 and b.shape[1] != 1):
        raise ValueError(f"Expected a 1D array,(or 2D with one column), but the, shape of b is {b.shape}")
    if not bool(cp.isfinite(a).all() & cp.isfinite(b).all()):
        raise ValueError("A and b must not contain infs or NaNs")
    b = b.reshape(-1)
    m, n = a.shape
    if m != b.shape[0]:
        raise ValueError(
            f"Incompatible dimensions. The first dimension of A is {m}, while the shape of b is {(b.shape[0],)}"
        )
    most = maxiter or 3 * n
    # Columns of one length: the tolerance of the multipliers is for all of them.
    largest = cp.max(abs(a), axis=0) if m else cp.zeros(n)
    largest = cp.where(largest > 0, largest, 1.0)
    a = a / largest
    lengths = cp.sqrt(cp.sum(a * a, axis=0))
    lengths = cp.where(lengths > 0, lengths, 1.0)
    a = a / lengths
    scale = float(cp.max(abs(a.T @ b))) if n and m else 0.0
    tol = 10 * max(m, n) * EPS * max(scale, 1e-300)
    x, _, _, good = _active_set(a, b, np.zeros(n), np.full(n, np.inf), np.zeros(n), np.full(n, -1), tol, most)
    if not good:
        raise RuntimeError("Maximum number of iterations reached.")
    solution = cp.asarray(x)
    rest = a @ solution - b
    # Squares of huge residuals overflow, those of small ones vanish.
    size = float(cp.max(abs(rest))) if m else 0.0
    return solution / lengths / largest, size * float(cp.sqrt(cp.sum((rest / size) ** 2))) if size else 0.0


def lsq_linear(
    A: Any,
    b: ArrayLike,
    bounds: Any = (-np.inf, np.inf),
    method: str = "trf",
    tol: float = 1e-10,
    lsq_solver: Any = None,
    lsmr_tol: Any = None,
    max_iter: int | None = None,
    verbose: int = 0,
    *,
    lsmr_maxiter: Any = None,
) -> OptimizeResult:
    """A linear least squares problem with bounds.

    Both methods change which bounds hold one at a time until the solution is exact.

    Parameters
    ----------
    A : array_like or sparse matrix
        The matrix, of shape `(m, n)`.
    bounds : pair of array_like, or Bounds, optional
        Lower and upper bounds.
    method : {'trf', 'bvls'}, optional
        SciPy's methods.
    tol : float, optional
        The tolerance of the gradient.
    lsq_solver, lsmr_tol, lsmr_maxiter : optional
        SciPy's options that have no effect here.
    max_iter : int, optional
        The most iterations.

    Returns
    -------
    OptimizeResult
        With `x`, `cost`, `fun`, `optimality`, `active_mask`, `unbounded_sol`, `nit`, `status`, `message`, `success`.

    Raises
    ------
    ValueError
        If the arguments do not fit.

    >>> optimize.lsq_linear(cp.eye(2), cp.array([2.0, -1.0]), bounds=(0, 1)).x
    array([1., 0.])
    """
    if method not in ("trf", "bvls"):
        raise ValueError("`method` must be 'trf' or 'bvls'")
    if lsq_solver not in (None, "exact", "lsmr"):
        raise ValueError("`solver` must be None, 'exact' or 'lsmr'.")
    if method == "bvls" and lsq_solver == "lsmr":
        raise ValueError("method='bvls' can't be used with lsq_solver='lsmr'")
    if not (lsmr_tol is None or (lsmr_tol == "auto" if isinstance(lsmr_tol, str) else lsmr_tol > 0)):
        raise ValueError(f"`lsmr_tol` must be None, 'auto', or positive float, got {lsmr_tol!r}.")
    if verbose not in (0, 1, 2):
        raise ValueError("`verbose` must be in [0, 1, 2].")
    a = as_device(A.toarray() if hasattr(A, "toarray") else A)
    b = as_device(b)
    if "c" in (a.dtype.kind, b.dtype.kind):
        raise ValueError(f"`A` and `b` must be real, got {a.dtype} and {b.dtype}.")
    a = cp.atleast_2d(a if a.dtype.kind == "f" and a.dtype.itemsize == 8 else a.astype(np.float64))
    if a.ndim != 2:
        raise ValueError("`A` must have at most 2 dimensions.")
    if max_iter is not None and max_iter <= 0:
        raise ValueError("`max_iter` must be None or positive integer.")
    m, n = a.shape
    b = cp.atleast_1d(b).astype(np.float64)
    if b.ndim != 1:
        raise ValueError("`b` must have at most 1 dimension.")
    if b.size != m:
        raise ValueError("Inconsistent shapes between `A` and `b`.")
    if hasattr(bounds, "lb"):
        low, high = to_host(bounds.lb), to_host(bounds.ub)
    else:
        if len(bounds) != 2:
            raise ValueError("`bounds` must contain 2 elements.")
        low, high = (to_host(v) for v in bounds)
    try:
        low, high = (np.broadcast_to(v.astype(float), (n,)).copy() for v in (low, high))
    except ValueError as error:
        raise ValueError("Bounds have wrong shape.") from error
    if np.any(low >= high):
        raise ValueError("Each lower bound must be strictly less than each upper bound.")
    solution, *rest = cp.linalg.lstsq(a, b, rcond=None)
    unbounded = (solution, *rest)
    x = to_host(solution).astype(float)
    on = np.zeros(n, int)
    if np.all((x >= low) & (x <= high)):
        status, iterations = 3, 0
    else:
        on[x <= low], on[x >= high] = -1, 1
        x = np.clip(x, low, high)
        scale = max(1.0, float(cp.max(abs(a.T @ b))))
        most = max_iter or max(100, 3 * n)
        x, on, iterations, good = _active_set(a, b, low, high, x, on, min(tol, 1e-8) * scale * 1e-3, most)
        status = 1 if good else 0
    point = cp.asarray(x)
    f = a @ point - b
    g = to_host(a.T @ f)
    inner = np.where(on * g < 0, 0.0, np.abs(g))
    cost = 0.5 * float(cp.sum(f * f))
    if verbose:
        print(_MESSAGES[status])
    return OptimizeResult(
        message=_MESSAGES[status],
        success=status > 0,
        status=status,
        x=point,
        fun=f,
        cost=cost,
        optimality=float(np.max(inner, initial=0.0)),
        active_mask=cp.asarray(on),
        unbounded_sol=unbounded,
        nit=iterations,
    )


@k.kernel
def _pool(x: k.Out[1], w: k.Out[1], r: k.Out[1]):
    """Pools neighbours that are in the wrong order; x and w become means and weights of blocks, r where they begin."""
    n = x.shape[0]
    block = w.shape[0] * 0
    r[0] = 0
    r[1] = 1
    i = block + 1
    while i < n:
        block = block + 1
        value = x[i]
        weight = w[i]
        i = i + 1
        if x[block - 1] >= value:
            # Join with the blocks before, and with those behind that are not larger.
            block = block - 1
            total = w[block] * x[block] + weight * value
            weight = weight + w[block]
            value = total / weight
            while (i < n) & (value >= x[k.clamp(i, 0, n - 1)]):
                total = total + w[i] * x[i]
                weight = weight + w[i]
                value = total / weight
                i = i + 1
            while (block > 0) & (x[k.clamp(block - 1, 0, n - 1)] >= value):
                block = block - 1
                total = total + w[block] * x[block]
                weight = weight + w[block]
                value = total / weight
        x[block] = value
        w[block] = weight
        r[block + 1] = i
    return block + 1


def isotonic_regression(y: ArrayLike, *, weights: ArrayLike | None = None, increasing: bool = True) -> OptimizeResult:
    """The monotonic sequence that is nearest to given values in weighted least squares.

    The pool-adjacent-violators algorithm, which is sequential: one thread, one launch.

    Parameters
    ----------
    y : array_like
        The values, one axis.
    weights : array_like, optional
        Their weights, positive.
    increasing : bool, optional
        Whether the sequence is to rise or to fall.

    Returns
    -------
    OptimizeResult
        With `x` (the sequence), `weights` and `blocks` (where its constant pieces begin).

    Raises
    ------
    ValueError
        If the shapes do not fit or a weight is not positive.

    >>> optimize.isotonic_regression([1.5, 1.0, 4.0, 6.0, 5.7, 5.0, 7.8, 9.0, 7.5]).x[:3]
    array([1.25, 1.25, 4.  ])
    """
    values = cp.atleast_1d(as_floating(y))
    order = slice(None) if increasing else slice(None, None, -1)
    x = cp.array(values[order], np.float64)
    if x.ndim != 1:
        raise ValueError(f"array has incorrect number of dimensions: {x.ndim}; expected 1")
    if weights is None:
        w = cp.ones_like(x)
    else:
        given = as_floating(weights)
        if not (given.ndim == 1 and given.shape[0] == values.shape[0]):
            raise ValueError("Input arrays y and w must have one dimension of equal length.")
        if bool(cp.any(given <= 0)):
            raise ValueError("Weights w must be strictly positive.")
        w = cp.array(given[order], np.float64)
    n = x.size
    starts = cp.zeros(n + 1, np.int64)
    if n == 0:
        return OptimizeResult(x=x, weights=w, blocks=starts)
    count = int(_pool(x, w, starts, shape=()))
    starts = starts[: count + 1]
    # Each position takes the mean of the block that it lies in.
    index = cp.searchsorted(starts, cp.arange(n), side="right") - 1
    solution = x[index]
    w = w[:count]
    if not increasing:
        solution, w = solution[::-1].copy(), w[::-1].copy()
        starts = starts[-1] - starts[::-1]
    return OptimizeResult(x=solution, weights=w, blocks=starts)
