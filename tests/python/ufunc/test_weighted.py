"""Quantiles with weights."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import NUMPY_DTYPES, check, compare, sample

NAMES = ("quantile", "percentile", "nanquantile", "nanpercentile")
SCALE = {"quantile": 1, "nanquantile": 1, "percentile": 100, "nanpercentile": 100}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", [dtype for dtype in NUMPY_DTYPES if dtype.kind in "iuf"], ids=str)
def test_quantiles(name, dtype):
    host = sample(dtype, (4, 5, 3), small=True)
    weights = np.random.default_rng(3).integers(0, 4, (4, 5, 3)).astype(float) + (np.arange(3) == 1)
    for axis in (None, 0, 1, -1, (0, 2), (2, 0)):
        for q in (0, 0.25, 0.5, 1, [0.1, 0.9], [[0.3], [1.0]]):
            for keepdims in (False, True):
                compare(
                    lambda xp, a, w, q=q, axis=axis, keepdims=keepdims: getattr(xp, name)(
                        a,
                        xp.asarray(q) * SCALE[name] if isinstance(q, list) else q * SCALE[name],
                        axis=axis,
                        method="inverted_cdf",
                        keepdims=keepdims,
                        weights=w,
                    ),
                    host,
                    weights,
                )


@pytest.mark.parametrize("name", NAMES)
def test_weights_of_axes_and_nan(name):
    host = np.arange(24.0).reshape(4, 6)
    host[1, 2] = host[2, 0] = np.nan
    for axis, weights in ((0, np.arange(4.0)), (1, np.arange(6)), ((0, 1), host * 0 + 1), ((1, 0), np.ones((6, 4)))):
        weights = np.nan_to_num(weights, nan=1.0)

        def call(xp, a, w, axis=axis):
            if xp is np and name.startswith("nan") and w.shape != a.shape:
                # NumPy's nan functions fail on weights of single axes, which they document.
                w = np.broadcast_to(w[:, None] if axis == 0 else w.T if w.ndim == 2 else w, a.shape)
            return getattr(xp, name)(a, 0.5, axis=axis, method="inverted_cdf", weights=w)

        compare(call, host, weights)
    host[3] = np.nan
    compare(
        lambda xp, a: getattr(xp, name)(a, 0.5, axis=1, method="inverted_cdf", weights=xp.ones(a.shape)),
        host,
    )
    out = cp.zeros(4)
    assert getattr(cp, name)(cp.asarray(host), 0.5, 1, out, method="inverted_cdf", weights=cp.ones(6)) is out


@pytest.mark.parametrize("name", NAMES)
def test_errors(name):
    a = np.arange(6.0).reshape(2, 3)
    for options in (
        {"weights": [1.0, 1, 1]},
        {"weights": [1.0, 1, 1], "axis": 1},
        {"weights": [1.0, 1, 1], "axis": 1, "method": "hazen"},
        {"weights": [1.0, 1], "axis": 1, "method": "inverted_cdf"},
        {"weights": [1.0, 1, 1], "method": "inverted_cdf"},
        {"weights": [1.0, -1, 1], "axis": 1, "method": "inverted_cdf"},
        {"weights": [0.0, 0, 0], "axis": 1, "method": "inverted_cdf"},
        {"weights": [1.0, np.nan, 1], "axis": 1, "method": "inverted_cdf"},
        {"weights": [1.0, np.inf, 1], "axis": 1, "method": "inverted_cdf"},
    ):
        compare(lambda xp, a, options=options: getattr(xp, name)(a, 0.5, **options), a)
    compare(
        lambda xp, a: getattr(xp, name)(a, -0.5, method="inverted_cdf", weights=xp.ones((2, 3))),
        a,
    )
    check(cp.median(cp.asarray(a)), np.median(a))
