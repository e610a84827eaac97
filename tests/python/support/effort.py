"""How much of the suite runs: all of it, a small part for slow devices, or more drawn cases than usual.

`CUPROXIDE_TEST_SMALL=2` keeps every test function, of each at most two of its sets of parameters, which lie evenly in
their order, and few drawn cases. `CUPROXIDE_TEST_CASES=5000` draws that many. `CUPROXIDE_TEST_FULL=1` runs exhaustive
sets of parameters whole, of which a seeded sample runs otherwise.
"""

import os
import random

SMALL = int(os.environ.get("CUPROXIDE_TEST_SMALL", "0"))
CASES = int(os.environ.get("CUPROXIDE_TEST_CASES", "0"))
FULL = os.environ.get("CUPROXIDE_TEST_FULL", "0") != "0"


def drawn(usual):
    """How many cases a test draws that usually draws so many."""
    return min(usual, 4) if SMALL else usual


def spread(count, most=SMALL):
    """The positions kept of so many: at most `most`, evenly apart from the first on; twice as many contain them."""
    return {position * count // most for position in range(most)} if most else set(range(count))


def sample(cases, count, seed=0):
    """Of a list of cases so many, drawn by a seed and in their order; all of them where the suite runs whole."""
    cases = list(cases)
    if FULL or len(cases) <= count:
        return cases
    return [cases[position] for position in sorted(random.Random(seed).sample(range(len(cases)), count))]


# Tests of sources, processes, settings and texts run deferred only: when operations run changes nothing there. Neither
# do drawn calls run twice, which have an eager case of their own, nor the digits of kernels whose reference values take
# mpmath seconds: `special/test_loops.py` runs each of these kernels. Places below `tests`, as a node's name begins.
ONCE = (
    "cluster/",
    "dependencies/",
    "standins/",
    "python/compat/test_clients.py",
    "python/compat/test_compat.py",
    "python/compat/test_guide.py",
    "python/compat/test_scipy_array_api.py",
    "python/cuda/test_hip.py",
    "python/cuda/test_precompile.py",
    "python/cuda/test_sharing.py",
    "python/dask/",
    "python/distributed/",
    "python/kernels/test_kernels_cache.py",
    "python/package/test_benches.py",
    "python/package/test_description.py",
    "python/package/test_docstrings.py",
    "python/package/test_doctests.py::test_every_function_has_an_example",
    "python/package/test_effort.py",
    "python/package/test_environment.py",
    "python/package/test_interrupts.py",
    "python/package/test_kept.py",
    "python/package/test_newest.py",
    "python/package/test_notebook.py",
    "python/package/test_package.py",
    "python/package/test_progress.py",
    "python/package/test_releases.py",
    "python/package/test_signatures.py",
    "python/package/test_stubs.py",
    "python/package/test_testing.py",
    "python/package/test_testing_helpers.py",
    "python/package/test_texts.py",
    "python/scipy/sparse/test_every_kernel.py",
    "python/scipy/sparse/test_other_threads.py",
    "python/scipy/special/test_kelvin.py",
    "python/scipy/special/test_noncentral.py",
    "python/scipy/special/test_quadrature.py",
    "python/scipy/special/test_spheroidal.py",
    "python/scipy/stats/test_kept_digits.py",
    "python/scipy/test_drawn_calls.py",
)


# Tests that take minutes begin first, so that no worker is left alone with one of them at the end.
FIRST = ("python/scipy/test_drawn_calls.py::test_a_sample_of_every_name_agrees",)


def begins(nodeid):
    """Whether a test is among those that begin first."""
    return nodeid.removeprefix("tests/").startswith(FIRST)


def once(nodeids):
    """Those of the tests that run deferred only, if this is the eager pass and not the whole suite."""
    eager = os.environ.get("CUPROXIDE_EAGER", "0") != "0" and not FULL
    return {name for name in nodeids if name.removeprefix("tests/").startswith(ONCE)} if eager else set()


def marks_to_skip():
    """The marks of tests that are left out: where operations are eager from the start, unless the suite runs whole."""
    return {"deferred_only"} if os.environ.get("CUPROXIDE_EAGER", "0") != "0" and not FULL else set()
