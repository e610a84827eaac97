"""The examples in docstrings give what they show."""

import doctest
import importlib
import pkgutil

import cuproxide as cp
import numpy as np
import pytest


def examples():
    found = {}
    for module in pkgutil.walk_packages(cp.__path__, "cuproxide."):
        if module.name.rpartition(".")[2] in ("_cuproxide", "__main__"):
            continue
        loaded = importlib.import_module(module.name)
        for test in doctest.DocTestFinder(exclude_empty=True).find(loaded, module.name, globs={"cp": cp, "np": np}):
            if test.examples:
                found[test.name] = test
    return found


EXAMPLES = examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name):
    test, report = EXAMPLES[name], []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(report)


def test_there_are_examples():
    assert len(EXAMPLES) > 200
