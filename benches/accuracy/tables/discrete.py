"""Discrete distributions of `scipy.stats`: each mass function written once; the rest are its sums."""

from __future__ import annotations

import random
from collections.abc import Callable

from accuracy.draws import ORDINARY
from accuracy.row import Row, Table
from accuracy.settle import whole
from accuracy.tables import quadrature
from accuracy.tables.distribution import REGIONS, TAILS, WIDE, probability
from accuracy.tables.gamma import beta, betainc, betaincc, binom, upper
from accuracy.tables.probability import chndtr
from flint import arb, arb_poly

discrete = Table("stats", "discrete distributions")
TABLES = (discrete,)

#: Terms of a sum at most.
MOST = 3000
Shapes = Callable[[str, random.Random], tuple[float, ...]]


def distribution(
    name: str,
    pmf: Callable[..., arb],
    shapes: Shapes,
    low: Callable[..., float],
    span: Callable[..., float],
    cdf: Callable[..., arb] | None = None,
    bounded: bool = False,
    first: Callable[..., float] | None = None,
) -> None:
    """The rows of a distribution on the integers from `low` on.

    Points are drawn from `first` (or `low`) on as far as `span` says, in tails three times as far unless `bounded`.
    """
    count = 1 + len(shapes(ORDINARY, random.Random(0)))

    def drawn(region: str, source: random.Random) -> tuple[float, ...]:
        parameters = shapes(region, source)
        reach = max(int(span(*parameters)), 1)
        far = reach if region != TAILS or bounded else min(3 * reach, MOST)
        return (float((first or low)(*parameters) + source.randint(0, far)), *parameters)

    def drawn_probability(region: str, source: random.Random) -> tuple[float, ...]:
        return (probability(region, source), *shapes(region, source))

    def total(k: arb, *parameters: arb) -> arb | None:
        if cdf is not None:
            return cdf(k, *parameters)
        first, last = int(low(*(float(p.mid()) for p in parameters))), whole(k)
        if last - first > MOST:
            return None
        return sum((pmf(arb(j), *parameters) for j in range(first, last + 1)), arb(0))

    def sf(k: arb, *parameters: arb) -> arb | None:
        found = total(k, *parameters)
        return None if found is None else 1 - found

    def least(q: arb, reached: Callable[[arb | None], bool | None], parameters: tuple[arb, ...]) -> float | None:
        """The first integer at which a cumulative probability reaches q."""
        first = int(low(*(float(p.mid()) for p in parameters)))
        step, k = 1, first
        while not (here := reached(total(arb(k), *parameters))):
            if here is None:
                return None
            k, step = k + step, step * 2
        below = max(first - 1, k - step // 2 - (k > first)) if k > first else first - 1
        while k - below > 1:
            middle = (k + below) // 2
            here = reached(total(arb(middle), *parameters))
            if here is None:
                return None
            k, below = (middle, below) if here else (k, middle)
        return float(k)

    def definite(yes: bool, no: bool) -> bool | None:
        return True if yes else False if no else None

    def ppf(q: arb, *parameters: arb) -> float | None:
        return least(q, lambda c: None if c is None else definite(c >= q, c < q), parameters)

    def isf(q: arb, *parameters: arb) -> float | None:
        return least(q, lambda c: None if c is None else definite(1 - c <= q, 1 - c > q), parameters)

    def log(function: Callable[..., arb | None]) -> Callable[..., arb | None]:
        return lambda *arguments: None if (found := function(*arguments)) is None else found.log()

    methods = {"pmf": pmf, "logpmf": log(pmf), "cdf": total, "sf": sf, "logsf": log(sf), "ppf": ppf, "isf": isf}
    for method, reference in methods.items():
        draw = drawn_probability if method in ("ppf", "isf") else drawn
        discrete.rows.append(
            Row(
                "stats",
                discrete.family,
                f"{name}.{method}",
                reference,
                (),
                ("d" * count,),
                REGIONS,
                weight=0.4,
                drawn=draw,
            )
        )


def share(source: random.Random) -> float:
    return source.uniform(0.02, 0.98)


def size(region: str, source: random.Random, ordinary: int = 60, wide: int = 1000) -> float:
    return float(source.randint(2, ordinary if region != WIDE else wide))


def scale(region: str, source: random.Random) -> float:
    return 10.0 ** source.uniform(-0.5, 1.2) if region != WIDE else 10.0 ** source.uniform(-2, 2.5)


def zero(*parameters: float) -> float:
    return 0


def one(*parameters: float) -> float:
    return 1


distribution("bernoulli", lambda k, p: p if k > 0.5 else 1 - p, lambda r, s: (share(s),), zero, one, bounded=True)
distribution(
    "binom",
    lambda k, n, p: binom(n, k) * p**k * (1 - p) ** (n - k),
    lambda r, s: (size(r, s), share(s)),
    zero,
    lambda n, p: n,
    cdf=lambda k, n, p: betaincc(k + 1, n - k, p) if k < n else arb(1),
    bounded=True,
)
distribution(
    "betabinom",
    lambda k, n, a, b: binom(n, k) * beta(k + a, n - k + b) / beta(a, b),
    lambda r, s: (size(r, s, wide=300), scale(r, s), scale(r, s)),
    zero,
    lambda n, a, b: n,
    bounded=True,
)
distribution(
    "betanbinom",
    lambda k, n, a, b: binom(n + k - 1, k) * beta(a + n, b + k) / beta(a, b),
    lambda r, s: (size(r, s, 20, 100), 1 + scale(r, s), scale(r, s)),
    zero,
    lambda n, a, b: 60,
)
distribution(
    "boltzmann",
    lambda k, lam, n: (1 - (-lam).exp()) * (-lam * k).exp() / (1 - (-lam * n).exp()),
    lambda r, s: (scale(r, s) / 10, size(r, s)),
    zero,
    lambda lam, n: n - 1,
    cdf=lambda k, lam, n: (1 - (-lam * (k + 1)).exp()) / (1 - (-lam * n).exp()),
    bounded=True,
)
distribution(
    "dlaplace",
    lambda k, a: (a / 2).tanh() * (-a * abs(k)).exp(),
    lambda r, s: (scale(r, s) / 5,),
    lambda a: -int(800 / a) - 40,
    lambda a: 60,
    first=lambda a: -30,
    cdf=lambda k, a: 1 - (-a * (k + 1)).exp() / (1 + (-a).exp()) if k > -0.5 else (a * (k + 1)).exp() / (1 + a.exp()),
)
distribution(
    "geom",
    lambda k, p: p * (1 - p) ** (k - 1),
    lambda r, s: (share(s) if r != WIDE else 10.0 ** s.uniform(-6, 0),),
    one,
    lambda p: min(5 / p, 1e6),
    cdf=lambda k, p: 1 - (1 - p) ** k,
)


def urn(region: str, source: random.Random) -> tuple[float, float, float]:
    total = source.randint(20, 80 if region != WIDE else 600)
    return float(total), float(source.randint(1, total - 1)), float(source.randint(1, total - 1))


def urn_low(total: float, marked: float, drawn: float, *rest: float) -> float:
    return max(0, drawn - (total - marked))


def urn_span(total: float, marked: float, drawn: float, *rest: float) -> float:
    return min(marked, drawn) - urn_low(total, marked, drawn)


def hypergeometric(k: arb, total: arb, marked: arb, drawn: arb) -> arb:
    return binom(marked, k) * binom(total - marked, drawn - k) / binom(total, drawn)


distribution("hypergeom", hypergeometric, urn, urn_low, urn_span, bounded=True)


def fisher(k: arb, total: arb, marked: arb, drawn: arb, odds: arb) -> arb:
    sizes = [float(x.mid()) for x in (total, marked, drawn)]
    first = int(urn_low(*sizes))
    weights = [
        binom(marked, arb(j)) * binom(total - marked, drawn - j) * odds**j
        for j in range(first, first + int(urn_span(*sizes)) + 1)
    ]
    return weights[whole(k) - first] / sum(weights, arb(0))


def with_odds(region: str, source: random.Random) -> tuple[float, ...]:
    total = source.randint(10, 30)
    return (
        float(total),
        float(source.randint(1, total - 1)),
        float(source.randint(1, total - 1)),
        10.0 ** source.uniform(-0.7, 0.7),
    )


def wallenius(k: arb, total: arb, marked: arb, drawn: arb, odds: arb) -> arb:
    left = odds * (marked - k) + (total - marked - (drawn - k))
    if not left > 0:
        raise ValueError("nothing is left")
    powers = odds / left, 1 / left
    chance = quadrature.between(
        lambda t, low, _: (1 - low ** powers[0]) ** whole(k) * (1 - low ** powers[1]) ** whole(drawn - k),
        arb(0),
        arb(1),
    )
    return binom(marked, k) * binom(total - marked, drawn - k) * chance


distribution("nchypergeom_fisher", fisher, with_odds, urn_low, urn_span, bounded=True)
distribution("nchypergeom_wallenius", wallenius, with_odds, urn_low, urn_span, bounded=True)
distribution(
    "logser",
    lambda k, p: -(p**k) / (k * (-p).log1p()),
    lambda r, s: (share(s) if r != WIDE else 1 - 10.0 ** s.uniform(-3, -1),),
    one,
    lambda p: 60,
)
distribution(
    "nbinom",
    lambda k, n, p: binom(n + k - 1, k) * p**n * (1 - p) ** k,
    lambda r, s: (scale(r, s), share(s)),
    zero,
    lambda n, p: 3 * n / p + 5,
    cdf=lambda k, n, p: betainc(n, k + 1, p),
)
distribution(
    "nhypergeom",
    lambda k, total, n, r: binom(k + r - 1, k) * binom(total - r - k, n - k) / binom(total, n),
    lambda r, s: (lambda total, n: (float(total), float(n), float(s.randint(1, total - n))))(
        *(lambda total: (total, s.randint(1, total - 1)))(s.randint(20, 60))
    ),
    zero,
    lambda total, n, r: n,
    bounded=True,
)
distribution(
    "planck",
    lambda k, lam: -(-lam).expm1() * (-lam * k).exp(),
    lambda r, s: (scale(r, s) / 10,),
    zero,
    lambda lam: min(10 / lam, 1e6),
    cdf=lambda k, lam: -(-lam * (k + 1)).expm1(),
)
distribution(
    "poisson",
    lambda k, mu: (-mu).exp() * mu**k * (k + 1).rgamma(),
    lambda r, s: (scale(r, s),),
    zero,
    lambda mu: 3 * mu + 5,
    cdf=lambda k, mu: upper(k + 1, mu),
)
distribution(
    "randint",
    lambda k, low, high: 1 / (high - low),
    lambda r, s: (float(s.randint(-20, 5)), float(s.randint(6, 50))),
    lambda low, high: low,
    lambda low, high: high - low - 1,
    cdf=lambda k, low, high: (k - low + 1) / (high - low),
    bounded=True,
)


def skellam_cdf(k: arb, a: arb, b: arb) -> arb:
    """By the noncentral chi-square distribution."""
    return chndtr(2 * b, -2 * k, 2 * a) if k < -0.5 else 1 - chndtr(2 * a, 2 * (k + 1), 2 * b)


distribution(
    "skellam",
    lambda k, a, b: (-a - b).exp() * (a / b) ** (k / 2) * (2 * (a * b).sqrt()).bessel_i(abs(k)),
    lambda r, s: (scale(r, s) / 4, scale(r, s) / 4),
    lambda a, b: -int(b + 60 * (a + b) ** 0.5 + 400),
    lambda a, b: int(12 * (a + b) ** 0.5 + 8),
    cdf=skellam_cdf,
    bounded=True,
    first=lambda a, b: int(a - b - 6 * (a + b) ** 0.5 - 4),
)
distribution(
    "yulesimon",
    lambda k, a: a * beta(k, a + 1),
    lambda r, s: (scale(r, s),),
    one,
    lambda a: 60,
    cdf=lambda k, a: 1 - k * beta(k, a + 1),
)
distribution(
    "zipf",
    lambda k, a: k**-a / a.zeta(),
    lambda r, s: (1 + scale(r, s) / 4,),
    one,
    lambda a: 60,
    cdf=lambda k, a: 1 - a.zeta(k + 1) / a.zeta(),
)
distribution(
    "zipfian",
    lambda k, a, n: k**-a / (a.zeta() - a.zeta(n + 1)),
    lambda r, s: (1.01 + scale(r, s) / 4, size(r, s)),
    one,
    lambda a, n: n - 1,
    cdf=lambda k, a, n: (a.zeta() - a.zeta(k + 1)) / (a.zeta() - a.zeta(n + 1)),
    bounded=True,
)


def trials(k: arb, *shares: arb) -> arb:
    """The probability of k successes in trials with these probabilities."""
    product = arb_poly([1])
    for p in shares:
        product = product * arb_poly([1 - p, p])
    return product[whole(k)]


#: The trials of a sum of different ones.
TRIALS = 6
distribution(
    "poisson_binom",
    trials,
    lambda r, s: tuple(share(s) if r != WIDE else 10.0 ** s.uniform(-6, 0) for _ in range(TRIALS)),
    zero,
    lambda *shares: TRIALS,
    bounded=True,
)
