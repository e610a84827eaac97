"""Counting: factorials, binomial coefficients, permutations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ... import _cuproxide as _core
from ... import searchsorted
from ..._cuproxide import ndarray
from ..._lib.conversions import as_array
from ..._lib.ufuncs import NUMPY as _numpy
from ..._lib.ufuncs import SPECIAL as _special
from ..._typing import ArrayLike

__all__ = ["comb", "factorial", "factorial2", "factorialk", "perm", "stirling2"]


def comb(N: ArrayLike, k: ArrayLike, *, exact: bool = False, repetition: bool = False) -> Any:
    """The number of ways to choose `k` things of `N`.

    Parameters
    ----------
    N, k : array_like of ints
        Numbers of things; 0 is returned where `k > N`, `N < 0` or `k < 0`.
    exact : bool, optional
        Computes a Python integer for two Python integers; else floating point.
    repetition : bool, optional
        Things may be chosen more than once: the binomial coefficient of `N + k - 1` and `k`, NaN where that has none.

    >>> cp.scipy.special.comb(cp.asarray([10, 10]), cp.asarray([3, 4]))
    array([120., 210.])
    >>> cp.scipy.special.comb(10, 3, exact=True)
    120
    """
    if repetition:
        if exact and not isinstance(N, ndarray):
            n, m = _whole(N, "N"), _whole(k, "k")
            return 1 if m == 0 and n >= 0 else comb(n + m - 1, m, exact=True)
        n, m = as_array(N), as_array(k)
        values = _special["binom"](n + m - 1, m)
        # Nothing is chosen in one way, also of nothing.
        return _core.where((m == 0) & (n >= 0), values.dtype.type(1), values)
    if exact:
        n, m = _whole(N, "N"), _whole(k, "k")
        return math.comb(n, m) if n >= 0 and m >= 0 else 0
    n, m = as_array(N), as_array(k)
    possible = (m <= n) & (n >= 0) & (m >= 0)
    values = _special["binom"](n, m)
    return _core.where(possible, values, values.dtype.type(0))


def perm(N: ArrayLike, k: ArrayLike, exact: bool = False) -> Any:
    """The number of ordered ways to choose `k` things of `N`.

    Parameters
    ----------
    N, k : array_like of ints
        Numbers of things; 0 is returned where `k > N`, `N < 0` or `k < 0`.
    exact : bool, optional
        Computes a Python integer for two Python integers; else floating point.

    >>> cp.scipy.special.perm(cp.asarray([10, 10]), cp.asarray([3, 4]))
    array([ 720., 5040.])
    """
    if exact:
        n, m = _whole(N, "N"), _whole(k, "k")
        return math.perm(n, m) if n >= 0 and m >= 0 else 0
    n, m = as_array(N), as_array(k)
    possible = (m <= n) & (n >= 0) & (m >= 0)
    values = _special["poch"](n - m + 1, m)
    return _core.where(possible, values, values.dtype.type(0))


def _whole(value: Any, name: str) -> int:
    """A Python integer."""
    if isinstance(value, ndarray) and value.ndim:
        raise ValueError(f"exact=True takes Python integers for {name}, not an array of shape {value.shape}")
    number = value.item() if isinstance(value, (ndarray, np.generic)) else value
    if isinstance(number, float) and number.is_integer():
        number = int(number)
    if not isinstance(number, (int, np.integer)):
        raise ValueError(f"Non-integer {name} = {value!r} with exact=True is not supported")
    return int(number)


def _products(limit: int, step: int) -> list[int]:
    """n (n - step) (n - 2 step) ... for all n whose value is at most `limit`."""
    values: list[int] = []
    n = 0
    while True:
        value = 1 if n == 0 else n if n <= step else n * values[n - step]
        if value > limit:
            return values
        values.append(value)
        n += 1


def _exactly(n: Any, step: int) -> Any:
    """The products for integers: unbounded for Python integers, int64 for arrays."""
    if isinstance(n, (float, np.floating, bool, np.bool_)):
        raise ValueError(f"`exact=True` only supports integers, cannot use data type {type(n)}")
    if isinstance(n, (int, np.integer)):
        whole = _whole(n, "n")
        return 0 if whole < 0 else math.prod(range(whole, 0, -step))
    n = as_array(n)
    if n.dtype.kind not in "iu":
        raise ValueError(f"factorial with `exact=True` does not support non-integral arrays, got dtype {n.dtype}")
    if n.size == 0:
        return n.copy()
    table = _products(2**63 - 1, step)
    if int(n.max()) >= len(table):
        raise ValueError(f"exact results of arrays are int64: n must be below {len(table)}")
    values = _core.array(np.array([0, *table]))
    return values[_numpy["maximum"](n.astype(np.int64), -1) + 1]


def _number(n: Any, extend: str, real: bool = False) -> ndarray:
    """An argument that is not to be computed exactly; fractions and complex numbers need the continuation.

    `real` allows fractions without it.
    """
    array = as_array(n)
    if array.dtype.kind not in "iufc":
        raise ValueError(f"n has dtype {array.dtype}: only integers, floats and complex numbers have factorials")
    allowed = "iufc" if extend == "complex" else "iuf" if real else "iu"
    if array.dtype.kind not in allowed:
        raise ValueError(
            f"n has dtype {array.dtype}: factorials of numbers that are no integers need extend='complex', which also "
            "changes the results for negative integers"
        )
    return array


def _of_whole(x: ndarray, values: ndarray) -> ndarray:
    """`values`, and 0 of negative numbers; NaN stays."""
    return _core.where(x < 0, values.dtype.type(0), values)


def factorial(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """The product of all whole numbers from 1 to `n`.

    Parameters
    ----------
    n : int, float or array_like
        The last factors. Those of arrays may be real: `gamma(n + 1)`.

    Returns
    -------
    ndarray, or int if `exact`
        The factorials.

    Raises
    ------
    ValueError
        For other values of `extend`, exact results of fractions, and those that no int64 holds.

    >>> cp.scipy.special.factorial(cp.asarray([3, 4, 5]))
    array([  6.,  24., 120.])
    >>> cp.scipy.special.factorial(25, exact=True)
    15511210043330985984000000
    """
    if extend not in ("zero", "complex"):
        raise ValueError(f"argument `extend` must be either 'zero' or 'complex', received: {extend}")
    if exact:
        if extend == "complex":
            raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
        if isinstance(n, (float, np.floating)) and math.isnan(n):
            return math.nan
        return _exactly(n, 1)
    x = _number(n, extend, real=True)
    if x.size == 0:
        return x.copy()
    values = _special["gamma"](x + 1 if x.dtype.kind in "fc" else x.astype(np.float64) + 1)
    return values if extend == "complex" else _of_whole(x, values)


def factorialk(n: ArrayLike, k: int, exact: bool = False, extend: str = "zero") -> Any:
    """The product of `n`, `n - k`, `n - 2 k` and so on, as long as the factors are positive.

    Parameters
    ----------
    k : int
        The step, at least 1.

    Returns
    -------
    ndarray, or int if `exact`
        The products.

    >>> cp.scipy.special.factorialk(cp.asarray([5, 6, 7]), 3)
    array([10., 18., 28.])
    """
    if extend not in ("zero", "complex"):
        raise ValueError(f"argument `extend` must be either 'zero' or 'complex', received: {extend}")
    if not isinstance(k, (int, np.integer)) or k < 1:
        raise ValueError(f"k must be a positive integer, received: {k!r}")
    if exact:
        if extend == "complex":
            raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
        return _exactly(n, int(k))
    x = _number(n, extend)
    if x.size == 0:
        return x.copy()
    x = x if x.dtype.kind in "fc" else x.astype(np.float64)
    if extend == "complex":
        # k**((n - 1) / k) gamma(n / k + 1) / gamma(1 / k + 1), SciPy's choice of the continuation.
        scale = _numpy["power"](x.dtype.type(k), (x - 1) / k)
        point = x / k + 1
        values = scale * _special["gamma"](point) * _special["rgamma"](_core.full((), 1 / k + 1, x.dtype))
        return _core.where(point == 0, values.dtype.type(np.nan), values)
    # With r the last factor: n (n - k) ... r = k**m gamma(n / k + 1) / gamma(r / k) with r in (0, k].
    rest = _numpy["remainder"](x, k)
    last = _core.where(rest == 0, x.dtype.type(k), rest)
    count = _numpy["rint"]((x - last) / k)
    values = _numpy["power"](x.dtype.type(k), count) * _special["poch"](last / k + 1, count) * last
    values = _core.where(x == 0, x.dtype.type(1), _numpy["rint"](values))
    return _of_whole(x, values)


def factorial2(n: ArrayLike, exact: bool = False, extend: str = "zero") -> Any:
    """The product of `n`, `n - 2`, `n - 4` and so on, as long as the factors are positive.

    Returns
    -------
    ndarray, or int if `exact`
        The products.

    >>> cp.scipy.special.factorial2(cp.asarray([7, 8]))
    array([105., 384.])
    """
    return factorialk(n, 2, exact, extend)


def stirling2(N: ArrayLike, K: ArrayLike, *, exact: bool = False) -> Any:
    """Stirling numbers of the second kind: the ways to divide `N` things into `K` sets that are not empty.

    Parameters
    ----------
    N, K : int or array_like of ints
        Numbers of things and sets.
    exact : bool, optional
        Computes integers: of any size for two Python integers, int64 for arrays.

    Returns
    -------
    ndarray, or int if `exact`
        The numbers, float64 or, if `exact`, int64.

    Raises
    ------
    TypeError
        For numbers that are no integers.
    ValueError
        If no int64 holds an exact number of an array.

    >>> cp.scipy.special.stirling2(cp.asarray([4, 5, 6]), 3)
    array([ 6., 25., 90.])
    """
    if exact and isinstance(N, (int, np.integer)) and isinstance(K, (int, np.integer)):
        n, k = int(N), int(K)
        return _set_partitions(n)[k] if 0 <= k <= n else 0
    things, sets = as_array(N), as_array(K)
    for array, name in ((things, "N"), (sets, "K")):
        if array.dtype.kind not in "iub":
            raise TypeError(f"Argument `{name}` must contain only integers, got dtype {array.dtype}")
    dtype = np.dtype(np.int64 if exact else np.float64)
    if things.size == 0 or sets.size == 0:
        return _core.empty(np.broadcast_shapes(things.shape, sets.shape), dtype)
    inside = (sets >= 0) & (sets <= things) & (things >= 0)
    things, sets = (_core.where(inside, array.astype(np.int64), 0) for array in (things, sets))
    # Row by row from S(n, k) = k S(n - 1, k) + S(n - 1, k - 1), on the host, as far as the largest K and for the
    # different N: what is too large stays so from row to row.
    counts, width = np.unique(things.get()), int(sets.max()) + 1
    largest, beyond = (2**63 - 1, -1) if exact else (2**1023, np.inf)
    table, row, reached = np.zeros((counts.size, width), dtype), [1], 0
    for place, count in enumerate(counts.tolist()):
        for _ in range(reached, count):
            row = [min(value, largest + 1) for value in _next_partitions(row)[:width]]
        table[place, : len(row)] = [value if value <= largest else beyond for value in row]
        reached = count
    place = searchsorted(_core.array(counts), things) * width + sets
    values = _core.where(inside, _core.array(table.ravel())[place], dtype.type(0))
    if exact and bool((values < 0).any()):
        raise ValueError("exact results of arrays are int64, which is too small for some of these numbers")
    return values


def _set_partitions(n: int) -> list[int]:
    """S(n, 0) to S(n, n)."""
    row = [1]
    for _ in range(n):
        row = _next_partitions(row)
    return row


def _next_partitions(row: list[int]) -> list[int]:
    """S(n + 1, 0) to S(n + 1, n + 1) from the row before."""
    return [0, *(k * below + before for k, (below, before) in enumerate(zip([*row[1:], 0], row, strict=True), 1))]
