"""Minima, roots and fits of functions, and linear programs. See `scipy.optimize`."""

from __future__ import annotations

from ..._lib.texts import complete as _complete
from . import (
    _assignment,
    _constraints,
    _curve_fit,
    _differences,
    _evolution,
    _global,
    _hessian_updates,
    _least_squares,
    _legacy,
    _line_search,
    _linear_squares,
    _linprog,
    _minimize,
    _nonlin,
    _results,
    _root_finding,
    _scalar,
    _shgo,
    _systems,
    _test_functions,
    elementwise,
)
from ._assignment import *  # noqa: F403
from ._constraints import *  # noqa: F403
from ._curve_fit import *  # noqa: F403
from ._differences import *  # noqa: F403
from ._evolution import *  # noqa: F403
from ._global import *  # noqa: F403
from ._hessian_updates import *  # noqa: F403
from ._least_squares import *  # noqa: F403
from ._legacy import *  # noqa: F403
from ._line_search import *  # noqa: F403
from ._linear_squares import *  # noqa: F403
from ._linprog import *  # noqa: F403
from ._minimize import *  # noqa: F403
from ._nonlin import *  # noqa: F403
from ._results import *  # noqa: F403
from ._root_finding import *  # noqa: F403
from ._scalar import *  # noqa: F403
from ._shgo import *  # noqa: F403
from ._systems import *  # noqa: F403
from ._test_functions import *  # noqa: F403
from ._texts import TEXTS as _TEXTS

__all__ = [  # noqa: PLE0604
    "elementwise",
    *_assignment.__all__,
    *_constraints.__all__,
    *_curve_fit.__all__,
    *_differences.__all__,
    *_evolution.__all__,
    *_global.__all__,
    *_hessian_updates.__all__,
    *_least_squares.__all__,
    *_legacy.__all__,
    *_line_search.__all__,
    *_linear_squares.__all__,
    *_linprog.__all__,
    *_minimize.__all__,
    *_nonlin.__all__,
    *_results.__all__,
    *_root_finding.__all__,
    *_scalar.__all__,
    *_shgo.__all__,
    *_systems.__all__,
    *_test_functions.__all__,
]


_complete(globals(), __all__, _TEXTS, "scipy.optimize")
_complete(vars(elementwise), elementwise.__all__, _TEXTS, "scipy.optimize.elementwise")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
