"""Finding where a program waits for a device."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from .. import _cuproxide as _core
from .._cuproxide import DeviceSynchronized

__all__ = ["DeviceSynchronized", "allow_synchronize"]


@contextlib.contextmanager
def allow_synchronize(allow: bool) -> Iterator[None]:
    """Lets this thread wait for devices, or forbids it, while a block runs.

    Where it is forbidden, what would wait raises `DeviceSynchronized` instead: reading elements on the host
    (`float(x)`, `x.get()`, `bool(x)`, printing), functions whose result has a shape that only the device knows
    (`nonzero`, `unique`), checks of values, and `synchronize` of devices, streams and events. It is so on devices that
    compute before a call returns, too: a program can be examined on any machine. What the allocator and the driver wait
    for is not seen.

    Parameters
    ----------
    allow : bool
        Whether the thread may wait.

    Raises
    ------
    DeviceSynchronized
        In the block, with what would have been waited for.

    See Also
    --------
    cuproxide.profiler.trace : where time goes.

    Examples
    --------
    >>> import cuproxide as cp
    >>> x = cp.arange(3)
    >>> with cp.allow_synchronize(False):
    ...     total = (x * x).sum()
    >>> try:
    ...     with cp.allow_synchronize(False):
    ...         int(total)
    ... except cp.DeviceSynchronized as error:
    ...     print(error)
    the device would have to be waited for here: elements are read on the host
    >>> int(total)
    5
    """
    before = _core.set_waiting(bool(allow))
    try:
        yield
    finally:
        _core.set_waiting(before)
