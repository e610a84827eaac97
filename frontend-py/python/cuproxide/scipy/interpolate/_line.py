"""`interp1d`: values between points by the nearest one, on lines or by splines."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ... import _cuproxide as _core
from ... import linspace, ones_like
from ..._cuproxide import ndarray
from ..._lib import kernel as k
from ..._lib.arguments import as_device, is_integer
from ..._typing import ArrayLike
from ._common import any_of, last_first, ufuncs
from ._interp_spline import make_interp_spline
from ._polynomial import Interpolator1D

_ORDERS = {"zero": 0, "slinear": 1, "quadratic": 2, "cubic": 3}


@k.kernel
def _between(
    x: k.Each, xi: k.Array, y: k.Array[1], below: k.Each, above: k.Each, *, kind: str, filled: bool, exact: bool
):
    """The value at a point; `exact` are lines as `numpy.interp` has them."""
    n = xi.shape[0]
    low, high = 0, n
    # How many points lie below, or for some kinds at the point, too.
    up = kind in ("previous", "nearest-up") or exact
    last = n - 1 if kind in ("nearest", "nearest-up") else n
    high = last
    while low < high:
        middle = (low + high) >> 1
        there = xi[middle]
        if kind in ("nearest", "nearest-up"):
            there = there / 2.0 + xi[min(middle + 1, n - 1)] / 2.0
        # NaN stands behind all points, as where it is sorted.
        passed = (there <= x if up else there < x) | (x != x)
        low = k.where(passed, middle + 1, low)
        high = k.where(passed, high, middle)
    if kind == "linear":
        right = k.clamp(low, 1, n - 1)
        x0, x1, y0, y1 = xi[right - 1], xi[right], y[right - 1], y[right]
        total = (y1 - y0) / (x1 - x0) * (x - x0) + y0
        if exact:
            total = k.where(x == x0, y0, k.where(x == x1, y1, total))
            total = k.where(x == x, total, x)
    elif kind == "previous":
        total = y[k.clamp(low, 1, n) - 1]
    else:
        total = y[k.clamp(low, 0, n - 1)]
    if filled:
        total = k.where(x < xi[0], below.astype(total.dtype), k.where(x > xi[-1], above.astype(total.dtype), total))
    return total


class interp1d(Interpolator1D):
    """A function through points.

    Parameters
    ----------
    x : array of shape (n,)
        Points.
    y : array with n elements along `axis`
        Values.
    kind : str or int
        "linear", "nearest" (halves down), "nearest-up" (halves up), "previous", "next", "zero", "slinear", "quadratic",
        "cubic", or the degree of a spline.
    copy : bool
        Taken for the sake of SciPy's signature.
    bounds_error : bool, optional
        Whether points outside are errors; by default they are unless there is something to fill in.
    fill_value : array, (below, above) or "extrapolate"
        The values outside; NaN by default.
    assume_sorted : bool
        Whether `x` rises already.

    See Also
    --------
    scipy.interpolate.interp1d : The function that this one follows.

    >>> cp.scipy.interpolate.interp1d([0.0, 1.0, 2.0], [0.0, 10.0, 40.0])(cp.asarray([0.5, 1.5]))
    array([ 5., 25.])
    """

    def __init__(
        self,
        x: ArrayLike,
        y: ArrayLike,
        kind: str | int = "linear",
        axis: int = -1,
        copy: bool = True,
        bounds_error: bool | None = None,
        fill_value: Any = np.nan,
        assume_sorted: bool = False,
    ) -> None:
        x, y = as_device(x), as_device(y)
        self._set_values(x, y, axis)
        self.bounds_error, self.copy = bounds_error, copy
        order = None
        if is_integer(kind):
            order = int(kind)
        elif kind in _ORDERS:
            order = _ORDERS[kind]
        elif kind not in ("linear", "nearest", "nearest-up", "previous", "next"):
            raise NotImplementedError(f"{kind} is unsupported: Use fitpack routines for other types.")
        if not assume_sorted:
            index = x.argsort(kind="stable")
            x, y = x[index], y.take(index, axis=axis)
        if x.ndim != 1:
            raise ValueError("the x array must have exactly one dimension.")
        if y.ndim == 0:
            raise ValueError("the y array must have at least one dimension.")
        if y.dtype.kind not in "fc":
            y = y.astype(np.float64)
        self.axis = axis % y.ndim
        self.x, self.y = x, y
        # Differences of narrow integers would wrap around, and those of float16 leave its range.
        narrow = x.dtype.itemsize < (4 if x.dtype.kind in "fc" else 8)
        self._nodes = x.astype(np.float64) if narrow else x
        self._y = self._columns(y)
        self._kind = kind if order is None else "spline"
        if order is None:
            least = 1
            if kind in ("previous", "next") and _is_extrapolation(fill_value):
                self._never_raise()
                end = y.take(-1 if kind == "previous" else 0, axis=axis)
                fill_value = (np.nan, end) if kind == "previous" else (end, np.nan)
            plain = (np.dtype(np.float64), np.dtype(np.int64))
            extrapolates = _is_extrapolation(fill_value)
            self._exact = (
                kind == "linear" and x.dtype in plain and y.dtype in plain and y.ndim == 1 and not extrapolates
            )
        else:
            least = order + 1
            self._make_spline(order)
        if len(x) < least:
            raise ValueError(f"x and y arrays must have at least {least} entries")
        self.fill_value = fill_value

    def _make_spline(self, order: int) -> None:
        x, y, self._is_nan = self._nodes, self._y, False
        if order > 1:
            isnan = ufuncs["isnan"]
            missing = isnan(x)
            if any_of(missing):
                known = x[~missing]
                if known.size == 0:
                    raise ValueError("`x` array is all-nan")
                x, self._is_nan = linspace(known.min(), known.max(), len(x)), True
            if any_of(isnan(y)):
                y, self._is_nan = ones_like(y), True
        self._spline = make_interp_spline(x, y, k=order, check_finite=False)

    @property
    def fill_value(self) -> Any:
        """The values outside the range: one, a pair of them, or "extrapolate"."""
        return self._fill_value_orig

    @fill_value.setter
    def fill_value(self, fill_value: Any) -> None:
        if _is_extrapolation(fill_value):
            self._never_raise()
            self._extrapolate = True
            self._fill = (0.0, 0.0)
        else:
            shape = self.y.shape[: self.axis] + self.y.shape[self.axis + 1 :] or (1,)
            if isinstance(fill_value, tuple) and len(fill_value) == 2:
                names = ("fill_value (below)", "fill_value (above)")
                self._fill = tuple(_filling(value, shape, name) for value, name in zip(fill_value, names, strict=True))
            else:
                self._fill = (_filling(fill_value, shape, "fill_value"),) * 2
            self._extrapolate = False
            if self.bounds_error is None:
                self.bounds_error = True
        self._fill_value_orig = fill_value

    def _never_raise(self) -> None:
        if self.bounds_error:
            raise ValueError("Cannot extrapolate and raise at the same time.")
        self.bounds_error = False

    def _evaluate(self, x: ndarray) -> ndarray:
        filled = not self._extrapolate
        if filled and self.bounds_error:
            self._check_bounds(x)
            filled = False
        if self._kind != "spline":
            values = last_first(self._y)
            return _between(
                x[:, None], self._nodes, values, *self._fill, kind=self._kind, filled=filled, exact=self._exact
            )
        out = self._spline(x)
        if self._is_nan:
            out = _core.full(out.shape, np.nan, out.dtype)
        if filled:
            below, above = self._fill
            x = x[:, None]
            out = _core.where(x < self.x[0], below, _core.where(x > self.x[-1], above, out)).astype(
                out.dtype, copy=False
            )
        return out

    def _check_bounds(self, x: ndarray) -> None:
        for outside, word, end, name in (
            (x < self.x[0], "below", 0, "minimum"),
            (x > self.x[-1], "above", -1, "maximum"),
        ):
            if any_of(outside):
                raise ValueError(
                    f"A value ({x[outside][0].item()}) in x_new is {word} the interpolation range's {name} value "
                    f"({self.x[end].item()})."
                )


def _is_extrapolation(fill_value: Any) -> bool:
    return isinstance(fill_value, str) and fill_value == "extrapolate"


def _filling(value: Any, shape: tuple[int, ...], name: str) -> ndarray:
    """A value for each column."""
    value = as_device(value)
    same = zip(shape[::-1], value.shape[::-1], strict=False)
    if len(shape) < value.ndim or any(own not in (1, wanted) for wanted, own in same):
        raise ValueError(f"{name} argument must be able to broadcast up to shape {shape} but had shape {value.shape}")
    if value.size == 1:
        return value.reshape(-1)
    return _core.broadcast_to(value, shape).reshape(-1)


class interp2d:
    """Removed from SciPy, as its message says: use `RectBivariateSpline` on grids and `bisplrep` for scattered points.

    Parameters
    ----------
    x, y, z, kind, copy, bounds_error, fill_value
        Not looked at.

    Raises
    ------
    NotImplementedError
        Always.

    See Also
    --------
    scipy.interpolate.interp2d : What says the same there.
    """

    def __init__(
        self, x: Any, y: Any, z: Any, kind: str = "linear", copy: bool = True, bounds_error: bool = False,
        fill_value: Any = None,
    ) -> NoReturn:  # fmt: skip
        raise NotImplementedError(
            "`interp2d` has been removed in SciPy 1.14.0. Use `RectBivariateSpline` or `RegularGridInterpolator` on "
            "regular grids, and `bisplrep` with `bisplev`, `LinearNDInterpolator` or `CloughTocher2DInterpolator` for "
            "scattered points."
        )


__all__ = ["interp1d", "interp2d"]
