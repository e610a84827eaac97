"""Entries of parameters that docstrings of `scipy.fftpack` share; `_lib.texts` fills them in."""

TEXTS = {
    "a": "float\n    The parameter in the numerator.",
    "axes": "sequence of int\n    The axes of the transform.",
    "axis": "int\n    The axis of the transform.",
    "b": "float\n    The parameter in the denominator.",
    "h": "float\n    The parameter of the operator.",
    "n": "int\n    The number of points: the input is cropped, or padded with zeros.",
    "norm": "{'backward', 'ortho', 'forward'}\n"
    "    Which direction divides by the number of points: the inverse, both by its root, or the forward one.",
    "overwrite_x": "bool\n    Taken for compatibility; the input is never overwritten.",
    "period": "float\n    The period of the sequence, by default 2 pi.",
    "plan": "Plan\n    What `get_fft_plan` prepared for such a transform.",
    "shape": "sequence of int\n    The numbers of points along the axes: cropped, or padded with zeros.",
    "type": "{1, 2, 3, 4}\n    The type of the transform.",
    "x": "array_like\n    The elements.",
}
