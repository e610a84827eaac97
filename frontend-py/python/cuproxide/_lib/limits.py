"""The limits of element types."""

from __future__ import annotations

from types import GenericAlias
from typing import Any

import numpy as np

from .._cuproxide import ndarray
from .._typing import DTypeLike
from .element_types import EXTENSIONS

_INTEGERS = ("bits", "iexp", "machep", "maxexp", "minexp", "negep", "nexp", "nmant", "precision")
_NUMBERS = ("eps", "epsneg", "max", "min", "resolution", "smallest_normal", "smallest_subnormal", "tiny")


class finfo:
    """The limits of a floating or complex dtype, or of an array's dtype, bfloat16 included. See `numpy.finfo`.

    Limits are Python floats, as the array API standard has it: with arrays of any dtype they keep the array's dtype.

    Parameters
    ----------
    dtype : dtype
        A floating or complex type.

    >>> cp.finfo(cp.float32).bits
    32
    """

    __module__ = "cuproxide"

    dtype: np.dtype[Any]
    bits: int
    iexp: int
    machep: int
    maxexp: int
    minexp: int
    negep: int
    nexp: int
    nmant: int
    precision: int
    eps: float
    epsneg: float
    max: float
    min: float
    resolution: float
    smallest_normal: float
    smallest_subnormal: float
    tiny: float

    def __init__(self, dtype: DTypeLike | ndarray) -> None:
        if dtype is None:
            raise TypeError("dtype must not be None")
        found = dtype.dtype if isinstance(dtype, (ndarray, np.generic)) else dtype
        if isinstance(found, (int, float, complex)):
            found = type(found)
        limits: Any
        if np.dtype(found).name in EXTENSIONS:
            import ml_dtypes

            limits = ml_dtypes.finfo(found)
        else:
            limits = np.finfo(found)
        self.dtype = np.dtype(limits.dtype)
        for name in _INTEGERS:
            setattr(self, name, int(getattr(limits, name)))
        for name in _NUMBERS:
            setattr(self, name, float(getattr(limits, name)))

    __class_getitem__: classmethod[Any, ..., GenericAlias] = classmethod(GenericAlias)

    def __str__(self) -> str:
        rows = [f"{name} = {getattr(self, name)}" for name in ("dtype", *_INTEGERS, *_NUMBERS)]
        return f"Machine parameters for {self.dtype}\n" + "\n".join(rows) + "\n"

    def __repr__(self) -> str:
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return self.dtype == other.dtype if isinstance(other, finfo) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo(np.iinfo):
    """The limits of an integer dtype, or of an array's dtype. See `numpy.iinfo`.

    >>> cp.iinfo("i2").max
    32767
    """

    __module__ = "cuproxide"

    def __init__(self, int_type: Any) -> None:
        super().__init__(int_type.dtype if isinstance(int_type, ndarray) else int_type)
