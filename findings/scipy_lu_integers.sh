#!/usr/bin/env bash
# scipy.linalg.lu factors another matrix where integers lie in Fortran order, as those of a transpose do (SciPy 1.18.1, not 1.17.1):
# the product of its factors is off by the size of the elements, without a warning. With permute_l=True it is right. Convert to
# floats first. Needs Python 3.12: PYTHON=python3.12.
. "$(dirname "$0")/run.sh"

finding "numpy==2.5.5 scipy==1.18.1" "integers: exact
integers, transposed: off by 61
integers, transposed, permute_l: exact
floats, transposed: exact" <<'PROGRAM'
import numpy as np
from scipy import linalg

a = np.array([[1, 2, 9], [4, 5, 1], [7, 3, 6]])
for name, matrix, options in (
    ("integers", a, {}),
    ("integers, transposed", a.T, {}),
    ("integers, transposed, permute_l", a.T, {"permute_l": True}),
    ("floats, transposed", a.astype(float).T, {}),
):
    factors = linalg.lu(matrix, **options)
    product = np.linalg.multi_dot(factors) if len(factors) > 2 else factors[0] @ factors[1]
    error = abs(product - matrix).max()
    print(f"{name}: " + ("exact" if error < 1e-12 else f"off by {error:.2g}"))
PROGRAM
