"""Special functions with fifty digits, and the distance of numbers from them in units of the last place."""

import functools

import mpmath as mp
import numpy as np

DIGITS = 60


@functools.lru_cache(maxsize=20_000)
def _value(function, numbers):
    with mp.workdps(DIGITS):
        return +function(*map(mp.mpf, numbers))


def precisely(function, *arguments):
    """The function at NumPy numbers, as an mpmath number. Values are kept: a test may run again in the same process."""
    return _value(function, tuple(map(float, arguments)))


def drawn(random, low, high, count, dtype):
    """Numbers between two: uniform, or uniform in their logarithms where both have one sign and far apart."""
    if low > 0 and high / low > 1e3:
        return np.exp(random.uniform(np.log(low), np.log(high), count)).astype(dtype)
    return random.uniform(low, high, count).astype(dtype)


def distance(found, reference):
    """Units in the last place between an array and the references of its elements; those out of range do not count."""
    worst = 0.0
    info = np.finfo(found.dtype)
    for value, exact in zip(found.tolist(), reference, strict=True):
        if not info.tiny <= abs(exact) <= info.max or not mp.isfinite(exact):
            continue
        unit = float(np.spacing(found.dtype.type(abs(float(exact)))))
        worst = max(worst, float(abs(mp.mpf(value) - exact) / unit) if np.isfinite(value) else np.inf)
    return worst
