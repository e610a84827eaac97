"""Many threads do what one thread did, over arrays, functions and kernels that they share, and find the same bits."""

import contextlib
import pickle
import random
import threading
from collections import Counter

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import jit
from cuproxide._kernels._fusion import statuses
from cuproxide.cuda import runtime
from cuproxide.scipy import integrate, interpolate, ndimage, optimize, signal, sparse, spatial, special, stats
from cuproxide.scipy.sparse import csgraph
from cuproxide.scipy.sparse import linalg as sparse_linalg

THREADS = 8

rng = np.random.default_rng(0)
X = cp.asarray(rng.random((90, 64)))
NUMBERS = cp.asarray(rng.integers(0, 500, 3000))
SQUARE = cp.asarray(rng.random((30, 30)) + 30 * np.eye(30))
LINE = cp.linspace(0, 1, 4097)
MATRIX = sparse.random(150, 150, 0.05, format="csr", random_state=1) + 10 * sparse.eye(150, format="csr")
# Its rows are out of order, as products may be.
LOOSE = sparse.csr_array((cp.arange(6.0), cp.asarray([2, 0, 1, 2, 1, 1]), cp.asarray([0, 2, 4, 6])), shape=(3, 3))


@cp.fuse()
def fused(x, y):
    return cp.sqrt(x * x + y * y) - cp.log1p(x)


@cp.fuse()
def fused_by_number(x, a):
    total = (x * a).sum(axis=0)
    return cp.exp(-x) * total, total


elementwise = cp.ElementwiseKernel("T x, float64 a", "T y", "y = x * x + a", "together")
reduction = cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", "sum_together")
raw = cp.RawKernel(
    r"""extern "C" __global__ void raw(const double* x, double* y, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < n) y[i] = 3 * x[i] - 1;
    }""",
    "raw",
)


@jit.rawkernel()
def written(x, y, n):
    i = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    if i < n:
        y[i] = x[i] * 2 + 1


@cp.vectorize
def larger(a, b):
    return a if a > b else b * 2


def launched(kernel):
    y = cp.empty_like(LINE)
    kernel((33,), (128,), (LINE, y, LINE.size))
    return y


def indexing():
    a = cp.zeros((50, 60))
    a[::2, 3:] = X[:25, :57]
    a[a > 0.5] = -1
    a[[1, 2, 3]] += 1
    a[:, 4] = cp.arange(50)
    cp.add.at(a[0], NUMBERS % 60, 1.0)
    return a


def draws():
    generator, state = cp.random.default_rng(5), cp.random.RandomState(7)
    return [
        *(generator.random(100), generator.standard_normal((5, 7)), generator.integers(0, 9, 50)),
        *(generator.permutation(30), generator.gamma(2.0, size=20), state.rand(10), state.poisson(3, 11)),
    ]


def streams():
    stream, event = cp.cuda.Stream(), cp.cuda.Event()
    with stream:
        a = X * 3
        event.record()
    cp.cuda.get_current_stream().wait_event(event)
    return a + 1


def graphs():
    # No other kind of stream can capture beside threads that use the default stream, and this one does not wait for it.
    stream, a, out = cp.cuda.Stream(non_blocking=True), cp.arange(50.0), cp.zeros(50)
    cp.evaluate(a, out)
    cp.cuda.get_current_stream().synchronize()
    with stream:
        stream.begin_capture()
        out[...] = a * 2 + 1
        graph = stream.end_capture()
        graph.launch(stream)
    stream.synchronize()
    return out


def handles():
    block, stream, event = runtime.malloc(4096), runtime.streamCreate(), runtime.eventCreate()
    runtime.eventRecord(event, stream)
    runtime.streamSynchronize(stream)
    runtime.streamDestroy(stream)
    runtime.eventDestroy(event)
    runtime.free(block)
    return X[0]


def pools():
    with cp.cuda.using_allocator(cp.cuda.MemoryPool().malloc):
        a = X * 5
        return a.copy() + float(a[0, 0])


def new_functions():
    function = cp.fuse(lambda x: x * 2 + 1)
    kernel = cp.ElementwiseKernel("T x", "T y", "y = x + 1", "made_anew")
    return [function(X), function(X), function(X[:3]), kernel(X)]


def shapes():
    a = cp.arange(24.0)
    a.shape = (4, 6)
    b = cp.arange(10_000.0)[100:200]
    b *= 2
    return [a.T @ a, b, *X[:3], pickle.loads(pickle.dumps(X))]


def fits():
    return [
        optimize.minimize(lambda x: ((x - cp.arange(4)) ** 2).sum(), cp.zeros(4), method="BFGS").x,
        integrate.solve_ivp(lambda t, y: -y, (0, 1), cp.ones(3)).y,
        interpolate.CubicSpline(cp.arange(90.0), X)(cp.linspace(0, 80, 57)),
        cp.polyfit(cp.arange(90.0), X[:, 0], 3),
    ]


TASKS = {
    "chains": lambda: [cp.sin(X) * X + cp.exp(-X) / (1 + X), cp.where(X > 0.5, X, -X)],
    "fuse": lambda: [fused(X, X), *(fused(LINE[:n], LINE[:n]) for n in (10, 11, 500))],
    "fuse with numbers": lambda: [fused_by_number(X, a)[1] for a in (1.0, 2.0, 3.0)],
    "new functions": new_functions,
    "reductions": lambda: [X.sum(), X.mean(0), X.var(1), X.argmax(0), X.cumsum(1), cp.percentile(X, 30)],
    "sorting": lambda: [cp.sort(X, 0), cp.argsort(NUMBERS), cp.unique(NUMBERS), cp.bincount(NUMBERS)],
    "transforms": lambda: [cp.fft.rfft(X), cp.fft.fft2(X), cp.fft.ifft(LINE[:1009])],
    "products": lambda: [X @ X.T, cp.einsum("ij,kj->ik", X, X), cp.tensordot(X, X, 2), cp.kron(SQUARE[:3], SQUARE[:4])],
    "decompositions": lambda: [
        *(cp.linalg.solve(SQUARE, SQUARE[0]), cp.linalg.svd(X, compute_uv=False), cp.linalg.qr(X)[1]),
        *(cp.linalg.eigvalsh(SQUARE + SQUARE.T), cp.linalg.inv(SQUARE), cp.linalg.det(SQUARE)),
    ],
    "user kernels": lambda: [elementwise(X, 2.0), elementwise(X.astype("f4"), 1.0), reduction(X), reduction(X, axis=0)],
    "raw kernels": lambda: [launched(raw), launched(written), larger(X, X[0])],
    "indexing": indexing,
    "shapes": shapes,
    "draws": draws,
    "streams": streams,
    "graphs": graphs,
    "handles": handles,
    "pools": pools,
    "fits": fits,
    "sparse": lambda: [
        *(MATRIX @ LINE[:150], (MATRIX @ MATRIX).toarray(), MATRIX.T.tocsr().toarray(), MATRIX[10:20].toarray()),
        *((LOOSE + LOOSE).toarray(), LOOSE.tocsc().toarray(), (LOOSE @ LOOSE).toarray(), LOOSE.max(axis=0).toarray()),
        *(sparse_linalg.spsolve(MATRIX.tocsc(), cp.ones(150)), csgraph.connected_components(MATRIX)[1]),
    ],
    "images": lambda: [
        *(ndimage.gaussian_filter(X, 2), ndimage.median_filter(X, 5), ndimage.label(X > 0.6)[0]),
        *(ndimage.zoom(X, 1.5), ndimage.distance_transform_edt(X > 0.3)),
    ],
    "signals": lambda: [
        *(signal.fftconvolve(X, X[:5, :5]), signal.lfilter([1.0, 0.5], [1.0, -0.3], X)),
        *(signal.sosfiltfilt(signal.butter(4, 0.2, output="sos"), LINE), signal.resample(LINE, 1000)),
    ],
    "functions": lambda: [special.gamma(X * 5), special.jv(1.5, X * 10), special.betainc(2.0, 3.0, X)],
    "statistics": lambda: [stats.norm.cdf(X), stats.t.ppf(X, 5.0), stats.rankdata(NUMBERS), stats.skew(X)],
    "neighbours": lambda: [
        *(spatial.distance.cdist(X[:20], X[20:50]), spatial.KDTree(X[:, :3]).query(X[:10, :3], 3)[1]),
    ],
}


def bits(results):
    """What results are, to be compared: shapes and bytes."""
    if isinstance(results, (list, tuple)):
        return [bits(result) for result in results]
    host = np.asarray(results.get() if isinstance(results, cp.ndarray) else results)
    return host.dtype.str, host.shape, host.tobytes()


def together(work):
    """Runs `work(thread)` in many threads that begin at once; what they raised."""
    start, problems = threading.Barrier(THREADS), []

    def run(thread):
        start.wait()
        try:
            work(thread)
        except BaseException as problem:
            problems.append(f"{thread}: {type(problem).__name__}: {problem}")

    threads = [threading.Thread(target=run, args=(thread,)) for thread in range(THREADS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    return problems


@pytest.mark.parametrize("is_first", [True, False], ids=["first calls", "later calls"])
def test_same_bits_as_alone(is_first):
    """First calls trace, compile and fill caches while others do the same."""
    if is_first:
        cp.clear_memo()
    else:
        [task() for task in TASKS.values()]
    found = []

    def work(thread):
        order = list(TASKS)
        random.Random(thread).shuffle(order)
        for name in order:
            try:
                found.append((name, bits(TASKS[name]())))
            except Exception as problem:
                raise RuntimeError(f"{name}: {type(problem).__name__}: {problem}") from problem

    assert not together(work)
    alone = {name: bits(task()) for name, task in TASKS.items()}
    assert not Counter(name for name, result in found if result != alone[name])
    assert len(found) == THREADS * len(TASKS)


def test_what_waits_is_computed_once_for_all():
    for turn in range(10):
        waiting = cp.sin(X + turn) * 2
        later = waiting + 1
        results = [None] * THREADS

        def look(thread, array=waiting if turn % 2 else later, results=results):
            results[thread] = array.get()

        assert not together(look)
        assert all(bits(result) == bits(results[0]) for result in results)
        np.testing.assert_allclose(results[0], np.sin(X.get() + turn) * 2 + 1 - turn % 2, atol=1e-14)


def test_lines_of_one_array():
    shared = cp.zeros((THREADS, 1000))

    def fill(thread):
        for _ in range(50):
            shared[thread] += thread
            shared[thread, ::2] *= 1

    assert not together(fill)
    np.testing.assert_array_equal(shared.get(), np.repeat(50.0 * np.arange(THREADS)[:, None], 1000, axis=1))


@pytest.mark.parametrize("make", [lambda: cp.random.default_rng(3), lambda: cp.random.RandomState(3)])
def test_draws_from_one_generator(make):
    """Threads share out the numbers that one thread would have drawn."""
    generator, parts = make(), [[] for _ in range(THREADS)]

    def draw(thread):
        for _ in range(20):
            parts[thread].append(generator.normal(size=64).get())

    assert not together(draw)
    one = make()
    expected = sorted(tuple(one.normal(size=64).get()) for _ in range(20 * THREADS))
    assert sorted(tuple(row) for part in parts for row in part) == expected


def status(name):
    """Launches of each kind of calls that was traced, calls that ran plainly, and why the last of them did."""
    (row,) = [row for row in statuses() if row[0] == name]
    return len(row[1]), row[4], row[5]


def test_one_function_is_traced_by_many_at_once():
    """Traces of one kind that are made at once are one kind, and no reason to give up."""
    many = cp.fuse(lambda x: x * 2 + 1, kernel_name="at_once")

    def call(thread):
        for length in range(1, 25):
            assert float(many(cp.ones(length)).sum()) == 3 * length

    assert not together(call)
    [call(0) for _ in range(2)]
    kinds, plain, _ = status("at_once")
    call(0)
    assert (kinds, plain) == (24, status("at_once")[1])


def test_traces_beside_threads_that_flush():
    """A trace of which another thread ran a part is made again, and the function still traced later."""
    beside = cp.fuse(lambda x: (x * 2 + 1).sum() + x, kernel_name="beside")
    is_over, flushing = threading.Event(), threading.Lock()

    def flush():
        while not is_over.wait(0.002):
            with flushing:
                cp.Device().synchronize()

    threads = [threading.Thread(target=flush) for _ in range(2)]
    [thread.start() for thread in threads]
    for length in range(1, 200):
        x = cp.ones(1 + length % 20)
        # Some traces are spoilt, not so many after one another that the function is given up.
        with flushing if length % 3 == 0 else contextlib.nullcontext():
            found = beside(x).get()
        np.testing.assert_array_equal(found, np.full(x.size, 3.0 * x.size + 1))
    is_over.set()
    [thread.join() for thread in threads]
    for length in range(1, 21):
        beside(cp.ones(length))
    assert status("beside")[0] == 20


def test_explanations_while_functions_are_made():
    def work(thread):
        for _ in range(100):
            if thread % 2:
                cp.fuse(lambda x: x + 1)
            else:
                cp.fusion.explain()

    assert not together(work)


def test_an_array_changes_its_shape_beside_readers():
    shared, wrong = cp.arange(24.0), []

    def work(thread):
        for turn in range(200):
            if thread:
                if float(shared.sum()) != 276 or shared.size != 24:
                    wrong.append(turn)
            else:
                shared.shape = (4, 6) if turn % 2 else (24,)

    assert not together(work)
    assert not wrong


@pytest.mark.skipif(cp.Device().backend != "cpu", reason="NumPy takes tensors of the host only")
def test_a_capsule_goes_to_one_thread():
    for _ in range(50):
        capsule, taken, refused = X.__dlpack__(), [], []

        def take(thread, capsule=capsule, taken=taken, refused=refused):
            try:
                taken.append(cp.fromDlpack(capsule))
            except (TypeError, ValueError) as problem:
                refused.append(str(problem))

        assert not together(take)
        assert (len(taken), len(refused)) == (1, THREADS - 1)
        assert all("consumed before" in text for text in refused)
        assert bits(taken) == bits([X])
