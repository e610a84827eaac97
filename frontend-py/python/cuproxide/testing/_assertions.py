"""Assertions of `numpy.testing` that take arrays of this library and of NumPy alike."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._cuproxide import asnumpy

__all__ = [
    "assert_allclose",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
]


def assert_allclose(
    actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0, err_msg: str = "", verbose: bool = True
) -> None:
    """Raises `AssertionError` unless all elements are close. See `numpy.testing.assert_allclose`."""
    np.testing.assert_allclose(asnumpy(actual), asnumpy(desired), rtol, atol, err_msg=err_msg, verbose=verbose)


def assert_array_almost_equal(
    actual: Any, desired: Any, decimal: int = 6, err_msg: str = "", verbose: bool = True
) -> None:
    """Raises `AssertionError` unless elements agree to `decimal` places. See `numpy.testing`."""
    np.testing.assert_array_almost_equal(asnumpy(actual), asnumpy(desired), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x: Any, y: Any, nulp: int = 1) -> None:
    """Raises `AssertionError` unless elements are within `nulp` spacings. See `numpy.testing`."""
    np.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp)


def assert_array_max_ulp(a: Any, b: Any, maxulp: int = 1, dtype: Any = None) -> None:
    """Raises `AssertionError` unless elements are within `maxulp` units in the last place. See `numpy.testing`."""
    np.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp, dtype)


def assert_array_equal(
    actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False
) -> None:
    """Raises `AssertionError` unless shapes and elements are equal. See `numpy.testing.assert_array_equal`."""
    np.testing.assert_array_equal(asnumpy(actual), asnumpy(desired), err_msg, verbose, strict=strict)


def assert_array_list_equal(xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Raises `AssertionError` unless two lists hold equal arrays."""
    if len(xlist) != len(ylist):
        raise AssertionError(f"list sizes differ: {len(xlist)} and {len(ylist)}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


def assert_array_less(x: Any, y: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Raises `AssertionError` unless each element of `x` is less than that of `y`. See `numpy.testing`."""
    np.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg, verbose)
