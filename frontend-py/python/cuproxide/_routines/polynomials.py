"""Polynomials as arrays of coefficients, the highest power first, and `poly1d`."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.exceptions import RankWarning

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib import kernel as k
from .._lib.conversions import SCALARS, as_array, is_complex, is_inexact
from .._lib.ufuncs import NUMPY as _ufuncs
from .._typing import ArrayLike
from .joining import concatenate
from .sequences import convolve
from .shapes import atleast_1d
from .special_matrices import vander

__all__ = [
    "poly",
    "poly1d",
    "polyadd",
    "polyder",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "polyval",
    "roots",
]


# With up to so many coefficients Horner's rule is followed step by step, which gives NumPy's bits.
HORNER = 32


class poly1d:
    """A polynomial of one variable with its coefficients on the device, the highest power first.

    With `r` the polynomial is given by its roots. Leading zeros are dropped, which waits for the device.

    Parameters
    ----------
    c_or_r : array_like
        The coefficients, the highest power first, or the roots.
    r : bool
        Whether roots are given.
    variable : str, optional
        The name of the variable when printed.

    >>> cp.poly1d([1, 0, -1])(2)
    array(3)
    """

    __hash__ = None  # type: ignore[assignment]
    __array_ufunc__ = None

    def __init__(self, c_or_r: ArrayLike | poly1d, r: bool = False, variable: str | None = None) -> None:
        if isinstance(c_or_r, poly1d):
            self._coeffs = c_or_r.coeffs.copy()
            self._variable = c_or_r.variable if variable is None else variable
            return
        given = atleast_1d(as_array(c_or_r))
        if given.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        self._coeffs = _without_leading_zeros(from_roots(given) if r else given)
        self._variable = "x" if variable is None else variable

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, the highest power first."""
        return self._coeffs

    @coeffs.setter
    def coeffs(self, value: ndarray) -> None:
        if value is not self._coeffs:
            raise AttributeError("Cannot set attribute")

    c = coef = coefficients = coeffs

    @property
    def variable(self) -> str:
        """The name of the variable, for printing."""
        return self._variable

    @property
    def order(self) -> int:
        """The highest power."""
        return self._coeffs.size - 1

    o = order

    def get(self, stream: Any = None, out: np.poly1d | None = None) -> np.poly1d:
        """A copy as `numpy.poly1d`, or `out` with these coefficients. Waits for the device.

        Parameters
        ----------
        stream : Stream, optional
            The stream to work on; by default the current one.

        Returns
        -------
        numpy.poly1d
        """
        host = np.poly1d(self._coeffs.get(), variable=self._variable)
        if out is None:
            return host
        out.__dict__.update(host.__dict__)
        return out

    def set(self, polyin: np.poly1d, stream: Any = None) -> None:
        """Takes the coefficients and the variable of a `numpy.poly1d`.

        Parameters
        ----------
        polyin : numpy.poly1d
            The polynomial on the host.
        stream : Stream, optional
            Taken for compatibility: the copy goes to the current stream.

        Raises
        ------
        TypeError
            For anything that is no `numpy.poly1d`.

        >>> p = cp.poly1d([0])
        >>> p.set(np.poly1d([1, 2, 3]))
        >>> p
        poly1d([1, 2, 3])
        """
        if not isinstance(polyin, np.poly1d):
            raise TypeError(f"expected numpy.poly1d, got {type(polyin).__name__}")
        self._coeffs, self._variable = _core.array(polyin.coeffs), polyin.variable

    @property
    def roots(self) -> ndarray:
        """The roots, found as by `cuproxide.roots`. Waits for the device."""
        return roots(self._coeffs)

    r = roots

    def deriv(self, m: int = 1) -> poly1d:
        """The `m`-th derivative.

        Parameters
        ----------
        m : int
            How often.
        """
        return poly1d(polyder(self._coeffs, m))

    def integ(self, m: int = 1, k: ArrayLike | None = 0) -> poly1d:
        """The `m`-th antiderivative with the constants `k`.

        Parameters
        ----------
        m : int
            How often to integrate.
        k : array_like, optional
            The constants of integration, one for each time or one for all.

        >>> cp.poly1d([6, 2]).integ(k=5)
        poly1d([3., 2., 5.])
        """
        return poly1d(polyint(self._coeffs, m, k))

    def __call__(self, val: ArrayLike | poly1d) -> Any:
        return polyval(self._coeffs, val)

    def __cupy_get_ndarray__(self) -> ndarray:
        return self._coeffs

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()` explicitly.")

    def __repr__(self) -> str:
        return repr(self.get())

    def __str__(self) -> str:
        return str(self.get())

    def __len__(self) -> int:
        return self.order

    def __iter__(self) -> Iterator[ndarray]:
        return iter(self._coeffs)

    def __getitem__(self, val: int) -> Any:
        if val > self.order or val < 0:
            return self._coeffs.dtype.type(0)
        return self._coeffs[self.order - val]

    def __setitem__(self, key: int, val: ArrayLike) -> None:
        if key < 0:
            raise ValueError("Does not support negative powers.")
        if key > self.order:
            self._coeffs = _lengthen(self._coeffs, key + 1)
        self._coeffs[self.order - key] = val

    def __neg__(self) -> poly1d:
        return poly1d(-self._coeffs)

    def __pos__(self) -> poly1d:
        return self

    def __add__(self, other: ArrayLike | poly1d) -> poly1d:
        return poly1d(polyadd(self._coeffs, other))

    __radd__ = __add__

    def __sub__(self, other: ArrayLike | poly1d) -> poly1d:
        return poly1d(polysub(self._coeffs, other))

    def __rsub__(self, other: ArrayLike | poly1d) -> poly1d:
        return poly1d(polysub(other, self._coeffs))

    def __mul__(self, other: ArrayLike | poly1d) -> poly1d:
        return poly1d(self._coeffs * other) if isinstance(other, SCALARS) else poly1d(polymul(self._coeffs, other))

    __rmul__ = __mul__

    def __truediv__(self, other: ArrayLike | poly1d) -> Any:
        return poly1d(self._coeffs / other) if isinstance(other, SCALARS) else polydiv(self, other)

    def __rtruediv__(self, other: ArrayLike | poly1d) -> Any:
        return poly1d(other / self._coeffs) if isinstance(other, SCALARS) else polydiv(other, self)

    def __pow__(self, val: int) -> poly1d:
        if not np.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        left = operator.index(val)
        # As in NumPy, where the first factor is the list [1].
        square = poly1d(self._coeffs.astype(_core.promote_types(self._coeffs.dtype, np.int64), copy=False))
        result = poly1d([1])
        while left:
            if left & 1:
                result = result * square
            left >>= 1
            square = square * square if left else square
        return result

    def __eq__(self, other: object) -> Any:
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._coeffs.shape == other.coeffs.shape and bool((self._coeffs == other.coeffs).all())


def _without_leading_zeros(c: ndarray) -> ndarray:
    """The coefficients from the first that is not 0, at least one. Waits for the device."""
    if c.size == 0:
        return _core.zeros(1, c.dtype)
    filled = c != 0
    first = int(_core.where(filled.any(), filled.argmax(), c.size))
    return c[first:] if first < c.size else _core.zeros(1, c.dtype)


def _lengthen(c: ndarray, length: int) -> ndarray:
    missing = length - c.shape[0]
    return concatenate((_core.zeros(missing, c.dtype), c)) if missing > 0 else c


def _coefficients(value: ArrayLike | poly1d) -> ndarray:
    return value.coeffs if isinstance(value, poly1d) else as_array(value)


def _series(value: ArrayLike | poly1d) -> ndarray:
    c = _coefficients(value)
    if c.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return c


def _wrap(result: ndarray, *given: Any) -> Any:
    return poly1d(result) if any(isinstance(value, poly1d) for value in given) else result


def from_roots(roots: ndarray, real: bool = True) -> ndarray:
    """The coefficients of the polynomial with these roots and the leading coefficient 1, highest power first.

    They are real if the roots come in conjugate pairs and `real` (which waits for the device).

    Factors are multiplied in pairs, in as many rounds as the logarithm of their number; what has no partner in a round
    is multiplied by what is left of the earlier ones.
    """
    count = roots.size
    dtype = np.dtype(np.mintypecode(roots.dtype.char))
    roots = roots.astype(dtype)
    if count == 0:
        return _core.full(1, 1.0, np.float64)
    factors = _core.full((count, 2), 1, dtype)
    factors[:, 1] = -roots
    result: Any = None
    while count:
        if count % 2:
            lone = factors[-1:]
            result = lone if result is None else _row_products(lone, result)
        count //= 2
        if count:
            factors = _row_products(factors[: 2 * count : 2], factors[1 : 2 * count : 2])
    result = result[0]
    if real and is_complex(dtype) and bool((_core.sort(roots) == _core.sort(roots.conj())).all()):
        result = result.real.copy()
    return result


def _row_products(a: ndarray, b: ndarray) -> ndarray:
    """The products of the polynomials in the rows of `a` and `b`, those of `a` at least as long."""
    reach = b.shape[1] - 1
    return _core.sliding_products(a, b[:, ::-1], reach, reach)


def evaluate(c: ndarray, x: ndarray) -> ndarray:
    """The polynomials with coefficients along the first axis of `c`, highest power first, at `x` (of one dtype).

    By Horner's rule; long ones by Estrin's, in as many rounds as the logarithm of the length.
    """
    if c.shape[0] <= HORNER:
        result = c[0] + x * 0
        for i in range(1, c.shape[0]):
            result = result * x + c[i]
        return result
    while c.shape[0] > 1:
        if c.shape[0] % 2:
            c = concatenate((_core.zeros((1, *c.shape[1:]), c.dtype), c))
        c = c[::2] * x + c[1::2]
        x = x * x
    return c[0]


def polyval(p: ArrayLike | poly1d, x: ArrayLike | poly1d) -> Any:
    """The polynomial with coefficients `p` at `x`, which may be a polynomial itself.

    By Horner's rule, as in NumPy.

    Parameters
    ----------
    x : array_like or poly1d
        Where it is evaluated.

    >>> cp.polyval(cp.asarray([1, 0, 1]), cp.asarray([2, 3]))
    array([ 5, 10])
    """
    p = _series(p)
    if isinstance(x, poly1d):
        # A number first, which leaves the dtypes of the coefficients alone.
        result: Any = 0
        for i in range(p.size):
            result = result * x + p[i]
        return result
    x = as_array(x)
    if p.size == 0:
        return _core.zeros_like(x)
    if p.size <= HORNER:
        # Joins what is computed around it.
        result = _core.zeros_like(x)
        for i in range(p.shape[0]):
            result = result * x + p[i]
        return result
    return _horner(p, x)


@k.kernel
def _horner(p: k.Array, x: k.Each):
    result = x.dtype.type(0)
    for i in k.steps(p.shape[0]):
        result = result * x + p[i]
    return result


def _sum(operation: Any, a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    first, second = atleast_1d(_coefficients(a1)), atleast_1d(_coefficients(a2))
    # Of the first axis, as in NumPy: what has more of them broadcasts.
    length = max(first.shape[0], second.shape[0])
    return _wrap(operation(_lengthen(first, length), _lengthen(second, length)), a1, a2)


def polyadd(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The sum of two polynomials; a `poly1d` if one of them is.

    >>> cp.polyadd(cp.asarray([1, 2]), cp.asarray([1, 0, 0]))
    array([1, 1, 2])
    """
    return _sum(_ufuncs["add"], a1, a2)


def polysub(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The difference of two polynomials; a `poly1d` if one of them is.

    >>> cp.polysub(cp.asarray([1, 2]), cp.asarray([1, 0]))
    array([0, 2])
    """
    return _sum(_ufuncs["subtract"], a1, a2)


def polymul(a1: ArrayLike | poly1d, a2: ArrayLike | poly1d) -> Any:
    """The product of two polynomials; a `poly1d` if one of them is.

    >>> cp.polymul(cp.asarray([1, 1]), cp.asarray([1, -1]))
    array([ 1,  0, -1])
    """
    return _wrap(convolve(poly1d(a1).coeffs, poly1d(a2).coeffs), a1, a2)


def divide(u: ndarray, v: ndarray) -> tuple[ndarray, ndarray]:
    """Quotient and remainder of polynomials of one inexact dtype, highest power first; `u` is not the shorter.

    The quotient is the product of `u` with the power series of 1 / `v`, found by Newton's iteration: as many rounds as
    the logarithm of its length.
    """
    count = u.size - v.size + 1
    series = 1 / v[:1]
    while series.size < count:
        length = min(2 * series.size, count)
        known = concatenate((series, _core.zeros(length - series.size, v.dtype)))
        error = -convolve(v[:length], series)[:length]
        error[0] += 2
        error = concatenate((error, _core.zeros(length - error.size, v.dtype)))
        series = convolve(known, error)[:length]
    quotient = convolve(u[:count], series)[:count]
    if v.size == 1:
        return quotient, _core.zeros(1, u.dtype)
    return quotient, u[count:] - convolve(quotient, v)[count:]


def polydiv(u: ArrayLike | poly1d, v: ArrayLike | poly1d) -> tuple[Any, Any]:
    """Quotient and remainder of two polynomials; `poly1d` if one of them is. Waits for the device.

    Parameters
    ----------
    u : array_like or poly1d
        The dividend.
    v : array_like or poly1d
        The divisor.

    Returns
    -------
    tuple of ndarray or poly1d

    >>> cp.polydiv(cp.asarray([1.0, 0.0, -1.0]), cp.asarray([1.0, 1.0]))
    (array([ 1., -1.]), array([0.]))
    """
    dividend, divisor = (atleast_1d(_coefficients(value)) + 0.0 for value in (u, v))
    dtype = _core.promote_types(dividend.dtype, divisor.dtype)
    dividend, divisor = dividend.astype(dtype, copy=False), divisor.astype(dtype, copy=False)
    if dividend.size < divisor.size:
        quotient, rest = _core.zeros(1, dtype), dividend
    else:
        quotient, rest = divide(dividend, divisor)
    # Leading coefficients as small as rounding errors are dropped, by NumPy's measure.
    large = ~(abs(rest) <= 1e-8)
    first = int(_core.where(large.any(), large.argmax(), rest.size - 1))
    return _wrap(quotient, u, v), _wrap(rest[first:], u, v)


def polyder(p: ArrayLike | poly1d, m: int = 1) -> Any:
    """The `m`-th derivative of a polynomial; a `poly1d` if it is one.

    Parameters
    ----------
    m : int
        How often it is differentiated.

    >>> cp.polyder(cp.asarray([1, 0, 1]))
    array([2, 0])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of derivative must be positive (see polyint)")
    result = _coefficients(p)
    # Nothing is left after as many as there are coefficients.
    for _ in range(min(m, result.size)):
        result = result[:-1] * _core.arange(max(result.size - 1, 0), -1, max(result.size - 1, 0), np.int64)
    return _wrap(result, p)


def polyint(p: ArrayLike | poly1d, m: int = 1, k: ArrayLike | None = None) -> Any:
    """The `m`-th antiderivative of a polynomial with the constants `k`, the outermost last; a `poly1d` if it is one.

    Parameters
    ----------
    m : int
        How often it is integrated.
    k : sequence of scalars, optional
        The constants.

    >>> cp.polyint(cp.asarray([2.0, 0.0]))
    array([1., 0., 0.])
    """
    m = int(m)
    if m < 0:
        raise ValueError("Order of integral must be positive (see polyder)")
    constants = _core.zeros(m, np.float64) if k is None else atleast_1d(as_array(k))
    if constants.size == 1 and m > 1:
        constants = constants[0] * _core.full(m, 1.0, np.float64)
    if constants.size < m:
        raise ValueError("k must be a scalar or a rank-1 array of length 1 or >m.")
    result = _coefficients(p)
    for i in range(m):
        powers = _core.arange(result.size, -1, result.size, np.int64)
        result = concatenate((result / powers, constants[i : i + 1]))
    return _wrap(result, p)


def poly(seq_of_zeros: ArrayLike) -> ndarray:
    """The coefficients of the polynomial with these roots, or the characteristic polynomial of a square matrix.

    The highest power comes first and has the coefficient 1. Roots in conjugate pairs give real coefficients, which
    waits for the device. See `numpy.poly`.

    >>> cp.poly([2.0, 3.0])
    array([ 1., -5.,  6.])
    """
    given = atleast_1d(as_array(seq_of_zeros))
    if given.ndim == 2 and given.shape[0] == given.shape[1] != 0:
        from .decompositions import eigvals

        given = eigvals(given)
    elif given.ndim != 1:
        raise ValueError("input must be 1d or non-empty square 2d array.")
    return from_roots(given) if given.size else _core.array(1.0)


def roots(p: ArrayLike) -> ndarray:
    """The roots of the polynomial with coefficients `p`, the highest power first: eigenvalues of its companion matrix.

    Real where all are. Zeros at the end of `p` are roots 0. Waits for the device. See `numpy.roots`.

    >>> cp.sort(cp.roots([1.0, -3.0, 2.0])).round(6)
    array([1., 2.])
    """
    p = _series(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    filled = (p != 0).nonzero()[0]
    if filled.size == 0:
        return _core.zeros(0, np.float64)
    first, last = (int(place) for place in (filled[0], filled[-1]))
    zeros = p.size - last - 1
    p = p[first : last + 1]
    if not is_inexact(p.dtype):
        p = p.astype(np.float64)
    if p.size == 1:
        return _core.zeros(zeros, np.float64)
    from .decompositions import eigvals

    order = p.size - 1
    matrix = _core.zeros((order, order), p.dtype)
    matrix.reshape(-1)[order :: order + 1] = 1
    matrix[0] = -p[1:] / p[0]
    found = eigvals(matrix)
    if is_complex(found.dtype) and not is_complex(p.dtype) and bool((found.imag == 0).all()):
        found = found.real
    return concatenate((found, _core.zeros(zeros, found.dtype)))


def polyfit(
    x: ArrayLike,
    y: ArrayLike,
    deg: int,
    rcond: float | None = None,
    full: bool = False,
    w: ArrayLike | None = None,
    cov: bool | str = False,
) -> Any:
    """The polynomial of degree `deg` of least squared error at the points, the highest power first.

    With `full` also residuals, rank, singular values and `rcond`; with `cov` also the covariance matrix of the
    coefficients, which "unscaled" leaves in units of the weights. Waits for the device.

    Parameters
    ----------
    x : array_like
        The points.
    y : array_like
        The values there; one column for each of several polynomials.
    deg : int
        The degree.
    rcond : float, optional
        The ratio to the largest singular value below which others count as zero.
    full : bool
        Whether what belongs to the solution is returned too.
    w : array_like, optional
        The weights of the residuals.
    cov : bool or str
        Whether the covariance matrix is returned too; 'unscaled' leaves out the scaling by the residuals.

    Returns
    -------
    ndarray, or a tuple of it and what was asked for

    >>> cp.polyfit(cp.asarray([0.0, 1.0, 2.0]), cp.asarray([1.0, 3.0, 5.0]), 1).round(6)
    array([2., 1.])
    """
    from .systems import inv, lstsq

    order = int(deg) + 1
    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * float(np.finfo(x.dtype).eps)
    matrix, rhs = vander(x, order), y
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        matrix = matrix * w[:, None]
        rhs = rhs * (w[:, None] if rhs.ndim == 2 else w)
    scale = _ufuncs["sqrt"]((matrix * matrix).sum(0))
    matrix = matrix / scale
    found, residuals, rank, singular = lstsq(matrix, rhs, rcond)
    found = (found.T / scale).T
    if rank != order and not full:
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        return found, residuals, rank, singular, rcond
    if not cov:
        return found
    base = inv(matrix.T @ matrix) / (scale[:, None] * scale)
    factor: Any = 1
    if cov != "unscaled":
        if len(x) <= order:
            raise ValueError("the number of data points must exceed order to scale the covariance matrix")
        factor = residuals / (len(x) - order)
    return found, base * factor if y.ndim == 1 else base[:, :, None] * factor
