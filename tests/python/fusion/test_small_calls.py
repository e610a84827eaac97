"""What small calls share: memory that waits in the pool, `evaluate` and `explain`; short ways to products and joins."""

import itertools
import sys
import threading

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import fusion

SPECIAL = [0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, 5e-324, 1e300]


def numbers(size, dtype, seed=3):
    values = np.random.default_rng(seed).integers(-9, 10, size)
    return (abs(values) if dtype[0] == "u" else values).astype(dtype)


# Evaluation.


@pytest.mark.usefixtures("deferring")
def test_evaluate_queues_what_is_deferred_and_returns_nothing():
    a = cp.arange(5.0)
    b, c = a + 1, a[::2] * 2
    pending = fusion.cache_info().pending
    assert cp.evaluate(a) is None
    assert fusion.cache_info().pending == pending
    assert cp.evaluate(b, a, c) is None
    assert fusion.cache_info().pending == pending - 2
    assert cp.evaluate() is None
    np.testing.assert_array_equal(b.get(), np.arange(5.0) + 1)


def test_evaluate_takes_arrays_only():
    for wrong in (None, 3, [cp.ones(2)], np.ones(2)):
        with pytest.raises(TypeError, match="takes arrays, not"):
            cp.evaluate(wrong)
        with pytest.raises(TypeError, match="takes arrays, not"):
            cp.evaluate(cp.ones(2), wrong)
    with pytest.raises(TypeError, match="unexpected keyword argument 'x'"):
        cp.evaluate(x=cp.ones(2))
    assert cp.evaluate.__name__ == "evaluate"
    assert cp.evaluate.__text_signature__ == "(*arrays)"


def test_evaluate_keeps_no_references():
    class Subclass(cp.ndarray):
        pass

    plain, own = cp.ones(3), cp.ones(3).view(Subclass)
    counts = [sys.getrefcount(array) for array in (plain, own)]
    for _ in range(100):
        cp.evaluate(plain)
        cp.evaluate(own)
        cp.evaluate(plain, own)
    assert [sys.getrefcount(array) for array in (plain, own)] == counts


@pytest.mark.usefixtures("deferring")
def test_each_of_many_equal_operations_is_told_of():
    a, b = cp.ones(10), cp.ones((2, 3))
    for _ in range(40):
        cp.evaluate(a + a)
    for _ in range(20):
        cp.evaluate(a * a)
        cp.evaluate(b * b)
    lines = fusion.explain(80).splitlines()
    assert len(lines) == 80
    assert sum("add" in line for line in lines) == 40
    assert sum("multiply" in line for line in lines) == 40
    for _ in range(600):
        cp.evaluate(a + a)
    assert len(fusion.explain(1000).splitlines()) == 256


# Memory.


def test_memory_that_waits_is_that_of_its_stream():
    streams = [cp.cuda.Stream(non_blocking=True) for _ in range(2)]
    with streams[0]:
        a = cp.empty(77)
        address = a.data.ptr
        del a
    with streams[1]:
        other = cp.empty(77)
        assert other.data.ptr != address
    with streams[0]:
        again = cp.empty(77)
        assert again.data.ptr == address


def test_what_is_used_is_counted(used_bytes):
    before = used_bytes()
    held = [cp.ones(10).copy() for _ in range(100)]
    cp.evaluate(*held)
    assert used_bytes() - before >= 100 * 512
    del held
    assert used_bytes() == before


def test_hooks_see_memory_that_waits():
    seen = []

    class Counting(cp.cuda.MemoryHook):
        name = "Counting"

        def malloc_postprocess(self, **numbers):
            seen.append(numbers["size"])

    cp.empty(33)
    with Counting():
        cp.empty(33)
        cp.evaluate(cp.ones(33).copy())
    assert len(seen) >= 2
    assert seen[0] == 33 * 8


def test_a_capture_takes_no_memory_that_waits():
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        a = cp.arange(100.0)
        cp.evaluate(a.copy(), cp.dot(a, a), cp.concatenate((a, a)))
        stream.begin_capture()
        made = [a.copy(), cp.dot(a, a), cp.concatenate((a, a))]
        cp.evaluate(*made)
        graph = stream.end_capture()
        # What comes later must not get the memory of the graph.
        later = [cp.full(made[0].shape, 7.0), cp.full((), 7.0), cp.full(made[2].shape, 7.0)]
        cp.evaluate(*later)
        a += 1
        cp.evaluate(a)
        stream.synchronize()
        graph.launch(stream)
        stream.synchronize()
        host = np.arange(100.0) + 1
        for own, wanted in zip(made, (host.copy(), host @ host, np.concatenate((host, host))), strict=True):
            np.testing.assert_array_equal(own.get(), wanted)
        assert all((array.get() == 7).all() for array in later)


LIMITED = """
import cuproxide as cp
pool = cp.get_default_memory_pool()
a = cp.ones(10)
cp.evaluate(a.copy())
pool.set_limit(size=pool.total_bytes())
for _ in range(1000):
    cp.evaluate(a.copy())
    cp.evaluate(a + a)
    cp.evaluate(cp.concatenate((a, a)))
held = []
try:
    while len(held) < 100_000:
        held.append(cp.empty(10))
except MemoryError:
    pass
assert len(held) < 100_000
assert pool.total_bytes() <= pool.get_limit()
del held
cp.evaluate(a.copy())
assert a.get().sum() == 10
"""


def test_a_limit_holds_for_small_calls(run_python):
    done = run_python(LIMITED)
    assert done.returncode == 0, done.stderr


def test_threads_make_small_calls_at_once(used_bytes):
    host = np.arange(50.0)
    own = cp.asarray(host)
    before, failures = used_bytes(), []

    def work(number):
        try:
            for _ in range(300):
                a = own + number
                cp.evaluate(a)
                b = a.copy()
                c = cp.concatenate((a, b))
                d = cp.dot(a, b)
                cp.evaluate(c, d)
                wanted = host + number
                np.testing.assert_array_equal(c.get(), np.r_[wanted, wanted])
                np.testing.assert_allclose(d.get(), wanted @ wanted, rtol=1e-14)
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert used_bytes() == before


# Products of two vectors.


@pytest.mark.parametrize("dtype", ["?", "i4", "u8", "f2", "f4", "f8", "c8", "c16"])
def test_products_of_vectors(dtype):
    # Sums of few small integers are exact in all types but the one of 16 bits.
    within = {"rtol": 1e-2, "atol": 5} if dtype == "f2" else {"rtol": 0}
    for size in (0, 1, 2, 10, 64, 65, 1000, 70_000, 300_000):
        a, b = numbers(size, dtype), numbers(size, dtype, 4)
        own, other = cp.asarray(a), cp.asarray(b)
        made, wanted = cp.dot(own, other), np.dot(a, b)
        assert type(made) is cp.ndarray
        assert made.shape == () and made.dtype == wanted.dtype
        np.testing.assert_allclose(made.get(), wanted, **within)
        # The same as a product of matrices, to the last bit.
        assert made.get().tobytes() == cp.matmul(own[None], other[:, None]).get().tobytes()


def test_products_of_vectors_that_lie_elsewhere():
    host = np.arange(40.0)
    own = cp.asarray(host)
    pairs = [
        (lambda x: x[::2], lambda x: x[1::2]),
        (lambda x: x[::-1], lambda x: x),
        (lambda x: x[3:13], lambda x: x[13:23]),
        (lambda x: x + 1, lambda x: x * 2),
        (lambda x: x.reshape(4, 10)[1], lambda x: x.reshape(10, 4)[:, 1]),
    ]
    for left, right in pairs:
        np.testing.assert_array_equal(cp.dot(left(own), right(own)).get(), np.dot(left(host), right(host)))
    packed = np.zeros(5, np.dtype([("a", "i1"), ("b", "f8")]))
    packed["b"] = np.arange(5.0)
    own = cp.asarray(packed)["b"]
    assert cp.dot(own, own).get() == 30


def test_products_of_other_arguments_are_those_of_numpy():
    a, b = np.arange(3.0), np.arange(3)
    own, other = cp.asarray(a), cp.asarray(b)
    for made, wanted in [
        (cp.dot(own, other), np.dot(a, b)),
        (cp.dot(own, 2), np.dot(a, 2)),
        (cp.dot(own, [1, 2, 3]), np.dot(a, [1, 2, 3])),
        (cp.dot(own[:, None], own[None]), np.dot(a[:, None], a[None])),
        (cp.dot(own.reshape(3, 1), own[:1]), np.dot(a.reshape(3, 1), a[:1])),
    ]:
        np.testing.assert_array_equal(made.get(), wanted)
        assert made.dtype == wanted.dtype
    with pytest.raises(ValueError, match=r"shapes \(3,\) and \(2,\) not aligned: 3 \(dim 0\) != 2 \(dim 0\)"):
        cp.dot(own, own[:2])
    out = cp.empty(())
    assert cp.dot(own, own, out) is out
    assert out.get() == 5


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16"])
def test_products_of_vectors_with_exceptional_numbers(dtype):
    for place in range(0, 100, 7):
        a, b = np.ones(100, dtype), np.ones(100, dtype)
        a[place] = np.inf
        assert np.isinf(cp.dot(cp.asarray(a), cp.asarray(b)).get().real)
        b[place] = 0
        assert np.isnan(cp.dot(cp.asarray(a), cp.asarray(b)).get().real)


# Joins.


def test_joins_of_what_most_calls_have_and_of_all_else():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(6, dtype="f4").reshape(2, 3)
    own, other = cp.asarray(a), cp.asarray(b)
    cases = [
        (lambda xp, x, y: xp.concatenate((x, x))),
        (lambda xp, x, y: xp.concatenate([x, y, x], 1)),
        (lambda xp, x, y: xp.concatenate((x, y), axis=None)),
        (lambda xp, x, y: xp.concatenate((x.T, y.T), axis=-1)),
        (lambda xp, x, y: xp.concatenate((x[:, ::-1], x[:, ::2]), axis=1)),
        (lambda xp, x, y: xp.concatenate((x[:0], y))),
        (lambda xp, x, y: xp.concatenate((x[:0], x[:0]))),
        (lambda xp, x, y: xp.concatenate((x,))),
        (lambda xp, x, y: xp.concatenate(x)),
        (lambda xp, x, y: xp.concatenate((x, [[1, 2, 3]]))),
        (lambda xp, x, y: xp.concatenate((x, y), dtype="f4", casting="unsafe")),
        (lambda xp, x, y: xp.concatenate((x + 1, x * 2, x - 3))),
    ]
    for case in cases:
        made, wanted = case(cp, own, other), case(np, a, b)
        np.testing.assert_array_equal(made.get(), wanted)
        assert made.dtype == wanted.dtype and made.strides == wanted.strides


def test_joins_fail_as_numpy_does():
    a = cp.ones((2, 3))
    for wrong, error in [
        (lambda xp, x: xp.concatenate(()), ValueError),
        (lambda xp, x: xp.concatenate((x, x[0])), ValueError),
        (lambda xp, x: xp.concatenate((x, x[:, :2])), ValueError),
        (lambda xp, x: xp.concatenate((x, x), 2), ValueError),
        (lambda xp, x: xp.concatenate((x.sum(), x.sum())), ValueError),
        (lambda xp, x: xp.concatenate((x, x), "0"), TypeError),
        (lambda xp, x: xp.concatenate(iter([x, x])), TypeError),
    ]:
        with pytest.raises(error) as own:
            wrong(cp, a)
        with pytest.raises(error) as wanted:
            wrong(np, np.ones((2, 3)))
        assert type(own.value) is type(wanted.value)


def test_a_join_reads_what_was_there():
    host = np.arange(10.0)
    own = cp.asarray(host)
    joined = cp.concatenate((own, own))
    own += 1
    own[:5] = cp.concatenate((own[5:8], own[:2]))
    np.testing.assert_array_equal(joined.get(), np.r_[host, host])
    np.testing.assert_array_equal(own.get()[:5], [6, 7, 8, 1, 2])
    out = cp.zeros(20)
    cp.concatenate((out[10:], own), out=out)
    np.testing.assert_array_equal(out.get()[:10], np.zeros(10))


# Loops of one operation.

OPERATIONS = {
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "divide": np.divide,
    "minimum": np.minimum,
    "maximum": np.maximum,
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "negative": np.negative,
    "absolute": np.absolute,
}
TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


def same(own, wanted):
    """The same bits, except for the payloads of NaN."""
    own = own.get()
    assert own.dtype == wanted.dtype and own.shape == wanted.shape
    number = np.ones(own.shape, bool) if own.dtype.kind != "f" else ~np.isnan(wanted)
    assert own[number].tobytes() == wanted[number].tobytes()
    if own.dtype.kind == "f":
        assert np.isnan(own[~number]).all()


def result(function, *hosts):
    """NumPy's result; where it leaves open which of two zeros is the smaller one, -0 is."""
    made = function(*hosts)
    if function in (np.minimum, np.maximum) and made.dtype.kind == "f":
        join = np.logical_or if function is np.minimum else np.logical_and
        zeros = (hosts[0] == 0) & (hosts[1] == 0)
        made[zeros] = np.where(join(*map(np.signbit, hosts)), -0.0, 0.0)[zeros]
    return made


def operands(size, dtype, count):
    draw = np.random.default_rng(size)
    if dtype[0] == "f":
        made = [draw.choice(np.asarray(SPECIAL), size) for _ in range(count)]
        for array in made:
            array[::3] = draw.standard_normal(len(array[::3]))
    else:
        limits = np.iinfo(dtype)
        made = [draw.integers(limits.min, limits.max, size, dtype, endpoint=True) for _ in range(count)]
    with np.errstate(over="ignore"):
        return [array.astype(dtype) for array in made]


@pytest.mark.parametrize("name", OPERATIONS)
@np.errstate(all="ignore")
def test_one_operation_of_numbers_side_by_side(name):
    function = OPERATIONS[name]
    for dtype, size in itertools.product(TYPES, (1, 3, 31, 32, 33, 255, 256, 257, 1000, 40_000)):
        hosts = operands(size, dtype, function.nin)
        own = [cp.asarray(host) for host in hosts]
        same(getattr(cp, name)(*own), result(function, *hosts))
        # From an odd element on, and rows with gaps between them.
        same(getattr(cp, name)(*(array[1:] for array in own)), result(function, *(array[1:] for array in hosts)))
        if size % 1000 == 0:
            rows = [array.reshape(10, -1)[:, 1:] for array in own]
            same(getattr(cp, name)(*rows), result(function, *(array.reshape(10, -1)[:, 1:] for array in hosts)))


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "minimum", "negative"])
@np.errstate(all="ignore")
def test_one_operation_in_place(name, dtype):
    function = OPERATIONS[name]
    for size in (5, 100, 20_000):
        hosts = operands(size, dtype, function.nin)
        for target in range(function.nin):
            own = [cp.asarray(host) for host in hosts]
            getattr(cp, name)(*own, out=own[target])
            same(own[target], result(function, *hosts))
        same(getattr(cp, name)(*[own[0]] * function.nin), result(function, *[own[0].get()] * function.nin))
        # Elements that have moved by one are read before they are overwritten.
        own = cp.asarray(hosts[0])
        getattr(cp, name)(*[own[:-1]] * function.nin, out=own[1:])
        same(own[1:], result(function, *[hosts[0][:-1]] * function.nin))


@pytest.mark.parametrize("dtype", ["i2", "f8"])
def test_one_operation_of_numbers_at_odd_addresses(dtype):
    packed = np.zeros(300, np.dtype([("a", "i1"), ("b", dtype), ("c", dtype)]))
    packed["b"], packed["c"] = np.arange(300), np.arange(300)[::-1]
    own = cp.asarray(packed)
    same(own["b"] + own["c"], packed["b"] + packed["c"])
    data = np.arange(2401, dtype="u1")
    size = np.dtype(dtype).itemsize
    shifted, host = cp.asarray(data)[1:2401].view(dtype), data[1:2401].view(dtype)
    assert shifted.size == 2400 // size
    same(shifted > shifted[::-1].copy(), host > host[::-1])
    same(shifted - cp.ones(host.size, dtype), host - np.ones(host.size, dtype))
