"""The model of links beside what hosts take; `LAB_HOSTS=4` has four of them, and `-s` prints the rows."""

import re
import sys
from pathlib import Path

import pytest
from test_jobs import loads, mpi

MODEL = Path(__file__).parents[2] / "benches" / "cluster_model.py"


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_model_describes_hosts(hosts, count):
    if count > len(hosts):
        pytest.skip(f"needs LAB_HOSTS={count}")
    names = ",".join(f"{host.name}:1" for host in list(hosts)[:count])
    result = hosts[0].run(
        mpi("mpich"), "-launcher", "ssh", "-launcher-exec", hosts.shell, "-hosts", names, "-n", count,
        sys.executable, MODEL, "--measure", seconds=150, **loads("mpich"),
    )  # fmt: skip
    print(result.out)
    ratios = [float(text) for text in re.findall(r"ratio ([0-9.]+)", result.out)]
    # Pauses are what the model says at least; how much longer the rest takes is the machine's.
    assert result.status == 0 and len(ratios) == 9 and min(ratios[:6]) > 0.95, result
