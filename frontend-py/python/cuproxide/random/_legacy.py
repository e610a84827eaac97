"""`RandomState` and the functions of the module, over the same stream."""

from __future__ import annotations

import inspect
import threading
from typing import Any

import numpy as np

from .._cuproxide import ndarray
from .._typing import ArrayLike, DTypeLike, ShapeLike
from . import _parameters as require
from ._bit_generator import Philox4x3210, Seed
from ._distributions import Distributions
from ._generator import integers_between
from ._parameters import prepare


class RandomState(Distributions):
    """A generator with the methods of `numpy.random.RandomState`."""

    _most_things = None

    def __init__(self, seed: Seed = None) -> None:
        """A generator from a seed."""
        self._bits = Philox4x3210(seed)

    def seed(self, seed: Seed = None) -> None:
        """Begins anew from a seed."""
        self._bits = Philox4x3210(seed)

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Everything that the next draw depends on, as a dict whatever `legacy` says."""
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes back to a state of `get_state`."""
        self._bits.state = state

    def random_sample(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Uniform over [0, 1). See `numpy.random.random_sample`."""
        return self._halves("uniform", "random_sample", size, dtype, None)

    def random(self, size: ShapeLike | None = None) -> ndarray:
        """Uniform over [0, 1). See `numpy.random.random`."""
        return self.random_sample(size)

    def rand(self, *args: int) -> ndarray:
        """Uniform over [0, 1), with lengths as arguments. See `numpy.random.rand`."""
        return self.random_sample(args)

    def randn(self, *args: int) -> ndarray:
        """Standard normal, with lengths as arguments. See `numpy.random.randn`."""
        return self.standard_normal(args)

    def standard_normal(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Normal with mean 0 and deviation 1. See `numpy.random.standard_normal`."""
        return self._halves("normal", "standard_normal", size, dtype, None)

    def standard_exponential(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Exponential with mean 1. See `numpy.random.standard_exponential`."""
        return self._halves("exponential", "standard_exponential", size, dtype, None)

    def standard_gamma(self, shape: ArrayLike, size: ShapeLike | None = None) -> ndarray:
        """Gamma with scale 1. See `numpy.random.standard_gamma`."""
        return self._draw("gamma", [prepare(shape, "shape", require.non_negative)], size)

    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Integers from `low` to below `high`. See `numpy.random.randint`."""
        return integers_between(self, low, high, size, dtype, closed=False)

    def random_integers(self, low: int, high: int | None = None, size: ShapeLike | None = None) -> ndarray:
        """Integers from `low` (or 1) to `high`, which counts. See `numpy.random.random_integers`."""
        low, high = (1, low) if high is None else (low, high)
        return integers_between(self, low, high, size, int, closed=True)

    def tomaxint(self, size: ShapeLike | None = None) -> ndarray:
        """Integers that are not negative. See `numpy.random.RandomState.tomaxint`."""
        return integers_between(self, 0, int(np.iinfo(np.int64).max), size, int, closed=True)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
    ) -> ndarray:
        """Vectors of normal numbers with a mean and a covariance. See `numpy.random.multivariate_normal`."""
        return self._multivariate_normal(mean, cov, size, check_valid, tol, "svd")

    def choice(
        self, a: int | ArrayLike, size: ShapeLike | None = None, replace: bool = True, p: ArrayLike | None = None
    ) -> ndarray:
        """A sample of a vector or of the integers below `a`. See `numpy.random.choice`."""
        if np.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self._choice(a, size, replace, p, 0)

    def permutation(self, x: int | ArrayLike) -> ndarray:
        """A shuffled copy, or the integers below `x` in random order. See `numpy.random.permutation`."""
        return self._permutation(x, 0)

    def shuffle(self, x: ndarray) -> None:
        """Shuffles in place along the first axis. See `numpy.random.shuffle`."""
        self._shuffle(x, 0)


_local = threading.local()


def get_random_state() -> RandomState:
    """The generator of this thread that the functions of the module draw from."""
    if not hasattr(_local, "state"):
        _local.state = RandomState()
    return _local.state


def set_random_state(rs: RandomState) -> None:
    """Makes the functions of the module draw from `rs` in this thread."""
    if not isinstance(rs, RandomState):
        raise TypeError(f"random state must be an instance of RandomState, got {type(rs).__name__}")
    _local.state = rs


def get_bit_generator() -> Philox4x3210:
    """The generator of bits that the functions of the module draw from in this thread."""
    return get_random_state()._bits


def set_bit_generator(bitgen: Philox4x3210) -> None:
    """Makes the functions of the module draw from `bitgen` in this thread."""
    if not isinstance(bitgen, Philox4x3210):
        raise TypeError(f"bit generator must be an instance of Philox4x3210, got {type(bitgen).__name__}")
    get_random_state()._bits = bitgen


def _function(name: str) -> Any:
    def draw(*args: Any, **kwargs: Any) -> Any:
        return getattr(get_random_state(), name)(*args, **kwargs)

    method = getattr(RandomState, name)
    draw.__name__, draw.__qualname__, draw.__doc__ = name, name, method.__doc__
    known = inspect.signature(method)
    draw.__signature__ = known.replace(parameters=list(known.parameters.values())[1:])  # type: ignore[attr-defined]
    return draw


_METHODS = [name for name in dir(RandomState) if not name.startswith("_")]
globals().update({name: _function(name) for name in _METHODS})
ranf, sample = _function("random_sample"), _function("random_sample")

__all__ = [  # noqa: PLE0604
    "RandomState",
    "get_bit_generator",
    "get_random_state",
    "ranf",
    "sample",
    "set_bit_generator",
    "set_random_state",
    *_METHODS,
]
