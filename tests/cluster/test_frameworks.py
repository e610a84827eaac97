"""Dask and Ray over several hosts, with arrays of this package."""

import sys
import time
from pathlib import Path

import pytest
from test_jobs import loads, mpi

PROGRAMS = Path(__file__).parent / "programs"


def test_workers_of_dask_are_jobs(slurm):
    pytest.importorskip("dask_jobqueue")
    result = slurm.hosts[0].run(sys.executable, PROGRAMS / "dask_slurm.py", seconds=150)
    assert result.status == 0 and result.out.split()[:2] == ["dask", "cuproxide"], result
    assert len(result.out.split()) == 4 and slurm.idle(), result


def test_dask_by_mpi(slurm):
    pytest.importorskip("dask_mpi")
    names = ",".join(f"{host.name}:2" for host in slurm.hosts)
    result = slurm.hosts[0].run(
        mpi("mpich"), "-launcher", "ssh", "-launcher-exec", slurm.hosts.shell, "-hosts", names, "-n", "6",
        sys.executable, PROGRAMS / "dask_by_mpi.py", seconds=120, **loads("mpich"),
    )  # fmt: skip
    assert "dask node2 node3" in result.out, result


def test_actors_of_ray(hosts):
    pytest.importorskip("ray")
    ray = [sys.executable, "-m", "ray.scripts.scripts"]
    small = ["--num-cpus=1", "--object-store-memory=80000000", "--disable-usage-stats", "--block"]
    variables = {"RAY_DISABLE_IMPORT_WARNING": 1, "RAY_DEDUP_LOGS": 0}
    head = hosts[0].start(
        *ray, "start", "--head", "--node-ip-address", hosts[0].address, "--port=6379", "--include-dashboard=false",
        *small, log="/mnt/ray-head.log", **variables,
    )  # fmt: skip
    time.sleep(10)
    other = hosts[1].start(
        *ray, "start", "--address", f"{hosts[0].address}:6379", "--node-ip-address", hosts[1].address, *small,
        log="/mnt/ray-other.log", **variables,
    )  # fmt: skip
    try:
        result = hosts[0].run(
            sys.executable, PROGRAMS / "ray_actors.py", f"{hosts[0].address}:6379", seconds=150, **variables
        )
        logs = [Path(f"/mnt/ray-{name}.log").read_text() for name in ("head", "other")]
        assert result.status == 0 and "ray node1 node2" in result.out, (result, logs)
    finally:
        for process, host in ((other, hosts[1]), (head, hosts[0])):
            process.terminate()
            process.wait(30)
            assert hosts.left_over("ray/", 20) == [] or host is not hosts[0]
