"""Discrete Fourier transforms. See `numpy.fft`.

    spectrum = cp.fft.rfft(signal)
    signal = cp.fft.irfft(spectrum, n=signal.size)

Single precision stays single. Plans are cached: `cuproxide.fft.config` tells and sets how many.
"""

from __future__ import annotations

from . import config
from ._helper import fftfreq, fftshift, ifftshift, rfftfreq
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

del annotations
