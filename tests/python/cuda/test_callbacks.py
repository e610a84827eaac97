"""Python code that is called in the middle of operations: memory hooks, allocators, and what they may do."""

import contextlib
import gc
import weakref

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import fusion
from effort import CASES

#: Runs `work` while a hook calls `called(name)` for each event.
HOOKED = """
import contextlib, faulthandler, threading, cuproxide as cp, numpy as np
faulthandler.dump_traceback_later(100, exit=True)
pool = cp.get_default_memory_pool()

class Hook(cp.cuda.MemoryHook):
    name = "test"
    def __init__(self, called):
        self.called = called
    def malloc_preprocess(self, **arguments):
        self.called("malloc")
    def free_postprocess(self, **arguments):
        self.called("free")
"""


def passes(run_python, program, *, preamble=HOOKED):
    """Runs a program in a process of its own, which may crash or stand still."""
    result = run_python(preamble + program, CUPROXIDE_EAGER="0")
    assert result.returncode == 0, (result.returncode, result.stderr[-3000:])
    return result.stdout


# ------------------------------------------------------------------------------------------------ pending exceptions


@pytest.mark.parametrize("hook", ["cp.cuda.memory_hooks.LineProfileHook()", "Hook(lambda what: [].append(what))"])
def test_an_exception_while_temporaries_are_freed(hook, run_python):
    program = f"""
def fails():
    with {hook}:
        return [cp.arange(3.0), cp.evaluate(cp.arange(5.0) + 1), 1 / 0]
for _ in range(20):
    try:
        fails()
    except ZeroDivisionError as error:
        assert str(error) == "division by zero"
    else:
        raise SystemExit("no exception")
"""
    passes(run_python, program)


def test_a_hook_that_raises_while_an_exception_is_under_way(run_python):
    program = """
def called(what):
    if what == "free":
        raise RuntimeError("from the hook")
with Hook(called):
    try:
        [cp.arange(3.0), {}["missing"]]
    except KeyError as error:
        print(error)
"""
    assert passes(run_python, program).strip() == "'missing'"


def test_an_allocator_whose_memory_is_freed_by_an_exception(run_python):
    program = """
import ctypes
freed = []
blocks = {}
def malloc(size, device):
    block = ctypes.create_string_buffer(size + 64)
    address = (ctypes.addressof(block) + 63) // 64 * 64
    blocks[address] = block
    return address
def free(address, device):
    freed.append(blocks.pop(address))
if cp.Device().backend == "cpu":
    with cp.cuda.using_allocator(cp.cuda.PythonFunctionAllocator(malloc, free).malloc):
        try:
            [cp.arange(3.0), 1 / 0]
        except ZeroDivisionError:
            pass
    assert len(freed) == 1, freed
"""
    passes(run_python, program)


# ------------------------------------------------------------------------------------------------------------ locks


def test_the_shape_of_an_array_while_it_is_resized(run_python):
    program = """
a, done = cp.ones(10), []
def look():
    while not done:
        a.shape, a.strides, a.size
threads = [threading.Thread(target=look) for _ in range(3)]
[thread.start() for thread in threads]
for turn in range(60):
    a.resize(10**6 if turn % 2 else 10)
    pool.free_all_blocks()
done.append(True)
[thread.join() for thread in threads]
assert a.shape == (10**6,) and a.sum() == 10
"""
    passes(run_python, program)


@pytest.mark.parametrize("use", ["a.shape", "a + 1", "a.reshape(-1)", "a.get()"])
def test_an_array_that_is_used_while_room_for_its_new_size_is_made(use, run_python):
    program = f"""
a, seen = cp.ones(10), []
def called(what="malloc"):
    if what == "malloc" and not seen:
        seen.append(True)
        {use}
with Hook(called):
    a.resize(1000)
assert seen and a.shape == (1000,) and a.sum() == 10
seen.clear()
def allocate(size):
    called()
    return pool.malloc(size)
with cp.cuda.using_allocator(allocate):
    a.resize(2000)
assert seen and a.shape == (2000,) and a.sum() == 10
"""
    passes(run_python, program)


def test_two_threads_resize_one_array():
    a = cp.arange(6)
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda n: a.resize(6 + n % 5), range(200)))
    a.resize(6)
    assert (a.get()[:4] == np.arange(4)).all()


# -------------------------------------------------------------------------------------------------------- no address


def test_an_allocator_that_returns_no_address(run_python):
    program = """
nothing = cp.cuda.PythonFunctionAllocator(lambda size, device: 0, lambda address, device: None)
unowned = lambda size: cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(0, 0, None), 0)
pools = [cp.cuda.MemoryPool(allocator).malloc for allocator in (nothing.malloc, unowned)]
for allocator in (nothing.malloc, unowned, *pools):
    with cp.cuda.using_allocator(allocator):
        try:
            cp.zeros(1000).sum()
        except cp.cuda.memory.OutOfMemoryError as error:
            print(error)
        else:
            raise SystemExit("no exception")
assert cp.zeros(1000).sum() == 0
"""
    assert passes(run_python, program).count("8000 bytes") == 4


# ------------------------------------------------------------------------------------- hooks of deferred operations


@pytest.mark.parametrize(
    "use", ["a[...] = 5", "a += 1", "x[...] = 5", "x += 1", "b.get()", "b[...] = 0", "c = b + 1; c.get()"]
)
def test_a_hook_that_needs_what_is_being_computed(use, run_python):
    """It gets an error; afterwards all is as if it had not been there."""
    program = f"""
x, a = cp.arange(500.0), cp.ones(500)
cp.evaluate(x, a)
pool.free_all_blocks()
errors = []
def called(what):
    if what != "malloc":
        return
    global x, a, b
    try:
        {use}
    except ValueError as error:
        errors.append(str(error))
a *= 2
b = a + x
with Hook(called):
    cp.evaluate(b)
assert errors and "is being computed" in errors[0], errors
assert (a.get() == 2).all() and (b.get() == np.arange(500.0) + 2).all() and (x.get() == np.arange(500.0)).all()
"""
    passes(run_python, program)


def test_a_hook_may_use_other_arrays_and_read_operands(run_python):
    program = """
x, other, seen = cp.arange(500.0), cp.ones(300), []
cp.evaluate(x, other)
def called(what):
    global other
    if what == "malloc" and len(seen) < 20:
        other += 1
        seen.append((float(x.get()[3]), float((other * 2).sum())))
        cp.Device().synchronize()
with Hook(called):
    b = x * 2 + 1
    cp.evaluate(b)
assert seen and seen[0] == (3, 1200), seen
assert (b.get() == np.arange(500.0) * 2 + 1).all()
"""
    passes(run_python, program)


def test_a_hook_that_waits_for_a_thread_which_uses_the_library(run_python):
    program = """
x, made = cp.arange(500.0), []
cp.evaluate(x)
def work():
    y = cp.ones(200) * 3 + x.sum()
    cp.Device().synchronize()
    made.append(float(y.get()[0]))
def called(what):
    if what == "malloc" and not made:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
with Hook(called):
    b = x * 2 + 1
    cp.evaluate(b)
assert made and (b.get() == np.arange(500.0) * 2 + 1).all()
def allocate(size):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return pool.malloc(size)
made.clear()
with cp.cuda.using_allocator(allocate):
    c = b * 2 + x
    cp.evaluate(c)
assert made and (c.get() == np.arange(500.0) * 5 + 2).all()
"""
    passes(run_python, program)


@pytest.mark.skipif(not CASES, reason="it waits for 15 seconds: the long mode")
def test_a_hook_that_waits_for_a_thread_which_needs_what_is_being_computed(run_python):
    program = """
x, errors = cp.arange(500.0), []
cp.evaluate(x)
def work():
    try:
        b.get()
    except ValueError as error:
        errors.append(str(error))
def called(what):
    if what == "malloc" and not errors:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
b = x * 2 + 1
with Hook(called):
    cp.evaluate(b)
assert "has not returned" in errors[0], errors
assert (b.get() == np.arange(500.0) * 2 + 1).all()
"""
    passes(run_python, program)


def test_threads_that_compute_and_update_one_array():
    """Groups run without a lock; what one thread runs, others see."""
    import threading

    x = cp.zeros(2000)
    total = threading.Lock()

    def work():
        for _ in range(100):
            y = x + 1
            with total:
                x[...] += 1
            assert y.get()[0] >= 1
            cp.evaluate(y * 2)

    with fusion.eager(False):
        threads = [threading.Thread(target=work) for _ in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
    assert (x.get() == 600).all()


# ---------------------------------------------------------------------------------------------------------- streams


class External:
    def __init__(self):
        self.stream = cp.cuda.Stream(non_blocking=True)

    def __cuda_stream__(self):
        return self.stream.__cuda_stream__()


def test_an_external_stream_keeps_its_object():
    owner = External()
    kept = weakref.ref(owner)
    stream = cp.cuda.Stream.from_external(owner)
    assert stream.ptr == owner.stream.ptr and stream == owner.stream
    del owner
    gc.collect()
    assert kept() is not None
    with stream:
        current = cp.cuda.get_current_stream()
        x = cp.arange(5) + 1
    del stream
    gc.collect()
    # Another object for the stream is enough.
    assert kept() is not None
    current.synchronize()
    assert x.tolist() == [1, 2, 3, 4, 5]
    del current, x
    cp.Device().synchronize()
    gc.collect()
    assert kept() is None


def test_a_stream_that_was_current_keeps_its_object_while_work_is_deferred():
    owner = External()
    kept = weakref.ref(owner)
    with contextlib.ExitStack() as stack, fusion.eager(False):
        stack.enter_context(cp.cuda.Stream.from_external(owner))
        x = cp.ones(7) * 3
        del owner
        gc.collect()
        assert kept() is not None
    # Other streams do not wait for this one.
    cp.Device().synchronize()
    assert (x.get() == 3).all()
