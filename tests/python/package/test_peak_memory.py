"""Memory that calls take from the pool at most, beside that of their results."""

import cuproxide as cp
import cuproxide.scipy.interpolate
import cuproxide.scipy.ndimage
import cuproxide.scipy.sparse
import cuproxide.scipy.spatial
import cuproxide.scipy.stats
import numpy as np
import pytest
from cuproxide._lib import routes

sp = cp.scipy
r = np.random.default_rng(0)


def taken(call):
    """The bytes that the pool holds after a call, its result among them, above those before it."""
    pool = cp.get_default_memory_pool()
    call()
    cp.cuda.Device().synchronize()
    pool.free_all_blocks()
    before = pool.total_bytes()
    kept = call()
    cp.cuda.Device().synchronize()
    found = pool.total_bytes() - before
    del kept
    return found


@pytest.fixture(autouse=True)
def on_the_cpu():
    if cp.zeros(1).device.asynchronous:
        pytest.skip("a GPU spends memory to use all its threads")


# Operations that run one by one store what a fused kernel keeps in registers.
@pytest.mark.deferred_only
def test_metrics_with_logarithms():
    a = cp.asarray(r.random((600, 20)))
    result = 600 * 600 * 8
    assert taken(lambda: sp.spatial.distance.cdist(a, a, "jensenshannon")) <= result + (6 << 20)


@pytest.mark.parametrize("kernel", ["linear", "thin_plate_spline"])
def test_radial_functions_of_all_centres(kernel):
    centres, points = cp.asarray(r.random((200, 2))), cp.asarray(r.random((8000, 2)))
    f = sp.interpolate.RBFInterpolator(centres, cp.asarray(r.random(200)), kernel=kernel)
    assert taken(lambda: f(points)) <= 6 << 20
    few = f(points[:15])
    np.testing.assert_allclose(f(points)[:15].get(), few.get(), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("dtype, size", [("f8", 5), ("f4", 5), ("u1", 11)])
def test_rank_filters_extend_a_band_at_a_time(dtype, size):
    a = cp.asarray((r.random((1100, 1000)) * 200).astype(dtype))
    assert taken(lambda: sp.ndimage.median_filter(a, size)) <= 1.3 * a.nbytes + (1 << 20)


@pytest.mark.parametrize("rows", [300, 100_000])
def test_conversions_add_up_what_repeats(rows):
    n = 400_000
    i, j = (cp.asarray(r.integers(0, rows, n).astype("i4")) for _ in range(2))
    j[1::2] = j[::2]
    i[1::2] = i[::2]
    m = sp.sparse.coo_array((cp.asarray(r.random(n)), (i, j)), shape=(rows, rows))
    # An order, and what is sorted; or elements moved twice.
    assert taken(m.tocsr) <= 4 * n * 8


def test_slopes_of_pairs():
    x, y = cp.asarray(r.random(1500)), cp.asarray(r.random(1500))
    pairs = 1500 * 1499 // 2
    assert taken(lambda: sp.stats.theilslopes(y, x)) <= 2.6 * pairs * 8


def test_neighbours_are_numbers_once():
    a = cp.asarray(r.random((5000, 2)))
    tree = sp.spatial.KDTree(a)
    total = int(tree.query_ball_point(a, 0.1, return_length=True).sum())
    assert taken(lambda: tree.query_ball_point(a, 0.1)) <= 4 * total + (3 << 20)


@pytest.mark.parametrize("mode", ["reflect", "mirror", "nearest", "constant", "wrap"])
def test_bands_give_what_the_whole_does(monkeypatch, mode):
    a = cp.asarray((r.random((211, 9)) * 100).astype("i2"))
    whole = [sp.ndimage.rank_filter(a, 3, size=size, mode=mode, origin=origin) for size, origin in ((3, 1), (5, -2))]
    monkeypatch.setattr(routes, "BANDED", 100)
    parts = [sp.ndimage.rank_filter(a, 3, size=size, mode=mode, origin=origin) for size, origin in ((3, 1), (5, -2))]
    assert all((x == y).all() for x, y in zip(whole, parts, strict=True))
    into = a.copy()
    sp.ndimage.rank_filter(into, 3, size=3, mode=mode, origin=1, output=into)
    assert (into == whole[0]).all()
