"""Rows of `scipy.stats`."""

from suite import Case

SHAPES = {
    "norm": (), "expon": (), "gamma": (2.5,), "beta": (2.0, 3.0), "t": (5.0,), "chi2": (4.0,), "lognorm": (0.5,),
    "weibull_min": (1.5,), "logistic": (), "cauchy": (),
}  # fmt: skip


def cases(large):
    """The rows; on a CPU at about a sixteenth of the size."""
    points = 1 << 24 if large else 1 << 20
    made = []
    for name, shapes in SHAPES.items():
        for method in ("pdf", "cdf", "ppf"):
            made.append(Case(f"{name}.{method} {points}", unit(points), distribution(name, method, shapes)))
    size, resamples = (100_000, 10_000) if large else (10_000, 1_000)
    rows = 1 << 12 if large else 1 << 9
    made += [
        Case(f"bootstrap mean {resamples} of {size}", normal(size), bootstrap(resamples)),
        Case(f"permutation_test {resamples} of {size}", pair(size), permutations(resamples)),
        Case(
            f"ttest_ind {rows} x 1024", pair(rows, 1024), lambda xp, sp, x, y: sp.stats.ttest_ind(x, y, axis=1).pvalue
        ),
        Case(
            f"mannwhitneyu {rows} x 1024",
            pair(rows, 1024),
            lambda xp, sp, x, y: sp.stats.mannwhitneyu(x, y, axis=1).pvalue,
        ),
        Case(f"rankdata {points}", normal(points), lambda xp, sp, x: sp.stats.rankdata(x)),
        Case(f"skew {rows} x 1024", normal(rows, 1024), lambda xp, sp, x: sp.stats.skew(x, axis=1)),
        Case(f"zscore {rows} x 1024", normal(rows, 1024), lambda xp, sp, x: sp.stats.zscore(x, axis=1)),
        Case(f"gaussian_kde 4096 at {points >> 8}", pair(4096), kde(points >> 8)),
        Case(
            f"Sobol 16 x {points >> 4}",
            normal(1),
            lambda xp, sp, x: sp.stats.qmc.Sobol(16, scramble=False).random(points >> 4),
        ),
        Case(f"discrepancy {rows * 4} x 8", unit(rows * 4, 8), lambda xp, sp, x: sp.stats.qmc.discrepancy(x)),
        Case(f"Mixture.cdf {points}", normal(points), lambda xp, sp, x: mixture(sp).cdf(x)),
        Case(f"truncate(Normal).icdf {points}", unit(points), lambda xp, sp, x: truncated(sp).icdf(x)),
        Case(f"goodness_of_fit {resamples} of 1000", normal(1000), goodness(resamples)),
    ]
    return made


def mixture(sp):
    parts = [sp.stats.Normal(mu=-1.0, sigma=1.0), sp.stats.Normal(mu=2.0, sigma=0.5)]
    return sp.stats.Mixture(parts, weights=[0.3, 0.7])


def truncated(sp):
    return sp.stats.truncate(sp.stats.Normal(), -1.0, 2.0)


def goodness(count):
    return lambda xp, sp, x: sp.stats.goodness_of_fit(sp.stats.norm, x, n_mc_samples=count, rng=1).pvalue


def unit(*shape):
    return lambda random: (random.random(shape),)


def normal(*shape):
    return lambda random: (random.normal(size=shape),)


def pair(*shape):
    return lambda random: (random.normal(size=shape), random.normal(size=shape) + 0.1)


def distribution(name, method, shapes):
    return lambda xp, sp, x: getattr(getattr(sp.stats, name), method)(x, *shapes)


def bootstrap(count):
    def call(xp, sp, x):
        r = sp.stats.bootstrap((x,), xp.mean, n_resamples=count, method="percentile", rng=1)
        return r.confidence_interval.low

    return call


def permutations(count):
    def difference(x, y, axis):
        return x.mean(axis=axis) - y.mean(axis=axis)

    return lambda xp, sp, x, y: sp.stats.permutation_test((x, y), difference, n_resamples=count, rng=1).pvalue


def kde(count):
    return lambda xp, sp, x, y: sp.stats.gaussian_kde(x)(xp.linspace(-3, 3, count))
