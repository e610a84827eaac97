"""Simplex searches of many functions side by side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._common import holds

# Steps between looks at whether all have arrived.
_LOOK = 16


def simplex_of_rows(
    f: Callable[[ndarray], ndarray], start: ndarray, most: int = 400, tolerance: float = 1e-8
) -> ndarray:
    """The minima of functions of a few numbers, by the method of Nelder and Mead (1965), all at once.

    `f` gets points of shape `(candidates, ..., n)` and returns values of shape `(candidates, ...)`; `start` has the
    shape `(..., n)`. All candidates of a step are evaluated in one call, and each row takes the one that is its own.
    """
    n = start.shape[-1]
    moves = cp.concatenate([cp.zeros((1, n)), cp.eye(n)]).reshape(n + 1, *(1,) * (start.ndim - 1), n)
    points = start + moves * cp.where(start != 0, 0.05 * start, 0.00025)
    values = f(points)
    grow, shrink, contract = 1 + 2 / n, 1 - 1 / max(n, 2), 0.75 - 1 / (2 * n)
    reach = cp.asarray([1.0, grow, contract, -contract]).reshape(4, *(1,) * start.ndim)
    for step in range(most * n):
        order = cp.argsort(values, axis=0)
        values = cp.take_along_axis(values, order, axis=0)
        points = cp.take_along_axis(points, order[..., None], axis=0)
        if step % _LOOK == 0:
            spread = cp.abs(points[1:] - points[0]).max(axis=(0, -1))
            size = cp.maximum(1.0, cp.abs(points[0]).max(axis=-1))
            near = (spread <= tolerance * size) & (
                values[-1] - values[0] <= tolerance * cp.maximum(1.0, cp.abs(values[0]))
            )
            if holds(near | ~cp.isfinite(values[0])):
                break
        centre = points[:-1].mean(axis=0)
        tried = centre + reach * (centre - points[-1])
        shrunk = points[0] + shrink * (points[1:] - points[0])
        every = f(cp.concatenate([tried, shrunk]))
        at_tried, at_shrunk = every[:4], every[4:]
        reflected, expanded, outside, inside = at_tried
        best, second, worst = values[0], values[-2], values[-1]
        choice = cp.where(
            reflected < best,
            cp.where(expanded < reflected, 1, 0),
            cp.where(
                reflected < second,
                0,
                cp.where(
                    reflected < worst,
                    cp.where(outside < reflected, 2, 4),
                    cp.where(inside < worst, 3, 4),
                ),
            ),
        )
        single = cp.clip(choice, 0, 3)[None]
        chosen = cp.take_along_axis(tried, single[..., None], axis=0)
        at_chosen = cp.take_along_axis(at_tried, single, axis=0)
        shrinks = choice == 4
        points = cp.concatenate(
            [points[:1], cp.where(shrinks[..., None], shrunk, cp.concatenate([points[1:-1], chosen]))]
        )
        values = cp.concatenate([values[:1], cp.where(shrinks, at_shrunk, cp.concatenate([values[1:-1], at_chosen]))])
        cp.evaluate(points, values)
    best_of = cp.argmin(cp.where(cp.isnan(values), np.inf, values), axis=0)
    return cp.take_along_axis(points, best_of[None, ..., None], axis=0)[0]
