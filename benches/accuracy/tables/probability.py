"""Distribution functions of `scipy.special` and their inverses: a cdf is written once, its inverses are roots of it."""

from __future__ import annotations

import random

from accuracy.draws import UNIT, counts, point, positive, real
from accuracy.row import Table
from accuracy.settle import inverse, whole
from accuracy.tables.gamma import betainc, betaincc, lower, normal, probit, upper
from accuracy.tables.series import summed
from flint import arb, ctx

cdfs = Table("special", "distribution functions")
roots = Table("special", "inverses of distribution functions")
noncentral = Table("special", "noncentral distribution functions")
TABLES = (cdfs, roots, noncentral)

TINY, ONE, HUGE = 5e-324, 1 - 2.0**-53, 1e300
SHAPE = positive(smallest=-6, largest=5)
MILD = positive(smallest=-3, largest=3)
TRIALS = {key: (lambda s, d=d: 20 + d(s)) for key, d in counts(40, 5000).items()}


def fdtr(a: arb, b: arb, x: arb) -> arb:
    return betainc(a / 2, b / 2, a * x / (b + a * x))


def fdtrc(a: arb, b: arb, x: arb) -> arb:
    return betaincc(a / 2, b / 2, a * x / (b + a * x))


def stdtr(df: arb, t: arb) -> arb:
    tail = (df / (df + t * t)).beta_lower(df / 2, arb(0.5), regularized=True) / 2
    return tail if t < 0 else 1 - tail


def kolmogorov(x: arb) -> arb:
    if x > 0.5:
        return 2 * summed(lambda k, _: arb(0) if k == 0 else (-1) ** (k - 1) * (-2 * (k * x) ** 2).exp())
    return 1 - (2 * arb.pi()).sqrt() / x * summed(lambda k, _: (-(((2 * k + 1) * arb.pi() / x) ** 2) / 8).exp())


def smirnov(n: arb, d: arb) -> arb:
    """The finite sum of Birnbaum and Tingey."""
    size = int(float(n.mid()))
    last = whole((n * (1 - d)).floor())
    total, choose = arb(0), arb(1)
    for j in range(last + 1):
        total += choose * (d + arb(j) / n) ** (j - 1) * (1 - d - arb(j) / n) ** (size - j)
        choose = choose * (size - j) / (j + 1)
    return d * total


cdfs.real("bdtr", lambda k, n, p: betaincc(k + 1, n - k, p), counts(19, 19), TRIALS, UNIT)
cdfs.real("bdtrc", lambda k, n, p: betainc(k + 1, n - k, p), counts(19, 19), TRIALS, UNIT)
cdfs.real("nbdtr", lambda k, n, p: betainc(n, k + 1, p), counts(), counts(40, 2000, least=1), UNIT)
cdfs.real("nbdtrc", lambda k, n, p: betaincc(n, k + 1, p), counts(), counts(40, 2000, least=1), UNIT)
cdfs.real("pdtr", lambda k, m: upper(k + 1, m), counts(), positive(smallest=-20))
cdfs.real("pdtrc", lambda k, m: lower(k + 1, m), counts(), positive(smallest=-20))
cdfs.real("chdtr", lambda v, x: lower(v / 2, x / 2), SHAPE, SHAPE)
cdfs.real("chdtrc", lambda v, x: upper(v / 2, x / 2), SHAPE, SHAPE)
cdfs.real("gdtr", lambda a, b, x: lower(b, a * x), MILD, SHAPE, SHAPE)
cdfs.real("gdtrc", lambda a, b, x: upper(b, a * x), MILD, SHAPE, SHAPE)
cdfs.real("fdtr", fdtr, SHAPE, SHAPE, SHAPE)
cdfs.real("fdtrc", fdtrc, SHAPE, SHAPE, SHAPE)
cdfs.real("stdtr", stdtr, SHAPE, real(smallest=-20, largest=10))
cdfs.real("kolmogorov", kolmogorov, positive(low=-0.8, high=0.4, smallest=-1.5, largest=1.2))
cdfs.real("smirnov", smirnov, counts(40, 500, least=1), UNIT, weight=0.5)


def solvable(function, kinds, answer):  # type: ignore[no-untyped-def]
    """Draws the answer with the other arguments, and takes their probability: so there is a root to find."""
    at = next(place for place, kind in enumerate(kinds) if kind is UNIT)

    def drawn(region: str, source: random.Random) -> tuple[float, ...]:
        *arguments, unknown = point((*kinds, answer), region, source)
        ctx.prec = 96
        cdf, _ = function(*map(arb, arguments))
        probability = float(cdf(arb(unknown)).mid())
        if 0 < probability < 1:
            arguments[at] = probability
        return tuple(arguments)

    return drawn


def root(  # type: ignore[no-untyped-def]
    name: str, function, *kinds, answer, low=TINY, high=HUGE, table: Table = roots, weight: float = 0.4
) -> None:
    """A row for the argument of a cdf that gives a probability: `function` makes the cdf out of the other arguments."""

    def reference(*arguments: arb) -> arb | None:
        cdf, probability = function(*arguments)
        ends = (float(end(*arguments).mid()) if callable(end) else end for end in (low, high))
        return inverse(cdf, probability, *ends)

    table.real(name, reference, *kinds, weight=weight, drawn=solvable(function, kinds, answer))


LOW = positive(low=-0.5, high=1.2, smallest=-2, largest=2.5)
FEW = counts(19, 19)
BEYOND = {key: (lambda s, d=d: 19 + d(s)) for key, d in LOW.items()}
root("bdtri", lambda k, n, y: (lambda p: betaincc(k + 1, n - k, p), y), FEW, TRIALS, UNIT, high=ONE, answer=UNIT)
root(
    "bdtrik",
    lambda y, n, p: (lambda k: betaincc(k + 1, n - k, p), y),
    UNIT,
    TRIALS,
    UNIT,
    high=lambda y, n, p: n * ONE,
    answer=LOW,
)
root(
    "bdtrin",
    lambda k, y, p: (lambda n: betaincc(k + 1, n - k, p), y),
    FEW,
    UNIT,
    UNIT,
    low=lambda k, y, p: k + 1e-9,
    answer=BEYOND,
)
root(
    "nbdtri",
    lambda k, n, y: (lambda p: betainc(n, k + 1, p), y),
    FEW,
    counts(40, 1000, least=1),
    UNIT,
    high=ONE,
    answer=UNIT,
)
root("nbdtrik", lambda y, n, p: (lambda k: betainc(n, k + 1, p), y), UNIT, counts(40, 1000, least=1), UNIT, answer=LOW)
root("nbdtrin", lambda k, y, p: (lambda n: betainc(n, k + 1, p), y), FEW, UNIT, UNIT, answer=LOW)
root("pdtri", lambda k, y: (lambda m: upper(k + 1, m), y), counts(), UNIT, answer=LOW)
root("pdtrik", lambda y, m: (lambda k: upper(k + 1, m), y), UNIT, LOW, answer=LOW)
root("chdtri", lambda v, y: (lambda x: upper(v / 2, x / 2), y), LOW, UNIT, answer=LOW)
root("chdtriv", lambda y, x: (lambda v: lower(v / 2, x / 2), y), UNIT, LOW, high=1e8, answer=LOW)
root("gdtria", lambda y, b, x: (lambda a: lower(b, a * x), y), UNIT, LOW, LOW, answer=LOW)
root("gdtrib", lambda a, y, x: (lambda b: lower(b, a * x), y), LOW, UNIT, LOW, high=1e8, answer=LOW)
root("gdtrix", lambda a, b, y: (lambda x: lower(b, a * x), y), LOW, LOW, UNIT, answer=LOW)
root("btdtria", lambda y, b, x: (lambda a: betainc(a, b, x), y), UNIT, LOW, UNIT, high=1e10, answer=LOW)
root("btdtrib", lambda a, y, x: (lambda b: betainc(a, b, x), y), LOW, UNIT, UNIT, high=1e10, answer=LOW)
root("fdtri", lambda a, b, y: (lambda x: fdtr(a, b, x), y), LOW, LOW, UNIT, answer=LOW)
root("fdtridfd", lambda a, y, x: (lambda b: fdtr(a, b, x), y), LOW, UNIT, LOW, high=1e6, answer=LOW)
root("stdtrit", lambda df, y: (lambda t: stdtr(df, t), y), LOW, UNIT, low=-HUGE, answer=real())
root("stdtridf", lambda y, t: (lambda df: stdtr(df, t), y), UNIT, real(), high=1e6, answer=LOW)
root(
    "kolmogi",
    lambda y: (kolmogorov, y),
    UNIT,
    low=0.03,
    high=40.0,
    answer=positive(low=-0.8, high=0.4, smallest=-1, largest=0.6),
)
root("smirnovi", lambda n, y: (lambda d: smirnov(n, d), y), counts(20, 60, least=1), UNIT, high=ONE, answer=UNIT)
roots.real("nrdtrimn", lambda p, std, x: x - std * probit(p), UNIT, MILD, real())
roots.real("nrdtrisd", lambda mean, p, x: (x - mean) / probit(p), real(), UNIT, real())


def poisson_mixture(mean: arb, part) -> arb:  # type: ignore[no-untyped-def]
    """The sum of Poisson's weights times part(k), which lies between 0 and 1: from the largest weight both ways."""
    middle = int(float(mean.mid()))
    total, least = arb(0), arb(2) ** (-ctx.prec - 60)
    first = (-mean).exp() * mean**middle / arb(middle + 1).gamma()
    for step in (1, -1):
        weight, k = first, middle
        if step < 0:
            if not middle:
                break
            weight, k = first * middle / mean, middle - 1
        while k >= 0:
            value = weight * part(k)
            total += value
            if value < least * total and weight < least * total:
                total += arb(0, 1) * weight * 8
                break
            weight = weight * mean / (k + 1) if step > 0 else weight * k / mean
            k += step
    return total


def chndtr(x: arb, df: arb, nc: arb) -> arb:
    return poisson_mixture(nc / 2, lambda k: lower(df / 2 + k, x / 2))


def ncfdtr(a: arb, b: arb, nc: arb, f: arb) -> arb:
    share = a * f / (b + a * f)
    return poisson_mixture(nc / 2, lambda k: betainc(a / 2 + k, b / 2, share))


def nctdtr(df: arb, nc: arb, t: arb) -> arb:
    """Guenther's sum for t > 0 (beside the normal part); for t < 0 the other tail of -t and -nc."""
    if t < 0:
        return 1 - nctdtr(df, -nc, -t)
    share = t * t / (df + t * t)
    half = nc * nc / 2
    size = int(float(half.mid())) + 1
    total, weight, second = arb(0), (-half).exp(), (-half).exp() * nc / arb(2).sqrt() / arb(1.5).gamma()
    least = arb(2) ** (-ctx.prec - 20)
    for k in range(20000):
        total += weight * share.beta_lower(arb(k) + 0.5, df / 2, regularized=True)
        total += second * share.beta_lower(arb(k + 1), df / 2, regularized=True)
        weight, second = weight * half / (k + 1), second * half / (k + arb(1.5))
        if k > size and weight < least and abs(second) < least:
            return normal(-nc) + total / 2 + arb(0, 1) * (weight + abs(second)) * 8
    return arb.nan()


DF, NC = positive(low=-0.3, high=1.2, smallest=-2, largest=2.3), positive(low=-1, high=1.3, smallest=-8, largest=2.3)
XX = positive(low=-0.5, high=1.5, smallest=-10, largest=2.6)
noncentral.real("chndtr", chndtr, XX, DF, NC, weight=0.7)
noncentral.real("ncfdtr", ncfdtr, DF, DF, NC, XX, weight=0.7)
noncentral.real(
    "nctdtr",
    nctdtr,
    DF,
    real(low=-1, high=0.7, smallest=-8, largest=1.2, whole=6),
    real(low=-1, high=1, smallest=-8, largest=2),
    weight=0.7,
)


root(
    "chndtrix",
    lambda y, df, nc: (lambda x: chndtr(x, df, nc), y),
    UNIT,
    DF,
    NC,
    answer=LOW,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "chndtridf",
    lambda x, y, nc: (lambda df: chndtr(x, df, nc), y),
    XX,
    UNIT,
    NC,
    low=1e-10,
    answer=DF,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "chndtrinc",
    lambda x, df, y: (lambda nc: chndtr(x, df, nc), y),
    XX,
    DF,
    UNIT,
    low=1e-10,
    answer=NC,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "ncfdtri",
    lambda a, b, nc, y: (lambda f: ncfdtr(a, b, nc, f), y),
    DF,
    DF,
    NC,
    UNIT,
    answer=LOW,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "ncfdtridfd",
    lambda a, y, nc, f: (lambda b: ncfdtr(a, b, nc, f), y),
    DF,
    UNIT,
    NC,
    XX,
    low=1e-6,
    answer=DF,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "ncfdtridfn",
    lambda y, b, nc, f: (lambda a: ncfdtr(a, b, nc, f), y),
    UNIT,
    DF,
    NC,
    XX,
    low=1e-6,
    answer=DF,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "ncfdtrinc",
    lambda a, b, y, f: (lambda nc: ncfdtr(a, b, nc, f), y),
    DF,
    DF,
    UNIT,
    XX,
    low=1e-10,
    answer=NC,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
SIGNED = real(low=-1, high=0.7, smallest=-8, largest=1, whole=6)
root(
    "nctdtrit",
    lambda df, nc, y: (lambda t: nctdtr(df, nc, t), y),
    DF,
    SIGNED,
    UNIT,
    low=-1e4,
    answer=SIGNED,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
root(
    "nctdtrinc",
    lambda df, y, t: (lambda nc: nctdtr(df, nc, t), y),
    DF,
    UNIT,
    SIGNED,
    low=-60,
    high=60,
    answer=SIGNED,
    table=noncentral,
    weight=0.12,
)
root(
    "nctdtridf",
    lambda y, nc, t: (lambda df: nctdtr(df, nc, t), y),
    UNIT,
    SIGNED,
    SIGNED,
    low=1e-3,
    answer=DF,
    high=1e4,
    table=noncentral,
    weight=0.12,
)
