"""Entries of parameters that docstrings of `scipy.spatial` share; `_lib.texts` fills them in."""

TEXTS = {
    "ax": "optional\n    The axes of matplotlib to draw to.",
    "degrees": "bool\n    Whether angles are in degrees.",
    "num": "int, optional\n    The number.",
    "other": "object\n    The other one.",
    "p": "float\n    The order of the norm.",
    "scalar_first": "bool\n    Whether the scalar part comes first.",
    "shape": "int or tuple of int, optional\n    The shape.",
    "u": "array_like\n    The first vector.",
    "v": "array_like\n    The second vector.",
    "w": "array_like, optional\n    The weights of the components.",
    "weights": "array_like, optional\n    The weights.",
    "x": "array_like\n    The first vectors.",
    "y": "array_like\n    The second vectors.",
}
