"""Constants and errors of the vendor's library for products of matrices, by the names that programs import.

The operations themselves are `cuproxide.matmul` and `cuproxide.dot`, or under `cuproxide.compat` those of
`cupy.cublas`; the library's own functions take the handle of `Device.cublas_handle`.
"""

from __future__ import annotations

from .._cuproxide import DeviceError

__all__ = [
    "CUBLASError",
    "CUBLAS_DIAG_NON_UNIT",
    "CUBLAS_DIAG_UNIT",
    "CUBLAS_FILL_MODE_LOWER",
    "CUBLAS_FILL_MODE_UPPER",
    "CUBLAS_OP_C",
    "CUBLAS_OP_N",
    "CUBLAS_OP_T",
    "CUBLAS_POINTER_MODE_DEVICE",
    "CUBLAS_POINTER_MODE_HOST",
    "CUBLAS_SIDE_LEFT",
    "CUBLAS_SIDE_RIGHT",
]

CUBLASError = DeviceError

CUBLAS_OP_N = 0
CUBLAS_OP_T = 1
CUBLAS_OP_C = 2
CUBLAS_POINTER_MODE_HOST = 0
CUBLAS_POINTER_MODE_DEVICE = 1
CUBLAS_SIDE_LEFT = 0
CUBLAS_SIDE_RIGHT = 1
CUBLAS_FILL_MODE_LOWER = 0
CUBLAS_FILL_MODE_UPPER = 1
CUBLAS_DIAG_NON_UNIT = 0
CUBLAS_DIAG_UNIT = 1
