#!/usr/bin/env bash
# scipy.stats.kstat and kstatvar add up powers of the data and subtract what is nearly equal (SciPy 1.17.1, 1.18.1): beside an offset
# of 10,000 the fourth k-statistic has the wrong size and the variance of the second is negative, at 1e8 the second is 0. An
# offset changes none of them. Subtract the mean first.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "offset 0: 2.051, 0.8846, -3.498, variance of the second 0.5951
offset 10000: 2.051, 0.8849, -43.89, variance of the second -3.331
offset 1e+06: 2.052, 195, 9.817e+08, variance of the second 9.544e+07
offset 1e+08: 0, -4.09e+08, 5.71e+17, variance of the second 5.551e+16" <<'PROGRAM'
import numpy as np
from scipy import stats

data = np.array([2.1, -0.3, 1.4, 0.8, -1.2, 0.5, 3.0, -0.7])
for offset in (0, 1e4, 1e6, 1e8):
    found = ", ".join(f"{stats.kstat(data + offset, n):.4g}" for n in (2, 3, 4))
    print(f"offset {offset:g}: {found}, variance of the second {stats.kstatvar(data + offset, 2):.4g}")
PROGRAM
