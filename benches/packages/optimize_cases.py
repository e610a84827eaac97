"""Rows of `scipy.optimize`: minima, fits, programs, assignments."""

from __future__ import annotations

from typing import Any

import numpy
from suite import Case


def model(xp: Any) -> Any:
    """A decaying wave with four parameters."""
    return lambda x, a, b, c, d: a * xp.exp(-b * x) * xp.cos(c * x) + d


def fits(xp: Any, sp: Any, x: Any, y: Any) -> Any:
    """Many fits: together where the library can, else one after another."""
    start = xp.asarray([1.0, 0.8, 2.0, 0.0])
    if xp is numpy:
        return [sp.optimize.curve_fit(model(xp), x, row, start)[0] for row in y]
    return sp.optimize.curve_fit(model(xp), x, y, start, batch=True)[0]


def waves(problems: int) -> Any:
    """Data sets of that model with noise."""

    def operands(random: Any) -> tuple[Any, ...]:
        x = numpy.linspace(0, 4, 100)
        scales = [(0.8, 1.2), (0.7, 0.9), (1.9, 2.1), (-0.1, 0.1)]
        a, b, c, d = (random.uniform(low, high, (problems, 1)) for low, high in scales)
        return x, model(numpy)(x, a, b, c, d) + 0.01 * random.standard_normal((problems, 100))

    return operands


def chain(xp: Any, sp: Any, x: Any) -> Any:
    """Thirty iterations on Rosenbrock's chain."""
    o = sp.optimize
    return o.minimize(o.rosen, x, jac=o.rosen_der, method="L-BFGS-B", options={"maxiter": 30}).x


def rastrigin(xp: Any) -> Any:
    """A function with many minima."""
    return lambda x: xp.sum(x * x - 10 * xp.cos(2 * numpy.pi * x), axis=0) + 10 * x.shape[0]


def program(size: int) -> Any:
    """A feasible sparse program: ten entries a row."""

    def operands(random: Any) -> tuple[Any, ...]:
        columns = random.integers(0, size, (size, 10))
        values = random.standard_normal((size, 10))
        point = random.uniform(0, 1, size)
        b = (values * point[columns]).sum(axis=1) + random.uniform(0, 1, size) * (random.uniform(size=size) < 0.5)
        dual = random.uniform(0, 1, size)
        c = -numpy.bincount(columns.ravel(), weights=(values * dual[:, None]).ravel(), minlength=size)
        return columns, values, b, c

    return operands


def solve(xp: Any, sp: Any, columns: Any, values: Any, b: Any, c: Any) -> Any:
    """By hybrid gradients on a device, by HiGHS on the host."""
    from scipy.sparse import coo_array

    rows, across = (v.get() if hasattr(v, "get") else v for v in (values, columns))
    index = numpy.repeat(numpy.arange(len(b)), 10)
    a = coo_array((rows.ravel(), (index, across.ravel())), shape=(len(b), len(c)))
    method = "highs" if xp is numpy else "pdhg"
    return sp.optimize.linprog(c, a, b, method=method).x


def cases(large: bool) -> list[Case]:
    """The rows, at the size of a GPU or of a CPU."""
    variables, problems, rows, assigned = (1_000_000, 100_000, 100_000, 2000) if large else (65_536, 1024, 800, 500)
    others = ("cupy",)
    return [
        Case(
            f"minimize L-BFGS-B, Rosenbrock chain of {variables}",
            lambda random: (numpy.tile([-1.2, 1.0], variables // 2),), chain, without=others,
        ),
        Case(f"curve_fit, {problems} fits of 4 parameters and 100 points", waves(problems), fits, without=others),
        Case(
            "minimize BFGS, Rosenbrock of 5", lambda random: (numpy.array([1.3, 0.7, 0.8, 1.9, 1.2]),),
            lambda xp, sp, x: sp.optimize.minimize(sp.optimize.rosen, x, jac=sp.optimize.rosen_der).x, without=others,
        ),
        Case(
            "least_squares, 100000 residuals of 3 parameters",
            lambda random: (numpy.linspace(0, 4, 100_000), random.standard_normal(100_000)),
            lambda xp, sp, t, n: sp.optimize.least_squares(
                lambda x: x[0] * xp.exp(-x[1] * t) + x[2] - (2.5 * xp.exp(-1.3 * t) + 0.5 + 0.05 * n), [1.0, 1, 0]
            ).x,
            without=others,
        ),
        Case(
            "differential_evolution, Rastrigin of 10",
            lambda random: (),
            lambda xp, sp: sp.optimize.differential_evolution(
                rastrigin(xp), [(-5, 5)] * 10, rng=1, maxiter=100, polish=False
            ).fun,
            without=others,
        ),
        Case(
            f"linear_sum_assignment, {assigned}", lambda random: (random.uniform(size=(assigned, assigned)),),
            lambda xp, sp, c: sp.optimize.linear_sum_assignment(c)[1], without=others,
        ),
        Case(f"linprog, {rows} rows of 10 entries", program(rows), solve, without=others),
        Case(
            "elementwise.find_root, 65536 roots", lambda random: (random.uniform(1, 9, 65536),),
            lambda xp, sp, a: sp.optimize.elementwise.find_root(lambda x, a: x**3 - a, (0.0, 3.0), args=(a,)).x,
            without=others,
        ),
    ]  # fmt: skip
