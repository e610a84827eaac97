"""`optimizing.optimize`: trying how reductions run, and keeping what was found."""

from __future__ import annotations

import json
import sys

import cuproxide as cp
import numpy as np
import pytest
from cuproxide import optimizing
from cuproxide._kernels._tuning import current

FAST = {"max_trials": 3, "timeout": 5, "expected_total_time_per_trial": 1e-6}


def kernel(name):
    return cp.ReductionKernel("T x", "T y", "x * x", "a + b", "y = a", "0", name)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"pip install cuproxide\[optimize\]"), optimizing.optimize():
        pass
    with optimizing.optimize(readonly=True):
        np.testing.assert_allclose(kernel("plain")(cp.arange(10.0)).get(), 285)


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_results_stay_what_they_are(tmp_path, axis):
    pytest.importorskip("optuna")
    path = tmp_path / "found.json"
    x = np.arange(1_200.0).reshape(20, 60)
    total = kernel(f"total_{axis}")
    with optimizing.optimize(key=str(tmp_path), path=path, **FAST):
        assert current() is not None
        for _ in range(2):
            np.testing.assert_allclose(total(cp.asarray(x), axis=axis).get(), (x * x).sum(axis))
    assert current() is None
    found = json.loads(path.read_text())
    assert len(found) == 1 and f"total_{axis}" in next(iter(found))
    (choice,) = found.values()
    assert choice.keys() == {"blocks", "parts"}
    with optimizing.optimize(path=path, readonly=True):
        np.testing.assert_allclose(total(cp.asarray(x), axis=axis).get(), (x * x).sum(axis))
    assert json.loads(path.read_text()) == found


def test_what_was_found_is_used(tmp_path):
    pytest.importorskip("optuna")
    total = kernel("used")
    x = cp.arange(100_000.0)
    with optimizing.optimize(key="used", **FAST):
        total(x)
        tuning = current()
        (name,) = tuning.best
        tuning.best[name] = {"blocks": False, "parts": 16}
        want = float(np.sum(np.arange(100_000.0) ** 2))
        assert float(total(x)) == pytest.approx(want)
    assert any(plan.blocks is False for plan in total.cached_codes)


def test_outputs_that_share_memory_are_left_alone():
    pytest.importorskip("optuna")
    x = cp.arange(12.0).reshape(3, 4)
    with optimizing.optimize(key="shared", **FAST):
        kernel("shared")(x, axis=1, out=x[:, 0])
        assert not current().best


@pytest.mark.parametrize("wrong, error", [({"trials": 3}, TypeError), ({"max_trials": 0}, ValueError)])
def test_wrong_settings(wrong, error):
    with pytest.raises(error, match=next(iter(wrong))), optimizing.optimize(readonly=True, **wrong):
        pass
