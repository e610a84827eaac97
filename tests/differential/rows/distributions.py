"""Rows of the distributions of scipy.stats: one rule for all, with the domain of each parameter."""

import numpy as np

from ..draws import Gen, always, array, call, definite, integer, one, row

# The parameters of each distribution, as ranges; `i` before a range draws whole numbers. A range may refer to the
# parameters drawn before it, which are called `a`, `b`, `c`, `d`.
CONTINUOUS = """
uniform: | semicircular: | arcsine: | anglit: | cosine: | gumbel_r: | gumbel_l: | expon: | maxwell: | rayleigh: | laplace:
cauchy: | halfcauchy: | levy: | levy_l: | logistic: | halflogistic: | hypsecant: | norm: | gibrat: | halfnorm: | wald:
moyal: | kstwobign: | landau:
beta: .5,5 .5,5 | betaprime: .5,5 .5,5 | f: 1,9 1,9 | rdist: .5,5 | bradford: .2,5 | reciprocal: .1,2 a+.1,9
loguniform: .1,2 a+.1,9 | powerlaw: .3,4 | triang: 0,1 | trapezoid: 0,.5 a,1 | argus: .3,4 | wrapcauchy: .1,.9
weibull_min: .5,4 | weibull_max: .5,4 | dweibull: .5,4 | exponweib: .5,4 .5,4 | exponpow: .5,4 | truncweibull_min: .5,3 0,1 b+.1,3
invweibull: .5,5 | genextreme: -.5,.8 | gompertz: .3,3 | genexpon: .3,3 .3,3 .3,3 | truncexpon: .5,5 | gamma: .3,9
erlang: i1,9 | chi2: .5,12 | chi: .5,9 | nakagami: .4,5 | invgamma: .5,6 | gengamma: .5,4 .5,3 | loggamma: .3,4 | dgamma: .4,4
gennorm: .4,4 | halfgennorm: .4,4 | laplace_asymmetric: .3,3 | burr: 1,6 .3,3 | burr12: 1,6 .3,3 | fisk: 1,6 | mielke: .5,5 1,6
pareto: .5,5 | lomax: .5,5 | genpareto: -.4,.8 | truncpareto: .5,4 1.2,5 | alpha: .5,5 | foldcauchy: .3,5 | skewcauchy: -.9,.9
t: .5,20 | jf_skew_t: .6,6 .6,6 | loglaplace: .5,5 | genlogistic: .3,4 | genhalflogistic: .2,2 | kappa3: .4,4 | kappa4: -1,1 -1,1
lognorm: .2,1.5 | foldnorm: .2,3 | powernorm: .4,5 | powerlognorm: .4,4 .2,1.2 | truncnorm: -2,0 .2,3 | skewnorm: -4,4
johnsonsb: -2,2 .5,3 | johnsonsu: -2,2 .5,3 | exponnorm: .3,4 | dpareto_lognorm: -1,2 .3,2 1.2,5 .5,4 | fatiguelife: .2,3
invgauss: .1,3 | recipinvgauss: .1,3 | crystalball: .5,3 1.2,5 | ksone: i2,30 | kstwo: i2,30 | ncx2: 1,9 .1,9 | rice: .1,4
ncf: 1,9 1,9 .1,4 | nct: 1,12 -2,2 | norminvgauss: 1,4 -.9,.9 | genhyperbolic: -1,2 1,4 -.9,.9 | geninvgauss: -2,3 .3,4
gausshyper: .5,4 .5,4 .3,3 .2,3 | vonmises_line: .3,5 | vonmises: .3,5 | rel_breitwigner: .5,9 | pearson3: -2,3 | tukeylambda: -.8,2
irwinhall: i1,12
"""
DISCRETE = """
bernoulli: .05,.95 | binom: i1,20 .05,.95 | nbinom: i1,20 .05,.95 | geom: .05,.95 | poisson: .2,20 | planck: .2,3
boltzmann: .2,3 i1,20 | dlaplace: .2,3 | randint: i-5,5 i6,12 | betabinom: i1,15 .5,4 .5,4 | betanbinom: i1,9 3,6 .5,4
hypergeom: i20,40 i5,18 i3,15 | nhypergeom: i20,40 i5,18 i3,15 | nchypergeom_fisher: i20,40 i5,18 i3,15 .3,3
nchypergeom_wallenius: i20,40 i5,18 i3,15 .3,3 | logser: .1,.9 | skellam: .5,9 .5,9 | zipf: 1.5,6 | zipfian: .3,4 i2,20 | yulesimon: 1.5,6
"""
SLOW = "studentized_range: i2,5 3,20 | levy_stable: 1.2,1.9 -.9,.9"
# SciPy integrates or sums these numerically, to about this bound.
LOOSE = {"genhyperbolic": 1e-5, "geninvgauss": 1e-5, "gausshyper": 1e-5, "dpareto_lognorm": 1e-5, "landau": 1e-5, "nct": 1e-5, "ncf": 1e-5, "rel_breitwigner": 1e-6, "norminvgauss": 1e-5, "studentized_range": 1e-4, "levy_stable": 1e-3, "nchypergeom_wallenius": 1e-5, "nchypergeom_fisher": 1e-6, "vonmises": 1e-6, "vonmises_line": 1e-6, "kappa4": 1e-5, "crystalball": 1e-6, "jf_skew_t": 1e-6, "argus": 1e-6, "skewnorm": 1e-5, "powerlognorm": 1e-6, "recipinvgauss": 1e-6, "rice": 1e-6, "exponnorm": 1e-6}  # fmt: skip


def _bound(text, drawn):
    # Text of this file alone, as "a+.1" of a parameter drawn before.
    return float(eval(text, {}, dict(zip("abcd", drawn, strict=False))))


def parameters(ranges):
    """Shape parameters, all numbers or all arrays that broadcast; now and then out of their domain."""

    def of(draw):
        drawn = []
        count = draw.pick([0, 0, 0, draw.size("n")])
        for text in ranges:
            # A bound that another parameter gives may lie on the other side in draws at the edges.
            low, high = sorted(_bound(part, drawn) for part in text.lstrip("i").split(","))
            # Beside a parameter that is NaN there are no bounds.
            value = draw.random.uniform(low, high) if high - low < np.inf else np.nan
            if text[0] == "i":
                value = float(np.round(value))
            if draw.kind == "edge" and draw.chance(0.25):
                value = float(draw.pick([0.0, -1.0, np.nan, 1.0, 2.0]))
            drawn.append(value)
        if count:
            return [np.full(count, value) for value in drawn]
        return [
            int(value) if text[0] == "i" and value == value else value
            for text, value in zip(ranges, drawn, strict=True)
        ]

    return Gen(of)


POINTS = {"pdf", "logpdf", "cdf", "logcdf", "sf", "logsf", "pmf", "logpmf"}


def distribution(name, ranges, discrete):
    """Calls of the methods of a distribution, as steps after freezing it."""
    scale = array("n", lambda random, shape: random.choice([0.3, 1, 3, 10], shape) * random.normal(size=shape), "dfl")
    if discrete:
        scale = array("n", lambda random, shape: random.integers(-2, 15, shape).astype(float), "dl")
    levels = array("n", lambda random, shape: random.uniform(0.01, 0.99, shape), "d")
    density = ("pmf", "logpmf") if discrete else ("pdf", "logpdf")
    steps = [call(method, scale) for method in (*density, "cdf", "logcdf", "sf", "logsf")]
    steps += [call("ppf", levels), call("isf", levels)]
    if name not in ("studentized_range", "levy_stable"):
        steps += [
            call("mean"),
            call("var"),
            call("std"),
            call("median"),
            call("support"),
            call("interval", 0.9),
            call("entropy"),
        ]
        steps += [call("stats", moments=always(one("mv", "mvsk", "s", "k"))), call("moment", integer(1, 4))]
    row(
        f"stats.{name}", parameters(ranges), _star=True, _steps=tuple(steps), _each=True, _bound=LOOSE.get(name, 1e-7),
        **({"loc": one(0, 1, -2) if discrete else one(0.0, 1.5, -2)} | ({} if discrete else {"scale": one(1.0, 2.5, 0.1)})),
    )  # fmt: skip


for text, discrete in ((CONTINUOUS, False), (DISCRETE, True), (SLOW, False)):
    for entry in text.replace("\n", "|").split("|"):
        if entry.strip():
            name, _, ranges = entry.strip().partition(":")
            distribution(name, ranges.split(), discrete)

row(
    "stats.poisson_binom",
    always([0.2, one(0.3, 0.9), 0.5]),
    _steps=(call("pmf", integer(0, 3)), call("cdf", integer(0, 3)), call("mean"), call("var")),
)

# Of several variables.
vector = array("3", kinds="df", finite=True)
matrix = array("3 3", then=definite, kinds="d", finite=True)
here = array("n 3", kinds="df")
row(
    "stats.multivariate_normal",
    vector,
    matrix,
    _steps=(call("pdf", here), call("logpdf", here), call("entropy"), call("rvs", 3, random_state=always(1))),
    _random=True,
)
row("stats.multivariate_normal", vector, matrix, _steps=(call("pdf", here), call("logpdf", here), call("entropy")))
row(
    "stats.multivariate_t",
    vector,
    matrix,
    integer(2, 9),
    _steps=(call("pdf", here), call("logpdf", here), call("entropy")),
    _bound=1e-6,
)
simplex = always([0.2, 0.3, 0.5])
concentration = array("3", lambda random, shape: random.uniform(0.5, 5, shape), "d")
row(
    "stats.dirichlet",
    concentration,
    _steps=(call("pdf", simplex), call("logpdf", simplex), call("mean"), call("var"), call("cov"), call("entropy")),
)
row(
    "stats.multinomial",
    integer(0, 9),
    [0.2, 0.3, 0.5],
    _steps=(call("pmf", [2, 1, integer(0, 6)]), call("logpmf", [2, 1, integer(0, 6)]), call("entropy"), call("cov")),
)
row(
    "stats.dirichlet_multinomial",
    concentration,
    integer(3, 9),
    _steps=(
        call("pmf", [2, 1, integer(0, 6)]),
        call("logpmf", [2, 1, integer(0, 6)]),
        call("mean"),
        call("var"),
        call("cov"),
    ),
)
row(
    "stats.multivariate_hypergeom",
    [5, 6, integer(1, 9)],
    integer(0, 10),
    _steps=(call("pmf", [2, 1, integer(0, 6)]), call("logpmf", [2, 1, 2]), call("mean"), call("var"), call("cov")),
)
row(
    "stats.matrix_normal",
    array("3 2"),
    matrix,
    array("2 2", then=definite, kinds="d", finite=True),
    _steps=(call("pdf", array("3 2", kinds="d")), call("logpdf", array("3 2", kinds="d")), call("entropy")),
)
row(
    "stats.matrix_t",
    array("3 2"),
    matrix,
    array("2 2", then=definite, kinds="d", finite=True),
    integer(1, 9),
    _steps=(call("pdf", array("3 2", kinds="d")), call("logpdf", array("3 2", kinds="d"))),
)
row(
    "stats.wishart invwishart",
    integer(3, 9),
    matrix,
    _steps=(call("pdf", matrix), call("logpdf", matrix), call("mean"), call("var"), call("mode"), call("entropy")),
    _bound=1e-7,
)
row(
    "stats.normal_inverse_gamma",
    integer(-2, 2),
    integer(1, 4),
    integer(1, 4),
    integer(1, 4),
    _steps=(
        call("pdf", array("n", kinds="d"), array("n", lambda r, s: r.random(s) + 0.2, "d")),
        call("mean"),
        call("var"),
    ),
)
row(
    "stats.vonmises_fisher",
    [1.0, 0.0, 0.0],
    integer(1, 9),
    _steps=(call("pdf", [0.6, 0.8, 0.0]), call("logpdf", [0.6, 0.8, 0.0]), call("entropy")),
)
row(
    "stats.ortho_group special_ortho_group unitary_group",
    integer(1, 5),
    _steps=(call("rvs", random_state=always(1)),),
    _random=True,
)
row("stats.uniform_direction", integer(1, 5), _steps=(call("rvs", 3, random_state=always(1)),), _random=True)
row("stats.random_correlation", [0.5, 1.0, 1.5], _steps=(call("rvs", random_state=always(1)),), _random=True)
row(
    "stats.random_table",
    [3, 4, 2],
    [5, 4],
    _steps=(call("pmf", [[2, 1], [2, 2], [1, 1]]), call("logpmf", [[2, 1], [2, 2], [1, 1]]), call("mean")),
)
