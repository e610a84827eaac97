"""Where a process finds its place."""

import pytest
from cuproxide.distributed import LAUNCHERS, Placement, RendezvousError, placement
from cuproxide.distributed._launchers import expand_hosts

SLURM = {
    "SLURM_PROCID": "5",
    "SLURM_NTASKS": "8",
    "SLURM_LOCALID": "1",
    "SLURM_STEP_NODELIST": "gpu[007-010]",
    "SLURM_JOB_ID": "123456",
    "SLURM_STEP_ID": "2",
}
TORCHRUN = {"RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "MASTER_ADDR": "node0", "MASTER_PORT": "29500"}
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1"}
MPICH = {"PMI_RANK": "2", "PMI_SIZE": "3", "MPI_LOCALRANKID": "0"}


def test_nothing_started_it():
    assert placement({}) is None
    assert placement({"RANK": "1"}) is None
    # A batch script, outside of any step.
    assert placement({name: value for name, value in SLURM.items() if name != "SLURM_STEP_NODELIST"}) is None


def test_torchrun():
    assert placement(TORCHRUN) == Placement("torchrun", 3, 4, 1, "node0", 29500)
    # The agent of torchrun itself listens at the port.
    assert placement(TORCHRUN | {"TORCHELASTIC_USE_AGENT_STORE": "True"}).port == 29501
    with pytest.raises(RendezvousError, match="MASTER_ADDR is missing"):
        placement({"RANK": "0", "WORLD_SIZE": "2"})


def test_slurm():
    found = placement(SLURM)
    assert found == Placement("SLURM", 5, 8, 1, "gpu007", found.port, "123456.2")
    assert 15000 <= found.port < 30000
    assert placement(SLURM | {"SLURM_JOB_ID": "123457"}).port != found.port
    assert placement(SLURM | {"MASTER_ADDR": "head", "MASTER_PORT": "4000"}).host == "head"
    # A step may have fewer tasks than the job.
    assert placement(SLURM | {"SLURM_STEP_NUM_TASKS": "6"}).size == 6


def test_mpi():
    assert placement(OPEN_MPI) == Placement("Open MPI", 1, 2, 1)
    assert placement(MPICH) == Placement("MPICH", 2, 3, 0)


def test_srun_for_mpich_knows_the_local_rank():
    # srun --mpi=pmi2 sets PMI_RANK and PMI_SIZE, and no local number of MPICH's.
    step = SLURM | {"SLURM_PROCID": "2", "PMI_RANK": "2", "PMI_SIZE": "8"}
    assert placement(step) == Placement("MPICH", 2, 8, 1)
    # Under mpiexec in an allocation, SLURM's numbers are those of the daemons of mpiexec.
    assert placement(SLURM | {"PMI_RANK": "2", "PMI_SIZE": "8"}).local_rank is None
    assert placement(step | {"MPI_LOCALRANKID": "0"}).local_rank == 0


def test_those_that_run_inside_an_allocation_come_first():
    assert placement(SLURM | TORCHRUN).launcher == "torchrun"
    assert placement(SLURM | OPEN_MPI).launcher == "Open MPI"
    assert placement(SLURM | MPICH).launcher == "MPICH"
    assert [launcher.name for launcher in LAUNCHERS][-1] == "SLURM"


@pytest.mark.parametrize(
    "change, message",
    [
        ({"RANK": "4"}, "rank 4 in a world of 4"),
        ({"RANK": "-1"}, "rank -1"),
        ({"WORLD_SIZE": "0"}, "a world of 0"),
        ({"WORLD_SIZE": "four"}, "WORLD_SIZE='four' is not a whole number"),
        ({"MASTER_PORT": "70000"}, "MASTER_PORT=70000 is not a port"),
    ],
)
def test_variables_without_a_meaning(change, message):
    with pytest.raises(RendezvousError, match=message):
        placement(TORCHRUN | change)


@pytest.mark.parametrize(
    "text, names",
    [
        ("node1", ["node1"]),
        ("a,b", ["a", "b"]),
        ("gpu[01-03,7],login", ["gpu01", "gpu02", "gpu03", "gpu7", "login"]),
        ("n[9-11]", ["n9", "n10", "n11"]),
        ("r[1-2]n[1-2]-ib", ["r1n1-ib", "r1n2-ib", "r2n1-ib", "r2n2-ib"]),
    ],
)
def test_lists_of_machines(text, names):
    assert list(expand_hosts(text)) == names
