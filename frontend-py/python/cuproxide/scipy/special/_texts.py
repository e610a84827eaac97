"""Entries of parameters that docstrings of `scipy.special` share; `_lib.texts` fills them in."""

TEXTS = {
    "_bessel -> Any": "ndarray\n    The values.",
    "_bessel -> tuple[ndarray, ndarray]": "tuple of ndarray\n    The functions and the derivatives.",
    "_bessel_zeros.n": "int\n    Order.",
    "_combinatorics -> Any": "ndarray, or int if `exact`\n    The numbers.",
    "_combinatorics.n": "int, float or array_like\n    The first factors.",
    "_ellipsoidal -> Any": "ndarray\n    The values; NaN for parameters without functions.",
    "_ellipsoidal.n": "array_like\n    Degree.",
    "_harmonics.diff_n": "int, optional\n    1 gives the gradient as well, 2 the Hessian too.",
    "_harmonics.phi": "array_like of floats\n    The azimuth.",
    "_logarithms.x": "array_like\n    Exponents.",
    "_parabolic -> tuple[ndarray, ndarray]": "tuple of ndarray\n    The functions and the derivatives.",
    "_parabolic.v": "float\n    Orders are those from its fraction to it, two at least.",
    "_zeta -> ndarray": "ndarray\n    The values.",
    "_zeta.n": "int\n    The last index.",
    "_zeta.x": "array_like of float\n    Arguments.",
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
