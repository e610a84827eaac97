"""Zeros of Kelvin functions: asymptotic values and Newton's rule. DLMF 10.70."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import arange
from ..._cuproxide import ndarray
from ..._lib.ufuncs import SPECIAL as _special

_STEPS = 8

# Which result of `kelvin`, whether its imaginary part, whether the derivative, and the phase of the zeros.
_FUNCTIONS = {
    "ber": (0, False, False, -3 / 8, "2.848918, 7.238829"),
    "bei": (0, True, False, 1 / 8, "5.026224, 9.455406"),
    "ker": (1, False, False, -5 / 8, "1.718543, 6.127279"),
    "kei": (1, True, False, -1 / 8, "3.914668, 8.344225"),
    "berp": (0, False, True, 3 / 8, " 6.038711, 10.513643"),
    "beip": (0, True, True, -1 / 8, "3.772673, 8.280988"),
    "kerp": (1, False, True, -3 / 8, "2.66584 , 7.172122"),
    "keip": (1, True, True, 1 / 8, "4.931812, 9.404055"),
}

_DOC = """The first positive zeros of {text}.

    Parameters
    ----------
    nt : int
        How many.

    Returns
    -------
    ndarray
        The zeros.

    Raises
    ------
    ValueError
        `nt` is not a positive integer.

    See Also
    --------
    scipy.special.{name}_zeros : The function that this one follows; DLMF 10.70.

    Examples
    --------
    >>> import cuproxide as cp
    >>> cp.scipy.special.{name}_zeros(2).round(6)
    array([{shown}])
    """


def _zeros(name: str, nt: int) -> ndarray:
    if np.ndim(nt) != 0 or int(nt) != nt or nt <= 0:
        raise ValueError("nt must be positive integer scalar.")
    which, imaginary, slope, shift, _ = _FUNCTIONS[name]
    x = (arange(1, int(nt) + 1) + shift) * (np.pi * 2**0.5)
    for _ in range(_STEPS):
        results = _special["kelvin"](x)
        value, derivative = results[which], results[which + 2]
        if slope:
            # The equation gives the second derivative.
            value, derivative = derivative, 1j * value - derivative / x
        above, below = (value.imag, derivative.imag) if imaginary else (value.real, derivative.real)
        x = x - above / below
    return x


def _made(name: str) -> Callable[[int], ndarray]:
    def zeros(nt: int) -> ndarray:
        return _zeros(name, nt)

    text = f"the derivative of the Kelvin function {name[:-1]}" if len(name) == 4 else f"the Kelvin function {name}"
    zeros.__name__ = zeros.__qualname__ = f"{name}_zeros"
    zeros.__doc__ = _DOC.format(name=name, text=text, shown=_FUNCTIONS[name][-1])
    return zeros


ber_zeros, bei_zeros, ker_zeros, kei_zeros = map(_made, ("ber", "bei", "ker", "kei"))
berp_zeros, beip_zeros, kerp_zeros, keip_zeros = map(_made, ("berp", "beip", "kerp", "keip"))


def kelvin_zeros(nt: int) -> tuple[Any, ...]:
    """The first positive zeros of all Kelvin functions.

    Parameters
    ----------
    nt : int
        How many of each.

    Returns
    -------
    tuple of ndarray
        Zeros of ber, bei, ker, kei, and of their derivatives.

    Raises
    ------
    ValueError
        `nt` is not a positive integer.

    See Also
    --------
    scipy.special.kelvin_zeros : The function that this one follows; DLMF 10.70.

    >>> [zeros.round(6).item() for zeros in cp.scipy.special.kelvin_zeros(1)[:4]]
    [2.848918, 5.026224, 1.718543, 3.914668]
    """
    return tuple(_zeros(name, nt) for name in _FUNCTIONS)


__all__ = ["kelvin_zeros", *(f"{name}_zeros" for name in _FUNCTIONS)]  # noqa: PLE0604
