"""Entries of parameters that docstrings of `random` share; `_lib.texts` fills them in."""

TEXTS = {
    "a": "array_like\n    The parameter of shape.",
    "df": "array_like\n    The degrees of freedom.",
    "dtype": "dtype\n    A real dtype of the result.",
    "high": "array_like, optional\n    The end, which does not occur.",
    "loc": "array_like\n    The location.",
    "mean": "array_like\n    The mean.",
    "n": "array_like\n    The number of trials or successes.",
    "name": "str\n    The name of the kernel, which is that of the distribution.",
    "out": "ndarray, optional\n    An array for the result, which is then what is returned.",
    "out: ndarray": "ndarray\n    The array to fill.",
    "output": "bool\n    Whether the words are returned, or only passed over.",
    "p": "array_like\n    The probability of success.",
    "parameters": "list of ndarray or number\n    Its parameters, as arrays that broadcast to `out` or as numbers.",
    "scale": "array_like\n    The scale.",
    "shape": "array_like\n    The parameter of shape.",
    "size": "int or tuple of int, optional\n    The shape of the result; by default that of the parameters.",
}
