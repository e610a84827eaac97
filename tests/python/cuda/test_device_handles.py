"""Handles of vendor libraries, collectives, functions of the host in graphs, pools of the driver, fused functions."""

from __future__ import annotations

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import nccl
from launches import kernels

ON_CUDA = cp.Device().backend == "cuda"
ON_HIP = cp.Device().backend == "hip"
HANDLES = ["cublas_handle", "cusolver_handle", "cusolver_sp_handle", "cusparse_handle", "cutensor_handle"]


@pytest.mark.parametrize("name", HANDLES)
def test_library_handles(name):
    device = cp.Device()
    if not ON_CUDA and not (ON_HIP and name != "cutensor_handle"):
        with pytest.raises(cp.UnsupportedError):
            getattr(device, name)
        return
    try:
        handle = getattr(device, name)
    except ImportError as error:
        assert ("pip install" if ON_CUDA else "install the package hip") in str(error)
        return
    assert handle > 0 and getattr(device, name) == handle


def test_devices_by_their_address():
    device = cp.Device()
    if device.pci_bus_id:
        assert cp.Device.from_pci_bus_id(device.pci_bus_id) == device
        assert cp.cuda.Device.from_pci_bus_id(device.pci_bus_id.upper()) == device
    with pytest.raises(ValueError, match="ffff"):
        cp.Device.from_pci_bus_id("ffff:ff:ff.0")


def library():
    """Whether there is a library to communicate with."""
    try:
        nccl.get_version()
    except (cp.UnsupportedError, ImportError):
        return False
    return True


def test_collectives_say_what_is_missing():
    if library():
        assert nccl.get_version() > 20000 and nccl.get_build_version() == nccl.get_version()
        first, second = nccl.get_unique_id(), nccl.get_unique_id()
        assert len(first) == 128 and first != second and all(0 <= number < 256 for number in first)
        return
    for call in (nccl.get_version, nccl.get_unique_id, nccl.groupStart, nccl.groupEnd):
        with pytest.raises((cp.UnsupportedError, ImportError), match="collective|[NR]CCL"):
            call()
    with pytest.raises((cp.UnsupportedError, ImportError)):
        nccl.NcclCommunicator(1, (0,) * 128, 0)
    with pytest.raises(ValueError, match="rank"):
        nccl.NcclCommunicator(2, (0,) * 128, 2)


@pytest.mark.skipif(not library(), reason="no library of collectives")
def test_a_group_of_one():
    comm = nccl.NcclCommunicator(1, nccl.get_unique_id(), 0)
    assert (comm.size(), comm.rank_id(), comm.device_id()) == (1, 0, cp.Device().id) and comm.comm
    stream = cp.cuda.Stream.null
    for dtype, number in (("float32", nccl.NCCL_FLOAT), ("int64", nccl.NCCL_INT64), ("float16", nccl.NCCL_HALF)):
        x = cp.arange(10).astype(dtype)
        y = cp.zeros_like(x)
        for op in (nccl.NCCL_SUM, nccl.NCCL_PROD, nccl.NCCL_MAX, nccl.NCCL_MIN):
            y.fill(0)
            comm.allReduce(x.data.ptr, y.data.ptr, 10, number, op, stream.ptr)
            np.testing.assert_array_equal(y.get(), x.get())
        pair = (x.data.ptr, y.data.ptr, 10, number)
        for call, rest in (
            (comm.reduce, (nccl.NCCL_SUM, 0)),
            (comm.broadcast, (0,)),
            (comm.allGather, ()),
            (comm.reduceScatter, (nccl.NCCL_SUM,)),
        ):
            y.fill(0)
            call(*pair, *rest, stream.ptr)
            np.testing.assert_array_equal(y.get(), x.get())
        y.fill(0)
        nccl.groupStart()
        comm.send(x.data.ptr, 10, number, 0, stream.ptr)
        comm.recv(y.data.ptr, 10, number, 0, stream.ptr)
        nccl.groupEnd()
        np.testing.assert_array_equal(y.get(), x.get())
        comm.bcast(y.data.ptr, 10, number, 0, stream.ptr)
        np.testing.assert_array_equal(y.get(), x.get())
    comm.check_async_error()
    part = comm.commSplit(0, 0)
    assert part is not None and part.size() == 1
    assert comm.commSplit(-1, 0) is None
    part.destroy()
    for wrong in (-1, 99):
        with pytest.raises(ValueError, match="datatype"):
            comm.allReduce(0, 0, 1, wrong, 0, 0)
        with pytest.raises(ValueError, match="op="):
            comm.allReduce(0, 0, 1, 7, wrong, 0)
    comm.destroy()
    comm.abort()
    assert comm.comm == 0
    with pytest.raises(cp.DeviceError):
        comm.size()
    (only,) = nccl.NcclCommunicator.initAll(1)
    assert only.size() == 1


@pytest.mark.skipif(not ON_CUDA or cp.cuda.runtime.getDeviceCount() < 2, reason="needs two devices")
def test_a_group_of_two():
    comms = nccl.NcclCommunicator.initAll([0, 1])
    arrays = []
    for number, comm in enumerate(comms):
        with cp.Device(number):
            arrays.append(cp.full(1000, float(number + 1)))
            assert comm.rank_id() == number and comm.size() == 2
    nccl.groupStart()
    for number, (comm, array) in enumerate(zip(comms, arrays, strict=True)):
        with cp.Device(number):
            comm.allReduce(array.data.ptr, array.data.ptr, 1000, nccl.NCCL_DOUBLE, nccl.NCCL_SUM, 0)
    nccl.groupEnd()
    for number, array in enumerate(arrays):
        with cp.Device(number):
            assert (array.get() == 3).all()


def test_graphs_keep_their_functions_of_the_host():
    calls = []
    stream = cp.cuda.Stream(non_blocking=True)
    argument = ["mine"]
    with stream:
        stream.begin_capture()
        stream.launch_host_func(calls.append, argument)
        graph = stream.end_capture()
        assert graph.host_funcargs == [(calls.append, argument)] and not calls
        graph.launch()
        graph.launch()
        stream.synchronize()
        stream.begin_capture()
        empty = stream.end_capture()
    assert calls == [argument, argument] and empty.host_funcargs == []


def test_limits_of_pools_of_the_driver():
    pool = cp.cuda.MemoryAsyncPool()
    assert pool.get_limit() == 0 and pool.memoryAsyncHasStat
    base = pool.used_bytes()
    pool.set_limit(base + (64 << 20))
    assert pool.get_limit() == base + (64 << 20)
    block = pool.malloc(48 << 20)
    assert pool.used_bytes() >= base + (48 << 20)
    with pytest.raises(cp.cuda.memory.OutOfMemoryError, match="limit"):
        pool.malloc(48 << 20)
    del block
    cp.cuda.get_current_stream().synchronize()
    assert pool.malloc(48 << 20).mem.size == 48 << 20
    pool.set_limit(fraction=0.5)
    assert pool.get_limit() == cp.Device().total_memory // 2
    pool.set_limit(0)
    assert pool.get_limit() == 0
    for wrong in ((), (-1,), (1, 0.5)):
        with pytest.raises(ValueError):
            pool.set_limit(*wrong[:1], **({"fraction": wrong[1]} if len(wrong) > 1 else {}))
    with pytest.raises(ValueError, match="fraction"):
        pool.set_limit(fraction=1.5)
    with pytest.raises(cp.UnsupportedError):
        pool.n_free_blocks()


def test_fused_functions_are_one_kernel():
    @cp.fuse(kernel_name="chain")
    def chain(x, y):
        for _ in range(4):
            x = cp.sin(x) * y + 1
        return x, cp.where(x > y, x, -y)

    x, y = cp.linspace(0, 1, 1001), cp.ones(1001) * 0.5
    x.get(), y.get()
    assert kernels(lambda: [part.get() for part in chain(x, y)]) == ["chain"]
    with cp.fusion.eager():
        assert kernels(lambda: chain(x, y)) == ["chain"]
        separate = kernels(lambda: chain.__wrapped__(x, y))
    assert len(separate) > 10 and "chain" not in separate
    want = [part.get() for part in chain.__wrapped__(x, y)]
    for found, expected in zip(chain(x, y), want, strict=True):
        np.testing.assert_array_equal(found.get(), expected)
    assert chain.kernel_name == "chain"


def test_fused_functions_end_in_a_reduction_and_change_their_arguments():
    @cp.fuse
    def norm(x):
        return cp.sqrt(cp.sum(x * x))

    @cp.fuse()
    def update(x, y):
        x += y
        x *= 2
        return x

    x = cp.arange(1000.0)
    x.get()
    assert float(norm(x)) == pytest.approx(float(np.linalg.norm(np.arange(1000.0))))
    for eager in (False, True):
        state = cp.arange(5.0)
        if eager:
            with cp.fusion.eager():
                out = update(state, cp.ones(5))
        else:
            out = update(state, cp.ones(5))
        np.testing.assert_array_equal(out.get(), (np.arange(5.0) + 1) * 2)
        np.testing.assert_array_equal(state.get(), out.get())
    assert update(np.arange(3.0), 1).tolist() == [2, 4, 6]
    with pytest.raises(ValueError):
        update(cp.ones(2), cp.ones(3))
    with cp.fusion.eager():
        assert cp.fusion.is_eager()
    with pytest.raises(TypeError):
        cp.fuse(wrong=1)


def test_intermediate_code_for_linkers():
    from cuproxide import jit

    @jit.rawkernel()
    def double(x):
        x[jit.threadIdx.x] *= 2

    if not ON_CUDA:
        with pytest.raises(cp.UnsupportedError):
            double.get_lto_ir((cp.ones(3),))
        return
    with pytest.raises(RuntimeError):
        double.get_lto_ir()
    code = double.get_lto_ir((cp.ones(3),))
    assert isinstance(code, bytes) and len(code) > 100
    assert double.get_lto_ir() == code


def test_elementwise_kernels_tell_what_they_were_made_of():
    kernel = cp.ElementwiseKernel(
        "T x, raw T w", "T y", "y = x", "named", False, "// text", True, True, options=("-DA",), loop_prep="int k = 0"
    )
    assert [p.name for p in kernel.in_params] == ["x", "w"] and [p.name for p in kernel.out_params] == ["y"]
    assert len(kernel.params) == 3 and kernel.in_params[1].raw
    assert (kernel.nin, kernel.nout, kernel.nargs) == (2, 1, 3)
    assert (kernel.name, kernel.operation, kernel.preamble) == ("named", "y = x", "// text")
    assert (kernel.reduce_dims, kernel.no_return, kernel.return_tuple) == (False, True, True)
    assert kernel.kwargs == {"options": ("-DA",), "loop_prep": "int k = 0"}
