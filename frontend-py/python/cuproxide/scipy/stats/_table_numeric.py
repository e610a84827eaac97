"""Rows that need integrals or series: hyperbolic and circular ones, ranges, and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import cuproxide as cp

from ..._lib import kernel as k
from . import _quadrature
from ._common import holds
from ._continuous import rv_continuous
from ._logarithms import far_gammainc, far_gammaincc, log_gamma_density
from ._math import (
    INF,
    LOG2,
    LOG2PI,
    NAN,
    PI_REST,
    SQRT2PI,
    arctan,
    beta_,
    betaln,
    both,
    cos,
    digamma,
    entr,
    exp,
    exp_product,
    expit,
    expm1,
    floor,
    gammainc,
    gammaincc,
    gammainccinv,
    gammaincinv,
    gammaln,
    hyp2f1,
    hypot,
    i0e,
    i1e,
    isfinite,
    k1e,
    kve,
    log,
    log1p,
    log1p_square,
    log_gamma_entropy,
    log_ndtr,
    maximum,
    minimum,
    ndtr,
    ndtri,
    norm_logpdf,
    power,
    rgamma,
    sign,
    sin,
    sqrt,
    stirling_rest,
    tklmbda,
    where,
    xlog1py,
    xlogy,
)
from ._narrow import falling_integral
from ._numeric import between
from ._row import rows_of
from ._table_noncentral import _over_chi

__all__: list[str] = []

# Rows that other modules import by name.
studentized_range: Any

_row = rows_of(globals())


# ------------------------------------------------------------------------------------------ hyperbolic distributions


def _nig_gamma(a: Any, b: Any) -> tuple[Any, ...]:
    return (sqrt((a - b) * (a + b)),)


_row(
    "norminvgauss",
    "a, b",
    "1.25, 0.5",
    argcheck=lambda a, b: both(a > 0, abs(b) < a),
    constants=_nig_gamma,
    pdf=lambda x, a, b, g: a / np.pi * k1e(a * hypot(1.0, x)) * exp(b * x - a * hypot(1.0, x) + g) / hypot(1.0, x),
    logpdf=lambda x, a, b, g: (
        log(a / np.pi) + log(k1e(a * hypot(1.0, x))) + b * x - a * hypot(1.0, x) + g - log(hypot(1.0, x))
    ),
    centre=lambda a, b, g: b / g,
    spread=lambda a, b, g: a / g**1.5,
    stats=lambda a, b: (
        b / _nig_gamma(a, b)[0],
        a * a / _nig_gamma(a, b)[0] ** 3,
        3 * b / (a * sqrt(_nig_gamma(a, b)[0])),
        3 * (1 + 4 * b * b / (a * a)) / _nig_gamma(a, b)[0],
    ),
    rvs=lambda a, b, size, random_state: (lambda v: b * v + sqrt(v) * random_state.normal(size=size))(
        random_state.wald(1 / _nig_gamma(a, b)[0], 1.0, size=size)
    ),
    by_density=True,
)


def _gh_constants(p: Any, a: Any, b: Any) -> tuple[Any, ...]:
    g = sqrt((a - b) * (a + b))
    # K of the argument 0 and a negative order: the limit of `g**p / K(p, g)`.
    limit = -(log(2.0) * (-p - 1) + gammaln(-p))
    general = p * log(g) - log(kve(p, g)) + g
    ratio = kve(p + 1, g) / kve(p, g) / g
    mean = where(g == 0, sign(b) * 1e3, b * ratio)
    wide = ratio + b * b * (kve(p + 2, g) / kve(p, g) / (g * g) - ratio * ratio)
    width = where(both(g > 0, wide > 0), sqrt(maximum(wide, 0.0)), 1.0)
    return where(g == 0, limit, general) - LOG2PI / 2 - (p - 0.5) * log(a), mean, width


def _gh_stats(p: Any, a: Any, b: Any) -> tuple[Any, ...]:
    """Cumulants from the moments of the mixing distribution."""
    g = sqrt((a - b) * (a + b))
    below = kve(p, g)
    m1, m2, m3, m4 = (kve(p + n, g) / below / g**n for n in (1.0, 2.0, 3.0, 4.0))
    c2 = m2 - m1 * m1
    c3 = m3 - 3 * m2 * m1 + 2 * m1**3
    c4 = m4 - 4 * m3 * m1 - 3 * m2 * m2 + 12 * m2 * m1 * m1 - 6 * m1**4
    v = m1 + b * b * c2
    third = b**3 * c3 + 3 * b * c2
    fourth = b**4 * c4 + 6 * b * b * c3 + 3 * c2
    return b * m1, v, third / v**1.5, fourth / (v * v)


_row(
    "genhyperbolic",
    "p, a, b",
    "0.5, 1.5, -0.5",
    argcheck=lambda p, a, b: ((p >= 0) & (abs(b) < a)) | ((p < 0) & (abs(b) <= a)),
    constants=_gh_constants,
    logpdf=lambda x, p, a, b, c, mean, width: (
        c + log(kve(p - 0.5, a * hypot(1.0, x))) - a * hypot(1.0, x) + b * x + (p - 0.5) * log(hypot(1.0, x))
    ),
    centre=lambda p, a, b, c, mean, width: mean,
    spread=lambda p, a, b, c, mean, width: width,
    stats=_gh_stats,
    by_density=True,
)


def _gig_mode(p: Any, b: Any) -> Any:
    r = hypot(p - 1, b)
    return where(p < 1, b / (r + 1 - p), (r + p - 1) / b)


_row(
    "geninvgauss",
    "p, b",
    "2.3, 1.5",
    (0, INF),
    argcheck=lambda p, b: both(p == p, b > 0),
    constants=lambda p, b: (log(kve(p, b)),),
    logpdf=lambda x, p, b, c: where(x == 0, -INF, (p - 1) * log(x) - b * (x - 1) * ((x - 1) / (2 * x)) - LOG2 - c),
    centre=lambda p, b, c: _gig_mode(p, b),
    spread=lambda p, b, c: _gig_mode(p, b),
    munp=lambda n, p, b: kve(p + n, b) / kve(p, b),
    by_density=True,
)


def _gausshyper_log_mass(a: Any, b: Any, c: Any, z: Any) -> Any:
    return betaln(a, b) + log(hyp2f1(c, a, a + b, -z))


def _gausshyper_raw(n: int, a: Any, b: Any, c: Any, z: Any) -> Any:
    return exp(_gausshyper_log_mass(a + n, b, c, z) - _gausshyper_log_mass(a, b, c, z))


def _gausshyper_part(table: Any, length: Any, power: Any, rest: Callable[[Any], Any]) -> Any:
    """The integral of `t**(power - 1) * rest(t)` from 0 to a length, over `t**power`, since `t = 0` may be a pole."""
    smooth = k.minimum(power, 1.0)

    def term(u: Any) -> Any:
        t = u ** (1 / smooth)
        return exp(xlogy(power - smooth, t)) * rest(t)

    return between(table, term, 0.0 * length, length**smooth, 1.0) / smooth


@k.function
def _gausshyper_tail(table: Any, x: Any, a: Any, b: Any, c: Any, z: Any, log_mass: Any, upper: Any) -> Any:
    """By an integral over the side of the mean where `x` is."""
    mean = a / (a + b)
    if x <= mean:
        part = _gausshyper_part(table, x, a, lambda t: exp(xlog1py(b - 1, -t) - xlog1py(c, z * t) - log_mass))
        value = 1 - part if upper else part
    else:
        part = _gausshyper_part(
            table, 1 - x, b, lambda t: exp(xlog1py(a - 1, -t) - xlogy(c, 1 + z * (1 - t)) - log_mass)
        )
        value = part if upper else 1 - part
    return k.clamp(value, 0.0, 1.0)


_row(
    "gausshyper",
    "a, b, c, z",
    "13.8, 3.12, 2.51, 5.18",
    (0, 1),
    argcheck=lambda a, b, c, z: both(a > 0, b > 0, c == c, z > -1),
    constants=lambda a, b, c, z: (_gausshyper_log_mass(a, b, c, z),),
    logpdf=lambda x, a, b, c, z, mass: xlogy(a - 1, x) + xlog1py(b - 1, -x) - xlog1py(c, z * x) - mass,
    inner={
        "cdf": lambda table, x, *shapes: _gausshyper_tail(table, x, *shapes, False),
        "sf": lambda table, x, *shapes: _gausshyper_tail(table, x, *shapes, True),
    },
    munp=_gausshyper_raw,
    by_density=True,
)


# ------------------------------------------------------------------------------------------ on circles


def _circle_density(sine: Any, kappa: Any, c: Any) -> Any:
    return exp_product(-2 * kappa * sine, sine) * exp(-c)


_VON_MISES: dict[str, Any] = {
    "constants": lambda kappa: (log(2 * np.pi * i0e(kappa)),),
    "pdf": lambda x, kappa, c: _circle_density(sin(x / 2), kappa, c),
    "logpdf": lambda x, kappa, c: -2 * kappa * sin(x / 2) ** 2 - c,
    "entropy": lambda kappa: -kappa * i1e(kappa) / i0e(kappa) + log(2 * np.pi * i0e(kappa)) + kappa,
    "rvs": lambda kappa, size, random_state: random_state.vonmises(0.0, kappa, size=size),
}


def _circle_tail(upper: bool) -> Callable[..., Any]:
    def tail(table: Any, x: Any, kappa: Any, c: Any) -> Any:
        # Next to the ends of the circle the rounding error of its length counts.
        rest = k.where((x > 0) == k.value(upper), exp(-2 * kappa - c) * PI_REST, 0.0)
        return k.minimum(globals()["vonmises_line"]._kernel_integral(table, x, upper, kappa, c) + rest, 1.0)

    return tail


_row(
    "vonmises_line",
    "kappa",
    "3.99",
    (-np.pi, np.pi),
    argcheck=lambda kappa: kappa >= 0,
    inner={"cdf": _circle_tail(False), "sf": _circle_tail(True)},
    munp=lambda n, kappa: np.float64(0) if n % 2 else globals()["vonmises_line"]._raw_moment(n, kappa),
    **_VON_MISES,
)


def _turned(self: Any, x: Any, kappa: Any) -> Any:
    turns = floor(x / (2 * np.pi) + 0.5)
    return globals()["vonmises_line"]._cdf(x - 2 * np.pi * turns, kappa) + turns


def _in_one_turn(self: Any, func: Any = None, *args: Any, **kwds: Any) -> Any:
    """The expected value; without limits the angles cover one turn about the location."""
    names = ("args", "loc", "scale", "lb", "ub", "conditional")
    kwds |= dict(zip(names, args, strict=False))
    loc = kwds.get("loc", 0)
    for name, end in (("lb", -np.pi), ("ub", np.pi)):
        if kwds.get(name) is None:
            kwds[name] = loc + end
    return rv_continuous.expect(self, func, **kwds)


def _on_circle(self: Any, *args: Any, **kwds: Any) -> Any:
    """Random angles from -pi to pi."""
    angles = rv_continuous.rvs(self, *args, **kwds)
    return (angles + np.pi) % (2 * np.pi) - np.pi


_row(
    "vonmises",
    "kappa",
    "3.99",
    argcheck=lambda kappa: kappa >= 0,
    munp=lambda n, kappa: np.float64(0) if n % 2 else globals()["vonmises_line"]._raw_moment(n, kappa),
    ppf=lambda q, kappa, *_: globals()["vonmises_line"]._ppf(q, kappa),
    isf=lambda q, kappa, *_: -globals()["vonmises_line"]._ppf(q, kappa),
    methods={
        "_cdf": _turned,
        "_sf": lambda self, x, kappa: _turned(self, -x, kappa),
        "expect": _in_one_turn,
        "rvs": _on_circle,
    },
    **_VON_MISES,
)


# ------------------------------------------------------------------------------------------ studentized range


# Half the width of the window of the largest normal number in its standard deviations, the rule's step in units of the
# least width of the integrand and of that of the largest of many, the steps that are always allowed, and their most.
_WINDOW, _STEP, _STEP_OF_LARGEST, _USUAL_STEPS, _MOST_STEPS = 9.0, 0.72, 0.26, 256.0, 8192.0
# The step of the rule over the logarithm of the root in units of the integrand's width, its most, and most nodes on a
# side; the largest slope of a range's logarithm that is not nearly 0; from which degrees of freedom on the rule serves,
# and from which on the root is 1.
_ROOT_STEP, _MOST_ROOT_STEP, _MOST_ROOTS, _STEEPEST, _FEW_DEGREES, _ENDLESS = 0.5, 0.09, 20_000, 1500.0, 1.0, 1e16


@k.function
def _range_mass(w: Any, many: Any, kind: str) -> Any:
    """The cdf, sf or density at w of the range of `many` normal numbers: the trapezoidal rule over the largest one.

    The integrand is smooth and falls like a normal density at both ends, so that the rule's error is that of rounding.
    """
    middle = k.minimum(w, 70.0) / 2
    inside = k.maximum(1 - 2 * k.ndtr(-middle), 1e-300)
    # Minus the logarithm of the power of the integrand and its curvature, both in the middle of the range.
    exponent = (1 - many) * k.log(inside)
    curvature = 1 + (many - 1) * 2 * middle * k.exp(-middle * middle / 2) / (SQRT2PI * inside)
    largest = k.sqrt(2 * k.log(many))
    needed = k.maximum(k.sqrt(curvature) / _STEP, largest / _STEP_OF_LARGEST)
    needed = k.where(exponent < 800, k.minimum(2 * _WINDOW * needed, _MOST_STEPS), 0.0)
    steps = k.ceil(2 * _WINDOW / _STEP * k.sqrt(k.maximum(many, 2.0)))
    steps = k.minimum(steps, k.maximum(k.ceil(needed), _USUAL_STEPS))
    if kind != "sf":
        steps = k.where(exponent < 800, steps, 1.0)
    width = 2 * _WINDOW / steps
    # Far out both ends of the range are as far from the middle.
    centre = k.minimum(middle, largest) if kind == "cdf" else middle
    total = k.value(0.0)
    for i in k.steps(steps.astype(np.int64) + 1):
        z = centre - _WINDOW + i.astype(np.float64) * width
        if kind == "sf":
            upper, lower = k.maximum(k.ndtr(z), 1e-320), k.ndtr(z - w)
            value = k.exp((many - 1) * k.log(upper))
            value *= -k.expm1((many - 1) * k.log1p(-k.minimum(lower / upper, 1.0)))
        else:
            # The difference of the smaller tails.
            right = z > w
            first, second = k.where(right, w - z, z), k.where(right, -z, z - w)
            outside = k.ndtr(-z) + k.ndtr(z - w)
            log_inside = k.log(k.maximum(k.ndtr(first) - k.ndtr(second), 1e-320))
            log_inside = k.where(outside < 0.5, k.log1p(-k.minimum(outside, 0.5)), log_inside)
            if kind == "cdf":
                value = k.exp((many - 1) * log_inside)
            else:
                value = (many - 1) * k.exp((many - 2) * log_inside - (z - w) ** 2 / 2) / SQRT2PI
        total += value * k.exp(-z * z / 2)
    return many * total * width / SQRT2PI


def _root_exponent(v: Any) -> Any:
    """`v - expm1(2 * v) / 2`, whose terms cancel next to 0: there by its series."""
    total = v * 0.0
    for n in range(12, 1, -1):
        total = total * v + 2.0 ** (n - 1) / math.factorial(n)
    select, rise = (where, expm1) if isinstance(v, cp.ndarray) else (k.where, k.expm1)
    return select(abs(v) < 0.1, -v * v * total, v - rise(2 * v) / 2)


@k.function
def _range_over_root(x: Any, many: Any, df: Any, scale: Any, kind: str) -> Any:
    """The mean of the range's function at `x * s` over the root `s`, whose square times df is a chi-square number.

    By the trapezoidal rule over `v = log(s)`, where the integrand is analytic and falls exponentially to both sides.
    """
    # The widths of the root's density and of the range's, of which the latter lies about `sqrt(8 * log(many))`.
    logarithm = k.log(many)
    place = k.minimum(x * x, 8 * logarithm + 8)
    # Of many numbers with a small range the peak lies where that function rises steeply, at most as a power of `many`.
    slope = k.minimum(k.minimum(many - 1, _STEEPEST), df * 8 * logarithm / k.maximum(x * x, 1e-300))
    # Where the range is small, its function is a power.
    rates = 2 * (df + k.minimum(many, 100.0) - 1)
    rates += k.maximum(place * (0.5 + 0.5 * logarithm), 1.2 * slope * logarithm)
    step = k.minimum(_MOST_ROOT_STEP, _ROOT_STEP / k.sqrt(rates))
    total, before, v, side = k.value(0.0), k.value(0.0), k.value(0.0), k.value(-1.0)
    count = k.value(0)
    while side < 2:
        s = k.exp(v)
        weight = k.exp(df * _root_exponent(v))
        term = weight * _range_mass(x * s, many, kind)
        term = s * term if kind == "pdf" else term
        total += term
        # The logarithm of the integrand is concave: from its peak on it falls to both sides.
        # Where a small range has no probability, a smaller one has none.
        nothing = (weight == 0) | ((side < 0) & (x * s < k.sqrt(2 * logarithm)))
        ended = (term <= before) & (term <= 1e-18 * total) & ((total > 0) | nothing)
        ended = ended | (count >= _MOST_ROOTS)
        before = k.where(ended, 0.0, term)
        side = k.where(ended, side + 2, side)
        v = k.where(ended, step, v + side * step)
        count = k.where(ended, 0, count + 1)
    return total * step * scale


def _range_function(kind: str) -> Any:
    @k.function
    def value(table: Any, x: Any, many: Any, df: Any, scale: Any) -> Any:
        if df >= _ENDLESS:
            result = _range_mass(x, many, kind)
        elif df >= _FEW_DEGREES:
            result = _range_over_root(x, many, df, scale, kind)
        elif kind == "pdf":
            result = _over_chi(table, lambda s: s * _range_mass(x * s, many, kind), df, k.log(scale) + df / 2)
        else:
            result = _over_chi(table, lambda s: _range_mass(x * s, many, kind), df, k.log(scale) + df / 2)
        return result if kind == "pdf" else k.minimum(result, 1.0)

    return value


def _root_scale(df: Any) -> Any:
    """`2 * n**n * exp(-n) / gamma(n)` with `n = df / 2`: the density of the logarithm of the root at 0."""
    n = df / 2
    few, many = minimum(n, 20.0), maximum(n, 20.0)
    small = 2 * power(few, few) * exp(-few) * rgamma(few)
    return where(n > 20, sqrt(2 * many / np.pi) * exp(-stirling_rest(many)), small)


def _range_raw(n: int, many: Any, df: Any) -> Any:
    """The moment of the normal range times that of the root in the denominator."""
    whole = globals()["studentized_range"]._raw_moment(n, many, INF)
    factor = exp(n / 2 * log(df / 2) + gammaln((df - n) / 2) - gammaln(df / 2))
    return where(df > n, whole * where(df > 1e5, 1.0, factor), NAN)


# For the entropy: nodes of the trapezoidal rules; the exponent from which on densities are negligible; the logarithm
# of the range from which on its density is a power; the most degrees of freedom for which both rules share their
# nodes, and the number of standard deviations that the other rule covers.
_NODES, _NARROW_NODES, _FAR_OUT, _POWER_FROM, _MANY_DEGREES, _DEVIATIONS = 513, 65, 44.0, 24.0, 16.0, 14.0


def _range_entropy(self: Any, many: Any, df: Any) -> Any:
    """Over the logarithm of the range, whose density is that of the normal range convolved with that of the root."""
    many, df = (cp.asarray(shape, dtype=np.float64) for shape in (many, df))
    few, rest = minimum(df, _MANY_DEGREES), minimum(maximum(df, _MANY_DEGREES), 1e12)
    low, high = -_FAR_OUT / (many - 1), minimum(2.5 + _FAR_OUT / few, _POWER_FROM)
    step = (high - low) / (_NODES - 1)

    def column(count: int) -> Any:
        return cp.arange(count, dtype=np.float64).reshape(-1, *(1,) * step.ndim)

    def root(u: Any, degrees: Any) -> Any:
        return exp(degrees * _root_exponent(u))

    def normal(v: Any) -> Any:
        return exp(v) * self._pdf(exp(v), many, INF)

    t = low + step * column(_NODES)
    # The nodes of both rules coincide, so that a density on their differences is enough.
    scale = exp(few / 2 * (log(few / 2) - 1) - gammaln(few / 2))
    roots = root(step * (column(2 * _NODES - 1) - (_NODES - 1)), few) * (2 * scale)
    values = normal(t)

    def wide(every: int) -> Any:
        nodes = cp.arange(0, _NODES, every)
        differences = nodes[None, :] - nodes[:, None] + (_NODES - 1)
        return every * step * (roots[differences] * values[nodes]).sum(axis=1)

    # A narrow root has nodes of its own.
    u = _DEVIATIONS * (2 * column(_NARROW_NODES) / (_NARROW_NODES - 1) - 1) / sqrt(2 * rest)
    weights = root(u, rest)
    narrow = (normal(t[:, None] + u) * (weights / weights.sum(axis=0))).sum(axis=1)

    def entropy(every: int) -> Any:
        density = where(df > _MANY_DEGREES, narrow[::every], wide(every))
        terms = entr(density) + density * t[::every]
        # Beyond the last node the density is a power: both terms at all further nodes are geometric series.
        apart, last = every * step, density[-1]
        falls = -expm1(-few * apart)
        beyond = (terms[-1] + last * (few + 1) * apart / falls) * (1 - falls) / falls
        return apart * (terms.sum(axis=0) + where(df > _MANY_DEGREES, 0.0, beyond))

    value, coarse = entropy(1), entropy(2)
    # Halving the step squares the error of such an integrand.
    lost = ~(abs(value - coarse) < 1e-5 * (1 + abs(value)))
    if not holds(~lost):
        _quadrature.warn_unconverged()
    return where(lost, NAN, value)


_row(
    "studentized_range",
    "k, df",
    "3.0, 10.0",
    (0, INF),
    argcheck=lambda many, df: both(many > 1, df > 0),
    constants=lambda many, df: (_root_scale(minimum(df, _ENDLESS)),),
    inner={"cdf": _range_function("cdf"), "sf": _range_function("sf"), "pdf": _range_function("pdf")},
    munp=lambda n, many, df: _range_raw(n, many, df),
    methods={"_entropy": _range_entropy},
)


# ------------------------------------------------------------------------------------------ others


def _bw_factor(rho: Any) -> Any:
    r = sqrt(1 + 1 / (rho * rho))
    return log(2 / np.pi * sqrt(2 * r * r / (1 + r)))


def _bw_density(t: Any, c: Any) -> Any:
    far = abs(t) > 1e150
    return where(far, exp(c) / t / where(far, t, 1.0), exp(c) / (1 + where(far, 0.0, t * t)))


def _bw_tail(upper: bool) -> Callable[..., Any]:
    @k.function
    def tail(table: Any, x: Any, rho: Any, c: Any) -> Any:
        """A tail; its leading term far out, where the density underflows before the tail does."""
        if x > 1e8 * k.maximum(rho, 1.0):
            far = k.exp(c) * rho * rho / 3 / x / x / x
            value = far if upper else 1 - far
        else:
            value = globals()["rel_breitwigner"]._kernel_integral(table, x, upper, rho, c)
        return value

    return tail


_row(
    "rel_breitwigner",
    "rho",
    "36.5",
    (0, INF),
    constants=lambda rho: (_bw_factor(rho),),
    pdf=lambda x, rho, c: _bw_density((x - rho) * ((x + rho) / rho), c),
    logpdf=lambda x, rho, c: (
        c - where(x > 1e150 * maximum(rho, 1.0), 4 * log(x) - 2 * log(rho), log1p_square((x - rho) * ((x + rho) / rho)))
    ),
    inner={"cdf": _bw_tail(False), "sf": _bw_tail(True)},
    centre=lambda rho, c: rho,
    spread=lambda rho, c: minimum(rho, 0.5),
    munp=lambda n, rho: _bw_raw(n, rho),
    far={"sf": lambda x, rho: _bw_factor(rho) + 2 * log(rho) - np.log(3) - 3 * log(x)},
    stats=lambda rho: (None, None, NAN * rho, NAN * rho),
)


def _bw_raw(n: int, rho: Any) -> Any:
    r = sqrt(1 + 1 / (rho * rho))
    if n == 1:
        return sqrt(2 * r * r / (1 + r)) / np.pi * rho * (np.pi / 2 + arctan(rho))
    if n == 2:
        # The real part of `(1 - i*rho) / sqrt(-1 - i/rho)`.
        size = sqrt(r)
        half = 0.5 * (arctan(1 / rho) - np.pi)
        return sqrt(r * r / (2 * (1 + r))) * rho * 2 * (cos(half) - rho * sin(half)) / size * 1.0
    return INF if n > 2 else np.float64(1)


def _p3(skew: Any) -> tuple[Any, Any, Any, Any]:
    normal = abs(skew) < 1.6e-5
    s = where(normal, 1.0, skew)
    beta = 2 / s
    return normal, beta * beta, beta, s


def _halves(a: Any) -> tuple[Any, Any]:
    """A number as the sum of two whose products are exact."""
    wide = 134217729.0 * a
    high = wide - (wide - a)
    return high, a - high


def _p3_point(x: Any, beta: Any, s: Any) -> Any:
    """`beta * (x + 2 / s)`, next to the end of the support with what the quotient's rounding left."""
    (a, b), (c, d) = _halves(beta), _halves(s)
    product = beta * s
    missing = (2 - product) - (((a * c - product) + a * d + b * c) + b * d)
    return beta * ((x + beta) + where(abs(s) < 1e150, missing / s, 0.0))


def _p3_logpdf(x: Any, skew: Any) -> Any:
    normal, alpha, beta, s = _p3(skew)
    y = _p3_point(x, beta, s)
    inside = where(y > 0, log_gamma_density(maximum(y, 0.0), alpha), -INF)
    return where(normal, norm_logpdf(x), log(abs(beta)) + inside)


def _p3_tail(x: Any, skew: Any, upper: bool) -> Any:
    normal, alpha, beta, s = _p3(skew)
    y = maximum(_p3_point(x, beta, s), 0.0)
    lower = (skew > 0) if not upper else (skew < 0)
    return where(normal, ndtr(-x if upper else x), where(lower, gammainc(alpha, y), gammaincc(alpha, y)))


def _p3_far(x: Any, skew: Any, upper: bool) -> Any:
    normal, alpha, beta, s = _p3(skew)
    y = maximum(_p3_point(x, beta, s), 0.0)
    lower = (skew > 0) if not upper else (skew < 0)
    value = where(lower, far_gammainc(alpha, y), far_gammaincc(alpha, y))
    return where(normal, log_ndtr(-x if upper else x), value)


def _p3_inverse(q: Any, skew: Any, upper: bool) -> Any:
    normal, alpha, beta, s = _p3(skew)
    lower = (skew > 0) if not upper else (skew < 0)
    y = where(lower, gammaincinv(alpha, q), gammainccinv(alpha, q))
    return where(normal, -ndtri(q) if upper else ndtri(q), y / beta - 2 / s)


_row(
    "pearson3",
    "skew",
    "0.1",
    argcheck=lambda skew: isfinite(skew),
    logpdf=_p3_logpdf,
    cdf=lambda x, skew: _p3_tail(x, skew, False),
    sf=lambda x, skew: _p3_tail(x, skew, True),
    ppf=lambda q, skew: _p3_inverse(q, skew, False),
    isf=lambda q, skew: _p3_inverse(q, skew, True),
    stats=lambda skew: (0.0 * skew, 1 + 0.0 * skew, skew, 1.5 * skew * skew),
    entropy=lambda skew: _p3_entropy(skew),
    rvs=lambda skew, size, random_state: _p3_rvs(skew, size, random_state),
    far={"cdf": lambda x, skew: _p3_far(x, skew, False), "sf": lambda x, skew: _p3_far(x, skew, True)},
)


def _p3_entropy(skew: Any) -> Any:
    normal, alpha, beta, _ = _p3(skew)
    return where(normal, 0.5 + LOG2PI / 2, log_gamma_entropy(alpha) + digamma(alpha) - log(abs(beta)))


def _p3_rvs(skew: Any, size: Any, random_state: Any) -> Any:
    normal, alpha, beta, s = _p3(skew)
    return where(normal, random_state.normal(size=size), random_state.standard_gamma(alpha, size=size) / beta - 2 / s)


def _tukey_ppf(q: Any, lam: Any) -> Any:
    a, b = log(q), log1p(-q)
    near = abs(lam) < 1e-8
    safe = where(near, 1.0, lam)
    return where(near, a - b, (expm1(safe * a) - expm1(safe * b)) / safe)


def _tukey_end(lam: Any) -> Any:
    return where(lam > 0, 1 / maximum(lam, 1e-300), INF)


def _tukey_pdf(x: Any, lam: Any) -> Any:
    q = tklmbda(-abs(x), lam)
    return 1 / (exp((lam - 1) * log(q)) + exp((lam - 1) * log1p(-q)))


def _tukey_stats(lam: Any) -> tuple[Any, ...]:
    near = abs(lam) < 0.02
    y = where(near, 1.0, lam)

    def b(m: Any, n: Any) -> Any:
        return beta_(m * y + 1, n * y + 1)

    v = 2 / (y * y) * (1 / (2 * y + 1) - b(1, 1))
    fourth = (2 / (4 * y + 1) - 8 * b(3, 1) + 6 * b(2, 2)) / y**4
    kurtosis = fourth / (v * v) - 3
    # Next to 0 the terms cancel: Taylor polynomials of both.
    p_v = _polynomial(lam, _TUKEY_V)
    p_k = _polynomial(lam, _TUKEY_K)
    v = where(near, p_v, v)
    v = where(lam < -0.5, NAN, where(lam == -0.5, INF, v))
    kurtosis = where(lam < -0.25, NAN, where(lam == -0.25, INF, where(near, p_k, kurtosis)))
    return 0.0 * lam, v, 0.0 * lam, kurtosis


def _polynomial(x: Any, coefficients: Any) -> Any:
    value: Any = 0.0
    for c in reversed(coefficients):
        value = value * x + c
    return value


# Taylor coefficients of variance and kurtosis about 0 (mpmath, 60 digits).
_TUKEY_V = (
    3.289868133696453,
    -11.387963880031283,
    27.646382311762686,
    -59.82668028405663,
    123.91986011147516,
    -251.96303370635772,
    507.98261521905386,
    -1019.9916510164344,
    2043.995928246521,
    -4091.997994857436,
    8187.9990068062525,
)
_TUKEY_K = (
    1.2,
    -14.458844170399813,
    65.47312417972091,
    -282.3459363246929,
    1189.9528355138798,
    -4940.792976352238,
    20305.758915142807,
    -82850.43619257024,
    336283.4819585377,
    -1359778.49489533,
    5483046.741371222,
)


def _tukey_entropy(lam: Any) -> Any:
    """The mean of the logarithm of the quantiles' slope, a sum of two powers: of the larger one, and what is left."""
    power = abs(lam - 1)
    larger = power * where(lam > 1, LOG2 - 1, LOG2 + 1)
    scale = maximum(power, 1.0)

    def term(v: Any) -> Any:
        return log1p(exp(-v * (power / scale))) * expit(v / scale) * expit(-v / scale) / scale

    return larger + 2 * falling_integral(term)


_row(
    "tukeylambda",
    "lam",
    "3.13",
    lambda lam: (-_tukey_end(lam), _tukey_end(lam)),
    argcheck=lambda lam: isfinite(lam),
    ppf=_tukey_ppf,
    isf=lambda q, lam: -_tukey_ppf(q, lam),
    cdf=lambda x, lam: tklmbda(x, lam),
    sf=lambda x, lam: tklmbda(-x, lam),
    pdf=_tukey_pdf,
    stats=_tukey_stats,
    entropy=_tukey_entropy,
)
