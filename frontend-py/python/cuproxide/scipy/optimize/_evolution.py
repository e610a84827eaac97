"""Differential evolution, with the population on the device."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device
from ..._lib.generators import device_generator
from ..._lib.lending import shielded
from ._constraints import Constraints, bounds_of
from ._differences import as_values
from ._minimize import minimize
from ._results import STATUS, OptimizeResult

__all__ = ["differential_evolution"]

_STRATEGIES = [
    f"{base}{kind}"
    for kind in ("bin", "exp")
    for base in ("best1", "rand1", "randtobest1", "currenttobest1", "best2", "rand2")
]


class Columns:
    """A function of the columns of an array: called once with all of them if it can be, else once for each.

    Whether it can be is tried with the first array: the values must be those of single calls.
    """

    def __init__(self, function: Callable[..., Any], args: Any, whole: bool | None) -> None:
        self.function, self.args, self.whole, self.calls = shielded(function), args, whole, 0

    def __call__(self, x: ndarray) -> ndarray:
        count = x.shape[1]
        self.calls += count
        if self.whole is None:
            self.whole = self._can(x)
        if self.whole:
            values = as_values(self.function(x, *self.args)).astype(np.float64)
            if values.shape != (count,):
                raise RuntimeError(
                    "The vectorized function must return an array of shape (S,) when given an array of shape (len(x), S)"  # noqa: E501
                )
            return values
        found = [as_values(self.function(x[:, i], *self.args)).reshape(()) for i in range(count)]
        return cp.stack(found).astype(np.float64)

    def _can(self, x: ndarray) -> bool:
        if x.shape[1] < 3 or x.shape[0] == x.shape[1]:
            return False
        try:
            values = as_values(self.function(x, *self.args))
        except Exception:
            return False
        if values.shape != (x.shape[1],):
            return False
        for column in (0, x.shape[1] // 2, x.shape[1] - 1):
            self.calls += 1
            alone = float(as_values(self.function(x[:, column], *self.args)).reshape(()))
            together = float(values[column])
            both_nan = math.isnan(alone) and math.isnan(together)
            if not (alone == together or both_nan or abs(alone - together) <= 1e-9 * abs(alone)):
                return False
        return True


def differential_evolution(
    func: Callable[..., Any], bounds: Any, args: Any = (), strategy: Any = "best1bin", maxiter: int | None = 1000,
    popsize: int = 15, tol: float = 0.01, mutation: Any = (0.5, 1), recombination: float = 0.7, rng: Any = None,
    callback: Any = None, disp: bool = False, polish: Any = True, init: Any = "latinhypercube", atol: float = 0,
    updating: str = "immediate", workers: Any = 1, constraints: Any = (), x0: Any = None, *, integrality: Any = None,
    vectorized: bool = False, seed: Any = None,
) -> OptimizeResult:  # fmt: skip
    """The minimum of a function of several variables within bounds, by an evolving population.

    All members are tried together, a few launches a generation. If `func` takes an array of shape `(n, members)`,
    which is
    found out with the first generation, it is called once a generation.

    Parameters
    ----------
    func : callable
        `func(x, *args)` of an array of shape `(n,)`; or `(n, members)` with `vectorized`.
    strategy : str or callable, optional
        How trials are made: 'best1bin', 'rand1exp', ...; or `strategy(candidate, population, rng)`.
    maxiter : int or None, optional
        The most generations; None is 1000.
    popsize : int, optional
        Members for each variable.
    tol, atol : float, optional
        How equal the values have to be.
    mutation : float or pair, optional
        The scale of differences; of a pair a random number between both each generation.
    recombination : float, optional
        How likely a variable changes.
    callback : callable, optional
        `callback(intermediate_result)` or `callback(x, convergence=...)`; True or `StopIteration` ends the search.
    disp : bool, optional
        Whether to print each generation.
    polish : bool, optional
        Whether to end with 'L-BFGS-B', or with 'trust-constr' if there are constraints.
    init : str or array_like, optional
        'latinhypercube', 'sobol', 'halton', 'random', or a population.
    updating : {'immediate', 'deferred'}, optional
        Both update once a generation here.
    x0 : array_like, optional
        A member to begin with.
    integrality : array_like of bool, optional
        Which variables are integers.
    vectorized : bool, optional
        Whether `func` takes all members at once.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `message`, `nit`, `nfev`, `population`, `population_energies`.

    Raises
    ------
    ValueError
        If an argument is wrong.

    >>> res = optimize.differential_evolution(optimize.rosen, [(0, 2)] * 3, rng=1)
    >>> res.x.round(4)
    array([1., 1., 1.])
    """
    if isinstance(strategy, str) and strategy not in _STRATEGIES:
        raise ValueError("Please select a valid mutation strategy")
    if updating not in ("immediate", "deferred"):
        raise ValueError("`updating` must be either `immediate` or `deferred`")
    scale = mutation if np.iterable(mutation) else (mutation, mutation)
    scale = sorted(float(v) for v in scale)
    if not np.all(np.isfinite(scale)) or any(v >= 2 or v < 0 for v in scale):
        raise ValueError(
            "The mutation constant must be a float in U[0, 2), or specified as a tuple(min, max) where min < max and min, "  # noqa: E501
            "max are in U[0, 2)."
        )
    args = args if isinstance(args, tuple) else (args,)
    pairs = bounds if hasattr(bounds, "lb") else [tuple(b) for b in bounds]
    n = as_device(bounds.lb).size if hasattr(bounds, "lb") else len(pairs)
    both: tuple[ndarray, ndarray] = bounds_of(pairs, n)
    low, high = both
    if not bool(cp.all(cp.isfinite(low) & cp.isfinite(high))):
        raise ValueError(
            "bounds should be a sequence containing finite real valued (min, max) pairs for each value in x"
        )
    if workers != 1 and vectorized:
        warnings.warn("differential_evolution: the 'workers' keyword overrides the 'vectorized' keyword", stacklevel=2)
    if (workers != 1 or vectorized) and updating == "immediate":
        name = "workers" if workers != 1 else "vectorized"
        warnings.warn(
            f"differential_evolution: the '{name}' keyword has overridden updating='immediate' to updating='deferred'",
            stacklevel=2,
        )
    generator = device_generator(rng if rng is not None else seed)
    integers = cp.zeros(n, bool) if integrality is None else cp.broadcast_to(as_device(integrality).astype(bool), (n,))
    whole_numbers = integrality is not None and bool(cp.any(integers))
    if whole_numbers:
        low_i, high_i = cp.ceil(low), cp.floor(high)
        if bool(cp.any(integers & (high_i < low_i))):
            raise ValueError(
                "One of the integrality constraints does not have any possible integer values between the lower/upper bounds."  # noqa: E501
            )
        low, high = cp.where(integers, low_i - 0.5 + 1e-9, low), cp.where(integers, high_i + 0.5 - 1e-9, high)
    free = int(cp.count_nonzero(low != high))
    members = max(5, popsize * max(1, free))
    function = Columns(func, args, True if vectorized else None)
    population = _first(init, generator, members, n, low, high, x0)
    members = population.shape[0]

    def place(unit: ndarray) -> ndarray:
        """Members in the units of the problem, one a column."""
        x = low + unit * (high - low)
        return (cp.where(integers, cp.round(x), x) if whole_numbers else x).T

    none = constraints is None or (isinstance(constraints, (list, tuple)) and not constraints)
    limits = None if none else Constraints(constraints, place(population)[:, 0])

    def violations(x: ndarray) -> ndarray:
        if limits is None:
            return cp.zeros(x.shape[1])
        found = []
        for i in range(x.shape[1]):
            eq, ineq = limits.values(x[:, i])
            found.append(cp.sum(abs(eq)) + cp.sum(cp.maximum(-ineq, 0)))
        return cp.stack(found)

    points = place(population)
    bad = violations(points)
    energies = cp.where(
        bad > 0, math.inf, cp.nan_to_num(function(points), nan=math.inf, posinf=math.inf, neginf=-math.inf)
    )
    maxiter = 1000 if maxiter is None else maxiter
    generation, success, message = 0, False, STATUS["maxiter"]
    if maxiter and math.isinf(float(cp.max(cp.where(bad > 0, -math.inf, energies)))) and limits is None:
        warnings.warn("Some objective values are not finite.", RuntimeWarning, stacklevel=2)
    for generation in range(1, maxiter + 1):  # noqa: B007
        factor = scale[0] if scale[0] == scale[1] else float(generator.uniform(scale[0], scale[1]))
        order = energies + cp.where(bad > 0, 1e300, 0)
        best = population[cp.argmin(cp.where(bad > 0, bad * 1e200, order))]
        trial = _trials(strategy, generator, population, best, factor, recombination)
        outside = (trial < 0) | (trial > 1)
        trial = cp.where(outside, generator.uniform(size=trial.shape), trial)
        x = place(trial)
        trial_bad = violations(x)
        value = cp.nan_to_num(function(x), nan=math.inf, posinf=math.inf, neginf=-math.inf)
        value = cp.where(trial_bad > 0, math.inf, value)
        # Feasible members win by their values, others by how little they violate.
        both = (bad == 0) & (trial_bad == 0)
        better = cp.where(both, value <= energies, trial_bad < bad) | ((trial_bad == bad) & (bad > 0))
        population = cp.where(better[:, None], trial, population)
        energies, bad = cp.where(better, value, energies), cp.where(better, trial_bad, bad)
        spread, mean, least, worst = cp.stack(
            [cp.std(energies), abs(cp.mean(energies)), cp.min(energies), cp.max(energies)]
        ).tolist()
        converged = math.isfinite(worst) and spread <= atol + tol * mean
        if disp:
            print(f"differential_evolution step {generation}: f(x)= {least}")
        if callback is not None:
            at = place(population)[:, int(cp.argmin(energies))]
            if _told(callback, at, least, generation, spread / (mean + 1e-300), function.calls):
                message = "callback function requested stop early"
                success = True
                break
        if converged:
            success, message = True, STATUS["success"]
            break
        if function.calls > 1e15:
            break
    order = cp.where(bad > 0, 1e300 + bad, energies)
    position = int(cp.argmin(order))
    points = place(population)
    x, fun, worst = points[:, position], float(energies[position]), float(bad[position])
    result = OptimizeResult(
        x=x, fun=fun, nfev=function.calls, nit=generation, message=message, success=success, population=points.T,
        population_energies=energies,
    )  # fmt: skip
    if polish and not (whole_numbers and bool(cp.all(integers))):
        _polish(result, func, args, low, high, integers, constraints, limits, function.whole, polish)
    if limits is not None:
        eq, ineq = limits.values(result.x)
        result.maxcv = float(cp.max(cp.concatenate([cp.zeros(1), abs(eq), -ineq])))
        result.constr = [eq, ineq]
        if result.maxcv > 1e-8 and worst > 0:
            result.success = False
            result.message = f"The solution does not satisfy the constraints, MAXCV = {result.maxcv}"
    return result


def _told(callback: Any, x: ndarray, fun: float, nit: int, convergence: float, nfev: int) -> bool:
    import inspect

    try:
        named = set(inspect.signature(callback).parameters) == {"intermediate_result"}
        if named:
            state = OptimizeResult(x=x, fun=fun, nit=nit, nfev=nfev, convergence=convergence)
            return bool(callback(intermediate_result=state))
        return bool(callback(x, convergence=1 / (1 + convergence)))
    except StopIteration:
        return True


def _first(init: Any, generator: Any, members: int, n: int, low: ndarray, high: ndarray, x0: Any) -> ndarray:
    if isinstance(init, str):
        if init in ("latinhypercube", "sobol", "halton"):
            # One member in each of as many slices of every variable.
            slots = cp.argsort(generator.uniform(size=(n, members)), axis=1).T
            unit = (slots + generator.uniform(size=(members, n))) / members
        elif init == "random":
            unit = generator.uniform(size=(members, n))
        else:
            raise ValueError(
                "The population initialization method must be one of 'latinhypercube' or 'random', or an array of shape "  # noqa: E501
                "(S, N) where N is the number of parameters and S>5"
            )
    else:
        given = as_device(init).astype(np.float64)
        if given.ndim != 2 or given.shape[0] < 5 or given.shape[1] != n:
            raise ValueError("The population supplied needs to have shape (S, len(x)), where S > 4.")
        width = cp.where(high > low, high - low, 1)
        unit = cp.clip((given - low) / width, 0, 1)
    if x0 is not None:
        start = as_device(x0).astype(np.float64)
        if bool(cp.any((start < low) | (start > high))):
            raise ValueError("Some entries in x0 lay outside the specified bounds")
        unit[0] = (start - low) / cp.where(high > low, high - low, 1)
    return unit


def _trials(strategy: Any, generator: Any, population: ndarray, best: ndarray, f: float, crossover: float) -> ndarray:
    members, n = population.shape
    if callable(strategy):
        rows = [as_values(strategy(i, population, generator)) for i in range(members)]
        return cp.stack(rows).astype(np.float64)
    kind, mixing = strategy[:-3], strategy[-3:]
    # For each member five others, all different: the first places of a random order that has itself last.
    if members <= 2048:
        keys = generator.uniform(size=(members, members))
        keys = cp.where(cp.eye(members, dtype=bool), 2.0, keys)
        others = cp.argsort(keys, axis=1)[:, :5]
    else:
        offsets = cp.cumsum(generator.integers(1, members // 6, (members, 5)), axis=1)
        others = (cp.arange(members)[:, None] + offsets) % members
    r = [population[others[:, j]] for j in range(min(5, members - 1))]
    r += [r[-1]] * (5 - len(r))
    if kind == "best1":
        mutant = best + f * (r[0] - r[1])
    elif kind == "rand1":
        mutant = r[0] + f * (r[1] - r[2])
    elif kind == "randtobest1":
        mutant = r[0] + f * (best - r[0]) + f * (r[1] - r[2])
    elif kind == "currenttobest1":
        mutant = population + f * (best - population + r[0] - r[1])
    elif kind == "best2":
        mutant = best + f * (r[0] + r[1] - r[2] - r[3])
    else:
        mutant = r[0] + f * (r[1] + r[2] - r[3] - r[4])
    one = generator.integers(0, n, members)[:, None]
    position = cp.arange(n)[None, :]
    draws = generator.uniform(size=(members, n))
    if mixing == "bin":
        take = (draws < crossover) | (position == one)
    else:
        # A run of variables from a random one on, as long as draws stay below the probability.
        run = 1 + cp.sum(cp.cumprod((draws < crossover).astype(np.int64), axis=1), axis=1)[:, None]
        take = (position - one) % n < run
    return cp.where(take, mutant, population)


def _polish(
    result: OptimizeResult, func: Any, args: Any, low: ndarray, high: ndarray, integers: ndarray, constraints: Any,
    limits: Any, whole: bool | None, polish: Any,
) -> None:  # fmt: skip
    single = func if not whole else (lambda x, *rest: as_values(func(x[:, None], *rest)).reshape(-1)[0])
    fixed = bool(cp.any(integers))
    lower, upper = (cp.where(integers, result.x, v) for v in (low, high)) if fixed else (low, high)
    from ._constraints import Bounds

    if callable(polish):
        found = polish(lambda x: single(x, *args), result.x, bounds=Bounds(lower, upper), constraints=constraints)
    elif limits is None:
        found = minimize(single, result.x, args=args, method="L-BFGS-B", bounds=Bounds(lower, upper))
    else:
        found = minimize(
            single, result.x, args=args, method="SLSQP", bounds=Bounds(lower, upper), constraints=constraints
        )
    result.nfev += found.nfev
    inside = bool(cp.all((found.x <= upper) & (found.x >= lower)))
    if found.fun < result.fun and inside and (limits is None or found.success):
        result.fun, result.x = float(found.fun), found.x
        if "jac" in found:
            result.jac = found.jac
