"""Sobol's indices: how much of a function's variance comes from each of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ._common import chosen
from ._qmc import Sobol
from ._resampling import _MOST_ELEMENTS, BootstrapResult, bootstrap
from ._results import ConfidenceInterval


def _points(n: int, dists: Any, source: Any) -> tuple[ndarray, ndarray]:
    """Two sets of points of the distributions, from one sequence of twice the dimensions."""
    d = len(dists)
    uniform = Sobol(2 * d, rng=source, bits=64).random(n).T
    try:
        rows = [dist.ppf(uniform[i]) for i, dist in enumerate([*dists, *dists])]
    except AttributeError as error:
        raise ValueError("Each distribution in `dists` must have method `ppf`.") from error
    points = cp.stack([cp.broadcast_to(cp.asarray(r), (n,)) for r in rows])
    return points[:d], points[d:]


def _mixed(a: ndarray, b: ndarray) -> ndarray:
    """The first set of points, once for each coordinate with that coordinate of the second."""
    d, n = a.shape
    own = cp.eye(d, dtype=bool)[:, :, None]
    return cp.where(own, cp.broadcast_to(b[None], (d, d, n)), cp.broadcast_to(a[None], (d, d, n)))


def saltelli_2010(f_A: ndarray, f_B: ndarray, f_AB: ndarray) -> tuple[ndarray, ndarray]:  # noqa: N803
    """First-order and total indices of each output and argument (Saltelli and others 2010).

    The values may have axes between those of the outputs and of the points: resamples.
    """
    variance = cp.stack([f_A, f_B]).var(axis=(0, -1))
    first = (f_B * (f_AB - f_A)).mean(axis=-1) / variance
    total = 0.5 * ((f_A - f_AB) ** 2).mean(axis=-1) / variance
    return first.T, total.T


class BootstrapSobolResult:
    """Intervals of Sobol's indices: `first_order` and `total_order`, each a result of `bootstrap`."""

    def __init__(self, first_order: Any, total_order: Any) -> None:
        self.first_order, self.total_order = first_order, total_order

    def __repr__(self) -> str:
        return f"BootstrapSobolResult(first_order={self.first_order!r}, total_order={self.total_order!r})"


class SobolResult:
    """The result of `sobol_indices`."""

    def __init__(
        self, indices: tuple[ndarray, ndarray], method: Callable[..., Any], values: tuple[ndarray, ...]
    ) -> None:
        self.first_order, self.total_order = indices
        self._method, self._values = method, values
        self._bootstrap_result: Any = None

    def __repr__(self) -> str:
        return f"SobolResult(first_order={self.first_order!r}, total_order={self.total_order!r})"

    def bootstrap(self, confidence_level: float = 0.95, n_resamples: int = 999) -> BootstrapSobolResult:
        """Intervals of the indices by the bootstrap; a later call adds resamples to those of an earlier one.

        Parameters
        ----------
        confidence_level : float
        n_resamples : int

        Returns
        -------
        BootstrapSobolResult
            `first_order` and `total_order`.
        """
        f_a, f_b, f_ab = self._values
        several = self._method is saltelli_2010

        def one(at: ndarray) -> ndarray:
            return cp.stack(_squeezed(self._method, f_a[:, at], f_b[:, at], f_ab[..., at]))

        def all_of(at: ndarray, axis: int = -1) -> ndarray:
            if at.ndim == 1:
                return one(at)
            # (resamples, outputs, arguments): the axis of the outputs alone may be one.
            parts = [v[:, 0] if v.shape[1] == 1 else v for v in saltelli_2010(f_a[:, at], f_b[:, at], f_ab[..., at])]
            orders = cp.stack([v[..., 0] if v.shape[-1] == 1 else v for v in parts])
            # The resamples last.
            return cp.moveaxis(orders, 1, -1)

        n = f_a.shape[-1]
        result = bootstrap(
            (cp.arange(n),), all_of if several else one, method="BCa", n_resamples=n_resamples, vectorized=several,
            confidence_level=confidence_level, bootstrap_result=self._bootstrap_result,
            batch=max(1, _MOST_ELEMENTS // max(1, f_ab.size)),
        )  # fmt: skip
        self._bootstrap_result = result
        low, high = result.confidence_interval
        orders = [
            BootstrapResult(
                ConfidenceInterval(low[i], high[i]), result.bootstrap_distribution[i], result.standard_error[i]
            )
            for i in (0, 1)
        ]
        return BootstrapSobolResult(*orders)


def _squeezed(method: Callable[..., Any], f_a: ndarray, f_b: ndarray, f_ab: ndarray) -> tuple[ndarray, ndarray]:
    both = cp.stack([cp.asarray(v) for v in method(f_A=f_a, f_B=f_b, f_AB=f_ab)]).squeeze()
    return both[0], both[1]


def sobol_indices(
    *, func: Any, n: int, dists: Any = None, method: Any = "saltelli_2010", rng: Any = None, random_state: Any = None
) -> SobolResult:
    """Sobol's sensitivity indices of a function of random arguments. See `scipy.stats.sobol_indices`.

    Parameters
    ----------
    func : callable or dict
        A function of an array of shape (d, n) with n points that returns one of shape (s, n); or its values, as
        "f_A" and "f_B" of shape (s, n) and "f_AB" of shape (d, s, n).
    n : int
        The number of points, a power of two; the function is called for n (d + 2) of them in three calls.
    dists : list of distributions
        Those of the arguments, with a method `ppf`.
    method : str or callable
        "saltelli_2010", or a function of `f_A`, `f_B` and `f_AB` that returns both kinds of indices.
    rng : generator or seed
        For the scrambling of Sobol's sequence.

    Returns
    -------
    SobolResult
        `first_order` and `total_order`, of shape (s, d) or (d,), and `bootstrap()`.

    Raises
    ------
    ValueError
        For `n` that is no power of two, a `func` of another form, an unknown `method`.

    >>> uniform = cp.scipy.stats.uniform(0, 1)
    >>> r = cp.scipy.stats.sobol_indices(func=lambda x: x[0] + 2 * x[1], n=1024, dists=[uniform, uniform], rng=1)
    >>> r.first_order.round(2)
    array([0.2, 0.8])
    """
    source = chosen(random_state, rng)
    if int(n) != n or not int(n) & (int(n) - 1) == 0:
        raise ValueError("The balance properties of Sobol' points require 'n' to be a power of 2.")
    n = int(n)
    if not callable(method):
        if method.lower() != "saltelli_2010":
            raise ValueError(
                f"{method!r} is not a valid 'method'. It must be one of {{'saltelli_2010'}} or a callable."
            )
        chosen_method: Callable[..., Any] = saltelli_2010
    else:
        chosen_method = method
        if set(inspect.signature(method).parameters) != {"f_A", "f_B", "f_AB"}:
            raise ValueError(
                f"If 'method' is a callable, it must have the following signature: {inspect.signature(saltelli_2010)}"
            )
    if callable(func):
        if dists is None:
            raise ValueError("'dists' must be defined when 'func' is a callable.")
        a, b = _points(n, dists, source)
        f_a = cp.atleast_2d(cp.asarray(func(a)))
        if f_a.shape[1] != n:
            raise ValueError("'func' output should have a shape ``(s, -1)`` with ``s`` the number of output.")
        d = a.shape[0]
        f_b = cp.atleast_2d(cp.asarray(func(b)))
        mixed = cp.moveaxis(_mixed(a, b), 0, -1).reshape(d, n * d)
        f_ab = cp.moveaxis(cp.atleast_2d(cp.asarray(func(mixed))).reshape(-1, n, d), -1, 0)
    else:
        message = (
            "When 'func' is a dictionary, it must contain the following keys: 'f_A', 'f_B' and 'f_AB'.'f_A' and 'f_B' "
            "should have a shape ``(s, n)`` and 'f_AB' should have a shape ``(d, s, n)``."
        )
        try:
            f_a, f_b, f_ab = (cp.atleast_2d(as_device(func[key])) for key in ("f_A", "f_B", "f_AB"))
        except KeyError as error:
            raise ValueError(message) from error
        if f_a.shape[1] != n or f_a.shape != f_b.shape or f_ab.shape == f_a.shape or f_ab.shape[-1] % n:
            raise ValueError(message)
    mean = cp.stack([f_a, f_b]).mean(axis=(0, -1)).reshape(-1, 1)
    values = (f_a - mean, f_b - mean, f_ab - mean)
    first, total = _squeezed(chosen_method, *values)
    indices = tuple(cp.where(cp.isfinite(v), v, 0.0) for v in (first, total))
    return SobolResult(indices, chosen_method, values)


__all__ = ["sobol_indices"]
