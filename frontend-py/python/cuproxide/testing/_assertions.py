"""Assertions of `numpy.testing` that take arrays of this library and of NumPy alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.testing import assert_no_warnings, assert_raises, assert_raises_regex, assert_warns

from .._cuproxide import asnumpy, ndarray

__all__ = [
    "assert_allclose",
    "assert_almost_equal",
    "assert_approx_equal",
    "assert_array_almost_equal",
    "assert_array_almost_equal_nulp",
    "assert_array_equal",
    "assert_array_less",
    "assert_array_list_equal",
    "assert_array_max_ulp",
    "assert_equal",
    "assert_no_warnings",
    "assert_raises",
    "assert_raises_regex",
    "assert_warns",
]


def _on_host(thing: Any) -> Any:
    """A thing with NumPy's arrays in the place of arrays on a device, in lists, tuples and dicts too."""
    if isinstance(thing, ndarray):
        return asnumpy(thing)
    if isinstance(thing, (list, tuple)):
        return type(thing)(map(_on_host, thing)) if type(thing) in (list, tuple) else tuple(map(_on_host, thing))
    if isinstance(thing, dict):
        return {key: _on_host(value) for key, value in thing.items()}
    return thing


def assert_equal(actual: Any, desired: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Raises `AssertionError` unless two things are equal: arrays, scalars, and lists, tuples and dicts of them.

    See Also
    --------
    numpy.testing.assert_equal : The function that this one follows.

    >>> testing.assert_equal({"x": cp.arange(3)}, {"x": np.arange(3)})
    """
    np.testing.assert_equal(_on_host(actual), _on_host(desired), err_msg, verbose, strict=strict)


def assert_almost_equal(actual: Any, desired: Any, decimal: int = 7, err_msg: str = "", verbose: bool = True) -> None:
    """Raises `AssertionError` unless numbers or arrays agree to `decimal` places.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> testing.assert_almost_equal(cp.sqrt(cp.asarray(2.0)), 1.41421, decimal=5)
    """
    np.testing.assert_almost_equal(_on_host(actual), _on_host(desired), decimal, err_msg, verbose)


def assert_approx_equal(
    actual: Any, desired: Any, significant: int = 7, err_msg: str = "", verbose: bool = True
) -> None:
    """Raises `AssertionError` unless two numbers agree to `significant` digits.

    Parameters
    ----------
    significant : int
        The number of significant digits.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> testing.assert_approx_equal(1234.5, 1234.6, significant=4)
    """
    np.testing.assert_approx_equal(_on_host(actual), _on_host(desired), significant, err_msg, verbose)


def assert_allclose(
    actual: Any,
    desired: Any,
    rtol: float = 1e-7,
    atol: float = 0,
    equal_nan: bool = True,
    err_msg: str = "",
    verbose: bool = True,
    *,
    strict: bool = False,
) -> None:
    """Raises `AssertionError` unless all elements are close.

    Parameters
    ----------
    equal_nan : bool
        Whether NaN equals NaN.

    See Also
    --------
    numpy.testing.assert_allclose : The function that this one follows.

    >>> testing.assert_allclose(cp.asarray([0.1, 0.2]) * 3, [0.3, 0.6], rtol=1e-12)
    """
    bounds: tuple[Any, Any] = asnumpy(rtol)[()], asnumpy(atol)[()]
    np.testing.assert_allclose(asnumpy(actual), asnumpy(desired), *bounds, equal_nan, err_msg, verbose, strict=strict)


def assert_array_almost_equal(
    actual: Any, desired: Any, decimal: int = 6, err_msg: str = "", verbose: bool = True
) -> None:
    """Raises `AssertionError` unless elements agree to `decimal` places.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> testing.assert_array_almost_equal(cp.asarray([1.0, 2.00001]), [1.0, 2.0], decimal=4)
    """
    np.testing.assert_array_almost_equal(asnumpy(actual), asnumpy(desired), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x: Any, y: Any, nulp: int = 1) -> None:
    """Raises `AssertionError` unless elements are within `nulp` spacings.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> x = cp.asarray([1.0, 1000.0])
    >>> testing.assert_array_almost_equal_nulp(x, cp.nextafter(x, 0), nulp=1)
    """
    np.testing.assert_array_almost_equal_nulp(asnumpy(x), asnumpy(y), nulp)


def assert_array_max_ulp(a: Any, b: Any, maxulp: int = 1, dtype: Any = None) -> Any:
    """Raises `AssertionError` unless elements are within `maxulp` units in the last place.

    Parameters
    ----------
    a : array_like
        The first array.
    b : array_like
        The second array.
    dtype : dtype, optional
        The type of the result's elements.

    Returns
    -------
    numpy.ndarray
        How many units they differ by.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> x = cp.asarray([1.0, 1000.0])
    >>> testing.assert_array_max_ulp(x, cp.nextafter(x, 0), maxulp=1).ravel().tolist()
    [1.0, 1.0]
    """
    return np.testing.assert_array_max_ulp(asnumpy(a), asnumpy(b), maxulp, dtype)


def assert_array_equal(
    actual: Any,
    desired: Any,
    err_msg: str = "",
    verbose: bool = True,
    strides_check: bool = False,
    *,
    strict: bool = False,
) -> None:
    """Raises `AssertionError` unless shapes and elements are equal, and strides with `strides_check`.

    See Also
    --------
    numpy.testing.assert_array_equal : The function that this one follows.

    >>> testing.assert_array_equal(cp.arange(3) * 2, [0, 2, 4])
    """
    np.testing.assert_array_equal(asnumpy(actual), asnumpy(desired), err_msg, verbose, strict=strict)
    if strides_check and desired.size and actual.strides != desired.strides:
        raise AssertionError(f"strides differ: {actual.strides} and {desired.strides}")


def assert_array_list_equal(xlist: Any, ylist: Any, err_msg: str = "", verbose: bool = True) -> None:
    """Raises `AssertionError` unless two lists hold equal arrays.

    Parameters
    ----------
    xlist : sequence of array_like
        What came out.
    ylist : sequence of array_like
        What should have.

    >>> testing.assert_array_list_equal(cp.nonzero(cp.asarray([0, 5, 7])), [np.array([1, 2])])
    """
    if len(xlist) != len(ylist):
        raise AssertionError(f"list sizes differ: {len(xlist)} and {len(ylist)}")
    for x, y in zip(xlist, ylist, strict=True):
        assert_array_equal(x, y, err_msg, verbose)


def assert_array_less(x: Any, y: Any, err_msg: str = "", verbose: bool = True, *, strict: bool = False) -> None:
    """Raises `AssertionError` unless each element of `x` is less than that of `y`.

    See Also
    --------
    numpy.testing : The function that this one follows.

    >>> testing.assert_array_less(cp.zeros(3), [1, 2, 3])
    """
    np.testing.assert_array_less(asnumpy(x), asnumpy(y), err_msg, verbose, strict=strict)
