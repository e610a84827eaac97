"""Assignments: linear ones exactly, quadratic ones approximately."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, to_host
from ..._lib.generators import host_generator
from ..._typing import ArrayLike
from ._results import OptimizeResult, unknown_options

__all__ = ["linear_sum_assignment", "quadratic_assignment"]


@k.kernel
def _shortest_paths(
    cost: k.Array[2], u: k.Out[1], v: k.Out[1], length: k.Out[1], path: k.Out[1], column: k.Out[1], row: k.Out[1],
    remaining: k.Out[1], seen_row: k.Out[1], seen_column: k.Out[1],
):  # fmt: skip
    """Augments along shortest paths, row by row (Crouse, 2016); false where there is no finite assignment."""
    rows = cost.shape[0]
    columns = cost.shape[1]
    good = rows == rows
    current = rows * 0
    while (current < rows) & good:
        least = u[0] * 0.0
        count = columns
        for j in k.steps(columns):
            remaining[j] = columns - 1 - j
            length[j] = math.inf
            seen_column[j] = 0
        for i in k.steps(rows):
            seen_row[i] = 0
        sink = current * 0 - 1
        i = current
        while (sink < 0) & good:
            seen_row[i] = 1
            best = current * 0 - 1
            lowest = u[0] * 0.0 + math.inf
            offset = least - u[i]
            for at in k.steps(count):
                j = remaining[at]
                reduced = offset + cost[i, j] - v[j]
                if reduced < length[j]:
                    path[j] = i
                    length[j] = reduced
                now = length[j]
                if (now < lowest) | ((now == lowest) & (row[j] < 0)):
                    lowest = now
                    best = at
            least = lowest
            if (best < 0) | (lowest == math.inf):
                good = rows != rows
            else:
                j = remaining[best]
                if row[j] < 0:
                    sink = j
                else:
                    i = row[j]
                seen_column[j] = 1
                count = count - 1
                remaining[best] = remaining[count]
        if good:
            u[current] = u[current] + least
            for i in k.steps(rows):
                if (seen_row[i] != 0) & (i != current):
                    u[i] = u[i] + least - length[k.clamp(column[i], 0, columns - 1)]
            for j in k.steps(columns):
                if seen_column[j] != 0:
                    v[j] = v[j] - least + length[j]
            j = sink
            going = good
            while going:
                i = path[j]
                row[j] = i
                before = column[i]
                column[i] = j
                j = before
                going = i != current
        current = current + 1
    return good


def linear_sum_assignment(cost_matrix: ArrayLike, maximize: bool = False) -> tuple[ndarray, ndarray]:
    """The assignment of rows to columns with the least sum of costs; of many matrices at once.

    Shortest augmenting paths, which are sequential: a matrix is one thread, all matrices of a stack are one launch.

    Parameters
    ----------
    cost_matrix : array_like
        The costs, of shape `(m, n)`; or, not in SciPy, a stack of shape `(..., m, n)`.
    maximize : bool, optional
        Whether the sum is to be large.

    Returns
    -------
    row_ind, col_ind : ndarray
        Rows, sorted, and the columns assigned to them, of shape `(..., min(m, n))`.

    Raises
    ------
    ValueError
        If a cost is not a number or minus infinity, or if there is no assignment of finite cost.

    >>> optimize.linear_sum_assignment(cp.array([[4, 1, 3], [2, 0, 5], [3, 2, 2]]))
    (array([0, 1, 2]), array([1, 0, 2]))
    """
    cost = as_device(cost_matrix)
    if cost.ndim < 2:
        raise ValueError(f"expected a matrix (2-D array), got a {cost.ndim} array")
    if cost.dtype.kind not in "biuf":
        raise ValueError(f"expected a matrix containing numerical entries, got {cost.dtype}")
    cost = cost.astype(np.float64, copy=False)
    cost = -cost if maximize else cost
    transposed = cost.shape[-1] < cost.shape[-2]
    cost = cp.swapaxes(cost, -1, -2) if transposed else cost
    *batch, m, n = cost.shape
    if cost.size == 0:
        empty = cp.zeros((*batch, m), np.int64)
        return empty, empty.copy()
    if bool(cp.any(cp.isnan(cost) | (cost == -math.inf))):
        raise ValueError("matrix contains invalid numeric entries")
    reals = [cp.zeros((*batch, size)) for size in (m, n, n)]
    integers = [cp.full((*batch, size), -1, np.int64) for size in (n, m, n, n, m, n)]
    good = _shortest_paths(cost, *reals, *integers)
    if not bool(cp.all(good)):
        raise ValueError("cost matrix is infeasible")
    columns = integers[1]
    rows = cp.array(cp.broadcast_to(cp.arange(m), columns.shape))
    if transposed:
        order = cp.argsort(columns, axis=-1)
        return cp.take_along_axis(columns, order, axis=-1), order.astype(np.int64)
    return rows, columns


def _score(a: ndarray, b: ndarray, perm: Any) -> float:
    index = cp.asarray(perm)
    return float(cp.sum(a * b[index][:, index]))


def _exchanges(
    a: ndarray, b: ndarray, rng: Any, maximize: bool, partial_match: Any, partial_guess: Any, **options: Any
) -> OptimizeResult:
    """Exchanges two positions as long as that helps; all pairs are tried in one go on the device."""
    unknown_options(options)
    n = a.shape[0]
    fixed = {} if partial_match is None else dict(np.asarray(to_host(partial_match)).tolist())
    guess = {} if partial_guess is None else dict(np.asarray(to_host(partial_guess)).tolist())
    perm = np.full(n, -1)
    for source, target in {**guess, **fixed}.items():
        perm[source] = target
    left = np.setdiff1d(np.arange(n), perm)
    perm[perm < 0] = left if partial_match is None and partial_guess is None else rng.permutation(left)
    if partial_match is None and partial_guess is None:
        perm = rng.permutation(n)
    held = np.zeros(n, bool)
    held[list(fixed)] = True
    sign = -1.0 if maximize else 1.0
    allowed = cp.asarray(np.triu(~held[:, None] & ~held[None, :], 1))
    iterations = 0
    while iterations < n * n:
        index = cp.asarray(perm)
        bp = b[index][:, index]
        # What exchanging positions i and j changes the sum by, from products of the two matrices.
        ab, atb = a @ bp.T, a.T @ bp
        both = ab + atb
        da, db = cp.diagonal(a), cp.diagonal(bp)
        change = both + both.T - cp.diagonal(both)[:, None] - cp.diagonal(both)[None, :]
        change = change + _corrections(a, bp, da, db)
        change = cp.where(allowed, sign * change, math.inf)
        best = int(cp.argmin(change))
        i, j = divmod(best, n)
        trial = perm.copy()
        trial[i], trial[j] = perm[j], perm[i]
        gain = sign * (_score(a, b, trial) - _score(a, b, perm)) if n > 1 else 0.0
        if not gain < -1e-12 * max(1.0, abs(_score(a, b, perm))):
            break
        perm = trial
        iterations += 1
    return OptimizeResult(col_ind=cp.asarray(perm), fun=_score(a, b, perm), nit=iterations)


def _corrections(a: ndarray, b: ndarray, da: ndarray, db: ndarray) -> ndarray:
    """Terms of exchanged pairs that the products count wrongly."""
    aii, ajj, bii, bjj = da[:, None], da[None, :], db[:, None], db[None, :]
    aij, aji, bij, bji = a, a.T, b, b.T
    exact = (aii - ajj) * (bjj - bii) + (aij - aji) * (bji - bij)
    # The products sum over all k; what they say for k in {i, j} is taken away and the true change put in.
    rows = (aii - aji) * (bji - bii) + (aij - ajj) * (bjj - bij)
    columns = (aii - aij) * (bij - bii) + (aji - ajj) * (bjj - bji)
    return exact - rows - columns


def _project(n: int, m: ndarray) -> ndarray:
    """The doubly stochastic matrix by balancing (Sinkhorn and Knopp)."""
    for _ in range(1000):
        m = m / cp.sum(m, axis=0)
        m = m / cp.sum(m, axis=1)[:, None]
        if bool(cp.max(abs(cp.sum(m, axis=0) - 1)) < 1e-3):
            break
    return m


def _faq(
    a: ndarray,
    b: ndarray,
    rng: Any,
    maximize: bool,
    partial_match: Any,
    P0: Any = "barycenter",
    shuffle_input: bool = False,
    maxiter: int = 30,
    tol: float = 0.03,
    **options: Any,
) -> OptimizeResult:
    """Fast approximate quadratic assignment (Vogelstein and others, 2015): Frank and Wolfe's method, projected at the
    end."""
    unknown_options(options)
    if maxiter != operator.index(maxiter) or maxiter <= 0:
        raise ValueError("'maxiter' must be a positive integer.")
    if tol <= 0:
        raise ValueError("'tol' must be a positive float.")
    n = a.shape[0]
    pairs = np.zeros((0, 2), int) if partial_match is None else np.atleast_2d(to_host(partial_match)).astype(int)
    seeds = len(pairs)
    if n == 0 or seeds == n:
        perm = pairs[np.argsort(pairs[:, 0]), 1] if n else np.zeros(0, int)
        return OptimizeResult(col_ind=cp.asarray(perm), fun=_score(a, b, perm) if n else 0.0, nit=0)
    rest_a, rest_b = np.setdiff1d(np.arange(n), pairs[:, 0]), np.setdiff1d(np.arange(n), pairs[:, 1])
    if shuffle_input:
        rest_b = rng.permutation(rest_b)
    ia, ib = cp.asarray(np.concatenate([pairs[:, 0], rest_a])), cp.asarray(np.concatenate([pairs[:, 1], rest_b]))
    aa, bb = a[ia][:, ia], b[ib][:, ib]
    a12, a21, a22 = aa[:seeds, seeds:], aa[seeds:, :seeds], aa[seeds:, seeds:]
    b12, b21, b22 = bb[:seeds, seeds:], bb[seeds:, :seeds], bb[seeds:, seeds:]
    free = n - seeds
    if isinstance(P0, str):
        if P0 == "barycenter":
            p = cp.full((free, free), 1 / free)
        elif P0 == "randomized":
            p = 0.5 * (_project(free, cp.asarray(rng.uniform(size=(free, free)))) + 1 / free)
        else:
            raise ValueError("Invalid 'P0' parameter string")
    else:
        p = as_device(P0).astype(np.float64)
        if p.shape != (free, free):
            raise ValueError("`P0` matrix must have shape m' x m', where m'=n-m")
        sums = cp.concatenate([cp.sum(p, axis=0), cp.sum(p, axis=1)])
        if bool(cp.any(p < 0)) or not bool(cp.allclose(sums, 1)):
            raise ValueError("`P0` matrix must be doubly stochastic")
    constant = a21 @ b21.T + a12.T @ b12
    iterations = 0
    for iterations in range(1, maxiter + 1):  # noqa: B007
        gradient = constant + a22 @ p @ b22.T + a22.T @ p @ b22
        _, columns = linear_sum_assignment(gradient, maximize)
        q = cp.zeros_like(p)
        q[cp.arange(free), columns] = 1.0
        r = p - q
        curve = float(cp.sum((a22 @ r) * (r @ b22)))
        slope = float(cp.sum(r * (constant + a22 @ q @ b22.T + a22.T @ q @ b22)))
        # The objective along the line is curve t**2 + slope t.
        candidates = [0.0, 1.0]
        if curve and 0 < -slope / (2 * curve) < 1:
            candidates.append(-slope / (2 * curve))
        pick = (max if maximize else min)(candidates, key=lambda t: curve * t * t + slope * t)
        new = pick * p + (1 - pick) * q
        if float(cp.sqrt(cp.sum((p - new) ** 2))) / math.sqrt(free) < tol:
            p = new
            break
        p = new
    _, columns = linear_sum_assignment(p, True)
    inner = to_host(columns)
    perm = np.zeros(n, int)
    perm[pairs[:, 0]] = pairs[:, 1]
    perm[rest_a] = rest_b[inner]
    return OptimizeResult(col_ind=cp.asarray(perm), fun=_score(a, b, perm), nit=iterations)


def quadratic_assignment(
    A: ArrayLike, B: ArrayLike, method: str = "faq", options: dict[str, Any] | None = None
) -> OptimizeResult:
    """A permutation `p` that makes `sum(A * B[p][:, p])` small, approximately.

    Parameters
    ----------
    A, B : array_like
        The matrices, square and of one shape.
    method : {'faq', '2opt'}, optional
        Frank and Wolfe's method on doubly stochastic matrices, or exchanges of pairs.
    options : dict, optional
        `maximize`, `partial_match`, `rng`; for 'faq' `P0`, `shuffle_input`, `maxiter`, `tol`; for '2opt'
        `partial_guess`.

    Returns
    -------
    OptimizeResult
        With `col_ind` (the permutation), `fun` and `nit`.

    Raises
    ------
    ValueError
        If the shapes do not fit or an option is wrong.

    >>> a = cp.array([[0, 80, 150, 170], [80, 0, 130, 100], [150, 130, 0, 120], [170, 100, 120, 0]])
    >>> b = cp.array([[0, 5, 2, 7], [0, 0, 3, 8], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> optimize.quadratic_assignment(a, b).fun
    3260.0
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"`options` must be a mapping, got {type(options).__name__}")
    options = dict(options or {})
    name = method.lower()
    if name not in ("faq", "2opt"):
        raise ValueError(f"method {method} must be in dict_keys(['faq', '2opt']).")
    a, b = as_device(A).astype(np.float64), as_device(B).astype(np.float64)
    for matrix, letter in ((a, "A"), (b, "B")):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"`{letter}` must be square")
    if a.shape != b.shape:
        raise ValueError("`A` and `B` matrices must be of equal size")
    match = options.pop("partial_match", None)
    if match is not None:
        pairs = np.atleast_2d(to_host(match))
        if pairs.size and (pairs.shape[1] != 2 or pairs.shape[0] > a.shape[0]):
            raise ValueError("`partial_match` must have two columns")
        if pairs.size and (pairs.min() < 0 or pairs.max() >= a.shape[0]):
            raise ValueError("`partial_match` must contain only positive indices and entries less than number of nodes")
        if pairs.size and any(len(set(column)) != len(column) for column in pairs.T.tolist()):
            raise ValueError("`partial_match` column entries must be unique")
        match = pairs if pairs.size else None
    seed = options.pop("rng", None)
    rng = host_generator(seed)
    maximize = bool(options.pop("maximize", False))
    if name == "2opt":
        return _exchanges(a, b, rng, maximize, match, options.pop("partial_guess", None), **options)
    return _faq(a, b, rng, maximize, match, **options)
