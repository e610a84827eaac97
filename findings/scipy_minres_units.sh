#!/usr/bin/env bash
# SciPy's minres takes the length of the right-hand side for a part of the norm of the matrix, and compares lengths in units of
# the matrix with the right-hand side and with the unit roundoff. Where the right-hand side is much larger than the matrix it
# ends after one step, with success (SciPy 1.17.1, 1.18.1). Divide the right-hand side and the matrix by their norms.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "A times 1, b times 1: residual 7e-05, info 0
A times 1, b times 1e+06: residual 3e-01, info 0
A times 1e-06, b times 1: residual 3e-01, info 0" <<'PROGRAM'
import numpy as np
from scipy.sparse.linalg import minres

draw = np.random.default_rng(1).standard_normal((30, 30))
A = draw @ draw.T + 30 * np.eye(30)
b = A @ np.ones(30)
for of_A, of_b in ((1, 1), (1, 1e6), (1e-6, 1)):
    x, info = minres(A * of_A, b * of_b)
    residual = np.linalg.norm(b - A @ x * (of_A / of_b)) / np.linalg.norm(b)
    print(f"A times {of_A:g}, b times {of_b:g}: residual {residual:.0e}, info {info}")
PROGRAM
