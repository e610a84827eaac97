"""`cuproxide.cutensor` beside NumPy: on GPUs where the library is installed, and on its stand-in."""

from __future__ import annotations

import pickle

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import cutensor
from cuproxide._lib import contraction
from cuproxide.cuda import cutensor as ct

AVAILABLE = ct.available
needed = pytest.mark.skipif(not AVAILABLE, reason="the device's library of tensor operations is not on this machine")
DTYPES = ["float16", "float32", "float64", "complex64", "complex128"]
TOLERANCE = {"e": 2e-2, "f": 1e-5, "d": 1e-13, "F": 1e-5, "D": 1e-13}
SHAPES = {"ijk": (3, 5, 4), "klj": (4, 6, 5), "li": (6, 3)}


def numbers(shape, dtype, seed=0):
    random = np.random.default_rng([seed, *shape])
    made = random.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.standard_normal(shape)
    return made.astype(dtype)


def layouts(a):
    """The same elements in other places: C and Fortran order, axes in reverse, every second element."""
    yield "C", cp.asarray(a)
    yield "F", cp.asarray(np.asfortranarray(a))
    yield "reversed axes", cp.asarray(a.transpose().copy()).transpose()
    wide = np.zeros((*a.shape[:-1], 2 * a.shape[-1]), a.dtype)
    wide[..., ::2] = a
    yield "every second", cp.asarray(wide)[..., ::2]
    # Elements that are aligned to themselves only.
    shifted = cp.asarray(np.concatenate([np.zeros(1, a.dtype), a.ravel()]))[1:]
    yield "shifted", shifted.reshape(a.shape)


def close(got, want, scale=1.0):
    tolerance = TOLERANCE[want.dtype.char] * scale
    np.testing.assert_allclose(got.get(), want, rtol=tolerance, atol=tolerance)


# Without the library.


@pytest.mark.skipif(AVAILABLE, reason="the library is there")
def test_without_the_library():
    a = cp.ones((2, 2))
    with pytest.raises((ImportError, cp.UnsupportedError)) as raised:
        cutensor.contraction(1.0, a, "ij", a, "jk", 0.0, cp.zeros((2, 2)), "ik")
    if isinstance(raised.value, ImportError):
        assert "cuTENSOR" in str(raised.value) or "hipTensor" in str(raised.value)
    with pytest.raises((ImportError, cp.UnsupportedError)):
        ct.get_version()


@pytest.mark.skipif(AVAILABLE, reason="the library is there")
def test_without_the_library_the_switch_changes_nothing(monkeypatch):
    monkeypatch.setattr(contraction, "enabled", True)
    a, b = numbers((2, 3, 4), "int64"), numbers((4, 2, 5), "int64")
    assert (cp.einsum("ijk,kil->jl", cp.asarray(a), cp.asarray(b)).get() == np.einsum("ijk,kil->jl", a, b)).all()


def test_modes():
    assert repr(cutensor.create_mode(10, 11, 12)) == "mode(10, 11, 12)"
    assert repr(cutensor.create_mode("x", "y")) == "mode(120, 121)"
    first, second = cutensor.create_mode(1, 2), cutensor.create_mode(1, 2)
    assert first == second and first.data == second.data and hash(first) == hash(second)
    assert first != cutensor.create_mode(2, 1) and first != "mode(1, 2)"
    with pytest.raises(TypeError, match="float"):
        cutensor.create_mode(1.5)


def test_scalars_and_errors():
    assert repr(cutensor._Scalar(10, cp.float32)) == "scalar(10.0, dtype=float32)"
    error = ct.CuTensorError("7")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_descriptors_tell_what_arrays_are_like():
    described = cutensor.create_tensor_descriptor(cp.asarray(np.zeros((4, 6), "f"))[1:, ::2])
    assert (described.cutensor_dtype, described.shape, described.strides) == (ct.R_32F, (3, 3), (24, 8))
    assert described.alignment == 8
    with pytest.raises(TypeError, match="int64"):
        cutensor.create_tensor_descriptor(cp.asarray(np.zeros(3, np.int64)))


# With it.


@needed
def test_versions():
    assert ct.get_version() > 20000
    assert ct.get_cudart_version() >= 0


@needed
@pytest.mark.parametrize("dtype", DTYPES)
def test_contraction(dtype):
    a, b, c = (numbers(shape, dtype) for shape in SHAPES.values())
    want = (2.5 * np.einsum("ijk,klj->li", a.astype("D"), b.astype("D")) - 0.5 * c).astype(dtype)
    for (name, x), (_, y) in zip(layouts(a), reversed(list(layouts(b))), strict=True):
        out = cp.asarray(c)
        assert cutensor.contraction(2.5, x, "ijk", y, "klj", -0.5, out, ("l", "i")) is out, name
        close(out, want, 8)


@needed
@pytest.mark.parametrize("first, second", [("float64", "complex128"), ("complex128", "float64")])
def test_contraction_of_real_and_complex(first, second):
    a, b = numbers((4, 5), first), numbers((5, 6), second)
    out = cp.asarray(np.zeros((4, 6), "D"))
    cutensor.contraction(1j, cp.asarray(a), "ij", cp.asarray(b), "jk", 0.0, out, "ik")
    close(out, 1j * (a @ b), 8)


@needed
def test_conjugates():
    a, b = numbers((4, 5), "D"), numbers((5, 6), "D")
    out = cp.asarray(np.zeros((4, 6), "D"))
    cutensor.contraction(1.0, cp.asarray(a), "ij", cp.asarray(b), "jk", 0.0, out, "ik", op_A=ct.OP_CONJ)
    close(out, a.conj() @ b, 8)


@needed
def test_batches_outer_products_and_lengths_of_one():
    cases = [("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("ij,kl->ikjl", (2, 3), (4, 5)), ("ij,jk->ik", (1, 4), (4, 1))]
    for text, *shapes in cases:
        (a, b), (left, _, right) = (numbers(shape, "d") for shape in shapes), text.partition("->")
        want = np.einsum(text, a, b)
        out = cp.asarray(np.full(want.shape, np.nan))
        first, second = left.split(",")
        cutensor.contraction(1.0, cp.asarray(a), first, cp.asarray(b), second, 0.0, out, right)
        close(out, want, 8)


@needed
def test_results_may_overlap_what_is_read():
    a = numbers((4, 4), "float64")
    x = cp.asarray(a)
    cutensor.contraction(1.0, x, "ij", x, "jk", 2.0, x, "ik")
    close(x, a @ a + 2 * a, 8)
    x = cp.asarray(a)
    cutensor.permutation(1.0, x, "ij", x, "ji")
    close(x, a.T)
    x = cp.asarray(np.concatenate([a, a]))
    cutensor.elementwise_binary(1.0, x[1:5], "ij", 3.0, x[2:6], "ij", out=x[:4])
    close(x[:4], np.concatenate([a, a])[1:5] + 3 * np.concatenate([a, a])[2:6])


@needed
def test_special_values_pass_through():
    a = np.array([[np.inf, 1.0], [np.nan, 2.0]])
    b = np.array([[1.0, 0.0], [2.0, 3.0]])
    out = cp.asarray(np.full((2, 2), np.nan))
    cutensor.contraction(1.0, cp.asarray(a), "ij", cp.asarray(b), "jk", 0.0, out, "ik")
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(out.get(), a @ b)


@needed
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_reduction(dtype):
    a, c = numbers((3, 4, 5), dtype), numbers((4,), dtype)
    for name, x in layouts(a):
        out = cp.asarray(c)
        assert cutensor.reduction(1.5, x, "ijk", 2.0, out, "j") is out, name
        close(out, (1.5 * a.sum((0, 2)) + 2 * c).astype(dtype), 8)


@needed
def test_reduction_by_other_operators():
    a, c = numbers((3, 4, 5), "float32"), numbers((4,), "float32")
    for operator, fold in ((ct.OP_MAX, np.max), (ct.OP_MIN, np.min), (ct.OP_MUL, np.prod)):
        out = cp.asarray(c)
        cutensor.reduction(1.0, cp.asarray(a), "ijk", 0.0, out, "j", op_reduce=operator)
        close(out, fold(a, axis=(0, 2)), 8)
    out = cp.asarray(c)
    cutensor.reduction(2.0, cp.asarray(a), "ijk", 3.0, out, "j", op_A=ct.OP_COS, op_C=ct.OP_TANH, op_reduce=ct.OP_MAX)
    close(out, 2 * np.cos(a).max((0, 2)) + 3 * np.tanh(c), 8)
    total = cp.asarray(np.zeros((), "float32"))
    cutensor.reduction(1.0, cp.asarray(a), "ijk", 0.0, total, ())
    close(total, a.sum(dtype="d").astype("f"), 8)


@needed
@pytest.mark.parametrize("dtype", DTYPES)
def test_permutation(dtype):
    a = numbers((3, 4, 5), dtype)
    for name, x in layouts(a):
        out = cp.asarray(np.zeros((5, 3, 4), dtype))
        assert cutensor.permutation(2.0, x, "abc", out, "cab") is out, name
        close(out, 2 * a.transpose(2, 0, 1))


@needed
@pytest.mark.parametrize("dtype", DTYPES)
def test_elementwise(dtype):
    a, b, c = numbers((3, 4, 5), dtype), numbers((4, 5, 3), dtype), numbers((5, 3, 4), dtype)
    two = (1.5 * a.transpose(2, 0, 1) + 2 * c).astype(dtype)
    three = (two + 0.5 * b.transpose(1, 2, 0)).astype(dtype)
    for (name, x), (_, z) in zip(layouts(a), reversed(list(layouts(c))), strict=True):
        close(cutensor.elementwise_binary(1.5, x, "abc", 2.0, z, "cab"), two)
        out = cp.asarray(np.zeros((5, 3, 4), dtype))
        got = cutensor.elementwise_trinary(1.5, x, "abc", 0.5, cp.asarray(b), "bca", 2.0, z, "cab", out=out)
        assert got is out, name
        close(out, three)
    # In place, and with a label that one tensor lacks.
    out = cp.asarray(c)
    cutensor.elementwise_binary(1.0, cp.asarray(a[0, :, 0]), "b", 2.0, out, "cab", out=out)
    close(out, (a[0, :, 0] + 2 * c).astype(dtype))


@needed
def test_elementwise_by_other_operators():
    a, c = abs(numbers((3, 4), "float32")) + 0.5, numbers((4, 3), "float32")
    got = cutensor.elementwise_binary(
        2.0, cp.asarray(a), "ab", 1.5, cp.asarray(c), "ba", op_A=ct.OP_SQRT, op_C=ct.OP_ABS, op_AC=ct.OP_MUL
    )
    close(got, 2 * np.sqrt(a.T) * 1.5 * abs(c), 4)
    got = cutensor.elementwise_trinary(
        1.0, cp.asarray(a), "ab", 1.0, cp.asarray(a), "ab", 1.0, cp.asarray(c), "ba",
        op_A=ct.OP_EXP, op_B=ct.OP_NEG, op_C=ct.OP_SIGMOID, op_AB=ct.OP_ADD, op_ABC=ct.OP_MAX,
    )  # fmt: skip
    close(got, np.maximum(np.exp(a.T) - a.T, 1 / (1 + np.exp(-c))), 4)


@needed
def test_what_is_refused():
    a, b = cp.asarray(np.ones((2, 3))), cp.asarray(np.ones((3, 2)))
    out = cp.asarray(np.zeros((2, 2)))
    with pytest.raises(ValueError, match="ndim mismatch: 2 != 3"):
        cutensor.contraction(1.0, a, "ijk", b, "jk", 0.0, out, "ik")
    with pytest.raises(ValueError, match="float32"):
        cutensor.contraction(1.0, a, "ij", cp.asarray(np.ones((3, 2), "f")), "jk", 0.0, out, "ik")
    with pytest.raises(TypeError, match="int64"):
        cutensor.reduction(1.0, cp.asarray(np.ones(3, np.int64)), "i", 0.0, cp.asarray(np.zeros((), np.int64)), ())
    with pytest.raises(ValueError, match="no elements"):
        cutensor.reduction(1.0, cp.asarray(np.ones((0, 2))), "ij", 0.0, cp.asarray(np.zeros(2)), "j")
    with pytest.raises(ValueError, match="stride of -8 bytes"):
        cutensor.reduction(1.0, cp.asarray(np.ones(3))[::-1], "i", 0.0, cp.asarray(np.zeros(())), ())
    with pytest.raises(ValueError, match="shape mismatch"):
        cutensor.elementwise_binary(1.0, a, "ij", 1.0, a, "ij", out=b)
    with pytest.raises(ValueError, match="dtype mismatch"):
        cutensor.elementwise_binary(1.0, a, "ij", 1.0, a, "ij", out=cp.asarray(np.ones((2, 3), "f")))
    with pytest.raises(TypeError, match="A must be an array of a device"):
        cutensor.contraction(1.0, a.get(), "ij", b, "jk", 0.0, out, "ik")
    with pytest.raises(ValueError, match="compute_desc=3"):
        cutensor.contraction(1.0, a, "ij", b, "jk", 0.0, out, "ik", compute_desc=3)


@needed
def test_errors_of_the_library_have_its_words():
    a, out = cp.asarray(np.ones((2, 3))), cp.asarray(np.zeros((3, 3)))
    # One label of two lengths.
    with pytest.raises(ct.CuTensorError, match="cutensor|hiptensor") as raised:
        cutensor.permutation(1.0, a, "ij", out, "ij")
    assert raised.value.status in (ct.STATUS_INVALID_VALUE, ct.STATUS_NOT_SUPPORTED)
    name = {ct.STATUS_INVALID_VALUE: "INVALID_VALUE", ct.STATUS_NOT_SUPPORTED: "NOT_SUPPORTED"}
    assert name[raised.value.status] in str(raised.value)


@needed
def test_plans():
    a, b, c = (numbers(shape, "float64") for shape in SHAPES.values())
    arrays = [cp.asarray(x) for x in (a, b, c)]
    described = [cutensor.create_tensor_descriptor(x) for x in arrays]
    modes = [cutensor.create_mode(*mode) for mode in SHAPES]
    desc = cutensor.create_contraction(described[0], modes[0], 1, described[1], modes[1], 1, described[2], modes[2], 1)
    preference = cutensor.create_plan_preference(algo=ct.ALGO_DEFAULT, jit_mode=ct.JIT_MODE_NONE)
    assert preference is cutensor.create_plan_preference(algo=ct.ALGO_DEFAULT, jit_mode=ct.JIT_MODE_NONE)
    assert cutensor.create_plan(desc, preference, 1 << 30).required_workspace >= 0
    assert cutensor.create_plan(desc, preference).required_workspace == 0
    cp._cuproxide.clear_tensor_plans()
    for _ in range(3):
        cutensor.contraction(1.0, arrays[0], modes[0], arrays[1], modes[1], 0.0, arrays[2], modes[2])
    held, hits, _ = cp._cuproxide.tensor_plan_stats()
    assert held == 1 and hits >= 2
    close(arrays[2], np.einsum("ijk,klj->li", a, b), 8)


@needed
def test_graphs_hold_their_plans():
    a, b = numbers((3, 4), "float64"), numbers((4, 5), "float64")
    x, y, out = cp.asarray(a), cp.asarray(b), cp.asarray(np.zeros((3, 5)))
    cp.cuda.get_current_stream().synchronize()
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        cutensor.contraction(1.0, x, "ij", y, "jk", 1.0, out, "ik")
        graph = stream.end_capture()
    cp._cuproxide.clear_tensor_plans()
    for _ in range(3):
        graph.launch(stream)
    stream.synchronize()
    close(out, 3 * (a @ b), 8)


# einsum and tensordot.


EINSUMS = [
    ("ijk,kjl->il", (3, 4, 5), (5, 4, 6)),
    ("abij,icjd->abcd", (2, 3, 4, 5), (4, 3, 5, 2)),
    ("aibj,jcid->acbd", (3, 4, 2, 5), (5, 3, 4, 2)),
    ("ibk,kjb->ijb", (3, 4, 5), (5, 6, 4)),
    ("ik...,jk...->...ij", (3, 4, 5), (2, 4, 5)),
    ("ijkm,kjl->l", (3, 4, 5, 2), (5, 4, 6)),
]


@needed
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("text, first, second", EINSUMS)
def test_einsum_by_the_library(monkeypatch, dtype, text, first, second):
    monkeypatch.setattr(contraction, "enabled", True)
    made, make = [], contraction._operation

    def noted(*given):
        made.append(given)
        return make(*given)

    monkeypatch.setattr(contraction, "_operation", noted)
    a, b = numbers(first, dtype), numbers(second, dtype)
    got = cp.einsum(text, cp.asarray(a), cp.asarray(b))
    want = np.einsum(text, a, b)
    close(got, want, 30)
    assert got.strides == want.strides and len(made) == 1


@needed
def test_einsum_reads_reversed_and_repeated_elements(monkeypatch):
    monkeypatch.setattr(contraction, "enabled", True)
    a, b = numbers((3, 4, 5), "float64"), numbers((5, 4, 6), "float64")
    got = cp.einsum("ijk,kjl->il", cp.asarray(a)[:, ::-1], cp.asarray(b))
    close(got, np.einsum("ijk,kjl->il", a[:, ::-1], b), 30)
    line = numbers((5,), "float64")
    got = cp.einsum("ijk,kjl->il", cp.broadcast_to(cp.asarray(line), (3, 4, 5)), cp.asarray(b))
    close(got, np.einsum("ijk,kjl->il", np.broadcast_to(line, (3, 4, 5)), b), 30)


@needed
def test_tensordot_by_the_library(monkeypatch):
    monkeypatch.setattr(contraction, "enabled", True)
    a, b = numbers((3, 4, 5, 2), "float64"), numbers((2, 6, 4), "float64")
    got = cp.tensordot(cp.asarray(a), cp.asarray(b), axes=([1, 3], [2, 0]))
    want = np.tensordot(a, b, axes=([1, 3], [2, 0]))
    assert got.shape == want.shape and got.flags.c_contiguous
    close(got, want, 30)


def test_matrix_products_stay_what_they_are():
    """Where both operands are matrices as they lie in memory there is nothing to gain."""
    a, b = cp.asarray(np.ones((2, 3, 4))), cp.asarray(np.ones((3, 4, 5)))
    plain = contraction.Contraction((0, 1, 2), (1, 2, 3), (0, 3))
    assert contraction._is_product(a, b, plain)
    assert contraction._is_product(a, b.transpose(1, 0, 2), contraction.Contraction((0, 1, 2), (2, 1, 3), (0, 3)))
    other = cp.asarray(np.ones((4, 3, 5)))
    assert not contraction._is_product(a, other, contraction.Contraction((0, 1, 2), (2, 1, 3), (0, 3)))
    assert not contraction._is_product(a[:, :, ::2], b[:, ::2], plain)
    assert contraction._is_product(a.transpose(1, 2, 0), b, contraction.Contraction((1, 2, 0), (1, 2, 3), (0, 3)))


def test_accelerators(run_python):
    done = run_python(
        "from cuproxide._lib import contraction; print(contraction.enabled)", CUPY_ACCELERATORS="cub,cuTENSOR"
    )
    assert done.stdout.strip() == "True", done.stderr
    done = run_python("import cuproxide", CUPROXIDE_ACCELERATORS="cutenser")
    assert done.returncode != 0 and "'cutenser' is none of cub, cutensor, cutensornet" in done.stderr


def test_compat(run_python):
    code = "import cuproxide.compat as compat; compat.install()\n"
    code += "from cupyx import cutensor\nfrom cupy.cuda import cutensor as ct\n"
    code += "import cupy_backends.cuda.libs.cutensor as low\nfrom cupy_backends.cuda.libs import cusparselt, cusparse\n"
    code += "print(cutensor.create_mode(1), ct.OP_ADD, low is ct or low.OP_MAX, cusparse.CUSPARSE_ORDER_ROW)\n"
    done = run_python(code)
    assert done.stdout.split()[:2] == ["mode(1)", "3"] and done.stdout.split()[-1] == "2", done.stderr
