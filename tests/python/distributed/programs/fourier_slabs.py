"""The FFT of the scaling run beside NumPy's, element by element."""

import sys

import cuproxide as cp
import numpy as np
from cuproxide import distributed

sys.path.insert(0, sys.argv[1])
from scaling.programs import PROGRAMS  # noqa: E402

shape = tuple(map(int, sys.argv[2:]))
with distributed.init_process_group(backend="store") as group:
    program = PROGRAMS["fourier"](group, shape)
    whole = cp.empty(shape, "complex64")
    group.all_gather(program.x, whole, program.x.size)
    for _ in range(2):
        program.step()
    rows = shape[1] // group.size
    wanted = np.fft.fftn(whole.get())[:, rows * group.rank : rows * (group.rank + 1)]
    found = np.concatenate([block.get() for block in program.result], axis=1)
    np.testing.assert_allclose(found, wanted, atol=1e-5 * abs(wanted).max())
    print("equal", flush=True)
