"""Waiting for a device lets other threads run: functions of the host, which its work may wait for, above all."""

import pytest

PROGRAM = """
import faulthandler, sys, time

import cuproxide as cp
import numpy as np

HOST = np.arange(200_000)


def without_a_pool():
    cp.cuda.set_allocator(None)
    a = cp.ones(1000)
    del a
    cp.cuda.set_allocator()


def raw_kernel():
    code = 'extern "C" __global__ void one(long long* x) { x[0] = 1; }'
    cp.RawModule(code=code).get_function("one")((1,), (1,), (cp.zeros(1, int),))


def graph(x):
    side = cp.cuda.Stream(non_blocking=True)
    with side:
        side.begin_capture()
        y = x + 1
        made = side.end_capture()
    made.launch()
    return y


OPERATIONS = {
    "get": lambda x: x.get(),
    "get(out=)": lambda x: x.get(out=np.empty(10, int)),
    "item": lambda x: x[0].item(),
    "a condition": lambda x: bool(x[0] == 0),
    "repr": repr,
    "list": list,
    "set": lambda x: x.set(HOST[:10]),
    "asarray": lambda x: cp.asarray(HOST),
    "a mask": lambda x: x[x > 3],
    "what a mask gets": lambda x: x.__setitem__(x > 3, cp.arange(6)),
    "compress": lambda x: cp.compress(x > 2, x),
    "delete": lambda x: cp.delete(x, [1, 2]),
    "nonzero": lambda x: x.nonzero(),
    "unique": lambda x: cp.unique(x),
    "repeat": lambda x: cp.repeat(x, x),
    "bincount": lambda x: cp.bincount(x),
    "histogram": lambda x: cp.histogram(x),
    "shuffle": lambda x: cp.random.shuffle(x),
    "free_all_blocks": lambda x: cp.get_default_memory_pool().free_all_blocks(),
    "used_bytes": lambda x: cp.get_default_memory_pool().used_bytes(),
    "freeing pinned memory": lambda x: cp.cuda.PinnedMemory(1000),
    "freeing memory": lambda x: cp.cuda.Memory(1000),
    "a pool that goes": lambda x: cp.cuda.MemoryPool().malloc(1000),
    "no pool": lambda x: without_a_pool(),
    "a module that goes": lambda x: raw_kernel(),
    "a stream that goes": lambda x: cp.cuda.Stream(),
    "a graph": graph,
    "an event": lambda x: cp.cuda.get_current_stream().record().synchronize(),
    "the stream": lambda x: cp.cuda.get_current_stream().synchronize(),
    "the device": lambda x: cp.Device().synchronize(),
    "the run-time interface": lambda x: cp.cuda.runtime.deviceSynchronize(),
}

stream = cp.cuda.Stream(non_blocking=True)
for name, operation in OPERATIONS.items():
    for turn in range(3):
        x = cp.arange(10)
        cp.Device().synchronize()
        with stream:
            # Kernels are compiled by now, so that nothing but the operation lets others run.
            if turn == 2:
                print(name, flush=True)
                faulthandler.dump_traceback_later(20, exit=True)
                stream.launch_host_func(lambda _: time.sleep(0.02), None)
            operation(x)
        cp.Device().synchronize()
    faulthandler.cancel_dump_traceback_later()
print("done")
"""


def test_functions_of_the_host_run_while_a_thread_waits(run_python):
    result = run_python(PROGRAM)
    assert result.stdout.endswith("done\n"), result.stdout + result.stderr


@pytest.mark.parametrize("waiting", ["pool.malloc(1 << 20)", "pool.free_all_blocks()"])
def test_allocators_of_the_program_may_wait(run_python, waiting):
    """What an operation calls back holds the interpreter's lock again, and lets it go like any other code."""
    code = f"""
import faulthandler, time
import cuproxide as cp

faulthandler.dump_traceback_later(100, exit=True)
stream, pool = cp.cuda.Stream(non_blocking=True), cp.cuda.MemoryPool()

def allocate(size):
    stream.launch_host_func(lambda _: time.sleep(0.02), None)
    stream.synchronize()
    stream.launch_host_func(lambda _: time.sleep(0.02), None)
    block = pool.malloc(size)
    {waiting}
    return block

with stream, cp.cuda.using_allocator(allocate):
    for _ in range(2):
        a = cp.arange(10)
        assert a[a > 3].tolist() == [4, 5, 6, 7, 8, 9]
        del a
print("done")
"""
    result = run_python(code)
    assert result.stdout == "done\n", result.stdout + result.stderr
