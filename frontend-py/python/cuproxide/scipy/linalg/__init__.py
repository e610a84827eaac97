"""Linear algebra beyond NumPy's: factors, functions of matrices, equations, special matrices. See `scipy.linalg`."""

# ruff: noqa: F403, F405

from __future__ import annotations

from ..._lib.exports import declared as _declared
from ..._lib.texts import complete as _complete
from . import interpolative
from ._balance import *
from ._banded import *
from ._basic import *
from ._common import LinAlgError as LinAlgError
from ._common import LinAlgWarning as LinAlgWarning
from ._cosine_sine import *
from ._eigen import *
from ._equations import *
from ._exponentials import *
from ._factors import *
from ._functions import *
from ._indefinite import *
from ._orthogonal import *
from ._pencils import *
from ._schur import *
from ._signs import *
from ._sketches import *
from ._structured import *
from ._texts import TEXTS as _TEXTS
from ._updates import *

__all__ = ["interpolative", *_declared(globals())]


_complete(globals(), __all__, _TEXTS, "scipy.linalg")
_complete(vars(interpolative), interpolative.__all__, _TEXTS, "scipy.linalg.interpolative")


def __dir__() -> list[str]:
    # What the module is made of is no part of it.
    return sorted(__all__)
