"""What is distributed, on the GPUs of one machine: groups of processes, one process with all of them, Dask."""

import os
import subprocess
import sys
import textwrap

import cuproxide as cp
import numpy as np
import pytest
from processes import started

COUNT = cp.cuda.runtime.getDeviceCount()

pytestmark = pytest.mark.skipif(cp.Device().backend == "cpu" or COUNT < 2, reason="needs two GPUs")

SIZES = sorted({2, COUNT})


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("check", ["0", "1"])
def test_collectives(size, check):
    result = started(size, "collectives.py", "nccl", seconds=300, CUPROXIDE_DISTRIBUTED_CHECK=check)
    assert result.status == 0, result.err
    assert result.out.count("NCCLBackend") == size


@pytest.mark.parametrize("size", SIZES)
def test_arrays_over_ranks(size):
    result = started(size, "arrays.py", "nccl", seconds=300)
    assert result.status == 0 and result.out.count("ok") == size, result.err


@pytest.mark.parametrize("scenario, cause", [("killed", "its process ended"), ("raised", "on purpose")])
def test_a_lost_rank(scenario, cause):
    result = started(2, "failures.py", "nccl", scenario, seconds=90)
    ((kind, seconds, text),) = [line.split("|", 2) for line in result.out.splitlines() if "|" in line]
    assert kind == "PeerLostError" and float(seconds) < 15 and "rank 1" in text and cause in text, result.err
    assert result.status != 0


@pytest.mark.parametrize("scenario, named", [("shape", "shape=[999]"), ("operation", "rank 0 is in broadcast")])
def test_calls_that_do_not_belong_together(scenario, named):
    result = started(2, "failures.py", "nccl", scenario, seconds=90, CUPROXIDE_DISTRIBUTED_CHECK=1)
    errors = [line.split("|", 2) for line in result.out.splitlines() if "|" in line]
    assert [kind for kind, _, _ in errors] == ["MismatchError"] * 2, (result.out, result.err)
    assert all(named in text for _, _, text in errors)


ARRAYS = """
    import itertools
    import numpy as np, cuproxide as cp
    from cuproxide.distributed.array import distributed_array, make_2d_index_map
    n = cp.cuda.device_count()
    rng = np.random.default_rng(0)
    for dtype in ("f4", "f8", "c16", "i4"):
        a, b = (rng.normal(size=(2, 120, 120)) * 9).astype(dtype)
        x = distributed_array(a, make_2d_index_map([0, 50, 120], [0, 60, 120], [[0, 1], [{n - 1, 1}, 0]]))
        y = distributed_array(b, {i: [slice(120 * i // n, 120 * (i + 1) // n)] for i in range(n)})
        for place, parts in (x + y).all_chunks().items():
            assert all(part.device.id == place for part in parts)
        tolerance = dict(rtol=2e-4, atol=2e-2) if dtype == "f4" else dict(rtol=1e-11, atol=1e-10)
        for got, wanted in [(x + y, a + b), (x @ y, a @ b), (x.sum(0), a.sum(0)), (x.T, a.T), (x[3:90], a[3:90]),
                            (x.reshard({1: [slice(0, 7)], 0: [slice(7, 120)]}), a), (x * 2 - y, a * 2 - b)]:
            np.testing.assert_allclose(got.get(), wanted, **tolerance)
        if dtype != "c16":
            np.testing.assert_array_equal(y.max(1).get(), b.max(1))
    print("ok", n)
"""

PEERS = """
    import itertools
    import numpy as np, cuproxide as cp
    n = cp.cuda.device_count()
    for source, target in itertools.permutations(range(n), 2):
        for dtype in ("b1", "u1", "f2", "f8", "c16"):
            for values in (np.arange(1 << 16).astype(dtype), np.arange(2400).reshape(20, 30, 4).astype(dtype)):
                with cp.cuda.Device(source):
                    x = cp.asarray(values)
                    lazy = x[::-1] if x.ndim == 1 else (x.T)[1:, ::2]
                    wanted = values[::-1] if x.ndim == 1 else values.T[1:, ::2]
                for moved in (lazy.to_device(cp.cuda.Device(target)),):
                    assert moved.device.id == target
                    np.testing.assert_array_equal(moved.get(), wanted)
                with cp.cuda.Device(target):
                    y = cp.array(x, device=cp.cuda.Device(target))
                    assert y.device.id == target
                    z = cp.empty_like(y)
                    z.data.copy_from_device(x.data, x.nbytes)
                    np.testing.assert_array_equal(z.get(), values)
                    np.testing.assert_array_equal((y == z).all().get(), True)
                    z[...] = y[::-1]
                    np.testing.assert_array_equal(z.get(), values[::-1])
    # Work that is queued on one device is done before another one reads it.
    with cp.cuda.Device(0):
        a = cp.ones((2000, 2000))
        for _ in range(20):
            a = a @ a / 2000.0
    b = a.to_device(cp.cuda.Device(1))
    with cp.cuda.Device(1):
        assert float((b + 1).max()) == 2.0, float((b + 1).max())
    assert cp.cuda.runtime.deviceCanAccessPeer(0, 1) in (0, 1)
    for i in range(n):
        with cp.cuda.Device(i):
            assert cp.arange(10).sum().device.id == i
            assert cp.linalg.svd(cp.eye(5))[1].device.id == i
            assert cp.random.default_rng(1).normal(size=3).device.id == i
            assert cp.fft.fft(cp.ones(8)).device.id == i
            k = cp.RawKernel('extern "C" __global__ void f(int* x) { x[threadIdx.x] = threadIdx.x; }', "f")
            c = cp.zeros(32, "i4"); k((1,), (32,), (c,))
            assert c.tolist() == list(range(32))
    print("ok", n)
"""

CHILD = """
    import sys, cuproxide as cp
    runtime = cp.cuda.runtime
    with cp.cuda.Device(1):
        pointer = runtime.ipcOpenMemHandle(bytes.fromhex(sys.argv[1]))
        x = cp.ndarray((1000,), float, cp.cuda.MemoryPointer(cp.cuda.UnownedMemory(pointer, 8000, None), 0))
        x *= 3
        print(float(x.sum()))
        cp.cuda.Device().synchronize()
        del x
        runtime.ipcCloseMemHandle(pointer)
"""

SHARED = """
    import subprocess, sys
    import numpy as np, cuproxide as cp
    runtime = cp.cuda.runtime
    with cp.cuda.Device(1):
        memory = cp.cuda.Memory(8000)
        x = cp.ndarray((1000,), float, cp.cuda.MemoryPointer(memory, 0))
        x[...] = cp.arange(1000.0)
        cp.cuda.Device().synchronize()
        handle = runtime.ipcGetMemHandle(memory.ptr).hex()
        child = subprocess.run([sys.executable, "-c", sys.argv[1], handle], capture_output=True, text=True, timeout=120)
        assert child.returncode == 0, child.stderr
        assert float(child.stdout) == 3 * 499500.0, child.stdout
        np.testing.assert_array_equal(x.get(), 3 * np.arange(1000.0))
    print("ok", cp.cuda.device_count())
"""


@pytest.mark.parametrize("program", [ARRAYS, PEERS, SHARED], ids=["arrays", "peers", "shared"])
def test_all_devices_of_a_process(program):
    result = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), textwrap.dedent(CHILD)],
        capture_output=True,
        text=True,
        timeout=240,
        env=os.environ,
    )
    assert result.stdout == f"ok {COUNT}\n", result.stderr


def test_a_dask_worker_for_each_device(monkeypatch):
    distributed = pytest.importorskip("distributed")
    da = pytest.importorskip("dask.array")

    def of_device(index):  # here, so that it travels by value: workers cannot import this file
        import os

        import cuproxide as cp

        return os.environ["CUDA_VISIBLE_DEVICES"], float(cp.arange(index + 1).sum())

    workers = {
        index: {
            "cls": distributed.Nanny,
            "options": {"nthreads": 1, "env": {"CUDA_VISIBLE_DEVICES": str(index)}, "preload_nanny": []},
        }
        for index in range(COUNT)
    }
    scheduler = {"cls": distributed.Scheduler, "options": {"dashboard_address": None, "port": 0}}
    with (
        distributed.SpecCluster(scheduler=scheduler, workers=workers, asynchronous=False) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.wait_for_workers(COUNT, timeout=60)
        names = list(client.scheduler_info()["workers"])
        answers = [client.submit(of_device, 9, workers=[name], pure=False).result(60) for name in names]
        assert sorted(device for device, _ in answers) == [str(index) for index in range(COUNT)]
        assert all(value == 45 for _, value in answers)
        values = np.random.default_rng(0).normal(size=(400, 300))
        x = da.from_array(cp.asarray(values), chunks=(100, 100), asarray=False)
        found = (x @ x.T).sum(axis=0).compute(timeout=120)
        np.testing.assert_allclose(cp.asnumpy(found), (values @ values.T).sum(axis=0), rtol=1e-9, atol=1e-9)
