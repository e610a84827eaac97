"""Threads and forks."""

import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import cuproxide as cp
import numpy as np
import pytest
from helpers import check

ON_GPU = cp.Device().backend in ("cuda", "hip")


def work(seed):
    host = np.random.default_rng(seed).random((50, 60))
    a = cp.asarray(host)
    b = cp.sin(a) @ a.T + a.sum(axis=1)
    b[b > 20] = 0
    c = cp.sort(b, axis=0)[::2].cumsum(axis=1)
    return host, cp.asnumpy(c)


def expect(host):
    b = np.sin(host) @ host.T + host.sum(axis=1)
    b[b > 20] = 0
    return np.sort(b, axis=0)[::2].cumsum(axis=1)


def test_many_threads():
    with ThreadPoolExecutor(8) as pool:
        for host, result in pool.map(work, range(64)):
            np.testing.assert_allclose(result, expect(host), rtol=1e-9)


def test_one_array_in_many_threads():
    shared = cp.arange(10_000.0)
    total = shared.sum().item()
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(lambda _: (shared * 2).sum().item() == 2 * total, range(100)))


def test_arrays_outlive_their_thread():
    results = []
    thread = threading.Thread(target=lambda: results.append(cp.arange(100) * 2))
    thread.start()
    thread.join()
    check(results[0], np.arange(100) * 2)


def test_current_device_belongs_to_a_thread():
    seen = []
    with cp.Device("noop"):
        thread = threading.Thread(target=lambda: seen.append(str(cp.Device())))
        thread.start()
        thread.join()
        assert str(cp.Device()) == "noop:0"
    assert seen == [str(cp.Device())]


def test_other_threads_run_during_a_wait():
    """The interpreter lock is released around long work."""
    a = cp.ones((600, 600))
    counter = [0]
    stop = threading.Event()

    def count():
        while not stop.is_set():
            counter[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        for _ in range(5):
            cp.asnumpy(a @ a)
    finally:
        stop.set()
        thread.join()
    assert counter[0] > 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.skipif(ON_GPU, reason="the use of a GPU does not survive a fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork():
    cp.asnumpy(cp.ones((500, 500)) @ cp.ones((500, 500)))
    child = os.fork()
    if child == 0:
        try:
            host, result = work(5)
            ok = np.allclose(result, expect(host)) and cp.ones(1_000_000).sum().item() == 1_000_000
        except BaseException:
            ok = False
        os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    host, result = work(6)
    np.testing.assert_allclose(result, expect(host), rtol=1e-9)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.skipif(ON_GPU, reason="the use of a GPU does not survive a fork")
def test_forks_beside_a_thread_that_computes(run_python):
    program = """
import os, threading, time, cuproxide as cp
a, stop = cp.ones(300_000), []
def busy():
    while not stop:
        c = (a * 2 + 1) / 3 - a
        c.sum().item()
        cp.sort(c)
thread = threading.Thread(target=busy)
thread.start()
time.sleep(0.1)
for _ in range(15):
    child = os.fork()
    if child == 0:
        os._exit(int(((a * 2 + 1) * (a - 3)).sum().item() != -1_800_000))
    end = time.time() + 20
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.time() < end:
        time.sleep(0.001)
    if ended[0] == 0:
        os.kill(child, 9)
        print("a child stands still")
        break
    print(ended[1])
stop.append(True)
thread.join()
"""
    result = run_python(program)
    assert result.stdout.split() == ["0"] * 15, result.stderr


@pytest.mark.skipif(ON_GPU, reason="each process would open the device anew")
def test_processes(run_python):
    program = """
import multiprocessing, cuproxide as cp
def square(n):
    return float((cp.arange(n) ** 2).sum())
if __name__ == "__main__":
    cp.ones(3).sum()
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print(pool.map(square, [10, 100, 1000]))
"""
    result = run_python(program)
    assert result.returncode == 0, result.stderr
    assert "285.0" in result.stdout
    assert sys.version_info >= (3, 11)


TOGETHER = """
import threading
import numpy as np
import cuproxide as cp

@cp.fuse()
def fused(x, y):
    return cp.sqrt(x * x + y * y) - cp.log1p(x)

shared = cp.arange(4096.0)
lines = cp.zeros((16, 512))
square = cp.ElementwiseKernel("T x", "T y", "y = x * x", "square")

def operations(number):
    x = np.random.default_rng(number).random((64, 64)) + 0.5
    a = cp.asarray(x)
    yield fused(a, a), np.sqrt(2 * x * x) - np.log1p(x)
    yield cp.fft.rfft(a), np.fft.rfft(x)
    yield cp.linalg.solve(a, a), np.eye(64)
    yield cp.einsum("ij,kj->ik", a, a), x @ x.T
    yield cp.sort(a, axis=0), np.sort(x, axis=0)
    yield cp.scipy.special.gammaln(a + 1) - cp.scipy.special.gammaln(a), np.log(x)
    yield square(a), x * x
    yield shared[number : number + 100] * 2, 2 * np.arange(number, number + 100.0)
    lines[number] += number
    yield lines[number].copy(), np.full(512, float(number))
    yield cp.scipy.ndimage.uniform_filter(cp.ones((9, 9))), np.ones((9, 9))
    yield cp.random.default_rng(number).random(10), cp.random.default_rng(number).random(10).get()
    yield np.float64(0 <= float(cp.random.rand()) < 1), 1.0
    yield cp.unique(cp.asarray([3, 1, 3])), [1, 3]
    yield cp.scipy.sparse.csr_array(a) @ a, x @ x

problems, start = [], threading.Barrier(16)

def work(number):
    start.wait()
    try:
        for place, (result, expected) in enumerate(operations(number)):
            np.testing.assert_allclose(cp.asnumpy(result), expected, rtol=1e-7, atol=1e-9, err_msg=str(place))
    except BaseException as problem:
        problems.append(f"{number}: {type(problem).__name__}: {problem}")

threads = [threading.Thread(target=work, args=(number,)) for number in range(16)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not problems, "; ".join(problems)
print("together")
"""


def test_first_calls_at_once(run_python):
    """What a process makes at the first call of something is made once, or more often without harm."""
    result = run_python(TOGETHER)
    assert result.stdout.strip() == "together", result.stderr


@pytest.mark.skipif(getattr(sys, "_is_gil_enabled", lambda: True)(), reason="Python has its lock")
def test_the_package_runs_without_a_lock(run_python):
    result = run_python("import sys, cuproxide, cuproxide.scipy; print(sys._is_gil_enabled())")
    assert result.stdout.strip() == "False", result.stderr
