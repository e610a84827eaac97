"""What minimisers print if `disp` or `iprint` asks for it, beside SciPy."""

import re
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.optimize
from cuproxide.scipy import optimize

START = (2.0, 0.5)


def bowl(x):
    return (x[0] - 1) ** 2 + (x[1] - 2.5) ** 2 + (x[0] * x[1]) ** 2 / 100


def slope(x):
    xp = cp if isinstance(x, cp.ndarray) else np
    return xp.stack([2 * (x[0] - 1) + x[0] * x[1] ** 2 / 50, 2 * (x[1] - 2.5) + x[1] * x[0] ** 2 / 50])


def curvature(x):
    xp = cp if isinstance(x, cp.ndarray) else np
    mixed = x[0] * x[1] / 25
    return xp.stack([xp.stack([2 + x[1] ** 2 / 50, mixed]), xp.stack([mixed, 2 + x[0] ** 2 / 50])])


def printed(call, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    return capsys.readouterr().out


def both(call, capsys):
    return [
        printed(lambda xp=xp, space=space: call(xp, space), capsys)
        for xp, space in ((cp, optimize), (np, scipy.optimize))
    ]


def words(text):
    """The text without counts and values, and without rows of a table, of which each algorithm has its own number."""
    lines = [line for line in text.splitlines() if not re.match(r"^ +\d", line)]
    return [re.sub(r"-?\d+(\.\d+)?(e[+-]?\d+)?", "#", line) for line in lines]


@pytest.mark.parametrize("most", [None, 2])
@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("nelder-mead", {}),
        ("powell", {}),
        ("cg", {"jac": slope}),
        ("bfgs", {"jac": slope}),
        ("newton-cg", {"jac": slope}),
        ("slsqp", {"jac": slope}),
        ("dogleg", {"jac": slope, "hess": curvature}),
        ("trust-ncg", {"jac": slope, "hess": curvature}),
        ("trust-exact", {"jac": slope, "hess": curvature}),
    ],
)
def test_minimize(method, more, most, capsys):
    options = {"disp": True} if most is None else {"disp": True, "maxiter": most}
    results = []

    def call(xp, space):
        results.append(space.minimize(bowl, xp.asarray(START), method=method, options=options, **more))

    found, wanted = both(call, capsys)
    assert words(found) == words(wanted)
    if found:
        value = float(re.search(r"value: ([\d.]+)", found)[1])
        np.testing.assert_allclose(value, float(results[0].fun), atol=1e-6)
        counts = [int(number) for number in re.findall(r"(?:evaluations|Iterations): (\d+)", found)]
        assert (
            counts
            == [int(results[0][name]) for name in ("nit", "nfev", "njev", "nhev") if name in results[0]][: len(counts)]
        )


@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("method", ["brent", "golden", "bounded"])
def test_scalar_minimisers(method, level, capsys):
    bounds = (0, 5) if method == "bounded" else None

    def call(xp, space):
        space.minimize_scalar(lambda t: (t - 2) ** 2 + t**4 / 50, bounds=bounds, method=method, options={"disp": level})

    found, wanted = both(call, capsys)
    assert found == wanted


@pytest.mark.parametrize("level", [0, 1, 2])
def test_fmin_slsqp(level, capsys):
    found, wanted = both(lambda xp, space: space.fmin_slsqp(bowl, xp.asarray(START), iprint=level), capsys)
    assert words(found) == words(wanted)
    rows = [line.split() for line in found.splitlines() if re.match(r"^ +\d", line)]
    assert bool(rows) == (level == 2)
    values = [float(row[2]) for row in rows]
    assert values == sorted(values, reverse=True)
    assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))


def test_a_minimiser_that_fails_warns(capsys):
    for space, xp in ((optimize, cp), (scipy.optimize, np)):
        with pytest.warns(RuntimeWarning, match="Maximum number of iterations"):
            space.minimize(bowl, xp.asarray(START), method="nelder-mead", options={"disp": True, "maxiter": 2})
    assert not capsys.readouterr().out
