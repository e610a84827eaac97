"""Which device a rank takes, with what SLURM lets it see: the CUDA backend on the stand-ins for its driver."""

import os
import secrets
import sys
from pathlib import Path

import pytest
from test_jobs import loads, mpi

PROGRAM = Path(__file__).parent / "programs" / "device.py"
STANDINS = Path(__file__).parents[2] / "target" / "standins" / "cuda"
VARIABLES = {
    "CUPROXIDE_BACKEND": "cuda",
    "CUPROXIDE_LIBRARY_PATH": STANDINS,
    "CUPROXIDE_CUDA_DRIVER_PATH": STANDINS,
    "CUPROXIDE_CACHE_DIR": "/tmp/cuproxide-cache",
}


def taken(slurm, *options, before="true", **variables):
    """For each rank its local number, its device, and how many it sees."""
    if not (STANDINS / "libcuda.so.1").exists():
        pytest.skip("the stand-ins are not built: ci/test_standins")
    command = f"{before}; exec {sys.executable} {PROGRAM}"
    result = slurm.srun(
        "-N", "3", "-n", "6", "--ntasks-per-node=2", *options, "bash", "-c", command, **VARIABLES | variables
    )
    assert result.status == 0, result
    rows = sorted(line.split("|") for line in result.out.splitlines())
    assert [row[0] for row in rows] == list("012345") and {row[2] for row in rows} == {"cuda"}, result
    return [(int(row[1]), int(row[3]), int(row[4])) for row in rows]


def test_all_devices_of_the_host_are_seen(slurm):
    assert taken(slurm, "--gpus-per-node=2") == [(0, 0, 2), (1, 1, 2)] * 3


def test_each_rank_sees_its_own(slurm):
    assert taken(slurm, "--gpus-per-task=1") == [(0, 0, 1), (1, 0, 1)] * 3


def test_each_rank_sees_a_slice(slurm):
    before = "export CUDA_VISIBLE_DEVICES=MIG-41fa-$SLURM_PROCID"
    assert taken(slurm, "--gpus-per-node=2", before=before) == [(0, 0, 1), (1, 0, 1)] * 3


def test_a_cgroup_hides_a_device_that_the_variable_names(slurm):
    # The second device cannot be opened, as under ConstrainDevices; the variable still names both.
    groups = Path("/sys/fs/cgroup/devices")
    if not os.access(groups / "cgroup.procs", os.W_OK):
        pytest.skip("needs the device controller of cgroup v1")
    mark = f"cuproxide-lab-{secrets.token_hex(4)}"
    folder = f"{groups}/{mark}-$SLURM_PROCID"
    before = f"mkdir {folder} && echo 'c 1:7 rwm' > {folder}/devices.deny && echo $$ > {folder}/cgroup.procs"
    before += " && export CUDA_VISIBLE_DEVICES=0,1"
    try:
        assert taken(slurm, "--gpus-per-node=2", before=before) == [(0, 0, 1), (1, 0, 1)] * 3
        # Where it hides nothing, the same names are two devices.
        assert taken(slurm, "--gpus-per-node=2", before="export CUDA_VISIBLE_DEVICES=0,1") == [(0, 0, 2), (1, 1, 2)] * 3
    finally:
        for path in groups.glob(f"{mark}-*"):
            path.rmdir()


def test_ranks_that_slurm_starts_for_mpich(slurm):
    mpi("mpich")
    found = taken(slurm, "--mpi=pmi2", "--gpus-per-node=2", **loads("mpich"))
    assert found == [(0, 0, 2), (1, 1, 2)] * 3
