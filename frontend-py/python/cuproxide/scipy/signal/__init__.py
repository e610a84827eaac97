"""Signal processing. See `scipy.signal`.

Filters, convolutions and spectra are computed on the device; the design of filters is a handful of numbers, computed on
the host and handed out as arrays of the device.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from . import _conversions, _fir, _iir_design, _pole_placement, _prototypes, _residues, _state_space, _states, windows
from ._common import designed
from ._conversions import BadCoefficients as BadCoefficients
from ._convolution import *
from ._filters import *
from ._lti import *
from ._overlap import *
from ._peaks import *
from ._periods import *
from ._planar import *
from ._resampling import *
from ._responses import *
from ._short_time import *
from ._simulation import *
from ._smoothing import *
from ._spectra import *
from ._splines import *
from ._texts import TEXTS as _TEXTS
from ._trends import *
from ._waveforms import *
from ._wavelets import *
from ._whittaker import *
from ._windows import get_window as get_window

# What is designed on the host takes and gives arrays of the device here.
_DESIGN = (_conversions, _fir, _iir_design, _pole_placement, _prototypes, _residues, _state_space, _states)
for _module in _DESIGN:
    for _name in _module.__all__:
        if _name != "BadCoefficients":
            globals()[_name] = designed(getattr(_module, _name))

__all__ = ["windows", *_declared(globals())]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # functions of design, made above


_complete(globals(), __all__, _TEXTS, "scipy.signal", without=("morlet", "morlet2", "qmf", "ricker"))
_complete(vars(windows), windows.__all__, _TEXTS, "scipy.signal.windows")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
