"""Functions of matrices, and their products with vectors."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ...linalg._common import matrices
from ...linalg._exponentials import exponentials, warn_of_lost
from .. import issparse
from .._devices import own_device
from .._foreign import taken
from ._arnoldi import Arnoldi
from ._balance import balance, similar
from ._direct import floating, spsolve
from ._identity import identity_like
from ._norms import exact_one_norm, onenormest
from ._operators import IdentityOperator, LinearOperator, as_matrix_operator
from ._systems import host_norm, tolerance

__all__ = ["expm", "expm_multiply", "funm_multiply_krylov", "matrix_power"]


@own_device
def matrix_power(A: Any, power: int) -> Any:
    """A power of a square sparse matrix.

    Parameters
    ----------
    A : (N, N) sparse array
        The matrix.
    power : int
        The exponent, not negative.

    Returns
    -------
    sparse array
        The power.

    Raises
    ------
    TypeError
        For a matrix that is not square.
    ValueError
        For exponents that are negative or no integers.

    Notes
    -----
    Source: `scipy.sparse.linalg.matrix_power`.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[1, 1], [0, 1]]))
    >>> cp.scipy.sparse.linalg.matrix_power(A, 5).toarray()
    array([[1, 5],
           [0, 1]])
    """
    A = taken(A)
    if A.shape[0] != A.shape[1]:
        raise TypeError("sparse matrix is not square")
    if isinstance(power, float) or not hasattr(power, "__index__"):
        raise ValueError("exponent must be an integer")
    power = int(power)
    if power < 0:
        raise ValueError(f"exponent must be >= 0, got {power}")
    if power == 0:
        return identity_like(A)
    result = None
    square = A
    while True:
        if power & 1:
            result = square.copy() if result is None else result @ square
        power >>= 1
        if not power:
            return result
        square = square @ square


# Bounds of the 1-norm up to which the Pade approximants of these degrees are exact to double precision, and the
# coefficients of their numerators (Higham 2005, Table 2.3).
_DEGREES = ((3, 1.495585217958292e-2), (5, 2.539398330063230e-1), (7, 9.504178996162932e-1), (9, 2.097847961257068))
_HIGHEST = (13, 5.371920351148152)
# Where norms of powers underflow, they show this many squarings to be needless, and perhaps more.
_MOST_SPARED = 100
# So many squarings that norms of powers spare say that a matrix is badly scaled or far from normal.
_DOUBTFUL = 3


def _coefficients(degree: int) -> list[float]:
    """The coefficients of the numerator of the diagonal Pade approximant, scaled to end with 1."""
    f = math.factorial
    values = [f(2 * degree - j) * f(degree) // (f(degree - j) * f(j)) for j in range(degree + 1)]
    last = values[-1]
    return [value / last for value in values]


def _spare_squarings(A: Any, most: int) -> int:
    """How many of the squarings that the norm asks for norms of powers do not need (Al-Mohy and Higham 2009).

    `A` is scaled already. Each squaring that is left out also leaves the result sparser.
    """
    fourth = A @ A
    fourth = fourth @ fourth
    sixth = A @ (A @ fourth)
    d4, d6, d8 = (
        exact_one_norm(power) ** (1 / order) for power, order in ((fourth, 4), (sixth, 6), (fourth @ fourth, 8))
    )
    alpha = min(max(d4, d6), max(d6, d8))
    spare = most if alpha == 0 else min(most, math.floor(math.log2(_HIGHEST[1] / alpha)))
    if spare <= 0 or not math.isfinite(alpha):
        return 0
    # The first term of the backward error, in absolute values: the squarings that it needs stay.
    above = abs(A).astype(np.float64).T.tocsr()
    row = cp.ones(A.shape[0])
    error = cp.zeros(())
    for step in range(27):
        row = above @ row
        if step % 9 == 8:
            largest = cp.maximum(row.max(), np.finfo(float).tiny)
            row, error = row / largest, error + cp.log2(largest)
    f = math.factorial
    constant = f(13) ** 2 / (f(26) * f(27)) / (np.finfo(A.dtype).eps / 2)
    needed = math.ceil((float(error) - math.log2(exact_one_norm(A)) + math.log2(constant)) / 26 + spare)
    return max(0, spare - max(0, needed))


def _scaled(A: Any, size: float) -> tuple[Any, int, int, int]:
    """A matrix of this norm scaled for an approximant, whose degree, and how many squarings are needed and spared."""
    degree = next((degree for degree, bound in _DEGREES if size <= bound), _HIGHEST[0])
    squarings = max(0, math.ceil(math.log2(size / _HIGHEST[1]))) if degree == 13 and size > 0 else 0
    A, left = A * 2.0**-squarings, squarings
    while left:
        spare = _spare_squarings(A, left)
        A, left = A * 2.0**spare if spare else A, left - spare
        if spare < _MOST_SPARED:
            break
    return A, degree, left, squarings - left


@own_device
def expm(A: Any) -> Any:
    """The exponential of a square matrix, sparse if it is, by scaling and squaring.

    The exponential of a sparse matrix fills up: `expm_multiply` needs products only.

    Parameters
    ----------
    A : (N, N) array or sparse array
        The matrix.

    Returns
    -------
    array or sparse array
        The exponential.

    Raises
    ------
    ValueError
        For a matrix that is not square.

    Notes
    -----
    Source: Higham 2005, Al-Mohy and Higham 2009; `scipy.sparse.linalg.expm`.

    >>> A = cp.scipy.sparse.csc_array(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> cp.scipy.sparse.linalg.expm(A).toarray()
    array([[1., 1.],
           [0., 1.]])
    """
    A = taken(A)
    A = A if issparse(A) else cp.asarray(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected a square matrix, got the shape {A.shape}")
    if np.dtype(A.dtype).kind not in "fc":
        A = A.astype(np.float64)
    if not issparse(A):
        result, lost = exponentials(matrices(A, square=True))
        warn_of_lost(lost, 4)
        return result
    if A.shape[0] == 0:
        return A.copy()
    kind = type(A)
    A = A.tocsc()
    size = exact_one_norm(A)
    if not math.isfinite(size):
        return kind(cp.full(A.shape, np.nan, A.dtype))
    scaled, degree, squarings, spare = _scaled(A, size)
    powers_of_two = None
    if spare >= _DOUBTFUL:
        # Rows and columns of unlike lengths misguide the norms of powers, and the pivots of the division.
        powers_of_two = balance(A)
        A = similar(A, powers_of_two)
        scaled, degree, squarings, _ = _scaled(A, exact_one_norm(A))
    A = scaled
    identity = identity_like(A)
    b = _coefficients(degree)
    powers = [identity, A @ A]
    if degree < 13:
        while len(powers) <= degree // 2:
            powers.append(powers[-1] @ powers[1])
        odd = sum((power * b[2 * i + 1] for i, power in enumerate(powers[1:], 1)), identity * b[1])
        even = sum((power * b[2 * i] for i, power in enumerate(powers[1:], 1)), identity * b[0])
    else:
        A2 = powers[1]
        A4 = A2 @ A2
        A6 = A4 @ A2
        low = [A6 * b[7 - i] + A4 * b[5 - i] + A2 * b[3 - i] + identity * b[1 - i] for i in (0, 1)]
        odd = A6 @ (A6 * b[13] + A4 * b[11] + A2 * b[9]) + low[0]
        even = A6 @ (A6 * b[12] + A4 * b[10] + A2 * b[8]) + low[1]
    odd = A @ odd
    X = spsolve((even - odd).tocsc(), (even + odd).tocsc())
    if not issparse(X):
        X = type(A)(X.reshape(A.shape))
    for _ in range(squarings):
        X = X @ X
    return kind(X if powers_of_two is None else similar(X, -powers_of_two))


# Bounds of norms up to which a Taylor polynomial of this degree is exact to double precision (Al-Mohy and Higham 2011,
# Table 3.1).
_THETA = {
    5: 2.40e-3, 10: 1.44e-1, 15: 6.41e-1, 20: 1.44, 25: 2.43, 30: 3.54, 35: 4.7, 40: 6.0, 45: 7.2, 50: 8.5, 55: 9.9,
}  # fmt: skip


def _powers(A: Any) -> list[tuple[int, float]]:
    """Bounds that stand for the norm from some degree on: the least degree, and a root of norms of powers."""
    operator = as_matrix_operator(A)
    roots = {p: onenormest(operator**p) ** (1 / p) for p in range(2, 10)}
    return [(p * (p - 1) - 1, max(roots[p], roots[p + 1])) for p in range(2, 9)]


def _degree(size: float, t: float, columns: int, powers: Callable[[], list[tuple[int, float]]]) -> tuple[int, int]:
    """The degree and the number of steps with the fewest products (Al-Mohy and Higham 2011, Fragment 3.1)."""
    if size * t == 0:
        return 0, 1
    candidates = [(m, max(1, math.ceil(size * t / bound))) for m, bound in _THETA.items()]
    # Where the norm says that many products are needed, norms of powers may say less.
    if size * t > 63.36 * 2 * 2 * 8 * 11 / (columns * 55):
        for least, root in powers():
            candidates += [(m, max(1, math.ceil(root * t / bound))) for m, bound in _THETA.items() if m >= least]
    return min(candidates, key=lambda pair: pair[0] * pair[1])


def _taylor(A: Any, B: Any, shift: Any, degree: int, steps: int, t: float) -> Any:
    """The product of `exp(t (A + shift I))` with B, by Taylor polynomials; their terms are looked at once every 8."""
    unit = 2.0**-53
    factor = np.exp(t * shift / steps)
    for _ in range(steps):
        total = before = B
        for j in range(degree):
            B = (A @ B) * (t / (steps * (j + 1)))
            total = total + B
            if j % 8 == 3:
                before = total
            # Of a badly scaled matrix every second or third term may be small, and the next one large.
            if j % 8 == 7:
                last = cp.maximum(abs(B).max(), abs(total - before).max())
                if float(last) <= unit * 0.25 * float(abs(total).max()):
                    break
        B = total * factor
    return B


@own_device
def expm_multiply(
    A: Any, B: Any, start: Any = None, stop: Any = None, num: Any = None, endpoint: Any = None, traceA: Any = None
) -> Any:
    """The product of the exponential of a matrix, or of its multiples by several times, with a vector or a matrix.

    Parameters
    ----------
    B : (N,) or (N, K) array
        What it is multiplied with.
    start, stop : float, optional
        The first and the last time.
    num : int, optional
        The number of times, by default 50.
    endpoint : bool, optional
        Whether `stop` is the last of them, by default True.
    traceA : number, optional
        The trace of `A`, which makes products with operators cheaper.

    Returns
    -------
    array
        The product, or one for each time along a first axis.

    Raises
    ------
    ValueError
        For shapes that do not fit and fewer than two times.

    Notes
    -----
    Source: Al-Mohy and Higham 2011; `scipy.sparse.linalg.expm_multiply`.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> cp.scipy.sparse.linalg.expm_multiply(A, cp.array([1.0, 2.0]))
    array([3., 2.])
    """
    A, B = taken(A), taken(B)
    if not issparse(A) and not isinstance(A, LinearOperator):
        A = cp.asarray(A)
    B = B if issparse(B) else cp.asarray(B)
    if issparse(B):
        B = B.toarray()
    if len(A.shape) != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(f"expected A to be like a square matrix, got {A.shape}")
    if B.ndim not in (1, 2):
        raise ValueError(f"expected B to be like a matrix or a vector, got {B.ndim} axes")
    if A.shape[1] != B.shape[0]:
        raise ValueError(f"shapes of matrices A {A.shape} and B {B.shape} are incompatible")
    operator = isinstance(A, LinearOperator)
    if not operator:
        A = floating(A)
    kind = np.result_type(A.dtype, B.dtype, np.float64 if np.dtype(B.dtype).kind not in "fc" else B.dtype)
    B = B.astype(kind)
    count = A.shape[0]
    if traceA is None and operator:
        message = "The trace of a LinearOperator is not known, and taken for 0. `traceA` saves products."
        warnings.warn(message, stacklevel=3)
    if traceA is None:
        # Any shift is right; that by the mean of the diagonal makes the norm small.
        traceA = 0.0 if operator else complex(A.diagonal().sum()) if kind.kind == "c" else float(A.diagonal().sum())
    shift = traceA / count if count else 0.0
    if operator:
        shifted = A if shift == 0 else A - IdentityOperator(A.shape, A.dtype) * shift
        size = onenormest(shifted)
    else:
        shifted = A - (identity_like(A) if issparse(A) else cp.eye(count, dtype=A.dtype)) * shift
        size = exact_one_norm(shifted)
    columns = 1 if B.ndim == 1 else B.shape[1]
    powers = functools.cache(lambda: _powers(shifted))
    given = start is not None or stop is not None or num is not None or endpoint is not None
    if not given:
        degree, steps = _degree(size, 1.0, columns, powers)
        return _taylor(shifted, B, shift, degree, steps, 1.0)
    options = {name: value for name, value in (("num", num), ("endpoint", endpoint)) if value is not None}
    times, step = np.linspace(start, stop, retstep=True, **options)
    if len(times) < 2:
        raise ValueError("at least two time points are required")
    degree, steps = _degree(size, abs(float(times[0])), columns, powers)
    results = [_taylor(shifted, B, shift, degree, steps, float(times[0]))]
    degree, steps = _degree(size, abs(float(step)), columns, powers)
    for _ in times[1:]:
        results.append(_taylor(shifted, results[-1], shift, degree, steps, float(step)))
    return cp.stack(results)


@own_device
def funm_multiply_krylov(
    f: Callable[[Any], Any],
    A: Any,
    b: Any,
    *,
    assume_a: str = "general",
    t: float = 1.0,
    atol: float = 0.0,
    rtol: float = 1e-6,
    restart_every_m: int | None = None,
    max_restarts: int = 20,
) -> Any:
    """The product of a function of a matrix with a vector, by a restarted Krylov method.

    Parameters
    ----------
    f : callable
        Takes a small dense matrix, a device array, and returns its function, such as `cuproxide.scipy.linalg.expm`.
    b : (N,) array
        The vector.
    assume_a : {'general', 'gen', 'hermitian', 'her'}
        What is known of `A`. Products with a Hermitian matrix are made orthogonal to all vectors as well.
    t : number
        The multiple of `A` whose function is taken.
    atol, rtol : float
        It ends when the last correction is below `max(rtol * norm(b), atol)`.
    restart_every_m : int, optional
        Vectors between restarts, by default the smaller of 20 and N.
    max_restarts : int
        Most restarts.

    Returns
    -------
    (N,) array
        The product.

    Raises
    ------
    ValueError
        For shapes that do not fit, unknown structures, and numbers that are not positive.

    Notes
    -----
    Source: Eiermann and Ernst 2006; `scipy.sparse.linalg.funm_multiply_krylov`.

    >>> A = cp.scipy.sparse.csr_array(cp.array([[0.0, 1.0], [0.0, 0.0]]))
    >>> y = cp.scipy.sparse.linalg.funm_multiply_krylov(cp.scipy.linalg.expm, A, cp.array([1.0, 2.0]))
    >>> bool(cp.allclose(y, cp.array([3.0, 2.0])))
    True
    """
    name = "scipy.sparse.linalg.funm_multiply_krylov"
    if assume_a not in ("hermitian", "general", "her", "gen"):
        raise ValueError(f"{name}: {assume_a} is not a recognized matrix structure")
    b = cp.asarray(b)
    if b.ndim != 1:
        raise ValueError(f"{name}: argument 'b' must be a 1D array.")
    operator = as_matrix_operator(A)
    count = b.shape[0]
    if operator.shape != (count, count):
        raise ValueError(f"{name}: shapes of A {operator.shape} and b {b.shape} are incompatible")
    m = min(20, count) if restart_every_m is None else int(restart_every_m)
    if m <= 0:
        raise ValueError(f"{name}: argument 'restart_every_m' must be positive.")
    if int(max_restarts) <= 0:
        raise ValueError(f"{name}: argument 'max_restarts' must be positive.")
    kind = np.result_type(floating(b).dtype, operator.dtype if operator.dtype is not None else b.dtype, np.float32)
    b = b.astype(kind)
    size = host_norm(b)
    least = tolerance("funm_multiply_krylov", size, atol, rtol)
    limits = np.finfo(kind)
    if not math.sqrt(limits.tiny) / limits.eps < size < math.inf and 0 < (largest := float(abs(b).max())) < math.inf:
        # Squares of the elements leave the range.
        options = {"assume_a": assume_a, "t": t, "rtol": rtol, "restart_every_m": m, "max_restarts": max_restarts}
        return largest * funm_multiply_krylov(f, A, b / largest, atol=float(atol) / largest, **options)
    if size == 0:
        return b
    restarts = min(int(max_restarts), count // m + 1)
    start, y = b / size, cp.zeros_like(b)
    H = np.zeros((m * restarts + 1, m * restarts), kind)
    for number in range(restarts):
        process = Arnoldi(start, m)
        for j in range(m):
            process.extend(None, operator.matvec(process.V[j]).astype(kind, copy=False))
        process.read()
        made = m if process.ended is None else process.ended
        begin = number * m
        H[begin : begin + made + 1, begin : begin + made] = process.H[: made + 1, :made]
        whole = cp.asarray(H[: begin + made, : begin + made] * t)
        column = cp.asarray(f(whole))[begin:, 0] * size
        y = y + column.astype(kind, copy=False) @ process.V[:made]
        if process.ended is not None or host_norm(column) <= least:
            break
        start = process.V[m]
    return y
