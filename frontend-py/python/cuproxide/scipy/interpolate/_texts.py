"""Entries of parameters that docstrings of `scipy.interpolate` share; `_lib.texts` fills them in."""

TEXTS = {
    "a": "float\n    The lower end.",
    "axis": "int\n    The axis that goes with `x`.",
    "b": "float\n    The upper end.",
    "c": "array_like\n    The coefficients.",
    "check_finite": "bool\n    Whether infinities and NaN are looked for.",
    "der": "int or sequence of int\n    The orders of the derivatives.",
    "dx": "int\n    The order of the derivative along the first coordinate.",
    "dy": "int\n    The order of the derivative along the second.",
    "eps": "float\n    What is 0 beside the largest element, for the rank.",
    "ext": "int\n    What points outside give.",
    "extrapolate": "bool or 'periodic', optional\n    Whether points outside are extrapolated.",
    "full_output": "bool\n    Whether the residuals, a code and a message are returned, too.",
    "k": "int\n    The degree.",
    "nest": "int, optional\n    The largest number of knots.",
    "quiet": "bool\n    Whether messages are not shown.",
    "tck": "tuple\n    Knots, coefficients and degree.",
    "w": "array of shape (m,), optional\n    Weights.",
    "x": "array_like\n    The points.",
    "xi": "array_like\n    The points.",
    "yi": "array_like\n    The values.",
}
