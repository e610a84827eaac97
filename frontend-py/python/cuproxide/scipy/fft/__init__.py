"""Fourier, cosine, sine and Hankel transforms. See `scipy.fft`.

The module is a backend of SciPy's own functions: inside `with scipy.fft.set_backend(cuproxide.scipy.fft):` they take
arrays of this package. Its functions in turn ask the backends that are set here.
"""

from __future__ import annotations

import operator
import sys
from typing import Any

from ..._cuproxide import ndarray
from ..._lib.texts import complete as _complete
from ...fft import fftshift, ifftshift
from ...fft._texts import TEXTS as _TEXTS
from . import _backends, _fourier, _hankel, _real
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
_backends.own = sys.modules[__name__]


def __ua_function__(method: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Serves a function of `scipy.fft`, for arrays of this package."""
    name = method.__name__
    if name not in __all__ or not any(isinstance(value, ndarray) for value in (*args, *kwargs.values())):
        return NotImplemented
    function = globals()[name]
    return getattr(function, "__wrapped__", function)(*args, **kwargs)


for _name in {*_fourier.__all__, *_hankel.__all__, *_real.__all__} - {"fhtoffset", "get_fft_plan"}:
    globals()[_name] = overridable(globals()[_name])


# Lengths of transforms from here on are refused: their elements could not be addressed.
_LONGEST = 2**62


def _primes(target: int, real: bool) -> tuple[int, tuple[int, ...]]:
    target = operator.index(target)
    if target > 2**63 - 1:
        raise OverflowError(f"Target length is too large: {target} does not fit an int64")
    if target < 0:
        raise ValueError(f"Target length must be positive (got {target})")
    if target >= _LONGEST:
        raise ValueError(f"Target length is too large to perform an FFT: {target}")
    return target, (3, 5) if real else (3, 5, 7, 11)


def _products(primes: tuple[int, ...], limit: int) -> list[int]:
    """All products of some primes, 1 among them, up to a limit."""
    found = [1]
    for prime in primes:
        for number in list(found):
            while (number := number * prime) <= limit:
                found.append(number)
    return found


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

    >>> cp.scipy.fft.next_fast_len(97)
    98
    """
    target, primes = _primes(target, real)
    if target == 0:
        return 0
    # Powers of two complete each product of the other primes.
    best = 1 << (target - 1).bit_length()
    return min(n << max(0, (-(-target // n) - 1).bit_length()) for n in _products(primes, best))


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

    >>> cp.scipy.fft.prev_fast_len(97)
    96
    """
    target, primes = _primes(target, real)
    return max((n << (target // n).bit_length() - 1 for n in _products(primes, target) if n <= target), default=0)


_complete(
    globals(),
    ("fftfreq", "rfftfreq", "next_fast_len", "prev_fast_len", "get_fft_plan", *_hankel.__all__, *_backends.__all__),
    _TEXTS,
    "scipy.fft",
    without=("get_fft_plan",),
)


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
