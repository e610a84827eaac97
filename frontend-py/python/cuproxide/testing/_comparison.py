"""Decorators that run one test with NumPy and with this library, and compare what the runs return or raise."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .._cuproxide import asnumpy, ndarray
from . import _assertions
from ._signature import Test, skips_of_tests, supplying

__all__ = [
    "numpy_cupy_allclose",
    "numpy_cupy_array_almost_equal",
    "numpy_cupy_array_almost_equal_nulp",
    "numpy_cupy_array_equal",
    "numpy_cupy_array_less",
    "numpy_cupy_array_list_equal",
    "numpy_cupy_array_max_ulp",
    "numpy_cupy_equal",
    "numpy_cuproxide_allclose",
    "numpy_cuproxide_array_almost_equal",
    "numpy_cuproxide_array_almost_equal_nulp",
    "numpy_cuproxide_array_equal",
    "numpy_cuproxide_array_less",
    "numpy_cuproxide_array_list_equal",
    "numpy_cuproxide_array_max_ulp",
    "numpy_cuproxide_equal",
]

_SCIENCE = {"numpy": "scipy", "cuproxide": "cuproxide.scipy", "cupy": "cupyx.scipy"}
Acceptable = bool | type[Exception] | tuple[type[Exception], ...]
Decorator = Callable[[Test], Test]


def _outcome(test: Test, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Exception | None]:
    try:
        return test(*args, **kwargs), None
    except skips_of_tests():
        raise
    except Exception as error:
        return None, error


def _check_errors(ours: Exception | None, theirs: Exception | None, accept: Acceptable) -> None:
    """Raises unless both runs raised exceptions that are acceptable and of matching types."""
    if ours is None:
        raise AssertionError(f"only NumPy raises: {theirs!r}") from theirs
    if theirs is None:
        raise AssertionError(f"only cuproxide raises: {ours!r}") from ours
    accepted = Exception if accept is True else () if accept is False else accept
    if not (isinstance(ours, accepted) and isinstance(theirs, accepted)):
        raise AssertionError(f"both raise, which was not expected: {ours!r}; NumPy: {theirs!r}") from ours
    if not (isinstance(ours, type(theirs)) or isinstance(theirs, type(ours))):
        raise AssertionError(f"exceptions differ: {ours!r}; NumPy: {theirs!r}") from ours


def _pairs(ours: Any, theirs: Any) -> list[tuple[Any, Any]]:
    if not isinstance(theirs, (tuple, list)):
        return [(ours, theirs)]
    if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
        raise AssertionError(f"results differ in number: {ours!r}; NumPy: {theirs!r}")
    return [pair for one, other in zip(ours, theirs, strict=True) for pair in _pairs(one, other)]


def _check_kinds(ours: Any, theirs: Any, dtypes: bool, layout: bool) -> None:
    if dtypes and np.result_type(asnumpy(ours)) != np.result_type(theirs):
        raise AssertionError(f"dtypes differ: {asnumpy(ours).dtype}; NumPy: {np.asarray(theirs).dtype}")
    if layout and isinstance(ours, ndarray) and isinstance(theirs, np.ndarray):
        for order in ("c_contiguous", "f_contiguous"):
            if getattr(theirs.flags, order) and not getattr(ours.flags, order):
                raise AssertionError(f"NumPy's result is {order}, this is not: strides {ours.strides}")


def _decorator(
    check: Callable[[Any, Any], None],
    name: str,
    type_check: bool,
    accept_error: Acceptable,
    sp_name: str | None,
    scipy_name: str | None,
    contiguous_check: bool = False,
    whole: bool = False,
    maybe_none: bool = False,
) -> Decorator:
    def decorate(test: Test) -> Test:
        def wrapper(*args: Any, **kwargs: Any) -> None:
            def run(package: str) -> tuple[Any, Exception | None]:
                given = {name: importlib.import_module(package)}
                given |= {key: importlib.import_module(_SCIENCE[package]) for key in (sp_name, scipy_name) if key}
                return _outcome(test, args, kwargs | given)

            # The package under the name that its arrays have: "cupy" while `compat` is installed.
            (ours, our_error), (theirs, their_error) = run(ndarray.__module__), run("numpy")
            if our_error is not None or their_error is not None:
                _check_errors(our_error, their_error, accept_error)
                return
            if ours is None and theirs is None and not maybe_none:
                raise AssertionError("the test returns nothing to compare")
            pairs = _pairs(ours, theirs)
            for one, other in pairs:
                _check_kinds(one, other, type_check, contiguous_check)
            for one, other in [(ours, theirs)] if whole else pairs:
                check(one, other)

        return supplying((name, sp_name, scipy_name), test, wrapper)

    return decorate


def _tolerance(value: float | Mapping[Any, float], dtype: np.dtype[Any], default: float) -> float:
    if not isinstance(value, Mapping):
        return value
    named = {key if key == "default" else np.dtype(key): tolerance for key, tolerance in value.items()}
    return named.get(dtype, named.get("default", default))


def numpy_cupy_allclose(
    rtol: float | Mapping[Any, float] = 1e-7,
    atol: float | Mapping[Any, float] = 0,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    contiguous_check: bool = True,
) -> Decorator:
    """Runs a test with `name` as this library and as NumPy, and asserts that the results are close.

    Tolerances may differ by dtype: `rtol={np.float16: 1e-3, "default": 1e-6}`. dtypes are compared with `type_check`,
    the order in memory with `contiguous_check`. If both runs raise, the types of the exceptions must match and be
    among `accept_error` (`True` for any). A test returns an array, a scalar, or a tuple or list of them.

    Parameters
    ----------
    contiguous_check : bool
        Whether orders in memory have to agree.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_allclose(rtol=1e-6)
    ... def test(xp):
    ...     return xp.exp(xp.linspace(0, 1, 5))
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        dtype = np.result_type(theirs)
        relative, absolute = _tolerance(rtol, dtype, 1e-7), _tolerance(atol, dtype, 0)
        _assertions.assert_allclose(ours, theirs, relative, absolute, err_msg=err_msg, verbose=verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name, contiguous_check)


def numpy_cupy_array_almost_equal(
    decimal: int = 6,
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """Like `numpy_cupy_allclose`, with results that agree to `decimal` places.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_almost_equal(decimal=5)
    ... def test(xp):
    ...     return xp.sin(xp.arange(4.0))
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_almost_equal(ours, theirs, decimal, err_msg, verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_almost_equal_nulp(
    nulp: int = 1,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """Like `numpy_cupy_allclose`, with results within `nulp` spacings.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_almost_equal_nulp(nulp=2)
    ... def test(xp):
    ...     return xp.log(xp.arange(1.0, 5.0))
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_almost_equal_nulp(ours, theirs, nulp)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_max_ulp(
    maxulp: int = 1,
    dtype: Any = None,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """Like `numpy_cupy_allclose`, with results within `maxulp` units in the last place of `dtype`.

    Parameters
    ----------
    dtype : dtype, optional
        The type of the result's elements.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_max_ulp(maxulp=2)
    ... def test(xp):
    ...     return xp.cbrt(xp.arange(1.0, 5.0))
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_max_ulp(ours, theirs, maxulp, dtype)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
    strides_check: bool = False,
) -> Decorator:
    """Like `numpy_cupy_allclose`, with results that are equal, and of equal strides with `strides_check`.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_equal(accept_error=ValueError)
    ... def test(xp):
    ...     return xp.arange(6).reshape(2, 3).T
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_equal(ours, theirs, err_msg, verbose, strides_check)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_list_equal(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """Like `numpy_cupy_array_equal` for lists of arrays, whose dtypes may differ.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_list_equal()
    ... def test(xp):
    ...     return list(xp.nonzero(xp.arange(4) % 2))
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_list_equal(ours, theirs, err_msg, verbose)

    return _decorator(check, name, False, False, sp_name, scipy_name, whole=True)


def numpy_cupy_array_less(
    err_msg: str = "",
    verbose: bool = True,
    name: str = "xp",
    type_check: bool = True,
    accept_error: Acceptable = False,
    sp_name: str | None = None,
    scipy_name: str | None = None,
) -> Decorator:
    """Like `numpy_cupy_allclose`, with the results of this library less than NumPy's.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_array_less()
    ... def test(xp):
    ...     return xp.zeros(3) + (xp.__name__ == "numpy")
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        _assertions.assert_array_less(ours, theirs, err_msg, verbose)

    return _decorator(check, name, type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_equal(name: str = "xp", sp_name: str | None = None, scipy_name: str | None = None) -> Decorator:
    """Like `numpy_cupy_array_equal` for results of any kind that `==` compares: numbers, dtypes, shapes, text, None.

    >>> from cuproxide import testing
    >>> @testing.numpy_cupy_equal()
    ... def test(xp):
    ...     return xp.ones((2, 3)).shape
    >>> test()
    """

    def check(ours: Any, theirs: Any) -> None:
        if ours != theirs:
            raise AssertionError(f"results differ: {ours!r}; NumPy: {theirs!r}")

    return _decorator(check, name, False, False, sp_name, scipy_name, whole=True, maybe_none=True)


numpy_cuproxide_allclose = numpy_cupy_allclose
numpy_cuproxide_array_almost_equal = numpy_cupy_array_almost_equal
numpy_cuproxide_array_almost_equal_nulp = numpy_cupy_array_almost_equal_nulp
numpy_cuproxide_array_equal = numpy_cupy_array_equal
numpy_cuproxide_array_less = numpy_cupy_array_less
numpy_cuproxide_array_list_equal = numpy_cupy_array_list_equal
numpy_cuproxide_array_max_ulp = numpy_cupy_array_max_ulp
numpy_cuproxide_equal = numpy_cupy_equal
