"""Special functions. See `scipy.special`.

The ufuncs are rows of the package's table: they run on every device, and fuse with what surrounds them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ... import _cuproxide as _core
from ... import sinc
from ..._lib.texts import complete as _complete

if TYPE_CHECKING:
    from ._ufuncs import *  # noqa: F403

from . import (
    _bessel,
    _bessel_zeros,
    _combinatorics,
    _ellipsoidal,
    _errors,
    _harmonics,
    _kelvin_zeros,
    _legendre,
    _legendre_second,
    _logarithms,
    _mathieu,
    _parabolic,
    _polynomials,
    _quadrature,
    _spheroidal,
    _zeros,
    _zeta,
)
from ._bessel import *  # noqa: F403
from ._bessel_zeros import *  # noqa: F403
from ._combinatorics import *  # noqa: F403
from ._ellipsoidal import *  # noqa: F403
from ._errors import *  # noqa: F403
from ._harmonics import *  # noqa: F403
from ._kelvin_zeros import *  # noqa: F403
from ._legendre import *  # noqa: F403
from ._legendre_second import *  # noqa: F403
from ._logarithms import *  # noqa: F403
from ._mathieu import *  # noqa: F403
from ._parabolic import *  # noqa: F403
from ._polynomials import *  # noqa: F403
from ._quadrature import *  # noqa: F403
from ._spheroidal import *  # noqa: F403
from ._texts import TEXTS as _TEXTS
from ._zeros import *  # noqa: F403
from ._zeta import *  # noqa: F403

# Rows with an underscore are parts of functions that choose between them, as in SciPy.
_ufuncs = {name: ufunc for name, ufunc in _core.ufuncs("special").items() if not name.startswith("_")}
globals().update(_ufuncs)

__all__ = [  # noqa: PLE0604
    "sinc",
    *_ufuncs,
    *_bessel.__all__,
    *_bessel_zeros.__all__,
    *_combinatorics.__all__,
    *_errors.__all__,
    *_ellipsoidal.__all__,
    *_harmonics.__all__,
    *_kelvin_zeros.__all__,
    *_legendre.__all__,
    *_legendre_second.__all__,
    *_logarithms.__all__,
    *_mathieu.__all__,
    *_parabolic.__all__,
    *_polynomials.__all__,
    *_quadrature.__all__,
    *_spheroidal.__all__,
    *_zeros.__all__,
    *_zeta.__all__,
]

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...  # orthogonal polynomials and NumPy's functions, made above


_complete(globals(), __all__, _TEXTS, "scipy.special", without=("orthopoly1d",))


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
