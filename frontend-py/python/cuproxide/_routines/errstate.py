"""What happens to failures that a device reports late: `errstate`, `seterr`, `geterr`."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from .._lib.solvers import on_failure, set_on_failure

__all__ = ["errstate", "geterr", "seterr"]

_FLOATING = ("divide", "over", "under", "invalid")


def geterr() -> dict[str, str]:
    """How this thread treats failures. Those of floating-point numbers are always ignored: a device does not
    report them. See `numpy.geterr`.

    >>> cp.geterr()["linalg"]
    'raise'
    """
    return {**dict.fromkeys(_FLOATING, "ignore"), "linalg": on_failure()}


def seterr(
    all: str | None = None,
    divide: str | None = None,
    over: str | None = None,
    under: str | None = None,
    invalid: str | None = None,
    linalg: str | None = None,
) -> dict[str, str]:
    """Sets what happens to failures in this thread and returns what happened before.

    `linalg="ignore"` keeps linear algebra from waiting for the device: a singular matrix then gives infinities
    and NaN, and a factorisation that fails unspecified numbers. `linalg="raise"` raises `LinAlgError`. The others can
    only be "ignore"; anything else is a `ValueError`.

    Parameters
    ----------
    all : str, optional
        What happens to all of the following.
    divide, over, under, invalid : str, optional
        As in `numpy.seterr`.
    linalg : {'ignore', 'raise'}, optional
        What happens if linear algebra fails.

    Returns
    -------
    dict

    >>> before = cp.seterr(linalg="ignore")
    >>> cp.seterr(**before)["linalg"]
    'ignore'
    """
    before = geterr()
    for name, value in zip(("all", *_FLOATING), (all, divide, over, under, invalid), strict=True):
        if value not in (None, "ignore"):
            raise ValueError(
                f"{name} can only be 'ignore', a device does not report floating-point errors (got {value!r})"
            )
    if linalg not in (None, "ignore", "raise"):
        raise ValueError(f"linalg must be 'ignore' or 'raise' (got {linalg!r})")
    if linalg is not None:
        set_on_failure(linalg)
    return before


class errstate:
    """A context, or a decorator, in which `seterr` has been called with the arguments. See `numpy.errstate`.

    >>> with cp.errstate(linalg="ignore"):
    ...     print(cp.isfinite(cp.linalg.inv(cp.zeros((1, 1)))))
    [[False]]
    """

    def __init__(self, **kwargs: str | None) -> None:
        """The arguments are those of `seterr`."""
        self._wanted = kwargs
        self._before: list[str] = []

    def __enter__(self) -> None:
        before = seterr(**self._wanted)
        self._before.append(before["linalg"])

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        set_on_failure(self._before.pop())

    def __call__(self, function: Any) -> Any:
        """`function`, run in this context."""
        import functools

        @functools.wraps(function)
        def inner(*args: Any, **kwargs: Any) -> Any:
            with errstate(**self._wanted):
                return function(*args, **kwargs)

        return inner
