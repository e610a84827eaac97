#!/usr/bin/env bash
# numexpr computes in fewer types than NumPy. uint64 is read as int64, so that numbers from 2**63 on are negative; float32 is
# summed in float32 from left to right and stops at 2**24; float32 with int32 stays float32; abs of complex numbers
# is complex and overflows where NumPy's hypot does not (numexpr 2.14.2). A program that is timed beside it must compare these.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 numexpr==2.14.2" "uint64 [-9223372036854775803] numpy [9223372036854775813]
sum of ones in float32 16777216.0 numpy 33554432.0
float32 + int32 float32 [16777216.0] numpy float64 [16777217.0]
abs complex128 [(inf+0j)] numpy float64 1.4142e+200" <<'PROGRAM'
import numexpr
import numpy

numpy.seterr(all="ignore")
a = numpy.array([2**63 + 4], "uint64")
print("uint64", numexpr.evaluate("a + 1").tolist(), "numpy", (a + 1).tolist())
ones = numpy.ones(2**25, "float32")
print("sum of ones in float32", float(numexpr.evaluate("sum(ones)")), "numpy", float(ones.sum()))
zero, odd = numpy.zeros(1, "float32"), numpy.array([2**24 + 1], "int32")
mixed, expected = numexpr.evaluate("zero + odd"), zero + odd
print("float32 + int32", mixed.dtype, mixed.tolist(), "numpy", expected.dtype, expected.tolist())
z = numpy.array([1e200 + 1e200j])
size, expected = numexpr.evaluate("abs(z)"), abs(z)
print("abs", size.dtype, size.tolist(), "numpy", expected.dtype, f"{expected[0]:.4e}")
PROGRAM
