"""Entries of parameters that docstrings of `fft` and `scipy.fft` share; `_lib.texts` fills them in."""

TEXTS = {
    "_helper.axes": "int or sequence of int\n    The axes to shift, by default all.",
    "_helper.x": "array_like\n    The elements.",
    "_transforms.axis": "int\n    The axis.",
    "_transforms.out": "ndarray\n    An array for the result, which is then returned.",
    "d": "float\n    The distance of the points.",
    "device": "Device or str\n    Where the result is; by default the current device.",
    "dtype": "dtype\n    The type of the result's elements.",
    "n": "int\n    The number of points.",
    "norm": '{"backward", "ortho", "forward"}\n'
    "    Where the factor `1/n` goes: to the inverse (the default), half to each, or to the forward transform.",
}
