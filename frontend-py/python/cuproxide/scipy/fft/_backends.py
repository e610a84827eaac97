"""Other modules that serve the transforms, and the number of workers: what `scipy.fft` has for both.

A backend is an object with `__ua_domain__` "numpy.scipy.fft" and `__ua_function__(method, args, kwargs)`, which returns
`NotImplemented` for what it does not do. Without one, and after all of them, the functions of this package run.
"""

from __future__ import annotations

import contextlib
import functools
import operator
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ..._lib.wrappers import named_by_package

_DOMAIN = "numpy.scipy.fft"
_local = threading.local()
# The global backend, if any, with `only` and `try_last`, and those that are registered.
_global: tuple[Any, bool, bool] | None = None
_registered: list[Any] = []
# What "scipy" stands for: the package, which sets it.
own: Any = None
# Whether any backend has ever been set: until then a call costs nothing more.
_used = False


def _state(name: str) -> list[Any]:
    """What the thread has set or skips, the innermost last."""
    return _local.__dict__.setdefault(name, [])


def _checked(backend: Any) -> Any:
    """A backend of this domain; "scipy" stands for this package."""
    if isinstance(backend, str):
        if backend != "scipy":
            raise ValueError(f"Unknown backend {backend}")
        return own
    domain = backend.__ua_domain__
    if _DOMAIN not in ([domain] if isinstance(domain, str) else domain) or not callable(backend.__ua_function__):
        raise ValueError(f'a backend of transforms has the __ua_domain__ "{_DOMAIN}", not {domain!r}')
    return backend


@contextlib.contextmanager
def _within(name: str, entry: Any) -> Iterator[None]:
    global _used
    _used = True
    stack = _state(name)
    stack.append(entry)
    try:
        yield
    finally:
        stack.pop()


def set_backend(backend: Any, coerce: bool = False, only: bool = False) -> contextlib.AbstractContextManager[None]:
    """A context in which a backend is asked first, and alone with `only` or `coerce`.

    Parameters
    ----------
    backend : object or str
        The backend.
    coerce : bool
        Whether arguments may be converted.
    only : bool
        Whether no other backend is tried.

    Returns
    -------
    contextlib.AbstractContextManager[None]

    See Also
    --------
    scipy.fft.set_backend : The function that this one follows.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> with fft.set_backend("scipy"):
    ...     fft.fft(cp.ones(2)).real
    array([2., 0.])
    """
    return _within("chosen", (_checked(backend), only or coerce))


def skip_backend(backend: Any) -> contextlib.AbstractContextManager[None]:
    """A context in which a backend is not asked. See `scipy.fft.skip_backend`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> with fft.skip_backend("scipy"):
    ...     fft.get_workers()
    1
    """
    return _within("skipped", _checked(backend))


def set_global_backend(backend: Any, coerce: bool = False, only: bool = False, try_last: bool = False) -> None:
    """Sets the backend that is asked where no context sets one, with `try_last` after those that are registered.

    "scipy" is this package, as it is without a call.

    Parameters
    ----------
    backend : object or str
        The backend.
    coerce : bool
        Whether arguments may be converted.
    only : bool
        Whether no other backend is tried.
    try_last : bool
        Whether it is tried after the others.

    See Also
    --------
    scipy.fft.set_global_backend : The function that this one follows.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> fft.set_global_backend("scipy")
    >>> fft.fft(cp.ones(2)).real
    array([2., 0.])
    """
    global _global, _used
    _global, _used = (_checked(backend), only or coerce, try_last), True


def register_backend(backend: Any) -> None:
    """Adds a backend that is asked after the others, for good. See `scipy.fft.register_backend`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> class Nothing:
    ...     __ua_domain__ = "numpy.scipy.fft"
    ...
    ...     @staticmethod
    ...     def __ua_function__(function, args, kwargs):
    ...         return NotImplemented
    >>> fft.register_backend(Nothing)
    >>> fft.fft(cp.ones(2)).real
    array([2., 0.])
    """
    global _used
    _registered.append(_checked(backend))
    _used = True


def _candidates() -> Iterator[tuple[Any, bool]]:
    """Backends in the order in which they are asked, with `only`."""
    yield from reversed(_state("chosen"))
    last = _global is not None and _global[2]
    if _global is not None and not last:
        yield _global[:2]
    yield from ((backend, False) for backend in _registered)
    if _global is not None and last:
        yield _global[:2]


def overridable(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, or what a backend makes of a call of it."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _used:
            return function(*args, **kwargs)
        own, skipped = _checked("scipy"), _state("skipped")
        for backend, only in _candidates():
            if any(backend is other for other in skipped):
                continue
            if backend is own:
                return function(*args, **kwargs)
            result = backend.__ua_function__(call, args, kwargs)
            if result is not NotImplemented:
                return result
            if only:
                raise NotImplementedError(f"the backend {backend!r} does not serve {function.__name__}")
        if any(own is other for other in skipped):
            raise NotImplementedError(f"no backend serves {function.__name__}, and this package's own is skipped")
        return function(*args, **kwargs)

    return named_by_package(call)


def checked_workers(workers: int) -> int:
    """A number of workers; negative ones count from the number of processors down."""
    number, processors = operator.index(workers), os.cpu_count() or 1
    if number < 0:
        if number < -processors:
            raise ValueError(f"workers value out of range; got {number}, must not be less than {-processors}")
        return number + 1 + processors
    if number == 0:
        raise ValueError("workers must not be zero")
    return number


def get_workers() -> int:
    """The number of workers that `set_workers` has set; devices do not look at it. See `scipy.fft.get_workers`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> fft.get_workers()
    1
    """
    stack = _state("workers")
    return stack[-1] if stack else 1


@contextlib.contextmanager
def set_workers(workers: int) -> Iterator[None]:
    """A context in which `get_workers` gives this number. See `scipy.fft.set_workers`.

    >>> import cuproxide as cp
    >>> from cuproxide.scipy import fft
    >>> with fft.set_workers(4):
    ...     fft.get_workers()
    4
    """
    stack = _state("workers")
    stack.append(checked_workers(workers))
    try:
        yield
    finally:
        stack.pop()


__all__ = ["get_workers", "register_backend", "set_backend", "set_global_backend", "set_workers", "skip_backend"]
