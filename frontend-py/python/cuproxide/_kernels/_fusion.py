"""Functions that are traced: they run once for each kind of arguments, and then as the kernels that this came to."""

from __future__ import annotations

import inspect
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from .._cuproxide import FusedFunction
from . import _survey
from ._marks import calling

__all__ = ["clear_functions", "fuse", "statuses"]

FUNCTIONS: weakref.WeakSet[FusedFunction] = weakref.WeakSet()
"""All functions that are traced, for `fusion.explain`."""
_lock = threading.Lock()


def _functions() -> list[FusedFunction]:
    # A set that is gone through must not grow meanwhile.
    with _lock:
        return list(FUNCTIONS)


def statuses() -> list[tuple[str, list[int], int, int, int, str | None]]:
    """The number of calls of each fused function, by outcome.

    Returns
    -------
    list of tuple
        The name, the launches of each trace, the number of calls that were traced, of those that were replayed and of
        those that ran as they are written, and why the last of these did.
    """
    found = [function.status() for function in _functions()]
    return sorted((status for status in found if any(status[2:5])), key=lambda status: status[0])


def clear_functions() -> None:
    """Forgets what `statuses` tells."""
    for function in _functions():
        function.clear()


def fuse(*args: Any, **kwargs: Any) -> Any:
    """Traces a function of arrays: its first call runs the Python code, later calls launch the kernels of the first.

    Parameters
    ----------
    function : callable, optional
        The function, where it is not decorated.
    kernel_name : str, optional
        A name for its kernels, in `fusion.explain()` and in traces of the profiler; that of the function without it.
    static_argnames : str or iterable of str, optional
        Arguments that select what the function does: any objects with a hash. A call with other ones, by `==`, is
        traced again.

    Returns
    -------
    callable
        The function, or a decorator if none was given.

    Raises
    ------
    TypeError
        For other arguments.
    ValueError
        For names in `static_argnames` that the function does not have.

    Notes
    -----
    The first call with arguments of a kind runs the function, with its elementwise operations deferred, and remembers
    the kernels that were launched. Later calls launch these, with new memory for the results: the time of a call does
    not depend on the number of operations. Results, dtypes and rounding are those of the undecorated function.

    A kind is all that Python code can observe of its arguments, except the elements of arrays: their dtypes, shapes,
    strides, devices and flags, which of them share memory, the values of numbers and strings. Floats that differ
    from call to call become arguments of the kernels unless the function looks at them. A kind includes what the
    function reads elsewhere: global names, closure cells, defaults. Arrays among these are read again at every call.
    A function that looks at elements (`float(x)`, `if x.any()`, `x.get()`), draws random numbers, uses streams, its
    own kernels or certain libraries runs as it is written at every call, and so does a call with NumPy's arrays or
    other objects, and a function that reads or changes other things in ways that cannot be compared. `fusion.explain()`
    says why.

    See Also
    --------
    cuproxide.fusion.explain : lists what was fused or traced, and what was not.

    >>> import cuproxide as cp
    >>> @cp.fuse(kernel_name="squared_difference")
    ... def squared_difference(x, y):
    ...     return (x - y) * (x - y)
    >>> squared_difference(cp.arange(4.0), cp.ones(4))
    array([1., 0., 1., 4.])
    """
    signature = inspect.Signature(
        [
            inspect.Parameter("kernel_name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None),
            inspect.Parameter("static_argnames", inspect.Parameter.KEYWORD_ONLY, default=()),
        ]
    )
    function = args[0] if args and callable(args[0]) else None
    options = signature.bind(*(args if function is None else args[1:]), **kwargs).arguments
    name, static = options.get("kernel_name"), options.get("static_argnames", ())
    static = (static,) if isinstance(static, str) else tuple(static)
    if function is not None:
        return _decorate(function, name, static)
    return lambda function: _decorate(function, name, static)


def _decorate(function: Callable[..., Any], kernel_name: str | None, static: Iterable[str]) -> Callable[..., Any]:
    name = kernel_name or getattr(function, "__name__", "fused")
    positions = _positions(function, static)
    traced = FusedFunction(function, name, _survey, positions, list(static))
    with _lock:
        FUNCTIONS.add(traced)

    fused = calling(traced, function)
    fused.kernel_name = name  # type: ignore[attr-defined]
    return fused


def _positions(function: Callable[..., Any], static: Iterable[str]) -> list[int]:
    """Where static arguments stand if they are not given by name."""
    if not static:
        return []
    parameters = list(inspect.signature(function).parameters.values())
    names = [parameter.name for parameter in parameters]
    for name in static:
        if name not in names:
            raise ValueError(f"static_argnames has {name!r}, which is not an argument of {function!r}")
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [at for at, parameter in enumerate(parameters) if parameter.kind in positional and parameter.name in static]
