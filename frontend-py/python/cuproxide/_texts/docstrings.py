"""Docstrings of functions that are made from tables: ufuncs, Fourier transforms, series."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from . import examples

UFUNC_OPTIONS = """out : ndarray or tuple of ndarray, optional
    Arrays for the results, which are then returned.
where : array_like of bool
    Where to compute. Elsewhere the elements of `out` stay as they are; without `out` they are not set.
casting : {'no', 'equiv', 'safe', 'same_kind', 'unsafe'}
    Which casts of operands and results are allowed.
order : {'K', 'A', 'C', 'F'}
    The order of the results' elements in memory.
dtype : dtype, optional
    The type to compute in, by default that which the types of the operands promote to.
subok : bool
    Whether arrays of a subclass keep their class.
signature : str or tuple of dtype, optional
    The types of operands and results."""

# The parameters of Fourier transforms.
OF_TRANSFORMS = {
    "a": "array_like\n    The elements.",
    "x": "array_like\n    The elements.",
    "type": "{1, 2, 3, 4}\n    The type of the transform.",
    "n": "int, optional\n    The number of points along the axis: the input is cropped, or padded with zeros.",
    "s": "sequence of int, optional\n    The numbers of points along the axes: cropped, or padded with zeros.",
    "axis": "int\n    The axis of the transform.",
    "axes": "sequence of int, optional\n    The axes of the transform.",
    "norm": "{'backward', 'ortho', 'forward'}, optional\n"
    "    Which direction divides by the number of points: the inverse, both by its root, or the forward one.",
    "overwrite_x": "bool\n    Taken for compatibility; the input is never overwritten.",
    "workers": "int, optional\n    Taken for compatibility; the device decides how it works.",
    "orthogonalize": "bool, optional\n    Whether the transform is made orthogonal, by default if `norm` is 'ortho'.",
    "plan": "Plan, optional\n    What `get_fft_plan` prepared for such a transform.",
    "out": "ndarray, optional\n    An array for the result, which is then returned.",
}
OF_TRANSFORMS["shape"] = OF_TRANSFORMS["s"]


def assembled(
    text: str | None, *, parameters: str = "", returns: str = "", raises: str = "", see: str = "", example: str = ""
) -> str:
    """A docstring of its sections; `see` names the function that this one follows."""
    follows = f"{see} : The function that this one follows." if see else ""
    sections = {
        "Parameters": parameters,
        "Returns": returns,
        "Raises": raises,
        "See Also": follows,
        "Examples": example,
    }
    parts = [f"{header}\n{'-' * len(header)}\n{body}" for header, body in sections.items() if body]
    return "\n\n".join([inspect.cleandoc(text or ""), *parts])


def of_ufunc(name: str, operands: int, results: int, text: str, source: str, origin: str) -> str:
    """The docstring of a ufunc: NumPy's line of arguments, then sections."""
    names = "x" if operands == 1 else ", ".join(f"x{i + 1}" for i in range(operands))
    arguments = f"{names}, /, out=None, *, where=True, casting='same_kind', order='K', dtype=None"
    inputs = f"{names} : array_like\n    " + ("The argument." if operands == 1 else "The arguments, which broadcast.")
    place = "" if origin == "numpy" else f"{origin}."
    body = assembled(
        f"{text}\n\nSource: {source}." if source else text,
        parameters=f"{inputs}\n{UFUNC_OPTIONS}",
        returns="ndarray" if results == 1 else "tuple of ndarray",
        raises="TypeError\n    If the ufunc has no loop for the types of the operands.",
        see=f"{origin}.{name}",
        example=examples.of(f"{place}{name}"),
    )
    return f"{name}({arguments})\n\n{body}"


def name_transform(function: Callable[..., Any], module: str, name: str, text: str) -> None:
    """Gives a Fourier transform of `fft`, `scipy.fft` or `scipy.fftpack` its name and docstring."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = assembled(
        text,
        parameters="\n".join(f"{name} : {OF_TRANSFORMS[name]}" for name in names),
        returns="ndarray",
        see=f"{module if module.startswith('scipy') else f'numpy.{module}'}.{name}",
        example=examples.of(f"{module}.{name}"),
    )
