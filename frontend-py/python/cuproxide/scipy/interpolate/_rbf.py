"""Radial basis functions: sums of functions of the distance from scattered points."""

from __future__ import annotations

import math
import warnings
from functools import partial
from itertools import combinations_with_replacement
from types import GenericAlias
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError

from ... import _cuproxide as _core
from ... import concatenate, eye, stack
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device
from ..._lib.routes import way
from ..._typing import ArrayLike
from ...linalg import matrix_rank, solve
from ..spatial import cKDTree
from ._common import last_first, number_type, real, ufuncs

_KERNELS = (
    "linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic",
    "gaussian",
)  # fmt: skip
_SCALE_INVARIANT = ("linear", "thin_plate_spline", "cubic", "quintic")
_MIN_DEGREE = {"multiquadric": 0, "linear": 0, "thin_plate_spline": 1, "cubic": 1, "quintic": 2}
# How many elements of small systems are in memory at a time.
_MOST_ELEMENTS = 1 << 26


def _radial(name: str, squared: Any, functions: Any) -> Any:
    """A kernel of the square of the scaled distance; `functions` has `sqrt`, `log`, `exp` and `where`."""
    if name == "linear":
        return -functions.sqrt(squared)
    if name == "thin_plate_spline":
        # r**2 log(r), by the logarithm of the square.
        return functions.where(
            squared == 0, 0.0, 0.5 * squared * functions.log(functions.where(squared == 0, 1.0, squared))
        )
    if name == "cubic":
        return squared * functions.sqrt(squared)
    if name == "quintic":
        return -(squared * squared * functions.sqrt(squared))
    if name == "multiquadric":
        return -functions.sqrt(squared + 1.0)
    if name == "inverse_multiquadric":
        return 1.0 / functions.sqrt(squared + 1.0)
    if name == "inverse_quadratic":
        return 1.0 / (squared + 1.0)
    return functions.exp(-squared)


class _Arrays:
    """The functions of `_radial` for arrays."""

    sqrt, log, exp, where = ufuncs["sqrt"], ufuncs["log"], ufuncs["exp"], staticmethod(_core.where)


@k.kernel
def _system_elements(
    y: k.Array[2], smoothing: k.Array[1], i: k.Each, j: k.Each, powers: k.Array, shift: k.Array[1], scale: k.Array[1],
    epsilon: float, *, name: str,
):  # fmt: skip
    """An element of the symmetric matrix: kernels of distances, beside and below them the monomials."""
    n, ndim = y.shape[0], y.shape[1]
    row, column = min(i, j), max(i, j)
    total = 0.0
    if column < n:
        for d in k.steps(ndim):
            distance = (y[row, d] - y[column, d]) * epsilon
            total += distance * distance
        total = _radial(name, total, k)
        if row == column:
            total += smoothing[row]
    elif row < n:
        total = _monomial(y, row, powers, column - n, shift, scale)
    return total


@k.function
def _monomial(y, row, powers, number, shift, scale):
    total = 1.0
    for d in k.steps(y.shape[1]):
        at = (y[row, d] - shift[d]) / scale[d]
        for _ in k.steps(powers[number, d]):
            total *= at
    return total


@k.kernel
def _sums(
    x: k.Array[1], y: k.Array[2], coefficients: k.Array[1], powers: k.Array, shift: k.Array[1], scale: k.Array[1],
    epsilon: float, *, name: str, ndim: int,
):  # fmt: skip
    """The sum of kernels and monomials at a point."""
    n = y.shape[0]
    point = [x[d] for d in range(ndim)]
    total = 0.0
    for j in k.steps(n):
        squared = 0.0
        for d in range(ndim):
            distance = (point[d] - y[j, d]) * epsilon
            squared = squared + distance * distance
        total += _radial(name, squared, k) * coefficients[j]
    for number in k.steps(powers.shape[0]):
        product = coefficients[n + number]
        for d in range(ndim):
            at = (point[d] - shift[d]) / scale[d]
            for _ in k.steps(powers[number, d]):
                product *= at
        total += product
    return total


def _fused_sums(
    x: ndarray, y: ndarray, coefficients: ndarray, powers: np.ndarray, shift: ndarray, scale: ndarray, epsilon: float,
    name: str,
) -> ndarray:  # fmt: skip
    """The same by array operations, which fuse with their sum: vectors of a CPU, rows of a GPU."""
    n, ndim = y.shape
    squared: Any = 0.0
    for d in range(ndim):
        distance = (x[:, d, None] - y[:, d]) * epsilon
        squared = squared + distance * distance
    values = _radial(name, squared, _Arrays)
    columns = [(values * coefficients[:n, column]).sum(1) for column in range(coefficients.shape[1])]
    if len(powers):
        scaled = (x - shift) / scale
        for number, exponents in enumerate(powers.tolist()):
            product: Any = 1.0
            for d, exponent in enumerate(exponents):
                for _ in range(exponent):
                    product = product * scaled[:, d]
            for column in range(len(columns)):
                columns[column] = columns[column] + product * coefficients[n + number, column]
    return stack(columns, axis=1)


def _monomial_powers(ndim: int, degree: int) -> np.ndarray:
    """The exponents of the monomials up to a degree, a row for each."""
    rows = []
    for total in range(degree + 1):
        for chosen in combinations_with_replacement(range(ndim), total):
            rows.append([chosen.count(d) for d in range(ndim)])
    return np.array(rows, dtype=np.int64).reshape(-1, ndim)


class RBFInterpolator:
    """A function through scattered points: kernels of the distance from each, and a polynomial.

    Parameters
    ----------
    y : array of shape (n, ndim)
        Points.
    d : array of shape (n, ...)
        Values there, real or complex.
    neighbors : int, optional
        How many of the points next to each evaluated one are used; all by default.
    smoothing : float or array of shape (n,)
        0 interpolates the values; larger numbers approach the polynomial.
    kernel : str
        "linear", "thin_plate_spline", "cubic", "quintic", "multiquadric", "inverse_multiquadric", "inverse_quadratic"
        or "gaussian".
    epsilon : float, optional
        What distances are multiplied with; the first four kernels need none.
    degree : int, optional
        The degree of the polynomial, -1 for none.

    Raises
    ------
    ValueError
        If shapes do not fit, there are too few points or `epsilon` is missing.
    LinAlgError
        If the points determine no function.

    >>> y = cp.asarray([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> cp.scipy.interpolate.RBFInterpolator(y, y[:, 0] + y[:, 1])(cp.asarray([[0.5, 0.25]])).round(10)
    array([0.75])
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self,
        y: ArrayLike,
        d: ArrayLike,
        neighbors: int | None = None,
        smoothing: Any = 0.0,
        kernel: str = "thin_plate_spline",
        epsilon: float | None = None,
        degree: int | None = None,
    ) -> None:
        y, d = real(y), as_device(d)
        if y.ndim != 2:
            raise ValueError("`y` must be a 2-dimensional array.")
        ny, ndim = y.shape
        self.d_dtype = number_type(d.dtype)
        d = d.astype(self.d_dtype, copy=False)
        if d.ndim == 0 or d.shape[0] != ny:
            raise ValueError(f"Expected the first axis of `d` to have length {ny}.")
        self.d_shape = d.shape[1:]
        d = d.reshape((ny, math.prod(self.d_shape)))
        if self.d_dtype.kind == "c":
            d = stack([d.real, d.imag], axis=-1).reshape(ny, -1)
        if isinstance(smoothing, (int, float)) or np.shape(smoothing) == ():
            smoothing = _core.full((ny,), float(smoothing), np.float64)
        else:
            smoothing = real(smoothing)
            if smoothing.shape != (ny,):
                raise ValueError(f"Expected `smoothing` to be a scalar or have shape ({ny},).")
        kernel = kernel.lower()
        if kernel not in _KERNELS:
            raise ValueError(f"`kernel` must be one of {set(_KERNELS)}.")
        if epsilon is None:
            if kernel not in _SCALE_INVARIANT:
                raise ValueError(f"`epsilon` must be specified if `kernel` is not one of {set(_SCALE_INVARIANT)}.")
            epsilon = 1.0
        least = _MIN_DEGREE.get(kernel, -1)
        if degree is None:
            degree = max(least, 0)
        else:
            degree = int(degree)
            if degree < -1:
                raise ValueError("`degree` must be at least -1.")
            if -1 < degree < least:
                warnings.warn(
                    f"`degree` should not be below {least} except -1 when `kernel` is '{kernel}'. The "
                    f"interpolant may not "
                    "be uniquely solvable, and the smoothing parameter may have an unintuitive effect.",
                    UserWarning,
                    stacklevel=2,
                )
        count = ny if neighbors is None else int(min(neighbors, ny))
        powers = _monomial_powers(ndim, degree)
        if powers.shape[0] > count:
            raise ValueError(
                f"At least {powers.shape[0]} data points are required when `degree` is {degree} and the number of "
                f"dimensions is {ndim}."
            )
        self.y, self.d, self.smoothing, self.kernel, self.epsilon = y, d, smoothing, kernel, float(epsilon)
        self.neighbors = None if neighbors is None else count
        self.powers = as_device(powers)
        self._powers = powers
        if neighbors is None:
            self._shift, self._scale, self._coeffs = self._solved(y, d, smoothing)
        else:
            self._tree = cKDTree(y)

    def _solved(self, y: ndarray, d: ndarray, smoothing: ndarray) -> tuple[ndarray, ndarray, ndarray]:
        """The middle and half the width of the points, and the coefficients: for stacks of sets of points."""
        n, ndim = y.shape[-2:]
        if n == 0:
            shift, scale = _core.zeros((ndim,), np.float64), _core.full((ndim,), 1.0, np.float64)
        else:
            low, high = y.min(-2), y.max(-2)
            shift, scale = (high + low) / 2, (high - low) / 2
            scale = _core.where(scale == 0, 1.0, scale)
        more = len(self._powers)
        number = _core.arange(0, 1, n + more, np.int64)
        matrix = _system_elements(
            y[..., None, None, :, :], smoothing[..., None, None, :], number[:, None], number, self.powers,
            shift[..., None, None, :], scale[..., None, None, :], self.epsilon, name=self.kernel,
        )  # fmt: skip
        right = concatenate([d, _core.zeros((*d.shape[:-2], more, d.shape[-1]), np.float64)], axis=-2)
        try:
            return shift, scale, solve(matrix, right)
        except LinAlgError as error:
            message = "Singular matrix."
            if more and y.ndim == 2:
                rank = int(matrix_rank(matrix[:n, n:]))
                if rank < more:
                    message = (
                        "Singular matrix. The matrix of monomials evaluated at the data point coordinates does not "
                        "have "
                        ""
                        f"full column rank ({rank}/{more})."
                    )
            raise LinAlgError(message) from error

    def __call__(self, x: ArrayLike) -> ndarray:
        """The values at points `x` of shape (q, ndim)."""
        x = real(x)
        if x.ndim != 2:
            raise ValueError("`x` must be a 2-dimensional array.")
        nx, ndim = x.shape
        if ndim != self.y.shape[1]:
            raise ValueError(f"Expected the second axis of `x` to have length {self.y.shape[1]}.")
        columns = self.d.shape[1]
        if nx == 0 or columns == 0:
            out = _core.zeros((nx, columns), np.float64)
        elif self.neighbors is None:
            if columns <= 2 and nx * self.y.shape[0] >= 4096:
                # A CPU makes distances of points to all centres, of some points at a time.
                bands = min(nx, way("bands", x, nx * self.y.shape[0]))
                out = _core.empty((nx, columns), np.float64)
                for band in range(bands):
                    start, end = nx * band // bands, nx * (band + 1) // bands
                    out[start:end] = _fused_sums(
                        *(x[start:end], self.y, self._coeffs, self._powers, self._shift, self._scale),
                        *(self.epsilon, self.kernel),
                    )
            else:
                out = _sums(
                    x[:, None], self.y, last_first(self._coeffs), self.powers, self._shift, self._scale, self.epsilon,
                    name=self.kernel, ndim=ndim,
                )  # fmt: skip
        else:
            out = self._local_values(x)
        if self.d_dtype.kind == "c":
            pairs = out.reshape(nx, -1, 2)
            out = pairs[..., 0] + 1j * pairs[..., 1]
        return out.reshape((nx, *self.d_shape))

    def _local_values(self, x: ndarray) -> ndarray:
        """Values by the nearest points: a system for each point, as many at a time as the memory holds well."""
        size = self.neighbors + len(self._powers)
        step = max(1, _MOST_ELEMENTS // (size * (size + self.d.shape[1])))
        parts = []
        for start in range(0, x.shape[0], step):
            part = x[start : start + step]
            _, near = self._tree.query(part, range(1, self.neighbors + 1))
            near.sort(axis=1)
            y = self.y[near]
            shift, scale, coefficients = self._solved(y, self.d[near], self.smoothing[near])
            parts.append(
                _sums(
                    part[:, None, :],
                    y[:, None],
                    _core.moveaxis(coefficients, -1, -2),
                    self.powers,
                    shift[:, None],
                    scale[:, None],
                    self.epsilon,
                    name=self.kernel,
                    ndim=x.shape[1],
                )  # fmt: skip
            )
        return concatenate(parts)


def _old_radial(name: str, sign: float, r: ndarray) -> Any:
    return sign * _radial(name, r * r, _Arrays)


class Rbf:
    """Radial basis functions of the older interface; `RBFInterpolator` is the one for new programs.

    Parameters
    ----------
    *args : arrays
        The coordinates of points, one array for each, and their values.
    function : str or function
        "multiquadric", "inverse", "gaussian", "linear", "cubic", "quintic", "thin_plate", or a function of an array of
        distances, or of this object and one.
    epsilon : float, optional
        The scale of the first three, by default about the mean distance of points.
    smooth : float
        More than 0 smooths.
    norm : str or function
        The distance: "euclidean", or another of `scipy.spatial.distance.cdist`.
    mode : "1-D" or "N-D"
        Whether the values are numbers or vectors.

    >>> x = cp.linspace(0, 1, 4)
    >>> cp.scipy.interpolate.Rbf(x, x**2)(x).round(10)
    array([0.        , 0.11111111, 0.44444444, 1.        ])
    """

    def __init__(self, *args: ArrayLike, **kwargs: Any) -> None:
        self.xi = stack([real(a).reshape(-1) for a in args[:-1]])
        self.N = self.xi.shape[-1]
        self.mode = kwargs.pop("mode", "1-D")
        values = as_device(args[-1])
        if self.mode == "1-D":
            self.di, self._target_dim = values.reshape(-1), 1
        elif self.mode == "N-D":
            self.di, self._target_dim = values, values.shape[-1]
        else:
            raise ValueError("Mode has to be 1-D or N-D.")
        if self.di.shape[0] != self.N:
            raise ValueError("All arrays must be equal length.")
        self.norm = kwargs.pop("norm", "euclidean")
        self.epsilon = kwargs.pop("epsilon", None)
        if self.epsilon is None:
            edges = np.array((self.xi.max(1) - self.xi.min(1)).tolist())
            edges = edges[np.nonzero(edges)]
            self.epsilon = float(np.power(np.prod(edges) / self.N, 1.0 / edges.size))
        self.smooth = kwargs.pop("smooth", 0.0)
        self.function = kwargs.pop("function", "multiquadric")
        for name, value in kwargs.items():
            setattr(self, name, value)
        self.nodes = solve(self.A, self.di.astype(number_type(self.di.dtype), copy=False))

    @property
    def A(self) -> ndarray:
        """The matrix of the function at the distances between points."""
        return self._chosen(self._call_norm(self.xi, self.xi)) - eye(self.N) * self.smooth

    def _chosen(self, r: ndarray) -> ndarray:
        if isinstance(self.function, str):
            self.function = self.function.lower()
            mapped = {
                "inverse": "inverse_multiquadric",
                "inverse multiquadric": "inverse_multiquadric",
                "thin-plate": "thin_plate",
            }
            self.function = mapped.get(self.function, self.function)
            if self.function not in _OLD:
                raise ValueError("function must be a callable or one of " + ", ".join(sorted(_OLD)))
            name, needs_scale = _OLD[self.function]
            sign = -1.0 if name in ("multiquadric", "linear", "quintic") else 1.0
            scaled = r * (1.0 / self.epsilon) if needs_scale else r
            self._function = partial(_old_radial, name, sign)
            return self._function(scaled)
        if not callable(self.function):
            raise ValueError("function must be a callable or one of " + ", ".join(sorted(_OLD)))
        plain = hasattr(self.function, "__code__")
        code = self.function.__code__ if plain else type(self.function).__call__.__code__
        if plain and code.co_argcount == 1:
            values = self.function(r)
        elif code.co_argcount == 2:
            values = self.function(self, r) if plain else self.function(r)
        else:
            raise ValueError("Function argument must take 1 or 2 arguments.")
        if values.shape != r.shape:
            raise ValueError("Callable must take array and return array of the same shape")
        return values

    def _call_norm(self, x1: ndarray, x2: ndarray) -> ndarray:
        """Distances between the points in the columns."""
        if self.norm != "euclidean":
            from ..spatial.distance import cdist

            return cdist(x1.T, x2.T, self.norm)
        squared: Any = 0.0
        for a, b in zip(x1, x2, strict=True):
            difference = a[:, None] - b
            squared = squared + difference * difference
        return ufuncs["sqrt"](squared)

    def __call__(self, *args: ArrayLike) -> ndarray:
        """The values at points, given by their coordinates."""
        points = [as_device(x) for x in args]
        if any(x.shape != points[0].shape for x in points):
            raise ValueError("Array lengths must be equal")
        shape = points[0].shape + ((self._target_dim,) if self._target_dim > 1 else ())
        at = stack([x.reshape(-1).astype(np.float64, copy=False) for x in points])
        values = self._chosen(self._call_norm(at, self.xi))
        return _core.matmul(values, self.nodes).reshape(shape)


# The kernels of the older interface, and whether distances are divided by `epsilon`.
_OLD = {
    "multiquadric": ("multiquadric", True),
    "inverse_multiquadric": ("inverse_multiquadric", True),
    "gaussian": ("gaussian", True),
    "linear": ("linear", False),
    "cubic": ("cubic", False),
    "quintic": ("quintic", False),
    "thin_plate": ("thin_plate_spline", False),
}

__all__ = ["RBFInterpolator", "Rbf"]
