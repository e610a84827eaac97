"""What the tests of the stand-ins share. `ci/test_standins` sets the environment up that they need."""

import ctypes
import gc
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

FOLDER = os.environ.get("CUPROXIDE_CUDA_DRIVER_PATH", "")
DRIVER = Path(FOLDER, "libcuda.so.1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips the tests of this folder where the driver is not the stand-in; the hook sees those of every folder."""
    if not (DRIVER.is_file() and hasattr(ctypes.CDLL(str(DRIVER)), "standin_live")):
        for item in items:
            if item.path.is_relative_to(Path(__file__).parent):
                item.add_marker(pytest.mark.skip(reason="run by ci/test_standins"))


class StandIn:
    """The stand-in for the driver, in this process."""

    # Modules stay loaded with the kernels that the package keeps, so they are not counted.
    KINDS = ("memory", "bytes", "host", "streams", "events", "graphs", "executables", "descriptors")

    def __init__(self) -> None:
        self.library = ctypes.CDLL(str(DRIVER))
        self.library.standin_live.restype = ctypes.c_int64
        self.library.standin_calls.restype = ctypes.c_uint64

    def live(self) -> dict[str, int]:
        """Number of things that live, after everything that nobody needs was given back."""
        import cuproxide as cp

        gc.collect()
        cp.Device().synchronize()
        cp.get_default_memory_pool().free_all_blocks()
        cp.get_default_pinned_memory_pool().free_all_blocks()
        return {kind: self.library.standin_live(kind.encode()) for kind in self.KINDS}

    def calls(self, name: str) -> int:
        """How often a function of the driver was called."""
        return self.library.standin_calls(name.encode())

    def fail(self, plan: str) -> None:
        """Plans failures: `name:n=status`. The thread that compiles calls the driver, too, and finishes first."""
        import cuproxide as cp

        cp.fusion.wait()
        assert self.library.standin_fail(plan.encode()) == 0


@pytest.fixture
def standin():
    """The stand-in; no failure is planned before and after."""
    found = StandIn()
    found.fail("")
    yield found
    found.fail("")


@pytest.fixture
def run_python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a program in a Python of its own, with this environment and what is given."""

    def run(code: str, **variables: object) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return run
