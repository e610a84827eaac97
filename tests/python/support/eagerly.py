"""Runs a sample of the tests a second time, with every operation launched at once.

`--eager-sample=2` chooses, of each test function, at most two sets of parameters, evenly apart in their order. The
second run uses the same collection and the same process; programs that it starts have `CUPROXIDE_EAGER=1`.
"""

import os

import pytest
from _pytest.runner import runtestprotocol
from effort import FULL, spread

#: Folders beside `tests/python` whose tests launch no operations, or in processes of their own.
ELSEWHERE = {"cluster", "dependencies", "differential", "standins"}
AGAIN = pytest.StashKey[bool]()
RUNNING = pytest.StashKey[bool]()


def choose(functions, most, root):
    """Marks the items that run twice, at most so many of each list; a list has the items of one function."""
    for items in functions:
        if items[0].path.relative_to(root).parts[1] in ELSEWHERE or items[0].get_closest_marker("deferred_only"):
            continue
        for position in spread(len(items), most) if most else ():
            items[position].stash[AGAIN] = True


def skip_when_eager(items):
    """Skips tests of deferred operations where the process is eager from its start, unless the suite runs whole."""
    if os.environ.get("CUPROXIDE_EAGER", "0") != "0" and not FULL:
        for item in items:
            if item.get_closest_marker("deferred_only"):
                item.add_marker(pytest.mark.skip(reason="the same when eager, or about deferred operations"))


def run(item, nextitem):
    """Runs an item, and again if it is marked. Returns whether it did, as hooks do."""
    if AGAIN not in item.stash:
        return None
    from cuproxide import fusion

    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    # What is next has the same parent: fixtures of modules and classes stay, those of the function go.
    runtestprotocol(item, nextitem=item.parent)
    with pytest.MonkeyPatch.context() as patch, fusion.eager():
        patch.setenv("CUPROXIDE_EAGER", "1")
        item.stash[RUNNING] = True
        runtestprotocol(item, nextitem=nextitem)
        item.stash[RUNNING] = False
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def label(item, report):
    """Says in the report of a second run that it is one."""
    if item.stash.get(RUNNING, False):
        report.sections.append(("CUPROXIDE_EAGER=1", "This is the second run, with every operation launched at once."))
