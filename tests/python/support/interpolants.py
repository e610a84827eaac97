"""What the tests of scipy.interpolate share: comparisons of results and of errors with SciPy's."""

import cuproxide as cp
import numpy as np


def near(actual, expected, tolerance=1e-9, message="", dtype=True):
    """Asserts that an array has the shape, dtype and, relative to its largest value, the values of a host array."""
    expected = np.asarray(expected)
    assert isinstance(actual, cp.ndarray), type(actual)
    assert actual.shape == expected.shape, f"{message}: shape {actual.shape}, SciPy has {expected.shape}"
    if dtype:
        assert actual.dtype == expected.dtype, f"{message}: dtype {actual.dtype}, SciPy has {expected.dtype}"
    host = cp.asnumpy(actual)
    finite = np.isfinite(expected)
    scale = max(1.0, float(abs(expected[finite]).max())) if finite.any() else 1.0
    np.testing.assert_allclose(host, expected, rtol=0, atol=tolerance * scale, err_msg=str(message))


def outcome(call, library, length=24):
    """The type of the error of a call and the beginning of its message."""
    try:
        call(library)
    except Exception as error:  # noqa: BLE001
        return type(error).__name__, str(error)[:length]
    return "no error", ""


def rising(random, count, least=0.3):
    """Points at random distances."""
    return np.cumsum(least + random.random(count)) - 2.0


def device(*arrays):
    """Host arrays on the device."""
    return [cp.asarray(array) for array in arrays]
