"""Workers of `distributed` in processes of their own."""

import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from processes import run

PROGRAM = Path(__file__).parent / "programs" / "cluster.py"
# How arrays are computed is not in question here.
pytestmark = pytest.mark.deferred_only


@pytest.mark.parametrize("face", ["native", "compat"])
def test_a_cluster_of_processes(face):
    pytest.importorskip("distributed")
    if "cuproxide" not in entry_points(group="dask.array.backends").names:
        pytest.skip("Dask finds the package by its entry points: it is to be installed")
    result = run([sys.executable, PROGRAM, face], seconds=90)
    assert result.status == 0 and f"ok {face}" in result.out, result.err
