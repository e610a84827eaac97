"""Functions of `cuproxide.scipy.ndimage` beside SciPy's, on drawn arguments."""

import warnings

import cuproxide as cp
import numpy as np
import scipy.ndimage
from effort import drawn
from helpers import to_device

FILTER_MODES = ["reflect", "constant", "nearest", "mirror", "wrap", "grid-mirror", "grid-wrap", "grid-constant"]
REALS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
ALL = [*REALS, "c8", "c16", "f2"]
SHAPES = [(7,), (1,), (2,), (5, 6), (1, 4), (3, 1, 5), (0,), (3, 0)]


class Draw:
    """Seeded choices."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def __call__(self, *choices):
        return choices[self.random.integers(len(choices))]

    def array(self, shape, dtype):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.random.random(shape) > 0.5
        if dtype.kind == "i":
            return self.random.integers(-100, 100, shape).astype(dtype)
        if dtype.kind == "u":
            return self.random.integers(0, 200, shape).astype(dtype)
        values = self.random.normal(size=shape)
        if dtype.kind == "c":
            values = values + 1j * self.random.normal(size=shape)
        return (values * 50).astype(dtype)

    def layout(self, values):
        """The same values in another layout."""
        how = self.random.integers(4) if values.ndim and values.size else 0
        if how == 1:
            return np.asfortranarray(values)
        if how == 2:
            return np.flip(np.flip(values, 0).copy(), 0)
        if how == 3:
            wide = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
            wide[..., ::2] = values
            return wide[..., ::2]
        return values

    def footprint(self, rank, longest=3):
        window = self.random.random(tuple(self.random.integers(1, longest + 1, rank))) > 0.4
        window.flat[0] = True
        return window


def draws(count, seed):
    """So many sources of choices."""
    return [Draw([seed, i]) for i in range(drawn(count))]


def outcome(function, *args, **keywords):
    """What a call gives: a result or an exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **keywords)
        except Exception as error:  # the type is compared
            return error


def agree(name, *args, tolerance=1e-11, **keywords):
    """Asserts that both give the same: integers and truth values exactly, or an exception of the same type."""

    def device(value):
        return to_device(value) if isinstance(value, np.ndarray) else value

    expected = outcome(getattr(scipy.ndimage, name), *args, **keywords)
    on_device = {key: device(value) for key, value in keywords.items()}
    result = outcome(getattr(cp.scipy.ndimage, name), *map(device, args), **on_device)

    def told(value):
        return f"{value.dtype}{value.shape}" if isinstance(value, np.ndarray) else repr(value)

    call = f"{name}({', '.join(map(told, args))}, { {key: told(value) for key, value in keywords.items()} })"
    if isinstance(expected, Exception) or isinstance(result, Exception):
        assert type(expected).__name__ == type(result).__name__, f"{call}: {result!r}, SciPy {expected!r}"
        return
    pairs = zip(*(x if isinstance(x, (tuple, list)) else [x] for x in (result, expected)), strict=True)
    for ours, theirs in pairs:
        compare(ours, theirs, call, tolerance)


def compare(ours, theirs, call, tolerance):
    """Asserts that an array or number is SciPy's."""
    ours, theirs = cp.asnumpy(ours) if isinstance(ours, cp.ndarray) else np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype, f"{call}: dtype {ours.dtype}, SciPy {theirs.dtype}"
    assert ours.shape == theirs.shape, f"{call}: shape {ours.shape}, SciPy {theirs.shape}"
    if theirs.dtype.kind in "fc":
        relative = max(tolerance, 1e-6 if theirs.dtype.itemsize <= (8 if theirs.dtype.kind == "c" else 4) else 0)
        largest = np.max(np.abs(theirs), initial=1, where=np.isfinite(theirs))
        same = np.isclose(ours, theirs, rtol=relative, atol=relative * largest, equal_nan=True)
    elif theirs.dtype.kind == "b":
        # SciPy stores bytes that are neither 0 nor 1 in arrays of bool.
        same = (theirs.view(np.uint8) != 0) == ours if theirs.size else np.ones(theirs.shape, bool)
    else:
        same = ours == theirs
    assert np.all(same), f"{call}: {ours[~same][:5]}, SciPy {theirs[~same][:5]}"
