"""Entries of parameters that docstrings of `scipy.special` share; `_lib.texts` fills them in."""

TEXTS = {
    "_bessel_zeros.n": "int\n    Order.",
    "_ellipsoidal.n": "array_like\n    Degree.",
    "complex": "bool, optional\n"
    "    Gives the zeros in the upper half plane that are not real, instead of the positive ones.",
    "derivative": "bool, optional\n    Gives the derivative with respect to `z`.",
    "diff_n": "int, optional\n    Gives the derivatives up to this one, at most 2.",
    "exact": "bool, optional\n    Computes integers: of any size for one Python integer, int64 for arrays.",
    "extend": '{"zero", "complex"}, optional\n'
    '    "zero" gives 0 for negative numbers, "complex" continues analytically.',
    "n": "array_like of ints\n    Order; NaN is returned where it is negative.",
    "n: int": "int, optional\n    Which derivative; 0 is the function itself.",
    "nt": "int\n    How many.",
    "p": "array_like\n    Order, from 1 to 2 n + 1.",
    "theta": "array_like of floats\n    The polar angle.",
    "v": "array_like\n    Order.",
    "x": "float\n    Argument.",
    "z": "array_like\n    Argument, real or complex.",
}
