"""Parameters of draws: what the host gives is converted as by NumPy."""

import fractions

import cuproxide as cp
import numpy as np
import pytest

# Every parameter of every distribution, in a place of values that it takes.
PARAMETERS = {
    "beta": (2.0, 2.0),
    "binomial": (2, 0.5),
    "chisquare": (2.0,),
    "exponential": (2.0,),
    "f": (2.0, 2.0),
    "gamma": (2.0, 2.0),
    "geometric": (0.5,),
    "gumbel": (2.0, 2.0),
    "hypergeometric": (5, 5, 2),
    "laplace": (2.0, 2.0),
    "logistic": (2.0, 2.0),
    "lognormal": (2.0, 2.0),
    "logseries": (0.5,),
    "negative_binomial": (2, 0.5),
    "noncentral_chisquare": (2.0, 2.0),
    "noncentral_f": (2.0, 2.0, 2.0),
    "normal": (2.0, 2.0),
    "pareto": (2.0,),
    "poisson": (2.0,),
    "power": (2.0,),
    "rayleigh": (2.0,),
    "standard_gamma": (2.0,),
    "standard_t": (2.0,),
    "triangular": (0.0, 0.5, 1.0),
    "uniform": (1.0, 2.0),
    "vonmises": (2.0, 2.0),
    "wald": (2.0, 2.0),
    "weibull": (2.0,),
    "zipf": (2.0,),
}
CONVERTED = {
    "complex array": lambda value: np.array([complex(value)]),
    "complex array without axes": lambda value: np.array(complex(value)),
    "empty complex array": lambda value: np.array([], complex),
    "complex list": lambda value: [complex(value)],
    "complex number": complex,
    "long double": lambda value: np.array([value], np.longdouble),
    "objects": lambda value: np.array([value], object),
    "text": lambda value: np.array([str(value)]),
    "times": lambda value: np.array([1], "m8[s]"),
    "fraction": fractions.Fraction,
    "float array": lambda value: np.array([float(value)]),
    "float array without axes": lambda value: np.array(float(value)),
    "unsigned array": lambda value: np.array([2], np.uint64),
    "buffer": lambda value: memoryview(np.array([float(value)])),
    "float list": lambda value: [float(value)],
}


@pytest.mark.parametrize("given", CONVERTED)
@pytest.mark.parametrize("kind", ["default_rng", "RandomState"])
def test_parameters_are_converted_as_by_numpy(kind, given):
    for name, values in PARAMETERS.items():
        if not hasattr(np.random.RandomState, name) and kind == "RandomState":
            continue
        for place, value in enumerate(values):
            args = [*values[:place], CONVERTED[given](value), *values[place + 1 :]]
            assert outcome(cp, kind, name, args) == outcome(np, kind, name, args), (name, args)


def outcome(namespace, kind, name, args):
    """The shape of a draw, or the class of its error."""
    try:
        return np.shape(getattr(getattr(namespace.random, kind)(1), name)(*args))
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)


@pytest.mark.parametrize("count", [2**63, [2**63], 1e19, [1e19], np.uint64(2**63), -(2**63) - 1, 10**400, float("inf")])
def test_counts_that_no_int64_holds(count):
    for kind, name, args in (
        ("default_rng", "binomial", (count, 0.5)),
        ("RandomState", "binomial", (count, 0.5)),
        ("default_rng", "multinomial", (count, [0.5, 0.5])),
    ):
        assert outcome(np, kind, name, args) is outcome(cp, kind, name, args) is OverflowError


def test_complex_parameters_on_the_device():
    for kind in ("default_rng", "RandomState"):
        for name, values in PARAMETERS.items():
            if hasattr(np.random.RandomState, name) or kind == "default_rng":
                with pytest.raises(TypeError, match="complex numbers to real ones"):
                    getattr(getattr(cp.random, kind)(1), name)(cp.asarray([complex(values[0])]), *values[1:])
        for mean, covariance in (([1j], [[1.0]]), ([1.0], [[1j]])):
            with pytest.raises(TypeError, match="must not be complex"):
                getattr(cp.random, kind)(1).multivariate_normal(cp.asarray(mean), cp.asarray(covariance))


@pytest.mark.parametrize("n", [np.array(2.5), np.array(2, np.uint64), np.array(True), 2.5, fractions.Fraction(5, 2)])
def test_random_state_takes_one_number_for_multinomial(n):
    drawn = cp.random.RandomState(1).multinomial(n, [0.5, 0.5], size=3)
    assert (drawn.sum(axis=1) == int(n)).all()
    assert np.random.RandomState(1).multinomial(n, [0.5, 0.5], size=3).shape == drawn.shape
    for several in ([2], np.array([2]), (), range(2)):
        assert outcome(np, "RandomState", "multinomial", (several, [0.5, 0.5])) is TypeError
        assert outcome(cp, "RandomState", "multinomial", (several, [0.5, 0.5])) is TypeError
    assert outcome(cp, "RandomState", "multinomial", (n, 0.5)) is TypeError


def test_draws_of_no_categories():
    for kind in ("default_rng", "RandomState"):
        assert outcome(cp, kind, "dirichlet", ([], 3)) == outcome(np, kind, "dirichlet", ([], 3)) == (3, 0)
    assert outcome(cp, "RandomState", "multinomial", (3, [], 2)) == (2, 0)
    assert np.random.RandomState(1).multinomial(3, [], 2).shape == (2, 0)


def test_lengths_of_bytes():
    for length in (np.uint64(5), np.array(5, np.uint64), np.array(5), 5.0):
        assert len(np.random.default_rng(1).bytes(length)) == len(cp.random.default_rng(1).bytes(length)) == 5
    for length in ("5", b"5"):
        with pytest.raises(TypeError):
            cp.random.default_rng(1).bytes(length)


@pytest.mark.parametrize("given", [np.timedelta64(1, "s"), "1", b"1", None])
def test_no_number_at_all(given):
    # NumPy's negative_binomial takes the first three, and NaN for None in all.
    for name, values in PARAMETERS.items():
        assert outcome(cp, "default_rng", name, [given, *values[1:]]) is TypeError
