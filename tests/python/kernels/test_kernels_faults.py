"""Kernels on the CPU that would end the process of a C++ program: errors that name the kernel, or a GPU's results."""

from __future__ import annotations

import cuproxide as cp
import pytest

pytestmark = pytest.mark.skipif(cp.Device().backend != "cpu", reason="a GPU has its own ways")

BARRIERS = ["", "__syncthreads();"]


def launch(body, grid=(3,), block=(5,), size=64, before=""):
    out = cp.zeros(size, "i8")
    code = f'{before} extern "C" __global__ void faulty(long long* x) {{ {body} }}'
    cp.RawKernel(code, "faulty")(grid, block, (out,))
    return cp.asnumpy(out).tolist()


@pytest.mark.parametrize("barrier", BARRIERS)
def test_divisions_that_processors_refuse_have_results(barrier):
    """By zero all bits are set; the least number by -1 is itself."""
    body = f"""
    {barrier}
    int zero = (int)x[63], least = -2147483647 - 1 + zero;
    long long wide = x[63], widest = -9223372036854775807ll - 1 + wide;
    unsigned char narrow = (unsigned char)x[63];
    x[0] = 5 / zero; x[1] = 5 % zero; x[2] = least / (zero - 1); x[3] = least % (zero - 1);
    x[4] = 5ll / wide; x[5] = 5ll % x[63]; x[6] = widest / (wide - 1); x[7] = widest % (wide - 1);
    x[8] = 5u / (unsigned)zero; x[9] = least / zero; x[10] = (5 / narrow) != 0; x[11] = 7 / (zero + 2);
    """
    wanted = [-1, -1, -(2**31), 0, -1, -1, -(2**63), 0, 2**32 - 1, -1, 1, 3]
    assert launch(body)[:12] == wanted


def test_a_loop_goes_on_after_a_division_by_zero():
    kernel = cp.ElementwiseKernel("int32 a, int32 b", "int32 c", "c = a / b", "quotient")
    a, b = cp.arange(100_000, dtype="i4"), cp.arange(100_000, dtype="i4") % 3
    got = cp.asnumpy(kernel(a, b))
    a, b = cp.asnumpy(a), cp.asnumpy(b)
    assert (got[b == 0] == -1).all()
    assert (got[b != 0] == a[b != 0] // b[b != 0]).all()


DEEP = """
__device__ __noinline__ int deep(volatile long long* p, int n) {
    volatile int a[100];
    a[n % 100] = n;
    if (n < 0) return 1;
    return deep(p, n + 1) + a[n % 100] + (int)*p;
}
"""
FAULTS = {
    "null": ("*(int*)x[0] = 1;", "illegal address 0x0"),
    "far": ("x[1ll << 40] = 1;", "illegal address 0x"),
    "not canonical": ("*(int*)(1ll << 60) = 1;", "illegal address"),
    "read by the C library": ("memcpy(x, (void*)16, 64);", "illegal address"),
    "instruction": ("__builtin_trap();", "an illegal instruction"),
    "recursion": ("x[0] = deep(x, 0);", "the stack of a thread is full"),
    "large array": (
        "volatile char a[64 << 20]; a[0] = 1; a[sizeof a - 1] = 2; x[0] = a[0] + a[sizeof a - 1];",
        "the stack of a thread is full",
    ),
}


@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_name_the_kernel(fault, barrier):
    body, reason = FAULTS[fault]
    with pytest.raises(cp.DeviceError, match="kernel faulty: block") as raised:
        launch(f"{barrier} if (blockIdx.x == 1 && threadIdx.x == 3) {{ {body} }} {barrier}", before=DEEP)
    # An array takes its room where the kernel begins, in every thread.
    assert reason in str(raised.value)
    assert fault == "large array" or "block (1, 0, 0)" in str(raised.value)
    # The engine is as good as new.
    assert launch(f"x[threadIdx.x] = 1; {barrier}")[:6] == [1] * 5 + [0]


def test_faults_of_many_blocks_and_threads():
    with pytest.raises(cp.DeviceError, match="illegal address"):
        launch("__syncthreads(); if (blockIdx.x % 7 == 6) *(int*)x[0] = 1; __syncthreads();", (1000,), (64,))
    with pytest.raises(cp.DeviceError, match="illegal address"):
        launch("*(int*)x[0] = 1;", (1000,), (64,))


def test_local_memory_of_512_kib():
    body = """
    volatile unsigned char a[(512 << 10) - 256];
    for (unsigned at = 0; at < sizeof a; at += 512) a[at] = (unsigned char)(at / 512 + threadIdx.x);
    __syncthreads();
    long long sum = 0;
    for (unsigned at = 0; at < sizeof a; at += 512) sum += a[at];
    x[threadIdx.x] = sum;
    """
    wanted = [sum((at // 512 + thread) % 256 for at in range(0, (512 << 10) - 256, 512)) for thread in range(8)]
    assert launch(body, (1,), (8,))[:8] == wanted


def test_throw_does_not_compile():
    for body in ("if (x[0] == 0) throw 1;", "try { x[0] = 1; } catch (int) { x[0] = 2; }"):
        with pytest.raises(cp.CompileError, match="exception handling disabled|cannot use '(throw|try)'"):
            launch(body)


def test_faults_of_others_go_to_their_handlers(run_python):
    """Whether a handler came before the first kernel or after it, and the process ends as it would have."""
    code = """
import faulthandler, sys
import cuproxide as cp
early = sys.argv[1] == "early"
if early:
    faulthandler.enable()
kernel = cp.RawKernel('extern "C" __global__ void faulty(int** x) { **x = 1; }', "faulty")
def fail():
    try:
        kernel((1,), (1,), (cp.zeros(1, "u8"),))
    except cp.DeviceError as error:
        print("illegal address" in str(error), flush=True)
fail()
if not early:
    faulthandler.enable()
    fail()
faulthandler._sigsegv()
"""
    for when, lines in (("early", 1), ("late", 2)):
        done = run_python(code, [when])
        assert done.stdout == "True\n" * lines, done.stderr
        assert done.returncode == -11 and "Fatal Python error: Segmentation fault" in done.stderr


ENDLESS = {
    "loop": ("while (x[0] == 0) x[1] += 1;", (4,), (4,)),
    "mathematics": ("double y = 0; while (x[0] == 0) { y = sin(y + 1); x[1] = (long long)y; }", (1,), (1,)),
    "barriers": ("for (;;) { __syncthreads(); x[1] += 1; }", (4,), (8,)),
    "spinning": ("while (atomicAdd((unsigned long long*)x, 0ull) == 0) __nanosleep(10);", (4,), (8,)),
    "one thread": ("__syncthreads(); if (threadIdx.x == 3) while (x[0] == 0); __syncthreads();", (50,), (8,)),
    "many blocks": ("x[1] = 1;", (2**31 - 1,), (1024,)),
}


def test_an_interrupt_ends_a_launch(run_python):
    code = f"""
import os, signal, threading
import cuproxide as cp

def once(*_):
    # A press that comes late belongs to no launch.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt

def own(*_):
    owned.append("own")

owned = []
begun, ended = threading.Event(), threading.Event()

def press():
    while True:
        begun.wait()
        begun.clear()
        # More than once for a machine so busy that the first comes before the launch.
        for after in (0.2, 4, 4, 4):
            if ended.wait(after):
                break
            os.kill(os.getpid(), signal.SIGINT)
        ended.wait()
        ended.clear()

threading.Thread(target=press, daemon=True).start()
x = cp.zeros(4, "i8")
for body, grid, block in {list(ENDLESS.values())!r}:
    code = 'extern "C" __global__ void endless(volatile long long* x) {{ %s }}' % body
    kernel = cp.RawKernel(code, "endless")
    kernel.compile()
    try:
        signal.signal(signal.SIGINT, once)
        begun.set()
        kernel(grid, block, (x,))
        print("ended")
    except KeyboardInterrupt:
        print("KeyboardInterrupt")
    ended.set()
signal.signal(signal.SIGINT, own)
try:
    begun.set()
    kernel((2**31 - 1,), (1024,), (x,))
except cp.DeviceError as error:
    print(owned[0])
    print(error)
ended.set()
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(cp.arange(3) + 1)
"""
    done = run_python(code)
    *launches, own, error, last = done.stdout.splitlines()
    assert launches == ["KeyboardInterrupt"] * len(ENDLESS), done.stderr
    assert own == "own" and "kernel endless" in error and "interrupted" in error and last == "[1 2 3]"


@pytest.mark.parametrize("body", ['asm(");', 'asm("a.b', 'asm("mov.u32 %0, %1;" : x : y);'])
def test_odd_assembly_is_an_error_of_the_compiler(body):
    with pytest.raises(cp.CompileError):
        launch(body)
