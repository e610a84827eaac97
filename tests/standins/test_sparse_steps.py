"""What steps of iterative solvers cost the host: launches of a graph, and few reads."""

import threading

import cuproxide as cp
import numpy as np
import pytest
import scipy.sparse
from cuproxide.scipy import sparse
from cuproxide.scipy.sparse import linalg

pytestmark = [
    pytest.mark.skipif(cp.cuda.runtime.is_hip, reason="functions bear CUDA's names"),
    pytest.mark.skipif(threading.active_count() > 1, reason="nothing is captured while other threads live"),
]


def counted(standin, call):
    """Launches of kernels, of graphs and reads of a call that is made for the third time."""
    for _ in range(2):
        call()
        # Operations run one by one as long as their fused kernel is being compiled.
        cp.fusion.wait()
    names = ("cuLaunchKernel", "cuGraphLaunch", "cuMemcpyDtoHAsync_v2")
    before = [standin.calls(name) for name in names]
    call()
    return [standin.calls(name) - count for name, count in zip(names, before, strict=True)]


def system():
    line = scipy.sparse.diags_array([-np.ones(11), 2 * np.ones(12), -np.ones(11)], offsets=[-1, 0, 1])
    eye = scipy.sparse.eye_array(12)
    host = scipy.sparse.csr_array(scipy.sparse.kron(line, eye) + scipy.sparse.kron(eye, line))
    return sparse.csr_array(host), cp.asarray(np.random.default_rng(0).random(144))


def test_gmres(standin, monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    a, b = system()
    kernels, graphs, reads = counted(standin, lambda: linalg.gmres(a, b, restart=20, maxiter=3, rtol=1e-30)[0].get())
    # The first four of 60 steps are launched one by one; each restart reads its columns twice, and a norm.
    assert graphs == 56
    assert kernels <= 60
    assert reads <= 12


def test_conjugate_gradients(standin, monkeypatch):
    monkeypatch.setenv("CUPROXIDE_SPARSE", "own")
    a, b = system()
    kernels, graphs, reads = counted(standin, lambda: linalg.cg(a, b, rtol=1e-300, maxiter=200)[0].get())
    assert graphs == 184
    assert kernels <= 136
    assert reads <= 27
