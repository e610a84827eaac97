"""Arrays of structured dtypes and of void against NumPy's."""

import pickle

import cuproxide as cp
import numpy as np
import pytest
from helpers import same_error

PLAIN = np.dtype([("x", "i4"), ("y", "f4"), ("z", "u2"), ("w", "i1"), ("t", "?")])
ALIGNED = np.dtype([("k", "i1"), ("v", "f8"), ("c", "c16"), ("h", "f2")], align=True)
NESTED = np.dtype([("id", "u8"), ("place", [("at", "f8", (2, 3)), ("n", "i4")]), ("code", "i2", (2,))], align=True)
PACKED = np.dtype([("a", "u1"), ("b", "f8"), ("c", "i2")])
GAPS = np.dtype({"names": ["p", "q"], "formats": ["i4", "f4"], "offsets": [4, 12], "itemsize": 24})
VOID = np.dtype("V12")
DTYPES = {"plain": PLAIN, "aligned": ALIGNED, "nested": NESTED, "packed": PACKED, "gaps": GAPS, "void": VOID}
# What lies between fields NumPy leaves open.
PADDED = [ALIGNED, NESTED, GAPS]
LAYOUTS = ["C", "F", "strided", "reversed", "scalar", "empty"]


def records(dtype, shape=(4, 6), seed=0):
    """Random records on the host, with zeros between the fields."""
    host = np.zeros(shape, dtype)
    random = np.random.default_rng(seed)

    def fill(part):
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        elif part.dtype.kind == "V":
            part[...] = random.integers(0, 256, (*part.shape, part.itemsize)).astype("u1").view(part.dtype)[..., 0]
        else:
            part[...] = random.integers(0, 2 if part.dtype.kind == "b" else 100, part.shape).astype(part.dtype)

    fill(host)
    return host


def pair(dtype, layout="C"):
    host = records(dtype)
    ours = cp.array(host)
    match layout:
        case "F":
            return ours.copy("F"), host.copy("F")
        case "strided":
            return ours[::2, 1::3], host[::2, 1::3]
        case "reversed":
            return ours[::-1, ::-2], host[::-1, ::-2]
        case "scalar":
            return ours[1, 2], np.array(host[1, 2])
        case "empty":
            return ours[:0], host[:0]
    return ours, host


def same(ours, theirs):
    assert isinstance(ours, cp.ndarray)
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    host = cp.asnumpy(ours)
    assert type(host) is np.ndarray
    np.testing.assert_array_equal(host, theirs, strict=True)


every = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)


@every
@pytest.mark.parametrize("layout", LAYOUTS)
def test_attributes(dtype, layout):
    ours, theirs = pair(dtype, layout)
    same(ours, theirs)
    for name in ("shape", "ndim", "size", "itemsize", "nbytes", "dtype"):
        assert getattr(ours, name) == getattr(theirs, name), name
    if theirs.size > 1:
        assert ours.strides == theirs.strides
    assert repr(ours) == repr(theirs)
    assert str(ours.tolist()) == str(theirs.tolist())
    if dtype not in PADDED:
        assert ours.tobytes() == theirs.tobytes()
    assert ours.device == cp.Device()


OPERATIONS = {
    "copy": lambda a: a.copy(),
    "copy F": lambda a: a.copy("F"),
    "copy K": lambda a: a.copy(order="K"),
    "transpose": lambda a: a.T,
    "ravel": lambda a: a.ravel(),
    "ravel F": lambda a: a.ravel("F"),
    "flatten": lambda a: a.flatten(),
    "reshape": lambda a: a.reshape(-1, 1),
    "squeeze": lambda a: a[None].squeeze(0),
    "step": lambda a: a[..., ::2],
    "back": lambda a: a[::-1],
    "new axis": lambda a: a[:, None],
    "index": lambda a: a[1],
    "last": lambda a: a[..., -1],
    "fancy": lambda a: a[[0, 2, 0]],
    "take": lambda a: a.take([0, 0]),
    "take axis": lambda a: a.take([1, 0], 0),
    "repeat": lambda a: a.repeat(2),
    "swapaxes": lambda a: a.swapaxes(0, 1),
    "bytes": lambda a: a.copy().view("u1"),
    "void": lambda a: a.view("V"),
    "first byte": lambda a: a.getfield("u1", 0),
    "sixth byte": lambda a: a.getfield("i1", 5),
}


def test_indices_out_of_bounds_are_reported_at_the_next_wait_at_the_latest():
    """Devices that work on their own tell of them as they do for numbers: `evaluate` queues, a wait raises."""
    a = cp.asarray(np.zeros(2, PLAIN))
    with pytest.raises(IndexError, match="out of bounds"):
        cp.evaluate(a[[0, 2, 0]])
        cp.Device().synchronize()
    cp.evaluate(a[[0, 1]], a["x"])
    cp.Device().synchronize()


@every
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(dtype, layout, name):
    if dtype in PADDED and "byte" in name or dtype in PADDED and name == "void":
        pytest.skip("the bytes between fields are open")
    ours, theirs = pair(dtype, layout)
    try:
        expected = OPERATIONS[name](theirs)
    except Exception:
        same_error(lambda: OPERATIONS[name](ours), lambda: OPERATIONS[name](theirs))
        return
    result = OPERATIONS[name](ours)
    same(result, expected)
    if name.startswith("copy") and np.asarray(expected).size > 1:
        assert result.strides == expected.strides


@pytest.mark.parametrize("dtype", [PLAIN, ALIGNED, NESTED, GAPS], ids=["plain", "aligned", "nested", "gaps"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_fields_are_views(dtype, layout):
    ours, theirs = pair(dtype, layout)

    def walk(mine, other):
        if not other.dtype.names:
            if other.dtype.alignment <= other.dtype.itemsize:
                mine[...] = other.dtype.type(1)
                other[...] = 1
            return
        for name in other.dtype.names:
            same(mine[name], other[name])
            walk(mine[name], other[name])

    # The field z of PLAIN lies at a multiple of two bytes in elements of twelve.
    walk(ours, theirs)
    same(ours, theirs)
    if dtype.names:
        names = list(dtype.names)[::2]
        same(ours[names], theirs[names])


def test_computing_with_fields():
    ours, theirs = pair(ALIGNED)
    ours["v"] *= 2
    theirs["v"] *= 2
    ours["k"][ours["v"] > 100] = 7
    theirs["k"][theirs["v"] > 100] = 7
    ours["c"] += 1j * ours["v"]
    theirs["c"] += 1j * theirs["v"]
    same(ours, theirs)
    assert float(ours["v"].sum()) == theirs["v"].sum()
    assert bool((ours["c"] == cp.asarray(theirs["c"])).all())


def test_fields_that_are_not_aligned():
    ours, theirs = pair(PACKED)
    same(ours["a"], theirs["a"])
    same(ours["b"], theirs["b"])
    assert not ours["b"].flags.aligned
    ours["b"] += 1
    ours["b"][1] = ours["b"][0] * 2
    theirs["b"] += 1
    theirs["b"][1] = theirs["b"][0] * 2
    same(ours, theirs)
    aligned = cp.make_aligned_dtype(PACKED)
    same(ours.astype(aligned)["b"], theirs["b"])
    same(ours[["a", "b"]], theirs[["a", "b"]])


@every
def test_assignment(dtype):
    ours, theirs = pair(dtype)
    other = records(dtype, (4, 6), 1)
    for key in [1, (2, 3), slice(None, None, 2), (slice(1, 3), -1), ([0, 3], [1, 5]), ..., (..., 0)]:
        for value in (other[0, 0], other[:1, :1]):
            ours[key] = value
            theirs[key] = value if np.asarray(theirs[key]).ndim or value.shape == () else value[0, 0]
            same(ours, theirs)
    ours[...] = cp.array(other)
    same(ours, other)
    ours[1:] = ours[:-1]
    theirs = other.copy()
    theirs[1:] = other[:-1]
    same(ours, theirs)
    mask = np.arange(24).reshape(4, 6) % 3 == 0
    same(ours[cp.asarray(mask)], theirs[mask])
    ours[cp.asarray(mask)] = cp.array(other[0, 0])
    theirs[mask] = other[0, 0]
    same(ours, theirs)
    ours.set(other)
    same(ours, other)


def test_assignment_of_tuples_and_numbers():
    ours, theirs = pair(PLAIN)
    for key, value in [(0, (1, 2.5, 3, 4, True)), ((1, 1), (9, 8, 7, 6, False)), (slice(2, 3), [(1, 2, 3, 4, 1)] * 6)]:
        ours[key] = value
        theirs[key] = value
        same(ours, theirs)
    ours["y"] = 1.5
    theirs["y"] = 1.5
    ours["x"] = cp.arange(6)
    theirs["x"] = np.arange(6)
    ours[["x", "z"]] = (5, 6)
    theirs[["x", "z"]] = (5, 6)
    same(ours, theirs)
    ours.fill((1, 2, 3, 4, 1))
    theirs.fill((1, 2, 3, 4, 1))
    same(ours, theirs)
    ours[...] = cp.arange(6) % 2
    theirs[...] = np.arange(6) % 2
    same(ours, theirs)


@pytest.mark.parametrize("order", ["C", "F"])
@every
def test_creation(dtype, order):
    host = records(dtype)
    same(cp.zeros((2, 3), dtype, order), np.zeros((2, 3), dtype, order))
    assert cp.empty((2, 3), dtype, order).strides == np.empty((2, 3), dtype, order).strides
    same(cp.zeros(4, dtype=dtype), np.zeros(4, dtype))
    same(cp.zeros((), dtype), np.zeros((), dtype))
    same(cp.array(host), host)
    same(cp.array(host, order=order), host)
    same(cp.asarray(host[::2]), host[::2])
    same(cp.array(host[0, 0]), host[0, 0])
    same(cp.zeros_like(cp.array(host)), np.zeros_like(host))
    assert cp.empty_like(cp.array(host), order=order).strides == np.empty_like(host, order=order).strides
    same(cp.full(3, host[1, 1]), np.full(3, host[1, 1]))
    same(cp.full_like(cp.array(host), host[1, 1]), np.full_like(host, host[1, 1]))
    same(cp.concatenate([cp.array(host), cp.array(host[:1])]), np.concatenate([host, host[:1]]))
    same(cp.concatenate([cp.array(host), cp.array(host)], axis=None), np.concatenate([host, host], axis=None))
    same(cp.array(host, ndmin=4), np.array(host, ndmin=4))
    same(pickle.loads(pickle.dumps(cp.array(host))), host)
    ours = cp.array(host)
    assert cp.asarray(ours) is ours
    same(cp.copy(ours), host)
    same(cp.array(ours, copy=True), host)
    if dtype not in (VOID, PACKED):
        same(cp.ones(3, dtype), np.ones(3, dtype))


def test_creation_from_lists():
    rows = [(1, 2.5), (3, 4.5)]
    same(cp.array(rows, dtype="i4,f8"), np.array(rows, dtype="i4,f8"))
    same(cp.asarray(rows, [("a", "i8"), ("b", "f4")]), np.asarray(rows, [("a", "i8"), ("b", "f4")]))
    same(cp.array(cp.arange(3), "i4,f4"), np.arange(3).astype("i4,f4"))


def test_views():
    numbers = np.arange(24, dtype="f4").reshape(3, 8)
    ours = cp.asarray(numbers)
    for dtype in ("f4,f4", [("a", "i2", (2,))], "V16", "V4", [("a", "f4", (4,)), ("b", "f4", (4,))]):
        same(ours.view(dtype), numbers.view(dtype))
        same(ours.view(dtype).view("f4"), numbers.view(dtype).view("f4"))
    ours.view("f4,f4")["f1"] = 0
    numbers.view("f4,f4")["f1"] = 0
    same(ours, numbers)
    for dtype in ("V5", "V64", "V12"):
        same_error(lambda dtype=dtype: ours.view(dtype), lambda dtype=dtype: numbers.view(dtype))
    same_error(lambda: ours.T.view("f4,f4"), lambda: numbers.T.view("f4,f4"))
    records, theirs = cp.zeros((2, 3), "f4,f4"), np.zeros((2, 3), "f4,f4")
    same(records.view("f8"), theirs.view("f8"))
    same(records.view("f4"), theirs.view("f4"))
    same_error(lambda: records.T.view("f4"), lambda: theirs.T.view("f4"))
    same_error(lambda: records.view("V3"), lambda: theirs.view("V3"))
    records.setfield(7, "f4", 4)
    theirs.setfield(7, "f4", 4)
    same(records, theirs)


def test_casts():
    ours, theirs = pair(PLAIN)
    for dtype in ("f4,f4,f4,f4,f4", "i8,i8,i8,i8,i8", PLAIN):
        same(ours.astype(dtype), theirs.astype(dtype))
    for dtype in ("f8", "i4,i4"):
        same_error(lambda dtype=dtype: ours.astype(dtype), lambda dtype=dtype: theirs.astype(dtype))
    assert ours.astype(PLAIN, copy=False) is ours


@every
def test_comparison(dtype):
    ours, theirs = pair(dtype)
    other = theirs.copy()
    other[1, 2] = theirs[0, 0]
    same(ours == cp.array(other), theirs == other)
    same(ours != cp.array(other), theirs != other)


def test_what_records_refuse():
    ours, theirs = pair(PLAIN)
    plain = cp.arange(6)
    calls = [
        lambda xp, a, b: a + a,
        lambda xp, a, b: a + b,
        lambda xp, a, b: -a,
        lambda xp, a, b: a.sum(),
        lambda xp, a, b: a.mean(),
        lambda xp, a, b: xp.add(a, b),
        lambda xp, a, b: xp.sin(a),
        lambda xp, a, b: a["nothing"],
        lambda xp, a, b: a[["nothing"]],
        lambda xp, a, b: a[7],
        lambda xp, a, b: a[:, :, 0],
        lambda xp, a, b: bool(a),
        lambda xp, a, b: a.reshape(5),
        lambda xp, a, b: a.transpose(0, 0),
    ]
    for call in calls[7:]:
        same_error(lambda call=call: call(cp, ours, plain), lambda call=call: call(np, theirs, np.arange(6)))
    # NumPy's errors of ufuncs are types of their own below TypeError.
    for call in calls[:7]:
        with pytest.raises(TypeError):
            call(np, theirs, np.arange(6))
        with pytest.raises(TypeError):
            call(cp, ours, plain)
    for dtype in ("O,i4", [("a", "O")]):
        with pytest.raises(TypeError):
            cp.zeros(2, dtype)
    with pytest.raises(TypeError, match="Implicit"):
        np.asarray(ours)
    with pytest.raises(TypeError):
        cp.zeros(2, "S4")
    with pytest.raises(AttributeError):
        _ = ours.no_such_thing


def test_files(tmp_path):
    ours, theirs = pair(NESTED)
    cp.save(tmp_path / "records.npy", ours)
    same(cp.load(tmp_path / "records.npy"), theirs)
    np.testing.assert_array_equal(np.load(tmp_path / "records.npy"), theirs)


def test_kernels_get_the_memory():
    text = """
    struct Particle { double mass; float place[3]; int number; };
    extern "C" __global__ void move(Particle* particles, float step, int count) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < count) {
            particles[i].place[1] += step;
            particles[i].mass *= 2;
            particles[i].number = i;
        }
    }
    """
    dtype = np.dtype([("mass", "f8"), ("place", "f4", (3,)), ("number", "i4")], align=True)
    host = records(dtype, (100,))
    ours = cp.array(host)
    cp.RawKernel(text, "move")((1,), (128,), (ours, np.float32(0.5), np.int32(100)))
    host["place"][:, 1] += 0.5
    host["mass"] *= 2
    host["number"] = np.arange(100)
    same(ours, host)
