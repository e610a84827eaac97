#!/usr/bin/env bash
# safetensors.numpy.save writes the memory of an array and its shape, but not its order: an array that is not C-contiguous
# comes back with other elements, without an error (safetensors 0.8.0, NumPy 2.4.6). A transposed matrix and a slice with
# a step are enough. np.ascontiguousarray before the call avoids it.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 safetensors==0.8.0" "saved [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]]
loaded [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
saved [[0.0, 2.0], [3.0, 5.0]]
loaded [[0.0, 1.0], [2.0, 3.0]]" <<'PROGRAM'
import numpy as np
from safetensors.numpy import load, save

a = np.arange(6.0).reshape(2, 3)
for view in (a.T, a[:, ::2]):
    print("saved", view.tolist())
    print("loaded", load(save({"a": view}))["a"].tolist())
PROGRAM
