"""Rows of the table of distributions: formulas by name, from which a distribution is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from . import _numeric, _quadrature
from ._common import holds, shape_of
from ._continuous import rv_continuous
from ._logarithms import log_of_tails
from ._math import INF, NAN, both, exp, log, stepwise, where

Formula = Callable[..., Any] | None
# Formulas that a row may state; each takes the point, then the shapes.
_FORMULAS = ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
_OTHERS = ("stats", "munp", "entropy", "rvs", "argcheck", "get_support")
_EXAMPLE = """{kind} distribution. See `scipy.stats.{name}`.

{formulas}
Its methods take points, then {shapes}, as numbers or arrays, which broadcast; the results wait and fuse.

>>> import cuproxide as cp
>>> d = cp.scipy.stats.{name}({example})
>>> {check}
True
"""


class Row(rv_continuous):
    """A continuous distribution of the table. What its row does not state is computed from the rest, in one kernel."""

    _is_row = True
    stated: dict[str, Any]
    # Formulas with loops, for kernels only: functions of the table of a quadrature, the point, and the shapes.
    inner: dict[str, Any]
    # What formulas get after the shapes: values that depend on the shapes alone.
    constants: Any = None
    # Whether the moment of an order exists, for those that are integrated.
    exists: Any = None
    # What a moment is that does not exist.
    divergent: Any = staticmethod(lambda n, *args: NAN)
    # The logarithms of tails where these are below all numbers, by "cdf" and "sf"; None integrates the density.
    far: dict[str, Any] | None
    centre: Any = np.float64(0)
    spread: Any = np.float64(1)
    closed_fit: Any = None
    start: Any = None

    def _infer_shapes(self) -> tuple[str, ...]:
        return tuple((self.shapes or "").replace(",", " ").split())

    def __reduce__(self) -> Any:
        return _named, (self.name,)

    def _pdf(self, x: Any, *args: Any) -> Any:
        if "logpdf" in self.stated:
            return exp(self._logpdf(x, *args))
        return _numeric.density(self, x, self._extended(args))

    def _logpdf(self, x: Any, *args: Any) -> Any:
        return log(self._pdf(x, *args))

    def _extended(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        return args if self.constants is None else (*args, *self.constants(*args))

    def _cdf(self, x: Any, *args: Any) -> Any:
        stated = self.stated
        if "cdf" in self.inner:
            return _numeric.tail(self, x, self._extended(args), upper=False)
        if "logcdf" in stated:
            return exp(self._logcdf(x, *args))
        if "sf" in stated:
            return 1 - self._sf(x, *args)
        if "logsf" in stated:
            return -cp.expm1(self._logsf(x, *args))
        return _numeric.tail(self, x, self._extended(args), upper=False)

    def _sf(self, x: Any, *args: Any) -> Any:
        stated = self.stated
        if "sf" in self.inner:
            return _numeric.tail(self, x, self._extended(args), upper=True)
        if "logsf" in stated:
            return exp(self._logsf(x, *args))
        if "cdf" in stated:
            return 1 - self._cdf(x, *args)
        if "logcdf" in stated:
            return -cp.expm1(self._logcdf(x, *args))
        return _numeric.tail(self, x, self._extended(args), upper=True)

    def _logcdf(self, x: Any, *args: Any) -> Any:
        return self._log_of_tail("cdf", self._cdf(x, *args), self._sf(x, *args), x, args)

    def _logsf(self, x: Any, *args: Any) -> Any:
        return self._log_of_tail("sf", self._sf(x, *args), self._cdf(x, *args), x, args)

    def _log_of_tail(self, name: str, own: Any, other: Any, x: Any, args: tuple[Any, ...]) -> Any:
        if self.far is None:
            far = _numeric.far_tail(self, x, own, self._extended(args), name == "sf")
        else:
            far = self.far[name](x, *args) if name in self.far else None
        return log_of_tails(own, other, far)

    def _ppf(self, q: Any, *args: Any) -> Any:
        return _numeric.inverse(self, q, self._extended(args), *self._get_support(*args), upper=False)

    def _isf(self, q: Any, *args: Any) -> Any:
        return _numeric.inverse(self, q, self._extended(args), *self._get_support(*args), upper=True)

    def _raw_moment(self, n: int, *args: Any) -> Any:
        return self._moment_about(n, 0.0, *args)

    def _moment_about(self, n: int, centre: Any, *args: Any) -> Any:
        low, high = self._get_support(*args)
        if not holds((low >= -1) & (high <= 1)):
            stepwise(n)
        value = self._folded(n, centre, *args)
        return value if self.exists is None else where(self.exists(n, *args), value, self.divergent(n, *args))

    def _entropy(self, *args: Any) -> Any:
        return self._folded(None, 0.0, *args)

    def _folded(self, order: int | None, centre: Any, *args: Any) -> Any:
        tails = not {"cdf", "sf", "logcdf", "logsf"}.isdisjoint(self.stated)
        shape = shape_of(*args)
        # Where tails are integrals themselves, few quantiles must do.
        places = _numeric.CUTS if tails else (0.25, 0.5)
        cuts = cp.array(places).reshape(-1, *(1,) * len(shape))
        ends = [cp.broadcast_to(cp.asarray(end), (1, *shape)) for end in self._get_support(*args)]
        quantiles = [self._ppf(cuts, *args), self._isf(cuts[:-1][::-1], *args)]
        edges = cp.concatenate([cp.broadcast_to(part, (len(part), *shape)) for part in (ends[0], *quantiles, ends[1])])
        edges = np.fmax.accumulate(edges, axis=0)
        if order is None:
            # The density of what lies beyond all numbers is not known.
            first = 1 + sum(place < _numeric.LEAST for place in places)
            beyond = (abs(edges[first:-first]) > _numeric.LARGEST).any(axis=0)
            edges = cp.where(beyond, np.nan, edges)
        value, lost = _numeric.folded(self, order, centre, self._extended(args), edges, tails and order is not None)
        if order is not None and self.exists is not None:
            lost = lost & self.exists(order, *args)
        if not holds(~(lost & self._argcheck(*args))):
            _quadrature.warn_unconverged()
        return value

    # ------------------------------------------------------------------------------------ the same formulas in kernels

    def kernel_tail(self, table: Any, upper: bool, lost: bool = False) -> Callable[..., Any]:
        """A function of a point and shapes for use in a kernel: the lower or upper tail.

        Where a formula is NaN the point is taken to lie far out, or with `lost` the result is NaN too.
        """
        stated = self.stated
        own, other = ("sf", "cdf") if upper else ("cdf", "sf")
        k = _numeric.k

        def tail(x: Any, *shapes: Any) -> Any:
            if own in self.inner:
                value = self.inner[own](table, x, *shapes)
            elif own in stated:
                value = stated[own](x, *shapes)
            elif "log" + own in stated:
                value = exp(stated["log" + own](x, *shapes))
            elif other in self.inner:
                value = 1 - self.inner[other](table, x, *shapes)
            elif other in stated:
                value = 1 - stated[other](x, *shapes)
            elif "log" + other in stated:
                value = -np.expm1(stated["log" + other](x, *shapes))
            else:
                return self._kernel_integral(table, x, upper, *shapes)
            if lost:
                return value
            # Where a formula overflows the point lies far out.
            far = k.where(x > 0, 0.0 if upper else 1.0, 1.0 if upper else 0.0)
            return k.where(k.isnan(value), far, value)

        return tail

    def kernel_pdf(self, table: Any, x: Any, *shapes: Any) -> Any:
        """The density for use in a kernel."""
        if "pdf" in self.inner:
            return self.inner["pdf"](table, x, *shapes)
        return self.stated["pdf"](x, *shapes) if "pdf" in self.stated else exp(self.stated["logpdf"](x, *shapes))

    def _kernel_integral(self, table: Any, x: Any, upper: bool, *shapes: Any) -> Any:
        k = _numeric.k
        centre = self.centre(*shapes) if callable(self.centre) else self.centre
        spread = self.spread(*shapes) if callable(self.spread) else self.spread
        low, high = self._get_support(*shapes[: self.numargs])
        # The smaller side is integrated, so that its digits are right.
        below = x <= centre
        start, stop = k.where(below, low, x), k.where(below, x, high)
        # A tail that falls as a power has its mass about as far out as it begins.
        spread = k.maximum(spread, abs(x - centre))
        part = _numeric.between(table, lambda y: self.kernel_pdf(table, y, *shapes), start, stop, spread)
        # Where the law lies its density is a number.
        part = k.where(k.isnan(self.kernel_pdf(table, centre, *shapes)), np.nan, k.minimum(part, 1.0))
        return k.where(below, 1 - part, part) if upper else k.where(below, part, 1 - part)


def _supplied(formula: Any, constants: Any) -> Any:
    return lambda x, *shapes: formula(x, *shapes, *constants(*shapes))


ROWS: dict[str, Any] = {}


def _named(name: str) -> Any:
    return ROWS[name]


def _default_support(low: Any, high: Any) -> Callable[..., tuple[Any, Any]]:
    return lambda *shapes: (np.float64(low), np.float64(high))


# Where a density lies unless its row says otherwise.
_ZERO, _ONE = np.float64(0), np.float64(1)


def continuous(
    name: str,
    shapes: str = "",
    example: str = "",
    support: Any = (-INF, INF),
    kind: str = "continuous",
    centre: Any = _ZERO,
    spread: Any = _ONE,
    fit: Any = None,
    start: Any = None,
    formula: str = "",
    inner: dict[str, Any] | None = None,
    constants: Any = None,
    methods: dict[str, Any] | None = None,
    exists: Any = None,
    divergent: Any = None,
    far: dict[str, Any] | None = None,
    by_density: bool = False,
    reach: Any = None,
    **stated: Any,
) -> Any:
    """A row: names of shapes, an example of them, the support (two numbers or a function of the shapes), formulas.

    `centre` and `spread` say where a density lies that must be integrated; `fit` is a closed form of the best
    parameters of data, `start` the guess of shapes for a search; `far` has the logarithms of "cdf" and "sf" where these
    are below all numbers; `by_density` finds them by integrals instead. `reach` says where formulas serve points, if
    that is more than the support.
    """
    for formula_name in stated:
        if formula_name not in (*_FORMULAS, *_OTHERS):
            raise TypeError(f"a row has no {formula_name}")
    points = {
        key: _supplied(value, constants) if key in _FORMULAS and constants else value for key, value in stated.items()
    }
    members: dict[str, Any] = {f"_{key}": staticmethod(value) for key, value in points.items()}
    members["_get_support"] = staticmethod(support if callable(support) else _default_support(*support))
    members["_reach"] = staticmethod(reach) if reach else members["_get_support"]
    members |= {
        "inner": inner or {},
        "constants": constants and staticmethod(constants),
        "exists": exists and staticmethod(exists),
        **({"divergent": staticmethod(divergent)} if divergent else {}),
        "far": None if by_density else far or {},
        **(methods or {}),
    }
    members |= {"stated": stated, "shapes": shapes or None, "closed_fit": fit, "start": start}
    members["centre"] = staticmethod(centre) if callable(centre) else centre
    members["spread"] = staticmethod(spread) if callable(spread) else spread
    members["__doc__"] = _EXAMPLE.format(
        kind=kind.capitalize() if kind != "continuous" else f"The {name}",
        name=name,
        formulas=formula + "\n" if formula else "",
        shapes=f"`{shapes}`, `loc` and `scale`" if shapes else "`loc` and `scale`",
        example=example,
        check="bool(abs(d.cdf(d.ppf(0.25)) - 0.25) < 1e-9)",
    )
    members["__module__"] = __name__.rpartition(".")[0]
    made = type(f"{name}_gen", (Row,), members)
    low, high = support if not callable(support) else (-INF, INF)
    row = made(name=name, a=low, b=high, shapes=shapes or None)
    row.__doc__ = made.__doc__
    ROWS[name] = row
    return row


def positive(*values: Any) -> Any:
    """Whether all values are above zero."""
    return both(*(value > 0 for value in values))


def rows_of(module: dict[str, Any], make: Any = None) -> Any:
    """What adds a row of the table to a module: the distribution under its name, which the module then offers.

    `make` is `continuous`, or what makes a discrete one of the row.
    """
    make = make or continuous

    def row(name: str, *args: Any, **kwds: Any) -> None:
        module[name] = make(name, *args, **kwds)
        module["__all__"].append(name)

    return row
