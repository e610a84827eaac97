"""Filters, morphology, measurements and geometry of images in any number of dimensions. See `scipy.ndimage`."""

from __future__ import annotations

from ..._lib.texts import complete as _complete
from . import (
    _binary,
    _correlation,
    _distances,
    _extrema,
    _fourier,
    _generic,
    _grey,
    _interpolation,
    _labels,
    _ranks,
    _smoothing,
    _splines,
    _statistics,
    _watershed,
)
from ._binary import *  # noqa: F403
from ._correlation import *  # noqa: F403
from ._distances import *  # noqa: F403
from ._extrema import *  # noqa: F403
from ._fourier import *  # noqa: F403
from ._generic import *  # noqa: F403
from ._grey import *  # noqa: F403
from ._interpolation import *  # noqa: F403
from ._labels import *  # noqa: F403
from ._outputs import takes_output, whole
from ._ranks import *  # noqa: F403
from ._smoothing import *  # noqa: F403
from ._splines import *  # noqa: F403
from ._statistics import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._watershed import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_binary.__all__,
    *_correlation.__all__,
    *_distances.__all__,
    *_extrema.__all__,
    *_fourier.__all__,
    *_generic.__all__,
    *_grey.__all__,
    *_interpolation.__all__,
    *_labels.__all__,
    *_ranks.__all__,
    *_smoothing.__all__,
    *_splines.__all__,
    *_statistics.__all__,
    *_watershed.__all__,
]

_complete(globals(), __all__, _TEXTS, "scipy.ndimage")

# Here and not where they are defined: filters that call each other store in one array.
for _name in __all__:
    if takes_output(globals()[_name]):
        globals()[_name] = whole(globals()[_name])


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
