"""Discrete Fourier transforms. See `numpy.fft`.

    spectrum = cp.fft.rfft(signal)
    signal = cp.fft.irfft(spectrum, n=signal.size)

Single precision stays single. Plans are cached: `cuproxide.fft.config` tells and sets how many.
"""

from __future__ import annotations

from .._lib.texts import complete as _complete
from . import config
from ._helper import fftfreq, fftshift, ifftshift, rfftfreq
from ._texts import TEXTS as _TEXTS
from ._transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "config",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]

_complete(globals(), ("fftfreq", "fftshift", "hfft", "ifftshift", "ihfft", "rfftfreq"), _TEXTS, "numpy.fft")
del annotations
