"""What the ranks of a job get when a part of the cluster fails, and when: `LAB_REPEAT=20` runs each that often.

Every other rank must have an error that names the lost rank within `LIMIT`, and no process may be left behind.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from lab import SHARED, SMALL

PROGRAMS = Path(__file__).parent / "programs"
TURNS = range(int(os.environ.get("LAB_REPEAT", 1)))
#: Seconds in which a lost machine is noticed: 15 by the store, and what two busy cores add.
LIMIT = 25.0

pytestmark = pytest.mark.parametrize("turn", TURNS)


class Job:
    """A program with one rank on each host, by torchrun's variables."""

    numbers = 0

    def __init__(self, hosts, *arguments, program="endless.py", port=24000, **variables):
        Job.numbers += 1
        common = {"WORLD_SIZE": len(hosts), "MASTER_ADDR": hosts[0].address, "MASTER_PORT": port, "LOCAL_RANK": 0}
        self.logs = [SHARED / f"job-{Job.numbers}-{rank}.log" for rank in range(len(hosts))]
        command = [sys.executable, PROGRAMS / program, *arguments]
        self.processes = [
            host.start(*command, log=log, **common | {"RANK": rank} | variables)
            for rank, (host, log) in enumerate(zip(hosts, self.logs, strict=True))
        ]

    def rows(self, kind):
        """What the ranks said: parts of lines, by rank."""
        found = {}
        for log in self.logs:
            for line in log.read_text().splitlines():
                if line.startswith(f"{kind}|"):
                    parts = line.split("|", 4)
                    found[int(parts[1])] = parts[2:]
        return found

    def started(self, seconds=40):
        """Waits until all ranks are in their loop; gives their process numbers."""
        deadline = time.monotonic() + seconds
        while len(found := self.rows("started")) < len(self.logs):
            assert time.monotonic() < deadline, self.texts()
            time.sleep(0.05)
        time.sleep(0.2)
        return {rank: int(parts[0]) for rank, parts in found.items()}

    def statuses(self, seconds):
        """Of all ranks, which end within a time or are killed, and fail the test."""
        deadline = time.monotonic() + seconds
        try:
            return [process.wait(max(deadline - time.monotonic(), 0.1)) for process in self.processes]
        except Exception as error:
            raise AssertionError(f"a rank hangs: {self.texts()}") from error
        finally:
            for process in self.processes:
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)

    def texts(self):
        return [log.read_text() for log in self.logs]

    def check(self, since, named, *, ranks, limit=LIMIT, kind="PeerLostError"):
        """That each of `ranks` has an error with the texts for it, in time."""
        errors = self.rows("error")
        assert set(ranks) <= set(errors), self.texts()
        for rank in ranks:
            name, moment, text = errors[rank]
            assert name == kind and float(moment) - since < limit, (rank, float(moment) - since, text)
            assert all(part in text for part in named(rank)), (rank, text)
        return max(float(errors[rank][1]) - since for rank in ranks)


def test_a_rank_is_killed_in_a_collective(hosts, turn):
    job = Job(hosts, "store", 60, 30)
    ranks = job.started()
    victim = turn % len(hosts)
    since = time.monotonic()
    os.kill(ranks[victim], signal.SIGKILL)
    job.statuses(LIMIT + 5)
    others = set(ranks) - {victim}
    job.check(since, lambda rank: [f"rank {victim}", "all_reduce"], ranks=others, limit=10)
    assert hosts.left_over("endless.py") == []


@pytest.mark.parametrize("lost", [0, 2])
def test_a_host_loses_its_link_for_good(hosts, turn, lost):
    job = Job(hosts, "store", 60, 60)
    job.started()
    since = time.monotonic()
    hosts[lost].unplug()
    try:
        job.statuses(LIMIT + 15)
    finally:
        hosts[lost].plug()
    # Rank 0 has the store: a host that is cut off loses it. Rank 0 itself, cut off, loses one of the others first.
    named = lambda rank: ["all_reduce", f"rank {lost}" if rank != lost else "rank 0" if lost else "will not come"]  # noqa: E731
    seen = job.check(since, named, ranks=range(len(hosts)))
    print(f"noticed after {seen:.1f} s")
    assert hosts.left_over("endless.py") == []


def test_a_link_that_is_back_after_10_seconds(hosts, turn):
    job = Job(hosts, "store", 14, 60)
    job.started()
    hosts[1].unplug()
    time.sleep(10)
    hosts[1].plug()
    assert job.statuses(60) == [0] * len(hosts), job.texts()
    assert len(job.rows("done")) == len(hosts)


def test_a_host_stands_still(hosts, turn):
    # Its kernel answers, its process does not: only the time limit of the operation shows it.
    job = Job(hosts, "store", 60, 4)
    ranks = job.started()
    victim = 1 + turn % 2
    since = time.monotonic()
    os.kill(ranks[victim], signal.SIGSTOP)
    try:
        others = set(ranks) - {victim}
        deadline = time.monotonic() + LIMIT
        while set(job.rows("error")) < others and time.monotonic() < deadline:
            time.sleep(0.1)
        job.check(since, lambda rank: [f"rank {victim}", "all_reduce"], ranks=others)
    finally:
        os.kill(ranks[victim], signal.SIGKILL)
    job.statuses(30)


def test_rank_0_stands_still(hosts, turn):
    job = Job(hosts, "store", 60, 8)
    ranks = job.started()
    since = time.monotonic()
    os.kill(ranks[0], signal.SIGSTOP)
    try:
        deadline = time.monotonic() + LIMIT + 10
        while set(job.rows("error")) < {1, 2} and time.monotonic() < deadline:
            time.sleep(0.1)
        job.check(since, lambda rank: ["rank 0", "all_reduce"], ranks=[1, 2], limit=8 + LIMIT)
    finally:
        os.kill(ranks[0], signal.SIGKILL)
    job.statuses(30)


def test_two_jobs_at_one_port(hosts, turn):
    first = Job(hosts, "store", 8, 30, CUPROXIDE_DISTRIBUTED_TOKEN="first")
    first.started()
    since = time.monotonic()
    second = Job(hosts, "store", 8, 30, CUPROXIDE_DISTRIBUTED_TOKEN="second")
    second.statuses(25)
    said = {0: "the port is in use", 1: "another token", 2: "another token"}
    second.check(since, lambda rank: [said[rank]], ranks=range(3), kind="RendezvousError")
    assert first.statuses(60) == [0] * 3, first.texts()


def test_clocks_that_differ(hosts, turn):
    # A day, an hour and nothing: no rank may compare its clock with another's.
    offsets = [86400, 0, 3600]
    log = [SHARED / f"clocks-{host.name}.log" for host in hosts]
    common = {"WORLD_SIZE": 3, "MASTER_ADDR": hosts[0].address, "MASTER_PORT": 24100, "LOCAL_RANK": 0}
    for file in log:
        file.write_text("")
    processes = [
        host.start(
            "unshare", "--time", "--fork", "--monotonic", offset, "--boottime", offset,
            sys.executable, PROGRAMS / "endless.py", "store", 1, 20, log=log[rank], **common | {"RANK": rank},
        )
        for rank, (host, offset) in enumerate(zip(hosts, offsets, strict=True))
    ]  # fmt: skip
    assert [process.wait(60) for process in processes] == [0] * 3, [file.read_text() for file in log]


def test_one_rank_has_another_version(hosts, turn):
    since = time.monotonic()
    job = Job(hosts, "store", 5, 40, port=24200, LAB_OTHER_VERSION="1")
    job.statuses(60)
    errors = job.rows("error")
    assert "has cuproxide 0.0.1, rank 0 has" in errors[1][2], job.texts()
    # The others do not wait for it, and know why.
    job.check(since, lambda rank: ["rank 1", "has cuproxide 0.0.1"], ranks=range(3), kind="RendezvousError")


@pytest.mark.parametrize("deaf", [False, True])
def test_slurm_ends_a_step_at_its_time_limit(slurm, turn, deaf):
    # One minute is the least that SLURM has, and it looks each half a minute: so once, however often the others run.
    if turn:
        pytest.skip("takes two minutes")
    path, log = SHARED / "home" / f"limited-{deaf}", SHARED / f"limited-{deaf}.log"
    # A rank that ignores SIGTERM gets SIGKILL after KillWait.
    before = "trap '' TERM;" if deaf else ""
    command = f"{before} exec {sys.executable} {PROGRAMS / 'saving.py'} write {path} zarr 2000 0"
    job = slurm.hosts[0].start(
        "srun", "-N", "3", "-n", "3", "--time=1", "-u", "bash", "-c", command, log=log,
    )  # fmt: skip
    try:
        assert job.wait(170) != 0
    finally:
        slurm.hosts[0].run("scancel", "--user=root")
    text = log.read_text()
    assert "saved|0|1\n" in text and "TIME LIMIT" in text, text
    assert slurm.hosts.left_over("saving.py", 25) == [] and slurm.idle(40)
    assert whole(slurm.hosts[1], path) >= 1


def test_a_job_is_cancelled(slurm, turn):
    log = SHARED / f"limit-{turn}.log"
    job = slurm.hosts[0].start(
        "srun", "-N", "3", "-n", "3", "--job-name=limited", "-u", sys.executable, PROGRAMS / "endless.py", "store",
        100, 60, log=log,
    )  # fmt: skip
    deadline = time.monotonic() + 40
    while log.read_text().count("started|") < 3:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    slurm.hosts[0].run("scancel", "--name=limited")
    assert job.wait(30) != 0
    assert slurm.hosts.left_over("endless.py") == []
    assert slurm.idle()


def test_srun_loses_a_rank(slurm, turn):
    log = SHARED / f"killed-{turn}.log"
    job = slurm.hosts[0].start(
        "srun", "-N", "3", "-n", "3", "-u", sys.executable, PROGRAMS / "endless.py", "store", 100, 60, log=log
    )
    deadline = time.monotonic() + 40
    while log.read_text().count("started|") < 3:
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)
    victim = next(line.split("|") for line in log.read_text().splitlines() if line.startswith("started|1"))
    os.kill(int(victim[2]), signal.SIGKILL)
    assert job.wait(30) != 0
    text = log.read_text()
    assert text.count("PeerLostError") == 2 and text.count("rank 1: its process ended") >= 2, text
    assert slurm.hosts.left_over("endless.py") == []


def whole(host, path):
    """The step of the checkpoint that is there, all of whose elements are that step."""
    result = host.run(sys.executable, PROGRAMS / "saving.py", "read", path, "", 0)
    assert result.status == 0, result
    kind, step, right, _ = result.out.strip().split("|")
    assert kind == "read" and right == "True", result
    return int(step)


@pytest.mark.parametrize("format", ["zarr", "hdf5"])
def test_a_full_disk_under_checkpoints(hosts, turn, format):
    pytest.importorskip("zarr" if format == "zarr" else "h5py")
    path = SMALL / f"last-{format}"
    since = time.monotonic()
    job = Job(hosts, "write", path, format, 1000, 700, program="saving.py")
    job.statuses(90)
    job.check(since, lambda rank: ["save: rank", "could not", "Errno 28"], ranks=range(3), kind="CheckpointError",
              limit=90)  # fmt: skip
    # What was there before is, and nothing else.
    assert whole(hosts[1], path) >= 1 and [entry.name for entry in SMALL.iterdir()] == [path.name]
    hosts[0].run("rm", "-r", path)


@pytest.mark.parametrize("format", ["zarr", "hdf5"])
def test_a_rank_is_killed_while_it_writes_a_checkpoint(hosts, turn, format):
    pytest.importorskip("zarr" if format == "zarr" else "h5py")
    path = SHARED / "home" / f"killed-{format}-{turn}"
    job = Job(hosts, "write", path, format, 20_000, 0, program="saving.py")
    ranks = job.started()
    deadline = time.monotonic() + 40
    while "saved|0|1\n" not in "".join(job.texts()):
        assert time.monotonic() < deadline, job.texts()
        time.sleep(0.02)
    time.sleep(random.Random(turn).uniform(0, 0.3))
    since, victim = time.monotonic(), turn % len(hosts)
    os.kill(ranks[victim], signal.SIGKILL)
    job.statuses(LIMIT + 5)
    job.check(since, lambda rank: [f"rank {victim}"], ranks=set(ranks) - {victim}, limit=10)
    assert whole(hosts[1], path) >= 1
    hosts[0].run("bash", "-c", f"rm -r {path}*")
    assert hosts.left_over("saving.py") == []
