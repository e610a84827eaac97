"""What stands for `cupy._util`: functions that remember, and notices of experiments."""

from __future__ import annotations

import warnings

from ..._kernels import clear_memo, memoize

__all__ = ["clear_memo", "experimental", "memoize"]


def experimental(api_name: str) -> None:
    """Warns that an interface may change.

    Parameters
    ----------
    api_name : str
        The name of a function.

    Warns
    -----
    FutureWarning

    Examples
    --------
    >>> import warnings
    >>> from cuproxide.compat.private.util import experimental
    >>> with warnings.catch_warnings(record=True) as found:
    ...     experimental("module.function")
    >>> str(found[0].message)
    'module.function is experimental. The interface can change in the future.'
    """
    warnings.warn(f"{api_name} is experimental. The interface can change in the future.", FutureWarning, stacklevel=2)
