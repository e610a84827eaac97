"""Entries of parameters that docstrings of `scipy.cluster` share; `_lib.texts` fills them in."""

TEXTS = {
    "R": "array_like\n    The inconsistency matrix.",
    "Y": "array_like\n    The condensed distances.",
    "Z": "array_like\n    The linkage.",
    "_linkage.y": "array_like\n    Condensed distances, or observations in rows.",
    "metric": "str\n    The distance.",
    "name": "str\n    The name of the argument in messages.",
    "obs": "array_like\n    The observations, one in each row.",
    "throw": "bool\n    Whether what is wrong is an error.",
    "warning": "bool\n    Whether to warn of what is wrong.",
    "x": "hashable\n    An element.",
    "y": "hashable\n    Another element.",
}
