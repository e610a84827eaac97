"""Capturing a step of a program and launching it again."""

import gc
import threading

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import fusion

HOST = np.random.default_rng(7)


@pytest.fixture
def stream():
    return cp.cuda.Stream(non_blocking=True)


def capture(stream, step, *, warm=True):
    """The results of `step` and its graph."""
    with stream:
        if warm:
            step()
        stream.begin_capture()
        results = step()
        graph = stream.end_capture()
    # Other streams do not wait for what the warm-up wrote.
    stream.synchronize()
    return results, graph


def launch(graph, stream):
    # What the graph reads may have been written in another stream, for which this one does not wait.
    cp.Device().synchronize()
    graph.launch(stream)
    stream.synchronize()


def whole_step(xp, a, b, state):
    """Elementwise work, reductions, a product, slices, sorting, and updates in place."""
    c = xp.sin(a) * 2 + b[:, ::-1] ** 2
    c -= c.mean(axis=0)
    c /= xp.sqrt((c * c).sum(axis=1, keepdims=True)) + 1
    d = c @ c.T
    d[1:, 1:] += d[:-1, :-1].copy()
    state *= 0.5
    state[1:-1] += 0.25 * (state[2:] - 2 * state[1:-1] + state[:-2])
    e = xp.where(d > 0, d, -d).cumsum(axis=1)
    f = xp.sort(e, axis=0)
    g = xp.concatenate([f, xp.full_like(f, 3.0)], axis=1)
    return d, e, f, g, a.argmax(axis=1), xp.maximum(a.max(), b.min())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_whole_step(stream, dtype):
    shape = (12, 16)
    a, b = (cp.empty(shape, dtype) for _ in range(2))
    state = cp.asarray(HOST.random(40).astype(dtype))
    host_state = state.get()
    for array in (a, b):
        array[...] = cp.asarray(HOST.random(shape))
    cp.Device().synchronize()
    results, graph = capture(stream, lambda: whole_step(cp, a, b, state))
    # The warm-up ran, the capture did not.
    whole_step(np, np.ones(shape, dtype), np.ones(shape, dtype), host_state)
    np.testing.assert_allclose(state.get(), host_state, rtol=1e-5)
    for seed in range(4):
        host_a, host_b = (np.random.default_rng([seed, which]).random(shape).astype(dtype) for which in range(2))
        a.set(host_a)
        b.set(host_b)
        cp.Device().synchronize()
        launch(graph, stream)
        expected = whole_step(np, host_a, host_b, host_state)
        np.testing.assert_allclose(state.get(), host_state, rtol=1e-5)
        for found, wanted in zip(results, expected, strict=True):
            np.testing.assert_allclose(found.get(), wanted, rtol=1e-3 if dtype == "float32" else 1e-9, atol=1e-5)


def test_launches_equal_eager_execution_bit_by_bit(stream):
    a = cp.asarray(HOST.random((33, 65)).astype(np.float32))
    b = cp.asarray(HOST.random((33, 65)).astype(np.float32))
    state = cp.zeros(40, np.float32)
    results, graph = capture(stream, lambda: whole_step(cp, a, b, state))
    a.set(HOST.random((33, 65)).astype(np.float32))
    cp.Device().synchronize()
    launch(graph, stream)
    for found, wanted in zip(results, whole_step(cp, a, b, state.copy()), strict=True):
        np.testing.assert_array_equal(found.get(), wanted.get())


def test_nothing_runs_before_the_launch(stream):
    a = cp.zeros(1000)
    with stream:
        stream.begin_capture()
        assert stream.is_capturing()
        a += 1
        b = a * 2
        graph = stream.end_capture()
        assert not stream.is_capturing()
    assert a.get().sum() == 0
    for count in (1, 2, 3):
        launch(graph, stream)
        assert (a.get() == count).all() and (b.get() == 2 * count).all()


def test_kernels_are_compiled_during_a_capture(stream):
    """A first use of an operation within a capture compiles, loads and makes library handles there."""
    a = cp.asarray(HOST.random((17, 19)))
    program = lambda: (cp.arctan2(a, 3).T @ cp.cbrt(a), cp.expm1(a).std(axis=1), cp.argsort(a, axis=0))  # noqa: E731
    results, graph = capture(stream, program, warm=False)
    launch(graph, stream)
    host = a.get()
    np.testing.assert_allclose(results[0].get(), np.arctan2(host, 3).T @ np.cbrt(host), rtol=1e-12)
    np.testing.assert_allclose(results[1].get(), np.expm1(host).std(axis=1), rtol=1e-12)
    np.testing.assert_array_equal(results[2].get(), np.argsort(host, axis=0))


def test_transforms(stream):
    a = cp.asarray(HOST.random((8, 30)))
    result, graph = capture(stream, lambda: cp.fft.irfft(cp.fft.rfft(a) * 2, 30))
    a.set(HOST.random((8, 30)))
    cp.Device().synchronize()
    if hasattr(cp.fft, "config"):
        # The graph keeps the plans that it uses.
        cp.fft.config.get_plan_cache().clear()
    launch(graph, stream)
    np.testing.assert_allclose(result.get(), 2 * a.get(), rtol=1e-10)


def test_host_data_is_kept_as_it_was(stream):
    constants = np.arange(5.0)
    with stream:
        stream.begin_capture()
        a = cp.asarray(constants) * 2
        graph = stream.end_capture()
    constants[:] = -1
    del constants
    gc.collect()
    launch(graph, stream)
    np.testing.assert_array_equal(a.get(), 2 * np.arange(5.0))


def test_memory_of_temporaries_belongs_to_the_graph(stream):
    size = 100_000
    a = cp.ones(size)

    def step():
        b = a
        for _ in range(5):
            b = b * 2 + 1
        return b

    result, graph = capture(stream, step)
    with stream:
        others = [cp.full(size, -7.0) for _ in range(20)]
        cp.get_default_memory_pool().free_all_blocks()
        others += [cp.full(size, -7.0) for _ in range(20)]
    for _ in range(3):
        launch(graph, stream)
    assert (result.get() == 63).all()
    assert all((other.get() == -7).all() for other in others)


def test_temporaries_are_used_again_within_a_capture(stream):
    pool = cp.get_default_memory_pool()
    a = cp.ones(1 << 18)
    before = pool.total_bytes()
    with stream:
        stream.begin_capture()
        b = a
        for _ in range(50):
            b = cp.sin(b)
        graph = stream.end_capture()
    assert pool.total_bytes() - before <= 4 * a.nbytes
    launch(graph, stream)
    expected = np.ones(1)
    for _ in range(50):
        expected = np.sin(expected)
    np.testing.assert_allclose(b.get(), np.broadcast_to(expected, b.shape), rtol=1e-12)


def test_operands_that_are_dropped_stay_with_the_graph(stream, used_bytes):
    size = 200_000
    a = cp.full(size, 3.0)
    foreign = np.full(size, 4.0)
    shared = cp.from_dlpack(foreign) if a.device.backend == "cpu" else cp.asarray(foreign)
    cp.Device().synchronize()
    result, graph = capture(stream, lambda a=a, shared=shared: a * 2 + shared)
    pointer, used = a.data.ptr, used_bytes()
    del a, foreign, shared
    gc.collect()
    cp.get_default_memory_pool().free_all_blocks()
    assert used_bytes() == used
    others = [cp.full(size, -1.0) for _ in range(4)]
    assert pointer not in [other.data.ptr for other in others]
    launch(graph, stream)
    assert (result.get() == 10).all()
    del graph
    assert used_bytes() < used + 4 * size * 8


def test_a_dropped_graph_gives_its_memory_back(stream):
    pool = cp.get_default_memory_pool()
    gc.collect()
    pool.free_all_blocks()
    before = pool.total_bytes()
    a = cp.ones(1 << 20)
    result, graph = capture(stream, lambda a=a: ((a + 1) * (a + 2)).sum(), warm=False)
    launch(graph, stream)
    assert result.get() == 6 << 20
    held = pool.total_bytes()
    assert held >= before + a.nbytes
    pool.free_all_blocks()
    assert pool.total_bytes() == held
    del a, result, graph
    gc.collect()
    pool.free_all_blocks()
    assert pool.total_bytes() == before


@pytest.mark.parametrize(
    "look",
    [
        lambda a, stream: a.get(),
        lambda a, stream: float(a.sum()),
        lambda a, stream: bool((a > 0).all()),
        lambda a, stream: a[a > 0],
        lambda a, stream: stream.synchronize(),
        lambda a, stream: print(a),
    ],
    ids=["get", "float", "bool", "mask", "synchronize", "print"],
)
def test_reading_on_the_host_is_an_error(stream, look):
    a = cp.ones(10)
    cp.Device().synchronize()
    with stream:
        stream.begin_capture()
        b = a + 1
        with pytest.raises(RuntimeError, match=r"(?i)captur"):
            look(b, stream)
        with pytest.raises(RuntimeError, match=r"(?i)invalid"):
            stream.end_capture()
        # The stream goes on as if nothing had been.
        assert not stream.is_capturing()
        assert (a * 3).sum().item() == 30
        result, graph = capture(stream, lambda: a * 5)
        launch(graph, stream)
        assert result.get().sum() == 50


def test_misuse(stream):
    with pytest.raises(RuntimeError, match="does not capture"):
        stream.end_capture()
    for default in (cp.cuda.Stream.null, cp.cuda.Stream(null=True)):
        with pytest.raises(RuntimeError, match="default stream"):
            default.begin_capture()
        assert not default.is_capturing()
    stream.begin_capture()
    with pytest.raises(RuntimeError):
        stream.begin_capture()
    with pytest.raises(ValueError, match="capture mode"):
        cp.cuda.Stream().begin_capture(mode=7)
    try:
        stream.end_capture()
    except RuntimeError:
        # A second beginning may invalidate the first.
        pass
    assert not stream.is_capturing()
    with pytest.raises(TypeError):
        cp.cuda.Graph()


@pytest.mark.parametrize("mode", [0, 1, 2])
def test_modes(stream, mode):
    a = cp.ones(100)
    with stream:
        a + 1
        stream.begin_capture(mode)
        b = a + 1
        graph = stream.end_capture()
    launch(graph, stream)
    assert b.get().sum() == 200


def test_an_error_within_a_capture_leaves_it_usable(stream):
    a = cp.ones((3, 4))
    with stream:
        stream.begin_capture()
        with pytest.raises(ValueError, match="broadcast"):
            a + cp.ones(3)
        b = a + 1
        graph = stream.end_capture()
    launch(graph, stream)
    assert b.get().sum() == 24


def test_other_streams_and_threads_work_on(stream):
    a = cp.ones(1000)
    seen = []

    def elsewhere():
        other = cp.cuda.Stream(non_blocking=True)
        with other:
            seen.append(float((cp.ones(500) * 3).sum()))

    with stream:
        a + 1
        stream.begin_capture()
        b = a + 1
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        graph = stream.end_capture()
    assert seen == [1500.0]
    launch(graph, stream)
    assert b.get().sum() == 2000


def test_fork_and_join(stream):
    other = cp.cuda.Stream(non_blocking=True)
    a = cp.ones(1000)
    forked, joined = cp.cuda.Event(), cp.cuda.Event()
    with stream:
        stream.begin_capture()
        b = a + 1
        forked.record()
        with other:
            other.wait_event(forked)
            assert other.is_capturing()
            c = b * 2
            joined.record()
        stream.wait_event(joined)
        d = b + c
        graph = stream.end_capture()
    assert not other.is_capturing()
    launch(graph, stream)
    assert (d.get() == 6).all()
    with other:
        assert float((a * 4).sum()) == 4000


def test_launch_on_other_streams(stream):
    a = cp.zeros(10)
    with stream:
        stream.begin_capture()
        a += 1
        graph = stream.end_capture()
    graph.upload(stream)
    graph.launch()
    cp.cuda.get_current_stream().synchronize()
    other = cp.cuda.Stream(non_blocking=True)
    with other:
        graph.launch()
    other.synchronize()
    assert (a.get() == 2).all()


def test_a_graph_within_a_graph(stream):
    a = cp.zeros(10)
    with stream:
        stream.begin_capture()
        a += 1
        inner = stream.end_capture()
        stream.begin_capture()
        inner.launch()
        b = a * 10
        inner.launch()
        outer = stream.end_capture()
    del inner
    gc.collect()
    launch(outer, stream)
    assert (a.get() == 2).all() and (b.get() == 10).all()
    launch(outer, stream)
    assert (a.get() == 4).all() and (b.get() == 30).all()


def test_host_functions_are_called_at_each_launch(stream):
    calls = []
    stream.begin_capture()
    stream.launch_host_func(calls.append, "here")
    graph = stream.end_capture()
    assert calls == []
    launch(graph, stream)
    launch(graph, stream)
    assert calls == ["here", "here"]


@pytest.mark.parametrize("non_blocking", [True, False])
def test_host_functions_beside_deferred_work_of_other_streams(non_blocking):
    """What is deferred on the default stream is no part of a capture, and must not be launched during one."""
    stream, calls = cp.cuda.Stream(non_blocking=non_blocking), []
    x = cp.ones(4)
    cp.Device().synchronize()
    with fusion.eager(False):
        stream.begin_capture()
        y = x + 1
        stream.launch_host_func(calls.append, "here")
        with stream:
            z = x * 3
        graph = stream.end_capture()
    assert calls == []
    launch(graph, stream)
    launch(graph, stream)
    assert calls == ["here", "here"]
    assert (y.get() == 2).all() and (z.get() == 3).all()


@pytest.mark.parametrize("name", ["svd", "eigh", "qr", "inv", "cholesky"])
def test_decompositions_are_captured_or_refused(stream, name):
    """Never an error of the library, and after a refusal the stream goes on."""
    a = cp.asarray(np.eye(70) * 3 + HOST.random((70, 70)) * 0.01)
    a = a + a.T
    cp.Device().synchronize()
    with stream:
        stream.begin_capture()
        try:
            getattr(cp.linalg, name)(a)
        except cp.MissingLibraryError:
            assert name not in ("svd", "eigh")
        except RuntimeError as error:
            assert "capture" in str(error), error
        try:
            stream.end_capture()
        except RuntimeError as error:
            assert "invalid" in str(error).lower(), error
        stream.begin_capture()
        b = a + 1
        graph = stream.end_capture()
    launch(graph, stream)
    assert (b.get() == a.get() + 1).all()


def test_faults_of_a_launch_are_raised(stream):
    a = cp.arange(10)
    index = cp.asarray([1, 2, 3])
    with stream:
        stream.begin_capture()
        b = a[index]
        graph = stream.end_capture()
    launch(graph, stream)
    assert b.get().tolist() == [1, 2, 3]
    index[...] = 100
    cp.Device().synchronize()
    with pytest.raises(IndexError):
        launch(graph, stream)
    index[...] = 5
    cp.Device().synchronize()
    launch(graph, stream)
    assert b.get().tolist() == [5, 5, 5]


def test_description(stream):
    a = cp.ones(10)
    _, graph = capture(stream, lambda: cp.sort(a + 1))
    text = graph.debug_dot_str()
    assert text.lstrip().startswith("digraph") and "->" in text
    assert isinstance(graph.graph, int) and isinstance(graph.graphExec, int)
    assert graph.device == a.device and "Graph" in repr(graph)


def test_an_abandoned_capture(stream):
    """A stream that goes while it captures takes its capture along."""
    a = cp.ones(10)
    with stream:
        stream.begin_capture()
        b = a + 1
    del stream
    gc.collect()
    assert (a * 2).get().sum() == 20
    del b
    cp.get_default_memory_pool().free_all_blocks()


def test_the_device_can_be_waited_for_after_an_abandoned_capture():
    lost = cp.cuda.Stream(non_blocking=True)
    a = cp.ones(10)
    with lost:
        lost.begin_capture()
        b = a + 1
    del lost, b
    gc.collect()
    cp.Device().synchronize()
    results, graph = capture(cp.cuda.Stream(non_blocking=True), lambda: a * 3)
    graph.launch()
    assert results.get().sum() == 30


def test_noop_records_captures():
    with cp.Device("noop:0"):
        pool = cp.get_default_memory_pool()
        used = pool.used_bytes()
        a = cp.ones((6, 6))
        side = cp.cuda.Stream()
        results, graph = capture(
            side, lambda a=a: (a @ a + a.sum(axis=0), cp.sort(a), cp.asarray(np.ones(3)) + a[0, :3])
        )
        launch(graph, side)
        with pytest.raises(RuntimeError, match="captur"):
            with side:
                side.begin_capture()
                a.get()
        side.end_capture()
        del results, graph, a
        gc.collect()
        assert pool.used_bytes() == used
        pool.free_all_blocks()


def test_a_graph_keeps_the_kernels_that_it_launches(stream):
    x = cp.asarray(np.zeros(64, np.int32))
    code = 'extern "C" __global__ void only_in_a_graph(int* x) { x[threadIdx.x] += threadIdx.x; }'
    kernel = cp.RawModule(code=code).get_function("only_in_a_graph")
    with stream:
        stream.begin_capture()
        kernel((1,), (64,), (x,))
        del kernel
        gc.collect()
        graph = stream.end_capture()
    for _ in range(2):
        launch(graph, stream)
    assert np.array_equal(x.get(), 2 * np.arange(64))


def test_memory_of_graphs_that_are_gone_serves_the_next():
    x, stream = cp.arange(100_000)[::-1].copy(), cp.cuda.Stream(non_blocking=True)
    cp.Device().synchronize()
    pool, held = cp.get_default_memory_pool(), []
    for _ in range(12):
        with stream:
            stream.begin_capture()
            y = x * 2 + 1
            graph = stream.end_capture()
            graph.launch(stream)
        stream.synchronize()
        assert int(y[0]) == 199_999
        del graph, y
        gc.collect()
        held.append(pool.total_bytes())
    assert held[-1] <= held[2]
