"""Integrals of functions and samples, and differential equations. See `scipy.integrate`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from ._bvp import *
from ._cubature import *
from ._implicit import *
from ._lebedev import *
from ._legacy import *
from ._lsoda import *
from ._nested import *
from ._ode_base import *
from ._quad import *
from ._rules import *
from ._runge_kutta import *
from ._samples import *
from ._solve_ivp import *
from ._tanhsinh import *
from ._texts import TEXTS as _TEXTS
from ._vector import *

__all__ = _declared(globals())


_complete(globals(), __all__, _TEXTS, "scipy.integrate")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
