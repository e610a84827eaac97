"""When a test runs, and how often."""

from __future__ import annotations

import functools
import importlib.metadata
import random
import re
import unittest
from collections.abc import Callable
from typing import Any

import numpy as np

from .._cuproxide import device_count
from ._signature import Test

__all__ = [
    "fix_random",
    "installed",
    "multi_gpu",
    "numpy_satisfies",
    "repeat",
    "repeat_with_success_at_least",
    "retry",
    "slow",
    "with_requires",
]

Decorator = Callable[[Test], Test]

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)\s*(.*)")
_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}


def _satisfies(version: str, conditions: str) -> bool:
    """Whether a version meets conditions such as ">=1.2, <2"."""
    for condition in filter(None, map(str.strip, conditions.split(","))):
        match = re.fullmatch(r"(==|!=|>=|<=|>|<)\s*([0-9][0-9A-Za-z.]*)", condition)
        if match is None:
            raise ValueError(f"unreadable requirement: {condition!r}")
        ours, theirs = ([int(part) for part in re.findall(r"\d+", text)[:3]] for text in (version, match[2]))
        length = max(len(ours), len(theirs))
        ours, theirs = (numbers + [0] * (length - len(numbers)) for numbers in (ours, theirs))
        if not _COMPARISONS[match[1]](ours, theirs):
            return False
    return True


def installed(*specifiers: str) -> bool:
    """Whether packages are installed, in versions that meet the conditions: `installed("scipy>=1.10, <2")`."""
    for specifier in specifiers:
        match = _REQUIREMENT.fullmatch(specifier)
        if match is None:
            raise ValueError(f"unreadable requirement: {specifier!r}")
        try:
            version = importlib.metadata.version(match[1])
        except importlib.metadata.PackageNotFoundError:
            return False
        if not _satisfies(version, match[2]):
            return False
    return True


def numpy_satisfies(version_range: str) -> bool:
    """Whether the version of NumPy meets conditions such as ">=2.1, <3"."""
    return _satisfies(np.__version__, version_range)


def with_requires(*requirements: str) -> Decorator:
    """Skips a test unless packages are installed: `@with_requires("scipy>=1.10")`."""
    return unittest.skipUnless(installed(*requirements), f"requires: {', '.join(requirements)}")


def slow(test: Test) -> Test:
    """Marks a test as `pytest.mark.slow`, so that `pytest -m "not slow"` leaves it out."""
    import pytest

    return pytest.mark.slow(test)


def multi_gpu(gpu_num: int) -> Decorator:
    """Skips a test unless the current backend has that many devices."""
    return unittest.skipUnless(device_count() >= gpu_num, f"requires {gpu_num} devices")


def repeat_with_success_at_least(times: int, min_success: int) -> Decorator:
    """Runs a test `times` times; it passes if that many runs pass. For tests of randomness.

    Parameters
    ----------
    min_success : int
        How often it has to succeed.

    >>> from cuproxide import testing
    >>> rng = np.random.default_rng(0)
    >>> @testing.repeat_with_success_at_least(10, 1)
    ... def test():
    ...     assert rng.random() < 0.9
    >>> test()
    """
    if not 0 <= min_success <= times:
        raise ValueError(f"min_success must be between 0 and {times} (got {min_success})")

    def decorate(test: Test) -> Test:
        @functools.wraps(test)
        def wrapper(*args: Any, **kwargs: Any) -> None:
            failures: list[AssertionError] = []
            passed = 0
            while passed < min_success:
                if len(failures) > times - min_success:
                    raise AssertionError(f"{passed} of {passed + len(failures)} runs passed") from failures[0]
                try:
                    test(*args, **kwargs)
                    passed += 1
                except AssertionError as failure:
                    failures.append(failure)

        return wrapper

    return decorate


def repeat(times: int, intensive_times: int | None = None) -> Decorator:
    """Runs a test `times` times, each of which must pass. `intensive_times` is taken for compatibility.

    Parameters
    ----------
    intensive_times : int, optional
        How often where tests shall be thorough.

    >>> from cuproxide import testing
    >>> runs = []
    >>> @testing.repeat(3)
    ... def test():
    ...     runs.append(1)
    >>> test()
    >>> len(runs)
    3
    """
    return repeat_with_success_at_least(times, times)


def retry(times: int) -> Decorator:
    """Runs a test until it passes, at most `times` times."""
    return repeat_with_success_at_least(times, 1)


def fix_random(seed: int = 0) -> Decorator:
    """Seeds Python's, NumPy's and this library's random numbers before a test, and NumPy's again as they were after.

    On a class of tests: before each of its methods whose name begins with "test".
    """

    def decorate(test: Any) -> Any:
        if isinstance(test, type):
            for name, method in list(vars(test).items()):
                if name.startswith("test") and callable(method):
                    setattr(test, name, decorate(method))
            return test

        @functools.wraps(test)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            from .. import random as own

            states = random.getstate(), np.random.get_state()
            random.seed(seed)
            np.random.seed(seed)
            own.seed(seed)
            try:
                return test(*args, **kwargs)
            finally:
                random.setstate(states[0])
                np.random.set_state(states[1])

        return wrapper

    return decorate
