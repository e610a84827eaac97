"""Generators of random numbers from what users give: seeds, and generators of this package or of NumPy."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

import cuproxide as cp

from .._cuproxide import ndarray


def seed_from(rng: Any) -> int:
    """A seed drawn from a generator, which advances it.

    >>> from cuproxide._lib.generators import seed_from
    >>> seed_from(np.random.default_rng(1)) == seed_from(np.random.default_rng(1))
    True
    """
    if isinstance(rng, (np.random.Generator, cp.random.Generator)):
        return int(rng.integers(0, 2**63))
    return int(rng.randint(0, 2**31 - 1))


def device_generator(rng: Any, legacy: bool = False) -> Any:
    """The generator of this package that `rng` names.

    One of this package is taken as it is; one of NumPy, which draws on the host, gives the seed of a new one, and so
    does a `RandomState` where `legacy` is not said: results have the methods of a `Generator` then.

    Parameters
    ----------
    rng : None, int, sequence of int, SeedSequence, BitGenerator, Generator or RandomState
        What the user gave.
    legacy : bool
        SciPy's rules for `random_state` and `seed`, not those for `rng`: an integer seeds a `RandomState`; None and
        `numpy.random` are the package's global state.

    Returns
    -------
    Generator or RandomState

    Raises
    ------
    ValueError
        If nothing can be made of `rng`; a `TypeError` where NumPy raises one.

    Examples
    --------
    >>> from cuproxide._lib.generators import device_generator
    >>> device_generator(np.random.default_rng(1))
    Generator(Philox4x3210)
    >>> isinstance(device_generator(1, legacy=True), cp.random.RandomState)
    True
    """
    if isinstance(rng, cp.random.Generator) or (legacy and isinstance(rng, cp.random.RandomState)):
        return rng
    if isinstance(rng, (np.random.Generator, np.random.RandomState, cp.random.RandomState)):
        states = legacy and isinstance(rng, np.random.RandomState)
        return (cp.random.RandomState if states else cp.random.default_rng)(seed_from(rng))
    if legacy and (rng is None or rng is np.random or rng is cp.random):
        return cp.random.get_random_state()
    if isinstance(rng, cp.random.BitGenerator):
        return cp.random.Generator(rng)
    if isinstance(rng, np.random.BitGenerator):
        return cp.random.default_rng(seed_from(np.random.Generator(rng)))
    if isinstance(rng, (bool, np.bool_)):
        raise TypeError(f"{rng!r} is not a seed or generator")
    if not legacy:
        return cp.random.default_rng(_on_host(rng))
    try:
        return cp.random.RandomState(operator.index(rng))
    except TypeError:
        raise ValueError(f"{rng!r} cannot be used to seed a generator of cuproxide.random") from None


def host_generator(rng: Any, seed: Any = None) -> np.random.Generator:
    """NumPy's generator for the few numbers that decide steps on the host: `rng`, or the older `seed`.

    >>> from cuproxide._lib.generators import host_generator
    >>> bool(host_generator(np.random.default_rng(1)).integers(10) == host_generator(1).integers(10))
    True
    """
    rng = rng if rng is not None else seed
    if isinstance(rng, np.random.Generator):
        return rng
    if isinstance(rng, (cp.random.Generator, cp.random.RandomState, np.random.RandomState)):
        return np.random.default_rng(seed_from(rng))
    if isinstance(rng, cp.random.BitGenerator):
        return np.random.default_rng(seed_from(cp.random.Generator(rng)))
    if rng is np.random or rng is cp.random:
        return np.random.default_rng()
    return np.random.default_rng(_on_host(rng))


def _on_host(seed: Any) -> Any:
    """Seeds that are arrays, as NumPy takes them."""
    if isinstance(seed, (ndarray, np.ndarray)):
        return seed.item() if seed.ndim == 0 else np.asarray(seed.tolist())
    return seed
