"""Continuous distributions: the class that rows of the table and users' subclasses share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_float
from . import _fit, _quadrature
from ._base import answer, rv_generic
from ._common import parameter, points, quiet, shape_of
from ._math import INF, NAN, both, exp, isfinite, isnan, log, log1p, where
from ._survival import CensoredData, log_likelihood

__all__ = ["rv_continuous"]


class rv_continuous(rv_generic):
    """A continuous distribution.

    Subclasses state `_pdf` or `_cdf` (or any other underscored method) with the point and the shapes as arguments.
    These get arrays of the device, whole: points outside the support and invalid shapes are sorted out afterwards. What
    is not stated is computed: integrals by the double-exponential rule, inverses by bisection.

    Parameters
    ----------
    momtype : int
        Whether moments are integrals of the density (0) or of the quantiles (1).
    a : float, optional
        The lower end of the support.
    b : float, optional
        The upper end of the support.
    xtol : float
        The tolerance of quantiles.
    badvalue : float, optional
        What is given where nothing is defined, by default NaN.
    name : str, optional
        The name.
    longname : str, optional
        A longer name.
    shapes : str, optional
        The names of the parameters of shape.
    seed : int, Generator or None, optional
        The generator of random numbers, or a seed for one.

    See Also
    --------
    scipy.stats.rv_continuous : The class that this one follows.

    >>> class Ramp(cp.scipy.stats.rv_continuous):
    ...     def _pdf(self, x):
    ...         return 2 * x
    >>> ramp = Ramp(a=0, b=1, name="ramp")
    >>> round(float(ramp.cdf(0.5)), 12)
    0.25
    """

    # Whether it is one of the table, whose fits may be written down.
    _is_row = False

    _root = True

    def __init__(
        self,
        momtype: int = 1,
        a: float | None = None,
        b: float | None = None,
        xtol: float = 1e-14,
        badvalue: float | None = None,
        name: str | None = None,
        longname: str | None = None,
        shapes: str | None = None,
        seed: Any = None,
    ) -> None:
        super().__init__(seed)
        self.badvalue = np.nan if badvalue is None else badvalue
        self.name = "Distribution" if name is None else name
        self.a = -INF if a is None else np.float64(a)
        self.b = INF if b is None else np.float64(b)
        self.xtol, self.momtype = xtol, momtype
        self.longname = longname
        if shapes is not None or not hasattr(self, "shapes"):
            self.shapes = shapes
        self._set_shapes()

    # ------------------------------------------------------------------------------------ formulas and their defaults

    def _states(self, *names: str) -> bool:
        return any(getattr(type(self), name) is not getattr(rv_continuous, name) for name in names)

    def _pdf(self, x: Any, *args: Any) -> Any:
        if self._states("_logpdf"):
            return exp(self._logpdf(x, *args))
        step = 1e-5 * cp.maximum(1.0, abs(x))
        near, far = (self._cdf(x + h, *args) - self._cdf(x - h, *args) for h in (step, 2 * step))
        return (8 * near - far) / (12 * step)

    def _logpdf(self, x: Any, *args: Any) -> Any:
        return log(self._pdf(x, *args))

    def _cdf(self, x: Any, *args: Any) -> Any:
        if self._states("_sf"):
            return 1 - self._sf(x, *args)
        if self._states("_logcdf"):
            return exp(self._logcdf(x, *args))
        if not self._states("_pdf", "_logpdf") and self._states("_ppf"):
            shape = np.broadcast_shapes(x.shape, shape_of(*args))
            return _quadrature.bisect(lambda q: self._ppf(q, *args) >= x, 0.0, 1.0, shape)
        return _quadrature.integrate(lambda t: self._pdf(t, *args), self._get_support(*args)[0], self._inside(x, *args))

    def _inside(self, x: Any, *args: Any) -> Any:
        low, high = self._get_support(*args)
        return cp.clip(cp.where(isnan(x), 0.0, x), low, high)

    def _sf(self, x: Any, *args: Any) -> Any:
        if self._states("_cdf", "_logcdf", "_ppf"):
            return 1 - self._cdf(x, *args)
        return _quadrature.integrate(lambda t: self._pdf(t, *args), self._inside(x, *args), self._get_support(*args)[1])

    def _logcdf(self, x: Any, *args: Any) -> Any:
        lower = self._cdf(x, *args)
        # Near one the other tail has the digits.
        return where(lower > 0.9, log1p(-self._sf(x, *args)), log(lower)) if self._accurate_tails else log(lower)

    def _logsf(self, x: Any, *args: Any) -> Any:
        upper = self._sf(x, *args)
        return where(upper > 0.9, log1p(-self._cdf(x, *args)), log(upper)) if self._accurate_tails else log(upper)

    # Whether both tails have formulas of their own.
    _accurate_tails = False

    def _ppf(self, q: Any, *args: Any) -> Any:
        low, high = self._get_support(*args)
        shape = np.broadcast_shapes(q.shape, shape_of(*args))
        return _quadrature.bisect(lambda x: self._cdf(x, *args) >= q, low, high, shape)

    def _isf(self, q: Any, *args: Any) -> Any:
        if self._states("_ppf") or not self._states("_sf"):
            return self._ppf(1 - q, *args)
        low, high = self._get_support(*args)
        shape = np.broadcast_shapes(q.shape, shape_of(*args))
        return _quadrature.bisect(lambda x: self._sf(x, *args) <= q, low, high, shape)

    def _width(self, *args: Any) -> tuple[Any, Any]:
        """Where the distribution lies: its median and a width, for integrals over all of it."""
        quartiles = [self._ppf(cp.full(shape_of(*args), q), *args) for q in (0.25, 0.5, 0.75)]
        return quartiles[1], cp.maximum(quartiles[2] - quartiles[0], 1e-300)

    def _integral(self, f: Callable[[ndarray], ndarray], *args: Any) -> Any:
        """The integral of a function over the support, in parts that meet at the median."""
        low, high = self._get_support(*args)
        middle, width = self._width(*args)
        left = _quadrature.integrate(f, low, middle, scale=width)
        return left + _quadrature.integrate(f, middle, high, scale=width)

    def _raw_moment(self, n: int, *args: Any) -> Any:
        if not self._states("_pdf", "_logpdf") and self._states("_ppf"):
            return _quadrature.integrate(lambda q: self._ppf(q, *args) ** n, 0.0, cp.ones(shape_of(*args)))
        return self._moment_about(n, 0.0, *args)

    def _moment_about(self, n: int, centre: Any, *args: Any) -> Any:
        return self._integral(lambda x: (x - centre) ** n * self._pdf(x, *args), *args)

    def _entropy(self, *args: Any) -> Any:
        def terms(x: ndarray) -> ndarray:
            density = self._pdf(x, *args)
            return cp.where(density > 0, -density * np.log(density), 0.0)

        return self._integral(terms, *args)

    def _reach(self, *args: Any) -> tuple[Any, Any]:
        """Where formulas serve points: the support, and more where its ends are known to some roundings only."""
        return self._get_support(*args)

    def _support_mask(self, x: Any, *args: Any) -> Any:
        low, high = self._reach(*args)
        # At infinity a formula may be a quotient of infinities; the density is 0 there.
        return both(_bound(low <= x, low, -INF), _bound(x <= high, high, INF), isfinite(x))

    # ------------------------------------------------------------------------------------ functions of points

    def pdf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability density at `x`."""
        with quiet():
            y, shapes, _, scale, good = self._prepare(x, args, kwds)
            density = self._pdf(y, *shapes)
            if not isinstance(scale, np.float64) or scale != 1:
                density = density / scale
            return answer(good, y, where(self._support_mask(y, *shapes), density, 0.0))

    def logpdf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of the probability density at `x`."""
        with quiet():
            y, shapes, _, scale, good = self._prepare(x, args, kwds)
            density = self._logpdf(y, *shapes)
            if not isinstance(scale, np.float64) or scale != 1:
                density = density - log(scale)
            return answer(good, y, where(self._support_mask(y, *shapes), density, -INF))

    def _cumulative(self, formula: str, x: Any, args: Any, kwds: Any, below: float, above: float) -> ndarray:
        with quiet():
            y, shapes, _, _, good = self._prepare(x, args, kwds)
            low, high = self._reach(*shapes)
            value = getattr(self, formula)(y, *shapes)
            value = where(y >= high, above, where(y <= low, below, value))
            return answer(good, y, value)

    def cdf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability of values up to `x`."""
        return self._cumulative("_cdf", x, args, kwds, 0.0, 1.0)

    def sf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The probability of values above `x`, accurate where it is small."""
        return self._cumulative("_sf", x, args, kwds, 1.0, 0.0)

    def logcdf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of `cdf`."""
        return self._cumulative("_logcdf", x, args, kwds, -np.inf, 0.0)

    def logsf(self, x: Any, *args: Any, **kwds: Any) -> ndarray:
        """The logarithm of `sf`."""
        return self._cumulative("_logsf", x, args, kwds, 0.0, -np.inf)

    def _quantile(self, formula: str, q: Any, args: Any, kwds: Any, upper: bool) -> ndarray:
        with quiet():
            shapes, loc, scale = self._parse(args, kwds)
            q = points(q)
            low, high = self._get_support(*shapes)
            at_zero, at_one = (high, low) if upper else (low, high)
            value = getattr(self, formula)(q, *shapes)
            value = where(q == 0, at_zero, where(q == 1, at_one, value))
            if not isinstance(scale, np.float64) or scale != 1:
                value = value * scale
            if not isinstance(loc, np.float64) or loc != 0:
                value = value + loc
            good = self._good(shapes, loc, scale)
            # NaN is no share either.
            return answer(good, q, value) if good is False else where(both(good, q >= 0, q <= 1), value, NAN)

    def ppf(self, q: Any, *args: Any, **kwds: Any) -> ndarray:
        """The value that a share `q` does not exceed: the inverse of `cdf`."""
        return self._quantile("_ppf", q, args, kwds, False)

    def isf(self, q: Any, *args: Any, **kwds: Any) -> ndarray:
        """The value that a share `q` exceeds: the inverse of `sf`."""
        return self._quantile("_isf", q, args, kwds, True)

    # ------------------------------------------------------------------------------------ likelihood, expectation

    def nnlf(self, theta: Any, x: Any) -> ndarray:
        """The negative logarithm of the likelihood of data, for shapes, location and scale."""
        theta = list(theta)
        try:
            loc, scale, shapes = theta[-2], theta[-1], tuple(theta[:-2])
        except IndexError as error:
            raise ValueError("Not enough input arguments.") from error
        if not self._argcheck(*(np.float64(s) for s in shapes)) or scale <= 0:
            return cp.asarray(np.inf)
        return -self.logpdf(x, *shapes, loc=loc, scale=scale).sum()

    def _penalized_nnlf(self, theta: Any, x: Any) -> Any:
        """`nnlf` with a large term for each point outside the support, so that a search finds its way back."""
        loc, scale, shapes = theta[-2], theta[-1], tuple(np.float64(s) for s in theta[:-2])
        if not np.all(self._argcheck(*shapes)) or not scale > 0:
            return np.inf
        if isinstance(x, CensoredData):
            values = log_likelihood(self, x, *shapes, loc, scale)
        else:
            values = self.logpdf(x, *shapes, loc=loc, scale=scale)
        finite = cp.isfinite(values)
        return cp.where(finite, -values, 100 * np.log(np.finfo(np.float64).max)).sum()

    def fit(self, data: Any, *args: Any, **kwds: Any) -> tuple[float, ...]:
        """Shapes, location and scale that fit data best, by maximum likelihood or the method of moments.

        Keywords as SciPy's: `f0`, `fa`, `fix_a`, `floc`, `fscale` hold parameters, shapes' names and `loc`, `scale` are
        guesses, `method` is "MLE" or "MM", `optimizer` a function to use instead of the package's simplex. The data
        may be `CensoredData`.

        Returns
        -------
        tuple[float, ...]
        """
        return _fit.fit(self, data, args, kwds)

    def _fitstart(self, data: ndarray, args: tuple[Any, ...] | None = None) -> tuple[float, ...]:
        if args is None:
            args = (1.0,) * self.numargs
        return (*args, *self._fit_loc_scale_support(data, *args))

    def _fit_loc_scale_support(self, data: Any, *args: Any) -> tuple[float, float]:
        data = as_device(data)
        loc, scale = self.fit_loc_scale(data, *args)
        shapes = tuple(parameter(a) for a in args)
        if not np.all(self._argcheck(*shapes)):
            return loc, scale
        low, high = (to_float(end) for end in self._get_support(*shapes))
        least, most = to_float(data.min()), to_float(data.max())
        if loc + low * scale < least and most < loc + high * scale:
            return loc, scale
        width = most - least
        margin = width * 0.1
        if np.isinf(low) and np.isinf(high):
            return loc, scale
        if np.isinf(low):
            return most + margin - high * max(scale, 1e-300), scale
        if np.isinf(high):
            return least - margin - low * scale, scale
        wider = (width + 2 * margin) / (high - low)
        return least - margin - low * wider, wider

    def fit_loc_scale(self, data: Any, *args: Any) -> tuple[float, float]:
        """Location and scale from the mean and the variance of data.

        Returns
        -------
        tuple[float, float]
        """
        data = as_device(data)
        mean, variance = (to_float(v) for v in self.stats(*args, moments="mv"))
        m, v = to_float(data.mean()), to_float(data.var())
        scale = float(np.sqrt(v / variance)) if variance > 0 else np.nan
        loc = m - scale * mean
        return (loc if np.isfinite(loc) else 0.0), (scale if np.isfinite(scale) and scale > 0 else 1.0)

    def expect(
        self,
        func: Callable[[Any], Any] | None = None,
        args: tuple[Any, ...] = (),
        loc: float = 0,
        scale: float = 1,
        lb: float | None = None,
        ub: float | None = None,
        conditional: bool = False,
        **kwds: Any,
    ) -> ndarray:
        """The expected value of a function, which is called with an array of points.

        Parameters
        ----------
        scale : array_like
            The scale.
        """
        frozen = self.freeze(*args, loc=loc, scale=scale)
        low, high = self.support(*args, loc=loc, scale=scale)
        # Cut at the support, so that the density has no jump inside.
        low = low if lb is None else cp.maximum(low, points(lb))
        high = high if ub is None else cp.maximum(low, cp.minimum(high, points(ub)))
        quartiles = frozen.ppf(cp.asarray([0.25, 0.5, 0.75]))
        middle, width = cp.clip(quartiles[1], low, high), cp.maximum(quartiles[2] - quartiles[0], 1e-300)

        def terms(x: ndarray) -> ndarray:
            weights = frozen.pdf(x)
            return weights * x if func is None else weights * func(x)

        total = _quadrature.integrate(terms, low, middle, scale=width)
        total = total + _quadrature.integrate(terms, middle, high, scale=width)
        if conditional:
            total = total / (frozen.sf(low) - frozen.sf(high))
        return total

    def _updated_ctor_param(self) -> dict[str, Any]:
        return {
            "momtype": self.momtype, "a": self.a, "b": self.b, "xtol": self.xtol, "badvalue": self.badvalue,
            "name": self.name, "longname": self.longname, "shapes": self.shapes,
        }  # fmt: skip


def _bound(condition: Any, end: Any, infinite: Any) -> Any:
    """A comparison with an end of the support, which always holds if that is infinite."""
    return True if isinstance(end, (float, np.floating)) and end == infinite else condition
