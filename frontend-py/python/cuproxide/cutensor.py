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
from ._lib.texts import complete as _complete
from .cuda._texts import TEXTS as _TEXTS
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
    """How an array lies in memory; `create_tensor_descriptor` makes one of an array.

    Parameters
    ----------
    shape : tuple of int
        Lengths of the axes.
    strides : tuple of int
        Distances along the axes, in bytes.
    cutensor_dtype : int
        The number of the element type, `cuda.cutensor.R_...` or `C_...`.
    alignment : int
        Bytes of which the address is a multiple.

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

    Parameters
    ----------
    *mode : int or str
        A label for each axis; a character stands for its code point.

    Returns
    -------
    Mode
        The same object for the same labels.

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
    """Restricts the choice of kernels: an algorithm, and a mode of compiling.

    Parameters
    ----------
    algo : int
        The algorithm of contractions, `cuda.cutensor.ALGO_...` or a number from 0 on.
    jit_mode : int
        `cuda.cutensor.JIT_MODE_NONE`, or `JIT_MODE_DEFAULT` to let the library compile kernels for the operation.
    """

    def __init__(self, algo: int, jit_mode: int) -> None:
        self.algo, self.jit_mode = algo, jit_mode


@lru_cache(maxsize=64)
def create_plan_preference(algo: int = ALGO_DEFAULT, jit_mode: int = JIT_MODE_NONE) -> PlanPreference:
    """A preference: an algorithm (of contractions), and whether kernels may be compiled for the operation.

    Parameters
    ----------
    algo : int
        The algorithm: `cuda.cutensor.ALGO_DEFAULT` for the choice of the library, another `ALGO_...`, or a number from
        0 on for one of those that the library has.
    jit_mode : int
        `cuda.cutensor.JIT_MODE_NONE`, or `JIT_MODE_DEFAULT` to let the library compile kernels for the operation.

    Returns
    -------
    PlanPreference
        The same object for the same arguments.

    Examples
    --------
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import ALGO_GETT
    >>> preference = cutensor.create_plan_preference(ALGO_GETT)
    >>> preference.algo, preference.jit_mode
    (-4, 0)
    """
    return PlanPreference(algo, jit_mode)


class OperationDescriptor:
    """An operation on described tensors: the result of `create_contraction` and the other `create_...`.

    Parameters
    ----------
    kind : {"contraction", "reduction", "permutation", "binary", "trinary"}
        What is done to the tensors.
    combine : tuple of int
        Two binary operators, `cuda.cutensor.OP_...`: the first one reduces or combines `A` with the next tensor, the
        second one combines the result of that with `C` (trinary). 0 where there is none.
    modes : sequence of Mode
        The labels of their axes.
    operators : sequence of int
        The unary operator of each tensor, `cuda.cutensor.OP_...`; `OP_IDENTITY` for the result.
    compute_desc : int
        Arithmetic, `cuda.cutensor.COMPUTE_DESC_...`.

    Raises
    ------
    ValueError
        For a mode of another length than its tensor has axes.
    """

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
    """A prepared operation; `create_plan` makes one of an `OperationDescriptor`.

    Parameters
    ----------
    operation : TensorOperation
        The operation, without what the tensors tell of themselves.

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

    Parameters
    ----------
    desc : OperationDescriptor
        The operation, from `create_contraction` or another `create_...`.
    pref : PlanPreference
        The algorithm and the mode of compiling, of `create_plan_preference`.
    ws_limit : int
        The most bytes of scratch memory that an execution may take.

    Returns
    -------
    Plan
        With `required_workspace`, the bytes that an execution takes.

    Raises
    ------
    CuTensorError
        For what the library does not support.
    ValueError
        For tensors without elements, and for negative strides.
    MissingLibraryError, UnsupportedError
        Without the library.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_IDENTITY
    >>> described = cutensor.create_tensor_descriptor(cp.ones((4, 4)))
    >>> ij, ji = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> desc = cutensor.create_permutation(described, ij, OP_IDENTITY, described, ji)
    >>> cutensor.create_plan(desc, cutensor.create_plan_preference()).required_workspace  # doctest: +SKIP
    0
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
    """Describes `C = alpha * op_A(A) * op_B(B) + beta * op_C(C)`, summed over the labels that only `A` and `B` have.

    Parameters
    ----------
    desc_A, desc_B, desc_C : TensorDescriptor
        Tensors of one dtype; one of `A` and `B` may be float64 where the others are complex128.
    mode_A, mode_B, mode_C : Mode
        Labels of their axes.
    op_A, op_B, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    compute_desc : int
        Arithmetic, `cuda.cutensor.COMPUTE_DESC_...`; 0 for that of the dtype, float32 for float16 and bfloat16.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, and for a mode of another length than its tensor has axes.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_IDENTITY
    >>> a, b, c = (cutensor.create_tensor_descriptor(cp.ones(shape)) for shape in ((2, 3), (3, 4), (2, 4)))
    >>> ij, jk, ik = (cutensor.create_mode(*labels) for labels in ("ij", "jk", "ik"))
    >>> desc = cutensor.create_contraction(a, ij, OP_IDENTITY, b, jk, OP_IDENTITY, c, ik, OP_IDENTITY)
    >>> plan = cutensor.create_plan(desc, cutensor.create_plan_preference(), 1 << 20)  # doctest: +SKIP
    """
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
    """Describes `C = alpha * op_reduce(op_A(A)) + beta * op_C(C)`, over the labels that `C` lacks.

    Parameters
    ----------
    desc_A, desc_C : TensorDescriptor
        Tensors of one dtype.
    mode_A, mode_C : Mode
        Labels of their axes; those of `C` are some of those of `A`.
    op_A, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    op_reduce : int
        The binary operator that reduces: `cuda.cutensor.OP_ADD`, `OP_MUL`, `OP_MAX` or `OP_MIN`.
    compute_desc : int
        Arithmetic, `cuda.cutensor.COMPUTE_DESC_...`; 0 for that of the dtype, float32 for bfloat16.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, and for a mode of another length than its tensor has axes.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_ADD, OP_IDENTITY
    >>> a, c = (cutensor.create_tensor_descriptor(cp.ones(shape)) for shape in ((2, 3), (2,)))
    >>> ij, i = cutensor.create_mode("i", "j"), cutensor.create_mode("i")
    >>> desc = cutensor.create_reduction(a, ij, OP_IDENTITY, c, i, OP_IDENTITY, OP_ADD)
    >>> plan = cutensor.create_plan(desc, cutensor.create_plan_preference(), 1 << 20)  # doctest: +SKIP
    """
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
    """Describes `B = alpha * op_A(A)`, with the axes in another order.

    Parameters
    ----------
    desc_A, desc_B : TensorDescriptor
        Tensors of one dtype, or of float16 and float32, float32 and float64, complex64 and complex128.
    mode_A, mode_B : Mode
        Labels of their axes: the same ones in two orders.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, and for a mode of another length than its tensor has axes.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_IDENTITY
    >>> a, b = (cutensor.create_tensor_descriptor(cp.ones(shape)) for shape in ((2, 3), (3, 2)))
    >>> ij, ji = cutensor.create_mode("i", "j"), cutensor.create_mode("j", "i")
    >>> desc = cutensor.create_permutation(a, ij, OP_IDENTITY, b, ji)
    >>> plan = cutensor.create_plan(desc, cutensor.create_plan_preference())  # doctest: +SKIP
    """
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
    """Describes `D = op_AC(alpha * op_A(A), gamma * op_C(C))`, broadcast over the labels that `A` lacks.

    Parameters
    ----------
    desc_A, desc_C : TensorDescriptor
        Tensors of one dtype, or of float16 and float32, float32 and float64, complex64 and complex128.
    mode_A, mode_C : Mode
        Labels of their axes; those of `A` are some of those of `C`.
    op_A, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    op_AC : int
        The binary operator: `cuda.cutensor.OP_ADD`, `OP_MUL`, `OP_MAX` or `OP_MIN`.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, and for a mode of another length than its tensor has axes.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_ADD, OP_IDENTITY
    >>> a, c = (cutensor.create_tensor_descriptor(cp.ones(shape)) for shape in ((3,), (2, 3)))
    >>> j, ij = cutensor.create_mode("j"), cutensor.create_mode("i", "j")
    >>> desc = cutensor.create_elementwise_binary(a, j, OP_IDENTITY, c, ij, OP_IDENTITY, c, ij, OP_ADD)
    >>> plan = cutensor.create_plan(desc, cutensor.create_plan_preference())  # doctest: +SKIP
    """
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

    Parameters
    ----------
    desc_A, desc_B, desc_C : TensorDescriptor
        Tensors; `A` and `B` have one dtype, and `C` has it too, or another precision of it: float16 and float32,
        float32 and float64, complex64 and complex128 go together.
    mode_A, mode_B, mode_C : Mode
        Labels of their axes; those of `A` and `B` are some of those of `C`.
    op_A, op_B, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    op_AB, op_ABC : int
        The binary operators: `cuda.cutensor.OP_ADD`, `OP_MUL`, `OP_MAX` or `OP_MIN`.

    Raises
    ------
    ValueError
        For dtypes that are not supported together, and for a mode of another length than its tensor has axes.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_ADD, OP_IDENTITY, OP_MUL
    >>> a, c = (cutensor.create_tensor_descriptor(cp.ones(shape)) for shape in ((3,), (2, 3)))
    >>> j, ij = cutensor.create_mode("j"), cutensor.create_mode("i", "j")
    >>> inputs = a, j, OP_IDENTITY, a, j, OP_IDENTITY, c, ij, OP_IDENTITY
    >>> desc = cutensor.create_elementwise_trinary(*inputs, c, ij, OP_MUL, OP_ADD)
    >>> plan = cutensor.create_plan(desc, cutensor.create_plan_preference())  # doctest: +SKIP
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
        # The library wants both to lie alike.
        return _core.empty_like(C)
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

    Raises
    ------
    ValueError
        For dtypes that are not supported together, modes of other lengths than the arrays have axes, arrays without
        elements, and negative strides.
    CuTensorError
        For what the library refuses.
    MissingLibraryError, UnsupportedError
        Without the library.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> a, b, c = cp.array([[1.0, 2.0]]), cp.array([[3.0], [4.0]]), cp.array([[5.0]])
    >>> cutensor.contraction(1.0, a, "ij", b, "jk", 10.0, c, "ik")  # doctest: +SKIP
    array([[61.]])
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

    Raises
    ------
    ValueError, CuTensorError, MissingLibraryError, UnsupportedError
        As `contraction`.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> a, c = cp.array([[1.0, 2.0], [3.0, 4.0]]), cp.zeros(2)
    >>> cutensor.reduction(1.0, a, "ij", 0.0, c, "i")  # doctest: +SKIP
    array([3., 7.])
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
    """`B = alpha * op_A(A)` with the axes in the order of `mode_B`.

    Parameters
    ----------
    alpha : scalar
        A factor.
    A, B : ndarray
        Tensors of one dtype, or of float16 and float32, float32 and float64, complex64 and complex128. `B` is
        overwritten.
    mode_A, mode_B : Mode, or sequence of int or str
        Labels of their axes: the same ones in two orders.

    Returns
    -------
    ndarray
        `B`.

    Raises
    ------
    ValueError, CuTensorError, MissingLibraryError, UnsupportedError
        As `contraction`.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> a = cp.array([[1.0, 2.0], [3.0, 4.0]])
    >>> cutensor.permutation(10.0, a, "ij", cp.empty((2, 2)), "ji")  # doctest: +SKIP
    array([[10., 30.],
           [20., 40.]])
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

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> a, c = cp.array([1.0, 2.0]), cp.array([[1.0, 1.0], [5.0, 5.0]])
    >>> cutensor.elementwise_binary(10.0, a, "j", 1.0, c, "ij")  # doctest: +SKIP
    array([[11., 21.],
           [15., 25.]])
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
    """`out = op_ABC(op_AB(alpha * op_A(A), beta * op_B(B)), gamma * op_C(C))`, broadcast as `elementwise_binary`.

    Parameters
    ----------
    alpha, beta, gamma : scalar
        Factors.
    A, B, C : ndarray
        Tensors; `A` and `B` have one dtype and some of the labels of `C`. `C` has their dtype too, or another precision
        of it: float16 and float32, float32 and float64, complex64 and complex128 go together.
    mode_A, mode_B, mode_C : Mode, or sequence of int or str
        Labels of their axes.
    op_A, op_B, op_C : int
        Unary operators, `cuda.cutensor.OP_...`.
    op_AB, op_ABC : int
        The binary operators: `cuda.cutensor.OP_ADD`, `OP_MUL`, `OP_MAX` or `OP_MIN`.

    Returns
    -------
    ndarray
        The result.

    Raises
    ------
    ValueError, CuTensorError, MissingLibraryError, UnsupportedError
        As `contraction`.

    >>> import cuproxide as cp
    >>> from cuproxide import cutensor
    >>> from cuproxide.cuda.cutensor import OP_MUL
    >>> a, c = cp.array([1.0, 2.0]), cp.array([[1.0, 1.0], [5.0, 5.0]])
    >>> cutensor.elementwise_trinary(1.0, a, "j", 3.0, a, "j", 1.0, c, "ij", op_AB=OP_MUL)  # doctest: +SKIP
    array([[ 4., 13.],
           [ 8., 17.]])
    """
    _checked(A=A, B=B, C=C)
    mode_A, mode_B, mode_C = _mode_of(A, mode_A), _mode_of(B, mode_B), _mode_of(C, mode_C)
    out = _result(C, out)
    a, b, c, d = (create_tensor_descriptor(array) for array in (A, B, C, out))
    desc = create_elementwise_trinary(
        a, mode_A, op_A, b, mode_B, op_B, c, mode_C, op_C, d, mode_C, op_AB, op_ABC, compute_desc
    )
    return _run(desc, [A, B, C], out, (alpha, beta, gamma))


_complete(globals(), __all__, _TEXTS)
