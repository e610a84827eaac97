"""`cuproxide.cuda.cusparselt` beside NumPy: on GPUs where the library is installed, and on its stand-in."""

from __future__ import annotations

import contextlib

import cuproxide as cp
import numpy as np
import pytest
from cuproxide.cuda import cusparse
from cuproxide.cuda import cusparselt as lt

AVAILABLE = lt.available
needed = pytest.mark.skipif(not AVAILABLE, reason="the device's library of structured sparsity is not on this machine")
N, T = cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE, cusparse.CUSPARSE_OPERATION_TRANSPOSE
ROW, COL = cusparse.CUSPARSE_ORDER_ROW, cusparse.CUSPARSE_ORDER_COL
TYPES = {"float16": 2, "int8": 3}


def numbers(shape, dtype="float16", seed=0):
    """Small whole numbers, so that sums are exact, and none is zero."""
    random = np.random.default_rng([seed, *shape])
    return (random.integers(1, 6, shape) * random.choice([-1, 1], shape)).astype(dtype)


def strip(a):
    """The larger two of each four in a row."""
    groups = abs(a.astype("float64")).reshape(len(a), -1, 4)
    order = np.argsort(-groups, axis=2, kind="stable")
    kept = np.zeros(groups.shape, bool)
    np.put_along_axis(kept, order[:, :, :2], True, 2)
    return np.where(kept.reshape(a.shape), a, 0).astype(a.dtype)


class Product:
    """`op(A) @ op(B)` with one pruned matrix, and all that it takes."""

    def __init__(self, a, b, operations=(N, N), order=ROW, sparse_left=True, batches=1):
        self.handle, self.plan, self.described = lt.Handle(), lt.MatmulPlan(), lt.MatmulDescriptor()
        self.selection = lt.MatmulAlgSelection()
        lt.init(self.handle)
        number = TYPES[a.dtype.name]
        m = a.shape[-1] if operations[0] == T else a.shape[-2]
        n = b.shape[-2] if operations[1] == T else b.shape[-1]
        self.matrices = [lt.MatDescriptor() for _ in range(3)]
        for matrix, (rows, columns), sparse in zip(
            self.matrices, (a.shape[-2:], b.shape[-2:], (m, n)), (sparse_left, not sparse_left, False), strict=True
        ):
            sizes = rows, columns, columns if order == ROW else rows
            if sparse:
                half = lt.CUSPARSELT_SPARSITY_50_PERCENT
                lt.structuredDescriptorInit(self.handle, matrix, *sizes, 16, number, order, half)
            else:
                lt.denseDescriptorInit(self.handle, matrix, *sizes, 16, number, order)
            if batches > 1:
                for attribute, value in (
                    (lt.CUSPARSELT_MAT_NUM_BATCHES, np.int32(batches)),
                    (lt.CUSPARSELT_MAT_BATCH_STRIDE, np.int64(rows * columns)),
                ):
                    held = np.array(value)
                    lt.matDescSetAttribute(self.handle, matrix, attribute, held.ctypes.data, held.nbytes)
        compute = lt.CUSPARSE_COMPUTE_32I if a.dtype == np.int8 else lt.CUSPARSE_COMPUTE_32F
        result = self.matrices[2]
        lt.matmulDescriptorInit(
            self.handle, self.described, *operations, self.matrices[0], self.matrices[1], result, result, compute
        )
        self.order, self.shape, self.dtype, self.batches = order, (m, n), a.dtype, batches
        self.sparse_left = sparse_left

    def set(self, attribute, value):
        held = np.array(value)
        lt.matmulDescSetAttribute(self.handle, self.described, attribute, held.ctypes.data, held.nbytes)

    def get(self, attribute, dtype):
        held = np.zeros((), dtype)
        lt.matmulDescGetAttribute(self.handle, self.described, attribute, held.ctypes.data, held.nbytes)
        return held.item()

    def prune(self, sparse, algorithm=lt.CUSPARSELT_PRUNE_SPMMA_STRIP):
        """Prunes in place; whether the check says that it is pruned then, and said so before."""
        valid = cp.asarray(np.full(2, 9, np.int32))
        lt.spMMAPruneCheck(self.handle, self.described, sparse.data.ptr, valid.data.ptr)
        lt.spMMAPrune(self.handle, self.described, sparse.data.ptr, sparse.data.ptr, algorithm)
        lt.spMMAPruneCheck(self.handle, self.described, sparse.data.ptr, valid.data.ptr + 4)
        return [flag == 0 for flag in valid.get()]

    def run(self, a, b, c=None, alpha=1.0, beta=0.0, search=False):
        lt.matmulAlgSelectionInit(self.handle, self.selection, self.described, lt.CUSPARSELT_MATMUL_ALG_DEFAULT)
        lt.matmulPlanInit(self.handle, self.plan, self.described, self.selection)
        size, buffer_size = lt.spMMACompressedSize(self.handle, self.plan)
        compressed = cp.asarray(np.zeros(size, np.uint8))
        buffer = cp.asarray(np.zeros(max(buffer_size, 1), np.uint8))
        sparse = a if self.sparse_left else b
        lt.spMMACompress(self.handle, self.plan, sparse.data.ptr, compressed.data.ptr, buffer.data.ptr)
        pointers = (compressed, b) if self.sparse_left else (a, compressed)
        factors = np.array([alpha, beta], np.float32)
        shape = self.shape if self.order == ROW else self.shape[::-1]
        shape = (self.batches, *shape) if self.batches > 1 else shape
        out = cp.asarray(np.zeros(shape, self.dtype)) if c is None else c

        def call(function, workspace):
            function(
                self.handle, self.plan, factors.ctypes.data, pointers[0].data.ptr, pointers[1].data.ptr,
                factors.ctypes.data + 4, out.data.ptr, out.data.ptr, workspace,
            )  # fmt: skip

        if search:
            scratch = cp.asarray(np.zeros(max(lt.matmulGetWorkspace(self.handle, self.plan), 1), np.uint8))
            call(lt.matmulSearch, scratch.data.ptr)
        workspace = cp.asarray(np.zeros(max(lt.matmulGetWorkspace(self.handle, self.plan), 1), np.uint8))
        call(lt.matmul, workspace.data.ptr)
        cp.cuda.get_current_stream().synchronize()
        result = out.get()
        return result if self.order == ROW else result.swapaxes(-1, -2)


def on_device(a, order):
    return cp.asarray(np.ascontiguousarray(a if order == ROW else a.swapaxes(-1, -2)))


# Without the library.


@pytest.mark.skipif(AVAILABLE, reason="the library is there")
def test_without_the_library():
    with pytest.raises((ImportError, cp.UnsupportedError)) as raised:
        lt.init(lt.Handle())
    if isinstance(raised.value, ImportError):
        assert "SPARSELt" in str(raised.value)


def test_structures_that_are_empty_are_refused():
    assert lt.Handle().ptr == 0
    with pytest.raises(ValueError, match="the Handle is not initialised"):
        lt.getVersion(lt.Handle())
    with pytest.raises(ValueError, match="the MatmulPlan is not initialised, or was destroyed"):
        lt.matmulPlanDestroy(lt.MatmulPlan())


# With it.


@needed
def test_versions_and_words():
    handle = lt.Handle()
    lt.init(handle)
    assert handle.ptr % 16 == 0
    assert lt.getVersion(handle) == lt.get_build_version() >= 600
    assert "INVALID_VALUE" in lt.getErrorName(3) and lt.getErrorString(3)
    lt.destroy(handle)
    with pytest.raises(ValueError, match="destroyed"):
        lt.getVersion(handle)


@needed
def test_alignment_of_handles():
    handles = [lt.Handle() for _ in range(3)]
    for handle in handles:
        lt.init(handle)
    assert len({handle.ptr for handle in handles}) == 3


@needed
@pytest.mark.parametrize("order", [ROW, COL])
@pytest.mark.parametrize("operations", [(N, N), (T, N), (N, T)])
def test_products(order, operations):
    a, b = numbers((32, 64)), numbers((64, 48), seed=1)
    product = Product(
        a.T if operations[0] == T else a, b.T if operations[1] == T else b, operations=operations, order=order
    )
    left = on_device(a.T if operations[0] == T else a, order)
    right = on_device(b.T if operations[1] == T else b, order)
    assert product.prune(left) == [False, True]
    pruned = left.get() if order == ROW else left.get().T
    pruned = pruned.T if operations[0] == T else pruned
    groups = pruned.reshape(32, -1, 4)
    # Without ties the largest remain; with them, as large ones.
    np.testing.assert_array_equal(np.sort(abs(groups), 2), np.sort(abs(strip(a)).reshape(groups.shape), 2))
    got = product.run(left, right, alpha=0.5)
    np.testing.assert_array_equal(got, (0.5 * pruned.astype("d") @ b.astype("d")).astype("float16"))


@needed
def test_the_sparse_matrix_may_stand_on_the_right():
    a, b = numbers((32, 64)), numbers((64, 32), seed=1)
    product = Product(a, b, sparse_left=False)
    left, right = on_device(a, ROW), on_device(b, ROW)
    product.prune(right)
    got = product.run(left, right)
    np.testing.assert_array_equal(got, (a.astype("d") @ right.get().astype("d")).astype("float16"))


@needed
def test_tiles_are_pruned_in_both_directions():
    a = numbers((32, 32))
    product = Product(a, numbers((32, 32), seed=1))
    pruned = on_device(a, ROW)
    product.prune(pruned, lt.CUSPARSELT_PRUNE_SPMMA_TILE)
    kept = (pruned.get() != 0).reshape(8, 4, 8, 4)
    assert (kept.sum(3) <= 2).all() and (kept.sum(1) <= 2).all()


@needed
def test_matrices_are_pruned_and_compressed_without_a_product():
    a = numbers((32, 64))
    product = Product(a, numbers((64, 32), seed=1))
    matrix, handle = product.matrices[0], product.handle
    pruned, valid = on_device(a, ROW), cp.asarray(np.full(1, 9, np.int32))
    lt.spMMAPrune2(handle, matrix, 1, N, pruned.data.ptr, pruned.data.ptr, lt.CUSPARSELT_PRUNE_SPMMA_STRIP)
    lt.spMMAPruneCheck2(handle, matrix, 1, N, pruned.data.ptr, valid.data.ptr)
    assert valid.get().item() == 0
    size, buffer_size = lt.spMMACompressedSize2(handle, matrix)
    assert a.nbytes // 2 <= size < 2 * a.nbytes
    compressed = cp.asarray(np.zeros(size, np.uint8))
    buffer = cp.asarray(np.zeros(max(buffer_size, 1), np.uint8))
    lt.spMMACompress2(handle, matrix, 1, N, pruned.data.ptr, compressed.data.ptr, buffer.data.ptr)
    assert compressed.get().any()


@needed
def test_int8_products_round_and_saturate():
    a, b = numbers((32, 64), "int8"), numbers((32, 64), "int8", seed=1)
    product = Product(a, b, operations=(N, T))
    left, right = on_device(a, ROW), on_device(b, ROW)
    product.prune(left)
    got = product.run(left, right, alpha=1.0)
    want = left.get().astype("d") @ b.T.astype("d")
    np.testing.assert_array_equal(got, np.clip(want, -128, 127).astype("int8"))


@needed
def test_old_content_and_search():
    a, b, c = numbers((32, 64)), numbers((64, 32), seed=1), numbers((32, 32), seed=2)
    product = Product(a, b)
    left, right = on_device(a, ROW), on_device(b, ROW)
    product.prune(left)
    exact = left.get().astype("d") @ b.astype("d")
    got = product.run(left, right, on_device(c, ROW), alpha=1.0, beta=2.0)
    np.testing.assert_array_equal(got, (exact + 2 * c.astype("d")).astype("float16"))
    np.testing.assert_array_equal(product.run(left, right, search=True), exact.astype("float16"))


@needed
def test_epilogues():
    a, b, bias = numbers((32, 64)), numbers((64, 32), seed=1), numbers((32,), seed=2)
    left, right, held = on_device(a, ROW), on_device(b, ROW), cp.asarray(bias)
    product = Product(a, b)
    product.prune(left)
    exact = left.get().astype("d") @ b.astype("d") + bias.astype("d")[:, None]
    product.set(lt.CUSPARSELT_MATMUL_BIAS_POINTER, np.uint64(held.data.ptr))
    assert product.get(lt.CUSPARSELT_MATMUL_BIAS_POINTER, np.uint64) == held.data.ptr
    np.testing.assert_array_equal(product.run(left, right), exact.astype("float16"))
    product.set(lt.CUSPARSELT_MATMUL_ACTIVATION_RELU, np.int32(1))
    product.set(lt.CUSPARSELT_MATMUL_ACTIVATION_RELU_UPPERBOUND, np.float32(40))
    assert product.get(lt.CUSPARSELT_MATMUL_ACTIVATION_RELU_UPPERBOUND, np.float32) == 40
    np.testing.assert_array_equal(product.run(left, right), np.clip(exact, 0, 40).astype("float16"))


@needed
def test_batches():
    a, b = numbers((2, 32, 64)), numbers((2, 64, 32), seed=1)
    product = Product(a, b, batches=2)
    left, right = on_device(a, ROW), on_device(b, ROW)
    product.prune(left)
    got = product.run(left, right)
    np.testing.assert_array_equal(got, (left.get().astype("d") @ b.astype("d")).astype("float16"))


@needed
def test_selections_have_attributes():
    product = Product(numbers((32, 64)), numbers((64, 32), seed=1))
    lt.matmulAlgSelectionInit(product.handle, product.selection, product.described, lt.CUSPARSELT_MATMUL_ALG_DEFAULT)
    most, chosen = np.full(1, -1, np.int32), np.zeros(1, np.int32)
    arguments = product.handle, product.selection
    lt.matmulAlgGetAttribute(*arguments, lt.CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID, most.ctypes.data, 4)
    assert most[0] > 0
    lt.matmulAlgSetAttribute(*arguments, lt.CUSPARSELT_MATMUL_ALG_CONFIG_ID, chosen.ctypes.data, 4)
    lt.matmulAlgGetAttribute(*arguments, lt.CUSPARSELT_MATMUL_ALG_CONFIG_ID, most.ctypes.data, 4)
    assert most[0] == 0


@needed
def test_what_the_library_refuses():
    handle, matrix = lt.Handle(), lt.MatDescriptor()
    lt.init(handle)
    with pytest.raises(lt.CuSparseError, match="(?i)sparselt") as raised:
        lt.denseDescriptorInit(handle, matrix, -1, 32, 32, 16, TYPES["float16"], ROW)
    assert raised.value.status == 3 and "INVALID_VALUE" in str(raised.value)
    assert matrix.ptr == 0
    with pytest.raises(ValueError, match="order=7"):
        lt.denseDescriptorInit(handle, matrix, 32, 32, 32, 16, TYPES["float16"], 7)
    with pytest.raises(ValueError, match="address 0"):
        lt.denseDescriptorInit(handle, matrix, 32, 32, 32, 16, TYPES["float16"], ROW)
        lt.matDescSetAttribute(handle, matrix, lt.CUSPARSELT_MAT_NUM_BATCHES, 0, 4)


@needed
def test_what_is_destroyed_lives_as_long_as_it_is_needed():
    a, b = numbers((32, 64)), numbers((64, 32), seed=1)
    product = Product(a, b)
    left, right = on_device(a, ROW), on_device(b, ROW)
    product.prune(left)
    want = product.run(left, right)
    for matrix in product.matrices:
        lt.matDescriptorDestroy(matrix)
    lt.matmulAlgSelectionDestroy(product.selection)
    product.run = None
    assert lt.matmulGetWorkspace(product.handle, product.plan) >= 0
    lt.matmulPlanDestroy(product.plan)
    lt.destroy(product.handle)
    with contextlib.suppress(ValueError):
        lt.matmulPlanDestroy(product.plan)
    assert want.shape == (32, 32)


@needed
def test_streams():
    a, b = numbers((32, 64)), numbers((64, 32), seed=1)
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        product = Product(a, b)
        left, right = on_device(a, ROW), on_device(b, ROW)
        product.prune(left)
        got = product.run(left, right)
    np.testing.assert_array_equal(got, (left.get().astype("d") @ b.astype("d")).astype("float16"))
