#!/usr/bin/env bash
# NumPy's functions inside of functions that Numba compiles (Numba 0.68.1, NumPy 2.4.6, x86-64), silently different from NumPy's:
# fmod of integers of different signs is no remainder; the imaginary part of a large complex square root is half of the right
# one; tanh of a complex number with a large real part is NaN; complex expm1 loses its real part next to 0; means of float32 are
# added in order, so that the mean of 2^24 equal elements is 7 % off; the operator + of uint64 and int64 wraps to a negative
# integer (numpy.add does not); a shift by the width of the type is a shift by 0.
. "$(dirname "$0")/run.sh"

finding "numba==0.68.1 numpy==2.4.6" "numpy.fmod(x, y) of [-7  7] [ 3 -3]: NumPy [-1  1] Numba [0 7]
numpy.sqrt(x) of [1.e+308+1.e+308j]: NumPy [1.09868411e+154+4.55089861e+153j] Numba [1.09868411e+154+2.2754493e+153j]
numpy.tanh(x) of [400.+1.j]: NumPy [1.+0.j] Numba [nan+nanj]
numpy.expm1(x) of [1.e-20+1.e-20j]: NumPy [1.e-20+1.e-20j] Numba [0.+1.e-20j]
numpy.mean(x) of [1.1 1.1 1.1 ... 1.1 1.1 1.1]: NumPy 1.1000001430511475 Numba 1.0262858867645264
x + y of [9223372036854775808] [1]: NumPy [9.22337204e+18] Numba [-9.22337204e+18]
x << y of [1] [64]: NumPy [0] Numba [1]" <<'PROGRAM'
import numba
import numpy

numpy.seterr(all="ignore")
for expression, *arguments in (
    ("numpy.fmod(x, y)", numpy.array([-7, 7]), numpy.array([3, -3])),
    ("numpy.sqrt(x)", numpy.array([1e308 + 1e308j])),
    ("numpy.tanh(x)", numpy.array([400 + 1j])),
    ("numpy.expm1(x)", numpy.array([1e-20 + 1e-20j])),
    ("numpy.mean(x)", numpy.full(1 << 24, 1.1, "float32")),
    ("x + y", numpy.array([2**63], "uint64"), numpy.array([1])),
    ("x << y", numpy.array([1]), numpy.array([64])),
):
    function = eval(f"lambda {', '.join('xy'[: len(arguments)])}: {expression}")
    expected, result = map(numpy.asarray, (function(*arguments), numba.njit(function)(*arguments)))
    print(f"{expression} of {' '.join(map(str, arguments))}: NumPy {expected} Numba {result}")
PROGRAM
