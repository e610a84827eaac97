"""`ufunc.reduceat`, `ufunc.at` and `pad`: one kernel for all ranges, places or edges."""

import cuproxide as cp
import numpy as np
import pytest
from launches import launches

ASSOCIATIVE = ["add", "multiply", "maximum", "fmin", "bitwise_xor", "logical_or", "gcd", "hypot", "logaddexp"]
# NumPy's own loops of `power` and `arctan2` lose all but two elements of contiguous floats.
ORDERED = ["subtract", "floor_divide", "fmod", "copysign", "left_shift", "less"]
DTYPES = "?bBhHiIlLefdFD"
STARTS = [[0, 3, 3, 10, 5, 36, 2], [0], [36], list(range(37)), [5, 1, 30]]
TOLERANCE = {"e": 2e-3, "f": 1e-5, "F": 1e-5, "d": 1e-12, "D": 1e-12}


def elements(dtype, shape, seed=0):
    random = np.random.default_rng(seed)
    if dtype == "?":
        return random.integers(0, 2, shape).astype(dtype)
    made = random.integers(0 if dtype in "BHIL" else -6, 7, shape).astype(dtype)
    return made + (1j * random.integers(-3, 4, shape)).astype(dtype) if dtype in "FD" else made


def outcome(call, *arguments, **options):
    try:
        with np.errstate(all="ignore"):
            return call(*arguments, **options)
    except TypeError:
        return TypeError


def check(found, wanted):
    if wanted is TypeError or found is TypeError:
        assert found is wanted
        return
    assert found.dtype == wanted.dtype and found.shape == wanted.shape
    tolerance = TOLERANCE.get(wanted.dtype.char, 0)
    np.testing.assert_allclose(cp.asnumpy(found), wanted, rtol=tolerance, atol=tolerance)


def operations(call, *arguments):
    """How many kernels, calls of libraries and copies a call comes to."""
    return launches(lambda: call(*arguments), ("kernel", "library", "copy"))


@pytest.mark.parametrize("name", ASSOCIATIVE + ORDERED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_reduceat(name, dtype):
    x = elements(dtype, (37, 5))
    if name == "left_shift":
        x = abs(x.astype(int) % 3).astype(dtype)
    starts = STARTS[(len(name) + ord(dtype)) % 2 :: 2]
    for axis in (0, 1):
        for each in starts:
            places = [start % x.shape[axis] for start in each]
            wanted = outcome(getattr(np, name).reduceat, x, places, axis=axis)
            found = outcome(getattr(cp, name).reduceat, cp.asarray(x), places, axis=axis)
            check(found, wanted)


@pytest.mark.parametrize("view", [lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[:, ::-3], lambda a: a[None]])
def test_reduceat_of_views(view):
    x = np.random.default_rng(1).standard_normal((60, 70))
    for axis in (0, -1):
        places = [0] if view(x).shape[axis] == 1 else [0, 5, 2, 9]
        for base in (x, np.asfortranarray(x)):
            wanted = np.add.reduceat(view(base), places, axis=axis)
            found = cp.add.reduceat(view(cp.asarray(base)), places, axis=axis)
            check(found, wanted)
            assert found.strides == wanted.strides


def test_reduceat_of_broadcast_and_deferred_arrays():
    x = np.arange(12.0)
    check(
        cp.add.reduceat(cp.broadcast_to(cp.asarray(x), (4, 12)), [1, 3], axis=1),
        np.add.reduceat(np.broadcast_to(x, (4, 12)), [1, 3], axis=1),
    )
    check(cp.add.reduceat(cp.asarray(x) * 2 + 1, [1, 3]), np.add.reduceat(x * 2 + 1, [1, 3]))


def test_single_elements_stay_as_they_are():
    for values in ([-0.0, np.nan, np.inf], [complex(-0.0, -0.0), complex(np.inf, 0), complex(0, np.nan)]):
        x = np.array(values)
        for name in ("add", "multiply", "maximum"):
            found = cp.asnumpy(getattr(cp, name).reduceat(cp.asarray(x), [0, 1, 2]))
            assert found.tobytes() == x.tobytes(), name
    assert cp.gcd.reduceat(cp.asarray([-4, 6]), [0, 1]).tolist() == [-4, 6]


@pytest.mark.parametrize("dtype", ["f", "d", "l"])
def test_segments_of_all_lengths(dtype):
    random = np.random.default_rng(2)
    x = random.standard_normal(400_000).astype(dtype) if dtype != "l" else random.integers(-9, 9, 400_000)
    lengths = np.r_[random.integers(1, 9, 2000), 64, 65, 300, 5000, 1, 270_000]
    starts = np.r_[0, np.cumsum(lengths)]
    wanted = np.add.reduceat(x.astype("d") if dtype == "f" else x, starts)
    found = cp.asnumpy(cp.add.reduceat(cp.asarray(x), starts))
    # Float32 is added up in float64.
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if dtype == "f" else 1e-10, atol=1e-9)


def test_results_do_not_depend_on_what_else_is_reduced():
    x = cp.asarray(np.random.default_rng(3).standard_normal(300_000).astype("f") * 1e6)
    alone = [cp.add.reduceat(x[start:stop], [0])[0] for start, stop in ((0, 3), (3, 200), (200, 290_000))]
    assert cp.add.reduceat(x, [0, 3, 200, 290_000]).tolist()[:3] == [float(each) for each in alone]


def test_launches_of_reduceat_are_constant():
    x = cp.arange(100_000.0)
    counts = {
        operations(getattr(cp, name).reduceat, x, starts)
        for name in ("add", "subtract")
        for starts in (cp.asarray([0, 50_000]), cp.arange(0, 100_000, 7))
    }
    assert max(counts) <= 8 and len(counts) == 1


@pytest.mark.parametrize(
    "name", ["subtract", "multiply", "divide", "logical_or", "hypot", "negative", "square", "less"]
)
@pytest.mark.parametrize("dtype", "?bBilefdFD")
def test_at(name, dtype):
    a = elements(dtype, (10, 3), 4)
    random = np.random.default_rng(5)
    places, values = random.integers(-10, 10, 40), random.integers(1, 3, (40, 3)).astype(dtype)
    wanted, found = a.copy(), cp.asarray(a)
    function = getattr(np, name)
    rest = [values] if function.nin == 2 else []
    first = outcome(function.at, wanted, places, *rest)
    second = outcome(getattr(cp, name).at, found, places, *map(cp.asarray, rest))
    assert first is second
    if name == "square" and dtype in "FD":
        # Where both squares of the parts overflow, NumPy's difference of them is NaN.
        overflows = np.isnan(wanted.real)
        assert np.isinf(found.get()[overflows].real).any() or not overflows.any()
        wanted[overflows] = found.get()[overflows]
    check(found, wanted)


def test_at_of_views():
    a = np.arange(24.0).reshape(4, 6)
    found = cp.asarray(a)
    for xp, x in ((np, a), (cp, found)):
        xp.subtract.at(x.T, ([0, 0, 1], [1, 1, 2]), 5.0)
        xp.divide.at(x[::2], [0, 0], 2.0)
        xp.multiply.at(x[:, ::-1], (slice(None), [0, 0, 5]), xp.asarray([2.0, 3.0, 4.0]))
        xp.subtract.at(x, xp.asarray(a[0] > 1).nonzero()[0][:0], 3)
    np.testing.assert_array_equal(cp.asnumpy(found), a)


def test_updates_of_one_place_keep_their_order():
    steps = np.random.default_rng(6).uniform(0.1, 10, 1000)
    wanted, found = np.ones(2), cp.ones(2)
    np.divide.at(wanted, [1] * 1000, steps)
    cp.divide.at(found, [1] * 1000, cp.asarray(steps))
    assert cp.asnumpy(found).tobytes() == wanted.tobytes()


def test_read_only_arrays_are_not_updated():
    for a in (cp.ones(4), cp.ones((4, 4))[:, 1]):
        a.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            cp.subtract.at(a, [0], 1.0)
        assert a.tolist() == [1.0] * 4


def test_launches_of_at_are_constant():
    a, values = cp.ones(1000), cp.full(3000, 1.5)
    counts = {operations(cp.multiply.at, a, places, values) for places in (cp.arange(3000) % 1000, cp.zeros(3000, int))}
    assert len(counts) == 1 and max(counts) <= 8


SHAPES = [
    ((5,), (3, 4)),
    ((5,), (17, 23)),
    ((1,), (3, 4)),
    ((4, 6), ((2, 3), (0, 7))),
    ((3, 1, 4), ((1, 0), (5, 5), (11, 2))),
    ((2, 3), 0),
    ((600, 500), ((2, 1), (3, 0))),
]


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize(("shape", "widths"), SHAPES)
def test_pad(mode, shape, widths):
    for dtype in "?hdF":
        x = elements(dtype, shape)
        for host, device in (
            (x, cp.asarray(x)),
            (np.asfortranarray(x), cp.asarray(np.asfortranarray(x))),
            (x[::-1], cp.asarray(x)[::-1]),
        ):
            wanted, found = np.pad(host, widths, mode), cp.pad(device, widths, mode)
            np.testing.assert_array_equal(cp.asnumpy(found), wanted)
            assert found.dtype == wanted.dtype and found.flags.f_contiguous == wanted.flags.f_contiguous


def test_launches_of_pad_depend_on_axes_alone():
    near, far = (operations(cp.pad, cp.ones((20, 20)), width, "reflect") for width in (1, 500))
    assert near <= 5 and far <= 9
