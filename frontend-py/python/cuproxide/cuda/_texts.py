"""Entries that docstrings of `cuda.cusparselt`, `cuda.nccl` and `cutensor` share; `_lib.texts` fills them in."""

TEXTS = {
    "alignment": "int\n    Bytes of which its address is a multiple; the library wants a multiple of 16.",
    "attribute": "int\n"
    "    `CUSPARSELT_MATMUL_ALG_CONFIG_ID`, `CUSPARSELT_MATMUL_SEARCH_ITERATIONS` or "
    "`CUSPARSELT_MATMUL_SPLIT_K...`, an\n"
    "    int32; `CUSPARSELT_MATMUL_ALG_CONFIG_MAX_ID` can only be read.",
    "compute_desc": "int\n    Arithmetic, `cuda.cutensor.COMPUTE_DESC_...`; 0 for that of the dtypes.",
    "count": "int\n    The number of elements.",
    "cusparselt -> tuple[int, int]": "tuple of int\n"
    "    Bytes on the device of the compressed matrix, and of the scratch memory.",
    "cusparselt.algSelection": "MatmulAlgSelection\n    The selection.",
    "cusparselt.ld": "int\n"
    "    Elements from one row to the next (`CUSPARSE_ORDER_ROW`), or from one column to the next.",
    "cusparselt: Raises": "ValueError\n"
    "    For a structure that is empty.\n"
    "CuSparseError\n"
    "    For what the library refuses.",
    "cutensor -> OperationDescriptor": "OperationDescriptor\n    What `create_plan` prepares.",
    "cutensor -> ndarray": "ndarray\n    `C`.",
    "cutensor.out": "ndarray\n"
    "    Where the result goes, of the dtype and shape of `C`, which it may be; a new array otherwise.",
    "d_dense": "int\n    Address of the pruned matrix on the device.",
    "d_in": "int\n    Address of the matrix on the device.",
    "d_valid": "int\n    Address of the int32 on the device that becomes 0 if the matrix has the structure.",
    "data": "int\n    Address of the value, in memory of the host.",
    "dataSize": "int\n    Its bytes.",
    "datatype": "int\n    The number of the type.",
    "desc_D": "TensorDescriptor\n    The result, of the dtype and shape of `C`.",
    "handle": "Handle\n    A handle that `init` filled.",
    "isSparseA": "int\n    1 for a matrix on the left of a product, 0 for one on the right.",
    "matAttribute": "int\n"
    "    `CUSPARSELT_MAT_NUM_BATCHES` (int32), or `CUSPARSELT_MAT_BATCH_STRIDE` (int64, in elements).",
    "matmulAttribute": "int\n"
    "    `CUSPARSELT_MATMUL_...`: switches such as `ACTIVATION_RELU` are int32, its `UPPERBOUND` and `THRESHOLD` "
    "float32,\n"
    "    `BIAS_STRIDE` int64, and addresses such as `BIAS_POINTER` uint64.",
    "matmulDescr": "MatmulDescriptor\n    The description of the product.",
    "mode_D": "Mode\n    Labels of its axes.",
    "nccl.op": "int\n    The number of the operation.",
    "nccl.peer": "int\n    The other rank.",
    "nvtx.color": "int\n    The color.",
    "nvtx.id_color": "int\n    The number of the color.",
    "nvtx.message": "str\n    The text.",
    "op": "int\n    `cuda.cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE` or `CUSPARSE_OPERATION_TRANSPOSE`.",
    "op_A": "int\n    A unary operator, `cuda.cutensor.OP_...`.",
    "order": "int\n    `cuda.cusparse.CUSPARSE_ORDER_ROW` or `CUSPARSE_ORDER_COL`.",
    "plan": "MatmulPlan\n    The prepared product.",
    "pruneAlg": "int\n"
    "    `CUSPARSELT_PRUNE_SPMMA_STRIP` prunes each group along the summed dimension; `CUSPARSELT_PRUNE_SPMMA_TILE`\n"
    "    prunes tiles so that rows and columns have the structure.",
    "recvbuf": "int\n    The address to receive at.",
    "root": "int\n    The rank that has, or gets, the data.",
    "sendbuf": "int\n    The address to send from.",
    "sparseMatDescr": "MatDescriptor\n    The matrix, of `structuredDescriptorInit`.",
    "stream": "int\n    The handle of the stream.",
    "tensors": "sequence of TensorDescriptor\n"
    "    The tensors that are read, in the order of the formula, then the result.",
    "valueType": "int\n"
    "    Number of the element type (`cudaDataType`): 0 for float32, 2 for float16, 3 for int8, 14 for bfloat16.",
    "workspace": "int\n    Address of scratch memory on the device, of `matmulGetWorkspace` bytes.",
}
