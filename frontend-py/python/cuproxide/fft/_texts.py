"""Entries of parameters that docstrings of `fft` and `scipy.fft` share; `_lib.texts` fills them in."""

TEXTS = {
    "d": "float\n    The distance of the points.",
    "device": "Device or str\n    Where the result is; by default the current device.",
    "dtype": "dtype\n    The type of the result's elements.",
    "n": "int\n    The number of points.",
}
