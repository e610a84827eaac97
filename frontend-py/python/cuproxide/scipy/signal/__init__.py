"""Signal processing. See `scipy.signal`.

Filters, convolutions and spectra are computed on the device; the design of filters is a handful of numbers, computed on
the host and handed out as arrays of the device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._lib.texts import complete as _complete
from . import (
    _conversions,
    _convolution,
    _filters,
    _fir,
    _iir_design,
    _lti,
    _overlap,
    _peaks,
    _periods,
    _planar,
    _pole_placement,
    _prototypes,
    _resampling,
    _residues,
    _responses,
    _short_time,
    _simulation,
    _smoothing,
    _spectra,
    _splines,
    _state_space,
    _states,
    _trends,
    _waveforms,
    _wavelets,
    _whittaker,
    windows,
)
from ._common import designed
from ._conversions import BadCoefficients
from ._convolution import *  # noqa: F403
from ._filters import *  # noqa: F403
from ._lti import *  # noqa: F403
from ._overlap import *  # noqa: F403
from ._peaks import *  # noqa: F403
from ._periods import *  # noqa: F403
from ._planar import *  # noqa: F403
from ._resampling import *  # noqa: F403
from ._responses import *  # noqa: F403
from ._short_time import *  # noqa: F403
from ._simulation import *  # noqa: F403
from ._smoothing import *  # noqa: F403
from ._spectra import *  # noqa: F403
from ._splines import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._trends import *  # noqa: F403
from ._waveforms import *  # noqa: F403
from ._wavelets import *  # noqa: F403
from ._whittaker import *  # noqa: F403
from ._windows import get_window

# What is designed on the host takes and gives arrays of the device here.
_DESIGN = (_conversions, _fir, _iir_design, _pole_placement, _prototypes, _residues, _state_space, _states)
for _module in _DESIGN:
    for _name in _module.__all__:
        if _name != "BadCoefficients":
            globals()[_name] = designed(getattr(_module, _name))

__all__ = [  # noqa: PLE0604
    "BadCoefficients",
    "get_window",
    "windows",
    *(name for module in _DESIGN for name in module.__all__ if name != "BadCoefficients"),
    *_convolution.__all__,
    *_filters.__all__,
    *_lti.__all__,
    *_peaks.__all__,
    *_periods.__all__,
    *_planar.__all__,
    *_resampling.__all__,
    *_responses.__all__,
    *_short_time.__all__,
    *_simulation.__all__,
    *_smoothing.__all__,
    *_overlap.__all__,
    *_spectra.__all__,
    *_splines.__all__,
    *_trends.__all__,
    *_wavelets.__all__,
    *_waveforms.__all__,
    *_whittaker.__all__,
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # functions of design, made above


_complete(globals(), __all__, _TEXTS, "scipy.signal", without=("morlet", "morlet2", "qmf", "ricker"))
_complete(vars(windows), windows.__all__, _TEXTS, "scipy.signal.windows")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
