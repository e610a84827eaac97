"""Peaks beside SciPy's, also of signals that make peaks depend on each other."""

import cuproxide as cp
import numpy as np
import pytest
import scipy.signal
from helpers import in_layout, to_device
from signals import ours, same
from versions import SCIPY_1_18

RANDOM = np.random.default_rng(5)
STEPS = np.repeat(RANDOM.integers(0, 5, 300), RANDOM.integers(1, 9, 300)).astype(float)
SIGNALS = {
    **{f"noise {n}": RANDOM.normal(size=n) for n in (0, 1, 2, 3, 5, 50, 1000, 20000)},
    "ties": np.round(RANDOM.normal(size=3000) * 2),
    "zeros": np.zeros(50),
    "ramp": np.arange(50.0),
    "steps": STEPS,
    "walk": np.cumsum(RANDOM.normal(size=5000)),
    "holes": np.where(RANDOM.random(500) < 0.05, np.nan, RANDOM.normal(size=500)),
    "rising": np.sin(np.arange(3000) * 0.3) + np.arange(3000) * 0.01,
    "falling": np.sin(np.arange(3000) * 0.3) - np.arange(3000) * 0.01,
    "integers": np.array([1, 3, 2, 2, 5, 5, 1]),
    "infinite": np.array([0.0, np.inf, 1.0, -np.inf, 2.0, 1.0]),
}
CONDITIONS = [
    {}, {"height": 0.5}, {"height": (0, 1)}, {"threshold": 0.3}, {"threshold": (None, 1.0)}, {"prominence": 0.5},
    {"prominence": (None, 2)}, {"width": 2}, {"width": (None, 5), "rel_height": 0.9},
    {"wlen": 11, "prominence": 0, "width": 0}, {"wlen": 20.5, "prominence": 0}, {"plateau_size": 1},
    {"plateau_size": (2, 5)}, {"distance": 1}, {"distance": 0.5}, {"wlen": 1, "prominence": 0},
    {"height": 0, "threshold": 0, "prominence": 0.1, "width": 1, "plateau_size": 1}, {"width": 0, "rel_height": -1},
    {"width": 0, "rel_height": 1.0}, {"width": 0, "rel_height": 2.0},
]  # fmt: skip


@pytest.mark.parametrize("name", SIGNALS)
def test_conditions(name):
    for condition in CONDITIONS:
        same("find_peaks", SIGNALS[name], **condition)


@pytest.mark.parametrize("name", [name for name in SIGNALS if name not in ("ties", "steps", "holes", "integers")])
def test_distances(name):
    """Heights are distinct, as SciPy takes equal ones in an order of its sort."""
    for distance in (2, 3, 7.5, 40, 1000, 100000):
        same("find_peaks", SIGNALS[name], distance=distance)


def greedy(positions, heights, distance):
    """Peaks from the highest on, later ones first among equals; each takes those near it away."""
    order = sorted(range(len(positions)), key=lambda i: (heights[i], i), reverse=True)
    kept = []
    for i in order:
        if all(abs(positions[i] - positions[j]) >= distance for j in kept):
            kept.append(i)
    return np.array(sorted(positions[i] for i in kept), int)


@pytest.mark.parametrize("shape", ["comb", "zigzag", "mountains", "noise"])
def test_distances_of_dependent_peaks(shape):
    n = 900
    heights = {
        "comb": np.ones(n), "zigzag": np.arange(n) % 7 + np.arange(n) * 0.1,
        "mountains": np.abs(np.arange(n) % 100 - 50), "noise": RANDOM.integers(0, 4, n),
    }[shape]  # fmt: skip
    x = np.zeros(2 * n + 1)
    x[1::2] = heights + 1.0
    for distance in (3, 5, 11, 64):
        positions = scipy.signal.find_peaks(x)[0]
        expected = greedy(positions, x[positions], distance)
        np.testing.assert_array_equal(ours.find_peaks(cp.asarray(x), distance=distance)[0].get(), expected)


def test_peaks_that_rounds_leave_over():
    """A chain in which each peak waits for the next is longer than the rounds that are run."""
    from cuproxide.scipy.signal._peaks import _finish

    heights = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
    positions = np.array([0, 2, 4, 6, 8])
    state = cp.zeros(5, np.int32)
    _finish(cp.argsort(cp.asarray(heights)), cp.asarray(positions), state, 3, cp.zeros(1))
    np.testing.assert_array_equal(positions[state.get() == 1], greedy(positions, heights, 3))


def test_bounds_for_each_point():
    x = SIGNALS["noise 1000"]
    same("find_peaks", x, height=np.abs(x) * 0.5)
    same("find_peaks", x, height=(np.abs(x) * 0.5, np.abs(x) * 1.5))
    same("find_peaks", x, height=np.ones(3))
    same("find_peaks", x.reshape(2, -1))


def test_layouts_and_dtypes():
    values = RANDOM.integers(-50, 50, (4, 300))
    for dtype in ("i1", "i8", "f2", "f4", "u2"):
        for layout in ("strided", "reversed"):
            x = in_layout(values.astype(dtype), layout)[1]
            expected = scipy.signal.find_peaks(x.astype(float), prominence=3, width=1)
            found = ours.find_peaks(to_device(x), prominence=3, width=1)
            np.testing.assert_array_equal(found[0].get(), expected[0])
            for key, value in expected[1].items():
                np.testing.assert_allclose(found[1][key].get(), value)


def test_prominences_and_widths():
    x = SIGNALS["noise 1000"]
    peaks = scipy.signal.find_peaks(x)[0]
    for wlen in (None, 3, 13, 20.5, 1):
        same("peak_prominences", x, peaks, wlen)
        same("peak_widths", x, peaks, 0.3, wlen=wlen)
    same("peak_widths", x, peaks, prominence_data=scipy.signal.peak_prominences(x, peaks))
    for bad in (np.array([5, 6, 7]), np.array([5000]), np.array([-1]), [], np.array([1.5]), np.array([[1]])):
        same("peak_prominences", x, bad)
        same("peak_widths", x, bad)
    same("peak_widths", x, peaks, -1.0)
    data = tuple(part.copy() for part in scipy.signal.peak_prominences(x, peaks))
    data[1][3] = 5000
    same("peak_widths", x, peaks, prominence_data=data)


def test_long_valleys():
    """Bases that lie many blocks away, on both sides."""
    x = np.zeros(70001)
    x[35000] = 5.0
    x += RANDOM.normal(size=x.size) * 0.01
    x[[100, 69000]] = -1.0, -2.0
    same("find_peaks", x, prominence=2, width=1)
    same("find_peaks", x, prominence=2, width=1, wlen=50001)


def test_extrema():
    y = np.round(RANDOM.normal(size=(20, 30)) * 2)
    for name in ("argrelmin", "argrelmax"):
        for axis in (0, 1):
            for order in (1, 2, 5, 50, 0):
                for mode in ("clip", "wrap", "none"):
                    same(name, y, axis, order, mode)
    found = ours.argrelextrema(cp.asarray(y), cp.greater_equal, 1)
    for one, other in zip(found, scipy.signal.argrelextrema(y, np.greater_equal, 1), strict=True):
        np.testing.assert_array_equal(one.get(), other)


@pytest.mark.parametrize("options", [
    {}, {"min_snr": 2}, {"noise_perc": 30}, {"min_length": 3}, {"gap_thresh": 1}, {"window_size": 50},
    {"max_distances": np.arange(1, 30)}, {"max_distances": np.ones(3)},
])  # fmt: skip
def test_wavelet_peaks(options):
    if SCIPY_1_18 and "max_distances" in options:
        pytest.skip("of several maxima of a row that join a line, this SciPy takes another one")
    t = np.linspace(0, 20, 400)
    x = np.sin(t) + 0.5 * np.sin(3 * t) + 0.05 * RANDOM.normal(size=400)
    same("find_peaks_cwt", x, np.arange(1, 20), **options)
    same("find_peaks_cwt", x, np.arange(5, 9))
