#!/usr/bin/env bash
# `skew`, `kurtosis` and their tests of truth values are wrong by orders of magnitude in SciPy 1.18.1: the skewness of six
# coin tosses is 1.6e8, and tests of thirty say that nothing is less normal. SciPy 1.17.1, `describe` and the same numbers as
# floats are right. No error, no warning. Convert masks to floats first. Needs Python 3.12: PYTHON=python3.12.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.18.1" "skew: bool 1.644e+08, float64 0.7071
kurtosis: bool 2.702e+16, float64 -1.5
p of skewtest: bool 0, float64 0.08075
p of kurtosistest: bool 2.296e-19, float64 5.909e-05
describe's skewness: bool 0.7071, float64 0.7071" <<'PROGRAM'
import warnings

import numpy as np
from scipy import stats

warnings.simplefilter("ignore")
few = np.array([False, False, False, True, False, True])
many = np.tile(few, 5)
ROWS = {
    "skew": (stats.skew, few),
    "kurtosis": (stats.kurtosis, few),
    "p of skewtest": (lambda x: stats.skewtest(x).pvalue, many),
    "p of kurtosistest": (lambda x: stats.kurtosistest(x).pvalue, many),
    "describe's skewness": (lambda x: stats.describe(x).skewness, few),
}
for name, (function, sample) in ROWS.items():
    found = (f"{dtype} {function(sample.astype(dtype)):.4g}" for dtype in ("bool", "float64"))
    print(f"{name}: {', '.join(found)}")
PROGRAM
