#!/usr/bin/env bash
# Statistics, distances, filters and interpolators of SciPy compute with bytes as bytes (SciPy 1.17.1, 1.18.1): sums, differences
# and squares wrap around at 256 although the result is a float, without an error or a warning. A variance is negative, vectors
# that differ have a cosine distance of 0, a t-statistic is 14 times too large. Convert an image or a recording to floats first.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "tmean: uint8 72, float64 200
ttest_rel: uint8 10.74, float64 0.7685
kstat of order 2: uint8 -1.506e+04, float64 9900
euclidean: uint8 79.2, float64 282.8
minkowski of order 3: uint8 180, float64 269.9
cityblock: uint8 112, float64 400
cosine: uint8 0, float64 0.3371
romb: uint8 314.7, float64 400
KroghInterpolator: uint8 1003, float64 146.7
decimate of a ramp: uint8 72.86, float64 0.004335
wiener: uint8 61.71, float64 56.67" <<'PROGRAM'
import warnings

import numpy as np
from scipy import integrate, interpolate, signal, spatial, stats

warnings.simplefilter("ignore")
ROWS = {
    "tmean": (stats.tmean, [200, 200]),
    "ttest_rel": (lambda x, y: stats.ttest_rel(x, y).statistic, [200, 100, 50], [20, 120, 60]),
    "kstat of order 2": (lambda x: stats.kstat(x, 2), [200, 100, 1]),
    "euclidean": (spatial.distance.euclidean, [0, 0], [200, 200]),
    "minkowski of order 3": (lambda x, y: spatial.distance.minkowski(x, y, p=3), [10, 200], [250, 20]),
    "cityblock": (spatial.distance.cityblock, [0, 0], [200, 200]),
    "cosine": (spatial.distance.cosine, [10, 200], [250, 200]),
    "romb": (integrate.romb, [200, 200, 200]),
    "KroghInterpolator": (lambda x, y: interpolate.KroghInterpolator(x, y)(50), [0, 100, 250], [200, 100, 0]),
    "decimate of a ramp": (lambda x: signal.decimate(x, 2)[0], list(range(100))),
    "wiener": (lambda x: signal.wiener(x)[2], [200, 100, 50, 20, 10]),
}
for name, (function, *values) in ROWS.items():
    found = (f"{dtype} {function(*(np.array(v, dtype) for v in values)):.4g}" for dtype in ("uint8", "float64"))
    print(f"{name}: {', '.join(found)}")
PROGRAM
