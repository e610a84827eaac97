#!/usr/bin/env bash
# SciPy's minres takes the residual of the first guess without the shift: with `x0` and `shift` it solves another system, and
# reports success (SciPy 1.17.1, 1.18.1). Give the shifted matrix, or no guess.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "no guess, shift 0.5: residual 0.0000, info 0
a guess, shift 0: residual 0.0000, info 0
a guess, shift 0.5: residual 0.5345, info 0" <<'PROGRAM'
import numpy as np
from scipy.sparse.linalg import minres

A, b = np.diag([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 0])
for name, x0, shift in (("no guess", None, 0.5), ("a guess", np.full(4, 2.0), 0), ("a guess", np.full(4, 2.0), 0.5)):
    x, info = minres(A, b, x0, shift=shift, rtol=1e-12)
    residual = np.linalg.norm(b - A @ x + shift * x) / np.linalg.norm(b)
    print(f"{name}, shift {shift}: residual {residual:.4f}, info {info}")
PROGRAM
