"""Operations on tensors whose axes carry labels, by the vendor's library: cuTENSOR, or hipTensor on AMD.

The names are those of `cupyx.cutensor`, and `permutation`. A *mode* is the labels of an array's axes, as integers or
characters. Devices without such a library raise `UnsupportedError`; where it is not installed, `MissingLibraryError`,
which is an `ImportError`, says what was tried and what to install. `cuproxide.einsum` computes contractions on every
device.

Plans are kept for each device, by all that they depend on, and scratch memory comes from the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from . import _cuproxide as _core
from ._cuproxide import ndarray
from .cuda.cutensor import (
    ALGO_DEFAULT,
    C_32F,
    C_64F,
    COMPUTE_DESC_16BF,
    COMPUTE_DESC_16F,
    COMPUTE_DESC_32F,
    COMPUTE_DESC_64F,
    JIT_MODE_NONE,
    OP_ADD,
    OP_IDENTITY,
    R_16BF,
    R_16F,
    R_32F,
    R_64F,
    WORKSPACE_RECOMMENDED,
)

__all__ = [
    "Mode",
    "OperationDescriptor",
    "Plan",
    "PlanPreference",
    "TensorDescriptor",
    "check_availability",
    "contraction",
    "create_contraction",
    "create_elementwise_binary",
    "create_elementwise_trinary",
    "create_mode",
    "create_permutation",
    "create_plan",
    "create_plan_preference",
    "create_reduction",
    "create_tensor_descriptor",
    "elementwise_binary",
    "elementwise_trinary",
    "permutation",
    "reduction",
]

_ALIGNMENT = 256
_TYPES = {"e": R_16F, "f": R_32F, "d": R_64F, "F": C_32F, "D": C_64F}
_NAMES = {R_16F: "float16", R_32F: "float32", R_64F: "float64", C_32F: "complex64", C_64F: "complex128"}
_NAMES[R_16BF] = "bfloat16"

# The arithmetic by the types of the operands, those that are combined.
_COMBINED = {
    (R_16F, R_16F): COMPUTE_DESC_16F,
    (R_16F, R_32F): COMPUTE_DESC_32F,
    (R_32F, R_16F): COMPUTE_DESC_32F,
    (R_32F, R_32F): COMPUTE_DESC_32F,
    (R_32F, R_64F): COMPUTE_DESC_64F,
    (R_64F, R_32F): COMPUTE_DESC_64F,
    (R_64F, R_64F): COMPUTE_DESC_64F,
    (C_32F, C_32F): COMPUTE_DESC_32F,
    (C_32F, C_64F): COMPUTE_DESC_64F,
    (C_64F, C_32F): COMPUTE_DESC_64F,
    (C_64F, C_64F): COMPUTE_DESC_64F,
    (R_16BF, R_16BF): COMPUTE_DESC_16BF,
}
_CONTRACTED = {
    (R_16F, R_16F, R_16F): COMPUTE_DESC_32F,
    (R_16BF, R_16BF, R_16BF): COMPUTE_DESC_32F,
    (R_32F, R_32F, R_32F): COMPUTE_DESC_32F,
    (R_64F, R_64F, R_64F): COMPUTE_DESC_64F,
    (R_64F, C_64F, C_64F): COMPUTE_DESC_64F,
    (C_32F, C_32F, C_32F): COMPUTE_DESC_32F,
    (C_64F, R_64F, C_64F): COMPUTE_DESC_64F,
    (C_64F, C_64F, C_64F): COMPUTE_DESC_64F,
}
_REDUCED = {
    (R_16F, R_16F): COMPUTE_DESC_16F,
    (R_16BF, R_16BF): COMPUTE_DESC_32F,
    (R_32F, R_32F): COMPUTE_DESC_32F,
    (R_64F, R_64F): COMPUTE_DESC_64F,
    (C_32F, C_32F): COMPUTE_DESC_32F,
    (C_64F, C_64F): COMPUTE_DESC_64F,
}


def check_availability(name: str) -> bool:
    """Whether the current device has the library; it has all operations then."""
    return _core.tensors_are_there()


# Descriptions.


class TensorDescriptor:
    """How an array lies in memory.

    Attributes
    ----------
    cutensor_dtype : int
        The number of its element type.
    """

    def __init__(self, shape: tuple[int, ...], strides: tuple[int, ...], cutensor_dtype: int, alignment: int) -> None:
        self.shape, self.strides, self.cutensor_dtype, self.alignment = shape, strides, cutensor_dtype, alignment

    def _layout(self) -> tuple[Any, tuple[int, ...], tuple[int, ...], int]:
        return _core.dtype(_NAMES[self.cutensor_dtype]), self.shape, self.strides, self.alignment


def _get_cutensor_dtype(dtype: Any) -> int:
    """The number of an element type, given as a dtype or its character; `TypeError` for unsupported ones."""
    if getattr(dtype, "name", None) == "bfloat16":
        return R_16BF
    try:
        return _TYPES[getattr(dtype, "char", dtype)]
    except (KeyError, TypeError):
        raise TypeError(f"dtype is not supported: {dtype}") from None


def create_tensor_descriptor(a: ndarray) -> TensorDescriptor:
    """Describes an array: dtype, shape, strides, and of which power of two, up to 256, its address is a multiple.

    Raises
    ------
    TypeError
        For dtypes other than float16, bfloat16, float32, float64, complex64 and complex128.
    ValueError
        For an array that is not aligned to its elements.
    """
    number = _get_cutensor_dtype(a.dtype)
    address = a.data.ptr
    if address % a.dtype.alignment:
        raise ValueError("Misaligned array")
    return TensorDescriptor(a.shape, a.strides, number, min(address & -address, _ALIGNMENT) or _ALIGNMENT)


class Mode:
    """Labels of the axes of an array, as integers."""

    def __init__(self, mode: Sequence[int]) -> None:
        array = np.array(mode, dtype=np.int32)
        if array.ndim != 1:
            raise ValueError(f"a mode is a sequence of labels, not {mode!r}")
        self._array = array
        self._labels = [int(label) for label in array]

    @property
    def ndim(self) -> int:
        """How many there are."""
        return len(self._labels)

    @property
    def data(self) -> int:
        """Their address, in memory of the host."""
        return self._array.ctypes.data

    def __repr__(self) -> str:
        return f"mode({', '.join(map(str, self._labels))})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mode) and self._labels == other._labels

    def __hash__(self) -> int:
        return hash(tuple(self._labels))


@lru_cache(maxsize=1024)
def _mode(labels: tuple[int, ...]) -> Mode:
    return Mode(labels)


def create_mode(*mode: int | str) -> Mode:
    """The mode of labels, which are integers or single characters.

    Raises
    ------
    TypeError
        For labels of other types.

    >>> from cuproxide import cutensor
    >>> cutensor.create_mode("x", "y")
    mode(120, 121)
    """
    labels = []
    for label in mode:
        if isinstance(label, str):
            labels.append(ord(label))
        elif isinstance(label, int):
            labels.append(label)
        else:
            raise TypeError(f"Cannot create tensor mode: {type(label)}")
    return _mode(tuple(labels))


def _mode_of(array: ndarray, mode: Any) -> Mode:
    found = mode if isinstance(mode, Mode) else create_mode(*mode)
    if array.ndim != found.ndim:
        raise ValueError(f"ndim mismatch: {array.ndim} != {found.ndim}")
    return found


class _Scalar:
    """A factor as an element of a type."""

    def __init__(self, value: Any, dtype: Any) -> None:
        self._array = np.asarray(value, dtype=dtype)
        self.ptr = self._array.ctypes.data

    def __repr__(self) -> str:
        return f"scalar({self._array.item()}, dtype={self._array.dtype})"


class PlanPreference:
    """What narrows the choice of kernels down: an algorithm, and a mode of compiling."""

    def __init__(self, algo: int, jit_mode: int) -> None:
        self.algo, self.jit_mode = algo, jit_mode


@lru_cache(maxsize=64)
def create_plan_preference(algo: int = ALGO_DEFAULT, jit_mode: int = JIT_MODE_NONE) -> PlanPreference:
    """A preference: an algorithm (of contractions), and whether kernels may be compiled for the operation."""
    return PlanPreference(algo, jit_mode)


class OperationDescriptor:
    """An operation on described tensors: what `create_contraction` and its kin make."""

    def __init__(
        self,
        kind: str,
        combine: tuple[int, int],
        tensors: Sequence[TensorDescriptor],
        modes: Sequence[Mode],
        operators: Sequence[int],
        compute_desc: int,
    ) -> None:
        self._kind, self._combine, self._tensors = kind, combine, tuple(tensors)
        self._labels = [mode._labels for mode in modes]
        self._operators, self._compute = list(operators), compute_desc
        for tensor, mode in zip(tensors, modes, strict=True):
            if len(tensor.shape) != mode.ndim:
                raise ValueError(f"ndim mismatch: {len(tensor.shape)} != {mode.ndim}")

    def _operation(self, preference: PlanPreference, limit: int | None, estimate: int) -> _core.TensorOperation:
        return _core.TensorOperation(
            self._kind,
            self._combine,
            self._labels,
            self._operators,
            self._compute,
            preference.algo,
            preference.jit_mode,
            limit,
            estimate,
        )


class Plan:
    """A prepared operation.

    Attributes
    ----------
    required_workspace : int
        Bytes of scratch memory that it takes, from the pool, for each execution.
    """

    def __init__(self, operation: _core.TensorOperation, tensors: Sequence[TensorDescriptor]) -> None:
        self._operation = operation
        self.required_workspace = operation.prepare([tensor._layout() for tensor in tensors])


def create_plan(desc: OperationDescriptor, pref: PlanPreference, ws_limit: int = 0) -> Plan:
    """Prepares an operation on the current device with at most `ws_limit` bytes of scratch memory.

    Raises
    ------
    CuTensorError
        For what the library does not support.
    """
    return Plan(desc._operation(pref, ws_limit, WORKSPACE_RECOMMENDED), desc._tensors)


def _arithmetic(table: dict[Any, int], what: str, compute_desc: int, *tensors: TensorDescriptor) -> int:
    key = tuple(tensor.cutensor_dtype for tensor in tensors)
    if key not in table:
        names = ", ".join(_NAMES[number] for number in key)
        raise ValueError(f"This combination of dtypes is not supported in {what} ({names})")
    return compute_desc or table[key]


def create_contraction(
    desc_A: TensorDescriptor,
    mode_A: Mode,
    op_A: int,
    desc_B: TensorDescriptor,
    mode_B: Mode,
    op_B: int,
    desc_C: TensorDescriptor,
    mode_C: Mode,
    op_C: int,
    compute_desc: int = 0,
) -> OperationDescriptor:
    """Describes `C = alpha * op_A(A) * op_B(B) + beta * op_C(C)`. `ValueError` for unsupported dtypes."""
    compute = _arithmetic(_CONTRACTED, "contraction", compute_desc, desc_A, desc_B, desc_C)
    tensors, modes = (desc_A, desc_B, desc_C, desc_C), (mode_A, mode_B, mode_C, mode_C)
    return OperationDescriptor("contraction", (0, 0), tensors, modes, (op_A, op_B, op_C, OP_IDENTITY), compute)


def create_reduction(
    desc_A: TensorDescriptor,
    mode_A: Mode,
    op_A: int,
    desc_C: TensorDescriptor,
    mode_C: Mode,
    op_C: int,
    op_reduce: int,
    compute_desc: int = 0,
) -> OperationDescriptor:
    """Describes `C = alpha * op_reduce(op_A(A)) + beta * op_C(C)`. `ValueError` for unsupported dtypes."""
    compute = _arithmetic(_REDUCED, "reduction", compute_desc, desc_A, desc_C)
    tensors, modes = (desc_A, desc_C, desc_C), (mode_A, mode_C, mode_C)
    return OperationDescriptor("reduction", (op_reduce, 0), tensors, modes, (op_A, op_C, OP_IDENTITY), compute)


def create_permutation(
    desc_A: TensorDescriptor,
    mode_A: Mode,
    op_A: int,
    desc_B: TensorDescriptor,
    mode_B: Mode,
    compute_desc: int = 0,
) -> OperationDescriptor:
    """Describes `B = alpha * op_A(A)`, with the axes in another order. `ValueError` for unsupported dtypes."""
    compute = _arithmetic(_COMBINED, "permutation", compute_desc, desc_A, desc_B)
    return OperationDescriptor("permutation", (0, 0), (desc_A, desc_B), (mode_A, mode_B), (op_A, OP_IDENTITY), compute)


def create_elementwise_binary(
    desc_A: TensorDescriptor,
    mode_A: Mode,
    op_A: int,
    desc_C: TensorDescriptor,
    mode_C: Mode,
    op_C: int,
    desc_D: TensorDescriptor,
    mode_D: Mode,
    op_AC: int,
    compute_desc: int = 0,
) -> OperationDescriptor:
    """Describes `D = op_AC(alpha * op_A(A), gamma * op_C(C))`. `ValueError` for unsupported dtypes."""
    compute = _arithmetic(_COMBINED, "elementwise_binary", compute_desc, desc_A, desc_C)
    tensors, modes = (desc_A, desc_C, desc_D), (mode_A, mode_C, mode_D)
    return OperationDescriptor("binary", (op_AC, 0), tensors, modes, (op_A, op_C, OP_IDENTITY), compute)


def create_elementwise_trinary(
    desc_A: TensorDescriptor,
    mode_A: Mode,
    op_A: int,
    desc_B: TensorDescriptor,
    mode_B: Mode,
    op_B: int,
    desc_C: TensorDescriptor,
    mode_C: Mode,
    op_C: int,
    desc_D: TensorDescriptor,
    mode_D: Mode,
    op_AB: int,
    op_ABC: int,
    compute_desc: int = 0,
) -> OperationDescriptor:
    """Describes `D = op_ABC(op_AB(alpha * op_A(A), beta * op_B(B)), gamma * op_C(C))`.

    `ValueError` for unsupported dtypes.
    """
    if desc_A.cutensor_dtype != desc_B.cutensor_dtype:
        names = _NAMES[desc_A.cutensor_dtype], _NAMES[desc_B.cutensor_dtype]
        raise ValueError(f"dtype mismatch: {names[0]} != {names[1]}")
    compute = _arithmetic(_COMBINED, "elementwise_trinary", compute_desc, desc_A, desc_C)
    tensors, modes = (desc_A, desc_B, desc_C, desc_D), (mode_A, mode_B, mode_C, mode_D)
    operators = (op_A, op_B, op_C, OP_IDENTITY)
    return OperationDescriptor("trinary", (op_AB, op_ABC), tensors, modes, operators, compute)


# Operations.


def _factor(value: Any) -> tuple[float, float]:
    number = complex(value.item() if isinstance(value, (ndarray, np.ndarray)) else value)
    return number.real, number.imag


def _run(
    desc: OperationDescriptor,
    inputs: list[ndarray],
    out: ndarray,
    factors: Sequence[Any],
    preference: PlanPreference | None = None,
    estimate: int = WORKSPACE_RECOMMENDED,
) -> ndarray:
    operation = desc._operation(preference or create_plan_preference(), None, estimate)
    operation.run(inputs, out, [_factor(factor) for factor in factors])
    return out


def _checked(**arrays: Any) -> None:
    for name, array in arrays.items():
        if not isinstance(array, ndarray):
            raise TypeError(f"{name} must be an array of a device, not {type(array).__name__}")


def _result(C: ndarray, out: ndarray | None) -> ndarray:
    if out is None:
        return _core.empty(C.shape, C.dtype)
    _checked(out=out)
    if C.dtype != out.dtype:
        raise ValueError(f"dtype mismatch: {C.dtype} != {out.dtype}")
    if C.shape != out.shape:
        raise ValueError(f"shape mismatch: {C.shape} != {out.shape}")
    return out


def contraction(
    alpha: Any,
    A: ndarray,
    mode_A: Any,
    B: ndarray,
    mode_B: Any,
    beta: Any,
    C: ndarray,
    mode_C: Any,
    op_A: int = OP_IDENTITY,
    op_B: int = OP_IDENTITY,
    op_C: int = OP_IDENTITY,
    algo: int = ALGO_DEFAULT,
    jit_mode: int = JIT_MODE_NONE,
    compute_desc: int = 0,
    ws_pref: int = WORKSPACE_RECOMMENDED,
) -> ndarray:
    """`C = alpha * op_A(A) * op_B(B) + beta * op_C(C)`, summed over the labels that only `A` and `B` have.

    Parameters
    ----------
    alpha, beta : scalar
        Factors. With `beta` 0 the old content of `C` is not read.
    A, B, C : ndarray
        Tensors of float16, bfloat16, float32, float64, complex64 or complex128, of one dtype; one of `A` and `B` may be
        float64 where the others are complex128. `C` is overwritten.
    mode_A, mode_B, mode_C : Mode, or sequence of int or str
        Labels of their axes.
    op_A, op_B, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    algo : int
        An algorithm, `cuda.cutensor.ALGO_...`.
    jit_mode : int
        Whether kernels may be compiled for the operation.
    compute_desc : int
        Arithmetic, `cuda.cutensor.COMPUTE_DESC_...`; 0 for that of the dtype, float32 for float16.
    ws_pref : int
        How much scratch memory it may take, `cuda.cutensor.WORKSPACE_...`.

    Returns
    -------
    ndarray
        `C`.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, modes of other lengths than the arrays have axes, arrays without
        elements, and negative strides.
    CuTensorError
        For what the library refuses.
    MissingLibraryError, UnsupportedError
        Without the library.
    """
    _checked(A=A, B=B, C=C)
    mode_A, mode_B, mode_C = _mode_of(A, mode_A), _mode_of(B, mode_B), _mode_of(C, mode_C)
    described = [create_tensor_descriptor(array) for array in (A, B, C)]
    desc = create_contraction(
        described[0], mode_A, op_A, described[1], mode_B, op_B, described[2], mode_C, op_C, compute_desc
    )
    return _run(desc, [A, B, C], C, (alpha, beta), create_plan_preference(algo, jit_mode), ws_pref)


def reduction(
    alpha: Any,
    A: ndarray,
    mode_A: Any,
    beta: Any,
    C: ndarray,
    mode_C: Any,
    op_A: int = OP_IDENTITY,
    op_C: int = OP_IDENTITY,
    op_reduce: int = OP_ADD,
    compute_desc: int = 0,
) -> ndarray:
    """`C = alpha * op_reduce(op_A(A)) + beta * op_C(C)`, over the labels that `C` lacks.

    Parameters
    ----------
    alpha, beta : scalar
        Factors. With `beta` 0 the old content of `C` is not read.
    A, C : ndarray
        Tensors of one dtype. `C` is overwritten.
    mode_A, mode_C : Mode, or sequence of int or str
        Labels of their axes.
    op_A, op_C, op_reduce : int
        Unary operators, and the binary one that reduces.
    compute_desc : int
        Arithmetic; 0 for that of the dtype.

    Returns
    -------
    ndarray
        `C`.

    Raises
    ------
    ValueError, CuTensorError, MissingLibraryError, UnsupportedError
        As `contraction`.
    """
    _checked(A=A, C=C)
    mode_A, mode_C = _mode_of(A, mode_A), _mode_of(C, mode_C)
    described = [create_tensor_descriptor(array) for array in (A, C)]
    desc = create_reduction(described[0], mode_A, op_A, described[1], mode_C, op_C, op_reduce, compute_desc)
    return _run(desc, [A, C], C, (alpha, beta))


def permutation(
    alpha: Any,
    A: ndarray,
    mode_A: Any,
    B: ndarray,
    mode_B: Any,
    op_A: int = OP_IDENTITY,
    compute_desc: int = 0,
) -> ndarray:
    """`B = alpha * op_A(A)` with the axes in the order of `mode_B`; returns `B`.

    Parameters and errors are those of `contraction`.
    """
    _checked(A=A, B=B)
    mode_A, mode_B = _mode_of(A, mode_A), _mode_of(B, mode_B)
    desc = create_permutation(
        create_tensor_descriptor(A), mode_A, op_A, create_tensor_descriptor(B), mode_B, compute_desc
    )
    return _run(desc, [A], B, (alpha,))


def elementwise_binary(
    alpha: Any,
    A: ndarray,
    mode_A: Any,
    gamma: Any,
    C: ndarray,
    mode_C: Any,
    out: ndarray | None = None,
    op_A: int = OP_IDENTITY,
    op_C: int = OP_IDENTITY,
    op_AC: int = OP_ADD,
    compute_desc: int = 0,
) -> ndarray:
    """`out = op_AC(alpha * op_A(A), gamma * op_C(C))`, broadcast over the labels that `A` lacks.

    Parameters
    ----------
    alpha, gamma : scalar
        Factors.
    A, C : ndarray
        Tensors; `A` has some of the labels of `C`.
    mode_A, mode_C : Mode, or sequence of int or str
        Labels of their axes.
    out : ndarray, optional
        Where the result goes, of the dtype and shape of `C`, which it may be; a new array otherwise.
    op_A, op_C, op_AC : int
        Unary operators, and the binary one.
    compute_desc : int
        Arithmetic; 0 for that of the dtypes.

    Returns
    -------
    ndarray
        The result.

    Raises
    ------
    ValueError, CuTensorError, MissingLibraryError, UnsupportedError
        As `contraction`.
    """
    _checked(A=A, C=C)
    mode_A, mode_C = _mode_of(A, mode_A), _mode_of(C, mode_C)
    out = _result(C, out)
    a, c, d = (create_tensor_descriptor(array) for array in (A, C, out))
    desc = create_elementwise_binary(a, mode_A, op_A, c, mode_C, op_C, d, mode_C, op_AC, compute_desc)
    return _run(desc, [A, C], out, (alpha, gamma))


def elementwise_trinary(
    alpha: Any,
    A: ndarray,
    mode_A: Any,
    beta: Any,
    B: ndarray,
    mode_B: Any,
    gamma: Any,
    C: ndarray,
    mode_C: Any,
    out: ndarray | None = None,
    op_A: int = OP_IDENTITY,
    op_B: int = OP_IDENTITY,
    op_C: int = OP_IDENTITY,
    op_AB: int = OP_ADD,
    op_ABC: int = OP_ADD,
    compute_desc: int = 0,
) -> ndarray:
    """`out = op_ABC(op_AB(alpha * op_A(A), beta * op_B(B)), gamma * op_C(C))`.

    Parameters and errors are those of `elementwise_binary`; `A` and `B` have one dtype.
    """
    _checked(A=A, B=B, C=C)
    mode_A, mode_B, mode_C = _mode_of(A, mode_A), _mode_of(B, mode_B), _mode_of(C, mode_C)
    out = _result(C, out)
    a, b, c, d = (create_tensor_descriptor(array) for array in (A, B, C, out))
    desc = create_elementwise_trinary(
        a, mode_A, op_A, b, mode_B, op_B, c, mode_C, op_C, d, mode_C, op_AB, op_ABC, compute_desc
    )
    return _run(desc, [A, B, C], out, (alpha, beta, gamma))
