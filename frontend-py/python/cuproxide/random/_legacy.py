"""`RandomState` and the functions of the module, over the same stream."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .._cuproxide import Device, ndarray, setting
from .._lib.texts import complete
from .._typing import ArrayLike, DTypeLike, ShapeLike
from ._bit_generator import BitGenerator, Philox4x3210, Seed
from ._distributions import Distributions
from ._generator import integers_between
from ._texts import TEXTS


def _default_seed() -> int | None:
    seed: Any = setting("CUPROXIDE_SEED")
    return seed


class RandomState(Distributions):
    """A generator with the methods of `numpy.random.RandomState`.

    >>> cp.random.RandomState(1).rand(3).shape
    (3,)
    """

    _legacy = True

    def __init__(self, seed: Seed | BitGenerator = None) -> None:
        """A generator over a bit generator, or from a seed, by default `CUPROXIDE_SEED` if that is set."""
        if isinstance(seed, BitGenerator):
            self._bits = seed
        else:
            self.seed(seed)

    def seed(self, seed: Seed = None) -> None:
        """Starts again from a seed, by default `CUPROXIDE_SEED` if that is set.

        >>> cp.random.seed(3)
        """
        self._bits = Philox4x3210(_default_seed() if seed is None else seed)

    def get_state(self, legacy: bool = True) -> dict[str, Any]:
        """Everything that the next draw depends on, as a dict for either `legacy`.

        >>> sorted(cp.random.RandomState(1).get_state())
        ['bit_generator', 'state']
        """
        return self._bits.state

    def set_state(self, state: dict[str, Any]) -> None:
        """Goes back to a state of `get_state`.

        >>> rs = cp.random.RandomState(1)
        >>> state = rs.get_state()
        >>> x = rs.rand(3)
        >>> rs.set_state(state)
        >>> bool((rs.rand(3) == x).all())
        True
        """
        self._bits.state = state

    def random_sample(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Uniform over [0, 1).

        >>> cp.random.random_sample(3).shape
        (3,)
        """
        return self._halves("uniform", "random_sample", size, dtype, None)

    def random(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Uniform over [0, 1).

        >>> cp.random.random(3).shape
        (3,)
        """
        return self.random_sample(size, dtype)

    def rand(self, *args: int, dtype: DTypeLike = float) -> ndarray:
        """Uniform over [0, 1), with lengths as arguments.

        >>> cp.random.rand(2, 3).shape
        (2, 3)
        """
        return self.random_sample(args, dtype)

    def randn(self, *args: int, dtype: DTypeLike = float) -> ndarray:
        """Standard normal, with lengths as arguments.

        >>> cp.random.randn(2, 3).shape
        (2, 3)
        """
        return self.standard_normal(args, dtype)

    def standard_normal(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Normal with mean 0 and deviation 1.

        >>> cp.random.standard_normal(3).shape
        (3,)
        """
        return self._halves("normal", "standard_normal", size, dtype, None)

    def standard_exponential(self, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Exponential with mean 1.

        >>> cp.random.standard_exponential(3).shape
        (3,)
        """
        return self._halves("exponential", "standard_exponential", size, dtype, None)

    def standard_gamma(self, shape: ArrayLike, size: ShapeLike | None = None, dtype: DTypeLike = float) -> ndarray:
        """Gamma with scale 1.

        >>> cp.random.standard_gamma(2.0, 3).shape
        (3,)
        """
        return self.gamma(shape, 1.0, size, dtype)

    def randint(
        self,
        low: ArrayLike,
        high: ArrayLike | None = None,
        size: ShapeLike | None = None,
        dtype: DTypeLike = int,
    ) -> ndarray:
        """Integers from `low` to below `high`.

        >>> bool((cp.random.randint(3, size=9) < 3).all())
        True
        """
        return integers_between(self, low, high, size, dtype, closed=False)

    def random_integers(self, low: int, high: int | None = None, size: ShapeLike | None = None) -> ndarray:
        """Integers from `low` (or 1) to `high`, which counts.

        Parameters
        ----------
        low : int
            The greatest value, or the least one if `high` is given.
        high : int, optional
            The greatest value.

        >>> cp.random.random_integers(6, size=3).shape
        (3,)
        """
        low, high = (1, low) if high is None else (low, high)
        return integers_between(self, low, high, size, int, closed=True)

    def tomaxint(self, size: ShapeLike | None = None) -> ndarray:
        """Integers that are not negative. See `numpy.random.RandomState.tomaxint`.

        >>> cp.random.RandomState(1).tomaxint(3).shape
        (3,)
        """
        return integers_between(self, 0, int(np.iinfo(np.int64).max), size, int, closed=True)

    def multivariate_normal(
        self,
        mean: ArrayLike,
        cov: ArrayLike,
        size: ShapeLike | None = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        method: str = "svd",
        dtype: DTypeLike = float,
    ) -> ndarray:
        """Vectors of normal numbers with a mean and a covariance.

        >>> cp.random.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]], 4).shape
        (4, 2)
        """
        drawn = self._multivariate_normal(mean, cov, size, check_valid, tol, method)
        return drawn.astype(self._float_dtype(dtype), copy=False)

    def choice(
        self, a: int | ArrayLike, size: ShapeLike | None = None, replace: bool = True, p: ArrayLike | None = None
    ) -> ndarray:
        """A sample of a vector or of the integers below `a`.

        Parameters
        ----------
        a : array_like or int
            The elements, or a number for the integers below it.
        p : array_like, optional
            The probabilities of the elements.

        >>> cp.random.choice(5, 3).shape
        (3,)
        """
        if np.ndim(a) > 1:
            raise ValueError("a must be 1-dimensional")
        return self._choice(a, size, replace, p, 0)

    def permutation(self, x: int | ArrayLike) -> ndarray:
        """A shuffled copy, or the integers below `x` in random order. See `numpy.random.permutation`.

        >>> cp.sort(cp.random.permutation(4))
        array([0, 1, 2, 3])
        """
        return self._permutation(x, 0)

    def shuffle(self, x: ndarray) -> None:
        """Shuffles in place along the first axis. See `numpy.random.shuffle`.

        >>> x = cp.arange(4)
        >>> cp.random.shuffle(x)
        >>> int(x.sum())
        6
        """
        self._shuffle(x, 0)


# Before the functions of the module take the docstrings.
complete(globals(), ("RandomState",), TEXTS, methods_follow="numpy.random")

# One state for each device, by backend and number, which all threads draw from.
_states: dict[tuple[str, int], RandomState] = {}


def _here() -> tuple[str, int]:
    device = Device()
    return device.backend, device.id


def get_random_state() -> RandomState:
    """The generator of the current device that the functions of the module draw from, in every thread.

    >>> type(cp.random.get_random_state()).__name__
    'RandomState'
    """
    device = _here()
    # `setdefault` is atomic: threads that come at once get one state.
    return _states.get(device) or _states.setdefault(device, RandomState())


def set_random_state(rs: RandomState) -> None:
    """Makes the functions of the module draw from `rs` on the current device.

    >>> cp.random.set_random_state(cp.random.RandomState(1))
    """
    if not isinstance(rs, RandomState):
        raise TypeError(f"random state must be an instance of RandomState, got {type(rs).__name__}")
    _states[_here()] = rs


def reset_states() -> None:
    """Forgets the generators of all devices: the next draw of the module's functions begins with a new one.

    It is seeded by `CUPROXIDE_SEED`, by entropy if that is not set.

    >>> cp.random.reset_states()
    """
    _states.clear()


def get_bit_generator() -> BitGenerator:
    """The generator of bits that the functions of the module draw from on the current device.

    >>> cp.random.set_random_state(cp.random.RandomState(1))
    >>> type(cp.random.get_bit_generator()).__name__
    'Philox4x3210'
    """
    return get_random_state()._bits


def set_bit_generator(bitgen: BitGenerator) -> None:
    """Makes the functions of the module draw from `bitgen` on the current device.

    >>> cp.random.set_bit_generator(cp.random.Philox4x3210(1))
    """
    if not isinstance(bitgen, BitGenerator):
        raise TypeError(f"bit generator must be an instance of BitGenerator, got {type(bitgen).__name__}")
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
ranf = sample = globals()["random_sample"]

__all__ = [  # noqa: PLE0604
    "RandomState",
    "get_bit_generator",
    "get_random_state",
    "ranf",
    "reset_states",
    "sample",
    "set_bit_generator",
    "set_random_state",
    *_METHODS,
]
