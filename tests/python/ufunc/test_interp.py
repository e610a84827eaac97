"""`interp` and `polyval` of many terms, which are one kernel each, bit for bit beside NumPy."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide._routines import sequences
from launches import launches

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def same(result, expected):
    assert result.dtype == expected.dtype and result.shape == expected.shape
    np.testing.assert_array_equal(result.get(), expected)


@pytest.mark.parametrize("searched", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_interp(seed, searched, monkeypatch):
    monkeypatch.setattr(sequences, "MANY", 1 if searched else 1000)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20)) if seed % 6 else 1
    xp = np.sort(rng.standard_normal(n) * 3)
    if seed % 3 == 0:
        xp = np.sort(rng.integers(-5, 5, n)).astype(rng.choice(["f8", "f4", "f2", "i8", "i2"]))
    fp = rng.standard_normal(n) + (1j * rng.standard_normal(n) if seed % 4 == 0 else 0)
    if seed % 5 == 0:
        fp[rng.integers(n)] = rng.choice([np.inf, -np.inf, np.nan])
    fp = rng.integers(0, 9, n) if seed % 7 == 0 else fp
    x = rng.standard_normal((3, 4)) * 4
    x.flat[::3] = rng.choice(xp, 4)
    x.flat[[5, 7, 8]] = np.nan, np.inf, -np.inf
    options = [{}, {"left": -7.5, "right": 2}, {"period": 2.5}][seed % 3]
    expected = np.interp(x, xp, fp, **options)
    same(cp.interp(cp.asarray(x), cp.asarray(xp), cp.asarray(fp), **options), expected)
    views = cp.asarray(x.T.copy()).T, cp.asarray(xp[::-1].copy())[::-1], cp.asarray(np.repeat(fp, 2))[::2]
    same(cp.interp(*views, **options), expected)


def test_interp_of_single_numbers_and_none():
    ours = cp.interp(cp.asarray(2.5), cp.arange(4), cp.asarray([3, 2, 0, 1]))
    same(ours, np.asarray(np.interp(2.5, range(4), [3, 2, 0, 1])))
    same(cp.interp(cp.zeros((0, 3)), cp.arange(3), cp.arange(3)), np.zeros((0, 3)))


@pytest.mark.parametrize("seed", range(30))
def test_polyval_of_many_terms(seed):
    rng = np.random.default_rng(seed)
    types = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
    p = (rng.standard_normal(int(rng.integers(33, 60))) * 3).astype(rng.choice(types))
    x = (rng.standard_normal((3, 4)) * 2).astype(rng.choice(types))
    same(cp.polyval(cp.asarray(p), cp.asarray(x)), np.polyval(p, x))


@pytest.mark.parametrize(
    "work",
    [
        lambda n: cp.interp(cp.linspace(0, 9, n), cp.arange(10.0), cp.arange(10.0)),
        lambda n: cp.polyval(cp.ones(n), 0.5),
    ],
)
def test_launches_do_not_grow(work):
    counts = []
    for n in (100, 3000):
        counts.append(launches(lambda: work(n).get()))  # noqa: B023
    assert counts[0] == counts[1]
