#!/usr/bin/env bash
# scipy.special.eval_jacobi of a large order with a negative parameter adds terms of both signs that are many
# orders of magnitude larger than the result, and returns what is left of the rounding errors without a warning
# (SciPy 1.17.1 and 1.18.1). hyp2f1, of which real orders are made, does the same far from its tests.
# The last column is mpmath's value with 60 digits.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1 mpmath==1.4.1" "eval_jacobi(39, 0.3198, -35.12, -0.5243) wrong by a factor above 1e10: True mpmath 2.73472e-7
eval_jacobi(100, -50.5, 3.3, 0.1) wrong by a factor above 1e10: True mpmath 1.41001e-9
hyp2f1(30.5, -60.25, -40.5, 0.2) 169824.0 mpmath 178641.0" <<'PROGRAM'
import mpmath
from scipy import special

mpmath.mp.dps = 60
for x in ((39, 0.3198, -35.12, -0.5243), (100, -50.5, 3.3, 0.1)):
    value, right = special.eval_jacobi(*x), mpmath.jacobi(*map(mpmath.mpf, x))
    print(f"eval_jacobi{x} wrong by a factor above 1e10: {abs(value / right) > 1e10} mpmath {mpmath.nstr(right, 6)}")
x = (30.5, -60.25, -40.5, 0.2)
print(f"hyp2f1{x} {round(special.hyp2f1(*x), 0)} mpmath {mpmath.nstr(mpmath.hyp2f1(*x), 6)}")
PROGRAM
