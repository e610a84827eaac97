"""What texts written for CUDA find without a header, and the types of 16 bits of its headers."""

from fractions import Fraction

import cuproxide as cp
import numpy as np
import pytest

RNG = np.random.default_rng(20)


def run(code, *args, threads=1, **options):
    cp.RawKernel(code, "k", **options)((1,), (threads,), args)


# Rounding by name.

FLOATS = {
    "f": (np.float32, "float", ["fadd", "fsub", "fmul", "fdiv", "fsqrt", "frcp", "fmaf"]),
    "d": (np.float64, "double", ["dadd", "dsub", "dmul", "ddiv", "dsqrt", "drcp", "fma"]),
}
EXACT = {
    "add": lambda a, b, c: a + b,
    "sub": lambda a, b, c: a - b,
    "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b,
    "rcp": lambda a, b, c: 1 / a,
    "fma": lambda a, b, c: a * b + c,
}


def stem_of(function):
    return "fma" if function.startswith("fma") else function[1:]


def is_rounded(result, exact, direction):
    """Whether a finite number is the exact one rounded so, by its neighbours."""
    got = Fraction(float(result))
    infinity = np.array(np.inf, result.dtype)
    below, above = (Fraction(float(np.nextafter(result, way))) for way in (-infinity, infinity))
    if direction == "rz":
        direction = "rd" if exact > 0 else "ru"
    if direction == "rd":
        return got <= exact < above
    if direction == "ru":
        return below < exact <= got
    return abs(got - exact) <= min(abs(below - exact), abs(above - exact))


@pytest.mark.parametrize("direction", ["rn", "rz", "ru", "rd"])
@pytest.mark.parametrize("letter, function", [(letter, name) for letter in FLOATS for name in FLOATS[letter][2]])
def test_rounding_by_name(letter, function, direction):
    dtype, name, _ = FLOATS[letter]
    a, b, c = (RNG.standard_normal(60).astype(dtype) * np.exp2(RNG.integers(-20, 20, 60)).astype(dtype) for _ in "abc")
    a = np.abs(a)
    # Exact results, sums that cancel, small numbers.
    a[:4], b[:4], c[:4] = (4, 1, 9, 2.0**-100), (2, 3, 3, 2.0**-20), (0, 1, -27, 2.0**-110)
    arguments = ", ".join(f"{x}[t]" for x in "abc"[: {"sqrt": 1, "rcp": 1, "fma": 3}.get(stem_of(function), 2)])
    code = f"""extern "C" __global__ void k(const {name}* a, const {name}* b, const {name}* c, {name}* y) {{
        int t = threadIdx.x;
        y[t] = __{function}_{direction}({arguments});
    }}"""
    y = cp.zeros(60, dtype)
    run(code, *map(cp.asarray, (a, b, c)), y, threads=60)
    for result, *values in zip(y.get(), a, b, c, strict=True):
        numbers = [Fraction(float(value)) for value in values]
        if stem_of(function) == "sqrt":
            # Squares order as the roots do.
            below, above = (Fraction(float(np.nextafter(result, way))) for way in (dtype(0), dtype(np.inf)))
            got = Fraction(float(result))
            if direction == "rn":
                assert (got + below) ** 2 / 4 <= numbers[0] <= (got + above) ** 2 / 4, values
            elif direction == "ru":
                assert below**2 < numbers[0] <= got**2, values
            else:
                assert got**2 <= numbers[0] < above**2, values
        else:
            assert is_rounded(result, EXACT[stem_of(function)](*numbers), direction), (values, result)


@pytest.mark.parametrize("letter", FLOATS)
def test_quotients_at_the_ends_of_the_range(letter):
    dtype, name, _ = FLOATS[letter]
    info = np.finfo(dtype)
    largest, least = info.max, info.smallest_subnormal
    cases = [
        (largest, 0.5),
        (least, 2),
        (-least, 3),
        (1, 0),
        (np.inf, 3),
        (3, np.inf),
        (largest, -0.25),
        (0, 5),
        (least, least),
    ]
    a, b = (np.array(values, dtype) for values in zip(*cases, strict=True))
    code = f"""extern "C" __global__ void k(const {name}* a, const {name}* b, {name}* y) {{
        int t = threadIdx.x;
        y[t] = __{letter}div_rz(a[t], b[t]);
        y[9 + t] = __{letter}div_ru(a[t], b[t]);
        y[18 + t] = __{letter}div_rd(a[t], b[t]);
    }}"""
    y = cp.zeros((3, 9), dtype)
    run(code, cp.asarray(a), cp.asarray(b), y, threads=9)
    inf = np.inf
    wanted = [
        [largest, 0, -0.0, inf, inf, 0, -largest, 0, 1],
        [inf, least, -0.0, inf, inf, 0, -largest, 0, 1],
        [largest, 0, -least, inf, inf, 0, -inf, 0, 1],
    ]
    np.testing.assert_array_equal(y.get(), np.array(wanted, dtype))


# Types of 16 bits.


def brain(values):
    """Doubles as bfloat16, to the nearest, ties to even."""
    bits = np.asarray(values, np.float64).astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def wide(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


TYPES = {
    "half": ("__half", "half", lambda x: np.asarray(x).astype(np.float16), lambda x: x.astype(np.float32), np.float16),
    "bfloat16": ("__nv_bfloat16", "bfloat16", brain, wide, np.uint16),
}
HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"


@pytest.mark.parametrize("kind", TYPES)
def test_arithmetic_of_16_bits(kind):
    name, _, narrow, widen, dtype = TYPES[kind]
    pair = "__half2" if kind == "half" else "__nv_bfloat162"
    a, b, c = (narrow(RNG.standard_normal(64) * np.exp2(RNG.integers(-4, 5, 64))) for _ in "abc")
    x, y, z = (widen(v).astype(np.float64) for v in (a, b, c))
    expected = {
        "__hadd(a[t], b[t])": x + y,
        "__hsub(a[t], b[t])": x - y,
        "__hmul(a[t], b[t])": x * y,
        "__hdiv(a[t], b[t])": x / y,
        "a[t] - b[t]": x - y,
        "__hfma(a[t], b[t], c[t])": x * y + z,
        "__hadd_sat(a[t], b[t])": np.clip(x + y, 0, 1),
        "__hneg(a[t])": -x,
        "__habs(a[t])": np.abs(x),
        "__hmin(a[t], b[t])": np.minimum(x, y),
        "__hmax(a[t], b[t])": np.maximum(x, y),
        "hsqrt(__habs(a[t]))": np.sqrt(np.abs(x)),
        "hrcp(a[t])": 1 / x,
        "hfloor(a[t])": np.floor(x),
        "hrint(a[t])": np.rint(x),
    }
    lines = [f"y[{at} * 64 + t] = {text};" for at, text in enumerate(expected)]
    pairs = {
        "__hadd2(p[h], q[h])": x + y,
        "__hmul2(p[h], q[h])": x * y,
        "__hfma2(p[h], q[h], r[h])": x * y + z,
        "__hneg2(p[h])": -x,
        "__h2div(p[h], q[h])": x / y,
        "__hmin2(p[h], q[h])": np.minimum(x, y),
        "__hgt2(p[h], q[h])": (x > y).astype(np.float64),
        "h2sqrt(__habs2(p[h]))": np.sqrt(np.abs(x)),
        "__lowhigh2highlow(p[h])": x.reshape(-1, 2)[:, ::-1].reshape(-1),
    }
    lines += [f"if (t < 32) o[{at} * 32 + t] = {text};" for at, text in enumerate(pairs)]
    code = f"""{HEADERS}
    extern "C" __global__ void k(const {name}* a, const {name}* b, const {name}* c, {name}* y, {pair}* o) {{
        int t = threadIdx.x, h = t % 32;
        const {pair} *p = (const {pair}*)a, *q = (const {pair}*)b, *r = (const {pair}*)c;
        {" ".join(lines)}
    }}"""
    y, o = cp.zeros((len(expected), 64), dtype), cp.zeros((len(pairs), 64), dtype)
    run(code, *map(cp.asarray, (a, b, c)), y, o, threads=64)
    for text, got, wanted in zip(
        [*expected, *pairs], [*y.get(), *o.get()], [*expected.values(), *pairs.values()], strict=True
    ):
        np.testing.assert_array_equal(widen(got), widen(narrow(wanted)), err_msg=text)


@pytest.mark.parametrize("kind", TYPES)
def test_products_and_sums_of_16_bits_round_once(kind):
    name, called, narrow, widen, dtype = TYPES[kind]
    # A sum halfway between two numbers, but for a part that a double has no room for.
    unit = 2.0**-11 if kind == "half" else 2.0**-8
    tiny = 2.0**-24 if kind == "half" else 2.0**-120
    a, b, c = narrow([1.0, 1.0, -1.0]), narrow([unit, unit, unit]), narrow([0.0, tiny, -tiny])
    code = f"""{HEADERS}
    extern "C" __global__ void k(const {name}* a, const {name}* b, const {name}* c, {name}* y) {{
        int t = threadIdx.x;
        const float big = (float)a[t] * {1.0 / unit}f, small = (float)c[t];
        y[t] = __hfma(__float2{called}(big), b[t], __float2{called}(small));
        y[3 + t] = __hfma(a[t], __float2{called}({unit}f + 1.0f), __float2{called}(small));
    }}"""
    y = cp.zeros(6, dtype)
    run(code, *map(cp.asarray, (a, b, c)), y, threads=3)
    np.testing.assert_array_equal(np.abs(widen(y.get()))[:3], 1)
    assert np.all(np.abs(widen(y.get()))[3:] >= 1)


@pytest.mark.parametrize("kind", TYPES)
def test_conversions_of_16_bits(kind):
    name, called, narrow, widen, dtype = TYPES[kind]
    a = narrow([2.5, -2.5, 0.75, -0.25, 7.0, np.nan, np.inf, -np.inf])
    x = widen(a).astype(np.float64)
    ways = {"rz": np.trunc, "rn": np.rint, "rd": np.floor, "ru": np.ceil}
    lines = [f"n[{at} * 8 + t] = __{called}2int_{way}(a[t]);" for at, way in enumerate(ways)]
    code = f"""{HEADERS}
    extern "C" __global__ void k(const {name}* a, int* n, {name}* y, float* f, int* is) {{
        int t = threadIdx.x;
        {" ".join(lines)}
        y[t] = __int2{called}_rn(1000 + t);
        y[8 + t] = __ll2{called}_rn(-9007199254740993ll * (t % 2) + t);
        y[16 + t] = __ushort_as_{called}(__{called}_as_ushort(a[t]));
        f[t] = __{called}2float(a[t]);
        is[t] = __hisnan(a[t]) + 2 * (__hisinf(a[t]) != 0) + 4 * __hequ(a[t], a[t]) + 8 * __heq(a[t], a[t]);
        is[t] += 16 * __hneu(a[t], a[t]);
    }}"""
    n, y, f, found = cp.zeros((4, 8), np.int32), cp.zeros((3, 8), dtype), cp.zeros(8, np.float32), cp.zeros(8, np.int32)
    run(code, cp.asarray(a), n, y, f, found, threads=8)
    for got, function in zip(n.get(), ways.values(), strict=True):
        wanted = np.clip(np.nan_to_num(function(x), posinf=2.0**31 - 1, neginf=-(2.0**31)), -(2.0**31), 2.0**31 - 1)
        np.testing.assert_array_equal(got[np.isfinite(x)], wanted[np.isfinite(x)])
    whole = np.array([-9007199254740993 * (t % 2) + t for t in range(8)], np.float64)
    np.testing.assert_array_equal(widen(y.get()[0]), widen(narrow(np.arange(1000.0, 1008.0))))
    np.testing.assert_array_equal(widen(y.get()[1]), widen(narrow(whole)))
    np.testing.assert_array_equal(y.get()[2].view(np.uint16), a.view(np.uint16))
    np.testing.assert_array_equal(f.get(), x.astype(np.float32))
    nan, infinite = np.isnan(x), np.isinf(x)
    np.testing.assert_array_equal(found.get(), nan + 2 * infinite + 4 + 8 * ~nan + 16 * nan)


@pytest.mark.parametrize("kind", TYPES)
def test_sums_in_place_of_pairs_of_16_bits(kind):
    pair = "__half2" if kind == "half" else "__nv_bfloat162"
    name, called, narrow, widen, dtype = TYPES[kind]
    y = cp.zeros(2, dtype)
    run(
        f'{HEADERS}extern "C" __global__ void k({pair}* y) {{ atomicAdd(y, __floats2{called}2_rn(1.0f, 2.0f)); }}',
        y,
        threads=64,
    )
    assert widen(y.get()).tolist() == [64, 128]


# Names of the compiler.


def test_guards_of_cuda():
    code = """
    #ifdef __CUDACC__
    #define BOTH __host__ __device__
    #else
    #include "no such header"
    #endif
    #ifndef __CUDACC_RTC__
    #include <no_such_header>
    #endif
    #if __CUDA_ARCH__ < 600
    __device__ double atomicAdd(double* address, double value) { return 0; }
    #endif
    BOTH inline int next(int x) { return x + 1; }
    extern "C" __global__ void k(int* x, double* sum) { x[threadIdx.x] = next(x[threadIdx.x]); atomicAdd(sum, 1.5); }
    """
    x, total = cp.arange(4, dtype=np.int32), cp.zeros(1)
    run(code, x, total, threads=4)
    assert x.tolist() == [1, 2, 3, 4] and total.tolist() == [6]


def test_variables_of_modules_and_assertions_that_hold():
    code = """
    __managed__ int total = 5;
    __device__ int other = 7;
    extern "C" __global__ void k(int* x) { assert(x[0] < 3); x[0] = total + other; total = 9; }
    """
    module = cp.RawModule(code=code)
    x = cp.zeros(1, np.int32)
    module.get_function("k")((1,), (1,), (x,))
    assert x.tolist() == [12]


def test_words_of_two_bytes_are_exchanged():
    code = """extern "C" __global__ void k(unsigned short* x) {
        unsigned short seen = *x, before;
        do { before = seen; seen = atomicCAS(x, before, (unsigned short)(before + 3)); } while (seen != before);
    }"""
    x = cp.zeros(2, np.uint16)
    run(code, x, threads=32)
    assert x.tolist() == [96, 0]


def test_objects_on_the_heap():
    code = """
    struct Pair { int a, b; };
    extern "C" __global__ void k(int* x) {
        Pair* made = new Pair;
        int* more = new int[3];
        made->a = x[0];
        more[2] = made->a + 1;
        x[0] = more[2];
        delete made;
        delete[] more;
    }"""
    x = cp.asarray(np.array([4], np.int32))
    run(code, x)
    assert x.tolist() == [5]
