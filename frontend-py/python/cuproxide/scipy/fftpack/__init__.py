"""The older interface of Fourier transforms, and periodic operators. See `scipy.fftpack`."""

from __future__ import annotations

from ..._lib.texts import complete
from ...fft import fftfreq, fftshift, ifftshift
from .. import fft as _fft
from ..fft import get_fft_plan
from . import _operators, _transforms
from ._operators import *  # noqa: F403
from ._texts import TEXTS
from ._transforms import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    "fftfreq",
    "fftshift",
    "get_fft_plan",
    "ifftshift",
    "next_fast_len",
    *_operators.__all__,
    *_transforms.__all__,
]


def next_fast_len(target: int) -> int:
    """The least length from `target` on that has no prime factors but 2, 3 and 5. See `scipy.fftpack.next_fast_len`.

    >>> cp.scipy.fftpack.next_fast_len(97)
    100
    """
    return _fft.next_fast_len(target, True)


complete(globals(), [*_operators.__all__, *_transforms.__all__], TEXTS, "scipy.fftpack")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
