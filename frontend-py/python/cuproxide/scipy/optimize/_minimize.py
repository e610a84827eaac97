"""Minima of functions of several variables: the methods behind one function."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, to_host
from ._constraints import bounds_of
from ._differences import METHODS, Objective
from ._direct_search import nelder_mead, powell
from ._gradient_methods import bfgs, cg, newton_cg
from ._lbfgs import l_bfgs_b, tnc
from ._results import EPSILON, Callback, OptimizeResult
from ._trust_region import minimize_trust

__all__ = ["minimize"]

_WITH_BOUNDS = ("nelder-mead", "powell", "l-bfgs-b", "tnc", "cobyla", "cobyqa", "slsqp", "trust-constr", "_custom")
_WITH_CONSTRAINTS = ("cobyla", "cobyqa", "slsqp", "trust-constr", "_custom")
_WITH_HESSIAN = ("newton-cg", "dogleg", "trust-ncg", "trust-constr", "trust-krylov", "trust-exact", "_custom")
_DIFFERENCES = ("trust-constr", "bfgs", "cg", "l-bfgs-b", "tnc", "slsqp")
_TRUST = ("dogleg", "trust-ncg", "trust-exact", "trust-krylov")
_TOLERANCES = {
    "nelder-mead": ("xatol", "fatol"),
    "newton-cg": ("xtol",),
    "powell": ("xtol", "ftol"),
    "tnc": ("xtol", "ftol", "gtol"),  # noqa: E501
    "l-bfgs-b": ("ftol", "gtol"),
    "slsqp": ("ftol",),
    "bfgs": ("gtol",),
    "cg": ("gtol",),
    "dogleg": ("gtol",),
    "trust-ncg": ("gtol",),
    "trust-exact": ("gtol",),
    "trust-krylov": ("gtol",),
    "cobyla": ("tol",),
    "_custom": ("tol",),
    "cobyqa": ("final_tr_radius",),
    "trust-constr": ("xtol", "gtol", "barrier_tol"),
}


def start_of(x0: Any) -> ndarray:
    """The first point as an array of floating-point numbers with one axis."""
    x = cp.atleast_1d(as_device(x0))
    if x.ndim != 1:
        raise ValueError("'x0' must only have one dimension.")
    if x.dtype.kind == "c":
        raise ValueError("'x0' must be real.")
    return cp.array(x, np.float64) if x.dtype.kind != "f" or x.dtype.itemsize < 4 else cp.array(x)


def _no(constraints: Any) -> bool:
    return constraints is None or (isinstance(constraints, (list, tuple)) and len(constraints) == 0)


def minimize(
    fun: Callable[..., Any], x0: Any, args: Any = (), method: Any = None, jac: Any = None, hess: Any = None,
    hessp: Any = None, bounds: Any = None, constraints: Any = (), tol: float | None = None, callback: Any = None,
    options: dict[str, Any] | None = None, *, batch: bool = False,
) -> OptimizeResult:  # fmt: skip
    """A minimum of a function of several variables.

    The point, gradients and matrices stay on the device; the host reads the few numbers that decide a step, together.

    Parameters
    ----------
    fun : callable
        `fun(x, *args)` of an array of the device, which returns a number or an array without axes.
    x0 : array_like
        Where to begin, of shape `(n,)`; with `batch` of shape `(problems, n)`.
    args : tuple, optional
        Further arguments of all functions.
    method : str or callable, optional
        'Nelder-Mead', 'Powell', 'CG', 'BFGS', 'Newton-CG', 'L-BFGS-B', 'TNC', 'COBYLA', 'COBYQA', 'SLSQP',
        'trust-constr',
        'dogleg', 'trust-ncg', 'trust-exact' or 'trust-krylov'; by default 'BFGS', 'L-BFGS-B' with bounds, 'SLSQP' with
        constraints.
    jac : callable, bool or {'2-point', '3-point', 'cs'}, optional
        The gradient; True if `fun` returns it with the value; by differences without it.
    hess, hessp : callable, optional
        The Hessian, or its product with a vector.
    constraints : dict, LinearConstraint, NonlinearConstraint, or list of them, optional
        The constraints.
    tol : float, optional
        The tolerance of the method.
    callback : callable, optional
        `callback(intermediate_result)` or `callback(x)` after each iteration; `StopIteration` ends them.
    options : dict, optional
        Options of the method: see `show_options`.
    batch : bool, optional
        Not in SciPy. Whether the rows of `x0` are independent problems that advance together: `fun` gets an array of
        shape
        `(problems, n)` and returns `problems` values, `jac` gradients of shape `(problems, n)`. The methods are 'BFGS',
        'L-BFGS-B' and 'Nelder-Mead', with bounds for the last two; the results have a leading axis.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `status`, `message`, `nit`, `nfev`, and `jac`, `hess`, `hess_inv` where there are
        any.

    Raises
    ------
    ValueError
        If the method is unknown, or the arguments do not fit.

    >>> res = optimize.minimize(optimize.rosen, cp.array([1.3, 0.7, 0.8]), jac=optimize.rosen_der)
    >>> res.x.round(5), res.success
    (array([1., 1., 1.]), True)

    Ten thousand problems at once:

    >>> targets = cp.linspace(0, 1, 10_000)
    >>> res = optimize.minimize(
    ...     lambda x: (x[:, 0] - targets) ** 2 + (x[:, 1] - 1) ** 2,
    ...     cp.zeros((10_000, 2)),
    ...     jac=lambda x: 2 * cp.stack([x[:, 0] - targets, x[:, 1] - 1], axis=1),
    ...     batch=True,
    ... )
    >>> bool(res.success.all())
    True
    """
    args = args if isinstance(args, tuple) else (args,)
    if batch:
        from ._batch import minimize_batch

        return minimize_batch(fun, x0, args, method, jac, bounds, tol, callback, options)
    x = start_of(x0)
    if method is None:
        method = "SLSQP" if not _no(constraints) else "L-BFGS-B" if bounds is not None else "BFGS"
    name = "_custom" if callable(method) else method.lower()
    options = dict(options or {})
    _warn(name, method, jac, hess, hessp, bounds, constraints, options)
    if not callable(jac) and jac is not True:
        known = isinstance(jac, str) and jac in METHODS and name in _DIFFERENCES
        jac = jac if known else "2-point" if name == "trust-constr" else None
    if tol is not None:
        for option in _TOLERANCES.get(name, ()):
            options.setdefault(option, tol)
    if name == "_custom":
        return method(
            fun,
            x,
            args=args,
            jac=jac,
            hess=hess,
            hessp=hessp,
            bounds=bounds,
            constraints=constraints,
            callback=callback,
            **options,
        )
    if name == "trust-constr":
        _check_differences(jac, hess)
    limits = bounds_of(bounds, x.size)
    limits = limits if name in _WITH_BOUNDS else None
    told = Callback(callback, plain=name in ("tnc",))
    result = _fixed(name, fun, x, args, jac, limits, constraints)
    if result is None:
        result = _dispatch(name, method, fun, x, args, jac, hess, hessp, limits, constraints, told, options)
    if told.stopped:
        result.success, result.status = False, 99
        result.message = "`callback` raised `StopIteration`."
    return result


def _check_differences(jac: Any, hess: Any) -> None:
    """Refuses a Hessian that cannot be had: of an unknown kind, or differences of differences."""
    if hess is None or callable(hess) or hasattr(hess, "initialize"):
        return
    if not isinstance(hess, str) or hess not in METHODS:
        raise ValueError(f"`hess` must be either callable, HessianUpdateStrategy or one of {METHODS}, got {hess!r}")
    if isinstance(jac, str):
        raise ValueError(
            "the Hessian is differences of the gradient only where that is not, too: pass `jac` a function"
        )


def _warn(
    name: str, method: Any, jac: Any, hess: Any, hessp: Any, bounds: Any, constraints: Any, options: dict[str, Any]
) -> None:
    def say(text: str) -> None:
        warnings.warn(text, RuntimeWarning, stacklevel=4)

    if name in ("nelder-mead", "powell", "cobyla", "cobyqa") and bool(jac):
        say(f"Method {method} does not use gradient information (jac).")
    if name not in _WITH_HESSIAN and hess is not None:
        say(f"Method {method} does not use Hessian information (hess).")
    if name not in ("newton-cg", "trust-ncg", "trust-constr", "trust-krylov", "_custom") and hessp is not None:
        say(f"Method {method} does not use Hessian-vector product information (hessp).")
    if name not in _WITH_CONSTRAINTS and not _no(constraints):
        say(f"Method {method} cannot handle constraints.")
    if name not in _WITH_BOUNDS and bounds is not None:
        say(f"Method {method} cannot handle bounds.")
    if name in ("l-bfgs-b", "tnc", "cobyla", "cobyqa", "slsqp") and options.get("return_all", False):
        say(f"Method {method} does not support the return_all option.")


def _fixed(
    name: str, fun: Any, x: ndarray, args: Any, jac: Any, limits: Any, constraints: Any
) -> OptimizeResult | None:
    """The result where equal bounds leave nothing to vary."""
    if name not in ("tnc", "slsqp", "l-bfgs-b") or limits is None or not x.size:
        return None
    if not bool(cp.all(limits[0] == limits[1])):
        return None
    from ._constraints import Constraints

    at = limits[0].astype(x.dtype)
    value = fun(at.copy(), *args)
    value = value[0] if jac is True else value
    violation = 0.0
    message = "All independent variables were fixed by bounds."
    if not _no(constraints):
        equations, inequalities = Constraints(constraints, at).values(at)
        violation = max([0.0, *abs(to_host(equations)).tolist(), *(-to_host(inequalities)).tolist()])
        message = "All independent variables were fixed by bounds at values that satisfy the constraints."
    if violation > 1e-8:
        message = f"All independent variables were fixed by bounds, but the independent variables do not satisfy the constraints exactly. (Maximum violation: {violation})."  # noqa: E501
    return OptimizeResult(
        x=at,
        fun=float(as_device(value).reshape(())),
        success=violation <= 1e-8,
        message=message,
        nfev=1,
        njev=0,
        nit=0,
        nhev=0,
        status=0 if violation <= 1e-8 else 1,
    )


def _dispatch(
    name: str,
    method: Any,
    fun: Any,
    x: ndarray,
    args: Any,
    jac: Any,
    hess: Any,
    hessp: Any,
    limits: Any,
    constraints: Any,
    told: Callback,
    options: dict[str, Any],
) -> OptimizeResult:
    differences = None
    if name in ("bfgs", "cg", "l-bfgs-b", "tnc", "slsqp"):
        step = options.pop("eps", 1e-8 if name in ("l-bfgs-b", "tnc") else EPSILON)
        relative = options.pop("finite_diff_rel_step", None)
        workers = options.pop("workers", None)
        differences = {"step": None if relative is not None else step, "relative": relative, "workers": workers}
    objective = Objective(fun, x, args, jac, hess, bounds=limits, **(differences or {}))
    if differences is not None and limits is None:
        objective.bounds = None
    if name == "nelder-mead":
        return nelder_mead(objective, x, limits, told, **options)
    if name == "powell":
        return powell(objective, x, limits, told, **options)
    if name == "cg":
        return cg(objective, x, told, **options)
    if name == "bfgs":
        return bfgs(objective, x, told, **options)
    if name == "newton-cg":
        if jac is None:
            raise ValueError("Jacobian is required for Newton-CG method")
        return newton_cg(objective, x, told, hessp, **options)
    if name == "l-bfgs-b":
        return l_bfgs_b(objective, x, limits, told, **options)
    if name == "tnc":
        return tnc(objective, x, limits, told, **options)
    if name in _TRUST:
        return minimize_trust(objective, x, told, name, hessp, **options)
    if name == "slsqp":
        from ._slsqp import slsqp

        return slsqp(objective, x, limits, constraints, told, **options)
    if name in ("cobyla", "cobyqa"):
        from ._model_based import cobyla, cobyqa

        return (cobyla if name == "cobyla" else cobyqa)(objective, x, limits, constraints, told, **options)
    if name == "trust-constr":
        from ._interior_point import trust_constr

        return trust_constr(objective, x, hessp, limits, constraints, told, **options)
    raise ValueError(f"Unknown solver {method}")
