"""Assertions for arrays of this library and of NumPy alike, and decorators that compare the two libraries.

    @testing.for_all_dtypes()
    @testing.numpy_cuproxide_allclose(rtol=1e-6)
    def test_sum(xp, dtype):
        return xp.arange(10, dtype=dtype).sum()

Decorators that name CuPy have this name too, and run the test with this library.
"""

# ruff: noqa: F403, F405

from .._lib.exports import declared as _declared
from .._lib.texts import complete as _complete
from ._arrays import *
from ._assertions import *
from ._comparison import *
from ._conditions import *
from ._parameterized import *
from ._parameters import *
from ._texts import TEXTS as _TEXTS

__all__ = _declared(globals())

_complete(globals(), __all__, _TEXTS)
