"""Rows of the functions of scipy.stats, stats.contingency and stats.qmc."""

import numpy as np

from ..draws import (
    alone,
    always,
    array,
    between,
    call,
    counts,
    function,
    integer,
    integers,
    made,
    maybe,
    named,
    number,
    one,
    positive,
    read,
    row,
    several,
    ties,
    truth,
    unit,
)

side = one(True, False)
TYPES = "dflBe?hF"
sample = one(array("n+1", kinds=TYPES), array("n+1 m", kinds="dfl"), array("n+1", ties, "dl"))
positive_sample = one(array("n+1", positive, "dfB"), array("n+1 m", positive, "df"))
policy = one("propagate", "omit", "raise")
tail = one("two-sided", "less", "greater")
REDUCE = {"axis": one(0, -1, None), "nan_policy": policy, "keepdims": side}
POLICY = {"axis": one(0, -1, None), "nan_policy": policy}
TESTED = {**REDUCE, "alternative": tail}

# One sample.
row("stats.skew kurtosis", sample, bias=side, **REDUCE, _bound=1e-6)
row("stats.kurtosis", sample, fisher=side)
row("stats.moment", sample, integer(0, 4), center=one(None, 0.5), **REDUCE)
row("stats.sem variation", sample, ddof=integer(0, 2), **REDUCE, _bound=1e-7)
row("stats.gmean hmean", positive_sample, weights=one(None, array("n+1", positive, "d")), **REDUCE)
row("stats.pmean", positive_sample, one(-1, 2, 0.5, 0), **REDUCE)
row("stats.gstd", positive_sample, ddof=integer(0, 2), **REDUCE)
row("stats.gzscore", positive_sample, ddof=integer(0, 1), **POLICY, _bound=1e-6)
row("stats.zscore", sample, ddof=integer(0, 1), **POLICY, _bound=1e-6)
row("stats.zmap", sample, sample, ddof=integer(0, 1), **POLICY, _bound=1e-6)
row(
    "stats.iqr",
    sample,
    rng=one((25, 75), (10, 80)),
    scale=one(1.0, "normal"),
    interpolation=one("linear", "lower", "nearest", "midpoint"),
    **REDUCE,
)
row("stats.median_abs_deviation", sample, scale=one(1.0, "normal", 2.0), **REDUCE)
row("stats.mode", sample, **REDUCE)
row("stats.describe", sample, ddof=integer(0, 1), bias=side, **POLICY, _bound=1e-6)
row("stats.entropy", positive_sample, maybe(positive_sample), base=one(None, 2), **REDUCE)
row(
    "stats.differential_entropy",
    array("N", kinds="df"),
    base=one(None, 2),
    method=one("auto", "vasicek", "van es", "ebrahimi", "correa"),
    **REDUCE,
    _bound=1e-7,
)
row("stats.kstat", sample, integer(1, 4), **REDUCE, _bound=1e-6)
row("stats.kstatvar", sample, integer(1, 2), **REDUCE, _bound=1e-6)
row("stats.lmoment", sample, order=one(None, 1, [1, 2, 3]), standardize=side, sorted=one(False), **REDUCE, _bound=1e-6)
row(
    "stats.expectile",
    array("n+1", kinds="dfl"),
    alpha=number(0, 1),
    weights=one(None, array("n+1", positive, "d")),
    _bound=1e-6,
)
row(
    "stats.tmean tstd tvar tsem",
    sample,
    limits=one(None, (-2, 2), (None, 1), (0, None)),
    inclusive=one((True, True), (False, True)),
    **REDUCE,
    _bound=1e-7,
)
row("stats.tmin", sample, lowerlimit=one(None, -1, 0.5), inclusive=side, **REDUCE)
row("stats.tmax", sample, upperlimit=one(None, 1, 0.5), inclusive=side, **REDUCE)
row("stats.trim_mean", sample, number(0, 0.5), **REDUCE)
row("stats.trimboth", sample, number(0, 0.5), axis=one(0, None, -1), _unordered=True)
row("stats.trim1", sample, number(0, 0.5), tail=one("left", "right"), axis=one(0, None), _unordered=True)
row("stats.sigmaclip", array("N", kinds="dfl"), number(1, 4), number(1, 4))
row(
    "stats.cumfreq relfreq",
    array("n+1", kinds="dfl"),
    integer(1, 9),
    defaultreallimits=one(None, (-3, 3)),
    weights=one(None, array("n+1", positive, "d")),
)
row(
    "stats.percentileofscore",
    array("n+1", ties, "dlf"),
    one(2, 1.5, array("k", ties, "d")),
    kind=one("rank", "weak", "strict", "mean"),
    nan_policy=policy,
)
row(
    "stats.scoreatpercentile",
    sample,
    one(50, 25.0, [10, 90]),
    limit=one((), (-1, 1)),
    interpolation_method=one("fraction", "lower", "higher"),
    axis=one(None, 0),
)
row(
    "stats.quantile",
    one(array("n+1", kinds="dfl"), array("n+1 m", kinds="dfl")),
    number(0, 1),
    method=one("linear", "hazen", "weibull", "median_unbiased", "inverted_cdf", "closest_observation", "harrell-davis"),
    axis=one(0, -1, None),
    keepdims=one(None, True, False),
    nan_policy=policy,
    _bound=1e-6,
)
row(
    "stats.rankdata",
    one(array("n", ties, TYPES), array("n m", ties, "dl")),
    one("average", "min", "max", "dense", "ordinal"),
    axis=one(None, 0, -1),
    nan_policy=policy,
)
row("stats.tiecorrect", array("n", ties, "dl"))
row(
    "stats.binned_statistic",
    array("n+1", kinds="dfl"),
    array("n+1", kinds="dfl"),
    statistic=one("mean", "std", "median", "count", "sum", "min", "max"),
    bins=one(3, 10, [-1.0, 0.0, 2.0]),
    range=one(None, (-2, 2)),
)
row(
    "stats.binned_statistic_2d",
    array("n+1", kinds="df"),
    array("n+1", kinds="df"),
    array("n+1", kinds="df"),
    statistic=one("mean", "std", "median", "count", "sum", "min", "max"),
    bins=one(3, [2, 4]),
    expand_binnumbers=side,
)
row(
    "stats.binned_statistic_dd",
    array("n+1 2", kinds="df"),
    array("n+1", kinds="df"),
    statistic=one("mean", "std", "median", "count", "sum"),
    bins=one(3, [2, 4]),
    expand_binnumbers=side,
)
circular = {"high": one(6.283185307179586, 24), "low": one(0, -1), **REDUCE}
row("stats.circmean circvar", sample, **circular, _bound=1e-7)
row("stats.circstd", sample, normalize=side, **circular, _bound=1e-6)
row("stats.directional_stats", array("n+1 3", kinds="dfl"), normalize=side, axis=one(0, -1))
row("stats.bayes_mvs", array("n+2", kinds="dfl", finite=True), alpha=number(0.5, 0.99), _bound=1e-6)
row("stats.mvsdist", array("n+2", kinds="dl", finite=True), _form=lambda r: len(r))
row(
    "stats.ecdf",
    array("n+1", ties, "dfl"),
    _fields=("cdf", "sf"),
    _form=lambda r: [part.name if hasattr(part, "name") else part for part in r],
)
row("stats.boxcox", array("n+2", positive, "df", finite=True), one(None, 0.5, 0, -1.0), _bound=1e-4)
row("stats.boxcox_llf", number(-2, 2), positive_sample, **REDUCE, _bound=1e-6)
row("stats.yeojohnson_llf", number(-2, 2), sample, **REDUCE, _bound=1e-6)
row("stats.boxcox_normmax", array("N", positive, "d", finite=True), method=one("pearsonr", "mle", "all"), _bound=1e-3)
row("stats.yeojohnson", array("N", kinds="dfl", finite=True), one(None, 0.5, 0, 2, -1.0), _bound=1e-4)
row("stats.yeojohnson_normmax", array("N", kinds="d", finite=True), _bound=1e-3)
row("stats.boxcox_normplot", array("N", positive, "d", finite=True), -1, 1, N=always(5), _bound=1e-6)
row("stats.yeojohnson_normplot", array("N", kinds="d", finite=True), -1, 1, N=always(5), _bound=1e-6)
row("stats.ppcc_max", array("N", kinds="d", finite=True), _bound=1e-3)
row("stats.ppcc_plot", array("N", kinds="d", finite=True), 0.1, 1, N=always(5), _bound=1e-6)
row(
    "stats.probplot", array("N", kinds="dfl"), dist=one("norm", "expon", "logistic"), fit=side, rvalue=side, _bound=1e-6
)
row("stats.obrientransform", several(array("n+2", kinds="dfl")), _star=True)

# Correlation and lines.
x, y = array("n+2", kinds="dfle"), one(array("n+2", kinds="dfl"), array("n+2", ties, "dl"))
PAIR = {"axis": one(0, -1, None), "nan_policy": policy, "keepdims": side, "alternative": tail}
row("stats.kendalltau", x, y, method=one("auto", "asymptotic", "exact"), variant=one("b", "c"), **PAIR, _bound=1e-7)
row("stats.pearsonr", array("n+2 m", kinds="df"), array("n+2 m", kinds="df"), axis=one(0, -1), _bound=1e-6)
row("stats.pearsonr", x, y, alternative=tail, axis=one(0, -1), _bound=1e-6)
row("stats.pointbiserialr", array("n+2", truth, "?ld"), y, _bound=1e-6)
row("stats.spearmanr", x, y, nan_policy=policy, alternative=tail, axis=one(0, None), _bound=1e-6)
row("stats.spearmanr", array("n+2 3", kinds="dfl"), nan_policy=policy, axis=one(0, 1), _bound=1e-6)
row("stats.spearmanrho", x, y, **PAIR, _bound=1e-6)
row("stats.weightedtau", x, y, rank=one(True, False), additive=side, nan_policy=policy, _bound=1e-7)
row("stats.chatterjeexi", x, y, y_continuous=side, nan_policy=policy, _bound=1e-7)
row("stats.somersd", array("n+2", ties, "dl"), array("n+2", ties, "dl"), alternative=tail, _bound=1e-7)
row("stats.somersd", array("3 3", counts, "l"), alternative=tail, _bound=1e-7)
row("stats.linregress", x, y, alternative=tail, nan_policy=policy, _bound=1e-5)
row("stats.siegelslopes", y, maybe(x), method=one("hierarchical", "separate"), nan_policy=policy)
row(
    "stats.theilslopes",
    y,
    maybe(x),
    alpha=number(0.5, 0.99),
    method=one("joint", "separate"),
    nan_policy=policy,
    _bound=1e-7,
)
row("stats.energy_distance wasserstein_distance", array("n", kinds="dfl"), array("m", kinds="dfl"))
row(
    "stats.wasserstein_distance",
    array("n", kinds="dl"),
    array("m", kinds="d"),
    array("n", positive, "d"),
    array("m", positive, "d"),
)
row("stats.wasserstein_distance_nd", array("n 2", kinds="d"), array("m 2", kinds="d"), _bound=1e-6)
row(
    "stats.multiscale_graphcorr",
    array("8 2", kinds="d", finite=True),
    array("8 2", kinds="d", finite=True),
    reps=always(5),
    random_state=always(1),
    _fields=("statistic",),
    _bound=1e-6,
)

# Tests.
a, b = (
    one(array("n+2", kinds="dfl"), array("n+2 k", kinds="dfl"), array("n+2", ties, "dl")),
    one(array("m+2", kinds="dfl"), array("m+2 k", kinds="df"), array("m+2", ties, "dl")),
)
row("stats.ttest_1samp", a, one(0.5, 0), **TESTED, _bound=1e-6)
row("stats.ttest_ind", a, b, equal_var=side, trim=one(0, 0.1), **TESTED, _bound=1e-6)
row("stats.ttest_rel", a, a, **TESTED, _bound=1e-6)
row(
    "stats.ttest_ind_from_stats",
    number(-1, 1),
    number(0.1, 2),
    integer(2, 9),
    number(-1, 1),
    number(0.1, 2),
    integer(2, 9),
    side,
    alternative=tail,
    _bound=1e-7,
)
row("stats.ansari mood ranksums", a, b, **TESTED, _bound=1e-6)
row("stats.brunnermunzel", a, b, distribution=one("t", "normal"), **TESTED, _bound=1e-6)
row("stats.mannwhitneyu", a, b, use_continuity=side, method=one("auto", "asymptotic", "exact"), **TESTED, _bound=1e-6)
row(
    "stats.wilcoxon",
    array("n+2", kinds="dfl"),
    maybe(array("n+2", kinds="dfl")),
    zero_method=one("wilcox", "pratt", "zsplit"),
    correction=side,
    method=one("auto", "asymptotic", "exact"),
    **TESTED,
    _bound=1e-6,
)
row("stats.ks_2samp", a, b, method=one("auto", "asymp", "exact"), **TESTED, _bound=1e-6)
row("stats.cramervonmises_2samp", a, b, method=one("auto", "asymptotic", "exact"), **REDUCE, _bound=1e-6)
row("stats.epps_singleton_2samp", array("N", kinds="dl"), array("M", kinds="d"), **REDUCE, _bound=1e-5)
row(
    "stats.ks_1samp",
    a,
    function(lambda xp: _cdf(xp)),
    method=one("auto", "exact", "approx", "asymp"),
    **TESTED,
    _bound=1e-6,
)
row("stats.kstest", a, "norm", method=one("auto", "exact", "approx", "asymp"), **TESTED, _bound=1e-6)
row("stats.cramervonmises", a, one("norm", function(lambda xp: _cdf(xp))), **REDUCE, _bound=1e-6)
row("stats.bws_test", array("4", kinds="dl"), array("4", kinds="dl"), alternative=tail, _bound=1e-6)
row("stats.page_trend_test", array("n+3 3", kinds="dl"), method=one("auto", "asymptotic", "exact"), _bound=1e-6)
row("stats.jarque_bera", array("N", kinds="dfl"), **REDUCE, _bound=1e-6)
row("stats.kurtosistest skewtest", array("N", kinds="dfl"), **TESTED, _bound=1e-5)
row("stats.normaltest", array("N", kinds="dfl"), **REDUCE, _bound=1e-5)
row("stats.shapiro", array("n+3", kinds="dfl"), **REDUCE, _bound=1e-5)
row(
    "stats.anderson",
    array("N", kinds="d", finite=True),
    dist=one("norm", "expon", "logistic", "gumbel_l", "gumbel_r"),
    _fields=("statistic", "critical_values"),
    _bound=1e-4,
)
row("stats.anderson_ksamp", several(array("n+2", kinds="d", finite=True)), _fields=("statistic", "pvalue"), _bound=1e-6)
row("stats.quantile_test", array("n+2", kinds="dl"), q=number(-1, 1), p=number(0.1, 0.9), alternative=tail)
groups = several(one(array("n+2", kinds="dfl"), array("n+2", ties, "dl")))
row("stats.kruskal alexandergovern bartlett", groups, _star=True, **REDUCE, _bound=1e-6)
row("stats.f_oneway", groups, _star=True, equal_var=side, **REDUCE, _bound=1e-6)
row("stats.friedmanchisquare", several(array("n+2", kinds="dl"), 3, 4), _star=True, **REDUCE, _bound=1e-6)
row(
    "stats.fligner levene",
    groups,
    _star=True,
    center=one("median", "mean", "trimmed"),
    proportiontocut=number(0, 0.2),
    **REDUCE,
    _bound=1e-6,
)
row(
    "stats.median_test",
    several(array("n+2", ties, "dl")),
    _star=True,
    ties=one("below", "above", "ignore"),
    correction=side,
    nan_policy=policy,
    _bound=1e-6,
)
row(
    "stats.tukey_hsd",
    several(array("n+2", kinds="d"), 2, 3),
    _star=True,
    equal_var=side,
    _fields=("statistic", "pvalue"),
    _bound=1e-4,
)
row(
    "stats.dunnett",
    array("n+2", kinds="d"),
    array("n+2", kinds="d"),
    control=always(array("n+2", kinds="d")),
    alternative=tail,
    rng=always(1),
    _fields=("statistic",),
    _bound=1e-6,
)
frequencies = one(array("n+1", counts, "dl"), array("n+1 m", counts, "dl"))
row("stats.chisquare", frequencies, ddof=integer(0, 1), **REDUCE, _bound=1e-7)
row(
    "stats.power_divergence",
    frequencies,
    ddof=integer(0, 1),
    lambda_=one(None, 0, 1.5, "log-likelihood", "neyman", "cressie-read"),
    **REDUCE,
    _bound=1e-7,
)
row(
    "stats.combine_pvalues",
    one(array("n", unit, "df"), array("n m", unit, "df")),
    method=one("fisher", "pearson", "tippett", "stouffer", "mudholkar_george"),
    weights=one(None, array("n", positive, "d")),
    **REDUCE,
    _bound=1e-7,
)
row("stats.false_discovery_control", array("n m", unit, "df"), axis=one(0, -1, None), method=one("bh", "by"))
row(
    "stats.binomtest",
    integer(0, 9),
    integer(9, 20),
    number(0, 1),
    alternative=tail,
    _fields=("statistic", "pvalue", "k", "n"),
    _bound=1e-7,
)
row(
    "stats.poisson_means_test",
    integer(0, 9),
    integer(1, 9),
    integer(0, 9),
    integer(1, 9),
    diff=one(0, 0.5),
    alternative=tail,
    _bound=1e-6,
)
square = array("2 2", integers(0, 9), "ld", finite=True)
row("stats.fisher_exact", square, alternative=tail, _bound=1e-7)
# With fewer points SciPy's search may end where it begins: at 1/2, where the slope of a symmetric test is 0.
row(
    "stats.barnard_exact boschloo_exact",
    square,
    alternative=tail,
    n=always(32),
    _fields=("statistic", "pvalue"),
    _bound=1e-5,
)
row(
    "stats.logrank",
    array("n+2", positive, "d"),
    array("m+2", positive, "d"),
    alternative=tail,
    _fields=("statistic", "pvalue"),
    _bound=1e-7,
)
table = array("3 n+1", counts, "ld")
row("stats.chi2_contingency", table, correction=side, lambda_=one(None, "log-likelihood", 0.5), _bound=1e-7)
row("stats.contingency.chi2_contingency", table, correction=side, lambda_=one(None, "log-likelihood", 0.5), _bound=1e-7)
row("stats.contingency.association", table, method=one("cramer", "tschuprow", "pearson"), correction=side)
row("stats.contingency.crosstab", array("n", ties, "l"), array("n", ties, "l"), sparse=one(False))
row("stats.contingency.expected_freq margins", one(table, array("2 3 2", counts, "ld")))
row("stats.contingency.odds_ratio", square, kind=one("conditional", "sample"), _fields=("statistic",), _bound=1e-5)
row(
    "stats.contingency.relative_risk",
    integer(0, 5),
    integer(5, 9),
    integer(0, 5),
    integer(5, 9),
    _fields=("relative_risk", "exposed_cases", "exposed_total"),
)

# Resampling: on fixed samples the statistic is comparable, the random parts are not.
mean = function(lambda xp: _mean(xp), "mean")
row(
    "stats.bootstrap",
    (array("N", kinds="d", finite=True),),
    mean,
    n_resamples=always(30),
    method=one("percentile", "basic", "BCa"),
    rng=always(1),
    _fields=("standard_error", "bootstrap_distribution"),
    _random=True,
    _hostile=False,
)
row(
    "stats.permutation_test",
    (array("4", kinds="d", finite=True), array("4", kinds="d", finite=True)),
    function(lambda xp: _gap(xp)),
    alternative=tail,
    vectorized=always(True),
    permutation_type=one("independent", "samples", "pairings"),
    _fields=("statistic", "pvalue"),
    _hostile=False,
)
row(
    "stats.monte_carlo_test",
    array("9", kinds="d", finite=True),
    function(lambda xp: lambda size: xp.random.default_rng(1).normal(size=size)),
    mean,
    vectorized=always(True),
    n_resamples=always(50),
    _fields=("statistic",),
    _hostile=False,
)
row(
    "stats.power",
    function(lambda xp: _ttest(xp)),
    function(lambda xp: lambda size: xp.random.default_rng(1).normal(size=size)),
    9,
    n_resamples=always(30),
    vectorized=always(True),
    _fields=("power",),
    _random=True,
    _hostile=False,
)
row(
    "stats.sobol_indices",
    func=always(function(lambda xp: lambda x: x[0] + 2 * x[1])),
    n=always(16),
    dists=always([named("stats.uniform"), named("stats.uniform")]),
    rng=always(1),
    _fields=("first_order", "total_order"),
    _random=True,
    _hostile=False,
)
row(
    "stats.fit",
    named("stats.norm"),
    array("N", kinds="d", finite=True),
    bounds=always([(-9, 9), (0.01, 9)]),
    _fields=("params",),
    _form=lambda r: 0,
    _hostile=False,
)
row(
    "stats.goodness_of_fit",
    named("stats.norm"),
    array("N", kinds="d", finite=True),
    statistic=one("ad", "ks", "cvm", "filliben"),
    n_mc_samples=always(9),
    rng=always(1),
    _fields=("statistic",),
    _bound=1e-5,
    _hostile=False,
)
row(
    "stats.BootstrapMethod MonteCarloMethod PermutationMethod",
    n_resamples=always(integer(1, 99)),
    batch=one(None, 5),
    _steps=tuple(read("n_resamples", "batch")),
)

# Classes of distributions.
where = array("k", kinds="df")
shared = (
    call("pdf", where),
    call("cdf", where),
    call("ccdf", where),
    call("logpdf", where),
    call("icdf", array("k", unit, "d")),
    call("mean"),
    call("variance"),
    call("skewness"),
    call("kurtosis"),
    call("median"),
    call("mode"),
    call("support"),
    call("entropy"),
)
row("stats.Normal", mu=number(-2, 2), sigma=number(0.2, 3), _steps=shared, _bound=1e-6)
row("stats.Logistic", _steps=shared, _bound=1e-6)
row("stats.Uniform", a=always(number(-2, 0)), b=always(number(0.5, 3)), _steps=shared, _bound=1e-6)
row(
    "stats.Binomial",
    n=always(integer(1, 9)),
    p=always(number(0.1, 0.9)),
    _steps=(call("pmf", integer(0, 9)), call("cdf", integer(0, 9)), call("mean"), call("variance"), call("support")),
)
made_normal = made("stats.Normal", mu=0.5, sigma=2.0)
positive_one = made("stats.Uniform", a=1.0, b=2.5)
row(
    "stats.exp abs",
    made_normal,
    _steps=(
        call("pdf", array("k", positive, "d")),
        call("cdf", array("k", positive, "d")),
        call("mean"),
        call("support"),
    ),
    _bound=1e-6,
)
row(
    "stats.log",
    positive_one,
    _steps=(call("pdf", where), call("cdf", where), call("mean"), call("support")),
    _bound=1e-6,
)
row(
    "stats.order_statistic",
    made_normal,
    r=always(integer(1, 3)),
    n=always(3),
    _steps=(call("pdf", where), call("cdf", where), call("mean")),
    _bound=1e-6,
)
row(
    "stats.truncate",
    made_normal,
    lb=number(-2, 0),
    ub=number(1, 3),
    _steps=shared[:5] + (call("mean"), call("support")),
    _bound=1e-6,
)
row(
    "stats.Mixture",
    [made_normal, made("stats.Normal", mu=-1.0, sigma=1.0)],
    weights=one(None, [0.3, 0.7]),
    _steps=(call("pdf", where), call("cdf", where), call("mean"), call("variance")),
    _bound=1e-6,
)
row("stats.make_distribution", named("stats.gamma"), _steps=(), _form=lambda r: 0, _hostile=False)
row(
    "stats.rv_histogram",
    (array("4", counts, "dl"), np.array([0.0, 1.0, 2.0, 3.5, 4.0])),
    density=one(True, False),
    _steps=(call("pdf", where), call("cdf", where), call("ppf", array("k", unit, "d")), call("mean"), call("std")),
)
row(
    "stats.gaussian_kde",
    array("N", kinds="dfl"),
    bw_method=one(None, "scott", "silverman", 0.5),
    weights=one(None, array("N", positive, "d")),
    _steps=(
        call("evaluate", where),
        call("logpdf", where),
        call("integrate_box_1d", -1, 1),
        call("__call__", where),
        read("factor"),
    ),
    _bound=1e-6,
)
row("stats.CensoredData", array("n", kinds="d"), _steps=(call("__len__"), call("num_censored")))
row(
    "stats.rv_discrete",
    values=always(([0, 1, 2], [0.2, 0.3, 0.5])),
    _steps=(
        call("pmf", array("k", ties, "ld")),
        call("cdf", array("k", ties, "ld")),
        call("mean"),
        call("std"),
        call("ppf", array("k", unit, "d")),
    ),
    _hostile=False,
)
row(
    "stats.rv_continuous",
    a=one(None, 0.0),
    b=one(None, 1.0),
    name=always("x"),
    _steps=tuple(read("a", "b", "name")),
    _hostile=False,
)
row("stats.make_distribution", named("stats.norm"), _form=lambda r: 0, _hostile=False)
alone("stats.Covariance", "abstract: its members are drawn by multivariate_normal")
alone("stats.ConstantInputWarning DegenerateDataWarning NearConstantInputWarning FitError", "a warning or an exception")
alone("stats.estimated_cdf", "SciPy has it from a later version on")

# Quasi-Monte Carlo.
engine = (
    call("random", integer(1, 8)),
    [call("fast_forward", 2), call("random", 4)],
    [call("random", 2), call("reset"), call("random", 2)],
    call("integers", 0, u_bounds=always(9), n=always(4)),
)
row("stats.qmc.Halton", integer(1, 4), scramble=always(False), _steps=engine)
row(
    "stats.qmc.Sobol",
    integer(1, 6),
    scramble=always(False),
    bits=one(None, 20),
    _steps=(*engine, call("random_base2", integer(0, 4))),
)
row(
    "stats.qmc.LatinHypercube",
    integer(1, 4),
    scramble=side,
    strength=one(1),
    rng=always(1),
    _steps=(call("random", integer(1, 8)),),
    _random=True,
)
row(
    "stats.qmc.PoissonDisk",
    integer(1, 2),
    radius=always(0.3),
    rng=always(1),
    _steps=(call("random", 3),),
    _form=lambda r: 0,
)
row(
    "stats.qmc.MultinomialQMC",
    [0.2, 0.3, 0.5],
    integer(1, 9),
    rng=always(1),
    _steps=(call("random", integer(1, 4)),),
    _random=True,
)
row("stats.qmc.MultivariateNormalQMC", array("2", kinds="d"), rng=always(1), _steps=(call("random", 4),), _random=True)
alone("stats.qmc.QMCEngine", "abstract")
cube = array("n+1 2", unit, "df", finite=True)
row("stats.qmc.discrepancy", cube, iterative=side, method=one("CD", "WD", "MD", "L2-star"))
row("stats.qmc.geometric_discrepancy", cube, method=one("mindist", "mst"), metric=one("euclidean", "cityblock"))
row("stats.qmc.scale", cube, array("2", between(-2, -1), "d"), array("2", between(1, 2), "d"), reverse=one(False))
row("stats.qmc.update_discrepancy", array("2", unit, "d", finite=True), cube, number(0, 1))


def _cdf(xp):
    import scipy.special

    module = scipy.special if xp is np else xp.scipy.special
    return module.ndtr


def _mean(xp):
    return lambda sample, axis=-1: xp.mean(sample, axis=axis)


def _gap(xp):
    return lambda x, y, axis: xp.mean(x, axis=axis) - xp.mean(y, axis=axis)


def _ttest(xp):
    import scipy.stats

    module = scipy.stats if xp is np else xp.scipy.stats
    return lambda x, axis=-1: module.ttest_1samp(x, 0.0, axis=axis).pvalue
