"""Classes of tests that run once for each of several cases."""

from __future__ import annotations

import inspect
import itertools
import sys
import unittest
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

__all__ = ["parameterize", "product", "product_dict"]

Case = Mapping[str, Any]


def product(parameter: Mapping[str, Iterable[Any]] | Sequence[Iterable[Any]]) -> list[Any]:
    """All combinations of the values of each name: `product({"a": [1, 2], "b": [3]})` has two dicts.

    Of a sequence of iterables of values: all combinations as lists.
    """
    if isinstance(parameter, Mapping):
        names = sorted(parameter)
        combinations = itertools.product(*(parameter[name] for name in names))
        return [dict(zip(names, values, strict=True)) for values in combinations]
    return [list(values) for values in itertools.product(*parameter)]


def product_dict(*parameters: Iterable[Case]) -> list[dict[str, Any]]:
    """All combinations of one dict of each list, merged: the later ones win."""
    return [{name: value for case in cases for name, value in case.items()} for cases in itertools.product(*parameters)]


def parameterize(*cases: Case) -> Callable[[type], Any]:
    """Runs a class of tests once for each of `cases`, whose values are attributes of the instance meanwhile.

        @testing.parameterize(*testing.product({"shape": [(3,), (2, 3)], "order": ["C", "F"]}))
        class TestSum:
            def test_sum(self):
                testing.shaped_arange(self.shape, order=self.order).sum()

    pytest runs a plain class so. For a `unittest.TestCase`, its module gets one subclass for each case.
    """
    if any(not isinstance(case, Mapping) for case in cases):
        raise TypeError("cases must be dicts")

    def decorate(tests: type) -> Any:
        if not isinstance(tests, type):
            raise TypeError("parameterize decorates classes")
        return _subclasses(tests, cases) if issubclass(tests, unittest.TestCase) else _by_fixture(tests, cases)

    return decorate


def _label(case: Case) -> str:
    return "-".join(f"{name}={getattr(value, '__name__', value)}" for name, value in case.items())


def _by_fixture(tests: type, cases: Sequence[Case]) -> type:
    import pytest

    setup = getattr(tests, "setup_method", None)

    @pytest.fixture(autouse=True, params=list(cases), ids=[_label(case) for case in cases])
    def case(self: Any, request: Any) -> None:
        for name, value in request.param.items():
            setattr(self, name, value)
        if setup is not None:
            takes_method = len(inspect.signature(setup).parameters) > 1
            setup(self, *([request.function] if takes_method else []))

    tests._case = case  # type: ignore[attr-defined]
    if setup is not None:
        # pytest would call it before the fixture.
        tests.setup_method = None  # type: ignore[attr-defined]
    return tests


def _subclasses(tests: type, cases: Sequence[Case]) -> None:
    module = sys.modules[tests.__module__]
    for number, case in enumerate(cases):
        name = f"{tests.__name__}_param_{number}"
        members = {**case, "__module__": tests.__module__, "__qualname__": name, "__doc__": _label(case)}
        setattr(module, name, type(name, (tests,), members))
