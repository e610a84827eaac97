"""Ctrl-C during one long call on the host: `KeyboardInterrupt`, and the same process computes on."""

import os
import signal
import subprocess
import sys
import threading

import pytest

BEGIN = """
import signal
import numpy as np
import cuproxide as cp
import cuproxide.scipy.ndimage, cuproxide.scipy.spatial.distance, cuproxide.scipy.special
import cuproxide.scipy.sparse.csgraph, cuproxide.scipy.sparse.linalg, cuproxide.scipy.cluster.hierarchy

# A shell's background processes ignore Ctrl-C, and so do theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)
sp, r = cp.scipy, np.random.default_rng(0)
"""

RAISING = """
print("begun", flush=True)
try:
    {call}
except KeyboardInterrupt:
    x = cp.arange(100_000.0)
    assert float((x * 2).sum()) == 9_999_900_000 and cp.linalg.norm(x[:3]) > 2
    print("interrupted", flush=True)
else:
    print("over", flush=True)
"""

# Each call takes minutes where nobody ends it.
CALLS = {
    "cdist": ("a = cp.asarray(r.random((5000, 8000)))", "sp.spatial.distance.cdist(a, a, 'cityblock')"),
    "special": ("z = cp.full(3_000_000, 0.97)", "sp.special.hyp2f1(1e3, 2.5, 3.25, z).sum().item()"),
    "median": ("a = cp.asarray(r.random((3000, 3000)))", "sp.ndimage.median_filter(a, 61)"),
    "dijkstra": ("a = cp.asarray(r.random((4000, 4000)))", "sp.sparse.csgraph.dijkstra(a)"),
    "trees": (
        "t = sp.spatial.KDTree(cp.asarray(r.random((100_000, 16))))",
        "t.query(cp.asarray(r.random((100_000, 16))), 8)",
    ),
    "triangulation": ("a = cp.asarray(r.random((6000, 7)))", "sp.spatial.Delaunay(a)"),
    "factors": (
        "i = r.integers(0, 12_000, (2, 100_000)); v = cp.asarray(r.random(100_000))\n"
        "m = sp.sparse.coo_array((v, tuple(cp.asarray(i))), shape=(12_000, 12_000)) + 3 * sp.sparse.eye_array(12_000)",
        "sp.sparse.linalg.spilu(m.tocsc(), drop_tol=0.0, fill_factor=1e6)",
    ),
}


def interrupted(program):
    """What a program prints that gets Ctrl-C a third of a second after it says that it has begun."""
    command = [sys.executable, "-c", program]
    environment = {**os.environ, "CUPROXIDE_BACKEND": "cpu"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        # Only if it hangs.
        guard = threading.Timer(100, process.kill)
        guard.start()
        try:
            assert process.stdout.readline() == "begun\n"
            threading.Event().wait(0.3)
            process.send_signal(signal.SIGINT)
            return process.stdout.read().split()
        finally:
            guard.cancel()


@pytest.mark.parametrize("name", CALLS)
def test_long_calls_end(name):
    made, call = CALLS[name]
    assert interrupted(BEGIN + made + RAISING.format(call=call)) == ["interrupted"]


OUTPUTS = {
    "cdist": ("a = cp.asarray(r.random((3000, 2000)))", "sp.spatial.distance.cdist(a, a, 'minkowski', out=y, p=3)"),
    "median": ("a = cp.asarray(r.random((3000, 3000)))", "sp.ndimage.median_filter(a, 61, None, y)"),
    "rank": ("a = cp.asarray(r.random((3000, 3000)))", "sp.ndimage.rank_filter(a, 400, 61, output=y)"),
}
# Ctrl-C comes when the first element has changed, or after some work if none does.
OUTPUT = """
import os, threading, time
y = cp.full((3000, 3000), -5.0)
view = np.from_dlpack(y)

def watch():
    begin = time.process_time()
    while view[0, 0] == -5 and time.process_time() - begin < 0.8:
        time.sleep(0.002)
    os.kill(os.getpid(), signal.SIGINT)

print("begun", flush=True)
try:
    threading.Thread(target=watch).start()
    {call}
    time.sleep(60)
except KeyboardInterrupt:
    print("whole" if (view == view[0, 0]).all() else "half", flush=True)
"""


@pytest.mark.parametrize("name", OUTPUTS)
def test_given_arrays_keep_what_they_hold(name):
    made, call = OUTPUTS[name]
    command = [sys.executable, "-c", BEGIN + made + OUTPUT.format(call=call)]
    environment = {**os.environ, "CUPROXIDE_BACKEND": "cpu"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=100, check=False)
    assert done.stdout.split() == ["begun", "whole"], done.stderr


HANDLED = """
noted = []
signal.signal(signal.SIGINT, lambda *_: noted.append(1))
z = cp.linspace(0.1, 0.97, 20_000)
expected = sp.special.hyp2f1(1e3, 2.5, 3.25, z).get()
print("begun", flush=True)
rounds = 0
while not noted:
    found = sp.special.hyp2f1(1e3, 2.5, 3.25, z).get()
    assert found.tobytes() == expected.tobytes()
    rounds += 1
print(len(noted), flush=True)
"""


def test_handlers_that_return_let_calls_go_on():
    assert interrupted(BEGIN + HANDLED) == ["1"]
