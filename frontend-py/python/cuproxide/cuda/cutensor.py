"""Constants, versions and errors of the vendor's library of tensor operations, by the names that programs import.

The operations themselves are in `cuproxide.cutensor`. The library is opened when something of it is first needed;
`available` says whether the current device has one that can be opened. The library's own functions take the handle of
`Device.cutensor_handle`.
"""

from __future__ import annotations

from typing import Any

from .. import _cuproxide
from .._cuproxide import DeviceError

CuTensorError = DeviceError
"""A call of the library failed: `status` is its code, the text holds its words."""

# Element types.
R_32F, R_64F, R_16F, R_8I, C_32F, C_64F, C_16F, C_8I, R_8U, C_8U = range(10)
R_32I, C_32I, R_32U, C_32U, R_16BF, C_16BF, R_4I, C_4I, R_4U, C_4U = range(10, 20)
R_16I, C_16I, R_16U, C_16U, R_64I, C_64I, R_64U, C_64U = range(20, 28)

# Algorithms of contractions; numbers from 0 on choose one of those that the library has.
ALGO_DEFAULT_PATIENT, ALGO_GETT, ALGO_TGETT, ALGO_TTGT, ALGO_DEFAULT = -6, -4, -3, -2, -1

# How much scratch memory an operation may take.
WORKSPACE_MIN, WORKSPACE_RECOMMENDED, WORKSPACE_MAX = 1, 2, 3
PLAN_REQUIRED_WORKSPACE = 0

# Unary operators.
OP_IDENTITY, OP_SQRT = 1, 2
OP_RELU, OP_CONJ, OP_RCP, OP_SIGMOID, OP_TANH = range(8, 13)
OP_EXP, OP_LOG, OP_ABS, OP_NEG, OP_SIN, OP_COS, OP_TAN, OP_SINH, OP_COSH = range(22, 31)
OP_ASIN, OP_ACOS, OP_ATAN, OP_ASINH, OP_ACOSH, OP_ATANH, OP_CEIL, OP_FLOOR = range(31, 39)

# Binary operators.
OP_ADD, OP_MUL, OP_MAX, OP_MIN = 3, 5, 6, 7

# Statuses.
STATUS_SUCCESS, STATUS_NOT_INITIALIZED, STATUS_ALLOC_FAILED, STATUS_INVALID_VALUE = 0, 1, 3, 7
STATUS_ARCH_MISMATCH, STATUS_MAPPING_ERROR = 8, 11
STATUS_EXECUTION_FAILED, STATUS_INTERNAL_ERROR, STATUS_NOT_SUPPORTED, STATUS_LICENSE_ERROR = range(13, 17)
STATUS_CUBLAS_ERROR, STATUS_CUDA_ERROR, STATUS_INSUFFICIENT_WORKSPACE = range(17, 20)
STATUS_INSUFFICIENT_DRIVER, STATUS_IO_ERROR = 20, 21

# Arithmetics.
COMPUTE_16F, COMPUTE_32F, COMPUTE_64F, COMPUTE_16BF, COMPUTE_TF32, COMPUTE_3XTF32 = 1, 4, 16, 1024, 4096, 8192
COMPUTE_DESC_16F, COMPUTE_DESC_32F, COMPUTE_DESC_64F = 1, 4, 16
COMPUTE_DESC_16BF, COMPUTE_DESC_TF32, COMPUTE_DESC_3xTF32 = 1024, 4096, 8192

JIT_MODE_NONE, JIT_MODE_DEFAULT = 0, 1

__all__ = [
    "CuTensorError",
    "get_cudart_version",
    "get_version",
    *(name for name in list(globals()) if name[0].isupper() and "_" in name),
]

available: bool
"""Whether the current device has the library, and it can be opened."""


def __getattr__(name: str) -> Any:
    if name == "available":
        return _cuproxide.tensors_are_there()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_version() -> int:
    """The version of the library, as 10000 * major + 100 * minor + patch level.

    Raises
    ------
    MissingLibraryError
        The library is not on this machine.
    UnsupportedError
        The device has none.
    """
    return _cuproxide.tensor_versions()[0]


def get_cudart_version() -> int:
    """The version of the run-time library that the library was built with. Raises as `get_version`."""
    return _cuproxide.tensor_versions()[1]
