"""Results, warnings and callbacks of optimizers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ..._cuproxide import ndarray
from ..._lib.categories import category
from ..._lib.results import Result

__all__ = ["OptimizeResult", "OptimizeWarning"]

EPSILON = 1.4901161193847656e-08
STATUS = {
    "success": "Optimization terminated successfully.",
    "maxfev": "Maximum number of function evaluations has been exceeded.",
    "maxiter": "Maximum number of iterations has been exceeded.",
    "pr_loss": "Desired error not necessarily achieved due to precision loss.",
    "nan": "NaN result encountered.",
    "out_of_bounds": "The result is outside of the provided bounds.",
}


class OptimizeResult(Result):
    """The result of optimizers: a dictionary whose items are attributes, too. See `scipy.optimize.OptimizeResult`."""


class OptimizeWarning(UserWarning):
    """A result that may be less than asked for, or an option that has no effect."""


class TooManyCalls(RuntimeError):
    """The limit of evaluations was reached."""


def unknown_options(options: dict[str, Any]) -> None:
    if options:
        warnings.warn(
            f"Unknown solver options: {', '.join(map(str, options))}", category(OptimizeWarning), stacklevel=4
        )


class Callback:
    """The user's callback in either of its forms; remembers that it asked for an end."""

    def __init__(self, function: Callable[..., Any] | None, plain: bool = False) -> None:
        self.function = function
        self.stopped = False
        self.named = False
        if function is not None and not plain:
            try:
                self.named = set(inspect.signature(function).parameters) == {"intermediate_result"}
            except (TypeError, ValueError):
                self.named = False

    def __bool__(self) -> bool:
        return self.function is not None

    def __call__(self, x: ndarray, fun: float, **more: Any) -> bool:
        """Whether the iterations are to end."""
        if self.function is None:
            return False
        try:
            if self.named:
                self.function(intermediate_result=OptimizeResult(x=x.copy(), fun=fun, **more))
            else:
                self.function(x.copy())
        except StopIteration:
            self.stopped = True
            return True
        return False


def report(
    disp: Any, flag: int, message: str, lines: dict[str, Any], kind: type[Warning] | None = OptimizeWarning
) -> None:
    """What `disp` prints; a message that is no success is a warning of a kind, if the method has one."""
    if not disp:
        return
    if flag and kind is not None:
        warnings.warn(message, category(kind) if kind is OptimizeWarning else kind, stacklevel=4)
    else:
        print(message)
    for name, value in lines.items():
        print(f"         {name}: {value:f}" if isinstance(value, float) else f"         {name}: {value}")
