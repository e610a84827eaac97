"""Wrong and doubtful arguments are refused or warned of as by SciPy: a table with a call for each of its checks."""

import cuproxide as cp
import numpy as np
import pytest
import scipy
from refused import RELEASES, TABLE, fits, lacking, names, outcome, warns

CASES = [(package, kind, entry["calls"]) for package, kinds in TABLE.items() for kind, entry in kinds.items()]
IDS = [f"{package}-{kind}" for package, kind, _ in CASES]
RELEASE = ".".join(scipy.__version__.split(".")[:2])
# The release whose checks the table follows; older ones lack some of the functions.
OLDER = np.lib.NumpyVersion(scipy.__version__) < "1.17.0"


def differences(calls, kind, given):
    found = {call: outcome(call, given) for call in calls}
    return {call: result for call, result in found.items() if not fits(result, kind)}


@pytest.mark.parametrize(("package", "kind", "calls"), CASES, ids=IDS)
def test_wrong_arguments_are_refused(package, kind, calls):
    if warns(kind) and cp.Device().backend != "cpu":
        pytest.skip("a GPU gives no warnings that depend on elements")
    assert differences(calls, kind, names(package, "cuproxide.scipy", cp)) == {}


@pytest.mark.skipif(RELEASE not in RELEASES, reason="the table names no differences of this release of SciPy")
@pytest.mark.parametrize(("package", "kind", "calls"), CASES, ids=IDS)
def test_the_table_says_what_scipy_does(package, kind, calls):
    pytest.importorskip(f"scipy.{package}")
    other = RELEASES[RELEASE].get(package, ())
    found = differences([call for call in calls if call not in other], kind, names(package, "scipy", np))
    assert {call: result for call, result in found.items() if not (OLDER and lacking(result))} == {}


def test_no_call_is_lost_or_stands_twice():
    for package, kinds in TABLE.items():
        calls = [call for kind in kinds.values() for call in kind["calls"]]
        assert len(calls) == len(set(calls)), package
        for release, others in RELEASES.items():
            assert set(others.get(package, ())) <= set(calls), (package, release)
    assert sum(len(calls) for _, _, calls in CASES) >= 2818
