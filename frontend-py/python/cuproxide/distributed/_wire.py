"""How arrays travel: as which elements, and what their combination means.

Moves (broadcast, gather, send, ...) carry bytes, so every dtype can travel. Reductions combine elements as NumPy's
`add`, `multiply`, `maximum` and `minimum` do, whatever the library below knows:

- bool: `sum` and `max` are *or*, `prod` and `min` are *and*.
- Floats: `max` and `min` propagate NaN as NumPy does. The libraries leave that open, so the bits travel as integers of
  the same order, NaN first.
- Integers of 16 bits travel as 32 bits where the library lacks them; sums and products wrap as in NumPy.
- complex: `sum` of pairs of reals. Products are none of pairs, and NumPy's order of complex numbers is that of their
  real parts first: both are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import cuproxide as cp

from .._lib.element_types import NARROW

__all__ = ["OPERATORS", "Passage", "check_operator", "passage"]

OPERATORS = ("sum", "prod", "max", "min")

_REALS = {"complex64": "float32", "complex128": "float64"}
_BITS = {2: "int16", 4: "int32", 8: "int64"}


def check_operator(op: Any, dtype: np.dtype, operation: str) -> None:
    """Refuses operators that do not exist or mean nothing for a dtype."""
    if op not in OPERATORS:
        raise ValueError(f"{operation}: op={op!r} is none of {', '.join(OPERATORS)}")
    if dtype.kind == "c" and op != "sum":
        reason = "products of complex numbers are none of their parts" if op == "prod" else "they have no order"
        raise ValueError(f"{operation}: op={op!r} of {dtype}: {reason}; only 'sum' combines complex numbers of ranks")


@dataclass(frozen=True)
class Passage:
    """How a reduction is done: the elements that travel, what combines them, and the ways there and back."""

    dtype: str
    op: str
    there: Callable[[Any], Any]
    back: Callable[[Any], Any]
    #: Whether both ways lead to views: what is received there is in the array.
    views: bool = False


def _same(array: Any) -> Any:
    return array


def _through(wire: str, home: np.dtype) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return lambda array: array.astype(wire), lambda array: array.astype(home)


def _viewed(wire: str, home: np.dtype) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    return lambda array: array.reshape(-1).view(wire), lambda array: array.reshape(-1).view(home)


def _ordered(dtype: np.dtype, op: str) -> tuple[str, Callable[[Any], Any], Callable[[Any], Any]]:
    """Bits of floats as integers in the order of the numbers, where NaN is what `op` chooses."""
    bits = _BITS[dtype.itemsize]
    most = np.iinfo(bits).max
    shift = 8 * dtype.itemsize - 1

    def flip(integers: Any) -> Any:
        # Negative numbers go the other way; the same step leads back.
        return integers ^ ((integers >> np.dtype(bits).type(shift)) & np.dtype(bits).type(most))

    def there(array: Any) -> Any:
        first = most if op == "max" else np.iinfo(bits).min
        return cp.where(array != array, first, flip(array.view(bits))).astype(bits)

    return bits, there, lambda integers: flip(integers).view(dtype)


# A NumPy dtype makes its name anew each time it is asked, which takes as long as a small message.
@lru_cache(maxsize=256)
def passage(dtype: np.dtype, op: str, known: frozenset[str]) -> Passage:
    """The way of a reduction of `dtype` by a library that combines the dtypes `known`.

    Parameters
    ----------
    dtype : dtype
        That of the arrays.
    op : str
        A checked operator.
    known : frozenset of str
        Names of the dtypes that the library sums; it has integers of 32 bits at least.
    """
    name = dtype.name
    if name == "bool":
        return Passage("uint8", "max" if op in ("sum", "max") else "min", *_viewed("uint8", dtype), views=True)
    if name in _REALS:
        return Passage(_REALS[name], op, *_viewed(_REALS[name], dtype), views=True)
    if dtype.kind == "f" or name in NARROW:
        if op in ("max", "min"):
            bits, there, back = _ordered(dtype, op)
            if bits in known:
                return Passage(bits, op, there, back)
            return Passage("int32", op, lambda array: there(array).astype("int32"), lambda got: back(got.astype(bits)))
        # Half precision is summed in single precision and rounded once, where the library has no such elements.
        wire = name if name in known else "float32"
    elif dtype.kind in "iu":
        wire = name if name in known else "int32" if dtype.kind == "i" else "uint32"
    else:
        raise TypeError(f"arrays of {dtype} cannot be combined")
    ways = (_same, _same) if wire == name else _through(wire, dtype)
    return Passage(wire, op, *ways, views=wire == name)
