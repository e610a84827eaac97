"""Random variables with parameters by name, beside SciPy's: functions, methods, transformations, descriptions."""

import copy
import pickle

import cuproxide as cp
import cuproxide.scipy.stats as ours
import numpy as np
import pytest
import scipy.stats as theirs
from pictures import Axes

X = np.array([-3.0, -1.0, 0.0, 0.25, 0.5, 1.0, 2.5, 7.0, np.nan])
Y = np.array([-1.0, -2.0, 0.3, 0.26, 0.75, 1.5, 2.0, 9.0, 1.0])
P = np.array([-0.1, 0.0, 1e-10, 0.1, 0.5, 0.9, 1.0, 1.1, np.nan])


def variables(s):
    gamma, normal = s.make_distribution(s.gamma), s.Normal
    return {
        "std": normal(),
        "normal": normal(mu=1.0, sigma=[[0.5], [2.0]]),
        "invalid": normal(mu=0.0, sigma=[-1.0, 1.0, 2.0] + [1.0] * 6),
        "single": normal(mu=np.float32(1.0), sigma=np.float32(2.0)),
        "uniform": s.Uniform(a=0.0, b=2.0),
        "logistic": s.Logistic(),
        "gamma": gamma(a=2.5),
        "moved": 3 * gamma(a=2.5) - 1,
        "turned": -2 * gamma(a=2.5) + 1,
        "truncated": s.truncate(normal(), -1.0, 0.75),
        "folded": s.abs(normal(mu=0.5, sigma=1.0)),
        "exp": s.exp(normal()),
        "log": s.log(gamma(a=2.0)),
        "square": (s.Uniform(a=1.0, b=2.0)) ** 2,
        "reciprocal": 2 / s.Uniform(a=1.0, b=2.0),
        "base": 2 ** normal(),
        "order": s.order_statistic(normal(), r=2, n=5),
        "mixture": s.Mixture([normal(mu=-1.0, sigma=1.0), normal(mu=2.0, sigma=0.5)], weights=[0.3, 0.7]),
        "binomial": s.Binomial(n=10, p=0.3),
        "poisson": s.make_distribution(s.poisson)(mu=3.2),
    }


OURS, THEIRS = variables(ours), variables(theirs)
NAMES = list(OURS)


def close(what, actual, expected, bound=1e-9, floor=1e-13):
    actual, expected = actual.get(), np.asarray(expected)
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype), what
    if expected.dtype in (np.float32, np.complex64):
        bound = max(bound, 1e-6)
    np.testing.assert_allclose(actual, expected, rtol=bound, atol=floor, err_msg=str(what))


@pytest.mark.parametrize("name", NAMES)
def test_functions_of_points(name):
    one, other = OURS[name], THEIRS[name]
    x = np.floor(X) if other.__class__ is not theirs.Mixture and getattr(one, "_discrete", False) else X
    x = x.astype(np.float32) if name == "single" else x
    # SciPy's transformed variables recurse without an end for probabilities of points.
    for method in (
        "pdf",
        "logpdf",
        "cdf",
        "ccdf",
        "logcdf",
        "logccdf",
        *(("pmf", "logpmf") if name == "gamma" else ()),
    ):
        if (name, method) in {("log", "logccdf"), ("order", "logccdf")}:
            x = np.minimum(x, 5.0)  # SciPy's last digits there are those of 1 - cdf
        close((name, method), getattr(one, method)(cp.asarray(x)), getattr(other, method)(x))
    p = np.where(P == 1e-10, 0.01, P) if name == "poisson" else P.astype(x.dtype)  # a TypeError in SciPy
    for method in ("icdf", "iccdf"):
        expected = getattr(other, method)(p)
        if name == "mixture":
            expected[np.isfinite(expected) & ((p == 0) | (p == 1))] *= np.inf  # where SciPy stops its search
        close((name, method), getattr(one, method)(cp.asarray(p)), expected)
    logs = np.log(np.array([1e-10, 0.1, 0.5, 0.9, 0.99, 0.3, 0.5, 0.2, 0.3])).astype(x.dtype)
    for method in ("ilogcdf", "ilogccdf"):
        close((name, method), getattr(one, method)(cp.asarray(logs)), getattr(other, method)(logs), 1e-7)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("binomial", "poisson")])
def test_functions_of_two_points(name):
    one, other = OURS[name], THEIRS[name]
    low = 0.05 if name in ("exp", "base", "reciprocal") else -3.0  # below, SciPy has NaN
    x, y = np.maximum(X[:-1], low), np.maximum(Y[:-1], low)
    if name == "invalid":
        x, y = X, Y
    for method in ("cdf", "ccdf", "logcdf", "logccdf"):
        if name == "mixture" and method == "logcdf":
            continue  # TypeError in SciPy
        expected = getattr(other, method)(x, y)
        if method == "logcdf":
            # The least number stands for an infinite logarithm there.
            expected = np.where(expected.real < -1e300, -np.inf + 1j * expected.imag, expected)
        bound = 1e-5 if name == "order" else 1e-8
        close((name, method), getattr(one, method)(cp.asarray(x), cp.asarray(y)), expected, bound)
    with pytest.raises(NotImplementedError):
        OURS["binomial"].cdf(1, 2)


@pytest.mark.parametrize("name", NAMES)
def test_properties_and_moments(name):
    one, other = OURS[name], THEIRS[name]
    for got, expected in zip(one.support(), other.support(), strict=True):
        close((name, "support"), got, expected)
    for method in ("mean", "median", "variance", "standard_deviation", "skewness", "kurtosis", "entropy", "logentropy"):
        expected = getattr(other, method)()
        if name == "single" and "entropy" in method:
            expected = expected.astype(getattr(one, method)().dtype)  # of a float64 constant there
        close((name, method), getattr(one, method)(), expected, 1e-8, 1e-8)
    if name not in ("order", "poisson"):
        close((name, "mode"), one.mode(), other.mode(), 1e-6, 1e-6)
    for kind in ("raw", "central", "standardized"):
        for order in (0, 1, 2, 3, 6) if name not in ("exp", "base") else (0, 1, 2):
            close((name, kind, order), one.moment(order, kind), other.moment(order, kind), 1e-7, 1e-7)


@pytest.mark.parametrize("name", NAMES)
def test_names_and_samples(name):
    one, other = OURS[name], THEIRS[name]
    if name != "single":
        assert (repr(one), str(one)) == (repr(other), str(other))
    x = one.sample((3000,), rng=1)
    assert x.shape == (3000, *one._shape)
    assert x.dtype == one._dtype
    with np.errstate(invalid="ignore"):
        error = abs(x.get().astype(float).mean(axis=0) - np.asarray(other.mean())) / np.asarray(
            other.standard_deviation()
        )
    assert np.all(np.isnan(error) | (error < 0.08))
    assert one.sample(rng=1).shape == one._shape


WAYS = {
    "pdf": ("formula", "logexp"),
    "cdf": ("formula", "log/exp", "complement", "quadrature"),
    "ccdf": ("formula", "logexp", "complement", "quadrature"),
    "logcdf": ("complement", "logexp", "quadrature"),
    "logccdf": ("complement", "logexp", "quadrature"),
    "icdf": ("formula", "complement", "inversion"),
    "iccdf": ("complement", "inversion"),
    "ilogcdf": ("complement", "inversion"),
}


@pytest.mark.parametrize("method", WAYS)
def test_methods_agree(method):
    one = OURS["gamma"]
    at = cp.asarray([0.2, 0.5, 0.9]) if method.startswith("i") else cp.asarray([0.3, 1.0, 4.0])
    at = -at if method.startswith("ilog") else at
    expected = getattr(one, method)(at).get()
    for way in WAYS[method]:
        np.testing.assert_allclose(getattr(one, method)(at, method=way).get(), expected, rtol=1e-10, err_msg=way)
    with pytest.raises(AttributeError):
        getattr(one, method)(at, method="guess")


def test_methods_of_discrete_variables_and_pairs_agree():
    one = OURS["binomial"]
    k = cp.arange(11)
    for way in ("quadrature", "complement", "logexp"):
        cp.testing.assert_allclose(one.cdf(k, method=way), one.cdf(k), rtol=1e-12)
    p = cp.asarray([0.01, 0.5, 0.99])
    cp.testing.assert_array_equal(one.icdf(p, method="inversion"), one.icdf(p))
    cp.testing.assert_array_equal(one.iccdf(p, method="inversion"), one.iccdf(p))
    assert float(one.mode(method="optimization")) == float(one.mode()) == 3
    two = OURS["gamma"]
    for way in ("subtraction", "logexp", "quadrature"):
        cp.testing.assert_allclose(two.cdf(1.0, 2.0, method=way), two.cdf(1.0, 2.0), rtol=1e-12)
        cp.testing.assert_allclose(two.logcdf(1.0, 2.0, method=way), two.logcdf(1.0, 2.0), rtol=1e-12)
    assert float(two.moment(2, "central", method="quadrature")) == pytest.approx(2.5, rel=1e-10)
    assert float(two.moment(3, "raw", method="quadrature_icdf")) == pytest.approx(39.375, rel=1e-7)
    with pytest.raises(NotImplementedError):
        two.moment(3, "raw", method="cache" if not two._moments.get(("raw", 3)) else "general")
    assert OURS["gamma"].sample(5, method="inverse_transform", rng=1).shape == (5,)


def test_far_tails_keep_their_digits():
    """SciPy has NaN, or digits of 1 - cdf, at these."""
    far = ours.truncate(ours.Normal(), 8.0, 12.0)
    reference = ours.truncnorm(8.0, 12.0)
    p = cp.asarray([1e-10, 0.3, 0.999])
    cp.testing.assert_allclose(far.icdf(p), reference.ppf(p), rtol=1e-12)
    cp.testing.assert_allclose(far.ccdf(far.icdf(p)), 1 - p, rtol=1e-9)
    highest = ours.order_statistic(ours.Normal(), r=2, n=5)
    assert float(highest.logccdf(7.0)) == pytest.approx(-107.927792082811, rel=1e-13)  # mpmath
    assert float(ours.make_distribution(ours.gamma)(a=2.0).logccdf(1e5)) == pytest.approx(-1e5 + np.log(1e5 + 1))
    assert float(ours.Normal().cdf(1.0, 1.0 + 1e-13)) == pytest.approx(0.24197072451914337 * 1e-13, rel=1e-2)
    assert float((ours.Uniform(a=-1.0, b=2.0) ** 2).mean()) == pytest.approx(1.0, rel=1e-13)


class LogUniform:
    __make_distribution_version__ = "1.16.0"
    parameters = {"a": {"endpoints": (0, np.inf)}, "b": {"endpoints": ("a", np.inf)}}
    support = {"endpoints": ("a", "b"), "inclusive": (True, True)}

    def pdf(self, x, a, b):
        return 1 / (x * (np.log(b) - np.log(a)))


class Cube:
    __make_distribution_version__ = "1.16.0"
    parameters = {"a": (-np.inf, np.inf), "b": {"endpoints": ("a", np.inf), "inclusive": (True, False)}}
    support = (lambda *, a, b: a**3, lambda *, a, b: b**3)

    def cdf(self, x, *, a, b):
        return (np.cbrt(x) - a) / (b - a)

    def pdf(self, x, *, a, b):
        return 1 / (3 * (b - a) * np.cbrt(x) ** 2)


class TwoNames:
    __make_distribution_version__ = "1.16.0"
    parameters = ({"rate": (0, np.inf)}, {"mean": (0, np.inf)})
    support = (0, np.inf)

    def process_parameters(self, rate=None, mean=None):
        return {"rate": 1 / mean if rate is None else rate, "mean": 1 / rate if mean is None else mean}

    def logpdf(self, x, rate, mean):
        return np.log(rate) - rate * x

    def moment(self, order, kind, rate, mean):
        return mean if (order, kind) == (1, "raw") else None


@pytest.mark.parametrize(
    ("description", "parameters"),
    [(LogUniform, {"a": 1.0, "b": 3.0}), (Cube, {"a": 1.0, "b": 2.0}), (TwoNames, {"mean": [2.0, 3.0]})],
    ids=lambda v: getattr(v, "__name__", ""),
)
def test_descriptions(description, parameters):
    one, other = (s.make_distribution(description())(**parameters) for s in (ours, theirs))
    assert repr(one) == repr(other)
    x, p = np.array([[0.5], [1.0], [1.7], [6.0], [9.0]]), np.array([[0.0], [0.01], [0.6], [1.0]])
    for method in ("pdf", "logpdf", "cdf", "ccdf", "logcdf", "logccdf"):
        close(method, getattr(one, method)(cp.asarray(x)), getattr(other, method)(x), 1e-8)
    for method in ("icdf", "iccdf"):
        close(method, getattr(one, method)(cp.asarray(p)), getattr(other, method)(p), 1e-8)
    for method in ("mean", "variance", "entropy", "median"):
        close(method, getattr(one, method)(), getattr(other, method)(), 1e-8)


def test_evenly_spread_samples():
    for engine in (ours.qmc.Sobol, ours.qmc.Halton, ours.qmc.LatinHypercube):
        x = ours.Normal(mu=[0.0, 1.0]).sample((64, 3), rng=engine(d=1, rng=1))
        assert x.shape == (64, 3, 2)
        share = cp.sort(ours.Normal(mu=[0.0, 1.0]).cdf(x), axis=0).get()
        # Each sixty-fourth holds about one point: independent draws leave gaps of more than 4.
        assert np.diff(share, axis=0).max() < 4 / 64
    with pytest.raises(NotImplementedError):
        OURS["mixture"].sample(3, method="formula")


def test_pictures():
    axes = Axes()
    assert ours.Normal(mu=[0.0, 1.0], sigma=1.0).plot(ax=axes) is axes
    assert [name for name, _ in axes.calls] == ["plot", "plot", "set_xlabel", "set_ylabel", "set_title", "legend"]
    x, y = axes.calls[0][1]
    np.testing.assert_allclose(y, theirs.norm.pdf(x), rtol=1e-12)
    discrete = Axes()
    ours.Binomial(n=5, p=0.4).plot(ax=discrete)
    assert discrete.calls[0][0] == "bar"
    ours.Binomial(n=5, p=0.4).plot("x", "cdf", ax=discrete)
    for arguments in ({"x": "y"}, {"y": "z"}, {"t": ("pdf", 0, 1)}):
        with pytest.raises(ValueError, match="must be one of"):
            ours.Normal().plot(ax=axes, **arguments)
    with pytest.raises(ValueError, match="invalid"):
        ours.Normal(mu=0.0, sigma=-1.0).plot(ax=axes)


def test_copies_and_operands():
    for x in (ours.Normal(), ours.Normal(mu=1.0, sigma=[1.0, 2.0]), ours.Uniform(a=0.0, b=2.0) * 3 + 1):
        for other in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert type(other) is type(x)
            cp.testing.assert_array_equal(other.cdf(0.3), x.cdf(0.3))
    x, factors = ours.Normal(), np.array([1.0, -2.0])
    expected = (factors * theirs.Normal() + factors).cdf(0.3)
    for array in (factors, cp.asarray(factors)):
        for moved in (array * x + array, x * array + array, array - (-1 * (x * array))):
            np.testing.assert_allclose(moved.cdf(0.3).get(), expected)
    with pytest.raises(TypeError):
        x + x


ERRORS = {
    "family": lambda s: s.Normal(mu=0.0, scale=1.0),
    "none": lambda s: s.Uniform(),
    "shapes": lambda s: s.Normal(mu=[1.0, 2.0], sigma=[1.0, 2.0, 3.0]),
    "type": lambda s: s.Normal(mu=1j),
    "tol": lambda s: s.Normal(tol=-1.0),
    "policy": lambda s: s.Normal(cache_policy="some"),
    "order": lambda s: s.Normal().moment(1.5),
    "kind": lambda s: s.Normal().moment(1, "round"),
    "convention": lambda s: s.Normal().kurtosis(convention="x"),
    "discrete": lambda s: s.Binomial(n=3, p=0.5) + 1,
    "log": lambda s: s.log(s.Normal()),
    "division": lambda s: 1 / s.Normal(),
    "power": lambda s: s.Normal() ** 0.5,
    "base": lambda s: (-1) ** s.Normal(),
    "ranks": lambda s: s.order_statistic(s.Normal(), r=1.5, n=3),
    "twice": lambda s: s.truncate(s.truncate(s.Normal(), 0.0, 1.0), 0.2, 0.4),
    "empty": lambda s: s.Mixture([]),
    "component": lambda s: s.Mixture([1]),
    "weights": lambda s: s.Mixture([s.Normal()], weights=[0.5]),
    "lengths": lambda s: s.Mixture([s.Normal()], weights=[0.5, 0.5]),
    "unsupported": lambda s: s.make_distribution(s.poisson_binom),
    "no distribution": lambda s: s.make_distribution(3.0),
    "broadcast": lambda s: s.Normal(mu=[1.0, 2.0]).pdf(np.zeros(3)),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(case):
    with pytest.raises(Exception) as expected:  # noqa: PT011
        ERRORS[case](theirs)
    with pytest.raises(type(expected.value)):
        ERRORS[case](ours)


@pytest.mark.parametrize("parameters", [(7, 1.0), (0, 0.5), (2.5, 0.5), (5, 1.5)])
def test_draws_of_parameters_that_no_distribution_has(parameters):
    """NaN, whether the parameters are numbers of the host or arrays."""
    n, p = parameters
    for variable in (ours.Binomial(n=n, p=p), ours.Binomial(n=cp.asarray(n), p=cp.asarray(p))):
        drawn = variable.sample((2, 3), rng=np.random.default_rng(1))
        assert drawn.shape == (2, 3) and drawn.dtype == np.float64 and bool(cp.isnan(drawn).all())


def closed_l_moments():
    """Random variables, their second L-moment and the ratios of the third and fourth, from closed forms."""
    normal = 30 / np.pi * np.arctan(np.sqrt(2)) - 9
    half = np.sqrt(2 / np.pi) * (np.sqrt(2) - 1)
    yield ours.Normal(mu=1e3, sigma=2.0), 2 / np.sqrt(np.pi), 0, normal
    yield 3 - 2 * ours.Normal(), 2 / np.sqrt(np.pi), 0, normal
    yield ours.Uniform(a=-1.0, b=3.0), 4 / 6, 0, 0
    yield ours.Logistic(), 1, 0, 1 / 6
    yield ours.make_distribution(ours.expon)(), 1 / 2, 1 / 3, 1 / 6
    # Twice the distribution function of the difference of two draws, less one: erf(1/2).
    yield ours.exp(ours.Normal()), np.exp(0.5) * 0.5204998778130465, None, None
    yield ours.abs(ours.Normal()), half, None, None
    yield ours.truncate(ours.Normal(), 0, np.inf), half, None, None
    for c in (-0.5, 0.25, 0.75):
        ratios = (1 + c) / (3 - c), (1 + c) * (2 + c) / (3 - c) / (4 - c)
        yield ours.make_distribution(ours.genpareto)(c=c), 1 / (1 - c) / (2 - c), *ratios


def test_l_moments():
    for variable, second, third, fourth in closed_l_moments():
        np.testing.assert_allclose(variable.lmoment().get(), variable.mean().get())
        np.testing.assert_allclose(variable.lmoment(2).get(), second, rtol=1e-12, err_msg=str(variable))
        for order, ratio in ((3, third), (4, fourth)):
            found = variable.lmoment(order)
            if ratio is not None:
                np.testing.assert_allclose(found.get(), ratio, rtol=1e-11, atol=1e-14, err_msg=str(variable))
            np.testing.assert_allclose(
                variable.lmoment(order, standardize=False).get(), (found * second).get(), atol=1e-14
            )


def test_l_moments_of_many_and_of_none():
    sigma = np.array([[1.0], [2.0], [-1.0]])
    many = ours.Normal(mu=np.array([0.0, 5.0]), sigma=sigma)
    np.testing.assert_allclose(
        many.lmoment(2).get(), np.tile(sigma / np.sqrt(np.pi) * [[1], [1], [np.nan]], 2), rtol=1e-13
    )
    assert ours.Normal(mu=np.float32(1), sigma=np.float32(2)).lmoment(4).dtype == np.float32
    for order in (1, 2, 3):
        assert np.isnan(ours.make_distribution(ours.cauchy)().lmoment(order))
    both = ours.Mixture([ours.Uniform(a=0.0, b=1.0), ours.Uniform(a=1.0, b=3.0)], weights=[1 / 3, 2 / 3])
    np.testing.assert_allclose(both.lmoment(2).get(), 0.5, rtol=1e-12)
    variable = ours.Normal()
    for method in ("order_statistics", "quadrature_icdf", "cache"):
        np.testing.assert_allclose(variable.lmoment(2, method=method).get(), 1 / np.sqrt(np.pi), rtol=1e-13)
    for method in ("formula", "general"):
        with pytest.raises(NotImplementedError, match=method):
            variable.lmoment(2, method=method)
    with pytest.raises(NotImplementedError, match="continuous"):
        ours.Binomial(n=5, p=0.5).lmoment(2)
    for order in (0, 1.5, "two", np.inf, None):
        with pytest.raises(ValueError, match=r"order.*got"):
            variable.lmoment(order)
