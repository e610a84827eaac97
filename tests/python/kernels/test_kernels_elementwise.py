"""ElementwiseKernel: types, shapes, raw arguments, errors."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import DTYPES, LAYOUTS, check, in_layout, sample, to_device

squared_difference = cp.ElementwiseKernel(
    "float32 x, float32 y", "float32 z", "z = (x - y) * (x - y)", "squared_difference"
)
generic = cp.ElementwiseKernel("T x, T y", "T z", "T d = x - y; z = d * d", "generic")


def test_documented_example():
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    y = cp.arange(5, dtype=np.float32)
    assert repr(squared_difference(x, y)) == (
        "array([[ 0.,  0.,  0.,  0.,  0.],\n       [25., 25., 25., 25., 25.]], dtype=float32)"
    )
    check(squared_difference(x, 5), (cp.asnumpy(x) - 5) ** 2)
    z = cp.empty((2, 5), dtype=np.float32)
    assert squared_difference(x, y, z) is z
    check(z, np.repeat(np.array([[0], [25]], np.float32), 5, 1))


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_types_of_placeholders(dtype):
    host = sample(dtype, (3, 4), small=True)
    if dtype.kind == "b":
        kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x && !y", "both")
        check(kernel(to_device(host), to_device(host[::-1])), host & ~host[::-1])
        return
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y + T(1)", "multiply")
    expected = (host * host[::-1] + dtype.type(1)).astype(dtype)
    # A GPU contracts to one rounding, and 16-bit numbers are computed as float.
    check(kernel(to_device(host), to_device(host[::-1])), expected, ulp=4, scale=2)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout):
    host = in_layout(sample(np.dtype("int32"), (6, 7), small=True), layout)
    other = sample(np.dtype("int32"), (7,), small=True)
    check(generic(to_device(host), to_device(other)), (host - other) ** 2)
    position = cp.ElementwiseKernel("T x", "int64 y", "y = i * 100 + x", "position")
    check(position(to_device(host)), np.arange(host.size).reshape(host.shape) * 100 + host)


def test_outputs_with_strides():
    x = np.arange(24.0).reshape(4, 6)
    z = cp.zeros((6, 8))
    view = z.T[1:5, ::-1]
    assert generic(cp.asarray(x), 1, view) is view
    expected = np.zeros((6, 8))
    expected.T[1:5, ::-1] = (x - 1) ** 2
    check(z, expected)


def test_several_dimensions():
    shape = (2, 3, 2, 3, 2)
    host = np.arange(72.0).reshape(shape)
    check(generic(to_device(host.transpose(4, 2, 0, 3, 1)), 2.0), (host.transpose(4, 2, 0, 3, 1) - 2) ** 2)
    check(generic(to_device(host[:, ::2]), to_device(host[:, :2])), (host[:, ::2] - host[:, :2]) ** 2)


def test_several_outputs():
    kernel = cp.ElementwiseKernel("T x, U y", "T sum, U product", "sum = x + y; product = x * y", "both")
    x, y = np.arange(5, dtype=np.int64), np.arange(5.0)
    total, product = kernel(cp.asarray(x), cp.asarray(y))
    check(total, x + x)
    check(product, x * y)


def test_raw_arguments():
    kernel = cp.ElementwiseKernel("T x, raw T y", "T z", "z = x + y[_ind.size() - i - 1]", "add_reverse")
    x, y = np.arange(10.0), np.arange(10.0) ** 2
    check(kernel(cp.asarray(x), cp.asarray(y)), x + y[::-1])
    check(kernel(cp.asarray(x), cp.asarray(y)[::-1]), x + y)
    wide = np.arange(20.0).reshape(2, 10)
    check(kernel(cp.asarray(x), cp.asarray(wide).T), x + wide.T.ravel()[9::-1])


def test_raw_arguments_by_position():
    kernel = cp.ElementwiseKernel(
        "raw T x",
        "raw T y",
        "ptrdiff_t at[] = {i / x.shape()[0], i % x.shape()[0]}; ptrdiff_t from[] = {at[1], at[0]}; y[at] = x[from];",
        "transpose",
    )
    x = np.arange(12.0).reshape(3, 4)
    y = cp.zeros((4, 3))
    kernel(cp.asarray(x), y, size=12)
    check(y, x.T)


def test_loop_size_and_hooks():
    kernel = cp.ElementwiseKernel(
        "raw T x",
        "raw T y",
        "sum += x[i]",
        "sums",
        no_return=True,
        loop_prep="T sum = offset();",
        after_loop="atomicAdd(&y[0], sum)",
        preamble="__device__ double offset() { return 0; }",
    )
    x, y = cp.arange(1000.0), cp.zeros(1)
    assert kernel(x, y, size=1000) is None
    check(y, np.array([499500.0]))
    with pytest.raises(ValueError, match="undecided"):
        kernel(x, y)


def test_options_and_tuple():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x + STEP", "step", options=("-DSTEP=3",), return_tuple=True)
    (y,) = kernel(cp.arange(3))
    check(y, np.arange(3) + 3)


def test_numbers():
    kernel = cp.ElementwiseKernel("T x, T y", "T z", "z = x * y", "multiply")
    check(kernel(cp.arange(3, dtype=np.int8), 5), np.arange(3, dtype=np.int8) * np.int8(5))
    check(kernel(3, 4), np.asarray(12))
    check(kernel(np.float32(2), 4), np.asarray(8, np.float32))
    check(kernel(cp.asarray([1j, 2], np.complex64), 2), np.asarray([2j, 4], np.complex64))
    with pytest.raises(OverflowError):
        kernel(cp.arange(3, dtype=np.int8), 300)


def test_complex_functions():
    names = ["sqrt", "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh"]
    names += ["asin", "acos", "atan", "asinh", "acosh", "atanh"]
    values = sample(np.dtype("complex128"), (40,), small=True)
    for name in names:
        kernel = cp.ElementwiseKernel("complex128 z", "complex128 w", f"w = {name}(z)", f"complex_{name}")
        theirs = getattr(
            np,
            {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}.get(
                name, name.replace("a", "arc", 1) if name[0] == "a" else name
            ),
        )
        check(kernel(cp.asarray(values)), theirs(values), ulp=100)
    kernel = cp.ElementwiseKernel(
        "T z, T w",
        "T a, float64 b",
        "a = z / w - conj(z) * pow(w, 2); b = abs(z) + arg(w) + norm(z) + real(w)",
        "mixed",
    )
    other = values[::-1].copy()
    a, b = kernel(cp.asarray(values), cp.asarray(other))
    check(a, values / other - values.conj() * other**2, ulp=200, scale=100)
    check(b, np.abs(values) + np.angle(other) + np.abs(values) ** 2 + other.real, ulp=50, scale=10)


def test_empty():
    check(generic(cp.empty((0, 3)), 1), np.empty((0, 3)))
    check(generic(cp.asarray(4.0), 1), np.asarray(9.0))


def test_large():
    x = cp.arange(3_000_000, dtype=np.int32)
    assert int(generic(x, 1)[-1]) == np.int32((2_999_998**2 + 2**31) % 2**32 - 2**31)


def test_code_is_kept():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x", "same")
    with pytest.raises(RuntimeError):
        kernel.cached_code  # noqa: B018
    kernel(cp.arange(3))
    kernel(cp.arange(4))
    assert "same" in kernel.cached_code
    kernel(cp.arange(3.0))
    assert len(kernel.cached_codes) == 2
    assert (kernel.nin, kernel.nout, kernel.nargs, kernel.name) == (1, 1, 2, "same")


def test_bad_definitions():
    for text in ("T n", "T i", "T _x", "T", "raw x", "const T x", "T 3"):
        with pytest.raises((ValueError, TypeError)):
            cp.ElementwiseKernel(text, "T y", "y = 0")
    with pytest.raises(TypeError, match="float33"):
        cp.ElementwiseKernel("float33 x", "T y", "y = 0")
    with pytest.raises(ValueError, match="same name"):
        cp.ElementwiseKernel("T x", "T x", "x = 0")
    with pytest.raises(ValueError, match="name"):
        cp.ElementwiseKernel("T x", "T y", "y = x", "not a name")
    with pytest.raises(TypeError, match="nonsense"):
        cp.ElementwiseKernel("T x", "T y", "y = x", nonsense=1)


def test_bad_calls():
    x = cp.arange(4.0)
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        generic(x)
    with pytest.raises(TypeError, match="mismatched"):
        generic(x, x.astype(np.float32))
    with pytest.raises(TypeError, match="mismatched"):
        squared_difference(x, x)
    with pytest.raises(TypeError, match="output"):
        generic(x, x, 3)
    with pytest.raises(TypeError, match="Unsupported type"):
        generic(x, np.arange(4.0))
    with pytest.raises(ValueError, match="broadcast"):
        generic(x, cp.arange(3.0))
    with pytest.raises(ValueError, match="mismatch"):
        generic(x, x, cp.empty(5))
    with pytest.raises(ValueError, match="size"):
        generic(x, x, size=4)
    with pytest.raises(TypeError, match="follows from no argument"):
        cp.ElementwiseKernel("T x", "U y", "y = x", "unresolved")(x)


def test_errors_of_the_compiler_show_the_operation():
    kernel = cp.ElementwiseKernel("T x", "T y", "y = undeclared(x)", "broken")
    with pytest.raises(cp.CompileError, match="undeclared") as caught:
        kernel(cp.arange(3))
    assert "operation of broken" in str(caught.value) or "operation of broken" in caught.value.log
    assert "y = undeclared(x)" in caught.value.source


def test_calls_of_one_kind_after_another():
    """What a kernel remembers of earlier calls must not show in later ones."""
    kernel = cp.ElementwiseKernel("T x, raw U table, V s", "T y", "y = x * table[i % 3] + s", "remembering")
    rng = np.random.default_rng(0)
    table = rng.integers(1, 9, 3)

    def expected(x, table, s):
        return (x * np.resize(table, x.size).reshape(x.shape) + s).astype(x.dtype)

    for turn in range(3):
        for shape in [(7,), (2, 5), (), (3, 1, 4), (0, 3)]:
            for dtype in (np.float64, np.int32):
                x = np.asarray(rng.integers(0, 9, shape), dtype=dtype)
                for s in (turn, 2.5, np.float32(turn), True):
                    check(kernel(cp.asarray(x), cp.asarray(table), s), expected(x, table, s))
                wide = cp.asarray(np.repeat(x[..., None], 2, -1))[..., 0]
                check(kernel(wide, cp.asarray(table), turn), expected(x, table, turn))
                out = cp.empty(shape, dtype)
                assert kernel(cp.asarray(x), cp.asarray(table), 1, out) is out
                check(out, expected(x, table, 1))
    spread = cp.asarray(np.repeat(table, 2))[::2]
    check(kernel(cp.arange(5.0), spread, 0), expected(np.arange(5.0), table, 0))
    # An output of the other type, shape or number of arguments is refused as at first.
    for out, error in [(cp.empty(5, np.float32), TypeError), (cp.empty(4), ValueError)]:
        with pytest.raises(error):
            kernel(cp.arange(5.0), cp.asarray(table), 0, out)
    with pytest.raises(TypeError, match="Wrong number of arguments"):
        kernel(cp.arange(5.0), cp.asarray(table))
    with pytest.raises(ValueError, match="block_size"):
        kernel(cp.arange(5.0), cp.asarray(table), 0, block_size=0)
    with pytest.raises(TypeError):
        kernel(cp.arange(5.0), cp.asarray(table), "0")


def test_calls_that_are_remembered_return_as_they_are_told():
    x = cp.arange(3.0)
    nothing = cp.ElementwiseKernel("", "T y", "y = 4", "nothing_returned", no_return=True)
    tuples = cp.ElementwiseKernel("T x", "T y", "y = -x", "in_a_tuple", return_tuple=True)
    several = cp.ElementwiseKernel("T x", "T y, int32 z", "y = -x; z = (int)i", "two_outputs")
    for _ in range(3):
        assert nothing(x) is None
        (y,) = tuples(cp.arange(3.0))
        check(y, -np.arange(3.0))
        y, z = several(cp.arange(4, dtype=np.float32))
        check(y, -np.arange(4, dtype=np.float32))
        check(z, np.arange(4, dtype=np.int32))
    check(x, np.full(3, 4.0))


def test_outputs_that_are_read_only():
    x, out = cp.arange(3.0), cp.zeros(3)
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "into_an_output")
    total = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "into_one_number")
    number = cp.zeros(())
    for _ in range(2):
        kernel(x, out)
        total(x, out=number)
    out.setflags(write=False)
    number.setflags(write=False)
    for call in (lambda: kernel(x, out), lambda: total(x, out=number), lambda: total(x, number)):
        with pytest.raises(ValueError, match="y is read-only"):
            call()
    check(out, np.arange(3.0) + 1)
    check(number, np.asarray(3.0))
