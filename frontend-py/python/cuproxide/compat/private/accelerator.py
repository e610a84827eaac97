"""What stands for `cupy._core._accelerator`: which libraries reductions and routines ask for."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from ..._lib import contraction

__all__ = [
    "ACCELERATOR_CUB",
    "ACCELERATOR_CUTENSOR",
    "ACCELERATOR_CUTENSORNET",
    "get_reduction_accelerators",
    "get_routine_accelerators",
    "set_reduction_accelerators",
    "set_routine_accelerators",
]


class Accelerator(IntEnum):
    """CuPy's numbers of its accelerators."""

    CUB = 1
    CUTENSOR = 2
    CUTENSORNET = 3


ACCELERATOR_CUB = Accelerator.CUB
ACCELERATOR_CUTENSOR = Accelerator.CUTENSOR
ACCELERATOR_CUTENSORNET = Accelerator.CUTENSORNET

_chosen = [Accelerator[name.upper()] for name in contraction.chosen()]
_reductions, _routines = list(_chosen), list(_chosen)


def _accelerators(names: Iterable[str | int]) -> list[Accelerator]:
    found = []
    for name in names:
        try:
            found.append(Accelerator[name.upper()] if isinstance(name, str) else Accelerator(name))
        except (KeyError, ValueError):
            raise ValueError(f"Unknown accelerator: {name}") from None
    return found


def get_reduction_accelerators() -> list[Accelerator]:
    """The libraries that reductions ask for. Here they always run by kernels of this package.

    Returns
    -------
    list of int
        Numbers of accelerators.

    Examples
    --------
    >>> from cuproxide.compat.private import accelerator
    >>> accelerator.set_reduction_accelerators(["cub"])
    >>> accelerator.get_reduction_accelerators() == [accelerator.ACCELERATOR_CUB]
    True
    """
    return list(_reductions)


def set_reduction_accelerators(accelerators: Iterable[str | int]) -> None:
    """Keeps what reductions are to ask for, which changes nothing here.

    Parameters
    ----------
    accelerators : sequence of str or int
        'cub', 'cutensor', 'cutensornet' or their numbers.

    Raises
    ------
    ValueError
        For other names.
    """
    _reductions[:] = _accelerators(accelerators)


def get_routine_accelerators() -> list[Accelerator]:
    """The libraries that routines ask for: contractions of tensors take cuTENSOR if it is among them.

    Returns
    -------
    list of int
        Numbers of accelerators.
    """
    return list(_routines)


def set_routine_accelerators(accelerators: Iterable[str | int]) -> None:
    """Chooses the libraries that routines ask for, in place of `CUPROXIDE_ACCELERATORS`.

    Parameters
    ----------
    accelerators : sequence of str or int
        'cub', 'cutensor', 'cutensornet' or their numbers.

    Raises
    ------
    ValueError
        For other names.
    """
    _routines[:] = _accelerators(accelerators)
    contraction.enabled = Accelerator.CUTENSOR in _routines
