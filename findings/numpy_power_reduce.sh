#!/usr/bin/env bash
# numpy.power.reduce and numpy.arctan2.reduce of floats (NumPy 2.4.6 and 2.5.5): power.reduce([2, 3, 2]) is 4, where
# (2 ** 3) ** 2 is 64, as for integers and as accumulate and float_power have it: only the first element and the last one count,
# whatever lies between.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6" "floats 4.0 integers 64 accumulate 64.0 float_power 64.0
arctan2 0.9828 accumulate 0.5583" <<'PROGRAM'
import numpy as np

x = np.array([2.0, 3.0, 2.0])
print("floats", np.power.reduce(x), "integers", np.power.reduce(x.astype(int)), end=" ")
print("accumulate", np.power.accumulate(x)[-1], "float_power", np.float_power.reduce(x))
y = np.array([3.0, 1.0, 2.0])
print(f"arctan2 {np.arctan2.reduce(y):.4f} accumulate {np.arctan2.accumulate(y)[-1]:.4f}")
PROGRAM
