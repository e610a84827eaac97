"""Global minima: annealing, basin hopping, dividing rectangles, grids."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, is_integer, to_host
from ..._lib.generators import host_generator
from ._constraints import host_bounds
from ._differences import Objective
from ._evolution import Columns
from ._minimize import minimize, start_of
from ._results import OptimizeResult

__all__ = ["basinhopping", "brute", "direct", "dual_annealing"]


def dual_annealing(
    func: Callable[..., Any],
    bounds: Any,
    args: Any = (),
    maxiter: int = 1000,
    minimizer_kwargs: dict[str, Any] | None = None,
    initial_temp: float = 5230.0,
    restart_temp_ratio: float = 2e-5,
    visit: float = 2.62,
    accept: float = -5.0,
    maxfun: float = 1e7,
    rng: Any = None,
    no_local_search: bool = False,
    callback: Any = None,
    x0: Any = None,
    *,
    seed: Any = None,
) -> OptimizeResult:
    """The minimum of a function within bounds, by generalised annealing with local searches (Tsallis and Stariolo).

    Parameters
    ----------
    maxiter : int, optional
        The most iterations, of `2 n` visits each.
    minimizer_kwargs : dict, optional
        Arguments of `minimize` for the local searches, by default 'L-BFGS-B'.
    initial_temp, restart_temp_ratio, visit, accept : float, optional
        The first temperature, when to restart, and the parameters of the distributions of visits and acceptance.
    maxfun : int, optional
        The most evaluations.
    no_local_search : bool, optional
        Whether to anneal only.
    callback : callable, optional
        `callback(x, f, context)` for each new minimum; True ends the search.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `status`, `message`, `nit`, `nfev`, `njev`, `nhev`.

    Raises
    ------
    ValueError
        If an argument is wrong.

    >>> from cuproxide.scipy import optimize
    >>> def rastrigin(x):
    ...     return cp.sum(x * x - 10 * cp.cos(2 * np.pi * x)) + 10 * x.size
    >>> bool(optimize.dual_annealing(rastrigin, [(-5.12, 5.12)] * 2, maxiter=50, rng=1).fun < 1e-6)
    True
    """
    low, high = host_bounds(bounds)
    if x0 is not None and len(as_device(x0)) != low.size:
        raise ValueError("Bounds size does not match x0")
    if not 0.0 < restart_temp_ratio < 1.0:
        raise ValueError("Restart temperature ratio has to be in range (0, 1)")
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        raise ValueError("Some bounds values are inf values or nan values")
    if not np.all(low < high):
        raise ValueError("Bounds are not consistent 'min' < 'max'")
    if not 0.01 < initial_temp <= 5e4:
        raise ValueError("The parameter 'initial_temp' must be in (0.01, 5.e4].")
    if not 1 < visit <= 3:
        raise ValueError("The parameter 'visit' must be in (1.0, 3.0].")
    if not -1e4 < accept <= -5:
        raise ValueError("The parameter 'accept' must be in (-1e4, -5.0].")
    generator = host_generator(rng, seed)
    args = args if isinstance(args, tuple) else (args,)
    n, width = low.size, high - low
    objective = Objective(func, cp.zeros(1), args)
    local = {"method": "L-BFGS-B"} | dict(minimizer_kwargs or {})
    if "bounds" not in local and local["method"] in ("L-BFGS-B", "TNC", "SLSQP", "Powell", "Nelder-Mead"):
        local["bounds"] = list(zip(low.tolist(), high.tolist(), strict=True))
    local.setdefault("options", {"maxiter": min(max(n * 6, 100), 1000)})
    counts = {"njev": 0, "nhev": 0, "nfev": 0}

    def value(x: Any) -> float:
        found = float(objective._call(cp.asarray(x)))
        return found if math.isfinite(found) else 1e300

    current = low + width * generator.uniform(size=n) if x0 is None else to_host(as_device(x0)).astype(float)
    energy = value(current)
    tries = 0
    while energy >= 1e300 and tries < 1000:
        current, tries = low + width * generator.uniform(size=n), tries + 1
        energy = value(current)
    if energy >= 1e300:
        raise ValueError(
            "Stopping algorithm because function create NaN or (+/-) infinity values even with trying new random parameters"  # noqa: E501
        )
    best, best_energy = current.copy(), energy
    message = ["Maximum number of iteration reached"]
    stopped = exhausted = False

    def tell(context: int) -> bool:
        return callback is not None and bool(callback(cp.asarray(best), best_energy, context))

    def search(x: Any, e: float) -> tuple[Any, float]:
        found = minimize(func, cp.asarray(np.clip(x, low, high)), args=args, **local)
        counts["nfev"] += found.get("nfev", 0)
        counts["njev"] += found.get("njev", 0)
        counts["nhev"] += found.get("nhev", 0)
        point = to_host(found.x).astype(float)
        inside = np.all(np.isfinite(point) & (point >= low) & (point <= high))
        return (point, float(found.fun)) if math.isfinite(found.fun) and inside and found.fun < e else (x, e)

    factor1 = math.exp((visit - 1) * math.log(2.0)) - 1.0

    def visits(temperature: float, size: int) -> Any:
        """Steps of the distorted Cauchy and Lorentz distribution."""
        x, y = generator.normal(size=size), generator.normal(size=size)
        f1 = math.exp(math.log(temperature) / (visit - 1.0))
        f2 = math.exp((4.0 - visit) * math.log(visit - 1.0))
        f3 = math.exp((2.0 - visit) * math.log(2.0) / (visit - 1.0))
        f4 = math.sqrt(math.pi) * f1 * f2 / (f3 * (3.0 - visit)) if visit < 3 else 1.0
        f5 = 1.0 / (visit - 1.0) - 0.5
        d1 = 2.0 - f5
        f6 = math.pi * (1.0 - f5) / math.sin(math.pi * (1.0 - f5)) / math.exp(math.lgamma(d1))
        sigma = math.exp(-(visit - 1.0) * math.log(f6 / f4) / (3.0 - visit)) if visit < 3 else 1.0
        den = np.exp((visit - 1.0) * np.log(np.abs(y)) / (3.0 - visit)) if visit < 3 else np.abs(y)
        return np.clip(sigma * x / den, -1e8, 1e8)

    iteration = 0
    k = 0
    limit = initial_temp * restart_temp_ratio
    if not no_local_search:
        current, energy = search(current, energy)
        if energy < best_energy:
            best, best_energy = current.copy(), energy
            stopped = tell(0)
    while iteration < maxiter and not stopped:
        k += 1
        temperature = initial_temp * factor1 / (math.exp((visit - 1) * math.log(k + 1.0)) - 1.0)
        if temperature < limit:
            k = 0
            current = low + width * generator.uniform(size=n)
            energy = value(current)
            continue
        improved = False
        for j in range(2 * n):
            trial = current.copy()
            if j < n:
                trial = trial + visits(temperature, n)
            else:
                trial[j - n] += visits(temperature, 1)[0]
            trial = low + np.mod(np.mod(trial - low, width) + width, width)
            e = value(trial)
            if e < energy:
                current, energy = trial, e
                if e < best_energy:
                    best, best_energy, improved = trial.copy(), e, True
                    if tell(0):
                        stopped = True
            else:
                pq = 1.0 - (1.0 - accept) * (e - energy) / (temperature / k)
                chance = 0.0 if pq <= 0 else math.exp(math.log(pq) / (1.0 - accept))
                if generator.uniform() <= chance:
                    current, energy = trial, e
            if objective.nfev + counts["nfev"] >= maxfun:
                message = ["Maximum number of function call reached during annealing"]
                stopped = exhausted = True
            if stopped:
                break
        if not no_local_search and not stopped:
            worth = improved or generator.uniform() < 0.05
            if worth:
                x, e = search(best if improved else current, best_energy if improved else energy)
                if e < best_energy:
                    best, best_energy = np.array(x), e
                    current, energy = np.array(x), e
                    if tell(1):
                        stopped = True
                        message = ["callback function requested to stop early"]
        iteration += 1
    if callback is not None and stopped and message[0].startswith("Maximum number of iteration"):
        message = ["Callback function requested to stop early by returning True"]
    nfev = objective.nfev + counts["nfev"]
    return OptimizeResult(
        x=cp.asarray(best),
        fun=best_energy,
        nit=iteration,
        nfev=nfev,
        njev=counts["njev"],
        nhev=counts["nhev"],
        status=0,
        success=not exhausted,
        message=message,
    )


def basinhopping(
    func: Callable[..., Any],
    x0: Any,
    niter: int = 100,
    T: float = 1.0,
    stepsize: float = 0.5,
    minimizer_kwargs: dict[str, Any] | None = None,
    take_step: Any = None,
    accept_test: Any = None,
    callback: Any = None,
    interval: int = 50,
    disp: bool = False,
    niter_success: int | None = None,
    rng: Any = None,
    *,
    target_accept_rate: float = 0.5,
    stepwise_factor: float = 0.9,
    seed: Any = None,
) -> OptimizeResult:
    """The minimum of a function by local searches from random steps, accepted as in a Metropolis walk.

    Parameters
    ----------
    func : callable
        `func(x)` of an array of shape `(n,)`.
    niter : int, optional
        The number of steps.
    T : float, optional
        The temperature.
    stepsize : float, optional
        The first size of the steps, adapted every `interval` steps to accept half of them.
    minimizer_kwargs : dict, optional
        Arguments of `minimize`.
    take_step, accept_test, callback : callable, optional
        What makes a step, `accept_test(f_new=, x_new=, f_old=, x_old=)`, and `callback(x, f, accept)`.
    disp : bool, optional
        Whether to print each step.
    niter_success : int, optional
        After how many steps without a better minimum to end.
    target_accept_rate, stepwise_factor : float, optional
        How the size of the steps adapts.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `message`, `nit`, `nfev`, `njev`, `nhev`, `minimization_failures`,
        `lowest_optimization_result`.

    Raises
    ------
    ValueError
        If a rate or factor is not between 0 and 1.

    >>> f = lambda x: cp.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]
    >>> optimize.basinhopping(f, [1.0], niter=50, rng=0).x.round(3)
    array([-0.195])
    """
    if not 0.0 < target_accept_rate < 1.0:
        raise ValueError("target_accept_rate has to be in range (0, 1)")
    if not 0.0 < stepwise_factor < 1.0:
        raise ValueError("stepwise_factor has to be in range (0, 1)")
    generator = host_generator(rng, seed)
    options = dict(minimizer_kwargs or {})
    x = start_of(x0)
    counts: dict[str, int] = {}

    def search(x: ndarray) -> OptimizeResult:
        found = minimize(func, x, **options)
        for name in ("nfev", "njev", "nhev"):
            if name in found:
                counts[name] = counts.get(name, 0) + (found[name] or 0)
        return found

    if take_step is not None and not callable(take_step):
        raise TypeError("take_step must be callable")
    if accept_test is not None and not callable(accept_test):
        raise TypeError("accept_test must be callable")
    adaptive = take_step is None or hasattr(take_step, "stepsize")
    size = stepsize if take_step is None else getattr(take_step, "stepsize", stepsize)
    found = search(x)
    failures = int(not found.success)
    if not found.success and disp:
        print("warning: basinhopping: local minimization failure")
    x, f = found.x, float(found.fun)
    lowest = found
    if callback is not None and callback(x.copy(), f, True):
        return _hops(lowest, ["callback function requested stop early by returning True"], 0, failures, counts, True)
    accepted = tried = same = steps = 0
    message = ["requested number of basinhopping iterations completed successfully"]
    niter_success = niter + 2 if niter_success is None else niter_success
    for step in range(niter):
        if take_step is None:
            trial = x + cp.asarray(generator.uniform(-size, size, x.size), dtype=x.dtype)
        else:
            trial = as_device(take_step(x.copy()))
        found = search(trial)
        steps += 1
        failures += not found.success
        new, f_new = found.x, float(found.fun)
        better = f_new < f or (math.isnan(f) and not math.isnan(f_new))
        chance = 1.0 if better else math.exp(min(0.0, -(f_new - f) / T)) if T > 0 and math.isfinite(f_new) else 0.0
        take: Any = chance >= generator.uniform() and (bool(found.success) or not lowest.success)
        if accept_test is not None:
            verdict = accept_test(f_new=f_new, x_new=new.copy(), f_old=f, x_old=x.copy())
            take = True if verdict == "force accept" else bool(verdict) and take
        tried += 1
        accepted += bool(take)
        if take:
            x, f = new, f_new
        improved = bool(take) and (f_new < lowest.fun) and (found.success or not lowest.success)
        if improved:
            lowest, same = found, 0
        else:
            same += 1
        if disp:
            print(f"basinhopping step {step}: f {f:g} trial_f {f_new:g} accepted {int(take)} lowest_f {lowest.fun:g}")
        if callback is not None and callback(new.copy(), f_new, bool(take)):
            message = ["callback function requested stop early by returning True"]
            break
        if same > niter_success:
            message = ["success condition satisfied"]
            break
        if adaptive and tried % interval == 0:
            size = size / stepwise_factor if accepted / tried > target_accept_rate else size * stepwise_factor
            if take_step is not None:
                take_step.stepsize = size
    return _hops(lowest, message, steps, failures, counts, bool(lowest.success))


def _hops(
    lowest: OptimizeResult, message: list[str], steps: int, failures: int, counts: dict[str, int], success: bool
) -> OptimizeResult:
    return OptimizeResult(
        message=message,
        success=success,
        fun=lowest.fun,
        x=lowest.x,
        nit=steps,
        minimization_failures=failures,
        **counts,
        lowest_optimization_result=lowest,
    )


def brute(
    func: Callable[..., Any], ranges: Any, args: Any = (), Ns: int = 20, full_output: int = 0, finish: Any = ...,
    disp: bool = False, workers: Any = 1,
) -> Any:  # fmt: skip
    """The minimum of a function over a grid, refined by a local search.

    A function that takes an array of shape `(n, points)` is called once for the whole grid.

    Parameters
    ----------
    ranges : tuple
        For each variable a slice with its step, or two ends.
    Ns : int, optional
        The number of points between two ends.
    full_output : bool, optional
        Whether to return the value, the grid and the values on it.
    finish : callable or None, optional
        The local search, by default `fmin`.
    disp : bool, optional
        Whether to report that it failed.

    Returns
    -------
    x0 : ndarray
        Where the minimum is.
    fval, grid, Jout
        With `full_output`.

    Raises
    ------
    ValueError
        If there are more than 40 variables.

    >>> optimize.brute(lambda x: (x[0] - 1) ** 2 + x[1] ** 2, (slice(-2, 2, 0.25), slice(-2, 2, 0.25)), finish=None)
    array([1., 0.])
    """
    from ._legacy import fmin

    finish = fmin if finish is ... else finish
    ranges = list(ranges)
    n = len(ranges)
    if n > 40:
        raise ValueError("Brute Force not possible with more than 40 variables.")
    axes = []
    for item in ranges:
        if isinstance(item, slice):
            step = 1.0 if item.step is None else item.step
            if isinstance(step, complex):
                axes.append(np.linspace(item.start, item.stop, int(abs(step))))
            else:
                count = max(0, math.ceil((item.stop - item.start) / step))
                axes.append(item.start + step * np.arange(count))
        else:
            low, high, *rest = tuple(item)
            if rest:
                axes.append(low + rest[0] * np.arange(max(0, math.ceil((high - low) / rest[0]))))
            else:
                axes.append(np.linspace(low, high, Ns))
    args = args if isinstance(args, tuple) else (args,)
    grid = cp.stack(cp.meshgrid(*(cp.asarray(a.astype(float)) for a in axes), indexing="ij"))
    shape = grid.shape[1:]
    function = Columns(func, args, None)
    if n == 1:
        # SciPy hands numbers to functions of one variable.
        single = Columns(lambda x, *rest: func(x[0] if x.shape[0] == 1 else x, *rest), args, None)
        function = single
    values = function(grid.reshape(n, -1)).reshape(shape)
    position = int(cp.argmin(values.reshape(-1)))
    x = grid.reshape(n, -1)[:, position]
    value = float(values.reshape(-1)[position])
    if callable(finish):
        import inspect

        names = inspect.signature(finish).parameters
        keywords: dict[str, Any] = {"full_output": 1} if "full_output" in names else {}
        if "disp" in names:
            keywords["disp"] = disp
        elif "options" in names:
            keywords["options"] = {"disp": disp}
        found = finish(func, x, args=args, **keywords)
        if isinstance(found, OptimizeResult):
            x, value, good = found.x, found.fun, found.success
        else:
            x, value, good = found[0], found[1], found[-1] == 0
        if not good and disp:
            warnings.warn(
                "Either final optimization did not succeed or `finish` does not return `statuscode` as its last argument.",  # noqa: E501
                RuntimeWarning,
                stacklevel=2,
            )  # noqa: E501
    if n == 1:
        grid = grid[0]
        x = x.reshape(-1)[0] if isinstance(x, ndarray) else x
    return (x, value, grid, values) if full_output else x


_DIRECT = {
    1: "Number of function evaluations done is larger than maxfun={maxfun}",
    2: "Number of iterations is larger than maxiter={maxiter}",
    3: "The best function value found is within a relative error={f_min_rtol} of the (known) global optimum f_min={f_min}",  # noqa: E501
    4: "The volume of the hyperrectangle containing the lowest function value found is below vol_tol={vol_tol}",
    5: "The side length measure of the hyperrectangle containing the lowest function value found is below len_tol={len_tol}",  # noqa: E501
    -3: "Initialization failed",
}


def direct(
    func: Callable[..., Any],
    bounds: Any,
    *,
    args: Any = (),
    eps: float = 1e-4,
    maxfun: int | None = None,
    maxiter: int = 1000,
    locally_biased: bool = True,
    f_min: float = -np.inf,
    f_min_rtol: float = 1e-4,
    vol_tol: float = 1e-16,
    len_tol: float = 1e-6,
    callback: Any = None,
) -> OptimizeResult:
    """The minimum of a function within bounds by dividing rectangles (Jones; with local bias Gablonsky).

    The centres of an iteration are evaluated together, in one call if the function takes an array of shape `(n,
    points)`.

    Parameters
    ----------
    eps : float, optional
        How much better than the best a rectangle must promise to be.
    maxfun, maxiter : int, optional
        The most evaluations (1000 n) and iterations.
    locally_biased : bool, optional
        Whether one rectangle of each size is divided, and sizes are longest sides.
    f_min, f_min_rtol : float, optional
        A known minimum, and how near is near enough.
    vol_tol, len_tol : float, optional
        The volume and side at which the best rectangle is small enough.
    callback : callable, optional
        `callback(x)` after each iteration.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `success`, `status`, `message`, `nit`, `nfev`.

    Raises
    ------
    ValueError
        If an argument is out of its range.

    >>> res = optimize.direct(lambda x: (x[0] - 1) ** 2 + (x[1] + 0.5) ** 2, [(-4, 4), (-4, 4)])
    >>> res.x.round(2)
    array([ 1. , -0.5])
    """
    if not hasattr(bounds, "lb") and not hasattr(bounds, "__len__"):
        raise ValueError(f"bounds must be a sequence or an instance of Bounds, got {bounds!r}")
    low, high = host_bounds(bounds)
    if np.any(low >= high):
        raise ValueError("Bounds are not consistent min < max")
    if not np.all(np.isfinite(low) & np.isfinite(high)):
        raise ValueError("Bounds must not be inf.")
    for value, name in ((vol_tol, "vol_tol"), (len_tol, "len_tol"), (f_min_rtol, "f_min_rtol")):
        if value < 0 or value > 1:
            raise ValueError(f"{name} must be between 0 and 1.")
    n = low.size
    maxfun = 1000 * n if maxfun is None else maxfun
    if not is_integer(maxfun):
        raise ValueError("maxfun must be of type int.")
    if maxfun < 0:
        raise ValueError("maxfun must be > 0.")
    if not is_integer(maxiter):
        raise ValueError("maxiter must be of type int.")
    if maxiter < 0:
        raise ValueError("maxiter must be > 0.")
    if not isinstance(locally_biased, (bool, np.bool)):
        raise ValueError(f"locally_biased must be True or False, got {locally_biased!r}")
    args = args if isinstance(args, tuple) else (args,)
    function = Columns(func, args, None)
    width = high - low

    def evaluate(unit: Any) -> Any:
        values = to_host(function(cp.asarray((low + unit * width).T)))
        return np.where(np.isfinite(values), values, 1e300)

    centres = np.full((1, n), 0.5)
    levels = np.zeros((1, n), int)
    values = evaluate(centres)
    iteration, status = 0, 2
    while True:
        best = int(np.argmin(values))
        sides = 3.0**-levels
        if math.isfinite(f_min) and (values[best] - f_min) / max(1.0, abs(f_min)) <= f_min_rtol:
            status = 3
            break
        if np.prod(sides[best]) <= vol_tol:
            status = 4
            break
        length = np.max(sides[best]) / 2 if locally_biased else np.linalg.norm(sides[best]) / 2
        if length <= len_tol:
            status = 5
            break
        if function.calls >= maxfun:
            status = 1
            break
        if iteration >= maxiter:
            break
        iteration += 1
        sizes = np.max(sides, axis=1) if locally_biased else np.linalg.norm(sides, axis=1)
        chosen = _potential(np.round(sizes, 14), values, float(values[best]), eps, locally_biased)
        # All divisions of the iteration are sampled together.
        samples, plans = [], []
        for index in chosen:
            longest = np.flatnonzero(levels[index] == levels[index].min())
            step = 3.0 ** -(levels[index].min() + 1)
            for axis in longest:
                for sign in (1, -1):
                    point = centres[index].copy()
                    point[axis] += sign * step
                    samples.append(point)
            plans.append((index, longest))
        found = evaluate(np.array(samples))
        at = 0
        new_centres, new_levels, new_values = [], [], []
        for index, longest in plans:
            count = 2 * longest.size
            points, got = samples[at : at + count], found[at : at + count].reshape(-1, 2)
            at += count
            # The axis with the best values keeps the largest rectangles.
            for axis in np.argsort(got.min(axis=1), kind="stable"):
                levels[index, longest[axis]] += 1
                for side in range(2):
                    new_centres.append(points[2 * axis + side])
                    new_levels.append(levels[index].copy())
                    new_values.append(got[axis, side])
        centres = np.concatenate([centres, new_centres])
        levels = np.concatenate([levels, new_levels])
        values = np.concatenate([values, new_values])
        if callback is not None:
            best = int(np.argmin(values))
            callback(cp.asarray(low + centres[best] * width))
    best = int(np.argmin(values))
    message = _DIRECT[status].format(
        maxfun=maxfun, maxiter=maxiter, f_min=f_min, f_min_rtol=f_min_rtol, vol_tol=vol_tol, len_tol=len_tol
    )
    return OptimizeResult(
        x=cp.asarray(low + centres[best] * width), fun=float(values[best]), status=status, success=status > 2,
        message=message, nfev=function.calls, nit=iteration,
    )  # fmt: skip


def _potential(sizes: Any, values: Any, best: float, eps: float, one: bool) -> list[int]:
    """Rectangles that are best for some bound of the slope: the lower right hull of values over sizes."""
    kinds = np.unique(sizes)
    lowest = []
    for size in kinds:
        members = np.flatnonzero(sizes == size)
        least = values[members].min()
        lowest.append((size, least, members[values[members] == least]))
    hull: list[Any] = []
    for item in lowest:
        while len(hull) >= 2:
            (s1, f1, _), (s2, f2, _) = hull[-2], hull[-1]
            if (f2 - f1) * (item[0] - s1) >= (item[1] - f1) * (s2 - s1):
                hull.pop()
            else:
                break
        hull.append(item)
    # From the lowest value on, to the right.
    start = min(range(len(hull)), key=lambda i: (hull[i][1], -hull[i][0]))
    chosen: list[int] = []
    for i in range(start, len(hull)):
        size, value, members = hull[i]
        if i + 1 < len(hull):
            slope = (hull[i + 1][1] - value) / (hull[i + 1][0] - size)
            if value - slope * size > best - eps * abs(best):
                continue
        chosen += [int(members[0])] if one else members.tolist()
    return chosen
