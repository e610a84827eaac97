"""Writes through repeated indices: NumPy's bits at every call, whatever the number of threads."""

import cuproxide as cp
import numpy as np
import pytest

FLOATS = ["f2", "f4", "f8", "c8", "c16"]


@pytest.fixture
def deterministic():
    before = cp.set_deterministic(True)
    yield
    cp.set_deterministic(before)


def numbers(dtype, *shape, seed=3):
    drawing = np.random.default_rng(seed)
    values = drawing.standard_normal(shape)
    return (values + 1j * drawing.standard_normal(shape)).astype(dtype) if dtype[0] == "c" else values.astype(dtype)


def places(count, size, seed=5):
    return np.random.default_rng(seed).integers(-size, size, count)


def same_bits(ours, theirs):
    ours = cp.asnumpy(ours)
    assert ours.dtype == theirs.dtype and ours.tobytes() == np.ascontiguousarray(theirs).tobytes()


def both(write, host, *operands):
    """The same write to an array here and to one of NumPy's."""
    theirs, ours = host.copy("K"), cp.asarray(host)
    write(np, theirs, *operands)
    write(cp, ours, *(cp.asarray(operand) for operand in operands))
    same_bits(ours, theirs)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_sums_round_as_numpys(deterministic, dtype, size):
    both(lambda xp, a, i, v: xp.add.at(a, i, v), numbers(dtype, size), places(3000, size), numbers(dtype, 3000))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_layouts(deterministic, dtype):
    cube = numbers(dtype, 4, 5, 6)
    rows, columns = places(300, 4), places(300, 5, seed=8)
    add = lambda index: lambda xp, a, v: xp.add.at(a, index(xp), v)  # noqa: E731
    of = lambda xp, *indices: tuple(xp.asarray(index) for index in indices)  # noqa: E731
    both(add(lambda xp: of(xp, rows)), cube, numbers(dtype, 300, 5, 6))
    both(add(lambda xp: (slice(None), *of(xp, columns))), cube, numbers(dtype, 4, 300, 6))
    both(add(lambda xp: of(xp, rows, columns)), cube, numbers(dtype, 6))
    both(add(lambda xp: (Ellipsis, *of(xp, columns), slice(None, None, -2))), cube, numbers(dtype, 1, 300, 1))
    both(add(lambda xp: of(xp, rows)), np.asfortranarray(cube), numbers(dtype, 300, 5, 6))
    both(add(lambda xp: of(xp, np.zeros(0, int))), cube, numbers(dtype, 0, 5, 6))
    both(add(lambda xp: of(xp, np.array(2))), cube, numbers(dtype, 5, 6))
    both(lambda xp, a, v: xp.add.at(a[::-1, ::2], of(xp, rows), v), cube, numbers(dtype, 300, 3, 6))


def test_ends_of_the_range(deterministic):
    values = np.array([np.inf, 1e308, 1e308, -0.0, np.nan, -np.inf, 5e-324])
    index = np.array([0, 1, 1, 2, 3, 0, 2])
    with np.errstate(all="ignore"):
        theirs = np.zeros(5)
        np.add.at(theirs, index, values)
    ours = cp.zeros(5)
    cp.add.at(ours, cp.asarray(index), cp.asarray(values))
    np.testing.assert_array_equal(ours.get(), theirs)
    for name in ("maximum", "minimum"):
        theirs, ours = np.zeros(5), cp.zeros(5)
        getattr(np, name).at(theirs, index, values)
        getattr(cp, name).at(ours, cp.asarray(index), cp.asarray(values))
        np.testing.assert_array_equal(ours.get(), theirs)


def test_weights(deterministic):
    index, weights = np.abs(places(5000, 30)), numbers("f8", 5000)
    same_bits(cp.bincount(cp.asarray(index), cp.asarray(weights)), np.bincount(index, weights))
    first = cp.histogram(cp.asarray(weights), 20, weights=cp.asarray(weights))[0].get()
    again = cp.histogram(cp.asarray(weights), 20, weights=cp.asarray(weights))[0].get()
    assert first.tobytes() == again.tobytes()


@pytest.mark.parametrize("dtype", ["i1", "i8", "f4", "c16", "?"])
def test_the_last_of_assigned_values_stays(deterministic, dtype):
    size, index = 40, places(500, 40)
    values = (places(500, 100) % 3).astype(dtype)

    def assign(xp, a, i, v):
        a[i] = v

    both(assign, np.zeros(size, dtype), index, values)
    both(assign, np.zeros((size, 3), dtype), index, np.stack([values] * 3, 1))
    both(lambda xp, a, i, v: xp.put(a, i, v), np.zeros(size, dtype), index, values)


def test_indices_out_of_bounds_still_raise(deterministic):
    a = cp.zeros(5)
    with pytest.raises(IndexError):
        cp.add.at(a, cp.asarray([0, 7]), 1.0)
        cp.Device().synchronize()


def test_the_switch_says_what_held_before():
    before = cp.is_deterministic()
    assert cp.set_deterministic(not before) is before
    assert cp.is_deterministic() is not before
    assert cp.set_deterministic(before) is not before


def test_the_environment_turns_it_on(run_python):
    done = run_python("import cuproxide as cp; print(cp.is_deterministic())", CUPROXIDE_DETERMINISTIC="yes")
    assert done.stdout.strip() == "True", done.stderr


PROGRAM = """
import hashlib
import cuproxide as cp, numpy as np
drawing = np.random.default_rng(1)
index, values = drawing.integers(0, 500, 300_000), drawing.standard_normal(300_000)
i, v = cp.asarray(index), cp.asarray(values)
a, b = cp.zeros(500), cp.zeros((500, 2), "F")
cp.add.at(a, i, v)
cp.scatter_add(b, i, cp.stack([v, -v], 1).astype("F"))
counted, binned = cp.bincount(i, v), cp.histogram(v, 50, weights=v)[0]
sums = [v.sum(), v.astype("f4").sum(), v.cumsum(), (v * v).mean(), v @ v, cp.sort(v), v.var(), cp.median(v)]
sums += [cp.linalg.norm(v), cp.linalg.norm(cp.tile(v, (3, 2)), axis=1)]
odd = cp.array(np.where(index < 3, (index + 0x7FF8000000000000).view("f8"), values))
sums += [f(x) for x in (v, odd, odd.astype("f4"), 0 * v) for f in (cp.max, cp.min, cp.argmax, cp.argmin)]
sums += [cp.histogram(v, 1000)[0], cp.nanmax(odd), cp.argmax(i == 499), cp.any(i == 499), cp.all(i < 500)]
theirs = np.zeros(500)
np.add.at(theirs, index, values)
print((a.get() == theirs).all(), (counted.get() == np.bincount(index, values)).all())
print(hashlib.sha256(b"".join(x.tobytes() for x in (a, b, counted, binned, *sums))).hexdigest())
"""


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="the threads are the CPU backend's")
def test_threads_do_not_matter(run_python):
    said = {run_python(PROGRAM, CUPROXIDE_NUM_THREADS=count).stdout for count in (1, 2, 5, 16)}
    assert len(said) == 1 and said.pop().startswith("True True\n")
