"""Waiting for a device lets other threads run: functions of the host, which its work may wait for, above all.

Devices are waited for where a program asks for it, where code is loaded, and where a queue is full.
"""

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


CODE = 'extern "C" __global__ void one(long long* x) { x[0] = 1; }'
KERNEL = cp.RawKernel(CODE, "one")


def raw_module(x):
    cp.RawModule(code=CODE).get_function("one")((1,), (1,), (x,))


def many(launch, count=1200):
    # More than drivers keep for later.
    for _ in range(count):
        launch()


def graph(x):
    side = cp.cuda.Stream(non_blocking=True)
    with side:
        side.begin_capture()
        y = x + 1
        made = side.end_capture()
    made.launch()
    return y


ONE = {
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
    "a module that goes": raw_module,
    "a stream that goes": lambda x: cp.cuda.Stream(),
    "a graph": graph,
    "an event": lambda x: cp.cuda.get_current_stream().record().synchronize(),
    "the stream": lambda x: cp.cuda.get_current_stream().synchronize(),
    "the device": lambda x: cp.Device().synchronize(),
    "the run-time interface": lambda x: cp.cuda.runtime.deviceSynchronize(),
    "a group": lambda x: cp.evaluate(x + 1),
    "sort": lambda x: cp.sort(x % 3),
    "search": lambda x: cp.searchsorted(cp.arange(9000), cp.arange(9000)),
    "concatenate": lambda x: cp.concatenate([x, x]),
    "random numbers": lambda x: cp.random.default_rng(1).random(9000),
    "a kernel for elements": lambda x: cp.ElementwiseKernel("int64 x", "int64 y", "y = x + 1", "one_more")(x),
}

MANY = {
    "many groups": lambda x: many(lambda: cp.evaluate(x + 1)),
    "many kernels": lambda x: many(lambda: KERNEL((1,), (1,), (x,))),
    "many copies": lambda x: many(lambda: x.data.copy_from_device(x.data + 8, 8)),
    "many fills": lambda x: many(lambda: x.data.memset_async(0, 8)),
    "many graphs": lambda x: many(SMALL.launch),
    "many records": lambda x: many(cp.cuda.get_current_stream().record, 3000),
}

LIBRARIES = {
    "a product": lambda x: (x * 1.0) @ (x * 1.0),
    "a large product": lambda x: cp.ones((100, 100)) @ cp.ones((100, 100)),
    "a transform": lambda x: cp.fft.fft(x),
    "another transform": lambda x: forget(cp.fft.fft(x[:7])),
    "equations": lambda x: cp.linalg.solve(cp.eye(9) + 1, x[:9] * 1.0),
    "singular values": lambda x: cp.linalg.svd(cp.ones((70, 70))),
}

def forget(result):
    cp.fft.config.get_plan_cache().clear()


stream = cp.cuda.Stream(non_blocking=True)
with stream:
    x = cp.arange(10)
    stream.begin_capture()
    cp.evaluate(x + 1)
    SMALL = stream.end_capture()

# The first turn loads what an operation needs. The second finds all there, so that nothing but it lets others run.
for name, operation in globals()[sys.argv[1]].items():
    for turn in range(2):
        x = cp.arange(10)
        cp.Device().synchronize()
        with stream:
            print(name, turn, flush=True)
            faulthandler.dump_traceback_later(100, exit=True)
            stream.launch_host_func(lambda _: time.sleep(0.02), None)
            try:
                operation(x)
            except cp.MissingLibraryError:
                pass
        cp.Device().synchronize()
    faulthandler.cancel_dump_traceback_later()
print("done")
"""


@pytest.mark.parametrize("operations", ["ONE", "MANY", "LIBRARIES"])
def test_functions_of_the_host_run_while_a_thread_waits(run_python, operations):
    result = run_python(PROGRAM, arguments=[operations])
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


@pytest.mark.parametrize("waiting", ["cp.cuda.Memory(1000)", "x.get()", "cp.RawModule(code=CODE).compile()"])
def test_calls_beside_one_that_waits(run_python, waiting):
    """Drivers have locks of their own, which a call holds that waits."""
    code = f"""
import faulthandler, threading, time
import cuproxide as cp
import numpy as np

CODE = 'extern "C" __global__ void nothing() {{}}'
OPERATIONS = [
    lambda: cp.cuda.Event(),
    lambda: other.record(),
    lambda: other.wait_event(cp.cuda.Event()),
    lambda: cp.cuda.Stream(),
    lambda: cp.cuda.ExternalStream(other.ptr),
    lambda: cp.evaluate(y + 1),
    lambda: y.set(np.arange(10)),
    lambda: y.fill(0),
    lambda: other.launch_host_func(lambda _: None, None),
    lambda: cp.cuda.alloc_pinned_memory(100),
    lambda: cp.cuda.malloc_async(100),
    lambda: kernel((1,), (1,), ()),
    lambda: y.data.memset_async(0, 8),
    lambda: cp.from_dlpack(y),
    lambda: cp.cuda.get_current_stream().done,
]
stream, other = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
x, y = cp.arange(10), cp.arange(10)
kernel = cp.RawKernel(CODE, "nothing")

def wait():
    with stream:
        {waiting}

with stream:
    wait()
for number, operation in enumerate(OPERATIONS):
    print(number, flush=True)
    faulthandler.dump_traceback_later(100, exit=True)
    with other:
        operation()
        cp.Device().synchronize()
        stream.launch_host_func(lambda _: time.sleep(0.05), None)
        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.01)
        operation()
    thread.join()
faulthandler.cancel_dump_traceback_later()
print("done")
"""
    result = run_python(code)
    assert result.stdout.endswith("done\n"), result.stdout + result.stderr
