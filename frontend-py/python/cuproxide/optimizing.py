"""Finding the fastest way to run a program's reductions, by trying on the device at hand."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

from ._kernels._tuning import Settings, Tuning, optuna, set_current

__all__ = ["optimize"]

_kept: dict[Any, Tuning] = {}


@contextlib.contextmanager
def optimize(
    *, key: Any = None, path: str | os.PathLike[str] | None = None, readonly: bool = False, **config_dict: float
) -> Iterator[None]:
    """While a block runs, each `ReductionKernel` of this thread tries how its work is best split over threads.

    The first call for a kernel, a device and a kind of problem tries several ways and measures them; later calls use
    the best one. Trying is done by the package Optuna (`pip install cuproxide[optimize]`), which is needed unless
    `readonly`. Since another split adds up in another order, rounding may differ. Kernels whose outputs share memory
    with their inputs are left alone.

    Parameters
    ----------
    key : hashable, optional
        Blocks with the same key share what they find; those without one, with each other.
    path : str or path, optional
        A file to read before and to write after the block.
    readonly : bool
        Whether to use what was found and to try nothing.
    **config_dict : float
        `max_trials` (100) and `timeout` (1 second) of a kernel's trials; `expected_total_time_per_trial` (100e-6) and
        `max_total_time_per_trial` (0.1) seconds of one.

    Returns
    -------
    Iterator[None]

    Raises
    ------
    ImportError
        Without Optuna.
    TypeError, ValueError
        For a setting that does not exist, or is not positive.

    Examples
    --------
    >>> from cuproxide.optimizing import optimize
    >>> total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    >>> with optimize(max_trials=20):  # doctest: +SKIP
    ...     total(cp.ones(1 << 20))
    array(1048576.)
    """
    settings = Settings(**config_dict)  # type: ignore[arg-type]
    if not readonly:
        optuna()
    tuning = _kept.setdefault(key, Tuning(settings))
    if path is not None:
        tuning.best |= Tuning.load(path, settings, readonly).best
    active = Tuning(settings, readonly, tuning.best)
    before = set_current(active)
    try:
        yield
    finally:
        set_current(before)
    if path is not None and not readonly:
        active.save(path)
