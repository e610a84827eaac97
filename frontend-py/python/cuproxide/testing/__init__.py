"""Assertions for arrays of this library and of NumPy alike, and decorators that compare the two libraries.

@testing.for_all_dtypes()
@testing.numpy_cuproxide_allclose(rtol=1e-6)
def test_sum(xp, dtype):
    return xp.arange(10, dtype=dtype).sum()
"""

# ruff: noqa: F403, F405

from . import _assertions, _comparison, _parameters
from ._assertions import *
from ._comparison import *
from ._parameters import *

__all__ = [*_assertions.__all__, *_comparison.__all__, *_parameters.__all__]  # noqa: PLE0604
