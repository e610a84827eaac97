"""Global minima by sampling, with a local search from each low sample."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib.arguments import to_host
from ._constraints import Constraints, host_bounds
from ._evolution import Columns
from ._minimize import minimize
from ._results import OptimizeResult

__all__ = ["shgo"]

# The dimensions up to which samples of `shgo` are triangulated: simplices grow exponentially with them.
_MOST_TRIANGULATED = 6


def shgo(
    func: Callable[..., Any], bounds: Any, args: Any = (), constraints: Any = None, n: int | None = 100, iters: int = 1,
    callback: Any = None, minimizer_kwargs: dict[str, Any] | None = None, options: dict[str, Any] | None = None,
    sampling_method: Any = "simplicial", *, workers: Any = 1,
) -> OptimizeResult:  # fmt: skip
    """All minima of a function within bounds that a sampling tells apart, by local searches from each.

    Samples lower than their neighbours begin a search. Neighbours are those of a Delaunay triangulation of sequences;
    of 'simplicial', for which SciPy's function refines a complex, they are the nearest samples.

    Parameters
    ----------
    func : callable
        `func(x, *args)` of an array of shape `(n,)`.
    n : int, optional
        The samples of an iteration.
    iters : int, optional
        The iterations.
    callback : callable, optional
        `callback(x)` after each iteration.
    minimizer_kwargs : dict, optional
        Arguments of `minimize`, by default 'SLSQP'.
    options : dict, optional
        `f_min`, `f_tol`, `maxfev`, `minimize_every_iter`, `local_iter`, `disp`.
    sampling_method : str or callable, optional
        'simplicial', 'halton', 'sobol', or `sampling_method(n, d)`.

    Returns
    -------
    OptimizeResult
        With `x`, `fun`, `xl` and `funl` (all minima, the best first), `success`, `message`, `nfev`, `nlfev`, `nljev`,
        `nit`.

    Raises
    ------
    ValueError
        If the bounds or the sampling method are wrong.

    >>> res = optimize.shgo(lambda x: (x[0] ** 2 - 1) ** 2 + 0.1 * x[0], [(-2, 2)], n=32)
    >>> res.xl.round(2).ravel()
    array([-1.01,  0.99])
    """
    low, high = host_bounds(bounds)
    low, high = np.maximum(low, -1e50), np.minimum(high, 1e50)
    if np.any(low > high):
        raise ValueError(f"Error: lb > ub in bounds {', '.join(map(str, np.flatnonzero(low > high)))}.")
    if isinstance(sampling_method, str) and sampling_method not in ("simplicial", "halton", "sobol"):
        raise ValueError(f"Unknown sampling_method specified: {sampling_method}")
    options = dict(options or {})
    dim = low.size
    args = args if isinstance(args, tuple) else (args,)
    local = {"method": "SLSQP", "bounds": list(zip(low.tolist(), high.tolist(), strict=True))}
    local |= dict(minimizer_kwargs or {})
    none = constraints is None or (isinstance(constraints, (list, tuple)) and not constraints)
    if not none and local["method"] in ("SLSQP", "COBYLA", "COBYQA", "trust-constr"):
        local["constraints"] = constraints
    middle = cp.asarray(0.5 * (low + high))
    limits = None if none else Constraints(constraints, middle)
    function = Columns(func, args, None)
    samples = np.zeros((0, dim))
    values = np.zeros(0)
    minima: list[tuple[float, Any]] = []
    counts = {"nfev": 0, "njev": 0, "nhev": 0}
    iterations = 0
    if n is None:
        # SciPy's: as many as a simplex has corners, or the Sobol points of its default.
        n = 128 if sampling_method == "sobol" else 2**dim + 1 if sampling_method == "simplicial" else 100
    if n is None:
        # As in SciPy: the corners of the box and its middle, or 128 points.
        n = 2**dim + 1 if sampling_method == "simplicial" else 128
    if sampling_method == "sobol":
        n = 1 << max(0, n - 1).bit_length()
    draw = _sampler(sampling_method, dim)
    for iterations in range(1, max(1, iters) + 1):  # noqa: B007
        unit = draw(n)
        new = low + unit * (high - low)
        if limits is not None:
            keep = []
            for row in new:
                eq, ineq = limits.values(cp.asarray(row))
                keep.append(
                    cp.all(ineq >= -1e-9) & (cp.all(abs(eq) < 1e-2 * (1 + float(np.max(np.abs(row))))) | (eq.size > 0))
                )
            new = new[to_host(cp.stack(keep))]
        if not len(new):
            continue
        found = to_host(function(cp.asarray(new.T)))
        samples = np.concatenate([samples, new])
        values = np.concatenate([values, np.where(np.isnan(found), np.inf, found)])
        for index in _lowest_among_neighbours(samples, values, (low, high), sampling_method != "simplicial"):
            if any(np.linalg.norm((samples[index] - x) / np.maximum(high - low, 1e-300)) < 1e-6 for _, x in minima):
                continue
            res = minimize(func, cp.asarray(samples[index]), args=args, **local)
            for name in counts:
                counts[name] += res.get(name, 0) or 0
            x, f = to_host(res.x).astype(float), float(res.fun)
            feasible = True
            if limits is not None:
                eq, ineq = limits.values(res.x)
                feasible = bool(cp.all(abs(eq) < 1e-5) & cp.all(ineq > -1e-5))
            apart = all(np.linalg.norm((x - y) / np.maximum(high - low, 1e-300)) > 1e-4 for _, y in minima)
            if math.isfinite(f) and feasible and apart:
                minima.append((f, x))
            if "maxfev" in options and function.calls + counts["nfev"] >= options["maxfev"]:
                break
        if callback is not None and minima:
            callback(cp.asarray(min(minima, key=lambda m: m[0])[1]))
        if "f_min" in options and minima:
            best = min(minima, key=lambda m: m[0])[0]
            if best <= options["f_min"] + abs(options["f_min"]) * options.get("f_tol", 1e-4):
                break
    common = {
        "nfev": function.calls + counts["nfev"], "nlfev": counts["nfev"], "nljev": counts["njev"],
        "nlhev": counts["nhev"], "nit": iterations,
    }  # fmt: skip
    if not minima:
        return OptimizeResult(
            x=None, fun=None, success=False, xl=None, funl=[],
            message="Failed to find a feasible minimizer point. Lowest sampling point = "
            + str(None if not values.size else float(np.min(values))),
            **common,
        )  # fmt: skip
    minima.sort(key=lambda m: m[0])
    return OptimizeResult(
        x=cp.asarray(minima[0][1]), fun=minima[0][0], success=True, message="Optimization terminated successfully.",
        xl=cp.asarray(np.array([x for _, x in minima])), funl=cp.asarray(np.array([f for f, _ in minima])), **common,
    )  # fmt: skip


def _sampler(method: Any, dim: int) -> Callable[[int], Any]:
    """What gives the next points of the unit cube: those of a sequence, after the corners and the middle if
    'simplicial'."""
    from ..stats import qmc

    if callable(method):
        return lambda n: np.asarray(to_host(method(n, dim)))
    engine = (qmc.Sobol if method == "sobol" else qmc.Halton)(dim, scramble=False)
    if method != "simplicial":
        return lambda n: to_host(engine.random(n))
    engine.fast_forward(1)
    first = [np.array(list(itertools.product((0.0, 1.0), repeat=dim))), np.full((1, dim), 0.5)] if dim < 16 else []

    def with_corners(n: int) -> Any:
        ahead = [first.pop(0) for _ in range(len(first))] if first and len(first[0]) <= n else []
        return np.concatenate([*ahead, to_host(engine.random(n))])

    return with_corners


def _lowest_among_neighbours(samples: Any, values: Any, bounds: Any, triangulated: bool) -> list[int]:
    """The samples that are not higher than their neighbours, the lowest first."""
    count, dim = samples.shape
    if triangulated and count > dim + 1 and dim <= _MOST_TRIANGULATED:
        return _lowest_of_simplices(samples / np.maximum(bounds[1] - bounds[0], 1e-300), values)
    if count == 1:
        return [0] if np.isfinite(values[0]) else []
    scaled = cp.asarray(samples / np.maximum(bounds[1] - bounds[0], 1e-300))
    square = cp.sum(scaled**2, axis=1)
    distance = square[:, None] + square[None, :] - 2 * scaled @ scaled.T
    distance = distance + cp.diag(cp.full(count, np.inf))
    nearest = to_host(cp.argsort(distance, axis=1)[:, : min(count - 1, 2 * dim + 1)])
    low = [i for i in range(count) if np.isfinite(values[i]) and np.all(values[i] <= values[nearest[i]])]
    return sorted(low, key=lambda i: values[i])


def _lowest_of_simplices(samples: Any, values: Any) -> list[int]:
    """The samples that are not higher than what shares a simplex of the Delaunay triangulation with them."""
    from ..spatial import Delaunay

    if samples.shape[1] == 1:
        order = np.argsort(samples[:, 0])
        simplices = np.stack([order[:-1], order[1:]], axis=1)
    else:
        simplices = to_host(Delaunay(cp.asarray(samples)).simplices)
    least = np.full(len(values), np.inf)
    np.minimum.at(least, simplices, values[simplices].min(axis=1)[:, None])
    low = np.flatnonzero(np.isfinite(values) & (values <= least))
    return low[np.argsort(values[low], kind="stable")].tolist()
