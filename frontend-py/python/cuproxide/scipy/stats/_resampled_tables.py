"""Tests of tables of two ways by random tables with the same sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._common import modern
from ._matrix_t import random_table
from ._resampling import MonteCarloMethod, PermutationMethod, monte_carlo_test, permutation_test


def resampled(table: ndarray, statistic: Callable[[ndarray], ndarray], method: Any, alternative: str, name: str) -> Any:
    """The test of a statistic of tables, which are its argument's last two axes.

    Parameters
    ----------
    table : ndarray
        The counts.
    statistic : callable
        What is computed of tables.
    method : PermutationMethod or MonteCarloMethod
        Whether elements are permuted, or tables drawn by `random_table`.
    alternative : {'less', 'greater'}
        Which values of the statistic are extreme.
    name : str
        The function of SciPy, for messages.

    Returns
    -------
    result with `statistic` and `pvalue`

    Raises
    ------
    ValueError
        If the method is neither of these, or says how to draw.
    """
    shape = table.shape
    if isinstance(method, PermutationMethod):
        numbers = cp.arange(table.size)
        pairs = cp.repeat(numbers, table.ravel().astype(np.int64).tolist())
        row, column = pairs // shape[1], pairs % shape[1]

        def of_elements(rows: ndarray, axis: int) -> ndarray:
            return statistic(_counted(rows.astype(np.int64), column, shape))

        return permutation_test(
            (row,), of_elements, permutation_type="pairings", alternative=alternative, **method._asdict()
        )
    if not isinstance(method, MonteCarloMethod):
        raise ValueError(
            f"`method={method!r}` not recognized; if provided, `method` must be an instance of `PermutationMethod` or "
            "`MonteCarloMethod`."
        )
    options = method._asdict()
    if options.pop("rvs", None) is not None:
        raise ValueError(
            f"If the `method` argument of `{name}` is an instance of `MonteCarloMethod`, its `rvs` attribute must be "
            "unspecified. Use the `MonteCarloMethod` `rng` argument to control the random state."
        )
    drawn = random_table(table.sum(axis=1), table.sum(axis=0), seed=modern(options.pop("rng", None)))
    return monte_carlo_test(
        table.ravel(),
        lambda size: drawn.rvs(size=size[0]).reshape(size),
        lambda tables, axis: statistic(tables.reshape(*tables.shape[:-1], *shape)),
        alternative=alternative,
        **options,
    )


def _counted(rows: ndarray, column: ndarray, shape: tuple[int, ...]) -> ndarray:
    """The tables of elements whose rows are along the last axis and whose columns are the same in all."""
    lead = rows.shape[:-1]
    many, cells = math.prod(lead), math.prod(shape)
    cell = rows.reshape(many, -1) * shape[1] + column + cp.arange(many)[:, None] * cells
    return cp.bincount(cell.ravel(), minlength=many * cells).reshape(*lead, *shape)
