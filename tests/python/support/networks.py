"""Layers of neural networks by NumPy in float64, as oracles, and the two ways that the package computes them."""

import itertools

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import cudnn

DTYPES = ["float16", "float32", "float64"]
# Relative to the greatest element.
TOLERANCES = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-12}


@pytest.fixture(params=["own", "library"])
def way(request):
    """Own kernels, and the library where there is one."""
    if request.param == "own":
        with cudnn.own_kernels():
            yield "own"
    elif not cudnn.getVersion():
        pytest.skip("no library of neural networks")
    else:
        yield "library"


def random(shape, dtype, seed=0):
    """Normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def layouts(array):
    """The array on the device in several layouts."""
    made = cp.array(array)
    yield made
    yield cp.array(np.ascontiguousarray(array.T)).T
    yield cp.array(np.ascontiguousarray(array[..., ::-1]))[..., ::-1]
    wide = cp.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = made
    yield wide[..., ::2]


def close(ours, wanted, factor=1.0):
    """Asserts that an array is what NumPy has, in the precision of its dtype."""
    assert isinstance(ours, cp.ndarray)
    found, wanted = ours.get(), np.asarray(wanted)
    assert found.shape == wanted.shape
    scale = np.max(np.abs(wanted[np.isfinite(wanted)]), initial=1e-30)
    np.testing.assert_allclose(found.astype(float), wanted, rtol=0, atol=factor * TOLERANCES[found.dtype.name] * scale)


def taps(kernel):
    """The positions within a filter."""
    return itertools.product(*(range(n) for n in kernel))


def outputs(spatial, kernel, pad, stride, dilation):
    """The spatial shape of a result."""
    sizes = zip(spatial, kernel, pad, stride, dilation, strict=True)
    return tuple((n + 2 * p - d * (w - 1) - 1) // s + 1 for n, w, p, s, d in sizes)


def seen(tap, out, stride, dilation):
    """Where the points of a result see an element of the filter, in padded images."""
    return (
        ...,
        *(slice(t * d, t * d + (o - 1) * s + 1, s) for t, o, s, d in zip(tap, out, stride, dilation, strict=True)),
    )


def convolve(x, w, pad, stride, dilation, groups, gy=None):
    """The result of a convolution, or with its gradient `gy` those for images and filters."""
    x, w = x.astype(float), w.astype(float)
    out = outputs(x.shape[2:], w.shape[2:], pad, stride, dilation)
    padded = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in pad)])
    y = np.zeros((x.shape[0], w.shape[0], *out))
    gx, gw = np.zeros_like(padded), np.zeros_like(w)
    many, few = w.shape[0] // groups, w.shape[1]
    for g in range(groups):
        rows, channels = slice(g * many, (g + 1) * many), slice(g * few, (g + 1) * few)
        for tap in taps(w.shape[2:]):
            place = (slice(None), channels, *seen(tap, out, stride, dilation)[1:])
            factors = w[(rows, slice(None), *tap)]
            y[:, rows] += np.einsum("nc...,kc->nk...", padded[place], factors)
            if gy is not None:
                gx[place] += np.einsum("nk...,kc->nc...", gy[:, rows].astype(float), factors)
                both = gy[:, rows].astype(float), padded[place]
                gw[(rows, slice(None), *tap)] = np.einsum(
                    "nkp,ncp->kc", *(a.reshape(*a.shape[:2], int(np.prod(out))) for a in both)
                )
    if gy is None:
        return y
    return gx[(..., *(slice(p, p + n) for p, n in zip(pad, x.shape[2:], strict=True)))], gw


def pool(x, ksize, stride, pad, mode, gy=None):
    """The result of pooling, or with its gradient `gy` that for its input; of equal maxima the first one gets it."""
    x = x.astype(float)
    out = outputs(x.shape[2:], ksize, pad, stride, (1,) * len(ksize))
    y, gx = np.empty((*x.shape[:2], *out)), np.zeros_like(x)
    for at in np.ndindex(*y.shape):
        bounds = [(o * s - p, o * s - p + w) for o, s, p, w in zip(at[2:], stride, pad, ksize, strict=True)]
        places = list(
            itertools.product(*(range(max(a, 0), min(b, n)) for (a, b), n in zip(bounds, x.shape[2:], strict=True)))
        )
        values = np.array([x[at[:2] + place] for place in places])
        if mode in (cudnn.CUDNN_POOLING_MAX, cudnn.CUDNN_POOLING_MAX_DETERMINISTIC):
            y[at] = values.max()
            shares = np.arange(len(places)) == np.argmax(values)
        else:
            count = np.prod(ksize) if mode == cudnn.CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING else len(places)
            y[at] = values.sum() / count
            shares = np.full(len(places), 1 / count)
        if gy is not None:
            for place, share in zip(places, shares, strict=True):
                gx[at[:2] + place] += share * float(gy[at])
    return y if gy is None else gx
