#!/usr/bin/env bash
# NumPy subtracts and adds in the type of the elements where the result is a float (NumPy 2.0.2, 2.4.6, 2.5.5): the quantile
# 0.25 of the int8 numbers -100 and 100 is -114, and the trapezoidal rule of bytes wraps around at 256. Doubles and float16
# near the ends of their range overflow in `quantile` and `linspace` in the same way. Convert to a wider type first.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6" "quantile int8 -114.0 float64 -50.0
trapezoid uint8 72.0 float64 200.0
trapezoid over points uint8 251.0 float64 -5.0
quantile of far ends inf, halved first -8.5e+307
linspace float16 [nan, inf, 60000.0] float32 [-60000.0, 0.0, 60000.0]" <<'PROGRAM'
import warnings

import numpy as np

warnings.simplefilter("ignore")


def both(name, narrow, function, *values):
    print(name, narrow, function(*(np.array(v, narrow) for v in values)), end=" ")
    print("float64", function(*(np.array(v, "float64") for v in values)))


both("quantile", "int8", lambda x: np.quantile(x, 0.25), [-100, 100])
both("trapezoid", "uint8", np.trapezoid, [200, 200])
both("trapezoid over points", "uint8", lambda x: np.trapezoid([1.0, 1.0], x), [10, 5])
far = np.array([-1.7e308, 1.7e308])
print("quantile of far ends", np.quantile(far, 0.25), end=", ")
print("halved first", 2 * np.quantile(far / 2, 0.25))
ends = np.float16(-60000), np.float16(60000)
print("linspace float16", np.linspace(*ends, 3).tolist(), end=" ")
print("float32", np.linspace(*np.float32(ends), 3).tolist())
PROGRAM
