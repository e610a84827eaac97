"""First and second derivatives of elementwise functions and of functions of several variables."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.arguments import as_device, as_floating
from ..._lib.elementwise import CONVERGED, GOING, NOT_FINITE, bind, iterate, prepare
from ..._lib.results import Result
from ..._typing import ArrayLike

__all__ = ["derivative", "hessian", "jacobian"]

GREW = -1


@functools.lru_cache(64)
def _weights(factor: float, n: int) -> tuple[Any, Any]:
    """Weights of the values at geometrically spaced points around the middle, and to the right of it, on the host."""
    i = np.arange(-n, n + 1)
    steps = np.sign(i) / factor ** (np.abs(i) - 1.0)
    unit = np.zeros(2 * n + 1)
    unit[1] = 1
    central = np.linalg.solve(np.vander(steps, increasing=True).T, unit)
    # The weights are odd: what rounding makes of the middle one and of the symmetry is put right.
    central[n] = 0
    central[n + 1 :] = -central[:n][::-1]
    i = np.arange(2 * n + 1)
    steps = np.sign(i) / np.sqrt(factor) ** (i - 1.0)
    return central, np.linalg.solve(np.vander(steps, increasing=True).T, unit)


def derivative(
    f: Callable[..., Any],
    x: ArrayLike,
    *,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
    tolerances: dict[str, Any] | None = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
    step_direction: Any = 0,
    preserve_shape: bool = False,
    callback: Callable[[Result], Any] | None = None,
) -> Result:
    """The derivative of an elementwise function of one real variable.

    Finite differences with steps that shrink until two results agree, for all elements at once.

    Parameters
    ----------
    f : callable
        `f(x, *args, **kwargs)`, elementwise on arrays.
    x : array_like of float
        Where to differentiate.
    args : tuple of array_like, optional
        Further arguments, broadcast with `x`.
    kwargs : dict of array_like, optional
        Further arguments by name, broadcast with `x`.
    tolerances : dict, optional
        `atol` and `rtol`; by default the smallest normal number and the root of the machine epsilon.
    maxiter : int, optional
        The most iterations.
    order : int, optional
        The order of the formula.
    initial_step : array_like, optional
        The first step.
    step_factor : float, optional
        By what the step shrinks.
    step_direction : array_like, optional
        Negative, zero or positive for points to the left, on both sides, or to the right.
    preserve_shape : bool, optional
        Whether `f` always gets arrays of the shape of `x` (with an axis behind it), and may change shapes.
    callback : callable, optional
        Called with the results after each iteration; `StopIteration` ends the iterations.

    Returns
    -------
    Result
        With `success`, `status`, `df`, `error`, `nit`, `nfev`, `x`. The status is 0 (converged), -1 (the error grew),
        -2
        (too many iterations), -3 (not finite) or -4 (stopped by the callback).

    Raises
    ------
    ValueError
        If an argument is no callable, positive integer or number as it should be.

    See Also
    --------
    scipy.differentiate.derivative : the function of SciPy.

    Examples
    --------
    >>> from cuproxide.scipy import differentiate
    >>> differentiate.derivative(cp.exp, cp.array([0.0, 1.0])).df
    array([1.        , 2.71828183])
    """
    if not callable(f):
        raise ValueError("`f` must be callable.")
    f, args = bind(f, args, kwargs)
    tolerances = tolerances or {}
    atol, rtol = tolerances.get("atol"), tolerances.get("rtol")
    numbers = np.asarray([1 if atol is None else atol, 1 if rtol is None else rtol, step_factor])
    if numbers.dtype.kind not in "iuf" or numbers.shape != (3,) or not np.all(numbers >= 0):
        raise ValueError("Tolerances and step parameters must be non-negative scalars.")
    if maxiter != int(maxiter) or maxiter <= 0:
        raise ValueError("`maxiter` must be a positive integer.")
    if order != int(order) or order <= 0:
        raise ValueError("`order` must be a positive integer.")
    if not isinstance(preserve_shape, (bool, np.bool_)):
        raise ValueError("`preserve_shape` must be True or False.")
    if callback is not None and not callable(callback):
        raise ValueError("`callback` must be callable.")
    x, direction, step = cp.broadcast_arrays(as_device(x), as_device(step_direction), as_device(initial_step))
    func, (points,), (values,), extra, shape, dtype = prepare(f, (x,), args, preserve_shape=preserve_shape)
    limits = np.finfo(dtype)
    atol = float(limits.smallest_normal) if atol is None else atol
    rtol = float(limits.eps) ** 0.5 if rtol is None else rtol
    step = cp.broadcast_to(step, shape).reshape(-1).astype(dtype)
    n = (int(order) + 1) // 2
    factor = float(step_factor)
    nan = cp.full_like(values, np.nan)
    work = Result(
        x=points,
        h=cp.where(step > 0, step, np.nan),
        hdir=cp.sign(cp.broadcast_to(direction, shape).reshape(-1)).astype(dtype),
        fs=values[:, None],
        df=nan,
        error=nan,
        error_last=nan,
        nit=0,
        nfev=1,
        status=cp.full(points.shape, GOING, np.int32),
    )
    central, sided = (cp.asarray(w, dtype=dtype) for w in _weights(factor, n))

    def before(work: Result) -> Any:
        # New points on both sides, or on one at distances that shrink by the root of the factor.
        if work.nit == 0:
            both = 1 / factor ** np.arange(n)
            both = np.concatenate([-both[::-1], both])
            one = 1 / factor ** (0.5 * np.arange(2 * n))
        else:
            both = np.array([-1.0, 1.0]) / factor ** (n - 1)
            one = np.array([1.0, factor**-0.5]) / factor ** (n - 1)
        turn = work.hdir[:, None]
        offsets = cp.where(turn == 0, cp.asarray(both, dtype=dtype), turn * cp.asarray(one, dtype=dtype))
        return work.x[:, None] + work.h[:, None] * offsets

    def after(x: Any, f: Any, work: Result) -> None:
        new = n if work.nit == 0 else 1
        middle = cp.concatenate([f[:, :new], work.fs, f[:, -new:]], axis=1)
        ordered = cp.concatenate([work.fs, f], axis=1)
        centre = work.hdir[:, None] == 0
        work.fs = cp.where(centre, middle, ordered)
        if work.nit == 0:
            near, side = middle, ordered
        else:
            half = middle.shape[1] // 2
            near = cp.concatenate([middle[:, :n], middle[:, half : half + 1], middle[:, -n:]], axis=1)
            side = cp.concatenate([ordered[:, :1], ordered[:, -2 * n :]], axis=1)
        last = work.df
        # Differences first: the derivative of a constant is exactly zero.
        two = cp.sum((near[:, n + 1 :] - near[:, :n][:, ::-1]) * central[n + 1 :], axis=1)
        one = cp.sum((side[:, 1:] - side[:, :1]) * sided[1:], axis=1)
        work.df = cp.where(work.hdir == 0, two, cp.where(work.hdir < 0, -one, one)) / work.h
        work.h = work.h / factor
        work.error_last = work.error
        work.error = abs(work.df - last)

    def check(work: Result) -> Any:
        stop = work.error < atol + rtol * abs(work.df)
        work.status = cp.where(stop, CONVERGED, work.status)
        if work.nit > 0:
            bad = ~(cp.isfinite(work.x) & cp.isfinite(work.df)) & ~stop
            work.df = cp.where(bad, np.nan, work.df)
            work.status = cp.where(bad, NOT_FINITE, work.status)
            stop = stop | bad
        grew = (work.error > work.error_last * 10) & ~stop
        work.status = cp.where(grew, GREW, work.status)
        return stop | grew

    fields = [(name, name) for name in ("status", "df", "error", "nit", "nfev", "x")]
    return iterate(
        work, func, extra, shape, dtype, int(maxiter), before, after, check, fields,
        callback=callback, preserve_shape=bool(preserve_shape),
    )  # fmt: skip


def jacobian(
    f: Callable[..., Any],
    x: ArrayLike,
    *,
    tolerances: dict[str, Any] | None = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
    step_direction: Any = 0,
) -> Result:
    """The Jacobian of a function of several real variables, at many points at once.

    Parameters
    ----------
    f : callable
        Takes an array of shape `(m, ...)` and returns one of shape `(n, ...)` or `(...)`, elementwise along all axes
        but
        the first.
    x : array_like of float
        The points, of shape `(m, ...)`.
    tolerances, maxiter, order, initial_step, step_factor, step_direction
        As for `derivative`.

    Returns
    -------
    Result
        With `success`, `status`, `df` of shape `(n, m, ...)`, `error`, `nit`, `nfev`.

    Raises
    ------
    ValueError
        If `x` has no axis.

    See Also
    --------
    scipy.differentiate.jacobian : the function of SciPy.

    Examples
    --------
    >>> from cuproxide.scipy import differentiate
    >>> differentiate.jacobian(lambda x: cp.stack([x[0] * x[1], x[0] ** 2]), cp.array([2.0, 3.0])).df
    array([[3., 2.],
           [4., 0.]])
    """
    start = as_floating(x)
    if start.ndim < 1:
        raise ValueError("Argument `x` must be at least 1-D.")
    m = start.shape[0]
    own = cp.eye(m, dtype=bool)

    def along_axes(points: Any) -> Any:
        # Row i of the second axis has the i-th variable varied.
        further = points.ndim - start.ndim
        still = start.reshape(m, 1, *start.shape[1:], *(1,) * further)
        mask = own.reshape(m, m, *(1,) * (points.ndim - 1))
        return f(cp.where(mask, points[None], cp.broadcast_to(still, (m, *points.shape))))

    result = derivative(
        along_axes, start, tolerances=tolerances, maxiter=maxiter, order=order, initial_step=initial_step,
        step_factor=step_factor, step_direction=step_direction, preserve_shape=True,
    )  # fmt: skip
    del result["x"]
    return result


def hessian(
    f: Callable[..., Any],
    x: ArrayLike,
    *,
    tolerances: dict[str, Any] | None = None,
    maxiter: int = 10,
    order: int = 8,
    initial_step: Any = 0.5,
    step_factor: float = 2.0,
) -> Result:
    """The Hessian of a function of several real variables: the Jacobian of its gradient.

    Parameters
    ----------
    f : callable
        Takes an array of shape `(m, ...)` and returns one of shape `(...)`.
    x : array_like of float
        The points, of shape `(m, ...)`.
    tolerances, maxiter, order, initial_step, step_factor
        As for `derivative`.

    Returns
    -------
    Result
        With `success`, `status`, `ddf` of shape `(m, m, ...)`, `error`, `nfev`.

    See Also
    --------
    scipy.differentiate.hessian : the function of SciPy.

    Examples
    --------
    >>> from cuproxide.scipy import differentiate
    >>> differentiate.hessian(lambda x: x[0] ** 2 * x[1], cp.array([2.0, 3.0])).ddf.round(6)
    array([[6., 4.],
           [4., 0.]])
    """
    start = as_floating(x)
    tolerances = tolerances or {}
    atol, rtol = tolerances.get("atol"), tolerances.get("rtol")
    epsilon = float(np.finfo(start.dtype).eps)
    rtol = epsilon**0.5 if rtol is None else rtol
    if 0 < rtol < 100 * epsilon:
        warnings.warn(
            f"The specified `rtol={rtol!r}`, but error estimates are likely to be unreliable when `rtol < {100 * epsilon}`.",  # noqa: E501
            RuntimeWarning,
            stacklevel=2,
        )
        rtol = 100 * epsilon
    common = {"maxiter": maxiter, "order": order, "initial_step": initial_step, "step_factor": step_factor}
    finer: dict[str, Any] = {"rtol": rtol / 100, "atol": atol}
    calls: list[Any] = []

    def gradient(points: Any) -> Any:
        found = jacobian(f, points, tolerances=finer, **common)
        calls.append(found.nfev if not calls else found.nfev.sum(axis=-1))
        return found.df

    result = jacobian(gradient, start, tolerances=tolerances, **common)
    totals = cp.cumsum(cp.stack(calls), axis=0)
    result.nfev = cp.take_along_axis(totals, result.nit[None].astype(np.int64), axis=0)[0]
    result["ddf"] = result.pop("df")
    del result["nit"]
    return result
