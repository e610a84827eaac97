"""Minima, roots and fits of functions, and linear programs. See `scipy.optimize`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from . import elementwise
from ._assignment import *
from ._constraints import *
from ._curve_fit import *
from ._differences import *
from ._evolution import *
from ._global import *
from ._hessian_updates import *
from ._least_squares import *
from ._legacy import *
from ._line_search import *
from ._linear_squares import *
from ._linprog import *
from ._minimize import *
from ._nonlin import *
from ._results import *
from ._root_finding import *
from ._scalar import *
from ._shgo import *
from ._systems import *
from ._test_functions import *
from ._texts import TEXTS as _TEXTS

__all__ = ["elementwise", *_declared(globals())]


_complete(globals(), __all__, _TEXTS, "scipy.optimize")
_complete(vars(elementwise), elementwise.__all__, _TEXTS, "scipy.optimize.elementwise")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
