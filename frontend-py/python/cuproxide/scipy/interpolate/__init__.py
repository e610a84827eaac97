"""Interpolation: polynomials, splines and functions of scattered points. See `scipy.interpolate`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._bivariate import *
from ._bspline import *
from ._cubic import *
from ._fitpack import *
from ._grid import *
from ._grid import make_ndbspl as make_ndbspl
from ._interp_spline import *
from ._line import *
from ._lsq_spline import *
from ._piecewise import *
from ._polynomial import *
from ._rational import *
from ._rbf import *
from ._regular import *
from ._scattered import *
from ._scattered_splines import *
from ._smoothing import *
from ._sphere import *
from ._sphere_grid import *
from ._texts import TEXTS as _TEXTS
from ._univariate import *

__all__ = _declared(globals())


_complete(globals(), __all__, _TEXTS, "scipy.interpolate")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
