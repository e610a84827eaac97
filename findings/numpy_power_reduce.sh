#!/usr/bin/env bash
# numpy.power.reduce of floats (NumPy 2.4.6 and 2.5.5): 4 for [2, 3, 2], where (2 ** 3) ** 2 is 64, as for integers and as
# accumulate and float_power have it: the result is the first element to the power
# of the last one, whatever lies between.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6" "floats 4.0 integers 64 accumulate 64.0 float_power 64.0" <<'PROGRAM'
import numpy as np

x = np.array([2.0, 3.0, 2.0])
print("floats", np.power.reduce(x), "integers", np.power.reduce(x.astype(int)), end=" ")
print("accumulate", np.power.accumulate(x)[-1], "float_power", np.float_power.reduce(x))
PROGRAM
