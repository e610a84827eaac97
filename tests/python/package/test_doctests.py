"""The examples in docstrings give what they show."""

import doctest
import importlib
import inspect
import pkgutil

import cuproxide as cp
import modules
import numpy as np
import pytest


def examples():
    found = {}
    for module in pkgutil.walk_packages(cp.__path__, "cuproxide."):
        # Integrations import the libraries that they are for, which may be missing.
        if module.name.rpartition(".")[2] in ("_cuproxide", "__main__") or "._integrations." in module.name:
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


MODULES = ["", "linalg", "fft", "random", "lib.scimath", "lib.stride_tricks", "lib.array_utils"]
MODULES += [name for name in modules.SCIPY if name not in ("scipy", "scipy.linalg.interpolative", "scipy.sparse")]
MODULES += ["polynomial.polynomial", "polynomial.polyutils", "polynomial.chebyshev"]
MODULES += ["polynomial.legendre", "polynomial.laguerre", "polynomial.hermite", "polynomial.hermite_e"]
# What a short example cannot show: devices, settings of the process, and the answers of a machine.
OTHERS = """
    available_devices fromDlpack get_default_memory_pool get_default_pinned_memory_pool show_runtime
    __array_namespace_info__ set_compute_type set_default_printstyle
"""


def functions():
    """Every public function of the numerical modules, by name."""
    for module in MODULES:
        loaded = importlib.import_module(f"cuproxide.{module}".rstrip("."))
        for name in loaded.__all__:
            function = getattr(loaded, name)
            own = isinstance(function, cp.ufunc) or (getattr(function, "__module__", None) or "").startswith(
                "cuproxide"
            )
            if own and callable(function) and not inspect.isclass(function) and name not in OTHERS.split():
                yield f"{module}.{name}".lstrip("."), function


FUNCTIONS = dict(functions())


def test_every_function_has_an_example():
    assert [name for name, function in FUNCTIONS.items() if ">>>" not in (inspect.getdoc(function) or "")] == []


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not inspect.isfunction(FUNCTIONS[name])])
def test_example_of_compiled_function(name):
    """Doctest does not look into what is compiled."""
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(FUNCTIONS[name]), {"cp": cp, "np": np}, name, None, None)
    report = []
    runner = doctest.DocTestRunner(verbose=False)
    runner.run(test, out=report.append, clear_globs=False)
    assert test.examples and runner.summarize(verbose=False).failed == 0, "".join(report)


def test_there_are_examples():
    assert len(EXAMPLES) > 600
