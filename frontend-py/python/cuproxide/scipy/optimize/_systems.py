"""Systems of nonlinear equations."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_floating, to_host
from ..._lib.lending import shielded, shielded_if
from ..._lib.results import Result
from ..linalg import solve_triangular
from . import _nonlin
from ._curve_fit import leastsq
from ._differences import as_values
from ._results import OptimizeResult, unknown_options

__all__ = ["fixed_point", "fsolve", "root"]

EPS = float(np.finfo(float).eps)


def _hybrid(
    func: Callable[[ndarray], ndarray],
    x: ndarray,
    jac: Any,
    xtol: float,
    most: int,
    factor: float,
    scale: Any,
    step: float,
    bands: Any,
) -> Result:
    """Powell's hybrid method with Broyden's updates and the tests and codes of MINPACK."""
    n = x.size
    calls = [1, 0]
    f = func(x)
    if f.shape != x.shape:
        if f.size != n:
            raise TypeError(
                f"fsolve: there is a mismatch between the input and output shape of the 'func' argument. Shape should be "  # noqa: E501
                f"{x.shape} but it is {f.shape}."
            )
        f = f.reshape(x.shape)
    lower, upper = bands if bands is not None else (n - 1, n - 1)

    def jacobian(x: ndarray, f: ndarray) -> ndarray:
        calls[1] += 1
        if jac is not None:
            return jac(x)
        h = cp.where(x == 0, step, step * abs(x))
        groups = min(lower + upper + 1, n)
        calls[0] += groups
        if groups == n:
            values = [func(x + cp.where(cp.arange(n) == j, h, 0)).reshape(-1) for j in range(n)]
            return (cp.stack(values, axis=1) - f[:, None]) / h
        index = cp.arange(n)
        values = cp.stack([func(x + cp.where(index % groups == j, h, 0)).reshape(-1) for j in range(groups)])
        offset = index[:, None] - index[None, :]
        inside = (offset <= lower) & (offset >= -upper)
        return cp.where(inside, (values[index % groups].T - f[:, None]) / h, 0)

    fnorm = math.sqrt(float(cp.sum(f * f)))
    slow_step = slow_jacobian = good = bad = 0
    diagonal = None if scale is None else np.broadcast_to(to_host(scale).astype(float), (n,))
    given = scale is not None
    info, first, radius, size = 1, True, 0.0, 0.0
    point = to_host(x).astype(float)
    done = False
    if not math.isfinite(fnorm):
        return Result(x=x, fun=f, info=4, nfev=calls[0], njev=calls[1], jac=jacobian(x, f))
    while not done:
        j = jacobian(x, f)
        fresh = True
        if not given or first:
            norms = to_host(cp.sqrt(cp.sum(j * j, axis=0))).astype(float)
        if first:
            diagonal = diagonal if given else np.where(norms == 0, 1.0, norms)
            size = float(np.linalg.norm(diagonal * point))
            radius = factor * size or factor
        if not given:
            diagonal = np.maximum(diagonal, norms)
        while True:
            d = cp.asarray(diagonal, dtype=x.dtype)
            p = _dogleg(j, f, d, radius)
            pnorm, linear = cp.stack([cp.sum((d * p) ** 2), cp.sum((f + j @ p) ** 2)]).tolist()
            pnorm, linear = math.sqrt(pnorm), math.sqrt(linear)
            if first:
                radius = min(radius, pnorm)
            new = x + p
            calls[0] += 1
            f_new = func(new).reshape(-1)
            norm, wx = cp.stack([cp.sum(f_new * f_new), cp.sum((d * new) ** 2)]).tolist()
            norm = math.sqrt(norm) if math.isfinite(norm) else math.inf
            actual = 1 - (norm / fnorm) ** 2 if norm < fnorm else -1.0
            predicted = 1 - (linear / fnorm) ** 2 if linear < fnorm else 0.0
            ratio = actual / predicted if predicted > 0 else 0.0
            if ratio < 0.1:
                good, bad = 0, bad + 1
                radius *= 0.5
            else:
                bad, good = 0, good + 1
                if ratio >= 0.5 or good > 1:
                    radius = max(radius, pnorm / 0.5)
                if abs(ratio - 1) <= 0.1:
                    radius = pnorm / 0.5
            difference = f_new - f
            if ratio >= 1e-4:
                x, f, fnorm, size = new, f_new, norm, math.sqrt(wx)
                first = False
            first = False
            slow_step = 0 if actual >= 1e-3 else slow_step + 1
            slow_jacobian = slow_jacobian + 1 if fresh else slow_jacobian
            if actual >= 0.1:
                slow_jacobian = 0
            if radius <= xtol * size or fnorm == 0:
                info, done = 1, True
                break
            if calls[0] >= most:
                info, done = 2, True
                break
            if 0.1 * max(0.1 * radius, pnorm) <= EPS * size:
                info, done = 3, True
                break
            if slow_jacobian == 5:
                info, done = 4, True
                break
            if slow_step == 10:
                info, done = 5, True
                break
            if bad == 2 or not math.isfinite(norm):
                if not math.isfinite(norm) and bad < 60:
                    continue
                break
            # Broyden's update in the scaled norm.
            weight = d * d * p
            j = j + (difference - j @ p)[:, None] * (weight / cp.sum(weight * p))[None, :]
            fresh = False
    return Result(x=x, fun=f, info=info, nfev=calls[0], njev=calls[1], jac=j)


def _dogleg(j: ndarray, f: ndarray, d: ndarray, radius: float) -> ndarray:
    """The dogleg step of a linear system in a scaled ball."""
    try:
        newton = cp.linalg.solve(j, -f)
        length = float(cp.sqrt(cp.sum((d * newton) ** 2)))
    except np.linalg.LinAlgError:
        length = math.nan
    if not math.isfinite(length):
        # As in MINPACK, zeros on the diagonal become small, so that a singular matrix still gives a direction.
        q, r = cp.linalg.qr(j)
        diagonal = cp.diagonal(r)
        largest = cp.max(abs(r), axis=0)
        small = EPS * cp.where(largest > 0, largest, 1)
        r = r + cp.diag(cp.where(diagonal == 0, small, 0))
        newton = solve_triangular(r, -(q.T @ f), check_finite=False)
        length = float(cp.sqrt(cp.sum((d * newton) ** 2)))
    if length <= radius:
        return newton
    g = (j.T @ f) / d
    down = g / d
    jd = j @ down
    gg, dd = cp.stack([cp.sum(g * g), cp.sum(jd * jd)]).tolist()
    if gg == 0:
        return newton * (radius / length)
    gnorm = math.sqrt(gg)
    reach = gg / dd * gnorm if dd > 0 else math.inf
    if reach >= radius:
        return -(radius / gnorm) * down
    cauchy = -(gg / dd) * down
    rest = newton - cauchy
    a, b, c = cp.stack([cp.sum((d * rest) ** 2), cp.sum(d * d * rest * cauchy), cp.sum((d * cauchy) ** 2)]).tolist()
    t = (-b + math.sqrt(max(0.0, b * b - a * (c - radius**2)))) / a if a else 1.0
    return cauchy + min(max(t, 0.0), 1.0) * rest


def _solve_hybrid(
    func: Any,
    x0: Any,
    args: Any,
    jac: Any,
    col_deriv: Any,
    xtol: float,
    maxfev: int,
    band: Any,
    eps: Any,
    factor: float,
    diag: Any,
) -> Result:
    func, jac = shielded(func), shielded_if(jac)
    # As in SciPy: the steps of differences are those of double precision.
    x = cp.atleast_1d(as_floating(x0)).reshape(-1).astype(np.float64)
    slope: Any = None
    if callable(jac):

        def slope(x: ndarray) -> ndarray:
            found = jac(x, *args)
            if isinstance(found, (list, tuple)):
                found = cp.stack([as_values(row) for row in found])
            found = cp.atleast_2d(as_device(found)).astype(x.dtype)
            if found.shape != (x.size, x.size):
                raise TypeError(
                    f"fsolve: there is a mismatch between the input and output shape of the 'fprime' argument."
                    f"Shape should be {(x.size, x.size)} but it is {found.shape}."
                )
            return found.T if col_deriv else found

    n = x.size
    most = maxfev or (100 * (n + 1) if slope is not None else 200 * (n + 1))
    step = math.sqrt(max(eps, EPS)) if eps is not None else math.sqrt(EPS)
    function = lambda z: as_values(func(z, *args)).astype(x.dtype)  # noqa: E731
    found = _hybrid(function, x, slope, xtol, most, factor, diag, step, band)
    found.most = most
    return found


def _message(info: int, most: int, xtol: float) -> str:
    return {
        0: "Improper input parameters were entered.",
        1: "The solution converged.",
        2: f"The number of calls to function has reached maxfev = {most}.",
        3: f"xtol={xtol:f} is too small, no further improvement in the approximate\n solution is possible.",
        4: "The iteration is not making good progress, as measured by the \n improvement from the last five Jacobian evaluations.",  # noqa: E501
        5: "The iteration is not making good progress, as measured by the \n improvement from the last ten iterations.",
    }[info]


def fsolve(
    func: Callable[..., Any],
    x0: Any,
    args: Any = (),
    fprime: Any = None,
    full_output: bool = False,
    col_deriv: bool = False,
    xtol: float = 1.49012e-8,
    maxfev: int = 0,
    band: Any = None,
    epsfcn: float | None = None,
    factor: float = 100,
    diag: Any = None,
) -> Any:
    """A root of a function of several variables by Powell's hybrid method.

    Parameters
    ----------
    func : callable
        `func(x, *args)`, as many values as variables.
    fprime : callable, optional
        The Jacobian; its transpose with `col_deriv`.
    full_output : bool, optional
        Whether to return further information, too.
    band : (int, int), optional
        The numbers of diagonals below and above of a banded Jacobian.
    diag : array_like, optional
        Scales of the variables.

    Returns
    -------
    x : ndarray
        The root.
    infodict, ier, mesg
        With `full_output`: `nfev`, `njev`, `fvec`, `fjac`, `r`, `qtf`; 1 if it was found; a message.

    Raises
    ------
    TypeError
        If values and variables differ in number.

    Warns
    -----
    RuntimeWarning
        If the iterations do not converge.

    >>> optimize.fsolve(lambda x: [x[0] * cp.cos(x[1]) - 4, x[1] * x[0] - x[1] - 5], [1, 1]).round(4)
    array([6.5041, 0.9084])
    """
    args = args if isinstance(args, tuple) else (args,)
    found = _solve_hybrid(func, x0, args, fprime, col_deriv, xtol, maxfev, band, epsfcn, factor, diag)
    message = _message(found.info, found.most, xtol)
    if full_output:
        q, r = cp.linalg.qr(found.jac)
        n = found.x.size
        rows, columns = np.triu_indices(n)
        info = {
            "nfev": found.nfev, "fjac": q.T, "r": r[cp.asarray(rows), cp.asarray(columns)], "qtf": q.T @ found.fun,
            "fvec": found.fun,
        }  # fmt: skip
        if fprime is not None:
            info["njev"] = found.njev
        return found.x, info, found.info, message
    if found.info == 0:
        raise TypeError(message)
    if found.info != 1:
        warnings.warn(message, RuntimeWarning, stacklevel=2)
    return found.x


def _df_sane(
    func: Any, x0: Any, args: Any, ftol: float = 1e-8, fatol: float = 1e-300, maxfev: int = 1000, fnorm: Any = None,
    callback: Any = None, disp: bool = False, M: int = 10, eta_strategy: Any = None, sigma_eps: float = 1e-10,
    sigma_0: float = 1.0, line_search: str = "cruz", **options: Any,
) -> OptimizeResult:  # fmt: skip
    """Spectral residuals without derivatives (La Cruz, Martinez, Raydan, 2006)."""
    unknown_options(options)
    if line_search not in ("cheng", "cruz"):
        raise ValueError(f"Invalid value {line_search!r} for 'line_search'")
    start, func, callback = as_floating(x0), shielded(func), shielded_if(callback, 2)
    shape = start.shape
    calls = 0

    def values(x: ndarray) -> ndarray:
        nonlocal calls
        calls += 1
        return as_floating(as_values(func(x.reshape(shape), *args))).reshape(-1)

    measure = fnorm or (lambda f: float(cp.sqrt(cp.sum(abs(f) ** 2))))
    x = cp.atleast_1d(start).reshape(-1)
    f = values(x)
    merit = float(cp.sum(abs(f) ** 2))
    first = merit
    initial = measure(f)
    eta = eta_strategy or (lambda k, x, f: first / (1 + k) ** 2)
    history, k, sigma, reached = [merit], 0, sigma_0, ""
    reference, q = merit, 1.0
    while True:
        size = measure(f)
        if disp:
            print(f"iter {k}: ||F|| = {size:g}, sigma = {sigma:g}")
        if callback:
            callback(x.reshape(shape), f.reshape(shape))
        if size < ftol * initial + fatol:
            message, success = "successful convergence", True
            break
        if calls >= maxfev:
            message, success = "too many function evaluations required", False
            break
        if abs(sigma) > 1 / sigma_eps:
            sigma = math.copysign(1 / sigma_eps, sigma)
        elif abs(sigma) < sigma_eps:
            sigma = sigma_eps
        d = -sigma * f
        slack = eta(k, x, f)
        bound = (max(history[-M:]) if line_search == "cruz" else reference) + slack
        plus = minus = 1.0
        found = None
        while found is None:
            for sign in (1, -1):
                t = plus if sign > 0 else -minus
                new = x + t * d
                f_new = values(new)
                new_merit = float(cp.sum(abs(f_new) ** 2))
                if new_merit <= bound - 1e-4 * abs(t) ** 2 * merit:
                    found = (new, f_new, new_merit)
                    break
                shrunk = t * t * merit / (new_merit + (2 * abs(t) - 1) * merit) if math.isfinite(new_merit) else 0.0
                size_t = min(max(shrunk, 0.1 * abs(t)), 0.5 * abs(t))
                if sign > 0:
                    plus = size_t
                else:
                    minus = size_t
                if calls >= maxfev:
                    break
            if calls >= maxfev and found is None:
                reached = "too many function evaluations required"
                break
            if max(plus, minus) < 1e-300:
                reached = "line search failed"
                break
        if found is None:
            message, success = reached, False
            break
        s, y = found[0] - x, found[1] - f
        sy, ss = cp.stack([cp.real(cp.sum(cp.conj(s) * y)), cp.sum(abs(s) ** 2)]).tolist()
        sigma = ss / sy if sy else 1.0
        x, f, merit = found
        history.append(merit)
        if line_search == "cheng":
            q_new = 0.85 * q + 1.0
            reference = (0.85 * q * (reference + slack) + merit) / q_new
            q = q_new
        k += 1
    return OptimizeResult(
        x=x.reshape(shape), success=success, message=message, fun=f.reshape(shape), nfev=calls, nit=k, method="df-sane"
    )


class _Both:
    def __init__(self, fun: Any) -> None:
        self.fun, self.x = fun, None
        self.value: Any = None

    def __call__(self, x: Any, *args: Any) -> Any:
        if self.x is not x:
            self.value, self.x = self.fun(x, *args), x
        return self.value[0]

    def derivative(self, x: Any, *args: Any) -> Any:
        self(x, *args)
        return self.value[1]


def root(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: str = "hybr", jac: Any = None, tol: float | None = None,
    callback: Any = None, options: dict[str, Any] | None = None,
) -> OptimizeResult:  # fmt: skip
    """A root of a function of several variables.

    Parameters
    ----------
    fun : callable
        `fun(x, *args)`, as many values as variables.
    method : str, optional
        'hybr', 'lm', 'broyden1', 'broyden2', 'anderson', 'linearmixing', 'diagbroyden', 'excitingmixing', 'krylov' or
        'df-sane'.
    jac : bool or callable, optional
        The Jacobian, for 'hybr' and 'lm'; True if `fun` returns it with the values.
    tol : float, optional
        The tolerance of the method.
    callback : callable, optional
        `callback(x, f)` after each iteration, except with 'hybr' and 'lm'.
    options : dict, optional
        Options of the method.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `status`, `message`, `nfev`, `method`.

    Raises
    ------
    ValueError
        If the method is unknown.

    >>> res = optimize.root(lambda x: [x[0] + 0.5 * (x[0] - x[1]) ** 3 - 1, 0.5 * (x[1] - x[0]) ** 3 + x[1]], [0, 0])
    >>> res.x.round(6), res.success
    (array([0.841164, 0.158836]), True)
    """
    args = args if isinstance(args, tuple) else (args,)
    name = method.lower()
    options = dict(options or {})
    if callback is not None and name in ("hybr", "lm"):
        warnings.warn(f"Method {method} does not accept callback.", RuntimeWarning, stacklevel=2)
    if jac is not None and jac is not False and name not in ("hybr", "lm"):
        warnings.warn(f"Method {method} does not use the jacobian (jac).", RuntimeWarning, stacklevel=2)
    if not callable(jac) and name in ("hybr", "lm"):
        if bool(jac):
            both = _Both(fun)
            fun, jac = both, both.derivative
        else:
            jac = None
    if tol is not None:
        if name in ("hybr", "lm"):
            options.setdefault("xtol", tol)
        elif name == "df-sane":
            options.setdefault("ftol", tol)
        elif name in _nonlin.KINDS:
            options.setdefault("xtol", tol)
            options.setdefault("xatol", math.inf)
            options.setdefault("ftol", math.inf)
            options.setdefault("fatol", math.inf)
    if name == "hybr":
        xtol = options.pop("xtol", 1.49012e-8)
        known = {"col_deriv": 0, "maxfev": 0, "band": None, "eps": None, "factor": 100, "diag": None}
        given = known | {key: options.pop(key) for key in known if key in options}
        unknown_options(options)
        found = _solve_hybrid(
            fun, x0, args, jac, given["col_deriv"], xtol, given["maxfev"], given["band"], given["eps"], given["factor"],
            given["diag"],
        )  # fmt: skip
        q, r = cp.linalg.qr(found.jac)
        rows, columns = (cp.asarray(v) for v in np.triu_indices(found.x.size))
        result = OptimizeResult(
            message=_message(found.info, found.most, xtol), success=found.info == 1, status=found.info, fun=found.fun,
            x=found.x, method="hybr", nfev=found.nfev, fjac=q.T, r=r[rows, columns], qtf=q.T @ found.fun,
        )  # fmt: skip
        if jac is not None:
            result.njev = found.njev
        return result
    if name == "lm":
        renamed = {"maxiter": "maxfev", "eps": "epsfcn"}
        options = {renamed.get(key, key): value for key, value in options.items()}
        known = ("col_deriv", "ftol", "xtol", "gtol", "maxfev", "epsfcn", "factor", "diag")
        unknown_options({key: options.pop(key) for key in list(options) if key not in known})
        x, cov, info, message, ier = leastsq(fun, x0, args, Dfun=jac, full_output=True, **options)
        fvec = info.pop("fvec")
        return OptimizeResult(
            message=message, success=ier in (1, 2, 3, 4), status=ier, fun=fvec, x=x, method="lm", cov_x=cov, **info
        )
    if name == "df-sane":
        return _df_sane(fun, x0, args, callback=callback, **options)
    if name in _nonlin.KINDS:
        jacobian = _nonlin.KINDS[name](**(options.pop("jac_options", None) or {}))
        names = {
            "nit": "iter",
            "disp": "verbose",
            "fatol": "f_tol",
            "ftol": "f_rtol",
            "xatol": "x_tol",
            "xtol": "x_rtol",
        }
        known = (*names, "maxiter", "tol_norm", "line_search")
        rest = {key: options.pop(key) for key in list(options) if key not in known}
        unknown_options(rest)
        given = {names.get(key, key): value for key, value in options.items()}
        x, info = _nonlin.solve(
            (lambda x: fun(x, *args)), x0, jacobian, callback=callback, raise_exception=False, **given
        )
        return OptimizeResult(x=x, method=name, **info)
    raise ValueError(f"Unknown solver {method}")


def fixed_point(
    func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-8, maxiter: int = 500, method: str = "del2"
) -> ndarray:
    """A point that a function maps to itself, elementwise.

    Parameters
    ----------
    func : callable
        `func(x, *args)`.
    maxiter : int, optional
        The most iterations.
    method : {'del2', 'iteration'}, optional
        With or without Aitken's acceleration.

    Returns
    -------
    ndarray
        The point.

    Raises
    ------
    RuntimeError
        If the iterations do not converge.

    >>> a = cp.array([10.0, 12.0])
    >>> optimize.fixed_point(lambda x: cp.sqrt(a / (x + 1)), cp.array([1.2, 1.3])).round(6)
    array([1.86746, 2.     ])
    """
    if method not in ("del2", "iteration"):
        raise KeyError(method)
    args = args if isinstance(args, tuple) else (args,)
    p, func = as_floating(x0), shielded(func)
    for _ in range(maxiter):
        new = as_device(func(p, *args))
        if method == "del2":
            again = as_device(func(new, *args))
            bend = again - 2.0 * new + p
            new = cp.where(bend != 0, p - (new - p) ** 2 / cp.where(bend != 0, bend, 1), again)
        error = cp.where(p != 0, (new - p) / cp.where(p != 0, p, 1), new)
        if bool(cp.all(abs(error) < xtol)):
            return new
        p = new
    raise RuntimeError(f"Failed to converge after {maxiter} iterations, value is {p}")
