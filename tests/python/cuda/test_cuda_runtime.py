"""Streams, events and the calls of `cuda.runtime`, on whatever device is the default."""

import contextlib
import ctypes
import inspect
import pickle
import threading
import time

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import runtime

ON_CUDA = cp.Device().backend == "cuda"
ON_GPU = cp.Device().backend in ("cuda", "hip")


def supported(call, *arguments):
    """The result of a call that not every backend has; on CUDA it must work."""
    try:
        return call(*arguments)
    except cp.UnsupportedError as error:
        assert not ON_CUDA, error
        assert isinstance(error, runtime.CUDARuntimeError)
        return None


def test_kinds_of_streams():
    plain, free, urgent = (
        cp.cuda.Stream(),
        cp.cuda.Stream(non_blocking=True),
        cp.cuda.Stream(priority=runtime.deviceGetStreamPriorityRange()[1]),
    )
    assert not plain.is_non_blocking and free.is_non_blocking
    assert plain.priority == 0 and urgent.priority == runtime.deviceGetStreamPriorityRange()[1]
    assert len({plain.ptr, free.ptr, urgent.ptr}) == 3 and plain != free
    assert plain.device == cp.Device() and plain.device_id == cp.Device().id
    assert plain.done and "Stream" in repr(plain)
    with pytest.raises(ValueError):
        cp.cuda.Stream(null=True, ptds=True)


def test_default_streams():
    assert cp.cuda.Stream.null == cp.cuda.Stream(null=True) and cp.cuda.Stream.null.ptr == 0
    assert cp.cuda.Stream.ptds == cp.cuda.Stream(ptds=True) != cp.cuda.Stream.null
    with cp.cuda.Stream.ptds:
        assert cp.cuda.get_current_stream() == cp.cuda.Stream.ptds
        assert float((cp.arange(100) * 2).sum()) == 9900
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null
    assert cp.cuda.get_current_stream(-1) == cp.cuda.get_current_stream(cp.Device().id)


def test_current_streams_belong_to_threads_and_nest():
    outer, inner = cp.cuda.Stream(), cp.cuda.Stream()
    seen = []
    with outer:
        with inner:
            assert cp.cuda.get_current_stream() == inner
            thread = threading.Thread(target=lambda: seen.append(cp.cuda.get_current_stream()))
            thread.start()
            thread.join()
        assert cp.cuda.get_current_stream() == outer
    assert seen == [cp.cuda.Stream.null]
    outer.use()
    assert cp.cuda.get_current_stream() == outer
    cp.cuda.Stream.null.use()
    with pytest.raises(ZeroDivisionError), outer:
        1 / 0  # noqa: B018
    assert cp.cuda.get_current_stream() == cp.cuda.Stream.null


def test_threads_work_on_default_streams_of_their_own(run_python):
    program = """
import threading, cuproxide as cp
assert cp.cuda.get_current_stream() == cp.cuda.Stream.ptds
results = []
def work(n):
    a = cp.arange(n)
    results.append(int((a * 2).sum()) == n * (n - 1))
threads = [threading.Thread(target=work, args=(n,)) for n in range(1000, 1016)]
[t.start() for t in threads]; [t.join() for t in threads]
assert all(results) and len(results) == 16
with cp.cuda.Stream.null:
    assert cp.cuda.get_current_stream().ptr == 0
print("done")
"""
    for name in ("CUPROXIDE_CUDA_PER_THREAD_DEFAULT_STREAM", "CUPY_CUDA_PER_THREAD_DEFAULT_STREAM"):
        result = run_python(program, **{name: 1})
        assert result.stdout.strip() == "done", result.stderr


def test_external_streams():
    stream = cp.cuda.Stream()
    wrapped = cp.cuda.ExternalStream(stream.ptr)
    assert wrapped == stream and isinstance(wrapped, cp.cuda.Stream) and hash(wrapped) == hash(stream)
    assert cp.cuda.ExternalStream(stream.ptr, device_id=cp.Device().id).device_id == cp.Device().id
    with wrapped:
        assert float(cp.ones(10).sum()) == 10

    class Foreign:
        def __cuda_stream__(self):
            return 0, stream.ptr

    assert cp.cuda.Stream.from_external(Foreign()) == stream
    assert stream.__cuda_stream__() == (0, stream.ptr)
    assert cp.cuda.Stream.from_external(stream) == stream
    with pytest.raises(TypeError):
        cp.cuda.Stream.from_external(object())


def test_host_functions():
    stream = cp.cuda.Stream(non_blocking=True)
    calls = []
    with stream:
        cp.ones(100_000) * 2
        stream.launch_host_func(lambda argument: calls.append(("func", argument)), 5)
        stream.add_callback(lambda *arguments: calls.append(arguments), "data")
    stream.synchronize()
    assert calls[0] == ("func", 5)
    assert calls[1][0] == stream and calls[1][1:] == (0, "data")


def test_host_functions_that_raise(capsys):
    stream = cp.cuda.Stream()
    seen = []
    hook, threading_hook = __import__("sys").unraisablehook, None
    __import__("sys").unraisablehook = lambda raised: seen.append(raised.exc_type)
    try:
        stream.launch_host_func(lambda _: 1 / 0, None)
        stream.synchronize()
    finally:
        __import__("sys").unraisablehook = hook
    assert seen == [ZeroDivisionError] and threading_hook is None


def test_events():
    start, end = cp.cuda.Event(), cp.cuda.Event(block=True)
    stream = cp.cuda.Stream()
    start.record(stream)
    with stream:
        a = cp.ones(100_000) * 3
    end.record(stream)
    cp.cuda.get_current_stream().wait_event(end)
    assert float(a.sum()) == 300_000
    end.synchronize()
    assert end.done and cp.cuda.get_elapsed_time(start, end) >= 0
    assert isinstance(stream.record(), cp.cuda.Event)
    untimed = cp.cuda.Event(disable_timing=True)
    untimed.record(stream)
    untimed.synchronize()
    with pytest.raises(RuntimeError):
        cp.cuda.get_elapsed_time(untimed, end)
    with pytest.raises(ValueError):
        cp.cuda.get_elapsed_time(cp.cuda.Event(), cp.cuda.Event())


def test_devices_and_limits():
    device = runtime.getDevice()
    assert device == cp.Device().id and runtime.getDeviceCount() >= 1
    runtime.setDevice(device)
    runtime.deviceSynchronize()
    properties = runtime.getDeviceProperties(device)
    assert properties["name"].decode() == cp.Device().name and properties["totalGlobalMem"] > 0
    assert properties["multiProcessorCount"] == runtime.deviceGetAttribute(
        runtime.cudaDevAttrMultiProcessorCount, device
    )
    assert properties["warpSize"] == runtime.deviceGetAttribute(runtime.cudaDevAttrWarpSize, device)
    for number, name in ((1, "maxThreadsPerBlock"), (8, "sharedMemPerBlock"), (97, "sharedMemPerBlockOptin")):
        assert properties[name] == runtime.deviceGetAttribute(number, device) >= 256
    assert properties["maxThreadsDim"][1] == runtime.deviceGetAttribute(3, device)
    assert properties["maxGridSize"][0] == runtime.deviceGetAttribute(5, device)
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    assert runtime.deviceCanAccessPeer(device, device) in (False, True)
    limit = supported(runtime.deviceGetLimit, runtime.cudaLimitStackSize)
    if limit is not None:
        runtime.deviceSetLimit(runtime.cudaLimitStackSize, limit)
        assert properties["maxThreadsDim"][0] == 1024
    address = supported(runtime.deviceGetPCIBusId, device)
    if address is not None:
        assert runtime.deviceGetByPCIBusId(address) == device
        assert cp.cuda.device.from_pci_bus_id(address) == cp.Device()
    with pytest.raises(runtime.CUDARuntimeError, match="address"):
        runtime.deviceGetByPCIBusId("ffff:ff:1f.0")
    assert cp.cuda.device.get_device_id() == device
    assert isinstance(cp.cuda.device.get_compute_capability(), str)


def test_versions():
    version = supported(runtime.driverGetVersion)
    assert version is None or version >= 12000 or version == 0 and cp.Device().backend == "cpu"
    compiler = supported(runtime.runtimeGetVersion)
    if compiler is not None and cp.Device().backend != "cpu":
        assert compiler == cp.cuda.get_local_runtime_version()
        major, minor = cp.cuda.nvrtc.getVersion()
        # AMD numbers 7.2.3 as 70200003.
        expected = 100 * major + minor if runtime.is_hip else 1000 * major + 10 * minor
        assert (compiler // 100_000 if runtime.is_hip else compiler) == expected
        assert cp.cuda.driver.get_build_version() == version
    assert cp.cuda.is_available() or not ON_CUDA


@pytest.mark.parametrize("allocate", ["malloc", "mallocManaged", "mallocAsync"])
def test_memory(allocate):
    arguments = (64, 0) if allocate == "mallocAsync" else (64,)
    ptr = getattr(runtime, allocate)(*arguments)
    source, target = np.arange(64, dtype=np.uint8), np.zeros(64, np.uint8)
    runtime.memcpy(ptr, source.ctypes.data, 64, runtime.memcpyHostToDevice)
    runtime.memset(ptr + 60, 0x1FF, 4)
    runtime.memcpy(target.ctypes.data, ptr, 64, runtime.memcpyDeviceToHost)
    np.testing.assert_array_equal(target, [*range(60), 255, 255, 255, 255])
    runtime.free(ptr)
    runtime.free(0)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.free(ptr)
    with pytest.raises(runtime.CUDARuntimeError, match="kind"):
        runtime.memcpy(ptr, ptr, 0, 9)


def test_asynchronous_memory():
    stream = runtime.streamCreate()
    ptr = runtime.mallocAsync(256, stream)
    pinned = runtime.hostAlloc(256)
    view = np.frombuffer((ctypes.c_ubyte * 256).from_address(pinned), np.uint8)
    view[...] = 9
    runtime.memcpyAsync(ptr, pinned, 256, runtime.memcpyDefault, stream)
    runtime.memsetAsync(ptr, 1, 128, stream)
    runtime.memcpyAsync(pinned, ptr, 256, runtime.memcpyDeviceToHost, stream)
    runtime.streamSynchronize(stream)
    assert view.tolist() == [1] * 128 + [9] * 128
    runtime.freeAsync(ptr, stream)
    runtime.freeHost(pinned)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.freeAsync(ptr, stream)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.freeHost(pinned)
    runtime.streamDestroy(stream)
    for use in (runtime.streamSynchronize, runtime.streamDestroy, runtime.streamQuery):
        with pytest.raises(runtime.CUDARuntimeError, match=r"destroyed|this process made"):
            use(stream)


def test_a_handle_that_is_given_out_again():
    for _ in range(8):
        runtime.eventDestroy(runtime.eventCreate())
        runtime.streamDestroy(runtime.streamCreate())
    events, streams = [cp.cuda.Event() for _ in range(20)], [cp.cuda.Stream() for _ in range(20)]
    assert [runtime.eventQuery(event.ptr) for event in events] == [0] * 20
    assert [runtime.streamQuery(stream.ptr) for stream in streams] == [0] * 20


def test_two_dimensional_copies():
    source = np.arange(12 * 8, dtype=np.uint8).reshape(8, 12)
    ptr = runtime.malloc(8 * 16)
    runtime.memset(ptr, 0, 128)
    runtime.memcpy2D(ptr, 16, source.ctypes.data, 12, 10, 8, runtime.memcpyHostToDevice)
    target = np.zeros((8, 10), np.uint8)
    runtime.memcpy2DAsync(target.ctypes.data, 10, ptr, 16, 10, 8, runtime.memcpyDeviceToHost, 0)
    runtime.deviceSynchronize()
    np.testing.assert_array_equal(target, source[:, :10])
    with pytest.raises(ValueError, match="overlap"):
        runtime.memcpy2D(ptr, 4, ptr, 16, 10, 2, runtime.memcpyDefault)
    runtime.free(ptr)


def test_copies_between_devices():
    a, b = cp.arange(10), cp.zeros(10, int)
    device = runtime.getDevice()
    runtime.memcpyPeer(b.data.ptr, device, a.data.ptr, device, a.nbytes)
    np.testing.assert_array_equal(b.get(), np.arange(10))
    runtime.memcpyPeerAsync(b.data.ptr + 8, device, a.data.ptr, device, 8, 0)
    assert b.get()[1] == 0


def test_host_registration_and_pointers():
    host = np.zeros(4096, np.uint8)
    runtime.hostRegister(host.ctypes.data, host.nbytes)
    assert runtime.pointerGetAttributes(host.ctypes.data).type == runtime.memoryTypeHost
    runtime.hostUnregister(host.ctypes.data)
    assert runtime.pointerGetAttributes(host.ctypes.data).type == runtime.memoryTypeUnregistered
    a = cp.ones(10)
    attributes = runtime.pointerGetAttributes(a.data.ptr)
    assert attributes.device == cp.Device().id and attributes.devicePointer == a.data.ptr
    assert attributes.type == (runtime.memoryTypeDevice if ON_GPU else runtime.memoryTypeUnregistered)


def test_streams_and_events_by_handle():
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    other = runtime.streamCreateWithPriority(runtime.streamDefault, 0)
    start, end = runtime.eventCreate(), runtime.eventCreateWithFlags(runtime.eventBlockingSync)
    calls = []
    runtime.eventRecord(start, stream)
    runtime.launchHostFunc(stream, calls.append, 1)
    runtime.streamAddCallback(stream, lambda *arguments: calls.append(arguments), 2)
    runtime.eventRecord(end, stream)
    runtime.streamWaitEvent(other, end)
    runtime.eventSynchronize(end)
    runtime.streamSynchronize(other)
    assert runtime.eventQuery(end) == 0 == runtime.streamQuery(stream)
    assert runtime.eventElapsedTime(start, end) >= 0
    assert calls == [1, (stream, 0, 2)]
    # The handle of any event will do while the event lives.
    mine = cp.cuda.Event(disable_timing=True)
    runtime.eventRecord(mine.ptr, stream)
    runtime.streamWaitEvent(other, mine.ptr)
    runtime.eventSynchronize(mine.ptr)
    assert runtime.eventQuery(mine.ptr) == 0 and mine.done
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.eventDestroy(mine.ptr)
    for event in (start, end):
        runtime.eventDestroy(event)
        with pytest.raises(runtime.CUDARuntimeError):
            runtime.eventQuery(event)
    runtime.streamDestroy(stream)
    runtime.streamDestroy(other)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.streamCreateWithFlags(99)


def test_work_is_there_after_a_wait_for_the_handle():
    """Deferred or not, also where the program waits by the handle or destroys it."""
    handle, other = (runtime.streamCreateWithFlags(runtime.streamNonBlocking) for _ in range(2))
    stream, before = cp.cuda.ExternalStream(handle), cp.cuda.get_current_stream()

    def busy(queue):
        queue.launch_host_func(lambda _: time.sleep(0.05), None)

    busy(stream)
    with stream:
        x = cp.arange(3) + 1000
    runtime.streamSynchronize(handle)
    assert x.tolist() == [1000, 1001, 1002]
    busy(stream)
    stream.use()
    x = cp.arange(3) + 2000
    before.use()
    runtime.streamSynchronize(handle)
    assert x.tolist() == [2000, 2001, 2002]
    with stream:
        x = cp.arange(3) + 1
    runtime.streamSynchronize(handle)
    runtime.streamDestroy(handle)
    assert x.tolist() == [1, 2, 3]
    # What another stream asks for is queued late, and that stream waits for it.
    busy(before)
    x = cp.arange(3) + 3000
    assert x.get(stream=cp.cuda.ExternalStream(other)).tolist() == [3000, 3001, 3002]
    runtime.streamDestroy(other)


def test_objects_of_one_stream_stand_for_each_other():
    """What is deferred on it is queued by a wait through any of them."""
    stream = cp.cuda.Stream(non_blocking=True)
    other = cp.cuda.ExternalStream(stream.ptr)
    x = cp.arange(4)
    cp.Device().synchronize()
    with stream:
        stream.launch_host_func(lambda _: time.sleep(0.05), None)
        y = x * 5
        other.synchronize()
        assert stream.done
    assert cp.sort(y).tolist() == [0, 5, 10, 15]
    handle = runtime.streamCreate()
    with cp.cuda.ExternalStream(handle):
        y = x * 7
        runtime.streamDestroy(handle)
    assert y.tolist() == [0, 7, 14, 21]


@pytest.mark.parametrize("turn", ["compiling", "compiled"])
def test_a_thread_queues_what_another_has_deferred_on_its_own_stream(turn):
    ready, done, found = threading.Event(), threading.Event(), []

    def work():
        with cp.cuda.Stream.ptds:
            x = cp.arange(4) + 0
            cp.cuda.Stream.ptds.synchronize()
            cp.cuda.Stream.ptds.launch_host_func(lambda _: time.sleep(0.05), None)
            y = x * 2
            ready.set()
            done.wait()
            found.extend(y.tolist())

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    cp.get_default_memory_pool().used_bytes()
    done.set()
    thread.join()
    assert found == [0, 2, 4, 6]


def test_graphs_by_handle(tmp_path):
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    a = cp.zeros(10)
    cp.Device().synchronize()
    with cp.cuda.ExternalStream(stream):
        runtime.streamBeginCapture(stream)
        assert runtime.streamIsCapturing(stream)
        a += 2
        graph = runtime.streamEndCapture(stream)
    executable = runtime.graphInstantiate(graph)
    runtime.graphUpload(executable, stream)
    runtime.graphLaunch(executable, stream)
    runtime.graphLaunch(executable, stream)
    runtime.streamSynchronize(stream)
    assert (a.get() == 4).all()
    runtime.graphDebugDotPrint(graph, tmp_path / "graph.dot")
    assert "digraph" in (tmp_path / "graph.dot").read_text()
    runtime.graphExecDestroy(executable)
    runtime.graphDestroy(graph)
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.graphLaunch(executable, stream)
    runtime.streamDestroy(stream)


def test_pools_of_the_driver():
    device = runtime.getDevice()
    first = supported(runtime.deviceGetDefaultMemPool, device)
    if first is None:
        with pytest.raises(cp.UnsupportedError):
            runtime.memPoolCreate(runtime.MemPoolProps())
        return
    pool = runtime.memPoolCreate(runtime.MemPoolProps(devId=device))
    runtime.deviceSetMemPool(device, pool)
    assert runtime.deviceGetMemPool(device) == pool != first
    ptr = runtime.mallocFromPoolAsync(1 << 20, pool, 0)
    runtime.freeAsync(ptr, 0)
    runtime.deviceSynchronize()
    runtime.memPoolTrimTo(pool, 0)
    runtime.deviceSetMemPool(device, first)
    runtime.memPoolDestroy(pool)


def test_sharing_between_processes():
    a = cp.arange(10)
    handle = supported(runtime.ipcGetMemHandle, a.data.ptr)
    assert handle is None or len(handle) == 64
    if cp.Device().backend in ("cuda", "hip"):
        event = runtime.eventCreateWithFlags(runtime.eventDisableTiming | runtime.eventInterprocess)
        assert len(runtime.ipcGetEventHandle(event)) == 64
    else:
        with pytest.raises(cp.UnsupportedError):
            cp.cuda.Event(disable_timing=True, interprocess=True)
    with pytest.raises(ValueError):
        cp.cuda.Event(interprocess=True)


def test_everything_is_documented():
    for module in (runtime, cp.cuda, cp.cuda.memory, cp.cuda.nvtx, cp.profiler):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isroutine(thing) or inspect.isclass(thing):
                assert inspect.getdoc(thing), name


def test_marks_and_ranges():
    from cuproxide.cuda import nvtx

    nvtx.Mark("here")
    nvtx.MarkC("there", 0xFFFF0000)
    assert nvtx.RangePop() == -1
    assert nvtx.RangePush("outer") == 0
    assert nvtx.RangePushC("inner", 0xFF00FF00) == 1
    assert nvtx.RangePop() == 1
    assert nvtx.RangePop() == 0


def test_benchmark():
    calls = []
    result = cp.profiler.benchmark(
        lambda a, *, b: calls.append(a + b), (cp.ones(10),), {"b": 2}, n_repeat=7, n_warmup=3, name="sum"
    )
    assert len(calls) == 10 and result.name == "sum"
    assert result.cpu_times.shape == (7,) and result.gpu_times.shape == (1, 7)
    assert (result.cpu_times > 0).all() and (result.gpu_times >= 0).all()
    assert "CPU" in result.to_str() and "GPU-0" not in result.to_str() and "GPU-0" in str(result)
    short = cp.profiler.benchmark(lambda: None, n_repeat=10**9, max_duration=0.01)
    assert 1 <= len(short.cpu_times) < 10**9
    for wrong in ({"n_repeat": 0}, {"n_warmup": -1}, {"devices": []}):
        with pytest.raises(ValueError):
            cp.profiler.benchmark(lambda: None, **wrong)


def test_time_ranges():
    @cp.profiler.time_range()
    def work(x):
        return x + 1

    with cp.profiler.time_range("outer", color_id=0, sync=True):
        assert work(1) == 2 and work.__name__ == "work"
    with cp.profiler.profile():
        cp.ones(3)
    with pytest.raises(ValueError):
        cp.profiler.time_range("x", color_id=0, argb_color=1)
    with pytest.raises(ValueError), cp.profiler.time_range():
        pass


@pytest.mark.parametrize("prefix", ["CUPROXIDE_", "CUPY_"])
@pytest.mark.parametrize(
    "name, value, program",
    [
        ("GPU_MEMORY_LIMIT", "1048576", "cp.get_default_memory_pool().get_limit() == 1048576"),
        (
            "GPU_MEMORY_LIMIT",
            "50%",
            "abs(cp.get_default_memory_pool().get_limit() / cp.Device().total_memory - 0.5) < 1e-6",
        ),
        ("SEED", "7", "(cp.random.rand(5).get() == cp.random.RandomState(7).rand(5).get()).all()"),
        ("TF32", "1", "abs(float((cp.ones((4, 4), 'f4') @ cp.ones((4, 4), 'f4')).sum()) - 64) < 1e-3"),
        ("DLPACK_EXPORT_VERSION", "0.6", "'versioned' not in repr(cp.ones(3).__dlpack__(max_version=(1, 0)))"),
        ("DLPACK_EXPORT_VERSION", "1.0", "'versioned' in repr(cp.ones(3).__dlpack__(max_version=(1, 0)))"),
        (
            "CUDA_ARRAY_INTERFACE_EXPORT_VERSION",
            "2",
            "cp.Device().backend == 'cpu' or cp.ones(3).__cuda_array_interface__['version'] == 2",
        ),
        (
            "CUDA_ARRAY_INTERFACE_SYNC",
            "0",
            "cp.Device().backend == 'cpu' or cp.ones(3).__cuda_array_interface__['stream'] is None",
        ),
    ],
)
def test_environment_variables(run_python, prefix, name, value, program):
    result = run_python(f"import cuproxide as cp; print({program})", **{prefix + name: value})
    assert result.stdout.strip() == "True", result.stderr


@pytest.mark.parametrize(
    "name, value",
    [("GPU_MEMORY_LIMIT", "much"), ("GPU_MEMORY_LIMIT", "150%"), ("TF32", "perhaps"), ("SEED", "x")],
)
def test_environment_variables_without_a_meaning(run_python, name, value):
    result = run_python("import cuproxide as cp; cp.random.rand(3)", **{"CUPROXIDE_" + name: value})
    assert result.returncode != 0 and f"CUPROXIDE_{name}" in result.stderr


def test_names_of_errors():
    """Programs look for the names of the run-time interface; the driver's stand beside them."""
    runtime = cp.cuda.runtime
    text = "cuEventQuery failed with code 900 (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED): operation not permitted"
    error = runtime.CUDARuntimeError(text)
    assert str(error) == text.replace("UNSUPPORTED)", "UNSUPPORTED, cudaErrorStreamCaptureUnsupported)")
    assert error.status is None
    for driver, name in {
        "INVALID_VALUE": "InvalidValue",
        "OUT_OF_MEMORY": "MemoryAllocation",
        "INVALID_HANDLE": "InvalidResourceHandle",
        "ILLEGAL_ADDRESS": "IllegalAddress",
        "LAUNCH_FAILED": "LaunchFailure",
        "NO_BINARY_FOR_GPU": "NoKernelImageForDevice",
        "PEER_ACCESS_ALREADY_ENABLED": "PeerAccessAlreadyEnabled",
    }.items():
        assert f"CUDA_ERROR_{driver}, cudaError{name})" in str(cp.DeviceError(f"call failed (CUDA_ERROR_{driver})"))
    for text in ("cublasDgemm failed with code 7 (CUBLAS_STATUS_INVALID_VALUE): x", "hipMalloc (hipErrorInvalidValue)"):
        assert str(cp.DeviceError(text)) == text
    # What this package refuses by itself has a code, too.
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        cp.cuda.Device(1000).use()
    assert raised.value.status == 101 and str(raised.value).endswith("(cudaErrorInvalidDevice)")
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), copied.status) == (str(error), None)


def test_errors_of_a_code():
    """Programs for CuPy make them of a number."""
    runtime = cp.cuda.runtime
    for code, text in {
        2: "cudaErrorMemoryAllocation: memory allocation",
        101: "cudaErrorInvalidDevice: invalid device",
        900: "cudaErrorStreamCaptureUnsupported: stream capture unsupported",
        12345: "12345: unrecognized error code",
    }.items():
        made = runtime.CUDARuntimeError(code)
        for error in (made, pickle.loads(pickle.dumps(made))):
            assert (error.status, str(error)) == (code, text)
    assert cp.UnsupportedError("no textures").status == 801
    assert str(runtime.CUDARuntimeError("a", 5)) == "('a', 5)"


def test_errors_of_captures():
    stream = cp.cuda.Stream()
    x = cp.ones(3)
    with stream:
        stream.begin_capture()
        try:
            with pytest.raises(cp.DeviceError) as raised:
                x.get()
        finally:
            with contextlib.suppress(cp.DeviceError):
                stream.end_capture()
    assert raised.value.status == 900
    assert "cudaErrorStreamCaptureUnsupported" in str(raised.value)


def test_texts_of_errors_need_no_import(run_python):
    """They are whole before `cuda.runtime` is imported."""
    code = "import sys, cuproxide as cp; e = cp.DeviceError('x (CUDA_ERROR_LAUNCH_FAILED)'); print(e, e.status); "
    code += "print('cuproxide.cuda.runtime' in sys.modules)"
    result = run_python(code)
    assert result.stdout.split("\n")[:2] == ["x (CUDA_ERROR_LAUNCH_FAILED, cudaErrorLaunchFailure) None", "False"]


def test_numbers_of_errors():
    """Programs compare them with what an error tells; a second access among peers is no fault, for one."""
    runtime = cp.cuda.runtime
    assert (runtime.errorInvalidValue, runtime.errorMemoryAllocation, runtime.errorInvalidResourceHandle) == (1, 2, 400)
    assert (runtime.errorPeerAccessAlreadyEnabled, runtime.errorContextIsDestroyed) == (704, 709)
    with pytest.raises(runtime.CUDARuntimeError) as raised:
        runtime.freeArray(12345)
    assert raised.value.status == runtime.errorInvalidValue
    major = runtime.deviceAttributeComputeCapabilityMajor
    assert major == runtime.cudaDevAttrComputeCapabilityMajor
