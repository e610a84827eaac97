"""Applying Python functions to arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import _cuproxide as _core
from .._cuproxide import ndarray
from .._lib.conversions import SCALARS, as_array, as_arrays, as_operand
from .._typing import ArrayLike
from .joining import stack
from .shapes import expand_dims

__all__ = ["apply_along_axis", "apply_over_axes", "piecewise"]


def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: ArrayLike, *args: Any, **kwargs: Any) -> ndarray:
    """Calls `func1d(lane, ...)` for each lane of `arr` along `axis`; the axes of its results take the place of `axis`.

    The function is called from Python once for each lane: prefer functions that take an axis.

    Parameters
    ----------
    func1d : callable
        The function of one lane.
    *args : optional
        Further arguments of the function.
    **kwargs
        Further arguments of the function by name.

    >>> cp.apply_along_axis(lambda row: row.max(), 1, cp.asarray([[1, 5], [7, 2]]))
    array([5, 7])
    """
    arr = as_array(arr)
    axis = _core.normalize_axis(axis, arr.ndim)
    lanes = _core.moveaxis(arr, axis, -1)
    outer = lanes.shape[:-1]
    if math.prod(outer) == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = [as_array(func1d(lanes[index], *args, **kwargs)) for index in np.ndindex(outer)]
    first = results[0]
    joined = stack([result.astype(first.dtype, copy=False) for result in results]).reshape((*outer, *first.shape))
    inner = range(len(outer), joined.ndim)
    return joined.transpose((*range(axis), *inner, *range(axis, len(outer))))


def apply_over_axes(func: Callable[..., ndarray], a: ArrayLike, axes: int | Sequence[int]) -> ndarray:
    """Calls `func(a, axis)` for one axis after another; reduced axes are kept with length 1.

    Parameters
    ----------
    axes : int or sequence of int
        The axes along which to work.

    >>> cp.apply_over_axes(cp.sum, cp.ones((2, 3)), [0, 1])
    array([[6.]])
    """
    result = as_array(a)
    ndim = result.ndim
    for axis in axes if isinstance(axes, Sequence) else (axes,):
        axis = axis + ndim if axis < 0 else axis
        value = func(result, axis)
        if value.ndim != result.ndim:
            value = expand_dims(value, axis)
            if value.ndim != result.ndim:
                raise ValueError("function is not returning an array of the correct shape")
        result = value
    return result


def piecewise(
    x: ArrayLike, condlist: ArrayLike | Sequence[ArrayLike], funclist: Sequence[Any], *args: Any, **kw: Any
) -> ndarray:
    """At each point the value of the function (or the number) whose condition is the last to hold there, else 0.

    One more function than conditions serves where none holds. Functions are called with the elements that they serve.

    Parameters
    ----------
    funclist : list of callables or scalars
        The functions, or numbers.
    *args : optional
        Further arguments of the functions.
    **kw
        Further arguments of the functions by name.

    >>> cp.piecewise(cp.arange(4.0), [cp.arange(4) < 2], [-1, 1])
    array([-1., -1.,  1.,  1.])
    """
    x = as_array(x)
    if isinstance(condlist, ndarray):
        single = condlist.ndim <= min(x.ndim, 1)
    else:
        single = isinstance(condlist, SCALARS) or (x.ndim > 0 and not isinstance(condlist[0], (list, ndarray)))
    conditions = [as_array(condlist)] if single else as_arrays(condlist)
    conditions = [condition.astype(np.bool_, copy=False) for condition in conditions]
    count = len(conditions)
    if len(funclist) == count + 1:
        covered = conditions[0]
        for condition in conditions[1:]:
            covered = covered | condition
        conditions.append(~covered)
    elif len(funclist) != count:
        raise ValueError(f"with {count} condition(s), either {count} or {count + 1} functions are expected")
    result = _core.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            result[condition] = as_operand(function)
            continue
        values = x[condition]
        if values.size:
            result[condition] = function(values, *args, **kw)
    return result
