"""`UnivariateSpline` and its kin: FITPACK's splines as objects."""

from __future__ import annotations

import warnings
from types import GenericAlias
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._typing import ArrayLike
from ._common import any_of, padded, real, ufuncs
from ._fitpack import Curve, _with_zeros, fit_curve, spalde, splantider, splder, splev, splint, sproot
from ._least_squares import Data, check_fixed_knots

_EXTRAPOLATION = {0: 0, "extrapolate": 0, 1: 1, "zeros": 1, 2: 2, "raise": 2, 3: 3, "const": 3}
_MESSAGES = {
    1: "\nThe required storage space exceeds the available storage space, as\nspecified by the "
    "parameter nest: nest too "
    "small. If nest is already\nlarge (say nest > m/2), it may also indicate that s is too small.\nThe approximation "
    "returned is the weighted least-squares spline\naccording to the knots t[0],t[1],...,t[n-1]. "
    "(n=nest) the parameter "
    "fp\ngives the corresponding weighted sum of squared residuals (fp>s).\n",
    2: "\nA theoretically impossible result was found during the iteration\nprocess for finding a "
    "smoothing spline with "
    "fp = s: s too small.\nThere is an approximation returned but the corresponding weighted sum\nof squared residuals "
    "does not satisfy the condition abs(fp-s)/s < tol.",
    3: "\nThe maximal number of iterations maxit (set to 20 by the program)\nallowed for finding a "
    "smoothing spline with "
    "fp=s has been reached: s\ntoo small.\nThere is an approximation returned but the corresponding weighted sum\nof "
    "squared residuals does not satisfy the condition abs(fp-s)/s < tol.",
}
_FIXED = (
    "The input parameters have been rejected by fpchec. This means that at least one of the following conditions is "
    "violated:\n\n1) k+1 <= n-k-1 <= m\n2) t(1) <= t(2) <= ... <= t(k+1)\n   t(n-k) <= t(n-k+1) <= "
    "... <= t(n)\n3) t(k+1) < "
    "t(k+2) < ... < t(n-k)\n4) t(k+1) <= x(i) <= t(n-k)\n5) The conditions specified by Schoenberg "
    "and Whitney must hold\n"
    "   for at least one subset of data points, i.e., there must be a\n   subset of data points "
    "y(j) such that\n       t(j) "
    "< y(j) < t(j+k+1), j=1,2,...,n-k-1\n"
)


def _mode(ext: Any) -> int:
    try:
        return _EXTRAPOLATION[ext]
    except KeyError as error:
        raise ValueError(f"Unknown extrapolation mode {ext}.") from error


class UnivariateSpline:
    """A smoothing spline near to points.

    Parameters
    ----------
    x, y : arrays of shape (m,)
        Points, rising, and values.
    bbox : pair of floats, optional
        The ends of the base.
    k : int
        The degree, 1 to 5.
    s : float, optional
        The sum of the squared weighted residuals, by default the number of points; 0 interpolates.
    ext : int or str
        What stands outside: 0 or "extrapolate", 1 or "zeros", 2 or "raise", 3 or "const".

    See Also
    --------
    scipy.interpolate.UnivariateSpline : The class that this one follows.

    >>> x = cp.linspace(0, 3, 30)
    >>> cp.scipy.interpolate.UnivariateSpline(x, cp.sin(x), s=0)(1.0).round(5)
    array(0.84147)
    """

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Any = (None, None),
        k: int = 3,
        s: float | None = None,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        x, y, w, bbox, self.ext = self.validate_input(x, y, w, bbox, k, s, ext, check_finite)
        self._prepare(x, y, w, bbox, k)
        self._fit(float(len(x)) if s is None else float(s))

    @staticmethod
    def validate_input(
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None,
        bbox: Any,
        k: int,
        s: float | None,
        ext: Any,
        check_finite: bool,
    ) -> tuple[ndarray, ndarray, ndarray | None, Any, int]:
        """The arguments as arrays, after SciPy's checks.

        Parameters
        ----------
        x, y : array_like
            The points and the values there.
        bbox : pair of float or None
            The ends of the interval.
        s : float, optional
            The smoothing factor.
        ext : int or str
            What is done outside of the interval.
        check_finite : bool
            Whether numbers that are not finite are an error.

        Returns
        -------
        tuple
            `x`, `y`, `w`, `bbox` and the number of `ext`.

        Raises
        ------
        ValueError
            For what does not fit together.
        """
        x, y = real(x), real(y)
        if x.ndim != 1:
            raise ValueError(f"x must have one axis, got the shape {x.shape}")
        w = None if w is None else real(w)
        if check_finite and any_of(
            ~(
                ufuncs["isfinite"](x).all()
                & ufuncs["isfinite"](y).all()
                & (True if w is None else ufuncs["isfinite"](w).all())
            )
        ):
            raise ValueError("x and y array must not contain NaNs or infs.")
        steps = x[1:] - x[:-1]
        if s is None or s > 0:
            if not bool((steps >= 0.0).all()):
                raise ValueError("x must be increasing if s > 0")
        elif not bool((steps > 0.0).all()):
            raise ValueError("x must be strictly increasing if s = 0")
        if x.size != y.size:
            raise ValueError("x and y should have a same length")
        if w is not None and not x.size == y.size == w.size:
            raise ValueError("x, y, and w should have a same length")
        if np.shape(bbox) != (2,):
            raise ValueError("bbox shape should be (2,)")
        if not 1 <= k <= 5:
            raise ValueError("k should be 1 <= k <= 5")
        if s is not None and not s >= 0.0:
            raise ValueError("s should be s >= 0.0")
        return x, y, w, bbox, _mode(ext)

    def _prepare(self, x: ndarray, y: ndarray, w: ndarray | None, bbox: Any, k: int) -> None:
        if x.size <= k:
            raise ValueError(f"There must be more than k={k} points, got {x.size}")
        w = _core.full(x.shape, 1.0, np.float64) if w is None else w
        self._k, self._data = k, Data(x, y.reshape(-1)[:, None], w, k)
        first, last = float(x[0]), float(x[-1])
        self._ends = tuple(
            end if given is None else float(given) for given, end in zip(bbox, (first, last), strict=True)
        )
        if self._ends[0] > first or self._ends[1] < last:
            raise ValueError(f"bbox={bbox} must contain all points, which lie from {first} to {last}")

    def _fit(self, s: float, before: Curve | None = None) -> None:
        m, k = self._data.x.shape[0], self._k
        most = m + k + 1
        if before is None:
            # The room for knots decides where a search pauses, and so which knots it takes.
            self._nest = most if s == 0 else max(m // 2, 2 * (k + 1))
        found = fit_curve(self._data, s, self._ends[0], self._ends[1], self._nest, before)
        if found.code == 1 and self._nest < most:
            self._nest = most
            found = fit_curve(self._data, s, self._ends[0], self._ends[1], most, found)
        self._take(found)

    def _take(self, found: Curve, fixed: bool = False) -> None:
        self._found, self._fixed = found, fixed
        self._eval_args = (found.t, _with_zeros(found.c[:, 0], found.t.shape[0]), self._k)
        if found.code in (-1, -2):
            self._become(InterpolatedUnivariateSpline if found.code == -1 else LSQUnivariateSpline)
        elif found.code > 0:
            if found.code == 1:
                self._become(LSQUnivariateSpline)
            warnings.warn(_MESSAGES[found.code], stacklevel=4)

    def _become(self, kind: type[UnivariateSpline]) -> None:
        if self.__class__ in (UnivariateSpline, InterpolatedUnivariateSpline, LSQUnivariateSpline):
            self.__class__ = kind

    @classmethod
    def _from_tck(cls, tck: tuple[ndarray, ndarray, int], ext: int = 0) -> UnivariateSpline:
        """A spline without points."""
        self = cls.__new__(cls)
        self._eval_args, self._k, self.ext = tck, tck[2], ext
        self._found, self._fixed = None, False
        return self

    def set_smoothing_factor(self, s: float) -> None:
        """Fits again, with another sum of residuals, from the present knots on.

        Parameters
        ----------
        s : float
            The sum of the squared weighted residuals.
        """
        if self._fixed:
            warnings.warn("smoothing factor unchanged for LSQ spline with fixed knots", stacklevel=2)
            return
        self._fit(float(s), self._found)

    def __call__(self, x: ArrayLike, nu: int = 0, ext: Any = None) -> ndarray:
        """The values, or derivatives of order `nu`, at `x`."""
        if isinstance(x, (list, tuple)) and not len(x) or getattr(x, "size", 1) == 0:
            return _core.zeros((0,), np.float64)
        return splev(x, self._eval_args, der=nu, ext=self.ext if ext is None else _mode(ext))

    def get_knots(self) -> ndarray:
        """The inner knots, with the ends of the base."""
        t = self._eval_args[0]
        return t[self._k : t.shape[0] - self._k]

    def get_coeffs(self) -> ndarray:
        """The coefficients."""
        t, c, _ = self._eval_args
        return c[: t.shape[0] - self._k - 1]

    def get_residual(self) -> Any:
        """The sum of the squared weighted residuals."""
        return None if self._found is None else self._found.fp

    def integral(self, a: float, b: float) -> ndarray:
        """The integral from `a` to `b` of the spline, which is 0 outside its base here."""
        return splint(a, b, self._eval_args)

    def derivatives(self, x: ArrayLike) -> Any:
        """All derivatives at a point.

        Parameters
        ----------
        x : float
            The point.

        Returns
        -------
        ndarray
        """
        return spalde(x, self._eval_args)

    def roots(self) -> ndarray:
        """The zeros of a cubic spline."""
        if self._k != 3:
            raise NotImplementedError("finding roots unsupported for non-cubic splines")
        return sproot(self._eval_args, mest=3 * (self._eval_args[0].shape[0] - 7))

    def derivative(self, n: int = 1) -> UnivariateSpline:
        """The derivative of order `n`."""
        return UnivariateSpline._from_tck(splder(self._eval_args, n), ext=1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: int = 1) -> UnivariateSpline:
        """An antiderivative of order `n`."""
        return UnivariateSpline._from_tck(splantider(self._eval_args, n), self.ext)


class InterpolatedUnivariateSpline(UnivariateSpline):
    """A spline through points: a `UnivariateSpline` with `s=0`.

    >>> x = cp.arange(6.0)
    >>> cp.scipy.interpolate.InterpolatedUnivariateSpline(x, x**3)(1.5).round(10)
    array(3.375)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        x, y, w, bbox, self.ext = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        if not bool((x[1:] > x[:-1]).all()):
            raise ValueError("x must be strictly increasing")
        self._prepare(x, y, w, bbox, k)
        self._fit(0.0)


class LSQUnivariateSpline(UnivariateSpline):
    """The least squares spline with given inner knots `t`, which rise.

    Parameters
    ----------
    t : array_like
        The inner knots.

    >>> x = cp.linspace(0, 1, 20)
    >>> cp.scipy.interpolate.LSQUnivariateSpline(x, x**2, [0.5])(0.3).round(10)
    array(0.09)
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        t: ArrayLike,
        w: ArrayLike | None = None,
        bbox: Any = (None, None),
        k: int = 3,
        ext: int | str = 0,
        check_finite: bool = False,
    ) -> None:
        x, y, w, bbox, self.ext = self.validate_input(x, y, w, bbox, k, None, ext, check_finite)
        if not bool((x[1:] >= x[:-1]).all()):
            raise ValueError("x must be increasing")
        self._prepare(x, y, w, bbox, k)
        ends = as_device(np.array(self._ends))
        knots = padded(ends[:1], k + 1, real(t).reshape(-1), ends[1:], k + 1)
        if not bool((knots[k + 1 : -k] > knots[k : -k - 1]).all()):
            raise ValueError("Interior knots t must satisfy Schoenberg-Whitney conditions")
        if check_fixed_knots(x, knots, k):
            raise ValueError(_FIXED)
        self._take(fit_curve(self._data, 0.0, self._ends[0], self._ends[1], 0, knots=knots), fixed=True)


__all__ = ["InterpolatedUnivariateSpline", "LSQUnivariateSpline", "UnivariateSpline"]
