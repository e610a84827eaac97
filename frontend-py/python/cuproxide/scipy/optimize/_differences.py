"""Derivatives by differences, and functions that count and remember their calls."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ..._lib.arguments import as_device, as_floating
from ..._lib.generators import device_generator
from ..._lib.lending import shielded, shielded_if
from ..._typing import ArrayLike
from ._results import EPSILON, TooManyCalls

__all__ = ["approx_fprime", "check_grad"]

METHODS = ("2-point", "3-point", "cs")
_POWERS = {"2-point": 1 / 2, "3-point": 1 / 3, "cs": 1 / 2}


def as_values(value: Any) -> ndarray:
    """What a function of several variables returned: an array, a number, or a list of numbers and of arrays."""
    if isinstance(value, (list, tuple)) and any(isinstance(part, ndarray) for part in value):
        value = cp.stack([as_device(part) for part in value])
    return as_device(value)


def _steps(x: ndarray, method: str, relative: Any, absolute: Any) -> ndarray:
    sign = cp.where(x >= 0, 1.0, -1.0)
    eps = float(np.finfo(x.dtype).eps)
    default = eps ** _POWERS[method] * sign * cp.maximum(1.0, abs(x))
    if absolute is not None:
        # A step that is given has its own sign.
        h = cp.broadcast_to(as_device(absolute).astype(x.dtype), x.shape)
    elif relative is not None:
        h = as_device(relative) * sign * abs(x)
    else:
        return default
    return cp.where((x + h) - x == 0, default, h)


def differences(
    fun: Callable[[ndarray], Any], x: ndarray, f0: ndarray, method: str = "2-point", relative: Any = None,
    absolute: Any = None, bounds: tuple[Any, Any] | None = None, mapper: Any = map,
) -> ndarray:  # fmt: skip
    """The derivative of `fun` at `x`: a column for each variable, or a gradient where the values are numbers.

    Nothing is read: the steps and the quotients stay on the device.
    """
    h, other, two_sided = offsets(x, method, relative, absolute, bounds)
    n = x.size
    if n == 0:
        return cp.zeros((*f0.shape, 0), x.dtype)
    unit = cp.eye(n, dtype=x.dtype)
    if method == "cs":
        values = list(mapper(fun, [x + 1j * h[i] * unit[i] for i in range(n)]))
        return _columns([cp.imag(as_values(v)) for v in values], lambda rows, along: rows / along(h))
    up = x[None, :] + h[:, None] * unit
    dx = cp.diagonal(up) - x
    if method == "2-point":
        values = [as_values(v) for v in mapper(fun, [up[i] for i in range(n)])]
        return _columns(values, lambda rows, along: _quotient(rows - f0, along(dx)))
    second = x[None, :] + other[:, None] * unit
    points = [up[i] for i in range(n)] + [second[i] for i in range(n)]
    values = [as_values(v) for v in mapper(fun, points)]
    width = cp.diagonal(second) - x

    def quotients(one: ndarray, along: Callable[[ndarray], ndarray]) -> ndarray:
        two = cp.stack(values[n:])
        central = _quotient(one - two, along(dx - width))
        sided = _quotient(4 * one - 3 * f0 - two, along(width))
        return cp.where(along(two_sided), central, sided)

    return _columns(values[:n], quotients)


def _columns(values: list[ndarray], quotients: Callable[[ndarray, Callable[[ndarray], ndarray]], ndarray]) -> ndarray:
    """What is computed of values, a row for each variable, as columns: few variables would make short rows.

    `quotients` gets the rows, and what lays a number for each variable along them.
    """
    rows = cp.stack(values)
    return cp.moveaxis(quotients(rows, lambda numbers: numbers.reshape(-1, *[1] * (rows.ndim - 1))), 0, -1)


def _quotient(change: ndarray, width: ndarray) -> ndarray:
    """A quotient of differences, 0 for variables that equal bounds hold still."""
    return cp.where(width == 0, 0, change / cp.where(width == 0, 1, width)).astype(change.dtype, copy=False)


def offsets(
    x: ndarray, method: str, relative: Any, absolute: Any, bounds: tuple[Any, Any] | None
) -> tuple[ndarray, ndarray, ndarray]:
    """The steps of differences within bounds: the first, the second of '3-point', and where they are on both sides."""
    h = _steps(x, method, relative, absolute)
    two_sided = cp.ones(x.shape, bool)
    if bounds is not None:
        low, high = bounds
        if method == "2-point":
            outside = (x + h < low) | (x + h > high)
            turned = (x - h >= low) & (x - h <= high)
            room = cp.where(high - x >= x - low, high - x, low - x)
            h = cp.where(outside, cp.where(turned, -h, room), h)
        elif method == "3-point":
            h = abs(h)
            two_sided = (x - h >= low) & (x + h <= high)
            forward = high - x >= x - low
            reach = cp.minimum(h, 0.5 * cp.maximum(high - x, x - low))
            h = cp.where(two_sided, h, cp.where(forward, reach, -reach))
    elif method == "3-point":
        h = abs(h)
    # On both sides, or twice on one side where there is a bound on the other.
    return h, cp.where(two_sided, -h, 2 * h), two_sided


class Objective:
    """A function of several variables with its gradient and Hessian, which remembers the last point."""

    def __init__(
        self, fun: Callable[..., Any], x0: ndarray, args: tuple[Any, ...] = (), jac: Any = None, hess: Any = None,
        step: Any = None, relative: Any = None, bounds: Any = None, most: float = math.inf, workers: Any = None,
    ) -> None:  # fmt: skip
        self.given, self.args = shielded(fun), args
        self.given_jac, self.given_hess = shielded_if(jac), shielded_if(hess)
        self.step, self.relative, self.bounds, self.most = step, relative, bounds, most
        self.map = workers if callable(workers) else map
        self.nfev = self.ngev = self.nhev = 0
        self.dtype = x0.dtype if x0.dtype.kind == "f" and x0.dtype.itemsize >= 4 else np.dtype(np.float64)
        self.x: ndarray | None = None
        # Those of the points `x` and `gx`.
        self.f: ndarray
        self.g: ndarray
        self.gx: ndarray | None = None
        self.both: tuple[ndarray, Any, Any] | None = None
        self.best: tuple[float, ndarray] | None = None

    def _call(self, x: ndarray) -> ndarray:
        if self.nfev >= self.most:
            raise TooManyCalls
        self.nfev += 1
        if self.given_jac is True:
            value, gradient = self.given(x, *self.args)
            self.both = (x, value, gradient.copy() if isinstance(gradient, ndarray) else gradient)
        else:
            value = self.given(x, *self.args)
        value = as_values(value)
        if value.size != 1:
            raise ValueError("The user-provided objective function must return a scalar value.")
        return value.reshape(())

    def at(self, x: ndarray) -> ndarray:
        """The value as an array without axes, which is not read."""
        if self.x is not x:
            self.f, self.x = self._call(x), x
        return self.f

    def __call__(self, x: ndarray) -> float:
        return float(self.at(x))

    def gradient(self, x: ndarray) -> ndarray:
        """The gradient, which is not read."""
        if self.gx is x:
            return self.g
        if self.given_jac is True:
            if self.both is None or self.both[0] is not x:
                self.at(x) if self.x is not x else self._again(x)
            assert self.both is not None
            gradient = as_values(self.both[2])
        elif callable(self.given_jac):
            gradient = as_values(self.given_jac(x, *self.args))
        else:
            f0 = self.at(x)
            method = self.given_jac if self.given_jac in METHODS else "2-point"
            step = self.step if self.given_jac not in METHODS else None
            gradient = differences(self._call, x, f0, method, self.relative, step, self.bounds, self.map)
        self.ngev += 1
        self.g, self.gx = gradient.reshape(-1).astype(self.dtype), x
        return self.g

    def _again(self, x: ndarray) -> None:
        self.f = self._call(x)

    def hessian(self, x: ndarray) -> Any:
        """The Hessian: given, or by differences of the gradient."""
        self.nhev += 1
        if callable(self.given_hess):
            found = self.given_hess(x, *self.args)
            found = found.toarray() if hasattr(found, "toarray") else found
            if isinstance(found, (list, tuple)):
                found = cp.stack([as_values(row) for row in found])
            return as_device(found).astype(self.dtype)
        method = self.given_hess if self.given_hess in METHODS else "2-point"
        g0 = self.gradient(x)
        saved = (self.x, self.f, self.g, self.gx)
        found = differences(self.gradient, x, g0, method, bounds=self.bounds)
        self.x, self.f, self.g, self.gx = saved
        return 0.5 * (found + found.T)

    def read(self, x: ndarray, *numbers: ndarray) -> list[float]:
        """The value and more numbers of the device in one read."""
        return cp.stack([self.at(x).astype(np.float64), *(n.astype(np.float64) for n in numbers)]).tolist()


def approx_fprime(xk: ArrayLike, f: Callable[..., Any], epsilon: Any = EPSILON, *args: Any) -> ndarray:
    """The derivative of a function of several variables by forward differences.

    Parameters
    ----------
    xk : array_like
        Where to differentiate.
    f : callable
        `f(x, *args)`, which returns a number or an array.
    epsilon : float or array_like, optional
        The steps; None for those that suit each variable.
    *args
        Further arguments.

    Returns
    -------
    ndarray
        The gradient, or the Jacobian of shape `(m, n)`.

    >>> optimize.approx_fprime(cp.array([1.0, 2.0]), lambda x: x[0] * x[1] ** 2).round(4)
    array([4., 4.])
    """
    x, f = cp.atleast_1d(as_floating(xk)), shielded(f)
    if x.ndim > 1:
        raise ValueError(f"`x0` must have at most 1 dimension, not {x.ndim}.")
    x = x.astype(np.float64) if x.dtype.kind == "f" else x
    f0 = as_values(f(x, *args))
    steps = None if epsilon is None else as_device(epsilon)
    steps = cp.broadcast_to(steps, x.shape) if steps is not None and steps.ndim == 0 else steps
    # Steps that are too small for the type are those of `differences`.
    up = x[None, :] + cp.diag(_steps(x, "2-point", None, steps))
    dx = cp.diagonal(up) - x
    values = [as_values(f(up[i], *args)) for i in range(x.size)]
    if not values:
        return cp.zeros((*(f0.shape if f0.size != 1 else ()), 0), dx.dtype)
    found = _columns(values, lambda rows, along: (rows - f0) / along(dx))
    return found[0] if found.ndim == 2 and found.shape[0] == 1 and f0.size == 1 else found


def check_grad(
    func: Callable[..., Any], grad: Callable[..., Any], x0: ArrayLike, *args: Any, epsilon: float = EPSILON,
    direction: str = "all", rng: Any = None, seed: Any = None,
) -> float:  # fmt: skip
    """How far a gradient is from forward differences: the norm of the difference.

    Parameters
    ----------
    func, grad : callable
        The function and its gradient.
    x0 : array_like
        Where to compare them.
    *args
        Further arguments of both.
    epsilon : float, optional
        The step.
    direction : {'all', 'random'}, optional
        Whether to compare all partial derivatives or that along a random vector.
    rng : optional
        A seed or generator of the vector; `seed` is its older name.

    Returns
    -------
    float
        The norm.

    Raises
    ------
    ValueError
        If `direction` is another word, or is 'random' for a function with arrays as values.

    >>> optimize.check_grad(lambda x: cp.sum(x**2), lambda x: 2 * x, cp.array([1.0, 2.0])) < 1e-6
    True
    """
    x, func, grad = as_floating(x0), shielded(func), shielded(grad)
    if direction == "random":
        analytic = as_values(grad(x, *args))
        if analytic.ndim > 1:
            raise ValueError("'random' can only be used with scalar valued func")
        generator = device_generator(rng if rng is not None else seed)
        v = generator.standard_normal(x.shape)
        found = approx_fprime(cp.zeros(1), lambda w: func(x + w[0] * v, *args), epsilon)
        return float(cp.sqrt(cp.sum(abs(cp.sum(analytic * v) - found) ** 2)))
    if direction != "all":
        raise ValueError(f"{direction} is not a valid string for ``direction`` argument")
    return float(cp.sqrt(cp.sum(abs(as_values(grad(x, *args)) - approx_fprime(x, func, epsilon, *args)) ** 2)))
