"""Calls that SciPy refuses or warns of: the same kinds of exceptions and warnings come here.

`refused_calls.txt` holds a call for each condition in the checks of arguments of SciPy 1.17.
"""

import importlib
import warnings
from pathlib import Path

import cuproxide as cp
import numpy as np
import pytest
import scipy
from versions import SCIPY_1_18

RELEASE = scipy.__version__.startswith("1.17") and not SCIPY_1_18
CALLS = [
    line.split("\t")
    for line in Path(__file__).with_name("refused_calls.txt").read_text().splitlines()
    if not line.startswith("#")
]
MODULES = {
    "s": "signal",
    "st": "stats",
    "nd": "ndimage",
    "sp": "spatial",
    "ds": "spatial.distance",
    "h": "cluster.hierarchy",
    "vq": "cluster.vq",
    "df": "differentiate",
    "qmc": "stats.qmc",
    "ct": "stats.contingency",
    "R": "spatial.transform",
    "Slerp": "spatial.transform",
}
# What NumPy says of single operations on the host, and what it says of arguments that will change.
ARITHMETIC = (
    "encountered in",
    "overflow encountered",
    "invalid value",
    "divide by zero",
    "Mean of empty",
    "Degrees of",
)


def names_of(root, xp):
    """What the names in the calls stand for: modules of one package, and arrays on its device."""

    def array(values, dtype=None):
        return xp.asarray(np.asarray(values, dtype))

    modules = {short: importlib.import_module(f"{root}.{path}") for short, path in MODULES.items()}
    modules["R"], modules["Slerp"] = modules["R"].Rotation, modules["Slerp"].Slerp
    n = np.arange(20.0)
    points = np.random.default_rng(0).random((6, 3))
    return {
        **modules,
        "np": np,
        "xp": xp,
        "A": array,
        "x": array(np.sin(n) * 3 + n % 3),
        "y": array(np.cos(n * 1.3)),
        "X": array(points),
        "im": array(np.random.default_rng(1).random((5, 6))),
        "pos": array(np.random.default_rng(5).random(20) + 0.1),
        "lab": array(np.arange(30).reshape(5, 6) % 4),
        "Z": modules["h"].linkage(array(points), "ward"),
    }


def outcome(call, names):
    """The exception of a call, or the names of its warnings."""
    with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            eval(call, {**names})
        except Exception as error:
            return error
    said = {
        warning.category.__name__
        for warning in caught
        if not issubclass(warning.category, (DeprecationWarning, ResourceWarning))
        and not (warning.category is RuntimeWarning and any(text in str(warning.message) for text in ARITHMETIC))
    }
    return " ".join(sorted(said - {"ComplexWarning", "VisibleDeprecationWarning"}))


def differences(names, with_warnings=True):
    found = []
    for call, expected in CALLS:
        if "Warning" in expected or expected == "BadCoefficients":
            if not with_warnings:
                continue
            ours = outcome(call, names)
            fits = ours == expected
        else:
            ours = outcome(call, names)
            fits = isinstance(ours, Exception) and any(kind.__name__ == expected for kind in type(ours).__mro__)
        if not fits:
            found.append(f"{call}: {ours!r:.100} for {expected}")
    return found


def test_refusals_and_warnings():
    # A GPU gives no warnings that depend on elements.
    assert not differences(names_of("cuproxide.scipy", cp), with_warnings=cp.Device().backend == "cpu")


@pytest.mark.skipif(not RELEASE, reason="the calls follow another release of SciPy")
def test_the_table_says_what_scipy_does():
    assert not differences(names_of("scipy", np))
    assert len(CALLS) > 1400
