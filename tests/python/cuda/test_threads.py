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
