"""Fourier, cosine, sine and Hankel transforms. See `scipy.fft`.

The module is a backend of SciPy's own functions: inside `with scipy.fft.set_backend(cuproxide.scipy.fft):` they take
arrays of this package. Its functions in turn ask the backends that are set here.
"""

from __future__ import annotations

import operator
from typing import Any

from ..._cuproxide import ndarray
from ...fft import fftshift, ifftshift
from . import _fourier, _hankel, _real
from ._backends import (
    get_workers,
    overridable,
    register_backend,
    set_backend,
    set_global_backend,
    set_workers,
    skip_backend,
)
from ._fourier import *  # noqa: F403
from ._frequencies import fftfreq, rfftfreq
from ._hankel import *  # noqa: F403
from ._real import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    "fftfreq",
    "fftshift",
    "get_workers",
    "ifftshift",
    "next_fast_len",
    "prev_fast_len",
    "register_backend",
    "rfftfreq",
    "set_backend",
    "set_global_backend",
    "set_workers",
    "skip_backend",
    *_fourier.__all__,
    *_hankel.__all__,
    *_real.__all__,
]

__ua_domain__ = "numpy.scipy.fft"


def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Serves a function of `scipy.fft`, for arrays of this package."""
    name = method.__name__
    if name not in __all__ or not any(isinstance(value, ndarray) for value in (*args, *kwargs.values())):
        return NotImplemented
    function = globals()[name]
    return getattr(function, "__wrapped__", function)(*args, **kwargs)


for _name in {*_fourier.__all__, *_hankel.__all__, *_real.__all__} - {"fhtoffset", "get_fft_plan"}:
    globals()[_name] = overridable(globals()[_name])


def _smooth(number: int, primes: tuple[int, ...]) -> bool:
    for prime in primes:
        while number % prime == 0:
            number //= prime
    return number == 1


def _primes(target: int, real: bool) -> tuple[int, tuple[int, ...]]:
    target = operator.index(target)
    return target, (2, 3, 5) if real else (2, 3, 5, 7, 11)


def next_fast_len(target: int, real: bool = False) -> int:
    """The least length from `target` on that has small prime factors only: to 11, or to 5 if `real`.

    Parameters
    ----------
    target : int
        The least length.
    real : bool
        Whether the transform is of real numbers.

    Returns
    -------
    int

    See Also
    --------
    scipy.fft.next_fast_len : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.fft.next_fast_len(97)
    98
    """
    target, primes = _primes(target, real)
    if target < 0:
        raise ValueError(f"Target length must be positive (got {target})")
    best = 1
    while best < target:
        best *= 2
    # Powers of two complete each product of the other primes.
    odd = [1]
    for prime in primes[1:]:
        for number in list(odd):
            while (number := number * prime) < best:
                odd.append(number)
    for number in odd:
        shift = max(0, (-(-target // number) - 1).bit_length())
        best = min(best, number << shift)
    return best if target else 0


def prev_fast_len(target: int, real: bool = False) -> int:
    """The greatest length up to `target` that has small prime factors only.

    Parameters
    ----------
    target : int
        The least length.
    real : bool
        Whether the transform is of real numbers.

    Returns
    -------
    int

    See Also
    --------
    scipy.fft.prev_fast_len : The function that this one follows.

    Examples
    --------
    >>> cp.scipy.fft.prev_fast_len(97)
    96
    """
    target, primes = _primes(target, real)
    if target < 0:
        raise ValueError(f"Target length must be positive (got {target})")
    return next((number for number in range(target, 0, -1) if _smooth(number, primes)), 0)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
