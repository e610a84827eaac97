#!/usr/bin/env bash
# Two flat clusterings are isomorphic where a one-to-one renaming takes one to the other. is_isomorphic of
# scipy.cluster.hierarchy compares neighbours in the order of the first labels alone: four clusters of one point and a
# clustering with a pair pass for isomorphic if the pair's points are no neighbours there (SciPy 1.17.1 and 1.18.1).
# Cuproxide's is_isomorphic returns False. Needs Python 3.12: PYTHON=python3.12.
. "$(dirname "$0")/run.sh"

for packages in "numpy==2.4.6 scipy==1.17.1" "numpy==2.5.5 scipy==1.18.1"; do
    finding "$packages" "apart: True
neighbours: False" <<'PROGRAM'
import numpy as np
from scipy.cluster.hierarchy import is_isomorphic

print("apart:", bool(is_isomorphic(np.array([1, 3, 0, 2]), np.array([3, 0, 1, 1]))))
print("neighbours:", bool(is_isomorphic(np.array([0, 1, 2, 3]), np.array([3, 0, 1, 1]))))
PROGRAM
done
