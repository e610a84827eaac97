"""Probabilities of counts in kernels by Stirling's formula: their large parts are pairs and so keep their digits.

C. Loader (2000) writes a binomial probability as a root, corrections of Stirling's formula, and deviances. Here the sum
of the deviances has twice the digits, since an exponential multiplies its rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._lib import kernel as k
from ._logarithms import LARGE
from ._math import LOG2PI, betaln, kl_div, log, maximum, stirling_rest
from ._pairs import Pair, log_of_pair, sum_rest

# Up to this number of trials a pair has the digits of the deviances.
MOST_TRIALS = 1e6
# `log(j!)` less Stirling's formula for j = 0 to 19, where that of 0 is 0 (mpmath).
_RESTS = (
    0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834,
    0.020790672103765093, 0.016644691189821193, 0.013876128823070748, 0.01189670994589177,
    0.010411265261972096, 0.009255462182712733, 0.00833056343336287, 0.007573675487951841,
    0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
    0.0052076559196096404, 0.004901395948434738, 0.004629153749334028, 0.004385560249232324,
)  # fmt: skip


@k.function
def _rest(j: Any) -> Any:
    """`log(j!)` less the logarithm of Stirling's formula, which is taken as 1 for `j = 0`."""
    known = k.local_array(len(_RESTS))
    for i, value in enumerate(_RESTS):
        known[i] = value
    return k.where(j < len(_RESTS), known[k.clamp(j, 0.0, 19.0).astype(np.int64)], stirling_rest(k.maximum(j, 20.0)))


def _root(j: Any) -> Any:
    """The square of the root in Stirling's formula."""
    return k.where(j > 0, 2 * np.pi * j, 1.0)


def _deviance(j: Any, numerator: Pair, denominator: Pair) -> Pair:
    """`j * log(numerator / denominator)`, which is 0 for no `j`."""
    value = log_of_pair(numerator / denominator) * j
    return Pair(k.where(j > 0, value.high, 0.0), k.where(j > 0, value.low, 0.0))


def _product(a: Any, b: Any) -> Pair:
    return Pair(a) * b


@k.function
def choices(n: Any, j: Any) -> tuple[Any, Any, Any]:
    """A binomial coefficient as a factor and the logarithm of another one, in two parts."""
    rest = n - j
    log = _deviance(j, Pair(n), Pair(j)) + _deviance(rest, Pair(n), Pair(rest))
    front = k.sqrt(_root(n) / _root(j) / _root(rest)) * k.exp(_rest(n) - _rest(j) - _rest(rest))
    return front, log.high, log.low


@k.function
def binomial(x: Any, n: Any, p: Any) -> tuple[Any, Any, Any]:
    """The probability of `x` successes in `n` trials, `0 < p < 1`, as a factor and a logarithm in two parts."""
    rest = n - x
    missed = Pair(1 - p, sum_rest(1.0, -p, 1 - p))
    log = _deviance(x, _product(n, p), Pair(x)) + _deviance(rest, missed * n, Pair(rest))
    front = k.sqrt(_root(n) / _root(x) / _root(rest)) * k.exp(_rest(n) - _rest(x) - _rest(rest))
    return front, log.high, log.low


@k.function
def hypergeometric(x: Any, m: Any, n: Any, draws: Any) -> tuple[Any, Any, Any]:
    """The probability of `x` of `n` marked ones among `draws` of `m`, as a factor and a logarithm in two parts."""
    others, left = m - n, m - draws
    cells = (x, n - x, draws - x, others - draws + x)
    sums = ((n, draws), (n, left), (others, draws), (others, left))
    log: Any = None
    square, rest = 1 / _root(m), -_rest(m)
    for cell, (row, column), total in zip(cells, sums, (n, others, draws, left), strict=True):
        part = _deviance(cell, _product(row, column), _product(cell, m))
        log = part if log is None else log + part
        square, rest = square * (_root(total) / _root(cell)), rest + (_rest(total) - _rest(cell))
    return k.sqrt(square) * k.exp(rest), log.high, log.low


def log_choose(n: Any, j: Any) -> Any:
    """The logarithm of a binomial coefficient."""
    return -log(n + 1) - betaln(n - j + 1, j + 1)


def central_binomial(x: Any, n: Any, p: Any, least: float = LARGE) -> Any:
    """The logarithm of a binomial probability where successes and failures are `least` or more."""
    m, rest = maximum(x, least), maximum(n - x, least)
    total = m + rest
    rests = stirling_rest(total) - stirling_rest(m) - stirling_rest(rest)
    return rests - kl_div(m, total * p) - kl_div(rest, total * (1 - p)) - 0.5 * (log(m * (rest / total)) + LOG2PI)


@k.function
def whole_mass(parts: tuple[Any, Any, Any]) -> Any:
    front, high, low = parts
    return k.minimum(front * Pair(high, low).exp(), 1.0)


@k.function
def whole_log(parts: tuple[Any, Any, Any]) -> Any:
    """The logarithm of a probability: of a large one by itself, since its parts are larger than it and cancel."""
    front, high, low = parts
    mass = k.minimum(front * Pair(high, low).exp(), 1.0)
    return k.where(mass > 0.3, k.log(mass), k.log(front) + (high + low))
