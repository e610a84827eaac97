"""Decorators that run one test for several dtypes, orders and casting modes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide
from ._signature import Test, skips_of_tests, supplying

__all__ = [
    "for_CF_orders",
    "for_all_dtypes",
    "for_all_dtypes_combination",
    "for_castings",
    "for_complex_dtypes",
    "for_contiguous_axes",
    "for_dtypes",
    "for_dtypes_combination",
    "for_float_dtypes",
    "for_int_dtypes",
    "for_int_dtypes_combination",
    "for_orders",
    "for_signed_dtypes",
    "for_signed_dtypes_combination",
    "for_unsigned_dtypes",
    "for_unsigned_dtypes_combination",
]

Decorator = Callable[[Test], Test]

_SIGNED = (np.int8, np.int16, np.int32, np.int64)
_UNSIGNED = (np.uint8, np.uint16, np.uint32, np.uint64)
_FLOATS = (np.float64, np.float32, np.float16)
_COMPLEX = (np.complex64, np.complex128)


def _for_each(names: Sequence[str], cases: Iterable[Sequence[Any]]) -> Decorator:
    """Runs a test once for each case; failures tell the case, and if all cases are skipped the test is."""
    arguments = [dict(zip(names, case, strict=True)) for case in cases]

    def decorate(test: Test) -> Test:
        def wrapper(*args: Any, **kwargs: Any) -> None:
            skips = []
            for case in arguments:
                try:
                    test(*args, **kwargs, **case)
                except skips_of_tests() as reason:
                    skips.append(reason)
                except Exception as error:
                    shown = ", ".join(f"{name}={getattr(value, '__name__', value)!r}" for name, value in case.items())
                    error.add_note(f"with {shown}")
                    raise
            if arguments and len(skips) == len(arguments):
                raise skips[-1]

        return supplying(tuple(names), test, wrapper)

    return decorate


def _types(dtypes: Iterable[Any]) -> list[type]:
    return [np.dtype(dtype).type for dtype in dtypes]


def for_dtypes(dtypes: Iterable[Any], name: str = "dtype") -> Decorator:
    """Runs a test with `name` as each of `dtypes` (as scalar types).

    Parameters
    ----------
    dtypes : sequence of dtype
        The dtypes.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_dtypes(["f4", "i1"])
    ... def test(dtype):
    ...     seen.append(dtype.__name__)
    >>> test()
    >>> seen
    ['float32', 'int8']
    """
    return _for_each((name,), [(dtype,) for dtype in _types(dtypes)])


def _all(no_float16: bool, no_bool: bool, no_complex: bool) -> tuple[type, ...]:
    floats = _FLOATS[:-1] if no_float16 else _FLOATS
    return (*floats, *_SIGNED, *_UNSIGNED, *(() if no_bool else (np.bool_,)), *(() if no_complex else _COMPLEX))


def for_all_dtypes(
    name: str = "dtype", no_float16: bool = False, no_bool: bool = False, no_complex: bool = False
) -> Decorator:
    """Runs a test with `name` as each numeric dtype of NumPy, less those left out.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_all_dtypes(no_bool=True, no_complex=True)
    ... def test(dtype):
    ...     seen.append(np.dtype(dtype).char)
    >>> test()
    >>> "".join(seen)
    'dfebhilBHIL'
    """
    return for_dtypes(_all(no_float16, no_bool, no_complex), name)


def for_float_dtypes(name: str = "dtype", no_float16: bool = False) -> Decorator:
    """Runs a test with `name` as each floating dtype.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_float_dtypes(no_float16=True)
    ... def test(dtype):
    ...     seen.append(dtype.__name__)
    >>> test()
    >>> seen
    ['float64', 'float32']
    """
    return for_dtypes(_FLOATS[:-1] if no_float16 else _FLOATS, name)


def for_signed_dtypes(name: str = "dtype") -> Decorator:
    """Runs a test with `name` as each signed integer dtype."""
    return for_dtypes(_SIGNED, name)


def for_unsigned_dtypes(name: str = "dtype") -> Decorator:
    """Runs a test with `name` as each unsigned integer dtype."""
    return for_dtypes(_UNSIGNED, name)


def for_int_dtypes(name: str = "dtype", no_bool: bool = False) -> Decorator:
    """Runs a test with `name` as each integer dtype, and bool unless left out.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_int_dtypes(no_bool=True)
    ... def test(dtype):
    ...     seen.append(np.dtype(dtype).char)
    >>> test()
    >>> "".join(seen)
    'bhilBHIL'
    """
    return for_dtypes((*_SIGNED, *_UNSIGNED, *(() if no_bool else (np.bool_,))), name)


def for_complex_dtypes(name: str = "dtype") -> Decorator:
    """Runs a test with `name` as each complex dtype."""
    return for_dtypes(_COMPLEX, name)


def for_dtypes_combination(
    types: Iterable[Any], names: Sequence[str] = ("dtype",), full: bool | None = None
) -> Decorator:
    """Runs a test with `names` as combinations of dtypes.

    All of them if `full`, by default if the environment has `CUPROXIDE_TEST_FULL_COMBINATION=1`; otherwise a few in
    which each name takes each dtype.

    Parameters
    ----------
    types : sequence of dtype
        The dtypes.

    >>> from cuproxide import testing
    >>> seen = set()
    >>> @testing.for_dtypes_combination(["f4", "f8"], names=["a", "b"], full=True)
    ... def test(a, b):
    ...     seen.add((np.dtype(a).char, np.dtype(b).char))
    >>> test()
    >>> sorted(seen)
    [('d', 'd'), ('d', 'f'), ('f', 'd'), ('f', 'f')]
    """
    types = _types(types)
    if full is None:
        full = bool(_cuproxide.setting("CUPROXIDE_TEST_FULL_COMBINATION"))
    if full:
        return _for_each(names, itertools.product(types, repeat=len(names)))
    count = len(types)
    cases = {
        tuple(types[(row + shift * column) % count] for column in range(len(names)))
        for row in range(count)
        for shift in (0, 1, 4)
    }
    return _for_each(names, sorted(cases, key=lambda case: [types.index(kind) for kind in case]))


def for_all_dtypes_combination(
    names: Sequence[str] = ("dtypes",),
    no_float16: bool = False,
    no_bool: bool = False,
    full: bool | None = None,
    no_complex: bool = False,
) -> Decorator:
    """`for_dtypes_combination` of the dtypes of `for_all_dtypes`.

    >>> from cuproxide import testing
    >>> @testing.for_all_dtypes_combination(names=["a", "b"])
    ... def test(a, b):
    ...     assert (cp.ones(2, a) + cp.ones(2, b)).dtype == np.result_type(a, b)
    >>> test()
    """
    return for_dtypes_combination(_all(no_float16, no_bool, no_complex), names, full)


def for_signed_dtypes_combination(names: Sequence[str] = ("dtype",), full: bool | None = None) -> Decorator:
    """`for_dtypes_combination` of the signed integer dtypes.

    >>> from cuproxide import testing
    >>> @testing.for_signed_dtypes_combination(names=["a", "b"])
    ... def test(a, b):
    ...     assert int(cp.asarray(-3, a) * cp.asarray(2, b)) == -6
    >>> test()
    """
    return for_dtypes_combination(_SIGNED, names, full)


def for_unsigned_dtypes_combination(names: Sequence[str] = ("dtype",), full: bool | None = None) -> Decorator:
    """`for_dtypes_combination` of the unsigned integer dtypes.

    >>> from cuproxide import testing
    >>> @testing.for_unsigned_dtypes_combination(names=["a", "b"])
    ... def test(a, b):
    ...     assert int(cp.asarray(3, a) | cp.asarray(4, b)) == 7
    >>> test()
    """
    return for_dtypes_combination(_UNSIGNED, names, full)


def for_int_dtypes_combination(
    names: Sequence[str] = ("dtype",), no_bool: bool = False, full: bool | None = None
) -> Decorator:
    """`for_dtypes_combination` of the integer dtypes, and bool unless left out.

    >>> from cuproxide import testing
    >>> @testing.for_int_dtypes_combination(names=["a", "b"], no_bool=True)
    ... def test(a, b):
    ...     assert int(cp.asarray(7, a) // cp.asarray(2, b)) == 3
    >>> test()
    """
    return for_dtypes_combination((*_SIGNED, *_UNSIGNED, *(() if no_bool else (np.bool_,))), names, full)


def for_orders(orders: Iterable[str | None], name: str = "order") -> Decorator:
    """Runs a test with `name` as each of `orders`.

    Parameters
    ----------
    orders : sequence of str
        The orders.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_orders(["C", "F"])
    ... def test(order):
    ...     seen.append(order)
    >>> test()
    >>> seen
    ['C', 'F']
    """
    return _for_each((name,), [(order,) for order in orders])


def for_CF_orders(name: str = "order") -> Decorator:
    """Runs a test with `name` as each way to ask for C or Fortran order."""
    return for_orders((None, "C", "F", "c", "f"), name)


def for_contiguous_axes(name: str = "axis") -> Decorator:
    """Runs a method with `name` as each group of axes that is contiguous in arrays of `self.shape` in `self.order`.

    These are the last axes in order "C", the first ones in order "F".
    """

    def decorate(test: Test) -> Test:
        def wrapper(self: Any, *args: Any, **kwargs: Any) -> None:
            ndim = len(self.shape)
            groups = {
                "C": [tuple(range(first, ndim)) for first in range(ndim)],
                "F": [tuple(range(end + 1)) for end in range(ndim)],
            }
            if str(self.order).upper() not in groups:
                raise ValueError(f"order must be 'C' or 'F' (got {self.order!r})")
            each = _for_each((name,), [(axes,) for axes in groups[self.order.upper()]])
            each(test)(self, *args, **kwargs)

        return supplying((name,), test, wrapper)

    return decorate


def for_castings(castings: Iterable[str] | None = None, name: str = "casting") -> Decorator:
    """Runs a test with `name` as each of `castings`, by default all modes.

    Parameters
    ----------
    castings : sequence of str, optional
        The casting rules.

    >>> from cuproxide import testing
    >>> seen = []
    >>> @testing.for_castings()
    ... def test(casting):
    ...     seen.append(casting)
    >>> test()
    >>> seen
    ['no', 'equiv', 'safe', 'same_kind', 'unsafe']
    """
    castings = ("no", "equiv", "safe", "same_kind", "unsafe") if castings is None else castings
    return _for_each((name,), [(casting,) for casting in castings])
