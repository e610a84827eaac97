"""Products of a dense matrix with one of which half the elements of each group are zero, by the vendor's library.

The names are those of CuPy's `cupy_backends.cuda.libs.cusparselt`: cuSPARSELt from version 0.6 on, hipSPARSELt on
AMD. A structure (`Handle`, `MatDescriptor`, ...) is empty until an `...Init` function fills it. Addresses are plain
numbers such as `array.data.ptr`; factors and attributes lie in memory of the host (`numpy_array.ctypes.data`). Work is
queued on the current stream.

A structure's resources are released with its last user: a destroyed descriptor lives on while a plan needs it, and what
a program forgets to destroy is released with its Python object. The library is opened when it is first needed:
`MissingLibraryError` says what to install, devices without one raise `UnsupportedError`, and errors of the library are
`CuSparseError`, with the library's text and `status`.

Examples
--------
>>> import cuproxide as cp
>>> import numpy as np
>>> from cuproxide.cuda import cusparse
>>> from cuproxide.cuda import cusparselt as lt
>>> N, ROW, HALF = cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE, cusparse.CUSPARSE_ORDER_ROW, 2
>>> a, b, d = (cp.ones(shape, dtype="float16") for shape in ((32, 64), (64, 32), (32, 32)))
>>> handle, product, selection, plan = lt.Handle(), lt.MatmulDescriptor(), lt.MatmulAlgSelection(), lt.MatmulPlan()
>>> matA, matB, matD = (lt.MatDescriptor() for _ in range(3))
>>> lt.init(handle)  # doctest: +SKIP
>>> kind = lt.CUSPARSELT_SPARSITY_50_PERCENT
>>> lt.structuredDescriptorInit(handle, matA, 32, 64, 64, 16, HALF, ROW, kind)  # doctest: +SKIP
>>> lt.denseDescriptorInit(handle, matB, 64, 32, 32, 16, HALF, ROW)  # doctest: +SKIP
>>> lt.denseDescriptorInit(handle, matD, 32, 32, 32, 16, HALF, ROW)  # doctest: +SKIP
>>> compute = lt.CUSPARSE_COMPUTE_32F
>>> lt.matmulDescriptorInit(handle, product, N, N, matA, matB, matD, matD, compute)  # doctest: +SKIP
>>> lt.matmulAlgSelectionInit(handle, selection, product, lt.CUSPARSELT_MATMUL_ALG_DEFAULT)  # doctest: +SKIP
>>> lt.matmulPlanInit(handle, plan, product, selection)  # doctest: +SKIP
>>> lt.spMMAPrune(handle, product, a.data.ptr, a.data.ptr, lt.CUSPARSELT_PRUNE_SPMMA_STRIP)  # doctest: +SKIP
>>> compressed, buffer = (cp.empty(max(n, 1), "uint8") for n in lt.spMMACompressedSize(handle, plan))  # doctest: +SKIP
>>> lt.spMMACompress(handle, plan, a.data.ptr, compressed.data.ptr, buffer.data.ptr)  # doctest: +SKIP
>>> workspace = cp.empty(max(lt.matmulGetWorkspace(handle, plan), 1), "uint8")  # doctest: +SKIP
>>> alpha, beta = np.array(1.0, "float32"), np.array(0.0, "float32")
>>> inputs = alpha.ctypes.data, compressed.data.ptr, b.data.ptr, beta.ctypes.data  # doctest: +SKIP
>>> addresses = *inputs, d.data.ptr, d.data.ptr, workspace.data.ptr  # doctest: +SKIP
>>> lt.matmul(handle, plan, *addresses)  # doctest: +SKIP
>>> d[0, :3]  # doctest: +SKIP
array([32., 32., 32.], dtype=float16)
"""

from __future__ import annotations

from typing import Any

from .. import _cuproxide
from .._lib.texts import complete as _complete
from ._texts import TEXTS as _TEXTS
from .cusparse import CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW, CuSparseError

available: bool
"""Whether the current device has the library, and it can be opened."""

CUSPARSELT_SPARSITY_50_PERCENT = 0
CUSPARSELT_MAT_NUM_BATCHES, CUSPARSELT_MAT_BATCH_STRIDE = range(2)
CUSPARSE_COMPUTE_32I, CUSPARSE_COMPUTE_16F, CUSPARSE_COMPUTE_32F = range(3)
CUSPARSELT_MATMUL_ACTIVATION_RELU = 0
CUSPARSELT_MATMUL_ACTIVATION_RELU_UPPERBOUND = 1
CUSPARSELT_MATMUL_ACTIVATION_RELU_THRESHOLD = 2
CUSPARSELT_MATMUL_ACTIVATION_GELU = 3
CUSPARSELT_MATMUL_ACTIVATION_GELU_SCALING = 4
CUSPARSELT_MATMUL_ALPHA_VECTOR_SCALING = 5
CUSPARSELT_MATMUL_BETA_VECTOR_SCALING = 6
CUSPARSELT_MATMUL_BIAS_STRIDE = 7
CUSPARSELT_MATMUL_BIAS_POINTER = 8
CUSPARSELT_MATMUL_SPARSE_MAT_POINTER = 9
CUSPARSELT_MATMUL_A_SCALE_MODE = 10
CUSPARSELT_MATMUL_B_SCALE_MODE = 11
CUSPARSELT_MATMUL_C_SCALE_MODE = 12
CUSPARSELT_MATMUL_D_SCALE_MODE = 13
CUSPARSELT_MATMUL_D_OUT_SCALE_MODE = 14
CUSPARSELT_MATMUL_A_SCALE_POINTER = 15
CUSPARSELT_MATMUL_B_SCALE_POINTER = 16
CUSPARSELT_MATMUL_C_SCALE_POINTER = 17
CUSPARSELT_MATMUL_D_SCALE_POINTER = 18
CUSPARSELT_MATMUL_D_OUT_SCALE_POINTER = 19
CUSPARSELT_MATMUL_ALG_DEFAULT = 0
CUSPARSELT_MATMUL_ALG_CONFIG_ID = 0
CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID = 1
CUSPARSELT_MATMUL_SEARCH_ITERATIONS = 2
CUSPARSELT_MATMUL_SPLIT_K = 3
CUSPARSELT_MATMUL_SPLIT_K_MODE = 4
CUSPARSELT_MATMUL_SPLIT_K_BUFFERS = 5
CUSPARSELT_INVALID_MODE = 0
CUSPARSELT_SPLIT_K_MODE_ONE_KERNEL = 1
CUSPARSELT_SPLIT_K_MODE_TWO_KERNELS = 2
CUSPARSELT_HEURISTIC = 3
CUSPARSELT_DATAPARALLEL = 4
CUSPARSELT_SPLITK = 5
CUSPARSELT_STREAMK = 6
CUSPARSELT_PRUNE_SPMMA_TILE, CUSPARSELT_PRUNE_SPMMA_STRIP = range(2)
CUSPARSELT_MATMUL_SCALE_NONE = 0
CUSPARSELT_MATMUL_MATRIX_SCALE_SCALAR_32F = 1
CUSPARSELT_MATMUL_MATRIX_SCALE_VEC32_UE4M3 = 2
CUSPARSELT_MATMUL_MATRIX_SCALE_VEC64_UE8M0 = 3

__all__ = [
    "CuSparseError",
    "Handle",
    "MatDescriptor",
    "MatmulAlgSelection",
    "MatmulDescriptor",
    "MatmulPlan",
    "denseDescriptorInit",
    "destroy",
    "getErrorName",
    "getErrorString",
    "getVersion",
    "get_build_version",
    "init",
    "matDescGetAttribute",
    "matDescSetAttribute",
    "matDescriptorDestroy",
    "matmul",
    "matmulAlgGetAttribute",
    "matmulAlgSelectionDestroy",
    "matmulAlgSelectionInit",
    "matmulAlgSetAttribute",
    "matmulDescGetAttribute",
    "matmulDescSetAttribute",
    "matmulDescriptorInit",
    "matmulGetWorkspace",
    "matmulPlanDestroy",
    "matmulPlanInit",
    "matmulSearch",
    "spMMACompress",
    "spMMACompress2",
    "spMMACompressedSize",
    "spMMACompressedSize2",
    "spMMAPrune",
    "spMMAPrune2",
    "spMMAPruneCheck",
    "spMMAPruneCheck2",
    "structuredDescriptorInit",
    *(name for name in list(globals()) if name.startswith(("CUSPARSELT_", "CUSPARSE_COMPUTE_"))),
]

_COMPUTES = {CUSPARSE_COMPUTE_32I: "int32", CUSPARSE_COMPUTE_16F: "float16", CUSPARSE_COMPUTE_32F: "float32"}


def __getattr__(name: str) -> Any:
    if name == "available":
        return _cuproxide.structured_is_there()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class _Structure:
    """A structure of the library's: empty at first, filled by an `...Init` function."""

    _below: Any = None

    @property
    def ptr(self) -> int:
        """Address of the library's data, in memory of the host; 0 while it is empty."""
        return 0 if self._below is None else self._below.ptr

    def _filled(self) -> Any:
        if self._below is None:
            raise ValueError(f"the {type(self).__name__} is not initialised, or was destroyed")
        return self._below


class Handle(_Structure):
    """The library's handle, for the device that is current at `init`."""


class MatDescriptor(_Structure):
    """Attributes of a matrix."""


class MatmulDescriptor(_Structure):
    """Attributes of a product."""


class MatmulAlgSelection(_Structure):
    """A selection of an algorithm."""


class MatmulPlan(_Structure):
    """A prepared product."""


# The library.


def init(handle: Handle) -> None:
    """Makes a handle for the current device."""
    handle._below = _cuproxide.StructuredHandle()


def destroy(handle: Handle) -> None:
    """Gives a handle up; what was made by it keeps it alive."""
    handle._filled()
    handle._below = None


def getErrorName(status: int) -> str:
    """The library's name for a status."""
    return _cuproxide.structured_status_text(status)[0]


def getErrorString(status: int) -> str:
    """The library's words for a status."""
    return _cuproxide.structured_status_text(status)[1]


def getVersion(handle: Handle) -> int:
    """The version of the library, as it counts: 1000 * major + 100 * minor + patch level of cuSPARSELt."""
    return handle._filled().version


def get_build_version() -> int:
    """The same as `getVersion`: nothing is fixed when the package is built."""
    return _cuproxide.StructuredHandle().version


# Matrices.


def _by_rows(order: int) -> bool:
    if order not in (CUSPARSE_ORDER_COL, CUSPARSE_ORDER_ROW):
        raise ValueError(f"order={order} is neither CUSPARSE_ORDER_COL nor CUSPARSE_ORDER_ROW")
    return order == CUSPARSE_ORDER_ROW


def denseDescriptorInit(
    handle: Handle,
    matDescr: MatDescriptor,
    rows: int,
    cols: int,
    ld: int,
    alignment: int,
    valueType: int,
    order: int,
) -> None:
    """Describes a dense matrix: sizes, distance between its rows or columns, alignment, type and order in memory.

    Parameters
    ----------
    matDescr : MatDescriptor
        Is filled.
    rows, cols : int
        Sizes of the matrix as it lies in memory, before any transposition.

    Raises
    ------
    ValueError
        For a structure that is empty, and for another order.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.denseDescriptorInit(handle, lt.MatDescriptor(), 64, 32, 32, 16, HALF, ROW)  # doctest: +SKIP
    """
    matDescr._below = handle._filled().matrix(rows, cols, ld, alignment, valueType, _by_rows(order))


def structuredDescriptorInit(
    handle: Handle,
    matDescr: MatDescriptor,
    rows: int,
    cols: int,
    ld: int,
    alignment: int,
    valueType: int,
    order: int,
    sparsity: int,
) -> None:
    """Describes the matrix that has, or is to have, the structure: `CUSPARSELT_SPARSITY_50_PERCENT`.

    Parameters
    ----------
    matDescr : MatDescriptor
        Is filled.
    rows, cols : int
        Sizes of the matrix as it lies in memory, before any transposition.
    sparsity : int
        `CUSPARSELT_SPARSITY_50_PERCENT`: of each four elements along the summed dimension two are zero, of float32 one
        of each two.

    Raises
    ------
    ValueError
        For a structure that is empty, and for another order.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> sparse, kind = lt.MatDescriptor(), lt.CUSPARSELT_SPARSITY_50_PERCENT
    >>> lt.structuredDescriptorInit(handle, sparse, 32, 64, 64, 16, HALF, ROW, kind)  # doctest: +SKIP
    """
    matDescr._below = handle._filled().matrix(rows, cols, ld, alignment, valueType, _by_rows(order), sparsity)


def matDescriptorDestroy(matDescr: MatDescriptor) -> None:
    """Gives a description up."""
    matDescr._filled()
    matDescr._below = None


def matDescSetAttribute(handle: Handle, matDescr: MatDescriptor, matAttribute: int, data: int, dataSize: int) -> None:
    """Sets an attribute to `dataSize` bytes at an address of the host.

    Parameters
    ----------
    matDescr : MatDescriptor
        The description of the matrix.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int64")
    >>> attribute = lt.CUSPARSELT_MAT_BATCH_STRIDE
    >>> lt.matDescSetAttribute(handle, matB, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(matDescr._filled(), matAttribute, data, dataSize, True)


def matDescGetAttribute(handle: Handle, matDescr: MatDescriptor, matAttribute: int, data: int, dataSize: int) -> None:
    """Writes an attribute to `dataSize` bytes at an address of the host.

    Parameters
    ----------
    matDescr : MatDescriptor
        The description of the matrix.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int64")
    >>> attribute = lt.CUSPARSELT_MAT_BATCH_STRIDE
    >>> lt.matDescGetAttribute(handle, matB, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(matDescr._filled(), matAttribute, data, dataSize, False)


# Products.


def matmulDescriptorInit(
    handle: Handle,
    matMulDescr: MatmulDescriptor,
    opA: int,
    opB: int,
    matA: MatDescriptor,
    matB: MatDescriptor,
    matC: MatDescriptor,
    matD: MatDescriptor,
    computeType: int,
) -> None:
    """Describes `D = alpha * op(A) @ op(B) + beta * C`, where one of `A` and `B` has the structure.

    Parameters
    ----------
    matMulDescr : MatmulDescriptor
        Is filled.
    opA, opB : int
        `cuda.cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE` or `CUSPARSE_OPERATION_TRANSPOSE`.
    matA, matB, matC, matD : MatDescriptor
        Descriptions of the matrices.
    computeType : int
        Arithmetic: `CUSPARSE_COMPUTE_32F`, `CUSPARSE_COMPUTE_16F`, or `CUSPARSE_COMPUTE_32I` for int8.

    Raises
    ------
    ValueError
        For a structure that is empty, and for another arithmetic.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> compute = lt.CUSPARSE_COMPUTE_32F
    >>> lt.matmulDescriptorInit(handle, lt.MatmulDescriptor(), N, N, matA, matB, matD, matD, compute)  # doctest: +SKIP
    """
    if computeType not in _COMPUTES:
        raise ValueError(f"computeType={computeType} is no CUSPARSE_COMPUTE_...")
    matrices = [matrix._filled() for matrix in (matA, matB, matC, matD)]
    matMulDescr._below = handle._filled().product([opA, opB], matrices, _COMPUTES[computeType])


def matmulDescSetAttribute(
    handle: Handle, matmulDescr: MatmulDescriptor, matmulAttribute: int, data: int, dataSize: int
) -> None:
    """Sets an attribute to `dataSize` bytes at an address of the host.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int32")
    >>> attribute = lt.CUSPARSELT_MATMUL_ACTIVATION_RELU
    >>> lt.matmulDescSetAttribute(handle, product, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(matmulDescr._filled(), matmulAttribute, data, dataSize, True)


def matmulDescGetAttribute(
    handle: Handle, matmulDescr: MatmulDescriptor, matmulAttribute: int, data: int, dataSize: int
) -> None:
    """Writes an attribute to `dataSize` bytes at an address of the host.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int32")
    >>> attribute = lt.CUSPARSELT_MATMUL_ACTIVATION_RELU
    >>> lt.matmulDescGetAttribute(handle, product, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(matmulDescr._filled(), matmulAttribute, data, dataSize, False)


def matmulAlgSelectionInit(
    handle: Handle, algSelection: MatmulAlgSelection, matmulDescr: MatmulDescriptor, alg: int
) -> None:
    """Selects an algorithm: `CUSPARSELT_MATMUL_ALG_DEFAULT`.

    Parameters
    ----------
    algSelection : MatmulAlgSelection
        Is filled.
    alg : int
        `CUSPARSELT_MATMUL_ALG_DEFAULT`.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> chosen = lt.MatmulAlgSelection()
    >>> lt.matmulAlgSelectionInit(handle, chosen, product, lt.CUSPARSELT_MATMUL_ALG_DEFAULT)  # doctest: +SKIP
    """
    algSelection._below = handle._filled().selection(matmulDescr._filled(), alg)


def matmulAlgSelectionDestroy(algSelection: MatmulAlgSelection) -> None:
    """Gives a selection up."""
    algSelection._filled()
    algSelection._below = None


def matmulAlgSetAttribute(
    handle: Handle, algSelection: MatmulAlgSelection, attribute: int, data: int, dataSize: int
) -> None:
    """Sets an attribute to `dataSize` bytes at an address of the host.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int32")
    >>> attribute = lt.CUSPARSELT_MATMUL_ALG_CONFIG_ID
    >>> lt.matmulAlgSetAttribute(handle, selection, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(algSelection._filled(), attribute, data, dataSize, True)


def matmulAlgGetAttribute(
    handle: Handle, algSelection: MatmulAlgSelection, attribute: int, data: int, dataSize: int
) -> None:
    """Writes an attribute to `dataSize` bytes at an address of the host.

    Raises
    ------
    ValueError
        For a structure that is empty, and for the address 0.
    CuSparseError
        For what the library refuses.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> value = np.array(0, "int32")
    >>> attribute = lt.CUSPARSELT_MATMUL_ALG_CONFIG_ID
    >>> lt.matmulAlgGetAttribute(handle, selection, attribute, value.ctypes.data, value.nbytes)  # doctest: +SKIP
    """
    handle._filled().attribute(algSelection._filled(), attribute, data, dataSize, False)


def matmulPlanInit(
    handle: Handle, plan: MatmulPlan, matmulDescr: MatmulDescriptor, algSelection: MatmulAlgSelection
) -> None:
    """Prepares a product. A plan that was made before is given up.

    Parameters
    ----------
    plan : MatmulPlan
        Is filled.
    algSelection : MatmulAlgSelection
        The selection of its algorithm.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.matmulPlanInit(handle, lt.MatmulPlan(), product, selection)  # doctest: +SKIP
    """
    plan._below = handle._filled().plan(matmulDescr._filled(), algSelection._filled())


def matmulPlanDestroy(plan: MatmulPlan) -> None:
    """Gives a plan up."""
    plan._filled()
    plan._below = None


def matmulGetWorkspace(handle: Handle, plan: MatmulPlan) -> int:
    """Bytes of scratch memory that `matmul` takes.

    Returns
    -------
    int
        Bytes on the device.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.matmulGetWorkspace(handle, plan) >= 0  # doctest: +SKIP
    True
    """
    return handle._filled().workspace_bytes(plan._filled())


def matmul(
    handle: Handle, plan: MatmulPlan, alpha: int, d_A: int, d_B: int, beta: int, d_C: int, d_D: int, workspace: int
) -> None:
    """Queues `D = alpha * op(A) @ op(B) + beta * C`; the matrix with the structure is compressed.

    Parameters
    ----------
    alpha, beta : int
        Addresses of the factors, float32 in memory of the host.
    d_A, d_B : int
        Addresses of `A` and `B` on the device; the matrix with the structure is compressed, as `spMMACompress` wrote
        it.
    d_C, d_D : int
        Addresses of `C` and `D` on the device; they may be equal.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.matmul(handle, plan, *addresses)  # doctest: +SKIP
    """
    handle._filled().multiply(plan._filled(), [alpha, d_A, d_B, beta, d_C, d_D, workspace], False)


def matmulSearch(
    handle: Handle, plan: MatmulPlan, alpha: int, d_A: int, d_B: int, beta: int, d_C: int, d_D: int, workspace: int
) -> None:
    """Tries the algorithms there are, which computes `D`, and makes the plan that of the fastest.

    Parameters
    ----------
    alpha, beta : int
        Addresses of the factors, float32 in memory of the host.
    d_A, d_B : int
        Addresses of `A` and `B` on the device; the matrix with the structure is compressed, as `spMMACompress` wrote
        it.
    d_C, d_D : int
        Addresses of `C` and `D` on the device; they may be equal.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.matmulSearch(handle, plan, *addresses)  # doctest: +SKIP
    """
    handle._filled().multiply(plan._filled(), [alpha, d_A, d_B, beta, d_C, d_D, workspace], True)


# The structure.


def spMMAPrune(handle: Handle, matmulDescr: MatmulDescriptor, d_in: int, d_out: int, pruneAlg: int) -> None:
    """Queues setting elements of a product's sparse matrix to zero so that it has the structure.

    Parameters
    ----------
    d_in, d_out : int
        Addresses of the matrix and of the result on the device; they may be equal.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.spMMAPrune(handle, product, a.data.ptr, a.data.ptr, lt.CUSPARSELT_PRUNE_SPMMA_STRIP)  # doctest: +SKIP
    """
    handle._filled().prune(matmulDescr._filled(), d_in, d_out, pruneAlg)


def spMMAPruneCheck(handle: Handle, matmulDescr: MatmulDescriptor, d_in: int, d_valid: int) -> None:
    """Queues writing 0 to the int32 `d_valid` of the device if a matrix has the structure, and else another number.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> valid = cp.ones(1, dtype="int32")
    >>> lt.spMMAPruneCheck(handle, product, a.data.ptr, valid.data.ptr)  # doctest: +SKIP
    >>> valid  # doctest: +SKIP
    array([0], dtype=int32)
    """
    handle._filled().check(matmulDescr._filled(), d_in, d_valid)


def spMMAPrune2(
    handle: Handle,
    sparseMatDescr: MatDescriptor,
    isSparseA: int,
    op: int,
    d_in: int,
    d_out: int,
    pruneAlg: int,
) -> None:
    """As `spMMAPrune`, for a matrix that stands on the left (`isSparseA`) or right of a product, transposed or not.

    Parameters
    ----------
    d_in, d_out : int
        Addresses of the matrix and of the result on the device; they may be equal.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.spMMAPrune2(handle, matA, 1, N, a.data.ptr, a.data.ptr, lt.CUSPARSELT_PRUNE_SPMMA_STRIP)  # doctest: +SKIP
    """
    handle._filled().prune(sparseMatDescr._filled(), d_in, d_out, pruneAlg, (bool(isSparseA), op))


def spMMAPruneCheck2(
    handle: Handle, sparseMatDescr: MatDescriptor, isSparseA: int, op: int, d_in: int, d_valid: int
) -> None:
    """As `spMMAPruneCheck`, for a matrix as `spMMAPrune2` takes it.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> valid = cp.ones(1, dtype="int32")
    >>> lt.spMMAPruneCheck2(handle, matA, 1, N, a.data.ptr, valid.data.ptr)  # doctest: +SKIP
    >>> valid  # doctest: +SKIP
    array([0], dtype=int32)
    """
    handle._filled().check(sparseMatDescr._filled(), d_in, d_valid, (bool(isSparseA), op))


def spMMACompressedSize(handle: Handle, plan: MatmulPlan) -> tuple[int, int]:
    """Bytes of the compressed matrix of a plan, and of the scratch memory for compressing it.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> size, scratch = lt.spMMACompressedSize(handle, plan)  # doctest: +SKIP
    """
    return handle._filled().compressed_bytes(plan._filled(), False)


def spMMACompress(handle: Handle, plan: MatmulPlan, d_dense: int, d_compressed: int, d_compressed_buffer: int) -> None:
    """Queues compressing the matrix of a plan, which has the structure.

    Parameters
    ----------
    d_compressed, d_compressed_buffer : int
        Addresses on the device of the result and of scratch memory, of the bytes that `spMMACompressedSize` tells.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.spMMACompress(handle, plan, a.data.ptr, compressed.data.ptr, buffer.data.ptr)  # doctest: +SKIP
    """
    handle._filled().compress(plan._filled(), d_dense, d_compressed, d_compressed_buffer)


def spMMACompressedSize2(handle: Handle, sparseMatDescr: MatDescriptor) -> tuple[int, int]:
    """Bytes of a compressed matrix, and of the scratch memory for compressing it.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> size, scratch = lt.spMMACompressedSize2(handle, matA)  # doctest: +SKIP
    """
    return handle._filled().compressed_bytes(sparseMatDescr._filled(), True)


def spMMACompress2(
    handle: Handle,
    sparseMatDescr: MatDescriptor,
    isSparseA: int,
    op: int,
    d_dense: int,
    d_compressed: int,
    d_compressed_buffer: int,
) -> None:
    """As `spMMACompress`, for a matrix as `spMMAPrune2` takes it.

    Parameters
    ----------
    d_compressed, d_compressed_buffer : int
        Addresses on the device of the result and of scratch memory, of the bytes that `spMMACompressedSize2` tells.

    Examples
    --------
    With the names of the module's example:

    >>> from cuproxide.cuda import cusparselt as lt
    >>> lt.spMMACompress2(handle, matA, 1, N, a.data.ptr, compressed.data.ptr, buffer.data.ptr)  # doctest: +SKIP
    """
    handle._filled().compress(
        sparseMatDescr._filled(), d_dense, d_compressed, d_compressed_buffer, (bool(isSparseA), op)
    )


_complete(globals(), __all__, _TEXTS)
