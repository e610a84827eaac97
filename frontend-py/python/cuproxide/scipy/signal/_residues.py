"""Expansions into partial fractions, on the host: as many numbers as a filter has coefficients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["invres", "invresz", "residue", "residuez", "unique_roots"]


def _reduction(rtype: str) -> Callable[..., Any]:
    for function, names in ((np.max, ("max", "maximum")), (np.min, ("min", "minimum")), (np.mean, ("avg", "mean"))):
        if rtype in names:
            return function
    raise ValueError("`rtype` must be one of {'max', 'maximum', 'min', 'minimum', 'avg', 'mean'}")


def unique_roots(p: Any, tol: float = 1e-3, rtype: str = "min") -> Any:
    """Roots that are nearer than `tol` to each other as one, with their multiplicities.

    Parameters
    ----------
    p : array_like
        The roots.
    tol : float
        The distance.
    rtype : {'max', 'min', 'avg'}
        Which root stands for a group.

    Returns
    -------
    tuple of ndarray
        Roots and multiplicities.

    Raises
    ------
    ValueError
        `rtype` is unknown.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.unique_roots([1.0, 2.0, 1.0])
    (array([1., 2.]), array([2, 1]))
    """
    reduce = _reduction(rtype)
    p = np.asarray(p)
    if p.dtype.kind in "fc" and not np.isfinite(p).all():
        raise ValueError(f"data must be finite, check for nan or inf values: p={p}")
    used = np.zeros(len(p), bool)
    roots, counts = [], []
    for i in range(len(p)):
        if not used[i]:
            group = (abs(p * 1.0 - p[i]) <= tol) & ~used
            group[i] = True
            roots.append(reduce(p[group]))
            counts.append(int(group.sum()))
            used |= group
    return np.asarray(roots, p.dtype if not roots else None), np.asarray(counts, int)


def _products(poles: Any, counts: Any, every_power: bool = False) -> tuple[list[np.ndarray], np.ndarray]:
    """The denominator without each pole (or without fewer and fewer powers of it), and as a whole."""
    if len(poles) == 0:
        return [], np.array([1.0])
    powers = []
    for pole, count in zip(poles, counts, strict=True):
        power = [np.array([1])]
        for _ in range(count):
            power.append(np.polymul(power[-1], np.array([1, -pole])))
        powers.append(power)
    after = [np.array([1])]
    for power in powers[:0:-1]:
        after.append(np.polymul(after[-1], power[-1]))
    before = np.array([1])
    found: list[Any] = []
    for power, rest in zip(powers, after[::-1], strict=True):
        count = len(power) - 1
        others = np.polymul(before, rest)
        left = range(count - 1, -1, -1) if every_power else (0,)
        found.extend(np.polymul(others, power[i]) for i in left)
        before = np.polymul(before, power[-1])
    return found, before


def _residues(poles: Any, counts: Any, numerator: np.ndarray) -> np.ndarray:
    factors, _ = _products(poles, counts)
    numerator = numerator.astype(np.asarray(poles).dtype)
    found: list[Any] = []
    for pole, count, factor in zip(poles, counts, factors, strict=True):
        if count == 1:
            found.append(np.polyval(numerator, pole) / np.polyval(factor, pole))
            continue
        # Powers of the pole are divided out one after another (Brigham and Morrow).
        rest, monomial, block = numerator.copy(), np.array([1.0, -pole]), []
        factor, at_pole = np.polydiv(factor, monomial)
        for _ in range(count):
            rest, value = np.polydiv(rest, monomial)
            part = value[0] / at_pole[0]
            rest = np.polysub(rest, part * factor)
            block.append(part)
        found.extend(reversed(block))
    return np.asarray(found)


def _floating(b: Any, a: Any) -> tuple[np.ndarray, np.ndarray]:
    b, a = np.atleast_1d(b), np.atleast_1d(a)
    kind = complex if b.dtype.kind == "c" or a.dtype.kind == "c" else float
    return b.astype(kind), a.astype(kind)


def _grouped(poles: np.ndarray, tol: float, rtype: str) -> tuple[np.ndarray, np.ndarray]:
    unique, counts = unique_roots(poles, tol=tol, rtype=rtype)
    # In the order of absolute values.
    order = np.argsort(abs(unique))
    return unique[order], counts[order]


def residue(b: Any, a: Any, tol: float = 1e-3, rtype: str = "avg") -> Any:
    """The partial fractions of b(s) / a(s), with the highest powers first.

    Parameters
    ----------
    b, a : array_like
        The coefficients.
    tol : float
        How near poles are that count as one.
    rtype : {'avg', 'min', 'max'}
        Which pole stands for a group.

    Returns
    -------
    tuple of ndarray
        Residues, poles and the polynomial that is left.

    Raises
    ------
    ValueError
        The denominator is zero.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.residue([1.0], [1.0, 3.0, 2.0])[0].round(6)
    array([ 1., -1.])
    """
    b, a = _floating(b, a)
    b, a = np.trim_zeros(b, "f"), np.trim_zeros(a, "f")
    if a.size == 0:
        raise ValueError("Denominator `a` is zero.")
    poles = np.roots(a)
    if b.size == 0:
        return np.zeros(poles.shape), poles[np.argsort(abs(poles))], np.array([])
    left = np.empty(0)
    if len(b) >= len(a):
        left, b = np.polydiv(b, a)
    unique, counts = _grouped(poles, tol, rtype)
    return _residues(unique, counts, b) / a[0], np.repeat(unique, counts).astype(poles.dtype), left


def residuez(b: Any, a: Any, tol: float = 1e-3, rtype: str = "avg") -> Any:
    """The partial fractions of b(z) / a(z) in powers of 1/z; see `residue`.

    Raises
    ------
    ValueError
        If a[0] is zero.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.residuez([1.0], [1.0, -0.75, 0.125])[0].round(6)
    array([-1.,  2.])
    """
    b, a = _floating(b, a)
    b, a = np.trim_zeros(b, "b"), np.trim_zeros(a, "b")
    if a.size == 0:
        raise ValueError("Denominator `a` is zero.")
    if a[0] == 0:
        raise ValueError("First coefficient of determinant `a` must be non-zero.")
    poles = np.roots(a)
    if b.size == 0:
        return np.zeros(poles.shape), poles[np.argsort(abs(poles))], np.array([])
    back_b, back_a, left = b[::-1], a[::-1], np.empty(0)
    if len(b) >= len(a):
        left, back_b = np.polydiv(back_b, back_a)
    unique, counts = _grouped(poles, tol, rtype)
    found = _residues(1 / unique, counts, back_b)
    every = np.repeat(unique, counts).astype(poles.dtype)
    powers = np.concatenate([1 + np.arange(count) for count in counts]) if len(counts) else np.zeros(0, int)
    return found * (-every) ** powers / back_a[0], every, left[::-1]


def _runs(poles: np.ndarray, tol: float, rtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours in a list that are one pole."""
    reduce = _reduction(rtype)
    unique, counts, start = [], [], 0
    for i in range(1, len(poles) + 1):
        # The end closes the last run.
        if i == len(poles) or abs(poles[i] - poles[start]) > tol:
            unique.append(reduce([poles[start]] * (i - start)))
            counts.append(i - start)
            start = i
    return np.asarray(unique), np.asarray(counts, int)


def invres(r: Any, p: Any, k: Any, tol: float = 1e-3, rtype: str = "avg") -> Any:
    """The coefficients b and a of partial fractions in s; arguments are what `residue` gives.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.invres([1.0, -1.0], [-1.0, -2.0], [])
    (array([0., 1.]), array([1., 3., 2.]))
    """
    r, p, k = np.atleast_1d(r), np.atleast_1d(p), np.trim_zeros(np.atleast_1d(k), "f")
    factors, denominator = _products(*_runs(p, tol, rtype), every_power=True)
    numerator = np.polymul(k, denominator) if len(k) else np.array([0])
    for value, factor in zip(r, factors, strict=False):
        numerator = np.polyadd(numerator, value * factor)
    return numerator, denominator


def invresz(r: Any, p: Any, k: Any, tol: float = 1e-3, rtype: str = "avg") -> Any:
    """The coefficients b and a of partial fractions in powers of 1/z; arguments are what `residuez` gives.

    >>> import cuproxide as cp
    >>> cp.scipy.signal.invresz([-1.0, 2.0], [0.25, 0.5], [])[1]
    array([ 1.   , -0.75 ,  0.125])
    """
    r, p, k = np.atleast_1d(r), np.atleast_1d(p), np.trim_zeros(np.atleast_1d(k), "b")
    factors, denominator = _products(*_runs(p, tol, rtype), every_power=True)
    numerator = np.polymul(k[::-1], denominator[::-1]) if len(k) else np.array([0])
    for value, factor in zip(r, factors, strict=False):
        numerator = np.polyadd(numerator, value * factor[::-1])
    return numerator[::-1], denominator
