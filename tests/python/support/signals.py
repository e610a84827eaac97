"""The comparison of `cuproxide.scipy.signal` with SciPy: results, dtypes, shapes, and the types of errors."""

import warnings

import cuproxide as cp
import numpy as np
import scipy.signal

ours = cp.scipy.signal


def on_device(value):
    """The same with arrays of NumPy on the device; tuples are searched, lists stay parameters of the host."""
    if isinstance(value, np.ndarray):
        return cp.asarray(value)
    return tuple(on_device(item) for item in value) if type(value) is tuple else value


def on_host(value):
    return value.get() if isinstance(value, cp.ndarray) else value


def outcome(function, args, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **options)
        except Exception as error:
            return error


def agree(found, expected, tolerance, what):
    """Asserts that a result has the structure of SciPy's and its values, to a part of the greatest of them."""
    if isinstance(expected, dict):
        assert set(found) == set(expected), what
        for name in expected:
            agree(found[name], expected[name], tolerance, (what, name))
    elif isinstance(expected, (tuple, list)):
        assert len(found) == len(expected), what
        for number, (one, other) in enumerate(zip(found, expected, strict=True)):
            agree(one, other, tolerance, (what, number))
    elif isinstance(expected, (str, bool)):
        assert found == expected, what
    else:
        if isinstance(expected, np.ndarray) and expected.ndim:
            assert isinstance(found, (cp.ndarray, np.ndarray)), what
        found, expected = np.asarray(on_host(found)), np.asarray(expected)
        assert found.shape == expected.shape, (what, found.shape, expected.shape)
        assert found.dtype == expected.dtype or not expected.ndim, (what, found.dtype, expected.dtype)
        if expected.dtype == bool:
            np.testing.assert_array_equal(found, expected, err_msg=str(what))
            return
        finite = abs(expected[np.isfinite(expected)])
        scale = max(finite.max(initial=0), np.finfo(float).tiny)
        np.testing.assert_allclose(found / scale, expected / scale, rtol=tolerance, atol=tolerance, err_msg=str(what))


def same(name, *args, tolerance=1e-9, module=(ours, scipy.signal), **options):
    """Calls a function of both packages and asserts that they give the same, or raise errors of one type."""
    what = (name, [getattr(value, "shape", value) for value in args], list(options))
    expected = outcome(getattr(module[1], name), args, options)
    found = outcome(
        getattr(module[0], name), [on_device(value) for value in args], {k: on_device(v) for k, v in options.items()}
    )
    if isinstance(expected, Exception) or isinstance(found, Exception):
        assert type(found) is type(expected), (what, found, expected)
    else:
        agree(found, expected, tolerance, what)
