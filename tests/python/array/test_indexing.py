"""Selecting and setting elements."""

import array
import threading

import cuproxide as cp
import numpy as np
import pytest
from helpers import DTYPES, FEW, check, compare, same_error, sample, to_device
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

CUBE = np.arange(60).reshape(3, 4, 5)

BASIC = [
    0,
    -1,
    (1, 2),
    (1, 2, 3),
    (-3, -4, -5),
    ...,
    None,
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(5, 1),
    slice(-2, None, 2),
    (slice(None), 2),
    (..., 1),
    (0, ...),
    (slice(None, None, -2), slice(3, 0, -1), slice(1, 4)),
    (None, 1, None, slice(2), ..., None),
    (slice(0, 0), 1),
    (slice(-100, 100, 3),),
    (),
    np.int64(2),
    (np.uint8(1), slice(None)),
]

ADVANCED = [
    [0, 2],
    [-1, 0, 0],
    ([0, 1, 2], [0, 1, 2]),
    ([[0], [2]], [1, 3]),
    (slice(None), [0, 3, 3]),
    (slice(None), slice(None), [[4, 0], [1, 1]]),
    ([0, 1], slice(None), [1, 2]),
    (0, slice(None), [1, 2]),
    ([0, 1], 2, [3, 4]),
    (slice(1), [0, 1], [2, 3]),
    (..., [0, -1]),
    ([0, 1], None, [1, 2]),
    (None, [0, 2]),
    ([2, 0], ..., [4]),
    np.array([1, 1], np.uint8),
    np.array(2),
    np.array([[0, 1], [2, 0]], np.int16),
    CUBE % 3 == 0,
    np.array([True, False, True]),
    (np.array([True, False, True]), 2),
    (slice(None), np.array([True, False, False, True])),
    (np.array([False, True, True]), [0, 3]),
    (np.array([True, False, True]), slice(None), [1, 2]),
    np.ones((3, 4), bool),
    (slice(None), np.zeros((4, 5), bool)),
    np.zeros(3, bool),
    True,
    False,
    (True, 1),
    np.zeros((0,), int),
    (np.zeros((2, 0), int), 1),
    [],
    range(2),
    (slice(None), range(3, 0, -1), 1),
    array.array("q", [2, 0, 1]),
]

BAD = [
    3,
    -4,
    (0, 4),
    (0, 0, 0, 0),
    (..., ...),
    1.5,
    "x",
    [0, 3],
    (slice(None), [-5]),
    np.array([0.5]),
    np.array([True, False]),
    np.ones((3, 3), bool),
    ([0, 1], [0, 1, 2]),
    slice(None, None, 0),
    (0, slice(None), 7),
    range(5),
    b"01",
    {0: 1},
]


def device_index(index):
    """The index with its host arrays on the device."""
    if isinstance(index, tuple):
        return tuple(device_index(item) for item in index)
    return cp.array(index) if isinstance(index, np.ndarray) else index


@pytest.mark.parametrize("index", BASIC + ADVANCED, ids=lambda index: repr(index).replace("\n", "")[:60])
def test_get(index):
    for host in (CUBE, np.asfortranarray(CUBE), CUBE[::-1].astype(np.float32)):
        check(to_device(host)[device_index(index)], host[index])
        check(to_device(host)[index], host[index])


@pytest.mark.parametrize("index", BASIC + ADVANCED, ids=lambda index: repr(index).replace("\n", "")[:60])
def test_set(index):
    host = CUBE.astype(np.float32)
    selected = host[index]
    values = [-1, np.float64(2.5), sample(np.int8, selected.shape, small=True), sample(np.float32, selected.shape[-1:])]
    for value in values:
        expected, actual = host.copy(), cp.array(host)
        try:
            expected[index] = value
        except ValueError:
            with pytest.raises(ValueError):
                actual[device_index(index)] = cp.array(value)
            continue
        actual[device_index(index)] = cp.array(value) if isinstance(value, np.ndarray) else value
        # Which of several values for one element stays is not defined.
        if np.unique(np.arange(host.size).reshape(host.shape)[index]).size == selected.size:
            check(actual, expected)


@pytest.mark.parametrize("index", BAD, ids=lambda index: repr(index).replace("\n", ""))
def test_bad_index(index):
    def get(a, i):
        # The next wait raises what a kernel on the device finds.
        return cp.asnumpy(a[i])

    same_error(lambda: get(cp.array(CUBE), device_index(index)), lambda: CUBE[index])

    def put(a, i):
        a[i] = 0
        cp.Device().synchronize()

    same_error(lambda: put(cp.array(CUBE), device_index(index)), lambda: put(CUBE.copy(), index))
    check(cp.arange(3) + 1, np.arange(3) + 1)


class Reshaping:
    """An index that reshapes the array while it is indexed."""

    def __init__(self, target):
        self.target = target

    def __index__(self):
        self.target.shape = (2, 5)
        return 1


@pytest.mark.parametrize("make_key", [lambda i: slice(i, None), lambda i: (slice(i, None), slice(None)), lambda i: i])
def test_an_index_may_reshape_the_array(make_key):
    a = cp.arange(10)
    key = make_key(Reshaping(a))
    if isinstance(key, tuple):
        a.shape = (10, 1)
    check(a[key], np.arange(5, 10).reshape(1, 5) if not isinstance(key, Reshaping) else np.arange(10)[1])
    assert a.shape == (2, 5)


class Finalizing(cp.ndarray):
    """Views of this class reshape the array that they are made from."""

    def __array_finalize__(self, source):
        if getattr(source, "is_reshaped_by_views", False):
            source.shape = (2, 5)


def test_a_view_may_reshape_its_source():
    a = cp.arange(10).view(Finalizing)
    a.is_reshaped_by_views = True
    for key in (slice(1, None), (slice(1, None),)):
        view = a[key]
        assert a.shape == (2, 5)
        check(view, np.arange(1, 10) if view.ndim == 1 else np.arange(5, 10).reshape(1, 5))


def test_value_that_does_not_fit():
    a = cp.zeros((3, 4))
    for index, shape in [(slice(None), (5,)), ((0,), (2, 4)), ([0, 1], (3, 4)), (np.ones((3, 4), bool), (5,))]:
        with pytest.raises(ValueError):
            a[device_index(index)] = cp.ones(shape)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    host = sample(dtype, (4, 5))
    compare(lambda xp, a: a[[3, 0, 0]], host)
    compare(lambda xp, a: a[::-1, ::2], host)
    compare(lambda xp, a: a[a == a], host)
    actual, expected = cp.array(host), host.copy()
    actual[1:3, [0, 4]] = actual[:2, [1, 2]]
    expected[1:3, [0, 4]] = expected[:2, [1, 2]]
    check(actual, expected)
    actual[actual != actual] = 1
    expected[expected != expected] = 1
    check(actual, expected)


def test_overlapping_assignment():
    host = np.arange(20)
    for target, source in [
        (slice(1, None), slice(None, -1)),
        (slice(None, -1), slice(1, None)),
        (slice(None), slice(None, None, -1)),
    ]:
        actual, expected = cp.array(host), host.copy()
        actual[target] = actual[source]
        expected[target] = expected[source]
        check(actual, expected)
    actual, expected = cp.array(host), host.copy()
    actual[[1, 2, 3]] = actual[0:3]
    expected[[1, 2, 3]] = expected[0:3]
    check(actual, expected)


def test_host_values_are_taken():
    a = cp.zeros((2, 3))
    a[0] = [1, 2, 3]
    a[1] = np.array([4, 5, 6])
    a[np.array([0]), 0] = 9
    check(a, np.array([[9, 2, 3], [4, 5, 6.0]]))


slices = st.builds(
    slice, *[st.none() | st.integers(-7, 7)] * 2, st.none() | st.integers(-3, 3).filter(lambda step: step != 0)
)


@given(hnp.basic_indices((3, 4, 5), allow_newaxis=True))
def test_basic_indices(index):
    check(cp.array(CUBE)[index], CUBE[index])


@given(hnp.integer_array_indices((3, 4, 5)) | hnp.integer_array_indices((3, 4, 5), result_shape=st.just((2, 3))))
def test_integer_arrays(index):
    check(cp.array(CUBE)[device_index(index)], CUBE[index])


@given(st.tuples(slices, hnp.arrays(np.int64, (2, 1), elements=st.integers(-4, 3)), st.integers(-5, 4)))
def test_mixtures(index):
    check(cp.array(CUBE)[device_index(index)], CUBE[index])


@given(hnp.arrays(bool, (3, 4)))
def test_masks(mask):
    host, device = CUBE.copy(), cp.array(CUBE)
    check(device[cp.array(mask)], host[mask])
    device[cp.array(mask)] = -1
    host[mask] = -1
    check(device, host)


FUNCTIONS = {
    "take": lambda xp, a, i: xp.take(a, i),
    "take axis": lambda xp, a, i: xp.take(a, i % 2, axis=1),
    "take wrap": lambda xp, a, i: a.take(i + 100, axis=0, mode="wrap"),
    "take clip": lambda xp, a, i: a.take(i * 50 - 70, axis=-1, mode="clip"),
    "take scalar": lambda xp, a, i: xp.take(a, 1, axis=2),
    "take list": lambda xp, a, i: xp.take(a, [[0, 1]], axis=0),
    "take_along_axis": lambda xp, a, i: xp.take_along_axis(a, xp.argsort(-a, axis=1), axis=1),
    "take_along_axis None": lambda xp, a, i: xp.take_along_axis(a, i.ravel(), axis=None),
    "choose": lambda xp, a, i: xp.choose(i % 2, [i, i * 10]),
    "choose wrap": lambda xp, a, i: xp.choose(i - 3, [a[0, 0, :3], a[1, 0, :3] + 1.5], mode="wrap"),
    "choose method": lambda xp, a, i: (i % 3).choose([0, 1, 2]),
    "compress": lambda xp, a, i: xp.compress([True, False, True], a, axis=0),
    "compress flat": lambda xp, a, i: a.compress(xp.asarray([False, True, True])),
    "extract": lambda xp, a, i: xp.extract(a % 3 == 0, a),
    "select": lambda xp, a, i: xp.select([a < 5, a > 30], [a, a * 2.5], 7),
    "where": lambda xp, a, i: xp.where(a > 5, a, -a),
    "where scalars": lambda xp, a, i: xp.where(a > 5, 1, 0.5),
    "where broadcast": lambda xp, a, i: xp.where(a[0] > 2, a, xp.asarray(1, dtype=np.int8)),
    "where alone": lambda xp, a, i: xp.where(a % 7 == 0),
    "nonzero": lambda xp, a, i: xp.nonzero(a % 2),
    "argwhere": lambda xp, a, i: xp.argwhere(a % 7 == 1),
    "flatnonzero": lambda xp, a, i: xp.flatnonzero(a % 3),
    "ix_": lambda xp, a, i: a[xp.ix_([0, 2], [1, 3], [True, False, True, False, True])],
    "indices": lambda xp, a, i: xp.indices((2, 3)),
    "indices sparse": lambda xp, a, i: xp.indices((2, 3), np.float32, sparse=True),
    "unravel_index": lambda xp, a, i: xp.unravel_index(i, (3, 4, 5)),
    "unravel_index F": lambda xp, a, i: xp.unravel_index(i, (3, 4, 5), order="F"),
    "ravel_multi_index": lambda xp, a, i: xp.ravel_multi_index((i % 3, i), (3, 10)),
    "ravel_multi_index modes": lambda xp, a, i: xp.ravel_multi_index(
        (i * 5, i * 7), (3, 4), mode=("clip", "wrap"), order="F"
    ),
    "ravel_multi_index of the most": lambda xp, a, i: xp.ravel_multi_index((i, i), (2**32, 2**31 - 1)),
    "diag_indices": lambda xp, a, i: xp.diag_indices(3, 3),
    "tril_indices": lambda xp, a, i: xp.tril_indices(4, 1, 3),
    "triu_indices": lambda xp, a, i: xp.triu_indices(3, -1, 5),
    "tril_indices_from": lambda xp, a, i: xp.tril_indices_from(a[0], -1),
    "triu_indices_from": lambda xp, a, i: xp.triu_indices_from(a[0], 1),
    "mask_indices": lambda xp, a, i: xp.mask_indices(4, xp.triu, 1),
    "r_": lambda xp, a, i: xp.r_[1:4, 0, i[0]],
    "r_ matrix": lambda xp, a, i: xp.r_["-1", a[0], a[1]],
    "r_ count": lambda xp, a, i: xp.r_[-1:1:5j, 3],
    "c_": lambda xp, a, i: xp.c_[i[0], i[1] * 1.5],
    "flat get": lambda xp, a, i: a.flat[3:40:7],
    "flat one": lambda xp, a, i: a.flat[17],
    "errors: take": lambda xp, a, i: xp.take(a, 60).item(),
    "errors: take axis": lambda xp, a, i: xp.take(a, 0, axis=3),
    "errors: take empty": lambda xp, a, i: xp.take(a[:0], [0], axis=0),
    "errors: mode": lambda xp, a, i: xp.take(a, 0, mode="never"),
    "errors: nonzero": lambda xp, a, i: xp.nonzero(a[0, 0, 0]),
    "errors: unravel_index": lambda xp, a, i: xp.unravel_index(i + 60, (3, 4, 5)),
    "errors: ravel_multi_index of too many": lambda xp, a, i: xp.ravel_multi_index((i, i), (2**40, 2**40)),
    "errors: unravel_index of too many": lambda xp, a, i: xp.unravel_index(i, (2**40, 2**40)),
    "errors: ravel_multi_index": lambda xp, a, i: xp.ravel_multi_index((i, i), (3, 4)),
    "errors: select": lambda xp, a, i: xp.select([a], [a, a]),
    "errors: select int": lambda xp, a, i: xp.select([a], [a]),
    "errors: take_along_axis": lambda xp, a, i: xp.take_along_axis(a, i, 0),
    "errors: where": lambda xp, a, i: xp.where(a, a),
    "errors: choose": lambda xp, a, i: xp.choose(i, [0, 1]),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions(case):
    compare(FUNCTIONS[case], CUBE, np.array([[0, 3, 1], [5, 2, 2]]))


def changed(change):
    """A function for `compare` that returns the array after a change in place."""

    def run(xp, a, *others):
        change(xp, a, *others)
        return a

    return run


CHANGES = {
    "put": lambda xp, a: xp.put(a, [1, -1, 7], [10, 20, 30]),
    "put repeat": lambda xp, a: a.put([5, 6, 7], -1),
    "put wrap": lambda xp, a: xp.put(a, [61, 123], [8, 9], mode="wrap"),
    "put clip": lambda xp, a: xp.put(a, [100], 8, mode="clip"),
    "place": lambda xp, a: xp.place(a, a > 40, [1, 2, 3]),
    "putmask": lambda xp, a: xp.putmask(a, a % 2 == 0, xp.asarray([-1, -2, -3])),
    "put_along_axis": lambda xp, a: xp.put_along_axis(a, xp.asarray([[[1]], [[0]], [[2]]]), 99, axis=1),
    "fill_diagonal": lambda xp, a: xp.fill_diagonal(a[:, :3, 0], 5),
    "fill_diagonal list": lambda xp, a: xp.fill_diagonal(a[0], xp.asarray([1, 2])),
    "fill_diagonal wrap": lambda xp, a: xp.fill_diagonal(a.reshape(20, 3), 5, wrap=True),
    "flat set": lambda xp, a: a.flat.__setitem__(slice(2, 50, 6), [1, 2, 3]),
    "flat set strided": lambda xp, a: a.T.flat.__setitem__([3, 9], -4),
    "flat set one": lambda xp, a: a.flat.__setitem__(11, -4),
    "fill": lambda xp, a: a.fill(3),
    "errors: fill_diagonal": lambda xp, a: xp.fill_diagonal(a, 1),
    "putmask list": lambda xp, a: xp.putmask(a, a % 3 == 0, [-1, -2]),
    "errors: putmask": lambda xp, a: xp.putmask(a, a > 3, xp.asarray([1.5])),
    "errors: place": lambda xp, a: xp.place(a, a > 3, xp.asarray([1.5])),
    "errors: put": lambda xp, a: (xp.put(a, [60], 1), a[0, 0, 0].item()),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes(case):
    compare(changed(CHANGES[case]), CUBE)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.float32, np.float64], ids=str)
def test_scatter_add_counts_repetitions(dtype):
    index = np.array([0, 1, 1, 3, 0, 0])
    expected = np.zeros(4, dtype)
    np.add.at(expected, index, np.arange(6).astype(dtype))
    for add in (cp.add.at, cp.scatter_add, lambda a, i, v: a.scatter_add(i, v)):
        a = cp.zeros(4, dtype)
        add(a, cp.array(index), cp.arange(6).astype(dtype))
        check(a, expected)


@pytest.mark.parametrize("dtype", [np.int32, np.float64], ids=str)
def test_scatter_extremes(dtype):
    index, values = np.array([0, 1, 1, 3, 0]), np.array([4, -3, 8, 2, 9]).astype(dtype)
    for ours, theirs in [(cp.scatter_max, np.maximum), (cp.scatter_min, np.minimum)]:
        a, b = cp.zeros(4, dtype), np.zeros(4, dtype)
        ours(a, cp.array(index), cp.array(values))
        theirs.at(b, index, values)
        check(a, b)


def test_at_of_any_ufunc():
    index = np.array([0, 1, 1, 3, 0, 0])
    for name in ("multiply", "subtract", "bitwise_xor", "maximum"):
        a, b = cp.arange(1, 5), np.arange(1, 5)
        getattr(cp, name).at(a, cp.array(index), cp.array([2, 3, 4, 5, 6, 7]))
        getattr(np, name).at(b, index, [2, 3, 4, 5, 6, 7])
        check(a, b)
    a, b = cp.arange(1, 5), np.arange(1, 5)
    cp.negative.at(a, cp.array(index))
    np.negative.at(b, index)
    check(a, b)


@pytest.mark.parametrize("dtype", FEW, ids=str)
def test_item(dtype):
    host = sample(dtype, (2, 3), small=True)
    a = cp.array(host)
    assert a.item(4) == host.item(4)
    assert a.item(1, 2) == host.item(1, 2)
    assert a[0, 0].item() == host[0, 0].item()
    assert a.tolist() == host.tolist()
    same_error(a.item, host.item)
    same_error(lambda: a.item(6), lambda: host.item(6))


def test_iteration():
    rows = list(cp.array(CUBE))
    assert len(rows) == 3
    check(rows[1], CUBE[1])
    assert [int(x) for x in cp.arange(3)] == [0, 1, 2]
    assert [int(x) for x in cp.arange(3).flat] == [0, 1, 2]
    same_error(lambda: iter(cp.array(1)), lambda: iter(np.array(1)))
    assert 3 in cp.arange(4) and 9 not in cp.arange(4)


@pytest.mark.parametrize("dtype", ["i1", "i8", "u1", "u4"])
@pytest.mark.parametrize("layout", [lambda a: a, lambda a: a[::-1], lambda a: a.reshape(3, 4).T])
def test_put_raises_at_the_call(dtype, layout):
    """Not at a later one, and before it has written anything; also where kernels report later."""
    for bad in [[0, 12], [0, 100, 3]] + ([] if dtype[0] == "u" else [[-13, 0], [5, -100]]):
        index = np.array(bad, dtype)
        host, ours = np.arange(12.0), cp.arange(12.0)
        with pytest.raises(IndexError) as theirs:
            layout(host).put(index, 5.0)
        for write in (lambda a, i: cp.put(a, i, 5.0), lambda a, i: a.put(i, cp.asarray([5.0, 6.0]), mode="raise")):
            with pytest.raises(IndexError) as raised:
                write(layout(ours), cp.asarray(index))
            words = str(theirs.value).split(" is out")[0]
            assert f"{words} is out of bounds for axis 0 with size 12" in str(raised.value)
            cp.Device().synchronize()
        if cp.Device().backend != "cpu":
            check(ours, np.arange(12.0))
    last = cp.asarray([11] if dtype[0] == "u" else [-12, 11], dtype)
    cp.put(ours, last, 5.0)
    assert float(ours[11]) == 5.0


def test_other_modes_raise_at_the_call_too():
    bad = cp.asarray([0, 7])
    calls = {
        "choose": lambda: cp.choose(bad, [cp.ones(2), cp.zeros(2)]),
        "ravel_multi_index": lambda: cp.ravel_multi_index((bad, bad), (3, 3)),
        "unravel_index": lambda: cp.unravel_index(bad, (2, 2)),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=r"invalid entry|out of bounds"):
            call()
        cp.Device().synchronize()
        assert name


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda a, i: a[i], "reading"),
        (lambda a, i: a.take(i), "reading"),
        (lambda a, i: a.__setitem__(i, 1.0), "assigning"),
        (lambda a, i: cp.add.at(a, i, 1.0), "updating"),
        (lambda a, i: cp.scatter_add(a, i, 1.0), "updating"),
    ],
)
def test_what_is_raised_later_names_the_operation(call, words):
    a, index = cp.zeros(3), cp.asarray([0, 5])
    with pytest.raises(IndexError) as raised:
        call(a, index)
        cp.Device().synchronize()
    at_once = "index 5 is out of bounds for axis 0 with size 3"
    assert str(raised.value) == at_once if cp.Device().backend == "cpu" else words in str(raised.value)


@pytest.mark.parametrize("count", range(10))
def test_take_of_few_places(count):
    """A loop over places takes several at a time: every remainder, and a fault at each place."""
    rng = np.random.default_rng(count)
    host, at = sample(np.float64, (50,)), rng.integers(-50, 50, 2 * count)
    for places in (at[:count], at[::2], at[::-2]):
        compare(lambda xp, a, i: a[i], host, places)
        compare(lambda xp, a, i: xp.take(a, i, mode="wrap"), host, 7 * places)
        compare(lambda xp, a, i: xp.take(a, i, mode="clip"), host, 7 * places)
        compare(lambda xp, a, i: xp.take(a[::-3], i, mode="clip"), host, places)
    a = cp.array(host)
    for place in range(count):
        for wrong in (50, -51):
            bad = at[:count].copy()
            bad[place] = wrong
            same_error(lambda bad=bad: a[cp.array(bad)], lambda bad=bad: host[bad])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i4", "i8", "u4", "i2"])
def test_take_of_many_places(index, dtype):
    """A CPU has a loop for int32 and int64 places of one axis, whose elements may lie apart."""
    rng = np.random.default_rng(4)
    host = sample(dtype, (600,))
    at = rng.integers(0 if index == "u4" else -200, 200, (7, 129)).astype(index)
    layouts = [
        lambda a: a[:200],
        lambda a: a[::3],
        lambda a: a[::-3],
        lambda a: a[1:201],
        lambda a: a.reshape(200, 3)[:, 1],
    ]
    for layout in layouts:
        compare(lambda xp, a, i, layout=layout: layout(a)[i], host, at)
        compare(lambda xp, a, i, layout=layout: xp.take(layout(a), i[::2, ::-1]), host, at)
    compare(lambda xp, a, i: xp.take(a.reshape(200, 3), i, axis=0), host, at)


@pytest.mark.parametrize("index", ["i4", "i8"])
def test_places_outside(index):
    """Wherever they are among many, extreme ones too; what is read next is right."""
    limits = np.iinfo(index)
    host, at = sample(np.float64, (50,)), np.arange(200) % 50
    a = cp.array(host)
    for place in (0, 63, 64, 199):
        for wrong in (50, -51, limits.max, limits.min, limits.min + 25):
            bad = at.astype(index)
            bad[place] = wrong
            same_error(lambda bad=bad: a[cp.array(bad)], lambda bad=bad: host[bad])
            check(cp.take(a, cp.array(at)), host[at])


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="GPUs raise at the next wait of any thread")
def test_each_thread_gets_its_own_errors():
    x, outside, inside = cp.arange(10.0), cp.full(20_000, 10**6), cp.full(20_000, 1)
    wrong = []

    def work(index, fails):
        for _ in range(200):
            try:
                x[index].get()
            except IndexError:
                wrong.extend(["another thread's error"] * (not fails))
            else:
                wrong.extend(["no error"] * fails)

    threads = [threading.Thread(target=work, args=call) for call in ((outside, True), (inside, False)) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
