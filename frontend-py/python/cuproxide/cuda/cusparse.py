"""Constants and errors of the vendor's library for sparse matrices, by the names that programs import.

Operations on sparse matrices are those of `cuproxide.scipy.sparse`; the library's own functions take the handle of
`Device.cusparse_handle`. The constants go with `cuda.cusparselt`.
"""

from __future__ import annotations

from .._cuproxide import DeviceError

__all__ = [
    "CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE",
    "CUSPARSE_OPERATION_NON_TRANSPOSE",
    "CUSPARSE_OPERATION_TRANSPOSE",
    "CUSPARSE_ORDER_COL",
    "CUSPARSE_ORDER_ROW",
    "CuSparseError",
]

CuSparseError = DeviceError

CUSPARSE_OPERATION_NON_TRANSPOSE = 0
CUSPARSE_OPERATION_TRANSPOSE = 1
CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE = 2
CUSPARSE_ORDER_COL = 1
CUSPARSE_ORDER_ROW = 2
