#!/usr/bin/env bash
# SciPy's lsqr and lsmr depend on the unit of the system (SciPy 1.17.1, 1.18.1): lsqr adds 2.2e-16 to a denominator of its test for
# the end, lsmr's estimate of the condition starts with 1. Multiplied by 1e-12, matrix and right-hand side have the same solution,
# and both stop early with success or with a condition that the matrix does not have. Scale the system near 1.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "lsqr times 1: [1.262, 2.085, 3.0, 3.928, 5.02], reason 2, iterations 5
lsqr times 1e-12: [1.261, 2.082, 3.002, 3.931, 5.018], reason 2, iterations 4
lsqr times 1e-16: [-1.011, 1.62, 3.46, 2.167, 4.9], reason 2, iterations 1
lsmr times 1: [1.262, 2.085, 3.0, 3.928, 5.02], reason 2, iterations 5
lsmr times 1e-12: [-1.007, 1.613, 3.443, 2.157, 4.877], reason 3, iterations 1
lsmr times 1e-16: [-1.007, 1.613, 3.443, 2.157, 4.877], reason 3, iterations 1" <<'PROGRAM'
import numpy as np
from scipy.sparse.linalg import lsmr, lsqr

draw = np.random.default_rng(0)
A = draw.standard_normal((20, 5))
b = A @ np.arange(1.0, 6) + 0.3 * draw.standard_normal(20)
for solve in (lsqr, lsmr):
    for unit in (1, 1e-12, 1e-16):
        x, reason, iterations = solve(A * unit, b * unit, atol=1e-8, btol=1e-8)[:3]
        print(f"{solve.__name__} times {unit:g}: {x.round(3).tolist()}, reason {reason}, iterations {iterations}")
PROGRAM
