"""Wrong arguments raise what SciPy raises: a table with a call for each of its checks."""

import warnings

import numpy as np
import pytest
from refused import TABLE, names, raised

CASES = [(package, kind, calls["calls"]) for package, kinds in TABLE.items() for kind, calls in kinds.items()]


@pytest.mark.parametrize(("package", "kind", "calls"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_wrong_arguments_are_refused(package, kind, calls):
    given = names(package)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = {call: raised(call, given) for call in calls}
    assert {call: classes for call, classes in found.items() if kind not in classes} == {}


def test_the_table_has_no_call_twice():
    for package, kinds in TABLE.items():
        calls = [call for kind in kinds.values() for call in kind["calls"]]
        assert len(calls) == len(set(calls)), package
