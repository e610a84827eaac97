#!/usr/bin/env bash
# bfloat16 of ml_dtypes in NumPy (ml_dtypes 0.6.0, NumPy 2.4.6; the same with NumPy 2.5.5):
# - np.sort returns an array with a NaN unsorted, where NumPy's own floats put NaN last;
# - sum and cumsum add in bfloat16, so they stop at 256; NumPy adds float16 in float32;
# - a @ b is float32, np.dot(a, b) of the same matrices is bfloat16;
# - with an array of int32 the result is float64, with int8 bfloat16.
# Cuproxide sorts NaN last, adds in float32 and returns bfloat16 from all three products; with int32 it returns float64 too.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 ml_dtypes==0.6.0" "sort [3 nan 1 2]
sum 256 cumsum 256 float16 1e+03
@ float32 dot bfloat16
int32 float64 int8 bfloat16" <<'PROGRAM'
import ml_dtypes
import numpy as np

bfloat16 = ml_dtypes.bfloat16
print("sort", np.sort(np.array([3, np.nan, 1, 2], bfloat16)))
ones = np.ones(1000, bfloat16)
print("sum", ones.sum(), "cumsum", np.cumsum(ones)[-1], "float16", ones.astype("float16").sum())
m = np.ones((2, 2), bfloat16)
print("@", (m @ m).dtype, "dot", np.dot(m, m).dtype)
print("int32", (m + np.ones(2, "int32")).dtype, "int8", (m + np.ones(2, "int8")).dtype)
PROGRAM
