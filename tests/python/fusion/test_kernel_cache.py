"""Fused kernels make room for others."""

PROGRAM = """
import itertools, os, cuproxide as cp, numpy as np
from cuproxide import fusion, _cuproxide as core

a, b = cp.arange(1.0, 9.0), cp.full(8, 0.5)
host = a.get(), b.get()

def chain(bits, a, b):
    x = a + b
    for bit in bits:
        x = x * b if bit else x + a
    return x

def memory():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

counts, used, sizes = [], [], []
for turn in range(TURNS):
    for bits in itertools.product((0, 1), repeat=LENGTH):
        x = chain(bits, a, b)
        np.testing.assert_array_equal(x.get(), chain(bits, *host))
        counts.append(fusion.cache_info().kernels)
    fusion.wait()
    used.append(len(core.used_kernels()))
    sizes.append(memory())
print(max(counts), max(used), sizes)
"""


def run(run_python, turns, length, **variables):
    program = PROGRAM.replace("TURNS", str(turns)).replace("LENGTH", str(length))
    result = run_python(program, CUPROXIDE_EAGER="0", **variables)
    assert result.returncode == 0, result.stderr[-3000:]
    count, used, sizes = result.stdout.split(maxsplit=2)
    return int(count), int(used), [int(size) for size in sizes.strip("[]\n ").split(",")]


def test_kernels_that_are_not_used_make_room(run_python):
    count, used, _ = run(run_python, 2, 8, CUPROXIDE_FUSED_KERNELS=64)
    assert count <= 64
    # Without those of single operators there are no more than that, and a few versions of each.
    assert used <= 64 + 40
    unbounded, _, _ = run(run_python, 1, 8, CUPROXIDE_FUSED_KERNELS=100_000)
    assert unbounded >= 256


def test_graphs_keep_the_kernels_that_they_launch(run_python):
    program = """
import gc, itertools, cuproxide as cp
from cuproxide import fusion

stream = cp.cuda.Stream(non_blocking=True)
a, b = cp.arange(1.0, 9.0), cp.full(8, 0.5)
cp.Device().synchronize()

def chain(bits):
    x = a + b
    for bit in bits:
        x = x * b if bit else x + a
    return x

with stream:
    for _ in range(2):
        chain((1, 0, 1, 1, 0, 0, 1, 0, 1)).get()
        fusion.wait()
    stream.begin_capture()
    c = chain((1, 0, 1, 1, 0, 0, 1, 0, 1))
    graph = stream.end_capture()
expected = chain((1, 0, 1, 1, 0, 0, 1, 0, 1)).get()
for bits in itertools.product((0, 1), repeat=6):
    chain(bits).get()
    fusion.wait()
assert fusion.cache_info().kernels <= 16
for turn in range(3):
    a += 1
    cp.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()
    assert (c.get() == chain((1, 0, 1, 1, 0, 0, 1, 0, 1)).get()).all()
"""
    result = run_python(program, CUPROXIDE_EAGER="0", CUPROXIDE_FUSED_KERNELS=16)
    assert result.returncode == 0, result.stderr[-3000:]
