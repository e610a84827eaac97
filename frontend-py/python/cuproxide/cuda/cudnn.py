"""Constants, version and errors of the vendor's library of neural networks, by the names that programs import.

The operations themselves are those of `cuproxide.cudnn`, on arrays. Functions on addresses of descriptors are left out,
since a library's descriptors live within a call here.
"""

from __future__ import annotations

from typing import Any

from ..cudnn import CuDNNError, _constants, getVersion
from ..cudnn._constants import *  # noqa: F403

__all__ = [*(name for name in vars(_constants) if name.startswith("CUDNN_")), "CuDNNError", "getVersion"]


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        raise AttributeError(
            f"module {__name__!r} has no attribute {name!r}: cuproxide.cudnn has the functions, on arrays"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
