#!/usr/bin/env bash
# scipy.io.mmwrite writes a dense float16 matrix with the header "integer" and cuts off the fractions (SciPy 1.17.1, 1.18.1).
# float32 and float64 keep them. Cast half precision to float32 before it is written to a Matrix Market file.
. "$(dirname "$0")/run.sh"

finding "numpy==2.4.6 scipy==1.17.1" "float16 integer [[0, -2], [1, 65504]]
float32 real [[0.25, -2.5], [1.75, 65504.0]]" <<'PROGRAM'
import io

import numpy
from scipy.io import mmread, mmwrite

for dtype in ("float16", "float32"):
    file = io.BytesIO()
    mmwrite(file, numpy.array([[0.25, -2.5], [1.75, 65504]], dtype))
    kind = file.getvalue().split()[3].decode()
    file.seek(0)
    print(dtype, kind, mmread(file).tolist())
PROGRAM
