"""Arrays in other processes: joblib, multiprocessing, MPI."""

import sys
from pathlib import Path

import pytest
from processes import mpiexec, run

# How arrays are computed is not in question here.
pytestmark = pytest.mark.deferred_only


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_multiprocessing(method):
    program = Path(__file__).parent / "programs" / "pool.py"
    result = run([sys.executable, program, method], seconds=60)
    assert result.status == 0 and "ok" in result.out, result.err


def test_joblib():
    pytest.importorskip("joblib")
    program = Path(__file__).parent / "programs" / "pool.py"
    result = run([sys.executable, program, "joblib"], seconds=60)
    assert result.status == 0 and "ok" in result.out, result.err


def test_mpi4py_sends_arrays(device):
    if device.backend != "cpu":
        pytest.skip("the MPI of the tests reads no device memory")
    program = Path(__file__).parent / "programs" / "sends.py"
    result = run([mpiexec(), "-n", "2", sys.executable, program], seconds=60)
    assert result.status == 0 and "ok" in result.out, result.err
