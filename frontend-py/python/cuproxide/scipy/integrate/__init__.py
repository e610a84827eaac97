"""Integrals of functions and samples, and differential equations. See `scipy.integrate`."""

from __future__ import annotations

from ..._lib.texts import complete as _complete
from . import (
    _bvp,
    _cubature,
    _implicit,
    _lebedev,
    _legacy,
    _lsoda,
    _nested,
    _ode_base,
    _quad,
    _rules,
    _runge_kutta,
    _samples,
    _solve_ivp,
    _tanhsinh,
    _vector,
)
from ._bvp import *  # noqa: F403
from ._cubature import *  # noqa: F403
from ._implicit import *  # noqa: F403
from ._lebedev import *  # noqa: F403
from ._legacy import *  # noqa: F403
from ._lsoda import *  # noqa: F403
from ._nested import *  # noqa: F403
from ._ode_base import *  # noqa: F403
from ._quad import *  # noqa: F403
from ._rules import *  # noqa: F403
from ._runge_kutta import *  # noqa: F403
from ._samples import *  # noqa: F403
from ._solve_ivp import *  # noqa: F403
from ._tanhsinh import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._vector import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    *_bvp.__all__,
    *_cubature.__all__,
    *_implicit.__all__,
    *_lebedev.__all__,
    *_legacy.__all__,
    *_lsoda.__all__,
    *_nested.__all__,
    *_ode_base.__all__,
    *_quad.__all__,
    *_rules.__all__,
    *_runge_kutta.__all__,
    *_samples.__all__,
    *_solve_ivp.__all__,
    *_tanhsinh.__all__,
    *_vector.__all__,
]


_complete(globals(), __all__, _TEXTS, "scipy.integrate")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
