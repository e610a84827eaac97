"""Draws to compare with a law."""

import cuproxide as cp
import numpy as np
from scipy import stats

SIZE = 200_000
# A right method fails one time in a million; the seeds are fixed, so a test never changes its mind.
RARE = 1e-6


def sample(name, *args, seed=11, size=SIZE, **kwargs):
    return cp.asnumpy(getattr(cp.random.default_rng(seed), name)(*args, size=size, **kwargs))


def identify(value):
    """A name of a parameter that is the same in every process."""
    return value.dist.name if hasattr(value, "dist") else str(value)


def circular(kappa):
    """Von Mises' law. Its moments are those of Gauss's rule: SciPy takes seconds for them."""
    law = stats.vonmises(kappa)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    at, share = np.pi * nodes, np.pi * weights * law.pdf(np.pi * nodes)
    mean = share @ at
    second, third, fourth = (share @ (at - mean) ** power for power in (2, 3, 4))
    law.mean, law.var = (lambda: mean), (lambda: second)
    law.stats = lambda moments: (mean, second, third / second**1.5, fourth / second**2 - 3)
    return law


CONTINUOUS = [
    ("random", (), stats.uniform()),
    ("standard_normal", (), stats.norm()),
    ("standard_exponential", (), stats.expon()),
    ("standard_cauchy", (), stats.cauchy()),
    ("uniform", (-2.0, 5.0), stats.uniform(-2, 7)),
    ("normal", (3.0, 0.25), stats.norm(3, 0.25)),
    ("exponential", (4.0,), stats.expon(scale=4)),
    ("laplace", (1.0, 2.0), stats.laplace(1, 2)),
    ("logistic", (1.0, 2.0), stats.logistic(1, 2)),
    ("gumbel", (1.0, 2.0), stats.gumbel_r(1, 2)),
    ("rayleigh", (2.0,), stats.rayleigh(scale=2)),
    ("lognormal", (0.5, 0.4), stats.lognorm(0.4, scale=np.exp(0.5))),
    ("pareto", (2.5,), stats.lomax(2.5)),
    ("power", (2.5,), stats.powerlaw(2.5)),
    ("power", (0.3,), stats.powerlaw(0.3)),
    ("weibull", (1.7,), stats.weibull_min(1.7)),
    ("wald", (2.0, 3.0), stats.invgauss(2 / 3, scale=3)),
    ("wald", (50.0, 0.5), stats.invgauss(100, scale=0.5)),
    ("triangular", (-1.0, 0.0, 3.0), stats.triang(0.25, -1, 4)),
    ("triangular", (0.0, 0.0, 1.0), stats.triang(0, 0, 1)),
    *((("standard_gamma"), (k,), stats.gamma(k)) for k in (0.05, 0.5, 1.0, 1.5, 40.0, 1e6)),
    ("gamma", (2.0, 3.0), stats.gamma(2, scale=3)),
    *(("beta", ab, stats.beta(*ab)) for ab in ((0.1, 0.2), (0.5, 3.0), (2.0, 2.0), (300.0, 20.0))),
    *(("chisquare", (df,), stats.chi2(df)) for df in (0.5, 1.0, 4.0)),
    ("noncentral_chisquare", (3.0, 2.0), stats.ncx2(3, 2)),
    ("noncentral_chisquare", (0.8, 30.0), stats.ncx2(0.8, 30)),
    ("f", (4.0, 9.0), stats.f(4, 9)),
    ("noncentral_f", (4.0, 9.0, 1.5), stats.ncf(4, 9, 1.5)),
    ("standard_t", (1.0,), stats.t(1)),
    ("standard_t", (7.0,), stats.t(7)),
    *(("vonmises", (0.0, kappa), circular(kappa)) for kappa in (1e-6, 0.5, 5.0, 500.0)),
]

DISCRETE = [
    *(("geometric", (p,), stats.geom(p)) for p in (0.02, 0.3, 0.9, 1.0)),
    *(("poisson", (mean,), stats.poisson(mean)) for mean in (0.01, 3.0, 9.99, 10.0, 47.0, 900.0)),
    *(
        ("binomial", np, stats.binom(*np))
        for np in ((1, 0.5), (20, 0.3), (20, 0.95), (1000, 0.002), (100, 0.1), (50, 0.5), (1000, 0.7), (10**6, 0.25))
    ),
    *(("negative_binomial", args, stats.nbinom(*args)) for args in ((1, 0.5), (7.5, 0.2))),
    *(("logseries", (p,), stats.logser(p)) for p in (0.1, 0.6, 0.97)),
    *(("zipf", (a,), stats.zipf(a)) for a in (1.7, 2.5, 5.0)),
    *(("integers", (0, n), stats.randint(0, n)) for n in (2, 10, 1000)),
    ("integers", (-7, 12), stats.randint(-7, 12)),
]
