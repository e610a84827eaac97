"""Entries of parameters that docstrings of `scipy.fftpack` share; `_lib.texts` fills them in."""

TEXTS = {
    "a": "float\n    The parameter in the numerator.",
    "axis": "int\n    The axis of the transform.",
    "b": "float\n    The parameter in the denominator.",
    "h": "float\n    The parameter of the operator.",
    "n": "int, optional\n    The number of points: the input is cropped, or padded with zeros.",
    "overwrite_x": "bool\n    Taken for compatibility; the input is never overwritten.",
    "period": "float, optional\n    The period of the sequence, by default 2 pi.",
    "plan": "Plan, optional\n    What `get_fft_plan` prepared for such a transform.",
    "x": "array_like\n    The elements.",
}
