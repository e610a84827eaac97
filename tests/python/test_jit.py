"""Kernels written in Python."""

import itertools
import linecache
import math

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit
from cuproxide.jit import _compile

COUNT = itertools.count()
LIMIT = 3
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")


def define(text, mode="cuda", **names):
    """A kernel from text, for texts that tests put together."""
    file = f"<kernel {next(COUNT)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), names)
    return jit.rawkernel(mode=mode)(names["kernel"])


def expressions(texts, dtypes, types, mode="cuda", **names):
    """Runs expressions of `a`, `b` (elements of the arrays) and compares each with Python's own run over NumPy's."""
    arrays = [np.asarray(values, dtype) for values, dtype in zip(dtypes, types, strict=True)]
    outs = [f"o{k}" for k in range(len(texts))]
    params = [f"x{k}" for k in range(len(arrays))]
    lines = [f"def kernel({', '.join(params + outs)}):", "    i = jit.grid(1)", "    if i < x0.size:"]
    lines += [f"        {name} = x{k}[i]" for k, name in zip(range(len(arrays)), "ab", strict=False)]
    lines += [f"        {out}[i] = {text}" for out, text in zip(outs, texts, strict=True)]
    expected = []
    with np.errstate(all="ignore"):
        for text in texts:
            scope = {"cp": np, "np": np, "math": math, **names}
            rows = [eval(text, scope, dict(zip("ab", row, strict=False))) for row in zip(*arrays, strict=True)]
            expected.append(np.asarray(rows))
    kernel = define("\n".join(lines) + "\n", mode, cp=cp, np=np, jit=jit, math=math, **names)
    results = [cp.zeros(len(arrays[0]), want.dtype) for want in expected]
    kernel((1,), (32,), (*map(cp.asarray, arrays), *results))
    for text, want, got in zip(texts, expected, results, strict=True):
        got = cp.asnumpy(got)
        if want.dtype.kind in "fc":
            exact = 4 * np.finfo(want.dtype).eps
            np.testing.assert_allclose(got, want, rtol=exact, atol=exact, err_msg=f"{text} {types}")
        else:
            np.testing.assert_array_equal(got, want, err_msg=f"{text} {types}")


@jit.rawkernel()
def copy(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i]


def test_the_example_of_the_guide():
    x = cp.arange(1000, dtype=cp.float32)
    y = cp.zeros_like(x)
    copy((4,), (32,), (x, y, 1000))
    assert (x == y).all()
    y[...] = 0
    copy[4, 32](x, y, 1000)
    assert (x == y).all()
    y[...] = 0
    copy[(2, 1), (8, 1, 1), 0, cp.cuda.Stream.null](x, y, np.int32(10))
    assert (cp.asnumpy(y) == np.where(np.arange(1000) < 10, np.arange(1000), 0)).all()
    assert copy.cached_code in copy.cached_codes.values()
    assert len(copy.cached_codes) == 1
    copy((4,), (32,), (x[::2], y[::-2], 500))
    assert len(copy.cached_codes) == 2
    assert (y[::-2] == x[::2]).all()
    assert "copy" in repr(copy)


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


def test_control_flow():
    table = (10, 20, 30)

    @jit.rawkernel()
    def kernel(y, n):
        """Walks through all statements."""
        i = 0
        while True:
            if i >= n:
                break
            elif i % 3 == 0:
                i += 1
                continue
            else:
                y[i] = i
            i += 1
        for j in range(n - 1, -1, -2):
            y[j] += 100
        for j in jit.range(0, 4, unroll=2):
            for k in jit.range(2, unroll=True):
                y[j] += k
        for j in range(n, 0, n - n - 1):
            y[0] += j - j + 1
        a, (b, c) = 1, (table[LIMIT - 1], n)
        a, b = b, a
        d = e = a + b
        pair = (c, 2.5)
        y[1] += d + e + pair[1] + len(pair)
        f: int = 3
        if LIMIT == 3 and y.ndim == 1 or f:
            y[-1] = y.shape[0] + len(y) + y.size + f
        else:
            pass

    n = 12
    want = np.zeros(n)
    for i in range(n):
        if i % 3:
            want[i] = i
    want[n - 1 :: -2] += 100
    want[:4] += 1
    want[0] += n
    want[1] += 62 + 2.5 + 2
    want[-1] = 3 * n + 3
    y = cp.zeros(n)
    kernel[1, 1](y, n)
    np.testing.assert_array_equal(cp.asnumpy(y), want)


def test_layouts_and_parts():
    @jit.rawkernel()
    def kernel(x, y, scalar):
        i, j = jit.grid(2)
        rows, columns = jit.gridsize(2)
        if i < x.shape[0] and j < x.shape[1]:
            row = x[i]
            y[i, j] = row[j] * scalar[()] + rows * columns + x.strides[1] * 0
            y[i, -1] = -1

    for x in (
        cp.arange(12.0).reshape(3, 4),
        cp.asfortranarray(cp.arange(12.0).reshape(3, 4)),
        cp.arange(24.0).reshape(3, 8)[::-1, ::-2],
        cp.broadcast_to(cp.arange(4.0), (3, 4)),
    ):
        y = cp.zeros((3, 4))
        kernel((2, 2), (2, 2), (x, y, cp.asarray(2.0)))
        want = cp.asnumpy(x) * 2 + 16
        want[:, -1] = -1
        np.testing.assert_array_equal(cp.asnumpy(y), want)
    kernel((2, 2), (2, 2), (cp.zeros((0, 4)), cp.zeros((0, 4)), cp.asarray(2.0)))


def test_negative_constants_count_from_the_end_among_other_indices():
    @jit.rawkernel()
    def kernel(x, y, z):
        i = jit.threadIdx.x
        y[i] = x[i, -1] + x[-1, i] * x[-3, -4]
        jit.atomic_add(z, (-1, i), x[i, -2])
        z[i, -4] += 1

    x = cp.arange(12.0).reshape(3, 4) + 1
    y, z = cp.zeros(3), cp.zeros((3, 4))
    kernel((1,), (3,), (x, y, z))
    want = x.get()
    np.testing.assert_array_equal(y.get(), want[:, -1] + want[-1, :3])
    expected = np.zeros((3, 4))
    expected[-1, :3] += want[:, -2]
    expected[:, -4] += 1
    np.testing.assert_array_equal(z.get(), expected)


def test_device_functions():
    @jit.rawkernel(device=True)
    def clipped(x, low, high):
        if x < low:
            return low
        if x > high:
            return high
        return x

    @jit.rawkernel(device=True)
    def divided(a, b):
        return a // b, a % b

    @jit.rawkernel(device=True)
    def store(y, i, value):
        y[i] = value

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        q, r = divided(int(x[i]), 3)
        pair = divided(7, 2)
        store(y, i, clipped(x[i], 1, 2.5) * 1000 + q * 100 + r * 10 + pair[0] + pair[1])

    x = cp.asarray([0.0, 2.0, 9.0])
    y = cp.zeros(3)
    kernel[1, 3](x, y)
    assert cp.asnumpy(y).tolist() == [1004.0, 2024.0, 2804.0]
    with pytest.raises(TypeError, match="device function"):
        clipped[1, 1](1, 2, 3)


def test_shared_memory():
    @jit.rawkernel()
    def reverse(x, y, n):
        fixed = jit.shared_memory(cp.float32, 64, alignment=16)
        dynamic = jit.shared_memory(cp.int16, None)
        own = jit.local_memory(cp.float64, 2)
        t = jit.threadIdx.x
        fixed[t] = x[t]
        dynamic[t] = t
        own[0] = 0.25
        own[1] = len(fixed)
        jit.syncthreads()
        y[t] = fixed[n - 1 - t] + dynamic[n - 1 - t] + own[0] + own[1]

    x = cp.arange(64, dtype=cp.float32)
    y = cp.zeros(64, cp.float32)
    reverse((1,), (64,), (x, y, 64), shared_mem=128)
    np.testing.assert_array_equal(cp.asnumpy(y), 2 * np.arange(64)[::-1] + 64.25)


@pytest.mark.parametrize("dtype", ["int8", "float16", "uint32", "int64", "float32", "float64"])
def test_shuffles(dtype):
    @jit.rawkernel()
    def kernel(x, y):
        lane = jit.laneid()
        value = x[lane]
        y[0, lane] = jit.shfl_sync(0xFFFFFFFF, value, 3)
        y[1, lane] = jit.shfl_up_sync(0xFFFFFFFF, value, 1)
        y[2, lane] = jit.shfl_down_sync(0xFFFFFFFF, value, 2, width=16)
        jit.syncwarp()
        y[3, lane] = jit.shfl_xor_sync(0xFFFFFFFF, value, 1)
        jit.syncwarp(mask=0xFFFFFFFF)
        if jit.warpsize == 32:
            y[4, lane] = jit.warpsize

    x = np.arange(32).astype(dtype)
    y = cp.zeros((5, 32), dtype)
    kernel[1, 32](cp.asarray(x), y)
    lanes = np.arange(32)
    down = np.where(lanes % 16 < 14, lanes + 2, lanes)
    want = [x[lanes * 0 + 3], x[np.maximum(lanes - 1, 0)], x[down], x[lanes ^ 1], lanes * 0 + 32]
    np.testing.assert_array_equal(cp.asnumpy(y), np.array(want).astype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_atomics(dtype):
    @jit.rawkernel()
    def kernel(y, seen):
        i = jit.grid(1)
        jit.atomic_add(y, 0, i)
        jit.atomic_sub(y, 1, 2)
        jit.atomic_min(y, 2, i)
        jit.atomic_max(y, (3,), i)
        jit.atomic_and(y, 4, ~(1 << (i % 7)))
        jit.atomic_or(y, 5, 1 << (i % 7))
        jit.atomic_xor(y, 6, i)
        jit.atomic_exch(y, 7, 9)
        before = jit.atomic_cas(y, 8, 50, i + 1000)
        if before == 50:
            seen[0] = i + 1000
        seen[1 + jit.atomic_add(y, 9, 1)] = 1

    y = cp.full(10, 50, dtype)
    y[4] = 127
    y[9] = 0
    y[1] = 1000
    seen = cp.full(101, -1)
    kernel[10, 10](y, seen)
    xor = 50
    for i in range(100):
        xor ^= i
    got = cp.asnumpy(y).tolist()
    assert got[:8] == [50 + 4950, 800, 0, 99, 0, 127, xor, 9]
    assert got[8] == int(seen[0]) and got[9] == 100
    assert (seen[1:] == 1).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_atomics_of_floats_and_counters(dtype):
    @jit.rawkernel()
    def kernel(y, counters):
        jit.atomic_add(y, (0, 1), 0.5)
        jit.atomic_sub(y, (1, 1), 0.25)
        jit.atomic_inc(counters, 0, 6)
        jit.atomic_dec(counters, 1, 6)

    y = cp.zeros((2, 2), dtype)
    counters = cp.zeros(2, cp.uint32)
    kernel[4, 5](y, counters)
    assert cp.asnumpy(y).tolist() == [[0, 10], [0, -5]]
    assert cp.asnumpy(counters).tolist() == [20 % 7, 1]


def test_groups():
    @jit.rawkernel()
    def kernel(x, y, total):
        block = jit.cg.this_thread_block()
        memory = jit.shared_memory(cp.float64, 16)
        jit.cg.memcpy_async(block, memory, 0, x, block.group_index()[0] * 16, 16 * 8, aligned_size=8)
        jit.cg.wait(block)
        rank = block.thread_rank()
        y[jit.grid(1)] = memory[15 - rank]
        block.sync()
        jit.cg.memcpy_async(block, memory, 0, x, 0, 8)
        jit.cg.wait_prior(block, 0)
        block.sync()
        grid = jit.cg.this_grid()
        jit.atomic_add(total, 0, 1)
        jit.cg.sync(grid)
        if grid.thread_rank() == 0:
            total[1] = total[0]
            total[2] = grid.num_threads()

    x = cp.arange(64.0)
    y = cp.zeros(64)
    total = cp.zeros(3, cp.int32)
    kernel[4, 16](x, y, total)
    np.testing.assert_array_equal(cp.asnumpy(y), np.arange(64.0).reshape(4, 16)[:, ::-1].ravel())
    assert cp.asnumpy(total).tolist() == [64, 64, 64]


@pytest.mark.parametrize("own", [False, True], ids=["header", "no header"])
def test_groups_without_a_header(own, monkeypatch):
    """The text that stands for the vendor's header is taken where there is none."""
    if own:
        groups = _compile.GROUPS.replace("__has_include(<cooperative_groups.h>)", "0")
        assert groups != _compile.GROUPS
        monkeypatch.setattr(_compile, "GROUPS", groups)

    @jit.rawkernel()
    def kernel(x, y, seen):
        block, grid = jit.cg.this_thread_block(), jit.cg.this_grid()
        memory = jit.shared_memory(cp.int16, 8)
        memory[block.thread_rank()] = -1
        block.sync()
        jit.cg.memcpy_async(block, memory, 0, x, 1, 15)
        jit.cg.wait_prior(block, 0)
        y[grid.thread_rank()] = memory[block.thread_rank()]
        for turn in range(3):
            jit.atomic_add(seen, turn, 1)
            jit.cg.sync(grid)
            if seen[turn] != grid.size():
                seen[3] = 1
            grid.sync()
        if grid.block_rank() == grid.num_blocks() - 1 and block.thread_rank() == 0:
            seen[4] = block.num_threads() * 100 + grid.dim_blocks()[1] * 10 + block.thread_index()[0]

    x = cp.arange(9, dtype=cp.int16) + 256
    y, seen = cp.zeros(24, cp.int16), cp.zeros(5, cp.int32)
    kernel[(1, 3), 8](x, y, seen)
    rows = y.get().reshape(3, 8)
    assert rows[:, :7].tolist() == [list(range(257, 264))] * 3
    # The half of an element is not copied.
    assert rows[:, 7].tolist() == [-1] * 3
    assert seen.get().tolist() == [24, 24, 24, 0, 830]


def test_arguments():
    @jit.rawkernel()
    def kernel(y, flag, number, small, z):
        y[0] = cp.complex128(flag) + number + small + z

    y = cp.zeros(1, complex)
    kernel[1, 1](y, True, 1 << 40, np.int8(-3), 2j)
    assert y[0] == 1 + (1 << 40) - 3 + 2j
    with pytest.raises(TypeError, match="argument 1 is of the type <class 'str'>"):
        kernel[1, 1](y, "text", 1, 1, 1)
    with pytest.raises(TypeError, match="takes 5 arguments, not 1"):
        kernel[1, 1](y)
    with pytest.raises(OverflowError, match="more than 64 bits"):
        kernel[1, 1](y, True, 1 << 70, 1, 1)
    with pytest.raises(TypeError, match="two to four"):
        kernel[1]
    with pytest.raises(ValueError, match="mode must be"):
        jit.rawkernel(mode="c")
    with pytest.raises(RuntimeError, match="not been compiled"):
        _ = jit.rawkernel()(test_arguments).cached_code
    with pytest.raises(cp.DeviceError):
        kernel[1, 1 << 20](y, True, 1, 1, 1)
    for function in (jit.syncthreads, jit.cg.this_grid):
        with pytest.raises(RuntimeError, match="can only be called in a function"):
            function()


WRONG = [
    ("y[0] = undefined", NameError, "name 'undefined' is not defined"),
    ("y[0] = later\n    later = 1", UnboundLocalError, "'later' is read before"),
    ("y['a'] = 1", TypeError, "an index must be an integer"),
    ("y[0.5 * n] = 1", TypeError, "an index must be an integer, not float64"),
    ("y[0, 1] = 1", IndexError, "too many indices: 2"),
    ("y[1:2] = 1", NotImplementedError, "slices"),
    ("y = (1, 2)", TypeError, "the variable 'y' is both"),
    ("w[0] = 1 << 63", OverflowError, "out of bounds for int64"),
    ("y[0] = 1j", TypeError, "cannot become float64"),
    ("w[0] += 1.5", TypeError, "same_kind"),
    ("y[0] = cp.int8(n) + 300", OverflowError, "300 out of bounds for int8"),
    ("y[0] = n @ n", NotImplementedError, "MatMult"),
    ("y[0] = y & 1", TypeError, "index the array first"),
    ("y[0] = y[0] & 1", TypeError, "bitwise_and is not defined"),
    ("return n", TypeError, "a kernel returns nothing"),
    ("with y: pass", NotImplementedError, "With statements"),
    ("a, b = 1, 2, 3", ValueError, "3 values cannot be unpacked into 2"),
    ("for a in y: pass", NotImplementedError, "loops go over range"),
    ("for a in range(2.5): pass", TypeError, "range\\(\\) takes integers"),
    ("for a in range(0, 5, 0): pass", ValueError, "must not be zero"),
    ("for a in jit.range(3, unroll=0.5): pass", ValueError, "unroll must be"),
    ("y[0] = [k for k in (1, 2)]", NotImplementedError, "ListComp"),
    ("y[0] = print(n)", TypeError, "print cannot be called"),
    ("y[0] = math.sin(n)", TypeError, "use the ufunc"),
    ("y[0] = helper(n)", TypeError, "decorate it with jit.rawkernel"),
    ("y[0] = cp.sin(n, n)", TypeError, "sin takes 1 operands"),
    ("y[0] = cp.frexp(y[0])", TypeError, "frexp cannot be called"),
    ("y[0] = jit.syncthreads()", TypeError, "void cannot become"),
    ("a = jit.syncthreads()", TypeError, "would be nothing"),
    ("jit.syncthreads(1)", TypeError, "too many positional"),
    ("jit.atomic_add(y, 0, 1, 2)", TypeError, "alt_value"),
    ("jit.atomic_cas(w, 0, 1)", TypeError, "alt_value"),
    ("jit.atomic_inc(y, 0, 1)", TypeError, "atomic_inc works on uint32, not on float64"),
    ("jit.atomic_add(w, 0, 1.5)", TypeError, "cannot put"),
    ("s = jit.shared_memory(cp.float32, n)", TypeError, "must be known when the kernel is compiled"),
    ("s = jit.shared_memory(cp.float32, 0)", ValueError, "size must be positive"),
    ("s = jit.shared_memory('x', 1)", TypeError, "is not a dtype of kernels"),
    ("s = jit.grid(4)", ValueError, "ndim must be 1, 2 or 3"),
    ("s = jit.threadIdx.w", AttributeError, "but no w"),
    ("s = y.T", AttributeError, "no attribute 'T'"),
    ("s = jit.shfl_sync(1, n, 0, width=5)", ValueError, "width must be"),
    ("s = n and 1.5", TypeError, "`and` and `or`"),
    ("s = n in (1, 2)", NotImplementedError, "`in` and `is`"),
    ("s = 1 / 0", ZeroDivisionError, "division by zero"),
    ("s = 'text'", TypeError, "a constant of type str"),
    ("lambda: 1", NotImplementedError, "Lambda"),
]


def helper(x):
    return x


@pytest.mark.parametrize(("text", "kind", "message"), WRONG)
def test_errors_show_the_line(text, kind, message):
    kernel = define(f"def kernel(y, w, n):\n    {text}\n", cp=cp, jit=jit, math=math, helper=helper)
    with pytest.raises(kind, match=message) as caught:
        kernel[1, 1](cp.zeros(3), cp.zeros(3, int), 2)
    lines = str(caught.value).splitlines()
    assert lines[1].strip().startswith('File "<kernel ') and ", line 2, in kernel" in lines[1]
    assert lines[2].strip() == text.splitlines()[0] and set(lines[3].strip()) == {"^"}


def test_errors_in_device_functions_and_signatures():
    @jit.rawkernel(device=True)
    def inner(x):
        return x[0]

    @jit.rawkernel(device=True)
    def endless(x):
        return endless(x)

    @jit.rawkernel()
    def outer(y):
        y[0] = inner(y[1])

    @jit.rawkernel()
    def forever(y):
        y[0] = endless(y[1])

    @jit.rawkernel()
    def defaults(y, n=3):
        y[0] = n

    @jit.rawkernel()
    def not_device(y):
        outer(y)

    y = cp.zeros(3)
    with pytest.raises(TypeError, match="return x\\[0\\]"):
        outer[1, 1](y)
    with pytest.raises(NotImplementedError, match="endless calls itself"):
        forever[1, 1](y)
    with pytest.raises(NotImplementedError, match="without defaults"):
        defaults[1, 1](y, 3)
    with pytest.raises(TypeError, match="outer is a kernel"):
        not_device[1, 1](y)
    with pytest.raises(TypeError, match="must be defined with def"):
        jit.rawkernel()(lambda y: y)[1, 1](y)


def test_names_of_cpp():
    @jit.rawkernel()
    def template(double, int_, new, größe):
        register = jit.grid(1)
        unsigned = new[register]
        double[register] = unsigned + int_ + größe

    x = cp.arange(4.0)
    y = cp.zeros(4)
    template[1, 4](y, 2, x, 0.5)
    assert cp.asnumpy(y).tolist() == [2.5, 3.5, 4.5, 5.5]


def test_under_the_name_of_cupyx(run_python):
    result = run_python(
        """
import cuproxide.compat
cuproxide.compat.install()
import cupy
from cupyx import jit
import cupyx.jit
assert cupyx.jit is jit and not hasattr(cupy, "jit")
from cupyx.jit import cg
print(jit.rawkernel.__name__)
"""
    )
    assert result.stdout.strip() == "rawkernel", result.stderr


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float16", "float64", "complex64", "bool"])
@pytest.mark.parametrize("threads", [1, 24, 96])
def test_reductions_by_a_block(dtype, threads):
    @jit.rawkernel()
    def kernel(x, sums, valid):
        BlockReduce = jit.cub.BlockReduce[dtype, threads]
        memory = jit.shared_memory(dtype=BlockReduce.TempStorage, size=1)
        reducer = BlockReduce(memory[0])
        value = x[jit.blockIdx.x, jit.threadIdx.x]
        total = reducer.Sum(value)
        part = reducer.Reduce(value, jit.cub.Sum(), valid)
        if jit.threadIdx.x == 0:
            sums[jit.blockIdx.x, 0] = total
            sums[jit.blockIdx.x, 1] = part

    host = np.random.default_rng(3).integers(0, 3, (5, threads)).astype(dtype)
    sums = cp.zeros((5, 2), dtype)
    kernel[5, threads](cp.asarray(host), sums, 17)
    expected = np.stack([host.sum(1, dtype=dtype), host[:, :17].sum(1, dtype=dtype)], 1)
    np.testing.assert_array_equal(cp.asnumpy(sums), expected)


@pytest.mark.parametrize("lanes", [1, 4, 32])
def test_reductions_by_a_warp(lanes):
    @jit.rawkernel(device=True)
    def first_of(a, b):
        return a * 10 + b

    WarpReduce = jit.cub.WarpReduce[cp.int64, lanes]

    @jit.rawkernel()
    def kernel(x, y):
        i = jit.threadIdx.x
        memory = jit.shared_memory(WarpReduce.TempStorage, 64)
        reducer = WarpReduce(memory[i // lanes])
        least, most = reducer.Reduce(x[i], jit.cub.Min()), reducer.Reduce(x[i], jit.cub.Max())
        # Only sums of neighbours come out right in another order.
        total = reducer.Sum(x[i])
        last = reducer.Reduce(x[i], first_of, 2)
        if i % lanes == 0:
            y[i // lanes, 0] = least
            y[i // lanes, 1] = most
            y[i // lanes, 2] = total
            y[i // lanes, 3] = last

    threads = 56
    host = np.random.default_rng(4).integers(0, 1000, threads)
    groups = [host[start : start + lanes] for start in range(0, threads, lanes)]
    y = cp.zeros((len(groups), 4), cp.int64)
    kernel[1, threads](cp.asarray(host), y)
    expected = [[g.min(), g.max(), g.sum(), g[0] * 10 + g[1] if lanes > 1 else g[0]] for g in groups]
    assert cp.asnumpy(y).tolist() == np.array(expected).tolist()


def test_what_reductions_refuse():
    for key, kind, message in [
        (cp.int32, TypeError, "a dtype and the number of threads"),
        ((cp.int32, 0), ValueError, "from 1 to 1024"),
        ((cp.int32, 1.5), TypeError, "must be an integer"),
        (("text", 32), TypeError, "'text' is not a dtype of kernels"),
    ]:
        with pytest.raises(kind, match=message):
            jit.cub.BlockReduce[key]
    with pytest.raises(ValueError, match="must be 1, 2, 4, 8, 16 or 32, not 64"):
        jit.cub.WarpReduce[cp.int32, 64]
    with pytest.raises(RuntimeError, match="can only be called in a function"):
        jit.cub.Sum()

    @jit.rawkernel()
    def other_memory(x):
        reducer = jit.cub.WarpReduce[cp.int32](jit.shared_memory(cp.int32, 32))
        x[0] = reducer.Sum(x[0])

    with pytest.raises(TypeError, match="needs memory of its TempStorage, not memory of 32 x int32"):
        other_memory[1, 32](cp.zeros(1, cp.int32))

    @jit.rawkernel()
    def other_operator(x):
        WarpReduce = jit.cub.WarpReduce[cp.int32]
        x[0] = WarpReduce(jit.shared_memory(WarpReduce.TempStorage, 1)[0]).Reduce(x[0], min)

    with pytest.raises(TypeError, match="operator must be of jit.cub or a device function"):
        other_operator[1, 32](cp.zeros(1, cp.int32))
