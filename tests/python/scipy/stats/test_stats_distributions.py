"""Every row of the table of distributions beside SciPy's, at SciPy's own shapes."""

import math
import pickle

import cuproxide as cp
import cuproxide.scipy.stats as ours
import effort
import numpy as np
import pytest
import scipy.stats as theirs
from kept import kept
from launches import launches
from scipy.stats._distr_params import distcont, distdiscrete

# Rows whose moments or quantiles SciPy takes seconds for, or has wrong beyond the bound (see docs/stats.md).
SLOW = {"genhyperbolic", "gausshyper", "levy_stable", "studentized_range", "ksone", "norminvgauss", "ncf"}
CONTINUOUS = [(name, args) for name, args in distcont if hasattr(ours, name)]
DISCRETE = [(name, args) for name, args in distdiscrete if hasattr(ours, name)]
Q = np.array([1e-3, 0.1, 0.25, 0.5, 0.6, 0.9, 0.999])
# SciPy's own error: its tails are differences, its tables short, its integrals to 1e-8.
LOOSE = {"kstwobign": 1e-7, "argus": 1e-8, "rel_breitwigner": 1e-8, "kappa4": 1e-8, "kstwo": 1e-7, "geninvgauss": 1e-7}
# Values that SciPy has wrong or leaves out where there are moments: not compared.
OTHER_STATS = {"kstwo", "kappa4", "dpareto_lognorm", "zipf", "alpha"}


def label(case):
    return case[0]


def close(actual, expected, bound, what, floor=1e-13):
    actual, expected = np.asarray(actual, float), np.asarray(expected, float)
    same = (actual == expected) | (np.isnan(actual) & np.isnan(expected))
    with np.errstate(all="ignore"):
        near = abs(actual - expected) <= bound * np.maximum(abs(expected), floor)
    assert np.all(same | near), f"{what}: {actual}, SciPy has {expected}"


@pytest.mark.parametrize("case", CONTINUOUS, ids=label)
def test_continuous(case):
    name, args = case
    one, other = getattr(ours, name), getattr(theirs, name)
    bound = LOOSE.get(name, 3e-9)
    heavy = name in ("levy_stable", "studentized_range") and not effort.FULL
    x = np.array([0.4, 2.5]) if heavy else other.ppf(Q, *args)
    at = cp.asarray(x)
    for method in ("pdf", "cdf") if heavy else ("pdf", "logpdf", "cdf", "sf", "logcdf", "logsf"):
        if method in ("logpdf", "pdf") and name in LOOSE:
            close(getattr(one, method)(at, *args).get(), getattr(other, method)(x, *args), 1e-6, method)
            continue
        close(getattr(one, method)(at, *args).get(), getattr(other, method)(x, *args), bound, method)
    if heavy:
        return
    for method in ("ppf", "isf"):
        close(getattr(one, method)(cp.asarray(Q), *args).get(), getattr(other, method)(Q, *args), 1e-7, method, 1e-5)


@kept(bound=1e-7)
def moments_and_entropy(name, *args):
    """SciPy's, which are integrals of quantiles where it has no formula."""
    law = getattr(theirs, name)(*args)
    return [float(value) for value in (*law.stats("mvsk"), law.entropy())]


@pytest.mark.parametrize(
    "case", effort.sample([c for c in CONTINUOUS if c[0] not in SLOW | OTHER_STATS], 45), ids=label
)
def test_moments_and_entropy(case):
    name, args = case
    one = getattr(ours, name)
    moments = one.stats(*args, moments="mvsk")
    *known, entropy = moments_and_entropy(name, *args)
    if name != "crystalball":
        expected = np.array(known)
        actual = np.array([v.item() for v in moments])
        scale = np.where(np.isfinite(expected), np.maximum(abs(expected), 1e-3), 1)
        with np.errstate(invalid="ignore"):
            assert np.all((actual == expected) | np.isnan(expected) | (abs(actual - expected) <= 1e-5 * scale)), (
                actual,
                expected,
            )
    close(one.entropy(*args).item(), entropy, 1e-5, "entropy")


@pytest.mark.parametrize("case", effort.sample([c for c in CONTINUOUS if c[0] not in SLOW], 45, 1), ids=label)
def test_tails_round_trip(case):
    """What SciPy loses in the tails: the inverse of each tail gives its share back, at 1e-300 as at 1e-3."""
    name, args = case
    one = getattr(ours, name)
    q = cp.asarray([1e-300, 1e-100, 1e-20, 1e-6])
    for tail, inverse in (("cdf", "ppf"), ("sf", "isf")):
        x = getattr(one, inverse)(q, *args)
        share = getattr(one, tail)(x, *args).get()
        x = x.get()
        # Where numbers near the end of the support are too sparse (or all of them too small) for such a share.
        low, high = (v.item() for v in one.support(*args))
        resolved = np.isfinite(x) & (x != low) & (x != high) & (abs(x) > 1e-280)
        for end in (low, high):
            resolved &= ~((end != 0) & np.isfinite(end) & (abs(x - end) < 1e-6 * abs(end)))
        if name == "pearson3":
            resolved &= x != -2 / args[0]
        if name in ("cosine", "anglit", "arcsine", "bradford", "semicircular", "rdist", "crystalball"):
            resolved &= abs(x - np.clip(x, low, high)) > 1
        # One step of x, to first order, in shares.
        step = abs(x) * 4e-16 * one.pdf(cp.asarray(x), *args).get()
        bound = np.maximum(1e-9 * q.get(), 4 * step)
        assert np.all(~resolved | (abs(share - q.get()) <= bound)), (tail, q.get(), x, share)


def moments_of_biased_draws(total, marked, count, odds):
    """Mean, variance, skewness and excess kurtosis of the marked ones among `count` that are drawn in turn."""
    chances = np.ones(1)
    for drawn in range(count):
        k = np.arange(drawn + 1)
        left = odds * (marked - k)
        next_is_marked = left / (left + (total - marked) - (drawn - k))
        grown = np.zeros(drawn + 2)
        grown[1:] += chances * next_is_marked
        grown[:-1] += chances * (1 - next_is_marked)
        chances = grown
    k = np.arange(count + 1)
    mean = (k * chances).sum()
    second, third, fourth = (((k - mean) ** power * chances).sum() for power in (2, 3, 4))
    return [mean, second, third / second**1.5, fourth / second**2 - 3]


@pytest.mark.parametrize("case", DISCRETE, ids=label)
def test_discrete(case):
    name, args = case
    one, other = getattr(ours, name), getattr(theirs, name)
    if name == "poisson_binom":
        pytest.skip("takes a list of probabilities")
    x = np.arange(other.ppf(1e-3, *args) - 1, other.isf(1e-3, *args) + 2)
    at = cp.asarray(x)
    for method in ("pmf", "logpmf", "cdf", "sf", "logcdf", "logsf"):
        bound = 1e-5 if "nchypergeom" in name else 1e-8
        close(getattr(one, method)(at, *args).get(), getattr(other, method)(x, *args), bound, method)
    for method in ("ppf", "isf"):
        assert np.array_equal(getattr(one, method)(cp.asarray(Q), *args).get(), getattr(other, method)(Q, *args)), (
            method
        )
    if name not in OTHER_STATS:
        actual = np.array([v.item() for v in one.stats(*args, moments="mvsk")])
        # SciPy's probabilities of this one are quadratures, whose errors show in the higher moments.
        known = moments_of_biased_draws(*args) if name == "nchypergeom_wallenius" else None
        known = [float(v) for v in other.stats(*args, moments="mvsk")] if known is None else known
        close(actual, known, 1e-7, "stats")
    close(one.entropy(*args).item(), float(other.entropy(*args)), 1e-6, "entropy")
    # Between whole numbers there is no mass; every share finds its number again.
    assert one.pmf(x[1] + 0.5, *args).item() == 0
    low, high = (v.item() for v in one.support(*args))
    inside = x[(x >= low) & (x < high)][:6]
    assert np.array_equal(one.ppf(one.cdf(cp.asarray(inside), *args), *args).get(), inside)


@pytest.mark.parametrize(
    "case", effort.sample([c for c in CONTINUOUS if c[0] not in SLOW and c[0] != "kstwo"], 30, 2), ids=label
)
def test_samples(case):
    name, args = case
    values = getattr(ours, name).rvs(*args, size=400, random_state=7)
    assert isinstance(values, cp.ndarray) and values.shape == (400,)
    assert theirs.kstest(values.get(), name, args).pvalue > 1e-4


@pytest.mark.parametrize("case", [c for c in DISCRETE if c[0] != "poisson_binom"], ids=label)
def test_discrete_samples(case):
    name, args = case
    # Probabilities of this one are integrals.
    size = 16 if name == "nchypergeom_wallenius" else 900
    values = getattr(ours, name).rvs(*args, size=size, random_state=7)
    assert values.dtype == np.int64
    mean, deviation = float(getattr(theirs, name).mean(*args)), float(getattr(theirs, name).std(*args))
    assert abs(float(values.mean()) - mean) < 5 * deviation / size**0.5


# Parameters at the edges of what is allowed, and large and small ones.
HOSTILE = [
    ("gamma", (1e-3,)), ("gamma", (1e3,)), ("beta", (1e-2, 1e3)), ("beta", (5e4, 2e4)), ("t", (0.5,)), ("t", (1e8,)), ("t", (np.inf,)),  # noqa: E501
    ("f", (0.5, 900.0)), ("chi2", (1e-1,)), ("lognorm", (5.0,)), ("weibull_min", (0.1,)), ("pareto", (0.1,)),
    ("genpareto", (-0.9,)), ("genpareto", (0.0,)), ("genextreme", (0.0,)), ("genextreme", (1.5,)), ("truncnorm", (5.0, np.inf)),  # noqa: E501
    ("invgauss", (30.0,)), ("vonmises_line", (20.0,)), ("ncx2", (0.5, 300.0)), ("nct", (2.5, -3.0)),
    ("skewnorm", (-20.0,)), ("powernorm", (0.05,)), ("gennorm", (0.3,)), ("triang", (0.0,)), ("triang", (1.0,)), ("argus", (30.0,)),  # noqa: E501
    ("rice", (20.0,)), ("burr12", (0.3, 8.0)), ("loggamma", (0.05,)), ("genlogistic", (30.0,)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args"), effort.sample(HOSTILE, 20), ids=str)
def test_hostile_parameters(name, args):
    one, other = getattr(ours, name), getattr(theirs, name)
    q = np.array([1e-6, 0.01, 0.3, 0.7, 0.99])
    x = other.ppf(q, *args)
    keep = np.isfinite(x) & (abs(x) > 1e-290) & (x > other.support(*args)[0]) & (x < other.support(*args)[1])
    x = x[keep]
    for method in ("cdf", "sf", "logpdf"):
        close(getattr(one, method)(cp.asarray(x), *args).get(), getattr(other, method)(x, *args), 1e-7, method)
    back = one.cdf(one.ppf(cp.asarray(q), *args), *args).get()
    close(back[keep], q[keep], 1e-8, "round trip")


def test_location_scale_broadcast_and_bad_parameters():
    x = cp.asarray([[0.5], [2.0]])
    scale, a = cp.asarray([1.0, 2.0, -1.0]), cp.asarray([2.0, -1.0, 3.0])
    for method in ("pdf", "logpdf", "cdf", "sf", "ppf"):
        arg = x / 4 if method == "ppf" else x
        expected = getattr(theirs.gamma, method)(arg.get(), a.get(), 0.1, scale.get())
        close(getattr(ours.gamma, method)(arg, a, 0.1, scale).get(), expected, 1e-11, method)
    assert np.isnan(ours.norm.pdf([np.nan, 1.0], scale=-1).get()).all()
    assert ours.norm.cdf([-np.inf, np.inf]).tolist() == [0, 1]
    assert ours.gamma.pdf([[-1.0, 0.0]], 1.0).tolist() == [[0, 1]]
    assert np.isnan(ours.norm.ppf([-0.1, 1.1]).get()).all()
    assert ours.expon.ppf([0.0, 1.0], loc=2).tolist() == [2, math.inf]
    assert ours.norm.pdf(cp.zeros((0, 3))).shape == (0, 3)
    assert ours.norm.pdf(cp.asarray([1, 2])).dtype == np.float64
    assert ours.norm.pdf(cp.zeros(2, dtype=np.float32)).dtype == np.float64


ERRORS = [
    lambda m: m.gamma.pdf(1.0),
    lambda m: m.norm.pdf(1.0, 0, 1, 2),
    lambda m: m.norm.pdf(1.0, foo=2),
    lambda m: m.gamma.rvs(-1.0, size=3),
    lambda m: m.norm.rvs(scale=[1, 2], size=3),
    lambda m: m.norm.interval(2),
    lambda m: m.norm.moment(-1),
    lambda m: m.norm.fit([np.nan]),
    lambda m: m.gamma.fit([1.0, 2.0], 1.0, floc=0, fscale=1, f0=1),
    lambda m: m.rv_discrete(values=([1, 2], [0.5, 0.4])),
    lambda m: m.rv_discrete(values=([1, 2], [0.5])),
    lambda m: m.norm.rvs(size=2, random_state="no"),
]


@pytest.mark.parametrize("call", ERRORS, ids=range(len(ERRORS)))
def test_errors(call):
    with pytest.raises(Exception) as expected:
        call(theirs)
    with pytest.raises(expected.type):
        call(ours)


@pytest.mark.deferred_only
def test_one_kernel():
    """A density with its location and scale is one launch, and fuses with what follows."""
    x = cp.random.random(4096)
    assert launches(lambda: cp.evaluate(ours.norm.cdf(x, 0.5, 2.0) * 2)) == 1


def test_frozen_and_pickle():
    d = ours.gamma(2.0, scale=3.0)
    assert d.mean().item() == 6 and d.var().item() == 18
    assert abs(d.interval(0.5)[0].item() - theirs.gamma(2.0, scale=3.0).interval(0.5)[0]) < 1e-12
    assert d.rvs(5, random_state=1).tolist() == ours.gamma.rvs(2.0, scale=3.0, size=5, random_state=1).tolist()
    assert pickle.loads(pickle.dumps(ours.norm)) is ours.norm
    assert abs(d.expect(lambda x: x**2).item() - 54) < 1e-9
    assert (
        abs(ours.norm.expect(lb=0, ub=1, conditional=True).item() - theirs.norm.expect(lb=0, ub=1, conditional=True))
        < 1e-12
    )
    assert abs(ours.binom(5, 0.4).expect(lambda k: k * k).item() - 5.2) < 1e-12


class Decay(ours.rv_continuous):
    def _pdf(self, x, a):
        return a * np.exp(-a * x)


class Quantiles(ours.rv_continuous):
    def _ppf(self, q):
        return q**2


class Counts(ours.rv_discrete):
    def _pmf(self, k, mu):
        return np.exp(-mu) * mu**k / cp.scipy.special.gamma(k + 1)


def test_subclasses():
    d, e = Decay(a=0, name="decay"), theirs.expon(scale=0.5)
    x, q = np.array([0.0, 0.3, 2.0]), np.array([0.0, 0.2, 0.9])
    close(d.cdf(cp.asarray(x), 2.0).get(), e.cdf(x), 1e-12, "cdf")
    close(d.sf(cp.asarray(x), 2.0).get(), e.sf(x), 1e-12, "sf")
    close(d.ppf(cp.asarray(q), 2.0).get(), e.ppf(q), 1e-9, "ppf")
    close([d.mean(2.0).item(), d.var(2.0).item(), d.entropy(2.0).item()], [0.5, 0.25, e.entropy()], 1e-9, "moments")
    assert d.shapes == "a" and d.numargs == 1
    c = Counts(name="counts")
    k = np.arange(6.0)
    close(c.cdf(cp.asarray(k), 2.0).get(), theirs.poisson.cdf(k, 2.0), 1e-12, "cdf")
    close(c.ppf(cp.asarray(Q), 2.0).get(), theirs.poisson.ppf(Q, 2.0), 0, "ppf")
    close([c.mean(2.0).item(), c.var(2.0).item()], [2, 2], 1e-12, "moments")
    close(Quantiles(a=0, b=1, name="q").cdf(cp.asarray([0.25])).get(), [0.5], 1e-12, "cdf")


def test_tables_and_histograms():
    one, other = (m.rv_discrete(values=([5, 1, 2], [0.5, 0.2, 0.3])) for m in (ours, theirs))
    k = np.array([0, 1, 2.5, 5, 7])
    for method in ("pmf", "cdf", "sf"):
        close(getattr(one, method)(cp.asarray(k)).get(), getattr(other, method)(k), 1e-14, method)
    close(one.ppf(cp.asarray(Q)).get(), other.ppf(Q), 0, "ppf")
    close(
        [one.mean().item(), one.var().item(), one.entropy().item()],
        [other.mean(), other.var(), other.entropy()],
        1e-12,
        "moments",
    )
    h = np.histogram(np.random.default_rng(1).normal(size=200), bins=9)
    one, other = ours.rv_histogram(tuple(map(cp.asarray, h)), density=False), theirs.rv_histogram(h, density=False)
    x = np.linspace(-3, 3, 7)
    for method in ("pdf", "cdf"):
        close(getattr(one, method)(cp.asarray(x)).get(), getattr(other, method)(x), 1e-12, method)
    close(
        [one.mean().item(), one.std().item(), one.entropy().item()],
        [other.mean(), other.std(), other.entropy()],
        1e-10,
        "moments",
    )


@pytest.mark.parametrize(
    ("name", "args", "options"),
    [("norm", (), {}), ("expon", (), {"floc": 0}), ("uniform", (), {}), ("laplace", (), {}), ("gamma", (3.0,), {"floc": 0}),  # noqa: E501
     ("lognorm", (0.5,), {"floc": 0}), ("t", (4.0,), {}), ("gumbel_r", (), {}), ("weibull_min", (1.5,), {"floc": 0})],
)  # fmt: skip
def test_fit(name, args, options):
    data = getattr(theirs, name).rvs(*args, size=300, random_state=3)
    found = getattr(ours, name).fit(cp.asarray(data), **options)
    known = getattr(theirs, name).fit(data, **options)
    likelihood = [-getattr(theirs, name).logpdf(data, *p).sum() for p in (found, known)]
    assert likelihood[0] <= likelihood[1] + 1e-5
