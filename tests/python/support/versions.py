"""Versions of the oracle whose behaviour differs."""

import numpy as np
import scipy

# FITPACK is new code there, and chooses other knots; functions of vectors take stacks; more.
SCIPY_1_18 = np.lib.NumpyVersion(scipy.__version__) >= "1.18.0"
