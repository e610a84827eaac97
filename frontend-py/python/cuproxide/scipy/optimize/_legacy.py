"""The older names of the minimisers, and the options of all methods."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..._lib.arguments import as_device
from ._minimize import minimize
from ._results import EPSILON, OptimizeResult

__all__ = [
    "fmin", "fmin_bfgs", "fmin_cg", "fmin_cobyla", "fmin_l_bfgs_b", "fmin_ncg", "fmin_powell", "fmin_slsqp", "fmin_tnc",
    "show_options",
]  # fmt: skip


def _give(res: OptimizeResult, names: str, full_output: Any, retall: Any = False) -> Any:
    if full_output:
        found = tuple(res[name] for name in names.split())
        return (*found, res["allvecs"]) if retall else found
    return (res["x"], res["allvecs"]) if retall else res["x"]


def _run(
    method: str, f: Any, x0: Any, args: Any, callback: Any, options: dict[str, Any], **more: Any
) -> OptimizeResult:
    told = None if callback is None else (lambda x: callback(x))
    # The older names take a point of any shape.
    x0 = x0 if method == "cobyla" else as_device(x0).ravel()
    return minimize(f, x0, args, method, callback=told, options=options, **more)


def _check_bounds(bounds: Any, x0: Any, error: type[Exception]) -> None:
    """Refuses pairs that are not one for each variable, which `minimize` broadcasts, as SciPy's functions do."""
    if bounds is not None and hasattr(bounds, "__len__") and len(bounds) != as_device(x0).size:
        raise error(f"bounds must hold a pair for each of the {as_device(x0).size} variables, got {len(bounds)}")


def fmin(
    func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-4, ftol: float = 1e-4, maxiter: Any = None,
    maxfun: Any = None, full_output: int = 0, disp: int = 1, retall: int = 0, callback: Any = None,
    initial_simplex: Any = None,
) -> Any:  # fmt: skip
    """A minimum by the simplex method: `minimize` with 'Nelder-Mead'.

    Parameters are those of `scipy.optimize.fmin`. Returns where the minimum is; with `full_output` also the value, the
    iterations, the evaluations and a flag; with `retall` the points of all iterations.

    Parameters
    ----------
    initial_simplex : array_like, optional
        The simplex to begin with.

    >>> optimize.fmin(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], disp=0).round(3)
    array([1., 1.])
    """
    options = {
        "xatol": xtol, "fatol": ftol, "maxiter": maxiter, "maxfev": maxfun, "disp": disp, "return_all": retall,
        "initial_simplex": initial_simplex,
    }  # fmt: skip
    return _give(_run("nelder-mead", func, x0, args, callback, options), "x fun nit nfev status", full_output, retall)


def fmin_powell(
    func: Callable[..., Any], x0: Any, args: Any = (), xtol: float = 1e-4, ftol: float = 1e-4, maxiter: Any = None,
    maxfun: Any = None, full_output: int = 0, disp: int = 1, retall: int = 0, callback: Any = None, direc: Any = None,
) -> Any:  # fmt: skip
    """A minimum by Powell's directions: `minimize` with 'Powell'.

    Parameters are those of `scipy.optimize.fmin_powell`. Returns where the minimum is; with `full_output` also the
    value, the directions, the iterations, the evaluations and a flag.

    Parameters
    ----------
    direc : array_like, optional
        The directions to begin with.

    >>> optimize.fmin_powell(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], disp=0).round(3)
    array([1., 1.])
    """
    options = {
        "xtol": xtol, "ftol": ftol, "maxiter": maxiter, "maxfev": maxfun, "disp": disp, "return_all": retall,
        "direc": direc,
    }  # fmt: skip
    return _give(_run("powell", func, x0, args, callback, options), "x fun direc nit nfev status", full_output, retall)


def fmin_cg(
    f: Callable[..., Any],
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    gtol: float = 1e-5,
    norm: float = np.inf,
    epsilon: Any = EPSILON,
    maxiter: Any = None,
    full_output: int = 0,
    disp: int = 1,
    retall: int = 0,
    callback: Any = None,
    c1: float = 1e-4,
    c2: float = 0.4,
) -> Any:
    """A minimum by conjugate gradients: `minimize` with 'CG'.

    Parameters are those of `scipy.optimize.fmin_cg`. Returns where the minimum is; with `full_output` also the value,
    the evaluations of function and gradient and a flag.

    >>> optimize.fmin_cg(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], disp=0).round(3)
    array([1., 1.])
    """
    options = {
        "gtol": gtol, "norm": norm, "eps": epsilon, "maxiter": maxiter, "disp": disp, "return_all": retall, "c1": c1,
        "c2": c2,
    }  # fmt: skip
    res = _run("cg", f, x0, args, callback, options, jac=fprime)
    return _give(res, "x fun nfev njev status", full_output, retall)


def fmin_bfgs(
    f: Callable[..., Any],
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    gtol: float = 1e-5,
    norm: float = np.inf,
    epsilon: Any = EPSILON,
    maxiter: Any = None,
    full_output: int = 0,
    disp: int = 1,
    retall: int = 0,
    callback: Any = None,
    xrtol: float = 0,
    c1: float = 1e-4,
    c2: float = 0.9,
    hess_inv0: Any = None,
) -> Any:
    """A minimum by the quasi-Newton method: `minimize` with 'BFGS'.

    Parameters are those of `scipy.optimize.fmin_bfgs`. Returns where the minimum is; with `full_output` also the
    value, the gradient, the inverse Hessian, the evaluations of function and gradient and a flag.

    Parameters
    ----------
    xrtol : float
        The relative tolerance of the arguments.
    hess_inv0 : array_like, optional
        The first inverse of the Hessian.

    >>> optimize.fmin_bfgs(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], disp=0).round(3)
    array([1., 1.])
    """
    options = {
        "gtol": gtol,
        "norm": norm,
        "eps": epsilon,
        "maxiter": maxiter,
        "disp": disp,
        "return_all": retall,
        "xrtol": xrtol,
        "c1": c1,
        "c2": c2,
        "hess_inv0": hess_inv0,
    }
    res = _run("bfgs", f, x0, args, callback, options, jac=fprime)
    return _give(res, "x fun jac hess_inv nfev njev status", full_output, retall)


def fmin_ncg(
    f: Callable[..., Any],
    x0: Any,
    fprime: Any,
    fhess_p: Any = None,
    fhess: Any = None,
    args: Any = (),
    avextol: float = 1e-5,
    epsilon: Any = EPSILON,
    maxiter: Any = None,
    full_output: int = 0,
    disp: int = 1,
    retall: int = 0,
    callback: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
) -> Any:
    """A minimum by truncated Newton steps: `minimize` with 'Newton-CG'.

    Parameters are those of `scipy.optimize.fmin_ncg`. Returns where the minimum is; with `full_output` also the value,
    the evaluations of function, gradient and Hessian and a flag.

    Parameters
    ----------
    fhess_p : callable, optional
        The product of the Hessian and a vector.
    fhess : callable, optional
        The Hessian.
    avextol : float
        The tolerance of the arguments, on average.

    >>> optimize.fmin_ncg(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], lambda x: 2 * (x - 1), disp=0).round(3)
    array([1., 1.])
    """
    options = {
        "xtol": avextol, "eps": epsilon, "maxiter": maxiter, "disp": disp, "return_all": retall, "c1": c1, "c2": c2
    }  # fmt: skip
    res = _run("newton-cg", f, x0, args, callback, options, jac=fprime, hess=fhess, hessp=fhess_p)
    return _give(res, "x fun nfev njev nhev status", full_output, retall)


def _gradient(func: Any, fprime: Any, approx_grad: Any) -> Any:
    return None if approx_grad else True if fprime is None else fprime


def fmin_l_bfgs_b(
    func: Callable[..., Any],
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    approx_grad: Any = 0,
    bounds: Any = None,
    m: int = 10,
    factr: float = 1e7,
    pgtol: float = 1e-5,
    epsilon: float = 1e-8,
    maxfun: int = 15000,
    maxiter: int = 15000,
    callback: Any = None,
    maxls: int = 20,
    *,
    iprint: Any = None,
    disp: Any = None,
) -> tuple[Any, ...]:
    """A minimum within bounds by limited memory: `minimize` with 'L-BFGS-B'.

    Parameters are those of `scipy.optimize.fmin_l_bfgs_b`: without `fprime` and `approx_grad`, `func` returns the
    gradient with the value. Returns where the minimum is, the value, and a dictionary with `grad`, `task`, `funcalls`,
    `nit` and `warnflag`.

    Parameters
    ----------
    m : int
        The number of corrections that are kept.
    factr : float
        The tolerance of the function, in units of its precision.
    maxls : int
        The greatest number of steps of a line search.

    >>> x, f, d = optimize.fmin_l_bfgs_b(lambda x: cp.sum((x - 1) ** 2), [0.0, 3.0], approx_grad=True)
    >>> x.round(3), d["warnflag"]
    (array([1., 1.]), 0)
    """
    options = {
        "maxcor": m, "ftol": factr * np.finfo(float).eps, "gtol": pgtol, "eps": epsilon, "maxfun": maxfun,
        "maxiter": maxiter, "maxls": maxls,
    }  # fmt: skip
    _check_bounds(bounds, x0, ValueError)
    jac = _gradient(func, fprime, approx_grad)
    res = _run("l-bfgs-b", func, x0, args, callback, options, jac=jac, bounds=bounds)
    info = {"grad": res.jac, "task": res.message, "funcalls": res.nfev, "nit": res.nit, "warnflag": res.status}
    return res.x, res.fun, info


def fmin_tnc(
    func: Callable[..., Any],
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    approx_grad: Any = 0,
    bounds: Any = None,
    epsilon: float = 1e-8,
    scale: Any = None,
    offset: Any = None,
    messages: int = 15,
    maxCGit: int = -1,
    maxfun: Any = None,
    eta: float = -1,
    stepmx: float = 0,
    accuracy: float = 0,
    fmin: float = 0,
    ftol: float = -1,
    xtol: float = -1,
    pgtol: float = -1,
    rescale: float = -1,
    disp: Any = None,
    callback: Any = None,
) -> tuple[Any, ...]:
    """A minimum within bounds by truncated Newton steps: `minimize` with 'TNC'.

    Parameters are those of `scipy.optimize.fmin_tnc`: without `fprime` and `approx_grad`, `func` returns the gradient
    with the value. Returns where the minimum is, the evaluations and a flag.

    Parameters
    ----------
    scale : array_like, optional
        The scales of the arguments.
    offset : array_like, optional
        What is taken off the arguments.
    messages : int
        How much is printed.
    maxCGit : int
        The greatest number of steps for one direction.
    eta : float
        The severity of the line search.
    stepmx : float
        The greatest step.
    accuracy : float
        The relative precision of difference quotients.
    fmin : float
        An estimate of the minimum.
    rescale : float
        When the function is rescaled.

    >>> optimize.fmin_tnc(lambda x: (cp.sum((x - 1) ** 2), 2 * (x - 1)), [0.0, 3.0], bounds=[(0, 2)] * 2)[0].round(3)
    array([1., 1.])
    """
    options = {
        "eps": epsilon, "scale": scale, "offset": offset, "maxCGit": maxCGit, "maxfun": maxfun, "eta": eta,
        "stepmx": stepmx, "accuracy": accuracy, "minfev": fmin, "ftol": ftol, "xtol": xtol, "gtol": pgtol,
        "rescale": rescale,
    }  # fmt: skip
    _check_bounds(bounds, x0, ValueError)
    jac = _gradient(func, fprime, approx_grad)
    res = _run("tnc", func, x0, args, callback, options, jac=jac, bounds=bounds)
    return res.x, res.nfev, res.status


def fmin_cobyla(
    func: Callable[..., Any], x0: Any, cons: Any, args: Any = (), consargs: Any = None, rhobeg: float = 1.0,
    rhoend: float = 1e-4, maxfun: int = 1000, disp: Any = None, catol: float = 2e-4, *, callback: Any = None,
) -> Any:  # fmt: skip
    """A constrained minimum by linear models: `minimize` with 'COBYLA'.

    Parameters are those of `scipy.optimize.fmin_cobyla`: `cons` are functions that are not to be negative. Returns
    where the minimum is.

    Parameters
    ----------
    cons : callable or sequence of callable
        The constraints: functions that shall not be negative.
    consargs : tuple, optional
        Further arguments of the constraints.
    rhobeg : float
        The first size of steps.
    rhoend : float
        The last size of steps.
    catol : float
        The tolerance of the constraints.

    >>> x = optimize.fmin_cobyla(lambda x: x[0] * x[1], [0.0, 0.1], [lambda x: 1 - cp.sum(x**2)], rhoend=1e-7)
    >>> round(float(x[0] * x[1]), 4)
    -0.5
    """
    consargs = args if consargs is None else consargs
    try:
        functions = list(cons)
    except TypeError as error:
        if not callable(cons):
            raise TypeError("cons must be a sequence of callable functions or a single callable function.") from error
        functions = [cons]
    if not all(callable(c) for c in functions):
        raise TypeError("cons must be a sequence of callable functions or a single callable function.")
    constraints = [{"type": "ineq", "fun": c, "args": consargs} for c in functions]
    options = {"rhobeg": rhobeg, "tol": rhoend, "maxiter": maxfun, "catol": catol, "disp": bool(disp)}
    return _run("cobyla", func, x0, args, callback, options, constraints=constraints).x


def fmin_slsqp(
    func: Callable[..., Any], x0: Any, eqcons: Any = (), f_eqcons: Any = None, ieqcons: Any = (), f_ieqcons: Any = None,
    bounds: Any = (), fprime: Any = None, fprime_eqcons: Any = None, fprime_ieqcons: Any = None, args: Any = (),
    iter: int = 100, acc: float = 1e-6, iprint: int = 1, disp: Any = None, full_output: int = 0, epsilon: Any = EPSILON,
    callback: Any = None,
) -> Any:  # fmt: skip
    """A constrained minimum by quadratic programs: `minimize` with 'SLSQP'.

    Parameters are those of `scipy.optimize.fmin_slsqp`. Returns where the minimum is; with `full_output` also the
    value, the iterations, a flag and a message.

    Parameters
    ----------
    eqcons : sequence of callable
        The constraints that shall be zero.
    f_eqcons : callable, optional
        A function with an array of such.
    ieqcons : sequence of callable
        The constraints that shall not be negative.
    f_ieqcons : callable, optional
        A function with an array of such.
    fprime_eqcons : callable, optional
        The Jacobian of the first.
    fprime_ieqcons : callable, optional
        The Jacobian of the second.
    iter : int
        The greatest number of iterations.
    acc : float
        The tolerance.

    >>> optimize.fmin_slsqp(lambda x: cp.sum(x**2), [1.0, 0.0], eqcons=[lambda x: x[0] + x[1] - 1], iprint=0).round(4)
    array([0.5, 0.5])
    """
    constraints = [{"type": "eq", "fun": c, "args": args} for c in eqcons]
    constraints += [{"type": "ineq", "fun": c, "args": args} for c in ieqcons]
    if f_eqcons:
        constraints.append({"type": "eq", "fun": f_eqcons, "jac": fprime_eqcons, "args": args})
    if f_ieqcons:
        constraints.append({"type": "ineq", "fun": f_ieqcons, "jac": fprime_ieqcons, "args": args})
    iprint = iprint if disp is None else int(disp)
    options = {"maxiter": iter, "ftol": acc, "eps": epsilon, "iprint": iprint, "disp": iprint != 0}
    limits = bounds if len(bounds) else None
    _check_bounds(limits, x0, IndexError)
    res = _run("slsqp", func, x0, args, callback, options, jac=fprime, bounds=limits, constraints=constraints)
    return (res.x, res.fun, res.nit, res.status, res.message) if full_output else res.x


_OPTIONS: dict[str, dict[str, str]] = {
    "minimize": {
        "bfgs": "gtol norm eps maxiter disp return_all finite_diff_rel_step xrtol c1 c2 hess_inv0 workers",
        "cg": "gtol norm eps maxiter disp return_all finite_diff_rel_step c1 c2 workers",
        "cobyla": "rhobeg tol maxiter disp catol f_target",
        "cobyqa": "disp maxfev maxiter f_target feasibility_tol initial_tr_radius final_tr_radius scale",
        "dogleg": "initial_trust_radius max_trust_radius eta gtol maxiter disp return_all",
        "l-bfgs-b": "maxcor ftol gtol eps maxfun maxiter maxls finite_diff_rel_step workers",
        "nelder-mead": "maxiter maxfev disp return_all initial_simplex xatol fatol adaptive",
        "newton-cg": "xtol eps maxiter disp return_all c1 c2",
        "powell": "xtol ftol maxiter maxfev disp direc return_all",
        "slsqp": "ftol eps maxiter disp finite_diff_rel_step workers",
        "tnc": "eps scale offset maxCGit maxfun eta stepmx accuracy minfev ftol xtol gtol rescale disp",
        "trust-constr": "xtol gtol barrier_tol maxiter verbose disp initial_barrier_parameter initial_barrier_tolerance "  # noqa: E501
        "initial_tr_radius initial_constr_penalty finite_diff_rel_step",
        "trust-exact": "initial_trust_radius max_trust_radius eta gtol maxiter disp return_all",
        "trust-krylov": "initial_trust_radius max_trust_radius eta gtol inexact maxiter disp return_all",
        "trust-ncg": "initial_trust_radius max_trust_radius eta gtol maxiter disp return_all",
    },
    "minimize_scalar": {"brent": "xtol maxiter disp", "bounded": "xatol maxiter disp", "golden": "xtol maxiter disp"},
    "root": {
        "hybr": "col_deriv xtol maxfev band eps factor diag",
        "lm": "col_deriv xtol ftol gtol maxiter eps factor diag",
        **dict.fromkeys(
            ("broyden1", "broyden2", "anderson", "linearmixing", "diagbroyden", "excitingmixing", "krylov"),
            "nit disp maxiter ftol fatol xtol xatol tol_norm line_search jac_options",
        ),
        "df-sane": "ftol fatol fnorm maxfev disp eta_strategy sigma_eps sigma_0 M line_search",
    },
    "root_scalar": dict.fromkeys(
        ("bisect", "brentq", "brenth", "ridder", "toms748", "newton", "secant", "halley"), "xtol rtol maxiter"
    ),
    "linprog": {
        "highs": "maxiter disp presolve time_limit dual_feasibility_tolerance primal_feasibility_tolerance",
        "highs-ds": "maxiter disp presolve time_limit dual_feasibility_tolerance primal_feasibility_tolerance",
        "highs-ipm": "maxiter disp presolve time_limit ipm_optimality_tolerance",
        "interior-point": "maxiter disp tol",
        "pdhg": "maxiter disp tol",
    },
    "quadratic_assignment": {
        "faq": "maximize partial_match rng P0 shuffle_input maxiter tol",
        "2opt": "maximize partial_match partial_guess rng",
    },
}


def show_options(solver: str | None = None, method: str | None = None, disp: bool = True) -> str | None:
    """The options of the methods.

    Parameters
    ----------
    solver : str, optional
        'minimize', 'minimize_scalar', 'root', 'root_scalar', 'linprog' or 'quadratic_assignment'.
    method : str, optional
        One of its methods.
    disp : bool, optional
        Whether to print the text or to return it.

    Returns
    -------
    str or None
        The text, without `disp`.

    Raises
    ------
    ValueError
        If the solver or the method is unknown.

    >>> optimize.show_options("minimize_scalar", "brent")
    minimize_scalar, brent: xtol maxiter disp
    """
    if solver is None:
        chosen = _OPTIONS
    elif solver in _OPTIONS:
        chosen = {solver: _OPTIONS[solver]}
    else:
        raise ValueError(f"Unknown solver {solver!r}")
    lines = []
    for name, methods in chosen.items():
        if method is not None and method.lower() not in methods:
            raise ValueError(f"Unknown method {method!r}")
        for kind, options in methods.items():
            if method is None or kind == method.lower():
                lines.append(f"{name}, {kind}: {options}")
    text = "\n".join(lines)
    if disp:
        print(text)
        return None
    return text
