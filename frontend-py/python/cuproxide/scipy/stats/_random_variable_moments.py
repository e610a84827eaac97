"""Moments of random variables: by formulas, from moments of other kinds, by integrals."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from . import _quadrature
from ._common import quiet
from ._math import NAN, stepwise, where

_KINDS = ("raw", "central", "standardized")
EVERY_METHOD = frozenset({"cache", "formula", "transform", "normalize", "general", "quadrature"})


def no_formula(variable: Any, name: str) -> str:
    return (
        f"`{type(variable).__name__}` does not provide an accurate implementation of the required method ({name}). "
        "Consider leaving `method` and `tol` unspecified to use another implementation."
    )


class Moments:
    """The part of random variables that are moments."""

    cache_policy: Any
    _at: Callable[..., Any]
    _has_methods: bool
    _moments: dict[tuple[str, int], Any]
    _shape: tuple[int, ...]
    _typed: Callable[..., ndarray]
    _valid: Any

    def moment(self, order: int = 1, kind: str = "raw", *, method: str | None = None) -> ndarray:
        """The moment of an order: about zero (raw), about the mean (central), or in standard deviations.

        Parameters
        ----------
        kind : {'raw', 'central', 'standardized'}
            The kind of moment.
        """
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        whole = self._whole(order, "moment", "a finite, positive integer", 0)
        if kind.lower() not in _KINDS:
            raise ValueError(f"Argument `kind` of `{type(self).__name__}.moment` must be one of {set(_KINDS)}.")
        with quiet():
            value = self._moment(kind.lower(), whole, EVERY_METHOD if method is None else frozenset({method}))
            if value is None:
                raise NotImplementedError(no_formula(self, f"moment by {method!r}"))
            return self._typed(where(self._valid, value, NAN))

    def _whole(self, order: Any, name: str, wanted: str, least: int) -> int:
        """An order as an integer of Python."""
        try:
            whole = round(float(order))
        except (TypeError, ValueError, OverflowError):
            whole = least - 1
        if whole < least or whole != order:
            raise ValueError(f"Argument `order` of `{type(self).__name__}.{name}` must be {wanted}, got {order!r}.")
        return whole

    def lmoment(self, order: int = 1, *, standardize: bool = True, method: str | None = None) -> ndarray:
        """The L-moment of an order: the mean, half the mean distance of two draws, and measures of shape.

        Parameters
        ----------
        order : int
            The order, 1 or more.
        standardize : bool
            Whether those of order 3 and more are ratios to that of order 2.
        method : {None, 'general', 'order_statistics', 'quadrature_icdf', 'cache'}, optional
            The mean is 'general'; all others are one integral over the distribution function, by either name.

        Returns
        -------
        ndarray
            NaN where the mean is not finite.

        Raises
        ------
        NotImplementedError
            For discrete random variables, and for a method that has no answer.
        """
        if method is not None and not self._has_methods:
            raise NotImplementedError("`method` not implemented for this distribution.")
        whole = self._whole(order, "lmoment", "a finite integer greater than or equal to 1", 1)
        methods = frozenset({"cache", "general", "quadrature_icdf"} if method is None else {method})
        with quiet():
            value, scale = (self._lmoment(n, methods) for n in (whole, 2 if standardize and whole > 2 else 0))
            if value is None or scale is None:
                raise NotImplementedError(no_formula(self, f"lmoment by {method!r}"))
            return self._typed(where(self._valid, value / scale, NAN))

    def _lmoment(self, order: int, methods: frozenset[str]) -> Any:
        """An L-moment by the first of the methods that has it, or None; 1 for the order 0."""
        if order == 0:
            return np.float64(1)
        value = self._moments.get(("l", order)) if "cache" in methods else None
        if value is None and order == 1 and "general" in methods:
            value = self._moment("raw", 1, EVERY_METHOD)
        if value is None and not methods.isdisjoint({"order_statistics", "quadrature_icdf"}):
            value = self._lmoment_integral(order)
        if value is not None and self.cache_policy is None:
            self._moments["l", order] = value
        return value

    def _lmoment_integral(self, order: int) -> Any:
        raise NotImplementedError("L-moments are available for continuous distributions only.")

    def _moment(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        """A moment by the first of the methods that has it, or None."""
        kept = self._moments.get((kind, order))
        if "cache" in methods and kept is not None:
            return kept
        value = self._moment_formula(kind, order) if "formula" in methods else None
        for way in (self._moment_rewritten, self._moment_general, self._moment_integral):
            value = way(kind, order, methods) if value is None else value
        if value is not None and self.cache_policy is None:
            self._moments[kind, order] = value
        return value

    def _moment_formula(self, kind: str, order: int) -> Any:
        return None

    def _moment_rewritten(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        """A moment from those of another kind that have formulas."""
        stated = frozenset({"cache", "formula", "general"})
        if kind == "standardized":
            central = self._moment("central", order, stated | {"transform"}) if "normalize" in methods else None
            return None if central is None else central / self._moment("central", 2, EVERY_METHOD) ** (order / 2)
        if kind == "central":
            value = self._recentred("raw", order, stated) if "transform" in methods else None
            if value is None and "normalize" in methods and order > 2:
                standard = self._moment("standardized", order, stated)
                if standard is not None:
                    value = standard * self._moment("central", 2, EVERY_METHOD) ** (order / 2)
            return value
        if "transform" in methods and order > 1:
            return self._recentred("central", order, stated | {"normalize"})
        return None

    def _recentred(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        """A raw moment from central ones, or the reverse, by the binomial theorem."""
        known = [self._moment(kind, i, methods) for i in range(stepwise(order) + 1)]
        if any(value is None for value in known):
            return None
        mean = self._moment("raw", 1, EVERY_METHOD - {"transform"})
        return moved(known, mean if kind == "central" else -mean)

    def _moment_general(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        if "general" not in methods:
            return None
        known = {"raw": {0: 1.0}, "central": {0: 1.0, 1: 0.0}, "standardized": {0: 1.0, 1: 0.0, 2: 1.0}}
        value = known[kind].get(order)
        return None if value is None else np.float64(value)

    def _moment_integral(self, kind: str, order: int, methods: frozenset[str]) -> Any:
        if methods.isdisjoint({"quadrature", "quadrature_icdf"}):
            return None
        if kind == "standardized":
            central = self._moment_integral("central", order, methods)
            return central / self._moment("central", 2, EVERY_METHOD) ** (order / 2)
        centre = np.float64(0) if kind == "raw" else self._moment("raw", 1, EVERY_METHOD)
        if "quadrature" in methods:
            return self._expected(lambda x: (x - centre) ** order)
        return self._over_shares(lambda x: (x - centre) ** order)

    def _expected(self, f: Callable[[Any], Any], cut: Any = None) -> Any:
        raise NotImplementedError(no_formula(self, "expectation"))

    def _over_shares(self, f: Callable[[Any], Any]) -> Any:
        """The expectation of a function as the integral over its quantiles."""
        return _quadrature.integrate(lambda p: f(self._at("icdf", p)), 0.0, cp.ones(self._shape))


def moved(moments: list[Any], shift: Any) -> Any:
    """The highest of the moments about a point, about one that lies lower by `shift`."""
    order = len(moments) - 1
    total: Any = 0.0
    for i, value in enumerate(moments):
        # An infinite moment times no shift is no part.
        power = shift ** (order - i)
        total = total + (value if i == order else math.comb(order, i) * where(power == 0, 0.0, value * power))
    return total
