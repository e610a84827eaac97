#!/usr/bin/env bash
# SciPy's iterative solvers take a right-hand side whose squares underflow for zero, and return it, or zeros, as the solution with
# success (SciPy 1.17.1, 1.18.1): in single precision below some 1e-23, which physical constants in SI units reach. Scale the
# system, or solve it in double precision.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "cg: [0.137, 0.451, 0.51] 0, of 1e-25 b: [1.0, 2.0, 3.0] 0
bicgstab: [0.137, 0.451, 0.51] 0, of 1e-25 b: [1.0, 2.0, 3.0] 0
gmres: [0.137, 0.451, 0.51] 0, of 1e-25 b: [1.0, 2.0, 3.0] 0
qmr: [0.137, 0.451, 0.51] 0, of 1e-25 b: [1.0, 2.0, 3.0] 0
minres: [0.137, 0.451, 0.51] 0, of 1e-25 b: [0.0, 0.0, 0.0] 0" <<'PROGRAM'
import numpy as np
from scipy.sparse import csr_array, linalg

A = csr_array(np.array([[4, 1, 0], [1, 3, 1], [0, 1, 5]], "float32"))
b, tiny = np.array([1, 2, 3], "float32"), np.float32(1e-25)
for name in ("cg", "bicgstab", "gmres", "qmr", "minres"):
    solve = getattr(linalg, name)
    (x, info), (y, found) = solve(A, b), solve(A, b * tiny)
    print(f"{name}: {x.astype(float).round(3).tolist()} {info}, of 1e-25 b: {(y / tiny).astype(float).round(3).tolist()} {found}")
PROGRAM
