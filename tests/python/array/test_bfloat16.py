"""The rules of docs/bfloat16.md: promotion, rounding, accumulation, order of NaN, and exchange bit by bit."""

import io

import cuproxide as cp
import ml_dtypes
import numpy as np
import pytest
from versions import NUMPY_2_5

BFLOAT16 = ml_dtypes.bfloat16
# All patterns, without the signalling NaN: processors make these quiet where they convert.
EVERY = np.arange(2**16, dtype=np.uint16)
EVERY = EVERY[((EVERY & 0x7FFF) <= 0x7F80) | ((EVERY & 0x40) != 0)]
# Just above the middle between two neighbours: rounded to a float first it becomes the middle, and then the even one.
MIDDLE, TINY = {"bfloat16": 1 + 2.0**-8, "float16": 1 + 2.0**-11}, 2.0**-40
NEXT = {"bfloat16": 1 + 2.0**-7, "float16": 1 + 2.0**-10}
# What stands beside bfloat16, and the common type.
PROMOTION = {
    "bool": "bfloat16", "int8": "bfloat16", "uint8": "bfloat16", "int16": "float32", "uint16": "float32",
    "int32": "float64", "uint32": "float64", "int64": "float64", "uint64": "float64", "bfloat16": "bfloat16",
    "float16": "float32", "float32": "float32", "float64": "float64", "complex64": "complex64",
    "complex128": "complex128",
}  # fmt: skip


def bits(array):
    return cp.asnumpy(array).view(np.uint16).tolist()


@pytest.mark.parametrize("name", PROMOTION)
def test_promotion(name):
    one, other = cp.ones(2, BFLOAT16), cp.ones(2, name)
    wanted = cp.dtype(PROMOTION[name])
    assert cp.result_type(BFLOAT16, name) == wanted
    assert (one + other).dtype == (other * one).dtype == cp.maximum(one, other).dtype == wanted
    assert cp.concatenate([one, other]).dtype == cp.where(one > 0, one, other).dtype == wanted


def test_python_numbers_only_lend_their_kind():
    x = cp.ones(2, BFLOAT16)
    for number in (True, 3, 2.5, 1e30, np.inf):
        assert (x + number).dtype == (number * x).dtype == BFLOAT16
    assert (x + 1j).dtype == np.complex64
    assert (x + np.float64(1)).dtype == np.float64 and (x + np.int8(1)).dtype == BFLOAT16


@pytest.mark.parametrize("name", MIDDLE)
def test_numbers_are_rounded_once(name):
    """From double precision to 16 bits in one step, wherever the number comes from."""
    value, dtype = MIDDLE[name] + TINY, cp.dtype(name)
    zeros = cp.zeros(2, dtype)
    filled, assigned = zeros.copy(), zeros.copy()
    filled.fill(value)
    assigned[0] = value
    assigned[1:] = value
    made = {
        "astype": cp.asarray([value, value]).astype(dtype),
        "array of a list": cp.array([value, value], dtype=dtype),
        "array of NumPy's": cp.array(np.array([value, value]), dtype=dtype),
        "full": cp.full(2, value, dtype),
        "fill": filled,
        "assignment": assigned,
        "arithmetic": zeros + value,
        "comparison": cp.maximum(zeros, value),
        "a number": cp.stack([cp.array(value, dtype=dtype)] * 2),
    }
    for way, found in made.items():
        assert found.dtype == dtype and found.astype("f8").tolist() == [NEXT[name]] * 2, way
        ways = cp.asnumpy(cp.array([-value, MIDDLE[name]], dtype=dtype).astype("f8")).tolist()
        assert ways == [-NEXT[name], 1.0]
    # Integers, too: just above the middle of two neighbours.
    wide = 2**24 + (2**16 if name == "bfloat16" else 0) + 1
    assert float(cp.array([wide]).astype(BFLOAT16)[0]) == 2**24 + (2**17 if name == "bfloat16" else 0)


@pytest.mark.parametrize("number", [2**56 + 2**48 + 1, -(2**56) - 2**48 - 1, 2**100 + 2**92 + 1])
def test_integers_of_python_are_rounded_once(number):
    """By way of a double they would become a middle between two neighbours, and then the even one."""
    sign, power = (-1 if number < 0 else 1), abs(number).bit_length() - 1
    wanted = sign * (2.0**power + 2.0 ** (power - 7))
    zeros = cp.zeros(2, BFLOAT16)
    filled, assigned = zeros.copy(), zeros.copy()
    filled.fill(number)
    assigned[0] = assigned[1] = number
    made = [filled, assigned, cp.full(2, number, BFLOAT16), zeros + number]
    if power < 63:  # `ml_dtypes` takes no wider integer from a list.
        made.append(cp.array([number] * 2, dtype=BFLOAT16))
    for found in made:
        assert found.dtype == BFLOAT16 and found.astype("f8").tolist() == [wanted] * 2


def test_sums_are_computed_in_single_precision():
    """ml_dtypes adds in bfloat16, in which 256 + 1 is 256; products of matrices are bfloat16 by every name."""
    x = cp.ones(1000, BFLOAT16)
    square = x.reshape(10, 100)
    for found in (x.sum(), x.cumsum()[-1], cp.dot(x, x), x @ x, cp.inner(x, x), cp.vecdot(x, x),
                  cp.einsum("i,i->", x, x), cp.tensordot(x, x, 1), cp.add.reduce(x), cp.nansum(x)):  # fmt: skip
        assert found.dtype == BFLOAT16 and float(found) == 1000
    for found in (square @ square.T, cp.matmul(square, square.T), cp.dot(square, square.T)):
        assert found.dtype == BFLOAT16 and found.astype(float).tolist() == [[100.0] * 10] * 10
    assert float(x.mean()) == 1 and float((3 * x).var()) == 0
    assert x.sum(dtype=np.float64).dtype == np.float64


def test_order_of_nan():
    x = cp.array([1.0, np.nan, 3, 2, -np.inf, -0.0, 0.0], dtype=BFLOAT16)
    assert cp.argsort(x).tolist() == [4, 5, 6, 0, 3, 2, 1] and cp.argsort(x, descending=True).tolist() == [
        2,
        3,
        0,
        5,
        6,
        4,
        1,
    ]
    assert np.array_equal(cp.sort(x).get().astype(float), [-np.inf, 0, 0, 1, 2, 3, np.nan], equal_nan=True)
    assert np.array_equal(
        cp.sort(x, descending=True).get().astype(float), [3, 2, 1, 0, 0, -np.inf, np.nan], equal_nan=True
    )
    assert np.isnan(float(x.max())) and np.isnan(float(x.min())) and int(x.argmax()) == int(x.argmin()) == 1
    assert float(cp.nanmax(x)) == 3 and int(cp.nanargmin(x)) == 4
    assert float(cp.fmax(x, 0)[1]) == 0 and np.isnan(float(cp.maximum(x, 0)[1]))
    assert cp.searchsorted(cp.sort(x), x[1:2]).tolist() == [6]


def test_every_number_converts_as_in_ml_dtypes():
    host = EVERY.view(BFLOAT16)
    x = cp.asarray(host)
    wide = x.astype(np.float32)
    # A NaN keeps being one; all others keep their bits.
    known = ~np.isnan(host.astype(np.float32))
    assert np.array_equal(wide.get()[known], host.astype(np.float32)[known]) and bool(cp.isnan(wide)[~known].all())
    back = wide.astype(BFLOAT16)
    assert np.array_equal(back.get().view(np.uint16)[known], EVERY[known]) and bool(cp.isnan(back)[~known].all())


@pytest.mark.parametrize("layout", ["contiguous", "strided", "reversed", "transposed"])
def test_exchange_bit_by_bit(layout, tmp_path):
    """Views, copies, files and pickles keep the bits of every number, and of every quiet NaN."""
    view = {
        "contiguous": lambda a: a,
        "strided": lambda a: a[::3],
        "reversed": lambda a: a[::-1],
        "transposed": lambda a: a.reshape(310, 211).T,
    }[layout]
    host = view(EVERY.view(BFLOAT16))
    x = view(cp.asarray(EVERY.view(BFLOAT16)))
    wanted = host.view(np.uint16) if layout != "transposed" else view(EVERY)
    wanted = wanted.tolist()
    assert bits(x) == bits(cp.asarray(host)) == bits(x.copy()) == wanted
    assert bits(cp.from_dlpack(x)) == wanted
    assert cp.ascontiguousarray(x).view(np.uint16).tolist() == wanted
    # NumPy writes the type as raw bytes, which say no name.
    cp.save(tmp_path / "x.npy", x)
    raw = np.load(tmp_path / "x.npy")
    assert np.ascontiguousarray(raw).view(np.uint16).tolist() == wanted
    assert bits(cp.load(tmp_path / "x.npy").view(BFLOAT16)) == wanted
    safetensors = pytest.importorskip("safetensors.numpy")
    # Its writer takes the memory as it lies, so that views have to be made contiguous; its reader of NumPy arrays does
    # not know the type, so that the bytes are viewed.
    data = safetensors.save({"x": np.ascontiguousarray(cp.asnumpy(x))})
    entry = dict(pytest.importorskip("safetensors").deserialize(data))["x"]
    assert entry["dtype"] == "BF16"
    read = cp.asarray(np.frombuffer(entry["data"], np.uint16)).view(BFLOAT16).reshape(entry["shape"])
    assert bits(read) == wanted


def test_pickles():
    import pickle

    x = cp.asarray(EVERY.view(BFLOAT16))
    assert bits(pickle.loads(pickle.dumps(x))) == EVERY.tolist()
    file = io.BytesIO()
    cp.savez(file, x=x)
    file.seek(0)
    assert bits(cp.load(file)["x"].view(BFLOAT16)) == EVERY.tolist()


# ---------------------------------------------------------------------------------- narrower numbers of ml_dtypes

CARRIED = ["float8_e4m3fn", "float8_e4m3b11fnuz", "float8_e5m2fnuz", "int4", "uint4"]


@pytest.mark.parametrize("name", CARRIED)
def test_narrower_numbers_are_carried(name):
    """Their bytes: views, copies, indices and joins. NumPy converts what is put in, on the host."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    host = np.array([1, 3, 2, 0, 3]).astype(dtype)
    x = cp.asarray(host)
    assert x.dtype == dtype and x.tobytes() == host.tobytes()
    for found, wanted in (
        (x[::2], host[::2]),
        (x.reshape(5, 1).copy(), host.reshape(5, 1)),
        (x[cp.asarray([4, 0])], host[[4, 0]]),
        (cp.concatenate([x, x]), np.concatenate([host, host])),
        (x.astype(dtype), host),
        (cp.asarray(host.view(np.uint8)).view(dtype), host),
    ):
        assert cp.asnumpy(found).tobytes() == wanted.tobytes()
    x[1] = 2
    assert cp.asnumpy(x).astype(float).tolist() == [1, 2, 2, 0, 3]
    assert x.view(np.uint8).dtype == np.uint8


@pytest.mark.parametrize("name", CARRIED)
def test_narrower_numbers_are_not_computed_with(name):
    """Before, casts to these types gave zeros, and comparisons and orders were those of the bytes."""
    dtype = np.dtype(getattr(ml_dtypes, name))
    x = cp.asarray(np.array([1, 3, 2]).astype(dtype))
    for call in (
        lambda: cp.asarray([1.0, 2.0]).astype(dtype),
        lambda: x.astype(np.float32),
        lambda: x.astype(ml_dtypes.int2),
        lambda: x == x,
        lambda: cp.sort(x),
        lambda: cp.argsort(x),
        lambda: x + x,
        lambda: x.sum(),
        lambda: x.__setitem__(slice(None), cp.ones(3)),
    ):
        with pytest.raises(TypeError):
            call()


def test_types_that_are_refused():
    # NumPy knows this one as a float, for which no device has arithmetic here.
    with pytest.raises(TypeError, match="float8_e5m2"):
        cp.zeros(2, ml_dtypes.float8_e5m2)
    if NUMPY_2_5:
        with pytest.raises((BufferError, TypeError)):
            cp.from_dlpack(np.zeros(2, ml_dtypes.float8_e4m3fn))


def test_exchange_of_carried_types():
    """DLPack says which type it cannot carry, and -0.0 is not zero by its bytes; sums at places round each time."""
    x = cp.asarray(np.array([0.0, -0.0, 1.0]).astype(ml_dtypes.float8_e4m3fn))
    for call in (lambda: cp.from_dlpack(x), lambda: x.__dlpack__()):
        with pytest.raises(AttributeError, match="DLPack cannot carry arrays of dtype float8_e4m3fn"):
            call()
    assert not hasattr(x, "__dlpack__")
    assert cp.nonzero(x)[0].tolist() == [1, 2]
    total = cp.zeros(1, cp.bfloat16)
    cp.add.at(total, cp.zeros(1000, int), cp.ones(1000, cp.bfloat16))
    assert float(total[0]) == 256
