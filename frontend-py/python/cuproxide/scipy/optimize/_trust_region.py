"""Newton steps within a region of trust: dogleg, truncated conjugate gradients, Krylov spaces, exact."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import to_host
from ..._lib.lending import shielded_if
from ._differences import Objective
from ._results import STATUS, Callback, OptimizeResult, report, unknown_options

Step = tuple[ndarray, bool, float]


def to_boundary(z: ndarray, d: ndarray, radius: float) -> tuple[float, float]:
    """The two steps from `z` along `d` to the sphere, in increasing order."""
    a, b, c = cp.stack([cp.sum(d * d), 2 * cp.sum(z * d), cp.sum(z * z)]).tolist()
    c -= radius**2
    root = math.sqrt(max(0.0, b * b - 4 * a * c))
    q = b + math.copysign(root, b)
    one = -q / (2 * a)
    two = -2 * c / q if q else 0.0
    return min(one, two), max(one, two)


def _model(g: ndarray, hp: ndarray, p: ndarray) -> ndarray:
    """What the quadratic model changes by."""
    return cp.sum(g * p) + 0.5 * cp.sum(p * hp)


def steihaug(g: ndarray, product: Callable[[ndarray], ndarray], radius: float) -> Step:
    """Conjugate gradients that end at the boundary or where the curvature is negative."""
    gnorm = math.sqrt(float(cp.sum(g * g)))
    tolerance = min(0.5, math.sqrt(gnorm)) * gnorm
    z, r, d = cp.zeros_like(g), g, -g
    if gnorm == 0:
        return z, False, 0.0
    rr = gnorm * gnorm
    for _ in range(20 * g.size):
        hd = product(d)
        curvature = float(cp.sum(d * hd))
        if curvature <= 0:
            ends = [z + t * d for t in to_boundary(z, d, radius)]
            values = cp.stack([_model(g, product(p), p) for p in ends]).tolist()
            best = 0 if values[0] < values[1] else 1
            return ends[best], True, values[best]
        alpha = rr / curvature
        new = z + alpha * d
        r_new = r + alpha * hd
        length, size = cp.stack([cp.sum(new * new), cp.sum(r_new * r_new)]).tolist()
        if math.sqrt(length) >= radius or not math.isfinite(length):
            _, t = to_boundary(z, d, radius)
            p = z + t * d
            return p, True, float(_model(g, product(p), p))
        if math.sqrt(size) < tolerance:
            return new, False, float(_model(g, product(new), new))
        d = -r_new + size / rr * d
        z, r, rr = new, r_new, size
    return z, False, float(_model(g, product(z), z))


def exact_small(g: Any, values: Any, radius: float) -> tuple[Any, bool]:
    """The minimum in a ball of a quadratic in the coordinates of its eigenvectors, on the host."""
    least = float(values[0])
    with np.errstate(all="ignore"):
        if least > 0:
            p = -g / values
            if np.linalg.norm(p) <= radius:
                return p, False
    scale = max(float(np.max(np.abs(values))), float(np.linalg.norm(g)) / radius, 1e-300)
    flat = np.abs(values - least) <= 1e-12 * scale
    shift = max(0.0, -least)
    rest = np.where(flat, 0.0, g)
    if np.linalg.norm(g[flat]) <= 1e-12 * np.linalg.norm(g) or not np.any(g):
        # The hard case: a step to the boundary along the eigenvector of the least value.
        with np.errstate(all="ignore"):
            p = np.where(flat, 0.0, -rest / np.where(flat, 1.0, values + shift))
        length = np.linalg.norm(p)
        if length <= radius:
            if least >= 0:
                return p, False
            p = p.copy()
            p[int(np.flatnonzero(flat)[0])] += math.sqrt(max(0.0, radius**2 - length**2))
            return p, True
    low, high = shift, shift + float(np.linalg.norm(g)) / radius
    low = max(low, shift + float(np.linalg.norm(g[flat])) / radius)
    lam = low if low > shift else 0.5 * (low + high)
    for _ in range(100):
        with np.errstate(all="ignore"):
            p = -g / (values + lam)
            length = float(np.linalg.norm(p))
        if not math.isfinite(length) or length > radius:
            low = lam
        else:
            high = lam
        if abs(length - radius) <= 1e-12 * radius:
            break
        slope = float(np.sum(g**2 / (values + lam) ** 3)) if math.isfinite(length) else math.nan
        new = lam + (length - radius) / radius * length * length / slope if slope else math.nan
        lam = new if math.isfinite(new) and low < new < high else 0.5 * (low + high)
        if high - low <= 1e-15 * max(high, 1e-300):
            break
    return -g / (values + lam), True


def exact(g: ndarray, matrix: ndarray, radius: float) -> Step:
    """The exact step, by the eigenvectors of the Hessian."""
    values, vectors = cp.linalg.eigh(matrix)
    n = g.size
    both = to_host(cp.concatenate([values, vectors.T @ g]))
    p, boundary = exact_small(both[n:], both[:n], radius)
    step = vectors @ cp.asarray(p, dtype=g.dtype)
    return step, boundary, float(both[n:] @ p + 0.5 * np.sum(both[:n] * p * p))


def krylov(g: ndarray, product: Callable[[ndarray], ndarray], radius: float, inexact: bool = True) -> Step:
    """The exact step in the Krylov space of gradient and Hessian (Gould, Lucidi, Roma, Toint, 1999)."""
    gnorm = math.sqrt(float(cp.sum(g * g)))
    if gnorm == 0:
        return cp.zeros_like(g), False, 0.0
    tolerance = min(0.5, math.sqrt(gnorm)) * gnorm if inexact else 1e-10 * gnorm
    q = g / gnorm
    basis, diagonal = [q], []
    side: list[Any] = []
    n = g.size
    p, boundary, value = np.zeros(1), False, 0.0
    for k in range(min(n, 200)):
        w = product(basis[-1])
        rows = cp.stack(basis)
        overlap = rows @ w
        w = w - overlap @ rows
        # Twice is enough (Kahan).
        again = rows @ w
        w = w - again @ rows
        alpha, beta = cp.stack([overlap[-1] + again[-1], cp.sum(w * w)]).tolist()
        beta = math.sqrt(max(beta, 0.0))
        diagonal.append(alpha)
        small = np.diag(diagonal) + np.diag(side, 1) + np.diag(side, -1)
        values, vectors = np.linalg.eigh(small)
        right = vectors[0] * gnorm
        inner, boundary = exact_small(right, values, radius)
        p = vectors @ inner
        value = float(right @ inner + 0.5 * np.sum(values * inner**2))
        if beta * abs(p[-1]) <= tolerance or beta <= 1e-13 * max(abs(alpha), gnorm) or k == n - 1:
            break
        side.append(beta)
        basis.append(w / beta)
    step = cp.asarray(p, dtype=g.dtype) @ cp.stack(basis[: len(p)])
    return step, boundary, value


def dogleg(g: ndarray, matrix: ndarray, radius: float) -> Step:
    """The path from the steepest descent's minimum to Newton's."""
    factor = cp.linalg.cholesky(matrix)
    newton = cp.linalg.solve(factor.T, cp.linalg.solve(factor, -g))
    bg = matrix @ g
    gg, gbg, nn = cp.stack([cp.sum(g * g), cp.sum(g * bg), cp.sum(newton * newton)]).tolist()
    if math.sqrt(nn) < radius:
        return newton, False, float(_model(g, matrix @ newton, newton))
    cauchy = -(gg / gbg) * g
    length = gg / gbg * math.sqrt(gg)
    if length >= radius:
        p = -g * (radius / math.sqrt(gg))
        return p, True, float(_model(g, matrix @ p, p))
    _, t = to_boundary(cauchy, newton - cauchy, radius)
    p = cauchy + t * (newton - cauchy)
    return p, True, float(_model(g, matrix @ p, p))


def minimize_trust(
    objective: Objective,
    x: ndarray,
    callback: Callback,
    name: str,
    hessp: Any = None,
    initial_trust_radius: float = 1.0,
    max_trust_radius: float = 1000.0,
    eta: float = 0.15,
    gtol: float = 1e-4,
    maxiter: int | None = None,
    disp: bool = False,
    return_all: bool = False,
    inexact: bool = True,
    subproblem_maxiter: Any = None,
    **options: Any,
) -> OptimizeResult:
    """The outer iteration, common to all kinds of steps."""
    options.pop("workers", None)
    unknown_options(options)
    if objective.given_jac is None:
        raise ValueError("Jacobian is currently required for trust-region methods")
    if objective.given_hess is None and hessp is None:
        raise ValueError(
            "Either the Hessian or the Hessian-vector product is currently required for trust-region methods"
        )
    if name in ("dogleg", "trust-exact") and objective.given_hess is None:
        raise ValueError(
            f"Hessian is required for {'dogleg' if name == 'dogleg' else 'trust region exact'} minimization."
        )
    if not 0 <= eta < 0.25:
        raise Exception("invalid acceptance stringency")
    if max_trust_radius <= 0:
        raise Exception("the max trust radius must be positive")
    if initial_trust_radius <= 0:
        raise ValueError("the initial trust radius must be positive")
    if initial_trust_radius >= max_trust_radius:
        raise ValueError("the initial trust radius must be less than the max trust radius")
    hessp = shielded_if(hessp, 2)
    maxiter = x.size * 200 if maxiter is None else maxiter
    radius, k, flag, products = initial_trust_radius, 0, 2, 0
    everything = [x] if return_all else None
    g = objective.gradient(x)
    f, gnorm = objective.read(x, cp.sqrt(cp.sum(g * g)))
    if math.isnan(gnorm):
        raise ValueError("the gradient at x0 must not contain infs or NaNs")
    matrix: Any = None
    while gnorm >= gtol:
        if hessp is None and matrix is None:
            matrix = objective.hessian(x)

        def product(p: ndarray, x: Any = x, matrix: Any = matrix) -> ndarray:
            nonlocal products
            if hessp is None:
                return matrix @ p
            products += 1
            return cp.asarray(hessp(x, p, *objective.args))

        try:
            if name == "dogleg":
                p, boundary, predicted = dogleg(g, matrix, radius)
            elif name == "trust-exact":
                p, boundary, predicted = exact(g, matrix, radius)
            elif name == "trust-krylov":
                p, boundary, predicted = krylov(g, product, radius, inexact)
            else:
                p, boundary, predicted = steihaug(g, product, radius)
        except np.linalg.LinAlgError:
            flag = 3
            break
        proposed = x + p
        f_new = objective(proposed)
        actual, predicted = f - f_new, -predicted
        if not predicted > 0:
            flag = 2
            break
        ratio = actual / predicted if math.isfinite(f_new) else -1.0
        if ratio < 0.25:
            radius *= 0.25
        elif ratio > 0.75 and boundary:
            radius = min(2 * radius, max_trust_radius)
        if ratio > eta:
            x, f, matrix = proposed, f_new, None
            g = objective.gradient(x)
            gnorm = float(cp.sqrt(cp.sum(g * g)))
        if everything is not None:
            everything.append(x)
        k += 1
        if callback(x, f):
            break
        if gnorm < gtol:
            flag = 0
            break
        if k >= maxiter:
            flag = 1
            break
        if radius < 1e-300 or not math.isfinite(gnorm):
            flag = 2
            break
    else:
        flag = 0
    message = (
        STATUS["success"],
        STATUS["maxiter"],
        "A bad approximation caused failure to predict improvement.",
        "A linalg error occurred, such as a non-psd Hessian.",
    )[flag]
    counts = {
        "Current function value": f, "Iterations": k, "Function evaluations": objective.nfev,
        "Gradient evaluations": objective.ngev, "Hessian evaluations": objective.nhev + products,
    }  # fmt: skip
    report(disp, flag, message, counts, RuntimeWarning)
    found = OptimizeResult(
        message=message, success=flag == 0, status=flag, fun=f, x=x, nit=k, jac=g, nfev=objective.nfev,
        njev=objective.ngev, nhev=objective.nhev + products,
    )  # fmt: skip
    if hessp is None:
        found["hess"] = matrix if matrix is not None else objective.hessian(x)
    if everything is not None:
        found["allvecs"] = everything
    return found
