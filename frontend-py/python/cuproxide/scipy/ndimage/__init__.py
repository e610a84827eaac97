"""Filters, morphology, measurements and geometry of images in any number of dimensions. See `scipy.ndimage`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._binary import *
from ._correlation import *
from ._distances import *
from ._extrema import *
from ._fourier import *
from ._generic import *
from ._grey import *
from ._interpolation import *
from ._labels import *
from ._outputs import takes_output, whole
from ._ranks import *
from ._smoothing import *
from ._splines import *
from ._statistics import *
from ._texts import TEXTS as _TEXTS
from ._watershed import *

__all__ = _declared(globals())

_complete(globals(), __all__, _TEXTS, "scipy.ndimage")

# Here and not where they are defined: filters that call each other store in one array.
for _name in __all__:
    if takes_output(globals()[_name]):
        globals()[_name] = whole(globals()[_name])


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
