"""Conversions to and from state space, and from continuous to discrete time, on the host."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ._conversions import normalize, tf2zpk, zpk2tf

__all__ = ["abcd_normalize", "ss2tf", "ss2zpk", "tf2ss", "zpk2ss"]

# Each squaring doubles the rounding of the approximant: so many leave ten digits.
SQUARINGS = 20


def exponential(a: np.ndarray) -> np.ndarray:
    """The exponential of a small matrix: Pade's approximant of order 13, scaled and squared (Higham 2005).

    That of a large norm is `expm` of the package, which looks at blocks and gives NaN with a warning for lost digits.
    """
    a = np.atleast_2d(a)
    n = a.shape[0]
    if n == 0:
        return a.astype(np.result_type(a, float))
    norm = np.linalg.norm(a, 1)
    squarings = max(0, math.ceil(math.log2(norm / 5.371920351148152))) if norm > 0 and np.isfinite(norm) else 0
    if squarings > SQUARINGS:
        from ..linalg import expm

        return expm(cp.asarray(a)).get()
    a = a / 2.0**squarings
    c = [1.0]
    for i in range(1, 14):
        c.append(c[-1] * (14 - i) / ((27 - i) * i))
    one = np.eye(n)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (c[13] * a6 + c[11] * a4 + c[9] * a2) + c[7] * a6 + c[5] * a4 + c[3] * a2 + c[1] * one
    even = a6 @ (c[12] * a6 + c[10] * a4 + c[8] * a2) + c[6] * a6 + c[4] * a4 + c[2] * a2 + c[0] * one
    u = a @ odd
    found = np.linalg.solve(even - u, even + u)
    for _ in range(squarings):
        found = found @ found
    return found


def over_a_step(a: np.ndarray, b: np.ndarray, linear: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The exponential of `a`; what inputs of 1 add to the state over a step; the same of those that rise from 0 to 1.

    Without `linear` the last has no columns. Large inputs enter in units of their own: beside 1e200 the scaling of the
    exponential would leave no digit of `a`.
    """
    n, m = b.shape
    count = 2 * m if linear else m
    whole = np.zeros((n + count, n + count), np.result_type(a, b, float))
    largest = abs(b).max(0, initial=0.0)
    is_large = (largest > max(1.0, float(np.linalg.norm(a, 1)) if n else 0.0)) & np.isfinite(largest)
    units = np.where(is_large, np.ldexp(1.0, np.frexp(largest)[1] - 1), 1.0)
    whole[:n, :n], whole[:n, n : n + m] = a, b / units
    if linear:
        whole[n : n + m, n + m :] = np.eye(m)
    found = exponential(whole)[:n]
    return found[:, :n], found[:, n : n + m] * units, found[:, n + m :] * units[: found.shape[1] - n - m]


def abcd_normalize(A: Any = None, B: Any = None, C: Any = None, D: Any = None) -> Any:
    """The matrices of a state space with shapes that fit; those that are missing are zero.

    Parameters
    ----------
    A, B, C, D : array_like, optional
        The matrices (n, n), (n, p), (q, n) and (q, p).

    Returns
    -------
    tuple of ndarray
        All four.

    Raises
    ------
    ValueError
        A size is unknown, or shapes do not fit.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.abcd_normalize([[1.0]], [[2.0]], [[3.0]])[3]
    array([[0.]])
    """
    if A is None and B is None and C is None:
        raise ValueError("Dimension n is undefined for parameters A = B = C = None!")
    if B is None and D is None:
        raise ValueError("Dimension p is undefined for parameters B = D = None!")
    if C is None and D is None:
        raise ValueError("Dimension q is undefined for parameters C = D = None!")
    dtype = np.result_type(*(np.asarray(part).dtype for part in (A, B, C, D) if part is not None))
    dtype = dtype if dtype.kind in "fc" else np.dtype(np.float64)
    A, B, C, D = (np.zeros((0, 0)) if part is None else np.atleast_2d(part) for part in (A, B, C, D))
    n = A.shape[0] or B.shape[0] or C.shape[1]
    p = B.shape[1] or D.shape[1]
    q = C.shape[0] or D.shape[0]
    shapes = {"A": (n, n), "B": (n, p), "C": (q, n), "D": (q, p)}
    found = []
    for (name, shape), part in zip(shapes.items(), (A, B, C, D), strict=True):
        part = np.zeros(shape) if part.size == 0 else part
        if part.shape != shape:
            raise ValueError(f"Parameter {name} has shape {part.shape} but should be {shape}!")
        found.append(part.astype(dtype, copy=False))
    return tuple(found)


def tf2ss(num: Any, den: Any) -> Any:
    """The state space (controller canonical form) of a transfer function.

    Raises
    ------
    ValueError
        If the numerator is longer than the denominator.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.tf2ss([1.0, 3.0], [1.0, 2.0, 1.0])[0]
    array([[-2., -1.],
           [ 1.,  0.]])
    """
    num, den = normalize(num, den)
    num = np.atleast_2d(num)
    columns, order = num.shape[1], len(den)
    if columns > order:
        raise ValueError("Improper transfer function. `num` is longer than `den`.")
    if columns == 0 or order == 0:
        return tuple(np.array([], float) for _ in range(4))
    num = np.hstack((np.zeros((num.shape[0], order - columns), num.dtype), num))
    D = num[:, :1]
    if order == 1:
        return np.zeros((1, 1)), np.zeros((1, D.shape[1])), np.zeros((D.shape[0], 1)), D
    A = np.vstack((-den[None, 1:], np.eye(order - 2, order - 1)))
    return A, np.eye(order - 1, 1), num[:, 1:] - np.outer(num[:, 0], den[1:]), D


def ss2tf(A: Any, B: Any, C: Any, D: Any, input: int = 0) -> Any:
    """The transfer functions from one input of a state space to all outputs.

    Raises
    ------
    ValueError
        If there is no such input.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.ss2tf([[-1.0]], [[1.0]], [[1.0]], [[0.0]])
    (array([[0., 1.]]), array([1., 1.]))
    """
    A, B, C, D = abcd_normalize(A, B, C, D)
    outputs, inputs = D.shape
    if input >= inputs:
        raise ValueError("System does not have the input specified.")
    B, D = B[:, input : input + 1], D[:, input : input + 1]
    den = np.poly(A) if A.size else np.ones(1)
    if B.size == 0 and C.size == 0:
        return D.ravel(), den if D.size or A.size else []
    num = np.empty((outputs, A.shape[0] + 1), np.result_type(A, B, C, D, np.float16, den))
    for row in range(outputs):
        num[row] = np.poly(A - B @ C[row : row + 1]) + (D[row] - 1) * den
    return num, den


def zpk2ss(z: Any, p: Any, k: Any) -> Any:
    """The state space of zeros, poles and gain.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.zpk2ss([], [-1.0], 2.0)[2]
    array([[2.]])
    """
    return tf2ss(*zpk2tf(z, p, k))


def ss2zpk(A: Any, B: Any, C: Any, D: Any, input: int = 0) -> Any:
    """Zeros, poles and gain of a state space from one input.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.ss2zpk([[-1.0]], [[1.0]], [[1.0]], [[0.0]])[1:]
    (array([-1.]), 1.0)
    """
    return tf2zpk(*ss2tf(A, B, C, D, input=input))


def discretized(system: tuple[Any, ...], dt: float, method: str, alpha: float | None) -> tuple[Any, ...]:
    """A state space in discrete time."""
    a, b, c, d = (np.atleast_2d(part) for part in system)
    n = a.shape[0]
    named = {"bilinear": 0.5, "tustin": 0.5, "euler": 0.0, "forward_diff": 0.0, "backward_diff": 1.0}
    if method in named:
        method, alpha = "gbt", named[method]
    if method == "gbt":
        if alpha is None:
            raise ValueError("Alpha parameter must be specified for the generalized bilinear transform (gbt) method")
        if alpha < 0 or alpha > 1:
            raise ValueError("Alpha parameter must be within the interval [0,1] for the gbt method")
        implicit = np.eye(n) - alpha * dt * a
        ad = np.linalg.solve(implicit, np.eye(n) + (1.0 - alpha) * dt * a)
        bd = np.linalg.solve(implicit, dt * b)
        return ad, bd, np.linalg.solve(implicit.T, c.T).T, d + alpha * (c @ bd), dt
    if method == "zoh":
        ad, bd, _ = over_a_step(dt * a, dt * b, False)
        return ad, bd, c, d, dt
    if method == "foh":
        ad, first, second = over_a_step(dt * a, dt * b, True)
        return ad, first - second + ad @ second, c, d + c @ second, dt
    if method == "impulse":
        if not np.allclose(d, 0):
            raise ValueError("Impulse method is only applicable to strictly proper systems")
        ad = exponential(a * dt)
        return ad, ad @ b * dt, c, c @ b * dt, dt
    raise ValueError(f"Unknown transformation method '{method}'")
