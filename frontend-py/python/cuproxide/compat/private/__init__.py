"""Private names of CuPy that published programs import: `cupy._core` and `cupy._util`, as far as those programs do."""
