"""Jobs as users submit them: under SLURM, Open MPI, MPICH and torchrun's variables, on several hosts."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from lab import SHARED

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).parent / "programs"
EXAMPLES = ROOT / "examples" / "cluster"
WHERE = PROGRAMS / "where.py"


def places(result, launcher, backend, size):
    """Checks that all ranks ran and agree; gives hosts and local ranks in the order of the ranks."""
    assert result.status == 0, (result.out, result.err)
    rows = sorted(
        (line.split("|") for line in result.out.splitlines() if line.count("|") == 6), key=lambda r: int(r[2])
    )
    assert [int(row[2]) for row in rows] == list(range(size)), (result.out, result.err)
    for row in rows:
        assert row[:2] == [launcher, backend] and int(row[3]) == size and row[6] == "True", rows
    return [(row[5], row[4]) for row in rows]


def test_srun(slurm):
    result = slurm.srun("-N", "3", "-n", "6", "--ntasks-per-node=2", sys.executable, WHERE)
    found = places(result, "SLURM", "store", 6)
    assert found == [(f"node{1 + rank // 2}", str(rank % 2)) for rank in range(6)]


def test_srun_with_ranks_dealt_in_turn(slurm):
    result = slurm.srun("-N", "3", "-n", "6", "--ntasks-per-node=2", "--distribution=cyclic", sys.executable, WHERE)
    found = places(result, "SLURM", "store", 6)
    assert found == [(f"node{1 + rank % 3}", str(rank // 3)) for rank in range(6)]


def test_srun_on_chosen_hosts(slurm):
    result = slurm.srun("--nodelist=node[2-3]", "-N", "2", "-n", "3", sys.executable, WHERE)
    assert {host for host, _ in places(result, "SLURM", "store", 3)} == {"node2", "node3"}


# Each of the jobs that the page on clusters shows.
JOBS = [
    ("kmeans.py", ["--points", "2000", "--blocks", "6"]),
    ("jacobi.py", ["--size", "40", "--iterations", "60"]),
    ("fft.py", ["--size", "48"]),
    ("matmul.py", ["--size", "60"]),
]


@pytest.mark.parametrize("program, arguments", JOBS)
def test_sbatch(slurm, program, arguments):
    result = slurm.batch(
        EXAMPLES / "job.slurm", EXAMPLES / program, *arguments, options=["--nodes=3"], folder=SHARED / "home",
        PATH=f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    )  # fmt: skip
    assert result.status == 0, (result, [log.read_text() for log in (SHARED / "home").glob("*.log")])
    number = result.out.split()[-1]
    log = (SHARED / "home" / f"cuproxide-{number}.log").read_text()
    assert result.status == 0 and ": ok" in log and ("6 " in log or "2 x 3" in log), (result, log)


def mpi(name):
    """The starter of an MPI, by Debian's name for it."""
    pytest.importorskip("mpi4py")
    starter = shutil.which(f"mpirun.{name}")
    if starter is None:
        pytest.skip(f"mpirun.{name} is not installed")
    return starter


def loads(name):
    """The variables by which wheels of mpi4py load the library of an MPI."""
    folder = SHARED / "mpich"
    if name == "openmpi":
        return {"MPI4PY_MPIABI": "openmpi"}
    if not folder.exists():
        # The wheels know it by the name that all libraries of MPICH's ABI have, but Debian's.
        folder.mkdir()
        (folder / "libmpi.so.12").symlink_to("/usr/lib/x86_64-linux-gnu/libmpich.so.12")
    return {"MPI4PY_MPIABI": "mpich", "LD_LIBRARY_PATH": folder}


def open_mpi(slurm, *command, **options):
    hosts = ",".join(f"{host.name}:2" for host in slurm.hosts)
    return slurm.hosts[0].run(
        mpi("openmpi"), "--allow-run-as-root", "--host", hosts, "--mca", "plm", "rsh", "--mca", "plm_rsh_agent",
        slurm.hosts.shell, "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0",
        "--mca", "oob_tcp_if_include", "eth0", "--mca", "btl_base_warn_component_unused", "0",
        "-x", "PYTHONPATH", "-x", "CUPROXIDE_NUM_THREADS", "--oversubscribe", *command, **loads("openmpi"), **options,
    )  # fmt: skip


def mpich(slurm, *command, **options):
    names = ",".join(f"{host.name}:2" for host in slurm.hosts)
    return slurm.hosts[0].run(
        mpi("mpich"), "-launcher", "ssh", "-launcher-exec", slurm.hosts.shell, "-hosts", names, *command,
        **loads("mpich"), **options,
    )  # fmt: skip


@pytest.mark.parametrize("backend", ["mpi", "store"])
@pytest.mark.parametrize("start, launcher", [(open_mpi, "Open MPI"), (mpich, "MPICH")])
def test_mpirun(slurm, start, launcher, backend):
    result = start(slurm, "-n", "6", sys.executable, WHERE, backend)
    found = places(result, launcher, backend, 6)
    assert found == [(f"node{1 + rank // 2}", str(rank % 2)) for rank in range(6)]


@pytest.mark.parametrize("start", [open_mpi, mpich])
@pytest.mark.parametrize("program, arguments", JOBS)
def test_examples_over_mpi(slurm, start, program, arguments):
    result = start(slurm, "-n", "6", sys.executable, EXAMPLES / program, *arguments)
    assert result.status == 0 and ": ok" in result.out, result


# Under PMI-2 SLURM sets PMI_RANK, as MPICH's own starter does.
@pytest.mark.parametrize("kind, library, launcher", [("pmi2", "mpich", "MPICH"), ("pmix", "openmpi", "SLURM")])
def test_srun_starts_mpi(slurm, kind, library, launcher):
    if kind == "pmix" and not Path("/usr/lib/x86_64-linux-gnu/libpmix.so").exists():
        pytest.skip("SLURM's plugin needs libpmix-dev")
    mpi(library)
    result = slurm.srun(
        f"--mpi={kind}", "-N", "3", "-n", "6", "--ntasks-per-node=2", sys.executable, WHERE, "mpi", **loads(library)
    )
    found = places(result, launcher, "mpi", 6)
    assert found == [(f"node{1 + rank // 2}", str(rank % 2)) for rank in range(6)]


def test_mpirun_in_an_allocation(slurm):
    # mpirun takes hosts and starter from SLURM, whose variables ranks then see beside its own.
    result = slurm.hosts[0].run(
        "salloc", "-Q", "-N", "3", "--ntasks-per-node=2", mpi("openmpi"), "--allow-run-as-root", "--mca", "btl",
        "tcp,self", sys.executable, WHERE, "mpi", **loads("openmpi"),
    )  # fmt: skip
    assert {host for host, _ in places(result, "Open MPI", "mpi", 6)} == {"node1", "node2", "node3"}


def test_torchruns_variables(hosts):
    log = [SHARED / f"torchrun-{host.name}.log" for host in hosts]
    command = [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", 2, "--nnodes", len(hosts), "--master-addr"]
    starters = [
        host.start(*command, hosts[0].address, "--master-port", 23456, "--node-rank", rank, WHERE, log=log[rank])
        for rank, host in enumerate(hosts)
    ]
    assert [starter.wait(60) for starter in starters] == [0] * len(hosts), [file.read_text() for file in log]
    rows = [line.split("|") for file in log for line in file.read_text().splitlines()]
    assert sorted((row[0], int(row[2]), row[4], row[5]) for row in rows) == [
        ("torchrun", rank, str(rank % 2), f"node{1 + rank // 2}") for rank in range(6)
    ]


def test_gpus_that_slurm_gives(slurm):
    show = "echo $SLURM_PROCID $SLURM_LOCALID $CUDA_VISIBLE_DEVICES"
    result = slurm.srun("-N", "3", "-n", "6", "--ntasks-per-node=2", "--gpus-per-node=2", "bash", "-c", show)
    assert sorted(result.out.splitlines()) == [f"{rank} {rank % 2} 0,1" for rank in range(6)], result
    # Each rank sees one: the device is the first, whatever its local number.
    result = slurm.srun("-N", "3", "-n", "6", "--ntasks-per-node=2", "--gpus-per-task=1", "bash", "-c", show)
    assert sorted(result.out.splitlines()) == [f"{rank} {rank % 2} {rank % 2}" for rank in range(6)], result
