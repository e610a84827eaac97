"""Entries of parameters that docstrings of `scipy.integrate` share; `_lib.texts` fills them in."""

TEXTS = {
    "args": "tuple, optional\n    Further arguments of `func`.",
    "axis": "int, optional\n    The axis to integrate along.",
    "t": "float\n    The time.",
    "y": "array_like\n    The samples.",
}
