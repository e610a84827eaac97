"""Wrappers of test functions that supply arguments of theirs."""

from __future__ import annotations

import functools
import inspect
import sys
import unittest
from collections.abc import Callable
from typing import Any

Test = Callable[..., Any]


def skips_of_tests() -> tuple[type[BaseException], ...]:
    """The exceptions by which a test says that it is to be skipped: that of unittest, and pytest's where it runs."""
    pytest = sys.modules.get("pytest")
    return (unittest.SkipTest,) if pytest is None else (unittest.SkipTest, pytest.skip.Exception)


def supplying(names: tuple[str | None, ...], test: Test, wrapper: Test) -> Test:
    """`wrapper` dressed as `test`, less the arguments `names`, which a test runner must not take for fixtures."""
    signature = inspect.signature(test)
    kept = [parameter for parameter in signature.parameters.values() if parameter.name not in names]
    functools.update_wrapper(wrapper, test)
    del wrapper.__wrapped__  # type: ignore[attr-defined]
    wrapper.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
    return wrapper
