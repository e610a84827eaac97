"""Results of tests: tuples with names, attributes beside them, confidence intervals."""

from __future__ import annotations

import sys
from collections import namedtuple
from typing import Any

__all__ = ["ConstantInputWarning", "DegenerateDataWarning", "NearConstantInputWarning"]

ConfidenceInterval = namedtuple("ConfidenceInterval", ["low", "high"])


def bunch(name: str, fields: list[str], more: list[str] | None = None, **methods: Any) -> Any:
    """A tuple class with named fields and further attributes, as SciPy's results are."""
    make: Any = namedtuple
    base = make(name, fields)
    more = more or []

    def new(cls: Any, *args: Any, **kwds: Any) -> Any:
        extra = {key: kwds.pop(key) for key in list(kwds) if key not in fields}
        made = base.__new__(cls, *args[: len(fields)], **kwds)
        made.__dict__.update(dict(zip(more, args[len(fields) :], strict=False)), **extra)
        return made

    def show(self: Any) -> str:
        shown = [*fields, *(key for key in self.__dict__ if not key.startswith("_"))]
        return f"{name}({', '.join(f'{key}={getattr(self, key)!r}' for key in shown)})"

    # As `namedtuple` does: pickles look for the class where it is made.
    module = sys._getframe(1).f_globals["__name__"]
    return type(name, (base,), {"__new__": new, "__repr__": show, "__module__": module, **methods})


SignificanceResult = bunch("SignificanceResult", ["statistic", "pvalue"])


class DegenerateDataWarning(RuntimeWarning):
    """Data are such that a statistic is not defined."""


class ConstantInputWarning(DegenerateDataWarning):
    """All elements of a sample are equal, so that its correlations are not defined."""


class NearConstantInputWarning(DegenerateDataWarning):
    """All values of a sample are nearly the same. See `scipy.stats.NearConstantInputWarning`."""

    def __init__(self, msg: str | None = None) -> None:
        super().__init__(msg or "All values in data are nearly equal; results may not be reliable.")
