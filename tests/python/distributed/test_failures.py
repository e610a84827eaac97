"""What ranks see when others fail: an error that names them, within the time that is promised."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from processes import started, started_by_mpi

# How arrays are computed is not in question here.
pytestmark = pytest.mark.deferred_only


def said(result):
    """The lines of the ranks that got an error: type, seconds, message."""
    lines = [line.split("|", 2) for line in result.out.splitlines() if "|" in line]
    return [(kind, float(seconds), message) for kind, seconds, message in lines]


SCENARIOS = [
    ("killed", "rank 1: its process ended"),
    ("raised", "rank 1: it ended with ZeroDivisionError: on purpose"),
]


@pytest.mark.parametrize("scenario, message", SCENARIOS)
def test_a_rank_fails_over_the_store(scenario, message):
    result = started(3, "failures.py", "store", scenario, seconds=40)
    errors = said(result)
    assert len(errors) == 2 and result.status != 0, (result.out, result.err)
    for kind, seconds, text in errors:
        assert kind == "PeerLostError" and seconds < 15 and message in text and "all_reduce" in text


@pytest.mark.parametrize("scenario, message", SCENARIOS)
def test_a_rank_fails_over_mpi(scenario, message):
    # Whether MPICH lets the others go on for the second that they need to report depends on where they are, even with
    # the option that asks for it: who reports names the rank, and nobody goes on as if nothing had happened.
    result = started_by_mpi(3, "failures.py", "mpi", scenario, seconds=60, options=["-disable-auto-cleanup"])
    errors = said(result)
    assert result.status != 0 and len(errors) <= 2, (result.out, result.err)
    for kind, seconds, text in errors:
        assert kind == "PeerLostError" and seconds < 15 and message in text and "all_reduce" in text
    if scenario == "raised":
        assert "on purpose" in result.err


def test_mpiexec_ends_the_others():
    assert started_by_mpi(2, "failures.py", "mpi", "killed", seconds=60).status != 0


@pytest.mark.parametrize("start, backend", [(started, "store"), (started_by_mpi, "mpi")])
@pytest.mark.parametrize("scenario, time_limit, who", [("left", 20, "rank 1"), ("slow", 3, "rank")])
def test_a_rank_does_not_come(start, backend, scenario, time_limit, who):
    result = start(2, "failures.py", backend, scenario, time_limit, seconds=60)
    ((kind, seconds, text),) = said(result)
    assert kind == "PeerLostError" and seconds < 15 and who in text and "all_reduce" in text, result.err


@pytest.mark.parametrize(
    "scenario, named",
    [
        ("shape", ["shape=[1000]", "shape=[999]"]),
        ("dtype", ["dtype=float64", "dtype=float32"]),
        ("operator", ["op=sum", "op=max"]),
        ("root", ["root=0", "root=1"]),
        ("operation", ["rank 0 is in broadcast", "rank 1 is in all_reduce"]),
    ],
)
def test_calls_that_do_not_belong_together(scenario, named):
    result = started(2, "failures.py", "store", scenario, seconds=40, CUPROXIDE_DISTRIBUTED_CHECK=1)
    errors = said(result)
    assert len(errors) == 2, (result.out, result.err)
    for kind, _, text in errors:
        assert kind == "MismatchError" and all(part in text for part in named), text


@pytest.mark.parametrize(
    "scenario, named",
    [
        ("shape", ["bytes=8000", "bytes=7992"]),
        ("dtype", ["dtype=float64", "dtype=float32"]),
        ("operator", ["op=sum", "op=max"]),
        ("operation", ["rank 0 is in broadcast", "rank 1 is in all_reduce"]),
    ],
)
def test_the_store_never_takes_other_bytes_for_its_own(scenario, named):
    result = started(2, "failures.py", "store", scenario, seconds=40, CUPROXIDE_DISTRIBUTED_CHECK=0)
    errors = said(result)
    assert len(errors) == 2, (result.out, result.err)
    for kind, _, text in errors:
        assert kind == "MismatchError" and all(part in text for part in named), text


def test_checks_work_over_mpi():
    result = started_by_mpi(2, "failures.py", "mpi", "shape", seconds=60, CUPROXIDE_DISTRIBUTED_CHECK=1)
    assert [kind for kind, _, _ in said(result)] == ["MismatchError"] * 2, (result.out, result.err)


def test_processes_end_with_their_starter(tmp_path):
    program = tmp_path / "endless.py"
    program.write_text(
        f"import os, time; open(os.path.join({str(tmp_path)!r}, os.environ['RANK']), 'w').write(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", "2", str(program)]
    starter = subprocess.Popen(command, start_new_session=True, env=os.environ)
    try:
        deadline = time.monotonic() + 30
        files = [tmp_path / "0", tmp_path / "1"]
        while not all(file.exists() and file.read_text() for file in files) and time.monotonic() < deadline:
            time.sleep(0.02)
        children = [int(file.read_text()) for file in files]
        starter.kill()
        starter.wait(10)
        while any(alive(child) for child in children) and time.monotonic() < deadline:
            time.sleep(0.02)
        assert not any(alive(child) for child in children)
    finally:
        try:
            os.killpg(starter.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def alive(process):
    """Whether a process runs; one that only waits to be collected does not."""
    try:
        with open(f"/proc/{process}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_the_status_of_a_failure_is_passed_on(tmp_path):
    program = tmp_path / "fails.py"
    program.write_text("import os, sys, time\nif os.environ['RANK'] == '1': sys.exit(7)\ntime.sleep(60)\n")
    command = [sys.executable, "-m", "cuproxide.distributed.run", "--nproc", "2", "--grace", "0.1", str(program)]
    begin = time.monotonic()
    result = subprocess.run(command, capture_output=True, text=True, env=os.environ, timeout=50)
    assert result.returncode == 7 and "process 1 of this machine ended with status 7" in result.stderr
    assert time.monotonic() - begin < 50


def test_the_thread_that_made_a_group_learns_of_a_loss():
    from cuproxide.distributed import PeerLostError
    from cuproxide.distributed._nccl import raise_in_thread

    caught = []

    def wait():
        try:
            for _ in range(2000):
                time.sleep(0.01)
        except PeerLostError as error:
            caught.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    raise_in_thread(thread.ident, "rank 1: it ended")
    thread.join(30)
    assert caught == ["rank 1: it ended"]
