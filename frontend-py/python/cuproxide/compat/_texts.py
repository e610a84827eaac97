"""Entries of parameters that docstrings of `compat` share; `_lib.texts` fills them in."""

TEXTS = {
    "a": "ndarray\n    The first operand.",
    "alpha": "number\n    The factor of the product.",
    "b": "ndarray\n    The second operand.",
    "beta": "number\n    The factor of what is added to.",
    "cublas -> Any": "ndarray",
    "lapack.a": "ndarray\n    The matrix.",
    "lapack.b": "ndarray\n    The right side.",
    "lower": "bool\n    Whether the lower triangle is read.",
    "out": "ndarray\n    An array for the result.",
    "transa": "{'N', 'T', 'H'}\n    Whether the first matrix is taken as it is, transposed or adjoint.",
    "transb": "{'N', 'T', 'H'}\n    Whether the second matrix is taken as it is, transposed or adjoint.",
    "x": "ndarray\n    The vector.",
    "y": "ndarray\n    The second vector.",
}
