"""Families of random variables: of rows of the table of distributions, and of users' classes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import cuproxide as cp

from ..._cuproxide import ndarray
from ._common import holds
from ._continuous import rv_continuous
from ._discrete import lenient, rv_discrete
from ._math import INF, both, floor, log, stepwise, where
from ._random_variable import Interval, UnivariateDistribution, _known
from ._random_variable_kinds import ContinuousDistribution, DiscreteDistribution
from ._random_variable_moments import moved
from ._table_bounded import uniform
from ._table_discrete import binom
from ._table_logistic import logistic
from ._table_normal import norm
from ._table_sums import poisson_binom_gen

__all__ = ["Binomial", "Logistic", "Normal", "Uniform", "make_distribution"]

# Formulas of rows under the names that functions of random variables have.
_METHODS = {
    "pdf": "_pdf", "logpdf": "_logpdf", "pmf": "_pmf", "logpmf": "_logpmf", "cdf": "_cdf", "logcdf": "_logcdf",
    "ccdf": "_sf", "logccdf": "_logsf", "icdf": "_ppf", "iccdf": "_isf",
}  # fmt: skip


class _OfRow(UnivariateDistribution):
    """What random variables made of a row share: functions of the row at points moved by location and scale."""

    _row: Any
    _names: tuple[str, ...] = ()
    # Logarithms of tails that have formulas of their own.
    _exact: frozenset[str] = frozenset()

    def _domains(self) -> tuple[dict[str, Interval], ...]:
        return self._parameterizations or (({name: Interval() for name in self._names},) if self._names else ())

    def _standard(self) -> tuple[tuple[Any, ...], Any, Any]:
        """Shapes, location and scale of the row."""
        return tuple(self._values[name] for name in self._names), np.float64(0), np.float64(1)

    def _check(self, domains: dict[str, Interval], values: dict[str, Any]) -> Any:
        if self._parameterizations:
            return super()._check(domains, values)
        check = self._row._argcheck(*(values[name] for name in self._names))
        return _known(check if not isinstance(check, ndarray) or check.dtype == np.bool_ else check != 0)

    def _ends(self) -> tuple[Any, Any]:
        shapes, loc, scale = self._standard()
        return tuple(np.float64(end) * scale + loc if not isinstance(end, ndarray) else end * scale + loc
                     for end in self._row._get_support(*shapes))  # fmt: skip

    def _formula(self, name: str, *args: Any) -> Any:
        shapes, loc, scale = self._standard()
        if name == "entropy":
            return self._row._entropy(*shapes) + log(scale)
        if name == "sample":
            return self._row._rvs(*shapes, size=args[0], random_state=args[1]) * scale + loc
        if name in ("ilogcdf", "ilogccdf"):
            return self._of_logarithm(name, args[0])
        function = getattr(self._row, _METHODS[name])
        if name in ("icdf", "iccdf"):
            return function(args[0], *shapes) * scale + loc
        value = function((args[0] - loc) / scale, *shapes)
        if name in ("logcdf", "logccdf") and not self._discrete and name not in self._exact:
            low, high = self._ends()
            # Where the tail is below the least number.
            return self._mended(name, value, both(value == -INF, args[0] > low, args[0] < high), *args)
        if name == "pdf":
            return value / scale
        return value - log(scale) if name == "logpdf" else value

    def _moment_formula(self, kind: str, order: int) -> Any:
        shapes, loc, scale = self._standard()
        row = self._row
        if kind == "raw":
            return moved([row._raw(i, shapes) * scale**i for i in range(stepwise(order) + 1)], loc)
        if order == 2 and kind == "central":
            return row._four(*shapes, wanted="v")["v"] * scale**2
        if order not in (3, 4):
            return None
        key = "s" if order == 3 else "k"
        standard = row._four(*shapes, wanted="mv" + key)
        value = standard[key] + (3 if order == 4 else 0)
        return value if kind == "standardized" else value * standard["v"] ** (order / 2) * scale**order


class _ContinuousOfRow(_OfRow, ContinuousDistribution):
    _domain = Interval(inclusive=(True, True))
    _stated = frozenset(
        {"pdf", "logpdf", "cdf", "logcdf", "ccdf", "logccdf", "icdf", "iccdf", "ilogcdf", "ilogccdf", "entropy"}
        | {"sample"}
    )


class _DiscreteOfRow(_OfRow, DiscreteDistribution):
    _domain = Interval(inclusive=(True, True))
    _stated = frozenset(
        {"pmf", "logpmf", "cdf", "logcdf", "ccdf", "logccdf", "icdf", "iccdf", "ilogcdf", "ilogccdf", "entropy"}
        | {"sample"}
    )

    def _by_quadrature(self, name: str, *x: Any) -> Any:
        shapes = self._standard()[0]
        if name == "entropy":
            return rv_discrete._entropy(self._row, *shapes)
        value = rv_discrete._cdf(self._row, x[0], *shapes)
        value = 1 - value if "ccdf" in name else value
        return log(value) if name.startswith("log") else value

    def _inverted(self, name: str, p: Any) -> Any:
        shapes = self._standard()[0]
        forward = name[1:]
        p = p if "log" in name else lenient(p, name.endswith("ccdf"))

        def reached(k: Any) -> Any:
            low, high = self._ends()
            value = self._at(forward, k)
            if name.endswith("ccdf"):
                return where(k >= high, True, where(k < low, False, value <= p))
            return where(k >= high, True, where(k < low, False, value >= p))

        wanted = cp.broadcast_to(p == p, np.broadcast_shapes(p.shape, self._shape))
        return rv_discrete._search(self._row, reached, wanted, *shapes)

    def _by_optimization(self, name: str) -> Any:
        """The most probable point, among those that lie between two extreme quantiles."""
        low, high = (self._at("icdf", cp.full(self._shape, q)) for q in (1e-12, 1 - 1e-12))
        for _ in range(12):
            count = 257
            share = cp.asarray(np.linspace(0, 1, count)).reshape(-1, *(1,) * len(self._shape))
            grid = cp.floor(low + (high - low) * share + 0.5)
            best = cp.argmax(self._at("pmf", grid), axis=0)
            low, high, x = (
                cp.take_along_axis(grid, cp.clip(best + step, 0, count - 1)[None], axis=0)[0] for step in (-1, 1, 0)
            )
            if holds(high - low <= 2):
                break
        return x

    def _expected(self, f: Any, cut: Any = None) -> Any:
        return rv_discrete._moment_sum(self._row, f, *self._standard()[0])


class Normal(_ContinuousOfRow):
    """A normal random variable of mean `mu` and standard deviation `sigma`. See `scipy.stats.Normal`.

    Parameters
    ----------
    mu, sigma : array_like, optional
        Real numbers of any shapes that broadcast; 0 and 1 if not given. Where `sigma` is not positive, results are NaN.
    tol, validation_policy, cache_policy : optional
        As SciPy's.

    >>> x = cp.scipy.stats.Normal(mu=1.0, sigma=2.0)
    >>> float(x.cdf(1.0)), float(x.cdf(-1.0, 3.0).round(6)), float((2 * x - 1).mean())
    (0.5, 0.682689, 1.0)
    """

    _row = norm
    _domain = Interval()
    _exact = frozenset({"logcdf", "logccdf"})
    _parameterizations = ({"mu": Interval(), "sigma": Interval((0, np.inf))},)
    _stated = _ContinuousOfRow._stated | {"median", "mode"}

    def __new__(cls, mu: Any = None, sigma: Any = None, **kwargs: Any) -> Any:
        return object.__new__(StandardNormal if cls is Normal and mu is None and sigma is None else cls)

    def __init__(self, *, mu: Any = 0.0, sigma: Any = 1.0, **kwargs: Any) -> None:
        super().__init__(mu=mu, sigma=sigma, **kwargs)

    def _standard(self) -> tuple[tuple[Any, ...], Any, Any]:
        return (), self._values["mu"], self._values["sigma"]

    def _formula(self, name: str, *args: Any) -> Any:
        if name in ("median", "mode"):
            return self._standard()[1]
        return super()._formula(name, *args)

    def _moment_formula(self, kind: str, order: int) -> Any:
        _, mu, sigma = self._standard()
        if kind == "raw":
            return super()._moment_formula(kind, order)
        return self._row._munp(order) * (sigma**order if kind == "central" else 1.0)


class StandardNormal(Normal):
    """What `Normal` without parameters makes."""

    _parameterizations = ()

    def __init__(self, **kwargs: Any) -> None:
        UnivariateDistribution.__init__(self, **kwargs)

    def _standard(self) -> tuple[tuple[Any, ...], Any, Any]:
        return (), np.float64(0), np.float64(1)

    @property
    def mu(self) -> Any:
        """The mean."""
        return np.float64(0)

    @property
    def sigma(self) -> Any:
        """The standard deviation."""
        return np.float64(1)


class Logistic(_ContinuousOfRow):
    """A standard logistic random variable. See `scipy.stats.Logistic`.

    Parameters
    ----------
    tol, validation_policy, cache_policy : optional
        As SciPy's.

    >>> x = cp.scipy.stats.Logistic()
    >>> float(x.cdf(0.0)), float(x.entropy())
    (0.5, 2.0)
    """

    _row = logistic
    _domain = Interval()
    _exact = frozenset({"logcdf", "logccdf"})
    _stated = _ContinuousOfRow._stated | {"median", "mode"}

    def _formula(self, name: str, *args: Any) -> Any:
        return np.float64(0) if name in ("median", "mode") else super()._formula(name, *args)

    def _moment_formula(self, kind: str, order: int) -> Any:
        if order % 2:
            return np.float64(0)
        variance = math.pi**2 / 3
        # Twice the alternating sum of powers, by the zeta function.
        eta = float(cp.scipy.special.zeta(cp.asarray(float(order)), 1.0)) * (1 - 2.0 ** (1 - order)) if order else 0.5
        value = 2 * math.gamma(order + 1) * eta
        return np.float64(value / (variance ** (order / 2) if kind == "standardized" else 1.0))


class Uniform(_ContinuousOfRow):
    """A random variable that is uniform between `a` and `b`. See `scipy.stats.Uniform`.

    Parameters
    ----------
    a, b : array_like
        The ends. Where `b` is not above `a`, results are NaN.
    tol, validation_policy, cache_policy : optional
        As SciPy's.

    >>> x = cp.scipy.stats.Uniform(a=1.0, b=3.0)
    >>> float(x.pdf(2.0)), float(x.mean())
    (0.5, 2.0)
    """

    _row = uniform
    _exact = frozenset({"logcdf", "logccdf"})
    _parameterizations = ({"a": Interval(), "b": Interval(("a", np.inf))},)
    _stated = _ContinuousOfRow._stated | {"median", "mode"}

    def __init__(self, *, a: Any = None, b: Any = None, **kwargs: Any) -> None:
        super().__init__(a=a, b=b, **kwargs)

    def _standard(self) -> tuple[tuple[Any, ...], Any, Any]:
        return (), self._values["a"], self._values["b"] - self._values["a"]

    def _ends(self) -> tuple[Any, Any]:
        return self._values["a"], self._values["b"]

    @property
    def ab(self) -> ndarray:
        """The distance of the ends."""
        return self._typed(self._values["b"] - self._values["a"])

    def _formula(self, name: str, *args: Any) -> Any:
        _, loc, scale = self._standard()
        if name in ("median", "mode"):
            return loc + 0.5 * scale
        # From the nearer end, so that neither cancels.
        if name in ("ccdf", "logccdf"):
            value = (self._values["b"] - args[0]) / scale
            return log(value) if name == "logccdf" else value
        if name == "iccdf":
            return self._values["b"] - scale * args[0]
        return super()._formula(name, *args)


class Binomial(_DiscreteOfRow):
    """The number of successes among `n` trials of probability `p`. See `scipy.stats.Binomial`.

    Parameters
    ----------
    n, p : array_like
        The number of trials, above 0, and the probability, between 0 and 1.
    tol, validation_policy, cache_policy : optional
        As SciPy's.

    >>> x = cp.scipy.stats.Binomial(n=10, p=0.5)
    >>> float(x.mean()), float(x.pmf(5).round(6)), float(x.mode())
    (5.0, 0.246094, 5.0)
    """

    _row = binom
    _names = ("n", "p")
    _parameterizations = ({"n": Interval((0, np.inf)), "p": Interval((0, 1))},)
    _stated = _DiscreteOfRow._stated | {"mode"}

    def __init__(self, *, n: Any, p: Any, **kwargs: Any) -> None:
        super().__init__(n=n, p=p, **kwargs)

    def _check(self, domains: dict[str, Interval], values: dict[str, Any]) -> Any:
        return _known(both(super()._check(domains, values), floor(values["n"]) == values["n"]))

    def _formula(self, name: str, *args: Any) -> Any:
        if name == "mode":
            n, p = self._values["n"], self._values["p"]
            return floor((n + 1) * p)
        return super()._formula(name, *args)


# What SciPy calls the families of rows; others are the row's name with a capital letter.
_FAMILIES = {
    "argus": "ARGUS", "betaprime": "BetaPrime", "chi2": "ChiSquared", "crystalball": "CrystalBall",
    "dgamma": "DoubleGamma", "dweibull": "DoubleWeibull", "expon": "Exponential",
    "exponnorm": "ExponentiallyModifiedNormal", "exponweib": "ExponentialWeibull", "exponpow": "ExponentialPower",
    "fatiguelife": "FatigueLife", "foldcauchy": "FoldedCauchy", "foldnorm": "FoldedNormal",
    "genlogistic": "GeneralizedLogistic", "gennorm": "GeneralizedNormal", "genpareto": "GeneralizedPareto",
    "genexpon": "GeneralizedExponential", "genextreme": "GeneralizedExtremeValue", "gausshyper": "GaussHypergeometric",
    "gengamma": "GeneralizedGamma", "genhalflogistic": "GeneralizedHalfLogistic",
    "geninvgauss": "GeneralizedInverseGaussian", "gumbel_r": "Gumbel", "gumbel_l": "ReflectedGumbel",
    "halfcauchy": "HalfCauchy", "halflogistic": "HalfLogistic", "halfnorm": "HalfNormal",
    "halfgennorm": "HalfGeneralizedNormal", "hypsecant": "HyperbolicSecant", "invgamma": "InverseGammma",
    "invgauss": "InverseGaussian", "invweibull": "InverseWeibull", "irwinhall": "IrwinHall",
    "jf_skew_t": "JonesFaddySkewT", "johnsonsb": "JohnsonSB", "johnsonsu": "JohnsonSU", "ksone": "KSOneSided",
    "kstwo": "KSTwoSided", "kstwobign": "KSTwoSidedAsymptotic", "laplace_asymmetric": "LaplaceAsymmetric",
    "levy_l": "LevyLeft", "levy_stable": "LevyStable", "loggamma": "ExpGamma", "loglaplace": "LogLaplace",
    "lognorm": "LogNormal", "loguniform": "LogUniform", "ncx2": "NoncentralChiSquared", "nct": "NoncentralT",
    "norm": "Normal", "norminvgauss": "NormalInverseGaussian", "powerlaw": "PowerLaw", "powernorm": "PowerNormal",
    "rdist": "R", "rel_breitwigner": "RelativisticBreitWigner", "recipinvgauss": "ReciprocalInverseGaussian",
    "reciprocal": "LogUniform", "semicircular": "SemiCircular", "skewcauchy": "SkewCauchy", "skewnorm": "SkewNormal",
    "studentized_range": "StudentizedRange", "t": "StudentT", "trapezoid": "Trapezoidal", "triang": "Triangular",
    "truncexpon": "TruncatedExponential", "truncnorm": "TruncatedNormal", "truncpareto": "TruncatedPareto",
    "truncweibull_min": "TruncatedWeibull", "tukeylambda": "TukeyLambda", "vonmises_line": "VonMisesLine",
    "weibull_min": "Weibull", "weibull_max": "ReflectedWeibull", "wrapcauchy": "WrappedCauchyLine",
    "betabinom": "BetaBinomial", "betanbinom": "BetaNegativeBinomial", "dlaplace": "LaplaceDiscrete",
    "geom": "Geometric", "hypergeom": "Hypergeometric", "logser": "LogarithmicSeries", "nbinom": "NegativeBinomial",
    "nchypergeom_fisher": "NoncentralHypergeometricFisher",
    "nchypergeom_wallenius": "NoncentralHypergeometricWallenius", "nhypergeom": "NegativeHypergeometric",
    "poisson_binom": "PoissonBinomial", "randint": "UniformDiscrete", "yulesimon": "YuleSimon", "zipf": "Zeta",
}  # fmt: skip


def make_distribution(dist: Any) -> Any:
    """A class of random variables, of a distribution or of a user's description. See `scipy.stats.make_distribution`.

    Parameters
    ----------
    dist : rv_continuous, rv_discrete or object
        A distribution of this package, also one of a user's subclass; or an object with the attributes
        `__make_distribution_version__` ("1.16.0" or later), `parameters` and `support`, and functions by the names of
        those of random variables (`pdf` at least, or `logpdf`), which get points and parameters by keyword as arrays of
        the device. Points may lie outside of the support; what is computed there is dropped.

    Returns
    -------
    type
        A class. Its instances take the parameters by keyword.

    Raises
    ------
    ValueError
        If `dist` is none of these.
    NotImplementedError
        For `poisson_binom`, as in SciPy.

    >>> Gamma = stats.make_distribution(stats.gamma)
    >>> Gamma(a=3.0)
    Gamma(a=np.float64(3.0))
    >>> float((2 * Gamma(a=3.0)).mean())
    6.0
    """
    if isinstance(dist, poisson_binom_gen):
        raise NotImplementedError("`poisson_binom` is not supported: its parameter has an axis of its own.")
    if isinstance(dist, (rv_continuous, rv_discrete)):
        base = _ContinuousOfRow if isinstance(dist, rv_continuous) else _DiscreteOfRow
        name = _FAMILIES.get(dist.name or "", str(dist.name).capitalize())
        text = f"The random variables of `scipy.stats.{dist.name}`, with its shapes as parameters."
        stated = getattr(dist, "stated", {})
        exact = frozenset(new for new, old in (("logcdf", "logcdf"), ("logccdf", "logsf")) if old in stated)
        members = {
            "_exact": exact,
            "_row": dist,
            "_names": dist._names,
            "__doc__": text,
            "__module__": __name__.rpartition(".")[0],
            "_made_of": dist,
        }
        return type(name, (base,), members)
    if getattr(dist, "__make_distribution_version__", "0.0.0") >= "1.16.0":
        return _of_description(dist)
    raise ValueError(
        "The argument must be an instance of `rv_continuous`, `rv_discrete`, or an instance of a class with attribute "
        "`__make_distribution_version__ >= 1.16`."
    )


class _Described(ContinuousDistribution):
    """A random variable of a user's description."""

    _description: Any

    def _process(self, values: dict[str, Any]) -> dict[str, Any]:
        process = getattr(self._description, "process_parameters", None)
        return values if process is None else dict(process(**values))

    def _formula(self, name: str, *args: Any) -> Any:
        if name == "sample":
            return self._description.sample(args[0], rng=args[1], **self._values)
        return getattr(self._description, name)(*args, **self._values)

    def _moment_formula(self, kind: str, order: int) -> Any:
        moment = getattr(self._description, "moment", None)
        return None if moment is None else moment(order, kind=kind, **self._values)


_DESCRIBED = (
    "sample", "logentropy", "entropy", "median", "mode", "logpdf", "pdf", "logcdf2", "logcdf", "cdf2", "cdf",
    "logccdf2", "logccdf", "ccdf2", "ccdf", "ilogcdf", "icdf", "ilogccdf", "iccdf",
)  # fmt: skip


def _domain(info: Any) -> Interval:
    if not isinstance(info, dict):
        return Interval(info)
    return Interval(**{key: value for key, value in info.items() if key != "typical"})


def _of_description(dist: Any) -> Any:
    tables = dist.parameters if isinstance(dist.parameters, tuple) else (dist.parameters,)
    members = {
        "_description": dist,
        "_parameterizations": tuple({name: _domain(info) for name, info in table.items()} for table in tables if table),
        "_domain": _domain(dist.support),
        "_stated": frozenset(name for name in _DESCRIBED if hasattr(dist, name)),
        "__doc__": f"The random variables that `{type(dist).__name__}` describes.",
        "_made_of": dist,
    }
    return type(type(dist).__name__, (_Described,), members)
