"""Versions of the oracle whose behaviour differs."""

import numpy as np
import scipy

# floor, ceil and trunc keep bool and integers; they made floats of them before.
NUMPY_2_1 = np.lib.NumpyVersion(np.__version__) >= "2.1.0"

# Percentiles of float32 by a Python float: the place between two elements is found in float64; in float32 before.
NUMPY_2_4 = np.lib.NumpyVersion(np.__version__) >= "2.4.0"

# `sort` and `argsort` take `descending=`; arguments are removed that were deprecated before.
NUMPY_2_5 = np.lib.NumpyVersion(np.__version__) >= "2.5.0"

# Binary morphology takes axes, after a mend of its memory (scipy/scipy#21009); so have `pro_cv_seq` and `obl_cv_seq`.
SCIPY_1_15 = np.lib.NumpyVersion(scipy.__version__) >= "1.15.0"

# FITPACK is new code there, and chooses other knots; functions of vectors take stacks; `minres` keeps single precision
# and takes Hermitian systems; `kwargs=` of elementwise functions; all ufuncs of `special` compute integers of up to 16
# bits and float16 in single precision; more.
SCIPY_1_18 = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
