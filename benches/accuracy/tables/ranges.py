"""Distributions whose references take longest: Kolmogorov's two-sided statistic, the studentized range."""

from __future__ import annotations

import math
import random

from accuracy.tables.distribution import WIDE, distribution
from accuracy.tables.gamma import normal
from flint import arb, arb_mat, ctx

#: Observations at most: the matrix has twice so many rows times the statistic.
FEW, MANY = 20, 60


def kolmogorov_cdf(d: arb, n: arb) -> arb:
    """By a power of a matrix of exact numbers: Marsaglia, Tsang and Wang, J. Stat. Softw. 8 (2003)."""
    count = int(float(n.mid()))
    scaled = n * d
    # In exact numbers: a statistic next to 1 is not 1.
    k = int(scaled.floor().unique_fmpz()) + 1
    h, size = k - scaled, 2 * k - 1
    factorial = [arb(1)]
    for i in range(size + 1):
        factorial.append(factorial[-1] * (i + 1))
    rows = [[1 / factorial[i - j + 1] if i - j + 1 >= 0 else arb(0) for j in range(size)] for i in range(size)]
    for i in range(size):
        rows[i][0] -= h ** (i + 1) / factorial[i + 1]
        rows[size - 1][i] -= h ** (size - i) / factorial[size - i]
    if h > 0.5:
        rows[size - 1][0] += (2 * h - 1) ** size / factorial[size]
    found = (arb_mat(rows) ** count)[k - 1, k - 1]
    for i in range(1, count + 1):
        found = found * i / count
    return found


def counts(region: str, source: random.Random) -> tuple[float, ...]:
    return (float(source.randint(2, FEW if region != WIDE else MANY)),)


distribution(
    "kstwo",
    None,
    kolmogorov_cdf,
    shapes=counts,
    support=lambda n: (0.5 / n, 1.0),
    weight=0.4,
)

#: Steps of the trapezoidal rules over normal numbers and over the logarithm of the root of a chi-square number.
INNER, OUTER = 0.25, 0.04


def mean_over_root(function, df: arb) -> arb:  # type: ignore[no-untyped-def]
    """The mean of f(s) over s, the root of a chi-square number over its degrees of freedom; every second node for the
    error, which another halving of the step squares."""
    constant = 2 * (df / 2) ** (df / 2) * (df / 2).rgamma()
    sums = [arb(0), arb(0)]
    low = -int(65 / float(df.mid()) / OUTER)
    high = int(0.5 * math.log(2 + 140 / float(df.mid())) / OUTER) + 8
    for i in range(low, high):
        u = arb(i) * OUTER
        s = u.exp()
        value = (df * (u - s * s / 2)).exp() * function(s)
        sums[i % 2] += value
    coarse, fine = 2 * sums[0] * OUTER * constant, (sums[0] + sums[1]) * OUTER * constant
    error = abs(fine - coarse)
    if not error < abs(fine) * arb(2) ** -44:
        return arb.nan()
    return arb(fine.mid(), abs(fine.mid()) * arb(2) ** -86)


def range_share(w: arb, many: int, above: list[tuple[arb, arb, arb]]) -> arb:
    """The share of ranges of normal numbers up to w, from their density and share at the nodes."""
    total = arb(0)
    for z, density, share in above:
        total += density * (share - normal(z - w)) ** (many - 1)
    return total * many * INNER


def studentized_cdf(q: arb, many: arb, df: arb) -> arb:
    ctx.prec = max(ctx.prec, 192)
    nodes = []
    for i in range(-48, 49):
        z = arb(i) * INNER
        nodes.append((z, (-z * z / 2).exp() / (2 * arb.pi()).sqrt(), normal(z)))
    groups = int(float(many.mid()))
    return mean_over_root(lambda s: range_share(q * s, groups, nodes), df)


distribution(
    "studentized_range",
    None,
    studentized_cdf,
    shapes=lambda region, s: (
        float(s.randint(2, 6 if region != WIDE else 20)),
        float(s.randint(6, 30) if region != WIDE else s.randint(12, 200)),
    ),
    places=lambda s: 10.0 ** s.uniform(-0.3, 1.0),
    support=lambda many, df: (0.0, math.inf),
    weight=0.25,
    roots=False,
)
