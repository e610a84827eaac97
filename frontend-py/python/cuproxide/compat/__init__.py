"""Makes `import cupy` and `import cupyx` resolve to this package, so that programs written for CuPy run unmodified.

    python -m cuproxide.compat script.py arguments
    python -m cuproxide.compat -m module arguments
    python -m pytest -p cuproxide.compat.pytest_plugin

or, at the top of a program, `from cuproxide import compat; compat.install()`. See `docs/compat.md`.
"""

from __future__ import annotations

import sys

from .. import _cuproxide as _core
from .._lib.following import set_following_cupy
from .._protocols import dispatch as _dispatch
from ._modules import ROOTS, Finder

__all__ = ["VERSION", "install", "is_installed", "uninstall"]

VERSION = "15.0.0"
"""The version that `cupy.__version__` tells: the one whose interface is followed."""

_finder = Finder(VERSION)
_before: dict[str, object] = {}


def is_installed() -> bool:
    """Whether `import cupy` resolves to this package."""
    return _finder in sys.meta_path


def install(*, wrap_indices: bool = True) -> None:
    """Makes `import cupy`, `import cupyx` and their submodules resolve to this package, from now on in this process.

    The modules and everything in them are those of this package: `cupy.ndarray is cuproxide.ndarray`. Until
    `uninstall`, arrays are of a class whose module reads "cupy", for libraries that dispatch on that, diagonals can be
    written to, and arrays of one element become elements of others, as in CuPy. With
    `wrap_indices`, arrays of indices wrap around where they are out of bounds, as CuPy documents, instead of raising
    `IndexError`. A second call only changes `wrap_indices`. `ImportError` if another `cupy` is already imported.
    """
    if is_installed():
        _core.set_index_wrapping(wrap_indices)
        return
    taken = [root for root in ROOTS if root in sys.modules]
    if taken:
        raise ImportError(f"{taken[0]} is already imported from {getattr(sys.modules[taken[0]], '__file__', None)}")
    _before["module"] = _core.ndarray.__module__
    _before["wrapping"] = _core.set_index_wrapping(wrap_indices)
    _before["following"] = _core.set_following_cupy(True)
    set_following_cupy(True)
    _core.ndarray.__module__ = "cupy"
    _dispatch.NAMESPACE = "cupy"
    # CuPy's arrays do not have it, and libraries decide by that how to index.
    _before["namespace"] = _core.ndarray.__array_namespace__
    del _core.ndarray.__array_namespace__
    sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    """Undoes `install`; modules that were imported under the other names keep working where they are held."""
    if not is_installed():
        return
    sys.meta_path.remove(_finder)
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOTS]:
        del sys.modules[name]
    _core.ndarray.__module__ = str(_before["module"])
    _core.ndarray.__array_namespace__ = _before["namespace"]
    _dispatch.NAMESPACE = "cuproxide"
    _core.set_index_wrapping(bool(_before["wrapping"]))
    _core.set_following_cupy(bool(_before["following"]))
    set_following_cupy(False)
