"""Rows of `scipy.integrate`: samples, functions, differential equations."""

from __future__ import annotations

from typing import Any

import numpy
from suite import Case


def lorenz(xp: Any) -> Any:
    """The Lorenz system, of one state or of many in columns."""
    return lambda t, y: xp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def ensemble(xp: Any, sp: Any, starts: Any, end: float = 10.0) -> Any:
    """Many systems: together where the library can, else one after another."""
    if xp is numpy:
        return [sp.integrate.solve_ivp(lorenz(xp), (0, end), starts[:, i]).y[:, -1] for i in range(starts.shape[1])]
    return sp.integrate.solve_ivp(lorenz(xp), (0, end), starts, batch=True).y


def quadrature(xp: Any, sp: Any, rates: Any) -> Any:
    """An integral for each of many rates."""
    return sp.integrate.tanhsinh(lambda x, r: xp.exp(-r * x * x), 0.0, xp.inf, args=(rates,)).integral


def cases(large: bool) -> list[Case]:
    """The rows, at the size of a GPU or of a CPU."""
    samples, systems, rates = (1 << 24, 100_000, 1 << 18) if large else (1 << 20, 128, 1 << 14)
    others = ("cupy",)

    def line(random: Any) -> tuple[Any, ...]:
        return (random.standard_normal(samples),)

    def starts(random: Any) -> tuple[Any, ...]:
        return (random.standard_normal((3, systems)) + numpy.array([[1.0], [1], [20]]),)

    return [
        Case(f"trapezoid, {samples}", line, lambda xp, sp, y: sp.integrate.trapezoid(y, dx=0.1), without=others),
        Case(f"simpson, {samples}", line, lambda xp, sp, y: sp.integrate.simpson(y, dx=0.1), without=others),
        Case(
            f"cumulative_simpson, {samples}",
            line,
            lambda xp, sp, y: sp.integrate.cumulative_simpson(y, dx=0.1),
            without=others,
        ),
        Case(
            f"tanhsinh, {rates} integrals", lambda random: (random.uniform(0.5, 2, rates),), quadrature, without=others
        ),
        Case(
            "quad, one integral",
            lambda random: (),
            lambda xp, sp: sp.integrate.quad(lambda x: xp.exp(-x * x), 0, xp.inf)[0],
            without=others,
        ),
        Case(f"solve_ivp RK45, {systems} Lorenz systems to 10", starts, ensemble, without=others),
        Case(
            "solve_ivp RK45, one Lorenz system to 10",
            lambda random: (numpy.array([1.0, 1, 20]),),
            lambda xp, sp, y: sp.integrate.solve_ivp(lorenz(xp), (0, 10), y).y,
            without=others,
        ),
        Case(
            "solve_ivp BDF, one Van der Pol system",
            lambda random: (numpy.array([2.0, 0]),),
            lambda xp, sp, y: (
                sp.integrate.solve_ivp(
                    lambda t, y: xp.stack([y[1], 1000 * (1 - y[0] ** 2) * y[1] - y[0]]), (0, 1000), y, method="BDF"
                ).y
            ),
            without=others,
        ),
    ]
