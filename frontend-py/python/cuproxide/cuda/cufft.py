"""Constants, errors and plans of the vendor's library for Fourier transforms, by the names that programs import.

Plans serve every backend. The transforms themselves are those of `cuproxide.fft` and `cuproxide.scipy.fft`.
"""

from __future__ import annotations

from .._cuproxide import DeviceError
from ..fft._plans import FORWARD, INVERSE, TYPES, Plan1d, PlanNd

__all__ = [
    "CUFFT_C2C",
    "CUFFT_C2R",
    "CUFFT_D2Z",
    "CUFFT_FORWARD",
    "CUFFT_INVERSE",
    "CUFFT_R2C",
    "CUFFT_Z2D",
    "CUFFT_Z2Z",
    "CuFFTError",
    "Plan1d",
    "PlanNd",
]

CuFFTError = DeviceError

CUFFT_FORWARD = FORWARD
CUFFT_INVERSE = INVERSE
CUFFT_C2C = TYPES["complex", False]
CUFFT_R2C = TYPES["real", False]
CUFFT_C2R = TYPES["half", False]
CUFFT_Z2Z = TYPES["complex", True]
CUFFT_D2Z = TYPES["real", True]
CUFFT_Z2D = TYPES["half", True]
