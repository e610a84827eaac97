"""The suite runs on the default device: `CUPROXIDE_BACKEND=cuda python -m pytest` runs it on a GPU."""

import gc
import os
import sys
import warnings
from collections import defaultdict
from pathlib import Path

# Read when NumPy and SciPy are imported, here and in the processes that tests start. Two workers would have twice as
# many threads of OpenBLAS as there are cores. They spin while they wait: on busy cores five sixths of the processor
# time of the tests of decompositions.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent / "support"))

from effort import begins, drawn, marks_to_skip, once, spread  # noqa: E402
from newest import expect_failures, files_that_need_more  # noqa: E402
from reports import report_results_only  # noqa: E402

collect_ignore = files_that_need_more()

hypothesis.settings.register_profile(
    "suite",
    derandomize=True,
    deadline=None,
    max_examples=drawn(60),
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture, hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("suite")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Leaves out what `CUPROXIDE_TEST_SMALL` or an eager pass does not keep, before names and marks choose the rest.

    Tests that older releases of NumPy and SciPy do not serve are marked.
    """
    sets = defaultdict(list)
    for item in items:
        sets[item.nodeid.partition("[")[0]].append(item)
    left_out = once(sets)
    sets = {name: [found[position] for position in sorted(spread(len(found)))] for name, found in sets.items()}
    kept = {item for name, found in sets.items() if name not in left_out for item in found}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = sorted((item for item in items if item in kept), key=lambda item: not begins(item.nodeid))
    expect_failures(items)
    for mark in marks_to_skip():
        for item in items:
            if item.get_closest_marker(mark):
                item.add_marker(pytest.mark.skip(reason="the same when eager, or about deferred operations"))


def pytest_collectstart():
    """Looks for no garbage while tests are collected: nearly all that is made stays."""
    gc.disable()


def pytest_collection_finish(session):
    """Leaves forty thousand tests out of every later collection of garbage: some tests wait for many."""
    gc.collect()
    gc.freeze()
    gc.enable()
    report_results_only(session.config)


@pytest.fixture(scope="session")
def device():
    """The device that everything runs on."""
    import cuproxide

    return cuproxide.Device()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol():
    """NumPy warns of what the tests provoke on purpose. A fixture would cost each test a tenth of a millisecond."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.filterwarnings("ignore", "'where' used without 'out'", UserWarning)
        return (yield)


@pytest.fixture
def cupy():
    """This package under the name of CuPy."""
    from cupy_stand_in import compat_installed

    with compat_installed() as module:
        yield module


@pytest.fixture
def deferring():
    """Defers operations, whatever the environment says; no group of earlier tests is pending or remembered."""
    import cuproxide as cp

    with cp.fusion.eager(False):
        cp.Device().synchronize()
        cp.fusion.clear()
        yield
        cp.fusion.clear()


@pytest.fixture
def used_bytes():
    """Reads how much of the default pool is in use, without what earlier tests have left to the garbage collector."""
    import cuproxide

    def read():
        gc.collect()
        return cuproxide.get_default_memory_pool().used_bytes()

    return read


@pytest.fixture
def run_python():
    """Runs a program in a Python of its own, with this environment and what is given."""
    import subprocess

    def run(code, arguments=(), **variables):
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()}}
        command = [sys.executable, "-c", code, *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)

    return run
