"""Bad input gets the exception that NumPy raises, and nothing is broken afterwards."""

import os
import subprocess
import sys

import cuproxide as cp
import numpy as np
import pytest
from helpers import check, same_error

MESSAGES = {
    "axis": lambda xp: xp.zeros((2, 3)).sum(axis=2),
    "axis of sort": lambda xp: xp.sort(xp.zeros(3), axis=-2),
    "broadcast": lambda xp: xp.zeros((2, 3)) + xp.zeros((4, 3)),
    "unsafe cast": lambda xp: xp.add(xp.zeros(2, int), 1, out=xp.zeros(2, int), dtype=float),
    "unsafe cast in place": lambda xp: xp.arange(3).__iadd__(1.5),
    "index": lambda xp: xp.zeros((2, 3))[0, 3],
    "too many indices": lambda xp: xp.zeros((2, 3))[0, 0, 0],
    "index type": lambda xp: xp.zeros(3)[1.5],
    "negative dimension": lambda xp: xp.zeros((2, -1)),
    "reshape": lambda xp: xp.arange(6).reshape(4, 2),
    "matmul": lambda xp: xp.ones((2, 3)) @ xp.ones((2, 3)),
    "empty maximum": lambda xp: xp.zeros(0).max(),
    "concatenate": lambda xp: xp.concatenate([xp.zeros((2, 3)), xp.zeros((2, 4))]),
    "truth": lambda xp: bool(xp.zeros(2)),
    "boolean subtract": lambda xp: xp.ones(2, bool) - xp.ones(2, bool),
    "invert": lambda xp: ~xp.zeros(2),
    "python int": lambda xp: xp.zeros(2, np.int8) + 300,
    "shift of floats": lambda xp: xp.zeros(2) << 1,
    "unknown order": lambda xp: xp.zeros(2, order="Z"),
    "squeeze": lambda xp: xp.zeros((2, 1)).squeeze(0),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_types_of_exceptions(case):
    same_error(lambda: MESSAGES[case](cp), lambda: MESSAGES[case](np))
    check(cp.arange(3) + 1, np.arange(3) + 1)


SAME_WORDS = (
    "axis",
    "broadcast",
    "unsafe cast",
    "unsafe cast in place",
    "index",
    "reshape",
    "python int",
    "matmul",
    "boolean subtract",
    "negative dimension",
)


@pytest.mark.parametrize("case", SAME_WORDS)
def test_words_of_exceptions(case):
    def message(xp):
        with pytest.raises(Exception) as caught:
            MESSAGES[case](xp)
        return str(caught.value).strip()

    assert message(cp) == message(np)


@pytest.mark.parametrize(
    "dtype", [object, str, "U3", "S2", "datetime64[s]", "timedelta64[D]", "f4,O", "no such type", 17]
)
def test_bad_dtypes(dtype):
    for call in (
        lambda: cp.zeros(2, dtype),
        lambda: cp.arange(3).astype(dtype),
        lambda: cp.array([1], dtype=dtype),
        lambda: cp.add(cp.ones(2), 1, dtype=dtype),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("shape", [(2**62, 2**62), (2**63,), (2**40, 2**40), 10**30, (2**31, 2**31, 2**31)], ids=str)
def test_sizes_that_overflow(shape):
    for make in (cp.zeros, cp.empty, cp.ones):
        with pytest.raises((ValueError, MemoryError, OverflowError)):
            make(shape)
    with pytest.raises((ValueError, MemoryError, OverflowError)):
        cp.ones(1).repeat(2**62)


def test_more_memory_than_there_is(used_bytes):
    before = used_bytes()
    with pytest.raises(cp.cuda.memory.OutOfMemoryError) as caught:
        cp.empty(2**55, np.uint8)
    assert isinstance(caught.value, MemoryError)
    assert used_bytes() == before
    check(cp.ones(3), np.ones(3))


def test_limit_of_the_pool():
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    limit = pool.get_limit()
    try:
        pool.set_limit(size=pool.total_bytes() + (1 << 20))
        kept = cp.zeros(1000)
        # More than the limit, so that nothing that is freed meanwhile makes room for it.
        with pytest.raises(MemoryError):
            cp.zeros(pool.get_limit() // 8 + 1)
        check(kept, np.zeros(1000))
        assert cp.zeros(1 << 10).sum().item() == 0
    finally:
        pool.set_limit(size=limit)
    assert cp.zeros(1 << 21).size == 1 << 21


def test_use_after_blocks_were_freed():
    kept = cp.arange(1000.0)
    view = kept[::2]
    del kept
    cp.zeros(100_000)
    cp.get_default_memory_pool().free_all_blocks()
    check(view, np.arange(0, 1000.0, 2))
    check(view + 1, np.arange(0, 1000.0, 2) + 1)


def test_arrays_of_two_devices():
    host, other = cp.zeros(3), cp.ones(3)
    with cp.Device("noop"):
        other = cp.empty(3)
    name = str(cp.Device())
    assert str(other.device) == "noop:0" and str(host.device) == name
    for mix in (
        lambda: host + other,
        lambda: cp.add(host, 1, out=other),
        lambda: host.__iadd__(other),
        lambda: cp.concatenate([host, other]),
        lambda: host @ other,
        lambda: cp.where(host > 0, host, other),
        lambda: host.__setitem__(0, other[0]),
        lambda: host[other.astype(int)],
    ):
        with pytest.raises(ValueError, match="noop:0"):
            mix()
    moved = host.to_device("noop")
    assert moved.device == other.device
    assert (moved + other).shape == (3,)
    assert cp.asarray(host, device=name) is host or cp.asarray(host, device=name).device == host.device


@pytest.mark.parametrize("name", ["nonsense", "cuda:999", "cpu:7", "cpu:x", ":", 99, -1])
def test_devices_that_do_not_exist(name):
    with pytest.raises((ValueError, RuntimeError, ImportError)) as caught:
        cp.Device(name).use()
    assert str(caught.value)


def test_backend_that_does_not_exist(run_python):
    result = run_python(
        "import cuproxide as cp\ntry:\n    cp.zeros(1)\nexcept ValueError as error:\n    print(error)",
        CUPROXIDE_BACKEND="nonsense",
    )
    assert result.returncode == 0, result.stderr
    assert "nonsense" in result.stdout and "cpu" in result.stdout


def test_missing_driver(run_python):
    code = """
import cuproxide as cp
try:
    cp.zeros(1)
    print("works")
except ImportError as error:
    print(error)
"""
    result = run_python(code, CUPROXIDE_BACKEND="cuda")
    assert result.returncode == 0, result.stderr
    if cp.cuda.is_available():
        assert "works" in result.stdout
    else:
        assert "libcuda" in result.stdout and ("hint" in result.stdout or "install" in result.stdout.lower())


def test_unreadable_cache_folder(run_python, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    result = run_python(
        "import cuproxide as cp; print((cp.arange(5) * 2).sum())", CUPROXIDE_CACHE_DIR=blocked / "cache"
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "20"


@pytest.mark.skipif(cp.Device().backend not in ("cuda", "hip"), reason="only compiled GPU kernels are kept on disk")
def test_corrupted_cache_files(tmp_path):
    environment = {**os.environ, "CUPROXIDE_CACHE_DIR": str(tmp_path), "CUPROXIDE_KERNEL_PACK": "/nonexistent"}
    command = [sys.executable, "-c", "import cuproxide as cp; print((cp.arange(5) * 2 + cp.sin(cp.zeros(5))).sum())"]
    run = lambda: subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout  # noqa: E731
    first = run()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    for damage in (
        lambda data: data[: len(data) // 2],
        lambda data: b"",
        lambda data: bytes(reversed(data)),
        lambda data: data[:-1] + b"!",
    ):
        for path in files:
            path.write_bytes(damage(path.read_bytes()))
        assert run() == first


def test_errors_leave_no_memory_behind(used_bytes):
    a = cp.ones((50, 50))
    cp.Device().synchronize()
    before = used_bytes()
    for case in MESSAGES.values():
        with pytest.raises(Exception):  # noqa: B017
            case(cp)
    for _ in range(20):
        with pytest.raises(ValueError):
            a + cp.ones(7)
    assert used_bytes() == before


def test_settings_of_memory_pool_are_checked():
    pool = cp.get_default_memory_pool()
    for arguments in ({"size": -1}, {"fraction": 2.0}, {"fraction": -0.1}, {"size": 1, "fraction": 0.5}):
        with pytest.raises(ValueError):
            pool.set_limit(**arguments)


def test_room_is_asked_for_where_it_is_missing():
    """Not by a later line, though the operation could have waited."""
    wide = cp.broadcast_to(cp.ones(1), 2**44)
    with pytest.raises(cp.OutOfMemoryError):
        wide + 1
    assert (cp.ones(3) + 1).tolist() == [2, 2, 2]
    cp.Device().synchronize()


def test_the_error_under_way_is_the_one_to_see():
    stream = cp.cuda.Stream()
    with pytest.raises(KeyError), stream:
        cp.ones(3) + 1
        raise KeyError("mine")
    assert cp.cuda.get_current_stream() != stream
