"""The functions of a module of series (`chebadd`, `legfit`, ...), made from a row of the table of bases."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.exceptions import RankWarning

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, as_array, is_complex
from .._lib.texts import complete
from .._lib.ufuncs import NUMPY as _ufuncs
from .._routines.joining import concatenate, stack
from .._routines.shapes import atleast_1d
from .._texts import docstrings as _docstrings
from .._texts import examples
from .._typing import ArrayLike
from . import _basis
from ._basis import Basis
from ._texts import TEXTS
from .polyutils import as_series, trimcoef, trimseq

# Added to each docstring.


def integer(value: Any, what: str) -> int:
    """An argument that must be an integer."""
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeError(f"{what} must be an integer, received {value}") from error


def added(c1: ArrayLike, c2: ArrayLike, sign: int) -> ndarray:
    """The sum or difference of two series without trailing zeros."""
    first, second = as_series([c1, c2])
    length = max(first.size, second.size)
    first, second = (concatenate((c, _core.zeros(length - c.size, c.dtype))) for c in (first, second))
    return trimseq(first + second if sign > 0 else first - second)


def power(multiply: Callable[[ndarray, ndarray], ndarray], c: ArrayLike, pow: Any, maxpower: Any) -> ndarray:
    """A series to a power, squaring as often as possible."""
    (c,) = as_series([c])
    exponent = int(pow)
    if exponent != pow or exponent < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and exponent > maxpower:
        raise ValueError("Power is too large")
    result = _core.full(1, 1, c.dtype)
    while exponent:
        if exponent & 1:
            result = multiply(result, c)
        exponent >>= 1
        c = multiply(c, c) if exponent else c
    return result


def points_of(x: Any, c: ndarray, tensor: bool) -> tuple[Any, ndarray]:
    """`x` as an operand, and the coefficients shaped to meet it."""
    point = x if isinstance(x, SCALARS) else as_array(x)
    if isinstance(point, ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * point.ndim)
    return point, c


def values(val: Callable[..., ndarray], c: ArrayLike, *points: ArrayLike) -> ndarray:
    """A series of several variables at points."""
    arrays = [as_array(point) for point in points]
    if any(array.shape != arrays[0].shape for array in arrays):
        names = {2: "x, y", 3: "x, y, z"}.get(len(points), "ordinates")
        raise ValueError(f"{names} are incompatible")
    result = val(arrays[0], c)
    for array in arrays[1:]:
        result = val(array, result, tensor=False)
    return result


def vanders(vander: Callable[..., ndarray], points: Sequence[ArrayLike], degrees: Sequence[int]) -> ndarray:
    """Products of the members at several variables along a new last axis."""
    if len(points) != len(degrees):
        raise ValueError(f"Expected {len(points)} dimensions of degrees, got {len(degrees)}")
    joined = stack([as_array(point) for point in points]) + 0.0
    result: Any = None
    for i, degree in enumerate(degrees):
        powers = vander(joined[i], degree)
        place = tuple(slice(None) if j == i else None for j in range(len(degrees)))
        powers = powers[(..., *place)]
        result = powers if result is None else result * powers
    return result.reshape((*result.shape[: -len(degrees)], -1))


def order_and_axis(c: ndarray, m: Any, axis: Any, what: str) -> tuple[int, int]:
    """How often to differentiate or integrate, and along which axis."""
    count, axis = integer(m, f"the order of {what}"), integer(axis, "the axis")
    if count < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return count, _core.normalize_axis(axis, c.ndim)


def differentiate(basis: Basis, c: ArrayLike, m: Any, scl: Any, axis: Any) -> ndarray:
    """The `m`-th derivative."""
    c = _basis.inexact(c)
    count, axis = order_and_axis(c, m, axis, "derivation")
    if count == 0:
        return c.copy()
    c = _core.moveaxis(c, axis, 0)
    if count >= c.shape[0]:
        return _core.moveaxis(c[:1] * 0, 0, axis)
    dtype = c.dtype
    for _ in range(count):
        c = _basis.derivative(basis, (c * scl).astype(dtype, copy=False))
    return _core.moveaxis(c, 0, axis)


def integrate(
    antiderivative: Callable[[ndarray], ndarray],
    val: Callable[..., ndarray],
    c: ArrayLike,
    m: Any,
    k: Any,
    lbnd: Any,
    scl: Any,
    axis: Any,
) -> ndarray:
    """The `m`-th antiderivative from `lbnd` with the constants `k`."""
    made: ndarray = _basis.inexact(c)
    count, axis = order_and_axis(made, m, axis, "integration")
    is_list = isinstance(k, (Sequence, np.ndarray, ndarray)) and getattr(k, "ndim", 1) > 0
    constants = list(k) if is_list else [k]
    if len(constants) > count:
        raise ValueError("Too many integration constants")
    for name, value in (("lbnd", lbnd), ("scl", scl)):
        if (value.ndim if isinstance(value, ndarray) else np.ndim(value)) != 0:
            raise ValueError(f"{name} must be a scalar.")
    if count == 0:
        return made.copy()
    dtype = made.dtype
    made = _core.moveaxis(made, axis, 0)
    for constant in constants + [0] * (count - len(constants)):
        made = (made * scl).astype(dtype, copy=False)
        if made.shape[0] == 1 and bool((made == 0).all()):
            made = (made + constant).astype(dtype, copy=False)
            continue
        made = antiderivative(made)
        made[0] += constant - val(lbnd, made)
    return _core.moveaxis(made, 0, axis)


def fit(
    vander: Callable[..., ndarray],
    x: ArrayLike,
    y: ArrayLike,
    deg: Any,
    rcond: float | None,
    full: bool,
    w: ArrayLike | None,
) -> Any:
    """The series of least squared error at the points, with the diagnostics of the solver if `full`."""
    from ..linalg import lstsq

    x, y = as_array(x) + 0.0, as_array(y) + 0.0
    degrees = np.asarray(deg.get() if isinstance(deg, ndarray) else deg)
    if degrees.ndim > 1 or degrees.dtype.kind not in "iu" or degrees.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if degrees.min() < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    highest = int(degrees.max())
    chosen = None if degrees.ndim == 0 else sorted(int(degree) for degree in degrees)
    matrix = vander(x, highest)
    if chosen is not None:
        matrix = matrix[:, _core.array(chosen)]
    if w is not None:
        w = as_array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(x) != len(w):
            raise TypeError("expected x and w to have same length")
        matrix = matrix * w[:, None]
        y = y * (w if y.ndim == 1 else w[:, None])
    if rcond is None:
        rcond = len(x) * float(np.finfo(x.dtype).eps)
    absolute = abs(matrix)
    scale = _ufuncs["sqrt"]((absolute * absolute).sum(0))
    scale = _core.where(scale == 0, scale.dtype.type(1), scale)
    found, residuals, rank, singular = lstsq(matrix / scale, y, rcond)
    found = found / (scale if found.ndim == 1 else scale[:, None])
    if chosen is not None:
        spread = _core.zeros((highest + 1, *found.shape[1:]), found.dtype)
        spread[_core.array(chosen)] = found
        found = spread
    if rank != matrix.shape[1] and not full:
        warnings.warn("The fit may be poorly conditioned", RankWarning, stacklevel=3)
    return (found, [residuals, rank, singular, rcond]) if full else found


def eigenvalues(matrix: ndarray) -> ndarray:
    """Eigenvalues in ascending order; real ones if all are and the matrix is. Waits for the device."""
    from ..linalg import eigvals

    # The rotated matrix gives smaller errors.
    found = eigvals(matrix[::-1, ::-1])
    if is_complex(found.dtype) and not is_complex(matrix.dtype) and bool((found.imag == 0).all()):
        found = found.real
    return _core.sort(found)


def functions(basis: Basis) -> SimpleNamespace:
    """The functions of a basis by their names without the prefix."""

    def line(off: float, scl: float) -> ndarray:
        """The series of the straight line `off + scl * x`."""
        if scl == 0:
            return _core.array([off])
        # Whole numbers leave the dtype alone.
        shift, slope = (int(c) if c == int(c) else c for c in basis.coefficients_of_x())
        return _core.array([off + scl * shift, scl * slope])

    def fromroots(roots: ArrayLike) -> ndarray:
        """The series of the polynomial with these roots whose highest power has the coefficient 1."""
        if len(roots) == 0:  # type: ignore[arg-type]
            return _core.full(1, 1.0, np.float64)
        (given,) = as_series([roots], trim=False)
        given = _core.sort(given)
        result = _core.full(1, 1, given.dtype)
        for i in range(given.size):
            longer = _basis.times_x(basis, result)
            longer[:-1] -= given[i] * result
            result = longer
        return result

    def add(c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The sum of two series. Waits for the device."""
        return added(c1, c2, 1)

    def sub(c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The difference of two series. Waits for the device."""
        return added(c1, c2, -1)

    def mulx(c: ArrayLike) -> ndarray:
        """The series times its variable. Waits for the device."""
        (series,) = as_series([c])
        return trimseq(_basis.times_x(basis, series))

    def mul(c1: ArrayLike, c2: ArrayLike) -> ndarray:
        """The product of two series, in some launches for each term of the shorter. Waits for the device."""
        first, second = as_series([c1, c2])
        return trimseq(_basis.product(basis, first, second))

    def div(c1: ArrayLike, c2: ArrayLike) -> tuple[ndarray, ndarray]:
        """Quotient and remainder of two series; `ZeroDivisionError` for 0. Waits for the device."""
        from ..linalg import solve

        first, second = as_series([c1, c2])
        if bool(second[-1] == 0):
            raise ZeroDivisionError
        if first.size < second.size:
            return first[:1] * 0, first
        if second.size == 1:
            return first / second[-1], first[:1] * 0
        # Columns are the products of members with the divisor; those of full degree make a triangular matrix.
        count, below = first.size - second.size + 1, second.size - 1
        columns = [concatenate((second, _core.zeros(count - 1, second.dtype)))]
        for k in range(count - 1):
            a, b, c = basis.step(k)
            longer = _basis.scaled(_basis.times_x(basis, columns[k])[:-1], a)
            longer = longer + b * columns[k] if b else longer
            columns.append(longer - _basis.scaled(columns[k - 1], c) if k else longer)
        products = stack(columns, axis=1)
        wide = products.astype(np.float32) if products.dtype == np.float16 else products
        quotient = solve(wide[below:], first[below:].astype(wide.dtype, copy=False))
        rest = first[:below] - (wide[:below] @ quotient).astype(first.dtype, copy=False)
        return quotient.astype(first.dtype, copy=False), trimseq(rest)

    def pow(c: ArrayLike, pow: int, maxpower: int | None = 16) -> ndarray:
        """The series to the power `pow`, at most `maxpower`. Waits for the device."""
        return power(lambda a, b: _basis.product(basis, a, b), c, pow, maxpower)

    def val(x: ArrayLike, c: ArrayLike, tensor: bool = True) -> ndarray:
        """The series with coefficients along the first axis of `c` at `x`; each at all of `x` if `tensor`.

        Some launches for each term.
        """
        point, coefficients = points_of(x, _basis.inexact(c), tensor)
        if coefficients.shape[0] == 0:
            raise IndexError("index -2 is out of bounds for axis 0 with size 0")
        if coefficients.shape[0] == 1:
            return coefficients[0] + point * 0
        return _basis.clenshaw(basis, coefficients, lambda b: point * b)

    def val2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
        """The series of two variables at the points (`x`, `y`)."""
        return values(val, c, x, y)

    def val3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
        """The series of three variables at the points (`x`, `y`, `z`)."""
        return values(val, c, x, y, z)

    def valnd(pts: Sequence[ArrayLike], c: ArrayLike) -> ndarray:
        """The series of several variables at points, whose coordinates `pts` holds one after the other."""
        return values(val, c, *pts)

    def grid2d(x: ArrayLike, y: ArrayLike, c: ArrayLike) -> ndarray:
        """The series of two variables at each of `x` with each of `y`."""
        return val(y, val(x, c))

    def grid3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, c: ArrayLike) -> ndarray:
        """The series of three variables at each of `x` with each of `y` and `z`."""
        return val(z, val(y, val(x, c)))

    def der(c: ArrayLike, m: int = 1, scl: float = 1, axis: int = 0) -> ndarray:
        """The `m`-th derivative, each time multiplied by `scl`."""
        return differentiate(basis, c, m, scl, axis)

    def int_(
        c: ArrayLike,
        m: int = 1,
        k: Any = [],  # noqa: B006
        lbnd: float = 0,
        scl: float = 1,
        axis: int = 0,
    ) -> ndarray:
        """The `m`-th antiderivative from `lbnd`, with the constants `k`, each time multiplied by `scl` before."""
        return integrate(lambda c: _basis.banded(c, *basis.integral), val, c, m, k, lbnd, scl, axis)

    def vander(x: ArrayLike, deg: int) -> ndarray:
        """The members up to `deg` at each of `x` along a new last axis, in some launches for each."""
        degree = integer(deg, "deg")
        if degree < 0:
            raise ValueError("deg must be non-negative")
        return _core.moveaxis(_basis.members(basis, atleast_1d(as_array(x)) + 0.0, degree + 1), 0, -1)

    def vander2d(x: ArrayLike, y: ArrayLike, deg: Sequence[int]) -> ndarray:
        """The products of members at `x` and `y` up to the degrees `deg` along a new last axis."""
        return vanders(vander, (x, y), deg)

    def vander3d(x: ArrayLike, y: ArrayLike, z: ArrayLike, deg: Sequence[int]) -> ndarray:
        """The products of members at `x`, `y` and `z` up to the degrees `deg` along a new last axis."""
        return vanders(vander, (x, y, z), deg)

    def fit_(
        x: ArrayLike,
        y: ArrayLike,
        deg: int | Sequence[int],
        rcond: float | None = None,
        full: bool = False,
        w: ArrayLike | None = None,
    ) -> Any:
        """The series of degree `deg` (or of these degrees) with the least squared error at `x`, weighted by `w`.

        Parameters
        ----------
        y : array_like
            The values at the points; one column for each of several series.

        Returns
        -------
        ndarray, or a tuple of it and what was asked for
        """
        return fit(vander, x, y, deg, rcond, full, w)

    def companion(c: ArrayLike) -> ndarray:
        """The companion matrix, symmetric but for its last column, whose eigenvalues are the roots."""
        (series,) = as_series([c])
        if series.size < 2:
            raise ValueError("Series must have maximum degree of at least 1.")
        return _basis.companion(basis, series)

    def roots(c: ArrayLike) -> ndarray:
        """The roots of the series in ascending order: eigenvalues of the companion matrix. Waits for the device."""
        (series,) = as_series([c])
        if series.size < 2:
            return _core.empty((0,), series.dtype)
        matrix = _basis.companion(basis, series)
        return matrix[0] if series.size == 2 else eigenvalues(matrix)

    def gauss(deg: int) -> tuple[ndarray, ndarray]:
        """The points and weights of Gauss' quadrature, exact for polynomials of degree `2 * deg - 1` or less."""
        degree = integer(deg, "deg")
        if degree <= 0:
            raise ValueError("deg must be a positive integer")
        if basis is _basis.CHEBYSHEV:
            angles = _core.arange(math.pi / (2 * degree), math.pi / degree, degree, np.float64)
            return _ufuncs["cos"](angles), _core.full(degree, math.pi / degree, np.float64)
        return _basis.gauss(basis, degree)

    def weight(x: ArrayLike) -> ndarray:
        """The weight under which the members are orthogonal."""
        return basis.weight(x if isinstance(x, ndarray) else as_array(x))

    def to_polynomial(c: ArrayLike) -> ndarray:
        """The series as coefficients of powers. Waits for the device."""
        (series,) = as_series([c])

        def shifted(powers: ndarray) -> ndarray:
            return concatenate((powers[:1] * 0, powers[:-1]))

        one = _core.zeros(series.size, series.dtype)
        one[0] = 1
        return _basis.clenshaw(basis, series, shifted, one)

    def from_polynomial(pol: ArrayLike) -> ndarray:
        """The series of a polynomial given by coefficients of powers. Waits for the device."""
        (series,) = as_series([pol])
        result = series[-1:]
        for i in range(series.size - 2, -1, -1):
            result = _basis.times_x(basis, result)
            result[0] += series[i]
        return result

    made = SimpleNamespace(**{name.rstrip("_"): function for name, function in locals().items() if name != "basis"})
    made.trim = trimcoef
    return made


def module_names(basis: Basis, made: SimpleNamespace) -> dict[str, Any]:
    """The public names of the module of a basis, each function under its own name."""
    names = {}
    for short, function in vars(made).items():
        if short == "to_polynomial":
            name = f"{basis.prefix}2poly"
        elif short == "from_polynomial":
            name = f"poly2{basis.prefix}"
        else:
            name = basis.prefix + short
        names[name] = function
        if function is not trimcoef:
            function.__name__ = function.__qualname__ = name
            function.__module__ = f"cuproxide.polynomial.{basis.module}"
            place = f"polynomial.{basis.module}.{name}"
            example = examples.of(place)
            function.__doc__ = _docstrings.assembled(function.__doc__, see=f"numpy.{place}", example=example)
    complete({"__package__": __package__, **names}, names, TEXTS)
    return names


def constants(basis: Basis, name: str) -> ndarray:
    """`domain`, `zero`, `one` and `x` of a basis, made when asked for since importing opens no device."""
    found = {
        "domain": list(basis.domain),
        "zero": [0],
        "one": [1],
        "x": [int(c) if c == int(c) and basis is not _basis.HERMITE else c for c in basis.coefficients_of_x()],
    }
    short = name.removeprefix(basis.prefix)
    if not name.startswith(basis.prefix) or short not in found:
        raise AttributeError(f"module 'cuproxide.polynomial.{basis.module}' has no attribute {name!r}")
    return _core.array(found[short])
