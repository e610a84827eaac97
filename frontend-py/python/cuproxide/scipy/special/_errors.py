"""How special functions report errors: SciPy's settings, of which devices report nothing."""

from __future__ import annotations

import threading
from typing import Any

# SciPy's categories and what it does about them at first.
_CATEGORIES = (
    *("singular", "underflow", "overflow", "slow", "loss", "no_result", "domain", "arg", "other"),
    "memory",
)
_ACTIONS = ("ignore", "warn", "raise")


class SpecialFunctionWarning(Warning):
    """The warning of SciPy's special functions. Those of this package give none: see `seterr`."""


class SpecialFunctionError(Exception):
    """The exception of SciPy's special functions. Those of this package raise none: see `seterr`."""


class _Settings(threading.local):
    def __init__(self) -> None:
        self.actions = dict.fromkeys(_CATEGORIES, "ignore") | {"memory": "raise"}


_settings = _Settings()


def geterr() -> dict[str, str]:
    """The settings of `seterr`, as `scipy.special.geterr`.

    Returns
    -------
    dict of str to str
        The action of each category.

    See Also
    --------
    seterr, errstate

    >>> cp.scipy.special.geterr()["singular"]
    'ignore'
    """
    return dict(_settings.actions)


def seterr(**kwargs: str) -> dict[str, str]:
    """Sets what happens on errors, as `scipy.special.seterr`.

    The settings are kept for each thread and checked, but no function of this package reports errors: elements are
    computed on a device, later than the call, and what has no value is nan there. Test for nan instead.

    Parameters
    ----------
    all : {'ignore', 'warn', 'raise'}, optional
        The action of all categories.
    **kwargs : {'ignore', 'warn', 'raise'}, optional
        The action of a category, over `all`: singular, underflow, overflow, slow, loss, no_result, domain, arg, other,
        memory.

    Returns
    -------
    dict of str to str
        The settings before.

    Raises
    ------
    KeyError
        For a category or an action that SciPy does not know. No setting is changed then.

    See Also
    --------
    geterr, errstate

    >>> before = cp.scipy.special.seterr(singular="warn")
    >>> cp.scipy.special.geterr()["singular"]
    'warn'
    >>> _ = cp.scipy.special.seterr(**before)
    """
    before = geterr()
    wanted = dict(kwargs)
    changed = dict.fromkeys(_CATEGORIES, wanted.pop("all")) if "all" in wanted else {}
    changed |= wanted
    for name, action in changed.items():
        if name not in _CATEGORIES:
            raise KeyError(name)
        if action not in _ACTIONS:
            raise KeyError(action)
    _settings.actions = before | changed
    return before


class errstate:
    """A context with other settings of `seterr`, as `scipy.special.errstate`.

    Parameters
    ----------
    **kwargs : {'ignore', 'warn', 'raise'}
        As for `seterr`.

    Raises
    ------
    KeyError
        On entry, for a category or an action that SciPy does not know.

    See Also
    --------
    seterr, geterr

    >>> with cp.scipy.special.errstate(all="raise"):
    ...     print(cp.scipy.special.gammaln(0.0))
    inf
    """

    def __init__(self, **kwargs: str) -> None:
        self._kwargs = kwargs

    def __enter__(self) -> None:
        self._before = seterr(**self._kwargs)

    def __exit__(self, *details: Any) -> None:
        seterr(**self._before)


__all__ = ["SpecialFunctionError", "SpecialFunctionWarning", "errstate", "geterr", "seterr"]
