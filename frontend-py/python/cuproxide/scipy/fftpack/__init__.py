"""The older interface of Fourier transforms, and periodic operators. See `scipy.fftpack`."""

from __future__ import annotations

from ...fft import fftfreq, fftshift, ifftshift
from ..fft import get_fft_plan, next_fast_len
from . import _operators, _transforms
from ._operators import *  # noqa: F403
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
