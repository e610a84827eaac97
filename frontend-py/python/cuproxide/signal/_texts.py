"""Entries of parameters that docstrings of `signal` share; `_lib.texts` fills them in."""

TEXTS = {
    "axis": "int\n    The axis of time.",
}
