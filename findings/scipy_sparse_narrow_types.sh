#!/usr/bin/env bash
# Element-wise methods of sparse arrays of bool and 8-bit integers, such as sqrt, sin and rint (SciPy 1.17.1 with NumPy 2.4.6,
# 1.18.1 with 2.5.5). NumPy computes them in float16, which sparse arrays do not hold: CSR, CSC, COO and BSR raise ValueError,
# DIA returns a float16 array that no other format takes. Call astype("float32") first.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "bool csr:ValueError csc:ValueError coo:ValueError bsr:ValueError dia:float16
int8 csr:ValueError csc:ValueError coo:ValueError bsr:ValueError dia:float16
uint8 csr:ValueError csc:ValueError coo:ValueError bsr:ValueError dia:float16
int16 csr:float32 csc:float32 coo:float32 bsr:float32 dia:float32
dia tocsr ValueError sum float16" <<'PROGRAM'
import numpy
import scipy.sparse


def attempt(action):
    try:
        return str(action().dtype)
    except Exception as error:
        return type(error).__name__


for dtype in ("bool", "int8", "uint8", "int16"):
    dense = numpy.eye(3, dtype=dtype)
    formats = [getattr(scipy.sparse, f"{name}_array")(dense) for name in ("csr", "csc", "coo", "bsr", "dia")]
    print(dtype, *(f"{array.format}:{attempt(array.sqrt)}" for array in formats))
root = scipy.sparse.dia_array(numpy.eye(3, dtype="int8")).sqrt()
print("dia tocsr", attempt(root.tocsr), "sum", attempt(lambda: root.sum(axis=0)))
PROGRAM
