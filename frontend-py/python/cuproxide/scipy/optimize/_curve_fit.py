"""Fits of models to data, and the older interface to least squares."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ..._lib.categories import category
from ._differences import as_values
from ._least_squares import Residuals, least_squares
from ._levenberg import levenberg_marquardt
from ._results import OptimizeWarning

__all__ = ["curve_fit", "leastsq"]

EPS = float(np.finfo(float).eps)


def _covariance(j: ndarray) -> ndarray | None:
    """The inverse of the normal matrix, or None where it is singular or not finite."""
    if j.shape[0] < j.shape[1]:
        return None
    try:
        _, s, vt = cp.linalg.svd(j, full_matrices=False)
    except np.linalg.LinAlgError:
        return None
    values = to_host(s)
    if not values.size or values[-1] <= EPS * max(j.shape) * values[0] or not np.all(np.isfinite(values)):
        return None
    return (vt.T / s**2) @ vt


def _messages(ftol: float, xtol: float, gtol: float, most: int) -> dict[int, str]:
    return {
        0: "Improper input parameters.",
        1: f"Both actual and predicted relative reductions in the sum of squares\n  are at most {ftol:f}",
        2: f"The relative error between two consecutive iterates is at most {xtol:f}",
        3: f"Both actual and predicted relative reductions in the sum of squares\n  are at most {ftol:f} and the relative "  # noqa: E501
        f"error between two consecutive iterates is at \n  most {xtol:f}",
        4: f"The cosine of the angle between func(x) and any column of the\n  Jacobian is at most {gtol:f} in absolute value",  # noqa: E501
        5: f"Number of calls to function has reached maxfev = {most}.",
        6: f"ftol={ftol:f} is too small, no further reduction in the sum of squares\n  is possible.",
        7: f"xtol={xtol:f} is too small, no further improvement in the approximate\n  solution is possible.",
        8: f"gtol={gtol:f} is too small, func(x) is orthogonal to the columns of\n  the Jacobian to machine precision.",
    }


def leastsq(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    Dfun: Any = None,
    full_output: bool = False,
    col_deriv: bool = False,
    ftol: float = 1.49012e-8,
    xtol: float = 1.49012e-8,
    gtol: float = 0.0,
    maxfev: int = 0,
    epsfcn: float | None = None,
    factor: float = 100,
    diag: Any = None,
) -> tuple[Any, ...]:
    """A minimum of a sum of squares by Levenberg and Marquardt's method.

    Parameters
    ----------
    func : callable
        `func(x, *args)`: at least as many residuals as parameters.
    Dfun : callable, optional
        The Jacobian; its transpose with `col_deriv`.
    ftol, xtol, gtol : float, optional
        The tolerances.
    diag : array_like, optional
        Scales of the parameters.

    Returns
    -------
    x : ndarray
        The parameters.
    cov_x, infodict, mesg
        With `full_output`: the inverse of the normal matrix or None, `nfev`, `fvec`, `fjac`, `ipvt`, `qtf`, and a
        message.
    ier : int
        1 to 4 if it was found.

    Raises
    ------
    TypeError
        If there are fewer residuals than parameters, or the parameters are wrong.

    >>> x, ier = optimize.leastsq(lambda x: 2 * (x - 3) ** 2 + 1, cp.array([0.0]))
    >>> x.round(3)
    array([3.])
    """
    start = cp.atleast_1d(as_device(x0)).reshape(-1)
    start = start if start.dtype.kind == "f" else start.astype(np.float64)
    n = start.size
    args = args if isinstance(args, tuple) else (args,)
    jac: Any = "2-point"
    if Dfun is not None:

        def jac(x: ndarray, *rest: Any) -> ndarray:
            found = Dfun(x, *rest)
            found = (
                cp.stack([as_values(row) for row in found]) if isinstance(found, (list, tuple)) else as_values(found)
            )
            return found.T if col_deriv else found

    relative = None if epsfcn is None else max(epsfcn, EPS) ** 0.5
    residuals = Residuals(func, jac, args, {}, None, relative, None)
    residuals.count_differences = True
    f = residuals(start).reshape(-1)
    if f.size < n:
        raise TypeError(
            f"Improper input: func input vector length N={n} must not exceed func output vector length M={f.size}"
        )
    most = maxfev or (100 * (n + 1) if Dfun is not None else 200 * (n + 1))
    scale = None if diag is None else to_host(diag).astype(float)
    found = levenberg_marquardt(residuals, start, f, ftol, xtol, gtol, most, factor, scale)
    message = _messages(ftol, xtol, gtol, most)[found.info]
    if full_output:
        q, r = cp.linalg.qr(found.jac)
        info = {
            "fvec": found.fun, "nfev": residuals.nfev, "fjac": r.T, "ipvt": cp.arange(1, n + 1), "qtf": q.T @ found.fun,
        }  # fmt: skip
        if Dfun is not None:
            info["njev"] = residuals.njev
        return found.x, _covariance(found.jac), info, message, found.info
    if found.info in (5, 6, 7, 8):
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    elif found.info == 0:
        raise TypeError(message)
    return found.x, found.info


def curve_fit(
    f: Callable[..., Any], xdata: Any, ydata: Any, p0: Any = None, sigma: Any = None, absolute_sigma: bool = False,
    check_finite: bool | None = None, bounds: Any = (-np.inf, np.inf), method: str | None = None, jac: Any = None, *,
    full_output: bool = False, nan_policy: str | None = None, batch: bool = False, **kwargs: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Fits a model to data by least squares; many data sets at once with `batch`.

    Parameters
    ----------
    f : callable
        The model `f(x, *parameters)`.
    xdata : array_like or object
        Where the data was taken; passed on to `f`.
    ydata : array_like
        The data, of shape `(m,)`; with `batch` of shape `(problems, m)`.
    p0 : array_like, optional
        The first parameters; by default 1, or within the bounds. With `batch` of shape `(n,)` or `(problems, n)`.
    sigma : array_like, optional
        The errors of the data, or their covariances (without `batch`).
    absolute_sigma : bool, optional
        Whether `sigma` are the errors themselves and not only their ratios.
    check_finite : bool, optional
        Whether to refuse data that is not finite.
    bounds : pair of array_like, or Bounds, optional
        Bounds of the parameters.
    method : {'lm', 'trf', 'dogbox'}, optional
        The method: 'lm', or 'trf' with bounds.
    jac : callable or str, optional
        The Jacobian of the model, of shape `(m, n)`; with `batch` of shape `(problems, m, n)`.
    nan_policy : {'raise', 'omit', None}, optional
        What to do with data that is not a number.
    batch : bool, optional
        Not in SciPy. Whether the rows of `ydata` are data sets of their own, fitted together: the parameters that `f`
        gets have the shape `(problems, 1)`, and the results a leading axis.
    **kwargs
        Options of `least_squares` or `leastsq`.

    Returns
    -------
    popt : ndarray
        The parameters.
    pcov : ndarray
        Their estimated covariances; infinite where they cannot be told.
    infodict, mesg, ier
        With `full_output`.

    Raises
    ------
    ValueError
        If data is not finite or the arguments do not fit.
    RuntimeError
        If the fit fails (without `batch`).

    Warns
    -----
    OptimizeWarning
        If the covariances cannot be told.

    >>> x = cp.linspace(0, 4, 50)
    >>> y = 2.5 * cp.exp(-1.3 * x)
    >>> optimize.curve_fit(lambda x, a, b: a * cp.exp(-b * x), x, y)[0]
    array([2.5, 1.3])

    A thousand decays with rates of their own:

    >>> rates = cp.linspace(0.5, 2, 1000)[:, None]
    >>> popt, _ = optimize.curve_fit(lambda x, a, b: a * cp.exp(-b * x), x, 3 * cp.exp(-rates * x), batch=True)
    >>> bool(cp.allclose(popt[:, 1:], rates))
    True
    """
    if "args" in kwargs:
        raise ValueError("'args' is not a supported keyword argument.")
    if p0 is None:
        names = list(inspect.signature(f).parameters.values())
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        n = len([p for p in names if p.kind in kinds]) - 1
        if n < 1 or any(p.kind == inspect.Parameter.VAR_POSITIONAL for p in names):
            raise ValueError("Unable to determine number of fit parameters.")
    else:
        p0 = cp.atleast_1d(as_device(p0))
        n = p0.shape[-1]
    if hasattr(bounds, "lb"):
        low, high = to_host(bounds.lb), to_host(bounds.ub)
    else:
        low, high = (to_host(v) for v in bounds)
    low, high = (np.broadcast_to(v.astype(float), (n,)) for v in (low, high))
    bounded = bool(np.any((low > -np.inf) | (high < np.inf)))
    if p0 is None:
        start = np.ones(n)
        both, only_low, only_high = np.isfinite(low) & np.isfinite(high), np.isfinite(low), np.isfinite(high)
        start[only_low] = low[only_low] + 1
        start[only_high] = high[only_high] - 1
        start[both] = 0.5 * (low[both] + high[both])
        p0 = cp.asarray(start)
    p0 = p0 if p0.dtype.kind == "f" else p0.astype(np.float64)
    method = ("trf" if bounded else "lm") if method is None else method
    if method == "lm" and bounded:
        raise ValueError("Method 'lm' only works for unconstrained problems. Use 'trf' or 'dogbox' instead.")
    check_finite = (nan_policy is None) if check_finite is None else check_finite
    y = as_device(ydata)
    y = y if y.dtype.kind == "f" else y.astype(np.float64)
    if isinstance(xdata, (list, tuple)) or type(xdata).__module__ == "numpy":
        xdata = as_device(xdata)
        xdata = xdata.astype(np.float64) if xdata.dtype.kind in "biu" else xdata
    if check_finite:
        for values in (y, xdata):
            if isinstance(values, ndarray) and values.dtype.kind in "fc" and not bool(cp.all(cp.isfinite(values))):
                raise ValueError("array must not contain infs or NaNs")
    elif nan_policy is not None:
        if nan_policy == "propagate":
            raise ValueError("`nan_policy='propagate'` is not supported by this function.")
        if nan_policy not in ("raise", "omit"):
            raise ValueError("nan_policy must be one of {None, 'raise', 'omit'}")
        bad_x = cp.isnan(xdata) if isinstance(xdata, ndarray) and xdata.dtype.kind == "f" else cp.zeros(y.shape, bool)
        bad = (cp.any(bad_x, axis=tuple(range(bad_x.ndim - 1))) if bad_x.ndim > 1 else bad_x) | cp.isnan(y)
        if bool(cp.any(bad)):
            if nan_policy == "raise":
                raise ValueError("The input contains nan values")
            keep = cp.flatnonzero(~bad)
            y = y[keep]
            xdata = xdata[..., keep] if isinstance(xdata, ndarray) else xdata
            if sigma is not None:
                sigma = as_device(sigma)
                if sigma.size > 1:
                    sigma = sigma[keep] if sigma.ndim == 1 else sigma[keep][:, keep]
    if y.size == 0:
        raise ValueError("`ydata` must not be empty!")
    if sigma is not None and as_device(sigma).dtype.kind == "c":
        raise ValueError("`sigma` must be real")
    if batch:
        return _fit_batch(f, xdata, y, p0, sigma, absolute_sigma, (low, high), jac, full_output, kwargs)
    if y.ndim != 1 and bounded:
        y = y.reshape(-1)
    weights = root = None
    if sigma is not None:
        sigma = as_device(sigma).astype(np.float64)
        if sigma.size == 1 and sigma.ndim < 2 or sigma.shape == (y.size,):
            weights = 1.0 / sigma
        elif sigma.shape == (y.size, y.size):
            try:
                root = cp.linalg.cholesky(sigma)
            except np.linalg.LinAlgError as error:
                raise ValueError("`sigma` must be positive definite.") from error
        else:
            raise ValueError("`sigma` has incorrect shape.")

    def weigh(values: ndarray) -> ndarray:
        if root is not None:
            from ..linalg import solve_triangular

            return solve_triangular(root, values, lower=True)
        if weights is None:
            return values
        return values * (weights[:, None] if values.ndim == 2 and weights.ndim else weights)

    def residual(p: ndarray) -> ndarray:
        return weigh(as_values(f(xdata, *(p[i] for i in range(n)))) - y).reshape(-1)

    slope: Any = None
    if callable(jac):

        def slope(p: ndarray) -> ndarray:
            found = jac(xdata, *(p[i] for i in range(n)))
            return weigh(
                cp.stack([as_values(v) for v in found]) if isinstance(found, (list, tuple)) else as_values(found)
            )

    if method == "lm":
        if y.size != 1 and n > y.size:
            raise TypeError(f"The number of func parameters={n} must not exceed the number of data points={y.size}")
        if jac is not None and not callable(jac):
            slope = None
        popt, cov, info, message, ier = leastsq(residual, p0, Dfun=slope, full_output=True, **kwargs)
        cost = float(cp.sum(info["fvec"] ** 2))
        if ier not in (1, 2, 3, 4):
            raise RuntimeError(f"Optimal parameters not found: {message}")
    else:
        if "max_nfev" not in kwargs:
            kwargs["max_nfev"] = kwargs.pop("maxfev", None)
        res = least_squares(
            residual,
            p0,
            jac=slope if slope is not None else jac if isinstance(jac, str) else "2-point",
            bounds=(low, high),
            method=method,
            **kwargs,
        )
        if not res.success:
            raise RuntimeError("Optimal parameters not found: " + res.message)
        info = {"nfev": res.nfev, "fvec": res.fun}
        message, ier, popt, cost = res.message, res.status, res.x, 2 * res.cost
        _, s, vt = cp.linalg.svd(res.jac, full_matrices=False)
        values = to_host(s)
        # Directions that the residuals do not depend on are left out: the pseudo-inverse.
        rank = int(np.sum(values > EPS * max(res.jac.shape) * values[0]))
        cov = (vt[:rank].T / s[:rank] ** 2) @ vt[:rank]
    known = cov is not None and not bool(cp.any(cp.isnan(cov)))
    # Of one value `ydata` there are as many residuals as the model has values.
    size = info["fvec"].size
    if known and not absolute_sigma:
        if size > n:
            cov = cov * (cost / (size - n))
        else:
            known = False
    if not known:
        cov = cp.full((n, n), np.inf)
        warnings.warn("Covariance of the parameters could not be estimated", category(OptimizeWarning), stacklevel=2)
    return (popt, cov, info, message, ier) if full_output else (popt, cov)


def _fit_batch(
    f: Any, xdata: Any, y: ndarray, p0: ndarray, sigma: Any, absolute: bool, bounds: Any, jac: Any, full_output: bool,
    kwargs: dict[str, Any],
) -> tuple[Any, ...]:  # fmt: skip
    if y.ndim != 2:
        raise ValueError(f"`ydata` of a batch must have two axes, got {y.ndim}")
    problems, m = y.shape
    n = p0.shape[-1]
    start = cp.array(cp.broadcast_to(p0, (problems, n)))
    weights = None if sigma is None else 1.0 / as_device(sigma)

    def columns(p: ndarray) -> list[ndarray]:
        return [p[:, i : i + 1] for i in range(n)]

    def residual(p: ndarray) -> ndarray:
        difference = as_values(f(xdata, *columns(p))) - y
        return difference if weights is None else difference * weights

    slope: Any = "2-point" if jac is None else jac
    if callable(jac):

        def slope(p: ndarray) -> ndarray:
            found = as_values(jac(xdata, *columns(p)))
            return found if weights is None else found * cp.broadcast_to(weights, (problems, m))[:, :, None]

    if "maxfev" in kwargs:
        kwargs["max_nfev"] = kwargs.pop("maxfev")
    res = least_squares(residual, start, jac=slope, bounds=bounds, batch=True, **kwargs)
    normal = cp.einsum("bmi,bmj->bij", res.jac, res.jac)
    from ._batch import inverse_of

    cov, regular = inverse_of(normal)
    if not absolute:
        cov = cov * (2 * res.cost / (m - n))[:, None, None] if m > n else cp.full_like(cov, np.inf)
    cov = cp.where(regular[:, None, None], cov, np.inf)
    if m <= n and not absolute or not bool(cp.all(regular)):
        warnings.warn("Covariance of the parameters could not be estimated", category(OptimizeWarning), stacklevel=3)
    if full_output:
        return res.x, cov, {"nfev": res.nfev, "fvec": res.fun}, res.message, res.status
    return res.x, cov
