"""Workers of `distributed` in processes of their own."""

import sys
from pathlib import Path

import pytest
from processes import run

PROGRAM = Path(__file__).parent / "programs" / "cluster.py"


@pytest.mark.parametrize("face", ["native", "compat"])
def test_a_cluster_of_processes(face):
    pytest.importorskip("distributed")
    result = run([sys.executable, PROGRAM, face], seconds=90)
    assert result.status == 0 and f"ok {face}" in result.out, result.err
