"""Arguments are those of the newest NumPy and SciPy, or there is a reason; `ci/signatures.py` compares them."""

import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from versions import SCIPY_1_18

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


# One namespace is there; the others are methods of `dict`, or of nodes that SciPy's trees make themselves.
METHODS_OF_THEIRS = {"LinearOperator.__init__", "dok_array.pop", "dok_matrix.pop"} | {
    f"{tree}.{node}" for tree in ("KDTree", "cKDTree") for node in ("node", "innernode", "leafnode")
}

CLASSES = ("interpolate", "linalg", "signal", "sparse", "sparse.linalg", "spatial", "spatial.transform", "stats")


def missing_of_methods(signatures, theirs, ours):
    """The arguments, and how many methods were compared."""
    missing, compared = [], 0
    for path in ours.__all__:
        pair = getattr(theirs, path, None), getattr(ours, path)
        if not all(isinstance(one, type) for one in pair):
            continue
        for method in dir(pair[0]):
            if method.startswith("_") and method not in ("__call__", "__init__"):
                continue
            known, mine = (signatures.parameters(getattr(one, method, None)) for one in pair)
            if known is None or mine is None or any(one.kind is one.VAR_KEYWORD for one in mine):
                continue
            compared += 1
            names = {one.name for one in mine}
            by_name = [one.name for one in known if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
            missing += [(f"{path}.{method}", argument) for argument in by_name if argument not in names]
    return missing, compared


@pytest.mark.skipif(not SCIPY_1_18, reason="the methods of the newest SciPy")
def test_arguments_of_methods(signatures):
    """The names that methods of classes take in SciPy, those of calls included."""
    total = 0
    for name in CLASSES:
        theirs, ours = (importlib.import_module(f"{root}scipy.{name}") for root in ("", "cuproxide."))
        missing, compared = missing_of_methods(signatures, theirs, ours)
        assert [pair for pair in missing if pair[0] not in METHODS_OF_THEIRS] == [], name
        total += compared
    assert total > 200


def test_missing_arguments_of_methods_are_found(signatures):
    class Newer:
        def __call__(self, x, tolerance=1.0):
            """Takes one more."""

    class Here:
        def __call__(self, x):
            """Takes one less."""

    theirs, ours = SimpleNamespace(Thing=Newer), SimpleNamespace(Thing=Here, __all__=["Thing"])
    assert ("Thing.__call__", "tolerance") in missing_of_methods(signatures, theirs, ours)[0]
