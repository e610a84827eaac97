"""Special functions. See `scipy.special`.

The ufuncs are rows of the package's table: they run on every device, and fuse with what surrounds them.
"""

# ruff: noqa: F403, F405

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import _cuproxide as _core
from ... import sinc
from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete

if TYPE_CHECKING:
    from ._ufuncs import *

from ._bessel import *
from ._bessel_zeros import *
from ._combinatorics import *
from ._ellipsoidal import *
from ._errors import *
from ._harmonics import *
from ._kelvin_zeros import *
from ._legendre import *
from ._legendre_second import *
from ._logarithms import *
from ._mathieu import *
from ._parabolic import *
from ._polynomials import *
from ._quadrature import *
from ._spheroidal import *
from ._texts import TEXTS as _TEXTS
from ._zeros import *
from ._zeta import *

# Rows with an underscore are parts of functions that choose between them, as in SciPy.
_ufuncs = {name: ufunc for name, ufunc in _core.ufuncs("special").items() if not name.startswith("_")}
globals().update(_ufuncs)

__all__ = ["sinc", *_ufuncs, *_declared(globals())]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # orthogonal polynomials and NumPy's functions, made above


_complete(globals(), __all__, _TEXTS, "scipy.special", without=("orthopoly1d",))


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
