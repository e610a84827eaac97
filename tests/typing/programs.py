"""What a type checker must make of programs that use the package; checked by mypy, never run."""

from __future__ import annotations

from types import ModuleType
from typing import Any, assert_type

import cuproxide as cp
import numpy as np
from cuproxide import testing
from cuproxide.scipy import signal, special, stats

x = cp.asarray([[1.0, 2.0], [3.0, 4.0]])
assert_type(x, cp.ndarray)
assert_type(x.shape, tuple[int, ...])
assert_type(x.dtype, np.dtype[Any])
assert_type(x.device, cp.Device)
assert_type(x.get(), np.ndarray[tuple[Any, ...], np.dtype[Any]])

# Operators, indexing and methods.
assert_type(x + 1, cp.ndarray)
assert_type(2.0 * x - x / 3, cp.ndarray)
assert_type(x @ x.T, cp.ndarray)
assert_type(x[0], cp.ndarray)
assert_type(x[x > 1], cp.ndarray)
assert_type(x < 2, cp.ndarray)
assert_type(-(abs(x) ** 2), cp.ndarray)
assert_type(x.sum(axis=0, keepdims=True), cp.ndarray)
assert_type(x.reshape(4).astype(np.float32, copy=False), cp.ndarray)
assert_type(x.mean(dtype="float32").item(), bool | int | float | complex)
assert_type(float(x[0, 0]), float)
x[0] = 5
x += 1

# Functions, among them those that return several kinds of things.
assert_type(cp.zeros((2, 3), dtype=cp.float32, device="cpu"), cp.ndarray)
assert_type(cp.arange(10, dtype=None), cp.ndarray)
assert_type(cp.concatenate([x, x], axis=None), cp.ndarray)
assert_type(cp.linspace(0, 1, 5), cp.ndarray)
assert_type(cp.linspace(0, 1, 5, retstep=True), tuple[cp.ndarray, Any])
assert_type(cp.atleast_1d(x), cp.ndarray)
assert_type(cp.atleast_2d(x, x), tuple[cp.ndarray, ...])
assert_type(cp.indices((2, 3)), cp.ndarray)
assert_type(cp.indices((2, 3), sparse=True), tuple[cp.ndarray, ...])
assert_type(cp.intersect1d(x, x), cp.ndarray)
assert_type(cp.unique_counts(x).counts, cp.ndarray)
assert_type(cp.linalg.svd(x).S, cp.ndarray)
assert_type(cp.linalg.svd(x, compute_uv=False), cp.ndarray)
assert_type(cp.linalg.eigh(x).eigenvectors, cp.ndarray)
assert_type(cp.fft.fft(x, norm="ortho"), cp.ndarray)
assert_type(cp.sort(x, descending=True), cp.ndarray)
assert_type(cp.asnumpy(x), np.ndarray[tuple[Any, ...], np.dtype[Any]])
assert_type(cp.finfo(x).eps, float)
assert_type(cp.result_type(x, 1), np.dtype[Any])
assert_type(cp.__array_namespace_info__().devices(), tuple[cp.Device, ...])

# Ufuncs, whose results depend on their number.
assert_type(cp.sin, cp.ufunc)
assert_type(cp.add(x, 1, out=x), Any)
assert_type(cp.add.reduce(x, axis=None), cp.ndarray)
assert_type(cp.multiply.outer(x, x), cp.ndarray)

# Random numbers, devices, memory.
assert_type(cp.random.rand(3), cp.ndarray)
assert_type(cp.random.default_rng(0).normal(size=3), cp.ndarray)
cp.random.seed(1)
with cp.Device("cpu") as device, cp.cuda.Stream() as stream:
    assert_type(device, cp.Device)
    stream.synchronize()
assert_type(cp.get_default_memory_pool().used_bytes(), int)
assert_type(cp.get_array_module(x), ModuleType)

# What SciPy's packages make of tables.
assert_type(cp.scipy.stats.norm, Any)
assert_type(stats.norm, Any)
assert_type(signal.butter, Any)
assert_type(special.roots_legendre, Any)


@testing.for_all_dtypes()
@testing.numpy_cuproxide_allclose(rtol=1e-6)
def check(xp: Any, dtype: Any) -> Any:
    return testing.shaped_arange((2, 3), xp, dtype)


# Mistakes that must be found: an unused comment here is an error too.
cp.zeros(1.5)  # type: ignore[arg-type]
x.nothing()  # type: ignore[attr-defined]
x.reshape(order=3)  # type: ignore[arg-type]
cp.concatenate(x, axis="0")  # type: ignore[arg-type]
cp.Device(1.5)  # type: ignore[arg-type]
