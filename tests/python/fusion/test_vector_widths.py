"""Chains of operations give the same bits in vectors of every width that the processor has."""

import cuproxide as cp
import pytest

pytestmark = pytest.mark.skipif(cp.Device().backend != "cpu", reason="the vectors are the CPU backend's")

WIDTHS = (128, 256, 512)

DRAWN = """
import hashlib, random, sys
sys.path.insert(0, sys.argv[1])
import programs
import cuproxide as cp
import numpy as np

def bits(seen):
    if isinstance(seen, str):
        return seen.encode()
    if seen.dtype.kind in "fc":
        seen = np.where(np.isnan(seen), np.nan, seen).astype(seen.dtype)
    return str(seen.dtype).encode() + str(seen.shape).encode() + np.ascontiguousarray(seen).tobytes()

for seed in range(int(sys.argv[2])):
    draw = random.Random(seed)
    program = [tuple(draw.randrange(1000) for _ in range(programs.WIDTH)) for _ in range(30)]
    with np.errstate(all="ignore"):
        seen = programs.Machine(cp, exact=False).run(program)
    print(seed, hashlib.sha256(b"".join(map(bits, seen))).hexdigest()[:16])
"""

LAYOUTS = """
import hashlib, itertools
import cuproxide as cp
import numpy as np

special = [0.0, -0.0, 1.5, -2.5, 0.1, 3e38, 1e-40, 5e-324, 1e300, 7.0, 100.25, np.inf, -np.inf, np.nan]

def of_type(numbers, dtype):
    if dtype[0] != "f":
        numbers = np.nan_to_num(numbers, posinf=9, neginf=-9).clip(0, 200)
    return numbers.astype(dtype)

def chain(x, y):
    z = cp.where(x > y, x * y - 2, cp.minimum(x, y) / 3) + x
    w = cp.maximum(abs(z), y) - cp.sqrt(abs(x)) * 0.1
    flags = ~(z < w) & (x == x) | (y >= 0)
    return z * w, flags, cp.where(flags, w, cp.exp(-abs(y))), cp.floor(w) + cp.rint(y), flags * x

for dtype, other in itertools.product(("f8", "f4", "i8", "i4", "u1", "i2"), repeat=2):
    for length in (*range(1, 18), 31, 32, 33, 63, 64, 65, 2003):
        with np.errstate(all="ignore"):
            left = np.resize(np.array(special), 3 * length + 8)
            right = np.resize(np.array(special)[::-1][:-1], (2, length + 8))
            x, y = (cp.asarray(of_type(a, d)) for a, d in ((left, dtype), (right, other)))
        made = []
        for a, b in (
            (x[1 : length + 1], y[0, 3 : length + 3]),
            (x[::3][:length], y[:, :length]),
            (x[:length][::-1], y[:, :1]),
            (x[0], y[:, 5 : length + 5]),
            (x[2 : length + 2], y[1, 0].item()),
        ):
            made += chain(a, b)
        target = x[1 : length + 1].astype("f8")
        cp.add(target * target, target, out=target)
        made.append(target)
        numbers = [array.get() for array in made]
        same = [np.where(np.isnan(n), np.nan, n).astype(n.dtype) if n.dtype.kind == "f" else n for n in numbers]
        print(dtype, other, length, hashlib.sha256(b"".join(n.tobytes() for n in same)).hexdigest()[:16])
"""


FOLDS = """
import hashlib
import cuproxide as cp
import numpy as np

lengths = (*range(1, 20), 31, 32, 33, 63, 64, 65, 95, 96, 97, *range(120, 300, 7))
lengths += (511, 512, 513, 1023, 1024, 1025, 1300, 2048, 4095, 4097, 9001)
special = np.array([0.0, -0.0, 1e300, -1e300, 5e-324, np.inf, np.nan])
draw = np.random.default_rng(5)

def number(dtype, shape, wild):
    values = draw.standard_normal(shape)
    if dtype[0] != "f":
        return (values * 40).astype(dtype)
    if wild:
        places = draw.random(shape) < 0.02
        values[places] = draw.choice(special, shape)[places]
    with np.errstate(all="ignore"):
        return values.astype(dtype)

def folds(x, y, flags):
    d = x - y
    yield (d * d).sum(axis=-1)
    yield (x + x * y).prod(axis=-1)
    yield cp.maximum(x, y).min(axis=-1)
    yield abs(d).max(axis=-1)
    yield (x * y).mean(axis=-1)
    yield (x > y).sum(axis=-1)
    yield ((x > y) | flags).all(axis=-1)
    yield ((x > y) & flags).any(axis=-1)
    yield cp.where(flags, d, 1).sum(axis=-1)
    yield d.sum(axis=-1, where=flags)
    if x.dtype.kind == "f":
        e = cp.exp(-abs(x)) * y
        yield e.sum(axis=-1)
        yield (e - e.max(axis=-1, keepdims=True)).sum(axis=-1)
        yield ((x - x.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        yield cp.linalg.norm(d, axis=-1)
    else:
        for fold in cp.bitwise_and, cp.bitwise_or, cp.bitwise_xor:
            yield fold.reduce(x + y, axis=-1)
    yield (d * cp.arange(x.shape[-1])).sum(axis=-1)

for dtype in ("f8", "f4", "i8", "i4", "u4", "u8"):
    for length in lengths:
        for wild in (False, True):
            x, y = (cp.asarray(number(dtype, (3, length + 2), wild)) for _ in range(2))
            flags = cp.asarray(draw.random((3, length)) < 0.7)
            made = []
            for a, b, m in (
                (x[:, 1:-1], y[:, 2:], flags),
                (x[0, :length], y[1, 2:], flags[2]),
                (x[:, :length], y[:1, :length], flags),
                (x[:, :length], y[:, :1], flags[:1]),
            ):
                made += folds(a, b, m)
            two = x.reshape(3, 1, -1), y.reshape(1, 3, -1)
            made.append(((two[0] - two[1]) * two[0]).sum(axis=(1, 2)))
            # Each of these is launched by itself, so that registers suffice for what it adds up.
            numbers = [array.get() for array in folds(x[:, 1:-1], y[:, 2:], flags)]
            numbers += [array.get() for array in made]
            same = [np.where(np.isnan(n), np.nan, n).astype(n.dtype) if n.dtype.kind == "f" else n for n in numbers]
            texts = (hashlib.sha256(n.tobytes()).hexdigest()[:8] for n in same)
            print(dtype, length, wild, *texts)
"""


def test_all_widths_give_the_same_bits(run_python, request):
    """One process a width runs all programs, each with names of its own."""
    support = str(request.config.rootpath / "tests" / "python" / "support")
    code = f"for program in {(LAYOUTS, FOLDS, DRAWN)!r}: exec(program, {{}})"
    printed = []
    for width in WIDTHS:
        ended = run_python(code, (support, "150"), CUPROXIDE_CPU_VECTORS=width)
        assert ended.returncode == 0, ended.stderr
        printed.append(ended.stdout.splitlines())
    narrow, *wide = printed
    assert len(narrow) == 36 * 24 + 6 * 65 * 2 + 150
    for lines in wide:
        assert lines == narrow
