"""Methods of distributions, called again with the same numbers: just the operations that their formulas come to.

A method asks at each call which of its parameters are numbers, where the support ends, which formula serves them. For
numbers all answers stay. So at the second call with the same ones its operations are written down, and later calls do
these, which takes a tenth of the time.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, TypeVar

from ._common import points
from ._tape import NUMBERS, Steps, is_traced, traced

__all__ = ["repeated"]

_Method = TypeVar("_Method", bound=Callable[..., Any])

# Most combinations of methods and parameters that a distribution remembers.
_MOST = 256


def repeated(method: _Method) -> _Method:
    """A method of points, then parameters, whose object remembers its operations in `_known`.

    That has steps, False where there are none, True after one call.
    """
    name = method.__name__

    @functools.wraps(method)
    def call(self: Any, /, *args: Any, **kwds: Any) -> Any:
        remembered = self._known
        if remembered is None or not args or is_traced():
            return method(self, *args, **kwds)
        x, *parameters = args
        key = _key(name, parameters, kwds)
        known = remembered.get(key)
        if known.__class__ is Steps:
            return known(points(x))
        if known is None and key is not None:
            if len(remembered) >= _MOST:
                remembered.clear()
            remembered[key] = True
        elif known:
            remembered[key] = traced(lambda point: method(self, point, *parameters, **kwds)) or False
        return method(self, *args, **kwds)

    return call  # type: ignore[return-value]


def _key(name: str, parameters: list[Any], kwds: dict[str, Any]) -> Any:
    """What tells calls apart, if their parameters are numbers; -0 is equal to 0, so that it is left out."""
    for value in (*parameters, *kwds.values()):
        if type(value) not in NUMBERS or (value == 0 and math.copysign(1.0, value) < 0):
            return None
    return (name, *parameters, *kwds.items())
