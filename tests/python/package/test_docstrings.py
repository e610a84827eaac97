"""What the check of docstrings finds."""

import importlib
import pathlib
import sys

import pytest

CI = pathlib.Path(__file__).parents[3] / "ci"

pytestmark = pytest.mark.skipif(not CI.exists(), reason="the checks are not beside the tests")


@pytest.fixture(scope="module")
def docstrings():
    sys.path.insert(0, str(CI))
    try:
        yield importlib.import_module("docstrings")
    finally:
        sys.path.remove(str(CI))


def whole(a, b):
    """The sum.

    Parameters
    ----------
    a, b : int
        The numbers.

    Returns
    -------
    int

    Examples
    --------
    >>> whole(1, 2)
    3
    """
    return a + b


def bare(a, b):
    """The sum."""
    return a + b


def wrong(a, b):
    """The sum.

    Parameters
    ----------
    a, c : int
        The numbers.

    Returns
    -------
    int
    >>> wrong(1, 2)
    """
    return a + b


def single(a):
    """The number."""
    return a


def test_missing_sections_are_found(docstrings):
    assert docstrings.lacks("function", whole) == []
    assert docstrings.lacks("function", single) == []
    assert docstrings.lacks("function", bare) == ["Parameters", "Returns", "Examples"]
    assert docstrings.lacks("method", bare) == ["Parameters"]
    assert docstrings.lacks("function", wrong) == ["no parameter: c", "example in another section", "Examples"]


def test_every_public_callable_is_looked_at_once(docstrings):
    paths = [path for path, _, _ in docstrings.callables()]
    assert len(paths) == len(set(paths))
    expected = {"cuproxide.add", "cuproxide.linalg.svd", "cuproxide.scipy.special.jv", "cuproxide.ndarray.reshape"}
    assert expected <= set(paths)


def test_the_list_holds_names_that_exist(docstrings):
    paths = {path for path, _, _ in docstrings.callables()}
    lines = [line for line in docstrings.ALLOWED.read_text().splitlines() if line and line[0] != "#"]
    assert {line.split(": ", 1)[0] for line in lines} <= paths
