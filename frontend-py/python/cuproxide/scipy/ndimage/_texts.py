"""Entries of parameters that docstrings of `scipy.ndimage` share; `_lib.texts` fills them in."""

TEXTS = {
    "_distances.input": "array_like\n    What is not 0 is foreground.",
    "_interpolation.input": "array_like\n    Real or complex numbers.",
    "axes": "int or sequence of int, optional\n    The axes along which to work, by default all.",
    "axis": "int, optional\n    The axis along which to work.",
    "border_value": "{0, 1}\n    The value outside of the image.",
    "brute_force": "bool\n    Whether every element is looked at in each iteration.",
    "cval": "scalar\n    The value outside of the image where `mode` is 'constant'.",
    "footprint": "array_like of bool, optional\n    The shape of the neighbourhood.",
    "index": "int or sequence of int, optional\n    The labels that are wanted.",
    "input": "array_like\n    The image, of any number of axes.",
    "iterations": "int\n    How often; below 1 until nothing changes.",
    "labels": "array_like of int, optional\n    The label of each element.",
    "mask": "array_like of bool, optional\n    Where the image may change.",
    "mode": "str or sequence of str\n"
    "    What lies outside of the image: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.",
    "mode: str": "str\n    What lies outside of the image: 'reflect', 'constant', 'nearest', 'mirror' or 'wrap'.",
    "origin": "int or sequence of int\n    How far the neighbourhood is moved.",
    "origin: int": "int\n    How far the neighbourhood is moved.",
    "output": "ndarray or dtype, optional\n    An array for the result, or its type.",
    "shift": "float or sequence of float\n    By how much along each axis.",
    "sigma": "float or sequence of float\n    The standard deviations.",
    "size": "int or sequence of int, optional\n    The size of the neighbourhood.",
    "size: int": "int\n    The size of the neighbourhood.",
    "structure": "array_like, optional\n    The structuring element.",
    "weights": "array_like\n    The weights.",
}
