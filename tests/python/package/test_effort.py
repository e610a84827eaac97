"""Which tests `CUPROXIDE_TEST_SMALL` keeps."""

import functools
from collections import Counter
from pathlib import Path

import effort
import pytest
from effort import spread


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8, 100, 3295])
def test_spread(count):
    for most in (1, 2, 4, 8):
        kept = sorted(spread(count, most))
        assert len(kept) == min(count, most) and kept[0] == 0 and kept[-1] < count
        assert set(kept) <= spread(count, 2 * most)
        gaps = [after - before for before, after in zip(kept, [*kept[1:], count], strict=True)]
        assert max(gaps) - min(gaps) <= 1
    assert spread(count, 0) == set(range(count))


# Tests by folder, with room for some more; and those that start a process, which costs as much as a hundred others.
BUDGET = {
    "array": 7500, "compat": 5900, "package": 5800, "ufunc": 3700, "reduction": 3350, "scipy/ndimage": 3000,
    "linalg": 2700, "scipy/special": 2650, "scipy/linalg": 2300, "scipy/stats": 2600, "scipy/sparse": 2450,
    "fusion": 1600, "fft": 1300, "scipy/interpolate": 1300, "polynomial": 1100, "cuda": 1000, "scipy/signal": 1000,
}  # fmt: skip
OTHERS = 6500
PROCESSES = 422


@functools.cache
def about_processes(module):
    """Whether a file of tests uses the helpers for programs of several processes."""
    return any(getattr(value, "__module__", None) == "processes" for value in vars(module).values())


def starts_processes(item):
    """Whether a test starts a process: by the fixture, or as one of a file about processes."""
    return "run_python" in item.fixturenames or about_processes(item.module)


def test_the_suite_keeps_its_budget(request):
    """Before raising the budget, let tests with many sets of parameters draw a sample of them (`effort.sample`)."""
    counts = Counter(group_of(item.nodeid) for item in request.session.items)
    others = sum(count for group, count in counts.items() if group not in BUDGET)
    assert {group: count for group, count in counts.items() if count > BUDGET.get(group, others)} == {}
    assert others <= OTHERS
    assert sum(map(starts_processes, request.session.items)) <= PROCESSES


def group_of(nodeid):
    """The folder of the table that a test lies in."""
    folder = nodeid.partition("tests/python/")[2].rpartition("/")[0]
    return next((group for group in BUDGET if f"{folder}/".startswith(f"{group}/")), folder)


def test_the_longest_tests_begin_first(request):
    places = [place for place, item in enumerate(request.session.items) if effort.begins(item.nodeid)]
    assert places == list(range(len(places)))
    tests = Path(__file__).parents[2]
    for place in effort.FIRST:
        file, _, name = place.partition("::")
        assert f"def {name}(" in (tests / file).read_text()


def test_what_runs_once_is_there_and_left_out_by_the_eager_pass(monkeypatch):
    tests = Path(__file__).parents[2]
    assert [place for place in effort.ONCE if not (tests / place.partition("::")[0]).exists()] == []
    names = ["tests/dependencies/test_ci.py::test_a", "tests/python/array/test_creation.py::test_b"]
    monkeypatch.setattr(effort, "FULL", False)
    monkeypatch.delenv("CUPROXIDE_EAGER", raising=False)
    assert effort.once(names) == set()
    monkeypatch.setenv("CUPROXIDE_EAGER", "1")
    assert effort.once(names) == set(names[:1])
    # The whole suite, deferred and eager, leaves out nothing.
    monkeypatch.setattr(effort, "FULL", True)
    assert effort.once(names) == set()
