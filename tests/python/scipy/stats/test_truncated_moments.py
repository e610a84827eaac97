"""Moments of truncated laws of all widths and entropies of steep laws, beside integrals and sums of mpmath."""

import math

import cuproxide as cp
import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

ours = cp.scipy.stats


def _moments(log_density, low, high):
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    level = log_density(middle)

    def mean(f):
        return mpmath.quad(lambda t: mpmath.exp(log_density(middle + half * t) - level) * f(t), [-1, 0, 1])

    mass = mean(lambda t: 1)
    centre = mean(lambda t: t) / mass
    central = [mean(lambda t, n=n: (t - centre) ** n) / mass for n in (2, 3, 4)]
    skewness, kurtosis = central[1] / central[0] ** mpf(1.5), central[2] / central[0] ** 2 - 3
    return middle + half * centre, half**2 * central[0], skewness, kurtosis


NARROW = [
    ("truncnorm", (0.0, 1e-6), lambda x: -x * x / 2, (0, 1e-6)),
    ("truncnorm", (-0.05, 0.02), lambda x: -x * x / 2, (-0.05, 0.02)),
    ("truncnorm", (30.0, 30.001), lambda x: -x * x / 2, (30, 30.001)),
    ("truncnorm", (1e3, 1e3 + 1e-9), lambda x: -x * x / 2, (1e3, 1e3 + 1e-9)),
    ("truncnorm", (0.0, 0.4), lambda x: -x * x / 2, (0, 0.4)),
    ("truncexpon", (1e-6,), lambda x: -x, (0, 1e-6)),
    ("truncpareto", (2.0, 1 + 1e-6), lambda x: -3 * mpmath.log(x), (1, 1 + 1e-6)),
    ("truncpareto", (2.0, 1 + 1e-10), lambda x: -3 * mpmath.log(x), (1, 1 + 1e-10)),
    ("truncweibull_min", (2.0, 1.0, 1 + 1e-6), lambda x: mpmath.log(x) - x * x, (1, 1 + 1e-6)),
    ("truncweibull_min", (2.0, 1.0, 1 + 1e-9), lambda x: mpmath.log(x) - x * x, (1, 1 + 1e-9)),
    ("loguniform", (3.0, 3.0001), lambda x: -mpmath.log(x), (3, 3.0001)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "shapes", "log_density", "ends"), NARROW)
def test_moments_of_narrow_laws(name, shapes, log_density, ends):
    with mp.workdps(50):
        mean, variance, skewness, kurtosis = _moments(log_density, *ends)
        found = [float(value) for value in getattr(ours, name)(*shapes).stats("mvsk")]
        assert abs(found[0] - mean) <= 4e-16 * abs(mean)
        assert abs(found[1] - variance) <= 1e-14 * variance
        assert abs(found[2] - skewness) <= 1e-13
        assert abs(found[3] - kurtosis) <= 1e-13
        raw = float(getattr(ours, name)(*shapes).moment(2))
        assert abs(raw - (variance + mean * mean)) <= 1e-14 * (variance + mean * mean)


def _gauss(nodes):
    """Gauss's rule by mpmath, of which `leggauss` has the first digits."""
    rule = []
    for start in np.polynomial.legendre.leggauss(nodes)[0]:
        x = mpmath.findroot(lambda z: mpmath.legendre(nodes, z), mpf(float(start)))
        slope = nodes * (x * mpmath.legendre(nodes, x) - mpmath.legendre(nodes - 1, x)) / (x * x - 1)
        rule.append((x, 2 / ((1 - x * x) * slope * slope)))
    return rule


def _law(name, shapes):
    """The logarithm of a density, its peak, and the part of its interval that counts."""
    if name == "truncnorm":
        low, high = shapes
        peak = min(max(low, 0.0), high)
        reach = 120 / (abs(peak) + math.sqrt(peak * peak + 60))
        return lambda x: -x * x / 2, peak, max(low, peak - reach), min(high, peak + reach)
    if name == "truncpareto":
        b, high = shapes
        return lambda x: -(mpf(b) + 1) * mpmath.log(x), 1.0 if b > -1 else high, 1.0, high
    if name == "loguniform":
        return lambda x: -mpmath.log(x), shapes[0], *shapes
    c, low, high = shapes
    peak = min(max(((c - 1) / c) ** (1 / c) if c > 1 else low, low), high)
    high = min(high, (max(low**c, 1.0) + 200) ** (1 / c))
    return lambda x: (mpf(c) - 1) * mpmath.log(x) - x ** mpf(c), peak, low, high


def _check_moments(name, shapes, rule):
    log_density, peak, low, high = _law(name, shapes)
    peak = mpf(peak)
    steps = [mpf(step) for step in (1e-4, 0.001, 0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1)]
    cuts = sorted({peak, *(peak + (end - peak) * step for end in (low, high) for step in steps)})
    points = [
        ((u + v + (v - u) * x) / 2, (v - u) * w) for u, v in zip(cuts[:-1], cuts[1:], strict=True) for x, w in rule
    ]
    level = log_density(peak)
    weights = [w * mpmath.exp(log_density(x) - level) for x, w in points]
    total = sum(weights)
    mean = peak + sum(w * (x - peak) for w, (x, _) in zip(weights, points, strict=True)) / total
    second, third, fourth = (
        sum(w * (x - mean) ** n for w, (x, _) in zip(weights, points, strict=True)) / total for n in (2, 3, 4)
    )
    exact = mean, second, third / second ** mpf(1.5), fourth / second**2 - 3
    found = [float(value) for value in getattr(ours, name).stats(*shapes, moments="mvsk")]
    exact = [float(value) for value in exact]
    assert found[:2] == pytest.approx(exact[:2], rel=1e-8, abs=0), (name, shapes)
    assert found[2:] == pytest.approx(exact[2:], rel=1e-8, abs=1e-12), (name, shapes)


SWITCHES = [
    *[("truncweibull_min", (c, a, a + w)) for c, a, w in ((5.0, 2.0, 0.03), (5.0, 2.0, 0.05), (20.0, 1.2, 6e-4))],
    *[("truncweibull_min", (c, a, b)) for c, a, b in ((8.0, 2.0, 2.03), (200.0, 0.995, 1.005), (9.9, 0.7, 1.2))],
    *[("truncweibull_min", (2.5, 0.25, 1.75)), ("truncweibull_min", (200.0, 0.5, 2.0))],
    *[("truncnorm", (1e4, 1e4 + w)) for w in (1e-5, 1e-4, 1.0)],
    *[("truncnorm", (1e3, 1e3 + w)) for w in (1.6e-4, 1.7e-4, 6e-4)],
    *[("truncnorm", ends) for ends in ((30.0, 30.02), (-0.99, 3.0), (-1.01, 3.0), (5.0, 40.0), (-9.0, -8.9))],
    *[("truncpareto", (20.0, c)) for c in (1.008, 1.009, 1.03)],
    *[("truncpareto", shapes) for shapes in ((23.9, 4.0), (24.1, 4.0), (-30.0, 5.0), (3.0, 600.0), (3.0, 700.0))],
    *[("loguniform", (2.0, 2.0 * ratio)) for ratio in (1.2, 1.5, 7e4, 8e4)],
]  # fmt: skip


def test_moments_on_both_sides_of_each_switch():
    with mp.workdps(30):
        rule = _gauss(16)
        for name, shapes in SWITCHES:
            _check_moments(name, shapes, rule)


def test_moments_of_laws_of_all_widths():
    random = np.random.default_rng(3)
    with mp.workdps(30):
        rule = _gauss(16)
        for exponent in np.linspace(-8, 1, 10):
            width = float(10**exponent)
            low = float(random.choice([-1, 1]) * 10 ** random.uniform(-2, 4))
            _check_moments("truncnorm", (low, low + width), rule)
            b = float(random.choice([-1, 1]) * 10 ** random.uniform(-1, 2.5))
            _check_moments("truncpareto", (b, 1 + width), rule)
            low = float(10 ** random.uniform(-2, 2))
            _check_moments("loguniform", (low, low * (1 + width)), rule)
            c, low = float(10 ** random.uniform(-0.5, 1)), float(random.uniform(0.05, 3))
            _check_moments("truncweibull_min", (c, low, low + width), rule)


def test_narrow_and_wide_laws_side_by_side():
    low, high = cp.asarray([0.0, 0.0, -3.0]), cp.asarray([1e-6, 1.0, 4.0])
    found = ours.truncnorm.stats(low, high, moments="mv")
    for i in range(3):
        single = ours.truncnorm.stats(float(low[i]), float(high[i]), moments="mv")
        assert [float(part[i]) for part in found] == pytest.approx([float(part) for part in single], rel=1e-14)


def _log_cosh_mean(a, b, times):
    """The mean of `log(2 cosh(times * (z - a) / b))` over normal numbers z."""
    parts = sorted({-40, -10, -3, 0, 3, 10, 40, *([a] if abs(a) < 40 else [])})

    def term(z):
        v = abs(times * (z - a) / b)
        return mpmath.npdf(z) * (v + mpmath.log1p(mpmath.exp(-2 * v)))

    return mpmath.quad(term, parts)


@pytest.mark.parametrize(("a", "b"), [(10000, 0.9033457230708659), (1, 2.0), (-3, 0.5), (0, 0.1), (0, 50.0)])
def test_entropies_of_johnsons_laws(a, b):
    with mp.workdps(25):
        lead = mpmath.log(2 * mpmath.pi * mpmath.e) / 2 - mpmath.log(b)
        unbounded = lead + _log_cosh_mean(mpf(a), mpf(b), 1) - mpmath.log(2)
        bounded = lead - 2 * _log_cosh_mean(mpf(a), mpf(b), mpf(0.5))
        assert float(ours.johnsonsu(a, b).entropy()) == pytest.approx(float(unbounded), rel=1e-13)
        assert float(ours.johnsonsb(a, b).entropy()) == pytest.approx(float(bounded), rel=1e-13)


@pytest.mark.parametrize("lam", [10000.0, 100.0, 3.13, 2.0, 1.0, 0.5, 0.0, -0.5, -1000.0])
def test_entropy_of_tukeys_law(lam):
    def slope(q):
        power = mpf(lam) - 1
        if power > 0:
            return mpmath.log(q**power + (1 - q) ** power)
        return power * mpmath.log(q) + mpmath.log1p((q / (1 - q)) ** -power)

    with mp.workdps(25):
        exact = 2 * mpmath.quad(slope, [0, 1e-6, 0.1, 0.4, 0.49, 0.499, 0.49999, 0.5])
    assert float(ours.tukeylambda(lam).entropy()) == pytest.approx(float(exact), rel=1e-12, abs=1e-14)
