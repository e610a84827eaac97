"""Arguments are those of the newest NumPy and SciPy, or there is a reason; `ci/signatures.py` compares them."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def signatures():
    folder = str(ROOT / "ci")
    sys.path.insert(0, folder)
    try:
        import signatures

        yield signatures
    finally:
        sys.path.remove(folder)


def test_arguments_are_those_of_the_newest_releases(signatures):
    assert len(signatures.lines()) > 3000
    assert signatures.unexplained() == []


def test_what_differs_is_found(signatures, monkeypatch):
    lines = {
        "numpy.sort": ["a", "axis=", "kind=", "order=", "*", "stable=", "newer="],
        "numpy.clip": ["a_min=", "a", "a_max=", "out=", "*", "min=", "max=", "**kwargs"],
        "scipy.stats.ansari": ["x", "y", "alternative=", "*", "method=", "axis=", "nan_policy=", "keepdims="],
    }
    monkeypatch.setattr(signatures, "lines", lambda: lines)
    assert [place for place, _ in signatures.faults()] == ["numpy.sort(newer)", "numpy.clip(*)"]
    lines["numpy.tril"] = ["k=", "m"]
    assert dict(signatures.faults())["numpy.tril(*)"] == "other positions: m, k for k, m"


def test_functions_that_pass_keywords_on_tell_their_names(signatures):
    """`**kwargs` is no excuse: `help` and editors show what a call takes."""
    assert signatures.written(signatures.parameters(signatures.resolve("cuproxide.ndarray.trace"))) == (
        "offset=, axis1=, axis2=, dtype=, out="
    )
    call = signatures.resolve("cuproxide.scipy.stats.multivariate_normal")
    assert signatures.written(signatures.parameters(call)).startswith("mean=, cov=, allow_singular=, seed=")
    rows = signatures.resolve("cuproxide.scipy.integrate.BDF")
    assert "jac_sparsity=" in signatures.written(signatures.parameters(rows))
