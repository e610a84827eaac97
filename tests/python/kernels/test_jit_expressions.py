"""Expressions in kernels written in Python, against Python's own over NumPy's numbers."""

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit
from kernel_texts import expressions

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    info = np.iinfo(dtype)
    some = [0, 1, 2, 3, 7, 100, info.max, info.min, info.max - 1, info.min + 1]
    pairs = [(a, b) for a in some for b in (1, 2, 3, 7, info.max)]
    if info.min < 0:
        pairs += [(a, b) for a in some for b in (-1, -3, info.min)] + [(0, 0), (5, 0), (-5, 0)]
    pairs = pairs[: 3 * 32 - 1]
    columns = list(zip(*pairs, strict=True))
    texts = "a+b a-b a*b a//b a%b a&b a|b a^b ~a -a +a abs(a) a==b a!=b a<b a<=b a>b a>=b a/b a+1 2*a 1-a a*0.5".split()
    texts += ["max(a, b)", "min(a, b, 5)", "cp.sign(a)", "cp.fmod(a, b)", "cp.maximum(a, b)", "cp.gcd(a, b)"]
    texts += ["(b if a > b else a)", "cp.float32(a)", "cp.int8(a)", "cp.uint16(b)", "cp.sqrt(cp.float64(a) * 0 + 2)"]
    texts += ["a < 3", "3 <= a", "0 < a < b", "not a", "cp.bitwise_count(a)", "cp.isnan(a)", "cp.logical_xor(a, b)"]
    for start in range(0, len(pairs), 32):
        part = [column[start : start + 32] for column in columns]
        expressions(texts, part, (dtype, dtype))


def test_shifts_and_powers():
    values = ([1, 2, 3, -7, 100, 5, 1], [0, 1, 2, 3, 5, 7, 6])
    for dtype in ("int8", "int32", "int64"):
        expressions(["a << b", "a >> b", "a ** b", "a ** 2", "1 << b"], values, (dtype, dtype))
    values = ([1, 2, 3, 200], [8, 70, 2, 9])
    expressions(["a << b", "a >> b", "a ** b"], values, ("uint8", "uint8"))


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype):
    values = [0.0, -0.0, 1.5, -2.5, 3.0, 0.25, np.inf, -np.inf, np.nan, 7.0, -7.0]
    pairs = [(a, b) for a in values for b in (1.5, -2.0, 0.5, np.nan)][:32]
    texts = "a+b a-b a*b a/b a%b a//b -a abs(a) a==b a!=b a<b a<=b a+1 a*0.5 a/2 1-a a>1 a**2 a!=a".split()
    texts += [
        "cp.maximum(a, b)",
        "cp.minimum(a, b)",
        "cp.fmax(a, b)",
        "cp.isnan(a)",
        "cp.isinf(a)",
        "cp.isfinite(a)",
        "cp.sign(a)",
    ]
    texts += ["cp.signbit(a)", "cp.copysign(a, b)", "cp.heaviside(a, b)", "cp.square(a)", "cp.reciprocal(b)"]
    texts += ["cp.bool_(a)", "not a", "cp.float64(a) + 1"]
    expressions(texts, list(zip(*pairs, strict=True)), (dtype, dtype))


@pytest.mark.parametrize("dtype", FLOATS)
def test_functions(dtype):
    unary = "exp exp2 expm1 log1p sin cos tan arcsin arccos arctan sinh cosh tanh arcsinh arctanh cbrt rint floor ceil"
    unary += " trunc degrees radians rad2deg deg2rad sqrt log log2 log10 fabs acos asin"
    texts = [f"cp.{name}(abs(a))" if "log" in name or name == "sqrt" else f"cp.{name}(a)" for name in unary.split()]
    texts += [f"cp.{name}(a, b)" for name in "arctan2 hypot logaddexp logaddexp2 nextafter power".split()]
    texts[-1] = "cp.power(abs(a), b)"
    if dtype == "float16":
        texts.remove("cp.nextafter(a, b)")
    texts += ["cp.arccosh(abs(b) + 1)", "cp.float_power(abs(a), b)"]
    expressions(texts, ([0.5, -0.25, 0.75, 0.125], [1.5, -0.5, 2.0, 0.125]), (dtype, dtype))


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype):
    values = ([1 + 2j, -0.5 + 0.25j, 3 - 1j], [0.5j, 2 - 1j, 1 + 1j])
    texts = "a+b a-b a*b a/b -a abs(a) a==b a!=b a*2 a*1j a.real a.imag a+b.real".split()
    texts += [f"cp.{name}(a)" for name in "exp log sqrt sin cos tan sinh cosh tanh conj square isnan".split()]
    expressions(texts, values, (dtype, dtype))


@pytest.mark.parametrize(
    "types",
    [
        ("int8", "uint8"),
        ("int32", "uint32"),
        ("int64", "uint64"),
        ("uint64", "int8"),
        ("int16", "float16"),
        ("int64", "float32"),
        ("float32", "float64"),
        ("bool", "int16"),
        ("float32", "complex64"),
        ("uint32", "bool"),
    ],
)
def test_mixed_types_are_those_of_numpy(types):
    values = ([0, 1, 1, 100], [1, 0, 1, 100])
    if types[0].startswith("int"):
        values = ([-1, 1, -7, 100], [1, 2, 1, 100])
    texts = ["a + b", "a * b", "a == b", "a / b", "a if a == b else b"]
    if "complex64" not in types:
        texts += ["a < b", "a >= b", "max(a, b)"]
    expressions(texts, values, types)


def test_bool():
    values = ([True, True, False, False], [True, False, True, False])
    texts = ["a + b", "a * b", "a & b", "a | b", "a ^ b", "~a", "not a", "a and b", "a or not b", "a == b", "a + 1"]
    expressions(texts, values, ("bool", "bool"))


def test_bfloat16():
    x = cp.asarray(np.array([1.5, 2.0, -3.25], np.float32)).astype(cp.bfloat16)
    y = cp.zeros_like(x)
    wide = cp.zeros(3, cp.float32)

    @jit.rawkernel()
    def kernel(x, y, wide):
        i = jit.threadIdx.x
        y[i] = x[i] * 2 + cp.bfloat16(1)
        wide[i] = cp.exp(x[i]) + cp.float32(x[i] > 0)

    kernel[1, 3](x, y, wide)
    assert cp.asnumpy(y.astype(cp.float32)).tolist() == [4.0, 5.0, -5.5]
    exact = cp.asnumpy(cp.exp(x).astype(cp.float32)) + np.array([1, 1, 0])
    np.testing.assert_allclose(cp.asnumpy(wide), exact, rtol=1e-2)


@pytest.mark.parametrize(("mode", "names"), [("cuda", ("int32", "float32")), ("numpy", ("int64", "float64"))])
def test_numbers_of_python(mode, names):
    whole, real = map(np.dtype, names)
    seen = {}

    def note(name, dtype):
        seen[name] = dtype
        return 0

    @jit.rawkernel(mode=mode)
    def kernel(x, y, n, r):
        k = 0
        total = 0
        mean = 0.5
        half = x[0]
        for i in range(n):
            k += 1
            total += x[i]
            half = half + 1
        y[0] = cp.float64(total) + mean * k
        y[1] = r
        if k.dtype == whole and mean.dtype == real and r.dtype == real and n.dtype == whole:
            y[2] = 1
        if half.dtype == cp.float16 and total.dtype == cp.float16:
            y[3] = 1

    y = cp.zeros(4)
    kernel[1, 1](cp.ones(3, cp.float16), y, 3, 2.5)
    assert cp.asnumpy(y).tolist() == [4.5, 2.5, 1, 1]
