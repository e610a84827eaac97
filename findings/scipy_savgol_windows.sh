#!/usr/bin/env bash
# scipy.signal.savgol_filter and savgol_coeffs solve for powers of positions up to half the window (SciPy 1.17.1, 1.18.1): with 101
# points and a degree of 10 a filtered parabola is wrong by 0.4, with 5,001 points and a degree of 4 the taps do not add up to 1.
# Any degree from 2 on leaves a parabola as it is, and all taps add up to 1. Fit Legendre or Chebyshev polynomials instead.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "window 51, degree 6: a filtered parabola is off by 1e-08 and more
window 101, degree 8: a filtered parabola is off by 1e-05 and more
window 101, degree 10: a filtered parabola is off by 0.1 and more
window 5001, degree 4: taps off by 1e-4 and more" <<'PROGRAM'
import numpy as np
from scipy import signal

x = np.linspace(-1, 1, 301)
# How far it is off depends on the processor, whose BLAS rounds in its own way.
for window, degree, least in ((51, 6, 1e-8), (101, 8, 1e-5), (101, 10, 0.1)):
    off = abs(signal.savgol_filter(x**2, window, degree) - x**2).max()
    print(f"window {window}, degree {degree}: a filtered parabola is off by {least} and", "more" if off > least else "less")
print("window 5001, degree 4: taps off by 1e-4 and " + ("more" if abs(signal.savgol_coeffs(5001, 4).sum() - 1) > 1e-4 else "less"))
PROGRAM
