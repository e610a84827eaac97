"""ReductionKernel: axes, types, identities, errors; each on both ways of folding."""

import cuproxide as cp
import numpy as np
import pytest
from helpers import LAYOUTS, check, in_layout, sample, to_device


def make(*args, **kwargs):
    """A kernel, and the same kernel folding by blocks of threads as on a GPU."""
    plain, blocks = cp.ReductionKernel(*args, **kwargs), cp.ReductionKernel(*args, **kwargs)
    plain._blocks, blocks._blocks = False, True
    return cp.ReductionKernel(*args, **kwargs), plain, blocks


TOTALS = make("T x", "T y", "x", "a + b", "y = a", "0", "total")
NORMS = make("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "l2norm")
LARGEST = make("T x", "T y", "x", "max(a, b)", "y = a", None, "largest")


def test_documented_example():
    x = cp.arange(10, dtype=np.float32).reshape(2, 5)
    for kernel in NORMS:
        assert repr(kernel(x, axis=1)) == "array([ 5.477226 , 15.9687195], dtype=float32)"


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1, ()])
def test_axes_and_layouts(layout, axis):
    host = in_layout(sample(np.dtype("int64"), (5, 70), small=True), layout)
    if host.ndim == 0 and axis not in (None, ()):
        pytest.skip("no axes")
    array = to_device(host)
    for kernel in TOTALS:
        for keepdims in (False, True):
            check(kernel(array, axis=axis, keepdims=keepdims), np.asarray(host.sum(axis=axis, keepdims=keepdims)))


def test_axes_in_a_list():
    host = sample(np.dtype("int64"), (5, 7), small=True)
    for kernel in TOTALS:
        check(kernel(cp.asarray(host), axis=[0, 1]), np.asarray(host.sum()))
        check(kernel(cp.asarray(host), axis=[1]), host.sum(1))


def test_many_dimensions():
    host = sample(np.dtype("int64"), (3, 4, 5, 6), small=True)
    for view in (host, host.transpose(2, 0, 3, 1), host[:, ::-1, ::2]):
        for axis in (0, 2, (0, 2), (1, 3), (0, 1, 2), (3,), None):
            for kernel in TOTALS:
                check(kernel(to_device(view), axis=axis), np.asarray(view.sum(axis=axis)))


@pytest.mark.parametrize("shape", [(300_000,), (3, 100_001), (40_000, 3), (200, 2000)])
def test_sizes(shape):
    host = np.random.default_rng(1).integers(-5, 9, shape)
    for axis in (None, 0, len(shape) - 1):
        for kernel in (*TOTALS[:2], *(TOTALS[2:] if host.size < 500_000 else ())):
            check(kernel(cp.asarray(host), axis=axis), np.asarray(host.sum(axis=axis)))
        for kernel in LARGEST:
            check(kernel(cp.asarray(host), axis=axis), np.asarray(host.max(axis=axis)))


def test_identity():
    for kernel in TOTALS:
        check(kernel(cp.empty((0, 3)), axis=0), np.zeros(3))
        check(kernel(cp.empty((3, 0)), axis=0), np.zeros(0))
    for kernel in LARGEST:
        with pytest.raises(ValueError, match="zero-size array to reduction operation largest which has no identity"):
            kernel(cp.empty((0, 3)), axis=0)
        check(kernel(cp.asarray([[-3, -1]]), axis=1), np.array([-1]))
        check(kernel(cp.asarray([[-3], [-1]]), axis=1), np.array([-3, -1]))


def test_reduce_type_and_sizes():
    for kernel in make(
        "T x", "T y", "x", "a + b", "y = a / (_in_ind.size() / _out_ind.size())", "0", "mean", reduce_type="float64"
    ):
        host = np.full((3, 1000), 100, np.int8)
        check(kernel(cp.asarray(host), axis=1), np.full(3, 100, np.int8))
    for kernel in make("T x", "U y", "x", "a + b", "y = a", "0", "letters", reduce_type="U"):
        out = cp.empty(3, np.int64)
        assert kernel(cp.asarray(host), out=out, axis=1) is out
        check(out, np.full(3, 100_000))


def test_own_type():
    preamble = """
    struct Extremes { float low, high; __device__ Extremes() {} __device__ Extremes(float x) : low(x), high(x) {}
                      __device__ Extremes(float l, float h) : low(l), high(h) {} };
    __device__ Extremes join(const Extremes& a, const Extremes& b) {
        return Extremes(a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high);
    }"""
    for kernel in make(
        "float32 x", "float32 y, float32 z", "Extremes(x)", "join(a, b)", "y = a.low; z = a.high", None, "extremes",
        reduce_type="Extremes", preamble=preamble,
    ):  # fmt: skip
        host = sample(np.dtype("float32"), (4, 50_000), small=True)
        low, high = kernel(cp.asarray(host), axis=1)
        check(low, host.min(axis=1))
        check(high, host.max(axis=1))


def test_several_inputs():
    for kernel in make("T x, T y, S s", "T z", "x * y * s", "a + b", "z = a", "0", "dot"):
        x, y = np.arange(12.0).reshape(3, 4), np.arange(4.0)
        check(kernel(cp.asarray(x), cp.asarray(y), 2, axis=1), 2 * (x @ y))
        check(kernel(cp.asarray(x).T, cp.asarray(y)[:, None], np.float32(2), axis=0), 2 * (x @ y))


def test_parameters_may_be_named_as_the_operands():
    for kernel in make("T a, T b", "T y", "a * b", "a + b", "y = a", "0", "products"):
        check(kernel(cp.arange(5), cp.arange(5)), np.asarray(30))


def test_raw_inputs():
    for kernel in make("T x, raw T w", "T y", "x * w[_j / _out_ind.size()]", "a + b", "y = a", "0", "weighted"):
        x, w = np.arange(12.0).reshape(4, 3), np.arange(4.0)
        check(kernel(cp.asarray(x), cp.asarray(w), axis=0), w @ x)


@pytest.mark.parametrize("shape", [(4, 3), (2, 3, 4), (5,), (3, 1, 2), (2, 40, 3)])
@pytest.mark.parametrize("order", ["C", "F", "reversed", "strided"])
def test_raw_inputs_are_indexed_in_c_order_whatever_is_reduced(shape, order):
    rng = np.random.default_rng(3)
    x, w = rng.integers(-9, 9, shape).astype(float), rng.integers(-9, 9, shape).astype(float)
    values = cp.asarray(x, order="F" if order == "F" else "C")
    if order == "reversed":
        values = cp.asarray(x[..., ::-1].copy())[..., ::-1]
    if order == "strided":
        values = cp.asarray(x.repeat(2, -1))[..., ::2]
    axes = [None, *range(len(shape)), *[(0, len(shape) - 1)] * (len(shape) > 1)]
    for kernel in make("T x, raw T w", "T y", "x * w[_j]", "a + b", "y = a", "0", "products"):
        for axis in axes:
            check(kernel(values, cp.asarray(w), axis=axis), np.sum(x * w, axis=axis))
            check(kernel(values, cp.asarray(w.T).T, axis=axis, keepdims=True), np.sum(x * w, axis=axis, keepdims=True))


def test_raw_inputs_with_an_empty_array():
    for kernel in make("T x, raw T w", "T y", "x * w[_j]", "a + b", "y = a", "7", "products"):
        check(kernel(cp.ones((3, 0)), cp.ones(1), axis=1), np.full(3, 7.0))
        check(kernel(cp.ones((0, 3)), cp.ones(1), axis=1), np.zeros(0))


def test_attributes():
    options = ("-DANY=1",)
    kernel = cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", 0, "total", "double", False, "// text", options)
    assert [p.name for p in kernel.in_params] == ["x"] and [p.name for p in kernel.out_params] == ["y"]
    assert [p.name for p in kernel.params] == ["x", "y"]
    assert (kernel.nin, kernel.nout, kernel.nargs, kernel.name) == (1, 1, 2, "total")
    assert (kernel.map_expr, kernel.reduce_expr, kernel.post_map_expr) == ("x", "a + b", "y = a")
    assert (kernel.identity, kernel.reduce_type, kernel.reduce_dims) == ("0", "double", False)
    assert (kernel.preamble, kernel.options, kernel.cached_codes) == ("// text", ("-DANY=1",), {})
    with pytest.raises(RuntimeError):
        assert kernel.cached_code
    kernel(cp.ones(3))
    assert "total_" in kernel.cached_code and len(kernel.cached_codes) == 1


def test_half_and_complex():
    for kernel in TOTALS:
        check(kernel(cp.ones((3, 100), np.float16), axis=1), np.full(3, 100, np.float16))
        check(kernel(cp.full((3, 100), 1 + 2j, np.complex64), axis=1), np.full(3, 100 + 200j, np.complex64))


def test_outputs():
    x = cp.arange(12).reshape(3, 4)
    for kernel in TOTALS:
        out = cp.zeros((4, 3), np.int64)
        kernel(x, out[0], axis=1)
        kernel(x, axis=1, out=out.T[:, 1])
        check(out[:2], np.array([[6, 22, 38]] * 2))
        kept = cp.zeros((3, 1), np.int64)
        kernel(x, axis=1, keepdims=True, out=kept)
        check(kept, np.array([[6], [22], [38]]))


def test_errors():
    kernel, x = TOTALS[0], cp.arange(12.0).reshape(3, 4)
    with pytest.raises(TypeError, match="Wrong number"):
        kernel()
    with pytest.raises(ValueError, match="mismatched"):
        kernel(x, axis=1, out=cp.empty(4))
    with pytest.raises(TypeError, match="mismatched"):
        kernel(x, axis=1, out=cp.empty(3, np.int8))
    with pytest.raises(np.exceptions.AxisError):
        kernel(x, axis=2)
    with pytest.raises(ValueError):
        kernel(x, axis=(0, 0))
    with pytest.raises(ValueError, match="undecided"):
        kernel(3)
    with pytest.raises(ValueError, match="both"):
        kernel(x, cp.empty(3), axis=1, out=cp.empty(3))
    with pytest.raises(ValueError):
        cp.ReductionKernel("T x", "raw T y", "x", "a + b", "y = a", "0")
    with pytest.raises(cp.CompileError, match="map of broken"):
        cp.ReductionKernel("T x", "T y", "undeclared", "a + b", "y = a", "0", "broken")(x)


def test_calls_of_one_kind_after_another():
    """What a kernel remembers of earlier calls must not show in later ones."""
    total = cp.ReductionKernel("T x, T s", "T y", "x * s", "a + b", "y = a", "0", "scaled_total")
    both = cp.ReductionKernel("T x", "T low, T high", "x", "a < b ? a : b", "low = a; high = -a", None, "two_results")
    rng = np.random.default_rng(0)
    for _ in range(3):
        for shape in [(6, 5), (2, 3, 4), (7,), (1, 1)]:
            for dtype in (np.int64, np.float64):
                x = rng.integers(-9, 9, shape).astype(dtype)
                for axis in [None, 0, -1, (0,), list(range(len(shape)))]:
                    names = tuple(axis) if isinstance(axis, list) else axis
                    for keepdims in (False, True):
                        options = {"axis": axis, "keepdims": keepdims}
                        for s in (2, 3, dtype(4), True):
                            expected = np.asarray((x * dtype(s)).sum(names, keepdims=keepdims), dtype)
                            check(total(cp.asarray(x), s, **options), expected)
                        low, high = both(cp.asarray(x), **options)
                        expected = np.asarray(x.min(names, keepdims=keepdims))
                        check(low, expected)
                        check(high, -expected)
                out = cp.empty((), dtype)
                assert total(cp.asarray(x), 1, out=out) is out
                check(out, np.asarray(x.sum(), dtype))
                across = cp.asarray(np.repeat(x[..., None], 2, -1))[..., 1]
                check(total(across, 1), np.asarray(x.sum(), dtype))
    with pytest.raises(ValueError):
        total(cp.ones((6, 5)), 2, axis=2)
    with pytest.raises(TypeError):
        total(cp.ones((6, 5)), "2")
    with pytest.raises(ValueError, match="no identity"):
        both(cp.ones((0, 3)), axis=0)
