"""Entries of parameters that docstrings of `cuda.cusparselt` share; `_lib.texts` fills them in."""

TEXTS = {
    "data": "int\n    Address of the value, in memory of the host.",
    "dataSize": "int\n    Its bytes.",
    "handle": "Handle\n    A handle that `init` filled.",
    "isSparseA": "int\n    1 for a matrix on the left of a product, 0 for one on the right.",
    "matmulDescr": "MatmulDescriptor\n    The description of the product.",
    "op": "int\n    `cuda.cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE` or `CUSPARSE_OPERATION_TRANSPOSE`.",
    "plan": "MatmulPlan\n    The prepared product.",
    "sparseMatDescr": "MatDescriptor\n    The matrix, of `structuredDescriptorInit`.",
}
