"""How copies of kernels in other processes are made: by the calls that made the kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["remade"]


def remade(kind: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a class again, for pickles.

    Parameters
    ----------
    kind : type
        The class.
    args, kwargs : sequence, mapping
        The arguments that it was called with.

    Returns
    -------
    object
        The object.
    """
    return kind(*args, **kwargs)
