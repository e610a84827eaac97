"""Memory that deferred operations take while their fused kernels are compiled, beyond the arrays of the program."""

PROGRAM = """
import cuproxide as cp, numpy as np
from cuproxide import fusion, _cuproxide as core

pool = cp.get_default_memory_pool()

def taken(call, *arrays):
    # How much the pool grows by while no fused kernel is ready, in arrays like the first.
    cp.evaluate(*arrays)
    cp.Device().synchronize()
    pool.free_all_blocks()
    before, unfused = pool.total_bytes(), fusion.cache_info().unfused
    core.set_fault_plan("slow@1+")
    call()
    cp.evaluate(*arrays)
    core.set_fault_plan("off")
    return (pool.total_bytes() - before) / arrays[0].nbytes, fusion.cache_info().unfused - unfused
"""

WRITES = """
n = 1024
u = cp.zeros((n + 2, n + 2), "f4")
v = cp.asarray(np.random.default_rng(0).random((n + 2, n + 2), "f4"))
inner = (slice(1, -1), slice(1, -1))

def vectors():
    return cp.sin(cp.arange(n) * 0.1).astype("f4") * 3, cp.cos(cp.arange(n) * 0.2).astype("f4") + 1

def outer(r, c):
    u[inner] = r[:, None] * c

def out(r, c):
    cp.multiply(r[:, None], c, out=u[inner])

def parts(r, c):
    u[1:-1:2, 1:-1] += r[::2, None] * c

def chosen(r, c):
    u[inner] = cp.where(v[inner] > 0.5, r[:, None] * c, 1)

def masked(r, c):
    cp.add(r[:, None], c, out=u[inner], where=v[inner] > 0.5)

def clipped(r, c):
    cp.clip(r[:, None] + c, 0, 1, out=u[inner])

def flags(r, c):
    u[inner][v[inner] > 0.5] = 2

def read(r, c):
    # The new array is read by what is written after it.
    u[inner] = v[inner] * r[:, None]
    u[inner] -= u[inner] * c

# A product; a product; what is added to the old values; a product, a mask and a choice; sums and a mask, ...
MOST = {outer: 1, out: 1, parts: 1, chosen: 2.3, masked: 2.3, clipped: 2, flags: 1.3, read: 2}
for call, most in MOST.items():
    wanted = []
    for eager in (True, False):
        u[...] = 0.5
        with fusion.eager(eager):
            if eager:
                call(*vectors())
            else:
                most_taken, unfused = taken(lambda: call(*vectors()), u)
        wanted.append(u.get())
    np.testing.assert_array_equal(*wanted, err_msg=call.__name__)
    print(call.__name__, most_taken, unfused)
    assert most_taken <= most + 0.1, (call.__name__, most_taken)
"""

NEW = """
v, w = cp.ones((1000, 1000)), cp.full((1000, 1000), 3.0)
kept = []

def chain():
    x = v * w + 1
    y = x - v * 2
    kept[:] = [x, y, y.copy()]
    cp.evaluate(*kept)

# Three results, and one value on the way to each.
grown, unfused = taken(chain, v, w)
assert unfused and grown <= 4.1, grown
np.testing.assert_array_equal([a.get()[0, 0] for a in kept], [4, 2, 2])
"""

SHORT = """
v, w = cp.ones((1000, 1000)), cp.full((1000, 1000), 3.0)
cp.evaluate(v, w)
pool.free_all_blocks()
# Room for the result alone: operators have none, the fused kernel has.
pool.set_limit(size=pool.total_bytes() + v.nbytes)
core.set_fault_plan("slow@1+")
x = (v * w + 1) - cp.sqrt(v * 2)
cp.evaluate(x)
core.set_fault_plan("off")
pool.set_limit(size=0)
assert float(x[5, 5]) == 4 - 2 ** 0.5
"""

LARGE = """
# An array of more than a sixteenth of the device's memory, which has 4 GiB.
with cp.Device("noop"):
    pool = cp.get_default_memory_pool()
    u = cp.empty((8320, 8320), "f4")
    r, c = cp.empty(8318, "f4"), cp.empty(8318, "f4")
    def outer():
        u[1:-1, 1:-1] = r[:, None] * c
    def fold():
        (r[:, None] * c).sum(axis=0)
    for call in (outer, fold):
        grown, unfused = taken(call, u)
        assert grown < 0.1 and not unfused, (call.__name__, grown, unfused)
"""


def check(run_python, program):
    result = run_python(PROGRAM + program, CUPROXIDE_FAULT="off", CUPROXIDE_EAGER="0")
    assert result.returncode == 0, result.stdout[-1500:] + result.stderr[-3000:]


def test_writes_to_parts_of_arrays(run_python):
    check(run_python, WRITES)


def test_new_arrays_are_made_where_they_belong(run_python):
    check(run_python, NEW)


def test_a_lack_of_memory_waits_for_the_kernel(run_python):
    check(run_python, SHORT)


def test_what_is_large_waits_for_the_kernel(run_python):
    check(run_python, LARGE)
