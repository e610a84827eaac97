#!/usr/bin/env bash
# scipy.linalg.solve_sylvester solves another equation where real and complex matrices meet (SciPy 1.17.1, 1.18.1): the real Schur
# forms of the real ones, which have blocks of two rows, go to LAPACK's complex solver, which takes them for triangular. The residual
# is of the size of the right-hand side, without a warning. Convert all three matrices to complex numbers first.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "real right-hand side: residual below 1e-12
complex right-hand side: residual 0.4
all three converted: residual below 1e-12" <<'PROGRAM'
import numpy as np
from scipy import linalg

a, b = np.array([[1.0, 4.0], [-4.0, 1.0]]), np.array([[2.0, 1.0], [0.0, 3.0]])
for name, q, kind in (
    ("real right-hand side", np.ones((2, 2)), float),
    ("complex right-hand side", np.ones((2, 2)) * (1 + 0j), float),
    ("all three converted", np.ones((2, 2)) * (1 + 0j), complex),
):
    x = linalg.solve_sylvester(a.astype(kind), b.astype(kind), q)
    residual = abs(a @ x + x @ b - q).max()
    print(f"{name}: residual " + ("below 1e-12" if residual < 1e-12 else f"{residual:.1g}"))
PROGRAM
