#!/usr/bin/env bash
# SciPy's tfqmr takes products `M A v` beside residuals of `A x = b`, which belong together only if `M` and `A` commute: with another
# preconditioner it solves another system, and reports success (SciPy 1.17.1, 1.18.1). Use bicgstab or gmres.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "tfqmr: residual 0.0e+00, with a preconditioner 6.7e-01, info 0
bicgstab: residual 0.0e+00, with a preconditioner 0.0e+00, info 0" <<'PROGRAM'
import numpy as np
from scipy.sparse import linalg

A, b = np.array([[1.0, 1, 0], [2, 10, 1], [0, 1, 100]]), np.array([1.0, 2, 3])
M = np.diag(1 / np.diag(A))
for name in ("tfqmr", "bicgstab"):
    solve = getattr(linalg, name)
    (x, _), (y, info) = solve(A, b, rtol=1e-10), solve(A, b, rtol=1e-10, M=M)
    plain, preconditioned = (round(float(np.linalg.norm(b - A @ z) / np.linalg.norm(b)), 8) for z in (x, y))
    print(f"{name}: residual {plain:.1e}, with a preconditioner {preconditioned:.1e}, info {info}")
PROGRAM
