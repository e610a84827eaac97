"""Random numbers: generators and distributions. See `numpy.random`.

Every distribution draws from a counter-based stream, so a seed gives the same numbers on every device.
"""

from __future__ import annotations

from typing import TYPE_CHECKING as _TYPE_CHECKING

from numpy.random import SeedSequence

from .._lib.texts import complete as _complete
from ._bit_generator import BitGenerator, Philox4x3210
from ._generator import Generator, default_rng
from ._legacy import *  # noqa: F403
from ._legacy import __all__ as _legacy_names
from ._numpy_streams import MT19937, PCG64, PCG64DXSM, SFC64, Philox
from ._recurrences import XORWOW, MRG32k3a
from ._texts import TEXTS as _TEXTS

if _TYPE_CHECKING:
    from ._functions import *  # noqa: F403

__all__ = [  # noqa: PLE0604
    "MT19937",
    "PCG64",
    "PCG64DXSM",
    "SFC64",
    "XORWOW",
    "BitGenerator",
    "Generator",
    "MRG32k3a",
    "Philox",
    "Philox4x3210",
    "SeedSequence",
    "default_rng",
    *_legacy_names,
]

_complete(globals(), ["Generator"], _TEXTS, methods_follow="numpy.random.Generator")
_complete(globals(), [_name for _name in __all__ if _name not in _legacy_names], _TEXTS)

del annotations
