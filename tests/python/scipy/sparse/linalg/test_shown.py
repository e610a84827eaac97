"""What iterative solvers print of their iterations, beside SciPy."""

import re
import warnings

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse.linalg
from cuproxide.scipy.sparse import linalg

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?|inf")


def systems():
    rng = np.random.default_rng(0)
    a = rng.standard_normal((12, 12))
    a = a @ a.T + 12 * np.eye(12)
    b = rng.standard_normal(12)
    large = np.diag(np.linspace(1.0, 3.0, 60)) + 0.01
    return {
        "small": (a, b, {}),
        "few iterations": (a, b, {"maxiter": 5}),
        "first guess": (a, b, {"x0": np.full(12, 0.5)}),
        "the solution": (np.diag(np.arange(1.0, 13.0)), np.arange(1.0, 13.0), {"x0": np.ones(12)}),
        "zeros": (a, 0 * b, {}),
        "large": (large, np.ones(60), {}),
        "large, few iterations": (large, np.ones(60), {"maxiter": 13}),
    }


def printed(call, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        call()
    return capsys.readouterr().out


def both(name, case, capsys, **more):
    a, b, options = systems()[case]
    options = {**options, **more}
    if name == "lsqr" and "maxiter" in options:
        options["iter_lim"] = options.pop("maxiter")
    wanted = printed(lambda: getattr(scipy.sparse.linalg, name)(a, b, show=True, **options), capsys)
    on_device = {key: cp.asarray(value) if key == "x0" else value for key, value in options.items()}
    found = printed(lambda: getattr(linalg, name)(cp.asarray(a), cp.asarray(b), show=True, **on_device), capsys)
    return found, wanted


def without_numbers(text):
    return re.sub(r" +", " ", NUMBER.sub("#", text)).splitlines()


@pytest.mark.parametrize("case", systems())
@pytest.mark.parametrize("name", ["lsqr", "lsmr"])
def test_least_squares(name, case, capsys):
    for damp in (0.0, 0.25):
        found, wanted = both(name, case, capsys, damp=damp)
        assert without_numbers(found) == without_numbers(wanted)
        # Residuals at the end have few digits.
        numbers = [[float(part) for part in NUMBER.findall(text)] for text in (found, wanted)]
        np.testing.assert_allclose(*numbers, rtol=0.02, atol=1e-4)


@pytest.mark.parametrize("case", systems())
def test_minres(case, capsys):
    found, wanted = both("minres", case, capsys)
    if case in ("the solution", "zeros"):
        # SciPy says what it was asked for, also if nothing is to do.
        assert not found
        assert "Compatible" not in wanted
        return
    assert without_numbers(found) == without_numbers(wanted)
    rows = [[line.split() for line in text.splitlines() if re.match(r" +\d+ ", line)] for text in (found, wanted)]
    assert len(rows[0]) == len(rows[1]) > 0
    for row, other in zip(*rows, strict=True):
        # Norms of the matrix differ: SciPy's have the right-hand side in them.
        assert row[0] == other[0]
        np.testing.assert_allclose(float(row[1]), float(other[1]), rtol=1e-3)
        np.testing.assert_allclose(float(row[5]), float(other[5]), rtol=0.2)
    assert [line for line in found.splitlines() if "istop" in line] == [
        line for line in wanted.splitlines() if "istop" in line
    ]


@pytest.mark.parametrize(("most", "end"), [(None, "reach TOL"), (3, "reach MAXIT")])
def test_tfqmr(most, end, capsys):
    a, b, _ = systems()["small"]
    iterations = []
    options = {"maxiter": most, "show": True}
    text = printed(
        lambda: linalg.tfqmr(cp.asarray(a), cp.asarray(b), callback=lambda x: iterations.append(x), **options), capsys
    )
    assert end in text
    assert text.endswith(f" iterations {len(iterations)}\n")
    assert printed(lambda: linalg.tfqmr(cp.asarray(a), cp.asarray(b), **options), capsys) == text
    theirs = printed(lambda: scipy.sparse.linalg.tfqmr(a, b, **options), capsys)
    assert without_numbers(text) == without_numbers(theirs)


def test_lobpcg(capsys):
    a = np.diag(np.arange(1.0, 61.0))
    x = np.random.default_rng(1).standard_normal((60, 2))
    texts = []
    for solver, xp in ((linalg.lobpcg, cp), (scipy.sparse.linalg.lobpcg, np)):
        for more in ({}, {"B": np.eye(60) * 2, "M": np.eye(60), "Y": np.eye(60)[:, :1]}):
            options = {key: xp.asarray(value) for key, value in more.items()}
            call = lambda: solver(xp.asarray(a), xp.asarray(x), maxiter=3, verbosityLevel=1, **options)  # noqa: B023, E731
            texts.append(printed(call, capsys))
    ours, theirs = texts[:2], texts[2:]
    for found, wanted in zip(ours, theirs, strict=True):
        head = found[: found.index("iteration 0")]
        assert head.split() == wanted[: wanted.index("iteration 0")].split()
        assert [line for line in found.splitlines() if "iteration " in line] == [
            f"iteration {number}" for number in range(5)
        ]
        assert found.count("eigenvalue(s):") == 6
        first = [text[text.index("eigenvalue(s):") :].splitlines()[1].strip("[]").split() for text in (found, wanted)]
        np.testing.assert_allclose(*(np.array(numbers, float) for numbers in first), rtol=1e-6)
