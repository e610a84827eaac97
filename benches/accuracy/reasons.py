"""Why a row keeps finite results that differ from the reference by more than a wrong number may."""

from __future__ import annotations

REASONS = {
    "special.fdtridfd.ddd": "two values solve the equation: the probability at the one found is the one asked for",
    "special.chndtrinc.ddd": "the probability hardly depends on a small noncentrality: the condition number is 1e8",
    "stats.kappa4.sf.ddd": "1 - h * y**(1 / k) cancels: a rounding of h changes the value as much",
    "stats.yulesimon.ppf.dd": "the least point whose `cdf` is `q` in float64; next to 1 `isf` has the digits",
    "stats.zipf.ppf.dd": "the least point whose `cdf` is `q` in float64; next to 1 `isf` has the digits",
}
