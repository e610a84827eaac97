"""Devices that fail: the error is the right one, nothing leaks, and what comes after it is right.

Each plan of faults gets a process of its own, which wraps its devices as `CUPROXIDE_FAULT` asks. Processes are forks of
one that has imported the package and has opened no device.
"""

import json
import os
import subprocess
import sys

import pytest

# Works until the plan has run out and every step has succeeded once; prints the errors that it met on the way.
PROGRAM = """
import json
import numpy as np
import cuproxide as cp

host = np.random.default_rng(0).standard_normal((60, 50))
errors = []

def steps(xp, to_array):
    a = to_array(host)
    yield lambda: a + 1
    yield lambda: xp.exp(a)[:, ::-2] * a[:, 1::2]
    yield lambda: a.sum(axis=0)
    yield lambda: a.cumsum(axis=1).astype("float32")
    yield lambda: a @ a.T
    yield lambda: xp.sort(a, axis=0)
    yield lambda: a[a > 0.5]
    yield lambda: a[[3, 1, 3]]
    yield lambda: xp.concatenate([a, a], axis=1)
    yield lambda: a.argmax(axis=1)
    yield lambda: xp.where(a > 0, a, 0).T.reshape(-1)

def persevere(work):
    for _ in range(40):
        try:
            return work()
        except Exception as error:
            errors.append("MemoryError" if isinstance(error, MemoryError) else type(error).__name__)
            cp.get_default_memory_pool().free_all_blocks()
    raise SystemExit("the device did not recover: " + repr(errors[-1:]))

with cp.Device():
    pool = cp.get_default_memory_pool()
    start = pool.used_bytes()
    arrays = persevere(lambda: list(steps(cp, cp.asarray)))
    for own, reference in zip(arrays, steps(np, np.asarray), strict=True):
        pool.free_all_blocks()
        result = persevere(lambda: cp.asnumpy(own()))
        np.testing.assert_allclose(result, reference(), rtol=1e-5, atol=1e-12)
    del arrays, own, result
    pool.free_all_blocks()
    print(json.dumps({"errors": errors, "leaked": pool.used_bytes() - start, "held": pool.total_bytes() - start}))
"""


# For each environment that it reads, runs that program in a fork, its output in a file, and prints the exit status.
STARTER = """
import json, os, sys
import numpy
import cuproxide

path, program = sys.argv[1:]
for environment in sys.stdin:
    if (child := os.fork()) == 0:
        os.environ.update(json.loads(environment))
        output = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(output, 1)
        os.dup2(output, 2)
        exec(program, {"__name__": "__main__"})
        sys.stdout.flush()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs the program with a plan of faults. Returns what it prints."""
    path = tmp_path_factory.mktemp("faults") / "output"
    command = [sys.executable, "-c", STARTER, str(path), PROGRAM]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as starter:

        def run(plan: str) -> dict:
            # Whether operations are eager may change between tests.
            environment = {"CUPROXIDE_FAULT": plan, "CUPROXIDE_EAGER": os.environ.get("CUPROXIDE_EAGER", "0")}
            starter.stdin.write(f"{json.dumps(environment)}\n")
            starter.stdin.flush()
            assert starter.stdout.readline() == "0\n", path.read_text()
            return json.loads(path.read_text().splitlines()[-1])

        yield run
        starter.stdin.close()


def python(program: str, plan: str) -> subprocess.CompletedProcess:
    environment = {**os.environ, "CUPROXIDE_FAULT": plan}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


def test_without_a_fault_nothing_fails(run):
    assert run("off") == {"errors": [], "leaked": 0, "held": 0}


# Six failures in a row outlast the pool's own retries; the plan ends, so the program recovers.
@pytest.mark.parametrize("site", ["oom", "compile", "launch", "copy"])
def test_every_call_fails_in_turn(run, site):
    failed = 0
    for number in range(1, 200):
        result = run(f"{site}@{number}x6")
        assert (result["leaked"], result["held"]) == (0, 0), number
        if not result["errors"]:
            break
        failed += 1
        expected = {"oom": "MemoryError", "compile": "CompileError"}.get(site, "DeviceError")
        assert set(result["errors"]) == {expected}, number
    assert failed > 5 and not result["errors"]


@pytest.mark.parametrize("site", ["oom", "launch", "copy"])
def test_calls_that_keep_failing_now_and_then(run, site):
    assert run(f"{site}%11")["leaked"] == 0


def test_a_single_failed_allocation_is_tried_again(run):
    assert run("oom@2")["errors"] == []


@pytest.mark.parametrize("number", [1, 5, 20, 40])
def test_a_lost_device_ends_the_program_in_order(number):
    done = python(PROGRAM, f"lost@{number}")
    assert done.returncode == 1
    assert "DeviceError" in done.stderr


def test_a_plan_that_makes_no_sense_is_an_error():
    done = python("import cuproxide; cuproxide.arange(3)", "oom@never")
    assert 'ValueError: CUPROXIDE_FAULT="oom@never" is not valid' in done.stderr
