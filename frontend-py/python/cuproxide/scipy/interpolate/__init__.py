"""Interpolation: polynomials, splines and functions of scattered points. See `scipy.interpolate`."""

from __future__ import annotations

from ..._lib.texts import complete as _complete
from . import (
    _bivariate,
    _bspline,
    _cubic,
    _fitpack,
    _grid,
    _interp_spline,
    _line,
    _lsq_spline,
    _piecewise,
    _polynomial,
    _rational,
    _rbf,
    _regular,
    _scattered,
    _scattered_splines,
    _smoothing,
    _sphere,
    _sphere_grid,
    _univariate,
)
from ._bivariate import *  # noqa: F403
from ._bspline import *  # noqa: F403
from ._cubic import *  # noqa: F403
from ._fitpack import *  # noqa: F403
from ._grid import *  # noqa: F403
from ._grid import make_ndbspl as make_ndbspl
from ._interp_spline import *  # noqa: F403
from ._line import *  # noqa: F403
from ._lsq_spline import *  # noqa: F403
from ._piecewise import *  # noqa: F403
from ._polynomial import *  # noqa: F403
from ._rational import *  # noqa: F403
from ._rbf import *  # noqa: F403
from ._regular import *  # noqa: F403
from ._scattered import *  # noqa: F403
from ._scattered_splines import *  # noqa: F403
from ._smoothing import *  # noqa: F403
from ._sphere import *  # noqa: F403
from ._sphere_grid import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._univariate import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_bivariate.__all__,
    *_bspline.__all__,
    *_cubic.__all__,
    *_fitpack.__all__,
    *_grid.__all__,
    *_interp_spline.__all__,
    *_line.__all__,
    *_lsq_spline.__all__,
    *_piecewise.__all__,
    *_polynomial.__all__,
    *_rational.__all__,
    *_rbf.__all__,
    *_regular.__all__,
    *_scattered.__all__,
    *_scattered_splines.__all__,
    *_smoothing.__all__,
    *_sphere.__all__,
    *_sphere_grid.__all__,
    *_univariate.__all__,
]


_complete(globals(), __all__, _TEXTS, "scipy.interpolate")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
